/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family
 *
 * netlink.c has the family, the rights and the table of commands; netlink_policy.c the policies of
 * attributes; netlink_check.c further checks and refusals; netlink_msg.c messages. Each command has
 * a function in netlink_filter.c, netlink_stream.c, netlink_trigger.c, netlink_stats.c or
 * netlink_profile.c.
 *
 * netlink.c checks the rights, the policy and the required attributes of a command, and takes
 * devtrace_lock, before it calls the function. So the function finds attributes of the right kind,
 * size and range, each once, and only has to interpret them. genl_info.attrs ends with the last
 * attribute of the command's policy.
 *
 * A command returns 0 or a negative error number, with a message in info->extack. A dump puts
 * entries beginning at the cursor in cb->args; it is called again while it puts any. It returns
 * 0 or the value of netlink_dump_end().
 */
#ifndef DEVTRACE_NETLINK_H
#define DEVTRACE_NETLINK_H

int netlink_init(void);
void netlink_exit(void);

#endif /* DEVTRACE_NETLINK_H */
