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
	[ ! -e "${DEVTRACE_MODULES:-/modules}/devtrace_profile.ko" ] ||
		insmod "${DEVTRACE_MODULES:-/modules}/devtrace_profile.ko"
}

# trace_unload: all of them; added tracepoints, which hold theirs, are removed
trace_unload()
{
	! grep -q '^devtrace_watch ' /proc/modules || rmmod devtrace_watch || return
	if grep -q '^devtrace_profile ' /proc/modules && ! rmmod devtrace_profile 2>/dev/null; then
		tracectl profile list | awk '$2 ~ /:/ { print $2 }' |
			xargs -r tracectl profile del
		rmmod devtrace_profile || return
	fi
	! grep -q '^devtrace ' /proc/modules || rmmod devtrace
}
