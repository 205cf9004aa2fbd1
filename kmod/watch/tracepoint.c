// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoint devtrace:event: a watch while the tracepoint has a probe
 *
 * The kernel calls watch_tracepoint_on() for the first probe and watch_tracepoint_off() after the
 * last one, with a lock of tracepoints held. Code that changes a filter takes that lock under
 * devtrace_lock. So a work item registers and unregisters the watch, some milliseconds later. The
 * parameter "attached" says whether it is registered.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/devtrace_watch.h>

#include "stream/words.h"
#include "tracepoint.h"

#define CREATE_TRACE_POINTS
#include "event_trace.h"

static void tracepoint_follow(struct work_struct *w);
static DECLARE_WORK(work, tracepoint_follow);

/* Protects @probed and @leaving. */
static DEFINE_SPINLOCK(queue_lock);
static bool probed;		/* the tracepoint has a probe */
static bool leaving;		/* the module is being removed: do not queue the work item */

/* Protects the watch, @attached and @severities. */
static DEFINE_MUTEX(lock);
static bool attached;
static u32 severities = DEVTRACE_WATCH_ANY_SEVERITY & ~DEVTRACE_WATCH_NO_SEVERITY;

/* Number of events emitted where RCU is not watching, so that no probe may run. */
static atomic_t unseen = ATOMIC_INIT(0);

static void trace_it(struct devtrace_watch *w, const struct devtrace_watch_event *ev)
{
	if (likely(rcu_is_watching()))
		trace_event(ev);
	else
		atomic_inc(&unseen);
}

static struct devtrace_watch watch = { .event = trace_it };

static bool is_probed(void)
{
	bool is;

	spin_lock(&queue_lock);
	is = probed && !leaving;
	spin_unlock(&queue_lock);
	return is;
}

/* Call with lock held. */
static int tracepoint_attach(void)
{
	int err;

	devtrace_watch_all(&watch);
	__set_bit(DEVTRACE_T_FAULT, watch.types);
	watch.severities = severities;
	err = devtrace_watch_register(&watch);
	attached = !err;
	if (err)
		pr_warn("devtrace:event reports no events: error %d%s\n", err,
			err == -ENOSPC ? ", all 8 watches or 16 triggers are in use" : "");
	return err;
}

static void tracepoint_detach(void)
{
	if (attached)
		devtrace_watch_unregister(&watch);
	attached = false;
}

static void tracepoint_follow(struct work_struct *w)
{
	const bool on = is_probed();

	mutex_lock(&lock);
	if (on && !attached)
		tracepoint_attach();
	else if (!on)
		tracepoint_detach();
	mutex_unlock(&lock);
}

static void probes_change(bool on)
{
	spin_lock(&queue_lock);
	probed = on;
	if (!leaving)
		schedule_work(&work);
	spin_unlock(&queue_lock);
}

int watch_tracepoint_on(void)
{
	probes_change(true);
	return 0;
}

void watch_tracepoint_off(void)
{
	probes_change(false);
}

/* Only after this does tracefs remove its probes. */
void watch_tracepoint_exit(void)
{
	spin_lock(&queue_lock);
	leaving = true;
	spin_unlock(&queue_lock);
	cancel_work_sync(&work);
	mutex_lock(&lock);
	tracepoint_detach();
	mutex_unlock(&lock);
}

static const struct {
	u8		severity;
	const char	*name;
} names[] = {
	{ 0, "none" }, DEVTRACE_SEVERITY_NAMES
};

/* The severities that a word names; 0: unknown word. */
static u32 severities_of(const char *word)
{
	unsigned int i;

	if (!strcmp(word, "all"))
		return DEVTRACE_WATCH_ANY_SEVERITY;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(word, names[i].name))
			return BIT(names[i].severity);
	return 0;
}

static int tracepoint_parse(const char *val, u32 *set)
{
	char word[WORDS_ROOM];

	*set = 0;
	while (words_next(&val, word)) {
		const u32 bits = severities_of(word);

		*set |= bits;
		if (!bits) {
			pr_err("unknown severity '%s'; write sw0 to sw3, hw0 to hw3, none or all\n",
			       word);
			return -EINVAL;
		}
	}
	if (!*set) {
		pr_err("severity is empty; write sw0 to sw3, hw0 to hw3, none or all\n");
		return -EINVAL;
	}
	return 0;
}

static int severity_set(const char *val, const struct kernel_param *kp)
{
	u32 set;
	int err = tracepoint_parse(val, &set);

	if (err)
		return err;
	mutex_lock(&lock);
	severities = set;
	if (attached) {
		tracepoint_detach();
		err = tracepoint_attach();
	}
	mutex_unlock(&lock);
	return err;
}

static int severity_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	mutex_lock(&lock);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (severities & BIT(names[i].severity))
			n += scnprintf(buf + n, PAGE_SIZE - n, "%s%s", n ? " " : "",
				       names[i].name);
	mutex_unlock(&lock);
	return n + scnprintf(buf + n, PAGE_SIZE - n, "\n");
}

static const struct kernel_param_ops severity_ops = {
	.set = severity_set,
	.get = severity_get,
};
module_param_cb(severity, &severity_ops, NULL, 0644);
MODULE_PARM_DESC(severity, "severities of the events that devtrace:event reports: sw0 to sw3, hw0 to hw3, none, or all (default all but none)");

static int attached_get(char *buf, const struct kernel_param *kp)
{
	int n;

	mutex_lock(&lock);
	n = scnprintf(buf, PAGE_SIZE, "%c\n", attached ? 'Y' : 'N');
	mutex_unlock(&lock);
	return n;
}

static const struct kernel_param_ops attached_ops = { .get = attached_get };
module_param_cb(attached, &attached_ops, NULL, 0444);
MODULE_PARM_DESC(attached, "Y: a program is attached to devtrace:event");

static int unseen_get(char *buf, const struct kernel_param *kp)
{
	return scnprintf(buf, PAGE_SIZE, "%u\n", atomic_read(&unseen));
}

static const struct kernel_param_ops unseen_ops = { .get = unseen_get };
module_param_cb(unseen, &unseen_ops, NULL, 0444);
MODULE_PARM_DESC(unseen, "number of events that devtrace:event did not report, because an idle CPU emitted them while RCU was not watching");
