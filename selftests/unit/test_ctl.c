// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ctl.c - libdevtrace-ctl with a simulated kernel
 *
 * The socket calls of libmnl are wrapped. Tests check the messages sent, and queue the datagrams
 * or errors to receive.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ctl/ctl.h"
#include "kselftest_harness.h"

#define FAMILY	0x21
#define GROUP	7

/* The queue: datagrams, or errors (len < 0). */
static struct { char data[65536]; int len; } queue[8];
static unsigned int head, tail;
static char sent[CTL_REQUEST_MAX];
static unsigned int nr_sent;
static uint32_t last_seq;

static struct nlmsghdr *message(uint16_t type, uint16_t flags)
{
	char *at = queue[tail].data + queue[tail].len;
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(at);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = flags;
	nlh->nlmsg_seq = last_seq + 1;	/* of the next request */
	return nlh;
}

static void end(struct nlmsghdr *nlh)
{
	queue[tail].len += NLMSG_ALIGN(nlh->nlmsg_len);
}

static void next(void)
{
	tail++;
	queue[tail].len = 0;
}

static void fail_with(int err)
{
	queue[tail].len = -err;
	next();
}

static struct nlmsghdr *reply(int cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = message(FAMILY, flags);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(nlh, sizeof(*g));

	g->cmd = cmd;
	return nlh;
}

static void ack(int err)
{
	struct nlmsghdr *nlh = message(NLMSG_ERROR, NLM_F_CAPPED);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));

	e->error = err;
	end(nlh);
	next();
}

/* Success with a warning. */
static void warn(const char *text)
{
	struct nlmsghdr *nlh = message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS);

	((struct nlmsgerr *)mnl_nlmsg_put_extra_header(nlh, sizeof(struct nlmsgerr)))->error = 0;
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, text);
	end(nlh);
	next();
}

/* A value that violates its policy; @max: with a range. */
static void nack_policy(int err, const char *text, uint32_t offset, uint64_t min, uint64_t max)
{
	struct nlmsghdr *nlh = message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));
	struct nlattr *nest;

	e->error = err;
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, text);
	mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS, offset);
	nest = mnl_attr_nest_start(nlh, NLMSGERR_ATTR_POLICY);
	if (max) {
		mnl_attr_put_u64(nlh, NL_POLICY_TYPE_ATTR_MIN_VALUE_U, min);
		mnl_attr_put_u64(nlh, NL_POLICY_TYPE_ATTR_MAX_VALUE_U, max);
	}
	mnl_attr_put_u32(nlh, NL_POLICY_TYPE_ATTR_TYPE, NL_ATTR_TYPE_U64);
	mnl_attr_nest_end(nlh, nest);
	end(nlh);
	next();
}

/* An error with the kernel's text and the offset of the attribute (0: none). */
static void nack(int err, const char *text, uint32_t offset, uint32_t missing)
{
	struct nlmsghdr *nlh = message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));

	e->error = err;
	if (text)
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, text);
	if (offset)
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS, offset);
	if (missing)
		mnl_attr_put_u32(nlh, 5 /* NLMSGERR_ATTR_MISS_TYPE */, missing);
	end(nlh);
	next();
}

static void done(uint16_t flags)
{
	struct nlmsghdr *nlh = message(NLMSG_DONE, NLM_F_MULTI | flags);

	*(int *)mnl_nlmsg_put_extra_header(nlh, sizeof(int)) = 0;
	end(nlh);
	next();
}

static void stream(const char *name, uint32_t id, uint16_t flags)
{
	struct nlmsghdr *nlh = reply(DEVTRACE_CMD_STREAM_GET, NLM_F_MULTI | flags);

	mnl_attr_put_strz(nlh, DEVTRACE_A_STREAM, name);
	mnl_attr_put_u32(nlh, DEVTRACE_A_ID, id);
	mnl_attr_put_u64(nlh, DEVTRACE_A_SIZE, 65536);
	mnl_attr_put_u32(nlh, DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED);
	mnl_attr_put_strz(nlh, DEVTRACE_A_REASON, "fault");
	mnl_attr_put_u32(nlh, 999, 1);		/* unknown attribute of a newer kernel */
	end(nlh);
}

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags);
int __wrap_mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid);
int __wrap_mnl_socket_close(struct mnl_socket *nl);
int __wrap_mnl_socket_get_fd(const struct mnl_socket *nl);
int __wrap_mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size);
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size);

