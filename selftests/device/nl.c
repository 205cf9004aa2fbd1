// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl.c - a client of the netlink family, on raw sockets; see nl.h
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/genetlink.h>

#include "nl.h"

const void *nl_data(const struct nlattr *a)
{
	return (const uint8_t *)a + NLA_HDRLEN;
}

size_t nl_len(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

uint32_t nl_u32(const struct nlattr *a)
{
	uint32_t v = 0;

	if (a && nl_len(a) == sizeof(v))
		memcpy(&v, nl_data(a), sizeof(v));
	return v;
}

uint64_t nl_u64(const struct nlattr *a)
{
	uint64_t v = 0;

	if (a && nl_len(a) == sizeof(v))
		memcpy(&v, nl_data(a), sizeof(v));
	return v;
}

/* The complete attribute at this place, or NULL. */
static const struct nlattr *attr_at(const uint8_t *p, const uint8_t *end)
{
	const struct nlattr *a = (const void *)p;

	if (end - p < NLA_HDRLEN || a->nla_len < NLA_HDRLEN || a->nla_len > end - p)
		return NULL;
	return a;
}

const struct nlattr *nl_next(const struct nlattr *nest, const struct nlattr *a)
{
	const uint8_t *end = (const uint8_t *)nest + nest->nla_len;

	return attr_at(a ? (const uint8_t *)a + NLA_ALIGN(a->nla_len) : nl_data(nest), end);
}

static void begin(struct nl *nl, int type, int cmd)
{
	struct nlmsghdr *h = (void *)nl->request;
	struct genlmsghdr *g = NLMSG_DATA(h);

	memset(nl->request, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	h->nlmsg_type = type;
	h->nlmsg_seq = ++nl->seq;
	g->cmd = cmd;
	g->version = DEVTRACE_GENL_VERSION;
	nl->len = NLMSG_HDRLEN + GENL_HDRLEN;
}

void nl_begin(struct nl *nl, int cmd)
{
	begin(nl, nl->family, cmd);
}

void nl_put(struct nl *nl, int attr, const void *data, size_t len)
{
	struct nlattr *a = (void *)(nl->request + nl->len);

	a->nla_type = attr;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy(a + 1, data, len);
	memset((uint8_t *)a + a->nla_len, 0, NLA_ALIGN(a->nla_len) - a->nla_len);
	nl->len += NLA_ALIGN(a->nla_len);
}

void nl_put_u32(struct nl *nl, int attr, uint32_t v)
{
	nl_put(nl, attr, &v, sizeof(v));
}

void nl_put_u64(struct nl *nl, int attr, uint64_t v)
{
	nl_put(nl, attr, &v, sizeof(v));
}

void nl_put_str(struct nl *nl, int attr, const char *s)
{
	nl_put(nl, attr, s, strlen(s) + 1);
}

size_t nl_nest(struct nl *nl, int attr)
{
	size_t at = nl->len;

	nl_put(nl, attr | NLA_F_NESTED, NULL, 0);
	return at;
}

void nl_nest_end(struct nl *nl, size_t nest)
{
	((struct nlattr *)(nl->request + nest))->nla_len = nl->len - nest;
}

static void give(const struct nlmsghdr *h, nl_fn *fn, void *arg)
{
	const uint8_t *end = (const uint8_t *)h + h->nlmsg_len;
	const struct genlmsghdr *g = NLMSG_DATA(h);
	const uint8_t *p = (const uint8_t *)g + GENL_HDRLEN;
	const struct nlattr *a;
	struct nl_reply r;

	memset(&r, 0, sizeof(r));
	r.cmd = g->cmd;
	for (; p < end && (a = attr_at(p, end)); p += NLA_ALIGN(a->nla_len))
		if ((a->nla_type & NLA_TYPE_MASK) <= DEVTRACE_A_MAX)
			r.a[a->nla_type & NLA_TYPE_MASK] = a;
	if (fn)
		fn(&r, arg);
}

/* Parse the attributes after an error number and the quoted request. */
static void extended(struct nl *nl, const struct nlmsghdr *h, size_t skip)
{
	const uint8_t *end = (const uint8_t *)h + h->nlmsg_len;
	const uint8_t *p = (const uint8_t *)NLMSG_DATA(h) + skip;
	const struct nlattr *a;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; p < end && (a = attr_at(p, end)); p += NLA_ALIGN(a->nla_len)) {
		if (a->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(nl->why, sizeof(nl->why), "%.*s", (int)nl_len(a),
				 (const char *)nl_data(a));
		if (a->nla_type == NLMSGERR_ATTR_OFFS)
			nl->where = nl_u32(a);
		if ((a->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_POLICY)
			nl->policy = true;
		if (a->nla_type == NLMSGERR_ATTR_MISS_TYPE)
			nl->missing = nl_u32(a);
	}
}

/* Returns 1 if more messages follow; 0 or a negative error number at the end. */
static int message(struct nl *nl, const struct nlmsghdr *h, nl_fn *fn, void *arg)
{
	const struct nlmsgerr *e = NLMSG_DATA(h);

	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		nl->interrupted = true;
	switch (h->nlmsg_type) {
	case NLMSG_ERROR:
		extended(nl, h, sizeof(*e) + (h->nlmsg_flags & NLM_F_CAPPED ? 0 :
					      NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg)));
		return e->error;
	case NLMSG_DONE:
		extended(nl, h, sizeof(int));
		return e->error;
	default:
		give(h, fn, arg);
		return 1;
	}
}

/* Returns 1 if it may not wait and the reply has not ended. */
static int answers(struct nl *nl, int how, nl_fn *fn, void *arg)
{
	int err;

	for (;;) {
		ssize_t n = recv(nl->fd, nl->answer, sizeof(nl->answer), how);
		const struct nlmsghdr *h = (void *)nl->answer;

		if (n < 0)
			return how && errno == EAGAIN ? 1 : -errno;
		for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_seq != nl->seq)
				continue;
			err = message(nl, h, fn, arg);
			if (err <= 0)
				return err;
		}
	}
}

