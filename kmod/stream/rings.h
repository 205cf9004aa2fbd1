/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for the rings of all streams, and the gate of stream 0's rings: see rings.c */
#ifndef DEVTRACE_RINGS_H
#define DEVTRACE_RINGS_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "ring/ring.h"
#include "ring/ring_memory.h"

struct stream;

/* Bit of stream 0 in a filter set. */
#define STREAM0_BIT	0x00000001U

/* The rings of stream 0. */
DECLARE_PER_CPU(struct ring, devtrace_rings);
/* Pointers to them: loading one is cheaper than computing it. */
DECLARE_PER_CPU(struct ring *, devtrace_ring);

/* Lend memory for the ring of a CPU. Return 0; -ENOSPC: there is no memory for this ring. */
typedef int (*rings_lend_t)(unsigned int cpu, unsigned long bytes, struct ring_memory *m);

/*
 * An emitter takes the fast path if the filter set of its event equals this one, which has only
 * stream 0. While stream 0 is stopped or watched, no filter set equals it.
 */
extern u32 devtrace_quick_set;

/*
 * With the gate open, emitters store into stream 0 directly; with the gate closed, they look
 * into the filter table first. The caller must wait for active emitters afterwards.
 */
void devtrace_emit_gate(bool open);

int rings_add(struct stream *s);
void rings_del(struct stream *s);
void rings_free(struct stream *s);
void rings_set_quick(bool quick);

/* For code that replaces the memory of a ring. */
extern struct mutex rings_lock;
void rings_set_gate(struct ring *r);

int rings_need(int (*alloc)(unsigned int cpu));
int rings_init(void);
void rings_exit(void);

#endif /* DEVTRACE_RINGS_H */
