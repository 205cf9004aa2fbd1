// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters: as they were requested, and how they come into force
 *
 * Another table closes or opens the gate of the emitters, is published to those who look
 * before they emit, says which types may go into lanes, and has kernel profile events
 * come and go: all in this order.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/emit_check.h"
#include "emit/filter.h"
#include "emit/filter_priv.h"
#include "filter_policy.h"
#include "lane/lane_filter.h"
#include "stream/profile_ops.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/table.h"

struct filters devtrace_filters;

/* Under devtrace_lock. */
static struct devtrace_control *control_page;

static void ids_free(struct ids *ids)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		if (ids->pages[i] != ids->rest)
			kfree(ids->pages[i]);
}

/* As filter_table_compile() makes one, or as much of it as there is. */
void filter_table_free(struct filter_table *t)
{
	if (!t)
		return;
	if (t->keys) {
		ids_free(&t->keys->objects);
		ids_free(&t->keys->signals);
		kvfree(t->keys->majors);
		kvfree(t->keys->codes);
		kvfree(t->keys->pids);
		kvfree(t->keys->comms);
		kvfree(t->keys);
	}
	kvfree(t->cpus);
	kfree(t);
}

/*
 * The words that emitters test first. A stale 1 costs a table lookup; new bits are set
 * before filter_set() returns.
 */
static void write_bits(const struct filter_bits *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(devtrace_wanted); i++) {
		WRITE_ONCE(devtrace_wanted[i], b->types[i]);
		WRITE_ONCE(devtrace_objects[i], b->objects[i]);
	}
	WRITE_ONCE(devtrace_severities, b->severities);
	WRITE_ONCE(control_page->severities, b->user_severities);
	for (i = 0; i < ARRAY_SIZE(control_page->types); i++) {
		WRITE_ONCE(control_page->types[i], b->user_types[i]);
		WRITE_ONCE(control_page->objects[i], b->user_objects[i]);
	}
}

/**
 * filter_attach_profile() - have the kernel profile events come that filters want
 *
 * Attach to the tracepoints of the types that the table in force wants, detach from the
 * rest. A type whose tracepoints cannot be attached is taken out of the filters again.
 */
void filter_attach_profile(void)
{
	DECLARE_BITMAP(refused, 256);
	unsigned int b, i;

	if (!devtrace_profile_apply(devtrace_wanted, refused))
		return;
	for (b = 0; b < FILTER_BITS; b++)
		for (i = 0; devtrace_filters.f[b] && i < ARRAY_SIZE(refused); i++)
			devtrace_filters.f[b]->types[i] &= ~refused[i];
}

/**
 * filter_put_in_force() - a table takes the place of the one before
 * @t: what the filters say; it may have the keys and CPUs of the one before
 * @open: stream 0 is the only one that wants anything, and wants everything there is
 *
 * When it returns, no event is stored that the filters refuse, and none is refused that
 * they let pass. Kernel profile events that nobody wants any more have ended, and those
 * that are wanted now come.
 *
 * Context: process, devtrace_lock held; may sleep.
 */
void filter_put_in_force(struct filter_table *t, bool open)
{
	struct filter_table *old = rcu_dereference_protected(devtrace_table,
							     lockdep_is_held(&devtrace_lock));

	/*
	 * An emitter that finds the gate open stores without a lookup. So the gate closes
	 * before the wait, and opens behind it: until then emitters look into the old table,
	 * which may refuse an event that the new one wants.
	 */
	devtrace_filters.open = open;
	if (!open)
		devtrace_emit_gate(false);
	devtrace_filters.table = t->generation;
	lane_filter_narrow(t->bits.lanes);
	rcu_assign_pointer(devtrace_table, t);
	write_bits(&t->bits);
	quiet_wait();
	/*
	 * Profile events that come now find a table with their type. The types that stream 0
	 * does not want are detached by the time the gate opens.
	 */
	lane_filter_table(t->bits.lanes);
	filter_attach_profile();
	if (open)
		devtrace_emit_gate(true);
	if (old && old->keys == t->keys)
		kfree(old);
	else
		filter_table_free(old);
}