static char sockets[2];
static unsigned int open_sockets;

struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags)
{
	return (struct mnl_socket *)&sockets[open_sockets++];
}

int __wrap_mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid) { return 0; }
int __wrap_mnl_socket_get_fd(const struct mnl_socket *nl) { return 42; }

int __wrap_mnl_socket_close(struct mnl_socket *nl)
{
	open_sockets--;
	return 0;
}

static unsigned int joined;

int __wrap_mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	if (type == NETLINK_ADD_MEMBERSHIP)
		joined = *(unsigned int *)buf;
	return 0;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t size)
{
	const struct nlmsghdr *nlh = req;

	memcpy(sent, req, size);
	last_seq = nlh->nlmsg_seq;
	nr_sent++;
	return size;
}

ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	int len;

	if (head == tail) {
		errno = EAGAIN;
		return -1;
	}
	len = queue[head].len;
	if (len < 0) {
		errno = -len;
		head++;
		return -1;
	}
	memcpy(buf, queue[head++].data, len);
	return len;
}

FIXTURE(handle) {
	struct devtrace_ctl *ctl;
};

FIXTURE_SETUP(handle)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *g;
	struct nlattr *groups, *one;

	head = tail = nr_sent = 0;
	last_seq = 0;
	queue[0].len = 0;
	nlh = message(GENL_ID_CTRL, 0);
	g = mnl_nlmsg_put_extra_header(nlh, sizeof(*g));
	g->cmd = CTRL_CMD_NEWFAMILY;
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	one = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, DEVTRACE_GENL_MONITOR);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, GROUP);
	mnl_attr_nest_end(nlh, one);
	mnl_attr_nest_end(nlh, groups);
	end(nlh);
	next();
	ack(0);
	self->ctl = devtrace_ctl_open();
	ASSERT_NE(self->ctl, NULL);
	nr_sent = head = tail = 0;
	queue[0].len = 0;
}

FIXTURE_TEARDOWN(handle)
{
	devtrace_ctl_close(self->ctl);
	EXPECT_EQ(open_sockets, 0);
}

TEST(no_family)
{
	head = tail = last_seq = 0;
	queue[0].len = 0;
	ack(-ENOENT);
	EXPECT_EQ(devtrace_ctl_open(), NULL);
	EXPECT_EQ(errno, ENOENT);
	EXPECT_EQ(open_sockets, 0);
}

static int count(const struct devtrace_ctl_stream *s, void *arg)
{
	unsigned int *n = arg;

	if (s->id != *n || s->size != 65536 || strcmp(s->reason, "fault"))
		return -99;
	++*n;
	return 0;
}

