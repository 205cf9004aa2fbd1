// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_monitor.c - notifications of changes
 *
 * Notifications arrive on a socket of their own, so that they do not mix with the replies to
 * requests.
 */
#include <errno.h>
#include <string.h>
#include <linux/genetlink.h>
#include "ctl.h"

int devtrace_ctl_monitor(struct devtrace_ctl *ctl)
{
	struct mnl_socket *nl;
	int group = (int)ctl->group;
	int err;

	if (ctl->monitor)
		return mnl_socket_get_fd(ctl->monitor);
	if (!ctl->group)
		return ctl_fail(ctl, -EOPNOTSUPP, "this kernel does not report changes");
	nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!nl)
		return ctl_fail(ctl, -errno, NULL);
	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0) {
		err = -errno;
		mnl_socket_close(nl);
		return ctl_fail(ctl, err, err != -EPERM ? NULL :
				"listening needs CAP_SYS_ADMIN in the initial user namespace");
	}
	ctl->monitor = nl;
	ctl->pending = 0;
	ctl->pending_len = 0;
	return mnl_socket_get_fd(nl);
}

/* Return 1 if the message reports a change, 0 if its type is unknown, or -EBADMSG. */
static int monitor_parse(const struct nlmsghdr *nlh, struct devtrace_ctl_change *c)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct ctl_attrs attrs;
	int ret = -EBADMSG;

	memset(c, 0, sizeof(*c));
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl) || ctl_parse(nlh, &attrs))
		return -EBADMSG;
	c->cmd = genl->cmd;
	switch (c->cmd) {
	case DEVTRACE_CMD_NTF_STREAM_NEW:
	case DEVTRACE_CMD_NTF_STREAM_SET:
	case DEVTRACE_CMD_NTF_STREAM_DEL:
	case DEVTRACE_CMD_NTF_CLEAR:
		ret = ctl_parse_stream(&attrs, &c->u.stream);
		break;
	case DEVTRACE_CMD_NTF_FILTER:
		ctl_str(c->u.filter.stream, &attrs, DEVTRACE_A_STREAM);
		c->u.filter.generation = ctl_u32(&attrs, DEVTRACE_A_GENERATION);
		ret = ctl_parse_filter(attrs.a[DEVTRACE_A_FILTER], &c->u.filter.filter);
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_NEW:
	case DEVTRACE_CMD_NTF_TRIGGER_SET:
	case DEVTRACE_CMD_NTF_TRIGGER_DEL:
	case DEVTRACE_CMD_NTF_FIRED:
		ret = ctl_parse_trigger(&attrs, &c->u.trigger);
		break;
	case DEVTRACE_CMD_NTF_WATERMARK:
		ctl_str(c->u.watermark.stream, &attrs, DEVTRACE_A_STREAM);
		c->u.watermark.cpu = ctl_u32(&attrs, DEVTRACE_A_CPU);
		c->u.watermark.percent = ctl_u32(&attrs, DEVTRACE_A_WATERMARK);
		ret = 0;
		break;
	case DEVTRACE_CMD_NTF_PROFILE_ADD:
	case DEVTRACE_CMD_NTF_PROFILE_DEL:
		ctl_str(c->u.profile.tracepoint, &attrs, DEVTRACE_A_TRACEPOINT);
		c->u.profile.type = ctl_u8(&attrs, DEVTRACE_A_TYPE);
		ret = 0;
		break;
	default:
		return 0;	/* a notification that only a newer kernel sends */
	}
	return ret ? ret : 1;
}

int devtrace_ctl_next(struct devtrace_ctl *ctl, struct devtrace_ctl_change *change)
{
	if (!ctl->monitor)
		return ctl_fail(ctl, -EINVAL, "devtrace_ctl_monitor() was not called");
	for (;;) {
		const struct nlmsghdr *nlh =
			(const struct nlmsghdr *)(ctl->monitor_buf + ctl->pending);
		ssize_t n;

		if (ctl->pending_len && mnl_nlmsg_ok(nlh, ctl->pending_len)) {
			const struct nlmsghdr *next = mnl_nlmsg_next(nlh, &ctl->pending_len);
			int ret;

			ctl->pending = (int)((const char *)next - ctl->monitor_buf);
			if (nlh->nlmsg_type != ctl->family)
				continue;
			ret = monitor_parse(nlh, change);
			if (ret < 0)
				return ctl_fail(ctl, ret, "the kernel's message is malformed");
			if (ret)
				return ret;
			continue;
		}
		ctl->pending = 0;
		ctl->pending_len = 0;
		n = mnl_socket_recvfrom(ctl->monitor, ctl->monitor_buf, sizeof(ctl->monitor_buf));
		if (n > 0)
			ctl->pending_len = (int)n;
		else if (n == 0 || errno == EAGAIN || errno == EINTR)
			return 0;
		else if (errno == ENOBUFS)
			return ctl_fail(ctl, -ENOBUFS, "changes came faster than they were read; some are lost");
		else
			return ctl_fail(ctl, -errno, NULL);
	}
}
