// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers: start an action when an event meets a condition
 *
 * The emit path, in any context, takes no lock. One atomic word decides whether a trigger fires: if
 * several CPUs, or an event and an NMI on top of it, meet the condition at the same time, only one
 * fires. The emit path starts or stops a stream at once. A change of a filter or a notification
 * needs process context, so an irq_work queues a work item for it. The emit path stores the number
 * of a trigger's firings and the time of the last one. One notification reports all firings since
 * the last run of the work item.
 *
 * One irq_work and one work item serve all triggers. The work item and the removal of a trigger
 * both hold devtrace_lock, so the work item never uses a removed trigger.
 *
 * Emitters find an armed trigger by its bit in the filter table. filter_set() returns only when no
 * emitter uses an older table. So after filter_set() has cleared a trigger's bit, no emitter uses
 * the trigger: its counters can be reset, or the trigger can be freed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat/compat_atomic.h"
#include "element.h"
#include "emit/event.h"
#include "emit/filter.h"
#include "emit/store.h"
#include "manage/filter_policy.h"
#include "manage/filter_set.h"
#include "manage/fire.h"
#include "manage/streams.h"
#include "netlink_check.h"
#include "netlink_filter.h"
#include "rate.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "stream/table.h"
#include "trigger.h"

/* Minimum time between two runs of the work item: a trigger may fire with every event. */
#define WORK_GAP	(HZ / 50 ?: 1)

static struct trigger __rcu *triggers[DEVTRACE_TRIGGERS_MAX];
/*
 * For each trigger, its test of an element, if the test is a range. Written while no emitter uses
 * the trigger.
 */
static struct element_range trigger_ranges[DEVTRACE_TRIGGERS_MAX] = {
	[0 ... DEVTRACE_TRIGGERS_MAX - 1] = { .index = ELEMENT_NO_RANGE },
};

/**
 * struct kept - the filter that a stream had before triggers replaced it
 * @filter: copy of that filter; NULL if no trigger has replaced it
 * @generation: generation of the last replacement; if the stream's filter has another generation,
 *	a command has set the filter after the replacement
 *
 * Protected by devtrace_lock.
 */
static struct kept {
	struct filter	*filter;
	u32		generation;
} kept[DEVTRACE_STREAMS_MAX];

static struct irq_work kick;
static trigger_told_t trigger_told;
static struct delayed_work work;
static unsigned long last_run;		/* start of the work item's last run, jiffies */

/* Has a trigger without rearm fired? */
static bool is_spent(const struct trigger *t)
{
	return (u64)atomic64_read(&t->count) >= t->nth;
}

/*
 * Does the event have a code, an object and a severity, as far as the terms of the condition test
 * them? A filter passes an event without the tested member, but a trigger must not fire then.
 */
static bool has_all(const struct trigger *t, unsigned int type, u32 who)
{
	/* The number of a type is no code to which a term could refer. */
	if (type == DEVTRACE_T_NAMED)
		who &= ~RING_WHO_CODE;
	return !(t->must_have & ~who) && t->severities >> (who >> RING_WHO_SEV_SHIFT) & 1;
}

/* Would the action change the stream? If not, the event neither fires the trigger nor counts. */
static bool makes_sense(const struct trigger *t)
{
	switch (t->action) {
	case DEVTRACE_ACTION_START:
		return !stream_runs(t->stream_id);
	case DEVTRACE_ACTION_STOP:
	case DEVTRACE_ACTION_FREEZE:
		return stream_runs(t->stream_id);
	default:
		return true;
	}
}

/* Is this the first event above the rate in its second? Each second begins with an event. */
static bool above_rate(struct trigger *t)
{
	const u64 now = devtrace_clock();
	s64 old = atomic64_read(&t->second);
	u64 new;

	do {
		new = rate_next(old, now, t->rate);
		if (new == (u64)old)
			return false;
	} while (!atomic64_try_cmpxchg(&t->second, &old, new));
	return rate_count(new) > t->rate;
}

/* Count an event; return true only for the n-th event. */
static bool is_nth(struct trigger *t)
{
	s64 old = atomic64_read(&t->count);
	u64 n;

	do {
		n = old;
		if (n >= t->nth)
			return false;
		n++;
	} while (!atomic64_try_cmpxchg(&t->count, &old, n == t->nth && t->rearm ? 0 : n));
	return n == t->nth;
}

/* Act on the stream. Return false if another change of the stream came first. */
static bool trigger_act(struct trigger *t, struct firing *f)
{
	switch (t->action) {
	case DEVTRACE_ACTION_START:
		return stream_fire_start(t->stream_id, t->name);
	case DEVTRACE_ACTION_STOP:
		return stream_fire_stop(t->stream_id, DEVTRACE_STATE_STOPPED, t->events, t->ns,
					t->name, f);
	case DEVTRACE_ACTION_FREEZE:
		return stream_fire_stop(t->stream_id, DEVTRACE_STATE_FROZEN, t->events, t->ns,
					t->name, f);
	default:
		return true;
	}
}

