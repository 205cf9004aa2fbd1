#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# board.sh - the first week of somebody new, on the board
#
# Runs what firstweek took out of README.md and the manual pages, one command a line: there,
# control, man-tracectl, man-traceinfo and man-tracelogger, beside this file. A line "+ TEXT"
# or "- TEXT" for each thing that went well or not; of those, what was printed. Needs what
# busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
saved=/out
out=/tmp/said
mkdir -p "$saved" /var/log /data

verdict()	# STATUS TEXT
{
	if [ "$1" = 0 ]; then
		echo "+ $2"
		return 0
	fi
	echo "- $2"
	head -n 20 "$out" | sed 's/^/#   /'
	return 1
}

# run COMMAND: it is to end with 0
run()
{
	sh -c "$1" >"$out" 2>&1 </dev/null
	verdict $? "$1"
}

# Those that follow for ever are ended after a while.
run_a_while()
{
	timeout 2 sh -c "exec $1" >"$out" 2>&1 </dev/null
	case $? in 0|124|143) verdict 0 "$1, for a while" ;; *) verdict 1 "$1" ;; esac
}

# run_all FILE
run_all()
{
	[ -s "$here/$1" ] || verdict 1 "there are commands in $1"
	while IFS= read -r command <&3; do
		case $command in
		*' --once '*) run "$command" ;;
		*' -f '*|*' -f'|'tracectl stat --interval 1'|'cat /dev/trace') run_a_while "$command" ;;
		*) run "$command" ;;
		esac
	done 3<"$here/$1"
}

# shows PATTERN: a line of traceinfo
shows()
{
	traceinfo >"$out" 2>&1
	grep -q -- "$1" "$out"
	verdict $? "traceinfo shows $1"
}

# By the directory that the modules are in
cd "$(dirname "$(find /lib/modules -name 'devtrace.ko*')")" || exit 1
if [ ! -e "$here/region" ]; then
	grep -v '^insmod devtrace_persist' "$here/there" >/tmp/there && mv /tmp/there "$here/there"
fi
run_all there
shows 'hello'

cd "$here" || exit 1
run 'insmod drv.ko'
shows 'drv probed, revision 3'
shows 'sw1 .*insmod.*445256:1\|sw1 .*insmod.*0x445256'
./app >"$out" 2>&1
verdict $? "the program in C"
shows 'pump 2 runs dry'
shows 'hw2 .*app'
if [ -x app++ ]; then
	./app++ >"$out" 2>&1
	verdict $? "the program in C++"
	shows 'pump at 1200 rpm'
fi
run 'traceinfo --check-fmt'
shows 'BEAT: beat 42, 1.500 us late'
! grep '{/usr/trace' "$out" >&2
verdict $? "no event is other than its format says"
run 'rmmod drv'

if command -v tracectl >/dev/null; then
	run_all control
	echo '<6>noise' >/dev/trace
	run 'traceinfo --summary'
	# The trigger of README: the worst happens, and the recording stops with it.
	echo '<0>the worst' >/dev/trace
	run 'tracectl stream list'
	grep '^trace ' "$out" | grep -q frozen
	verdict $? "the trigger froze the stream"
	echo 'too late' >/dev/trace
	traceinfo >"$out" 2>&1
	grep -q 'the worst' "$out" && ! grep -q 'too late' "$out"
	verdict $? "the worst is there and nothing behind it"
	tracectl stream start trace >"$out" 2>&1
	[ $? = 1 ] && grep -q 'tracectl stream thaw trace' "$out"
	verdict $? "what to do with a frozen stream is said"
	run "tracectl save $saved/frozen.trace"
	# README's table: thaw it, then start
	run 'tracectl stream thaw trace'
	run 'tracectl stream start trace'
	echo 'in time' >/dev/trace
	shows 'in time'
	traceinfo --device /dev/trace-severe >"$out" 2>&1
	grep -q 'the worst' "$out" && ! grep -q 'hello\|noise' "$out"
	verdict $? "what is severe is in a stream of its own"
	tracectl stat >"$out" 2>&1
	grep -q '^trace ' "$out"
	verdict $? "tracectl stat has a line for it"
	# As it was: the page makes some of them again.
	tracectl trigger del crash && tracectl stream del severe && tracectl stream del kernel
	tracectl filter set all
	run_all man-tracectl
	run "tracectl save $saved/saved.trace"
else
	echo "+ no tracectl on this board: it was built without libmnl"
fi
run "traceinfo --raw >$saved/raw.trace"
cp "$saved/raw.trace" board.trace
ln -sf /dev/trace /dev/trace-faults
run_all man-traceinfo
rm -f /dev/trace-faults
run_all man-tracelogger
[ -s /tmp/now.trace ] && cp /tmp/now.trace "$saved/logger.trace"
verdict $? "tracelogger saves what is there"
run_all readme-reads
