#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Many boards and one receiver of OTLP over HTTP, for test_fleet.sh.

    otlp_fleet.py receiver FILE PORT      accept requests; append each to FILE before it is answered
    otlp_fleet.py run BOARDS TIME STREAM OUTAGE...

"run" starts a tracelogger for each board, with --time=TIME seconds. All boards emit events of STREAM
at the same moments. After each OUTAGE, in seconds, the receiver is started again. The environment
has TRACELOGGER, SHIM and WORK, an empty directory. Each line printed is a figure: NAME VALUE.

    most        most requests in a second
    again       longest time until a board had sent a request again, after an outage, in s
    missing     events that did not arrive
    twice       events that arrived more than once
    lost        events or frames that loggers reported as lost
    ...
"""
import asyncio
import gzip
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

HEAD = struct.Struct('<dI')


async def serve(reader, writer, out):
    try:
        while True:
            head = (await reader.readuntil(b'\r\n\r\n')).decode().lower()
            length = int(head.split('content-length:')[1].split()[0])
            body = await reader.readexactly(length)
            os.write(out, HEAD.pack(time.monotonic(), length) + body)
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def receive(path, port):
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(('127.0.0.1', port))
    server = await asyncio.start_server(lambda r, w: serve(r, w, out), sock=s, backlog=4096)
    print(s.getsockname()[1], flush=True)
    await server.serve_forever()


def varint(p, at):
    n = shift = 0
    while True:
        n |= (p[at] & 127) << shift
        shift += 7
        at += 1
        if p[at - 1] < 128:
            return n, at


def fields(p):
    """The fields of a message of protobuf: number and value."""
    at = 0
    while at < len(p):
        tag, at = varint(p, at)
        kind = tag & 7
        if kind == 0:
            v, at = varint(p, at)
        elif kind == 2:
            n, at = varint(p, at)
            v, at = p[at:at + n], at + n
        else:
            n = 8 if kind == 1 else 4
            v, at = p[at:at + n], at + n
        yield tag >> 3, v


def every(p, number):
    return [v for n, v in fields(p) if n == number]


def attributes(p, number):
    """KeyValue: key = 1, value = 2; AnyValue: string_value = 1, int_value = 3."""
    found = {}
    for pair in every(p, number):
        key, = every(pair, 1)
        value, = every(pair, 2)
        for n, v in fields(value):
            found[key.decode()] = v.decode() if n == 1 else v
    return found


class Requests:
    """The requests that a receiver accepted: time, bytes, board, records as attributes with the name."""
    def __init__(self, path, started):
        self.path, self.started = path, started
        self.at, self.known = 0, []

    def all(self):
        with open(self.path, 'rb') as f:
            f.seek(self.at)
            data = f.read()
        at = 0
        # The last one may be cut by the end of the receiver, which did not answer it then.
        while at + HEAD.size <= len(data):
            when, length = HEAD.unpack_from(data, at)
            if len(data) - at - HEAD.size < length:
                break
            at += HEAD.size
            self.known.append((when, length) + self.parse(gzip.decompress(data[at:at + length])))
            at += length
        self.at += at
        return self.known

    @staticmethod
    def parse(message):
        records, board = [], None
        for logs in every(message, 1):
            board = attributes(every(logs, 1)[0], 1)['host.name']
            for scope in every(logs, 2):
                for record in every(scope, 2):
                    name = b''.join(every(record, 12)).decode()
                    records.append(dict(attributes(record, 6), name=name))
        return board, records


class Fleet:
    def __init__(self, boards, period, stream):
        self.boards, self.period = boards, period
        self.work = os.environ['WORK']
        self.frames = [f + b'\x7e' for f in open(stream, 'rb').read().split(b'\x7e')[:-1]]
        self.fed = 0            # events fed to each board
        self.port = 0
        self.runs = []          # of each receiver
        self.loggers, self.pipes = [], []

    def receiver(self):
        path = f'{self.work}/requests.{len(self.runs)}'
        self.peer = subprocess.Popen([sys.executable, sys.argv[0], 'receiver', path, str(self.port)],
                                     stdout=subprocess.PIPE)
        self.port = int(self.peer.stdout.readline())
        self.runs.append(Requests(path, time.monotonic()))

    def start(self):
        env = dict(os.environ, LD_PRELOAD=os.environ['SHIM'], SHIM_DEVICE='1',
                   SHIM_NAP=str(25 * self.period))
        for i in range(self.boards):
            fifo = f'{self.work}/device.{i}'
            os.mkfifo(fifo)
            self.pipes.append(os.open(fifo, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
            os.mkdir(f'{self.work}/spool.{i}')
            self.loggers.append(subprocess.Popen(
                [os.environ['TRACELOGGER'], '--quiet', f'--time={self.period}s', '--sync=none',
                 f'--device={fifo}', f'--to=otlp:http://127.0.0.1:{self.port}',
                 f'--spool={self.work}/spool.{i}', '-A', f'board=b{i}'],
                env=env, stdin=subprocess.DEVNULL, stderr=open(f'{self.work}/err.{i}', 'w')))

    def feed(self, head=0):
        """The next events of all boards, at once. The first @head frames are no events."""
        n = head + 2
        piece = b''.join(self.frames[:n])
        del self.frames[:n]
        self.fed += 2
        for p in self.pipes:
            assert os.write(p, piece) == len(piece), 'a logger does not read its device'

    def until(self, done, most):
        """Feed events until it is done. Return whether it was within @most seconds."""
        end = time.monotonic() + most
        while time.monotonic() < end:
            if done():
                return True
            if self.frames:
                self.feed()
            time.sleep(min(self.period / 10, end - time.monotonic()))
        return done()

    def seen(self):
        return {board for _, _, board, _ in self.runs[-1].all()}

    def kill_receiver(self, outage):
        self.peer.kill()
        self.peer.wait()
        self.until(lambda: False, outage)
        self.receiver()

    def cpu(self):
        """CPU time of all loggers, in s."""
        return sum(int(open(f'/proc/{p.pid}/schedstat').read().split()[0]) for p in self.loggers) / 1e9

    def memory(self):
        pss = 0
        for p in self.loggers[:20]:
            pss += sum(int(line.split()[1]) for line in open(f'/proc/{p.pid}/smaps_rollup')
                       if line.startswith('Pss:'))
        return pss / len(self.loggers[:20])

    def run(self, outages):
        self.receiver()
        self.start()
        begun = time.monotonic()
        self.feed(head=3)
        print('started', round(time.monotonic() - begun, 2))
        print('first', int(self.until(lambda: len(self.seen()) == self.boards, 3 * self.period)))
        for outage in outages:
            self.kill_receiver(outage)
            print('reconnected', int(self.until(lambda: len(self.seen()) == self.boards, 150)))
        took = time.monotonic() - begun
        self.frames = []
        self.until(lambda: not self.left(), 3 * self.period + 120)
        print('seconds', round(took))
        print('cpu_ms_a_minute', round(self.cpu() * 1000 / self.boards / ((time.monotonic() - begun) / 60), 2))
        print('kib_a_board', round(self.memory()))
        self.report()

    def got(self):
        events, lost = {}, 0
        for run in self.runs:
            for _, _, board, records in run.all():
                for r in records:
                    if r['name'] in ('devtrace.lost', 'devtrace.gap'):
                        lost += r['devtrace.count']
                    else:
                        key = board, r['devtrace.ts']
                        events[key] = events.get(key, 0) + 1
        return events, lost

    def left(self):
        return self.boards * self.fed - len(self.got()[0])

    def report(self):
        events, lost = self.got()
        print('events', self.boards * self.fed)
        print('missing', self.boards * self.fed - len(events))
        print('twice', sum(n > 1 for n in events.values()))
        print('lost', lost)
        times, size, again = [], 0, 0
        for i, run in enumerate(self.runs):
            first = {}
            for when, length, board, _ in run.all():
                times.append(when)
                size += length
                first.setdefault(board, when - run.started)
            if i:
                again = max(again, max(first.values()))
        times.sort()
        seconds = {}
        for t in times:
            seconds[int(t - times[0])] = seconds.get(int(t - times[0]), 0) + 1
        print('requests', len(times))
        print('bytes_a_request', round(size / len(times)))
        print('most', max(seconds.values()))
        print('most_sliding', max(sum(t <= u < t + 1 for u in times[i:i + 4000]) for i, t in enumerate(times)))
        print('again', round(again, 1))

    def end(self):
        for p in self.loggers:
            p.kill()
        for p in self.loggers:
            p.wait()
        self.peer.kill()


def prefer(nice):
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    except PermissionError:
        pass


def main():
    if sys.argv[1] == 'receiver':
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        # On a busy machine, requests that wait for this process would seem to come at once.
        prefer(-15)
        asyncio.run(receive(sys.argv[2], int(sys.argv[3])))
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # Each board has a CPU of its own: loggers that wait for one would send together.
    prefer(-10)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    fleet = Fleet(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    try:
        fleet.run([int(n) for n in sys.argv[5:]])
    finally:
        fleet.end()


main()
