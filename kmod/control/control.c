// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control: the netlink family, and the triggers
 *
 * CONFIG_DEVTRACE_CONTROL=n builds the module without this folder.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <net/genetlink.h>
#include <uapi/linux/devtrace_netlink.h>

#include "control.h"
#include "emit/control_ops.h"
#include "manage/streams.h"
#include "netlink.h"
#include "netlink_filter.h"
#include "netlink_stream.h"
#include "netlink_trigger.h"
#include "stream/quiet.h"
#include "stream/table.h"
#include "trigger.h"

static void control_watermark(struct stream *s)
{
	stream_watermarks(s, netlink_notify_watermark);
}

static const struct control_ops ops = {
	.event		= trigger_event,
	.stream		= netlink_notify_stream,
	.filter		= netlink_notify_filter,
	.clear		= netlink_notify_clear,
	.watermark	= control_watermark,
};

static void control_set_ops(const struct control_ops *to)
{
	mutex_lock(&devtrace_lock);
	control_register(to);
	mutex_unlock(&devtrace_lock);
	if (!to)
		quiet_wait();
}

int __init control_init(void)
{
	int err;

	trigger_init(netlink_notify_fired);
	/* Set the operations first: a trigger can be added as soon as the family is registered. */
	control_set_ops(&ops);
	err = netlink_init();
	if (err) {
		control_set_ops(NULL);
		trigger_exit();
	}
	return err;
}

/*
 * First unregister netlink, so that no new request arrives. Then clear the operations, so that no
 * emitter uses a trigger while it is freed.
 */
void control_exit(void)
{
	netlink_exit();
	control_set_ops(NULL);
	trigger_exit();
}

MODULE_ALIAS_GENL_FAMILY(DEVTRACE_GENL_NAME);
/* Keep this alias for one release: devtrace_control was a separate module before. */
MODULE_ALIAS("devtrace_control");
