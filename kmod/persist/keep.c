// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep stream 0 in a region
 *
 * The rings of stream 0 have their memory in the region, so emitters work as usual. The commit
 * position of each ring is also stored in the region. A delayed work item reads the rings like any
 * reader and stores checksums: one for each full chunk of 4 KiB, and one for the records so far in
 * the chunk being filled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/workqueue.h>

#include "emit/proc.h"
#include "emit/slots.h"
#include "keep.h"
#include "keep_change.h"
#include "lane/blocks.h"
#include "manage/streams.h"
#include "names.h"
#include "pool.h"
#include "read/boot_id.h"
#include "ring/clock.h"
#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "severe.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "sums.h"

/* Maximum number of units copied from a ring at a time. */
#define LOOK_UNITS	1024
/* At a panic, copy and sum each ring at most this many times: about 1 ms for all rings. */
#define FALL_LOOKS	8
/* Number of ticks after which keep_sync() stops waiting for another user of the sums. */
#define SYNC_TRIES	(10 * HZ)
/*
 * Entries for samples of the clocks: one for each of the last seconds; two for each recent step of
 * the wall clock, with the times before and after it; and a last one for the newest sample.
 */
#define CLOCK_NS	NSEC_PER_SEC
#define CLOCKS_STEPS	(8U * 2)
#define CLOCKS_SECONDS	(PERSIST_CLOCKS - 1 - CLOCKS_STEPS)

/**
 * struct keep_ring - a ring in the region
 * @ring: the ring
 * @at: its first page in the region
 * @sums: checksums of its records; owned by the caller of keep_take()
 * @nr: number of times that its struct persist_info was written
 * @cpu: CPU of the ring
 * @flushed: position up to which its data was written back, modulo 2^32
 */
struct keep_ring {
	struct ring		*ring;
	void			*at;
	struct sums		sums;
	u64			nr;
	u32			cpu;
	u32			flushed;
};

static struct region *region;
static struct persist_header header;
static struct keep_ring *keep;
static u32 used;
static unsigned long interval;
static u64 look[LOOK_UNITS];
/* 1: keep_sync() or keep_fall() uses @look and the sums in @keep. */
static atomic_t busy;
static struct delayed_work work;
static u32 clocks, clock_steps;
static u64 last_clock;

static void store_sum(struct keep_ring *k)
{
	struct persist_sum *to = sums_store(&k->sums);

	if (to)
		region_flush(region, to, sizeof(*to));
}

/*
 * Copy new units of a ring to look. Return their number; 0: there are none, or the ring is no
 * longer in the region.
 */
static u32 look_at(struct keep_ring *k)
{
	u32 units = 0;

	if (k->ring->mirror == k->at + PERSIST_COMMIT_AT)
		ring_fetch(k->ring, &k->sums.place, LOOK_UNITS, look, &units);
	return units;
}

static void store_info(struct keep_ring *k)
{
	struct persist_info *two = k->at + PERSIST_INFO_AT;
	struct persist_info info = {
		.nr = ++k->nr, .cpu = k->cpu, .cleared = k->ring->cleared.idx,
		.since = atomic64_read(&devtrace_stream0.cleared),
		.missed = k->ring->cleared_drops[RING_DROP_STOPPED],
	};
	int i;

	for (i = 0; i < RING_DROP_CAUSES; i++)
		info.drops[i] = ring_count_read(&k->ring->dropped[i]) -
				k->ring->cleared_drops[i];
	info.crc = PERSIST_CRC(&info);
	memcpy(&two[k->nr % 2], &info, sizeof(info));
}

static void flush_data(struct keep_ring *k, u32 pos, u32 n)
{
	const u32 mask = k->sums.mask, from = pos & mask;
	void *data = k->at + persist_data_at(header.ring_bytes);

	if (n > mask || from + n > mask + 1)
		region_flush(region, data, header.ring_bytes);
	else
		region_flush(region, data + (size_t)from * RING_UNIT, (size_t)n * RING_UNIT);
}

/*
 * Write a ring's data back, from the end of the previous write-back up to the commit, then its
 * table of sums and the page with its commit. This needs no lock: two concurrent callers write the
 * same data back twice.
 */
static void flush_ring(struct keep_ring *k)
{
	const u32 commit = READ_ONCE(*(const u64 *)(k->at + PERSIST_COMMIT_AT));
	const u32 pos = READ_ONCE(k->flushed);

	flush_data(k, pos, commit - pos);
	region_flush(region, k->at, persist_data_at(header.ring_bytes));
	WRITE_ONCE(k->flushed, commit);
}

/*
 * Sum the records that look_at() copied. Write the records back first: if only the sum reached
 * memory before a reset, the whole chunk would be lost.
 */
