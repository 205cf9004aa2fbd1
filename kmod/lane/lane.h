/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Create, map, close and free lanes
 *
 * A lane belongs to the thread that asked for it, and to the address space that maps it. It is
 * open until that mapping is removed or the thread ends; then its complete events are taken
 * (take.c) and its memory is freed. All lanes belong to stream 0.
 */
#ifndef DEVTRACE_LANE_H
#define DEVTRACE_LANE_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "lane_read.h"

struct mm_struct;
struct task_struct;

/**
 * struct lane - memory that one thread writes events into
 * @ref: one reference for the file, one while the lane is open
 * @mem: the memory; used with @lock held, and only while @closed is false
 * @bytes: size of the memory
 * @slot: number of the slot
 * @flags: DEVTRACE_LANE_NO_CALLS
 * @tid: the thread, in the initial pid namespace
 * @tgid: its process
 * @pid: the thread, to see whether it runs
 * @owner: the user whose share the lane counts in, see devtrace_owner()
 * @mm: address space that may map the lane; NULL once the lane is closed for good
 * @mapped: the lane is mapped, or was
 * @maps: number of mappings in @mm: two while mremap(2) is being refused
 * @pool: owner of the memory; NULL: the kernel
 * @pfn: first page of the memory, if @pool owns it
 * @told: where to store the number of events taken, to be read after a reset; or NULL
 * @lock: protects @at, @floor, @made, @waits and @closed
 * @at: place in the lane up to which events were taken
 * @floor: no event that is taken later is older than this, trace clock ns; see take.c
 * @made: when the lane was opened, trace clock ns; 0: not open yet
 * @waits: readers wait for an event that its thread has begun; read without @lock
 * @closed: no more events are taken; read without @lock
 * @user: share of its user, until the memory is freed
 * @process: share of its process, until the memory is freed
 * @awake: entry of lane_wake.c's list of open lanes
 * @by_tid: entry of lane_wake.c's table, while the lane is open
 * @first_entry: entry of lane_awake.c's table, if @first
 * @first: the thread's only lane, or the first of them; it may sleep. See lane_awake.c
 * @seen_open: block being written, as lane_wake.c saw it last
 * @seen_used: bytes used of that block, as lane_wake.c saw it last
 * @rcu: to free the lane
 */
struct lane {
	struct kref		ref;
	struct lane_mem		mem;
	u32			bytes;
	u16			slot;
	u16			flags;
	u32			tid, tgid;
	struct pid		*pid;
	u32			owner;
	struct mm_struct	*mm;
	unsigned long		mapped;
	atomic_t		maps;
	const struct lane_pool	*pool;
	unsigned long		pfn;
	u64			*told;

	raw_spinlock_t		lock;
	struct lane_place	at;
	u64			floor;
	u64			made;
	bool			waits;
	bool			closed;

	struct share		*user, *process;
	struct list_head	awake;
	struct hlist_node	by_tid;
	struct hlist_node	first_entry;
	bool			first;
	u32			seen_open;
	u16			seen_used;
	struct rcu_head		rcu;
};

/* A lane is open while the process that asked for it maps it, or may still map it. */
static inline bool lane_is_open(const struct lane *l)
{
	return READ_ONCE(l->mm);
}

/**
 * struct lane_pool - memory for lanes that another module provides
 * @owner: the module; it stays loaded while a lane uses the memory
 * @wc: map the memory write-combining
 * @get: called to set a lane's blocks, pfn and told, with zeroed memory; false: there is none
 * @open: called when the lane's slot is open, before the thread writes
 * @put: called when the memory is no longer mapped
 */
struct lane_pool {
	struct module	*owner;
	bool		wc;
	bool		(*get)(struct lane *l);
	void		(*open)(const struct lane *l);
	void		(*put)(struct lane *l);
};

extern const struct lane_pool __rcu *devtrace_lane_pool;

struct devtrace_lane_ask;

long lane_ask(struct devtrace_lane_ask __user *arg);
int lane_hand_over(unsigned long source);
void lane_put(struct lane *l);
int lane_wait_for_dying(void);

void lanes_exit(void);

#endif /* DEVTRACE_LANE_H */
