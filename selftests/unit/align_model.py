#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""align_model.py - two boards whose clocks differ, and how well traceinfo ties them

	align_model.py make SEED N A.gen B.gen TRUTH	descriptions for gen_stream
	align_model.py check TRUTH EVENTS.json

Board A sends N messages "ping", and B answers each. The oscillator of B drifts by up to 150 ppm and
its drift wanders; its wall clock is set twice and has an offset of seconds. Each message has a random
delay; the two directions differ. TRUTH has the true time of each event. The check compares the times
that traceinfo printed with the true ones: no event may be farther off than the error that traceinfo
states, and no effect may be before its cause by more than that.
"""
import json
import random
import statistics
import sys

EPOCH = 1700000000 * 10**9
THERE = (60e3, 25e3)    # ns: least delay, mean of the rest
BACK = (140e3, 40e3)
CLOCK = 10**9


class Drifting:
    """A trace clock: ns since its boot, as a function of the true time."""

    def __init__(self, rnd, begin, ppm, wander):
        self.rnd, self.true, self.own, self.ppm = rnd, 0.0, float(begin), ppm
        self.wander = wander

    def at(self, true):
        while self.true < true:
            step = min(1e8, true - self.true)
            self.own += step * (1 + self.ppm / 1e6)
            self.true += step
            self.ppm = max(-150, min(150, self.ppm + self.rnd.gauss(0, self.wander)))
        return round(self.own)


def make(seed, n, names):
    rnd = random.Random(seed)
    clocks = Drifting(rnd, 7e9, 0, 0), Drifting(rnd, 3600e9, 120, 0.3)
    out = [[], []]
    truth = []
    wall = [EPOCH, EPOCH + 3 * 10**9]
    due = [0, 0]

    def event(board, true, kind, i):
        own = clocks[board].at(true)
        # Board A has the true time; B's wall clock runs with its own oscillator.
        if true >= due[board]:
            due[board] = true + CLOCK
            out[board].append(f"clock {own} {wall[board] + round(true)}")
        out[board].append(f"event {own} cpu=0 tid=1 type={kind} u32:{i}")
        truth.append((board, kind, i, true))

    for b in range(2):
        out[b] += [f"boot {b + 1}", "info 0", f"note board {'ab'[b]}",
                   f"dict usr 0 100 0 0 sent", f"dict usr 0 101 0 0 received"]
    true = 1e6
    for i in range(n):
        event(0, true, 100, 2 * i)
        true += THERE[0] + rnd.expovariate(1 / THERE[1])
        event(1, true, 101, 2 * i)
        true += rnd.uniform(1e3, 30e3)
        event(1, true, 100, 2 * i + 1)
        true += BACK[0] + rnd.expovariate(1 / BACK[1])
        event(0, true, 101, 2 * i + 1)
        true += rnd.uniform(1e6, 9e6)
        if i in (n // 3, n // 2):
            wall[1] += -7 * 10**9 if i == n // 3 else 2 * 10**8
            due[1] = 0
    for board, name in enumerate(names[:2]):
        with open(name, "w", encoding="ascii") as f:
            f.write("\n".join(out[board]) + "\n")
    with open(names[2], "w", encoding="ascii") as f:
        for line in truth:
            print(*line[:3], repr(line[3]), file=f)


def check(truth_name, events_name):
    truth, effects, last = {}, {}, None
    with open(truth_name, encoding="ascii") as f:
        for line in f:
            board, kind, i, true = line.split()
            truth["ab"[int(board)], int(kind), int(i)] = float(true)
    off, stated, before, order = [], [], 0.0, 0
    with open(events_name, encoding="ascii") as f:
        for line in f:
            item = json.loads(line)
            if item["kind"] != "event":
                continue
            i = item["elements"][0]["U32"]
            error = item.get("align_error", 0)
            when = item["aligned"]
            if last is not None and when < last:
                order += 1
            last = when
            true = truth.pop((item["board"], item["type"], i))
            if item["board"] == "b":
                off.append(abs(when - 7e9 - true))
                stated.append(error)
            sent = effects.get(i)
            if item["type"] == 100:
                effects[i] = when
            elif sent is not None:
                before = max(before, sent - when - error)
            else:
                effects[i] = when
    wrong = sum(o > s + 2 for o, s in zip(off, stated))
    print(f"# events {len(off)}, stated error median {statistics.median(stated):.0f} ns,"
          f" true error median {statistics.median(off):.0f} ns, largest {max(off):.0f} ns")
    assert not truth, f"{len(truth)} events are missing"
    assert not order, f"{order} events are printed after later ones"
    assert not wrong, f"{wrong} events are farther off than stated"
    assert before <= 2, f"an effect is {before} ns before its cause"
    assert statistics.median(stated) <= 3 * statistics.median(off), "the stated error is too large"


if sys.argv[1] == "make":
    make(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:7])
else:
    check(*sys.argv[2:4])