/**
 * filter_set_profile() - other kernel profile events for stream 0
 * @types: which
 * @first: only the bits from here on are looked at, not less than 128
 * @last: and up to this one, not more than 191
 *
 * All else that it wants stays, and what others want. As filter_put_in_force().
 *
 * Context: process, devtrace_lock held; may sleep.
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int filter_set_profile(const unsigned long *types, unsigned int first, unsigned int last)
{
	/* By the first index of the table's types */
	static const u8 origin_of[2] = { DEVTRACE_ORIGIN_KERNEL, DEVTRACE_ORIGIN_USER };
	struct filter *f = devtrace_filters.f[0];
	struct filter_table *t;
	unsigned int i, k;

	t = kmalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	*t = *rcu_dereference_protected(devtrace_table, lockdep_is_held(&devtrace_lock));
	t->generation = filter_next_generation(t->generation);
	for (i = first; i <= last; i++) {
		__assign_bit(i, f->types, test_bit(i, types));
		for (k = 0; k < 2; k++) {
			t->types[k][i] &= ~FILTER_STREAM0;
			if (test_bit(i, types) && f->origins & origin_of[k])
				t->types[k][i] |= FILTER_STREAM0;
		}
		__assign_bit(i, t->bits.types, t->types[0][i]);
		t->bits.user_types[i / 32] &= ~BIT(i % 32);
		if (t->types[1][i])
			t->bits.user_types[i / 32] |= BIT(i % 32);
	}
	devtrace_filters.generation[0] = filter_next_generation(devtrace_filters.generation[0]);
	filter_put_in_force(t, devtrace_filters.open);
	return 0;
}

static void ids_open(struct ids *ids)
{
	unsigned int i;

	memset(ids->rest, 0xff, sizeof(ids->rest));
	for (i = 0; i < PAGES; i++)
		ids->pages[i] = ids->rest;
}

/* The table where stream 0 wants everything, and nobody else anything. */
static struct filter_table *table_open(u32 generation)
{
	struct filter_table *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct filter_keys *k = kvzalloc(sizeof(*k), GFP_KERNEL);
	unsigned int i;

	if (!t || !k)
		goto out_free;
	t->keys = k;
	t->cpus = kvmalloc_array(nr_cpu_ids, sizeof(*t->cpus), GFP_KERNEL);
	k->majors = kvmalloc_array(2, sizeof(*k->majors), GFP_KERNEL);
	if (!t->cpus || !k->majors) {
		filter_table_free(t);
		return NULL;
	}
	memset(t->cpus, 0xff, nr_cpu_ids * sizeof(*t->cpus));
	/* No major, and all sets. */
	for (i = 0; i < 2; i++)
		k->majors[i] = (struct major){ .major = NO_MAJOR, .set = U32_MAX };
	k->majors_shift = 31;
	ids_open(&k->objects);
	ids_open(&k->signals);
	t->any_process = U32_MAX;
	memset(&t->bits, 0xff, sizeof(t->bits));
	t->bits.severities = EMIT_SEVERITIES;
	t->bits.user_severities = U16_MAX;
	for (i = 0; i < 256; i++) {
		if (i >= DEVTRACE_T_KERNEL && i < DEVTRACE_T_USER2) {
			__clear_bit(i, t->bits.types);
			t->bits.user_types[i / 32] = 0;
			t->bits.lanes[i / 32] = 0;
			continue;
		}
		t->types[0][i] = FILTER_STREAM0;
		t->types[1][i] = FILTER_STREAM0;
		t->plain[i] = emit_check_type(i);
	}
	for (i = 0; i < ARRAY_SIZE(t->severities); i++)
		t->severities[i] = FILTER_STREAM0;
	t->generation = generation;
	return t;

out_free:
	kvfree(k);
	kfree(t);
	return NULL;
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
	struct filter_table *t = table_open(filter_next_generation(start));
	int b;

	if (!f || !t) {
		filter_table_free(t);
		kfree(f);
		return -ENOMEM;
	}
	control_page = control;
	for (b = 0; b < FILTER_BITS; b++)
		devtrace_filters.generation[b] = start;
	devtrace_filters.generation[0] = t->generation;
	lane_filter_init(control);
	filter_all(f);
	mutex_lock(&devtrace_lock);
	devtrace_filters.f[0] = f;
	filter_put_in_force(t, true);
	mutex_unlock(&devtrace_lock);
	return 0;
}

/* No emitter is left. */
void filter_exit(void)
{
	unsigned int b;

	filter_table_free(rcu_dereference_protected(devtrace_table, true));
	RCU_INIT_POINTER(devtrace_table, NULL);
	for (b = 0; b < FILTER_BITS; b++) {
		kfree(devtrace_filters.f[b]);
		devtrace_filters.f[b] = NULL;
	}
}
