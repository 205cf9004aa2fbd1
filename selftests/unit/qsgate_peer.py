#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Hosts of a target, for test_qsgate.sh, which speak QS's protocol byte by byte.

    qutest PORT                 a front end of QSPY, at this UDP port: every request, by key and
                                by name, and what comes back
    qspy PORTFILE               QSPY itself: listens for the target; its port goes to the file
    counts PORT                 a front end, when stamps are numbers of records
    narrow PORT                 a front end, whose target has pointers of 4 bytes
    restart PORT                a front end, whose RESET executes the program anew
    anybody PORT                a front end that only root's gate refuses
    stuck PORT PID              a front end, whose program is stopped meanwhile
    end PORT                    a front end that only tells the program to end
    flood PORT SEED             10 000 malformed datagrams; then the gate still answers
    flood-qspy PORTFILE SEED    10 000 malformed frames, likewise
    again PORTFILE qp|rkh       three hosts, the second of which reads nothing: what names they hear
    slow PORTFILE NUMBER        QSPY at a slow line, which hears so many records of the application
    deaf PORTFILE FILE          QSPY that reads nothing until FILE is there; then how many frames
    rkh FILE                    prints the frames of an RKH target, one a line
    rkh-records FILE            those that are no names, without numbers and checks

Written from the layouts, apart from the tables of tools/qsgate. Each wait ends at a deadline that
only a hang reaches.
"""

import fnmatch
import os
import random
import re
import select
import signal
import socket
import struct
import sys
import time

PATIENCE = 600
INFO = bytes.fromhex('06') + struct.pack('<I', ~(260715 * 10000 + 815) & 0xffffffff) + \
    bytes.fromhex('444444880440250000' + '0c0f071a')
RESET_INFO = bytes([0x46]) + INFO[1:]
NARROW_INFO = INFO[:8] + b'\x44' + INFO[9:]
RX = ('INFO COMMAND RESET TICK PEEK POKE FILL TEST_SETUP TEST_TEARDOWN TEST_PROBE GLB_FILTER LOC_FILTER '
      'AO_FILTER CURR_OBJ TEST_CONTINUE QUERY_CURR EVENT').split()

count = bad = 0


def ok(good, name, note=''):
    global count, bad
    count += 1
    print('ok' if good else 'not ok', count, name, flush=True)
    if not good:
        bad += 1
        print('# ' + repr(note), flush=True)


class FrontEnd:
    def __init__(self, port, channels=2):
        self.to = ('127.0.0.1', port)
        self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.s.bind(('127.0.0.1', 0))
        self.s.settimeout(PATIENCE)
        self.seq = 0
        self.send(bytes([128, channels]))
        self.expected = 0
        self.attached = self.receive() == (128, b'')

    def send(self, packet):
        self.s.sendto(bytes([self.seq]) + packet, self.to)
        self.seq = (self.seq + 1) & 255

    def receive(self):
        packet = self.s.recv(65536)
        self.in_order = packet[0] == self.expected
        self.expected = (packet[0] + 1) & 255
        return packet[1], packet[2:]

    def line(self):
        """The next text, behind its record."""
        while True:
            record, data = self.receive()
            if record == 0:
                return data[1:].decode()

    def expect(self, *lines):
        for want in lines:
            got = self.line()
            ok(fnmatch.fnmatchcase(got, want), want.strip(), got)

    def ask(self, packet, *lines):
        self.send(packet)
        self.expect(*lines)


def ack(n):
    return '           Trg-Ack  QS_RX_' + RX[n]


def err(n):
    return '           Trg-ERR  ' + ('QS_RX_' + RX[n] if n < 17 else '0x%02X' % n)


def done(n):
    return '?????????? Trg-Done QS_RX_' + RX[n]


def named(record, fmt, values, name):
    return bytes([record]) + struct.pack('<' + fmt, *values) + name.encode() + b'\0'


def qutest(port):
    f = FrontEnd(port)
    ok(f.attached, 'attach is confirmed')
    f.send(bytes([0]))
    ok(f.receive() == (64, INFO), 'INFO: the target is told')
    f.send(bytes([2]))
    ok(f.receive() == (64, RESET_INFO), 'RESET: the target is told to have begun anew')
    f.expect('           QF_RUN')
    f.ask(bytes([7]), ack(7))
    f.ask(struct.pack('<BBIII', 1, 5, 1, 2, 3), ack(1), '?????????? USER+001 5 1 2 3', done(1))
    f.ask(struct.pack('<BB', 1, 5), ack(1), '?????????? USER+001 5 0 0 0', done(1))
    f.ask(named(138, 'BIII', (0, 7, 8, 9), 'SIX'), ack(1), '?????????? USER+001 6 7 8 9', done(1))
    f.ask(bytes([3, 2]), ack(3), '           Tick<2>  Ctr=0000000001', done(3))
    # 84 and 8F: nothing is current
    f.ask(struct.pack('<BHBB', 4, 0, 4, 1), err(4))
    f.ask(bytes([15, 1]), err(15))
    f.ask(named(137, 'BQ', (5, 0), 'motor'), ack(13))
    f.ask(struct.pack('<BHBB', 4, 0, 4, 1), '?????????? Trg-Peek Offs=0,Size=4,Num=1,Data=<000005DC>')
    f.ask(struct.pack('<BHBBHH', 5, 4, 2, 2, 7, 8), ack(5))
    f.ask(struct.pack('<BHBBH', 6, 8, 2, 2, 0xabcd), ack(6))
    f.ask(struct.pack('<BHBB', 4, 4, 2, 4), '?????????? Trg-Peek Offs=4,Size=2,Num=4,Data=<0007,0008,ABCD,ABCD>')
    f.ask(struct.pack('<BHBB', 4, 4, 2, 7), err(4))
    f.ask(struct.pack('<BHBBH', 5, 65535, 2, 1, 7), err(5))
    f.ask(struct.pack('<BHBBB', 6, 100, 1, 1, 7), err(6))
    f.ask(named(137, 'BQ', (6, 0), 'philo'), ack(13))
    f.ask(bytes([15, 0]), '?????????? Query-SM Obj=philo,State=Philo_thinking')
    f.ask(bytes([15, 1]), '?????????? Query-AO Pri=5,Que<Use=1,Free=9,Min=7>')
    f.ask(struct.pack('<BBIH', 16, 253, 4, 2) + b'ab', ack(16),
          '?????????? QF-Pub   Sdr=philo,Evt<Sig=EAT_SIG,Pool=253,Ref=2>', done(16))
    f.ask(named(135, 'BIH', (255, 0, 0), 'DONE_SIG'), ack(16),
          # named for its object alone, and the record names none
          '?????????? QF-Pub   Sdr=philo,Evt<Sig=DONE_SIG,Pool=255,Ref=0>', done(16))
    f.ask(named(135, 'BIH3s', (0, 0, 3, b'abc'), 'EAT_SIG'), ack(16),
          '?????????? QF-Pub   Sdr=NULL,Evt<Sig=EAT_SIG,Pool=0,Ref=3>', done(16))
    f.ask(struct.pack('<BBIH', 16, 1, 88, 0), ack(16),
          '?????????? QF-Pub   Sdr=NULL,Evt<Sig=00000088,Obj=0x0000000000000000,Pool=1,Ref=0>', done(16))
    f.ask(named(136, 'BQ', (0, 0), 'philo'), ack(12))
    f.ask(named(136, 'BQ', (1, 0), 'philo'), ack(12))
    f.ask(named(136, 'BQ', (0, 0), 'table'), err(12))
    f.ask(struct.pack('<BBQ', 12, 0, 4096), err(12))
    f.ask(struct.pack('<BBQ', 13, 5, 4096), err(13))
    f.ask(struct.pack('<BBQ', 13, 5, 0), err(13))
    f.ask(named(139, 'IQ', (4711, 0), 'Philo_eating'), ack(9))
    f.ask(bytes([1, 4]), ack(1), '?????????? TstProbe Fun=Philo_eating,Data=4711', done(1))
    f.ask(bytes([1, 1]), ack(1),
          '?????????? PHILO_STAT   7 eating Philo_eating philo  10 7E 7D BB  -2.7183e+05     -5 0x0000BEEF '
          'EAT_SIG,Obj=philo 3', '?????????? USER+001       -5', done(1))
    f.ask(bytes([1, 2]), ack(1),
          '===RTC===> St-Entry Obj=philo,State=Philo_thinking',
          '?????????? ===>Tran Obj=philo,Sig=EAT_SIG,State=Philo_thinking->Philo_eating',
          '?????????? AO-Post  Sdr=table,Obj=philo,Evt<Sig=00000077,Obj=0x????????????????,Pool=1,Ref=2>,'
          'Que<Free=5,Min=3>',
          '           Tick<0>  Ctr=0000070000',
          '?????????? TE1-Rarm Obj=table,AO=NULL,Tim=9,Int=8,Was=0',
          '?????????? =ASSERT= Mod=mo~d},Loc=42', done(1))
    # The program waits, and is asked on all the same.
    f.ask(bytes([1, 3]), ack(1), '           TstPause')
    f.ask(bytes([14]), ack(14), done(1))
    f.ask(struct.pack('<BBQQ', 10, 16, 0x1fffffffffffffff, 0x1fffffffffffffff), ack(10))
    f.ask(struct.pack('<BBQQ', 11, 16, 0xffffffffffffffff, 0xffffffffffffffff), ack(11))
    f.ask(struct.pack('<BBQQ', 10, 16, 0, 0), ack(10))
    f.ask(bytes([1, 5]), ack(1), done(1))
    f.ask(bytes([8]), ack(8))
    # A request that no target has, and one that is cut off
    f.ask(bytes([17]), err(0x43))
    f.ask(bytes([127, 1, 2]), err(0x43))
    f.ask(bytes([4, 0]), err(0x50))
    f.ask(struct.pack('<BHBB', 4, 0, 3, 1), err(0x50))
    f.ask(bytes([16, 0, 1, 0, 0, 0, 5, 0]), err(0x50))
    f.ask(bytes([]), '   <F-END> ERROR    the datagram is too short or too long')
    f.ask(bytes([135, 0]), '   <F-END> ERROR    the datagram is truncated, or contains no name')
    f.ask(named(135, 'BIH', (0, 0, 0), 'NO_SIG'), "   <F-END> ERROR    the dictionaries have no 'NO_SIG'")
    f.ask(bytes([200]), '   <F-END> ERROR    the gate does not know this packet')
    f.send(bytes([131, 0]))
    f.send(bytes([140]))
    f.send(b'\x8d\xffa note\0')
    f.send(bytes([131, 1]))
    f.send(b'\x8d\xffa note with \x1b[1m\0')
    f.send(bytes([131, 0]))
    # A second front end has the bytes too; the first goes on.
    b = FrontEnd(port, 1)
    b.send(bytes([3, 7]))
    got = [b.receive() for _ in range(2)]
    ok(got[0] == (66, b'\3') and got[1][0] == 65 and got[1][1][4:] == b'\3', 'the binary channel', got)
    f.expect(ack(3), done(3))
    f.send(bytes([129]))
    b.send(bytes([1, 99]))
    while b.receive()[0] != 129:
        pass
    ok(True, 'the gate says that it ends')


def counts(port):
    f = FrontEnd(port)
    f.send(bytes([2]))
    f.receive()
    f.expect('           QF_RUN')
    f.ask(bytes([1, 5]), ack(1), '0000000001 USER+001 5 0 0 0', '0000000002 Trg-Done QS_RX_COMMAND')
    f.ask(bytes([1, 2]), ack(1), '===RTC===> *', '0000000003 ===>Tran *', '0000000004 AO-Post *',
          '           Tick*', '0000000005 TE1-Rarm *', '0000000006 =ASSERT= *', '0000000007 Trg-Done *')
    f.ask(bytes([7]), ack(7))
    f.ask(named(137, 'BQ', (5, 0), 'motor'), ack(13))
    f.ask(struct.pack('<BHBB', 4, 0, 4, 1), '0000000001 Trg-Peek *')
    f.send(bytes([1, 99]))
    while f.receive()[0] != 129:
        pass


def narrow(port):
    f = FrontEnd(port)
    f.send(bytes([0]))
    record, data = f.receive()
    if data == RESET_INFO[:8] + b'\x44' + RESET_INFO[9:]:
        # The front end came before the stream.
        record, data = f.receive()
    ok((record, data) == (64, NARROW_INFO), 'INFO: pointers have 4 bytes', data)
    f.ask(named(137, 'BI', (5, 0), 'motor'), ack(13))
    f.ask(struct.pack('<BHBB', 4, 0, 4, 1), '?????????? Trg-Peek Offs=0,Size=4,Num=1,Data=<000005DC>')
    f.ask(named(136, 'BI', (0, 0), 'philo'), ack(12))
    f.ask(struct.pack('<BBI', 13, 5, 4096), err(13))
    f.ask(struct.pack('<BBI', 13, 5, 0), err(13))
    f.ask(struct.pack('<BBQ', 13, 5, 4096), err(0x50))
    f.ask(named(139, 'II', (4711, 0), 'Philo_eating'), ack(9))
    f.ask(bytes([1, 4]), ack(1), '?????????? TstProbe Fun=Philo_eating,Data=4711', done(1))
    f.ask(named(137, 'BI', (6, 0), 'philo'), ack(13))
    f.ask(bytes([15, 0]), '?????????? Query-SM Obj=philo,State=Philo_thinking')
    f.ask(bytes([1, 2]), ack(1),
          '===RTC===> St-Entry Obj=philo,State=Philo_thinking',
          '?????????? ===>Tran Obj=philo,Sig=EAT_SIG,State=Philo_thinking->Philo_eating',
          '?????????? AO-Post  Sdr=table,Obj=philo,Evt<Sig=00000077,Obj=0x????????,Pool=1,Ref=2>,'
          'Que<Free=5,Min=3>',
          '           Tick<0>  Ctr=0000070000',
          '?????????? TE1-Rarm Obj=table,AO=NULL,Tim=9,Int=8,Was=0',
          '?????????? =ASSERT= Mod=mo~d},Loc=42', done(1))
    # The bytes of an object in a record, and those of a name
    b = FrontEnd(port, 1)
    b.send(struct.pack('<BB', 1, 1))
    got = [b.receive() for _ in range(3)]
    ok(len(got[1][1]) == 4 + 2 + 8 + 5 + 5 + 6 + 9 + 3 + 5 + 9 + 2, 'elements have pointers of 4 bytes', got)
    f.send(bytes([1, 99]))
    while f.receive()[0] != 129:
        pass


def restart(port):
    f = FrontEnd(port)
    f.ask(bytes([1, 98]), ack(1), done(1))
    f.send(bytes([2]))
    ok(f.receive() == (64, RESET_INFO), 'RESET: the target is told to have begun anew')
    errors = set()
    while True:
        f.send(bytes([0]))
        record, data = f.receive()
        while (record, data) != (64, INFO) and record != 0:
            record, data = f.receive()
        if record:
            break
        errors.add(data[1:].decode())
        time.sleep(0.05)
    ok(errors <= {err(0)}, 'a program that a RESET executes anew has not failed', errors)
    f.ask(struct.pack('<BBIII', 1, 5, 1, 2, 3), ack(1), '?????????? USER+001 5 1 2 3', done(1))
    f.ask(bytes([1, 99]), ack(1), done(1))


def anybody(port):
    f = FrontEnd(port)
    f.send(bytes([0]))
    ok(f.receive() == (64, INFO), 'INFO')
    for packet in (struct.pack('<BB', 1, 99), bytes([2]), bytes([3, 0]), struct.pack('<BHBB', 4, 0, 4, 1),
                   struct.pack('<BHBBB', 5, 0, 1, 1, 7), struct.pack('<BHBBB', 6, 0, 1, 1, 7), bytes([7]),
                   struct.pack('<BBIH', 16, 0, 4, 0)):
        f.ask(packet, err(packet[0]))
    f.ask(named(137, 'BQ', (5, 0), 'motor'), err(13))
    f.send(bytes([0]))
    ok(f.receive() == (64, INFO), 'the program is there')


def stuck(port, pid):
    f = FrontEnd(port)
    f.ask(bytes([7]), ack(7))
    os.kill(pid, signal.SIGSTOP)
    begin = time.monotonic()
    for _ in range(200):
        f.send(bytes([8]))
    f.ask(bytes([200]), '   <F-END> ERROR    the gate does not know this packet')
    took = time.monotonic() - begin
    # It is 20 seconds where each request is waited for.
    ok(took < 10, 'a program that does not answer keeps the gate from nothing', took)
    # That it is gone is told without another request.
    os.kill(pid, signal.SIGKILL)
    f.expect(err(8))


def end(port):
    f = FrontEnd(port)
    f.ask(bytes([1, 99]), ack(1), done(1))


def frame(seq, packet, spoil=0):
    body = bytes([seq & 255]) + packet
    body += bytes([(~sum(body) + spoil) & 255])
    return b''.join(bytes([0x7d, c ^ 0x20]) if c in (0x7d, 0x7e) else bytes([c]) for c in body) + b'\x7e'


class Qspy:
    def __init__(self, portfile, size=0):
        s = socket.create_server(('127.0.0.1', 0))
        if size:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        s.settimeout(PATIENCE)
        with open(portfile + '.new', 'w') as f:
            f.write(str(s.getsockname()[1]))
        os.rename(portfile + '.new', portfile)
        self.listener = s
        self.rkh = False
        self.holes = 0
        self.accept()

    def accept(self):
        self.s = self.listener.accept()[0]
        self.s.settimeout(PATIENCE)
        self.bytes = b''
        self.begun = False
        self.seq = self.out = 0

    def frame(self):
        raw = b''
        while not raw:
            while b'\x7e' not in self.bytes:
                more = self.s.recv(65536)
                if not more:
                    return None
                self.bytes += more
            raw, _, self.bytes = self.bytes.partition(b'\x7e')
        body = re.sub(rb'\x7d(.)', lambda m: bytes([m[1][0] ^ 0x20]), raw, flags=re.S)
        if sum(body) & 255 != (0 if self.rkh else 255):
            return (-1, body)
        if self.rkh and body[0] == 172:
            # The configuration has no number; behind the first one numbers begin at 0.
            self.seq = self.seq if self.begun else 255
            self.begun = True
            return body[0], body[1:-1]
        self.seq = (self.seq + 1) & 255
        if self.rkh:
            self.holes += body[1] != self.seq
            self.seq = body[1]
            return body[0], body[6:-1]
        self.holes += body[0] != self.seq
        self.seq = body[0]
        return body[1], body[2:-1]

    def send(self, packet, skip=0, spoil=0):
        self.out += 1 + skip
        self.s.sendall(frame(self.out, packet, spoil))

    def until(self, record):
        while True:
            got = self.frame()
            if got is None or got[0] == record:
                return got

    def status(self, want, name):
        got = self.until(66)
        ok(got == (66, bytes([want])), name, got)


def qspy(portfile):
    q = Qspy(portfile)
    ok(q.frame() == (64, RESET_INFO), 'the target is told first')
    kinds, names = set(), {}
    while len(names) < 10:
        record, data = q.frame()
        kinds.add(record)
        head = {60: 12, 61: 8, 62: 8, 63: 1, 54: 2}.get(record)
        if not head or data[-1:] != b'\0':
            break
        names[data[head:-1].decode()] = data[:head]
    ok(kinds == {54, 60, 61, 62, 63}, 'then all names', (kinds, names))
    ok(names.get('EAT_SIG') == struct.pack('<IQ', 4, 0), 'a signal and its object', names)
    ok(names.get('PHILO_STAT') == b'\x64', 'a record of the application')
    ok(names.get('SIX') == b'\6\7', 'a command')
    q.send(bytes([0]))
    ok(q.until(64) == (64, INFO), 'INFO')
    q.send(struct.pack('<BB', 1, 2))
    q.status(1, 'COMMAND is acknowledged')
    philo, thinking, eating = names['philo'], names['Philo_thinking'], names['Philo_eating']
    ok(q.frame() == (1, philo + thinking), 'QEP_STATE_ENTRY')
    got = q.frame()
    ok(got[0] == 6 and got[1][4:] == struct.pack('<I', 4) + philo + thinking + eating, 'QEP_TRAN', got)
    got = q.frame()
    ok(got[0] == 14 and got[1][4:] == names['table'] + struct.pack('<I', 77) + philo +
       struct.pack('<BBII', 1, 2, 5, 3), 'ACTIVE_POST', got)
    ok(q.frame() == (31, struct.pack('<IB', 70000, 0)), 'QF_TICK')
    got = q.frame()
    ok(got[0] == 36 and got[1][4:] == names['table'] + struct.pack('<QIIBB', 0, 9, 8, 1, 0), 'TIMEEVT_REARM', got)
    got = q.frame()
    ok(got[0] == 69 and got[1][4:] == b'\x2a\0mo~d}\0', 'ASSERT_FAIL', got)
    got = q.frame()
    ok(got[0] == 65 and got[1][4:] == b'\1', 'TARGET_DONE', got)
    q.send(struct.pack('<BB', 1, 1))
    got = q.until(100)
    ok(got[1][4:] == b'\x31\x07\x08eating\0\x0c' + eating + b'\x0b' + philo + b'\x09\4\x10\x7e\x7d\xbb\x47' +
       struct.pack('<d', -271828.1828) + b'\x62\xfb\xff\xf5\xef\xbe\0\0\x0a' + struct.pack('<I', 4) + philo +
       b'\xa0\3', 'elements of the application', got)
    q.until(65)
    q.send(bytes([7]), spoil=1)
    q.status(0xc1, '41: a bad check')
    q.out -= 1
    q.send(bytes([7]), skip=3)
    q.status(0xc2, '42: a gap')
    q.status(7, 'but the request is done')
    q.send(bytes([99]))
    q.status(0xc3, '43: no such request')
    q.s.sendall(b'\x05\x7e')
    q.status(0xd0, '50: half a frame')
    q.s.sendall(b'\x05\x07\x7d\x7e')
    q.status(0xd0, '50: an escape at the end')
    q.s.sendall(b'a' * 5000 + b'\x7e')
    q.status(0xd0, '50: a frame without end')
    q.send(struct.pack('<BHBB', 4, 0, 4, 1))
    q.status(0x84, '84: nothing to peek at')
    q.send(bytes([15, 2]))
    q.status(0x8f, '8F: nothing to ask')
    q.send(bytes([13, 5]) + struct.pack('<Q', 0))
    q.status(0x8d, '8D: no object')
    q.send(bytes([14]))
    q.status(14, 'CONTINUE')
    # A later host gets all names, too.
    q.s.close()
    q.accept()
    ok(q.frame() == (64, RESET_INFO), 'a host that comes again is told the target')
    told = again = [q.frame() for _ in names]
    ok(sorted({54: 2, 60: 12, 61: 8, 62: 8, 63: 1}.get(r, 99) for r, _ in again) ==
       sorted(map(len, names.values())), 'and all names', again)
    q.send(bytes([2]))
    ok(q.until(64) == (64, RESET_INFO), 'RESET')
    # QSPY has dropped all names by now, and numbers its requests from 1 again.
    again = []
    frame_after = q.frame()
    while frame_after[0] != 70:
        again.append(frame_after)
        frame_after = q.frame()
    ok(sorted(again) == sorted(told), 'names are told again', again)
    ok(frame_after == (70, b''), 'QF_RUN behind them')
    q.out = 0
    q.send(bytes([14]))
    q.status(14, 'numbers may begin anew')
    q.send(bytes([1, 99]))
    while q.frame() is not None:
        pass
    ok(q.holes == 0, 'no number is left out', q.holes)


def nonsense(rnd):
    """A packet that is wrong now and then in one byte, now and then in all."""
    kind = rnd.randrange(4)
    if kind == 0:
        return bytes(rnd.randrange(256) for _ in range(rnd.randrange(40)))
    record = rnd.randrange(20) if kind < 3 else rnd.randrange(128, 145)
    # Leave out requests that end or stop the program, and those that attach or detach front ends.
    if record in (1, 128, 129, 138):
        record = 4
    return bytes([record]) + bytes(rnd.choice((0, 1, 4, 16, 255, rnd.randrange(256)))
                                   for _ in range(rnd.randrange(30)))


def harmless(packet):
    return not packet or packet[0] not in (1, 128, 129, 138)


def flood(port, seed):
    rnd = random.Random(seed)
    f = FrontEnd(port)
    f.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    answers = 0
    for i in range(10000):
        packet = nonsense(rnd)
        while not harmless(packet):
            packet = nonsense(rnd)
        f.send(packet)
        # The gate is heard now and then, so that its answers do not pile up.
        while i % 16 == 0 and select.select([f.s], [], [], 0)[0]:
            f.s.recv(65536)
            answers += 1
    alive(f, answers)
    f.send(bytes([1, 99]))
    while f.receive()[0] != 129:
        pass


def alive(f, answers):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        f.send(bytes([0]))
        while select.select([f.s], [], [], 0.5)[0]:
            if f.receive()[0] == 64:
                ok(True, 'after 10000 malformed datagrams the gate answers')
                ok(answers > 100, 'and it answered them', answers)
                return
            answers += 1
    ok(False, 'after 10000 malformed datagrams the gate answers')


def flood_qspy(portfile, seed):
    rnd = random.Random(seed)
    q = Qspy(portfile)
    answers = sent = 0
    while sent < 10000:
        packet = nonsense(rnd)
        good = frame(sent, packet)
        if rnd.randrange(2) or not harmless(packet):
            at = rnd.randrange(len(good))
            good = good[:at] + bytes([rnd.randrange(256)]) + good[at + 1:]
            # By chance it may be a request to end: no nonsense.
            if b'\x63' in good:
                continue
        q.s.sendall(good)
        sent += 1
        while select.select([q.s], [], [], 0)[0]:
            got = q.frame()
            if got is None or got[0] == -1:
                ok(False, 'the gate goes on, with whole frames', got)
                return
            answers += 1
    q.s.sendall(b'\x7e')
    q.send(bytes([0]))
    ok(q.until(64) is not None, 'after 10000 malformed frames the gate answers')
    ok(answers > 1000, 'and it answered them', answers)
    q.send(bytes([1, 99]))
    while q.frame() is not None:
        pass


def again(portfile, whose):
    q = Qspy(portfile)
    q.rkh = whose == 'rkh'
    kinds = (54, 60, 61, 62, 63)
    if q.rkh:
        kinds = (166, 167, 168, 171, *range(174, 181))
    first, third, got = set(), set(), (0, b'')

    def frame():
        """Signals get the program's size when its configuration comes."""
        kind, body = q.frame()
        return kind, re.sub(rb'^(.)\0*', rb'\1', body) if q.rkh and kind == 167 else body

    while not got[1].endswith(b'many20000\0'):
        got = frame()
        if got[0] in kinds:
            first.add(got)
    q.s.close()
    q.accept()
    q.s.recv(1)
    q.s.close()
    q.accept()
    begins = frame()
    ok(begins[0] == 172 if q.rkh else begins == (64, RESET_INFO), 'the target comes first', begins)
    while len(third) < len(first):
        got = frame()
        if got[0] not in kinds:
            break
        third.add(got)
    ok(len(first) > 20010 and first == third, 'a host of %s that comes again hears all names' % whose.upper(),
       (len(first), len(third), list(first - third)[:5], got))
    ok(q.holes == 0, 'and none is left out', q.holes)


