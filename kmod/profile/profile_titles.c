// SPDX-License-Identifier: GPL-2.0-only
/* The names of types, objects and softirqs in kernel profile events, which never change */
#include <linux/interrupt.h>
#include <linux/kernel.h>

#include "profile.h"
#include "profile_titles.h"

static bool titles_on;

/* Name types, objects and softirqs, once. Process context. */
void profile_titles_on(void)
{
	static const struct {
		u16 id;
		const char *name;
	} objects[] = {
		{ DEVTRACE_OBJ_SYSCALL, "syscall" }, { DEVTRACE_OBJ_COMPAT, "syscall32" },
		{ DEVTRACE_OBJ_IRQ, "irq" }, { DEVTRACE_OBJ_VECTOR, "vector" },
		{ DEVTRACE_OBJ_SOFTIRQ, "softirq" },
	};
	static const char *const softirqs[NR_SOFTIRQS] = {
		[HI_SOFTIRQ] = "HI", [TIMER_SOFTIRQ] = "TIMER",
		[NET_TX_SOFTIRQ] = "NET_TX", [NET_RX_SOFTIRQ] = "NET_RX",
		[BLOCK_SOFTIRQ] = "BLOCK", [IRQ_POLL_SOFTIRQ] = "IRQ_POLL",
		[TASKLET_SOFTIRQ] = "TASKLET", [SCHED_SOFTIRQ] = "SCHED",
		[HRTIMER_SOFTIRQ] = "HRTIMER", [RCU_SOFTIRQ] = "RCU",
	};
	unsigned int i;

	if (titles_on)
		return;
	titles_on = true;
	for (i = 0; i < profile_probes_nr; i++)
		devtrace_name_type(profile_probes[i].type, profile_probes[i].title);
	for (i = 0; i < ARRAY_SIZE(objects); i++)
		devtrace_name_obj((void *)(unsigned long)objects[i].id, objects[i].name);
	for (i = 0; i < NR_SOFTIRQS; i++)
		if (softirqs[i])
			devtrace_name_sig(i, (void *)DEVTRACE_OBJ_SOFTIRQ, softirqs[i]);
}
