#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# work.sh - to be sourced first by tests of tools: where things are, and a directory of their own
#
# Uses $here of the test, and sources tap.sh. Sets $top (the source), $O (what was built), $out (the
# programs of the unit tests, which are in PATH, too) and $tools (as they are installed), and goes to
# $work, a new directory. When the test ends, the directory is removed, and processes are killed whose
# numbers are in $peer, $reader and $server. Words that the user's environment has for the tools go.
# shellcheck disable=SC2154,SC2034,SC2317 # of who sources this; the trap calls
top=$(cd "$here/../.." && pwd)
O=$(cd "${O:-$top/build}" && pwd) || exit 1
out=$O/selftests/unit tools=$O/tools
work=$(mktemp -d) || exit 1
peer='' reader='' server=''
end_work()
{
	for p in $peer $reader $server; do kill -9 "$p" 2>/dev/null; done
	rm -rf "$work"
}
trap end_work EXIT
export LC_ALL=C TZ=UTC PATH="$out:$PATH"
unset NO_COLOR DEVTRACE_FMT_PATH DEVTRACE_DEBUG_PATH DEBUGINFOD_URLS BABELTRACE_PLUGIN_PATH
cd "$work" || exit 1
. "$here/../tap.sh"

needs()	# PROGRAM...: the test is skipped without them
{
	for need; do
		command -v "$need" >/dev/null || skip_all "no $need"
	done
}
