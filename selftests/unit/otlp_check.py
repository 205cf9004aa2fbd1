#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Compare the requests that a receiver of OTLP got with what traceinfo --json prints.

    otlp_check.py DIR EVENTS.json BOOT HOST [all]    each event with a severity (all: each event) is
                                                     there, with all its fields, and each loss
    otlp_check.py DIR count                          print records, distinct records, and the sum of
                                                     losses
    otlp_check.py DIR show                           print each record as JSON

The files DIR/*.bin are decoded by protoc with otlp.proto, which knows nothing of how they were
written. Records are the same if boot id, stream, CPU or lane, time of the trace clock and number
are.
"""
import glob
import json
import os
import re
import subprocess
import sys
import time

import received
from received import exact, fail, nanoseconds

here = os.path.dirname(os.path.abspath(__file__))


def unquote(s):
    raw = bytearray()
    simple = {'n': 10, 'r': 13, 't': 9, '"': 34, "'": 39, '\\': 92}
    b = s[1:-1].encode()
    i = 0
    while i < len(b):
        if b[i] != 92:
            raw.append(b[i])
            i += 1
        elif chr(b[i + 1]) in simple:
            raw.append(simple[chr(b[i + 1])])
            i += 2
        else:
            raw.append(int(b[i + 1:i + 4], 8))
            i += 4
    return raw.decode()


def parse(text):
    """A message as a list of (field, value); messages are lists again."""
    stack = [[]]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith('{'):
            stack[-1].append((line[:-1].strip(), []))
            stack.append(stack[-1][-1][1])
        elif line == '}':
            stack.pop()
        else:
            name, value = line.split(': ', 1)
            if not re.match('[a-z]', name):
                fail(f'field {name} is not one of the specification')
            stack[-1].append((name, unquote(value) if value[0] in '"\'' else value))
    return stack[0]


def field(message, name, default=None):
    found = [v for k, v in message if k == name]
    if len(found) > 1:
        fail(f'{name} is there {len(found)} times')
    return found[0] if found else default


def value(message):
    if len(message) != 1:
        # protoc prints no value that is empty: a string, because this is all that may be empty.
        return ''
    kind, v = message[0]
    return v if kind == 'string_value' else int(v) if kind == 'int_value' else float(v)


def attributes(message):
    out = {}
    for k, v in message:
        if k != 'attributes':
            continue
        key = field(v, 'key')
        if key in out:
            fail(f'attribute {key} is there twice')
        out[key] = value(field(v, 'value', []))
    return out


def records(path):
    text = subprocess.run(['protoc', '--decode=otlp.ExportLogsServiceRequest', '-I', here,
                           here + '/otlp.proto'], stdin=open(path), stdout=subprocess.PIPE,
                          check=True, text=True).stdout
    for _, logs in parse(text):
        resource = attributes(field(logs, 'resource'))
        for k, scope in logs:
            if k != 'scope_logs':
                continue
            if field(field(scope, 'scope'), 'name') != 'devtrace':
                fail('a scope is not devtrace')
            for k, r in scope:
                if k != 'log_records':
                    continue
                yield {
                    'resource': resource,
                    'time': int(field(r, 'time_unix_nano', 0)),
                    'observed': int(field(r, 'observed_time_unix_nano', 0)),
                    'number': int(field(r, 'severity_number', 0)),
                    'severity': field(r, 'severity_text'),
                    'name': field(r, 'event_name'),
                    'body': value(field(r, 'body', [])),
                    'attributes': attributes(r),
                }


def identity(r):
    data = {k[len('devtrace.'):]: v for k, v in r['attributes'].items() if k.startswith('devtrace.')}
    where = r['resource']
    return received.identity(where.get('devtrace.boot_id'), where.get('devtrace.stream'), r['name'],
                             data)


def all_records(where):
    for path in sorted(glob.glob(where + '/*.bin')):
        yield from records(path)


def same_value(got, want):
    if isinstance(want, int) and want > 2**63 - 1:
        want = str(want)
    if isinstance(want, float) and isinstance(got, float):
        # protoc prints fifteen digits of some numbers.
        return got == want or abs(got - want) <= abs(want) * 1e-14
    return got == want and isinstance(got, str) == isinstance(want, str)


NUMBERS = {'0': 9, '1': 13, '2': 17, '3': 18}


def compare(r, e):
    what = f"event {e['ts']}"
    a = dict(r['attributes'])

    def want(name, got, wanted):
        if not same_value(got, wanted):
            fail(f'{what}: {name} is {got!r}, not {wanted!r}')

    a.pop('devtrace.nr', None)
    exact(what, e, a.pop('devtrace.error', None), a.pop('devtrace.synchronised', None))
    want('time', r['time'], nanoseconds(e['time']) if 'time' in e else 0)
    want('number', r['number'], NUMBERS[e['severity'][-1]] if 'severity' in e else 0)
    want('severity', r['severity'], e.get('severity'))
    want('name', r['name'], e['name'])
    want('body', r['body'], e['text'] or e['name'])
    want('thread', a.pop('thread.id', None), e['tid'])
    want('thread name', a.pop('thread.name', None), e.get('process'))
    want('process', a.pop('process.pid', None), e.get('pid'))
    context = e['context'] if e['context'] not in ('user', 'task') else None
    want('context', a.pop('devtrace.context', None), context)
    place = 'lane' if 'lane' in e else 'cpu'
    want(place, a.pop('devtrace.' + place, None), e[place])
    want('ts', a.pop('devtrace.ts', None), e['ts'])
    want('object', a.pop('devtrace.object', None), e.get('object_name', e.get('object')))
    want('signal', a.pop('devtrace.signal', None), e.get('signal_name', e.get('signal') or None))
    args = dict(e.get('args', {}))
    for i, element in enumerate(e.get('elements', [])):
        for kind, v in element.items():
            args[f'{i + 1}:{kind}'] = v
    if 'site' in e:
        for k in 'level', 'image', 'site':
            args[k] = e[k]
        for k, name in ('file', 'file.path'), ('line', 'line.number'), ('function', 'function.name'):
            if k in e:
                args['code.' + name] = e[k]
    if set(a) != set(args):
        fail(f'{what}: attributes {sorted(a)}, not {sorted(args)}')
        return
    for k in args:
        want(k, a[k], args[k])


def told(where, host):
    for r in all_records(where):
        if r['resource'].get('host.name') != host:
            fail(f"host {r['resource'].get('host.name')}")
        if not time.time() - 600 < r['observed'] / 1e9 < time.time() + 1:
            fail(f"observed {r['observed']}")
        yield identity(r), r


if sys.argv[2] == 'count':
    received.count((identity(r), r['name'], r['attributes'].get('devtrace.count'))
                   for r in all_records(sys.argv[1]))
elif sys.argv[2] == 'show':
    for r in all_records(sys.argv[1]):
        print(json.dumps(r))
else:
    received.check(told(sys.argv[1], sys.argv[4]), sys.argv[2], sys.argv[3], len(sys.argv) > 5,
                   compare, lambda r, n: r['number'] == 13 and n in r['body'])
sys.exit(bool(received.problems))