static int say(struct nl *nl, int flags, size_t len, size_t sent)
{
	struct nlmsghdr *h = (void *)nl->request;

	h->nlmsg_flags = NLM_F_REQUEST | flags;
	h->nlmsg_len = len;
	nl->why[0] = 0;
	nl->where = 0;
	nl->policy = false;
	nl->missing = 0;
	nl->interrupted = false;
	return send(nl->fd, nl->request, sent, 0) < 0 ? -errno : 0;
}

static int ask(struct nl *nl, int flags, nl_fn *fn, void *arg)
{
	return say(nl, flags, nl->len, nl->len) ?: answers(nl, 0, fn, arg);
}

int nl_raw(struct nl *nl, int flags, size_t len, size_t sent)
{
	return say(nl, flags, len, sent) ?: answers(nl, MSG_DONTWAIT, NULL, NULL);
}

int nl_send(struct nl *nl, int flags)
{
	return say(nl, flags, nl->len, nl->len);
}

int nl_answers(struct nl *nl, nl_fn *fn, void *arg)
{
	return answers(nl, MSG_DONTWAIT, fn, arg);
}

int nl_dump_begin(struct nl *nl)
{
	return say(nl, NLM_F_DUMP, nl->len, nl->len);
}

int nl_dump_part(struct nl *nl, nl_fn *fn, void *arg)
{
	ssize_t n = recv(nl->fd, nl->answer, sizeof(nl->answer), 0);
	const struct nlmsghdr *h = (void *)nl->answer;
	int err = n < 0 ? -errno : 1;

	for (; err > 0 && NLMSG_OK(h, n); h = NLMSG_NEXT(h, n))
		err = message(nl, h, fn, arg);
	return err;
}

int nl_do(struct nl *nl, nl_fn *fn, void *arg)
{
	return ask(nl, NLM_F_ACK, fn, arg);
}

int nl_dump(struct nl *nl, nl_fn *fn, void *arg)
{
	return ask(nl, NLM_F_DUMP, fn, arg);
}

/* The controller's description of the family; its attribute numbers are below ours. */
static void found(const struct nl_reply *r, void *arg)
{
	const struct nlattr *groups = r->a[CTRL_ATTR_MCAST_GROUPS], *g, *a;
	struct nl *nl = arg;

	memcpy(&nl->family, nl_data(r->a[CTRL_ATTR_FAMILY_ID]), sizeof(nl->family));
	for (g = groups ? nl_next(groups, NULL) : NULL; g; g = nl_next(groups, g))
		for (a = nl_next(g, NULL); a; a = nl_next(g, a))
			if (a->nla_type == CTRL_ATTR_MCAST_GRP_ID)
				nl->group = nl_u32(a);
}

int nl_open(struct nl *nl)
{
	const int on = 1;

	memset(nl, 0, sizeof(*nl));
	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (nl->fd < 0)
		return -1;
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	begin(nl, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	nl_put_str(nl, CTRL_ATTR_FAMILY_NAME, DEVTRACE_GENL_NAME);
	if (nl_do(nl, found, nl)) {
		close(nl->fd);
		return -1;
	}
	return 0;
}

void nl_close(struct nl *nl)
{
	close(nl->fd);
}

int nl_listen(struct nl *nl)
{
	return setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group,
			  sizeof(nl->group)) ? -errno : 0;
}

int nl_heard(struct nl *nl, nl_fn *fn, void *arg)
{
	int count = 0;

	for (;;) {
		ssize_t n = recv(nl->fd, nl->answer, sizeof(nl->answer), MSG_DONTWAIT);
		const struct nlmsghdr *h = (void *)nl->answer;

		if (n < 0)
			return errno == EAGAIN ? count : -errno;
		for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n), count++)
			give(h, fn, arg);
	}
}