TEST_F(handle, dump)
{
	unsigned int n = 0;

	stream("trace", 0, 0);
	stream("severe", 1, 0);
	next();
	fail_with(EINTR);
	stream("third", 2, 0);
	next();
	done(0);
	EXPECT_EQ(devtrace_ctl_streams(self->ctl, count, &n), 0);
	EXPECT_EQ(n, 3);
	EXPECT_EQ(((struct nlmsghdr *)sent)->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
}

/* A dump that a change interrupted is repeated, and reported once. */
TEST_F(handle, dump_disturbed)
{
	unsigned int n = 0;

	stream("trace", 0, 0);
	stream("severe", 1, NLM_F_DUMP_INTR);
	next();
	done(NLM_F_DUMP_INTR);
	last_seq++;
	stream("trace", 0, 0);
	next();
	done(0);
	last_seq--;
	EXPECT_EQ(devtrace_ctl_streams(self->ctl, count, &n), 0);
	EXPECT_EQ(n, 1);
	EXPECT_EQ(nr_sent, 2);
}

/* Replies to an abandoned request are neither results nor end of the next one. */
TEST_F(handle, answers_of_an_earlier_request)
{
	unsigned int n = 0;

	last_seq--;
	stream("stale", 5, 0);
	next();
	done(0);
	ack(-EPERM);
	last_seq++;
	stream("trace", 0, 0);
	next();
	done(0);
	EXPECT_EQ(devtrace_ctl_streams(self->ctl, count, &n), 0);
	EXPECT_EQ(n, 1);
	EXPECT_EQ(head, tail);
}

/* A number of a wrong size or an unterminated string makes the reply invalid. */
TEST_F(handle, attributes_of_a_wrong_size)
{
	struct nlmsghdr *nlh;
	unsigned int how, n;

	for (how = 0; how < 4; how++) {
		n = 0;
		nlh = reply(DEVTRACE_CMD_STREAM_GET, NLM_F_MULTI);
		if (how == 3)
			mnl_attr_put(nlh, DEVTRACE_A_STREAM, 5, "trace");
		else
			mnl_attr_put_strz(nlh, DEVTRACE_A_STREAM, "trace");
		if (how == 0)
			mnl_attr_put_u64(nlh, DEVTRACE_A_ID, 0);
		else if (how == 1)
			mnl_attr_put_u32(nlh, DEVTRACE_A_SIZE, 65536);
		else if (how == 2)
			mnl_attr_put(nlh, DEVTRACE_A_ID, 0, NULL);
		end(nlh);
		next();
		done(0);
		EXPECT_EQ(devtrace_ctl_streams(self->ctl, count, &n), -EBADMSG);
		EXPECT_STREQ(devtrace_ctl_error(self->ctl), "the kernel's answer is malformed");
		EXPECT_EQ(n, 0);
		head = tail = 0;
		queue[0].len = 0;
	}
}

/* A stream without a name is ignored. */
TEST_F(handle, reply_without_a_name)
{
	struct nlmsghdr *nlh = reply(DEVTRACE_CMD_STREAM_GET, NLM_F_MULTI);
	unsigned int n = 0;

	mnl_attr_put_u32(nlh, DEVTRACE_A_ID, 1);
	end(nlh);
	next();
	done(0);
	EXPECT_EQ(devtrace_ctl_streams(self->ctl, count, &n), -EBADMSG);
	EXPECT_EQ(n, 0);
}

static int stop_at_once(const struct devtrace_ctl_stream *s, void *arg)
{
	++*(unsigned int *)arg;
	return 17;
}

TEST_F(handle, dump_ends_when_told)
{
	unsigned int n = 0;

	stream("trace", 0, 0);
	stream("severe", 1, 0);
	next();
	done(0);
	EXPECT_EQ(devtrace_ctl_streams(self->ctl, stop_at_once, &n), 17);
	EXPECT_EQ(n, 1);
}

/* The offset of this attribute in the last message sent. */
static uint32_t place(int nest, int type)
{
	const struct nlmsghdr *nlh = (struct nlmsghdr *)sent;
	const struct nlattr *a, *in;

	mnl_attr_for_each(a, nlh, sizeof(struct genlmsghdr)) {
		if (!nest && mnl_attr_get_type(a) == type)
			return (char *)a - sent;
		if (!nest || mnl_attr_get_type(a) != nest)
			continue;
		mnl_attr_for_each_nested(in, a)
			if (mnl_attr_get_type(in) == type)
				return (char *)in - sent;
	}
	return 0;
}

TEST_F(handle, errors_name_the_attribute)
{
	struct devtrace_filter f;

	devtrace_filter_all(&f);
	ASSERT_EQ(devtrace_filter_only(&f, DEVTRACE_FA_OBJECTS), 0);
	ack(0);
	ASSERT_EQ(devtrace_ctl_filter_set(self->ctl, NULL, &f, NULL), 0);
	EXPECT_EQ(place(0, DEVTRACE_A_STREAM), 20);

	nack(-EINVAL, "a range ends before it begins", place(DEVTRACE_A_FILTER, DEVTRACE_FA_OBJECTS), 0);
	EXPECT_EQ(devtrace_ctl_filter_set(self->ctl, NULL, &f, NULL), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl),
		     "filter.objects: a range ends before it begins");
	nack(-ENOENT, "stream is not there", place(0, DEVTRACE_A_STREAM), 0);
	EXPECT_EQ(devtrace_ctl_filter_set(self->ctl, "x", &f, NULL), -ENOENT);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "stream is not there");
	nack(-EINVAL, NULL, 0, DEVTRACE_A_SIZE);
	EXPECT_EQ(devtrace_ctl_filter_set(self->ctl, "x", &f, NULL), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "size is missing: bytes of ring for each CPU");
	ack(-EPERM);
	EXPECT_EQ(devtrace_ctl_clear(self->ctl, NULL), -EPERM);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), strerror(EPERM));
	EXPECT_EQ(devtrace_ctl_clear(self->ctl, "a-name-of-more-than-thirty-one-bytes"), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "stream: a name has at most 31 bytes");
}

