/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeping stream 0 in a region: see keep.c
 */
#ifndef DEVTRACE_PERSIST_KEEP_H
#define DEVTRACE_PERSIST_KEEP_H

#include "layout.h"
#include "region.h"

int keep_begin(struct region *region, unsigned int interval_ms);
void keep_end(void);

/* Process context: on return every event emitted before the call has a sum. */
void keep_sync(void);
/* Panic or oops, any context: without locks, write back what can be done quickly. */
void keep_fall(void);

void keep_cause(enum persist_why why, const char *text);

#endif /* DEVTRACE_PERSIST_KEEP_H */
