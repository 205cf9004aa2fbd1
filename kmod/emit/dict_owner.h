/* SPDX-License-Identifier: GPL-2.0-only */
/* Owners of names: see dict_owner.c */
#ifndef DEVTRACE_DICT_OWNER_H
#define DEVTRACE_DICT_OWNER_H

#include <linux/list.h>
#include <linux/types.h>

/* The user who keeps a number of names in any case. */
#define DICT_ROOT	0

/* Random: keys the hashes of names and of processes, since programs choose both. */
extern u32 dict_seed;

struct pid;

/**
 * struct dict_owner - a user who has names
 * @list: in dict_owners
 * @uid: user id, see devtrace_owner()
 * @count: number of current names
 * @live: struct dict_scope of processes not known to have ended
 * @dead: current names of ended processes, the oldest first
 * @nr_dead: number of names in @dead
 * @old: old names, ordered by the time when they were replaced
 * @nr_old: number of names in @old, not included in @count
 *
 * Protected by dict_lock.
 */
struct dict_owner {
	struct list_head list;
	u32		uid;
	unsigned int	count;
	struct list_head live;
	struct list_head dead;
	unsigned int	nr_dead;
	struct list_head old;
	unsigned int	nr_old;
};

/**
 * struct dict_scope - a process that has names, or the kernel
 * @node: in dict_scopes
 * @list: entry of @owner's list live, until the process is known to have ended
 * @owner: user of the process
 * @pid: the process, NULL for the kernel
 * @nr: process id, as readers see it
 * @count: number of current names
 * @nr_old: number of old names
 * @ended: the current names are in @owner's list dead, not in @names
 * @succeeds: an earlier process with this id had names
 * @names: current names, the oldest first
 *
 * Protected by dict_lock.
 */
struct dict_scope {
	struct hlist_node node;
	struct list_head list;
	struct dict_owner *owner;
	struct pid	*pid;
	u32		nr;
	unsigned int	count;
	unsigned int	nr_old;
	bool		ended;
	bool		succeeds;
	struct list_head names;
};

/* With dict_lock held. */
struct dict_scope *dict_scope_find(u32 nr);
struct dict_scope *dict_scope_get(struct pid *pid, u32 uid);
struct dict_owner *dict_owner_oldest(void);
void dict_scope_put(struct dict_scope *scope);
void dict_scope_forget(struct dict_scope *scope);
void dict_scope_ends(struct dict_scope *scope);
struct list_head *dict_victim(const struct dict_scope *asks, unsigned int root_part);
u64 dict_owner_wait(u32 uid);

#endif /* DEVTRACE_DICT_OWNER_H */
