/* SPDX-License-Identifier: GPL-2.0-only */
/* Names for the functions and system calls in kernel profile events: see profile_names.c */
#ifndef DEVTRACE_PROFILE_NAMES_H
#define DEVTRACE_PROFILE_NAMES_H

#include <linux/types.h>

void profile_seen_fun(const void *fun);
void profile_seen_syscall(unsigned int compat, unsigned int nr);
int profile_names_init(void);
void profile_names_exit(void);

#endif /* DEVTRACE_PROFILE_NAMES_H */
