/* SPDX-License-Identifier: GPL-2.0-only */
/* The filters as requested, and the table in force: see filter_policy.c */
#ifndef DEVTRACE_MANAGE_FILTER_POLICY_H
#define DEVTRACE_MANAGE_FILTER_POLICY_H

#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/string.h>
#include <linux/types.h>

#include "emit/filter.h"
#include "stream/profile_ops.h"
#include "stream/table.h"

struct devtrace_control;

/**
 * struct filters - all filters, protected by devtrace_lock
 * @f: for each bit, the requested filter; NULL: the bit wants no event
 * @generation: for each bit, a number that changes with its filter; 0 before the first filter
 * @table: generation of the table in force
 * @triggers: bit n is set while a trigger (armed or not) or a watch uses bit FILTER_TRIGGER_BIT + n
 * @open: only stream 0 has a filter, and this filter passes everything
 */
struct filters {
	struct filter	*f[FILTER_BITS];
	u32		generation[FILTER_BITS];
	u32		table;
	unsigned long	triggers;
	bool		open;
};

extern struct filters devtrace_filters;

static inline u32 filter_next_generation(u32 generation)
{
	return generation + 1 ?: 1;
}

/* Set @types to all types that drivers and programs emit. */
static inline void filter_types_all(unsigned long *types)
{
	bitmap_fill(types, 256);
	bitmap_clear(types, DEVTRACE_T_KERNEL, DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL);
}

/*
 * Make @f pass everything except kernel profile events. Profile types cost time as soon as a filter
 * wants them, so a filter must name them.
 */
static inline void filter_all(struct filter *f)
{
	memset(f, 0, sizeof(*f));
	filter_types_all(f->types);
	f->origins = DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER;
}

/*
 * Return the filter of a bit, valid while devtrace_lock is held; NULL: the bit wants no event. If
 * @generation is not NULL, set it to a number that changes with each filter_set() of the bit.
 */
static inline const struct filter *filter_get(unsigned int bit, u32 *generation)
{
	lockdep_assert_held(&devtrace_lock);
	if (generation)
		*generation = devtrace_filters.generation[bit];
	return devtrace_filters.f[bit];
}

/* Below: process context, devtrace_lock held. */
void filter_attach_profile(void);
void filter_put_in_force(struct filter_table *t, bool open);
int filter_set_profile(const unsigned long *types, unsigned int first, unsigned int last);
void filter_table_free(struct filter_table *t);

int filter_init(struct devtrace_control *control, u32 start);
void filter_exit(void);

#endif /* DEVTRACE_MANAGE_FILTER_POLICY_H */