static void count_firing(struct trigger *t, u64 now)
{
	s64 at = atomic64_read(&t->fired_at);

	while (now > (u64)at && !atomic64_try_cmpxchg(&t->fired_at, &at, now))
		;
	/* If trigger_finish() reads this count, then it reads this firing's time or a later one. */
	smp_mb__before_atomic();
	atomic64_inc(&t->fired);
	/* If the work item is queued already, its next run sees this count. */
	irq_work_queue(&kick);
}

/* Handle an event that meets the terms and the element test of a trigger. */
static noinline notrace void trigger_meet(struct trigger *t, const struct event *ev,
					  struct firing *f)
{
	u64 now;

	if (!has_all(t, ev->type, ev->who) || is_spent(t))
		return;
	if (!makes_sense(t))
		return;
	atomic64_inc(&t->seen);
	if (t->rate && !above_rate(t))
		return;
	if (!is_nth(t))
		return;
	/* The event gets its time stamp later, when it is stored: the stamp is not before @now. */
	now = devtrace_clock_now();
	if (trigger_act(t, f))
		count_firing(t, now);
	else
		atomic64_set(&t->count, 0);
}

/* Does an event meet the element test of trigger @n? @found: the element last looked up */
static noinline notrace bool trigger_looks(unsigned int n, const struct event *ev,
					   struct element_found *found)
{
	/* Preemption is off, which protects the trigger even where RCU is not watching. */
	const struct trigger *t = rcu_dereference_sched_check(triggers[n], true);

	/* If there is no trigger, a watch uses this bit. */
	if (!t || !t->element.given)
		return t;
	if (found->index != t->element.index)
		element_find(ev, t->element.index, found);
	return element_compare(&t->element, found);
}

/**
 * trigger_event() - handle an event that meets the terms of triggers
 * @set: bit mask of these triggers
 * @ev: the event, not stored yet
 * @f: set to what the triggers do to streams
 *
 * Most triggers wait for a rare value of an element, which most events do not have. So the loop
 * reads only trigger_ranges[], and looks an element up once for consecutive triggers that test it.
 *
 * Context: any, NMI included; preemption off.
 */
notrace void trigger_event(u32 set, const struct event *ev, struct firing *f)
{
	struct element_found found = { .index = ELEMENT_NOT_FOUND };
	u64 number = 0, index = ELEMENT_NOT_FOUND;
	const struct element_range *range;
	u32 bits = set >> FILTER_TRIGGER_BIT;

	BUILD_BUG_ON(FILTER_TRIGGER_BIT + DEVTRACE_TRIGGERS_MAX > FILTER_BITS);
	for (range = trigger_ranges; bits; range++, bits >>= 1) {
		if (!(bits & 1))
			continue;
		if (likely(range->index == index)) {
			if (likely(!element_range_meets(range, number)))
				continue;
		} else {
			const bool meets = trigger_looks(range - trigger_ranges, ev, &found);

			index = found.kind == ELEMENT_SIGNED ? found.index : ELEMENT_NOT_FOUND;
			number = found.bits;
			if (!meets)
				continue;
		}
		trigger_meet(rcu_dereference_sched_check(triggers[range - trigger_ranges], true),
			     ev, f);
	}
}

static struct trigger *trigger_at(unsigned int n)
{
	return rcu_dereference_protected(triggers[n], lockdep_is_held(&devtrace_lock));
}

static bool stops_or_starts(const struct trigger *t)
{
	return t->action == DEVTRACE_ACTION_START || t->action == DEVTRACE_ACTION_STOP ||
	       t->action == DEVTRACE_ACTION_FREEZE;
}

/* Add a trigger's bit to the filter table, or remove it. */
static int set_bit_of(struct trigger *t, bool on)
{
	int err;

	if (t->armed == on)
		return 0;
	if (on && stops_or_starts(t))
		stream_watch(t->stream, true);
	err = filter_set(FILTER_TRIGGER_BIT + t->n, on ? &t->when : NULL);
	if (!err)
		t->armed = on;
	if (!t->armed && stops_or_starts(t))
		stream_watch(t->stream, false);
	return err;
}

