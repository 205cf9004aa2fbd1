// SPDX-License-Identifier: GPL-2.0-only
/*
 * What others want of kernel profile events, whether the module is there or not
 *
 * The operations are set and called under devtrace_lock: no call is under way when the
 * module has taken them back.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "profile_ops.h"
#include "table.h"

bool devtrace_profile_on __read_mostly;

/* Under devtrace_lock. */
static const struct profile_ops *profile;
static DECLARE_BITMAP(missed, 256);	/* asked for while there is no module */

/**
 * devtrace_profile_register() - the module comes, or goes
 * @ops: what it does; NULL: it goes, and detaches from everything behind this
 */
void devtrace_profile_register(const struct profile_ops *ops)
{
	lockdep_assert_held(&devtrace_lock);
	profile = ops;
	bitmap_zero(missed, 256);
}

/* Whether types 128 to 191 are to be had. */
bool devtrace_profile_there(void)
{
	lockdep_assert_held(&devtrace_lock);
	return profile;
}

bool devtrace_profile_apply(const unsigned long *types, unsigned long *refused)
{
	if (profile)
		return profile->apply(types, refused);
	bitmap_zero(refused, 256);
	return false;
}

void devtrace_profile_limit(unsigned long *types)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	if (profile) {
		profile->limit(types);
		return;
	}
	for (i = PROFILE_FIRST; i <= PROFILE_LAST; i++)
		if (__test_and_clear_bit(i, types))
			__set_bit(i, missed);
}

bool devtrace_profile_lacking(unsigned long *types)
{
	if (profile)
		return profile->lacking(types);
	bitmap_copy(types, missed, 256);
	bitmap_zero(missed, 256);
	return !bitmap_empty(types, 256);
}

bool devtrace_profile_info(unsigned int type, struct profile_info *info)
{
	return profile && profile->info(type, info);
}

int devtrace_profile_add(const char *name, const char **why)
{
	if (profile)
		return profile->add(name, why);
	*why = PROFILE_IS_MISSING;
	return -EOPNOTSUPP;
}

int devtrace_profile_find(const char *name)
{
	return profile ? profile->find(name) : -ENOENT;
}

void devtrace_profile_del(unsigned int type)
{
	if (profile)
		profile->del(type);
}
