#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_man_trace.sh - the examples of trace(4), as they stand
#
# Runs on the board, as root, with /dev/trace there, traceinfo in PATH, and the
# page beside this file. Needs a POSIX shell and what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Each literal display of the section, one file.
awk '
	/^\.Sh / { in_section = $2 == "EXAMPLES" }
	!in_section { next }
	/^\.Bd -literal/ { file = "example" ++n; next }
	/^\.Ed/ { file = ""; next }
	file { gsub(/\\e/, "\\"); print > file }
' "$here/trace.4"

# shellcheck source=../../tap.sh
. "$here/tap.sh"
why=out

[ -e example1 ] && [ -e example2 ] && [ ! -e example3 ]
ok $? "there are two examples"
: >/dev/trace
sh -e ./example1 >out 2>&1 && grep -q 'sw2 .*text: pump 2 does not answer$' out
ok $? "a line of text, and the buffer in words"
# timeout(1) ends cat, so that its own status is not 0. A busy machine may start cat late.
for try in 1 2 3; do
	sh ./example2 >out 2>&1
	grep -q 'sw2 .*text: pump 2 does not answer$' out
	found=$?
	[ $found != 0 ] || break
	echo "# not in the time of try $try"
done
ok "$found" "the stream saved and printed"
done_testing
