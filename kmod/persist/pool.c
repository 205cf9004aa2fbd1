// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep lanes and the ring of blocks in a region
 *
 * The ring of blocks has its pages in the region, and so have lanes while there is room. Further
 * lanes have kernel memory: a reset loses their events that were not taken. The work item that
 * stores the sums of rings also takes the events of all lanes and stores the sums of blocks.
 *
 * Each lane in the region holds a reference to this module until no process uses it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "lane/lane.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "lane/take.h"
#include "keep_change.h"
#include "lanes.h"
#include "manage/lane_resize.h"
#include "pool.h"
#include "stream/stream.h"
#include "stream/table.h"

static struct region *region;
static struct persist_header header;
static struct persist_block *sums;
static struct persist_slot *slots;
static struct persist_missed *missed;
static struct persist_lane *lanes;
static u8 *blocks, *pages;
/* Bitmap of the places in use, in units of the smallest lane; protected by @lock. */
static unsigned long *used;
static DEFINE_SPINLOCK(lock);
static unsigned long without;
/* Number of the first block that may need a new sum; number of times that slots were written. */
static u64 next, turns;

static struct persist_lane *entry_of(const struct lane *l)
{
	return &lanes[(l->mem.blocks - pages) / (PERSIST_LANE_PAGES * PERSIST_PAGE)];
}

static int order_of(const struct lane *l)
{
	return ilog2(l->bytes / (PERSIST_LANE_PAGES * PERSIST_PAGE));
}

static bool pool_get(struct lane *l)
{
	struct persist_lane *e;
	int at;

	spin_lock(&lock);
	at = bitmap_find_free_region(used, header.nr_lanes, order_of(l));
	spin_unlock(&lock);
	if (at < 0) {
		if (!without++)
			pr_warn("the region has no room for another lane: its last events before a reset are not kept; set aside more memory\n");
		return false;
	}
	l->mem.blocks = pages + (size_t)at * PERSIST_LANE_PAGES * PERSIST_PAGE;
	l->pfn = PHYS_PFN(region->start + ((u8 *)l->mem.blocks - (u8 *)region->at));
	memset(l->mem.blocks, 0, l->bytes);
	e = entry_of(l);
	e->taken = lane_told(0);
	l->told = &e->taken;
	return true;
}

static void pool_open(const struct lane *l)
{
	struct persist_lane e = {
		.made = l->made, .slot = l->slot, .pages = l->mem.nr,
		.tid = l->tid, .tgid = l->tgid, .first = l->mem.first,
	};
	struct persist_lane *to = entry_of(l);

	e.begin = slot_at(l->slot)->begin_idx;
	e.crc = PERSIST_CRC(&e);
	memcpy(to, &e, offsetof(struct persist_lane, crc));
	/* The entry becomes valid when its @crc is stored, so store this member last. */
	smp_store_release(&to->crc, e.crc);
	region_flush(region, to, sizeof(*to));
}

static void pool_put(struct lane *l)
{
	struct persist_lane *e = entry_of(l);
	int at = e - lanes;

	l->told = NULL;
	memset(e, 0, sizeof(*e));
	region_flush(region, e, sizeof(*e));
	spin_lock(&lock);
	bitmap_release_region(used, at, order_of(l));
	spin_unlock(&lock);
}

static struct lane_pool pool = {
	.owner = THIS_MODULE, .get = pool_get, .open = pool_open, .put = pool_put,
};

/* Set @fill to the number of complete bytes of block @n; false: the block is not in the ring. */
static bool look_at(u64 n, u32 *fill)
{
	const struct block_ring *b = &slots0.blocks;
	bool there;

	raw_spin_lock(&slots_lock);
	there = b->nr && n >= b->tail && n <= b->head;
	if (there) {
		*fill = blocks_state(b, n)->fill;
		if (blocks_state(b, n)->pending)
			*fill = persist_block_fill(blocks_page(b, n), *fill);
	}
	raw_spin_unlock(&slots_lock);
	return there;
}

static void store_sum(u64 n, u32 fill)
{
	const u32 i = n & (header.nr_blocks - 1);
	struct persist_block *two = &sums[2 * i], *to;
	struct persist_block s = { .number = n, .fill = fill };

	if (two[0].number != two[1].number)
		to = two[0].number < two[1].number ? &two[0] : &two[1];
	else
		to = two[0].fill <= two[1].fill ? &two[0] : &two[1];
	if (!persist_block_sum(blocks + (size_t)i * PERSIST_PAGE, fill, &s.sum))
		return;
	s.crc = PERSIST_CRC(&s);
	/* Write the block back before its sum: see sum_units() in keep.c. */
	region_flush(region, blocks + (size_t)i * PERSIST_PAGE, fill);
	raw_spin_lock(&slots_lock);
	/* Store no sum if the block was overwritten meanwhile. */
	if (n >= slots0.blocks.tail) {
		WRITE_ONCE(to->crc, 0);
		barrier();
		memcpy(to, &s, offsetof(struct persist_block, crc));
		barrier();
		WRITE_ONCE(to->crc, s.crc);
	}
	raw_spin_unlock(&slots_lock);
	region_flush(region, two, 2 * sizeof(*two));
}