/* The kernel's text becomes a sentence with the words of the attribute. */
TEST_F(handle, refusals_become_sentences)
{
	static const struct {
		int nest, type;
		uint64_t min, max;	/* range of the policy */
		const char *sentence;
	} t[] = {
		{ 0, DEVTRACE_A_EVENTS, 0, 2147483647,
		  "events must be from 0 to 2147483647: further events to store" },
		{ 0, DEVTRACE_A_RATE, 1, UINT32_MAX, "rate must be 1 or more: events a second" },
		{ 0, DEVTRACE_A_TRIGGER, 0, 0,
		  "trigger must be a name of 1 to 31 of A-Z a-z 0-9 _ . -" },
		{ DEVTRACE_A_WHEN, DEVTRACE_FA_PIDS, 0, 0,
		  "pids must be an array of at most 64 u32 up to 4194303" },
		{ DEVTRACE_A_ELEMENT, DEVTRACE_EA_COMPARE, 0, 5,
		  "compare must be from 0 to 5: 0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge" },
	};
	struct devtrace_ctl_trigger trigger;
	size_t i;

	ASSERT_EQ(devtrace_ctl_trigger_init(&trigger, "t"), 0);
	ASSERT_EQ(devtrace_filter_number(&trigger.when, DEVTRACE_FA_PIDS, 7, true), 0);
	trigger.action = DEVTRACE_ACTION_STOP;
	trigger.events = 1;
	trigger.rate = 1;
	trigger.element.given = true;
	ack(0);
	ASSERT_EQ(devtrace_ctl_trigger_new(self->ctl, &trigger), 0);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		head = tail = 0;
		queue[0].len = 0;
		ASSERT_NE(place(t[i].nest, t[i].type), 0);
		nack_policy(i % 2 ? -EINVAL : -ERANGE, "integer out of range",
			    place(t[i].nest, t[i].type), t[i].min, t[i].max);
		EXPECT_EQ(devtrace_ctl_trigger_new(self->ctl, &trigger), -EINVAL);
		EXPECT_STREQ(devtrace_ctl_error(self->ctl), t[i].sentence);
	}
	head = tail = 0;
	queue[0].len = 0;
	nack(-EINVAL, "Unknown attribute type", place(0, DEVTRACE_A_RATE), 0);
	EXPECT_EQ(devtrace_ctl_trigger_new(self->ctl, &trigger), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl),
		     "rate: this module does not take it here; it is older than the library");
	nack(-EINVAL, "attribute is given twice: give it once", place(0, DEVTRACE_A_EVENTS), 0);
	EXPECT_EQ(devtrace_ctl_trigger_new(self->ctl, &trigger), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "events is given twice: give it once");
	/* The text of an older module is used as it is. */
	nack(-EINVAL, "rate must be at most 16777214 events a second", place(0, DEVTRACE_A_RATE), 0);
	EXPECT_EQ(devtrace_ctl_trigger_new(self->ctl, &trigger), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "rate must be at most 16777214 events a second");
}

