#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# summary_model.py - a made-up machine whose figures are known
#
#	summary_model.py make SEED LOSSES >stream.gen 2>truth.json
#	summary_model.py check truth.json summary.json events.json
#
# "make" lets threads run, wait, block, make system calls and be interrupted on two
# CPUs, writes the profile events of that for gen_stream, and what is true of it.
# With LOSSES, some events are not there, and LOST frames say so. Between them stand
# events and losses of lanes, which are of no importance to any figure but their own,
# even where a program writes what only the kernel should.
#
# "check" compares a summary of traceinfo with two things that know nothing of how
# it was made: with the truth (equal, or, with losses, never more than true, and
# counts never less than true minus lost), and, where nothing is lost, with what
# is counted here from traceinfo's JSON of the events one by one.

import json
import random
import statistics
import sys

CALLS = {0: "read", 1: "write", 2: "open", 3: "close", 230: "nanosleep"}
SYSCALL, IRQ, SOFTIRQ = 0xFF01, 0xFF03, 0xFF05


class Machine:
    def __init__(self, seed):
        self.rand = random.Random(seed)
        self.ts = 1000000
        self.events = []           # (ts, cpu, line)
        self.tasks = {tid: {"state": "blocked", "since": None, "call": None,
                            "sum": {"running": 0, "waiting": 0, "blocked": 0}, "runs": 0}
                      for tid in range(100, 112)}
        self.cpus = [0, 0]
        self.calls, self.irqs, self.delays, self.wakeups = {}, {}, [], []

    def emit(self, cpu, tid, rest, ctx="task"):
        self.ts += self.rand.randrange(50, 3000)
        self.events.append((self.ts, cpu,
                            f"event {self.ts} cpu={cpu} tid={tid} ctx={ctx} {rest}"))
        return self.ts

    def move(self, tid, state, ts):
        t = self.tasks[tid]
        if t["since"] is not None:
            t["sum"][t["state"]] += ts - t["since"]
            if t["state"] == "waiting" and state == "running":
                self.delays.append([ts - t["since"], True])
                if t.get("woken"):
                    self.wakeups.append(ts - t["since"])
        t["state"], t["since"] = state, ts

    def switch(self, cpu):
        prev = self.cpus[cpu]
        waiting = [t for t, v in self.tasks.items() if v["state"] == "waiting"]
        nxt = self.rand.choice(waiting) if waiting and self.rand.random() < 0.9 else 0
        if nxt == prev:
            return
        stays = prev and self.rand.random() < 0.4
        state = 9 if stays else 1
        ts = self.emit(cpu, prev, f"type=147 u8:{state if prev else 0} i16:120 "
                                  f"u32:{nxt} i16:120 str:t{nxt}")
        if prev:
            self.move(prev, "waiting" if stays else "blocked", ts)
            self.tasks[prev]["woken"] = False
        if nxt:
            self.move(nxt, "running", ts)
            self.tasks[nxt]["runs"] += 1
        self.cpus[cpu] = nxt

    def wake(self, cpu, ctx):
        blocked = [t for t, v in self.tasks.items() if v["state"] == "blocked"]
        if blocked:
            tid = self.rand.choice(blocked)
            ts = self.emit(cpu, self.cpus[cpu],
                           f"type=148 u32:{tid} i16:120 u16:0 str:t{tid}", ctx)
            self.move(tid, "waiting", ts)
            self.tasks[tid]["woken"] = True
            if self.rand.random() < 0.5:
                self.emit(cpu, self.cpus[cpu],
                          f"type=149 u32:{tid} i16:120 u16:0 str:t{tid}", ctx)

    def call(self, cpu):
        tid = self.cpus[cpu]
        if not tid:
            return
        t = self.tasks[tid]
        if t["call"] is None:
            nr = self.rand.choice(list(CALLS))
            ts = self.emit(cpu, tid, f"type=128 obj={SYSCALL} sig={nr} u64:1")
            t["call"] = (nr, ts)
            self.calls.setdefault(nr, {"count": 0, "errors": 0, "times": []})["count"] += 1
        else:
            nr, begun = t["call"]
            ret = self.rand.choice([0, 1, 4096, -2, -11, -4095, -4096])
            ts = self.emit(cpu, tid, f"type=129 obj={SYSCALL} sig={nr} i64:{ret}")
            t["call"] = None
            self.calls[nr]["errors"] += -4095 <= ret < 0
            self.calls[nr]["times"].append(ts - begun)

    def interrupt(self, cpu, depth=0):
        irq = (IRQ, self.rand.choice([5, 9])) if not depth else (SOFTIRQ, 1)
        name = f"str:chip{irq[1]}" if irq[0] == IRQ else ""
        kind = 130 if irq[0] == IRQ else 135
        tid = self.cpus[cpu]
        begun = self.emit(cpu, tid, f"type={kind} obj={irq[0]} sig={irq[1]} {name}", "irq")
        while self.rand.random() < 0.4:
            self.wake(cpu, "irq")
        if not depth and self.rand.random() < 0.3:
            self.interrupt(cpu, 1)
        ts = self.emit(cpu, tid, f"type={kind + 1} obj={irq[0]} sig={irq[1]} u8:1", "irq")
        row = self.irqs.setdefault(irq, [])
        row.append(ts - begun)

    def run(self, steps):
        for _ in range(steps):
            cpu = self.rand.randrange(2)
            what = self.rand.random()
            if what < 0.35:
                self.switch(cpu)
            elif what < 0.75:
                self.call(cpu)
            elif what < 0.85:
                self.wake(cpu, "task")
            else:
                self.interrupt(cpu)
        for tid, t in self.tasks.items():
            if t["state"] == "waiting" and t["since"] is not None:
                self.delays.append([self.ts - t["since"], False])
            self.move(tid, t["state"], self.ts)


