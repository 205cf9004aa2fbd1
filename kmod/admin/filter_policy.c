// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wants an event: the filters as they were asked for, and what is put in force
 *
 * Another table closes or opens the gate of the emitters, is published to those who look
 * before they emit, says which types may go into lanes, and has kernel profile events
 * come and go: all in this order.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/filter_compile.h"
#include "emit/filter_priv.h"
#include "filter_policy.h"
#include "lane/lane_filter.h"
#include "stream/profile_ops.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/table.h"

/* All under devtrace_lock. */
static struct filter *filters[FILTER_BITS];
static u32 generations[FILTER_BITS];
static u32 table_generation;
static struct devtrace_control *control_page;

/* Everything that drivers and programs emit. */
void filter_types_all(unsigned long *types)
{
	bitmap_fill(types, 256);
	bitmap_clear(types, PROFILE_FIRST, PROFILE_NR);
}

/**
 * filter_all() - the filter that everything passes but the kernel profile events
 * @f: filled in
 *
 * These cost something as soon as a filter names them, so they have to be named.
 */
void filter_all(struct filter *f)
{
	memset(f, 0, sizeof(*f));
	filter_types_all(f->types);
	f->origins = DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER;
}

/**
 * filter_is_open() - whether everything passes that drivers and programs emit
 * @f: the filter
 */
bool filter_is_open(const struct filter *f)
{
	DECLARE_BITMAP(all, 256);

	filter_types_all(all);
	return bitmap_subset(all, f->types, 256) && !f->hw_severity && !f->sw_severity &&
	       f->origins == (DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER) &&
	       !f->objects.given && !f->signals.given &&
	       !f->majors.given && !f->not_majors.given &&
	       !f->pids.given && !f->not_pids.given &&
	       !f->comms.given && !f->not_comms.given && !f->cpus.given;
}

/*
 * Whether stream 0 is the only one that wants anything, and wants everything there is:
 * profile events that it does not want there are none.
 */
static bool plain(struct filter *const *f)
{
	unsigned int b;

	for (b = 1; b < FILTER_BITS; b++)
		if (f[b])
			return false;
	return f[0] && filter_is_open(f[0]);
}

/* Who wants events of this origin at all. */
static u32 origin_set(const struct filter_table *t, unsigned int origin)
{
	unsigned int i;
	u32 set = 0;

	for (i = 0; i < 256; i++)
		if (!filter_transport_type(i))
			set |= t->types[origin][i];
	return set;
}

/* @set: who wants events that can have a severity. */
static u32 severity_bits(const struct filter_table *t, u32 set)
{
	unsigned int i;
	u32 bits = 0;

	for (i = 0; i < ARRAY_SIZE(t->severities); i++)
		if (t->severities[i] & set)
			bits |= BIT(i);
	return bits;
}

/*
 * What emitters look at first. Bits that go are still looked up in the table by
 * whoever read them before, and bits that come are there before anybody is told.
 */
static void publish(const struct filter_table *t)
{
	const u32 any[2] = { origin_set(t, 0), origin_set(t, 1) };
	unsigned long wanted;
	unsigned int i, n;
	u32 word;

	for (i = 0; i < ARRAY_SIZE(devtrace_wanted); i++) {
		for (n = 0, wanted = 0; n < BITS_PER_LONG; n++)
			if (t->types[0][i * BITS_PER_LONG + n])
				wanted |= BIT(n);
		WRITE_ONCE(devtrace_wanted[i], wanted);
	}
	/* Only of exceptions does the kernel ask it. */
	WRITE_ONCE(devtrace_severities, severity_bits(t, t->types[0][DEVTRACE_T_EXC]));
	for (i = 0; i < ARRAY_SIZE(devtrace_objects); i++) {
		for (n = 0, wanted = 0; n < BITS_PER_LONG; n++)
			if (t->keys->objects.pages[0][i * BITS_PER_LONG + n] & any[0])
				wanted |= BIT(n);
		WRITE_ONCE(devtrace_objects[i], wanted);
	}

	WRITE_ONCE(control_page->severities, severity_bits(t, any[1]));
	for (i = 0; i < ARRAY_SIZE(control_page->types); i++) {
		for (n = 0, word = 0; n < 32; n++)
			if (t->types[1][i * 32 + n])
				word |= BIT(n);
		WRITE_ONCE(control_page->types[i], word);
		for (n = 0, word = 0; n < 32; n++)
			if (t->keys->objects.pages[0][i * 32 + n] & any[1])
				word |= BIT(n);
		WRITE_ONCE(control_page->objects[i], word);
	}
}

