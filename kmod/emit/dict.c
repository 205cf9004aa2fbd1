// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dictionary: names for numbers
 *
 * An entry belongs to the process that gave the name, or to the kernel (scope 0). It outlives the
 * process, as the process's events do. A new name for the same key is added; repeating the current
 * name stores nothing.
 *
 * The old name stays: events from its time may be unread, and a reused address belonged to another
 * object then. Old names take no room from current names: when room is needed, the user with the
 * most old names loses the oldest of them.
 *
 * Names of types that are registered by name (named.c) are of scope 0, too, and are never evicted:
 * they have a third table, dict_types, which named.c limits.
 *
 * Programs share a table of fixed size; dict_owner.c selects the name to evict when it is full. The
 * kernel has a table of the same size for itself, so programs cannot keep a driver from naming its
 * objects. If that table is full, a new name is refused.
 *
 * Invariants: Serial numbers and start times increase in the order in which names are given. A
 * reader that goes through the serial numbers finds each name still in the table once. Current and
 * old names together do not exceed the limit.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/random.h>
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
#include "owner.h"
#include "proc.h"
#include "ring/clock.h"
#include "stream/wake.h"

#define DICT_HASH_BITS	8
/* Must exceed the MARGIN_NS of readers, see read/source_ring.c. */
#define SETTLE_NS	(11 * NSEC_PER_USEC)

/**
 * struct dict_entry - a name
 * @hash: entry of dict_hash, while the name is current
 * @node: node of dict_serials[], index 1 if @since is not 0
 * @list: entry of one of three lists: the names of its process, the names of its owner's ended
 *	processes, or its owner's old names
 * @scope: its process, or the kernel
 * @serial: serial number; increases with each new name
 * @since: trace clock from which the name holds, ns; 0: always
 * @until: trace clock until which it held, ns; 0: current
 * @replaces: see struct dict_name
 * @d: key and name
 *
 * Protected by dict_lock; dict_serials_lock also protects @node and @until.
 */
struct dict_entry {
	struct hlist_node hash;
	struct rb_node	node;
	struct list_head list;
	struct dict_scope *scope;
	u64		serial;
	u64		since;
	u64		until;
	bool		replaces;
	struct devtrace_dict d;
};

atomic64_t devtrace_dict_serial = ATOMIC64_INIT(0);

static DEFINE_MUTEX(dict_lock);
/*
 * A reader takes only this lock, to copy one name, so it delays others only briefly. Code that
 * changes dict_serials takes it inside dict_lock. A removed entry is freed after the lock is
 * released.
 */
static DEFINE_RAW_SPINLOCK(dict_serials_lock);
static struct hlist_head dict_hash[1 << DICT_HASH_BITS];
/* Names that always hold, and names that hold from a time on. */
static struct rb_root dict_serials[2] = { RB_ROOT, RB_ROOT };
/*
 * Number of current names that programs have defined, and its limit. Names that the kernel has
 * defined are counted apart, with a limit of the same size.
 */
static unsigned int dict_count, dict_max;
/* Called for each new name; protected by dict_lock. */
static dict_told_t dict_told;
static struct dict_owner dict_kernel_owner = { .old = LIST_HEAD_INIT(dict_kernel_owner.old) };
static struct dict_scope dict_kernel = {
	.owner = &dict_kernel_owner,
	.names = LIST_HEAD_INIT(dict_kernel.names),
};

static struct dict_owner dict_types_owner = { .old = LIST_HEAD_INIT(dict_types_owner.old) };
static struct dict_scope dict_types = {
	.owner = &dict_types_owner,
	.names = LIST_HEAD_INIT(dict_types.names),
};

/* Number of old names of programs. */
static unsigned int dict_old;

/* The bucket of an entry's key: all but the name. */
static struct hlist_head *dict_bucket(const struct dict_scope *scope, const struct devtrace_dict *d)
{
	return &dict_hash[jhash(d, offsetof(struct devtrace_dict, name), scope->nr ^ dict_seed) %
			  ARRAY_SIZE(dict_hash)];
}

static struct dict_entry *dict_find(struct dict_scope *scope, const struct devtrace_dict *d)
{
	struct dict_entry *e;

	hlist_for_each_entry(e, dict_bucket(scope, d), hash)
		if (e->scope == scope &&
		    !memcmp(&e->d, d, offsetof(struct devtrace_dict, name)))
			return e;
	return NULL;
}

