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
 */
struct dict_owner {
	struct list_head list;
	u32		uid;
	unsigned int	count;
	struct list_head live;
	struct list_head dead;
	unsigned int	nr_dead;
};

/**
 * struct dict_scope - a process that has names, or the kernel
 * @node: in dict_scopes
 * @list: in @owner's live, while it is not known to have ended
 * @owner: whose process it is
 * @pid: of the process, NULL for the kernel
 * @nr: its number, as readers see it
 * @count: of its names
 * @ended: its names are in @owner's dead
 * @names: or here, the oldest first
 */
struct dict_scope {
	struct hlist_node node;
	struct list_head list;
	struct dict_owner *owner;
	struct pid	*pid;
	u32		nr;
	unsigned int	count;
	bool		ended;
	struct list_head names;
};

/* With the lock of the dictionary. */
struct dict_scope *dict_scope_find(u32 nr);
struct dict_scope *dict_scope_get(struct pid *pid, u32 uid);
void dict_scope_put(struct dict_scope *scope);
void dict_scope_ends(struct dict_scope *scope);
struct list_head *dict_victim(const struct dict_scope *asks, unsigned int root_part);
u64 dict_owner_wait(u32 uid);

#endif /* DEVTRACE_DICT_OWNER_H */
