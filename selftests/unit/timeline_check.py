#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""timeline_check.py - compare traceinfo --timeline with the events

    timeline_check.py COLUMNS EVENTS SUMMARY ASCII UNICODE

EVENTS and SUMMARY are the output of --json and --summary=threads --json. Each line of a row has
COLUMNS characters. The number of events in the head and the shares of threads must be right. A
thread must have a mark exactly in the columns in which it ran or emitted an event, and may have a
hatch in other columns only if events were lost. Both pictures must have marks in the same places.
"""
import json
import re
import sys

MARKS = {"ascii": (".:+#", "/"), "unicode": ("▁▂▃▄▅▆▇█", "╱")}


def fail(*what):
    print(*what)
    sys.exit(1)


def rows(path, columns):
    """Return the rows of a picture by name: their cells and figures."""
    found = {}
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for line in lines[3:]:
        m = re.fullmatch(r"(.{%d})\|(.*)\|(.{7})" % min(max(columns // 4, 12), 32), line)
        if not m:
            continue
        if len(line) != columns:
            fail("this line has", len(line), "columns:", line)
        found[m[1].strip()] = (m[2], m[3].strip())
    return lines[1], found


def load(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def running(events):
    """Return the times at which each thread ran, from the switches."""
    since, spans, current = {}, {}, {}
    last = 0
    for e in events:
        if e["kind"] == "lost" and last and "lane" not in e:
            tid = current.pop(e["cpu"], None)
            if tid in since:
                spans.setdefault(tid, []).append((since.pop(tid), min(e["from"] or last, last)))
        if e["kind"] == "event":
            last = e["ts"]
        if e["kind"] != "event" or e.get("type") != 147 or "lane" in e:
            continue
        nxt = list(e["elements"][2].values())[0]
        if e["tid"] in since:
            spans.setdefault(e["tid"], []).append((since.pop(e["tid"]), e["ts"]))
        # The switch that took a thread off its previous CPU may be lost.
        current = {cpu: tid for cpu, tid in current.items() if tid != nxt}
        current[e["cpu"]] = nxt
        if nxt:
            if nxt in since:
                spans.setdefault(nxt, []).append((since[nxt], e["ts"]))
            since[nxt] = e["ts"]
    end = [e["ts"] for e in events if e["kind"] == "event"][-1]
    for tid, ts in since.items():
        spans.setdefault(tid, []).append((ts, end))
    return spans


def main():
    columns = int(sys.argv[1])
    items, summary = load(sys.argv[2]), load(sys.argv[3])[0]
    head, ascii_rows = rows(sys.argv[4], columns)
    _, unicode_rows = rows(sys.argv[5], columns)
    events = [e for e in items if e["kind"] == "event"]
    lost = any(e["kind"] in ("lost", "gap") for e in items)
    first, last = events[0]["ts"], events[-1]["ts"]
    span = last - first + 1
    if not head.startswith(f"{len(events)} events,"):
        fail("the head says", head, "and there are", len(events))
    if ascii_rows.keys() != unicode_rows.keys():
        fail("rows differ:", ascii_rows.keys() ^ unicode_rows.keys())
    if not lost and "lost" in ascii_rows:
        fail("nothing was lost")
    for name, (cells, figure) in ascii_rows.items():
        other, other_figure = unicode_rows[name]
        if figure != other_figure or len(cells) != len(other):
            fail("other figures in", name)
        for a, b in zip(cells, other):
            kinds = [(a in MARKS["ascii"][0], a == "/"), (b in MARKS["unicode"][0], b == "╱")]
            if kinds[0] != kinds[1]:
                fail("other marks in", name, cells, other)
    spans = running(items)
    names = {t["tid"]: t for t in summary["threads"]}
    n = len(ascii_rows["CPU 0"][0])
    column = span / n
    for tid, parts in spans.items():
        cells, figure = ascii_rows[f"t{tid}[{tid}]"]
        share = sum(to - begin for begin, to in parts) * 100 / span
        if abs(int(figure.split()[0]) - share) > 0.51:
            fail("thread", tid, "has", figure, "and should have", share)
        if not lost and abs(names[tid]["running"] * 100 / span - share) > 0.01:
            fail("thread", tid, "differs from the summary")
        own = [(e["ts"], e["ts"] + 1) for e in events
               if e["tid"] == tid and e["context"] == "task" and "lane" not in e]
        own += [(e["ts"], e["ts"] + 1) for e in events if "lane" in e and e["tid"] == tid]
        busy = parts + own
        for i, mark in enumerate(cells):
            # A cell at the border may belong to the next column: allow an error of 1/512.
            slack = span / 500
            begin, end = first + i * column, first + (i + 1) * column
            some = any(b < end - slack and t > begin + slack for b, t in busy)
            may = any(b < end + slack and t > begin - slack for b, t in busy)
            if (some and mark in " /") or (not may and mark not in " /"):
                fail("thread", tid, "column", i, "is", repr(mark), begin, end)


main()
