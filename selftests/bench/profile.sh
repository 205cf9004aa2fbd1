#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# profile.sh - what kernel profile events cost a workload
#
# Runs on a board with --icount, in /root with elapsed, profload.sh and the module
# in /modules. Prints `name instructions` for the workload: without the module, with
# it and all types off, with all on, and with the same tracepoints in ftrace.
set -e
cd /root
param=/sys/module/devtrace/parameters/profile
events=/sys/kernel/tracing/events
load() { echo "$1 $(./elapsed 16 sh ./profload.sh)"; }

sh ./profload.sh prepare
load without
insmod /modules/devtrace.ko size=4M
load off
echo all >$param
load all
echo none >$param
rmmod devtrace
ftrace()
{
	for e in raw_syscalls irq irq_vectors timer sched/sched_switch sched/sched_wak* \
		 sched/sched_migrate_task sched/sched_process_[ef]* exceptions signal \
		 block/block_rq_* workqueue power/cpu_idle task printk module; do
		for f in $events/$e; do
			[ ! -e "$f/enable" ] || echo "$1" >"$f/enable"
		done
	done
}
ftrace 1
load ftrace
ftrace 0
