// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why the machine goes down, according to notifiers
 *
 * The notifiers of panic and oops run in any context, and other CPUs may be stopped anywhere,
 * so they take no lock and allocate nothing. The events in the region are kept even without a
 * notifier: a watchdog or a power cut calls none.
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/sched.h>

#include "compat/compat_panic.h"
#include "cause.h"
#include "keep.h"

static int told_panic(struct notifier_block *nb, unsigned long event, void *message)
{
	keep_cause(PERSIST_PANIC, "panic: %s", (const char *)message);
	keep_fall();
	return NOTIFY_DONE;
}

static int told_die(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct die_args *args = data;

	if (event != DIE_OOPS)
		return NOTIFY_DONE;
	keep_cause(PERSIST_OOPS, "oops: %s, %s[%d]", args->str, current->comm, current->pid);
	keep_fall();
	return NOTIFY_DONE;
}

static int told_reboot(struct notifier_block *nb, unsigned long event, void *command)
{
	const char *what = event == SYS_RESTART ? "reboot" :
			   event == SYS_HALT ? "halt" : "power off";

	keep_cause(PERSIST_REBOOT, "%s by %s[%d]", what, current->comm, current->pid);
	keep_sync();
	return NOTIFY_DONE;
}

/*
 * Run after the panic notifier of devtrace_profile, so that its event is written back, too, and
 * before all other notifiers, one of which may not return.
 */
static struct notifier_block panic_block = {
	.notifier_call = told_panic, .priority = INT_MAX - 1,
};

static struct notifier_block die_block = {
	.notifier_call = told_die, .priority = INT_MAX - 1,
};

/* Run after all other notifiers, which may emit events. */
static struct notifier_block reboot_block = {
	.notifier_call = told_reboot, .priority = INT_MIN,
};

int cause_begin(void)
{
	int err;

	atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	err = register_die_notifier(&die_block);
	if (!err)
		err = register_reboot_notifier(&reboot_block);
	if (err)
		cause_end();
	return err;
}

void cause_end(void)
{
	unregister_reboot_notifier(&reboot_block);
	unregister_die_notifier(&die_block);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
}
