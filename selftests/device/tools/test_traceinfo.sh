#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_traceinfo.sh - traceinfo on the live buffer: what is there, windows of
# time, following, clearing, rights
#
# Runs on the board, as root, with /dev/trace there and traceinfo in PATH.
# Needs a POSIX shell and what busybox has.
set -u
# shellcheck source=../modules.sh
. "$(dirname "$0")/modules.sh"
export TZ=UTC
work=$(mktemp -d) || exit 1
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; rm -rf "$work"' EXIT

# The numbers of our text lines in a file, in a row.
numbers()
{
	sed -n 's/.*text: mark \([0-9]*\)$/\1/p' "$1" | tr '\n' ' '
}

# mark N: an event; its trace clock goes to $work/N.
mark()
{
	echo "mark $1" > /dev/trace
	$ti -n 1 --time=raw -H '%t ' | awk '{ print $1 }' > "$work/$1"
}

ti="traceinfo --no-default-fmt"
out=$work/out
: > "$out"

# shellcheck source=../../tap.sh
. "$(dirname "$0")/tap.sh"
why=$out
# The test before may have taken the module away.
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ]; then
	skip_all "no /dev/trace"
fi
: > /dev/trace

for n in 1 2 3 4 5; do
	mark $n
done
$ti > "$out"
[ "$(numbers "$out")" = "1 2 3 4 5 " ]
ok $? "what is in the buffer"
$ti -n 2 > "$out"
[ "$(numbers "$out")" = "4 5 " ]
ok $? "the last two"
$ti > "$work/again"
$ti | cmp -s - "$work/again"
ok $? "reading removes nothing"

# To the event: dates have nanoseconds.
$ti --time=iso -H '%t ' | grep ' mark ' > "$work/dates"
n=0
while read -r date _; do
	n=$((n + 1))
	want=
	i=$n
	while [ $i -le 5 ]; do
		want="$want$i "
		i=$((i + 1))
	done
	$ti --since "$date" > "$out"
	[ "$(numbers "$out")" = "$want" ]
	ok $? "--since its date begins with $n"
	$ti --until "$date" > "$out"
	[ "$(numbers "$out" | wc -w)" = $n ]
	ok $? "--until its date ends with $n"
done < "$work/dates"

# The window of "-x" begins x before some moment between two marks, one before
# and one after traceinfo runs: what is younger than that by both is printed,
# what is older by both is not, however slow the machine is.
i=10
for span in 0.1 0.25 0.5 1 2 3; do
	mark $i
	sleep 0.3
	mark $((i + 1))
	$ti --since -${span}s --time=raw -H '%t %n: ' | grep mark > "$out"
	mark $((i + 2))
	$ti --time=raw -H '%t %n: ' | grep mark > "$work/all"
	awk -v x=$span -v before="$(cat "$work/$((i + 1))")" -v after="$(cat "$work/$((i + 2))")" '
		FNR == NR { printed[$1] = 1; next }
		$1 >= after - x && $1 <= before && !($1 in printed) { print "missing", $0; bad = 1 }
		$1 < before - x && $1 in printed { print "too old", $0; bad = 1 }
		END { exit bad }' "$out" "$work/all" > "$work/log"
	status=$?
	cat "$work/log" >> "$out"
	ok $status "--since -${span}s"
	i=$((i + 3))
done
$ti --since now > "$out"
[ -z "$(numbers "$out")" ]
ok $? "--since now is nothing"
$ti --until -500ms > "$out"
numbers "$out" | grep -q '^1 2 3 4 5 '
ok $? "--until -500ms begins with the first"
$ti --since @99999999999 > "$out" 2>&1
[ $? = 2 ]
ok $? "a moment beyond the end of time is refused"
mark 7
$ti --since @4000000000 > "$out" && [ ! -s "$out" ]
ok $? "a moment in the future is nothing"

# Follow: the last one, then what comes, as it comes.
$ti -f -n 1 > "$out" &
child=$!
sees()
{
	[ "$(numbers "$out")" = "$1" ]
}
wait_until sees "7 "
ok $? "-f -n 1: the last first"
echo "mark 8" > /dev/trace
wait_until sees "7 8 "
ok $? "-f: then what comes"
: > /dev/trace
echo "mark 9" > /dev/trace
wait_until sees "7 8 9 "
ok $? "-f: goes on when the buffer is cleared"
kill -TERM $child
wait $child
ok $? "-f: ends by a signal"
child=

# Pictures of the time that passes while traceinfo runs
$ti -f --timeline=50ms --since now > "$out" &
child=$!
pictures()
{
	echo "mark 9" > /dev/trace
	[ "$(grep -c ' to +50.00ms$' "$out")" -ge 3 ]
}
wait_until pictures
ok $? "-f --timeline: a picture after the other"
kill -TERM $child
wait $child
child=
: > /dev/trace
echo "mark 9" > /dev/trace

