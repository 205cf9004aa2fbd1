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
