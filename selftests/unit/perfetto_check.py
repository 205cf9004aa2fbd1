#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# perfetto_check.py - compare what devtrace-convert --to perfetto wrote with traceinfo --json
#
#	perfetto_check.py EVENTS.json DECODED.txt [COUNTER=EVENT.ARGUMENT | SLICE=BEGIN..END]...
#
# EVENTS is of traceinfo --json -v, DECODED of protoc --decode with perfetto.proto. Each event
# must be there once, in its order, with its time, name and values; no field may be unknown; names
# must be known where they are referred to; each loss must be told where Perfetto counts it. This
# reads the file as Perfetto does, and knows nothing of how it was written.

import json
import re
import struct
import sys

SYSCALL, COMPAT, IRQ, SOFTIRQ = 0xFF01, 0xFF02, 0xFF03, 0xFF05
STATES = ["RUNNING", "SLEEPING", "BLOCKED", "STOPPED", "TRACED", "DEAD", "ZOMBIE", "PARKED",
          "IDLE", "PREEMPTED"]
BITS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256]
IRQRET = {"NONE": 0, "HANDLED": 1, "WAKE_THREAD": 2}

problems = []


def fail(text):
    if len(problems) < 20:
        print(text)
    problems.append(text)


def unquote(s):
    raw = bytearray()
    i = 1
    simple = {"n": 10, "r": 13, "t": 9, '"': 34, "'": 39, "\\": 92}
    b = s.encode()
    while i < len(b) - 1:
        c = b[i]
        if c == 92:
            n = chr(b[i + 1])
            if n in simple:
                raw.append(simple[n])
                i += 2
            else:
                raw.append(int(b[i + 1:i + 4], 8))
                i += 4
        else:
            raw.append(c)
            i += 1
    return raw.decode("utf-8")


def parse(lines):
    """The packets of a Trace as lists of (field, value); messages are lists again."""
    stack = [[]]
    for line in lines:
        line = line.strip()
        if line.endswith("{"):
            name = line[:-1].strip()
            inner = []
            stack[-1].append((name, inner))
            stack.append(inner)
        elif line == "}":
            stack.pop()
            if len(stack) == 1:
                yield stack[0].pop()
        elif line:
            name, value = line.split(": ", 1)
            if value.startswith('"'):
                value = unquote(value)
            elif re.fullmatch(r"-?\d+", value):
                value = int(value)
            elif re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", value):
                value = float(value)
            stack[-1].append((name, value))
        if line[:1].isdigit():
            fail(f"unknown field: {line}")


def one(message, field, default=None):
    for name, value in message:
        if name == field:
            return value
    return default


def every(message, field):
    return [value for name, value in message if name == field]


def same(want, got):
    if want == got and isinstance(want, str) == isinstance(got, str):
        return True
    if isinstance(want, (int, float)) and isinstance(got, (int, float)):
        if isinstance(got, float) and float(want) == got:
            return True
        try:
            return struct.unpack("f", struct.pack("f", want))[0] == got
        except (OverflowError, struct.error):
            return False
    return False


