# SPDX-License-Identifier: GPL-2.0-only
"""Add up what gcov says of many programs that were made from the same sources.

coverage.py TOP DIR...: on standard input the names of .gcda files. For each source
file below the DIRs of TOP, the share of its lines that ran in any program, and the
lines that did not.
"""
import json
import os
import subprocess
import sys


def ranges(lines):
    """[1, 2, 3, 7] as 1-3, 7"""
    out = []
    for n in lines:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def main():
    top, dirs = os.path.realpath(sys.argv[1]), sys.argv[2:]
    counts = {}
    for gcda in sys.stdin.read().split("\n"):
        if not gcda:
            continue
        text = subprocess.run(["gcov", "--json-format", "--stdout", gcda], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        for doc in text.decode().splitlines():
            doc = json.loads(doc)
            for f in doc["files"]:
                name = os.path.join(doc["current_working_directory"], f["file"])
                name = os.path.relpath(os.path.realpath(name), top)
                if name.split("/")[0] not in dirs or not name.endswith(".c"):
                    continue
                lines = counts.setdefault(name, {})
                for line in f["lines"]:
                    n = line["line_number"]
                    lines[n] = lines.get(n, 0) + line["count"]
    if not counts:
        sys.exit("coverage: nothing was counted")
    total = {}
    for name in sorted(counts):
        lines = counts[name]
        missed = sorted(n for n in lines if not lines[n])
        ran = len(lines) - len(missed)
        for key in (name.split("/")[0], "all"):
            a, b = total.get(key, (0, 0))
            total[key] = (a + ran, b + len(lines))
        print(f"{100 * ran / len(lines):5.1f} %  {name}" +
              (f": {ranges(missed)}" if missed else ""))
    for key in [*dirs, "all"]:
        if key in total:
            ran, of = total[key]
            print(f"# {key}: {ran} of {of} lines, {100 * ran / of:.1f} %")


main()
