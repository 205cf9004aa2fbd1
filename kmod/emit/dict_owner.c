// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners of names: processes and users
 *
 * A name belongs to a process, a process to a user. When the table is full, the user who
 * has the most names loses one, and the one who wants to add a name rather than others. Of
 * root's names some are not taken for others. Among the names of a user, those of its
 * processes that have ended count as those of one process, and the process that has the
 * most loses its oldest. So a user who floods the table replaces his own names.
 *
 * Each new name is given to each reader, so a user may not give names at any rate: beyond
 * it, naming takes as long as it must.
 *
 * Names that are not in force any more count for themselves: the user who has the most of them
 * loses the one that was replaced first, before any name in force goes.
 *
 * Invariants. A process without names is forgotten, and so is a user without any: there
 * are no more of them than names. All calls are made with the lock of the dictionary.
 */
#include <linux/compiler.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "dict_owner.h"

/* New names of a user: that many at once, and then that many a second. */
#define BURST		4096
#define RATE		1000
/* As many users are known by when they gave names. */
#define GIVERS		64
/* As many processes are asked, when room is needed, whether they have ended. */
#define ASKED		16
#define SCOPE_HASH_BITS	8

static DEFINE_HASHTABLE(dict_scopes, SCOPE_HASH_BITS);
static LIST_HEAD(dict_owners);
/*
 * When a user may give a name at the rate that is allowed, ns. Apart from struct dict_owner: a
 * user who gives names in a process of another one has none, and one without names is forgotten.
 */
static struct giver {
	u32	uid;
	u64	next;
} givers[GIVERS];

static void owner_put(struct dict_owner *o)
{
	if (o->count || o->nr_old || !list_empty(&o->live))
		return;
	list_del(&o->list);
	kfree(o);
}

/* A process that has no names is forgotten, and so is a user. */
void dict_scope_put(struct dict_scope *scope)
{
	struct dict_owner *o = scope->owner;

	if (!scope->pid || scope->count || scope->nr_old)
		return;
	hash_del(&scope->node);
	if (!scope->ended)
		list_del(&scope->list);
	put_pid(scope->pid);
	kfree(scope);
	owner_put(o);
}

/* Another process has its number: it is not found by that any more. */
void dict_scope_forget(struct dict_scope *scope)
{
	hash_del(&scope->node);
}

static bool owner_alive(struct pid *pid)
{
	bool ret;

	rcu_read_lock();
	ret = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return ret;
}

/* Its names count with those of the other processes of its user that have ended. */
void dict_scope_ends(struct dict_scope *scope)
{
	struct dict_owner *o = scope->owner;

	scope->ended = true;
	list_del(&scope->list);
	list_splice_tail_init(&scope->names, &o->dead);
	o->nr_dead += scope->count;
}

struct dict_scope *dict_scope_find(u32 nr)
{
	struct dict_scope *scope;

	hash_for_each_possible(dict_scopes, scope, node, nr)
		if (scope->nr == nr)
			return scope;
	return NULL;
}

static struct dict_owner *owner_find(u32 uid)
{
	struct dict_owner *o;

	list_for_each_entry(o, &dict_owners, list)
		if (o->uid == uid)
			return o;
	return NULL;
}

static struct dict_owner *owner_get(u32 uid)
{
	struct dict_owner *o = owner_find(uid);

	if (o)
		return o;
	o = kzalloc(sizeof(*o), GFP_KERNEL);
	if (!o)
		return NULL;
	o->uid = uid;
	INIT_LIST_HEAD(&o->live);
	INIT_LIST_HEAD(&o->dead);
	INIT_LIST_HEAD(&o->old);
	list_add(&o->list, &dict_owners);
	return o;
}

/* The process, without names if it is new: dict_scope_put() is to follow. */
struct dict_scope *dict_scope_get(struct pid *pid, u32 uid)
{
	struct dict_scope *scope = dict_scope_find(pid_nr(pid));

	if (scope)
		return scope;
	scope = kzalloc(sizeof(*scope), GFP_KERNEL);
	if (!scope)
		return NULL;
	scope->owner = owner_get(uid);
	if (!scope->owner) {
		kfree(scope);
		return NULL;
	}
	scope->pid = get_pid(pid);
	scope->nr = pid_nr(pid);
	INIT_LIST_HEAD(&scope->names);
	list_add_tail(&scope->list, &scope->owner->live);
	hash_add(dict_scopes, &scope->node, scope->nr);
	return scope;
}

/* The number of names that a user has beyond its guaranteed share. */
static int owner_excess(const struct dict_owner *o, unsigned int root_part)
{
	return (int)o->count - (int)(o->uid == DICT_ROOT ? root_part : 0);
}

/* The user with the most names; of equals, the one who asks. */
static struct dict_owner *owner_victim(const struct dict_owner *asks, unsigned int root_part)
{
	struct dict_owner *o, *most = NULL;
	int more;

	list_for_each_entry(o, &dict_owners, list) {
		if (!o->count)
			continue;
		more = most ? owner_excess(o, root_part) - owner_excess(most, root_part) : 1;
		if (more > 0 || (!more && o == asks))
			most = o;
	}
	return most;
}

/* Among which names of a user one is given up, the oldest: he has one. */
static struct list_head *names_victim(struct dict_owner *o, const struct dict_scope *asks)
{
	struct dict_scope *scope, *next, *most = NULL;
	unsigned int asked = 0;

	/* Some are asked each time, and in turn. */
	list_for_each_entry_safe(scope, next, &o->live, list) {
		if (asked++ == ASKED)
			break;
		if (owner_alive(scope->pid))
			list_move_tail(&scope->list, &o->live);
		else
			dict_scope_ends(scope);
	}
	list_for_each_entry(scope, &o->live, list)
		if (!most || scope->count > most->count ||
		    (scope->count == most->count && scope == asks))
			most = scope;
	if (!most || most->count <= o->nr_dead)
		return &o->dead;
	return &most->names;
}

/**
 * dict_victim() - who gives up a name, so that there is room for another one
 * @asks: the process that wants to add a name
 * @root_part: so many names of root are not taken for others
 *
 * Return: a list of names, the oldest of which is to go; NULL if there are none.
 */
struct list_head *dict_victim(const struct dict_scope *asks, unsigned int root_part)
{
	struct dict_owner *o = owner_victim(asks->owner, root_part);

	return o ? names_victim(o, asks) : NULL;
}

/* The user with the most names that are not in force any more; NULL: nobody has one. */
struct dict_owner *dict_owner_oldest(void)
{
	struct dict_owner *o, *most = NULL;

	list_for_each_entry(o, &dict_owners, list)
		if (o->nr_old && (!most || o->nr_old > most->nr_old))
			most = o;
	return most;
}

/**
 * dict_owner_wait() - how long a user has to wait until he may give another name
 * @uid: his number
 *
 * Return: ns; after that he may.
 */
u64 dict_owner_wait(u32 uid)
{
	const u64 now = ktime_get_mono_fast_ns(), cost = NSEC_PER_SEC / RATE;
	struct giver *g = givers, *first = g;

	for (; g < givers + GIVERS && g->uid != uid; g++)
		if (g->next < first->next)
			first = g;
	if (g == givers + GIVERS) {
		g = first;
		*g = (struct giver){ .uid = uid };
	}
	g->next = max(g->next, now) + cost;
	return g->next > now + BURST * cost ? g->next - now - BURST * cost : 0;
}
