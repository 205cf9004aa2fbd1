// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault.c - a module that misbehaves on demand
 *
 * The virtual board must fail a run if the kernel reports a problem. This module causes such
 * reports for the board's own test.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/string.h>

static char *how = "";
module_param(how, charp, 0);
MODULE_PARM_DESC(how, "warn, null, panic, hang, or refuse to load");

static int __init fault_init(void)
{
	if (!strcmp(how, "warn"))
		WARN(1, "fault: as asked\n");
	else if (!strcmp(how, "null"))
		WRITE_ONCE(*(int *)NULL, 1);
	else if (!strcmp(how, "panic"))
		panic("fault: as asked");
	else if (!strcmp(how, "hang"))
		for (;;)
			mdelay(1000);
	else if (!strcmp(how, "refuse"))
		return -ENODEV;
	return 0;
}

static void __exit fault_exit(void)
{
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_DESCRIPTION("Faults on demand, to test the virtual board");
MODULE_LICENSE("GPL");
