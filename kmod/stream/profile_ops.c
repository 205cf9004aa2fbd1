// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls into devtrace_profile.ko, which may be absent
 *
 * The operations are set and called with devtrace_lock held. So once the module has withdrawn them,
 * no call is in progress.
 */
#include <linux/bitmap.h>
#include <linux/lockdep.h>

#include "profile_ops.h"
#include "table.h"

bool devtrace_profile_on __read_mostly;

/* Protected by devtrace_lock. */
const struct profile_ops *devtrace_profile;

/*
 * Set the operations of devtrace_profile.ko when it is loaded. NULL: the module is being removed,
 * and detaches its probes after this call.
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
