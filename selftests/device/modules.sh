# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# modules.sh - devtrace and the modules that go beside it, for scripts that test on a board
#
# The files are in $DEVTRACE_MODULES, or in /modules.

# trace_load: all of them; trace_load_with PARAMETER...: these are for devtrace.ko
trace_load() { trace_load_with size=256K; }
trace_load_with()
{
	insmod "${DEVTRACE_MODULES:-/modules}/devtrace.ko" "$@" || return
	for beside in devtrace_streams devtrace_control devtrace_profile; do
		[ ! -e "${DEVTRACE_MODULES:-/modules}/$beside.ko" ] ||
			insmod "${DEVTRACE_MODULES:-/modules}/$beside.ko" || return
	done
}

# trace_unload: all of them; triggers and added tracepoints, which hold theirs, are removed
trace_unload()
{
	! grep -q '^devtrace_faults ' /proc/modules || rmmod devtrace_faults || return
	! grep -q '^devtrace_watch ' /proc/modules || rmmod devtrace_watch || return
	if grep -q '^devtrace_profile ' /proc/modules && ! rmmod devtrace_profile 2>/dev/null; then
		tracectl profile list | awk '$2 ~ /:/ { print $2 }' |
			xargs -r tracectl profile del
		rmmod devtrace_profile || return
	fi
	if grep -q '^devtrace_control ' /proc/modules && ! rmmod devtrace_control 2>/dev/null; then
		for name in $(tracectl --json trigger | grep -o '"trigger":"[^"]*"' | cut -d '"' -f 4); do
			tracectl trigger del "$name"
		done
		rmmod devtrace_control || return
	fi
	! grep -q '^devtrace_streams ' /proc/modules || rmmod devtrace_streams || return
	! grep -q '^devtrace ' /proc/modules || rmmod devtrace
}
