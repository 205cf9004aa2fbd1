// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtowner.c - a driver with the record type and the major of metronome.ko
 *
 * When it is loaded it emits three events: one for its object, which has the name of the module
 * and a number; an exception with the object as its first element; and one without an object. It
 * also has a DT_LOG() statement, so the stream has its build-id.
 */
#include <linux/devtrace_log.h>
#include <linux/module.h>

#define TYPE		(DEVTRACE_T_USER + 0)
#define CODE		DEVTRACE_CODE(0x4d4554, 1)
#define OBJECT		0x0b01

static int __init dtowner_init(void)
{
	const int err = devtrace_name_obj((void *)OBJECT, KBUILD_MODNAME ":7");

	DT_LOG("is there: %d", err);
	devtrace_rec_for(TYPE, OBJECT, 0, dt_u32(71));
	devtrace_exc(DEVTRACE_SW1, CODE, dt_obj((void *)OBJECT), dt_u32(72));
	devtrace_rec(TYPE, dt_u32(73));
	return err;
}

static void __exit dtowner_exit(void)
{
}

module_init(dtowner_init);
module_exit(dtowner_exit);

MODULE_DESCRIPTION("A driver with another driver's numbers for the tests of devtrace");
MODULE_LICENSE("GPL");
