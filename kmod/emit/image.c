// SPDX-License-Identifier: GPL-2.0-only
/*
 * Number the drivers that have DT_LOG() statements, and turn statements off
 *
 * A driver with statements of <linux/devtrace_log.h> is an image: its events refer to its number.
 * Documentation/log.rst describes events and numbers. The driver's list of parameters has one entry
 * for each of its files with statements. All entries point to the driver's one table, in which this
 * file writes the number. link.c calls these functions when a driver comes or goes.
 *
 * Invariants: Two drivers with different build-ids never get the same number, even if one of them
 * is removed before the other is loaded, because events of the first one may be unread. A driver
 * that is loaded again gets the number that it had. A driver without a build-id gets a new number
 * each time it is loaded. If the numbers are used up, further drivers have the number 255.
 *
 * The parameter sites lets the administrator turn a statement off: see image_sites_set().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#define __DEVTRACE_SITES_TYPES
#include <linux/devtrace_log.h>

#include "dict.h"
#include "image.h"

/* An ELF note with a build-id: this header, the name, the build-id. */
struct image_note {
	u32	name_size, size, type;
	char	name[4];
	u8	id[];
} __packed;

#define IMAGE_NOTE_TYPE		3	/* NT_GNU_BUILD_ID */
/* The size of the usual note, with a SHA-1. */
#define IMAGE_NOTE_SIZE		(sizeof(struct image_note) + 20)
/* The longest build-id, in bytes; ld makes 8, 16 or 20. */
#define IMAGE_ID_MAX		((DEVTRACE_NAME_MAX - 1) / 2)
#define IMAGE_NONE		(DEVTRACE_IMAGE_MAX + 1)

/* An image that has or had a number: build-id in hexadecimal digits, and name of the module. */
struct image {
	struct list_head list;
	char		id[DEVTRACE_NAME_MAX];
	char		name[MODULE_NAME_LEN];
	u8		number;
};

/* Protects all that follows, and the tables of the drivers. */
static DEFINE_MUTEX(image_lock);
static LIST_HEAD(image_known);
static unsigned int image_count;
/* Tables of drivers that are loaded. */
static LIST_HEAD(image_tables);

/* Return the next of a module's entries from number *@i on, or NULL. */
static const struct devtrace_sites *image_sites(const struct module *mod, unsigned int *i)
{
	const struct devtrace_sites *s;

	for (; *i < mod->num_kp; ++*i) {
		if (strcmp(mod->kp[*i].name, DEVTRACE_SITES_NAME))
			continue;
		s = mod->kp[*i].arg;
		++*i;
		return s->version == DEVTRACE_SITES_VERSION ? s : NULL;
	}
	return NULL;
}

static struct devtrace_site_table *image_table(const struct module *mod)
{
	unsigned int i = 0;
	const struct devtrace_sites *s = image_sites(mod, &i);

	return s ? s->image : NULL;
}

/* Is this the note with a build-id? All of it must be in the module. */
static bool image_note_is_valid(const struct image_note *n, const struct module *mod)
{
	const unsigned long at = (unsigned long)n;

	return within_module(at, mod) && within_module(at + sizeof(*n) - 1, mod) &&
	       n->name_size == sizeof(n->name) && n->type == IMAGE_NOTE_TYPE &&
	       !memcmp(n->name, "GNU", sizeof(n->name)) && n->size && n->size <= IMAGE_ID_MAX &&
	       within_module(at + sizeof(*n) + n->size - 1, mod);
}

/* Write the build-id of a module as text; "-" if the module has none. */
static void image_build_id(const struct devtrace_site_table *t, char id[DEVTRACE_NAME_MAX])
{
	const struct image_note *n = t->note;

	/* A linker may put its note before the driver's empty one. */
	if (!image_note_is_valid(n, t->mod))
		n = t->note - IMAGE_NOTE_SIZE;
	if (!image_note_is_valid(n, t->mod)) {
		strcpy(id, "-");
		return;
	}
	snprintf(id, DEVTRACE_NAME_MAX, "%*phN", n->size, n->id);
}

static void image_name(u32 number, u8 group, const char *name)
{
	struct devtrace_dict d = {
		.kind = DEVTRACE_T_IMAGE, .group = group, .value = number,
	};

	snprintf(d.name, sizeof(d.name), "%s", name);
	/* Without the name, readers print the arguments. */
	devtrace_dict_set(NULL, &d);
}

/* Return the number of an image that was loaded before, or a new one. */
static u32 image_assign(const char *id, const char *name)
{
	struct image *i;

	list_for_each_entry(i, &image_known, list)
		if (strcmp(id, "-") && !strcmp(i->id, id) && !strcmp(i->name, name))
			return i->number;
	if (image_count > DEVTRACE_IMAGE_MAX) {
		pr_warn_once("more than %u drivers have DT_LOG() statements: readers cannot print the texts of the others\n",
			     DEVTRACE_IMAGE_MAX + 1);
		return IMAGE_NONE;
	}
	i = kzalloc(sizeof(*i), GFP_KERNEL);
	if (!i)
		return IMAGE_NONE;
	strcpy(i->id, id);
	snprintf(i->name, sizeof(i->name), "%s", name);
	i->number = image_count++;
	list_add(&i->list, &image_known);
	image_name(i->number, DEVTRACE_IMAGE_BUILD_ID, id);
	image_name(i->number, DEVTRACE_IMAGE_PATH, name);
	return i->number;
}

