// SPDX-License-Identifier: GPL-2.0-only
/*
 * devtrace_control.ko: the netlink family, and the triggers
 *
 * The kernel loads it for the first who asks for the family. What it set in force stays in
 * devtrace.ko when it goes: filters and streams. Triggers are its own, so each holds it.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <net/genetlink.h>
#include <uapi/linux/devtrace_netlink.h>

#include "compat/compat_export.h"
#include "emit/control_ops.h"
#include "netlink.h"
#include "netlink_filter.h"
#include "netlink_stream.h"
#include "shared/shared.h"
#include "stream/table.h"
#include "streams/streams.h"
#include "trigger.h"

static void watermark(struct stream *s)
{
	stream_watermarks(s, netlink_notify_watermark);
}

static const struct control_ops ops = {
	.event		= trigger_event,
	.stream		= netlink_notify_stream,
	.filter		= netlink_notify_filter,
	.clear		= netlink_notify_clear,
	.watermark	= watermark,
};

static void set_ops(const struct control_ops *to)
{
	mutex_lock(&devtrace_lock);
	devtrace_shared.control_register(to);
	mutex_unlock(&devtrace_lock);
	/* A watch has emitters call us, too, and it holds no module of ours. */
	if (!to)
		devtrace_shared.quiet_wait();
}

static int __init devtrace_control_init(void)
{
	int err;

	trigger_init();
	/* A trigger may be there as soon as the family is. */
	set_ops(&ops);
	err = netlink_init();
	if (err) {
		set_ops(NULL);
		trigger_exit();
	}
	return err;
}

static void __exit devtrace_control_exit(void)
{
	netlink_exit();
	set_ops(NULL);
	trigger_exit();
}

module_init(devtrace_control_init);
module_exit(devtrace_control_exit);

MODULE_DESCRIPTION("Trace device: control by generic netlink, triggers");
MODULE_LICENSE("GPL");
MODULE_ALIAS_GENL_FAMILY(DEVTRACE_GENL_NAME);
COMPAT_IMPORT_INTERNAL();
