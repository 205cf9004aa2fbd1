// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches: functions that are called for an event where it is emitted
 *
 * All watches share one bit in the filter table, one of those of triggers. Its filter is the union
 * of their terms; store_all() passes an event with that bit to watch_event(), which checks the
 * terms of each watch. The first watch takes the bit, and the last one returns it: without a watch
 * no emitter takes the slow path for it.
 *
 * Emitters have preemption off. Code that removes a watch waits, by filter_set() or quiet_wait(),
 * for emitters that may have found it.
 *
 * An event that a callback emits would call the callback again, endlessly. So each CPU notes for
 * each context (task, softirq, interrupt, NMI) whether a callback runs in it. An event emitted
 * meanwhile in the same context is stored and counted, but calls no callback. An interrupt on top
 * of a callback is another context, and is watched.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/devtrace_watch.h>

#include "compat/compat.h"
#include "emit/control_ops.h"
#include "emit/emit.h"
#include "emit/event.h"
#include "emit/filter.h"
#include "manage/filter_policy.h"
#include "manage/filter_set.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "stream/quiet.h"
#include "stream/table.h"
#include "watch.h"

/* The lowest severity of a filter that wants none. */
#define NO_LEVEL	(DEVTRACE_SEV_LEVEL + 1)
#define FLAGS(who)	((who) >> RING_WHO_CTX_SHIFT & 0x3f)

/**
 * struct inside - callbacks that run on a CPU
 * @contexts: bit n: a callback runs in context n of enum devtrace_context
 * @nested: number of events emitted in a context where a callback ran
 */
struct inside {
	u32	contexts;
	u64	nested;
};

static DEFINE_PER_CPU(struct inside, inside);

/* Written under devtrace_lock. */
static struct devtrace_watch __rcu *watches[DEVTRACE_WATCHES_MAX];
static u32 our_bit;		/* 0: no watch */

static bool is_wanted(const struct devtrace_watch *w, const struct devtrace_watch_event *e)
{
	const u32 origin = e->flags & DEVTRACE_F_USER ? DEVTRACE_WATCH_USER :
							DEVTRACE_WATCH_KERNEL;

	return test_bit(e->type, w->types) && w->severities >> e->severity & 1 &&
	       w->origins & origin;
}

/* Bytes of code, object and signal before the elements. */
static void watch_unpack(const struct event *ev, struct devtrace_watch_event *e)
{
	const u8 *p = ev->data, *end = ev->data + ev->len;

	*e = (struct devtrace_watch_event){
		.ts = devtrace_clock_now(),
		.type = ev->type,
		.severity = ev->who >> RING_WHO_SEV_SHIFT,
		.flags = FLAGS(ev->who),
	};
	if (e->flags & DEVTRACE_F_CODE && end - p >= (long)sizeof(__le32)) {
		e->code = get_unaligned_le32(p);
		p += sizeof(__le32);
	}
	if (e->flags & DEVTRACE_F_OBJSIG && end - p >= (long)(2 * sizeof(__le16))) {
		e->object = get_unaligned_le16(p);
		e->signal = get_unaligned_le16(p + sizeof(__le16));
		p += 2 * sizeof(__le16);
	}
	e->payload = p;
	e->len = end - p;
}

static void call_all(const struct event *ev)
{
	struct devtrace_watch_event e;
	unsigned int i;

	watch_unpack(ev, &e);
	for (i = 0; i < DEVTRACE_WATCHES_MAX; i++) {
		/* Emitters have preemption off, even where RCU is not watching. */
		struct devtrace_watch *w = rcu_dereference_sched_check(watches[i], true);

		if (w && is_wanted(w, &e))
			w->event(w, &e);
	}
}

/* Any context, NMI included; preemption off. */
static void watch_event(u32 set, const struct event *ev)
{
	const u32 context = BIT(emit_context() >> RING_WHO_CTX_SHIFT);
	struct inside *in = this_cpu_ptr(&inside);

	if (!(set & READ_ONCE(our_bit)))
		return;
	/* An interrupt after this check uses another bit, and leaves this one unchanged. */
	if (data_race(in->contexts) & context) {
		this_cpu_inc(inside.nested);
		return;
	}
	this_cpu_or(inside.contexts, context);
	barrier();
	call_all(ev);
	barrier();
	this_cpu_and(inside.contexts, ~context);
}

