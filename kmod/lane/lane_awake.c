// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes that may have something new
 *
 * Most threads sleep. So a reader looks only into lanes that are awake: their thread may have
 * written since the lane was found empty. A lane wakes when the scheduler switches to its
 * thread; lane_wake.c attaches the probe, while a reader follows. A lane goes to sleep when its
 * events are taken, if it is empty, not busy, and its thread is off the CPU.
 *
 * Invariants: While the probe is attached, a thread whose lane sleeps writes no event before
 * the scheduler switches to it, and its lane is awake then. So an event written after a reader
 * has found the lane asleep is not older than that moment. Without the probe all lanes count as
 * awake.
 *
 * Each lane has two bits. AWAKE is for readers. WOKEN is cleared before the checks and set with
 * each wake-up: the lane goes to sleep only if WOKEN is still clear, by one compare-and-exchange.
 * So a reader never finds a lane asleep that was woken during the checks.
 *
 * A parent waits for its child of vfork(2) in an uninterruptible sleep, and the child writes
 * into the parent's lane. So only an interruptible sleep counts. A second lane of a thread never
 * sleeps, which bounds the steps of the probe.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "blocks.h"
#include "compat/compat.h"
#include "lane.h"
#include "lane_awake.h"
#include "slot.h"

#define AWAKE		1UL
#define WOKEN		2UL
#define LANES_PER_WORD	(BITS_PER_LONG / 2)
#define WORDS		(SLOTS_MAX / LANES_PER_WORD)
#define TID_HASH_BITS	10

static atomic_long_t words[WORDS];

/* The first open lane of each thread, by thread id; changes are protected by lock. */
static struct hlist_head *first_lanes;
static u32 hash_seed;
static DEFINE_SPINLOCK(lock);

/* The probe is attached, and all lanes were awake then. */
static bool watched;
/* A lane fell asleep with events that the timer has not seen. */
static bool unseen;

static atomic_long_t *word_of(unsigned int slot)
{
	return &words[slot / LANES_PER_WORD];
}

static unsigned long bits_of(unsigned int slot, unsigned long bits)
{
	return bits << slot % LANES_PER_WORD * 2;
}

static void wake_up_slot(unsigned int slot)
{
	const unsigned long both = bits_of(slot, AWAKE | WOKEN);

	if ((atomic_long_read(word_of(slot)) & both) != both)
		atomic_long_or(both, word_of(slot));
}

/* A lane was opened in its slot: its thread may write. With slots_lock held. */
void lane_awake_open(const struct lane *l)
{
	wake_up_slot(l->slot);
}

/* No lane is open in the slot. With slots_lock held. */
void lane_awake_gone(unsigned int slot)
{
	const unsigned long both = bits_of(slot, AWAKE | WOKEN);

	if (atomic_long_read(word_of(slot)) & both)
		atomic_long_andnot(both, word_of(slot));
}

/* Is the thread off the CPU, until a wake-up and a switch to it? */
static bool thread_sleeps(const struct lane *l)
{
	const struct task_struct *task;
	bool sleeps;

	rcu_read_lock();
	task = pid_task(l->pid, PIDTYPE_PID);
	sleeps = task && compat_task_sleeps(task);
	rcu_read_unlock();
	return sleeps;
}

/*
 * Clear AWAKE, unless the lane was woken. Return true if it was cleared.
 */
static bool fall_asleep(unsigned int slot)
{
	const unsigned long woken = bits_of(slot, WOKEN), awake = bits_of(slot, AWAKE);
	long old = atomic_long_read(word_of(slot)), found;

	while (!(old & woken)) {
		found = atomic_long_cmpxchg(word_of(slot), old, old & ~awake);
		if (found == old)
			return true;
		old = found;
	}
	return false;
}

/**
 * lane_awake_sleep() - all events of a lane were taken: let it sleep, if its thread sleeps
 * @l: the lane, open, with its lock held
 */
void lane_awake_sleep(struct lane *l)
{
	u32 open;
	u16 used;

	if (!READ_ONCE(watched) || !READ_ONCE(l->first) || !lane_awake_may(l->slot) ||
	    !thread_sleeps(l))
		return;
	atomic_long_andnot(bits_of(l->slot, WOKEN), word_of(l->slot));
	/*
	 * LMM(lane_awake:A): WOKEN before the thread's state. If the probe found WOKEN set before
	 * it was cleared, then the thread is found running, or its events are found. Pairs with
	 * the scheduler's barrier before the probe.
	 */
	smp_mb__after_atomic();
	if (!READ_ONCE(watched) || !thread_sleeps(l))
		return;
	/*
	 * LMM(lane_awake:B): The thread's state before the lane. Pairs with the scheduler's barrier
	 * before it takes the thread off its CPU.
	 */
	smp_rmb();
	lane_newest(&l->mem, &open, &used);
	if (READ_ONCE(lane_head(&l->mem)->busy) || lane_untaken_bytes(&l->mem, &l->at) ||
	    !fall_asleep(l->slot))
		return;
	/* lane_wake_look() does not look at this lane any more: other readers must wake. */
	if (open != READ_ONCE(l->seen_open) || used != READ_ONCE(l->seen_used))
		WRITE_ONCE(unseen, true);
}

