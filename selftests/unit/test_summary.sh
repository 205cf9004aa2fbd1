#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_summary.sh - the figures of traceinfo --summary against others: those of a
# made-up machine that are known, and those that are counted from the events one
# by one; with and without losses. See summary_model.py. SEED=n is another machine.
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${O:-$here/../../build}/selftests/unit" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C PATH="$out/san/tools:$out:$PATH"
unset DEVTRACE_FMT_PATH
SEED=${SEED:-$(($(date +%s) % 1000000))}

echo "TAP version 13"
if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
echo "# SEED=$SEED"
cd "$work" || exit 1
nr=0
failed=0
for losses in 0 0 0 1 1 3 20; do
	nr=$((nr + 1))
	python3 "$here/summary_model.py" make $((SEED + nr)) $losses > gen 2> truth &&
		gen_stream < gen > trace &&
		traceinfo --no-default-fmt --summary --plot --json trace > summary 2> err &&
		traceinfo --no-default-fmt --json trace > events &&
		[ ! -s err ] &&
		python3 "$here/summary_model.py" check truth summary events > log 2>&1
	status=$?
	[ $status = 0 ] || { failed=1; printf 'not '; }
	echo "ok $nr figures of a machine, $losses losses"
	[ $status = 0 ] || sed 's/^/# /' log err
done
# Hostile bytes: valid, bounded, quiet.
nr=$((nr + 1))
{ echo info; echo "clock 1 1700000000000000000"; echo "noise $SEED 5000"; } | gen_stream > noise
traceinfo --no-default-fmt --summary noise > text 2> err && [ ! -s err ] &&
	traceinfo --no-default-fmt --summary --json noise | json_check > lines &&
	[ "$(cat lines)" = 1 ]
status=$?
[ $status = 0 ] || { failed=1; printf 'not '; }
echo "ok $nr random events"
# Tables by name: these and no others, in text and JSON.
titles() { sed -n 's/^\(System calls\|Interrupts\|Threads\|Longest [a-zA-Z ]*\)\(: no events\)\{0,1\}$/\1/p' | tr '\n' ';'; }
keys() { python3 -c 'import json, sys
print(*sorted({"syscalls", "interrupts", "threads", "delays", "blocked", "machines", "stores"} & set(json.loads(sys.stdin.read()))))'; }
while IFS='|' read -r list text json; do
	nr=$((nr + 1))
	if [ "$(traceinfo --no-default-fmt --summary="$list" trace | titles)" != "$text" ] ||
	   [ "$(traceinfo --no-default-fmt --summary="$list" -J trace | keys)" != "$json" ]; then
		failed=1
		printf 'not '
	fi
	echo "ok $nr tables: $list"
done <<END
waits|Longest waits for a CPU;Longest blocked;|blocked delays
threads,syscalls|System calls;Threads;|syscalls threads
interrupts|Interrupts;|interrupts
syscalls,interrupts,threads,waits,queues|System calls;Interrupts;Threads;Longest waits for a CPU;Longest blocked;|blocked delays interrupts syscalls threads
END
nr=$((nr + 1))
if traceinfo --summary=waits,wait trace > text 2> err || [ $? != 2 ] ||
   ! grep -q "'wait' is not a table; the tables are: syscalls, .*, queues$" err; then
	failed=1
	printf 'not '
fi
echo "ok $nr a table that there is not"
# On a terminal lines fit 80 columns and heads are bold; a pipe gets the same without colour.
for columns in 80 132; do
	nr=$((nr + 1))
	TERM=xterm script -qec "stty cols $columns; traceinfo --no-default-fmt --color=auto --summary trace" \
		/dev/null </dev/null 2>&1 | tr -d '\r' >terminal
	sed "s/$(printf '\033')\[[0-9;]*m//g" terminal >plain
	traceinfo --no-default-fmt --summary trace >pipe
	if ! cmp -s plain pipe || cmp -s terminal plain ||
	   awk 'length > 80 { print; bad = 1 } END { exit !bad }' pipe; then
		failed=1
		printf 'not '
	fi
	echo "ok $nr on a terminal of $columns columns"
done
# In histograms, only a line with a name may be wider than the terminal, the bar of the largest
# bucket fills the line, and without UTF-8 or on a dumb terminal each byte is ASCII.
wide()	# COLUMNS LOCALE TERM: how long the longest bar's line is, in characters
{
	COLUMNS=$1 LC_ALL=$2 TERM=$3 traceinfo --no-default-fmt --summary --plot trace >plot 2>&1 &&
		python3 -c 'import sys
print(max(len(l.rstrip("\n")) for l in open("plot", encoding="utf-8") if " |" in l))'
}
for columns in 80 132 200; do
	nr=$((nr + 1))
	if [ "$(wide $columns C.UTF-8 xterm)" != $columns ] || ! grep -q '█' plot ||
	   [ "$(wide $columns C xterm)" != $columns ] || LC_ALL=C grep -q '[^ -~]' plot ||
	   [ "$(wide $columns C.UTF-8 dumb)" != $columns ] || LC_ALL=C grep -q '[^ -~]' plot; then
		failed=1
		printf 'not '
	fi
	echo "ok $nr histograms at $columns columns"
done
echo "1..$nr"
exit $failed
