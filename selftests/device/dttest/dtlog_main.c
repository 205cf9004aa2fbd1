// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtlog_main.c - a driver with DT_LOG() statements in two files and a header
 *
 * Writing a number into the parameter emit makes each statement emit once, in the order in which
 * test_log.c lists them.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "dtlog.h"

static int emit_set(const char *val, const struct kernel_param *kp)
{
	static int x;
	/* The compiler does not know the values. */
	const int i = strlen(val) + (strlen(kp->name) - 4);
	const char *null = i > 100 ? "not reached" : NULL;

	DT_LOG("none");
	DT_LOG("all %hhd %hhu %hd %hu %d %u %ld %lu %lld %llu %d", (s8)-i, (u8)(i + 1),
	       (s16)(-2 - i), (u16)(i + 3), -4 - i, i + 5U, -6L - i, i + 7UL, -8LL - i, i + 9ULL,
	       i == 1);
	DT_ERR("strings %s %s %s", "abc", null, "");
	DT_WARN("pointer %p, 100%%n", &x);
	DT_LOG_TO(77, "object %d", i);
	dtlog_inline(1);
	dtlog_other();
	return 0;
}

static const struct kernel_param_ops emit_ops = { .set = emit_set };

module_param_cb(emit, &emit_ops, NULL, 0200);
MODULE_PARM_DESC(emit, "write a digit to let each statement emit");

static int __init dtlog_init(void)
{
	return 0;
}

static void __exit dtlog_exit(void)
{
}

module_init(dtlog_init);
module_exit(dtlog_exit);

MODULE_DESCRIPTION("Statements of DT_LOG() for the tests of devtrace");
MODULE_LICENSE("GPL");
