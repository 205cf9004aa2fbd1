// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach to the kernel's tracepoints, and detach from them
 *
 * A type is attached if the filter of any stream or armed trigger wants it: filter_attach_profile()
 * calls profile_apply() whenever a filter changes. There is no other state. Writing the module
 * parameter changes the filter of stream 0.
 *
 * A type is attached to all of its tracepoints or to none. When profile_apply() returns, no probe
 * of a detached type runs on any CPU, so none of its events appears. When all types are detached,
 * the module can be unloaded.
 *
 * Unloading the module detaches all types and leaves the filters unchanged. Loading it attaches
 * the types that the filters want.
 *
 * Tracepoints are looked up once, by name, when the first type is wanted. Only those of vmlinux are
 * used: they never go away.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat/compat_export.h"
#include "emit/control_ops.h"
#include "emit/filter.h"
#include "faults/faults.h"
#include "manage/filter_policy.h"
#include "profile.h"
#include "profile_added.h"
#include "profile_names.h"
#include "profile_titles.h"
#include "profile_types.h"
#include "stream/profile_ops.h"
#include "stream/table.h"
#include "stream/words.h"

/* The vector types have eleven tracepoints on x86; all others have one or two. */
#define TP_MAX	12

struct attachment {
	unsigned int	nr;		/* number of tracepoints found; 0: the type is refused */
	bool		on;
	struct tracepoint *tp[TP_MAX];
};

/* Protected by devtrace_lock. */
static struct attachment attached[PROFILE_NR];
static bool looked_up;
static DECLARE_BITMAP(lacking, 256);	/* not yet reported by profile_lacking() */

/* Return the name of the type PROFILE_FIRST + @i. */
static const char *name_of(unsigned int i)
{
	struct profile_added_info info;

	if (profile_added_info(PROFILE_FIRST + i, &info))
		return info.name;
	return i < profile_probes_nr ? profile_probes[i].name : "?";
}

/* Is a name in a list separated by blanks? */
static bool in_list(const char *list, const char *name)
{
	const size_t len = strlen(name);
	const char *p = list;

	while ((p = strstr(p, name))) {
		if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
		p += len;
	}
	return false;
}

static void look_at(struct tracepoint *tp, void *unused)
{
	struct attachment *a;
	unsigned int i;

	for (i = 0; i < profile_probes_nr; i++) {
		a = &attached[i];
		if (profile_probes[i].probe && a->nr < TP_MAX &&
		    in_list(profile_probes[i].tracepoints, tp->name))
			a->tp[a->nr++] = tp;
	}
}

static void look_up(void)
{
	if (!looked_up)
		for_each_kernel_tracepoint(look_at, NULL);
	looked_up = true;
}

static void profile_detach(struct attachment *a, void *probe, unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(a->tp[nr], probe, a->tp[nr]);
	a->on = false;
}

static int profile_attach(struct attachment *a, void *probe)
{
	unsigned int i;
	int err;

	for (i = 0; i < a->nr; i++) {
		err = tracepoint_probe_register(a->tp[i], probe, a->tp[i]);
		if (err) {
			profile_detach(a, probe, i);
			return err;
		}
	}
	a->on = true;
	return 0;
}

/* Types above those of profile_probes[] belong to tracepoints added by name. */

static bool is_there(unsigned int i)
{
	struct profile_added_info info;

	return attached[i].nr || profile_added_info(PROFILE_FIRST + i, &info);
}

static int attach_type(unsigned int i)
{
	struct attachment *a = &attached[i];
	int err;

	if (i < profile_probes_nr)
		return a->nr ? profile_attach(a, profile_probes[i].probe) : -ENOENT;
	err = profile_added_attach(PROFILE_FIRST + i);
	a->on = !err;
	return err;
}

static void detach_type(unsigned int i)
{
	struct attachment *a = &attached[i];

	if (i < profile_probes_nr)
		profile_detach(a, profile_probes[i].probe, a->nr);
	else
		profile_added_detach(PROFILE_FIRST + i);
	a->on = false;
}

