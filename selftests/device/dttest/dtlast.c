// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtlast.c - emit while the machine goes down
 *
 * Values of the parameter "how"; a thread on each other CPU emits at full speed:
 *
 *	panic		a panic; its notifiers run with all other CPUs stopped, some of
 *			them in the middle of an emit
 *	restart		an orderly restart; its notifiers run first
 *	emergency	a restart from a hard interrupt, without notifiers
 *
 * The notifier or interrupt then emits EVENTS events and prints on the console how many were
 * recorded. They are never read: the test is that no emit waits, and that none is lost.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/devtrace.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic_notifier.h>
#endif

#define TYPE	(DEVTRACE_T_USER + 7)
#define EVENTS	10000

static struct task_struct *threads[NR_CPUS];
static struct hrtimer timer;

static unsigned int recorded;

static void *reserve_counted(unsigned int type, u32 who, unsigned int len, u32 key)
{
	void *p = __devtrace_reserve(type, who, len);

	recorded += !!p;
	return p;
}

/* Like devtrace_rec(), which does not return whether the event was recorded. */
static void last_words(const char *where)
{
	const unsigned int cpu = smp_processor_id();
	unsigned int i;

	recorded = 0;
	for (i = 0; i < EVENTS; i++)
		if (devtrace_enabled(TYPE))
			__devtrace_store(reserve_counted, TYPE, 0, 0, dt_u32(i), dt_u32(cpu));
	pr_emerg("dtlast: %s: %u of %u events on CPU %u\n", where, recorded, EVENTS, cpu);
}

static int on_panic(struct notifier_block *nb, unsigned long event, void *text)
{
	last_words("panic");
	return NOTIFY_DONE;
}

static int on_restart(struct notifier_block *nb, unsigned long event, void *cmd)
{
	preempt_disable();
	last_words("restart");
	preempt_enable();
	return NOTIFY_DONE;
}

static struct notifier_block panic_block = { .notifier_call = on_panic };
static struct notifier_block restart_block = { .notifier_call = on_restart };

/* Twice: with PREEMPT_RT a thread prints the messages, which otherwise has no time. */
static enum hrtimer_restart on_timer(struct hrtimer *t)
{
	static bool again;

	last_words("emergency");
	if (!again) {
		again = true;
		hrtimer_forward_now(t, ms_to_ktime(500));
		return HRTIMER_RESTART;
	}
	emergency_restart();
	return HRTIMER_NORESTART;
}

static int emit_on(void *unused)
{
	unsigned int i, n = 0;

	while (!kthread_should_stop()) {
		for (i = 0; i < 1000; i++)
			devtrace_rec(TYPE, dt_u32(n++), dt_u32(0));
		cond_resched();
	}
	return 0;
}

static void stop_threads(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (!IS_ERR_OR_NULL(threads[cpu]))
			kthread_stop(threads[cpu]);
		threads[cpu] = NULL;
	}
}

/* On each CPU but this one. */
static int start_threads(void)
{
	const unsigned int here = get_cpu();
	unsigned int cpu;

	put_cpu();
	for_each_online_cpu(cpu) {
		if (cpu == here)
			continue;
		threads[cpu] = kthread_create(emit_on, NULL, "dtlast/%u", cpu);
		if (IS_ERR(threads[cpu])) {
			const int err = PTR_ERR(threads[cpu]);

			stop_threads();
			return err;
		}
		kthread_bind(threads[cpu], cpu);
		wake_up_process(threads[cpu]);
	}
	msleep(20);
	return 0;
}

static int how_set(const char *val, const struct kernel_param *kp)
{
	const bool panics = sysfs_streq(val, "panic"), restarts = sysfs_streq(val, "restart");
	int err;

	if (!panics && !restarts && !sysfs_streq(val, "emergency"))
		return -EINVAL;
	err = start_threads();
	if (err)
		return err;
	if (panics)
		panic("dtlast: as asked");
	if (restarts)
		kernel_restart(NULL);
	else
		hrtimer_start(&timer, 0, HRTIMER_MODE_REL_HARD);
	msleep(60 * MSEC_PER_SEC);
	stop_threads();
	return -ETIMEDOUT;
}

static const struct kernel_param_ops how_ops = { .set = how_set };
module_param_cb(how, &how_ops, NULL, 0200);
MODULE_PARM_DESC(how, "panic, restart or emergency: end the machine that way");

static int __init dtlast_init(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = on_timer;
#else
	hrtimer_setup(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#endif
	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	return register_reboot_notifier(&restart_block);
}

static void __exit dtlast_exit(void)
{
	unregister_reboot_notifier(&restart_block);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	hrtimer_cancel(&timer);
}

module_init(dtlast_init);
module_exit(dtlast_exit);
MODULE_DESCRIPTION("Emits when the machine panics or restarts");
MODULE_LICENSE("GPL");
