/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lanes: made, mapped, closed, and gone
 *
 * A lane belongs to the thread that asked for it and to the address space that maps it.
 * A lane is open until that mapping ends or the thread does; then its complete events are
 * taken (take.c), and its memory is freed. All lanes belong to stream 0.
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
 * struct lane - memory that a thread writes into
 * @ref: one for its file, one while it is open
 * @mem: where it is; looked at with @lock while it is not @closed
 * @bytes: of that
 * @slot: its number
 * @flags: DEVTRACE_LANE_NO_CALLS
 * @tid: the thread, in the initial pid namespace
 * @tgid: its process
 * @pid: the thread, to see whether it runs
 * @owner: the user whose share it is, as devtrace_owner() says
 * @mm: where it may be mapped; NULL when it is closed for good
 * @mapped: somebody maps it, or did
 * @maps: how many mappings @mm has: two while mremap(2) is refused
 * @pool: whose memory it is; NULL: our own
 * @pfn: of its first page, if it is that of @pool
 * @told: what was taken, for who reads its memory after a reset; or NULL
 * @lock: of what follows
 * @at: what was taken
 * @floor: see take.c
 * @made: when it was opened, trace clock ns; 0: nobody has seen it
 * @waits: its thread is in the middle of an event
 * @closed: nothing is taken from it any more
 * @user: what its user has, it included; until its memory is given back
 * @process: likewise its process
 * @awake: in the list of lane_wake.c, while it is open
 * @by_tid: in the table of lane_wake.c, likewise
 * @seen_open: what lane_wake.c saw last
 * @seen_used: likewise
 * @rcu: to free it
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
	u32			seen_open;
	u16			seen_used;
	struct rcu_head		rcu;
};

/* A mapping of its own process makes a lane open. */
static inline bool lane_is_open(const struct lane *l)
{
	return READ_ONCE(l->mm);
}

/**
 * struct lane_pool - memory for lanes that is not the kernel's
 * @owner: is there as long as a lane has any of it
 * @wc: it is mapped write-combining
 * @get: blocks, pfn and told of a lane, zeroed; false: there is none
 * @open: its slot is open, and nobody writes yet
 * @put: nobody maps it any more
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

void lanes_exit(void);

#endif /* DEVTRACE_LANE_H */
