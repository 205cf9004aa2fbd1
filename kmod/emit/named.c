// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types that programs and drivers register by name
 *
 * The table has a number of 16 bits for each name. Events of all these types have the type
 * DEVTRACE_T_NAMED, and the number is their code. Readers get the names from the dictionary, as
 * names of types for all processes.
 *
 * The number is a hash of the name. If another name has this number, the next free number is
 * taken. So a name nearly always has the same number on each board and after each boot, but readers
 * do not rely on that.
 *
 * A name is never removed, because events with its number may be unread. So the number of names is
 * limited: for each user except root, for all these users together, and in total. One such user who
 * registers names in a loop cannot keep others from registering theirs. To ask for the number of a
 * name that is registered costs nothing.
 *
 * Invariants: Two names never have the same number. A caller gets a number only when the
 * dictionary has its name. All this is protected by named_lock.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "dict.h"
#include "named.h"

/* Limits of the number of names: in total, of all users except root, and of one user. */
#define NAMED_MOST		4096
#define NAMED_USERS_MOST	3072
#define NAMED_USER_MOST		256
#define NAMED_NUMBERS		(DEVTRACE_NAMED_LAST - DEVTRACE_NAMED_FIRST + 1)

static DEFINE_MUTEX(named_lock);
/*
 * By number: the name. By user id: how many names the user has registered. Programs choose both
 * keys, so these are trees: no choice of keys makes a search long.
 */
static DEFINE_XARRAY(named_numbers);
static DEFINE_XARRAY(named_users);
/* Number of names, and how many of them users except root have registered. */
static unsigned int named_count, named_users_count;

/* Return the first number for a name: FNV-1a, folded. */
static u32 named_hash(const char *name)
{
	u32 h = 0x811c9dc5;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 0x01000193;
	return DEVTRACE_NAMED_FIRST + (h ^ h >> 16) % NAMED_NUMBERS;
}

/*
 * Find a name. Set @number to its number; if the name is not registered, to a free number. The
 * loop has at most NAMED_MOST steps, even if a program chooses names with the same hash.
 */
static bool named_has(const char *name, u32 *number)
{
	const char *n;

	*number = named_hash(name);
	while ((n = xa_load(&named_numbers, *number))) {
		if (!strcmp(n, name))
			return true;
		if (++*number > DEVTRACE_NAMED_LAST)
			*number = DEVTRACE_NAMED_FIRST;
	}
	return false;
}

static int named_add(u32 uid, unsigned long count, const char *name, u32 number)
{
	struct devtrace_dict d = { .kind = DEVTRACE_T_USR, .value = number };
	char *n = kstrdup(name, GFP_KERNEL);
	int err;

	if (!n)
		return -ENOMEM;
	strcpy(d.name, name);
	/* The dictionary last: no reader gets a name that has no entry. */
	err = xa_reserve(&named_users, uid, GFP_KERNEL);
	if (!err)
		err = xa_err(xa_store(&named_numbers, number, n, GFP_KERNEL));
	if (!err)
		err = devtrace_dict_name_type(&d);
	if (err) {
		xa_erase(&named_numbers, number);
		kfree(n);
		return err;
	}
	/* The entry is reserved: to store the count needs no memory. */
	xa_store(&named_users, uid, xa_mk_value(count + 1), GFP_KERNEL);
	named_count++;
	named_users_count += uid != NAMED_ROOT;
	return number;
}

static int named_register(u32 uid, const char *name, u32 number)
{
	const void *entry = xa_load(&named_users, uid);
	const unsigned long count = entry ? xa_to_value(entry) : 0;

	if (named_count >= NAMED_MOST ||
	    (uid != NAMED_ROOT && named_users_count >= NAMED_USERS_MOST))
		return -ENOSPC;
	if (uid != NAMED_ROOT && count >= NAMED_USER_MOST)
		return -EDQUOT;
	return named_add(uid, count, name, number);
}

/**
 * devtrace_named_number() - register a type by name
 * @uid: the user who is charged, see devtrace_owner()
 * @name: NUL-terminated, not empty
 *
 * Context: process; may sleep.
 * Return: the number, DEVTRACE_NAMED_FIRST to DEVTRACE_NAMED_LAST, the same for each call with this
 *	name; -EDQUOT if the user has too many names; -ENOSPC if the table is full; -EINVAL if the
 *	name is empty or too long; -EINTR if the caller was killed; -ENOMEM.
 */
int devtrace_named_number(u32 uid, const char name[DEVTRACE_NAME_MAX])
{
	const size_t len = strnlen(name, DEVTRACE_NAME_MAX);
	u32 number;
	int ret;

	if (!len || len == DEVTRACE_NAME_MAX)
		return -EINVAL;
	ret = mutex_lock_killable(&named_lock);
	if (ret)
		return ret;
	ret = named_has(name, &number) ? number : named_register(uid, name, number);
	mutex_unlock(&named_lock);
	return ret;
}

/**
 * devtrace_named_get() - register the name of a driver's type
 * @t: the type
 *
 * Context: process; may sleep.
 * Return: the number; -EINVAL, -ENOSPC, -EINTR or -ENOMEM.
 */
int devtrace_named_get(struct devtrace_named *t)
{
	char name[DEVTRACE_NAME_MAX];
	int number;

	if (strscpy(name, t->name, sizeof(name)) < 0)
		return -EINVAL;
	number = devtrace_named_number(NAMED_ROOT, name);
	if (number > 0)
		WRITE_ONCE(t->number, number);
	return number;
}
EXPORT_SYMBOL_GPL(devtrace_named_get);

/* Forget all names. Called before devtrace_dict_exit(), when no caller is left. */
void devtrace_named_exit(void)
{
	char *n;
	unsigned long number;

	xa_for_each(&named_numbers, number, n)
		kfree(n);
	xa_destroy(&named_numbers);
	xa_destroy(&named_users);
}
