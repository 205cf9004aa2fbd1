// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtfire.c - emit one event in a given context
 *
 * Values of the parameter "emit":
 *
 *	CONTEXT TYPE SEVERITY OBJECT SIGNAL VALUE TEXT
 *
 * CONTEXT is task, softirq, irq or nmi; numbers are decimal. The event has the elements U32
 * VALUE, U32 0, I32 -VALUE and STR TEXT. It is emitted by the writing CPU before write(2)
 * returns; an NMI, which must be injected, emits on the first CPU that gets it. Without an NMI
 * the result is ETIMEDOUT.
 *
 * CONTEXT may also be the name of a call, such as "rec": the call gets the numbers unchanged,
 * also out of range, in the context of the writing task.
 *
 * CONTEXT "held": a worker on CPU VALUE emits an event with the element U32 VALUE, and keeps it
 * reserved for hold_ms before it commits; the write does not wait. The parameter "held" is odd
 * meanwhile: it is incremented at the begin and at the end.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/devtrace.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif

static unsigned int hold_ms = 300;
module_param(hold_ms, uint, 0644);
MODULE_PARM_DESC(hold_ms, "how long an event is held (default 300)");

static DEFINE_MUTEX(lock);
static DECLARE_COMPLETION(done);
static struct hrtimer timer;
static struct tasklet_struct tasklet;
static int nmi_wanted;

/* The event to emit. */
static struct {
	unsigned int type, severity, object, signal, value;
	char text[32];
} one;

static void emit(void)
{
	struct devtrace_record r;

	if (devtrace_begin(&r, one.type, one.object, one.signal)) {
		r.who |= __DEVTRACE_SEV(one.severity);
		devtrace_put(&r, dt_u32(one.value));
		devtrace_put(&r, dt_u32(0));
		devtrace_put(&r, dt_i32(-one.value));
		devtrace_put_str(&r, one.text);
		devtrace_end(&r);
	}
}

static unsigned int held;

static void emit_held(struct work_struct *w)
{
	const struct dt_elem32 e = dt_u32(one.value);
	u8 *p;

	if (!devtrace_enabled(one.type))
		return;
	p = __devtrace_reserve(one.type, 0, sizeof(e));
	if (!p)
		return;
	memcpy(p, &e, sizeof(e));
	WRITE_ONCE(held, held + 1);
	mdelay(READ_ONCE(hold_ms));
	WRITE_ONCE(held, held + 1);
	__devtrace_commit();
}

static DECLARE_WORK(holder, emit_held);

static void in_softirq_context(struct tasklet_struct *t)
{
	emit();
	complete(&done);
}

static enum hrtimer_restart in_irq_context(struct hrtimer *t)
{
	emit();
	complete(&done);
	return HRTIMER_NORESTART;
}

#ifdef CONFIG_X86
static int in_nmi_context(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(nmi_wanted) || cmpxchg(&nmi_wanted, 1, 2) != 1)
		return NMI_DONE;
	emit();
	/* Not a completion, which takes a lock. Pairs with emit_nmi(). */
	smp_store_release(&nmi_wanted, 0);
	return NMI_HANDLED;
}

static int nmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, in_nmi_context, 0, "dtfire");
}

static void nmi_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, "dtfire");
}
#else
static int nmi_start(void) { return 0; }
static void nmi_stop(void) { }
#endif

static int emit_nmi(void)
{
	const unsigned long end = jiffies + 60 * HZ;

	/* Publish the event before the flag; pairs with the exchange in in_nmi_context(). */
	smp_store_release(&nmi_wanted, 1);
	/* Pairs with in_nmi_context(). */
	while (smp_load_acquire(&nmi_wanted)) {
		if (time_after(jiffies, end) && cmpxchg(&nmi_wanted, 1, 0) == 1)
			return -ETIMEDOUT;
		schedule_timeout_uninterruptible(1);
	}
	return 0;
}

/* Use a call that checks its numbers itself. */
static int emit_by(const char *call)
{
	const u8 type = one.type, severity = one.severity;
	struct devtrace_record r;

	if (!strcmp(call, "rec"))
		devtrace_rec(one.type, dt_u32(one.value));
	else if (!strcmp(call, "rec8"))
		devtrace_rec(type, dt_u32(one.value));
	else if (!strcmp(call, "for"))
		devtrace_rec_for(one.type, one.object, one.signal, dt_u32(one.value));
	else if (!strcmp(call, "exc"))
		devtrace_exc(one.severity, 1, dt_u32(one.value));
	else if (!strcmp(call, "exc8"))
		devtrace_exc(severity, 1, dt_u32(one.value));
	else if (!strcmp(call, "text"))
		devtrace_text(one.severity, "%s", one.text);
	else if (!strcmp(call, "begin") &&
		 devtrace_begin(&r, one.type, one.object, one.signal))
		devtrace_end(&r);
	else if (!strcmp(call, "begin8") &&
		 devtrace_begin(&r, type, one.object, one.signal))
		devtrace_end(&r);
	else if (!strcmp(call, "begin_exc") && devtrace_begin_exc(&r, one.severity, 1))
		devtrace_end(&r);
	return 0;
}

/* True for a name of a call. */
static bool is_call(const char *s)
{
	static const char * const calls[] = {
		"rec", "rec8", "for", "exc", "exc8", "text", "begin", "begin8", "begin_exc",
	};

	return match_string(calls, ARRAY_SIZE(calls), s) >= 0;
}

static int emit_in(const char *context)
{
	reinit_completion(&done);
	if (!strcmp(context, "task")) {
		emit();
		return 0;
	}
	if (!strcmp(context, "nmi"))
		return emit_nmi();
	if (!strcmp(context, "held")) {
		if (one.value >= nr_cpu_ids || !cpu_online(one.value))
			return -EINVAL;
		flush_work(&holder);
		schedule_work_on(one.value, &holder);
		return 0;
	}
	if (!strcmp(context, "softirq"))
		tasklet_schedule(&tasklet);
	else if (!strcmp(context, "irq"))
		hrtimer_start(&timer, ns_to_ktime(20 * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	else
		return -EINVAL;
	wait_for_completion(&done);
	return 0;
}

static int emit_set(const char *val, const struct kernel_param *kp)
{
	char context[16];
	int err = -EINVAL;

	mutex_lock(&lock);
	if (sscanf(val, "%15s %u %u %u %u %u %31s", context, &one.type, &one.severity,
		   &one.object, &one.signal, &one.value, one.text) == 7) {
		if (is_call(context))
			err = emit_by(context);
		else if (__devtrace_type_ok(one.type) && one.severity < 16)
			err = emit_in(context);
	}
	mutex_unlock(&lock);
	return err;
}

static const struct kernel_param_ops emit_ops = { .set = emit_set };
module_param_cb(emit, &emit_ops, NULL, 0200);
MODULE_PARM_DESC(emit, "written to: CONTEXT TYPE SEVERITY OBJECT SIGNAL VALUE TEXT");

module_param(held, uint, 0444);
MODULE_PARM_DESC(held, "odd while an event is held");

static int __init dtfire_init(void)
{
	tasklet_setup(&tasklet, in_softirq_context);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = in_irq_context;
#else
	hrtimer_setup(&timer, in_irq_context, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#endif
	return nmi_start();
}

static void __exit dtfire_exit(void)
{
	nmi_stop();
	flush_work(&holder);
	hrtimer_cancel(&timer);
	tasklet_kill(&tasklet);
}

module_init(dtfire_init);
module_exit(dtfire_exit);

MODULE_DESCRIPTION("Single events for the tests of devtrace");
MODULE_LICENSE("GPL");