static bool wants_any(const unsigned long *types)
{
	return find_next_bit(types, PROFILE_LAST + 1, PROFILE_FIRST) <= PROFILE_LAST;
}

/**
 * profile_apply() - attach the types that are wanted, detach the others
 * @types: 256 bits: types that any filter wants; bits below 128 and above 191 are ignored
 * @refused: filled in, 256 bits: types that are wanted but could not be attached
 *
 * After the return, no event of an unwanted type from 128 to 191 is stored.
 *
 * Context: process; may sleep; devtrace_lock held.
 * Return: true if any type was refused; profile_lacking() reports them, too.
 */
static bool profile_apply(const unsigned long *types, unsigned long *refused)
{
	bool detached = false, on = false;
	unsigned int i;
	int err;

	lockdep_assert_held(&devtrace_lock);
	faults_apply(test_bit(DEVTRACE_T_FAULT, types));
	bitmap_zero(refused, 256);
	if (wants_any(types)) {
		look_up();
		profile_titles_on();
		WRITE_ONCE(devtrace_profile_on, true);
	}
	/* Detach first, because unwanted events cost time while the other types are attached. */
	for (i = 0; i < PROFILE_NR; i++) {
		if (attached[i].on && !test_bit(PROFILE_FIRST + i, types)) {
			detach_type(i);
			detached = true;
		}
	}
	for (i = 0; i < PROFILE_NR; i++) {
		if (!test_bit(PROFILE_FIRST + i, types) || attached[i].on)
			continue;
		err = attach_type(i);
		if (!err)
			continue;
		__set_bit(PROFILE_FIRST + i, refused);
		detached = true;
		pr_warn("%s cannot be attached: error %d\n", name_of(i), err);
	}
	if (detached)
		tracepoint_synchronize_unregister();
	for (i = 0; i < PROFILE_NR; i++)
		on |= attached[i].on;
	WRITE_ONCE(devtrace_profile_on, on);
	bitmap_or(lacking, lacking, refused, 256);
	return !bitmap_empty(refused, 256);
}

/**
 * profile_keep_known() - clear the types of a filter that this kernel lacks
 * @types: 256 bits; only those from 128 to 190 are examined
 *
 * profile_lacking() reports the types cleared here. But if all 63 bits are set, the filter asks for
 * all existing types, so numbers that have no type are not reported.
 *
 * Context: process; may sleep; devtrace_lock held.
 */
static void profile_keep_known(unsigned long *types)
{
	bool all;
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	if (!wants_any(types))
		return;
	look_up();
	all = find_next_zero_bit(types, PROFILE_LAST + 1, PROFILE_FIRST) > PROFILE_LAST;
	for (i = 0; i < PROFILE_NR; i++) {
		if (!test_bit(PROFILE_FIRST + i, types) || is_there(i))
			continue;
		__clear_bit(PROFILE_FIRST + i, types);
		if (!all || i < profile_probes_nr)
			__set_bit(PROFILE_FIRST + i, lacking);
	}
}

/*
 * Set @types to the types that were cleared or refused since the last call. Return true if there
 * are any. devtrace_lock held.
 */
static bool profile_lacking(unsigned long *types)
{
	lockdep_assert_held(&devtrace_lock);
	bitmap_copy(types, lacking, 256);
	bitmap_zero(lacking, 256);
	return !bitmap_empty(types, 256);
}

/* Describe a type from 128 to 190. Return false if it does not exist. devtrace_lock held. */
static bool profile_info(unsigned int type, struct profile_info *info)
{
	const unsigned int i = type - PROFILE_FIRST;
	struct profile_added_info tp;

	lockdep_assert_held(&devtrace_lock);
	if (profile_added_info(type, &tp)) {
		*info = (struct profile_info){
			.name = tp.name, .group = "added", .tracepoints = tp.name,
			.available = true, .attached = tp.attached, .elements = tp.elements,
		};
		return true;
	}
	if (i >= profile_probes_nr)
		return false;
	look_up();
	info->elements = NULL;
	info->name = profile_probes[i].name;
	info->group = profile_probes[i].group;
	info->tracepoints = profile_probes[i].tracepoints;
	info->available = attached[i].nr;
	info->attached = attached[i].on;
	return true;
}

