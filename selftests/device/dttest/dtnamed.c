// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtnamed.c - a driver that registers types by name
 *
 * Writing a name into the parameter get registers it; get reads as a line "NAME NUMBER" for each
 * name. Writing a number into the parameter emit lets each type emit the number twice: by itself,
 * and about object 5 with signal 6.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/devtrace.h>

#define MOST	100

static struct devtrace_named types[MOST];
static char names[MOST][DEVTRACE_NAME_MAX];
static unsigned int nr;

/* The kernel serializes the writes of a module's parameters. */
static int get_set(const char *val, const struct kernel_param *kp)
{
	int err;

	if (nr == MOST)
		return -ENOSPC;
	if (strscpy(names[nr], val, sizeof(names[nr])) < 0)
		return -EINVAL;
	strim(names[nr]);
	types[nr] = (struct devtrace_named)DEVTRACE_NAMED_INIT(names[nr]);
	err = devtrace_named_get(&types[nr]);
	if (err < 0)
		return err;
	nr++;
	return 0;
}

static int get_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < nr; i++)
		n += scnprintf(buf + n, PAGE_SIZE - n, "%s %u\n", types[i].name, types[i].number);
	return n;
}

static int emit_set(const char *val, const struct kernel_param *kp)
{
	unsigned int i;
	u32 v;
	int err = kstrtou32(val, 0, &v);

	if (err)
		return err;
	for (i = 0; i < nr; i++) {
		devtrace_rec_named(&types[i], dt_u32(v));
		devtrace_rec_named_for(&types[i], 5, 6, dt_u32(v), dt_u8(1));
	}
	return 0;
}

static const struct kernel_param_ops get_ops = { .set = get_set, .get = get_get };
static const struct kernel_param_ops emit_ops = { .set = emit_set };

module_param_cb(get, &get_ops, NULL, 0600);
MODULE_PARM_DESC(get, "write a name to register it; reads as the names and their numbers");
module_param_cb(emit, &emit_ops, NULL, 0200);
MODULE_PARM_DESC(emit, "write a number to let each type emit it");

static int __init dtnamed_init(void)
{
	return 0;
}

static void __exit dtnamed_exit(void)
{
}

module_init(dtnamed_init);
module_exit(dtnamed_exit);

MODULE_DESCRIPTION("Types registered by name, for the tests of devtrace");
MODULE_LICENSE("GPL");
