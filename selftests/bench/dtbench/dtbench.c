// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtbench.c - the cost of emitting an event in the kernel
 *
 * Reading /proc/dtbench runs loops of events and prints `name cost` for each way to emit: time
 * per event minus that of the same loop without an event, in thousandths of a nanosecond. On a
 * board whose clock advances one nanosecond per instruction these are thousandths of an
 * instruction.
 *
 * /proc/dtbench_rec has one of these alone, for reading with other filters;
 * /proc/dtbench_filtered emits events that the filters are to refuse: by type, by severity and
 * by object.
 *
 * After /proc/dtbench_panic was read, a panic prints the time of the panic notifiers between
 * those of this module, which must be loaded before the modules to measure.
 *
 * Loops run with interrupts on. The median of many batches excludes interrupts. The events of a
 * batch fill a whole number of blocks and pages of the ring, so that each batch includes the
 * work that is done only for every n-th event.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/devtrace_log.h>

#include "compat/compat_panic.h"

#define CREATE_TRACE_POINTS
#include "dtbench_trace.h"

#define BATCH	512
#define BATCHES	128

/* The raw counter, if it counts nanoseconds: no rounding. */
static __always_inline u64 now(void)
{
#ifdef CONFIG_X86
	return rdtsc();
#else
	return ktime_get_raw_fast_ns();
#endif
}

static u64 took[2 * BATCHES];

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The first half fills the ring and is not measured. */
#define MEDIAN(event) ({						\
	u64 begin;							\
	int batch, i;							\
									\
	for (batch = 0; batch < 2 * BATCHES; batch++) {			\
		begin = now();						\
		for (i = 0; i < BATCH; i++) {				\
			event;						\
			barrier();					\
		}							\
		took[batch] = now() - begin;				\
		cond_resched();						\
	}								\
	sort(took + BATCHES, BATCHES, sizeof(took[0]), compare, NULL);	\
	took[BATCHES + BATCHES / 2];					\
})

static void show(struct seq_file *m, const char *name, u64 cost, u64 empty)
{
	seq_printf(m, "%s %llu\n", name, div_u64((cost - empty) * 1000, BATCH));
}

static int dtbench_show(struct seq_file *m, void *v)
{
	u64 empty = MEDIAN();

	show(m, "exc", MEDIAN(devtrace_exc(DEVTRACE_SW_SEVERITY1, DEVTRACE_CODE(1, 2),
					   dt_i32(i), dt_i32(batch))), empty);
	show(m, "log", MEDIAN(DT_LOG("pair %d %d", i, batch)), empty);
	show(m, "trace_event", MEDIAN(trace_dtbench_pair(i, batch)), empty);
	show(m, "clock", MEDIAN(ktime_get_raw_fast_ns()), empty);
	/* Last, when the ring is full of them: the room for one. */
	show(m, "rec", MEDIAN(devtrace_rec(DEVTRACE_T_USER, dt_i32(i), dt_i32(batch))),
	     empty);
	return 0;
}

static int rec_show(struct seq_file *m, void *v)
{
	u64 empty = MEDIAN();

	show(m, "rec_for", MEDIAN(devtrace_rec_for(DEVTRACE_T_USER, 7, 3, dt_i32(i),
						   dt_i32(batch))), empty);
	show(m, "rec", MEDIAN(devtrace_rec(DEVTRACE_T_USER, dt_i32(i), dt_i32(batch))),
	     empty);
	return 0;
}

static int filtered_show(struct seq_file *m, void *v)
{
	u64 empty = MEDIAN();

	show(m, "filtered.type", MEDIAN(devtrace_rec(DEVTRACE_T_USER + 1, dt_i32(i),
						     dt_i32(batch))), empty);
	show(m, "filtered.severity", MEDIAN(devtrace_exc(DEVTRACE_SW_SEVERITY1,
							 DEVTRACE_CODE(1, 2), dt_i32(i),
							 dt_i32(batch))), empty);
	show(m, "filtered.object", MEDIAN(devtrace_rec_for(DEVTRACE_T_USER, 7, 3, dt_i32(i),
							   dt_i32(batch))), empty);
	return 0;
}

static u64 fell;
static bool timed;

static int fall_begins(struct notifier_block *nb, unsigned long event, void *message)
{
	fell = now();
	return NOTIFY_DONE;
}

static int fall_ends(struct notifier_block *nb, unsigned long event, void *message)
{
	const u64 took = now() - fell;

	pr_emerg("dtbench: panic %llu\n", took);
	return NOTIFY_DONE;
}

/* The region's priority is INT_MAX - 1; equal priorities are called in order of registration. */
static struct notifier_block first_block = {
	.notifier_call = fall_begins, .priority = INT_MAX,
};

static struct notifier_block last_block = {
	.notifier_call = fall_ends, .priority = INT_MAX - 1,
};

static int panic_show(struct seq_file *m, void *v)
{
	if (!timed)
		atomic_notifier_chain_register(&panic_notifier_list, &last_block);
	timed = true;
	return 0;
}

static void dtbench_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &first_block);
	if (timed)
		atomic_notifier_chain_unregister(&panic_notifier_list, &last_block);
	remove_proc_subtree("dtbench_panic", NULL);
	remove_proc_subtree("dtbench", NULL);
	remove_proc_subtree("dtbench_rec", NULL);
	remove_proc_subtree("dtbench_filtered", NULL);
}

static int __init dtbench_init(void)
{
	atomic_notifier_chain_register(&panic_notifier_list, &first_block);
	if (proc_create_single("dtbench", 0400, NULL, dtbench_show) &&
	    proc_create_single("dtbench_rec", 0400, NULL, rec_show) &&
	    proc_create_single("dtbench_filtered", 0400, NULL, filtered_show) &&
	    proc_create_single("dtbench_panic", 0400, NULL, panic_show))
		return 0;
	dtbench_exit();
	return -ENOMEM;
}

module_init(dtbench_init);
module_exit(dtbench_exit);

MODULE_DESCRIPTION("What it costs to emit events");
MODULE_LICENSE("GPL");
