// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wait for active emitters
 *
 * Emitters disable preemption, and so do readers in each of their steps. A CPU that is interrupted
 * in code with preemption enabled runs neither. So quiet_wait() interrupts each CPU and checks. It
 * never waits for a kernel thread or a program, however low its priority. An RCU grace period would
 * also wait for the workqueue that drives it, behind busy programs, and for preempted RCU readers.
 *
 * A kernel without CONFIG_PREEMPT_COUNT does not preempt kernel code. There quiet_wait() runs a
 * high-priority work item on each CPU: by then, code that was in the kernel has left it or sleeps.
 *
 * Both methods fall back to an RCU grace period during CPU hotplug, or if a CPU is never seen
 * preemptible.
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

/* After this many checks, a grace period is faster. */
#define TRIES		64
#define PAUSE_NS	75000

/* @todo: CPUs not seen quiet yet; @quiet: CPUs seen quiet. */
struct quiet {
	struct cpumask	todo, quiet;
};

/*
 * Check whether this CPU is quiet. Called with interrupts off, from an interrupt or from the idle
 * loop. The idle task always has preemption disabled, with a count of 1.
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

/* Return true if each CPU of @which was seen quiet. The caller has locked out CPU hotplug. */
static bool all_quiet(struct quiet *q, const struct cpumask *which)
{
	ktime_t pause = PAUSE_NS;
	int i, cpu;

	/* A CPU that is not online has no emitter. */
	cpumask_andnot(&q->quiet, which, cpu_online_mask);
	cpumask_andnot(&q->todo, which, &q->quiet);
	for (i = 0; i < TRIES; i++) {
		cpu = get_cpu();
		/* This CPU runs this function in preemptible context, so it runs no emitter. */
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

/* Run a work item on each CPU of @which. The caller has locked out CPU hotplug. */
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

static bool quiet_ask(const struct cpumask *which)
{
	struct quiet *q = kzalloc(sizeof(*q), GFP_KERNEL);
	const bool done = q && all_quiet(q, which);

	kfree(q);
	return done;
}

/**
 * quiet_wait_on() - wait for all emitters active on some CPUs
 * @which: the CPUs
 *
 * Also waits for all other code that has preemption disabled there. Code that begins later sees all
 * stores made before the call.
 *
 * Context: process, preemption on.
 */
void quiet_wait_on(const struct cpumask *which)
{
	bool done = false;

	/* A CPU that is coming up or going down is not online, but may emit. */
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

/* Wait for all emitters active on any CPU. */
void quiet_wait(void)
{
	quiet_wait_on(cpu_possible_mask);
}
