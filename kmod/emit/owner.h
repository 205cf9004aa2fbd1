/* SPDX-License-Identifier: GPL-2.0-only */
/* The user who is charged for what a task names or requests: see owner.c */
#ifndef DEVTRACE_OWNER_H
#define DEVTRACE_OWNER_H

#include <linux/types.h>

struct cred;

u32 devtrace_owner(void);
u32 devtrace_owner_of(const struct cred *cred);

#endif /* DEVTRACE_OWNER_H */
