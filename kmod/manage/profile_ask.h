/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls from control/ into devtrace_profile.ko: see profile_ask.c */
#ifndef DEVTRACE_MANAGE_PROFILE_ASK_H
#define DEVTRACE_MANAGE_PROFILE_ASK_H

#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/types.h>

#include "stream/profile_ops.h"
#include "stream/table.h"

/* The error message while devtrace_profile.ko is not loaded. */
#define PROFILE_IS_MISSING \
	"kernel profile events need the module devtrace_profile: modprobe devtrace_profile, or insmod devtrace_profile.ko"

/* Below: process context, devtrace_lock held. */

/* Are types 128 to 191 available? */
static inline bool devtrace_profile_there(void)
{
	lockdep_assert_held(&devtrace_lock);
	return devtrace_profile;
}

/* See struct profile_ops. */
void devtrace_profile_keep_known(unsigned long *types);
bool devtrace_profile_lacking(unsigned long *types);
int devtrace_profile_add(const char *name, const char **why);

static inline bool devtrace_profile_info(unsigned int type, struct profile_info *info)
{
	return devtrace_profile && devtrace_profile->info(type, info);
}

static inline int devtrace_profile_find(const char *name)
{
	return devtrace_profile ? devtrace_profile->find(name) : -ENOENT;
}

static inline void devtrace_profile_del(unsigned int type)
{
	if (devtrace_profile)
		devtrace_profile->del(type);
}

#endif /* DEVTRACE_MANAGE_PROFILE_ASK_H */
