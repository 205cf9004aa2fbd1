#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_tracectl.sh - tracectl against the module: a transcript in text and JSON,
# what the monitor prints of another's changes, and who may
#
# Runs on the board, as root, with devtrace.ko inserted, tracectl in PATH, and
# transcript.sh, test_tracectl.expected and test_lane_stat beside this file. Needs what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
# shellcheck source=../../transcript.sh
. "$here/transcript.sh"
UPDATE=${UPDATE:-}
work=$(mktemp -d) || exit 1
child='' other='' p=''
trap 'for p in $child $other; do kill "$p" 2>/dev/null; done; rm -rf "$work"' EXIT
# The test before may have taken the module away.
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! command -v tracectl >/dev/null; then
	echo "TAP version 13"
	echo "1..0 # SKIP no /dev/trace, or no tracectl: there is no libmnl for this machine"
	exit 0
fi
# As if the module had just been inserted: generations are counted from then on.
if [ -e /modules/devtrace.ko ]; then
	trace_unload
	trace_load
fi
grep -q '^tester:' /etc/passwd 2>/dev/null ||
	echo 'tester:x:4711:4711::/tmp:/bin/sh' >> /etc/passwd

mkdir "$work/run" && cd "$work/run" || exit 1
cat > .shrc <<'RC'
# Mask values that differ each time: times, and bytes, which depend on the machine.
mask() { sed 's/\("[a-z_]*at"\|"since"\|"now"\|"oldest"\|"generation"\|"used"\|"position"\|"pid"\|"tid"\):[0-9]*/\1:N/g; s/ at [0-9.]*s/ at Ns/; s/[0-9.]*s$/Ns/'; }
RC
echo "TAP version 13"
replay "$work" "$here/test_tracectl.expected"
replayed=$?
[ -z "$UPDATE" ] || cp "$here/test_tracectl.expected" /out

# shellcheck source=../../tap.sh
. "$here/tap.sh"
why=$work/out

# Two at once add and remove, with the generation check: no change of either is lost.
tracectl filter clear
(i=1; while [ $i -le 20 ]; do tracectl filter remove object=$i || exit 1; i=$((i + 1)); done) &
one=$!
(i=41; while [ $i -le 60 ]; do tracectl filter remove object=$i || exit 1; i=$((i + 1)); done) &
two=$!
wait $one && wait $two
tracectl --stream trace filter > "$work/out"
[ "$(cat "$work/out")" = "trace: object=all,-1-20,-41-60" ]
ok $? "changes made at the same time are both there"

# The monitor prints what another tracectl does, all of it, in order.
for json in "" --json; do
	tracectl filter clear
	tracectl $json monitor > "$work/out" 2>&1 &
	child=$!
	wait_until grep -q listening "$work/out"
	i=0
	tracectl stream add mon 64K
	while [ $i -lt 30 ]; do
		tracectl --stream mon filter set signal=$i
		tracectl stream watermark mon $i
		i=$((i + 1))
	done
	tracectl trigger add mon when severity=hw3 'do' stop stream mon
	tracectl trigger disarm mon
	tracectl trigger del mon
	tracectl clear --stream mon
	tracectl stream del mon
	wait_until grep -q stream-del "$work/out"
	kill -INT $child
	wait $child
	ok $? "monitor $json ends cleanly by an interrupt"
	child=
	if [ -z "$json" ]; then
		{
			echo listening
			echo "stream-new mon: running, size 64K, watermark 0%"
			i=0
			while [ $i -lt 30 ]; do
				echo "filter mon: signal=$i"
				echo "stream-set mon: running, size 64K, watermark $i%"
				i=$((i + 1))
			done
			echo "trigger-new mon: when severity=hw3 do stop stream mon"
			echo "trigger-set mon: not armed"
			echo "trigger-del mon"
			echo "clear mon"
			echo "stream-del mon"
		} > "$work/want"
	else
		{
			echo listening
			echo stream-new
			i=0
			while [ $i -lt 30 ]; do
				echo filter
				echo stream-set
				i=$((i + 1))
			done
			echo trigger-new trigger-set trigger-del clear stream-del | tr ' ' '\n'
		} > "$work/want"
		sed -i 's/^{"event":"\([a-z-]*\)".*}$/\1/' "$work/out"
	fi
	diff "$work/want" "$work/out" > "$work/diff"
	status=$?
	cp "$work/diff" "$work/out"
	ok $status "monitor $json prints each change of another, in order"
done

