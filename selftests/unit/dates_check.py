#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# dates_check.py - is any date of a CTF trace farther from the true time than the trace says?
#
#	dates_check.py make SEED [BOOT]	print a stream for gen_stream
#	dates_check.py check PATH [CTF]	compare each date with the true time
#	dates_check.py show PATH		print what the trace says about its dates
#
# "make" simulates a board whose trace clock and wall clock drift and whose wall clock is set.
# Each event has the true time as its only value. Statements give an error that is right. "check"
# and "show" read by babeltrace2's own bindings for Python.

import random
import sys

SECOND = 10**9
BEGIN = 1_700_000_000 * SECOND


def make(seed, boot):
    r = random.Random(f"{seed} {boot}")
    trace_rate = 1 + r.uniform(-2e-4, 2e-4)
    wall_rate = 1 + r.uniform(-1e-4, 1e-4)
    true = BEGIN + boot * 1000 * SECOND
    start, error, wall_at = true, r.randint(-10**9, 10**9), true

    def wall():
        return round(true + error + (true - wall_at) * (wall_rate - 1))

    def ts():
        return 10 * SECOND + round((true - start) * trace_rate)

    print(f"boot {boot + 1}\ninfo\nclock {ts()} {wall()}")
    stated = False
    for _ in range(r.randint(30, 60)):
        for _ in range(r.randint(1, 20)):
            true += r.randint(1, SECOND // 20)
            print(f"event {ts()} type=100 u64:{true}")
        kind = r.random()
        if kind < 0.1:
            # The clock is set. The kernel sends a CLOCK frame before and after.
            print(f"clock {ts()} {wall()}")
            true += 1000
            error, wall_at = r.choice((-1, 1)) * r.randint(2 * 10**6, 10**9), true
        elif kind < 0.5 or not stated:
            unsync = stated and r.random() < 0.2
            # The state of a clock says nothing if it is not synchronized.
            bound = 16 * SECOND if unsync else abs(wall() - true) + r.choice((1, r.randint(1, 10**6)))
            print(f"accuracy {ts()} {bound} {bound} {0x41 if unsync else 1:x} ntp")
            stated = True
        true += 1000
        print(f"clock {ts()} {wall()}")


def clocks(path):
    import bt2
    for m in bt2.TraceCollectionMessageIterator(path):
        if type(m) is bt2._StreamBeginningMessageConst:
            c = m.stream.cls.default_clock_class
            env = m.stream.trace.environment
            said = str(env["clock_synchronised"])
            for key in ("clock_source", "clock_error"):
                said += f" {env[key]}" if key in env else ""
            yield m.stream, c.precision, said


def check(path):
    import bt2
    said, events, worst, beyond = {}, 0, 0, 0
    for m in bt2.TraceCollectionMessageIterator(path):
        if type(m) is bt2._StreamBeginningMessageConst:
            said[m.stream.id] = m.stream.cls.default_clock_class.precision
        elif type(m) is bt2._EventMessageConst:
            events += 1
            off = abs(m.default_clock_snapshot.ns_from_origin -
                      int(next(iter(m.event.payload_field.values()))))
            worst = max(worst, off)
            beyond += off > said[m.event.stream.id]
    print(f"{events} events, worst {worst} of {said}, {beyond} beyond it")
    return not events or bool(beyond)


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]) if sys.argv[3:] else 0)
elif sys.argv[1] == "check":
    sys.exit(check(sys.argv[2]))
else:
    for words in sorted({f"{said} {precision}" for _, precision, said in clocks(sys.argv[2])}):
        print(words)