class Reader:
    def __init__(self):
        self.names, self.tracks, self.events, self.counters = {}, {}, [], []
        self.states, self.losses, self.lost_bundles, self.valid = [], [], 0, {}
        self.clocks = []
        self.seen = set()
        self.procs = {}

    def name(self, key, field, iid):
        if (key, field, iid) not in self.names:
            fail(f"name {field} {iid} is referred to and not known")
        return self.names.get((key, field, iid))

    def packet(self, p):
        sequence, machine = one(p, "trusted_packet_sequence_id", 0), one(p, "machine_id", 0)
        key = (machine, sequence)
        flags = one(p, "sequence_flags", 0)
        if flags & 1:
            self.names = {k: v for k, v in self.names.items() if k[0] != key}
            self.valid[key] = True
        dropped = one(p, "previous_packet_dropped", 0)
        # Perfetto counts no drop before the first packet of a writer.
        if dropped and key not in self.seen:
            fail("a loss on the first packet of a writer is not counted")
        if dropped and not flags & 1:
            self.valid[key] = False
        self.seen.add(key)
        for field, value in one(p, "interned_data", []):
            if field == "source_locations":
                self.names[key, field, one(value, "iid")] = tuple(
                    one(value, n) for n in ("file_name", "line_number", "function_name"))
            else:
                self.names[key, field, one(value, "iid")] = one(value, "text", "")
        if flags & 2 and not self.valid.get(key):
            fail("a packet needs names that do not hold any more")
        t = one(p, "track_descriptor")
        if t:
            self.tracks[machine, one(t, "uuid")] = t
        for thread in every(one(p, "process_tree", []), "threads"):
            self.procs[machine, one(thread, "tid")] = one(thread, "name")
        bundle = one(p, "ftrace_events")
        if bundle:
            self.lost_bundles += one(bundle, "lost_events") == "true"
            for e in every(bundle, "event"):
                kind, fields = [x for x in e if x[0] not in ("timestamp", "pid")][0]
                self.events.append({"ts": one(e, "timestamp"), "tid": one(e, "pid"),
                                    "cpu": one(bundle, "cpu"), "machine": machine,
                                    "ftrace": kind, "fields": dict(fields),
                                    "args": every(fields, "args")})
        e = one(p, "track_event")
        if e:
            self.track_event(p, e, key, machine, dropped)

    def track_event(self, p, e, key, machine, dropped):
        track = self.tracks.get((machine, one(e, "track_uuid")))
        if track is None:
            fail(f"track {one(e, 'track_uuid')} is not described")
            return
        if flags_needed(e) and not one(p, "sequence_flags", 0) & 2:
            fail("a packet refers to names, and does not say so")
        name = one(e, "name")
        if one(e, "name_iid"):
            name = self.name(key, "event_names", one(e, "name_iid"))
        kind = one(e, "type")
        notes = []
        for a in every(e, "debug_annotations"):
            n = one(a, "name")
            if n is None:
                n = self.name(key, "debug_annotation_names", one(a, "name_iid"))
            notes.append((n, [v for k, v in a if k not in ("name", "name_iid")][0]))
        log = one(e, "log_message")
        record = {"ts": one(p, "timestamp", 0), "name": name, "notes": notes, "track": track,
                  "kind": kind, "machine": machine,
                  "log": self.name(key, "log_message_body", one(log, "body_iid")) if log else None,
                  "source": self.name(key, "source_locations", one(e, "source_location_iid"))
                  if one(e, "source_location_iid") else None,
                  "categories": [self.name(key, "event_categories", i)
                                 for i in every(e, "category_iids")]}
        if kind == "TYPE_COUNTER":
            record["value"] = one(e, "counter_value", one(e, "double_counter_value"))
            self.counters.append(record)
        elif one(track, "name") == "Wall clock":
            self.clocks.append(record)
        elif kind == "TYPE_STATE":
            self.states.append(record)
        elif one(track, "name") == "Lost":
            if not dropped & 1:
                fail("a loss that Perfetto does not count")
            self.losses.append(record)
        elif one(track, "name") != "Stream":
            self.events.append(record)