/* Remove a name from the current names. */
static void dict_uncount(struct dict_entry *e)
{
	struct dict_scope *scope = e->scope;

	hlist_del_init(&e->hash);
	list_del(&e->list);
	scope->count--;
	if (scope->pid) {
		scope->owner->count--;
		scope->owner->nr_dead -= scope->ended;
		dict_count--;
	}
}

static void dict_uncount_old(struct dict_entry *e)
{
	list_del(&e->list);
	e->scope->nr_old--;
	e->scope->owner->nr_old--;
	dict_old -= !!e->scope->pid;
}

/* Turn a current name into an old name that held until @until. */
static void dict_grows_old(struct dict_entry *e, u64 until)
{
	dict_uncount(e);
	raw_spin_lock(&dict_serials_lock);
	e->until = until;
	raw_spin_unlock(&dict_serials_lock);
	list_add_tail(&e->list, &e->scope->owner->old);
	e->scope->nr_old++;
	e->scope->owner->nr_old++;
	dict_old += !!e->scope->pid;
}

static void dict_unlink(struct dict_entry *e)
{
	if (e->until)
		dict_uncount_old(e);
	else
		dict_uncount(e);
	raw_spin_lock(&dict_serials_lock);
	rb_erase(&e->node, &dict_serials[!!e->since]);
	raw_spin_unlock(&dict_serials_lock);
	kfree(e);
}

static void dict_del(struct dict_entry *e)
{
	struct dict_scope *scope = e->scope;

	dict_unlink(e);
	dict_scope_put(scope);
}

/* Insert @e, which has the greatest serial number. */
static void dict_link(struct dict_entry *e, struct dict_scope *scope)
{
	struct rb_root *root = &dict_serials[!!e->since];
	struct rb_node **at = &root->rb_node, *parent = NULL;

	e->scope = scope;
	raw_spin_lock(&dict_serials_lock);
	while (*at) {
		parent = *at;
		at = &parent->rb_right;
	}
	rb_link_node(&e->node, parent, at);
	rb_insert_color(&e->node, root);
	raw_spin_unlock(&dict_serials_lock);
	hlist_add_head(&e->hash, dict_bucket(scope, &e->d));
	list_add_tail(&e->list, &scope->names);
	scope->count++;
	if (scope->pid) {
		scope->owner->count++;
		dict_count++;
	}
}

/* A process id was reused: the names of its earlier process apply only to that process's events. */
static void scope_succeeded(struct dict_scope *scope)
{
	const u64 now = devtrace_clock_now();
	struct dict_owner *o = scope->owner;
	struct dict_entry *e, *next;

	if (!scope->ended)
		dict_scope_ends(scope);
	/* Keep the scope from being freed in the loop. */
	scope->count++;
	list_for_each_entry_safe(e, next, &o->dead, list)
		if (e->scope == scope)
			dict_grows_old(e, now);
	scope->count--;
	dict_scope_forget(scope);
	dict_scope_put(scope);
}

/* Evict an old name from the table of @scope. Return false if there is none. */
static bool dict_forget_old(const struct dict_scope *scope)
{
	struct dict_owner *o = scope->pid ? dict_owner_oldest() : scope->owner;
	struct dict_entry *e;

	if (!o || list_empty(&o->old))
		return false;
	e = list_first_entry(&o->old, struct dict_entry, list);
	/* dict_del() would free the caller's scope. */
	if (e->scope == scope)
		dict_unlink(e);
	else
		dict_del(e);
	return true;
}

static bool dict_is_full(const struct dict_scope *scope)
{
	return (scope->pid ? dict_count + dict_old : scope->count + scope->nr_old) >= dict_max;
}

static bool dict_make_room(const struct dict_scope *asks)
{
	struct list_head *names;
	struct dict_entry *e;

	while (dict_is_full(asks))
		if (!dict_forget_old(asks))
			break;
	if (!asks->pid)
		return asks->count < dict_max;
	if (!dict_max)
		return false;
	while (dict_count >= dict_max) {
		names = dict_victim(asks, dict_max / 4);
		if (WARN_ON_ONCE(!names))
			return false;
		e = list_first_entry(names, struct dict_entry, list);
		/* dict_del() would free the caller's scope. */
		if (e->scope == asks)
			dict_unlink(e);
		else
			dict_del(e);
	}
	return true;
}

