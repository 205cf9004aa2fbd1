/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for the rings of all streams, and the gate before those of stream 0
 */
#ifndef DEVTRACE_RINGS_H
#define DEVTRACE_RINGS_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "ring/ring.h"
#include "ring/ring_memory.h"

struct stream;

/* Of the streams that want an event: stream 0 */
#define STREAM0_BIT	0x00000001U

/* The rings of stream 0 */
DECLARE_PER_CPU(struct ring, devtrace_rings);
/* Where each is: to load that is less than to compute it. */
DECLARE_PER_CPU(struct ring *, devtrace_ring);

/* Memory of somebody else for the ring of a CPU. -ENOSPC: none for this one. */
typedef int (*rings_lend_t)(unsigned int cpu, unsigned long bytes, struct ring_memory *m);

/*
 * The set of an event that stream 0 alone wants, and that needs no more than to be
 * stored; no set, while stream 0 may have to stop.
 */
extern u32 devtrace_quick_set;

/*
 * Open: emitters go straight to stream 0. Closed: they look into the table of filters
 * first. The caller waits for those under way.
 */
void devtrace_emit_gate(bool open);

int rings_add(struct stream *s);
void rings_del(struct stream *s);
void rings_free(struct stream *s);
void rings_set_quick(bool quick);

/* For those who exchange the memory of a ring. */
extern struct mutex rings_lock;
void rings_set_gate(struct ring *r);

int rings_init(void);
void rings_exit(void);

#endif /* DEVTRACE_RINGS_H */
