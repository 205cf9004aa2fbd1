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
 * Kernels that do not count how often preemption was turned off do not preempt what runs in
 * them. There a work of high priority runs on each CPU: whoever was in the kernel has left it
 * or sleeps by then.
 *
 * A grace period it is all the same while a CPU comes or goes, and where a CPU has preemption
 * off whenever it is asked.
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
#include <linux/workqueue.h>

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
static void quiet_look(void *arg)
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
		smp_call_function_many(&q->todo, quiet_look, q, true);
		put_cpu();
		if (!cpumask_andnot(&q->todo, &q->todo, &q->quiet))
			return true;
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout(&pause, HRTIMER_MODE_REL);
	}
	return false;
}

static void quiet_nothing(struct work_struct *work)
{
}

/* A thread has run on each of @which. CPUs neither come nor go. */
static void run_on(const struct cpumask *which)
{
	struct work_struct work;
	unsigned int cpu;

	for_each_cpu_and(cpu, which, cpu_online_mask) {
		INIT_WORK_ONSTACK(&work, quiet_nothing);
		queue_work_on(cpu, system_highpri_wq, &work);
		flush_work(&work);
		destroy_work_on_stack(&work);
	}
}

/* Whether all of @which said that they are quiet. */
static bool quiet_ask(const struct cpumask *which)
{
	struct quiet *q = kzalloc(sizeof(*q), GFP_KERNEL);
	const bool done = q && all_quiet(q, which);

	kfree(q);
	return done;
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
	bool done = false;

	/* One that comes or goes is on no list, and may emit. */
	if (cpus_read_trylock()) {
		if (IS_ENABLED(CONFIG_PREEMPT_COUNT)) {
			done = quiet_ask(which);
		} else {
			run_on(which);
			done = true;
		}
		cpus_read_unlock();
	}
	if (!done)
		synchronize_rcu_expedited();
}

/* Likewise on all CPUs. */
void quiet_wait(void)
{
	quiet_wait_on(cpu_possible_mask);
}
