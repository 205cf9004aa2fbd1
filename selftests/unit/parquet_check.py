#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Compare the rows of a Parquet file with traceinfo --json, row by row, for test_parquet.sh.

    parquet_check.py JSON ROWS DIVISOR

DIVISOR: how many ns a unit of the reader's times has.
"""
import datetime
import json
import sys

ROWS = {'event', 'lost', 'gap', 'damage', 'state', 'note'}
SAME = ('lane', 'cpu', 'tid', 'pid', 'process', 'context', 'severity', 'type', 'name', 'major', 'minor',
        'object', 'object_name', 'signal', 'signal_name')
NUMBERS = {'number', 'monotonic', 'ts', 'cpu', 'lane', 'tid', 'pid', 'type', 'major', 'minor', 'object',
           'signal', 'lost_count', 'lost_bytes', 'lost_from', 'lost_to', 'time'}
BIG = 1 << 63


def ns(text):
    """The time in ns since 1970."""
    date, rest = text.split('.')
    assert rest.endswith('+00:00'), text
    then = datetime.datetime.strptime(date + '+0000', '%Y-%m-%dT%H:%M:%S%z')
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return ((then - epoch) // datetime.timedelta(seconds=1)) * 10**9 + int(rest[:9])


def fits(v):
    return v if v is not None and v < BIG else None




def elements(j):
    """The elements by name; those without a name have their position and type."""
    named = dict(j.get('args', {}))
    for nr, e in enumerate(j.get('more', []) + j.get('elements', []), len(named) + 1):
        (n, v), = e.items()
        named[f'{nr}:{n}'] = v
    if 'broken' in j:
        named['broken'] = ''.join(f'{b:02x}' for b in j['broken'])
    if 'image' in j:
        named.update({k: j[k] for k in ('level', 'file', 'line', 'function', 'image', 'site') if k in j})
    return named


def expected(j, at):
    """The row for an object of traceinfo."""
    kind = j['kind']
    want = {'kind': kind, 'boot': at.get('boot'), 'stream': at.get('stream'), 'board': at.get('board')}
    if kind == 'event':
        want.update({k: j.get(k) for k in SAME}, ts=fits(j['ts']), text=j['text'])
        want['args'] = elements(j) or None
        if 'time' in j:
            want['time'] = ns(j['time'])
    elif kind == 'lost':
        want.update(cpu=j.get('cpu'), lane=j.get('lane'), lost_count=fits(j['count']), lost_cause=j['cause'],
                    lost_from=fits(j['from']), lost_to=fits(j['to']), ts=fits(j['to']))
    elif kind == 'gap':
        want.update(lost_count=fits(j['count']), lost_cause='frames missing', lost_from=fits(j['from']))
    elif kind == 'damage':
        want.update(lost_bytes=j['bytes'], lost_cause=j['reason'])
    elif kind == 'state':
        want.update(ts=fits(j['ts']), text=j['state'], name=j.get('trigger'))
    elif kind == 'note':
        want.update(name=j['name'], text=j['value'])
    return want


def main():
    divisor = int(sys.argv[3])
    at = {}
    wants = []
    for line in open(sys.argv[1]):
        j = json.loads(line)
        if j['kind'] == 'info':
            at = dict(at, stream=j['stream'] or None, boot=j.get('boot'))
        if j['kind'] == 'note' and j['name'] == 'board':
            at = dict(at, board=j['value'])
        if j['kind'] in ROWS:
            wants.append(expected(j, at))
    rows = [json.loads(line) for line in open(sys.argv[2])]
    wrong = 0
    for n, (want, row) in enumerate(zip(wants, rows), 1):
        row = {k: int(v) if k in NUMBERS and v is not None else v for k, v in row.items()}
        if row.get('args') is not None:
            row['args'] = json.loads(row['args'])
        if 'time' in want:
            want['time'] = abs(want['time']) // divisor * (1 if want['time'] >= 0 else -1)
        for k, v in dict(want, number=n).items():
            if row.get(k) != v and wrong < 20:
                wrong += 1
                print(f'row {n} ({want["kind"]}): {k} is {row.get(k)!r}, not {v!r}')
    if len(wants) != len(rows):
        wrong += 1
        print(f'{len(rows)} rows, not {len(wants)}')
    kinds = {}
    for w in wants:
        kinds[w['kind']] = kinds.get(w['kind'], 0) + 1
    print(', '.join(f'{n} {k}' for k, n in kinds.items()))
    sys.exit(wrong != 0)


main()
