/* SPDX-License-Identifier: GPL-2.0-only */
/* The stream `last`: see last.c */
#ifndef DEVTRACE_PERSIST_LAST_H
#define DEVTRACE_PERSIST_LAST_H

struct region;

int last_begin(const struct region *r);
void last_end(void);

#endif /* DEVTRACE_PERSIST_LAST_H */