static void sum_blocks(void)
{
	u64 head, n;
	u32 fill;

	raw_spin_lock(&slots_lock);
	head = slots0.blocks.nr ? slots0.blocks.head : 0;
	next = max(next, slots0.blocks.tail);
	raw_spin_unlock(&slots_lock);
	for (n = next; n <= head; n++) {
		if (look_at(n, &fill) && fill)
			store_sum(n, fill);
		cond_resched();
	}
	/* The newest blocks may have had unfinished runs: sum them again next time. */
	next = max(next, head - min_t(u64, head, 2));
}

static void store_slot(u32 i)
{
	struct persist_slot *to = &slots[2 * i + turns % 2];
	struct persist_slot s = { .nr = turns, .slot = i };
	const struct slot_part *part = slot_part(&slots0, i);
	const struct lane *l;
	u32 k;

	raw_spin_lock(&slots_lock);
	l = rcu_dereference_protected(slot_at(i)->lane, lockdep_is_held(&slots_lock));
	s.outside = l && !READ_ONCE(l->closed) && !l->pool;
	s.idx = blocks_chain(&slots0.blocks, i)->idx;
	s.cleared = part->cleared_idx;
	s.since = atomic64_read(&devtrace_stream0.cleared);
	s.missed = part->cleared_dropped[DEVTRACE_LOST_STOPPED];
	for (k = 0; k < ARRAY_SIZE(s.drops); k++)
		s.drops[k] = part->dropped[k] - part->cleared_dropped[k];
	raw_spin_unlock(&slots_lock);
	s.crc = PERSIST_CRC(&s);
	memcpy(to, &s, sizeof(s));
	region_flush(region, to, sizeof(s));
}

static void flush_lanes(void)
{
	u32 i, nr;

	for (i = 0; i < header.nr_lanes; i += nr) {
		nr = 1;
		if (!READ_ONCE(lanes[i].crc))
			continue;
		nr = clamp(lanes[i].pages / PERSIST_LANE_PAGES, 1U, header.nr_lanes - i);
		region_flush(region, &lanes[i], sizeof(lanes[i]));
		region_flush(region, pages + (size_t)i * PERSIST_LANE_PAGES * PERSIST_PAGE,
			     nr * PERSIST_LANE_PAGES * PERSIST_PAGE);
	}
}

void pool_sync(void)
{
	const u32 nr = min_t(u32, slots_nr(), header.nr_slots);
	u32 i;

	if (!header.nr_blocks || !slots_nr())
		return;
	slots_take_all();
	sum_blocks();
	turns++;
	for (i = 0; i < nr; i++) {
		store_slot(i);
		keep_missed_slot(i, &missed[2 * i]);
	}
	flush_lanes();
}

/* A stopped CPU may hold a lock, so take nothing from lanes: only write caches back. */
void pool_fall(void)
{
	const u64 head = READ_ONCE(slots0.blocks.head);
	u64 n;

	if (!header.nr_blocks)
		return;
	for (n = head; n && head - n < header.nr_blocks && n + 1 >= next; n--)
		region_flush(region,
			     blocks + (size_t)(n & (header.nr_blocks - 1)) * PERSIST_PAGE,
			     PERSIST_PAGE);
	flush_lanes();
}

static int move_blocks(u8 *at, u32 nr)
{
	int err;

	mutex_lock(&devtrace_lock);
	err = slots_lend(at, nr);
	mutex_unlock(&devtrace_lock);
	return err;
}

static void blocks_back(void)
{
	while (move_blocks(NULL, 0)) {
		pr_warn_once("waiting for memory into which the events of lanes are moved\n");
		schedule_timeout_uninterruptible(HZ);
	}
}

/*
 * Use the zeroed region for the ring of blocks and for new lanes. Process context. Return 0 or
 * -ENOMEM.
 */
int pool_begin(struct region *r, const struct persist_header *h)
{
	BUILD_BUG_ON(PERSIST_SLOTS_MAX != SLOTS_MAX);
	BUILD_BUG_ON(sizeof(struct persist_block) * 2 != 64);
	BUILD_BUG_ON(PERSIST_LANE_PAGES * PERSIST_PAGE != DEVTRACE_LANE_MIN);
	region = r;
	header = *h;
	next = 0;
	turns = 0;
	without = 0;
	if (!h->nr_blocks)
		return 0;
	sums = r->at + h->block_sums;
	slots = r->at + h->slots;
	missed = r->at + h->missed;
	lanes = r->at + h->lanes;
	blocks = r->at + h->blocks;
	pages = r->at + h->lane_pages;
	used = bitmap_zalloc(h->nr_lanes ?: 1, GFP_KERNEL);
	if (!used)
		return -ENOMEM;
	if (move_blocks(blocks, h->nr_blocks)) {
		blocks_back();
		bitmap_free(used);
		return -ENOMEM;
	}
	pool.wc = !r->cached;
	if (h->nr_lanes)
		rcu_assign_pointer(devtrace_lane_pool, &pool);
	return 0;
}

/* Called when the module is removed. By then, no lane is in the region, and none can be added. */
void pool_end(void)
{
	if (!header.nr_blocks)
		return;
	RCU_INIT_POINTER(devtrace_lane_pool, NULL);
	synchronize_rcu();
	blocks_back();
	bitmap_free(used);
	header.nr_blocks = 0;
}