TEST_F(handle, warning_of_what_was_done)
{
	struct devtrace_filter f;

	devtrace_filter_all(&f);
	warn("fault_user: not available in this kernel; skipped");
	ASSERT_EQ(devtrace_ctl_filter_set(self->ctl, NULL, &f, NULL), 0);
	EXPECT_STREQ(devtrace_ctl_warning(self->ctl),
		     "fault_user: not available in this kernel; skipped");
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "");
	/* The warning belongs to the last call only. */
	nack(-EINVAL, "no", 0, 0);
	EXPECT_EQ(devtrace_ctl_filter_set(self->ctl, NULL, &f, NULL), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_warning(self->ctl), "");
	ack(0);
	ASSERT_EQ(devtrace_ctl_filter_set(self->ctl, NULL, &f, NULL), 0);
	EXPECT_STREQ(devtrace_ctl_warning(self->ctl), "");
}

static struct devtrace_ctl_profile profiles[2];
static unsigned int nr_profiles;

static int keep_profile(const struct devtrace_ctl_profile *p, void *arg)
{
	if (nr_profiles < 2)
		profiles[nr_profiles] = *p;
	nr_profiles++;
	return 0;
}

TEST_F(handle, profiles)
{
	char longer[600];
	int i;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	for (i = 0; i < 2; i++) {
		struct nlmsghdr *nlh = reply(DEVTRACE_CMD_PROFILE_GET, NLM_F_MULTI);

		mnl_attr_put_u8(nlh, DEVTRACE_A_TYPE, DEVTRACE_T_HRTIMER_INIT + i);
		mnl_attr_put_strz(nlh, DEVTRACE_A_NAME, i ? longer : "hrtimer_init");
		mnl_attr_put_strz(nlh, DEVTRACE_A_PROFILE_GROUP, "hrtimer");
		mnl_attr_put_strz(nlh, DEVTRACE_A_TRACEPOINTS,
				  i ? longer : "hrtimer_init hrtimer_setup");
		mnl_attr_put_u8(nlh, DEVTRACE_A_AVAILABLE, !i);
		mnl_attr_put_u8(nlh, DEVTRACE_A_ATTACHED, !i);
		end(nlh);
	}
	next();
	done(0);
	ASSERT_EQ(devtrace_ctl_profiles(self->ctl, keep_profile, NULL), 0);
	ASSERT_EQ(nr_profiles, 2);
	EXPECT_EQ(profiles[0].type, DEVTRACE_T_HRTIMER_INIT);
	EXPECT_STREQ(profiles[0].name, "hrtimer_init");
	EXPECT_STREQ(profiles[0].group, "hrtimer");
	EXPECT_STREQ(profiles[0].tracepoints, "hrtimer_init hrtimer_setup");
	EXPECT_TRUE(profiles[0].available && profiles[0].attached);
	EXPECT_FALSE(profiles[1].available || profiles[1].attached);
	EXPECT_EQ(strlen(profiles[1].name), sizeof(profiles[1].name) - 1);
	EXPECT_EQ(strlen(profiles[1].tracepoints), sizeof(profiles[1].tracepoints) - 1);
}

