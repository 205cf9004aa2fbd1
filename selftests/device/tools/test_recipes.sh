#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_recipes.sh - the recipes of Documentation/control.rst, as they stand, and
# whether they do what they promise
#
# Runs on the board, as root, with devtrace.ko inserted, tracectl in PATH, and
# control.rst beside this file. Needs what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
modules=${DEVTRACE_MODULES:-/modules}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../../tap.sh
. "$here/tap.sh"
why=$work/out
# The test before may have taken the module away.
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! command -v tracectl >/dev/null; then
	skip_all "no /dev/trace, or no tracectl: there is no libmnl for this machine"
fi
# Other tests leave triggers and streams.
trace_unload 2>/dev/null
trace_load || exit 1
cd "$work" || exit 1

# Each block of a recipe, one file: NAME.1, NAME.2 ...; before the first, intro.N.
awk -v dir="$work/" '
	/^Recipes$/ { name = "intro"; n = 0 }
	/^Filters$/ { exit }
	/^\.\. recipe: / { name = $3; n = 0; next }
	/^\t/ && name { if (!inside) { n++; inside = 1 } print substr($0, 2) > (dir name "." n); next }
	NF { inside = 0 }
' "$here/control.rst"

out=$work/out
run()
{
	sh -e "$work/$1" > "$out" 2>&1
	ok $? "$1: $(head -n 1 "$work/$1")"
}
# noise N: lines of text without a severity worth keeping
noise()
{
	i=0
	while [ $i -lt "$1" ]; do
		echo "<6>noise $i, of which there is much and which nobody will miss when it is gone"
		i=$((i + 1))
	done > /dev/trace
}
held() { traceinfo --no-default-fmt --device "$1" > "$out" 2>&1; grep -c "$2" "$out"; }

# Noise by object 257, which is that of metronome.ko.
insmod "$modules/metronome.ko" period_us=5000 late_us=1000000
sleep 0.3
run intro.1
grep -q metronome "$out"
ok $? "the dictionary names the noisy object"
run quiet.1
tracectl clear
echo "from elsewhere" > /dev/trace
sleep 0.3
[ "$(held /dev/trace TICK)" = 0 ] && grep -q elsewhere "$out"
ok $? "the noisy object is quiet, others are not"
run quiet.2
sleep 0.3
[ "$(held /dev/trace TICK)" -gt 0 ]
ok $? "and passes again"
rmmod metronome

# Yesterday's fault; then stream 0 wraps.
tracectl stream resize trace 64K
run severe.1
insmod "$modules/metronome.ko" period_us=20000 late_us=0
sleep 0.3
rmmod metronome
echo "<0>fault of yesterday" > /dev/trace
tracectl clear
noise 6000
[ "$(held /dev/trace noise)" -gt 0 ] && [ "$(held /dev/trace fault)" = 0 ]
ok $? "stream 0 has wrapped"
run severe.2
grep -q 'fault of yesterday' "$out" && ! grep -q noise "$out" && ! grep -q TICK "$out"
ok $? "the fault is kept, and nothing but severe events"
tracectl stream del severe

# 200 events before a crash.
run crash.1
noise 500
echo "<0>crash" > /dev/trace
noise 500
run crash.2
[ "$(grep -c 'noise' "$out")" = 200 ] && grep 'text:' "$out" | tail -n 1 | grep -q crash
ok $? "the 200 events before it, and it is the last one"
tracectl clear > "$out" 2>&1
[ $? = 1 ] && grep -q frozen "$out"
ok $? "nobody clears it"
run crash.3
tracectl trigger > "$out"; tracectl stream >> "$out"
grep -q ' running' "$out" && grep -q '	armed' "$out"
ok $? "it goes on"
tracectl trigger del crash

run loss.1
[ "$(grep -c '^trace ' "$out")" -ge 3 ] && grep -q 'EVENTS/S' "$out" && grep -q OVERWRITTEN "$out"
ok $? "loss and load are shown"
rm -f "$out"
(until grep -q '^listening' "$out" 2> /dev/null; do sleep 0.1; done
 kill -INT "$(pidof tracectl)") &
run loss.2
wait
grep -q '^listening' "$out"
ok $? "the monitor listens"
tracectl stream > "$out"
grep -q '25%' "$out"
ok $? "the high-water mark is set"

# The kernel's events, in a ring of their own.
run late.1
tracectl --json profile list > "$out"
grep -q '"name":"sched_switch","group":"sched","tracepoints":\["sched_switch"\],"available":true,"attached":true}' "$out" &&
	grep -q '"name":"sys_enter","group":"syscalls","tracepoints":\["sys_enter"\],"available":true,"attached":false}' "$out"
ok $? "what the preset has is attached, and no more"
sleep 0.3
run late.2
grep -q SCHED_SWITCH "$out" && grep -q HRTIMER_ENTRY "$out"
ok $? "they are in the stream"
tracectl profile list > "$out"
! grep -q ' on ' "$out"
ok $? "and none is attached any more"
# This shell forks all the time. A work executes the trigger's action.
run late.3
tries=0
until { tracectl trigger; tracectl stream; tracectl profile list; } > "$out" &&
	grep -q 'fired 1' "$out" && grep -q 'kernel.*stopped.*child' "$out" &&
	! grep -q ' on ' "$out"; do
	tries=$((tries + 1))
	[ $tries -lt 6000 ] || break
	sleep 0.1
done
[ $tries -lt 6000 ]
ok $? "a trigger waits for the kernel's event, fires and detaches"
tracectl trigger del child
tracectl stream del kernel

trace_unload
trace_load
done_testing
