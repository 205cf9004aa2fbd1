// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl.c - the handle; requests and their replies
 *
 * Each request asks for an acknowledgment, and the call returns only after the last reply. A list
 * is received completely before the caller gets its entries. It is requested again if it changed
 * while the kernel sent it (NLM_F_DUMP_INTR) or did not fit into the socket (ENOBUFS). So the
 * caller sees each entry once, and all entries from the same state.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ctl.h"

/* How often a list is requested again because it changed meanwhile. */
#define DUMP_TRIES	32

int ctl_fail(struct devtrace_ctl *ctl, int err, const char *text)
{
	snprintf(ctl->error, sizeof(ctl->error), "%s", text ? text : strerror(-err));
	return err;
}

static struct nlmsghdr *ctl_message(struct devtrace_ctl *ctl, int family, int cmd, int version)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(ctl->request_buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = (uint16_t)family;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = ++ctl->seq;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = (uint8_t)cmd;
	genl->version = (uint8_t)version;
	ctl->request = nlh;
	ctl->error[0] = '\0';
	ctl->warning[0] = '\0';
	return nlh;
}

struct nlmsghdr *ctl_request(struct devtrace_ctl *ctl, int cmd)
{
	return ctl_message(ctl, ctl->family, cmd, DEVTRACE_GENL_VERSION);
}

int ctl_put_name(struct devtrace_ctl *ctl, struct nlmsghdr *nlh, int attr, const char *name)
{
	if (strlen(name) >= DEVTRACE_NAME_LEN) {
		snprintf(ctl->error, sizeof(ctl->error), "%s: a name has at most %d bytes",
			 ctl_attr_word(0, attr), DEVTRACE_NAME_LEN - 1);
		return -EINVAL;
	}
	mnl_attr_put_strz(nlh, attr, name);
	return 0;
}

struct nlmsghdr *ctl_about(struct devtrace_ctl *ctl, int cmd, int attr, const char *name)
{
	struct nlmsghdr *nlh = ctl_request(ctl, cmd);

	return ctl_put_name(ctl, nlh, attr, name) ? NULL : nlh;
}

/* Store the kernel's warning about a successful request. */
static void ctl_warned(struct devtrace_ctl *ctl, const void *tlvs, int len)
{
	const struct nlattr *a;

	for (a = tlvs; mnl_attr_ok(a, len); ) {
		int size = (int)MNL_ALIGN(mnl_attr_get_len(a));

		if (mnl_attr_get_type(a) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(a, MNL_TYPE_NUL_STRING) == 0)
			snprintf(ctl->warning, sizeof(ctl->warning), "%s", mnl_attr_get_str(a));
		a = mnl_attr_next(a);
		len -= size;
	}
}

/*
 * Store an explanation of the error, and return its number. Newer kernels return ERANGE for a
 * value that a policy refuses; return EINVAL, as older modules do.
 */
static int ctl_explain(struct devtrace_ctl *ctl, int err, const void *tlvs, size_t len)
{
	ctl_refused(ctl, err, tlvs, (int)len);
	return err == -ERANGE ? -EINVAL : err;
}

/* Return the error number in an acknowledgment, or 0. */
static int ctl_acknowledged(struct devtrace_ctl *ctl, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh), head = sizeof(*e);

	if (len < sizeof(*e))
		return ctl_fail(ctl, -EBADMSG, NULL);
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		head = sizeof(e->error) + MNL_ALIGN(e->msg.nlmsg_len);
	/*
	 * The attributes follow the request's header, or, if the kernel did not cap it, the whole
	 * request.
	 */
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || head > len)
		head = len;
	if (e->error)
		return ctl_explain(ctl, e->error, (const char *)e + head, len - head);
	ctl_warned(ctl, (const char *)e + head, (int)(len - head));
	return 0;
}

/* Return the error number in the last message of a dump, or 0. */
static int dump_done(struct devtrace_ctl *ctl, const struct nlmsghdr *nlh)
{
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	const int *err = mnl_nlmsg_get_payload(nlh);

	if (len < sizeof(*err) || *err >= 0)
		return 0;
	return ctl_explain(ctl, *err, err + 1,
			   nlh->nlmsg_flags & NLM_F_ACK_TLVS ? len - sizeof(*err) : 0);
}

