# SPDX-License-Identifier: GPL-2.0-only
"""Compare the Python module with traceinfo --json -v of the same stream.

    python_check.py equal STREAM JSON [FORMAT]
    python_check.py survive STREAM...

equal: check that each item has the values of its line in JSON, and each column those of the events.
survive: read streams of any content, whole, cut and with wrong bits, without a comparison.
"""
import collections
import itertools
import json
import math
import sys

import devtrace

# Lines and members that traceinfo adds, and that the module does not have
MADE = {"load", "clock_set", "reboot", "pid_namespace"}


def fail(*words):
    print("#", *words)
    sys.exit(1)


def plain(v):
    """Return a value of the module as it is in JSON."""
    if isinstance(v, bytes):
        return v.hex(" ")
    if isinstance(v, float) and not math.isfinite(v):
        return ("-" if math.copysign(1, v) < 0 else "") + ("nan" if math.isnan(v) else "inf")
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v


def equal_items(stream, lines, formats):
    with devtrace.open(stream, formats) as r:
        got = [i if isinstance(i, dict) else i.as_dict() for i in r.items()]
    want = [x for x in lines if x["kind"] not in MADE]
    for g, w in zip(got, want):
        g = plain(g)
        if list(g) != list(w) or g != w:
            fail(stream, "got", g, "not", w)
    if len(got) != len(want):
        fail(stream, len(got), "items, not", len(want))
    return len(got)


def none(v, other):
    return other if v is None else v


def equal_columns(stream, events, formats):
    """Compare each column with the attributes of the events."""
    columns = devtrace.open(stream, formats).columns()
    missing = {"context": "", "severity": "", "process": ""}
    for key, column in columns.items():
        if len(column) != len(events):
            fail(key, "has", len(column), "rows, not", len(events))
        for i, (got, e) in enumerate(zip(column, events)):
            want = getattr(e, key) if key != "code" else \
                -1 if e.major is None else e.major << 8 | e.minor
            if got != none(want, missing.get(key, -1)):
                fail(key, i, "is", got, "not", want)
        view = memoryview(column)
        if column.categories is None:
            ok = view.tolist() == list(column)
        else:
            ok = [column.categories[i] for i in view] == list(column) and \
                len(set(column.categories)) == len(column.categories)
        if not ok or view.format != column.format or not view.readonly:
            fail(key, "has another buffer")


def equal_args(stream, events, formats):
    by_name = collections.defaultdict(list)
    for e in events:
        by_name[e.name].append(e)
    compared = 0
    for name, some in by_name.items():
        columns = devtrace.open(stream, formats).columns(event=name)
        for key, (i, e) in itertools.product(some[0].args, enumerate(some)):
            # Values of the other kind are in a second column.
            keys = [f"args.{key}{x}" for x in ("", ":text", ":number")]
            every = [columns[k][i] for k in keys if k in columns]
            want = e.args.get(key)
            want = plain(want) if isinstance(want, bytes) else want
            got = [v for v in every if v != "" and v == v]
            # If numbers are missing in a column, it has doubles.
            if got and isinstance(got[0], float) and isinstance(want, int):
                want = float(want)
            compared += 1
            if got != ([] if want is None or want == "" or want != want else [want]):
                fail(name, key, "is", every, "not", want)
    return compared


def equal(stream, lines, *formats):
    with open(lines, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    n = equal_items(stream, lines, formats)
    with devtrace.open(stream, formats) as r:
        events = list(r)
        totals = r.totals
    if len(events) != sum(x["kind"] == "event" for x in lines) or totals["events"] != len(events):
        fail("totals", totals)
    equal_columns(stream, events, formats)
    print("#", stream, n, "items,", len(events), "events,",
          equal_args(stream, events, formats), "arguments")


def touch(source):
    try:
        with devtrace.open(source) as r:
            for item in r.items():
                repr(item)
                if isinstance(item, devtrace.Event):
                    for a in dir(item):
                        getattr(item, a)
                    item.as_dict()
        names = set()
        with devtrace.open(source) as r:
            names.update(e.name for e in r)
        for name in [None, *list(names)[:20]]:
            for column in devtrace.open(source).columns(name).values():
                memoryview(column).tolist()
                list(column)
    except ValueError as e:
        return str(e)
    return ""


def survive(*streams):
    refused = 0
    for path in streams:
        with open(path, "rb") as f:
            data = f.read()
        refused += touch(path) != ""
        flipped = bytes(byte ^ (i % 97 == 0) for i, byte in enumerate(data))
        for part in data, data[1:], data[: len(data) // 2], flipped:
            touch(part)
    print("#", len(streams), "inputs,", refused, "of them no stream")


if __name__ == "__main__":
    {"equal": equal, "survive": survive}[sys.argv[1]](*sys.argv[2:])
