#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_mistakes.sh - mistakes that users make on a board: command, message, status
#
# Each message tells what is wrong, where, and what to do. The messages of insmod
# and rmmod themselves differ between versions, and are left out: only the kernel's
# messages count. Runs on the board, as root, with traceinfo and tracectl in PATH, and
# transcript.sh and test_mistakes.expected beside this file. Needs what busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
# shellcheck source=../../transcript.sh
. "$here/transcript.sh"
UPDATE=${UPDATE:-}
work=$(mktemp -d) || exit 1
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! command -v tracectl >/dev/null || ! trace_unload 2>/dev/null; then
	echo "TAP version 13"
	echo "1..0 # SKIP no /dev/trace, it cannot be taken away, or no tracectl"
	exit 0
fi
# As it was, whatever comes.
trap 'trace_unload 2>/dev/null; [ -c /dev/trace ] || rm -f /dev/trace; trace_load; rm -rf "$work"' EXIT
grep -q '^tester:' /etc/passwd 2>/dev/null ||
	echo 'tester:x:4711:4711::/tmp:/bin/sh' >> /etc/passwd

mkdir "$work/run" && cd "$work/run" || exit 1
{
	cat "$here/modules.sh"
	cat <<'RC'
modules=${DEVTRACE_MODULES:-/modules}
# The kernel's messages meanwhile, without the time of its log
told()
{
	echo "mistake $$" >/dev/kmsg
	"$@" >/dev/null 2>&1
	status=$?
	# Once: insmod of busybox tries twice
	dmesg | sed "1,/mistake $$/d; s/^\[[^]]*\] //" | grep '^devtrace[a-z_]*: ' | awk '!said[$0]++'
	[ $status = 0 ] || return 1
}
loading() { told insmod "$modules/devtrace.ko" "$@"; }
beside() { told insmod "$modules/devtrace_profile.ko" "$@"; }
as_tester() { su tester -c "$*"; }
RC
} > .shrc
echo "TAP version 13"
replay "$work" "$here/test_mistakes.expected"
bad=$?
[ -z "$UPDATE" ] || cp "$here/test_mistakes.expected" /out
exit $bad
