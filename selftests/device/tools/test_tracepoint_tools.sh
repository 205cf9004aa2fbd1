#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_tracepoint_tools.sh - tracectl profile add, del and fmt, and traceinfo, which
# prints the names of the fields
#
# Runs on the board, as root, with devtrace.ko inserted and the tools in PATH. Needs
# what busybox has.
set -u
# shellcheck source=../modules.sh
. "$(dirname "$0")/modules.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../../tap.sh
. "$(dirname "$0")/tap.sh"
why=$work/out
# The test before may have taken the module away.
[ -c /dev/trace ] || trace_load 2>/dev/null
if [ ! -c /dev/trace ] || ! command -v tracectl >/dev/null; then
	skip_all "no /dev/trace, or no tracectl: there is no libmnl for this machine"
fi
has() { grep -q -e "$1" "$work/out"; }
run() { "$@" >"$work/out" 2>&1; }

tracectl filter clear
tracectl clear
run tracectl profile add signal:no_such_thing
if has CONFIG_PERF_EVENTS; then
	skip_all "$(cat "$work/out")"
fi
run tracectl profile add signal:signal_generate task:task_rename
ok $? "two are added"
run tracectl profile list
# Which numbers they have depends on what was added before.
first=$(awk '$2 == "signal:signal_generate" { print $1 }' "$work/out")
second=$(awk '$2 == "task:task_rename" { print $1 }' "$work/out")
has "^ *$first .*signal:signal_generate .*added .*on " && [ "$first" -ge 176 ] &&
	[ "$second" -ge 176 ] && [ "$first" != "$second" ]
ok $? "the list has them, and they are on"
run tracectl profile
has '^trace: signal:signal_generate task:task_rename$'
ok $? "the stream has them"
run tracectl profile add signal:signal_generate
[ $? = 1 ] && has 'signal:signal_generate: tracepoint is added already'
ok $? "one that is there is refused"
run tracectl profile add signal:no_such_thing
[ $? = 1 ] && has 'signal:no_such_thing: tracepoint is not known to this kernel'
ok $? "one that this kernel does not have is refused"
run tracectl profile add
[ $? = 2 ]
ok $? "none is a mistake"

run tracectl profile fmt
has "^record \"signal:signal_generate\" (i32 sig, i32 errno, i32 code, str comm, i32 pid, "
ok $? "a format file has their elements"
cp "$work/out" "$work/added.fmt"
run traceinfo --check-fmt -e "$work/added.fmt"
ok $? "traceinfo understands it"

trap : USR2
kill -USR2 $$
run traceinfo --no-default-fmt -e "$work/added.fmt"
has "signal_generate.* sig=12 errno=0 code=0 comm=.* pid=$$ group=1 result=0"
ok $? "traceinfo prints the names of the fields"
run traceinfo --no-default-fmt
has 'signal:signal_generate'
ok $? "and the name of the tracepoint without it"

run tracectl profile -task:task_rename
ok $? "one is switched off by its name"
run tracectl profile
has '^trace: signal:signal_generate$'
ok $? "and the other stays on"
run tracectl profile sched_switch
run tracectl profile +task:task_rename
run tracectl profile
has '^trace: task:task_rename sched_switch$'
ok $? "one is switched on beside others"
run tracectl profile -no:such
[ $? = 1 ] && has "no:such has not been added"
ok $? "one that was not added cannot be"
run tracectl --json profile
has '"task:task_rename"'
ok $? "JSON has the name"

# In tracefs the kernel prints the number of a softirq as a word.
grep -q ' /sys/kernel/tracing ' /proc/mounts || mount -t tracefs tracefs /sys/kernel/tracing
run tracectl profile add irq:softirq_entry
ok $? "one whose field has words is added"
run tracectl profile fmt
has '^	"TIMER" = 1,$' && has '^record "irq:softirq_entry" (enum vec_[0-9]* vec)$'
ok $? "the format file has the words"
cp "$work/out" "$work/added.fmt"
tries=0
until run traceinfo --no-default-fmt -e "$work/added.fmt" && has 'softirq_entry.* vec=[A-Z]' ||
	[ $tries -gt 600 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
has 'softirq_entry.* vec=[A-Z]'
ok $? "traceinfo prints them"
run tracectl profile del irq:softirq_entry

tracectl monitor >"$work/changes" 2>&1 &
child=$!
tries=0
until grep -q listening "$work/changes" || [ $tries -gt 6000 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
run tracectl profile del signal:signal_generate task:task_rename
ok $? "both are removed"
run tracectl profile list
! has signal:signal_generate
ok $? "and are no longer in the list"
run tracectl profile del signal:signal_generate
[ $? = 1 ] && has "signal_generate: this tracepoint has not been added; see 'tracectl profile list'"
ok $? "what is not there cannot be removed"
tries=0
until grep -q 'profile-del task' "$work/changes" || [ $tries -gt 6000 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -INT $child
wait $child
cp "$work/changes" "$work/out"
has "^profile-del signal:signal_generate: type $first\$" &&
	has "^profile-del task:task_rename: type $second\$"
ok $? "who monitors is told"
tracectl filter clear
done_testing