# A trigger that fires is told, and the stream that it stopped.
tracectl monitor > "$work/out" 2>&1 &
child=$!
tracectl --json monitor > "$work/json" 2>&1 &
other=$!
wait_until grep -q listening "$work/out"
wait_until grep -q listening "$work/json"
tracectl trigger add boom when severity=3 'do' stop after 2 events
i=0
while [ $i -lt 5 ]; do
	echo "<0>boom $i" > /dev/trace
	i=$((i + 1))
done
wait_until grep -q '^fired boom: 1 times' "$work/out" && wait_until grep -q '^stream-set trace: stopped by trigger boom' "$work/out"
ok $? "monitor tells of a firing, and of the stream that stopped"
kill -INT $child
wait $child
child=
wait_until grep -q '"event":"fired","trigger":"boom","stream":"trace","fired":1,"fired_at":[1-9][0-9]*}' "$work/json" &&
	wait_until grep -q '"event":"stream-set".*"state":"stopped","trigger":"boom"' "$work/json"
ok $? "monitor --json does, too"
kill -INT $other
wait $other
other=
traceinfo --no-default-fmt | grep -o 'boom [0-9]' | tr '\n' ' ' > "$work/out"
[ "$(cat "$work/out")" = "boom 0 boom 1 boom 2 " ]
ok $? "two events are stored after the one that fired"
tracectl stream start trace
tracectl trigger del boom
tracectl filter clear

# Names of others are escaped. A process may call itself anything.
sh -c 'printf "a\033[2J,\"b" > /proc/$$/comm; echo mark > /dev/trace'
tracectl stat --processes > "$work/out"
grep -q '^a\\x1b\[2J,"b ' "$work/out" && ! grep -q "$(printf '\033')" "$work/out"
ok $? "no escape sequence of a name reaches the terminal"
tracectl filter set 'process="a\x1b[2J,\"b"' && tracectl filter save "$work/f" &&
	tracectl filter clear && tracectl filter load "$work/f" &&
	tracectl --stream trace filter > "$work/out" &&
	[ "$(cat "$work/out")" = 'trace: process="a\x1b[2J,\"b"' ]
ok $? "such a name is saved and loaded"
tracectl filter clear

# A program with a lane.
# shellcheck disable=SC2317 # called by name
lane()
{
	tracectl stat --lanes > "$work/out" &&
		awk -v p="$child" '$1 == "test_lane_stat" && $2 == p && $3 == p && $5 == 8192 && $7 > 0' \
			"$work/out" | grep -q ' open$'
}
[ "$(tracectl --json stat --lanes)" = '{"lanes":[]}' ]
ok $? "no program has a lane"
DEVICE_WORKER=alone "$here/test_lane_stat" &
child=$!
wait_until lane
ok $? "stat --lanes tells of it"
tracectl --json stat --lanes > "$work/out"
n='[0-9]*' s="\"pid\":$child,\"tid\":$child,\"name\":\"test_lane_stat\",\"source\":"
s="$s$n,\"size\":8192,\"used\":$n,\"stored\":[1-9]$n,\"overwritten\":0,\"dropped\":0,"
grep -q "{$s\"oldest\":[1-9]$n,\"now\":[1-9]$n,\"state\":\"open\"}" "$work/out"
ok $? "stat --lanes --json does, too"
tracectl stat --cpu > "$work/out"
tracectl --json stat --cpu >> "$work/out"
awk '$1 == "trace" && $2 == "lanes" && $3 > 0 && $3 == $4 + $5' "$work/out" | grep -q . &&
	grep -q '"stream":"trace","cpu":"lanes","emitted":[1-9]' "$work/out"
ok $? "stat --cpu has a line for lanes"
tracectl monitor > "$work/out" &
other=$!
wait_until grep -q listening "$work/out"
tracectl stream watermark trace 1
wait_until grep -qx 'watermark trace: lanes, 1%' "$work/out"
ok $? "monitor tells of lanes that pass the watermark"
tracectl stream watermark trace 0
kill -INT $other
wait $other
other=
kill $child
wait $child 2>/dev/null
child=
[ "$(tracectl --json stat --lanes)" = '{"lanes":[]}' ]
ok $? "it has none when it has ended"

# An event that this kernel lacks: an error if it is named, a note if it is in a group.
# A stream is saved as a whole, with what was lost, also while it is stopped and written.
tracectl clear
echo one > /dev/trace
tracectl stream stop trace
echo two > /dev/trace
tracectl save "$work/saved" > "$work/out" 2>&1 && traceinfo "$work/saved" > "$work/text" &&
	grep -q "saved: 1 events, .*; none lost before they were read, 1 missed while the stream was stopped" "$work/out" && grep -q 'text: one' "$work/text" &&
	grep -q '1 event of CPU .* lost' "$work/text"
