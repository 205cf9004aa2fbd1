/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control's calls into devtrace_profile.ko: see profile_ask.c
 */
#ifndef DEVTRACE_MANAGE_PROFILE_ASK_H
#define DEVTRACE_MANAGE_PROFILE_ASK_H

#include <linux/types.h>

struct profile_info;

/* The error message while devtrace_profile.ko is not loaded. */
#define PROFILE_IS_MISSING \
	"kernel profile events need the module devtrace_profile: modprobe devtrace_profile, or insmod devtrace_profile.ko"

/* Process context, devtrace_lock held, for all that follows. */
bool devtrace_profile_there(void);

/* As in struct profile_ops. */
void devtrace_profile_keep_known(unsigned long *types);
bool devtrace_profile_lacking(unsigned long *types);
bool devtrace_profile_info(unsigned int type, struct profile_info *info);
int devtrace_profile_add(const char *name, const char **why);
int devtrace_profile_find(const char *name);
void devtrace_profile_del(unsigned int type);

#endif /* DEVTRACE_MANAGE_PROFILE_ASK_H */
