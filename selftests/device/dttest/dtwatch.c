// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtwatch.c - a watch that counts the numbered events of dttest.h, and checks each
 *
 * Parameters:
 *
 *	watch	write "FIRST LAST SEVERITIES ORIGINS", numbers as for strtol(3), to watch these
 *		types, severities and origins; "off" ends the watch
 *	counts	a line per CPU: its number, then callbacks by class of writer
 *	wrong	failed checks by kind, as names and numbers
 *	upon	callbacks that interrupted another one on their CPU
 *	delay_us  duration of a callback in a task
 *	echo	Y: each callback emits an event of type DTWATCH_ECHO
 *	refused	error numbers of invalid calls, in the order below
 *	fill	write the number of useless watches to register
 *
 * The numbers of a tag come in order, so the next callback shows a missing or repeated one.
 */
#include <linux/delay.h>
#include <linux/devtrace_watch.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <asm/byteorder.h>

#include "dttest.h"

#define WRITERS		64
#define CLASSES		(DTTEST_USER + 1)
/* Size of U32 tag and U32 number: a format byte and the value. */
#define ELEM32		5

enum wrong { DOUBLED, MISSING, CONTEXT, PREEMPTIBLE, BACKWARDS, PAYLOAD, LATE, WRONGS };

static const char *const wrong_names[WRONGS] = {
	"doubled", "missing", "context", "preemptible", "backwards", "payload", "late",
};

/* Per class of writer and CPU; programs are counted like CPUs. */
static struct seen {
	u32 next;
	u64 nr, ts;
} seen[CLASSES][WRITERS];

static atomic_t wrong[WRONGS];
static atomic_t upon;
static DEFINE_PER_CPU(int, depth);
static bool unregistered;

static unsigned int delay_us;
module_param(delay_us, uint, 0644);
static bool echo;
module_param(echo, bool, 0644);

static u32 le32_at(const u8 *p)
{
	__le32 v;

	memcpy(&v, p, sizeof(v));
	return le32_to_cpu(v);
}

/* The real context of this code. */
static unsigned int context_here(void)
{
	const unsigned int pc = preempt_count();

	if (pc & NMI_MASK)
		return DTTEST_NMI;
	if (pc & HARDIRQ_MASK)
		return DTTEST_IRQ;
	return in_serving_softirq() ? DTTEST_SOFTIRQ : DTTEST_TASK;
}

static void look_at(const struct devtrace_watch_event *ev, u32 tag, u32 nr)
{
	const u32 class = tag >> 16, here = context_here();
	const bool user = class == DTTEST_USER;
	struct seen *s = &seen[class][tag & 0xffff];

	if (nr < s->next)
		atomic_inc(&wrong[DOUBLED]);
	else if (nr > s->next)
		atomic_add(nr - s->next, &wrong[MISSING]);
	s->next = nr + 1;
	s->nr++;
	if ((ev->flags & DEVTRACE_F_CONTEXT) != here || here != (user ? DTTEST_TASK : class) ||
	    !!(ev->flags & DEVTRACE_F_USER) != user)
		atomic_inc(&wrong[CONTEXT]);
	if (preemptible())
		atomic_inc(&wrong[PREEMPTIBLE]);
	if (ev->ts < s->ts)
		atomic_inc(&wrong[BACKWARDS]);
	s->ts = ev->ts;
	/* The variant with object and signal repeats both numbers there. */
	if (le32_at(ev->payload + ev->len - sizeof(u32)) != dttest_hash(tag, nr) ||
	    (ev->flags & DEVTRACE_F_OBJSIG && (ev->object != (u16)tag || ev->signal != (u16)nr)))
		atomic_inc(&wrong[PAYLOAD]);
}

static void count_it(struct devtrace_watch *w, const struct devtrace_watch_event *ev)
{
	u32 tag;

	if (this_cpu_inc_return(depth) > 1)
		atomic_inc(&upon);
	if (READ_ONCE(unregistered))
		atomic_inc(&wrong[LATE]);
	if (READ_ONCE(echo))
		devtrace_rec(DTWATCH_ECHO, dt_u32(ev->type));
	if (ev->len < 2 * ELEM32 || ev->type > DTTEST_TYPE + DTTEST_USER) {
		if (ev->type != DTWATCH_ECHO && ev->type != DTWATCH_OTHER)
			atomic_inc(&wrong[PAYLOAD]);
		goto out;
	}
	tag = le32_at(ev->payload + 1);
	if (tag >> 16 < CLASSES && (tag & 0xffff) < WRITERS)
		look_at(ev, tag, le32_at(ev->payload + ELEM32 + 1));
	else
		atomic_inc(&wrong[PAYLOAD]);
	if (READ_ONCE(delay_us) && context_here() == DTTEST_TASK)
		udelay(READ_ONCE(delay_us));
out:
	this_cpu_dec(depth);
}

static struct devtrace_watch watch = { .event = count_it };
static DEFINE_MUTEX(lock);

static int watch_set(const char *val, const struct kernel_param *kp)
{
	unsigned int first, last, severities, origins;
	int err = -EINVAL;

	mutex_lock(&lock);
	if (sysfs_streq(val, "off")) {
		err = devtrace_watch_unregister(&watch);
		WRITE_ONCE(unregistered, true);
	} else if (sscanf(val, "%u %u %i %i", &first, &last, &severities, &origins) == 4 &&
		   first <= last && last < 256) {
		WRITE_ONCE(unregistered, false);
		bitmap_zero(watch.types, 256);
		bitmap_set(watch.types, first, last - first + 1);
		watch.severities = severities;
		watch.origins = origins;
		err = devtrace_watch_register(&watch);
	}
	mutex_unlock(&lock);
	return err;
}

