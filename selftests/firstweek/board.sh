#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# board.sh - the first week of somebody new, on the board
#
# Runs what firstweek took out of README.md and the manual pages, one command a line: there,
# control, man-tracectl, man-traceinfo and man-tracelogger, beside this file. Commands print on
# the terminal that this has. A line "week: + TEXT" or "week: - TEXT" for each thing that went
# well or not.
# Needs what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
saved=/out
out=/tmp/said
tries=0
mkdir -p "$saved" /var/log /data

verdict()	# STATUS TEXT
{
	if [ "$1" = 0 ]; then
		echo "week: + $2"
		return 0
	fi
	echo "week: - $2"
	[ ! -e "$out" ] || head -n 20 "$out" | sed 's/^/week: #   /'
	return 1
}

# run COMMAND: on the terminal; it is to end with 0
run()
{
	rm -f "$out"
	sh -c "$1" </dev/null
	verdict $? "$1"
}

# said COMMAND: the same, but what it prints is in $out
said()
{
	sh -c "$1" >"$out" 2>&1 </dev/null
	verdict $? "$1"
}

# Commands that follow for ever are ended after a while. cat prints bytes, not to a terminal.
run_a_while()
{
	rm -f "$out"
	case $1 in
	cat*)	timeout 2 sh -c "exec $1" >"$out" 2>&1 </dev/null ;;
	*)	timeout 2 sh -c "exec $1" </dev/null ;;
	esac
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
run_all after-install
# One that depends on another
run 'modprobe devtrace_watch'
[ -e /dev/trace ]
verdict $? "and with it what it depends on"
run 'modprobe -r devtrace_watch'
sed -n 's/^\(devtrace[a-z_]*\) .*/\1/p' /proc/modules | while read -r m; do
	rmmod "$m"
done
run_all there
shows 'hello'
echo '<2>a fault of the kernel' >/dev/kmsg
until traceinfo | grep -q CONSOLE || [ $((tries += 1)) -gt 40 ]; do
	sleep 0.5
done
shows 'CONSOLE.CRIT: a fault of the kernel'
# README's sizes are those of this board's kernel, within a tenth
if [ -e "$here/sizes" ]; then
	lsmod >"$out"
	while read -r module kib <&3; do
		is=$(awk -v m="$module" '$1 == m { print int($2 / 1024) }' /proc/modules)
		[ -n "$is" ] && [ $((is * 10)) -le $((kib * 11)) ] && [ $((is * 11)) -ge $((kib * 10)) ]
		verdict $? "README tells the size of $module: $kib KiB of $is"
	done 3<"$here/sizes"
	[ -s "$here/sizes" ]
	verdict $? "README tells sizes"
fi

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
said 'traceinfo --check-fmt'
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
	tracectl stream list >"$out" 2>&1
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
	# README's list: thaw it, then start
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
	echo "week: + no tracectl on this board: it was built without libmnl"
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
