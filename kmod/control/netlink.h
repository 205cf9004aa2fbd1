/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family
 *
 * netlink.c has the family, the rights and the table of commands; netlink_policy.c has the
 * policies of attributes, netlink_check.c further checks and refusals, netlink_msg.c messages;
 * netlink_filter.c, netlink_stream.c, netlink_trigger.c, netlink_stats.c and netlink_profile.c
 * have a function for each of their commands.
 *
 * Each command has an entry in the tables of netlink.c: required rights, policy, required
 * attributes. All that is checked, and devtrace_lock is taken, before its function is called.
 * So the function finds attributes of the right kind, size and range, each once, and only has
 * to interpret them. genl_info.attrs ends with the last attribute of the command's policy.
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
