#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# own.sh - what a program's own filters cost an event that goes into its lane
#
#	own.sh PROGRAM		as the Makefile beside it calls it
#
# Prints `own.FILTER.EVENT.insn value instructions`: those of the program, counted by
# valgrind, less those of the loop around; handing over is part of them.
prog=$1
times=20000
command -v valgrind >/dev/null || { echo "own.sh: no valgrind to count with" >&2; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# count FILTER EVENT: what events() took
count()
{
	: >"$tmp/control"
	DEVTRACE_DEVICE=$tmp/control valgrind --tool=callgrind --toggle-collect=events \
		--callgrind-out-file="$tmp/counted" "$prog" "$1" "$2" $times 2>"$tmp/err" ||
		{ cat "$tmp/err" >&2; return 1; }
	sed -n 's/^totals: \([0-9]*\).*/\1/p' "$tmp/counted"
}

loop=$(count none nothing) || exit 1
for event in plain object; do
	for filter in none type object refused; do
		n=$(count $filter $event) || exit 1
		echo "$n $loop" | awk -v name=own.$filter.$event.insn -v times=$times \
			'{ printf "%s %.1f instructions\n", name, ($1 - $2) / times }'
	done
done
