// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resize the rings of a stream
 *
 * All memory is allocated before the first ring gets new memory. rings_lock is not held while this
 * code waits for emitters, because a CPU that comes up waits for rings_lock. Writers can always
 * store: the CPU of a ring exchanges the ring's memory in an interrupt, while no event on that CPU
 * is incomplete. See ring/ring_resize.c.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "resize.h"
#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "ring/ring_resize.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"

/*
 * Set the new size of the rings, also of rings that are created later. Return false, and change
 * nothing, if a ring exists for which no memory was allocated.
 */
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

/* Allocate memory for the rings of all CPUs, also of CPUs that come up meanwhile. */
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

static void set_gate(struct stream *s, struct ring *r)
{
	if (s == &devtrace_stream0)
		rings_set_gate(r);
}

/* Maximum number of units to copy in the first interrupt; doubled for each further one. */
#define MOVE_UNITS	512U
#define MOVE_UNITS_MAX	0x100000U
/* Pause before the next interrupt, if the last one found an active writer. */
#define PAUSE_US	50

/* Argument of move_here(). @most: maximum number of units to copy on the ring's CPU */
struct move_call {
	struct ring		*ring;
	struct ring_move	*move;
	struct ring_memory	*memory;
	u32			most;
	bool			done;
};

/* Context: on the ring's CPU with interrupts off; or anywhere while it is offline. */
static void move_here(void *arg)
{
	struct move_call *c = arg;

	c->done = ring_resize_move(c->ring, c->move, c->most);
}

/*
 * The ring of a CPU that is offline has no writer, so any CPU may move it. A CPU that is coming up
 * or going down may write: in this case, do nothing.
 */
static void move_offline(struct move_call *c, unsigned int cpu)
{
	if (!cpus_read_trylock())
		return;
	if (!cpu_online(cpu))
		move_here(c);
	cpus_read_unlock();
}

static bool try_move(struct move_call *c, unsigned int cpu)
{
	struct ring *r = c->ring;
	bool all;

	do {
		/* Readers hold this lock while they read the old memory. */
		raw_spin_lock(&r->lock);
		all = ring_resize_copy(r, c->move, MOVE_UNITS);
		/*
		 * The call fails if the CPU is offline; else the CPU stays online until it returns.
		 */
		if (all && smp_call_function_single(cpu, move_here, c, true))
			move_offline(c, cpu);
		if (c->done)
			ring_resize_done(r, c->move, c->memory);
		raw_spin_unlock(&r->lock);
		cond_resched();
	} while (!all);
	return c->done;
}

/* Resize one ring. Its writers and readers continue meanwhile. */
static void resize_ring(struct stream *s, unsigned int cpu, struct ring_memory *m,
			struct ring_move *move)
{
	struct ring *r = per_cpu_ptr(s->rings, cpu);
	struct move_call call = {
		.ring = r, .move = move, .memory = m, .most = MOVE_UNITS,
	};

	if (ring_shrink_limit(r, s->bytes)) {
		set_gate(s, r);
		quiet_wait_on(cpumask_of(cpu));
	}
	raw_spin_lock(&r->lock);
	ring_resize_prepare(r, s->bytes, m, move);
	raw_spin_unlock(&r->lock);
	while (!try_move(&call, cpu)) {
		/* An active writer, or too many new events: let the next interrupt copy more. */
		call.most = min(2 * call.most, MOVE_UNITS_MAX);
		usleep_range(PAUSE_US, 2 * PAUSE_US);
	}
	ring_open(r);
	set_gate(s, r);
	/*
	 * Wait for code that still reads an event after its commit: such code has preemption off.
	 */
	quiet_wait_on(cpumask_of(cpu));
}

/**
 * rings_resize() - resize the rings of a stream
 * @s: the stream
 * @bytes: size of each ring, as ring_size_round() returned it
 * @lend: function that lends the memory; NULL: allocate it
 *
 * Resizes one ring after the other without waiting for readers. The memory is allocated first, so
 * either all rings change their size or none. CPUs may come up and go down meanwhile. Only the
 * oldest events are lost, for which a smaller ring has no room.
 *
 * Context: process, devtrace_lock held.
 * Return: 0; on -ENOMEM nothing has changed.
 */
int rings_resize(struct stream *s, unsigned long bytes, rings_lend_t lend)
{
	struct ring_memory *m = kcalloc(nr_cpu_ids, sizeof(*m), GFP_KERNEL);
	struct ring_move *move = kmalloc(sizeof(*move), GFP_KERNEL);
	int cpu, err = -ENOMEM;

	if (!m || !move)
		goto out;
	err = memory_for_all(s, bytes, m, lend);
	for_each_possible_cpu(cpu) {
		if (!err && m[cpu].data)
			resize_ring(s, cpu, &m[cpu], move);
		ring_memory_free(&m[cpu]);
	}
out:
	kfree(move);
	kfree(m);
	return err;
}
