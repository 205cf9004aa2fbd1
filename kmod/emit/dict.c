// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for numbers
 *
 * An entry belongs to the process that made it, or to the kernel (scope 0), and stays when
 * the process ends, since its events do. The same key named again takes the new name;
 * named the same again, it is not stored twice.
 *
 * Programs have a table of a fixed size; dict_owner.c says who gives up a name when it is
 * full. The kernel has a table of the same size to itself: programs cannot keep a driver
 * from naming its objects; there a new name is refused if the table is full.
 *
 * Invariants. Serial numbers only grow, in the order in which names were given. A reader
 * that goes through them finds each name that is still there once.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "compat/compat_atomic.h"
#include "dict.h"
#include "dict_owner.h"
#include "proc.h"
#include "stream/wake.h"

#define DICT_HASH_BITS	8

/**
 * struct dict_entry - a name
 * @hash: in dict_hash
 * @node: in dict_serials
 * @list: in the names of its process, or of those of its user that have ended
 * @scope: its process, or the kernel
 * @serial: a newer name has a greater one
 * @d: the name
 */
struct dict_entry {
	struct hlist_node hash;
	struct rb_node	node;
	struct list_head list;
	struct dict_scope *scope;
	u64		serial;
	struct devtrace_dict d;
};

atomic64_t devtrace_dict_serial = ATOMIC64_INIT(0);

static DEFINE_MUTEX(dict_lock);
/*
 * Readers hold this one alone, for a copy of one name: no thread waits for a reader that
 * lost its CPU. Changes of dict_serials hold it too, within dict_lock; an entry that is
 * removed from there is freed after the lock is released.
 */
static DEFINE_RAW_SPINLOCK(dict_serials_lock);
static DEFINE_HASHTABLE(dict_hash, DICT_HASH_BITS);
static struct rb_root dict_serials = RB_ROOT;
/* Names of programs, and how many there may be; as many of the kernel. */
static unsigned int dict_count, dict_max;
/* Told of each new name; with dict_lock. */
static dict_told_t dict_told;
static struct dict_scope dict_kernel = { .names = LIST_HEAD_INIT(dict_kernel.names) };

/* The key of an entry: all but the name. */
static u32 dict_key(const struct dict_scope *scope, const struct devtrace_dict *d)
{
	return jhash(d, offsetof(struct devtrace_dict, name), scope->nr);
}

static struct dict_entry *dict_find(struct dict_scope *scope, const struct devtrace_dict *d)
{
	struct dict_entry *e;

	hash_for_each_possible(dict_hash, e, hash, dict_key(scope, d))
		if (e->scope == scope &&
		    !memcmp(&e->d, d, offsetof(struct devtrace_dict, name)))
			return e;
	return NULL;
}

static void dict_unlink(struct dict_entry *e)
{
	struct dict_scope *scope = e->scope;

	hash_del(&e->hash);
	raw_spin_lock(&dict_serials_lock);
	rb_erase(&e->node, &dict_serials);
	raw_spin_unlock(&dict_serials_lock);
	list_del(&e->list);
	scope->count--;
	if (scope->pid) {
		scope->owner->count--;
		scope->owner->nr_dead -= scope->ended;
		dict_count--;
	}
	kfree(e);
}

static void dict_del(struct dict_entry *e)
{
	struct dict_scope *scope = e->scope;

	dict_unlink(e);
	dict_scope_put(scope);
}

/* @e has the greatest serial number of all. */
static void dict_link(struct dict_entry *e, struct dict_scope *scope)
{
	struct rb_node **at = &dict_serials.rb_node, *parent = NULL;

	e->scope = scope;
	raw_spin_lock(&dict_serials_lock);
	while (*at) {
		parent = *at;
		at = &parent->rb_right;
	}
	rb_link_node(&e->node, parent, at);
	rb_insert_color(&e->node, &dict_serials);
	raw_spin_unlock(&dict_serials_lock);
	hash_add(dict_hash, &e->hash, dict_key(scope, &e->d));
	list_add_tail(&e->list, &scope->names);
	scope->count++;
	if (scope->pid) {
		scope->owner->count++;
		dict_count++;
	}
}

