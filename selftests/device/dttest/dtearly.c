// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtearly.c - interrupt an emitter whose event makes a trigger stop a stream
 *
 * The probe is where the event has been stored but its time is not known to others. While the
 * parameter "more" is not 0, the probe decrements it and emits an event of the type "type".
 */
#include <linux/devtrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static unsigned int more;
module_param(more, uint, 0644);
MODULE_PARM_DESC(more, "number of events to emit, one in each stop");

static unsigned int type = DEVTRACE_T_USER;
module_param(type, uint, 0444);
MODULE_PARM_DESC(type, "type of the events");

static int emit_early(struct kprobe *p, struct pt_regs *regs)
{
	struct devtrace_record r;

	if (!more)
		return 0;
	more--;
	if (devtrace_begin(&r, type, 1, 2))
		devtrace_end(&r);
	return 0;
}

static struct kprobe probe = { .symbol_name = "stop_fired_at", .pre_handler = emit_early };

static int __init dtearly_init(void)
{
	return register_kprobe(&probe);
}

static void __exit dtearly_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(dtearly_init);
module_exit(dtearly_exit);

MODULE_DESCRIPTION("Events while a trigger stops a stream, for the tests of devtrace");
MODULE_LICENSE("GPL");
