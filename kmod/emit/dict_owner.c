// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners of names: processes and users
 *
 * A name belongs to a process, a process to a user. When the table is full, the user with the most
 * names loses one. If several users have equally many and one of them adds the name, that user
 * loses one. Root keeps some names in any case. All names of a user's ended processes count as the
 * names of one process. The user's process with the most names loses its oldest. So a user who
 * floods the table evicts only names of the same user.
 *
 * Each reader gets each new name, so a user may give names only at a limited rate: a faster call
 * sleeps.
 *
 * Old names count separately: the user with the most of them loses the oldest, before any
 * current name is evicted.
 *
 * Invariant: A process without names is freed, and so is a user without names, so there are at
 * most as many of each as names. All calls hold the dictionary's lock.
 */
#include <linux/compiler.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "dict_owner.h"

/* Number of names that a user may give at once, and then per second. */
#define BURST		4096
#define RATE		1000
/* Number of users whose rate is remembered. */
#define GIVERS		64
/* Number of processes for which an eviction checks whether they have ended. */
#define ASKED		16
#define SCOPE_HASH_BITS	8

static struct hlist_head dict_scopes[1 << SCOPE_HASH_BITS];
u32 dict_seed;
static LIST_HEAD(dict_owners);
/*
 * Time, ns, from which on the user's next name keeps to RATE. It is not in struct dict_owner,
 * because that is freed with the user's last name, and a user who gives names only in another
 * user's process has none.
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

/* If a process has no names left, free its scope, and then its user if nothing is left of that. */
void dict_scope_put(struct dict_scope *scope)
{
	struct dict_owner *o = scope->owner;

	if (!scope->pid || scope->count || scope->nr_old)
		return;
	hlist_del_init(&scope->node);
	if (!scope->ended)
		list_del(&scope->list);
	put_pid(scope->pid);
	kfree(scope);
	owner_put(o);
}

/* The process id was reused for a new process: let dict_scopes no longer find this scope by it. */
void dict_scope_forget(struct dict_scope *scope)
{
	hlist_del_init(&scope->node);
}

static bool owner_alive(struct pid *pid)
{
	bool ret;

	rcu_read_lock();
	ret = pid_task(pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return ret;
}

/* Count the process's names with those of its user's other ended processes. */
void dict_scope_ends(struct dict_scope *scope)
{
	struct dict_owner *o = scope->owner;

	scope->ended = true;
	list_del(&scope->list);
	list_splice_tail_init(&scope->names, &o->dead);
	o->nr_dead += scope->count;
}

static struct hlist_head *dict_scopes_of(u32 nr)
{
	return &dict_scopes[jhash_1word(nr, dict_seed) % ARRAY_SIZE(dict_scopes)];
}

struct dict_scope *dict_scope_find(u32 nr)
{
	struct dict_scope *scope;

	hlist_for_each_entry(scope, dict_scopes_of(nr), node)
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

/* Find or create the scope of a process; to be followed by dict_scope_put(). */
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
	hlist_add_head(&scope->node, dict_scopes_of(scope->nr));
	return scope;
}

/* Number of the user's names; for root, without the @root_part names that it may keep. */
static int owner_excess(const struct dict_owner *o, unsigned int root_part)
{
	return (int)o->count - (int)(o->uid == DICT_ROOT ? root_part : 0);
}

/* Find the user with the most names; if @asks's user is among several, take that one. */
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

/* Select the list of the user's names whose oldest is evicted. */
static struct list_head *names_victim(struct dict_owner *o, const struct dict_scope *asks)
{
	struct dict_scope *scope, *next, *most = NULL;
	unsigned int asked = 0;

	/* Check only some processes in each call; the next call checks others. */
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

/*
 * Return the list of names whose oldest is to be evicted, or NULL if there are no names. @asks: the
 * process that adds a name; @root_part: number of names that root keeps.
 */
struct list_head *dict_victim(const struct dict_scope *asks, unsigned int root_part)
{
	struct dict_owner *o = owner_victim(asks->owner, root_part);

	return o ? names_victim(o, asks) : NULL;
}

/* The user with the most old names; NULL if no user has one. */
struct dict_owner *dict_owner_oldest(void)
{
	struct dict_owner *o, *most = NULL;

	list_for_each_entry(o, &dict_owners, list)
		if (o->nr_old && (!most || o->nr_old > most->nr_old))
			most = o;
	return most;
}

/* How many ns must a user wait before giving another name? */
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