/* Delay a user who gives too many names. Releases dict_lock, which is held, meanwhile. */
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
	/* Not killable, because the caller unlocks; a holder of the lock waits only for memory. */
	mutex_lock(&dict_lock);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int dict_check(const struct pid *pid, const struct devtrace_dict *d)
{
	size_t len = strnlen(d->name, sizeof(d->name));

	if (!len || len == sizeof(d->name) || d->reserved)
		return -EINVAL;
	if (d->kind != DEVTRACE_T_ENUM && d->kind != DEVTRACE_T_IMAGE && d->group)
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
	case DEVTRACE_T_IMAGE:
		return d->group > DEVTRACE_IMAGE_ADDRESS || d->value > DEVTRACE_IMAGE_MAX ||
		       d->key ? -EINVAL : 0;
	case DEVTRACE_T_ACCURACY:
		/* accuracy.c gives it, for the kernel alone. */
		return pid || d->value || d->key ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/* Replace the current name of a key. */
static void dict_replace(struct dict_entry *old, u64 now)
{
	/*
	 * Drop the replaced name if the table is full of current names, because an old name must
	 * not evict a current one.
	 */
	if (dict_is_full(old->scope) && !dict_forget_old(old->scope))
		dict_unlink(old);
	else
		dict_grows_old(old, now);
}

static void dict_copy(struct dict_name *n, const struct dict_entry *e)
{
	n->serial = e->serial;
	n->since = e->since;
	n->until = e->until;
	n->scope = e->scope->nr;
	n->replaces = e->replaces;
	n->d = e->d;
}

/* Insert an entry, and tell of it. The caller has set all but the serial number and the scope. */
static void dict_insert(struct dict_scope *scope, struct dict_entry *e)
{
	struct dict_name n;

	e->serial = atomic64_read(&devtrace_dict_serial) + 1;
	dict_link(e, scope);
	if (dict_told) {
		dict_copy(&n, e);
		dict_told(&n);
	}
	/*
	 * LMM(dict:A): If a reader sees an event that was emitted after its name was given,
	 * then it sees this serial number. Pairs with names:B and names:C.
	 */
	compat_atomic64_set_release(&devtrace_dict_serial, e->serial);
}

/*
 * Insert *@new into the table and set *@new to NULL. The caller has set the key and the name.
 * dict_lock held.
 */
static int dict_add(struct dict_scope *scope, struct dict_entry **new)
{
	struct dict_entry *e = *new, *old = dict_find(scope, &e->d);
	u64 now;

	if (!old && !dict_make_room(scope))
		return -ENOSPC;
	now = devtrace_clock_now();
	e->replaces = old || scope->succeeds;
	e->since = e->replaces || scope->pid || e->d.kind == DEVTRACE_T_ACCURACY ? now : 0;
	if (old)
		dict_replace(old, now);
	dict_insert(scope, e);
	*new = NULL;
	return 0;
}

/* Does the key have this name already? @succeeds: an earlier process with this id had names. */
static bool dict_has(struct pid *pid, const struct devtrace_dict *d, bool *succeeds)
{
	struct dict_scope *scope = pid ? dict_scope_find(pid_nr(pid)) : &dict_kernel;
	struct dict_entry *e;

	if (!scope)
		return false;
	if (scope->pid != pid) {
		scope_succeeded(scope);
		*succeeds = true;
		return false;
	}
	e = dict_find(scope, d);
	return e && !memcmp(e->d.name, d->name, sizeof(d->name));
}

static int dict_set(struct pid *pid, struct dict_entry **e)
{
	const u32 uid = pid ? devtrace_owner() : DICT_ROOT;
	struct dict_scope *scope = &dict_kernel;
	bool succeeds = false;
	int err;

	if (dict_has(pid, &(*e)->d, &succeeds))
		return 0;
	/* Users cause these names: see devtrace_accuracy_set(). */
	if (pid || (*e)->d.kind == DEVTRACE_T_ACCURACY) {
		err = dict_wait(pid ? uid : devtrace_owner());
		if (err)
			return err;
	}
	if (pid) {
		scope = dict_scope_get(pid, uid);
		if (!scope)
			return -ENOMEM;
		scope->succeeds |= succeeds;
	}
	err = dict_add(scope, e);
	dict_scope_put(scope);
	return err;
}

/*
 * A reader shows a name only when no older event can come any more: after MARGIN_NS, in which a
 * store becomes visible. This function waits longer, so a reader that opens the stream afterwards
 * gets the name at once.
 */
static void dict_settle(void)
{
	const u64 until = devtrace_clock_now() + SETTLE_NS;

	while (devtrace_clock_now() < until)
		cpu_relax();
}

/**
 * devtrace_dict_set() - give a name
 * @pid: the calling process; NULL for the kernel
 * @dict: key and name
 *
 * Context: process; may sleep, for long if a user gives too many names.
 * Return: 0; -EINVAL if @dict is invalid; -ENOSPC if the kernel's table is full, or if programs
 *	may give no names; -EINTR if the caller was killed; -ENOMEM.
 */
int devtrace_dict_set(struct pid *pid, const struct devtrace_dict *dict)
{
	struct dict_entry *e;
	size_t len;
	int err;

	err = dict_check(pid, dict);
	if (err)
		return err;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->d = *dict;
	/* Clear the bytes after the NUL: readers get a copy of the whole entry. */
	len = strlen(e->d.name);
	memset(e->d.name + len, 0, sizeof(e->d.name) - len);

	err = mutex_lock_killable(&dict_lock);
	if (!err) {
		err = dict_set(pid, &e);
		mutex_unlock(&dict_lock);
	}
	if (!e) {
		devtrace_wake_later();
		dict_settle();
	}
	kfree(e);
	return err;
}

/**
 * devtrace_dict_name_type() - give a type that is registered by name its name, for all processes
 * @dict: key, which has no name yet, and the name, padded with zeros
 *
 * The name holds for all events: the caller tells nobody the number of the type before the return.
 *
 * Context: process; may sleep.
 * Return: 0, -ENOMEM.
 */
int devtrace_dict_name_type(const struct devtrace_dict *dict)
{
	struct dict_entry *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return -ENOMEM;
	e->d = *dict;
	mutex_lock(&dict_lock);
	dict_insert(&dict_types, e);
	mutex_unlock(&dict_lock);
	devtrace_wake_later();
	return 0;
}

/*
 * Copy the first name whose serial number is greater than @serial, at first 0; false: there is
 * none.
 */
bool devtrace_dict_next(u64 serial, struct dict_name *n)
{
	struct dict_name dated;
	const bool any = devtrace_dict_next_of(false, serial, n);

	if (!devtrace_dict_next_of(true, serial, &dated))
		return any;
	if (!any || dated.serial < n->serial)
		*n = dated;
	return true;
}

/*
 * Copy the next name that applies from a time on (@dated) or always (!@dated). @serial: serial
 * number of the previous name of that kind, at first 0. Return false if there is none.
 */
bool devtrace_dict_next_of(bool dated, u64 serial, struct dict_name *n)
{
	struct dict_entry *next = NULL;
	struct rb_node *node;

	raw_spin_lock(&dict_serials_lock);
	node = dict_serials[dated].rb_node;
	while (node) {
		struct dict_entry *e = rb_entry(node, struct dict_entry, node);

		if (e->serial > serial) {
			next = e;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (next)
		dict_copy(n, next);
	raw_spin_unlock(&dict_serials_lock);
	return next;
}

/**
 * devtrace_dict_tell() - call a function for all names, and for each new one
 * @told: the function; called with a lock held, before the call that gave the name returns.
 *	NULL: call no function from now on
 *
 * Context: process.
 */
void devtrace_dict_tell(dict_told_t told)
{
	struct dict_name n = { .serial = 0 };

	/* Not killable: the caller relies on the change. */
	mutex_lock(&dict_lock);
	while (told && devtrace_dict_next(n.serial, &n))
		told(&n);
	dict_told = told;
	mutex_unlock(&dict_lock);
}

/*
 * Set up empty tables. @max: limit of names, for programs and for the kernel; @start: serial number
 * before the first one, so that tests start near the wrap.
 */
void devtrace_dict_init(unsigned int max, u32 start)
{
	dict_max = max;
	dict_seed = get_random_u32();
	atomic64_set(&devtrace_dict_serial, start);
}

void devtrace_dict_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dict_serials); i++)
		while (dict_serials[i].rb_node)
			dict_del(rb_entry(dict_serials[i].rb_node, struct dict_entry, node));
}
