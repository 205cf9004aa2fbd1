#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# otlp.sh - what tracelogger --to otlp takes for an event
#
#	otlp.sh TRACELOGGER GEN_STREAM
#
# Prints the instructions of the program for an event, counted by valgrind, and the bytes of
# requests for a record. The events are those of "bench": two integers, without a description. Two
# runs of different length are compared: what it takes to begin is in both. Reading the input and
# sending are system calls, which are not counted.
here=$(cd "$(dirname "$0")" && pwd)
logger=$1 gen=$2
few=20000 many=60000
command -v valgrind >/dev/null || { echo "otlp.sh: no valgrind to count with" >&2; exit 77; }
tmp=$(mktemp -d) || exit 1
peer=''
cleanup()
{
	[ -z "$peer" ] || kill "$peer"
	rm -rf "$tmp"
}
trap cleanup EXIT

mkdir "$tmp/got"
python3 "$here/../unit/otlp_peer.py" "$tmp/got" >"$tmp/said" &
peer=$!
until [ -s "$tmp/said" ]; do sleep 0.1; done
port=$(head -n 1 "$tmp/said")

# count EVENTS: instructions of a run
count()
{
	{ echo 'info 0'; echo 'clock 1000 1700000000000000000'; echo 'proc 42 42 motor'; echo "bench $1"; } |
		"$gen" >"$tmp/trace"
	valgrind --tool=callgrind --callgrind-out-file="$tmp/counted" "$logger" --once --device "$tmp/trace" \
		--to "otlp:http://127.0.0.1:$port" --match severity=none 2>"$tmp/err" ||
		{ cat "$tmp/err" >&2; return 1; }
	sed -n 's/^totals: \([0-9]*\).*/\1/p' "$tmp/counted"
}

a=$(count $few) || exit 1
b=$(count $many) || exit 1
echo "logger.otlp.insn_per_event $(((b - a) / (many - few))) instructions"
awk -v n=$((few + many)) '$1 == 200 { bytes += $3 }
	END { printf "logger.otlp.bytes_per_event %.1f bytes\n", bytes / n }' "$tmp/said"