static struct devtrace_watch *watch_at(unsigned int i)
{
	return rcu_dereference_protected(watches[i], lockdep_is_held(&devtrace_lock));
}

/* The lowest level of a mask of severities, for the four severities from @first on. */
static unsigned int watch_lowest(u32 severities, unsigned int first)
{
	const u32 levels = severities >> first & 0xf;

	return levels ? __ffs(levels) : NO_LEVEL;
}

/* The filter for all watches together; NULL: no memory. */
static struct filter *filter_of_all(void)
{
	struct filter *f = kzalloc(sizeof(*f), GFP_KERNEL);
	struct devtrace_watch *w;
	u32 severities = 0;
	unsigned int i;

	BUILD_BUG_ON(DEVTRACE_WATCH_KERNEL != DEVTRACE_ORIGIN_KERNEL ||
		     DEVTRACE_WATCH_USER != DEVTRACE_ORIGIN_USER);
	BUILD_BUG_ON(DEVTRACE_WATCH_ANY_SEVERITY != EMIT_SEVERITIES);
	if (!f)
		return NULL;
	for (i = 0; i < DEVTRACE_WATCHES_MAX; i++) {
		w = watch_at(i);
		if (!w)
			continue;
		bitmap_or(f->types, f->types, w->types, 256);
		severities |= w->severities;
		f->origins |= w->origins;
	}
	f->sw_severity = watch_lowest(severities, DEVTRACE_SW0);
	f->hw_severity = watch_lowest(severities, DEVTRACE_HW0);
	return f;
}

/* Take the bit of a trigger number that is free; 0: none is free. */
static unsigned int take_bit(void)
{
	const u32 free = ~devtrace_filters.triggers & (BIT(DEVTRACE_TRIGGERS_MAX) - 1);

	if (!free)
		return 0;
	/* The highest free one: triggers take the lowest. */
	__set_bit(__fls(free), &devtrace_filters.triggers);
	return BIT(FILTER_TRIGGER_BIT + __fls(free));
}

static void give_bit_back(void)
{
	__clear_bit(__ffs(our_bit) - FILTER_TRIGGER_BIT, &devtrace_filters.triggers);
	WRITE_ONCE(our_bit, 0);
}

/* Put the filter of all watches into the table. */
static int put_in_force(void)
{
	struct filter *f;
	int err;

	if (!our_bit) {
		WRITE_ONCE(our_bit, take_bit());
		if (!our_bit)
			return -ENOSPC;
	}
	f = filter_of_all();
	if (!f)
		return -ENOMEM;
	WRITE_ONCE(devtrace_watching, watch_event);
	err = filter_set(__ffs(our_bit), f);
	kfree(f);
	return err;
}

/*
 * Give the bit back after the last watch. If there is no memory for a table without the bit, it
 * stays taken until the next change: only some events take the slow path.
 */
static int watch_leave(void)
{
	int err = filter_set(__ffs(our_bit), NULL);

	WRITE_ONCE(devtrace_watching, NULL);
	/* Wait for emitters that found the pointer. */
	quiet_wait();
	if (!err)
		give_bit_back();
	return err;
}

static bool is_valid(const struct devtrace_watch *w)
{
	return w && w->event && !bitmap_empty(w->types, 256) && w->severities &&
	       !(w->severities & ~DEVTRACE_WATCH_ANY_SEVERITY) && w->origins &&
	       !(w->origins & ~(DEVTRACE_WATCH_KERNEL | DEVTRACE_WATCH_USER));
}

/* Index of @w, or for NULL of the first free place; DEVTRACE_WATCHES_MAX: none. */
static unsigned int place_of(const struct devtrace_watch *w)
{
	unsigned int i;

	for (i = 0; i < DEVTRACE_WATCHES_MAX && watch_at(i) != w; i++)
		;
	return i;
}