static void sum_units(struct keep_ring *k, u32 units)
{
	flush_data(k, k->sums.place.pos, units);
	sums_add(&k->sums, look, units);
	WRITE_ONCE(k->flushed, k->sums.place.pos);
}

/* Sum all events so far. Emitters go on, so stop after about as many as the ring holds. */
static void sum_ring(struct keep_ring *k)
{
	u32 looks = header.ring_bytes / (LOOK_UNITS * RING_UNIT) + 2;
	u32 units;

	do {
		raw_spin_lock(&k->ring->lock);
		units = look_at(k);
		raw_spin_unlock(&k->ring->lock);
		sum_units(k, units);
		cond_resched();
	} while (units && --looks);
	store_sum(k);
}

/* Store both times when the wall clock is set, so that earlier events keep their dates. */
static void told_clock(const struct clock_sample *before, const struct clock_sample *after)
{
	struct persist_clock *all = region->at + PERSIST_CLOCKS_AT;
	const struct clock_sample *s = before;
	unsigned int i;

	for (i = 0; i < 2; i++, s = after) {
		struct persist_clock *to = &all[CLOCKS_SECONDS + clock_steps++ % CLOCKS_STEPS];
		struct persist_clock c = {
			.ts = s->ts, .mono = s->mono, .boot = s->boot, .real = s->real,
		};

		c.crc = PERSIST_CRC(&c);
		memcpy(to, &c, sizeof(c));
		region_flush(region, to, sizeof(c));
	}
}

static void store_clock(void)
{
	struct persist_clock *all = region->at + PERSIST_CLOCKS_AT;
	struct persist_clock c = { .nr = clocks };

	c.ts = devtrace_clock();
	c.mono = ktime_get_mono_fast_ns();
	c.boot = ktime_get_boot_fast_ns();
	c.real = ktime_get_real_fast_ns();
	c.crc = PERSIST_CRC(&c);
	memcpy(&all[PERSIST_CLOCKS - 1], &c, sizeof(c));
	if (clocks && c.ts - last_clock < CLOCK_NS)
		return;
	memcpy(&all[clocks++ % CLOCKS_SECONDS], &c, sizeof(c));
	last_clock = c.ts;
}

/* Take the sums, to be released with give_back(); return false if they are in use. */
static bool keep_take(void)
{
	/* Acquire: read the sums as the previous owner left them. Pairs with give_back(). */
	return !atomic_cmpxchg_acquire(&busy, 0, 1);
}

static void give_back(void)
{
	/* Release: pairs with keep_take(). */
	atomic_set_release(&busy, 0);
}

void keep_sync(void)
{
	u32 i, tries = 0;

	/*
	 * This is not a mutex: a thread that oopses while it holds one never unlocks it, and a
	 * reboot must not hang.
	 */
	while (!keep_take()) {
		if (tries++ == SYNC_TRIES)
			return;
		schedule_timeout_uninterruptible(1);
	}
	keep_changes_look();
	for (i = 0; i < used; i++) {
		sum_ring(&keep[i]);
		/* The lock keeps a clear from changing some of the numbers meanwhile. */
		raw_spin_lock(&keep[i].ring->lock);
		store_info(&keep[i]);
		raw_spin_unlock(&keep[i].ring->lock);
		keep_missed_ring(keep[i].cpu, keep[i].at + PERSIST_MISSED_AT);
		flush_ring(&keep[i]);
	}
	pool_sync();
	keep_changes_done();
	store_clock();
	region_flush(region, region->at, PERSIST_TABLES_AT);
	give_back();
}

/* Sum as many events without a sum as there is time for, the oldest first. */
static void sum_fallen(void)
{
	u32 i, looks, units;

	keep_changes_look();
	for (i = 0; i < used; i++) {
		looks = FALL_LOOKS;
		do {
			units = look_at(&keep[i]);
			sum_units(&keep[i], units);
		} while (units && --looks);
		store_sum(&keep[i]);
		store_info(&keep[i]);
		keep_missed_ring(keep[i].cpu, keep[i].at + PERSIST_MISSED_AT);
	}
}

/* At a panic or oops: other CPUs may be stopped with locks held, so take no lock. */
void keep_fall(void)
{
	u32 i;

	store_clock();
	/*
	 * If keep_sync() was interrupted or is late, some records have no sum. The next boot finds
	 * these by walking from record to record, so all of them must be in memory.
	 */
	if (keep_take()) {
		sum_fallen();
		give_back();
	}
	region_flush(region, region->at, PERSIST_TABLES_AT);
	for (i = 0; i < used; i++)
		flush_ring(&keep[i]);
	pool_fall();
}

