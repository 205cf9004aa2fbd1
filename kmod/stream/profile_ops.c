// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls into devtrace_profile.ko, whether the module is loaded or not
 *
 * The operations are set and called under devtrace_lock: no call is under way when the
 * module has taken them back.
 */
#include <linux/bitmap.h>
#include <linux/lockdep.h>

#include "profile_ops.h"
#include "table.h"

bool devtrace_profile_on __read_mostly;

/* Under devtrace_lock. */
const struct profile_ops *devtrace_profile;

/**
 * devtrace_profile_register() - the module comes, or goes
 * @ops: what it does; NULL: it goes, and detaches from everything behind this
 */
void devtrace_profile_register(const struct profile_ops *ops)
{
	lockdep_assert_held(&devtrace_lock);
	devtrace_profile = ops;
}

bool devtrace_profile_apply(const unsigned long *types, unsigned long *refused)
{
	if (devtrace_profile)
		return devtrace_profile->apply(types, refused);
	bitmap_zero(refused, 256);
	return false;
}