/* Has a lane fallen asleep with events that the timer has not seen? Asked once. */
bool lane_awake_unseen(void)
{
	return READ_ONCE(unseen) && xchg(&unseen, false);
}

/* Hash a thread id with a random key: users choose the ids of their threads. */
u32 lane_awake_hash(u32 tid, unsigned int bits)
{
	return jhash_1word(tid, hash_seed) & GENMASK(bits - 1, 0);
}

static struct hlist_head *first_lanes_of(u32 tid)
{
	return &first_lanes[lane_awake_hash(tid, TID_HASH_BITS)];
}

int lane_awake_init(void)
{
	hash_seed = get_random_u32();
	first_lanes = kvcalloc(1 << TID_HASH_BITS, sizeof(*first_lanes), GFP_KERNEL);
	return first_lanes ? 0 : -ENOMEM;
}

void lane_awake_exit(void)
{
	kvfree(first_lanes);
}

/* Find the first lane of a thread. With lock held, or under RCU. */
static struct lane *first_lane(u32 tid)
{
	struct lane *l;

	hlist_for_each_entry_rcu(l, first_lanes_of(tid), first_entry, lockdep_is_held(&lock))
		if (l->tid == tid)
			return l;
	return NULL;
}

/**
 * lane_awake_made() - a lane was opened
 * @l: the lane, in its slot
 */
void lane_awake_made(struct lane *l)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	if (!first_lane(l->tid)) {
		hlist_add_head_rcu(&l->first_entry, first_lanes_of(l->tid));
		WRITE_ONCE(l->first, true);
	}
	spin_unlock_irqrestore(&lock, flags);
}

/**
 * lane_awake_closed() - a lane was closed
 * @l: the lane
 */
void lane_awake_closed(struct lane *l)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	if (l->first)
		hlist_del_rcu(&l->first_entry);
	WRITE_ONCE(l->first, false);
	spin_unlock_irqrestore(&lock, flags);
}

/**
 * lane_awake_switch() - the scheduler switches to a thread
 * @tid: the thread
 *
 * Context: the scheduler's lock is held.
 */
void lane_awake_switch(u32 tid)
{
	struct lane *l;

	rcu_read_lock();
	l = first_lane(tid);
	if (l)
		wake_up_slot(l->slot);
	rcu_read_unlock();
}

/**
 * lane_awake_watch() - the probe is attached: lanes may sleep
 *
 * Threads may have run before the probe was attached, so all lanes wake.
 */
void lane_awake_watch(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		atomic_long_set(&words[i], ~0UL);
	/*
	 * LMM(lane_awake:C): If a reader reads that lanes are watched, then it reads them awake.
	 * Pairs with lane_awake:D.
	 */
	smp_store_release(&watched, true);
}

/* The probe will be detached: all lanes count as awake. */
void lane_awake_unwatch(void)
{
	WRITE_ONCE(watched, false);
}

bool lane_awake_watched(void)
{
	/* LMM(lane_awake:D): pairs with lane_awake:C. */
	return smp_load_acquire(&watched);
}

/* May the slot's lane have events that were not taken? */
bool lane_awake_may(unsigned int slot)
{
	return !lane_awake_watched() ||
	       atomic_long_read(word_of(slot)) & bits_of(slot, AWAKE);
}

/**
 * lane_awake_news() - find lanes that are awake
 * @slots: bitmap; their bits are set
 * @nr: number of slots
 */
void lane_awake_news(unsigned long *slots, unsigned int nr)
{
	unsigned long word;
	unsigned int i, bit;

	if (!lane_awake_watched()) {
		bitmap_set(slots, 0, nr);
		return;
	}
	for (i = 0; i * LANES_PER_WORD < nr; i++) {
		word = atomic_long_read(&words[i]) & (~0UL / 3);
		for (; word; word &= word - 1) {
			bit = i * LANES_PER_WORD + __ffs(word) / 2;
			if (bit < nr)
				__set_bit(bit, slots);
		}
	}
}
