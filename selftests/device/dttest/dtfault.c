// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtfault.c - faults of a driver, on demand
 *
 * Written to the parameter "how":
 *
 *	assert		an assertion that does not hold
 *	oops		a thread writes to address 0
 *	hang		a thread waits for 5 s and lets nothing disturb it
 */
#include <linux/devtrace.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>

static int *nowhere;

static int oops(void *unused)
{
	WRITE_ONCE(*READ_ONCE(nowhere), 1);
	return 0;
}

static int hang(void *unused)
{
	schedule_timeout_uninterruptible(5 * HZ);
	return 0;
}

static int how_set(const char *val, const struct kernel_param *kp)
{
	if (sysfs_streq(val, "assert"))
		return devtrace_assert(!val) ? -EINVAL : 0;
	if (sysfs_streq(val, "oops"))
		return PTR_ERR_OR_ZERO(kthread_run(oops, NULL, "dtfault_oops"));
	if (sysfs_streq(val, "hang"))
		return PTR_ERR_OR_ZERO(kthread_run(hang, NULL, "dtfault_hang"));
	return -EINVAL;
}

static const struct kernel_param_ops how_ops = { .set = how_set };
module_param_cb(how, &how_ops, NULL, 0200);

static int __init dtfault_init(void)
{
	return 0;
}

/* A thread that hangs must have ended. */
static void __exit dtfault_exit(void)
{
}

module_init(dtfault_init);
module_exit(dtfault_exit);

MODULE_DESCRIPTION("Test of devtrace: faults on demand");
MODULE_LICENSE("GPL");
