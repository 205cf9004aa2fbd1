#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# peer.sh - to be sourced behind tap.sh: the other end of a link, which is link_peer.py
#
# Uses $here, and the file "said" of the directory.
# shellcheck disable=SC2154,SC2034 # here comes from who sources this, at goes to him

# peer COMMAND...: sets peer, and at to what it says first
peer()
{
	rm -f said
	: >said
	python3 "$here/link_peer.py" "$@" >said 9>&- &
	peer=$!
	wait_until test -s said
	at=$(head -n 1 said)
}

end_peer() { kill "$peer" 2>/dev/null; wait "$peer" 2>/dev/null; peer=''; }

# shellcheck disable=SC2317 # wait_until calls it
tried() { [ "$(grep -c accept err)" -ge 4 ]; }

# rests PID WHO NAME: a process that has no descriptor for who comes, and says each accept(2) in
# the file "err" (tracelogger_shim.c), tries it now and then; then give it descriptors
rests()
{
	wait_until tried; ok $? "$3 goes on trying"
	[ "$(sed -n 's/^accept //p' err | head -n 4 | sed -n '1h; 4{H; g; s/\n/ /p}' | awk '{ print $2 - $1 }')" -ge 500 ]
	ok $? "and does not spin"
	is "$(grep -c "Too many open files; $2 wait" err)" 1 "which it says once"
	prlimit --pid "$1" --nofile=64:64
}
