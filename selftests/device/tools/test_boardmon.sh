#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_boardmon.sh - the sample application, the device, and traceinfo together
#
#	test_boardmon.sh BOARDMON TRACEINFO BOARDMON.FMT
#
# Runs on the board, as root, with /dev/trace there; selftests/vm/device-tests puts boardmon
# there, and its formats beside this. Needs a POSIX shell and grep only, so that busybox does.
set -u
boardmon=${1:-boardmon}
traceinfo=${2:-traceinfo}
fmt=${3:-$(dirname "$0")/fmt/boardmon.fmt}
out=/tmp/boardmon.$$
trap 'rm -f "$out"' EXIT

# shellcheck source=../../tap.sh
. "$(dirname "$0")/tap.sh"
why=$out

sees()	# NAME REGEX
{
	grep -Eqe "$2" "$out"
	ok $? "$1"
}

sees_not()	# NAME REGEX
{
	! grep -Eqe "$2" "$out"
	ok $? "$1"
}

if [ ! -c /dev/trace ]; then
	skip_all "no /dev/trace"
fi
if ! command -v "$boardmon" >/dev/null; then
	echo "1..0 # SKIP no boardmon: make -C tools/samples install"
	exit 0
fi
"$boardmon" -n 3 -i 0.05 >"$out" 2>&1
echo "status $?" >>"$out"
sees "boardmon ends well" '^status 0$'

"$traceinfo" -I /nowhere -e "$fmt" 2>&1 | grep boardmon >"$out"
sees "a line whose text is in the program" 'LOG: boardmon looks every 0.05 s'
sees "interrupts, as QS records, with the object's name" 'IRQ@interrupts: irq [^ ]+: [0-9]+ more'
sees "load, in short form" 'LOAD@kernel: load [0-9]+\.[0-9][0-9] '
sees "memory, with units" 'MEMORY@kernel: [0-9]+ kB of [0-9]+ kB available'
sees "an event without words, from its elements" 'BOARD_UPTIME: "up since" [0-9.]+ look_at_kernel'
sees "what a line that is too long loses, as a QNX call" 'sw2 .*BOARD\.PTY_OVERRUN: a line of 6000 bytes was cut to [1-5][0-9]{3}$'
sees "flow control" 'sw0 .*BOARD\.PTY_FLOW: the terminal says STOP$'
sees "hang-up, with the bytes before it" 'sw1 .*BOARD\.PTY_HANGUP: hung up: EIO, after "last words"$'
sees "the end" 'LOG: boardmon looked 3 times'
sees_not "all words fit their events" '[{].*(argument|fmt:)|\[\+'

done_testing
