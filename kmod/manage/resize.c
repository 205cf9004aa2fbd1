// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resize the rings of a stream
 *
 * All memory is allocated before the first ring is exchanged. rings_lock is not held while
 * waiting for emitters, since a CPU that comes up waits for it.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "resize.h"
#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "ring/ring_resize.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"

/* If every ring has memory, set the new size, also for rings made later; else return false. */
static bool set_bytes(struct stream *s, unsigned long bytes, const struct ring_memory *m)
{
	bool enough = true;
	int cpu;

	mutex_lock(&rings_lock);
	for_each_possible_cpu(cpu)
		if (ring_exists(per_cpu_ptr(s->rings, cpu)) && !m[cpu].data)
			enough = false;
	if (enough)
		s->bytes = bytes;
	mutex_unlock(&rings_lock);
	return enough;
}

static int memory_for(unsigned int cpu, unsigned long bytes, struct ring_memory *m,
		      rings_lend_t lend)
{
	int err = lend ? lend(cpu, bytes, m) : -ENOSPC;

	return err == -ENOSPC ? ring_memory_alloc(m, bytes) : err;
}

/* CPUs may come up meanwhile, with rings of the old size. */
static int memory_for_all(struct stream *s, unsigned long bytes, struct ring_memory *m,
			  rings_lend_t lend)
{
	int cpu;

	do {
		for_each_possible_cpu(cpu)
			if (ring_exists(per_cpu_ptr(s->rings, cpu)) &&
			    !m[cpu].data &&
			    memory_for(cpu, bytes, &m[cpu], lend))
				return -ENOMEM;
	} while (!set_bytes(s, bytes, m));
	return 0;
}

/* The ring's writers find no ring meanwhile, and count what they drop. Readers continue. */
static void resize_ring(struct stream *s, unsigned int cpu, struct ring_memory *m)
{
	struct ring *r = per_cpu_ptr(s->rings, cpu);
	struct ring new;

	WRITE_ONCE(r->gate, 0);
	WRITE_ONCE(r->too_long, 0);
	/* Writers drop events from here to ring_open(), so be quick. */
	quiet_wait_on(cpumask_of(cpu));
	ring_resize_prepare(r, s->bytes, m, &new);
	/* A reader that holds this lock is done with the old memory when it unlocks. */
	raw_spin_lock(&r->lock);
	ring_resize(r, &new, m);
	raw_spin_unlock(&r->lock);
	/* A writer that finds the ring open began after this, so it finds the new memory. */
	quiet_wait_on(cpumask_of(cpu));
	ring_open(r);
	if (s == &devtrace_stream0)
		rings_set_gate(r);
}

/**
 * rings_resize() - resize the rings of a stream
 * @s: the stream
 * @bytes: size of each ring, as ring_size_round() returned it
 * @lend: lends the memory; NULL: allocate it
 *
 * Resizes one ring after the other without waiting for readers. The memory is allocated first,
 * so either all rings change their size or none. A ring is never removed: CPUs may come and go
 * meanwhile.
 *
 * Context: process, devtrace_lock held.
 * Return: 0; on -ENOMEM nothing has changed.
 */
int rings_resize(struct stream *s, unsigned long bytes, rings_lend_t lend)
{
	struct ring_memory *m;
	int cpu, err;

	m = kcalloc(nr_cpu_ids, sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	err = memory_for_all(s, bytes, m, lend);
	for_each_possible_cpu(cpu) {
		if (!err && m[cpu].data)
			resize_ring(s, cpu, &m[cpu]);
		ring_memory_free(&m[cpu]);
	}
	kfree(m);
	return err;
}
