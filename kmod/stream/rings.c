// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the rings of all streams, and the gate of stream 0's rings
 *
 * A CPU gets its rings, and the memory of rings_need(), before it comes up, and keeps both. Lock
 * order: devtrace_lock, CPU hotplug lock, rings_lock. A CPU that comes up waits for rings_lock, so
 * a thread that holds rings_lock may wait only for memory.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>

#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "rings.h"
#include "stream.h"

DEFINE_PER_CPU(struct ring, devtrace_rings);
DEFINE_PER_CPU(struct ring *, devtrace_ring);
u32 devtrace_quick_set __read_mostly = STREAM0_BIT;

/* Protects the existence of rings, and their memory. */
DEFINE_MUTEX(rings_lock);
static struct stream *streams[DEVTRACE_STREAMS_MAX];
/* CPUs that are up or coming up; protected by rings_lock. */
static struct cpumask came;
/* Do the filters, and the state of stream 0, allow the fast path? Protected by rings_lock. */
static bool filters_open = true, state_open = true;
/* Other memory for each CPU, see rings_need(); protected by rings_lock. */
#define NEEDS_MOST	4
static int (*needs[NEEDS_MOST])(unsigned int cpu);
static int cpuhp_state;

/* With rings_lock or devtrace_lock held. */
void rings_set_gate(struct ring *r)
{
	WRITE_ONCE(r->gate, filters_open && state_open ? READ_ONCE(r->too_long) : 0);
}

static void set_gates(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		rings_set_gate(per_cpu_ptr(&devtrace_rings, cpu));
}

void devtrace_emit_gate(bool open)
{
	mutex_lock(&rings_lock);
	filters_open = open;
	set_gates();
	mutex_unlock(&rings_lock);
}

/*
 * @quick: let emitters store into stream 0 without checking its state; false while the stream is
 * stopped or a trigger may stop it. The caller must wait for active emitters afterwards.
 */
void rings_set_quick(bool quick)
{
	mutex_lock(&rings_lock);
	state_open = quick;
	WRITE_ONCE(devtrace_quick_set, quick ? STREAM0_BIT : U32_MAX);
	set_gates();
	mutex_unlock(&rings_lock);
}

static int ring_make(struct stream *s, unsigned int cpu)
{
	struct ring *r = per_cpu_ptr(s->rings, cpu);
	int err;

	if (ring_exists(r))
		return 0;
	err = ring_init(r, s->bytes, s->start, s->start);
	if (!err && s->rings == &devtrace_rings)
		rings_set_gate(r);
	return err;
}

static int rings_cpu_prepare(unsigned int cpu)
{
	int i, err = 0;

	mutex_lock(&rings_lock);
	for (i = 0; i < NEEDS_MOST && !err; i++)
		if (needs[i])
			err = needs[i](cpu);
	for (i = 0; i < DEVTRACE_STREAMS_MAX && !err; i++)
		if (streams[i])
			err = ring_make(streams[i], cpu);
	if (!err)
		__cpumask_set_cpu(cpu, &came);
	mutex_unlock(&rings_lock);
	return err;
}

static int rings_cpu_dead(unsigned int cpu)
{
	mutex_lock(&rings_lock);
	__cpumask_clear_cpu(cpu, &came);
	mutex_unlock(&rings_lock);
	return 0;
}

/**
 * rings_need() - allocate memory for each CPU that is up, and for other CPUs before they come up
 * @alloc: allocates the memory of one CPU and returns 0 or -ENOMEM; does nothing if the CPU already
 *	has the memory
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int rings_need(int (*alloc)(unsigned int cpu))
{
	int i = 0, cpu, err = 0;

	mutex_lock(&rings_lock);
	for_each_cpu(cpu, &came) {
		err = alloc(cpu);
		if (err)
			goto out;
	}
	while (needs[i] && needs[i] != alloc)
		i++;
	needs[i] = alloc;
out:
	mutex_unlock(&rings_lock);
	return err;
}

/*
 * Create the rings of a stream for all CPUs that are up. The caller has zeroed @s->rings. Return 0;
 * -ENOMEM: no ring was created.
 */
int rings_add(struct stream *s)
{
	int cpu, err = 0;

	mutex_lock(&rings_lock);
	for_each_cpu(cpu, &came) {
		err = ring_make(s, cpu);
		if (err)
			break;
	}
	if (!err)
		streams[s->id] = s;
	mutex_unlock(&rings_lock);
	if (err)
		rings_free(s);
	return err;
}

/* From now on, CPUs that come up create no ring for this stream. */
void rings_del(struct stream *s)
{
	mutex_lock(&rings_lock);
	streams[s->id] = NULL;
	mutex_unlock(&rings_lock);
}

/* Free the rings of a stream. Called when they are no longer in use. */
void rings_free(struct stream *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		ring_free(per_cpu_ptr(s->rings, cpu));
}

/* Create rings as CPUs come up. Return 0 or a negative error number. */
int rings_init(void)
{
	int ret, cpu, err = 0;

	BUILD_BUG_ON(RING_PAYLOAD_MAX != DEVTRACE_PAYLOAD_MAX);
	BUILD_BUG_ON(RING_DROP_CAUSES != DEVTRACE_LOST_CAUSES);
	BUILD_BUG_ON(RING_WHO_CODE != __DEVTRACE_CODE);
	BUILD_BUG_ON(RING_WHO_OBJSIG != __DEVTRACE_OBJSIG);
	BUILD_BUG_ON(RING_WHO_PTR != __DEVTRACE_PTR);
	BUILD_BUG_ON(RING_WHO_USER != (DEVTRACE_F_USER << RING_WHO_CTX_SHIFT));
	BUILD_BUG_ON(RING_WHO_CODE != (DEVTRACE_F_CODE << RING_WHO_CTX_SHIFT));
	BUILD_BUG_ON(RING_WHO_OBJSIG != (DEVTRACE_F_OBJSIG << RING_WHO_CTX_SHIFT));
	BUILD_BUG_ON(RING_WHO_PTR != (DEVTRACE_F_PTR << RING_WHO_CTX_SHIFT));

	for_each_possible_cpu(cpu)
		per_cpu(devtrace_ring, cpu) = per_cpu_ptr(&devtrace_rings, cpu);
	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "devtrace:ring",
					rings_cpu_prepare, rings_cpu_dead);
	if (ret < 0)
		return ret;
	cpuhp_state = ret;
	/*
	 * Kernels before 6.8 cannot call the callback for CPUs that are already up, so call it
	 * here. It does no harm if a CPU goes down meanwhile: the CPU merely gets rings that it
	 * does not need.
	 */
	for_each_online_cpu(cpu)
		err = err ?: rings_cpu_prepare(cpu);
	if (err)
		rings_exit();
	return err;
}

void rings_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
}
