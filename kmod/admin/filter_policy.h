/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filters as they were asked for, and what is put in force: see filter_policy.c
 */
#ifndef DEVTRACE_ADMIN_FILTER_POLICY_H
#define DEVTRACE_ADMIN_FILTER_POLICY_H

#include <linux/types.h>

struct devtrace_control;
struct filter;

/* Process context, devtrace_lock held, for all of these. */
void filter_types_all(unsigned long *types);
void filter_all(struct filter *f);
bool filter_is_open(const struct filter *f);
const struct filter *filter_get(unsigned int bit, u32 *generation);
int filter_set(unsigned int bit, const struct filter *f);
void filter_attach_profile(void);

int filter_init(struct devtrace_control *control, u32 start);
void filter_exit(void);

#endif /* DEVTRACE_ADMIN_FILTER_POLICY_H */
