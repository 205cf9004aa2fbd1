#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Compare the messages that a server of syslog stored with what traceinfo --json prints.

    syslog_check.py FILE EVENTS.json NUMBER BOOT HOST [all]   each event with a severity (all: each
                                                              event) is there, with all its fields,
                                                              and each loss
    syslog_check.py FILE count NUMBER                         print messages of events, distinct
                                                              ones, and the sums of losses and gaps

FILE has a JSON object in each line, of which the server may write the last one just now: the property jsonmesg of rsyslog behind mmpstrucdata, or
format-json of syslog-ng with the scopes rfc5424 and sdata. NUMBER is the enterprise number.
"""
import json
import re
import sys

import received
from received import exact, fail


def messages(path, number):
    """Each message as (level, host, program, process, message, data, elements, quality)."""
    levels = 'emerg alert crit err warning notice info debug'.split()
    for text in open(path, errors='replace'):
        if text[-1] != '\n':
            break
        m = json.loads(text)
        if 'rawmsg' in m or 'syslogseverity' in m:
            level = int(m['syslogseverity'])
            head = (m['hostname'], m['app-name'], m['procid'], m['msg'])
            data = (m.get('$!') or {}).get('rfc5424-sd', {})
        else:
            level = levels.index(m['PRIORITY'])
            head = (m['HOST'], m['PROGRAM'], m.get('PID', '-'), m.get('MESSAGE', ''))
            data = m.get('_SDATA', {})
        # rsyslog makes all names lower-case.
        data = {k.lower(): {n.lower(): v for n, v in d.items()} for k, d in data.items()}
        known = [f'devtrace@{number}', f'devtrace-args@{number}']
        if set(data) - set(known) - {'timequality', 'meta'}:
            fail(f'structured data has {sorted(data)}')
        names = known + ['timequality']
        yield (level,) + head + tuple(data.get(name, {}) for name in names)


def line(s):
    """Text without control characters, as traceinfo prints it."""
    return re.sub('[\0-\x1f\x7f]', lambda m: f'\\x{ord(m.group()):02x}', s)


def identity(d):
    return received.identity(d.get('boot'), d.get('stream'), d['name'], d)


def elements(e):
    return received.elements(
        e, lambda name: re.sub('^([0-9])', r'e\1', re.sub('[^a-z0-9_]', '_', name.lower())), 32)


def same_value(got, want):
    if isinstance(want, float):
        return float(got) == want
    return got == line(str(want))


LEVELS = {'0': 6, '1': 4, '2': 3, '3': 2}


def printable(s, most):
    return ''.join(c if ' ' < c < '\x7f' else '_' for c in s)[:most] or '-'


def compare(found, e):
    level, _, program, process, text, d, args, quality = found
    what = f"event {e['ts']}"
    d = dict(d)

    def want(name, wanted):
        got = d.pop(name, None)
        if got is None or wanted is None:
            if got is not wanted:
                fail(f'{what}: {name} is {got!r}, not {wanted!r}')
        elif not same_value(got, wanted):
            fail(f'{what}: {name} is {got!r}, not {wanted!r}')

    if level != (LEVELS[e['severity'][-1]] if 'severity' in e else 6):
        fail(f'{what}: level {level}')
    if program != printable(e.get('process', ''), 48):
        fail(f'{what}: program {program!r}')
    if process != str(e.get('pid') or e['tid']):
        fail(f'{what}: process {process!r}')
    if text.strip() != line(e['text'] or e['name'])[:1024].strip():
        fail(f'{what}: text {text!r}')
    for name in ('boot', 'stream', 'nr'):
        d.pop(name, None)
    want('name', e['name'])
    want('type', e['type'])
    want('severity', e.get('severity'))
    want('major', e.get('major'))
    want('minor', e.get('minor'))
    want('object', e.get('object_name', e.get('object')))
    want('signal', e.get('signal_name', e.get('signal') or None))
    want('lane', e.get('lane'))
    want('cpu', None if 'lane' in e else e['cpu'])
    want('tid', e['tid'])
    want('context', e['context'] if e['context'] not in ('user', 'task') else None)
    want('ts', e['ts'])
    # The standard has no word for a clock that is no longer synchronized. A server that makes an
    # element of its own says only tzKnown.
    synced = quality.get('issynced')
    e['exact'] = tuple('never' if x == 'lost' else x for x in e['exact'])
    exact(what, e, quality.get('syncaccuracy'), 'never' if synced == '0' else None, 1000)
    if d:
        fail(f'{what}: unknown parameters {sorted(d)}')
    wanted = elements(e)
    if set(wanted) != set(args):
        fail(f'{what}: elements {sorted(args)}, not {sorted(wanted)}')
        return
    for k, v in wanted.items():
        if not same_value(args[k], v):
            fail(f'{what}: element {k} is {args[k]!r}, not {v!r}')


def told(path, number, host):
    for m in messages(path, number):
        if m[1] != host:
            fail(f'host {m[1]}')
        yield identity(m[5]), m


if sys.argv[2] == 'count':
    received.count((identity(m[5]), m[5]['name'], m[5].get('count'))
                   for m in messages(sys.argv[1], sys.argv[3]))
else:
    received.check(told(sys.argv[1], sys.argv[3], sys.argv[5]), sys.argv[2], sys.argv[4],
                   len(sys.argv) > 6, compare, lambda m, n: m[0] == 4 and n in m[4])
sys.exit(bool(received.problems))
