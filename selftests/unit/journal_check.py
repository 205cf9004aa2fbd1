#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Compare the entries of a journal with what traceinfo --json prints.

    journal_check.py ENTRIES EVENTS.json BOOT HOST [all]   each event with a severity (all: each
                                                           event) is there, with all its fields, and
                                                           each loss
    journal_check.py ENTRIES count                         print entries of events, distinct ones,
                                                           and the sums of losses and gaps

ENTRIES has the lines of journalctl -a -o json. Entries are the same if boot id, stream, CPU or lane,
time of the trace clock and number are.
"""
import json
import re
import sys

import received
from received import exact, fail, nanoseconds


def text(value):
    """A field: journalctl prints one that is not text as a list of bytes."""
    if isinstance(value, list) and value and isinstance(value[0], int):
        return bytes(value).decode(errors='replace')
    return value


def entries(path):
    for line in open(path):
        yield {k: text(v) for k, v in json.loads(line).items()}


def identity(e):
    data = {k[len('DEVTRACE_'):].lower(): v for k, v in e.items() if k.startswith('DEVTRACE_')}
    return received.identity(data.get('boot_id'), data.get('stream'), data['name'], data)


def elements(e):
    return received.elements(
        e, lambda name: 'DEVTRACE_ARG_' + re.sub('[^A-Z0-9_]', '_', name.upper()), 64)


def same_value(got, want):
    if isinstance(want, float):
        return float(got) == want
    return got == str(want)


LEVELS = {'0': '6', '1': '4', '2': '3', '3': '2'}
KNOWN = {'__CURSOR', '__REALTIME_TIMESTAMP', '__MONOTONIC_TIMESTAMP', '__SEQNUM', '__SEQNUM_ID',
         '_BOOT_ID', '_HOSTNAME', 'DEVTRACE_BOOT_ID', 'DEVTRACE_STREAM', 'DEVTRACE_NOTE_BOARD'}


def compare(entry, e):
    what = f"event {e['ts']}"
    a = {k: v for k, v in entry.items() if k not in KNOWN}

    def want(name, wanted):
        got = a.pop(name, None)
        if got is None or wanted is None:
            if got is not wanted:
                fail(f'{what}: {name} is {got!r}, not {wanted!r}')
        elif not same_value(got, wanted):
            fail(f'{what}: {name} is {got!r}, not {wanted!r}')

    if 'time' in e and int(entry['__REALTIME_TIMESTAMP']) != nanoseconds(e['time']) // 1000:
        fail(f"{what}: time is {entry['__REALTIME_TIMESTAMP']}")
    if int(entry['__MONOTONIC_TIMESTAMP']) != e['ts'] // 1000:
        fail(f"{what}: monotonic time is {entry['__MONOTONIC_TIMESTAMP']}")
    want('DEVTRACE_TIME', None if 'time' in e else 'sent')
    want('PRIORITY', LEVELS[e['severity'][-1]] if 'severity' in e else None)
    want('DEVTRACE_SEVERITY', e.get('severity'))
    want('DEVTRACE_NAME', e['name'])
    want('DEVTRACE_TYPE', e['type'])
    want('MESSAGE', e['text'] or e['name'])
    want('SYSLOG_IDENTIFIER', e.get('process', 'devtrace'))
    want('SYSLOG_PID', e.get('pid'))
    want('TID', e['tid'])
    want('DEVTRACE_CONTEXT', e['context'] if e['context'] not in ('user', 'task') else None)
    want('DEVTRACE_LANE', e.get('lane'))
    want('DEVTRACE_CPU', None if 'lane' in e else e['cpu'])
    want('DEVTRACE_TS', e['ts'])
    want('DEVTRACE_OBJECT', e.get('object_name', e.get('object')))
    want('DEVTRACE_SIGNAL', e.get('signal_name', e.get('signal') or None))
    want('DEVTRACE_CODE_MAJOR', e.get('major'))
    want('DEVTRACE_CODE_MINOR', e.get('minor'))
    a.pop('DEVTRACE_NR', None)
    exact(what, e, a.pop('DEVTRACE_ERROR', None), a.pop('DEVTRACE_SYNCHRONISED', None))
    args = elements(e)
    if set(a) != set(args):
        fail(f'{what}: other fields are {sorted(a)}, not {sorted(args)}')
        return
    for k in args:
        want(k, args[k])


def told(path, boot, host):
    for e in entries(path):
        if e['_HOSTNAME'] != host or e['_BOOT_ID'] != boot.replace('-', ''):
            fail(f"host {e['_HOSTNAME']}, boot {e['_BOOT_ID']}")
        yield identity(e), e


if sys.argv[2] == 'count':
    received.count((identity(e), e['DEVTRACE_NAME'], e.get('DEVTRACE_COUNT'))
                   for e in entries(sys.argv[1]))
else:
    received.check(told(sys.argv[1], *sys.argv[3:5]), sys.argv[2], sys.argv[3], len(sys.argv) > 5,
                   compare, lambda e, n: e['PRIORITY'] == '4' and n in e['MESSAGE'])
sys.exit(bool(received.problems))
