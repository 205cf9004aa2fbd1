#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_modprobe.sh - the kernel loads what is asked for, where modprobe finds it; and what
# is said where it does not
#
# Runs on the board, as root, with devtrace.ko inserted and tracectl in PATH. Needs what
# busybox has. A machine that has modules of its own is left alone.
set -u
# shellcheck source=../modules.sh
. "$(dirname "$0")/modules.sh"
work=$(mktemp -d) || exit 1
dir=/lib/modules/$(uname -r)
# shellcheck source=../../tap.sh
. "$(dirname "$0")/tap.sh"
why=$work/out
if [ ! -e /modules/devtrace.ko ] || [ -e "$dir/modules.dep" ]; then
	skip_all "no board, or one with modules of its own"
fi
if ! command -v tracectl >/dev/null || ! command -v depmod >/dev/null; then
	skip_all "no tracectl, as there is no libmnl for this machine; or no depmod"
fi
trap 'rm -rf "$work" "$dir"; trace_unload 2>/dev/null; trace_load' EXIT
has() { grep -q -e "$1" "$work/out"; }
run() { "$@" >"$work/out" 2>&1; }
is_loaded() { grep -q "^$1 " /proc/modules; }

trace_unload
run tracectl stream
[ $? = 1 ] && has 'this kernel has no devtrace; load the module: modprobe devtrace, or insmod devtrace.ko'
ok $? "without devtrace tracectl says what to load"
insmod /modules/devtrace.ko
run tracectl stream && has '^trace '
ok $? "insmod devtrace.ko is enough for tracectl"
run tracectl profile list
[ $? = 1 ] && has 'modprobe devtrace_profile, or insmod devtrace_profile.ko'
ok $? "without kernel profile events it says what is missing"
run tracectl filter add type=sched_switch && has 'note: types 128 to 191 were skipped: .*insmod devtrace_profile.ko'
ok $? "and a filter is set without them, which a note says"
trace_unload

mkdir -p "$dir"
cp /modules/devtrace.ko /modules/devtrace_profile.ko "$dir"
run depmod
ok $? "depmod"
for old in devtrace_streams devtrace_control; do
	run modprobe $old && is_loaded devtrace && ! is_loaded devtrace_profile
	ok $? "modprobe $old, a module of earlier releases, loads devtrace"
	trace_unload
done
run modprobe devtrace_faults faults=1 && is_loaded devtrace_profile && run tracectl profile &&
	has faults
ok $? "modprobe devtrace_faults, another one, loads devtrace_profile"
trace_unload
run tracectl stream && is_loaded devtrace
ok $? "whoever asks for control has devtrace loaded"
! is_loaded devtrace_profile
ok $? "and nothing else"
run tracectl profile list && is_loaded devtrace_profile
ok $? "whoever asks for kernel profile events has them loaded"
rmmod devtrace_profile
run tracectl filter add type=sched_switch && is_loaded devtrace_profile &&
	run tracectl profile && has sched_switch
ok $? "so has a filter that names one"
rmmod devtrace_profile
run tracectl trigger add x when type=sched_switch 'do' notify && is_loaded devtrace_profile
ok $? "and a trigger"
tracectl trigger del x
trace_unload
run modprobe devtrace_profile profile=irq,-irq_exit && is_loaded devtrace &&
	grep -q irq_entry /sys/module/devtrace_profile/parameters/profile
ok $? "modprobe devtrace_profile profile= turns them on from the beginning"

done_testing