def slow(portfile, number):
    q = Qspy(portfile, 16384)
    got = 0
    while (got < number - 4000 or not time.sleep(0.02)) and len(more := q.s.recv(2048)):
        q.bytes += more
        while b'\x7e' in q.bytes:
            got += q.frame()[0] == 100
    ok(got == number, 'the last frame comes, too', got)
    ok(q.holes == 0, 'and none is left out', q.holes)


def deaf(portfile, over):
    q = Qspy(portfile, 16384)
    while not os.path.exists(over):
        time.sleep(0.05)
    number = 0
    while q.frame() is not None:
        number += 1
    print(number)


def rkh(path):
    with open(path, 'rb') as f:
        data = f.read()
    if data[:1] != b'\x7e':
        print('no flag')
    seq = 255
    for raw in filter(None, data.split(b'\x7e')):
        body = re.sub(rb'\x7d(.)', lambda m: bytes([m[1][0] ^ 0x20]), raw, flags=re.S)
        if body[0] == 172:
            print('ac%s %s' % ('' if sum(body) & 255 == 0 else ' bad check', body[1:-1].hex()))
            continue
        seq = (seq + 1) & 255
        print('%02x%s%s %s' % (body[0], '' if sum(body) & 255 == 0 else ' bad check',
                               '' if body[1] == seq else ' number %d' % body[1], body[6:-1].hex()))


