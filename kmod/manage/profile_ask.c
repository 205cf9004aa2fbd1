// SPDX-License-Identifier: GPL-2.0-only
/* Calls from control/ into devtrace_profile.ko, which may not be loaded */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "profile_ask.h"
#include "stream/profile_ops.h"
#include "stream/table.h"

/* Types requested while the module is absent; protected by devtrace_lock. */
static DECLARE_BITMAP(missed, 256);

void devtrace_profile_keep_known(unsigned long *types)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	if (devtrace_profile) {
		devtrace_profile->keep_known(types);
		return;
	}
	for (i = PROFILE_FIRST; i <= DEVTRACE_T_FAULT; i++)
		if (__test_and_clear_bit(i, types))
			__set_bit(i, missed);
}

bool devtrace_profile_lacking(unsigned long *types)
{
	if (devtrace_profile) {
		bitmap_zero(missed, 256);
		return devtrace_profile->lacking(types);
	}
	bitmap_copy(types, missed, 256);
	bitmap_zero(missed, 256);
	return !bitmap_empty(types, 256);
}

int devtrace_profile_add(const char *name, const char **why)
{
	if (devtrace_profile)
		return devtrace_profile->add(name, why);
	*why = PROFILE_IS_MISSING;
	return -EOPNOTSUPP;
}