def check_clock(r, items, offset):
    """The counter of the error covers each event; the track of the wall clock has each statement."""
    samples = [c for c in r.counters if one(c["track"], "name") == "Clock error"]
    if any(one(one(c["track"], "counter"), "unit") != "UNIT_TIME_NS" for c in samples):
        fail("the error has no unit")
    clocks = [i for i in items if i["kind"] == "clock"]
    stated = {(i["ts"], i["max_error"], i["source"], i["status"]): i for i in items
              if i["kind"] == "accuracy"}
    for s in stated.values():
        words = "no longer synchronised" if s["status"] & 0x40 else "synchronised"
        if s["status"] & 0x40 and not any(not a["status"] & 0x40 and a["ts"] < s["ts"]
                                          for a in stated.values()):
            words = "never synchronised"
        found = [c for c in r.clocks if c["ts"] == s["ts"] + offset]
        if not any(c["name"] == words and dict(c["notes"])["source"] == s["source"] and
                   dict(c["notes"]).get("max_error", s["max_error"]) == s["max_error"]
                   for c in found):
            fail(f"statement {s} is shown as {found}")
    synced = [s for s in stated.values() if not s["status"] & 0x40]
    for e in items:
        before = [s for s in synced if e["kind"] == "event" and s["ts"] <= e["ts"]]
        if not before:
            continue
        # By the trace clock, from the statement on. Since then the wall clock may have come nearer.
        s = before[-1]
        at = [c for c in clocks if c["ts"] <= s["ts"]][-1]
        away = abs((at["realtime"] - at["ts"]) - (clocks[0]["realtime"] - clocks[0]["ts"]))
        since = e["ts"] - s["ts"]
        least = s["max_error"] + away + (200 * since - 300 * (s["ts"] - at["ts"])) // 10**6
        shown = [c["value"] for c in samples if c["ts"] <= e["ts"] + offset]
        if not shown or shown[-1] < least:
            fail(f"an error of {least} ns is shown as {shown[-1:]} at {e['ts']}")
        # 20 us and 500 ppm of a second are of the conversion; then it is rounded.
        elif shown[-1] > (least + since * 600 // 10**6 + 20000 + 500000) * 9 // 8 + 1:
            fail(f"an error of {least} ns is shown as {shown[-1]} at {e['ts']}")
    print(f"{len(stated)} statements, {len(samples)} errors")


def flags_needed(e):
    return any(k.endswith("_iid") or k.endswith("_iids") for k, v in e)


def expected_notes(j):
    notes, nr = [], 0
    for n, v in j.get("args", {}).items():
        notes.append((n, v))
        nr += 1
    for e in j.get("more", []) + j.get("elements", []):
        nr += 1
        (n, v), = e.items()
        notes.append((f"{nr}:{n}", v))
    if "broken" in j:
        notes.append(("broken", "".join(f"{b:02x}" for b in j["broken"])))
    if "site" in j:
        notes += [(n, j[n]) for n in ("level", "file", "line", "function", "image", "site") if n in j]
    for n in ("object", "signal"):
        if n in j:
            notes.append((n, j.get(n + "_name", j[n])))
    if j["text"]:
        notes.append(("text", j["text"]))
    return notes


def check_ftrace(j, got):
    a, f, kind = j.get("args", {}), got["fields"], got["ftrace"]
    if got["tid"] != j["tid"] or got["cpu"] != j["cpu"]:
        fail(f"thread or CPU of {j}: {got}")
    want = {}
    if kind == "sched_switch":
        state = a["state"] if isinstance(a["state"], int) else STATES.index(a["state"])
        want = {"prev_pid": j["tid"], "prev_prio": a["prio"], "next_pid": a["next"],
                "next_prio": a["next_prio"], "next_comm": a["comm"],
                "prev_state": BITS[state] if state < 10 else 0}
        if "process" in j:
            want["prev_comm"] = j["process"]
    elif kind in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
        want = {"pid": a["tid"], "prio": a["prio"], "target_cpu": a["cpu"], "comm": a["comm"],
                "success": 1}
    elif kind == "sched_migrate_task":
        want = {"pid": a["tid"], "prio": a["prio"], "orig_cpu": a["from"], "dest_cpu": a["to"]}
    elif kind == "sched_process_fork":
        want = {"child_pid": a["tid"], "child_comm": a["comm"], "parent_pid": j["tid"]}
    elif kind == "sched_process_exec":
        want = {"old_pid": a["old_tid"], "filename": a["file"], "pid": j["tid"]}
    elif kind == "sched_process_exit":
        want = {"pid": j["tid"], "prio": a["prio"]}
    elif kind == "sched_pi_setprio":
        want = {"pid": a["tid"], "oldprio": a["prio"], "newprio": a["new_prio"]}
    elif kind == "task_rename":
        want = {"pid": a["tid"], "newcomm": a["comm"]}
    elif kind.startswith("softirq"):
        want = {"vec": j["signal"]}
        if j["object"] != SOFTIRQ:
            fail(f"no soft interrupt: {j}")
    elif kind == "irq_handler_entry":
        want = {"irq": j["signal"], "name": a["action"]}
    elif kind == "irq_handler_exit":
        want = {"irq": j["signal"], "ret": IRQRET.get(a["ret"], a["ret"])}
    elif kind in ("sys_enter", "sys_exit"):
        want = {"id": j["signal"]}
        if j["object"] != SYSCALL:
            fail(f"no system call of this machine: {j}")
        if kind == "sys_exit":
            if re.fullmatch(r"-?\d+", str(a["ret"])):
                want["ret"] = int(a["ret"])
            elif f.get("ret", 0) >= 0:
                fail(f"{a['ret']} is no error: {got}")
        else:
            values = [v for v in a.values()] + [list(e.values())[0] for e in
                                                j.get("elements", []) + j.get("more", [])]
            if [v % 2**64 for v in values] != got["args"]:
                fail(f"arguments of {j}: {got}")
    elif kind.startswith("workqueue"):
        want = {}
    elif kind == "cpu_frequency":
        want = {"state": a["frequency"], "cpu_id": a["cpu"]}
    else:
        fail(f"an event of ftrace that is not known: {kind}")
    for n, v in want.items():
        if f.get(n, 0) != v:
            fail(f"{kind} {n} is {f.get(n)}, not {v}: {j}")


def check_event(j, got, offset):
    # Another machine is placed by its wall clock; random frames have machines of their own.
    if not got["machine"] and got["ts"] != (j["ts"] + offset) % 2**64:
        fail(f"time {got['ts']}, not {j['ts'] + offset}: {j}")
    if "ftrace" in got:
        check_ftrace(j, got)
        return
    if got["name"] != j["name"]:
        fail(f"name {got['name']}: {j}")
    want = [] if got["log"] is not None else expected_notes(j)
    if got["log"] is not None and got["log"] != j["text"]:
        fail(f"log message {got['log']!r}: {j}")
    source = (j["file"], j["line"], j.get("function")) if "file" in j else None
    if got["source"] != source:
        fail(f"place in the source {got['source']}: {j}")
    # Without a description the text only repeats the elements.
    if "elements" in j and "site" not in j and want and want[-1][0] == "text" and \
       (not got["notes"] or got["notes"][-1][0] != "text"):
        want.pop()
    if len(want) != len(got["notes"]) or \
       any(w[0] != g[0] or not same(w[1], g[1]) for w, g in zip(want, got["notes"])):
        fail(f"values {got['notes']}, not {want}: {j}")
    severity = ["sev:" + j["severity"]] if "severity" in j else []
    if got["categories"] != severity:
        fail(f"categories {got['categories']}: {j}")
    track = got["track"]
    if got["kind"] == "TYPE_INSTANT" and j["context"] in ("task", "user") and j["tid"]:
        thread = one(track, "thread")
        if not thread or one(thread, "tid") != j["tid"]:
            fail(f"track {track}: {j}")
        elif "process" in j and one(thread, "thread_name", "") != j["process"]:
            fail(f"thread {thread}: {j}")


def main():
    picks = [a.split("=", 1) for a in sys.argv[3:]]
    items = [json.loads(line) for line in open(sys.argv[1])]
    r = Reader()
    for name, packet in parse(open(sys.argv[2])):
        if name != "packet":
            fail(f"no packet: {name}")
        else:
            r.packet(packet)
    clock = next((i for i in items if i["kind"] == "clock"), None)
    offset = clock["boottime"] - clock["ts"] if clock else 0
    events = [i for i in items if i["kind"] == "event"]
    if len(events) != len(r.events):
        fail(f"{len(r.events)} events, not {len(events)}")
    for j, got in zip(events, r.events):
        if len(problems) < 20:
            check_event(j, got, offset)
    if any(i["kind"] == "accuracy" for i in items) or r.clocks:
        check_clock(r, items, offset)
    losses = [i for i in items if i["kind"] in ("lost", "gap", "damage")]
    if len(losses) != len(r.losses):
        fail(f"{len(r.losses)} losses, not {len(losses)}")
    for j, got in zip(losses, r.losses):
        n = dict(got["notes"])
        if n.get("count", n.get("bytes")) != j.get("count", j.get("bytes")):
            fail(f"loss {got}: {j}")
    for kind, word in picks:
        if kind == "COUNTER":
            name, arg = word.rsplit(".", 1)
            want = [(j["ts"] + offset, j["args"][arg]) for j in events
                    if j["name"] == name and arg in j.get("args", {})]
            got = [(c["ts"], c["value"]) for c in r.counters if one(c["track"], "name") == word]
            if not want or len(want) != len(got) or \
               any(w[0] != g[0] or not same(w[1], g[1]) for w, g in zip(want, got)):
                fail(f"counter {word}: {got}, not {want}")
        elif kind == "SLICE":
            kinds = [e["kind"] for e in r.events if one(e.get("track", []), "name") == word]
            if kinds.count("TYPE_SLICE_BEGIN") < 1 or "TYPE_INSTANT" in kinds or \
               kinds.count("TYPE_SLICE_END") > kinds.count("TYPE_SLICE_BEGIN"):
                fail(f"slices {word}: {kinds}")
        elif kind == "STATE":
            if word not in [s["name"] for s in r.states if one(s["track"], "state") is not None]:
                fail(f"no state {word}")
    print(f"{len(r.events)} events, {sum('ftrace' in e for e in r.events)} of ftrace, "
          f"{len(r.counters)} counters, {len(r.states)} states, {len(r.losses)} losses, "
          f"{r.lost_bundles} bundles after a loss")
    sys.exit(1 if problems else 0)


main()