void keep_cause(enum persist_why why, const char *format, ...)
{
	/* Static to save stack. One for each cause, because one cause may interrupt another. */
	static struct persist_cause all[PERSIST_CAUSES];
	struct persist_cause *c = &all[why - 1], *to = region->at + PERSIST_CAUSES_AT;
	va_list args;

	memset(c, 0, sizeof(*c));
	c->why = why;
	c->cpu = raw_smp_processor_id();
	c->ts = devtrace_clock();
	c->real = ktime_get_real_fast_ns();
	c->tid = current->pid;
	memcpy(c->comm, current->comm, sizeof(c->comm));
	va_start(args, format);
	vscnprintf(c->text, sizeof(c->text), format, args);
	va_end(args);
	c->crc = PERSIST_CRC(c);
	to += why - 1;
	memcpy(to, c, sizeof(*c));
	region_flush(region, to, sizeof(*to));
}

static void keep_work(struct work_struct *w)
{
	keep_sync();
	queue_delayed_work(system_unbound_wq, &work, interval);
}

static int lay_out(void)
{
	struct persist_header *h = &header;

	BUILD_BUG_ON(PERSIST_THREADS != PROC_SLOTS * PERSIST_THREAD_NAMES);
	memset(h, 0, sizeof(*h));
	h->magic = PERSIST_MAGIC;
	h->version = PERSIST_VERSION;
	h->size = region->size;
	h->nr_cpus = nr_cpu_ids;
	h->nr_rings = min(num_present_cpus(), PERSIST_RINGS_MAX);
	if (IS_ALIGNED(region->start, PAGE_SIZE))
		h->page = max_t(u32, PERSIST_PAGE, PAGE_SIZE);
	h->load = devtrace_boot_id.load;
	h->flags = (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? DEVTRACE_INFO_BIG_ENDIAN : 0) |
		   (IS_ENABLED(CONFIG_64BIT) ? 0 : DEVTRACE_INFO_32BIT) |
		   (devtrace_boot_id.random ? 0 : DEVTRACE_INFO_BOOT_ID);
	memcpy(h->boot_id, devtrace_boot_id.boot, sizeof(h->boot_id));
	strscpy(h->machine, init_utsname()->machine, sizeof(h->machine));
	strscpy(h->release, init_utsname()->release, sizeof(h->release));
	if (!persist_lay_out(h))
		return -ENOSPC;
	h->crc = PERSIST_CRC(h);
	return 0;
}

/* Invalidate the structure that begins at @at. */
static void forget_page(u64 at)
{
	u64 *magic = region->at + at;

	WRITE_ONCE(*magic, 0);
	region_flush(region, magic, sizeof(*magic));
}

/*
 * Invalidate the headers of an earlier boot, of any version, before the region is cleared: after a
 * power cut in between, a mixture of two boots would look valid. Each header is at the beginning of
 * a page.
 */
static void keep_forget(void)
{
	u64 copy[PERSIST_COPIES], at;
	int i;

	/*
	 * Begin with the headers of this version: while one is valid, the whole region counts as
	 * valid.
	 */
	persist_places(region->size, copy);
	for (i = 0; i < PERSIST_COPIES; i++)
		forget_page(copy[i]);
	for (at = 0; at < region->size; at += PERSIST_PAGE)
		forget_page(at);
}

static void write_headers(void)
{
	u64 at[PERSIST_COPIES];
	int i;

	persist_places(region->size, at);
	for (i = 0; i < PERSIST_COPIES; i++) {
		memcpy(region->at + at[i], &header, sizeof(header));
		region_flush(region, region->at + at[i], sizeof(header));
	}
}

/* Called by stream_lend() for each ring of stream 0; devtrace_lock held. */
static int keep_lend(unsigned int cpu, unsigned long bytes, struct ring_memory *m)
{
	struct keep_ring *k = &keep[used];

	if (used == header.nr_rings)
		return -ENOSPC;
	k->at = region->at + header.rings + used * header.stride;
	k->ring = per_cpu_ptr(devtrace_stream0.rings, cpu);
	k->cpu = cpu;
	store_info(k);
	m->data = k->at + persist_data_at(bytes);
	m->anchors = k->at + PERSIST_ANCHORS_AT;
	m->mirror = k->at + PERSIST_COMMIT_AT;
	m->lent = true;
	used++;
	return 0;
}

/* Begin the sums of each ring with the oldest record that was moved into the region. */
static void first_sums(void)
{
	struct ring_view v;
	u32 i;

	for (i = 0; i < used; i++) {
		ring_view(keep[i].ring, &v);
		sums_begin(&keep[i].sums, keep[i].at + PERSIST_SUMS_AT, keep[i].ring->mask, v.tail);
		keep[i].flushed = v.tail.pos;
		severe_ring(keep[i].cpu, &keep[i].flushed);
	}
}