TEST_F(handle, tracepoints)
{
	char longest[DEVTRACE_TRACEPOINT_LEN + 1];
	struct devtrace_ctl_change c;
	struct nlmsghdr *nlh;

	memset(longest, 'x', sizeof(longest) - 1);
	longest[DEVTRACE_TRACEPOINT_LEN] = 0;
	ack(0);
	ASSERT_EQ(devtrace_ctl_profile_add(self->ctl, "block:block_rq_issue"), 0);
	EXPECT_EQ(place(0, DEVTRACE_A_TRACEPOINT), 20);
	nack(-EEXIST, "tracepoint is added already", place(0, DEVTRACE_A_TRACEPOINT), 0);
	EXPECT_EQ(devtrace_ctl_profile_add(self->ctl, "block:block_rq_issue"), -EEXIST);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl), "tracepoint is added already");
	ack(0);
	ASSERT_EQ(devtrace_ctl_profile_del(self->ctl, longest + 1), 0);

	nr_profiles = 0;
	nlh = reply(DEVTRACE_CMD_PROFILE_GET, NLM_F_MULTI);
	mnl_attr_put_u8(nlh, DEVTRACE_A_TYPE, 176);
	mnl_attr_put_strz(nlh, DEVTRACE_A_NAME, "irq:softirq_entry");
	mnl_attr_put_strz(nlh, DEVTRACE_A_ELEMENTS, "u32 vec");
	end(nlh);
	next();
	done(0);
	ASSERT_EQ(devtrace_ctl_profiles(self->ctl, keep_profile, NULL), 0);
	ASSERT_EQ(nr_profiles, 1);
	EXPECT_TRUE(profiles[0].added);
	EXPECT_STREQ(profiles[0].elements, "u32 vec");

	ASSERT_LE(0, devtrace_ctl_monitor(self->ctl));
	nlh = reply(DEVTRACE_CMD_NTF_PROFILE_DEL, 0);
	mnl_attr_put_strz(nlh, DEVTRACE_A_TRACEPOINT, "irq:softirq_entry");
	mnl_attr_put_u8(nlh, DEVTRACE_A_TYPE, 176);
	end(nlh);
	next();
	ASSERT_EQ(devtrace_ctl_next(self->ctl, &c), 1);
	EXPECT_EQ(c.cmd, DEVTRACE_CMD_NTF_PROFILE_DEL);
	EXPECT_STREQ(c.u.profile.tracepoint, "irq:softirq_entry");
	EXPECT_EQ(c.u.profile.type, 176);

	EXPECT_EQ(devtrace_ctl_profile_del(self->ctl, longest), -EINVAL);
	EXPECT_STREQ(devtrace_ctl_error(self->ctl),
		     "a tracepoint is SYSTEM:EVENT, at most 63 bytes");
}

TEST_F(handle, monitor)
{
	static struct devtrace_ctl_change c;
	struct nlmsghdr *nlh;

	EXPECT_EQ(devtrace_ctl_next(self->ctl, &c), -EINVAL);
	EXPECT_EQ(devtrace_ctl_monitor(self->ctl), 42);
	EXPECT_EQ(joined, GROUP);
	EXPECT_EQ(devtrace_ctl_next(self->ctl, &c), 0);
	nlh = reply(DEVTRACE_CMD_NTF_CLEAR, 0);
	mnl_attr_put_strz(nlh, DEVTRACE_A_STREAM, "severe");
	end(nlh);
	nlh = reply(200, 0);			/* unknown command of a newer kernel */
	end(nlh);
	nlh = reply(DEVTRACE_CMD_NTF_WATERMARK, 0);
	mnl_attr_put_strz(nlh, DEVTRACE_A_STREAM, "severe");
	mnl_attr_put_u32(nlh, DEVTRACE_A_CPU, 1);
	end(nlh);
	next();
	fail_with(ENOBUFS);
	EXPECT_EQ(devtrace_ctl_next(self->ctl, &c), 1);
	EXPECT_EQ(c.cmd, DEVTRACE_CMD_NTF_CLEAR);
	EXPECT_STREQ(c.u.stream.name, "severe");
	EXPECT_EQ(devtrace_ctl_next(self->ctl, &c), 1);
	EXPECT_EQ(c.cmd, DEVTRACE_CMD_NTF_WATERMARK);
	EXPECT_EQ(c.u.watermark.cpu, 1);
	EXPECT_EQ(devtrace_ctl_next(self->ctl, &c), -ENOBUFS);
	EXPECT_EQ(devtrace_ctl_next(self->ctl, &c), 0);
}