def rkh_records(path):
    """What is no name, without the number and the check, if the configuration says that there are."""
    with open(path, 'rb') as f:
        frames = [re.sub(rb'\x7d(.)', lambda m: bytes([m[1][0] ^ 0x20]), raw, flags=re.S)
                  for raw in filter(None, f.read().split(b'\x7e'))]
    flags = struct.unpack('<I', frames[0][3:7])[0]
    for body in frames:
        if flags & 0x20000:
            body = body[:-1]
        if body[0] in (166, 167, 168, 171, *range(174, 181)):
            continue
        if body[0] != 172 and flags & 0x8000:
            body = body[:1] + body[2:]
        print(body.hex())


COMMANDS = {
    'qutest': lambda port: qutest(int(port)), 'qspy': qspy, 'rkh': rkh, 'rkh-records': rkh_records, 'counts': lambda port: counts(int(port)),
    'anybody': lambda port: anybody(int(port)), 'stuck': lambda port, pid: stuck(int(port), int(pid)),
    'end': lambda port: end(int(port)), 'restart': lambda port: restart(int(port)),
    'narrow': lambda port: narrow(int(port)),
    'slow': lambda portfile, number: slow(portfile, int(number)), 'deaf': deaf,
    'again': again,
    'flood': lambda port, seed: flood(int(port), int(seed)),
    'flood-qspy': lambda portfile, seed: flood_qspy(portfile, int(seed)),
}

COMMANDS[sys.argv[1]](*sys.argv[2:])
sys.exit(bad != 0)
