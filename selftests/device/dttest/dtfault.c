// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtfault.c - cause driver faults on demand
 *
 * Values of the parameter "how":
 *
 *	assert		a failed assertion
 *	oops		a thread writes to address 0
 *	jump		a thread jumps to an invalid address
 *	hang		a thread sleeps uninterruptibly for 5 s
 *	panic		LINES messages and the panic notifiers that precede ours; a failed
 *			assertion; all with interrupts off
 *	memory		memory errors of each severity, then errors of other hardware
 */
#include <linux/devtrace.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/limits.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic_notifier.h>
#endif
#ifdef CONFIG_RAS
#include <ras/ras_event.h>
#endif

static int *nowhere;
static void *nothing;

static int oops(void *unused)
{
	WRITE_ONCE(*READ_ONCE(nowhere), 1);
	return 0;
}

static int jump(void *unused)
{
	((int (*)(void *))READ_ONCE(nothing))(unused);
	return 0;
}

static int hang(void *unused)
{
	schedule_timeout_uninterruptible(5 * HZ);
	return 0;
}

#define LINES	100

static int others_end(struct notifier_block *nb, unsigned long event, void *text)
{
	return NOTIFY_STOP;
}

/* Runs after the notifier of devtrace_profile. */
static struct notifier_block panic_block = {
	.notifier_call = others_end, .priority = INT_MAX - 1,
};

static int as_at_a_panic(void)
{
	unsigned long flags;
	int i;

	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	local_irq_save(flags);
	for (i = 0; i < LINES; i++)
		pr_err("dtfault: line %d\n", i);
	atomic_notifier_call_chain(&panic_notifier_list, 0, "dtfault: as asked");
	devtrace_assert(!flags && flags);
	local_irq_restore(flags);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	return 0;
}

/* As firmware may give it: the unit's name fills its 20 bytes, and other bytes follow. */
static int memory(void)
{
#ifdef CONFIG_RAS
	static const char unit[] = "DIMM twenty letters_ and what follows";
	unsigned int i;

	for (i = 0; i < 5; i++)
		trace_mc_event(i, "message", "label", 1, 0, 0, 0, 0, 4096, 12, 0, "detail");
	for (i = 0; i < 4; i++)
		trace_non_standard_event(&guid_null, &guid_null, unit, i, NULL, 0);
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

static int how_set(const char *val, const struct kernel_param *kp)
{
	if (sysfs_streq(val, "assert"))
		return devtrace_assert(!val) ? -EINVAL : 0;
	if (sysfs_streq(val, "oops"))
		return PTR_ERR_OR_ZERO(kthread_run(oops, NULL, "dtfault_oops"));
	if (sysfs_streq(val, "jump"))
		return PTR_ERR_OR_ZERO(kthread_run(jump, NULL, "dtfault_jump"));
	if (sysfs_streq(val, "hang"))
		return PTR_ERR_OR_ZERO(kthread_run(hang, NULL, "dtfault_hang"));
	if (sysfs_streq(val, "panic"))
		return as_at_a_panic();
	if (sysfs_streq(val, "memory"))
		return memory();
	return -EINVAL;
}

static const struct kernel_param_ops how_ops = { .set = how_set };
module_param_cb(how, &how_ops, NULL, 0200);

static int __init dtfault_init(void)
{
	nothing = (void *)__get_free_page(GFP_KERNEL);
	return nothing ? 0 : -ENOMEM;
}

/* A thread that hangs must have ended. */
static void __exit dtfault_exit(void)
{
	free_page((unsigned long)nothing);
}

module_init(dtfault_init);
module_exit(dtfault_exit);

MODULE_DESCRIPTION("Test of devtrace: faults on demand");
MODULE_LICENSE("GPL");