/* Move stream 0 back to kernel memory. Retry until there is enough memory. */
static void rings_back(void)
{
	int err;

	for (;;) {
		mutex_lock(&devtrace_lock);
		err = stream_lend(header.ring_bytes, NULL);
		mutex_unlock(&devtrace_lock);
		if (!err)
			break;
		/* Module removal cannot fail: wait for memory. */
		pr_warn_once("waiting for memory into which stream 0 is moved\n");
		schedule_timeout_uninterruptible(HZ);
	}
}

/**
 * keep_begin() - clear the region, and move stream 0 into it
 * @r: the region
 * @interval_ms: time between two runs of the work that stores checksums, ms
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error number; the reason is in the kernel log.
 */
int keep_begin(struct region *r, unsigned int interval_ms)
{
	int err;

	BUILD_BUG_ON(sizeof(struct persist_header) > PERSIST_PAGE);
	BUILD_BUG_ON(sizeof(struct persist_cause) * PERSIST_CAUSES > PERSIST_PAGE);
	BUILD_BUG_ON(sizeof(struct persist_clock) * PERSIST_CLOCKS > PERSIST_PAGE);
	BUILD_BUG_ON(PERSIST_INFO_AT + 2 * sizeof(struct persist_info) > PERSIST_ANCHORS_AT);
	BUILD_BUG_ON(PERSIST_ANCHORS_AT + RING_BLOCKS_MAX * sizeof(u64) > PERSIST_MISSED_AT);
	BUILD_BUG_ON(PERSIST_MISSED_AT + 2 * sizeof(struct persist_missed) > PERSIST_PAGE);
	region = r;
	interval = msecs_to_jiffies(interval_ms) ?: 1;
	err = lay_out();
	if (err) {
		pr_err("a region of %zu bytes is too small for %u CPUs\n", r->size,
		       header.nr_rings);
		return err;
	}
	keep = kcalloc(header.nr_rings, sizeof(*keep), GFP_KERNEL);
	if (!keep)
		return -ENOMEM;
	used = 0;
	clocks = 0;
	clock_steps = 0;
	/*
	 * Allocate the slots for severe kernel events first: if this fails, no old event is lost.
	 */
	mutex_lock(&devtrace_lock);
	err = emit_slots_alloc();
	mutex_unlock(&devtrace_lock);
	if (err) {
		kfree(keep);
		return err;
	}
	keep_forget();
	memset(r->at, 0, r->size);
	keep_changes_begin(r);
	names_begin(r, &header);
	store_clock();
	WRITE_ONCE(devtrace_clock_told, told_clock);
	mutex_lock(&devtrace_lock);
	err = stream_lend(header.ring_bytes, keep_lend);
	if (!err)
		first_sums();
	mutex_unlock(&devtrace_lock);
	if (!err) {
		err = pool_begin(r, &header);
		if (err)
			rings_back();
	}
	if (err) {
		severe_end();
		WRITE_ONCE(devtrace_clock_told, NULL);
		/* names_end() also waits for calls of devtrace_clock_told in progress. */
		names_end();
		kfree(keep);
		pr_err("stream 0 cannot be moved to the region: error %d; the events of the previous boot are lost\n",
		       err);
		return err;
	}
	/*
	 * The headers make the region valid, so write them last, when everything else is in
	 * memory. Otherwise a reset that loses caches could leave sums of the previous boot in a
	 * valid region.
	 */
	region_flush(r, r->at, r->size);
	write_headers();
	severe_begin(r);
	pr_info("%u rings of %llu bytes in %zu at %pa; of lanes %u blocks, and room for %u\n", used,
		header.ring_bytes, r->size, &r->start, header.nr_blocks, header.nr_lanes);
	/* Not deferrable: an idle CPU would leave events without a sum for long. */
	INIT_DELAYED_WORK(&work, keep_work);
	queue_delayed_work(system_unbound_wq, &work, 0);
	return 0;
}

/* Store the last sums and the cause, and move stream 0 back to kernel memory. */
void keep_end(void)
{
	cancel_delayed_work_sync(&work);
	severe_end();
	keep_sync();
	keep_cause(PERSIST_UNLOADED, "the module was removed");
	WRITE_ONCE(devtrace_clock_told, NULL);
	/* names_end() also waits for calls of devtrace_clock_told in progress. */
	names_end();
	pool_end();
	rings_back();
	kfree(keep);
	keep = NULL;
}
