// SPDX-License-Identifier: GPL-2.0-only
/* Faults that notifiers report: panic, oops, reboot */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/reboot.h>
#include <linux/sched.h>

#include "compat/compat_panic.h"
#include "faults.h"

/* The other CPUs are stopped and may hold locks, so take no lock. */
static int on_panic(struct notifier_block *nb, unsigned long unused, void *message)
{
	struct devtrace_record r;

	fault_console_drain();
	fault_limit_tell();
	if (fault_begin(&r, DEVTRACE_SW3, DEVTRACE_FAULT_PANIC, 0)) {
		fault_put_text(&r, "%s", (const char *)message ?: "");
		devtrace_end(&r);
	}
	return NOTIFY_DONE;
}

/* Called before all other notifiers, because another one may not return. */
static struct notifier_block panic_block = { .notifier_call = on_panic, .priority = INT_MAX };

static int panic_on(void)
{
	return atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
}

static void panic_off(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
}

/* Only DIE_OOPS is a fault; the other calls are for debuggers. */
static int on_die(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct die_args *args = data;
	struct devtrace_record r;

	if (val != DIE_OOPS || !fault_begin(&r, DEVTRACE_SW3, DEVTRACE_FAULT_OOPS, 0))
		return NOTIFY_DONE;
	devtrace_put(&r, dt_i32(args->err));
	devtrace_put(&r, dt_i32(args->trapnr));
	fault_put_text(&r, "%.60s", args->str ?: "");
	fault_put_text(&r, "%.16s", current->comm);
	if (args->regs && !user_mode(args->regs))
		fault_put_function(&r, (void *)instruction_pointer(args->regs));
	else
		fault_put_text(&r, "a program");
	devtrace_end(&r);
	return NOTIFY_DONE;
}

static struct notifier_block die_block = { .notifier_call = on_die, .priority = INT_MAX };

static int die_on(void)
{
	return register_die_notifier(&die_block);
}

static void die_off(void)
{
	unregister_die_notifier(&die_block);
}

/* Runs in the thread that asked for the reboot, so the event has the tid of that thread. */
static int on_reboot(struct notifier_block *nb, unsigned long mode, void *command)
{
	struct devtrace_record r;

	if (fault_begin(&r, DEVTRACE_SW1, DEVTRACE_FAULT_REBOOT, mode)) {
		fault_put_text(&r, "%.16s", current->comm);
		fault_put_text(&r, "%s", (const char *)command ?: "");
		devtrace_end(&r);
	}
	return NOTIFY_DONE;
}

static struct notifier_block reboot_block = { .notifier_call = on_reboot, .priority = INT_MAX };

static int reboot_on(void)
{
	return register_reboot_notifier(&reboot_block);
}

static void reboot_off(void)
{
	unregister_reboot_notifier(&reboot_block);
}

const struct fault_source fault_sources[] = {
	{ FAULT_PANIC, panic_on, panic_off },
	{ FAULT_OOPS, die_on, die_off },
	{ FAULT_REBOOT, reboot_on, reboot_off },
	{ FAULT_CONSOLE, fault_console_on, fault_console_off },
};

const unsigned int fault_sources_nr = ARRAY_SIZE(fault_sources);
