// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for numbers
 *
 * Entries belong to the process that made them, or to the kernel (scope NULL),
 * and stay when it ends, since its events do. When the store is full, the
 * oldest entry whose process is gone makes room; if all are alive the new name
 * is refused, so that one process cannot push out the names of others. Those
 * of the kernel have a store of the same size to themselves: programs cannot
 * keep a driver from naming its objects. The same key named again takes the
 * new name; named the same again, it is not stored twice.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "core.h"
#include "dict.h"

#define DICT_HASH_BITS	8

struct dict_entry {
	struct hlist_node node;
	unsigned long	serial;
	struct pid	*scope;
	u32		scope_nr;
	struct devtrace_dict d;
};

unsigned long devtrace_dict_serial;

static DEFINE_MUTEX(dict_lock);
static DEFINE_HASHTABLE(dict_hash, DICT_HASH_BITS);
static DEFINE_XARRAY(dict_serials);
/* Entries of programs, and of the kernel: as many are kept of either. */
static unsigned int dict_count[2], dict_max;

/* What makes an entry the same entry: all but the name. */
static u32 dict_key(u32 scope, const struct devtrace_dict *d)
{
	return jhash(d, offsetof(struct devtrace_dict, name), scope);
}

static struct dict_entry *dict_find(struct pid *scope, const struct devtrace_dict *d,
				    u32 key)
{
	struct dict_entry *e;

	hash_for_each_possible(dict_hash, e, node, key)
		if (e->scope == scope &&
		    !memcmp(&e->d, d, offsetof(struct devtrace_dict, name)))
			return e;
	return NULL;
}

static void dict_del(struct dict_entry *e)
{
	hash_del(&e->node);
	xa_erase(&dict_serials, e->serial);
	dict_count[!e->scope]--;
	put_pid(e->scope);
	kfree(e);
}

static bool scope_alive(struct pid *scope)
{
	bool alive;

	if (!scope)
		return true;
	rcu_read_lock();
	alive = pid_task(scope, PIDTYPE_TGID);
	rcu_read_unlock();
	return alive;
}

/* Drop what an earlier process with the same number left. */
static void dict_drop_namesake(struct pid *scope, u32 nr)
{
	struct dict_entry *e;
	unsigned long i;

	xa_for_each(&dict_serials, i, e)
		if (e->scope && e->scope_nr == nr && e->scope != scope)
			dict_del(e);
}

static bool dict_make_room(struct pid *scope)
{
	struct dict_entry *e;
	unsigned long i;

	if (dict_count[!scope] < dict_max)
		return true;
	if (!scope)
		return false;
	xa_for_each(&dict_serials, i, e) {
		if (!scope_alive(e->scope)) {
			dict_del(e);
			return true;
		}
	}
	return false;
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

/**
 * devtrace_dict_set() - name something
 * @scope: the process it belongs to, or NULL for the kernel
 * @dict: what, and its name
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL if @dict makes no sense, -ENOSPC if the store is full of
 * names whose processes are alive, -ENOMEM.
 */
int devtrace_dict_set(struct pid *scope, const struct devtrace_dict *dict)
{
	struct devtrace_dict d = *dict;
	struct dict_entry *e, *old;
	size_t len;
	u32 key;
	int err;

	err = dict_check(&d);
	if (err)
		return err;
	/* Nothing behind the NUL is kept: the entry is copied as a whole. */
	len = strlen(d.name);
	memset(d.name + len, 0, sizeof(d.name) - len);

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->d = d;
	e->scope_nr = scope ? pid_nr(scope) : 0;
	key = dict_key(e->scope_nr, &d);

	mutex_lock(&dict_lock);
	old = dict_find(scope, &d, key);
	if (old && !memcmp(old->d.name, d.name, sizeof(d.name)))
		goto out_free;
	if (!old) {
		if (scope)
			dict_drop_namesake(scope, e->scope_nr);
		err = -ENOSPC;
		if (!dict_make_room(scope))
			goto out_free;
	}
	e->serial = devtrace_dict_serial + 1;
	err = xa_err(xa_store(&dict_serials, e->serial, e, GFP_KERNEL));
	if (err)
		goto out_free;
	/* Only now, lest the thing be without a name for lack of memory. */
	if (old)
		dict_del(old);
	e->scope = get_pid(scope);
	hash_add(dict_hash, &e->node, key);
	dict_count[!scope]++;
	/* LMM(dict:A): seen by a reader before the events that use the name. */
	smp_store_release(&devtrace_dict_serial, e->serial);
	e = NULL;
out_free:
	mutex_unlock(&dict_lock);
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
unsigned long devtrace_dict_next(unsigned long serial, struct devtrace_dict *d,
				 u32 *scope)
{
	struct dict_entry *e;

	mutex_lock(&dict_lock);
	e = xa_find_after(&dict_serials, &serial, ULONG_MAX, XA_PRESENT);
	if (e) {
		*d = e->d;
		*scope = e->scope_nr;
	} else {
		serial = 0;
	}
	mutex_unlock(&dict_lock);
	return serial;
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

	int err;

	if (strscpy(d.name, name, sizeof(d.name)) < 0)
		return -EINVAL;
	err = devtrace_dict_set(NULL, &d);
	if (!err)
		devtrace_wake_later();
	return err;
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

int devtrace_dict_init(unsigned int max)
{
	dict_max = max;
	return 0;
}

void devtrace_dict_exit(void)
{
	struct dict_entry *e;
	unsigned long i;

	xa_for_each(&dict_serials, i, e)
		dict_del(e);
	xa_destroy(&dict_serials);
}