static void image_number(struct devtrace_site_table *t)
{
	char id[DEVTRACE_NAME_MAX];

	lockdep_assert_held(&image_lock);
	image_build_id(t, id);
	WRITE_ONCE(t->number, image_assign(id, t->mod->name) << 24);
	list_add_tail(&t->list, &image_tables);
}

/*
 * If a module is an image without a number, add its table to a list for image_number_all(). The
 * caller prevents that the module is removed meanwhile, and calls of image_comes() and
 * image_goes().
 */
void image_find(struct module *mod, struct list_head *found)
{
	struct devtrace_site_table *t = image_table(mod);

	if (!t || t->mod)
		return;
	t->mod = mod;
	list_add_tail(&t->list, found);
}

void image_number_all(struct list_head *found)
{
	struct devtrace_site_table *t;

	mutex_lock(&image_lock);
	while ((t = list_first_entry_or_null(found, struct devtrace_site_table, list))) {
		list_del_init(&t->list);
		image_number(t);
	}
	mutex_unlock(&image_lock);
}

/* A module is loaded. If it is an image, give it a number. */
void image_comes(struct module *mod)
{
	LIST_HEAD(found);

	image_find(mod, &found);
	image_number_all(&found);
}

static void image_forget(struct devtrace_site_table *t)
{
	list_del_init(&t->list);
	t->mod = NULL;
}

/* A module is removed. */
void image_goes(const struct module *mod)
{
	struct devtrace_site_table *t = image_table(mod);

	mutex_lock(&image_lock);
	if (t && t->mod)
		image_forget(t);
	mutex_unlock(&image_lock);
}

/* Forget all images. The drivers stay loaded, and the next devtrace.ko gives them other numbers. */
void image_exit(void)
{
	struct devtrace_site_table *t, *next_table;
	struct image *i, *next_image;

	mutex_lock(&image_lock);
	list_for_each_entry_safe(t, next_table, &image_tables, list)
		image_forget(t);
	list_for_each_entry_safe(i, next_image, &image_known, list)
		kfree(i);
	INIT_LIST_HEAD(&image_known);
	mutex_unlock(&image_lock);
}

/* Return the address of a statement's site, or NULL if the driver has no statement @index. */
static u8 *image_site(const struct devtrace_site_table *t, u32 index)
{
	u8 *at = t->base + ((s32)(index << 8) >> 8);
	const struct devtrace_sites *s;
	unsigned int i = 0;

	if (index >> 24)
		return NULL;
	while ((s = image_sites(t->mod, &i)))
		if (at > s->begin && at < s->end)
			return at;
	return NULL;
}

static struct devtrace_site_table *image_by_name(const char *name)
{
	struct devtrace_site_table *t;

	list_for_each_entry(t, &image_tables, list)
		if (!strcmp(t->mod->name, name))
			return t;
	return NULL;
}

/* Turn a statement on or off: "MODULE INDEX on" or "MODULE INDEX off". */
static int image_sites_set(const char *val, const struct kernel_param *kp)
{
	char name[MODULE_NAME_LEN], word[4], more;
	struct devtrace_site_table *t;
	u8 *site = NULL;
	u32 index;
	int err = 0;

	BUILD_BUG_ON(MODULE_NAME_LEN < 56);
	/* More than eight digits could have a value that is truncated to another index. */
	if (sscanf(val, "%55s %8u %3s %c", name, &index, word, &more) != 3 ||
	    (strcmp(word, "on") && strcmp(word, "off")))
		return -EINVAL;
	mutex_lock(&image_lock);
	t = image_by_name(name);
	if (t)
		site = image_site(t, index);
	if (site)
		WRITE_ONCE(*site, !strcmp(word, "off"));
	else
		err = t ? -ERANGE : -ENOENT;
	mutex_unlock(&image_lock);
	return err;
}

/* A line for each driver: its name, the number of the image, and the statements that are off. */
static int image_sites_get(char *buf, const struct kernel_param *kp)
{
	const struct devtrace_site_table *t;
	const struct devtrace_sites *s;
	unsigned int i;
	int len = 0;
	u8 *at;

	mutex_lock(&image_lock);
	list_for_each_entry(t, &image_tables, list) {
		len += scnprintf(buf + len, PAGE_SIZE - len, "%s %u", t->mod->name,
				 t->number >> 24);
		for (i = 0; (s = image_sites(t->mod, &i)); )
			for (at = s->begin + 1; at < s->end; at++)
				if (READ_ONCE(*at))
					len += scnprintf(buf + len, PAGE_SIZE - len, " %u",
							 (u32)(at - t->base) << 8 >> 8);
		len += scnprintf(buf + len, PAGE_SIZE - len, "\n");
	}
	mutex_unlock(&image_lock);
	return len;
}

static const struct kernel_param_ops image_sites_ops = {
	.set = image_sites_set,
	.get = image_sites_get,
};

module_param_cb(sites, &image_sites_ops, NULL, 0600);
MODULE_PARM_DESC(sites, "DT_LOG() statements of drivers that are off; write 'MODULE INDEX off' or 'on'");
