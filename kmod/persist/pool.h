/* SPDX-License-Identifier: GPL-2.0-only */
/* Keep lanes and the ring of blocks in a region: see pool.c */
#ifndef DEVTRACE_PERSIST_POOL_H
#define DEVTRACE_PERSIST_POOL_H

#include "layout.h"
#include "region.h"

int pool_begin(struct region *region, const struct persist_header *h);
void pool_end(void);

/* Process context; called only by keep_sync(), one at a time. */
void pool_sync(void);
/* At a panic or oops: any context, no locks. */
void pool_fall(void);

#endif /* DEVTRACE_PERSIST_POOL_H */
