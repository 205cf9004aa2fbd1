#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A receiver of OTLP over HTTP, for test_otlp.sh; or of entries of a journal, for test_journal.sh.

    otlp_peer.py DIR [PORT]

    RCVBUF=N otlp_peer.py DIR    with a receive buffer of N bytes, and short segments
    TLS=FILE otlp_peer.py DIR    over TLS, with the key and the certificate of the file

The message of each request that it accepts goes to DIR/N.bin, before it answers. The first line
printed is the port, then one for each request: STATUS PATH BYTES MESSAGE-BYTES SECONDS, where the
last is when it came. The first line of DIR/do, which is removed, says what becomes of a request:

    STATUS [SECONDS]    answer with this status, and Retry-After
    date SECONDS        answer 503, with a date in Retry-After
    words STATUS TEXT   answer with this text
    partial N TEXT      accept it, but say that N records were rejected, and why
    message HEX         accept it, and answer with this message
    cut                 close the connection in the middle of the request
    lose                accept it, and close the connection without an answer
    half                accept it, and close the connection in the middle of the answer
    close               accept it, say so, and close the connection
    chunked             accept it, and answer in chunks, behind an interim answer
    slow SECONDS        accept it after this time
    noise               answer something that is not HTTP
    endless             answer with interim answers without end
    early STATUS        answer with this status before the request is read
    drip RATE           accept it, but read only so many bytes a second
    old                 accept it in HTTP/1.0: the answer ends with the connection
"""
import email.utils
import gzip
import os
import socket
import ssl
import sys
import threading
import time

TYPES = ('application/x-protobuf', 'application/vnd.fdo.journal')
where = sys.argv[1]
lock = threading.Lock()
number = [len([f for f in os.listdir(where) if f.endswith('.bin')])]
begun = time.monotonic()


def said():
    """What to do with this request."""
    path = where + '/do'
    with lock:
        try:
            lines = open(path).read().splitlines()
        except FileNotFoundError:
            return ['200']
        if not lines:
            return ['200']
        with open(path + '.new', 'w') as f:
            f.write(''.join(line + '\n' for line in lines[1:]))
        os.rename(path + '.new', path)
        return lines[0].split(' ', 2)


def keep(message):
    with lock:
        number[0] += 1
        path = f'{where}/{number[0]:06}.bin'
        with open(path + '.new', 'wb') as f:
            f.write(message)
        os.rename(path + '.new', path)


def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def partial(n, text):
    text = text.encode()
    inner = b'\x08' + varint(n) + b'\x12' + varint(len(text)) + text
    return b'\x0a' + varint(len(inner)) + inner


def answer(c, status, body=b'', head=''):
    c.sendall(f'HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{head}\r\n'.encode() + body)


class Gone(Exception):
    pass


class Line:
    def __init__(self, c):
        self.c, self.have = c, b''

    def more(self, most=65536):
        got = self.c.recv(most)
        if not got:
            raise Gone
        self.have += got

    def until(self, mark):
        while mark not in self.have:
            self.more()
        head, self.have = self.have.split(mark, 1)
        return head.decode()

    def ahead(self, n):
        while len(self.have) < n:
            self.more(4096)

    def exactly(self, n):
        self.ahead(n)
        part, self.have = self.have[:n], self.have[n:]
        return part


def one(line):
    """Serve a request. Return whether the connection stays."""
    c = line.c
    request, *fields = line.until(b'\r\n\r\n').split('\r\n')
    came = time.monotonic() - begun
    head = {}
    for f in fields:
        k, v = f.split(':', 1)
        head[k.lower()] = v.strip()
    method, path, version = request.split(' ')
    assert method == 'POST' and version == 'HTTP/1.1', request
    assert head['content-type'] in TYPES and head['host'], head
    n = int(head['content-length'])
    do = said()
    if do[0] == 'cut':
        line.exactly(n // 2)
        return False
    if do[0] == 'early':
        with lock:
            print(do[1], path, n, 0, round(came, 3), flush=True)
        answer(c, do[1])
        line.exactly(n)
        return True
    if do[0] == 'drip':
        for part in range(0, n, 4096):
            line.ahead(min(part + 4096, n))
            time.sleep(4096 / float(do[1]))
    body = line.exactly(n)
    message = gzip.decompress(body) if head.get('content-encoding') == 'gzip' else body
    assert n <= 1 << 20 and len(message) <= 1 << 20, n
    if do[0] == 'slow':
        time.sleep(float(do[1]))
    status = int(do[0]) if do[0].isdigit() else 503 if do[0] == 'date' else \
        int(do[1]) if do[0] == 'words' else 200
    if status == 200:
        keep(message)
    # A request of another connection may print at the same time.
    with lock:
        print(status, path, n, len(message), round(came, 3), flush=True)
    if do[0] == 'noise':
        c.sendall(b'SSH-2.0-no\r\n')
        return False
    if do[0] == 'lose':
        return False
    if do[0] == 'endless':
        while True:
            c.sendall(b'HTTP/1.1 100 Continue\r\n\r\n' * 10000)
    if do[0] == 'half':
        c.sendall(b'HTTP/1.1 200 OK\r\nContent-Le')
        return False
    if do[0] == 'old':
        c.sendall(b'HTTP/1.0 200 OK\r\nContent-Type: application/x-protobuf\r\n\r\n')
        return False
    if do[0] == 'close':
        answer(c, 200, head='Connection: close\r\n')
        return False
    if do[0] == 'chunked':
        c.sendall(b'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        for b in partial(0, ''):
            c.sendall(b'1;x=y\r\n' + bytes([b]) + b'\r\n')
        c.sendall(b'0\r\nTrailer: x\r\n\r\n')
        return True
    if do[0] == 'partial':
        answer(c, 200, partial(int(do[1]), do[2]))
    elif do[0] == 'message':
        answer(c, 200, bytes.fromhex(do[1]))
    elif do[0] == 'date':
        when = email.utils.formatdate(time.time() + float(do[1]), usegmt=True)
        answer(c, 503, head=f'Retry-After: {when}\r\n')
    elif do[0] == 'words':
        answer(c, status, do[2].encode())
    elif status != 200 and len(do) > 1:
        answer(c, status, head=f'Retry-After: {do[1]}\r\n')
    else:
        answer(c, status)
    return True


def serve(c):
    try:
        line = Line(tls.wrap_socket(c, server_side=True) if tls else c)
        while one(line):
            pass
    except (Gone, ConnectionError, ssl.SSLError):
        pass
    except AssertionError as e:
        with lock:
            print('wrong', e, flush=True)
    c.close()


tls = None
if 'TLS' in os.environ:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(os.environ['TLS'])
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if 'RCVBUF' in os.environ:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(os.environ['RCVBUF']))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1000)
s.bind(('127.0.0.1', int(sys.argv[2]) if len(sys.argv) > 2 else 0))
s.listen(4096)
print(s.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
