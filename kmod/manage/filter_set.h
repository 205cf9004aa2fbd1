/* SPDX-License-Identifier: GPL-2.0-only */
/* Set the filter of a stream or a trigger: see filter_set.c */
#ifndef DEVTRACE_MANAGE_FILTER_SET_H
#define DEVTRACE_MANAGE_FILTER_SET_H

struct filter;

/* Process context, devtrace_lock held. */
int filter_set(unsigned int bit, const struct filter *f);

#endif /* DEVTRACE_MANAGE_FILTER_SET_H */
