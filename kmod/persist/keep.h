/* SPDX-License-Identifier: GPL-2.0-only */
/* Keep stream 0 in a region: see keep.c */
#ifndef DEVTRACE_PERSIST_KEEP_H
#define DEVTRACE_PERSIST_KEEP_H

#include "layout.h"
#include "region.h"

int keep_begin(struct region *region, unsigned int interval_ms);
void keep_end(void);

/* Process context. On return, every event emitted before the call has a sum. */
void keep_sync(void);
/* For a panic or oops, in any context: write back what can be done quickly and without locks. */
void keep_fall(void);

/*
 * Store why the machine goes down. Any context. The kernel reports one panic, one oops and one
 * reboot at a time, but may report one kind during another.
 */
__printf(2, 3) void keep_cause(enum persist_why why, const char *format, ...);

#endif /* DEVTRACE_PERSIST_KEEP_H */
