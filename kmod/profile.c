// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching to the kernel's tracepoints and detaching from them
 *
 * A type is attached to all of its tracepoints or to none. When profile_apply()
 * returns, no probe of a type that was detached runs any more on any CPU: so no
 * event of it appears, and when all are detached the module may go.
 *
 * Tracepoints are looked up by name and only those of the kernel itself, which
 * never go; looked up once, when the first type is wanted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "profile.h"

/* On x86 a type has eleven; all others have one or two. */
#define TP_MAX	12

struct attachment {
	unsigned int	nr;		/* how many there are; 0: refused */
	bool		on;
	struct tracepoint *tp[TP_MAX];
};

bool devtrace_profile_on __read_mostly;

static struct attachment attached[PROFILE_NR];
static bool looked_up;

static const struct profile_probe *probe_of(unsigned int type)
{
	return &profile_probes[type - PROFILE_FIRST];
}

/* Whether a name is one of those in a list separated by blanks. */
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

static void detach(struct attachment *a, void *probe, unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(a->tp[nr], probe, a->tp[nr]);
	a->on = false;
}

static int attach(struct attachment *a, void *probe)
{
	unsigned int i;
	int err;

	for (i = 0; i < a->nr; i++) {
		err = tracepoint_probe_register(a->tp[i], probe, a->tp[i]);
		if (err) {
			detach(a, probe, i);
			return err;
		}
	}
	a->on = true;
	return 0;
}

/**
 * devtrace_profile_apply() - attach to what is wanted, detach from the rest
 * @types: 256 bits: the types that anybody wants; those below 128 and above 191
 *	do not matter
 * @refused: 256 bits, set or cleared: types that are wanted and that this kernel
 *	has no tracepoint for
 *
 * When it returns no event of any other type from 128 to 191 appears any more.
 *
 * Context: process; may sleep. The caller sees to it that there is one call at a
 * time.
 * Return: 0, also if types are refused; or a negative error number if a type
 * could not be attached, which is then refused too.
 */
int devtrace_profile_apply(const unsigned long *types, unsigned long *refused)
{
	bool detached = false, on = false;
	unsigned int i;
	int err, ret = 0;

	bitmap_zero(refused, 256);
	if (find_next_bit(types, PROFILE_LAST + 1, PROFILE_FIRST) <= PROFILE_LAST) {
		look_up();
		profile_names_on();
		WRITE_ONCE(devtrace_profile_on, true);
	}
	/* First what goes: events that nobody wants cost time while others come. */
	for (i = 0; i < profile_probes_nr; i++) {
		struct attachment *a = &attached[i];

		if (a->on && !test_bit(PROFILE_FIRST + i, types)) {
			detach(a, profile_probes[i].probe, a->nr);
			detached = true;
		}
	}
	for (i = 0; i < PROFILE_NR; i++) {
		struct attachment *a = &attached[i];

		if (!test_bit(PROFILE_FIRST + i, types) || a->on)
			continue;
		err = a->nr ? attach(a, profile_probes[i].probe) : 0;
		if (!a->on)
			__set_bit(PROFILE_FIRST + i, refused);
		if (err) {
			pr_warn("profile: %s: the kernel refuses: %d\n",
				profile_probes[i].name, err);
			detached = true;
			ret = err;
		}
	}
	if (detached)
		tracepoint_synchronize_unregister();
	for (i = 0; i < PROFILE_NR; i++)
		on |= attached[i].on;
	WRITE_ONCE(devtrace_profile_on, on);
	return ret;
}

/* Several types by one name, which may stand here several times. */
static const struct {
	const char *name;
	const char *list;
} presets[] = {
	{ "latency", "irq softirq hrtimer" },
	{ "latency", "sched_switch sched_waking sched_wakeup sched_wakeup_new" },
	{ "latency", "sched_migrate sched_pi" },
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
 * devtrace_profile_parse() - types from their names
 * @list: names of types, groups and presets, "all" or "none", separated by commas
 *	or blanks; "-" before one of them takes it away again
 * @types: 256 bits, set or cleared
 * @named: 256 bits, set or cleared: those that stand there by their own name
 *
 * Context: process; may sleep.
 * Return: 0, or -EINVAL if there is a name that nothing has, or -ENOMEM.
 */
int devtrace_profile_parse(const char *list, unsigned long *types, unsigned long *named)
{
	char *copy, *rest, *word;
	int err = 0;

	bitmap_zero(types, 256);
	bitmap_zero(named, 256);
	copy = kstrdup(list, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	while ((word = strsep(&rest, ", \t\n"))) {
		bool clear = *word == '-', found = false;
		unsigned int i;

		word += clear;
		if (!*word && !clear)
			continue;
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
			pr_err("profile: no type or group is called '%s'\n", word);
			err = -EINVAL;
			break;
		}
	}
	kfree(copy);
	return err;
}

/* The parameter: what it says is applied when the module is there. */

static DEFINE_MUTEX(param_lock);
static bool ready;
static DECLARE_BITMAP(wanted, 256);
static DECLARE_BITMAP(wanted_named, 256);

static int apply_param(const unsigned long *types, const unsigned long *named)
{
	DECLARE_BITMAP(refused, 256);
	DECLARE_BITMAP(got, 256);
	unsigned int i;
	int err;

	err = devtrace_profile_apply(types, refused);
	bitmap_andnot(got, types, refused, 256);
	for_each_set_bit(i, refused, 256) {
		pr_info("profile: this kernel has no tracepoint for %s\n", probe_of(i)->name);
		if (test_bit(i, named) && !err)
			err = -EOPNOTSUPP;
	}
	bitmap_copy(wanted, got, 256);
	return err;
}

static int profile_set(const char *val, const struct kernel_param *kp)
{
	DECLARE_BITMAP(types, 256);
	DECLARE_BITMAP(named, 256);
	int err;

	err = devtrace_profile_parse(val, types, named);
	if (err)
		return err;
	mutex_lock(&param_lock);
	if (ready) {
		err = apply_param(types, named);
	} else {
		bitmap_copy(wanted, types, 256);
		bitmap_copy(wanted_named, named, 256);
	}
	mutex_unlock(&param_lock);
	return err;
}

static int profile_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	mutex_lock(&param_lock);
	for_each_set_bit(i, wanted, 256)
		n += scnprintf(buf + n, PAGE_SIZE - n, "%s%s", n ? " " : "",
			       probe_of(i)->name);
	mutex_unlock(&param_lock);
	n += scnprintf(buf + n, PAGE_SIZE - n, "%s\n", n ? "" : "none");
	return n;
}

static const struct kernel_param_ops profile_ops = {
	.set = profile_set,
	.get = profile_get,
};
module_param_cb(profile, &profile_ops, NULL, 0644);
MODULE_PARM_DESC(profile, "kernel profile events: names and groups, all or none (default none)");

/**
 * devtrace_profile_init() - attach to what the parameter says
 *
 * Return: 0 or a negative error number: then nothing is attached.
 */
int devtrace_profile_init(void)
{
	int err;

	err = profile_names_init();
	if (err)
		return err;
	mutex_lock(&param_lock);
	ready = true;
	err = apply_param(wanted, wanted_named);
	mutex_unlock(&param_lock);
	if (err)
		devtrace_profile_exit();
	return err;
}

/* When it returns no probe runs, and none will. */
void devtrace_profile_exit(void)
{
	DECLARE_BITMAP(none, 256);

	mutex_lock(&param_lock);
	ready = false;
	bitmap_zero(none, 256);
	apply_param(none, none);
	mutex_unlock(&param_lock);
	profile_names_exit();
}
