// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach and detach the sources of faults, as filters and the parameter fault_kinds require
 *
 * While any filter wants the type DEVTRACE_T_FAULT, the kinds of the parameter fault_kinds are
 * attached; otherwise none is. The state is protected by devtrace_lock. Tracepoints are looked
 * up once, by name, when the module is loaded. Only those of vmlinux are used: they never go away.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "faults.h"
#include "stream/table.h"
#include "stream/words.h"

#define PROBES_MAX	32

/* All kinds but net_drop, because the kernel may drop a million packets per second. */
#define KINDS_PRESET	(BIT(FAULT_NR) - 1 - BIT(FAULT_NET_DROP))

static const char *const names[FAULT_NR] = {
	[FAULT_PANIC] = "panic",
	[FAULT_OOPS] = "oops",
	[FAULT_HANG] = "hang",
	[FAULT_STALL] = "stall",
	[FAULT_REBOOT] = "reboot",
	[FAULT_CONSOLE] = "console",
	[FAULT_OOM] = "oom",
	[FAULT_MCE] = "mce",
	[FAULT_MEMORY] = "memory",
	[FAULT_BLOCK] = "block",
	[FAULT_AER] = "aer",
	[FAULT_NET_DROP] = "net_drop",
	[FAULT_THERMAL] = "thermal",
	[FAULT_SIGNAL] = "signal",
};

static unsigned long kinds = KINDS_PRESET;
static unsigned long attached;
static bool wanted;
static struct tracepoint *tps[PROBES_MAX];

static void look_at(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < fault_probes_nr; i++)
		if (!strcmp(tp->name, fault_probes[i].tracepoint))
			tps[i] = tp;
}

static struct tracepoint *tracepoint_of(unsigned int i)
{
	const struct fault_probe *p = &fault_probes[i];

	if (!p->probe || (p->instead && tps[i - 1]))
		return NULL;
	return tps[i];
}

static void detach_probes(unsigned int kind, unsigned int nr)
{
	bool any = false;

	while (nr--) {
		struct tracepoint *tp = tracepoint_of(nr);

		if (fault_probes[nr].kind != kind || !tp)
			continue;
		tracepoint_probe_unregister(tp, fault_probes[nr].probe, NULL);
		any = true;
	}
	if (any)
		tracepoint_synchronize_unregister();
}

/*
 * Detach the tracepoint probes first: the console's probe queues the irq_work that off() waits
 * for.
 */
static void kinds_detach(unsigned int kind)
{
	unsigned int i;

	detach_probes(kind, fault_probes_nr);
	for (i = 0; i < fault_sources_nr; i++)
		if (fault_sources[i].kind == kind)
			fault_sources[i].off();
}

static int attach_probes(unsigned int kind)
{
	unsigned int i;
	int err;

	for (i = 0; i < fault_probes_nr; i++) {
		struct tracepoint *tp = tracepoint_of(i);

		if (fault_probes[i].kind != kind || !tp)
			continue;
		err = tracepoint_probe_register(tp, fault_probes[i].probe, NULL);
		if (err) {
			detach_probes(kind, i);
			return err;
		}
	}
	return 0;
}

static int kinds_attach(unsigned int kind)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < fault_sources_nr && !err; i++)
		if (fault_sources[i].kind == kind)
			err = fault_sources[i].on();
	if (err)
		return err;
	err = attach_probes(kind);
	for (i = 0; i < fault_sources_nr && err; i++)
		if (fault_sources[i].kind == kind)
			fault_sources[i].off();
	return err;
}

static void kinds_apply(void)
{
	const unsigned long target = wanted ? kinds : 0;
	unsigned int kind;
	int err;

	for (kind = 0; kind < FAULT_NR; kind++) {
		if (!((target ^ attached) & BIT(kind)))
			continue;
		if (!(target & BIT(kind))) {
			kinds_detach(kind);
			__clear_bit(kind, &attached);
			continue;
		}
		err = kinds_attach(kind);
		if (err)
			pr_warn("%s cannot be attached: error %d\n", names[kind], err);
		else
			__set_bit(kind, &attached);
	}
}

/**
 * faults_apply() - attach or detach the sources of faults
 * @want: true if any filter wants DEVTRACE_T_FAULT
 *
 * When this has returned with @want false, no source is running, and none can start.
 *
 * Context: process; may sleep; devtrace_lock held.
 */
void faults_apply(bool want)
{
	lockdep_assert_held(&devtrace_lock);
	if (want && !wanted)
		fault_limit_on();
	wanted = want;
	kinds_apply();
	if (!want)
		fault_limit_off();
}

/* Return a bit mask of the kinds that a word names; 0: "none", or an unknown word. */
static unsigned long kinds_of(const char *word)
{
	int i;

	if (!strcmp(word, "all"))
		return BIT(FAULT_NR) - 1;
	i = match_string(names, FAULT_NR, word);
	return i < 0 ? 0 : BIT(i);
}

/* Parse fault_kinds: "oom signal" sets these kinds; "+net_drop -signal" adds and removes one. */
static int kinds_parse(const char *list, unsigned long *set)
{
	char next[WORDS_ROOM];
	bool begun = false;

	while (words_next(&list, next)) {
		const char sign = *next;
		const char *word = next + (sign == '+' || sign == '-');
		unsigned long bits;

		if (!begun && *word == sign)
			*set = 0;
		begun = true;
		bits = kinds_of(word);
		if (sign == '-')
			*set &= ~bits;
		else
			*set |= bits;
		if (!bits && strcmp(word, "none")) {
			pr_err("unknown kind of fault '%s'; Documentation/faults.rst lists them\n",
			       word);
			return -EINVAL;
		}
	}
	return 0;
}

static int kinds_set(const char *val, const struct kernel_param *kp)
{
	unsigned long set;
	int err;

	if (mutex_lock_killable(&devtrace_lock))
		return -EINTR;
	set = kinds;
	err = kinds_parse(val, &set);
	if (!err) {
		kinds = set;
		kinds_apply();
	}
	mutex_unlock(&devtrace_lock);
	return err;
}

static int kinds_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	if (mutex_lock_killable(&devtrace_lock))
		return -EINTR;
	for (i = 0; i < FAULT_NR; i++)
		if (kinds & BIT(i))
			n += scnprintf(buf + n, PAGE_SIZE - n, "%s%s", n ? " " : "", names[i]);
	mutex_unlock(&devtrace_lock);
	return n + scnprintf(buf + n, PAGE_SIZE - n, "%s\n", n ? "" : "none");
}

static const struct kernel_param_ops kinds_ops = {
	.set = kinds_set,
	.get = kinds_get,
};
module_param_cb(fault_kinds, &kinds_ops, NULL, 0644);
MODULE_PARM_DESC(fault_kinds, "faults to report: all, none, or names, with + to add and - to remove (default all but net_drop)");

/* Look up the tracepoints. Called before the first faults_apply(). */
int faults_init(void)
{
	BUILD_BUG_ON(FAULT_NR > BITS_PER_LONG);
	if (WARN_ON(fault_probes_nr > PROBES_MAX))
		return -EINVAL;
	fault_limit_init();
	for_each_kernel_tracepoint(look_at, NULL);
	return 0;
}
