#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_check_emit.sh - traceinfo --check-emit: yes where events arrive, and else why not
#
# Each time what is said is held against what a program of the same user does. Runs on
# the board, as root, with traceinfo in PATH and test_rights beside this file. Needs what
# busybox has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../modules.sh
. "$here/modules.sh"
work=$(mktemp -d) || exit 1
chmod 777 "$work"
out=$work/out
# shellcheck source=../../tap.sh
. "$here/tap.sh"
why=$out
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! trace_unload 2>/dev/null; then
	skip_all "no /dev/trace, or it cannot be taken away"
fi
grep -q '^tester:' /etc/passwd 2>/dev/null ||
	echo 'tester:x:4711:4711::/tmp:/bin/sh' >> /etc/passwd
grep -q '^emitters:' /etc/group 2>/dev/null ||
	echo 'emitters:x:4712:' >> /etc/group
# As it was, whatever comes.
trap 'trace_unload 2>/dev/null; [ -c /dev/trace ] || rm -f /dev/trace; trace_load; rm -rf "$work"' EXIT

# load PARAMETER...: afresh
load()
{
	trace_unload
	trace_load_with "$@"
}

# says USER STATUS PATTERN NAME
says()
{
	su "$1" -c "traceinfo --check-emit" >"$out" 2>&1
	status=$?
	[ $status = "$2" ] && [ "$(wc -l <"$out")" = 1 ] && grep -qE "^$3" "$out"
	ok $? "$1: $4"
}

# program USER WANT NAME: a program of this user emits one event, of which 0 or 1 arrives;
# DEVTRACE_DEBUG says as much, in a line or not at all.
program()
{
	: >/dev/trace
	su "$1" -c "DEVTRACE_DEBUG=1 $here/test_rights --emit" >"$work/said" 2>&1
	status=$?
	traceinfo --no-default-fmt -p test_rights >"$work/events"
	cat "$work/said" "$work/events" >"$out"
	if [ "$2" = 0 ]; then
		[ $status = 1 ] && [ ! -s "$work/events" ] && [ "$(wc -l <"$work/said")" = 1 ]
	else
		[ $status = 0 ] && [ "$(wc -l <"$work/events")" = 1 ] && [ ! -s "$work/said" ]
	fi
	ok $? "$1: $3"
}

# The module is not loaded.
says root 1 "no: /dev/trace: this device does not exist, and the module devtrace is not loaded; load it" \
	"no module"

# By default root alone may.
load
says root 0 "yes: /dev/trace: events of user root arrive\$" "root may"
traceinfo --no-default-fmt >"$out"
[ ! -s "$out" ]
ok $? "it leaves no event"
program root 1 "and its events arrive"
says tester 1 "no: /dev/trace: permission denied: mode 0660, owner root, group root; user tester is neither its owner nor in its group; load the module with gid=" \
	"another user may not"
program tester 0 "and its events do not arrive"
grep -qE "^devtrace: /dev/trace: permission denied: this program's events are discarded; .*'traceinfo --check-emit'" "$work/said"
ok $? "tester: DEVTRACE_DEBUG says why"
su tester -c "$here/test_rights --emit" >"$out" 2>&1
[ $? = 1 ] && [ ! -s "$out" ]
ok $? "tester: nothing is said unless it is asked for"
su tester -c "traceinfo --check-emit --json" >"$out" 2>&1
[ $? = 1 ] && grep -q '^{"kind":"emit","arrives":false,"device":"/dev/trace","user":"tester","status":"not-permitted","why":"permission denied: ' "$out"
ok $? "as JSON"

# A group
load gid=4712
says tester 1 "no: .*group emitters; user tester is neither its owner nor in its group; add user tester to the group emitters" \
	"not in the group"
sed -i 's/^emitters:.*/emitters:x:4712:tester/' /etc/group
says tester 0 "yes: /dev/trace: events of user tester arrive\$" "in the group"
program tester 1 "and its events arrive"
sed -i 's/^emitters:.*/emitters:x:4712:/' /etc/group

# To write is enough.
load mode=0622
says tester 0 "yes: /dev/trace: events of user tester arrive; each takes a system call" "may write, and not read"
program tester 1 "and its events arrive"

# No stream wants these events.
if command -v tracectl >/dev/null; then
	load
	tracectl filter set none
	says root 1 "no: /dev/trace: the filters of all streams exclude every event of programs; look at the filters" \
		"all is filtered"
	tracectl filter clear
	says root 0 "yes" "and nothing any more"
else
	ok 0 "filters # SKIP no tracectl"
fi

# A file system that has no devices: the node is one, and is not.
mkdir "$work/nodev"
if mount -t tmpfs -o nodev,mode=755 none "$work/nodev" 2>/dev/null; then
	mknod -m 666 "$work/nodev/trace" c $(($(stat -c 0x%t /dev/trace))) 0
	su tester -c "DEVTRACE_DEVICE=$work/nodev/trace traceinfo --check-emit" >"$out" 2>&1
	[ $? = 1 ] && grep -q 'trace: its file system is mounted with nodev; ' "$out"
	ok $? "nodev"
	umount "$work/nodev"
else
	ok 0 "nodev # SKIP no tmpfs"
fi
chmod 700 "$work"
su tester -c "DEVTRACE_DEVICE=$work/trace traceinfo --check-emit" >"$out" 2>&1
[ $? = 1 ] && grep -q 'trace: permission denied: user tester may not search its directory; ' "$out"
ok $? "a directory that may not be searched"
chmod 777 "$work"

# The node has another number than the module: of another time, or of a container.
rm /dev/trace
mknod -m 666 /dev/trace c 4000 0
says root 1 "no: /dev/trace: no driver serves this device .*; remove the file, and load the module" "a node of nobody"
rm /dev/trace
says root 1 "no: /dev/trace: this device does not exist here, though the module devtrace is loaded; pass the device" \
	"no node"

# echo hello >/dev/trace, and then insmod
trace_unload
echo hello >/dev/trace
trace_load
says root 1 "no: /dev/trace: it is a regular file: .*; remove the file, then load the module devtrace again" \
	"a file in place of the device"
says tester 1 "no: /dev/trace: it is a regular file" "a file that it may not write"
[ "$(cat /dev/trace)" = hello ]
ok $? "the file is as it was"
rm /dev/trace
load
says root 0 "yes" "as it said"

done_testing
