/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owners of names: see dict_owner.c
 */
#ifndef DEVTRACE_DICT_OWNER_H
#define DEVTRACE_DICT_OWNER_H

#include <linux/list.h>
#include <linux/types.h>

/* The user whose names are not all taken for others. */
#define DICT_ROOT	0

struct pid;

/**
 * struct dict_owner - a user who has names
 * @list: in dict_owners
 * @uid: his number, as devtrace_owner() says
 * @count: of his names
 * @live: struct dict_scope: processes that are not known to have ended
 * @dead: names of those that have, the oldest first
 * @nr_dead: how many
 * @old: names that are not in force any more, the one that was replaced first is the first
 * @nr_old: how many; these are not in @count
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
 * @list: in @owner's live, while it is not known to have ended
 * @owner: whose process it is
 * @pid: of the process, NULL for the kernel
 * @nr: its number, as readers see it
 * @count: of its names in force
 * @nr_old: of the others
 * @ended: its names are in @owner's dead
 * @succeeds: an earlier process that had its number had names
 * @names: or here, the oldest first
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

/* With the lock of the dictionary. */
struct dict_scope *dict_scope_find(u32 nr);
struct dict_scope *dict_scope_get(struct pid *pid, u32 uid);
struct dict_owner *dict_owner_oldest(void);
void dict_scope_put(struct dict_scope *scope);
void dict_scope_forget(struct dict_scope *scope);
void dict_scope_ends(struct dict_scope *scope);
struct list_head *dict_victim(const struct dict_scope *asks, unsigned int root_part);
u64 dict_owner_wait(u32 uid);

#endif /* DEVTRACE_DICT_OWNER_H */
