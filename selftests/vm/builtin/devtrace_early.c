// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver in the kernel's image, for test_builtin: it emits at each stage of the boot
 *
 * test_builtin adds this file to drivers/misc of its tree. The first events are emitted before
 * devtrace begins to record, and must be discarded without harm.
 */
#include <linux/console.h>
#include <linux/devtrace.h>
#include <linux/init.h>

static int __init stage_console(void)
{
	devtrace_text(DEVTRACE_SW0, "builtin: console");
	devtrace_exc(DEVTRACE_SW1, DEVTRACE_CODE(0x424f4f, 0), dt_u32(0));
	devtrace_rec(DEVTRACE_T_USER, dt_u32(0));
	return 0;
}
console_initcall(stage_console);

static int __init stage_early(void)
{
	devtrace_text(DEVTRACE_SW0, "builtin: early");
	return 0;
}
early_initcall(stage_early);

static int __init stage_core(void)
{
	devtrace_exc(DEVTRACE_SW1, DEVTRACE_CODE(0x424f4f, 1), dt_u32(1));
	return 0;
}
core_initcall(stage_core);

static int __init stage_device(void)
{
	devtrace_rec(DEVTRACE_T_USER, dt_u32(2));
	return 0;
}
device_initcall(stage_device);

static int __init stage_late(void)
{
	devtrace_text(DEVTRACE_SW0, "builtin: late");
	return 0;
}
late_initcall(stage_late);
