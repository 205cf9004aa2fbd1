// SPDX-License-Identifier: GPL-2.0-only
/* Set the filter of a stream or a trigger */
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/slots.h"
#include "filter_compile.h"
#include "filter_policy.h"
#include "filter_set.h"
#include "stream/table.h"

/* Does the filter pass everything that drivers and programs emit? */
static bool is_open(const struct filter *f)
{
	DECLARE_BITMAP(all, 256);

	filter_types_all(all);
	return bitmap_subset(all, f->types, 256) && !f->hw_severity && !f->sw_severity &&
	       f->origins == (DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER) &&
	       !f->objects.given && !f->signals.given &&
	       !f->majors.given && !f->not_majors.given &&
	       !f->codes.given && !f->not_codes.given &&
	       !f->pids.given && !f->not_pids.given &&
	       !f->comms.given && !f->not_comms.given && !f->cpus.given && !f->named.given;
}

/*
 * Does only stream 0 have a filter, and does this filter pass everything? Profile types do not
 * matter: types that the filter does not pass are not attached, so they cause no events.
 */
static bool filter_set_is_plain(struct filter *const *f)
{
	unsigned int b;

	for (b = 1; b < FILTER_BITS; b++)
		if (f[b])
			return false;
	return f[0] && is_open(f[0]);
}

/**
 * filter_set() - set the filter of a stream or a trigger
 * @bit: its bit
 * @f: the filter, which is copied; NULL: the bit wants no event
 *
 * After the return, no event that @f refuses is stored, and no event that @f passes is refused.
 * Profile types that cannot be attached are removed from the filters: see filter_attach_profile().
 *
 * Context: process; may sleep.
 * Return: 0; on -ENOMEM nothing has changed.
 */
int filter_set(unsigned int bit, const struct filter *f)
{
	struct filters *fs = &devtrace_filters;
	struct filter *copy = NULL, *old = fs->f[bit];
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
	fs->f[bit] = copy;
	t = filter_table_compile(fs->f, filter_next_generation(fs->table));
	if (!t) {
		fs->f[bit] = old;
		kfree(copy);
		return -ENOMEM;
	}
	fs->generation[bit] = filter_next_generation(fs->generation[bit]);
	filter_put_in_force(t, filter_set_is_plain(fs->f));
	kfree(old);
	return 0;
}
