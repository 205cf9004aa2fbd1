// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other memory for the rings of a stream
 *
 * All memory is there before the first ring is exchanged. rings_lock is never held while
 * somebody is waited for: a CPU that comes up waits for it.
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

/* Whether there is memory for every ring; then those that come later get that size too. */
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

/* Its writers find no ring meanwhile, and count what they drop. Readers go on. */
static void resize_ring(struct stream *s, unsigned int cpu, struct ring_memory *m)
{
	struct ring *r = per_cpu_ptr(s->rings, cpu);
	struct ring new;

	WRITE_ONCE(r->gate, 0);
	WRITE_ONCE(r->too_long, 0);
	/* Until this is over writers drop: be quick. */
	quiet_wait_on(cpumask_of(cpu));
	ring_resize_prepare(r, s->bytes, m, &new);
	/* Readers that hold this lock are done with the old memory when they let go. */
	raw_spin_lock(&r->lock);
	ring_resize(r, &new, m);
	raw_spin_unlock(&r->lock);
	/* A writer that finds it open began after this, and finds the new memory. */
	quiet_wait_on(cpumask_of(cpu));
	ring_open(r);
	if (s == &devtrace_stream0)
		rings_set_gate(r);
}

/**
 * rings_resize() - give the rings of a stream another size
 * @s: the stream
 * @bytes: a CPU, a value that ring_size_round() returned
 * @lend: whose memory to take, NULL: of our own
 *
 * One CPU after the other, and nobody waits for a reader. Memory is allocated before, so
 * that all rings change their size or none. A ring that is there stays: CPUs may come and
 * go meanwhile.
 *
 * Context: process, devtrace_lock held.
 * Return: 0, or -ENOMEM: then all is as it was.
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
