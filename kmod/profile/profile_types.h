/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * The kernel profile events: numbers, names, tracepoints and elements
 *
 * The module attaches to the tracepoints of this table, and libdevtrace-ctl takes the names of
 * types and presets from it. tools/fmt/kernel.fmt and Documentation/profile.rst repeat the table in
 * other forms; selftests/unit/test_profile_table.c compares all of them.
 *
 * PROFILE_TYPE(TYPE, name, group, tracepoints, object, elements): TYPE is DEVTRACE_T_TYPE in the
 * UAPI header, and probe_name() emits it. Blanks separate the tracepoints. The module skips a
 * tracepoint that the running kernel lacks; if all are missing, it refuses the type. The event has
 * the object DEVTRACE_OBJ_*; with NONE it has neither object nor signal. The elements have the
 * syntax of fmt(5).
 *
 * PROFILE_PRESET(name, list): one name for several types and groups, which are separated by blanks.
 * Each group is also a preset. "all" and "none" are not in this table.
 */
#ifndef DEVTRACE_PROFILE_TYPES_H
#define DEVTRACE_PROFILE_TYPES_H

#define PROFILE_SYSCALLS_TYPES						\
PROFILE_TYPE(SYS_ENTER, sys_enter, syscalls, "sys_enter", SYSCALL,	\
	"int arg0, int arg1, int arg2, int arg3, int arg4, int arg5")	\
PROFILE_TYPE(SYS_EXIT, sys_exit, syscalls, "sys_exit", SYSCALL,		\
	"enum errno ret")

/* Interrupts of the CPU's local controller: its timer, IPIs, errors. */
#ifdef CONFIG_X86
#define PROFILE_VECTORS(which)						\
	"local_timer_" which " reschedule_" which " call_function_" which \
	" call_function_single_" which " irq_work_" which		\
	" x86_platform_ipi_" which " thermal_apic_" which		\
	" threshold_apic_" which " deferred_error_apic_" which		\
	" error_apic_" which " spurious_apic_" which
#else
#define PROFILE_VECTORS(which)	"ipi_" which
#endif

#define PROFILE_IRQ_TYPES						\
PROFILE_TYPE(IRQ_ENTRY, irq_entry, irq, "irq_handler_entry", IRQ,	\
	"str action")							\
PROFILE_TYPE(IRQ_EXIT, irq_exit, irq, "irq_handler_exit", IRQ,		\
	"enum irqreturn ret")						\
PROFILE_TYPE(VECTOR_ENTRY, vector_entry, irq, PROFILE_VECTORS("entry"), \
	VECTOR, "str name")						\
PROFILE_TYPE(VECTOR_EXIT, vector_exit, irq, PROFILE_VECTORS("exit"),	\
	VECTOR, "str name")

#define PROFILE_SOFTIRQ_TYPES						\
PROFILE_TYPE(SOFTIRQ_RAISE, softirq_raise, softirq, "softirq_raise",	\
	SOFTIRQ, "")							\
PROFILE_TYPE(SOFTIRQ_ENTRY, softirq_entry, softirq, "softirq_entry",	\
	SOFTIRQ, "")							\
PROFILE_TYPE(SOFTIRQ_EXIT, softirq_exit, softirq, "softirq_exit",	\
	SOFTIRQ, "")

#define PROFILE_TIMER_TYPES						\
PROFILE_TYPE(TIMER_INIT, timer_init, timer, "timer_init", NONE,		\
	"obj timer")							\
PROFILE_TYPE(TIMER_START, timer_start, timer, "timer_start", NONE,	\
	"obj timer, fun function, i32 in \"jiffies\"")			\
PROFILE_TYPE(TIMER_CANCEL, timer_cancel, timer, "timer_cancel", NONE,	\
	"obj timer")							\
PROFILE_TYPE(TIMER_ENTRY, timer_entry, timer, "timer_expire_entry",	\
	NONE, "obj timer, fun function, i32 late \"jiffies\"")		\
PROFILE_TYPE(TIMER_EXIT, timer_exit, timer, "timer_expire_exit", NONE,	\
	"obj timer")

#define PROFILE_HRTIMER_TYPES						\
PROFILE_TYPE(HRTIMER_INIT, hrtimer_init, hrtimer,			\
	"hrtimer_init hrtimer_setup", NONE,				\
	"obj timer, enum clockid clock, u8 mode")			\
PROFILE_TYPE(HRTIMER_START, hrtimer_start, hrtimer, "hrtimer_start",	\
	NONE, "obj timer, fun function, i64 expires \"ns\"")		\
PROFILE_TYPE(HRTIMER_CANCEL, hrtimer_cancel, hrtimer, "hrtimer_cancel", \
	NONE, "obj timer")						\
PROFILE_TYPE(HRTIMER_ENTRY, hrtimer_entry, hrtimer,			\
	"hrtimer_expire_entry", NONE,					\
	"obj timer, fun function, i64 late \"ns\"")			\
PROFILE_TYPE(HRTIMER_EXIT, hrtimer_exit, hrtimer,			\
	"hrtimer_expire_exit", NONE, "obj timer")

#define PROFILE_SCHED_TYPES						\
PROFILE_TYPE(SCHED_SWITCH, sched_switch, sched, "sched_switch", NONE,	\
	"enum task_state state, i16 prio, u32 next, i16 next_prio, str comm") \
PROFILE_TYPE(SCHED_WAKING, sched_waking, sched, "sched_waking", NONE,	\
	"u32 tid, i16 prio, u16 cpu, str comm")				\
