// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtchange.c - a driver whose string changes while it is emitted
 *
 * Any string that others change may do so, such as the name of a thread that is renamed. Here an
 * argument of the statement changes the string, after its length was measured and before it is
 * copied. Writing to the parameter emit emits two events: the string becomes shorter, and longer.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/devtrace_log.h>

/* Ten characters, or the first four of them */
static char text[11] = "0123456789";

static u32 set_fifth(char c)
{
	WRITE_ONCE(text[4], c);
	return 7;
}

static int emit_set(const char *val, const struct kernel_param *kp)
{
	DT_LOG("%s %u", text, set_fifth(0));
	DT_LOG("%s %u", text, set_fifth('4'));
	return 0;
}

static const struct kernel_param_ops emit_ops = { .set = emit_set };

module_param_cb(emit, &emit_ops, NULL, 0200);
MODULE_PARM_DESC(emit, "write anything to emit two events");

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
