// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connect drivers that emit
 *
 * A driver that is a module has a table, struct devtrace_link of <linux/devtrace_link.h>, through
 * which it calls devtrace.ko. link_init() connects the tables of all loaded drivers, and a module
 * notifier connects those of drivers that are loaded later. link_exit() disconnects all of them,
 * and returns when no driver is in a function of devtrace.ko or will enter one.
 *
 * Between __devtrace_reserve() and __devtrace_commit() a driver has preemption disabled, and it
 * must reach the commit function of devtrace.ko. So the commit function is connected before the
 * reserve functions, and disconnected after all calls of them have ended.
 *
 * A call of a driver may be preempted before the function that it has entered disables preemption.
 * Therefore link_exit() waits until each preempted task has run on. A kernel with
 * preemption and without CONFIG_TASKS_RCU cannot wait for such tasks. In such a kernel devtrace.ko
 * cannot be removed while a driver is connected.
 *
 * A driver that is being removed has ended its calls. link_forget() then only removes the table
 * from the list, and does not change the table otherwise.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/devtrace.h>
#include <linux/devtrace_link.h>

#include "compat/compat.h"
#include "dict.h"
#include "image.h"
#include "link.h"
#include "named.h"
#include "stream/quiet.h"
#include "text.h"

#define LINK_HOLDS	(IS_ENABLED(CONFIG_PREEMPTION) && !IS_ENABLED(CONFIG_TASKS_RCU))

/* Taken to connect and disconnect. Also protects @links against changes. */
static DEFINE_MUTEX(link_lock);
/* Protects @links and the copies of the words that emitters test. */
static DEFINE_SPINLOCK(links_lock);
/* Connected tables. */
static LIST_HEAD(links);
static bool link_ends;

/* Let a driver call @func. On x86, no CPU executes the old jump after this function. */
static void link_call(struct devtrace_link_call *c, void *func)
{
#if DEVTRACE_LINK_JUMPS
	cpus_read_lock();
	arch_static_call_transform(NULL, c->func, func, false);
	cpus_read_unlock();
#else
	WRITE_ONCE(c->func, func);
#endif
}

static void link_copy_words(struct devtrace_link *l)
{
	unsigned int i;

	lockdep_assert_held(&links_lock);
	for (i = 0; i < ARRAY_SIZE(l->wanted); i++) {
		WRITE_ONCE(l->wanted[i], READ_ONCE(devtrace_wanted[i]));
		WRITE_ONCE(l->objects[i], READ_ONCE(devtrace_objects[i]));
	}
	WRITE_ONCE(l->severities, READ_ONCE(devtrace_severities));
}

/* Clear the words that a driver tests, so that the driver wants no event. */
static void link_clear_words(struct devtrace_link *l)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(l->wanted); i++) {
		WRITE_ONCE(l->wanted[i], 0);
		WRITE_ONCE(l->objects[i], 0);
	}
	WRITE_ONCE(l->severities, 0);
}

/* Copy the words that emitters test to all drivers. Called after the words have changed. */
void link_tell_wanted(void)
{
	struct devtrace_link *l;

	spin_lock(&links_lock);
	list_for_each_entry(l, &links, list)
		link_copy_words(l);
	spin_unlock(&links_lock);
}

/* Store a name of a driver. For a type that is registered by name, return its number. */
static int link_name(const struct devtrace_dict *d)
{
	if (d->kind == DEVTRACE_T_NAMED)
		return devtrace_named_number(NAMED_ROOT, d->name);
	return devtrace_dict_set(NULL, d);
}

/* Register a type of a driver again, and write its number into the driver's structure. */
static void link_named(const struct devtrace_dict *d)
{
	int number = link_name(d);

	/* A number of an earlier devtrace.ko may be another name's now; 0 emits nothing. */
	WRITE_ONCE(*(u32 *)(unsigned long)d->key, max(number, 0));
}

/* Store the driver's names in the dictionary. Errors are ignored: no caller could handle them. */
static void link_names(struct devtrace_link *l)
{
	struct devtrace_link_name *n;

	mutex_lock(&l->lock);
	l->name = link_name;
	list_for_each_entry(n, &l->names, list) {
		if (n->d.kind == DEVTRACE_T_NAMED)
			link_named(&n->d);
		else
			link_name(&n->d);
	}
	mutex_unlock(&l->lock);
}

static void link_connect(struct devtrace_link *l)
{
	if (LINK_HOLDS)
		__module_get(THIS_MODULE);
	link_names(l);
	WRITE_ONCE(l->text, text_emit_args);
	link_call(&l->commit, __devtrace_commit);
	/* A driver that calls the new reserve function must also call the new commit function. */
	quiet_wait();
	link_call(&l->reserve, __devtrace_reserve);
	link_call(&l->reserve_for, __devtrace_reserve_for);
	link_call(&l->emit, __devtrace_emit);

	spin_lock(&links_lock);
	list_add_tail(&l->list, &links);
	link_copy_words(l);
	spin_unlock(&links_lock);
	/*
	 * This pointer comes last: before the words are copied, events are refused because no
	 * devtrace.ko is connected, and not by a filter, so they must not be counted as filtered.
	 */
	smp_store_release(&l->filtered, devtrace_filtered);
}

