/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events and faults for stream 0, wanted or not
 *
 * For the one file of each module that asks for them, which need not know how filters are
 * compiled; devtrace.ko does without.
 */
#ifndef DEVTRACE_SHARED_FILTER_PROFILE_H
#define DEVTRACE_SHARED_FILTER_PROFILE_H

#include <linux/bits.h>
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "admin/filter_policy.h"
#include "emit/filter.h"
#include "shared.h"
#include "stream/table.h"

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
static int filter_set_profile(const unsigned long *types, unsigned int first, unsigned int last)
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
	devtrace_shared.filter_put_in_force(t, devtrace_filters.open);
	return 0;
}

#endif /* DEVTRACE_SHARED_FILTER_PROFILE_H */
