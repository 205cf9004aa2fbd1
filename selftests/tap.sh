#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tap.sh - the frame of shell tests: TAP, and how they wait
#
# Tests source it, which prints the head of TAP. They end with done_testing, whose status is
# that of the test. $why is files whose beginning is shown with each test that fails; a test with
# more to tell has a function tell_why of its own. A POSIX shell with what busybox has runs it.
count=0 bad=0 why=''
echo "TAP version 13"

tell_why()
{
	for tap_file in $why; do
		[ ! -e "$tap_file" ] || head -n 40 "$tap_file" | sed 's/^/# /'
	done
}

ok()	# STATUS NAME
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2"
	else
		bad=$((bad + 1))
		echo "not ok $count $2"
		tell_why
	fi
}

is()	# GOT WANT NAME
{
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# %s, not %s\n' "$1" "$2"
}

check()	# NAME COMMAND...: what it prints goes to the first file of $why
{
	tap_name=$1
	shift
	"$@" >"${why%% *}" 2>&1
	ok $? "$tap_name"
}

skip()	# NAME REASON
{
	count=$((count + 1))
	echo "ok $count $1 # SKIP $2"
}

skip_all()	# REASON: before the first test
{
	echo "1..0 # SKIP $1"
	exit 0
}

wait_until()	# COMMAND...: ten minutes at the most
{
	tap_tries=${TRIES:-6000}
	until "$@"; do
		tap_tries=$((tap_tries - 1))
		[ $tap_tries -gt 0 ] || return 1
		sleep 0.1
	done
}

done_testing()
{
	echo "1..$count"
	[ $bad = 0 ]
}
