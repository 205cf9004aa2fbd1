#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tap.sh - to be sourced by tests of tools: what they print, and how they wait
#
# They end with `echo "1..$count"`, and fail if $bad is not 0.
count=0 bad=0
echo "TAP version 13"

ok()	# STATUS NAME
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2"
	else
		bad=$((bad + 1))
		echo "not ok $count $2"
	fi
}

is()	# GOT WANT NAME
{
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# %s, not %s\n' "$1" "$2"
}

wait_until()	# COMMAND...: ten minutes at the most
{
	tries=${TRIES:-6000}
	while [ "$tries" -gt 0 ]; do
		! "$@" || return 0
		sleep 0.1
		tries=$((tries - 1))
	done
	return 1
}
