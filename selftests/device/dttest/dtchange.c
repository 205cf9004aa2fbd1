// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtchange.c - a driver that emits a string while another thread changes its length
 *
 * Writing a number into the parameter emit emits so many pairs of events: a DT_LOG() statement and a
 * record of the type DEVTRACE_T_USER. Each has the string and the number 7.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/devtrace_log.h>

/* It has 200 characters, or ends after 100. */
static char text[201];
static DECLARE_COMPLETION(begun);

/* Stand in for a thread that is renamed, or any string that others change. */
static int change(void *unused)
{
	unsigned int n;

	complete(&begun);
	for (n = 1; !kthread_should_stop(); n++) {
		WRITE_ONCE(text[100], n & 1 ? 0 : 'x');
		if (!(n & 0xffff))
			cond_resched();
	}
	return 0;
}

static void emit(void)
{
	struct devtrace_record r;

	DT_LOG("%s %u", text, 7U);
	if (devtrace_begin(&r, DEVTRACE_T_USER, 0, 0)) {
		devtrace_put_str(&r, text);
		devtrace_put(&r, dt_u32(7));
		devtrace_end(&r);
	}
}

static int emit_set(const char *val, const struct kernel_param *kp)
{
	struct task_struct *thread;
	unsigned int n;
	int err = kstrtouint(val, 0, &n);

	if (err)
		return err;
	memset(text, 'x', sizeof(text) - 1);
	reinit_completion(&begun);
	thread = kthread_run(change, NULL, "dtchange");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wait_for_completion(&begun);
	while (n--) {
		emit();
		cond_resched();
	}
	return kthread_stop(thread);
}

static const struct kernel_param_ops emit_ops = { .set = emit_set };

module_param_cb(emit, &emit_ops, NULL, 0200);
MODULE_PARM_DESC(emit, "write a number to emit so many pairs of events");

static int __init dtchange_init(void)
{
	return 0;
}

static void __exit dtchange_exit(void)
{
}

module_init(dtchange_init);
module_exit(dtchange_exit);

MODULE_DESCRIPTION("Strings that change while they are emitted, for the tests of devtrace");
MODULE_LICENSE("GPL");