def with_lanes(lines, rand):
    lost = 0
    out = []
    for line in lines:
        word = line.split()
        if word[0] == "event" and rand.random() < 0.2:
            lane, ts = rand.choice([0, 1, 7, 4095]), int(word[1])
            kind = rand.choice(["type=100", "type=131 obj=65283 sig=5",
                                "type=130 obj=65283 sig=5 str:chip5",
                                "type=129 obj=65281 sig=0 i64:-2",
                                "type=147 u8:1 i16:1 u32:105 i16:1 str:no"])
            tid = rand.randrange(100, 112)
            out.append(f"event {ts} cpu=lane{lane} tid={tid} ctx=user late={rand.randrange(2)} {kind}")
            if rand.random() < 0.2:
                count = rand.randrange(1000)
                out.append(f"lost lane{lane} {rand.choice([0, 1, 5, 6])} {count} "
                           f"{rand.choice([0, ts - 50000])} {ts}")
                lost += count
        out.append(line)
    return out, lost


def make(seed, losses):
    m = Machine(seed)
    m.run(4000)
    out = ["info 0 trace 2", "clock 1000000 1700000000000000000"]
    out += [f"dict sig 0 {nr} 0 {SYSCALL} {name}" for nr, name in CALLS.items()]
    lost = {0: [], 1: []}
    total = 0
    gone = set()
    for _ in range(losses):
        at = m.rand.randrange(10, len(m.events) - 50)
        cpu = m.rand.randrange(2)
        gone |= {i for i in range(at, at + m.rand.randrange(1, 25)) if m.events[i][1] == cpu}
    for i, (ts, cpu, line) in enumerate(m.events):
        if i in gone:
            lost[cpu].append(ts)
            total += 1
            continue
        if lost[cpu]:
            out.append(f"lost {cpu} 2 {len(lost[cpu])} {lost[cpu][0]} {lost[cpu][-1]}")
            lost[cpu] = []
        out.append(line)
    for cpu, l in lost.items():
        if l:
            out.append(f"lost {cpu} 2 {len(l)} {l[0]} {l[-1]}")
    out, lost_lanes = with_lanes(out, m.rand)
    print("\n".join(out))
    json.dump({"lost_lanes": lost_lanes, "calls": m.calls, "lost": total, "wakeups": m.wakeups,
               "delays": sorted(m.delays, reverse=True)[:10],
               "irqs": [[list(k), v] for k, v in m.irqs.items()],
               "threads": {t: {**v["sum"], "runs": v["runs"]} for t, v in m.tasks.items()}},
              sys.stderr)


def fail(*what):
    print("#", *what)
    sys.exit(1)


def same(what, want, got):
    if want != got:
        fail(what, "is", got, "and should be", want)


def histogram(times):
    """How many times there are for each power of two."""
    powers = {}
    for t in times:
        begin = 1 << t.bit_length() - 1 if t else 0
        powers[begin] = powers.get(begin, 0) + 1
    return [{"from": begin, "count": n} for begin, n in sorted(powers.items())]


def check_row(what, row, times, exact, lost):
    if exact:
        same(what + " histogram", histogram(times), row["histogram"])
        same(what + " min", min(times), row["min"])
        same(what + " max", max(times), row["max"])
        same(what + " total", sum(times), row["total"])
        median = statistics.median_low(times)
        if abs(row["median"] - median) * 128 > median:
            fail(what, "median is", row["median"], "and should be", median)
        return
    if row["lost"] != lost:
        fail(what, "does not say that", lost, "are lost")
    if "min" in row:
        if row["min"] < min(times) or row["max"] > max(times) or row["total"] > sum(times):
            fail(what, "has times that never were:", row, min(times), max(times))


