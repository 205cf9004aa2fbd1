/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lanes: made, mapped, dead, and gone
 *
 * A lane belongs to the thread that asked for it and to the address space that maps it.
 * It is open until that mapping ends, then dead: what is in it can still be read. Dead
 * lanes go, oldest first, when their memory is needed for another lane.
 *
 * Lanes are those of stream 0. Whoever looks into their memory holds layout of
 * stream 0, for reading at least; they come and go under it, for writing. lanes_lock
 * serializes the latter, and is taken before layout. Neither is held while user memory
 * is touched: mmap_lock is taken before them.
 */
#ifndef DEVTRACE_LANE_H
#define DEVTRACE_LANE_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "lane_read.h"

/* How many there may be, and so how many sources beyond the CPUs. */
#define LANES_MAX	4096

struct devtrace_stats;
struct mm_struct;

/**
 * struct lane - memory that a thread writes into
 * @list: in devtrace_lanes, in the order in which they were made
 * @ref: one for the list, one for its file, one for each cursor
 * @mem: where it is; not while @gone
 * @memory: what is mapped
 * @bytes: of that
 * @serial: the how manieth lane it is, from 1
 * @made: when, trace clock, ns: no event is older
 * @source: its number in frames
 * @tid: the thread, in the initial pid namespace
 * @tgid: its process
 * @pid: the thread, to see whether it runs
 * @uid: who is charged
 * @mm: where it may be mapped; NULL when it is dead
 * @mapped: somebody maps its blocks, or did
 * @maps: how many mappings of the blocks @mm has: two while mremap(2) is refused
 * @died: the how manieth to die, 0 while it is open
 * @gone: its memory was needed; @total tells how many events it had
 * @total: see @gone
 * @cleared: events before are not to be read
 * @is_cleared: there are such
 * @filtered: events that were written when they were not wanted any more
 * @filtered_to: up to the event of this number they were counted
 * @awake: in the list of lane_wake.c, while it is open
 * @seen_open: what lane_wake.c saw last
 * @seen_used: likewise
 */
struct lane {
	struct list_head	list;
	struct kref		ref;
	struct lane_mem		mem;
	u8			*memory;
	u32			bytes;
	u64			serial;
	u64			made;
	u16			source;
	u32			tid, tgid;
	struct pid		*pid;
	kuid_t			uid;
	struct mm_struct	*mm;
	unsigned long		mapped;
	atomic_t		maps;
	u64			died;
	bool			gone;
	u64			total;
	struct lane_place	cleared;
	bool			is_cleared;
	atomic64_t		filtered, filtered_to;
	struct list_head	awake;
	u32			seen_open;
	u16			seen_used;
};

/* Those that are not gone; changes under layout of stream 0. */
extern struct list_head devtrace_lanes;
/* Another number when that list has changed. */
extern unsigned int devtrace_lanes_changes;

/* A mapping of its own process makes a lane open. */
static inline bool lane_is_open(const struct lane *l)
{
	return READ_ONCE(l->mm);
}

static inline struct lane *lane_get(struct lane *l)
{
	kref_get(&l->ref);
	return l;
}

void lane_put(struct lane *l);
void lane_close(struct lane *l);
void lane_count_filtered(struct lane *l, u64 idx);
void lanes_clear(void);
void lanes_stats(struct devtrace_stats *st);

struct devtrace_lane_ask;
struct file;

int lane_new(struct devtrace_lane_ask *arg, struct file **file);

void lanes_init(u32 start);
void lanes_exit(void);

#endif /* DEVTRACE_LANE_H */