/* Names that stand for several types. */
static const struct {
	const char *name;
	const char *list;
} presets[] = {
#define PROFILE_PRESET(n, l)	{ #n, l },
	PROFILE_PRESETS
#undef PROFILE_PRESET
};

static bool name_matches(const struct profile_probe *p, const char *word)
{
	unsigned int i;

	if (!strcmp(word, "all") || !strcmp(word, p->name) || !strcmp(word, p->group))
		return true;
	for (i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(word, presets[i].name) &&
		    (in_list(presets[i].list, p->name) || in_list(presets[i].list, p->group)))
			return true;
	return false;
}

/**
 * profile_parse() - convert names to types
 * @list: names of types, groups and presets, "all" or "none", separated by commas
 *	or white space; "-" before a name removes its types again
 * @types: filled in, 256 bits
 * @named: filled in, 256 bits: types listed by their own name
 *
 * Return: 0, or -EINVAL if a name is unknown.
 */
static int profile_parse(const char *list, unsigned long *types, unsigned long *named)
{
	char next[WORDS_ROOM];

	bitmap_zero(types, 256);
	bitmap_zero(named, 256);
	while (words_next(&list, next)) {
		bool clear = *next == '-', found = false;
		const char *word = next + clear;
		unsigned int i;

		if (!strcmp(word, "none") && !clear) {
			bitmap_zero(types, 256);
			bitmap_zero(named, 256);
			continue;
		}
		for (i = 0; i < profile_probes_nr; i++) {
			const struct profile_probe *p = &profile_probes[i];

			if (!name_matches(p, word))
				continue;
			found = true;
			__assign_bit(p->type, types, !clear);
			if (!strcmp(word, p->name))
				__assign_bit(p->type, named, !clear);
		}
		if (!found) {
			pr_err("unknown type or group '%s'; 'tracectl profile list' lists them\n",
			       word);
			return -EINVAL;
		}
	}
	return 0;
}

/*
 * The module parameter has the names of the profile types in the filter of stream 0. A value given
 * at load time is kept in wanted until profile_enter() puts it into the filter.
 */

static bool ready;
static DECLARE_BITMAP(wanted, 256);
static DECLARE_BITMAP(wanted_named, 256);

/* Log the types that this kernel lacks. Return true if any was listed by its own name. */
static bool log_lacking(const unsigned long *named)
{
	DECLARE_BITMAP(lacks, 256);
	unsigned int i;

	profile_lacking(lacks);
	for_each_set_bit(i, lacks, 256)
		pr_info("this kernel has no tracepoint for %s\n",
			name_of(i - PROFILE_FIRST));
	return bitmap_intersects(lacks, named, 256);
}

static int set_stream0(const unsigned long *types, const unsigned long *named)
{
	DECLARE_BITMAP(want, 256);
	int err;

	bitmap_copy(want, types, 256);
	/* Clear the set of lacking types, in which earlier requests may have left some. */
	bitmap_zero(lacking, 256);
	profile_keep_known(want);
	err = filter_set_profile(want, PROFILE_FIRST, PROFILE_LAST);
	if (err)
		return err;
	control_notify_filter(stream_by_id(0));
	err = log_lacking(named) ? -EOPNOTSUPP : 0;
	/*
	 * -ENOMEM even if the user named only a group: a wanted type exists in this kernel, but
	 * its probe could not be attached.
	 */
	return bitmap_subset(want, filter_get(0, NULL)->types, 256) ? err : -ENOMEM;
}

static int profile_set(const char *val, const struct kernel_param *kp)
{
	DECLARE_BITMAP(types, 256);
	DECLARE_BITMAP(named, 256);
	int err;

	err = profile_parse(val, types, named);
	if (err)
		return err;
	if (mutex_lock_killable(&devtrace_lock))
		return -EINTR;
	if (ready) {
		err = set_stream0(types, named);
	} else {
		bitmap_copy(wanted, types, 256);
		bitmap_copy(wanted_named, named, 256);
	}
	mutex_unlock(&devtrace_lock);
	return err;
}