static const struct kernel_param_ops watch_ops = { .set = watch_set };
module_param_cb(watch, &watch_ops, NULL, 0200);

static int counts_get(char *buf, const struct kernel_param *kp)
{
	int cpu, class, n = 0;

	for (cpu = 0; cpu < WRITERS; cpu++) {
		if (!cpu_possible(cpu) && !seen[DTTEST_USER][cpu].nr)
			continue;
		n += sysfs_emit_at(buf, n, "%d", cpu);
		for (class = 0; class < CLASSES; class++)
			n += sysfs_emit_at(buf, n, " %llu", seen[class][cpu].nr);
		n += sysfs_emit_at(buf, n, "\n");
	}
	return n;
}

static const struct kernel_param_ops counts_ops = { .get = counts_get };
module_param_cb(counts, &counts_ops, NULL, 0444);

static int wrong_get(char *buf, const struct kernel_param *kp)
{
	int i, n = 0;

	for (i = 0; i < WRONGS; i++)
		n += sysfs_emit_at(buf, n, "%s %d%s", wrong_names[i], atomic_read(&wrong[i]),
				   i + 1 < WRONGS ? " " : "\n");
	return n;
}

static const struct kernel_param_ops wrong_ops = { .get = wrong_get };
module_param_cb(wrong, &wrong_ops, NULL, 0444);

static int upon_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&upon));
}

static const struct kernel_param_ops upon_ops = { .get = upon_get };
module_param_cb(upon, &upon_ops, NULL, 0444);

/* Register the watch and remove it; returns the error. */
static int try(struct devtrace_watch w)
{
	static struct devtrace_watch tried;
	int err;

	tried = w;
	err = devtrace_watch_register(&tried);
	if (!err)
		devtrace_watch_unregister(&tried);
	return err;
}

static int refused_get(char *buf, const struct kernel_param *kp)
{
	struct devtrace_watch w = { .event = count_it };
	static struct devtrace_watch twice;
	int n = 0, err;

	devtrace_watch_all(&w);
	bitmap_zero(w.types, 256);
	__set_bit(DTWATCH_OTHER, w.types);
	mutex_lock(&lock);
#define TRY(change) ({ struct devtrace_watch x = w; change; try(x); })
	n += sysfs_emit_at(buf, n, "%d", devtrace_watch_register(NULL));
	n += sysfs_emit_at(buf, n, " %d", TRY(x.event = NULL));
	n += sysfs_emit_at(buf, n, " %d", TRY(bitmap_zero(x.types, 256)));
	n += sysfs_emit_at(buf, n, " %d", TRY(x.severities = 0));
	n += sysfs_emit_at(buf, n, " %d", TRY(x.severities = BIT(1)));
	n += sysfs_emit_at(buf, n, " %d", TRY(x.severities = BIT(16)));
	n += sysfs_emit_at(buf, n, " %d", TRY(x.origins = 0));
	n += sysfs_emit_at(buf, n, " %d", TRY(x.origins = 4));
	n += sysfs_emit_at(buf, n, " %d", devtrace_watch_unregister(NULL));
	twice = w;
	n += sysfs_emit_at(buf, n, " %d", devtrace_watch_unregister(&twice));
	err = devtrace_watch_register(&twice);
	n += sysfs_emit_at(buf, n, " %d", err);
	n += sysfs_emit_at(buf, n, " %d", devtrace_watch_register(&twice));
	n += sysfs_emit_at(buf, n, " %d", devtrace_watch_unregister(&twice));
	n += sysfs_emit_at(buf, n, " %d\n", devtrace_watch_unregister(&twice));
	mutex_unlock(&lock);
	return n;
}

static const struct kernel_param_ops refused_ops = { .get = refused_get };
module_param_cb(refused, &refused_ops, NULL, 0400);

static struct devtrace_watch filling[DEVTRACE_WATCHES_MAX + 1];

static void nothing(struct devtrace_watch *w, const struct devtrace_watch_event *ev)
{
}

static int fill_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i, nr;
	int err;

	err = kstrtouint(val, 0, &nr);
	if (err || nr > ARRAY_SIZE(filling))
		return -EINVAL;
	mutex_lock(&lock);
	for (i = 0; i < ARRAY_SIZE(filling); i++)
		devtrace_watch_unregister(&filling[i]);
	for (i = 0; i < nr && !err; i++) {
		devtrace_watch_all(&filling[i]);
		filling[i].event = nothing;
		err = devtrace_watch_register(&filling[i]);
	}
	mutex_unlock(&lock);
	return err;
}

static const struct kernel_param_ops fill_ops = { .set = fill_set };
module_param_cb(fill, &fill_ops, NULL, 0200);

static int __init dtwatch_init(void)
{
	return 0;
}

static void __exit dtwatch_exit(void)
{
	unsigned int i;

	devtrace_watch_unregister(&watch);
	for (i = 0; i < ARRAY_SIZE(filling); i++)
		devtrace_watch_unregister(&filling[i]);
}

module_init(dtwatch_init);
module_exit(dtwatch_exit);

MODULE_DESCRIPTION("Watches for the tests of devtrace");
MODULE_LICENSE("GPL");