static void link_forget(struct devtrace_link *l)
{
	spin_lock(&links_lock);
	list_del_init(&l->list);
	spin_unlock(&links_lock);
	if (LINK_HOLDS)
		module_put(THIS_MODULE);
}

/*
 * Prevent further calls of a driver into devtrace.ko, except calls of the commit function. Move the
 * table to @closed.
 */
static void link_close(struct devtrace_link *l, struct list_head *closed)
{
	spin_lock(&links_lock);
	list_move_tail(&l->list, closed);
	spin_unlock(&links_lock);

	WRITE_ONCE(l->filtered, NULL);
	link_clear_words(l);
	link_call(&l->reserve, l->reserve.none);
	link_call(&l->reserve_for, l->reserve_for.none);
	link_call(&l->emit, l->emit.none);
	WRITE_ONCE(l->text, NULL);
	/* Names are given with the lock held. */
	mutex_lock(&l->lock);
	l->name = NULL;
	mutex_unlock(&l->lock);
}

/*
 * Return the table of a module, or NULL if the module has no table that this devtrace.ko can
 * connect. @warn: warn of a table of another version.
 */
static struct devtrace_link *link_of(const struct module *mod, bool warn)
{
	struct devtrace_link *l;
	unsigned int i;

	for (i = 0; i < mod->num_kp; i++) {
		if (strcmp(mod->kp[i].name, DEVTRACE_LINK_NAME))
			continue;
		l = mod->kp[i].arg;
		if (l->version == DEVTRACE_LINK_VERSION)
			return l;
		if (warn)
			pr_warn("%s: the driver was built with the headers of another version of devtrace, and its events are discarded: build it again\n",
				mod->name);
		break;
	}
	return NULL;
}

static int link_notified(struct notifier_block *nb, unsigned long action, void *data)
{
	struct devtrace_link *l = link_of(data, action == MODULE_STATE_COMING);

	mutex_lock(&link_lock);
	switch (action) {
	case MODULE_STATE_COMING:
	case MODULE_STATE_LIVE:
		if (link_ends)
			break;
		image_comes(data);
		if (l && list_empty(&l->list))
			link_connect(l);
		break;
	case MODULE_STATE_GOING:
		image_goes(data);
		if (l && !list_empty(&l->list))
			link_forget(l);
		break;
	}
	mutex_unlock(&link_lock);
	return NOTIFY_OK;
}

static struct notifier_block link_notifier = { .notifier_call = link_notified };

/*
 * Return the set of all loaded modules. Return NULL if the kernel has no sysfs, or if this code is
 * part of the kernel's image: then no module is loaded yet.
 */
static struct kset *link_modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return NULL;
#endif
}

/*
 * Find the tables of all modules that are loaded. The caller holds link_lock. So a module whose
 * state is not yet GOING waits in the notifier, and remains loaded until the caller has connected
 * its table. A module that became COMING before the notifier was registered and that is not in the
 * list yet is connected when it becomes LIVE.
 */
static void link_find(struct list_head *found, struct list_head *images)
{
	struct kset *all = link_modules();
	struct devtrace_link *l;
	struct kobject *k;
	struct module *mod;

	if (!all)
		return;
	spin_lock(&all->list_lock);
	list_for_each_entry(k, &all->list, entry) {
		mod = container_of(k, struct module_kobject, kobj)->mod;
		if (!mod || mod == THIS_MODULE || READ_ONCE(mod->state) == MODULE_STATE_GOING)
			continue;
		image_find(mod, images);
		l = link_of(mod, true);
		if (l && list_empty(&l->list))
			list_add_tail(&l->list, found);
	}
	spin_unlock(&all->list_lock);
}

/* Connect all drivers. Return 0, or a negative error of register_module_notifier(). */
int __init link_init(void)
{
	struct devtrace_link *l;
	LIST_HEAD(found);
	LIST_HEAD(images);
	int err;

	err = register_module_notifier(&link_notifier);
	if (err)
		return err;
	mutex_lock(&link_lock);
	link_find(&found, &images);
	/* First: a driver that is connected may emit at once. */
	image_number_all(&images);
	while ((l = list_first_entry_or_null(&found, struct devtrace_link, list))) {
		list_del_init(&l->list);
		link_connect(l);
	}
	mutex_unlock(&link_lock);
	return 0;
}

/* Disconnect all drivers. Afterwards none of them is in a function of this module. */
void link_exit(void)
{
	struct devtrace_link *l;
	LIST_HEAD(closed);

	mutex_lock(&link_lock);
	link_ends = true;
	while ((l = list_first_entry_or_null(&links, struct devtrace_link, list)))
		link_close(l, &closed);
	if (!list_empty(&closed)) {
		/* Wait for interrupts, also those of the idle task; then for preempted tasks. */
		quiet_wait();
		synchronize_rcu_tasks();
	}
	while ((l = list_first_entry_or_null(&closed, struct devtrace_link, list))) {
		link_call(&l->commit, l->commit.none);
		link_forget(l);
	}
	image_exit();
	mutex_unlock(&link_lock);
	unregister_module_notifier(&link_notifier);
}