/* Replace the filter of the stream by the trigger's; keep a copy of the stream's own filter. */
static int take_filter(struct trigger *t)
{
	struct kept *k = &kept[t->stream_id];
	const struct filter *now;
	u32 generation;
	int err;

	now = filter_get(t->stream_id, &generation);
	if (!k->filter || k->generation != generation) {
		struct filter *copy = kmemdup(now, sizeof(*now), GFP_KERNEL);

		if (!copy)
			return -ENOMEM;
		kfree(k->filter);
		k->filter = copy;
		k->generation = generation;
	}
	/* An earlier firing has already replaced the filter. */
	if (!memcmp(now, t->filter, sizeof(*now)))
		return 0;
	err = filter_set(t->stream_id, t->filter);
	if (err)
		return err;
	filter_get(t->stream_id, &k->generation);
	netlink_notify_filter(t->stream);
	return 0;
}

/* Restore the stream's own filter, unless a command has set a filter after the replacement. */
static int give_back_filter(struct trigger *t)
{
	struct kept *k = &kept[t->stream_id];
	u32 generation;
	int err;

	if (!k->filter)
		return 0;
	filter_get(t->stream_id, &generation);
	if (generation == k->generation) {
		err = filter_set(t->stream_id, k->filter);
		if (err)
			return err;
		netlink_notify_filter(t->stream);
	}
	kfree(k->filter);
	k->filter = NULL;
	return 0;
}

/*
 * Remove an event type from the conditions of all triggers and from the filters that triggers set,
 * before the type gets another meaning. The caller removes the type from the filters of streams.
 */
void trigger_forget_type(unsigned int type)
{
	unsigned int n;

	lockdep_assert_held(&devtrace_lock);
	for (n = 0; n < DEVTRACE_TRIGGERS_MAX; n++) {
		struct trigger *t = trigger_at(n);

		if (t)
			__clear_bit(type, t->when.types);
		if (t && t->filter)
			__clear_bit(type, t->filter->types);
	}
	for (n = 0; n < DEVTRACE_STREAMS_MAX; n++)
		if (kept[n].filter)
			__clear_bit(type, kept[n].filter->types);
}

/* Complete a firing in process context. */
static void trigger_finish(struct trigger *t)
{
	/* The number is loaded before the time; pairs with count_firing(). */
	const u64 n = compat_atomic64_read_acquire(&t->fired);
	int err = 0;

	t->told = n;
	trigger_told(t, n, atomic64_read(&t->fired_at));
	if (t->action == DEVTRACE_ACTION_FILTER)
		err = take_filter(t);
	else if (t->action == DEVTRACE_ACTION_RESTORE)
		err = give_back_filter(t);
	if (err)
		pr_warn_ratelimited("trigger %s: the filter of stream %s was not changed: error %d\n",
				    t->name, t->stream_name, err);
	/* If this fails, the bit stays set, but the spent trigger ignores all events. */
	if (is_spent(t))
		set_bit_of(t, false);
}

/* Complete the firings of all triggers, in the order of their last firings. */
static void finish_all(void)
{
	struct trigger *t, *first;
	u32 done = 0;
	int n;

	do {
		first = NULL;
		for (n = 0; n < DEVTRACE_TRIGGERS_MAX; n++) {
			t = trigger_at(n);
			/*
			 * Handle each trigger once: one that fires all the time would make this
			 * loop endless.
			 */
			if (!t || done & BIT(n) || t->told == (u64)atomic64_read(&t->fired))
				continue;
			if (!first || atomic64_read(&t->fired_at) <
				      atomic64_read(&first->fired_at))
				first = t;
		}
		if (first) {
			done |= BIT(first->n);
			trigger_finish(first);
		}
	} while (first);
}

static void work_fn(struct work_struct *w)
{
	mutex_lock(&devtrace_lock);
	WRITE_ONCE(last_run, jiffies);
	finish_all();
	mutex_unlock(&devtrace_lock);
}

static void kick_fn(struct irq_work *w)
{
	const unsigned long since = jiffies - READ_ONCE(last_run);

	/* Use high priority: commands wait while the work item holds devtrace_lock. */
	queue_delayed_work(system_highpri_wq, &work, since < WORK_GAP ? WORK_GAP - since : 0);
}

struct trigger *trigger_find(const char *name)
{
	struct trigger *t;
	int n;

	for (n = 0; n < DEVTRACE_TRIGGERS_MAX; n++) {
		t = trigger_at(n);
		if (t && !strcmp(t->name, name))
			return t;
	}
	return NULL;
}

struct trigger *trigger_from(unsigned int n)
{
	struct trigger *t = NULL;

	while (n < DEVTRACE_TRIGGERS_MAX && !t)
		t = trigger_at(n++);
	return t;
}

bool trigger_is_armed(const struct trigger *t)
{
	return t->armed && !is_spent(t);
}

/* Allocate a trigger without terms, with @nth 1 and the action notify. */
struct trigger *trigger_alloc(void)
{
	struct trigger *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (t) {
		filter_all(&t->when);
		t->nth = 1;
	}
	return t;
}

