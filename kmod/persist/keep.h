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

/*
 * Why the machine goes down, in the words of printf(). Any context. The kernel reports one
 * panic, one oops and one reboot at a time, but any of them while another kind is reported.
 */
__printf(2, 3) void keep_cause(enum persist_why why, const char *format, ...);

#endif /* DEVTRACE_PERSIST_KEEP_H */
