#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The other end of a link, for test_links.sh.

    send ADDRESS FILE           listen, send FILE to the one who comes
    recv ADDRESS OUT            listen; what connection N brings goes to OUT.N; what datagrams, to OUT.1
    kills ADDRESS OUT N         as recv, but each connection is closed once it brought 4096
                                bytes and has nothing more; N times, then it is read to its end
    cuts ADDRESS OUT            as recv, but the first connection has a small buffer, and is closed
                                after 20000 bytes though there are more
    slow ADDRESS OUT FILE       as recv, of one connection, which has a small buffer and is read by
                                1000 bytes a second until FILE is there; SIGTERM closes it, and
                                while FILE.stay is there connections are accepted, and not read
    takes ADDRESS OUT N         listen; N bytes of the first connection go to OUT, and that is all
    messages FILE               print the messages of RFC 5424 in FILE, which has nothing else
    mute ADDRESS                listen, and read nothing
    deaf ADDRESS                listen, and answer nobody: the system drops who wants to connect
    pty-send FILE [SEED]        the line of a board: FILE, with bytes lost and flipped by SEED
    pty-recv OUT                the line to a host: what comes goes to OUT

ADDRESS is 127.0.0.1, ::1, udp or the path of a socket. The first line printed is the port or
device. A pty then says "raw" or "cooked" when its mode was changed, each as it happens.
"""
import os
import pty
import random
import re
import select
import signal
import socket
import sys
import termios
import time


def say(*words):
    print(*words, flush=True)


def listen(address, room=0):
    if address.startswith('/'):
        s = socket.socket(socket.AF_UNIX)
        s.bind(address)
    elif address == 'udp':
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind(('127.0.0.1', 0))
        say(s.getsockname()[1])
        return s
    else:
        s = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET)
        port = int(os.environ.get('PORT', 0))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((address, port))
    if room:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    s.listen(4)
    say(address if address.startswith('/') else s.getsockname()[1])
    return s


def send(address, path):
    peer, _ = listen(address).accept()
    with open(path, 'rb') as f:
        peer.sendall(f.read())
    peer.close()


def recv(address, out, kills=0):
    s = listen(address)
    n = 0
    while True:
        n += 1
        peer = s if address == 'udp' else s.accept()[0]
        total = 0
        with open('%s.%d' % (out, n), 'wb', buffering=0) as f:
            while True:
                if n <= kills and total >= 4096 and not select.select([peer], [], [], 0.02)[0]:
                    break
                data = peer.recv(65536)
                if not data:
                    break
                total += len(data)
                f.write(data)
        peer.close()
        say('closed', n)


def cuts(address, out):
    s = listen(address, 4096)
    for n in (1, 2):
        peer, _ = s.accept()
        data = b''
        with open('%s.%d' % (out, n), 'wb', buffering=0) as f:
            while n == 2 or len(data) < 20000:
                more = peer.recv(20000 - len(data) if n == 1 else 65536)
                if not more:
                    break
                data += more
                f.write(more)
        peer.close()
        say('closed', n)


def slow(address, out, until):
    s = listen(address, 4096)
    peer, _ = s.accept()

    def gone(*_):
        peer.close()
        while os.path.exists(until + '.stay'):
            time.sleep(0.01)
        os._exit(0)

    signal.signal(signal.SIGTERM, gone)
    say('came')
    with open(out + '.1', 'wb', buffering=0) as f:
        while data := peer.recv(65536 if os.path.exists(until) else 500):
            f.write(data)
            if not os.path.exists(until):
                time.sleep(0.5)
    say('closed', 1)


def takes(address, out, n):
    s = listen(address, 4096)
    peer, _ = s.accept()
    with open(out, 'wb', buffering=0) as f:
        while n > 0:
            more = peer.recv(n)
            n -= len(more)
            f.write(more)


QUALITY = r'\[timeQuality tzKnown="1" isSynced="(?:0"|1" syncAccuracy="\d+")\]'
DATA = r'\[[!-~]{1,32}@\d+(?: [!-~]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*\]'
MESSAGE = re.compile(
    r'<(\d{1,3})>1 (-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) [!-~]{1,255} [!-~]{1,48} [!-~]{1,128} '
    rf'[!-~]{{1,32}} (-|{QUALITY}|(?:{QUALITY})?(?:{DATA})+)( [^\0-\x1f\x7f]*)?')


def messages(path):
    with open(path, 'rb') as f:
        data = f.read()
    while data:
        length, _, data = data.partition(b' ')
        length = int(length)
        word = data[:length].decode()
        if len(data) < length or not MESSAGE.fullmatch(word):
            say('bad:', word)
            sys.exit(1)
        say(word)
        data = data[length:]


def spoil(data, seed):
    """One byte in a thousand, or so, is lost or has a wrong bit; never near the ends."""
    rnd = random.Random(seed)
    data = bytearray(data)
    at = len(data) - 3000
    while at > 3000:
        if rnd.random() < 0.5 and data[at]:
            del data[at]
        else:
            data[at] ^= 1 << rnd.randrange(8)
        at -= rnd.randrange(500, 1500)
    return bytes(data)


def cooked(fd):
    return termios.tcgetattr(fd)[3] & termios.ICANON != 0


def wait_mode(fd, want):
    while cooked(fd) != want:
        time.sleep(0.01)
    say('cooked' if want else 'raw')


def pty_send(path, seed=None):
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    say(os.ttyname(slave))
    wait_mode(slave, False)
    with open(path, 'rb') as f:
        data = f.read()
    if seed:
        data = spoil(data, int(seed))
    while data:
        data = data[os.write(master, data[:1024]):]
    wait_mode(slave, True)
    say('restored' if termios.tcgetattr(slave) == before else 'changed')


def pty_recv(out):
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    say(os.ttyname(slave))
    with open(out, 'wb', buffering=0) as f:
        while True:
            # Before it is looked whether there is more: nothing is written behind it
            over = os.path.getsize(out) and cooked(slave)
            if select.select([master], [], [], 0.05)[0]:
                f.write(os.read(master, 65536))
            elif over:
                break
    say('restored' if termios.tcgetattr(slave) == before else 'changed')


def mute(address):
    peers = []
    s = listen(address)
    while True:
        peers.append(s.accept())


def deaf(address):
    s = socket.socket(socket.AF_INET)
    s.bind((address, 0))
    s.listen(0)
    # One waits to be accepted; there is no place for another.
    first = socket.create_connection(s.getsockname())
    say(s.getsockname()[1])
    time.sleep(3600)
    first.close()


COMMANDS = {
    'send': send, 'recv': recv, 'pty-send': pty_send, 'pty-recv': pty_recv, 'mute': mute, 'messages': messages,
    'cuts': cuts, 'deaf': deaf, 'slow': slow,
    'takes': lambda address, out, n: takes(address, out, int(n)),
    'kills': lambda address, out, n: recv(address, out, int(n)),
}

# Nothing that is broken is waited for for ever.
signal.alarm(300)
try:
    COMMANDS[sys.argv[1]](*sys.argv[2:])
except KeyboardInterrupt:
    pass
