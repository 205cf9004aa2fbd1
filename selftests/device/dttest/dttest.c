// SPDX-License-Identifier: GPL-2.0-only
/*
 * dttest.c - emit numbered events in each context, and count them
 *
 * On each CPU: a bound kernel thread, a hard-interrupt timer, a tasklet scheduled by it, and, if
 * QEMU injects NMIs, an NMI handler. dttest.h describes the events. Each class of writer runs
 * one at a time per CPU, so its numbers are in order in the ring; a number is used whether
 * devtrace stores the event or drops it. Write 1 to the parameter "run", then 0; "counts" then
 * has a line per CPU: its number and the events by class.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/devtrace.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/version.h>
#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif

#include "dttest.h"

static unsigned int max_len = DTTEST_MAX_LEN;
module_param(max_len, uint, 0444);
MODULE_PARM_DESC(max_len, "the longest pattern in an event, up to 230 bytes (default)");

static unsigned int heavy = 15;
module_param(heavy, uint, 0444);
MODULE_PARM_DESC(heavy, "events may be long where this mask of their hash is 0 (default 15)");

static unsigned int burst = 8;
module_param(burst, uint, 0444);
MODULE_PARM_DESC(burst, "the thread emits up to this many events in a row (default 8)");

static unsigned int period_us = 700;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "microseconds from interrupt to interrupt (default 700)");

static unsigned int pause_us = 200;
module_param(pause_us, uint, 0444);
MODULE_PARM_DESC(pause_us, "the thread then sleeps so long; 0: it emits all the time (default 200)");

struct writer {
	u64			emitted[DTTEST_CLASSES];
	int			cpu;
	struct hrtimer		timer;
	struct tasklet_struct	tasklet;
	struct task_struct	*thread;
};

static DEFINE_PER_CPU(struct writer, writers);
static DEFINE_MUTEX(run_lock);
static bool running;

static void emit(struct writer *w, enum dttest_class class)
{
	const u32 nr = w->emitted[class]++;
	const u32 tag = dttest_tag(class, w->cpu);
	const u32 hash = dttest_hash(tag, nr);
	const u32 len = dttest_len(hash, max_len, heavy);
	struct devtrace_record r;
	u8 pattern[DTTEST_MAX_LEN];
	u32 i;

	/* Alternate between the two ways into the ring. */
	if (!len) {
		devtrace_rec(DTTEST_TYPE + class, dt_u32(tag), dt_u32(nr), dt_u32x(hash));
		return;
	}
	for (i = 0; i < len; i++)
		pattern[i] = dttest_byte(hash, i);
	if (devtrace_begin(&r, DTTEST_TYPE + class, (u16)tag, (u16)nr)) {
		devtrace_put(&r, dt_u32(tag));
		devtrace_put(&r, dt_u32(nr));
		devtrace_put_mem(&r, pattern, len);
		devtrace_put(&r, dt_u32x(hash));
		WARN_ON_ONCE(!devtrace_end(&r));
	}
}

static void emit_few(struct writer *w, enum dttest_class class)
{
	u32 n = 1 + (w->emitted[class] & 1);

	while (n--)
		emit(w, class);
}

static void softirq_writer(struct tasklet_struct *t)
{
	emit_few(container_of(t, struct writer, tasklet), DTTEST_SOFTIRQ);
}

static enum hrtimer_restart irq_writer(struct hrtimer *t)
{
	struct writer *w = container_of(t, struct writer, timer);

	emit_few(w, DTTEST_IRQ);
	tasklet_schedule(&w->tasklet);
	/* A different period on each CPU. */
	hrtimer_forward_now(t, ns_to_ktime((u64)(period_us + 7 * w->cpu) * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int task_writer(void *arg)
{
	struct writer *w = arg;
	u32 n;

	hrtimer_start(&w->timer, ns_to_ktime((u64)period_us * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
	/* Use only the CPU time that the test leaves. */
	if (!pause_us)
		set_user_nice(current, 10);
	while (!kthread_should_stop()) {
		n = 1 + dttest_hash(1, w->emitted[DTTEST_TASK]) % burst;
		while (n--)
			emit(w, DTTEST_TASK);
		if (pause_us)
			usleep_range(pause_us, 2 * pause_us);
		else
			cond_resched();
	}
	hrtimer_cancel(&w->timer);
	tasklet_kill(&w->tasklet);
	return 0;
}

#ifdef CONFIG_X86
static int nmi_writer(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(running))
		return NMI_DONE;
	emit_few(this_cpu_ptr(&writers), DTTEST_NMI);
	return NMI_HANDLED;
}

static int nmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_writer, 0, "dttest");
}

static void nmi_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, "dttest");
}
#else
static int nmi_start(void) { return 0; }
static void nmi_stop(void) { }
#endif