/* Free a trigger that is not in the table. */
void trigger_free(struct trigger *t)
{
	if (t)
		kfree(t->filter);
	kfree(t);
}

/*
 * Find out which members an event must have to meet the condition. A filter passes an event without
 * the member that a term tests, but a trigger must not fire then.
 */
static void find_needs(struct trigger *t)
{
	const struct filter *f = &t->when;

	t->must_have = (f->objects.given || f->signals.given ? RING_WHO_OBJSIG : 0) |
		       (f->majors.given || f->codes.given ? RING_WHO_CODE : 0);
	t->severities = f->hw_severity || f->sw_severity ? filter_severities_named(f) : U16_MAX;
}

/* Free a trigger's number. Called when no emitter uses the trigger. */
static void give_back(unsigned int n)
{
	RCU_INIT_POINTER(triggers[n], NULL);
	trigger_ranges[n].index = ELEMENT_NO_RANGE;
	__clear_bit(n, &devtrace_filters.triggers);
}

/**
 * trigger_add() - add a trigger
 * @t: the trigger; the caller has checked that its name is not in use
 * @armed: arm it
 *
 * Return: 0; -ENOSPC if triggers and watches use all numbers; -ENOMEM.
 */
int trigger_add(struct trigger *t, bool armed)
{
	unsigned int n;
	int err;

	lockdep_assert_held(&devtrace_lock);
	n = find_first_zero_bit(&devtrace_filters.triggers, DEVTRACE_TRIGGERS_MAX);
	if (n == DEVTRACE_TRIGGERS_MAX)
		return -ENOSPC;
	t->n = n;
	find_needs(t);
	element_range_of(&t->element, &trigger_ranges[n]);
	rcu_assign_pointer(triggers[n], t);
	__set_bit(n, &devtrace_filters.triggers);
	err = set_bit_of(t, armed);
	/* The trigger was never in the filter table, so no emitter uses it. */
	if (err)
		give_back(n);
	return err;
}

/* Arm a trigger and reset its counters, even if it was armed; or disarm it. Return 0 or -ENOMEM. */
int trigger_arm(struct trigger *t, bool armed)
{
	int err;

	lockdep_assert_held(&devtrace_lock);
	err = set_bit_of(t, false);
	finish_all();
	if (err || !armed)
		return err;
	atomic64_set(&t->seen, 0);
	atomic64_set(&t->count, 0);
	atomic64_set(&t->second, 0);
	return set_bit_of(t, true);
}

/* Complete the firings of a trigger, remove it and free it. Return 0 or -ENOMEM. */
int trigger_remove(struct trigger *t)
{
	int err;

	lockdep_assert_held(&devtrace_lock);
	err = set_bit_of(t, false);
	if (err)
		return err;
	finish_all();
	give_back(t->n);
	trigger_free(t);
	return 0;
}

/* Called before a stream is removed. Return -EBUSY, with a message, if a trigger uses it. */
int trigger_stream_goes(struct stream *s, struct netlink_ext_ack *extack)
{
	static const char busy[] = "a trigger acts on this stream: remove the trigger first";
	char text[DEVTRACE_NAME_LEN + 64];
	struct trigger *t;
	int n;

	lockdep_assert_held(&devtrace_lock);
	for (n = 0; n < DEVTRACE_TRIGGERS_MAX; n++) {
		t = trigger_at(n);
		if (t && t->stream == s) {
			snprintf(text, sizeof(text),
				 "the trigger %s acts on this stream: remove the trigger first",
				 t->name);
			netlink_refuse(extack, NULL, netlink_keep(text, busy));
			return -EBUSY;
		}
	}
	return 0;
}

/* Called after a stream was removed: another stream may get its number. */
void trigger_stream_gone(unsigned int id)
{
	lockdep_assert_held(&devtrace_lock);
	kfree(kept[id].filter);
	kept[id].filter = NULL;
}

/*
 * Set up this file. @told is called with devtrace_lock held after a trigger has fired. Its
 * arguments are the trigger, the total number of its firings and the time of the last one.
 */
void trigger_init(trigger_told_t told)
{
	trigger_told = told;
	init_irq_work(&kick, kick_fn);
	INIT_DELAYED_WORK(&work, work_fn);
	last_run = jiffies - WORK_GAP;
}

/*
 * Free all triggers. Called when no emitter uses them. Their bits stay in the filter table, which
 * filter_exit() frees together with the filters.
 */
void trigger_exit(void)
{
	int n;

	irq_work_sync(&kick);
	cancel_delayed_work_sync(&work);
	for (n = 0; n < DEVTRACE_TRIGGERS_MAX; n++)
		trigger_free(rcu_dereference_protected(triggers[n], true));
	for (n = 0; n < DEVTRACE_STREAMS_MAX; n++)
		kfree(kept[n].filter);
}
