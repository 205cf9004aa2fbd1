// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requested filters, and how a new table takes effect
 *
 * filter_put_in_force() closes or opens the emitters' gate, publishes the new table, changes the
 * words that emitters test before the table and the types that programs may write into lanes, and
 * attaches and detaches kernel profile events. The order of these steps makes sure that no event is
 * lost.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/filter_priv.h"
#include "emit/link.h"
#include "filter_policy.h"
#include "lane/lane_filter.h"
#include "stream/profile_ops.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/table.h"

struct filters devtrace_filters;

/* Protected by devtrace_lock. */
static struct devtrace_control *control_page;

static void ids_free(struct ids *ids)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		if (ids->pages[i] != ids->rest)
			kfree(ids->pages[i]);
}

/* Free a table, complete or partly compiled. */
void filter_table_free(struct filter_table *t)
{
	if (!t)
		return;
	if (t->keys) {
		ids_free(&t->keys->objects);
		ids_free(&t->keys->signals);
		ids_free(&t->keys->named);
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
 * Set the words that emitters test before the table. A bit that is still set, but not needed any
 * more, costs only a lookup in the table. A new bit is visible to emitters before filter_set()
 * returns.
 */
static void write_bits(const struct filter_bits *b)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(devtrace_wanted); i++) {
		WRITE_ONCE(devtrace_wanted[i], b->types[i]);
		WRITE_ONCE(devtrace_objects[i], b->objects[i]);
	}
	WRITE_ONCE(devtrace_severities, b->severities);
	link_tell_wanted();
	WRITE_ONCE(control_page->severities, b->user_severities);
	for (i = 0; i < ARRAY_SIZE(control_page->types); i++) {
		WRITE_ONCE(control_page->types[i], b->user_types[i]);
		WRITE_ONCE(control_page->objects[i], b->user_objects[i]);
	}
}

/*
 * Attach to the tracepoints of the kernel profile types that the table in force wants, and detach
 * from all others. Types that cannot be attached are removed from the filters.
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
 * filter_put_in_force() - replace the table
 * @t: the new table; it may share the keys and CPUs of the old one
 * @open: only stream 0 has a filter, and this filter passes everything
 *
 * After the return, no event that the filters refuse is stored, no event that they pass is refused,
 * and exactly the kernel profile types that a filter wants are attached.
 *
 * Context: process, devtrace_lock held; may sleep.
 */
void filter_put_in_force(struct filter_table *t, bool open)
{
	struct filter_table *old = rcu_dereference_protected(devtrace_table,
							     lockdep_is_held(&devtrace_lock));

	/*
	 * While the gate is open, emitters store without a lookup in the table. So close the gate
	 * before quiet_wait(): afterwards, all emitters use the new table. Open the gate only after
	 * the wait: before, emitters may use the old table, which may refuse an event that the new
	 * one passes.
	 */
	devtrace_filters.open = open;
	if (!open)
		devtrace_emit_gate(false);
	devtrace_filters.table = t->generation;
	lane_filter_narrow(t->types[1]);
	rcu_assign_pointer(devtrace_table, t);
	write_bits(&t->bits);
	quiet_wait();
	/*
	 * From here on, all emitters find the new profile types in the table, so attach these.
	 * Detach the types that stream 0 does not want before the gate opens, because their events
	 * would be stored.
	 */
	lane_filter_table(t->types[1]);
	filter_attach_profile();
	if (open)
		devtrace_emit_gate(true);
	if (old && old->keys == t->keys)
		kfree(old);
	else
		filter_table_free(old);
}

/**
 * filter_set_profile() - change only the kernel profile types of stream 0's filter
 * @types: the types
 * @first: first bit of @types to use, not less than 128
 * @last: last bit of @types to use, not more than 191
 *
 * Context: process, devtrace_lock held; may sleep.
 * Return: 0; on -ENOMEM nothing has changed.
 */
int filter_set_profile(const unsigned long *types, unsigned int first, unsigned int last)
{
	/* The bit of each origin, in the order of the index of filter_table.types */
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

/* Create a table in which stream 0 wants everything, and no other filter exists. */
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
	/* Two empty entries: each major code finds one of them, and so a set with all bits. */
	for (i = 0; i < 2; i++)
		k->majors[i] = (struct major){ .major = NO_MAJOR, .set = U32_MAX };
	k->majors_shift = 31;
	ids_open(&k->objects);
	ids_open(&k->signals);
	ids_open(&k->named);
	t->any_process = U32_MAX;
	memset(&t->bits, 0xff, sizeof(t->bits));
	t->bits.severities = EMIT_SEVERITIES;
	t->bits.user_severities = U16_MAX;
	for (i = 0; i < 256; i++) {
		if (devtrace_type_is_profile(i)) {
			__clear_bit(i, t->bits.types);
			t->bits.user_types[i / 32] = 0;
			continue;
		}
		t->types[0][i] = FILTER_STREAM0;
		t->types[1][i] = FILTER_STREAM0;
		t->plain[i] = devtrace_type_is_emittable(i) ? FILTER_PLAIN : 0;
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

/*
 * Let stream 0 want everything. @control: the control page; @start: number before the first
 * generation, which tests set so that it wraps soon. Return 0 or -ENOMEM.
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

/* Free all filters and the table. Called when no emitter is left. */
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
