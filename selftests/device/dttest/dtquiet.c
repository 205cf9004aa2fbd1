// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtquiet.c - say that NMIs which nobody explains are meant
 *
 * While a test injects NMIs, dttest.ko comes and goes; without it the kernel
 * would print about each of them. This module stays and swallows them.
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
