# SPDX-License-Identifier: GPL-2.0-only
"""
received.py - compare what a receiver got with what traceinfo --json prints, whatever its format is

A record is the same as another one if boot id, stream, CPU or lane, and time of the trace clock and
number are; a loss has cause, count and interval instead of the last two. The data of a record is a
dictionary whose keys are those of --json. Values may be numbers or their digits.
"""
import calendar
import json
import re
import time

LOSSES = ('devtrace.lost', 'devtrace.gap')
problems = []


def fail(text):
    if len(problems) < 20:
        print(text)
    problems.append(text)


def _text(value):
    return None if value is None else str(value)


def _place(d):
    return ('lane', _text(d['lane'])) if 'lane' in d else ('cpu', _text(d.get('cpu')))


def _loss(name, d):
    return (name, d.get('cause'), _text(d['count']), _text(d['from']), _text(d.get('to')))


def identity(boot, stream, name, d):
    last = _loss(name, d) if name in LOSSES else (_text(d['ts']), _text(d.get('nr', 1)))
    return (boot, stream, _place(d), last)


def nanoseconds(iso):
    seconds, rest = iso.split('.')
    digits, sign, zone = re.match(r'(\d{9})([+-])(\d\d:\d\d)$', rest).groups()
    hours, minutes = zone.split(':')
    away = (int(hours) * 60 + int(minutes)) * 60
    when = calendar.timegm(time.strptime(seconds, '%Y-%m-%dT%H:%M:%S'))
    return (when - (away if sign == '+' else -away)) * 10**9 + int(digits)


def elements(e, field_of, most):
    """The event's elements by the names of their fields, of at most so many bytes, in order."""
    args = list(e.get('args', {}).items())
    for i, element in enumerate(e.get('elements', e.get('more', []))):
        args += [(f'{len(e.get("args", {})) + i + 1}:{kind}', v) for kind, v in element.items()]
    out = {}
    for nr, (name, value) in enumerate(args, 1):
        field = field_of(name)
        if len(field) > most or field in out:
            end = f'__{nr}'
            field = field[:most - len(end)] + end
        out[field] = value
    return out


class Clock:
    """How exact the time of an event is, by wire-format.rst, from the items before it."""

    def __init__(self):
        self.word, self.synced, self.ts, self.most, self.clock = None, False, 0, 0, None

    def item(self, i):
        if i['kind'] == 'accuracy':
            bad = i['status'] & 0x40
            self.synced |= not bad
            self.word = 'yes' if not bad else 'lost' if self.synced else 'never'
            self.ts, self.most = i['ts'], i['max_error']
        elif i['kind'] == 'clock':
            if self.clock:
                passed = i['ts'] - self.clock['ts']
                by = i['realtime'] - self.clock['realtime'] - passed
                # Nothing is known any more of a clock that was set.
                if abs(by) > 10**6 + passed * 500 // 10**6:
                    self.word = None
            self.clock = i

    def limits(self, ts):
        """The word of --json, and between which numbers the error is: it is rounded up."""
        least = self.most + abs(ts - self.ts) * 500 // 10**6 + 20000
        return self.word, least, (least + 500000) * 9 // 8


def exact(what, e, error, unsynced, unit=1):
    """Compare an error in so many nanoseconds, or why there is none, with the stream."""
    word, least, most = e['exact']
    if unsynced != (word if word in ('never', 'lost') else None):
        fail(f'{what}: synchronised is {unsynced!r}, not {word!r}')
    if (error is not None) != (word == 'yes'):
        fail(f'{what}: the error is {error!r}, and synchronised is {word!r}')
    elif error is not None and not least <= int(error) * unit < most + unit:
        fail(f'{what}: the error is {error!r}, not {least} to {most}')


def check(records, events, boot, everything, compare, tells):
    """
    RECORDS are (identity, record). Each event in the file EVENTS with a severity, or each event, has
    one record, and COMPARE(record, event) looks at it; each loss has one of which TELLS(record,
    count) is true.
    """
    got, nr = {}, {}
    wanted = losses = 0
    clock = Clock()
    for key, r in records:
        got.setdefault(key, []).append(r)
    for line in open(events):
        e = json.loads(line)
        clock.item(e)
        if e['kind'] == 'event':
            place = (_place(e), e['ts'])
            nr[place] = nr.get(place, 0) + 1
            if 'severity' not in e and not everything:
                continue
            wanted += 1
            e['exact'] = clock.limits(e['ts'])
            key = (boot, 'trace', _place(e), (str(e['ts']), str(nr[place])))
        elif e['kind'] in ('lost', 'gap'):
            losses += 1
            key = (boot, 'trace', _place(e), _loss('devtrace.' + e['kind'], e))
        else:
            continue
        found = got.pop(key, [])
        if len(found) != 1:
            fail(f'{e} is there {len(found)} times')
        elif e['kind'] == 'event':
            compare(found[0], e)
        elif not tells(found[0], str(e['count'])):
            fail(f'{e} is told as {found[0]}')
    for key in got:
        fail(f'{key} should not be there')
    print(f'{wanted} events, {losses} losses')


def count(records):
    """Print the numbers of events and of distinct ones, and the sums of losses and gaps."""
    events, sums, seen = 0, dict.fromkeys(LOSSES, 0), set()
    for key, name, lost in records:
        events += name not in LOSSES
        if key in seen:
            continue
        seen.add(key)
        if name in LOSSES:
            sums[name] += int(lost)
    distinct = sum(key[3][0] not in LOSSES for key in seen)
    print(events, distinct, sums['devtrace.lost'], sums['devtrace.gap'])