static unsigned int seed(void)
{
	const char *s = getenv("SEED");
	unsigned int n = s && *s ? strtoul(s, NULL, 0) : (unsigned int)time(NULL);

	printf("# SEED=%u\n", n);
	srand(n);
	return n;
}

static struct devtrace_filter got;
static uint32_t got_generation;

static int keep_filter(const char *stream, const struct devtrace_filter *f, uint32_t generation,
		       void *arg)
{
	got = *f;
	got_generation = generation;
	return 0;
}

/* A filter that is sent and read back is the same. */
TEST_F(handle, filter_there_and_back)
{
	struct devtrace_filter f;
	unsigned int i, generation = 77;

	devtrace_filter_none(&f);
	devtrace_filter_group(&f, DEVTRACE_FA_TYPES, "sm", true);
	devtrace_filter_group(&f, DEVTRACE_FA_OBJECTS, "ap", false);
	devtrace_filter_only(&f, DEVTRACE_FA_SIGNALS);
	for (i = 0; i < DEVTRACE_TERMS_MAX; i++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", i);
		ASSERT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_SIGNALS, i * 3, i * 3 + 1, true), 0);
		ASSERT_EQ(devtrace_filter_number(&f, DEVTRACE_FA_MAJORS, i, true), 0);
		ASSERT_EQ(devtrace_filter_number(&f, DEVTRACE_FA_NOT_PIDS, i, true), 0);
		ASSERT_EQ(devtrace_filter_name(&f, DEVTRACE_FA_COMMS, name, true), 0);
	}
	EXPECT_EQ(devtrace_filter_range(&f, DEVTRACE_FA_SIGNALS, 60000, 60000, true), -ENOSPC);
	EXPECT_EQ(devtrace_filter_number(&f, DEVTRACE_FA_MAJORS, 99, true), -ENOSPC);
	EXPECT_EQ(devtrace_filter_name(&f, DEVTRACE_FA_COMMS, "more", true), -ENOSPC);
	EXPECT_EQ(devtrace_filter_name(&f, DEVTRACE_FA_NOT_COMMS, "sixteen bytes ..", true), -EINVAL);
	EXPECT_EQ(devtrace_filter_number(&f, DEVTRACE_FA_MAJORS, 99, false), -ENOENT);
	EXPECT_EQ(devtrace_filter_number(&f, DEVTRACE_FA_MAJORS, 5, false), 0);
	devtrace_filter_severity(&f, 2, 1);
	devtrace_filter_origins(&f, DEVTRACE_ORIGIN_USER);
	ack(0);
	ASSERT_EQ(devtrace_ctl_filter_set(self->ctl, "x", &f, &generation), 0);
	/* The simulated kernel returns the filter that it got. */
	((struct nlmsghdr *)sent)->nlmsg_seq++;
	memcpy(queue[tail].data, sent, ((struct nlmsghdr *)sent)->nlmsg_len);
	queue[tail].len = ((struct nlmsghdr *)sent)->nlmsg_len;
	next();
	done(0);
	ASSERT_EQ(devtrace_ctl_filters(self->ctl, keep_filter, NULL), 0);
	EXPECT_EQ(got_generation, 77);
	/* Memory behind the last entry is not compared. */
	f.majors.v[f.majors.nr] = got.majors.v[got.majors.nr];
	EXPECT_EQ(memcmp(&f, &got, sizeof(f)), 0);
}

