// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for emitters that are under way
 *
 * Emitters, and readers in their steps, have preemption off. A CPU that is interrupted
 * where preemption is on has none of them. So each CPU is interrupted and looks. The caller
 * waits for no thread of the kernel and for no program, however low the priority of
 * programs is: a grace period of RCU also waits for the workqueue that drives it, behind
 * busy programs, and for readers of RCU that have lost their CPU.
 *
 * A grace period it is all the same where a CPU cannot tell: in kernels that do not count
 * how often preemption was turned off, while a CPU comes or goes, and where a CPU has
 * preemption off whenever it is asked.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat/compat.h"
#include "quiet.h"

/* Until a grace period is quicker. */
#define TRIES		64
#define PAUSE_NS	75000

/* @todo: CPUs that are still to be asked; @quiet: those that had none. */
struct quiet {
	struct cpumask	todo, quiet;
};

/*
 * On the CPU that is asked, interrupts off. An idle one is asked by an interrupt, or looks
 * by itself; its thread has preemption off once, always.
 */
static void look(void *arg)
{
	struct quiet *q = arg;
	unsigned int count = preempt_count();

	if (in_hardirq())
		count -= HARDIRQ_OFFSET;
	if (count <= (is_idle_task(current) ? PREEMPT_OFFSET : 0))
		cpumask_set_cpu(smp_processor_id(), &q->quiet);
}

/* Whether all of @which were found to be quiet once. CPUs neither come nor go. */
static bool all_quiet(struct quiet *q, const struct cpumask *which)
{
	ktime_t pause = PAUSE_NS;
	int i, cpu;

	/* A CPU that is not online has no emitter. */
	cpumask_andnot(&q->quiet, which, cpu_online_mask);
	cpumask_andnot(&q->todo, which, &q->quiet);
	for (i = 0; i < TRIES; i++) {
		cpu = get_cpu();
		/* We run here, and may be preempted. */
		cpumask_clear_cpu(cpu, &q->todo);
		smp_call_function_many(&q->todo, look, q, true);
		put_cpu();
		if (!cpumask_andnot(&q->todo, &q->todo, &q->quiet))
			return true;
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout(&pause, HRTIMER_MODE_REL);
	}
	return false;
}

/**
 * quiet_wait_on() - wait until every emitter that is under way on some CPUs is done
 * @which: the CPUs
 *
 * Also waits for all other code that has preemption off there. Code that begins later sees
 * the stores that the caller made before.
 *
 * Context: process, preemption on.
 */
void quiet_wait_on(const struct cpumask *which)
{
	struct quiet *q = NULL;
	bool done = false;

	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		q = kzalloc(sizeof(*q), GFP_KERNEL);
	/* One that comes or goes is on no list, and may emit. */
	if (q && cpus_read_trylock()) {
		done = all_quiet(q, which);
		cpus_read_unlock();
	}
	kfree(q);
	if (!done)
		synchronize_rcu_expedited();
}

/* Likewise on all CPUs. */
void quiet_wait(void)
{
	quiet_wait_on(cpu_possible_mask);
}
