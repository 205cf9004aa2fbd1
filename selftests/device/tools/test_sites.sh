#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_sites.sh - tracectl site: statements of a loaded driver and of programs are off and on
#
# Runs on the board, as root. The driver is dtlog.ko, whose texts are a format file in the folder
# fmt beside this file. The program is boardmon, whose file has its texts. The test needs a POSIX
# shell, grep and sed, so that busybox does.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
# shellcheck source=../../tap.sh
. "$here/tap.sh"
modules=${DEVTRACE_MODULES:-/modules}
work=$(mktemp -d) || exit 1
pid=
cleanup()
{
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	rmmod dtlog 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
why=$work/said
export DEVTRACE_FMT_PATH="$here/fmt"
[ -c /dev/trace ] || trace_load
[ -c /dev/trace ] || skip_all "no /dev/trace"
command -v boardmon >/dev/null || skip_all "no boardmon: make -C tools/samples install"
[ -e "$modules/dtlog.ko" ] || skip_all "no dtlog.ko"
[ -e "$here/fmt/dtlog.fmt" ] || skip_all "no texts of dtlog.ko"

# new EVENTS...: clear the stream, run the command, and print the events in words
new()
{
	tracectl clear && "$@" >/dev/null && traceinfo 2>&1
}
emit() { echo 1 >/sys/module/dtlog/parameters/emit; }
has() { grep -q -- "$2" "$work/events"; ok $? "$1"; }	# TITLE TEXT
has_not() { ! grep -q -- "$2" "$work/events"; ok $? "$1"; }
events() { new "$@" >"$work/events"; why=$work/events; }

insmod "$modules/dtlog.ko"
ok $? "a driver with statements is loaded"
events emit
has "its statements emit" 'LOG: other 2$'
check "a statement is listed by its text" sh -c "tracectl site list 'text other' >$work/list 2>&1 && cat $work/list"
grep -q '^on .*dtlog' "$work/list"
ok $? "it is on"
check "it is turned off" tracectl site off 'text other'
events emit
has_not "then it emits nothing" 'LOG: other 2$'
has "the others do" 'LOG: none$'
tracectl site list 'text other' >"$work/said" 2>&1
grep -q '^off .*dtlog' "$work/said"
ok $? "the list says so"
check "statements of a level are turned off" tracectl site off 'level err'
events emit
has_not "then they emit nothing" 'LOG: strings '
has "those of another level do" 'LOG: pointer '
check "a file of the driver is turned off" tracectl site off dtlog_main.c
events emit
has_not "then none of its statements emits" 'LOG: none$'
has "the driver's other file does" 'LOG: long 1 x*'
check "all are turned on" tracectl site on all
events emit
for text in 'other 2$' 'strings ' 'none$'; do
	has "then they emit: $text" "LOG: $text"
done
check "a pattern without a statement is refused" sh -c "! tracectl site off nosuch.c 2>$work/said"
tracectl site off dtlog_main.c >"$work/said" 2>&1
rmmod dtlog && insmod "$modules/dtlog.ko"
ok $? "the driver is loaded again"
events emit
has "all of its statements are on" 'LOG: none$'

# A program that runs
tracectl clear
boardmon -n 100000 -i 0.05 >"$work/said" 2>&1 &
pid=$!
why=$work/events
wait_until sh -c "traceinfo | grep -q 'LOG: boardmon looks every'"
ok $? "a program runs"
check "one of its statements is turned off" tracectl site off 'text is told to stop'
end()	# end the program, and wait for it
{
	kill "$pid"
	wait "$pid"
	pid=
	return 0
}
events end
has_not "then it emits nothing" 'LOG: boardmon is told to stop'
has "another one does" 'LOG: boardmon looked [0-9]* times'
events boardmon -n 1 -i 0.01
has "a program that starts later has the others" 'LOG: boardmon looked 1 times'

# A program that starts later
tracectl clear
boardmon -n 100000 -i 0.05 >"$work/said" 2>&1 &
pid=$!
wait_until sh -c "traceinfo | grep -q 'LOG: boardmon looks every'"
check "another statement is turned off while a program runs" tracectl site off 'text times'
end
events boardmon -n 1 -i 0.01
has_not "then a program that starts later does not emit it" 'LOG: boardmon looked'
has "but it emits another one" 'LOG: boardmon looks every'
check "all are turned on" tracectl site on all
events boardmon -n 1 -i 0.01
has "then a program that starts later emits it" 'LOG: boardmon looked 1 times'
done_testing
