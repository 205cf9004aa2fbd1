// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtquiet.c - a handler for injected NMIs that returns NMI_HANDLED
 *
 * dttest.ko is loaded and unloaded while a test injects NMIs; without a handler the kernel
 * prints a message for each NMI. This module stays loaded.
 */
#include <linux/module.h>
#include <asm/nmi.h>

static int quiet(unsigned int type, struct pt_regs *regs)
{
	return NMI_HANDLED;
}

static int __init dtquiet_init(void)
{
	return register_nmi_handler(NMI_LOCAL, quiet, 0, "dtquiet");
}

static void __exit dtquiet_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "dtquiet");
}

module_init(dtquiet_init);
module_exit(dtquiet_exit);

MODULE_DESCRIPTION("Swallow unexplained NMIs while devtrace is tested");
MODULE_LICENSE("GPL");
