#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""clocks_check.py - for test_clocks: compare the times that traceinfo prints with the true ones

	clocks_check.py TRACEINFO MESSAGES DIR SAMPLES

DIR has a.trace and b.trace, SAMPLES the pairs of the host's counter and its wall clock. pingpong.c
describes them. The true time of an event is the host's counter at which the board read its trace
clock. Three facts limit how wrong this is, and "slack" is their sum: the width of the limits between
the counters of board and host, and the distance of the trace clock from a line. Prints TAP.
"""
import bisect
import calendar
import glob
import json
import os
import statistics
import subprocess
import sys
import time

SENT, RECEIVED, COUNTER, OFFSET = 100, 101, 102, 103
US = 1000.0
traceinfo, messages, directory, samples = sys.argv[1], int(sys.argv[2]), *sys.argv[3:5]
count, bad = 0, 0


def ok(passed, name):
    global count, bad
    count += 1
    bad += not passed
    print(f"{'' if passed else 'not '}ok {count} {name}")


def note(text):
    print(f"# {text}")


def merged(*args):
    """What traceinfo prints about both boards."""
    files = [f for b in "ab" for f in sorted(glob.glob(f"{directory}/{b}.trace*"))]
    text = subprocess.run([traceinfo, "--no-default-fmt", "-J", *args, *files], check=True,
                          stdout=subprocess.PIPE, env={**os.environ, "TZ": "UTC"}).stdout
    return [json.loads(line) for line in text.splitlines()]


def numbers(item):
    return [next(iter(e.values())) for e in item["elements"]]


def signed(n):
    return n - 2**64 if n >= 2**63 else n


seconds = {}


def date(iso):
    """ns since 1970 of a date in UTC."""
    second = iso[:19]
    if second not in seconds:
        seconds[second] = calendar.timegm(time.strptime(second, "%Y-%m-%dT%H:%M:%S"))
    return seconds[second] * 10**9 + int(iso[20:29])


class Line:
    """A line through points (x, y), by least squares."""

    def __init__(self, points):
        self.x0, self.y0 = points[0]
        xs, ys = [x - self.x0 for x, _ in points], [y - self.y0 for _, y in points]
        n, sx, sy = len(points), sum(xs), sum(ys)
        self.k = ((n * sum(x * y for x, y in zip(xs, ys)) - sx * sy) /
                  (n * sum(x * x for x in xs) - sx * sx))
        self.c = (sy - self.k * sx) / n
        self.off = max(abs(y - self.c - self.k * x) for x, y in zip(xs, ys))

    def __call__(self, x):
        return self.y0 + self.c + self.k * (x - self.x0)


class Host:
    """The host: its counter, in ns since the first sample, and its wall clock."""

    def __init__(self):
        with open(samples, encoding="ascii") as f:
            pairs = [tuple(map(int, line.split())) for line in f if line.endswith("\n")]
        self.first = pairs[0][0]
        self.rate = (pairs[-1][1] - pairs[0][1]) / (pairs[-1][0] - pairs[0][0])
        self.at = [self.ns(c) for c, _ in pairs]
        self.wall = [w for _, w in pairs]

    def ns(self, counter):
        return (counter - self.first) * self.rate

    def real(self, ns):
        i = min(max(bisect.bisect(self.at, ns), 1), len(self.at) - 1)
        a, b = self.at[i - 1], self.at[i]
        return self.wall[i - 1] + (self.wall[i] - self.wall[i - 1]) * (ns - a) / (b - a)


class Board:
    """The true time of a board's trace clock, in ns of the host."""

    def __init__(self, host, events):
        reads = [numbers(e) for e in events if e["type"] == COUNTER]
        reads.sort(key=lambda r: r[2] - r[0])
        # The narrowest, and of these the beginning and the end
        self.line = Line([(trace, (a + b) / 2) for a, trace, b in reads[:len(reads) // 2]])
        limits = [[signed(n) for n in numbers(e)[:2]] for e in events if e["type"] == OFFSET]
        self.low, self.high = max(a for a, _ in limits), min(b for _, b in limits)
        self.each = [(b - a) * host.rate for a, b in limits]
        self.host = host
        self.slack = ((self.high - self.low) / 2 + self.line.off) * host.rate
        self.ppm = (self.line.k * host.rate - 1) * 1e6

    def true(self, ts):
        return self.host.ns(self.line(ts) + (self.low + self.high) / 2)


def median(values):
    return statistics.median(values) if values else 0


def compare(name, stated, true):
    """Print how the stated and the true errors compare, and return the ratio."""
    ratio = median(stated) / max(median(true), 1)
    note(f"{name}: stated {median(stated) / US:.1f} us, true {median(true) / US:.1f} us in the median,"
         f" ratio {ratio:.1f}; true at most {max(true) / US:.1f} us; {len(true)} events")
    return ratio


def by_number(events):
    """The events of each message: (sent, received)."""
    pairs = {}
    for e in events:
        if e["type"] in (SENT, RECEIVED):
            pairs.setdefault(numbers(e)[0], {})[e["type"]] = e
    return {n: (p[SENT], p[RECEIVED]) for n, p in pairs.items() if len(p) == 2}


def causes(pairs, when, error, slack=0.0):
    """How many effects are before their causes, and how many by more than the errors allow."""
    wrong = beyond = 0
    for sent, received in pairs.values():
        early = when(sent) - when(received)
        wrong += early > 0
        beyond += early > error(sent) + error(received) + slack
    return wrong, beyond


host = Host()
wall = merged("-v")
events = [i for i in wall if i["kind"] == "event"]
board = {b: Board(host, [e for e in events if e["board"] == b]) for b in "ab"}
slack = sum(b.slack for b in board.values())
pairs = by_number(events)
ok(len(pairs) == 2 * messages, f"{len(pairs)} messages there and back are recorded at both ends")
for name, b in board.items():
    note(f"board {name}: trace clock {b.ppm:+.2f} ppm, counter known to"
         f" {' and '.join(f'{w:.0f}' for w in b.each)} ns, true time to {b.slack:.0f} ns")
ok(all(b.low <= b.high for b in board.values()) and slack < 10 * US,
   "QEMU's counters are the host's minus a constant: the true time is known to 10 us")
delays = [board[r["board"]].true(r["ts"]) - board[s["board"]].true(s["ts"])
          for s, r in pairs.values()]
there = [d for d, n in zip(delays, pairs) if not n % 2]
back = [d for d, n in zip(delays, pairs) if n % 2]
note(f"delay there {median(there) / US:.0f} us, at least {min(there) / US:.1f} us;"
     f" back {median(back) / US:.0f} us, at least {min(back) / US:.1f} us")
ok(min(delays) > -slack, "no message is received before it is sent, in the true time")

# By the wall clocks
known = [e for e in events if "error" in e]
off = {id(e): abs(date(e["time"]) - host.real(board[e["board"]].true(e["ts"]))) for e in known}
ratios = {}
for b in "ab":
    mine = [e for e in known if e["board"] == b]
    ratios[b] = compare(f"wall clock of {b}", [e["error"] for e in mine], [off[id(e)] for e in mine])
# The estimate of the last statement, of chronyd, which is no limit
statements = [i for i in wall if i["kind"] == "accuracy" and i["board"] == "a"]
places = [i["ts"] for i in statements]
mine = [e for e in known if e["board"] == "a"]
estimated = [statements[max(bisect.bisect(places, e["ts"]) - 1, 0)]["estimated_error"] for e in mine]
note(f"wall clock of a: estimated {median(estimated) / US:.1f} us in the median")
late = [e for e in known if off[id(e)] > e["error"] + slack]
ok(known and not late, f"{len(late)} of {len(known)} dates with a stated error are farther off")
certain = {n: p for n, p in pairs.items() if all("error" in e for e in p)}
wrong, beyond = causes(certain, lambda e: date(e["time"]), lambda e: e["error"])
ok(certain and not beyond, f"of {len(certain)} messages {beyond} are received before they are sent"
   " by more than the stated errors")
unmarked = [n for n, (s, r) in certain.items()
            if date(r["time"]) < date(s["time"]) and not ("uncertain" in s and "uncertain" in r)]
ok(not unmarked, f"{wrong} messages are printed in the wrong order, and marked as uncertain")
ok(all("error" not in e for e in events if e["board"] == "b" and e["type"] < COUNTER and
       numbers(e)[0] > messages + 1), "no error is stated for the dates after the clock was set")
# Behind the first messages: before, chronyd sets the clocks
begun = next(k for k, i in enumerate(wall) if i["kind"] == "event" and i["type"] == RECEIVED)
steps = {b: [i["by"] / 1e9 for i in wall[begun:] if i["kind"] == "clock_set" and i["board"] == b]
         for b in "ab"}
note(f"steps told, in s: {steps}")
ok(not steps["a"] and len(steps["b"]) == 2 and
   all(abs(s - by) < 0.1 for s, by in zip(steps["b"], (-7.25, 0.4))),
   "the steps of b by -7.25 s and 0.4 s are told, and no others")

# By --align
tied = merged("--align", "sent=received")
aligned = [i for i in tied if i["kind"] == "event" and i["type"] < COUNTER]
keys = [e["aligned"] for e in aligned]
mine = [e for e in aligned if e["board"] == "b"]
# The true time of an event of b on a's trace clock
a = board["a"]
inverse = Line([(a.true(t), t) for t in (aligned[0]["aligned"], aligned[-1]["aligned"])])
true = [abs(e["aligned"] - inverse(board["b"].true(e["ts"]))) for e in mine]
ratios["align"] = compare("--align", [e["align_error"] for e in mine], true)
late = [t for t, e in zip(true, mine) if t > e["align_error"] + slack]
ok(len(mine) == 2 * messages and not late,
   f"{len(late)} of {len(mine)} events of b are farther off than --align states")
wrong, beyond = causes(by_number(aligned), lambda e: e["aligned"], lambda e: e["align_error"])
note(f"{wrong} effects before their causes")
ok(not beyond, f"{beyond} effects are before their causes by more than the stated error")
ok(keys == sorted(keys), "the events are printed in the order of their times")
print(f"1..{count}")
sys.exit(bad > 0)
