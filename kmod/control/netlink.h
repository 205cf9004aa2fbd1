/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family
 *
 * Each command has a function in netlink_filter.c, netlink_stream.c, netlink_trigger.c,
 * netlink_stats.c or netlink_profile.c. Before netlink.c calls the function, it checks the sender's
 * rights, the policy and the required attributes, and takes devtrace_lock. So each attribute that
 * the function finds has the right kind, size and range, and is given once. genl_info.attrs ends
 * with the last attribute of the command's policy; the function must not read beyond it.
 *
 * The function returns 0; or a negative error number, with a message in info->extack. The function
 * of a dump puts entries, beginning at the cursor in cb->args, and is called again until it puts no
 * more. It returns 0 or the value of netlink_dump_end().
 */
#ifndef DEVTRACE_NETLINK_H
#define DEVTRACE_NETLINK_H

int netlink_init(void);
void netlink_exit(void);

#endif /* DEVTRACE_NETLINK_H */
