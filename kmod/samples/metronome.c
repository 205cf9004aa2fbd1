// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sample driver that traces its own measurements
 *
 * The handler of a high-resolution timer, in hard interrupt context, records how late it is.
 * After some beats, a work item in process context emits a summary. Loading and unloading are
 * traced, too. metronome.fmt, beside this file, tells traceinfo(1) how to print the events; it
 * belongs in /usr/trace. If a beat is late by a whole period, too, the driver emits a line whose
 * text is only here: traceinfo finds it in metronome.ko.
 *
 * The parameter sum_us adds a fault that real drivers have: long work with preemption off. The
 * trace shows it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/devtrace_log.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/workqueue.h>

#include "../compat/compat.h"

/* The major of the driver's exceptions, and their minors. */
#define METRONOME_MAJOR		0x4d4554
#define METRONOME_STARTED	1
#define METRONOME_LATE		2
#define METRONOME_STOPPED	3

/* The driver's record types. */
#define METRONOME_BEAT		(DEVTRACE_T_USER + 0)
#define METRONOME_SUM		(DEVTRACE_T_USER + 1)

/* The driver's object and its signals. */
#define METRONOME_OBJ		0x101
enum { SIG_TICK = 1, SIG_TOCK = 2 };
enum { STATE_FAST = 0, STATE_SLOW = 1 };
#define STATE_GROUP		0

static unsigned int period_us = 10000;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "time between two beats in microseconds (default 10000)");

static unsigned int late_us = 200;
module_param(late_us, uint, 0444);
MODULE_PARM_DESC(late_us, "delay of a beat in microseconds above which it emits an exception (default 200)");

static unsigned int sum_beats = 16;
module_param(sum_beats, uint, 0444);
MODULE_PARM_DESC(sum_beats, "number of beats between two summaries (default 16)");

static unsigned int sum_us;
module_param(sum_us, uint, 0444);
MODULE_PARM_DESC(sum_us, "time in microseconds for which a summary keeps its CPU busy, up to 1000000 (default 0)");

static struct hrtimer timer;
static ktime_t period;
static u32 beats;
static u64 late_sum;
static u32 late_max;

/* The fault: hold the CPU. Interrupts are served, but woken threads wait. */
static void hold_cpu(void)
{
	ktime_t end;

	preempt_disable();
	end = ktime_add_us(ktime_get(), sum_us);
	while (ktime_before(ktime_get(), end))
		cpu_relax();
	preempt_enable();
}

/* Emit a summary of the last beats. Process context. */
static void sum_up(struct work_struct *work)
{
	const u32 n = READ_ONCE(beats);
	struct devtrace_record r;

	if (sum_us)
		hold_cpu();
	if (!devtrace_begin(&r, METRONOME_SUM, METRONOME_OBJ, SIG_TOCK))
		return;
	devtrace_put(&r, dt_u32(n));
	devtrace_put(&r, dt_u64(n ? div_u64(late_sum, n) : 0));
	devtrace_put(&r, dt_u32(late_max));
	devtrace_put(&r, dt_enum(STATE_GROUP, period_us < 1000 ? STATE_FAST : STATE_SLOW));
	devtrace_put_str(&r, KBUILD_MODNAME);
	devtrace_put_fun(&r, sum_up);
	devtrace_end(&r);
}

static DECLARE_WORK(sum_work, sum_up);

/* Hard interrupt context. */
static enum hrtimer_restart beat(struct hrtimer *t)
{
	u32 late = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(t)));

	beats++;
	late_sum += late;
	late_max = max(late_max, late);
	devtrace_rec_for(METRONOME_BEAT, METRONOME_OBJ, SIG_TICK,
			 dt_u32(beats), dt_u32(late));
	if (late > (u64)late_us * NSEC_PER_USEC) {
		devtrace_exc(DEVTRACE_HW_SEVERITY1,
			     DEVTRACE_CODE(METRONOME_MAJOR, METRONOME_LATE),
			     dt_u32(beats), dt_u32(late));
		if (late >= (u64)period_us * NSEC_PER_USEC)
			DT_WARN("no. %u is a whole period late: %u ns", beats, late);
	}
	if (sum_beats && beats % sum_beats == 0)
		schedule_work(&sum_work);
	hrtimer_forward_now(t, period);
	return HRTIMER_RESTART;
}

static int __init metronome_init(void)
{
	int err;

	if (!period_us) {
		pr_err("period_us=0: the shortest period is 1 microsecond\n");
		return -EINVAL;
	}
	if (sum_us > USEC_PER_SEC) {
		pr_err("sum_us=%u: the largest value is 1000000, a second\n", sum_us);
		return -EINVAL;
	}
	err = devtrace_name_obj((void *)METRONOME_OBJ, "metronome") ?:
	      devtrace_name_sig(SIG_TICK, (void *)METRONOME_OBJ, "TICK") ?:
	      devtrace_name_sig(SIG_TOCK, (void *)METRONOME_OBJ, "TOCK") ?:
	      devtrace_name_enum(STATE_GROUP, STATE_FAST, "fast") ?:
	      devtrace_name_enum(STATE_GROUP, STATE_SLOW, "slow") ?:
	      devtrace_name_fun(sum_up, "sum_up");
	if (err)
		pr_warn("names cannot be emitted: error %d\n", err);

	devtrace_exc(DEVTRACE_HW_SEVERITY0,
		     DEVTRACE_CODE(METRONOME_MAJOR, METRONOME_STARTED),
		     dt_u32(period_us), dt_u32(hrtimer_resolution));
	devtrace_text(DEVTRACE_SW_SEVERITY0, "metronome beats every %u us", period_us);

	compat_hrtimer_setup(&timer, beat, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	period = ns_to_ktime((u64)period_us * NSEC_PER_USEC);
	hrtimer_start(&timer, period, HRTIMER_MODE_REL_HARD);
	return 0;
}

static void __exit metronome_exit(void)
{
	hrtimer_cancel(&timer);
	cancel_work_sync(&sum_work);
	devtrace_exc(DEVTRACE_HW_SEVERITY0,
		     DEVTRACE_CODE(METRONOME_MAJOR, METRONOME_STOPPED), dt_u32(beats));
}

module_init(metronome_init);
module_exit(metronome_exit);

MODULE_DESCRIPTION("Sample of a driver that uses devtrace");
MODULE_LICENSE("GPL");
