// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write events of severity level 2 and 3 back at once
 *
 * After its commit, the emitter writes back the ring of its CPU. It writes all records since the
 * last write-back, not just its own, because records without a sum are found by walking from one
 * to the next. It takes no lock: an interrupt in between, or keep.c's work item on another CPU, may
 * write the same records back again.
 *
 * At most SEVERE_UNITS are written back at once. The work item and keep_fall() write the rest; they
 * remember their own position.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "lane/lane_filter.h"
#include "layout.h"
#include "ring/ring.h"
#include "severe.h"

#define SEVERE_UNITS	(65536U / RING_UNIT)

static const struct region *region;
/*
 * Address of the position up to which keep.c has written the CPU's ring back; NULL: the ring is not
 * in the region.
 */
static DEFINE_PER_CPU(const u32 *, flushed);
/* Position up to which this file has written the ring back; may be less than keep.c's position. */
static DEFINE_PER_CPU(u32, done);

static atomic_t nr = ATOMIC_INIT(0);

static int get_nr(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%u\n", atomic_read(&nr));
}

static const struct kernel_param_ops nr_ops = { .get = get_nr };
module_param_cb(severe, &nr_ops, NULL, 0444);
MODULE_PARM_DESC(severe, "number of events of severity 2 and above that were written back at once");

static void write_back(struct ring *r, u32 from, u32 n)
{
	const u32 begin = from & r->mask, first = min(n, r->mask + 1 - begin);

	region_flush(region, ring_at(r, from), (size_t)first * RING_UNIT);
	region_flush(region, r->data, (size_t)(n - first) * RING_UNIT);
	/* Write the writer's place back after the records that lead to it. */
	region_flush(region, r->mirror, sizeof(*r->mirror));
}

/*
 * Called after a severe event, in any context, NMI included, with preemption off. severe_end()
 * waits for calls in progress before the ring is moved.
 */
static void severe_told(struct ring *r)
{
	const u32 *kept = this_cpu_read(flushed);
	u32 from, to, limit;

	if (!kept)
		return;
	/* If an interrupt writes its events back after this load, @from is too early: no harm. */
	from = this_cpu_read(done);
	if ((s32)(READ_ONCE(*kept) - from) > 0)
		from = READ_ONCE(*kept);
	to = (u32)ring_load(&r->commit);
	limit = min(SEVERE_UNITS, r->mask + 1);
	if (to - from > limit)
		from = to - limit;
	write_back(r, from, to - from);
	this_cpu_write(done, to);
	atomic_inc(&nr);
}

/*
 * Begin or end (@kept is NULL) to write back the ring of a CPU. @kept: position up to which keep.c
 * has written the ring back
 */
void severe_ring(unsigned int cpu, const u32 *kept)
{
	per_cpu(done, cpu) = kept ? *kept : 0;
	per_cpu(flushed, cpu) = kept;
}

/* Call after severe_ring() for all rings of the region. */
void severe_begin(const struct region *r)
{
	region = r;
	lane_filter_tell_severe(severe_told);
}

/* Called while the rings are still in the region. Process context; sleeps. */
void severe_end(void)
{
	unsigned int cpu;

	lane_filter_tell_severe(NULL);
	for_each_possible_cpu(cpu)
		severe_ring(cpu, NULL);
}
