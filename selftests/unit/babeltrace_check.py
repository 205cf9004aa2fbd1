#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# babeltrace_check.py - compare what babeltrace2 reads with traceinfo --json
#
#	babeltrace_check.py EVENTS.json PATH [ctf]
#
# PATH is a stream, which babeltrace2 reads by our plugin, or with ctf, a trace that babeltrace2
# wrote. EVENTS is the output of traceinfo --json. babeltrace2 must read each event once, with its
# source, time, thread, name and values, and each loss with its count. An event that is older than
# the event before it must have the time of that event. The script reads the messages by
# babeltrace2's own bindings for Python.

import json
import sys
from collections import Counter

import bt2

problems = []


def fail(text):
    if len(problems) < 20:
        print(text)
    problems.append(text)


def value(field):
    """Return a field as it is in JSON."""
    if isinstance(field, (bt2._SignedIntegerFieldConst, bt2._UnsignedIntegerFieldConst)):
        return int(field)
    if isinstance(field, bt2._RealFieldConst):
        return float(field)
    return str(field)


def source(stream):
    """Return ("cpu", 1) for a stream if its name or the name of its file ends so."""
    kind, _, nr = stream.name.rsplit("/", 1)[-1].partition(" ")
    return (kind, int(nr)) if nr else (kind, None)


def wanted(e):
    """Return what babeltrace2 must read for an event."""
    if e["type"] == 126 and "elements" not in e and "args" not in e:
        values = [e["text"]]
    elif "args" in e:
        values = list(e["args"].values())
    else:
        values = [v for pair in e["elements"] for v in pair.values()]
    values += [v for pair in e.get("more", []) for v in pair.values()]
    if "broken" in e:
        values.append(bytes(e["broken"]).hex())
    return {
        "source": ("lane", e["lane"]) if "lane" in e else ("cpu", e["cpu"]),
        "ts": e["ts"], "name": e["name"], "tid": e["tid"], "pid": e.get("pid", 0),
        "procname": e.get("process", "-"), "context": e["context"],
        "severity": e.get("severity", "-"), "values": values,
    }


def got(message):
    e = message.event
    c = e.common_context_field
    return {
        "source": source(e.stream), "ts": message.default_clock_snapshot.value, "name": e.name,
        **{k: int(c[k]) for k in ("tid", "pid")},
        **{k: str(c[k]) for k in ("procname", "context", "severity")},
        "values": [value(v) for v in e.payload_field.values()],
    }


def same(want, have):
    if isinstance(want, float):
        return isinstance(have, (int, float)) and float(want) == float(have)
    # JSON cannot express invalid UTF-8. Babeltrace 2.0 misreads an empty string of CTF.
    return want == have or isinstance(want, str) and ("\ufffd" in want or not want and "ctf" in sys.argv)


def main():
    with open(sys.argv[1]) as f:
        items = [json.loads(line) for line in f]
    ctf = sys.argv[3:] == ["ctf"]
    want = [wanted(i) for i in items if i["kind"] == "event"]
    last = 0
    for w in want:
        last = w["ts"] = max(last, w["ts"])
    lost = Counter()
    for i in items:
        if i["kind"] == "lost":
            # CTF has no unknown count.
            lost[("lane", i["lane"]) if "lane" in i else ("cpu", i["cpu"])] += i["count"] or ctf
        elif i["kind"] == "gap":
            lost[("frames", None)] += i["count"]
    have, have_lost = [], Counter()
    for m in bt2.TraceCollectionMessageIterator(sys.argv[2]):
        if type(m) is bt2._EventMessageConst:
            have.append(got(m))
        elif type(m) is bt2._DiscardedEventsMessageConst:
            have_lost[source(m.stream)] += m.count or 0
    if [h["ts"] for h in have] != sorted(h["ts"] for h in have):
        fail("times go back")
    if ctf:
        # In CTF each stream is a file, so events with equal times may have another order.
        key = lambda e: (e["ts"], str(e["source"]))
        want, have = sorted(want, key=key), sorted(have, key=key)
    if len(want) != len(have):
        fail(f"{len(have)} events, not {len(want)}")
    for w, h in zip(want, have):
        for k, v in w.items():
            if k == "values":
                ok = len(v) == len(h[k]) and all(map(same, v, h[k]))
            else:
                ok = same(v, h[k])
            if not ok:
                fail(f"at {w['ts']}: {k} is {h[k]!r}, not {v!r}")
    lost = +lost
    have_lost = +have_lost
    if lost != have_lost:
        fail(f"losses are {have_lost}, not {lost}")
    print(f"{len(have)} events, {sum(have_lost.values())} lost")
    return 1 if problems else 0


sys.exit(main())