/* Drop what an earlier process with the same number left. */
static void scope_drop(struct dict_scope *scope)
{
	struct dict_owner *o = scope->owner;
	struct dict_entry *e, *next;

	if (!scope->ended)
		dict_scope_ends(scope);
	/* Not to be freed under our hands. */
	scope->count++;
	list_for_each_entry_safe(e, next, &o->dead, list)
		if (e->scope == scope)
			dict_unlink(e);
	scope->count--;
	dict_scope_put(scope);
}

static bool dict_make_room(const struct dict_scope *asks)
{
	struct list_head *names;
	struct dict_entry *e;

	if (!asks->pid)
		return asks->count < dict_max;
	if (!dict_max)
		return false;
	while (dict_count >= dict_max) {
		names = dict_victim(asks, dict_max / 4);
		if (WARN_ON_ONCE(!names))
			return false;
		e = list_first_entry(names, struct dict_entry, list);
		/* The scope that asks stays, though it may have no other name. */
		if (e->scope == asks)
			dict_unlink(e);
		else
			dict_del(e);
	}
	return true;
}

/* Process context, dict_lock held; it is given up while the user has to wait. */
static int dict_wait(u32 uid)
{
	u64 wait = dict_owner_wait(uid);
	ktime_t until;

	if (!wait)
		return 0;
	mutex_unlock(&dict_lock);
	until = ktime_get_mono_fast_ns() + wait;
	do {
		compat_sleep_killable(&until);
	} while (!fatal_signal_pending(current) && (s64)ktime_get_mono_fast_ns() < until);
	/* Not killable: the caller releases it. Its holders wait for memory at the most. */
	mutex_lock(&dict_lock);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int dict_check(const struct devtrace_dict *d)
{
	size_t len = strnlen(d->name, sizeof(d->name));

	if (!len || len == sizeof(d->name) || d->reserved)
		return -EINVAL;
	if (d->kind != DEVTRACE_T_ENUM && d->group)
		return -EINVAL;
	switch (d->kind) {
	case DEVTRACE_T_ENUM:
		return d->group > 7 || d->value > 255 || d->key ? -EINVAL : 0;
	case DEVTRACE_T_SIG:
		return 0;
	case DEVTRACE_T_OBJ:
	case DEVTRACE_T_FUN:
		return d->value ? -EINVAL : 0;
	case DEVTRACE_T_USR:
		return d->value > 255 || d->key ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/* With dict_lock. @e is filled in but for its place; NULL if it is not needed. */
static int dict_add(struct dict_scope *scope, struct dict_entry **new)
{
	struct dict_entry *e = *new, *old = dict_find(scope, &e->d);

	if (!old && !dict_make_room(scope))
		return -ENOSPC;
	if (old)
		dict_unlink(old);
	e->serial = atomic64_read(&devtrace_dict_serial) + 1;
	dict_link(e, scope);
	if (dict_told)
		dict_told(e->serial, &e->d, scope->nr);
	/* LMM(dict:A): seen by a reader before the events that use the name. */
	compat_atomic64_set_release(&devtrace_dict_serial, e->serial);
	*new = NULL;
	return 0;
}

/* Whether the thing has this name already; forgets an earlier process of this number. */
static bool dict_has(struct pid *pid, const struct devtrace_dict *d)
{
	struct dict_scope *scope = pid ? dict_scope_find(pid_nr(pid)) : &dict_kernel;
	struct dict_entry *e;

	if (!scope)
		return false;
	if (scope->pid != pid) {
		scope_drop(scope);
		return false;
	}
	e = dict_find(scope, d);
	return e && !memcmp(e->d.name, d->name, sizeof(d->name));
}

static int dict_set(struct pid *pid, struct dict_entry **e)
{
	const u32 uid = pid ? devtrace_owner() : DICT_ROOT;
	struct dict_scope *scope = &dict_kernel;
	int err;

	if (dict_has(pid, &(*e)->d))
		return 0;
	if (pid) {
		err = dict_wait(uid);
		if (err)
			return err;
		scope = dict_scope_get(pid, uid);
		if (!scope)
			return -ENOMEM;
	}
	err = dict_add(scope, e);
	dict_scope_put(scope);
	return err;
}

/**
 * devtrace_dict_set() - name something
 * @pid: of the process it belongs to, which is the caller's; or NULL for the kernel
 * @dict: what, and its name
 *
 * Context: process; may sleep. A user who gives too many names sleeps long.
 * Return: 0, -EINVAL if @dict makes no sense, -ENOSPC if the kernel's table is full or
 * there is none for programs, -EINTR if the caller was killed, -ENOMEM.
 */
int devtrace_dict_set(struct pid *pid, const struct devtrace_dict *dict)
{
	struct dict_entry *e;
	size_t len;
	int err;

	err = dict_check(dict);
	if (err)
		return err;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->d = *dict;
	/* Nothing behind the NUL is kept: the entry is copied as a whole. */
	len = strlen(e->d.name);
	memset(e->d.name + len, 0, sizeof(e->d.name) - len);

	err = mutex_lock_killable(&dict_lock);
	if (!err) {
		err = dict_set(pid, &e);
		mutex_unlock(&dict_lock);
	}
	if (!e)
		devtrace_wake_later();
	kfree(e);
	return err;
}

/**
 * devtrace_dict_next() - the next name
 * @serial: serial of the last one, 0 at first
 * @d: filled in
 * @scope: filled in: process id, 0 for the kernel
 *
 * Return: its serial, or 0 if there is none.
 */
u64 devtrace_dict_next(u64 serial, struct devtrace_dict *d, u32 *scope)
{
	struct dict_entry *next = NULL;
	struct rb_node *node;

	raw_spin_lock(&dict_serials_lock);
	node = dict_serials.rb_node;
	while (node) {
		struct dict_entry *e = rb_entry(node, struct dict_entry, node);

		if (e->serial > serial) {
			next = e;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	serial = 0;
	if (next) {
		*d = next->d;
		*scope = next->scope->nr;
		serial = next->serial;
	}
	raw_spin_unlock(&dict_serials_lock);
	return serial;
}

/**
 * devtrace_dict_tell() - have somebody told of all names, and of each new one
 * @told: who; called with a lock held, and before the call that gave the name returns.
 *	NULL: nobody, from here on
 *
 * Context: process.
 */
void devtrace_dict_tell(dict_told_t told)
{
	struct devtrace_dict d;
	u64 serial = 0;
	u32 scope;

	/* Not killable: whoever comes or goes is to be told, or not to be called any more. */
	mutex_lock(&dict_lock);
	while (told && (serial = devtrace_dict_next(serial, &d, &scope)))
		told(serial, &d, scope);
	dict_told = told;
	mutex_unlock(&dict_lock);
}

/* Names that drivers give; scope 0. */

static int name_set(u8 kind, u8 group, u32 value, const void *key, const char *name)
{
	struct devtrace_dict d = {
		.kind = kind,
		.group = group,
		.value = value,
		.key = (unsigned long)key,
	};

	if (strscpy(d.name, name, sizeof(d.name)) < 0)
		return -EINVAL;
	return devtrace_dict_set(NULL, &d);
}

/**
 * devtrace_name_obj() - name an object
 * @obj: its address, or a small id
 * @name: at most DEVTRACE_NAME_MAX bytes with the NUL
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_obj(const void *obj, const char *name)
{
	return name_set(DEVTRACE_T_OBJ, 0, 0, obj, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_obj);

/**
 * devtrace_name_fun() - name a function
 * @fun: its address
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_fun(const void *fun, const char *name)
{
	return name_set(DEVTRACE_T_FUN, 0, 0, fun, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_fun);

/**
 * devtrace_name_sig() - name a signal
 * @sig: its number
 * @obj: the object it means this to, or NULL for all
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_sig(u32 sig, const void *obj, const char *name)
{
	return name_set(DEVTRACE_T_SIG, 0, sig, obj, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_sig);

/**
 * devtrace_name_type() - name an event type
 * @type: event type
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_type(u8 type, const char *name)
{
	return name_set(DEVTRACE_T_USR, 0, type, NULL, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_type);

/**
 * devtrace_name_enum() - name a value of an enumeration
 * @group: enumeration, 0 to 7
 * @value: its value
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_enum(u8 group, u8 value, const char *name)
{
	return name_set(DEVTRACE_T_ENUM, group, value, NULL, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_enum);

/**
 * devtrace_dict_init() - an empty table
 * @max: as many names of programs, and as many of the kernel
 * @start: serial numbers go on from there, for tests
 */
void devtrace_dict_init(unsigned int max, u32 start)
{
	dict_max = max;
	atomic64_set(&devtrace_dict_serial, start);
}

void devtrace_dict_exit(void)
{
	while (dict_serials.rb_node)
		dict_del(rb_entry(dict_serials.rb_node, struct dict_entry, node));
}