/* Lists with one entry too many, and with half an entry. */
TEST_F(handle, lists_of_a_wrong_length)
{
	static const unsigned int lens[] = { 65 * 4, 64 * 4, 6, 0 };
	static const int results[] = { -EBADMSG, 0, -EBADMSG, 0 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct nlmsghdr *nlh = reply(DEVTRACE_CMD_FILTER_GET, NLM_F_MULTI);
		struct nlattr *nest;

		mnl_attr_put_strz(nlh, DEVTRACE_A_STREAM, "trace");
		nest = mnl_attr_nest_start(nlh, DEVTRACE_A_FILTER);
		mnl_attr_put(nlh, DEVTRACE_FA_PIDS, lens[i], queue[7].data);
		mnl_attr_nest_end(nlh, nest);
		end(nlh);
		next();
		done(0);
		EXPECT_EQ(devtrace_ctl_filters(self->ctl, keep_filter, NULL), results[i]);
		head = tail = 0;
		queue[0].len = 0;
	}
	EXPECT_TRUE(got.pids.given);
	EXPECT_EQ(got.pids.nr, 0);
}

static int any_trigger(const struct devtrace_ctl_trigger *t, void *arg) { return 0; }
static int any_stats(const struct devtrace_ctl_stats *s, void *arg) { return 0; }

/* Random replies: the library never reads beyond their end. */
TEST_F(handle, hostile_answers)
{
	static struct devtrace_ctl_change c;
	unsigned int round, i, bad = 0;

	seed();
	devtrace_ctl_monitor(self->ctl);
	for (round = 0; round < 20000; round++) {
		struct devtrace_filter f;
		struct nlmsghdr *nlh;
		struct nlattr *nest;
		char *data;

		head = tail = 0;
		queue[0].len = 0;
		nlh = reply(DEVTRACE_CMD_NTF_STREAM_NEW + rand() % 10, NLM_F_MULTI);
		mnl_attr_put_strz(nlh, DEVTRACE_A_STREAM, "trace");
		mnl_attr_put_strz(nlh, DEVTRACE_A_TRIGGER, "fault");
		devtrace_filter_none(&f);
		devtrace_filter_number(&f, DEVTRACE_FA_PIDS, 1, true);
		devtrace_filter_name(&f, DEVTRACE_FA_COMMS, "abc", true);
		devtrace_filter_range(&f, DEVTRACE_FA_OBJECTS, 1, 3, false);
		ctl_put_filter(nlh, DEVTRACE_A_FILTER, &f);
		ctl_put_filter(nlh, DEVTRACE_A_WHEN, &f);
		nest = mnl_attr_nest_start(nlh, DEVTRACE_A_ELEMENT);
		mnl_attr_put_u64(nlh, DEVTRACE_EA_VALUE, 1);
		mnl_attr_put_strz(nlh, DEVTRACE_EA_STRING, "pump");
		mnl_attr_nest_end(nlh, nest);
		mnl_attr_put(nlh, DEVTRACE_A_DROPPED, 48, queue[7].data);
		mnl_attr_put_u64(nlh, DEVTRACE_A_SIZE, 1);
		data = (char *)nlh + MNL_NLMSG_HDRLEN + sizeof(struct genlmsghdr);
		for (i = rand() % 6; i; i--)
			data[rand() % (nlh->nlmsg_len - MNL_NLMSG_HDRLEN - 4)] =
				rand() % 3 ? rand() % 8 : rand();
		end(nlh);
		if (rand() & 1)
			queue[0].len -= rand() % 40;
		next();
		switch (rand() % 4) {
		case 0:
			done(0);
			bad += devtrace_ctl_triggers(self->ctl, any_trigger, NULL) != 0;
			break;
		case 1:
			done(0);
			bad += devtrace_ctl_filters(self->ctl, keep_filter, NULL) != 0;
			break;
		case 2:
			done(0);
			bad += devtrace_ctl_stats(self->ctl, NULL, any_stats, NULL) != 0;
			break;
		default:
			bad += devtrace_ctl_next(self->ctl, &c) < 0;
		}
		EXPECT_LE(got.pids.nr, DEVTRACE_TERMS_MAX);
		EXPECT_LE(got.objects.nr, DEVTRACE_TERMS_MAX);
		self->ctl->pending = self->ctl->pending_len = 0;
	}
	/* Some replies are invalid, but not most. */
	EXPECT_GT(bad, 100);
	EXPECT_LT(bad, 15000);
}

TEST_HARNESS_MAIN