/**
 * filter_attach_profile() - have the kernel profile events come that filters want
 *
 * Attach to the tracepoints of what the table in force wants, detach from the rest.
 * What cannot be attached leaves the filters again: it does not come.
 */
void filter_attach_profile(void)
{
	DECLARE_BITMAP(refused, 256);
	unsigned int b;

	if (!devtrace_profile_apply(devtrace_wanted, refused))
		return;
	for (b = 0; b < FILTER_BITS; b++)
		if (filters[b])
			bitmap_andnot(filters[b]->types, filters[b]->types, refused, 256);
}

/* The table that stands for filters[] takes the place of the one before. */
static void put_in_force(struct filter_table *t)
{
	struct filter_table *old = rcu_dereference_protected(devtrace_table,
							     lockdep_is_held(&devtrace_lock));
	const bool open = plain(filters);

	/*
	 * Whoever finds the gate open stores without a look. So it closes before the
	 * wait, and opens behind it: until then the old table is looked into, and may
	 * refuse what nobody else knows to be wanted already.
	 */
	if (!open)
		devtrace_emit_gate(false);
	table_generation = t->generation;
	lane_filter_narrow(t);
	rcu_assign_pointer(devtrace_table, t);
	publish(t);
	quiet_wait();
	/*
	 * What comes now finds a table that knows it. What stream 0 does not want has
	 * gone by the time the gate opens.
	 */
	lane_filter_table(t);
	filter_attach_profile();
	if (open)
		devtrace_emit_gate(true);
	filter_table_free(old);
}

/**
 * filter_set() - another filter for a stream or a trigger
 * @bit: whose
 * @f: copied; NULL: it wants nothing any more
 *
 * When it returns, no event is stored that @f refuses, and none is refused that
 * it lets pass. The types that are wanted may have changed. Kernel profile events
 * that nobody wants any more have ended, and those that are wanted now come.
 *
 * Context: process; may sleep.
 *
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int filter_set(unsigned int bit, const struct filter *f)
{
	struct filter *copy = NULL, *old = filters[bit];
	struct filter_table *t;

	lockdep_assert_held(&devtrace_lock);
	if (f && bit) {
		int err = emit_slots_alloc();

		if (err)
			return err;
	}
	if (f) {
		copy = kmemdup(f, sizeof(*f), GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	filters[bit] = copy;
	t = filter_table_compile(filters, table_generation + 1 ?: 1);
	if (!t) {
		filters[bit] = old;
		kfree(copy);
		return -ENOMEM;
	}
	generations[bit] = generations[bit] + 1 ?: 1;
	put_in_force(t);
	kfree(old);
	return 0;
}

/**
 * filter_get() - the filter of a stream or a trigger
 * @bit: whose
 * @generation: filled in if not NULL: changes with each filter_set() of this bit
 *
 * Return: as long as devtrace_lock is held; NULL if it wants nothing.
 */
const struct filter *filter_get(unsigned int bit, u32 *generation)
{
	lockdep_assert_held(&devtrace_lock);
	if (generation)
		*generation = generations[bit];
	return filters[bit];
}

/**
 * filter_init() - stream 0 wants everything
 * @control: the page that programs map
 * @start: where generations begin, for tests
 *
 * Return: 0 or -ENOMEM.
 */
int filter_init(struct devtrace_control *control, u32 start)
{
	struct filter *f = kmalloc(sizeof(*f), GFP_KERNEL);
	int err, b;

	if (!f)
		return -ENOMEM;
	control_page = control;
	table_generation = start;
	for (b = 0; b < FILTER_BITS; b++)
		generations[b] = start;
	lane_filter_init(control);
	filter_all(f);
	mutex_lock(&devtrace_lock);
	err = filter_set(0, f);
	mutex_unlock(&devtrace_lock);
	kfree(f);
	return err;
}

/* No emitter is left. */
void filter_exit(void)
{
	unsigned int b;

	filter_table_free(rcu_dereference_protected(devtrace_table, true));
	RCU_INIT_POINTER(devtrace_table, NULL);
	for (b = 0; b < FILTER_BITS; b++) {
		kfree(filters[b]);
		filters[b] = NULL;
	}
}