def check_truth(truth, summary):
    exact = truth["lost"] == 0
    same("lost", truth["lost"], summary["lost"] + summary["lost_before"] + summary["lost_after"])
    same("lost of lanes", truth["lost_lanes"], summary["lost_lanes"])
    lost = summary["lost"]
    calls = {r["name"]: r for r in summary["syscalls"]}
    for nr, call in truth["calls"].items():
        row = calls[CALLS[int(nr)]]
        if exact:
            same("count", call["count"], row["count"])
            same("errors", call["errors"], row["errors"])
        elif not call["count"] - lost <= row["count"] <= call["count"]:
            fail("count of", row, "is not", call["count"], "but for the lost")
        check_row(CALLS[int(nr)], row, call["times"], exact, lost)
    for (obj, nr), times in truth["irqs"]:
        rows = [r for r in summary["interrupts"] if r["number"] == nr and
                r["kind"] == ("irq" if obj == IRQ else "softirq")]
        if exact:
            same("rows", 1, len(rows))
            same("count", len(times), rows[0]["count"])
        elif not len(times) - lost <= sum(r["count"] for r in rows) <= len(times):
            fail("count of", rows, "is not", len(times), "but for the lost")
        for row in rows:
            check_row(str(nr), row, times, exact, lost)
    threads = {str(r["tid"]): r for r in summary["threads"]}
    for tid, t in truth["threads"].items():
        for what in ("running", "waiting", "blocked", "runs"):
            if exact:
                same(f"{what} of {tid}", t[what], threads[tid][what])
            elif threads[tid][what] > t[what]:
                fail(what, "of", tid, "is", threads[tid][what], "and cannot be more than", t[what])
    if exact:
        same("wake-ups", histogram(truth["wakeups"]), summary["wakeups"]["histogram"])
        same("number of wake-ups", len(truth["wakeups"]), summary["wakeups"]["count"])
        same("delays", truth["delays"],
             sorted(([d["waited"], d["ended"]] for d in summary["delays"]), reverse=True))


def first(element):
    return list(element.values())[0]


def check_meanwhile(summary, events):
    """Who held a CPU while a thread waited for it, and in what."""
    parts = {}
    for e in events:
        if e["kind"] != "event" or "lane" in e or not 128 <= e["type"] < 192:
            continue
        own = parts.setdefault(e["cpu"], [])
        tid, stack = own[-1][1:] if own else (e["tid"], ())
        if e["type"] in (130, 135):
            stack += ("irq" if e["type"] == 130 else "softirq",)
        elif e["type"] in (131, 136):
            stack = stack[:-1]
        elif e["type"] == 147:
            tid = first(e["elements"][2])
        own.append((e["ts"], tid, stack))
    for d in summary["delays"]:
        begin, end = d["from"], d["from"] + d["waited"]
        own = parts[d["meanwhile_cpu"]]
        want = {}
        for i, (ts, tid, stack) in enumerate(own):
            to = own[i + 1][0] if i + 1 < len(own) else end
            ns = min(to, end) - max(ts, begin)
            if ns > 0:
                key = (tid, stack[-1] if stack else "thread")
                want[key] = want.get(key, 0) + ns
        got = {(h["tid"], what): h[what] for h in d["meanwhile"]
               for what in ("thread", "irq", "softirq") if h[what]}
        for key, ns in got.items():
            if want.get(key, 0) < ns or (not d["meanwhile_others"] and want[key] != ns):
                fail("held", key, "for", ns, "and should be", want)
        same("all that held a CPU", sum(want.values()),
             sum(got.values()) + d["meanwhile_others"])
        same("waited", d["waited"], sum(want.values()) + d["meanwhile_unknown"])


def check_events(summary, events):
    """What is in the events themselves, one by one."""
    enter, times, errors, count = {}, {}, {}, {}
    switched, handlers, stack = {}, {}, {}
    for e in events:
        if e["kind"] != "event" or "lane" in e:
            continue
        key = (e.get("object"), e.get("signal"))
        if e["type"] == 128:
            count[key] = count.get(key, 0) + 1
            enter[e["tid"]] = (key, e["ts"])
        elif e["type"] == 129:
            begun = enter.pop(e["tid"])
            same("call", begun[0], key)
            times.setdefault(key, []).append(e["ts"] - begun[1])
            if -4095 <= list(e["elements"][0].values())[0] < 0:
                errors[key] = errors.get(key, 0) + 1
        elif e["type"] in (130, 135):
            stack.setdefault(e["cpu"], []).append(e["ts"])
        elif e["type"] in (131, 136):
            handlers.setdefault(key, []).append(e["ts"] - stack[e["cpu"]].pop())
        elif e["type"] == 147:
            nxt = list(e["elements"][2].values())[0]
            switched[nxt] = switched.get(nxt, 0) + 1
    for r in summary["syscalls"]:
        key = (SYSCALL, r["number"])
        same("count", count[key], r["count"])
        same("errors", errors.get(key, 0), r["errors"])
        check_row(r["name"], r, times[key], True, 0)
        same("untimed", r["count"] - len(times[key]), r["untimed"])
    for r in summary["interrupts"]:
        key = (IRQ if r["kind"] == "irq" else SOFTIRQ, r["number"])
        same("count", len(handlers[key]), r["count"])
        check_row(r["kind"], r, handlers[key], True, 0)
    for r in summary["threads"]:
        same("runs", switched.get(r["tid"], 0), r["runs"])


def main():
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]))
        return
    with open(sys.argv[2]) as f:
        truth = json.load(f)
    with open(sys.argv[3]) as f:
        summary = json.load(f)
    with open(sys.argv[4]) as f:
        events = [json.loads(line) for line in f]
    check_truth(truth, summary)
    if truth["lost"] == 0:
        check_events(summary, events)
        check_meanwhile(summary, events)


main()