# A device is known by what it answers, under any name: it is live.
mknod "$work/trace-other" c $(($(stat -c 0x%t /dev/trace))) $(($(stat -c 0x%T /dev/trace)))
$ti "$work/trace-other" > "$out"
[ "$(numbers "$out")" = "9 " ]
ok $? "a device that is named is read to its present end"
$ti -n 1 "$work/saved-none" "$work/trace-other" > "$out" 2>/dev/null
[ $? = 1 ] && [ "$(numbers "$out")" = "9 " ]
ok $? "among other inputs, too"
$ti -f "$work/trace-other" > "$out" &
child=$!
wait_until sees "9 "
echo "mark 10" > /dev/trace
wait_until sees "9 10 "
ok $? "and followed"
kill -TERM $child
wait $child
child=
$ti -c "$work/trace-other" > "$out" && [ "$(numbers "$out")" = "9 10 " ] &&
	$ti > "$out" && [ -z "$(numbers "$out")" ]
ok $? "and cleared"

# It comes to an end though somebody writes all the time.
(while :; do echo "noise"; done) > /dev/trace &
child=$!
$ti > "$out" 2>&1
ok $? "ends while somebody writes"
kill $child
wait $child 2>/dev/null
child=

# A window in the middle of a ring that wraps: --since is exact there as well.
i=0
while [ $i -lt 2000 ]; do
	echo "mark $i"
	i=$((i + 1))
done > /dev/trace
$ti --time=iso -H '%t %n: ' -n 700 | grep 'mark' > "$work/tail"
date=$(head -n 1 "$work/tail" | awk '{ print $1 }')
$ti --time=iso -H '%t %n: ' --since "$date" | grep 'mark' > "$out"
cmp -s "$work/tail" "$out"
ok $? "--since in the middle of many"

# A saved stream prints as the live one did.
# A busy machine may not be through with it in the first time.
$ti > "$work/live"
for seconds in 5 20 60; do
	{ timeout $seconds cat /dev/trace > "$work/saved"; } 2>/dev/null
	$ti "$work/saved" > "$out"
	cmp -s "$work/live" "$out"
	same=$?
	[ $same != 0 ] || break
done
ok "$same" "saved, it prints the same"

# Clear, and who may.
$ti -c > "$out" && grep -q 'mark 1999' "$out"
ok $? "-c prints"
$ti > "$out"
! grep -q 'mark' "$out"
ok $? "-c clears"
mode=$(stat -c %a /dev/trace)
grep -q '^tester:' /etc/passwd 2>/dev/null ||
	echo 'tester:x:4711:4711::/tmp:/bin/sh' >> /etc/passwd
chmod 600 /dev/trace
su tester -c "traceinfo" > "$out" 2>&1
[ $? = 1 ] && grep -q '^traceinfo: /dev/trace: Permission denied (only root may read it)$' "$out"
ok $? "who may not read is told who may"
chmod 640 /dev/trace
su tester -c "traceinfo" > "$out" 2>&1
[ $? = 1 ] && grep -q "^traceinfo: /dev/trace: Permission denied (only root and the group 'root' may read it)$" "$out"
ok $? "and which group may"
chmod 666 /dev/trace
echo "mark 1" > /dev/trace
su tester -c "traceinfo -c" > "$out" 2>&1
[ $? = 1 ] && grep -q 'mark 1' "$out" &&
	grep -q '^traceinfo: /dev/trace: not cleared: Operation not permitted' "$out"
ok $? "who may not clear is told, after it was printed"
$ti > "$out"
[ "$(numbers "$out")" = "1 " ]
ok $? "and nothing is cleared"
chmod "$mode" /dev/trace

# A summary of what this shell does: as many calls as it is told to make.
profile=/sys/module/devtrace_profile/parameters/profile
if [ -w $profile ]; then
	: > /dev/trace
	echo syscalls,irq,sched > $profile
	dd if=/dev/zero of=/dev/null bs=1 count=77 2>/dev/null
	sleep 0.05
	echo none > $profile
	$ti --summary -v > "$out" 2>&1
	ok $? "--summary"
	awk '$NF == "read" && $1 >= 77 && $3 < $1 { found = 1 } END { exit !found }' "$out"
	ok $? "--summary counts the reads of dd"
	grep -qE '^ *[^ ]+ +[^ ]+ +[^ ]+ +0ns .* dd\[[0-9]*\]$' "$out"
	ok $? "--summary has its time, of which nothing is unknown"
	$ti --summary=syscalls --plot -v > "$out" 2>&1
	awk '/: [0-9]+ times, / { row = $1 } row == "read:" && / \|/ { n += $2 } END { exit n < 77 }' "$out"
	ok $? "--plot has the reads of dd in its buckets"
	$ti --timeline -v > "$out" 2>&1
	grep -qE '^CPU 0 +\|.*[.:+#].*\| +[0-9]+ %$' "$out" && grep -qE '^dd\[[0-9]+\] *\|' "$out"
	ok $? "--timeline has the CPU and dd"
