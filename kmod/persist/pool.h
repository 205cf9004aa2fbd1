/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs emit by lanes, in a region: see pool.c
 */
#ifndef DEVTRACE_PERSIST_POOL_H
#define DEVTRACE_PERSIST_POOL_H

#include "layout.h"
#include "region.h"

int pool_begin(struct region *region, const struct persist_header *h);
void pool_end(void);

/* Process context; by keep_sync() alone, one at a time. */
void pool_sync(void);
/* At a panic or oops: any context, no locks. */
void pool_fall(void);

#endif /* DEVTRACE_PERSIST_POOL_H */