/* The messages of a reply, stored one after the other. disturbed: the list changed meanwhile. */
struct replies {
	char	*buf;
	size_t	len, size;
	bool	disturbed;
};

static int ctl_keep(struct replies *r, const struct nlmsghdr *nlh)
{
	size_t n = MNL_ALIGN(nlh->nlmsg_len);

	if (!r->buf || r->size - r->len < n) {
		size_t size = (r->size ? r->size * 2 : 16384) + n;
		char *buf = realloc(r->buf, size);

		if (!buf)
			return -ENOMEM;
		r->buf = buf;
		r->size = size;
	}
	memset(r->buf + r->len, 0, n);
	memcpy(r->buf + r->len, nlh, nlh->nlmsg_len);
	r->len += n;
	return 0;
}

/* Process one datagram. Return 1 if more datagrams follow, 0 or an error number at the end. */
static int ctl_take(struct devtrace_ctl *ctl, int len, struct replies *r)
{
	const struct nlmsghdr *nlh;
	int ret = 1;

	for (nlh = (const struct nlmsghdr *)ctl->reply; mnl_nlmsg_ok(nlh, len);
	     nlh = mnl_nlmsg_next(nlh, &len)) {
		/* Skip replies to an earlier request that failed. */
		if (nlh->nlmsg_seq != ctl->seq)
			continue;
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			r->disturbed = true;
		if (nlh->nlmsg_type == NLMSG_ERROR)
			return ctl_acknowledged(ctl, nlh);
		if (nlh->nlmsg_type == NLMSG_DONE)
			return dump_done(ctl, nlh);
		if (nlh->nlmsg_type < NLMSG_MIN_TYPE)
			continue;
		if (mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
			return ctl_fail(ctl, -EBADMSG, NULL);
		ret = ctl_keep(r, nlh);
		if (ret < 0)
			return ctl_fail(ctl, ret, NULL);
		ret = 1;
	}
	return ret;
}

static int send_request(struct devtrace_ctl *ctl)
{
	ssize_t n;

	do {
		n = mnl_socket_sendto(ctl->nl, ctl->request, ctl->request->nlmsg_len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? ctl_fail(ctl, -errno, NULL) : 0;
}

/* Send a request and receive its replies up to the acknowledgment. */
static int ctl_transact(struct devtrace_ctl *ctl, struct replies *r)
{
	int ret = send_request(ctl);

	if (ret < 0)
		return ret;
	do {
		ssize_t n = mnl_socket_recvfrom(ctl->nl, ctl->reply, sizeof(ctl->reply));

		if (n < 0 && errno == EINTR)
			ret = 1;
		else if (n < 0)
			ret = ctl_fail(ctl, -errno, NULL);
		else
			ret = ctl_take(ctl, (int)n, r);
	} while (ret == 1);
	return ret;
}

static int ctl_each(struct devtrace_ctl *ctl, const struct replies *r, ctl_reply_fn *fn, void *arg)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)r->buf;
	struct ctl_attrs attrs;
	int ret, len = (int)r->len;

	for (; len && mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		if (ctl_parse(nlh, &attrs) < 0)
			return ctl_fail(ctl, -EBADMSG, "the kernel's answer is malformed");
		ret = fn(&attrs, arg);
		if (ret == -EBADMSG)
			ctl_fail(ctl, ret, "the kernel's answer is malformed");
		if (ret)
			return ret;
	}
	return 0;
}

int ctl_do(struct devtrace_ctl *ctl)
{
	struct replies r = { 0 };
	int ret = ctl_transact(ctl, &r);

	free(r.buf);
	return ret;
}

int ctl_get(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg)
{
	struct replies r = { 0 };
	int ret = ctl_transact(ctl, &r);

	if (ret == 0)
		ret = r.len ? ctl_each(ctl, &r, fn, arg) :
			      ctl_fail(ctl, -EBADMSG, "the kernel gave no answer");
	free(r.buf);
	return ret;
}

int ctl_dump(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg)
{
	struct replies r = { 0 };
	int ret, tries = 0;

	ctl->request->nlmsg_flags |= NLM_F_DUMP;
	do {
		r.len = 0;
		r.disturbed = false;
		ctl->request->nlmsg_seq = tries ? ++ctl->seq : ctl->seq;
		ret = ctl_transact(ctl, &r);
	} while ((r.disturbed || ret == -ENOBUFS) && ++tries < DUMP_TRIES);
	/* Kernels before 6.5 send no text if they refuse a dump before its first message. */
	if (ret == -EPERM && !strcmp(ctl->error, strerror(EPERM)))
		ctl_fail(ctl, ret, "this needs CAP_SYSLOG, CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace");
	if (ret == 0 && r.disturbed)
		ret = ctl_fail(ctl, -EAGAIN, "it changes faster than it can be read");
	if (ret == 0)
		ret = ctl_each(ctl, &r, fn, arg);
	free(r.buf);
	return ret;
}

int ctl_list(struct devtrace_ctl *ctl, int cmd, const char *stream, ctl_reply_fn *reply,
	     ctl_any_fn *fn, void *arg)
{
	struct nlmsghdr *nlh = ctl_request(ctl, cmd);
	struct ctl_caller caller = { fn, arg };

	if (stream && ctl_put_name(ctl, nlh, DEVTRACE_A_STREAM, stream))
		return -EINVAL;
	return ctl_dump(ctl, reply, &caller);
}

/* Store what the generic netlink controller reports about our family. */
static int ctl_learn(struct devtrace_ctl *ctl, const struct nlmsghdr *nlh)
{
	const struct nlattr *a, *group, *in;

	mnl_attr_for_each(a, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_validate(a, MNL_TYPE_U16) == 0)
			ctl->family = mnl_attr_get_u16(a);
		if (mnl_attr_get_type(a) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		mnl_attr_for_each_nested(group, a) {
			const char *name = "";
			uint32_t id = 0;

			mnl_attr_for_each_nested(in, group) {
				if (mnl_attr_get_type(in) == CTRL_ATTR_MCAST_GRP_ID &&
				    mnl_attr_validate(in, MNL_TYPE_U32) == 0)
					id = mnl_attr_get_u32(in);
				if (mnl_attr_get_type(in) == CTRL_ATTR_MCAST_GRP_NAME &&
				    mnl_attr_validate(in, MNL_TYPE_NUL_STRING) == 0)
					name = mnl_attr_get_str(in);
			}
			if (!strcmp(name, DEVTRACE_GENL_MONITOR))
				ctl->group = id;
		}
	}
	return ctl->family ? 0 : -ENOENT;
}

static int find_family(struct devtrace_ctl *ctl)
{
	struct replies r = { 0 };
	struct nlmsghdr *nlh = ctl_message(ctl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	int ret;

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, DEVTRACE_GENL_NAME);
	ret = ctl_transact(ctl, &r);
	if (ret == 0)
		ret = r.len ? ctl_learn(ctl, (struct nlmsghdr *)r.buf) : -ENOENT;
	free(r.buf);
	return ret;
}

struct devtrace_ctl *devtrace_ctl_open(void)
{
	struct devtrace_ctl *ctl = calloc(1, sizeof(*ctl));
	int one = 1, err;

	if (!ctl)
		return NULL;
	ctl->nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!ctl->nl || mnl_socket_bind(ctl->nl, 0, MNL_SOCKET_AUTOPID) < 0) {
		err = errno;
		goto fail;
	}
	/* A kernel that lacks one of these options sends shorter explanations. */
	mnl_socket_setsockopt(ctl->nl, NETLINK_CAP_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(ctl->nl, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(ctl->nl, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	err = -find_family(ctl);
	if (!err)
		return ctl;
fail:
	devtrace_ctl_close(ctl);
	errno = err;
	return NULL;
}

void devtrace_ctl_close(struct devtrace_ctl *ctl)
{
	if (!ctl)
		return;
	if (ctl->monitor)
		mnl_socket_close(ctl->monitor);
	if (ctl->nl)
		mnl_socket_close(ctl->nl);
	free(ctl);
}

const char *devtrace_ctl_error(const struct devtrace_ctl *ctl)
{
	return ctl->error;
}

const char *devtrace_ctl_warning(const struct devtrace_ctl *ctl)
{
	return ctl->warning;
}