/* On return all events are emitted and counted. */
static void stop(void)
{
	struct writer *w;
	int cpu;

	WRITE_ONCE(running, false);
	for_each_possible_cpu(cpu) {
		w = per_cpu_ptr(&writers, cpu);
		if (w->thread)
			kthread_stop(w->thread);
		w->thread = NULL;
	}
	/* Wait for running NMI handlers. */
	synchronize_rcu();
}

static int start(void)
{
	struct task_struct *t;
	struct writer *w;
	int cpu, err = 0;

	cpus_read_lock();
	WRITE_ONCE(running, true);
	for_each_online_cpu(cpu) {
		w = per_cpu_ptr(&writers, cpu);
		t = kthread_create(task_writer, w, "dttest/%d", cpu);
		if (IS_ERR(t)) {
			err = PTR_ERR(t);
			break;
		}
		kthread_bind(t, cpu);
		w->thread = t;
		wake_up_process(t);
	}
	cpus_read_unlock();
	if (err)
		stop();
	return err;
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(val, &on);

	if (err)
		return err;
	mutex_lock(&run_lock);
	if (on && !running)
		err = start();
	else if (!on && running)
		stop();
	mutex_unlock(&run_lock);
	return err;
}

static int run_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(running));
}

static const struct kernel_param_ops run_ops = { .set = run_set, .get = run_get };
module_param_cb(run, &run_ops, NULL, 0644);
MODULE_PARM_DESC(run, "1: emit; 0: stop");

static int counts_get(char *buf, const struct kernel_param *kp)
{
	struct writer *w;
	int cpu, n = 0;

	for_each_possible_cpu(cpu) {
		w = per_cpu_ptr(&writers, cpu);
		n += sysfs_emit_at(buf, n, "%d %llu %llu %llu %llu\n", cpu,
				   w->emitted[DTTEST_TASK], w->emitted[DTTEST_SOFTIRQ],
				   w->emitted[DTTEST_IRQ], w->emitted[DTTEST_NMI]);
	}
	return n;
}

static const struct kernel_param_ops counts_ops = { .get = counts_get };
module_param_cb(counts, &counts_ops, NULL, 0444);
MODULE_PARM_DESC(counts, "events emitted: CPU, task, softirq, irq, nmi");

/* Objects with addresses that readers of the device must not see. */
static noinline void dttest_function(void)
{
	barrier();
}

static int dttest_object;

static int pointers_set(const char *val, const struct kernel_param *kp)
{
	struct devtrace_record r;
	int err;

	err = devtrace_name_obj(&dttest_object, "dttest_object") ?:
	      devtrace_name_fun(dttest_function, "dttest_function") ?:
	      devtrace_name_sig(DTTEST_SIG_POINTERS, &dttest_object, "dttest_signal");
	if (err)
		return err;
	devtrace_rec(DTTEST_TYPE_POINTERS, dt_obj(&dttest_object),
		     dt_fun(dttest_function), dt_sig(DTTEST_SIG_POINTERS, &dttest_object));
	if (devtrace_begin(&r, DTTEST_TYPE_POINTERS, 1, 2)) {
		devtrace_put_obj(&r, &dttest_object);
		devtrace_put_fun(&r, dttest_function);
		devtrace_put_sig(&r, DTTEST_SIG_POINTERS, &dttest_object);
		devtrace_end(&r);
	}
	return 0;
}

static const struct kernel_param_ops pointers_ops = { .set = pointers_set };
module_param_cb(pointers, &pointers_ops, NULL, 0200);
MODULE_PARM_DESC(pointers, "written to: emit two events with addresses in them");

static int __init dttest_init(void)
{
	struct writer *w;
	int cpu;

	if (max_len > DTTEST_MAX_LEN || !burst || !period_us) {
		pr_err("max_len is %d at most, burst and period_us 1 at least\n",
		       DTTEST_MAX_LEN);
		return -EINVAL;
	}
	for_each_possible_cpu(cpu) {
		w = per_cpu_ptr(&writers, cpu);
		w->cpu = cpu;
		tasklet_setup(&w->tasklet, softirq_writer);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
		hrtimer_init(&w->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		w->timer.function = irq_writer;
#else
		hrtimer_setup(&w->timer, irq_writer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
#endif
	}
	return nmi_start();
}

static void __exit dttest_exit(void)
{
	nmi_stop();
	mutex_lock(&run_lock);
	if (running)
		stop();
	mutex_unlock(&run_lock);
}

module_init(dttest_init);
module_exit(dttest_exit);

MODULE_DESCRIPTION("Writers for the tests of devtrace");
MODULE_LICENSE("GPL");