static bool is_any(void)
{
	unsigned int i;

	for (i = 0; i < DEVTRACE_WATCHES_MAX && !watch_at(i); i++)
		;
	return i < DEVTRACE_WATCHES_MAX;
}

/* After the return the watch is not called any more. */
static void take_out(unsigned int i)
{
	int err;

	RCU_INIT_POINTER(watches[i], NULL);
	if (!is_any())
		err = watch_leave();
	else
		err = put_in_force();
	/* The old, wider filter stays until the next change; still wait for emitters. */
	if (err)
		quiet_wait();
}

static int watch_add(struct devtrace_watch *w)
{
	unsigned int i;
	int err;

	if (place_of(w) < DEVTRACE_WATCHES_MAX)
		return -EBUSY;
	i = place_of(NULL);
	if (i == DEVTRACE_WATCHES_MAX)
		return -ENOSPC;
	rcu_assign_pointer(watches[i], w);
	err = put_in_force();
	if (!err)
		return 0;
	/* The filter of another watch may have let the watch be called already. */
	if (our_bit)
		take_out(i);
	else
		RCU_INIT_POINTER(watches[i], NULL);
	return err;
}

/**
 * devtrace_watch_register() - have a callback called for events
 * @w: the terms and the callback; must stay in place until it is unregistered
 *
 * The callback is called once for each event that meets the terms and is emitted after the return;
 * it may be called before. struct devtrace_watch says what it may do. It is also called for an
 * event that finds no room in a stream, or that no stream wants. It is not called for an event that
 * is dropped because six others are under way on its CPU, or, on 32-bit machines, because an NMI
 * emits it; for an event that a callback emits; and for an event that a program was writing into
 * its lane at the registration.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if there is no callback, type, severity or origin, or one that does
 * not exist; -EBUSY if it is registered; -ENOSPC if DEVTRACE_WATCHES_MAX watches are, or
 * there are 16 triggers and no watch, all watches together being one of these; -ENOMEM.
 */
int devtrace_watch_register(struct devtrace_watch *w)
{
	int err;

	if (!is_valid(w))
		return -EINVAL;
	mutex_lock(&devtrace_lock);
	err = watch_add(w);
	mutex_unlock(&devtrace_lock);
	return err;
}
EXPORT_SYMBOL_GPL(devtrace_watch_register);

/**
 * devtrace_watch_unregister() - stop the calls of a callback
 * @w: a registered watch
 *
 * On return the callback does not run and is not called again: its memory and code may be freed.
 *
 * Context: process, may sleep; not from a callback.
 * Return: 0, or -ENOENT if @w is not registered.
 */
int devtrace_watch_unregister(struct devtrace_watch *w)
{
	unsigned int i = DEVTRACE_WATCHES_MAX;

	mutex_lock(&devtrace_lock);
	if (w)
		i = place_of(w);
	if (i < DEVTRACE_WATCHES_MAX)
		take_out(i);
	mutex_unlock(&devtrace_lock);
	return i < DEVTRACE_WATCHES_MAX ? 0 : -ENOENT;
}
EXPORT_SYMBOL_GPL(devtrace_watch_unregister);

static int nested_get(char *buf, const struct kernel_param *kp)
{
	u64 n = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		/* Its CPU may count meanwhile. */
		n += data_race(per_cpu(inside.nested, cpu));
	}
	return scnprintf(buf, PAGE_SIZE, "%llu\n", n);
}

static const struct kernel_param_ops nested_ops = { .get = nested_get };
module_param_cb(nested, &nested_ops, NULL, 0444);
MODULE_PARM_DESC(nested, "number of events emitted by watches' callbacks; they are stored, but no watch is called for them");

/* The module is being removed. A driver's watch would hold a reference to it, so none is left. */
void watch_exit(void)
{
	mutex_lock(&devtrace_lock);
	/* Without memory, watch_leave() leaves the bit, but emitters no longer call this module. */
	if (our_bit && watch_leave())
		pr_warn("no memory for a filter table: one trigger fewer is available until devtrace is loaded again\n");
	mutex_unlock(&devtrace_lock);
}