ok $? "save: what is there, and what was lost"
traceinfo --raw > "$work/raw" && traceinfo "$work/raw" > "$work/out" &&
	[ "$(sed 's/, b[a-z]* .*//' "$work/out")" = "$(sed 's/, b[a-z]* .*//' "$work/text")" ]
ok $? "traceinfo --raw gives the same"
# >> for > clears, if the writer is ended before it writes.
(while :; do echo three >> /dev/trace; done) &
writer=$!
timeout 60 tracectl save "$work/saved" > "$work/out" 2>&1
status=$?
kill $writer
wait $writer 2> "$work/err"
[ $status = 0 ] && grep -q "saved: 1 events" "$work/out"
ok $? "save comes to its end while somebody emits into a stopped stream"
tracectl stream start trace
tracectl --json save "$work/saved" > "$work/out" &&
	grep -q '"file":"[^"]*saved","bytes":[0-9]*,"events":[0-9]*,"lost":[0-9]*,"missed":[0-9]*}' "$work/out"
ok $? "save in JSON"
# Missed events are reported between the lines with their cause, with dates.
echo four > /dev/trace
traceinfo "$work/saved" > "$work/text" && traceinfo --json "$work/saved" > "$work/out" &&
	awk '/\*\*\* stopped from/ { s = 1 } / lost: the stream was stopped/ { l++; bad += s != 1 || ! / between .* and / }
		/\*\*\* running again/ { s = 2 } / lost: .*\[/ { bad = 1 } END { exit s != 2 || !l || bad }' "$work/text" &&
	awk -F '[:,]' '/"kind":"state"/ { s++ } /"cause":"stopped"/ { l++
			for (i = 1; i < NF; i++) { if ($i == "\"from\"") f = $(i + 1); if ($i == "\"to\"") t = $(i + 1) }
			if (s % 2 == 0 || f + 0 <= 0 || f + 0 > t + 0) exit 1 } END { exit s % 2 || !l }' "$work/out"
ok $? "what was missed stands between stopped and running again, in text and JSON"
mkdir "$work/full"
if mount -t tmpfs -o size=4k none "$work/full" 2> "$work/err"; then
	i=0
	while [ $i -lt 400 ]; do
		echo "a line of some length, $i, so that it does not fit" > /dev/trace
		i=$((i + 1))
	done
	tracectl save "$work/full/saved" > "$work/out" 2>&1
	[ $? = 1 ] && grep -q 'full/saved: No space' "$work/out" && [ -z "$(ls -A "$work/full")" ]
	ok $? "save onto a full disk leaves nothing"
	umount "$work/full"
fi
tracectl save /dev/null > "$work/out" 2>&1
[ $? = 1 ] && grep -q 'traceinfo --raw' "$work/out"
ok $? "save into no regular file says what to do"
tracectl --stream nobody save "$work/saved2" > "$work/out" 2>&1
[ $? = 1 ] && grep -q '/dev/trace-nobody' "$work/out" && [ ! -e "$work/saved2" ]
ok $? "save of a stream that is not there"

tracectl profile list > "$work/list"
lacks=$(awk '$4 == "lacking" && $2 != "faults" { print $2; exit }' "$work/list")
group=$(awk '$4 == "lacking" && $2 != "faults" { print $3; exit }' "$work/list")
if [ -n "$lacks" ]; then
	tracectl profile sched_fork "$lacks" > "$work/out" 2>&1
	[ $? = 1 ] && grep -q "^tracectl: profile: $lacks: this kernel does not have the tracepoint" "$work/out" &&
		tracectl --stream trace profile > "$work/out" && grep -qx 'trace: none' "$work/out"
	ok $? "what was named and is lacking is an error, and nothing is changed"
	tracectl profile sched_fork "$group" > "$work/out" 2>&1 &&
		grep -q "^tracectl: profile: note: .*$lacks.*: not available in this kernel" "$work/out" &&
		tracectl --stream trace profile > "$work/out" && grep -q 'sched_fork' "$work/out" &&
		! grep -q "$lacks" "$work/out"
	ok $? "what a group has and is lacking is a note"
	tracectl profile none
else
	skip "lacking types" "this kernel has them all"
fi

done_testing && [ $replayed = 0 ]