PROFILE_TYPE(SCHED_WAKEUP, sched_wakeup, sched, "sched_wakeup", NONE,	\
	"u32 tid, i16 prio, u16 cpu, str comm")				\
PROFILE_TYPE(SCHED_WAKEUP_NEW, sched_wakeup_new, sched,			\
	"sched_wakeup_new", NONE, "u32 tid, i16 prio, u16 cpu, str comm") \
PROFILE_TYPE(SCHED_MIGRATE, sched_migrate, sched, "sched_migrate_task", \
	NONE, "u32 tid, i16 prio, u16 from, u16 to")			\
PROFILE_TYPE(SCHED_FORK, sched_fork, sched, "sched_process_fork", NONE, \
	"u32 tid, u32 pid, str comm")					\
PROFILE_TYPE(SCHED_EXEC, sched_exec, sched, "sched_process_exec", NONE, \
	"u32 old_tid, str file")					\
PROFILE_TYPE(SCHED_EXIT, sched_exit, sched, "sched_process_exit", NONE, \
	"i32 code, i16 prio")						\
PROFILE_TYPE(SCHED_PI, sched_pi, sched, "sched_pi_setprio", NONE,	\
	"u32 tid, i16 prio, i16 new_prio")				\
PROFILE_TYPE(SCHED_HANG, sched_hang, sched, "sched_process_hang", NONE, \
	"u32 tid, str comm")						\
PROFILE_TYPE(TASK_RENAME, task_rename, sched, "task_rename", NONE,	\
	"u32 tid, str comm")

#define PROFILE_FAULT_TYPES						\
PROFILE_TYPE(FAULT_USER, fault_user, fault, "page_fault_user", NONE,	\
	"any address, int ip, flags fault error")			\
PROFILE_TYPE(FAULT_KERNEL, fault_kernel, fault, "page_fault_kernel",	\
	NONE, "any address, fun ip, flags fault error")

#define PROFILE_SIGNAL_TYPES						\
PROFILE_TYPE(SIGNAL_GENERATE, signal_generate, signal,			\
	"signal_generate", NONE,					\
	"enum signal sig, i32 code, u32 tid, enum sigto to, enum sigresult result") \
PROFILE_TYPE(SIGNAL_DELIVER, signal_deliver, signal, "signal_deliver",	\
	NONE, "enum signal sig, i32 code, int handler")

#define PROFILE_BLOCK_TYPES						\
PROFILE_TYPE(BLOCK_INSERT, block_insert, block, "block_rq_insert", NONE, \
	"u16 dev_major, u32 dev_minor, u64 sector, u32 bytes, enum blockop op")	\
PROFILE_TYPE(BLOCK_ISSUE, block_issue, block, "block_rq_issue", NONE,	\
	"u16 dev_major, u32 dev_minor, u64 sector, u32 bytes, enum blockop op")	\
PROFILE_TYPE(BLOCK_COMPLETE, block_complete, block, "block_rq_complete", \
	NONE,								\
	"u16 dev_major, u32 dev_minor, u64 sector, u32 bytes, enum blockop op, enum errno error")

#define PROFILE_WORK_TYPES						\
PROFILE_TYPE(WORK_QUEUE, work_queue, work, "workqueue_queue_work",	\
	NONE, "obj work, fun function")					\
PROFILE_TYPE(WORK_START, work_start, work, "workqueue_execute_start",	\
	NONE, "obj work, fun function")					\
PROFILE_TYPE(WORK_END, work_end, work, "workqueue_execute_end", NONE,	\
	"obj work, fun function")

#define PROFILE_POWER_TYPES						\
PROFILE_TYPE(CPU_IDLE, cpu_idle, power, "cpu_idle", NONE,		\
	"enum idle state")						\
PROFILE_TYPE(CPU_FREQ, cpu_freq, power, "cpu_frequency", NONE,		\
	"u32 frequency \"kHz\", u16 cpu")

#define PROFILE_SYSTEM_TYPES						\
PROFILE_TYPE(CONSOLE, console, system, "console", NONE,			\
	"str line")							\
PROFILE_TYPE(MODULE_LOAD, module_load, system, "module_load", NONE,	\
	"str module")							\
PROFILE_TYPE(MODULE_FREE, module_free, system, "module_free", NONE,	\
	"str module")							\
PROFILE_TYPE(OOM_KILL, oom_kill, system, "mark_victim", NONE,		\
	"u32 tid")

#define PROFILE_TASKLET_TYPES						\
PROFILE_TYPE(TASKLET_ENTRY, tasklet_entry, softirq, "tasklet_entry",	\
	NONE, "obj tasklet, fun function")				\
PROFILE_TYPE(TASKLET_EXIT, tasklet_exit, softirq, "tasklet_exit", NONE, \
	"obj tasklet, fun function")

#define PROFILE_TYPES							\
	PROFILE_SYSCALLS_TYPES PROFILE_IRQ_TYPES			\
	PROFILE_SOFTIRQ_TYPES PROFILE_TIMER_TYPES			\
	PROFILE_HRTIMER_TYPES PROFILE_SCHED_TYPES PROFILE_FAULT_TYPES	\
	PROFILE_SIGNAL_TYPES PROFILE_BLOCK_TYPES PROFILE_WORK_TYPES	\
	PROFILE_POWER_TYPES PROFILE_SYSTEM_TYPES			\
	PROFILE_TASKLET_TYPES

#define PROFILE_PRESETS							\
PROFILE_PRESET(latency, "irq softirq hrtimer sched_switch sched_waking "	\
	"sched_wakeup sched_wakeup_new sched_migrate sched_pi")

#endif /* DEVTRACE_PROFILE_TYPES_H */