else
	for name in "--summary" "--summary counts" "--summary has its time" "--plot" "--timeline"; do
		ok 0 "$name # SKIP no kernel profile events"
	done
fi

# Boot and load.
identity()
{
	$ti --json -v < /dev/trace |
		sed -n 's/.*"kind":"info".*"boot":"\([^"]*\)".*/\1/p; s/.*"kind":"load","load":\([0-9]*\).*/\1/p' |
		head -n 2 | sed 'N;s/\n/ /'
}

identity > "$out"
before=$(cat "$out")
[ "${before% *}" = "$(cat /proc/sys/kernel/random/boot_id)" ]
ok $? "the boot id is the kernel's"
module=${DEVTRACE_MODULES:-/modules}/devtrace.ko
if trace_unload 2>> "$out" && trace_load 2>> "$out"; then
	identity >> "$out"
	after=$(tail -n 1 "$out")
	[ "${after% *}" = "${before% *}" ] && [ "${after#* }" != "${before#* }" ]
	ok $? "loaded again it is the same boot, and another load"
else
	ok 0 "loaded again it is the same boot, and another load # SKIP the module is in use"
fi
# Loaded without /proc, the module has a random id, which is not printed.
if ! unshare -m true 2>> "$out"; then
	ok 0 "without /proc the boot id is no boot's # SKIP no unshare"
elif ! trace_unload 2>> "$out"; then
	ok 0 "without /proc the boot id is no boot's # SKIP the module is in use"
else
	unshare -m sh -c 'mount -t tmpfs none /proc && insmod "$1"' sh "$module" 2>> "$out" &&
		$ti --json -v < /dev/trace > "$out" 2>&1 &&
		grep '"kind":"info"' "$out" | grep -qv '"boot"' && grep -q '"kind":"load"' "$out"
	ok $? "without /proc the boot id is no boot's"
	if rmmod devtrace 2>> "$out"; then
		trace_load 2>> "$out"
	fi
fi

# A stopped stream has nothing of late: since when is said.
echo 'the last line' > /dev/trace
if command -v tracectl > /dev/null && tracectl stream stop trace 2>> "$out"; then
	# within a tenth of a second it is late enough
	tries=600
	while $ti --since -0.1s -t TEXT 2> /dev/null | grep -q 'last line' && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.1
	done
	$ti --since -0.1s > "$out" 2>&1
	grep -q 'no event since -0.1s; the stream has been stopped since ' "$out"
	ok $? "of a stopped stream it says since when"
	tracectl stream start trace
else
	ok 0 "of a stopped stream it says since when # SKIP no tracectl"
fi
$ti -p 4194304 > "$out" 2>&1
grep -q 'of [0-9]* events read, none passes the filter -p 4194304$' "$out"
ok $? "a filter that no event passes is told"

# In a pid namespace: it is said whose ids are printed, and the user finds himself by his own.
if ! unshare -p -f true 2>> "$out"; then
	ok 0 "-p in a pid namespace # SKIP no unshare"
else
	: > /dev/trace
	echo 'mark 70' > /dev/trace
	unshare -p -f sh -c 'echo "mark 71" > /dev/trace; echo $$; '"$ti"' -p $$; '"$ti"' -J -p 1 |
		head -n 1; exit 0' > "$out" 2>&1
	note='--- thread ids shown are those of the initial pid namespace; -p expects ids of this pid namespace'
	[ "$(head -n 1 "$out")" = 1 ] && [ "$(sed -n 2p "$out")" = "$note" ]
	ok $? "in a pid namespace it is said whose ids are printed"
	[ "$(numbers "$out")" = "71 " ] || [ "$(numbers "$out")" = "71" ]
	ok $? "-p \$\$ in a pid namespace finds the caller alone"
	tail -n 1 "$out" | grep -q '^{"kind":"pid_namespace","ids":"initial"}$'
	ok $? "and in JSON it is said, too"
	echo 'mark 72' > /dev/trace
	$ti -p 1 > "$out" 2>&1
	! grep -q -e 'pid namespace' -e mark "$out"
	ok $? "outside nothing is said"
fi

done_testing
