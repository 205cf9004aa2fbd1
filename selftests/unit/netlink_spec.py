# SPDX-License-Identifier: GPL-2.0-only
"""Look at the description of the netlink family.

netlink_spec.py schema SCHEMA SPEC	it is one, by the kernel's schema
netlink_spec.py closed SPEC		what it refers to is in it
netlink_spec.py c SPEC HEADER...	C that compiles if its numbers are theirs
netlink_spec.py missing SPEC HEADER	names of the header that it does not have
netlink_spec.py table SPEC		selftests/device/nl_spec.h
"""
import re
import sys

import yaml


def load(path):
    with open(path, encoding="utf-8") as f:
        return yaml.safe_load(f)


def c_name(*parts):
    return "".join(parts).upper().replace("-", "_")


def numbers(spec):
    """(name in C, value) of all that has a number, in the order of the enums"""
    for d in spec["definitions"]:
        if d["type"] == "const":
            yield c_name(d["name"]), d["value"]
        elif d["type"] in ("enum", "flags"):
            for i, e in enumerate(d["entries"]):
                e = e if isinstance(e, str) else e["name"]
                yield c_name(d["name-prefix"], e), 1 << i if d["type"] == "flags" else i
    for s in spec["attribute-sets"]:
        for i, a in enumerate(s["attributes"], 1):
            yield c_name(s["name-prefix"], a["name"]), i
        yield c_name("__", s["name-prefix"], "max"), len(s["attributes"]) + 1
    prefix = spec["operations"]["name-prefix"]
    for i, o in enumerate(spec["operations"]["list"], 1):
        yield c_name(prefix, o["name"]), i
    yield c_name("__", prefix, "max"), len(spec["operations"]["list"]) + 1


def schema(path, spec):
    import jsonschema
    errors = list(jsonschema.Draft7Validator(load(path)).iter_errors(load(spec)))
    for e in errors:
        print("/".join(str(p) for p in e.absolute_path) + ": " + e.message)
    return bool(errors)


def closed(path):
    spec = load(path)
    sets = {s["name"]: {a["name"] for a in s["attributes"]} for s in spec["attribute-sets"]}
    ops = {o["name"]: o for o in spec["operations"]["list"]}
    groups = {g["name"] for g in spec["mcast-groups"]["list"]}
    defs = {d["name"] for d in spec["definitions"]}
    bad = []
    for s in spec["attribute-sets"]:
        for a in s["attributes"]:
            for key, known in (("nested-attributes", sets), ("struct", defs), ("enum", defs)):
                if key in a and a[key] not in known:
                    bad.append(f"{s['name']} {a['name']}: no {key} {a[key]}")
            if a["type"] == "nest" and "nested-attributes" not in a:
                bad.append(f"{s['name']} {a['name']}: a nest of what?")
    for name, o in ops.items():
        used = list(o.get("event", {}).get("attributes", []))
        for sub in (o.get("do"), o.get("dump")):
            for part in (sub or {}).values():
                used += part["attributes"]
        bad += [f"{name}: no attribute {u}" for u in used if u not in sets[o["attribute-set"]]]
        if "notify" in o and o["notify"] not in ops:
            bad.append(f"{name}: no operation {o['notify']}")
        if name.startswith("ntf-") != ("mcgrp" in o) or o.get("mcgrp", "monitor") not in groups:
            bad.append(f"{name}: which group?")
    print("\n".join(bad))
    return bool(bad)


def c(path, *headers):
    for h in headers:
        print(f"#include <linux/{h}>")
    for name, value in numbers(load(path)):
        print(f'_Static_assert({name} == {value}, "{name}");')
    return 0


def missing(path, header):
    with open(header, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    have = {name for name, _ in numbers(load(path))}
    want = set(re.findall(r"\bDEVTRACE_(?:CMD|A|FA|EA|CMP|ACTION|ORIGIN)_\w+", text))
    want -= {n for n in want if n.endswith(("_UNSPEC", "_MAX"))}
    lost = sorted(want - have)
    print("\n".join(lost))
    return bool(lost)


TABLE = """\
/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl_spec.h - the netlink family, as its description has it
 *
 * Made by `selftests/unit/netlink_spec.py table`, and compared by a unit test, so
 * that the tests of the device need nothing but a compiler.
 */
#ifndef NL_SPEC_H
#define NL_SPEC_H

#include <stddef.h>
#include <stdint.h>

enum spec_type {
	SPEC_NONE, SPEC_U8, SPEC_U32, SPEC_U64, SPEC_S64, SPEC_STRING, SPEC_NEST,
	SPEC_BINARY, SPEC_U32S, SPEC_U64S, SPEC_RANGES,
};

struct spec_attr {
	const char *name;
	enum spec_type type;
	uint64_t min, max;		/* value of a number, length of the others */
	const struct spec_attr *nest;
	int nest_max;
};

struct spec_cmd {
	const char *name;
	int can_do, can_dump;
	uint64_t do_takes, dump_takes;	/* a bit for each attribute */
};
"""


def limits(spec, a):
    checks = a.get("checks", {})
    if "exact-len" in checks:
        return checks["exact-len"], checks["exact-len"]
    top = {"u8": 0xff, "u32": 0xffffffff}.get(a["type"], 0xffffffffffffffff)
    for d in spec["definitions"]:
        if d["name"] == a.get("enum") and d["type"] == "enum":
            top = len(d["entries"]) - 1
    return (checks.get("min", checks.get("min-len", 0)),
            checks.get("max", checks.get("max-len", top)))


def table(path):
    spec = load(path)
    kinds = {"pad": "NONE", "nest": "NEST"}
    print(TABLE, end="")
    sets = {s["name"]: s["attributes"] for s in spec["attribute-sets"]}
    # Nests first, so that what has them can refer to them.
    for name in sorted(sets, key=lambda n: any("nested-attributes" in a for a in sets[n])):
        print(f"\nstatic const struct spec_attr spec_{name}[] = {{")
        for i, a in enumerate(sets[name], 1):
            kind = "RANGES" if "struct" in a else a["type"]
            if kind == "binary" and "sub-type" in a:
                kind = a["sub-type"] + "s"
            low, high = limits(spec, a)
            nest = a.get("nested-attributes")
            tail = f", spec_{nest}, {len(sets[nest])}" if nest else ""
            print(f'\t[{i}] = {{ "{a["name"]}", SPEC_{kinds.get(kind, kind.upper())}, '
                  f"{low}, {high:#x}{tail} }},")
        print("};")
    number = {a["name"]: i for i, a in enumerate(sets["devtrace"], 1)}
    print("\nstatic const struct spec_cmd spec_cmds[] = {")
    for i, o in enumerate(spec["operations"]["list"], 1):
        takes = [sum(1 << number[a] for a in o.get(how, {}).get("request", {}).get("attributes", []))
                 for how in ("do", "dump")]
        print(f'\t[{i}] = {{ "{o["name"]}", {int("do" in o)}, {int("dump" in o)}, '
              f"{takes[0]:#x}, {takes[1]:#x} }},")
    print("};\n\n#endif /* NL_SPEC_H */")
    return 0


if __name__ == "__main__":
    sys.exit({"schema": schema, "closed": closed, "c": c,
              "missing": missing, "table": table}[sys.argv[1]](*sys.argv[2:]))