static int profile_get(char *buf, const struct kernel_param *kp)
{
	const unsigned long *types;
	unsigned int i;
	int n = 0;

	if (mutex_lock_killable(&devtrace_lock))
		return -EINTR;
	types = ready ? filter_get(0, NULL)->types : wanted;
	for (i = 0; i < PROFILE_NR; i++)
		if (test_bit(PROFILE_FIRST + i, types))
			n += scnprintf(buf + n, PAGE_SIZE - n, "%s%s", n ? " " : "", name_of(i));
	mutex_unlock(&devtrace_lock);
	n += scnprintf(buf + n, PAGE_SIZE - n, "%s\n", n ? "" : "none");
	return n;
}

static const struct kernel_param_ops param_ops = {
	.set = profile_set,
	.get = profile_get,
};
module_param_cb(profile, &param_ops, NULL, 0644);
MODULE_PARM_DESC(profile, "kernel profile events to turn on in stream 0: names, groups, all or none (default none)");

static bool faults;
module_param(faults, bool, 0444);
MODULE_PARM_DESC(faults, "record the kernel's own faults in stream 0 from the start (default no)");

static const struct profile_ops profile_ops = {
	.apply		= profile_apply,
	.keep_known	= profile_keep_known,
	.lacking	= profile_lacking,
	.info		= profile_info,
	.add		= profile_add,
	.find		= profile_added_find,
	.del		= profile_del,
};

/* After the return, no probe runs, and no filter can attach one. */
static void profile_leave(void)
{
	DECLARE_BITMAP(none, 256);
	DECLARE_BITMAP(refused, 256);

	lockdep_assert_held(&devtrace_lock);
	ready = false;
	devtrace_profile_register(NULL);
	bitmap_zero(none, 256);
	profile_apply(none, refused);
}

static int want_faults(void)
{
	DECLARE_BITMAP(types, 256) = { 0 };

	__set_bit(DEVTRACE_T_FAULT, types);
	return filter_set_profile(types, DEVTRACE_T_FAULT, DEVTRACE_T_FAULT);
}

/*
 * Attach the types that the filters kept from an earlier load, and those of the parameters. On
 * failure the filter is restored, and the module is not loaded.
 */
static int profile_enter(void)
{
	DECLARE_BITMAP(before, 256);
	int err;

	lockdep_assert_held(&devtrace_lock);
	/* In the kernel's image, devtrace may have failed to start. */
	if (!stream_by_id(0))
		return -ENODEV;
	ready = true;
	devtrace_profile_register(&profile_ops);
	filter_attach_profile();
	bitmap_copy(before, filter_get(0, NULL)->types, 256);
	err = wants_any(wanted) ? set_stream0(wanted, wanted_named) : 0;
	if (!err && faults)
		err = want_faults();
	if (err && !filter_set_profile(before, PROFILE_FIRST, DEVTRACE_T_FAULT))
		control_notify_filter(stream_by_id(0));
	return err;
}

static int __init devtrace_profile_init(void)
{
	int err;

	err = faults_init() ?: profile_names_init();
	if (err)
		return err;
	err = profile_added_init();
	if (err) {
		profile_names_exit();
		return err;
	}
	mutex_lock(&devtrace_lock);
	err = profile_enter();
	if (err)
		profile_leave();
	mutex_unlock(&devtrace_lock);
	if (err) {
		profile_added_exit();
		profile_names_exit();
	}
	return err;
}

static void __exit devtrace_profile_exit(void)
{
	mutex_lock(&devtrace_lock);
	profile_leave();
	mutex_unlock(&devtrace_lock);
	profile_added_exit();
	profile_names_exit();
}

early_initcall(devtrace_profile_init);
module_exit(devtrace_profile_exit);

MODULE_DESCRIPTION("Trace device: the kernel's tracepoints and faults as events");
MODULE_LICENSE("GPL");
MODULE_VERSION(DEVTRACE_VERSION);
/* Keep this alias for one release: devtrace_faults was a separate module before. */
MODULE_ALIAS("devtrace_faults");
COMPAT_IMPORT_INTERNAL();
