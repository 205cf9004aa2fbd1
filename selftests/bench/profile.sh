#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# profile.sh - what kernel profile events cost
#
# Runs on a board with --icount, in /root with elapsed, calls, profload.sh, tracepoints
# and the module in /modules. Prints `which.what instructions`, of what calls.c has and of
# the workload of profload.sh ("overhead"): which is without the module, off with it and
# all types off, all with all on, and ftrace without it and with the tracepoints of these
# types on in ftrace.
set -e
cd /root
param=/sys/module/devtrace_profile/parameters/profile
events=/sys/kernel/tracing/events
load()
{
	echo "$1.overhead $(./elapsed 16 sh ./profload.sh)"
	./calls | sed "s/^/$1./"
}

sh ./profload.sh prepare
load without
insmod /modules/devtrace.ko size=4M
insmod /modules/devtrace_profile.ko
load off
echo all >$param
load all
echo none >$param
rmmod devtrace_profile
rmmod devtrace
ftrace()
{
	while read -r name; do
		for f in "$events"/*/"$name"/enable; do
			[ ! -e "$f" ] || echo "$1" >"$f"
		done
	done <tracepoints
}
ftrace 1
load ftrace
ftrace 0
