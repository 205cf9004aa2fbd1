// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_malformed.c - the netlink family refuses malformed messages
 *
 * Generated from the description of the family: each command with each attribute, damaged in
 * each way; each message cut at each byte; and messages with several random damages. A refused
 * message must change nothing, which is checked after each one, and must give a reason in an
 * extended acknowledgment. Messages that must be refused are; accepted ones are undone, and the
 * state is then the initial one.
 *
 * The kernel does most of this by the family's policies. Without a reason it refuses messages
 * shorter than their headers, and unknown commands. It does not reply to incomplete netlink
 * messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/genetlink.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"
#include "nl_spec.h"

#define MIN_REFUSED	10000
#define AT_RANDOM	4000
#define HEADERS		(NLMSG_HDRLEN + GENL_HDRLEN)
#define LARGE		3000		/* bytes of an oversized attribute */
#define ROOM		60000		/* bytes of a request */
#define FRESH		"task:task_rename"	/* a tracepoint that is not added */
#define HELD		"task:task_newtask"
#define ATTRS		((int)(sizeof(spec_devtrace) / sizeof(spec_devtrace[0])))
#define CMDS		((int)(sizeof(spec_cmds) / sizeof(spec_cmds[0])))

enum damage {
	NONE, EMPTY, SHORTER, LONGER, OVERSIZED, BELOW, ABOVE, ONES, ZEROS, NOISE,
	OTHER_TYPE, TEXT, TWICE, WRONG_NESTED, SWAPPED, LENGTH_BELOW, LENGTH_BEYOND,
	MISALIGNED, DEEP, DAMAGES
};

static const char *const damages[] = {
	"whole", "empty", "a byte less", "a byte more", "oversized", "below", "above",
	"all ones", "all zeros", "noise", "of another type", "other text", "twice",
	"nested flag wrong", "byte order flag", "length below 4", "length beyond the end",
	"misaligned", "nests in nests",
};

/* The damage to an attribute, at the top level or in a nest. */
struct wound {
	int cmd, dump;
	int outer, inner;		/* attribute numbers; 0: none */
	enum damage d;
};

/* Hashes of the readable state. */
struct state {
	uint64_t exact;		/* everything that does not change on its own */
	uint64_t same;		/* everything that distinguishes two states at different times */
};

FIXTURE(family) {
	struct nl nl, look, ear;
	struct state now, begin;
	uint32_t generation;
	unsigned int sent, refused, accepted, unanswered, wordless, bad;
};

static uint64_t hash(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (; len; len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return h;
}

static void take(const struct nl_reply *r, void *arg)
{
	struct state *s = arg;
	int i;

	for (i = 1; i < ATTRS; i++) {
		if (!r->a[i] || i == DEVTRACE_A_USED || i == DEVTRACE_A_PAD)
			continue;
		s->exact = hash(s->exact, r->a[i], r->a[i]->nla_len);
		if (i != DEVTRACE_A_GENERATION && i != DEVTRACE_A_SINCE && i != DEVTRACE_A_ID &&
		    i != DEVTRACE_A_REASON)
			s->same = hash(s->same, r->a[i], r->a[i]->nla_len);
	}
}

/* Firing triggers and full rings are not results of the message. */
static void take_change(const struct nl_reply *r, void *arg)
{
	if (r->cmd != DEVTRACE_CMD_NTF_FIRED && r->cmd != DEVTRACE_CMD_NTF_WATERMARK)
		++*(int *)arg;
}

static int read_back(struct nl *look, struct state *s)
{
	static const int cmds[] = {
		DEVTRACE_CMD_STREAM_GET, DEVTRACE_CMD_FILTER_GET, DEVTRACE_CMD_TRIGGER_GET,
	};
	size_t i;
	int err = 0;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < 3 && !err; i++) {
		nl_begin(look, cmds[i]);
		err = nl_dump(look, take, s);
	}
	return err;
}

struct names {
	int n;
	char name[DEVTRACE_STREAMS_MAX][DEVTRACE_NAME_LEN];
};

static void take_name(const struct nl_reply *r, void *arg)
{
	struct names *names = arg;
	int a = r->cmd == DEVTRACE_CMD_TRIGGER_GET ? DEVTRACE_A_TRIGGER : DEVTRACE_A_STREAM;

	snprintf(names->name[names->n++], DEVTRACE_NAME_LEN, "%s", (char *)nl_data(r->a[a]));
}

/* Remove all objects but @keep; returns whether that one exists. */
static bool remove_others(struct nl *nl, int get, int del, int attr, const char *keep)
{
	struct names names = { 0 };
	bool there = false;
	int i;

	nl_begin(nl, get);
	nl_dump(nl, take_name, &names);
	for (i = 0; i < names.n; i++) {
		if (!strcmp(names.name[i], keep)) {
			there = true;
		} else if (strcmp(names.name[i], DEVTRACE_STREAM0)) {
			nl_begin(nl, del);
			nl_put_str(nl, attr, names.name[i]);
			if (nl_do(nl, NULL, NULL))
				dev_say("%s stays: %s", names.name[i], nl->why);
		}
	}
	return there;
}

static void take_generation(const struct nl_reply *r, void *arg)
{
	*(uint32_t *)arg = nl_u32(r->a[DEVTRACE_A_GENERATION]);
}

static int reset_stream(struct nl *nl, const char *name, bool filtered)
{
	size_t nest;
	int err;

	nl_begin(nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(nl, DEVTRACE_A_SIZE, 65536);
	nl_put_u32(nl, DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING);
	nl_put_u32(nl, DEVTRACE_A_WATERMARK, 50);
	err = nl_do(nl, NULL, NULL);
	if (err)
		return err;
	nl_begin(nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(nl, DEVTRACE_A_STREAM, name);
	nest = nl_nest(nl, DEVTRACE_A_FILTER);
	if (filtered)
		nl_put_u32(nl, DEVTRACE_FA_HW_SEVERITY, 3);
	nl_nest_end(nl, nest);
	return nl_do(nl, NULL, NULL);
}

/* This kernel supports none. */
static bool no_tracepoints;

/* One is added, the other is not. */
static void reset_tracepoints(struct nl *nl)
{
	nl_begin(nl, DEVTRACE_CMD_PROFILE_DEL);
	nl_put_str(nl, DEVTRACE_A_TRACEPOINT, FRESH);
	nl_do(nl, NULL, NULL);
	nl_begin(nl, DEVTRACE_CMD_PROFILE_ADD);
	nl_put_str(nl, DEVTRACE_A_TRACEPOINT, HELD);
	no_tracepoints = nl_do(nl, NULL, NULL) == -EOPNOTSUPP;
}

static bool about_tracepoints(int cmd)
{
	return cmd == DEVTRACE_CMD_PROFILE_ADD || cmd == DEVTRACE_CMD_PROFILE_DEL;
}

/* Restore two streams, a trigger and a tracepoint. */
static int undo(struct nl *nl, uint32_t *generation)
{
	bool stream, trigger;
	int err = 0;

	reset_tracepoints(nl);
	trigger = remove_others(nl, DEVTRACE_CMD_TRIGGER_GET, DEVTRACE_CMD_TRIGGER_DEL,
				DEVTRACE_A_TRIGGER, "held");
	stream = remove_others(nl, DEVTRACE_CMD_STREAM_GET, DEVTRACE_CMD_STREAM_DEL,
			       DEVTRACE_A_STREAM, "keep");
	if (!stream) {
		nl_begin(nl, DEVTRACE_CMD_STREAM_NEW);
		nl_put_str(nl, DEVTRACE_A_STREAM, "keep");
		nl_put_u64(nl, DEVTRACE_A_SIZE, 65536);
		nl_put_u32(nl, DEVTRACE_A_MODE, 0600);
		err = nl_do(nl, NULL, NULL);
	}
	err = err ?: reset_stream(nl, DEVTRACE_STREAM0, false);
	err = err ?: reset_stream(nl, "keep", true);
	if (err)
		return err;
	nl_begin(nl, trigger ? DEVTRACE_CMD_TRIGGER_SET : DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(nl, DEVTRACE_A_TRIGGER, "held");
	nl_put(nl, DEVTRACE_A_ARMED, "", 1);
	if (!trigger) {
		nl_nest_end(nl, nl_nest(nl, DEVTRACE_A_WHEN));
		nl_put_u32(nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	}
	err = nl_do(nl, NULL, NULL);
	nl_begin(nl, DEVTRACE_CMD_FILTER_GET);
	nl_put_str(nl, DEVTRACE_A_STREAM, "keep");
	return err ?: nl_do(nl, take_generation, generation);
}

FIXTURE_SETUP(family)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, nl_open(&self->look));
	ASSERT_EQ(0, nl_open(&self->ear));
	ASSERT_EQ(0, undo(&self->look, &self->generation));
	ASSERT_EQ(0, nl_listen(&self->ear));
	ASSERT_EQ(0, read_back(&self->look, &self->now));
	self->begin = self->now;
}

FIXTURE_TEARDOWN(family)
{
	dev_say("%u messages: %u refused, %u accepted, %u not answered, %u refused without a word by the kernel",
		self->sent, self->refused, self->accepted, self->unanswered, self->wordless);
	EXPECT_EQ(0, self->bad);
	nl_close(&self->ear);
	nl_close(&self->look);
	nl_close(&self->nl);
	/* Nothing holds the module. */
	EXPECT_EQ(0, dev_done());
}

static size_t put_attr(uint8_t *out, int type, const void *data, size_t len)
{
	struct nlattr a = { .nla_type = type, .nla_len = NLA_HDRLEN + len };

	memcpy(out, &a, sizeof(a));
	memcpy(out + NLA_HDRLEN, data, len);
	memset(out + a.nla_len, 0, 3);
	return NLA_ALIGN(a.nla_len);
}

static bool is_number(const struct spec_attr *s)
{
	return s->type == SPEC_U8 || s->type == SPEC_U32 || s->type == SPEC_U64 ||
	       s->type == SPEC_S64;
}

static size_t number(const struct spec_attr *s, uint64_t v, uint8_t *out)
{
	uint32_t v32 = v;

	if (s->type == SPEC_U8)
		*out = v;
	else if (s->type == SPEC_U32)
		memcpy(out, &v32, 4);
	else
		memcpy(out, &v, 8);
	return s->type == SPEC_U8 ? 1 : s->type == SPEC_U32 ? 4 : 8;
}

/* The action that this attribute belongs to. */
static int action_for(int outer)
{
	switch (outer) {
	case DEVTRACE_A_STREAM:
		return DEVTRACE_ACTION_START;
	case DEVTRACE_A_EVENTS:
	case DEVTRACE_A_TIME:
		return DEVTRACE_ACTION_STOP;
	case DEVTRACE_A_FILTER:
		return DEVTRACE_ACTION_FILTER;
	default:
		return DEVTRACE_ACTION_NOTIFY;
	}
}

static size_t put_one(const struct wound *w, uint32_t generation, const struct spec_attr *s,
		      int n, enum damage d, uint8_t *out);

/* True if the message needs the attribute besides the damaged one. */
static bool needed(const struct wound *w, int n)
{
	const bool trigger = w->cmd >= DEVTRACE_CMD_TRIGGER_GET && w->cmd <= DEVTRACE_CMD_TRIGGER_DEL;
	const bool tracepoint = about_tracepoints(w->cmd);

	if (w->dump)
		return false;
	switch (n) {
	case DEVTRACE_A_STREAM:
		return (!trigger && !tracepoint) ||
		       (w->cmd == DEVTRACE_CMD_TRIGGER_NEW && action_for(w->outer));
	case DEVTRACE_A_SIZE:
		return w->cmd == DEVTRACE_CMD_STREAM_NEW;
	case DEVTRACE_A_WATERMARK:
		return w->cmd == DEVTRACE_CMD_STREAM_SET;
	case DEVTRACE_A_FILTER:
		return w->cmd == DEVTRACE_CMD_FILTER_SET;
	case DEVTRACE_A_TRIGGER:
		return trigger;
	case DEVTRACE_A_TRACEPOINT:
		return tracepoint;
	case DEVTRACE_A_ARMED:
		return w->cmd == DEVTRACE_CMD_TRIGGER_SET;
	case DEVTRACE_A_WHEN:
	case DEVTRACE_A_ACTION:
		return w->cmd == DEVTRACE_CMD_TRIGGER_NEW;
	default:
		return false;
	}
}

static size_t whole_nest(const struct wound *w, const struct spec_attr *s, int n, uint8_t *out)
{
	const bool element = s->nest == spec_element;
	size_t len = 0;
	int i;

	for (i = 1; i <= s->nest_max; i++) {
		bool in = element && (i == DEVTRACE_EA_INDEX || i == DEVTRACE_EA_COMPARE ||
				      (i == DEVTRACE_EA_VALUE &&
				       !(w->outer == n && w->inner == DEVTRACE_EA_STRING)));
		bool hit = w->outer == n && w->inner == i;

		if (hit || in)
			len += put_one(w, 0, &s->nest[i], i, hit ? w->d : NONE, out + len);
	}
	return len;
}

/* A valid value of an attribute. */
static size_t whole(const struct wound *w, uint32_t generation, const struct spec_attr *s, int n,
		    uint8_t *out)
{
	const bool top = s == &spec_devtrace[n];
	const char *name = "x";
	uint64_t v = s->min ?: s->max ? 1 : 0;

	switch (s->type) {
	case SPEC_STRING:
		if (top && n == DEVTRACE_A_STREAM)
			name = w->cmd == DEVTRACE_CMD_STREAM_NEW ? "fresh" : "keep";
		if (top && n == DEVTRACE_A_TRIGGER)
			name = w->cmd == DEVTRACE_CMD_TRIGGER_NEW ? "fresh" : "held";
		if (top && n == DEVTRACE_A_TRACEPOINT)
			name = w->cmd == DEVTRACE_CMD_PROFILE_ADD ? FRESH : HELD;
		memcpy(out, name, strlen(name) + 1);
		return strlen(name) + 1;
	case SPEC_NEST:
		return whole_nest(w, s, n, out);
	case SPEC_BINARY:
		/* Program names, or the bitmap of types. */
		memset(out, 0, 32);
		memcpy(out, "init", 4);
		return s->min ?: 16;
	case SPEC_NONE:
	case SPEC_U32S:
	case SPEC_U64S:
	case SPEC_RANGES:
		memset(out, 0, 16);
		return 16;
	default:
		break;
	}
	if (!top && s->nest == NULL && s->max == 5)
		v = DEVTRACE_CMP_EQ;
	if (top && n == DEVTRACE_A_SIZE)
		v = 65536;
	if (top && n == DEVTRACE_A_GENERATION)
		v = generation;
	if (top && n == DEVTRACE_A_ACTION)
		v = action_for(w->outer);
	return number(s, v, out);
}

/* Sixty nested attributes. */
static size_t nests(int n, uint8_t *out)
{
	struct nlattr a = { .nla_type = n | NLA_F_NESTED };
	int i;

	for (i = 0; i < 60; i++) {
		a.nla_len = (60 - i) * NLA_HDRLEN;
		memcpy(out + i * NLA_HDRLEN, &a, sizeof(a));
	}
	return 60 * NLA_HDRLEN;
}

/* Add the attribute with its damage. */
static size_t put_one(const struct wound *w, uint32_t generation, const struct spec_attr *s,
		      int n, enum damage d, uint8_t *out)
{
	static const char *const texts[] = {
		"a/b", "", "..", ".", "a b", "\xff\xfe", "%s%n", "no\nline",
	};
	const int nested = s->type == SPEC_NEST ? NLA_F_NESTED : 0;
	uint8_t v[8192] = { 0 };
	struct nlattr *a = (void *)out;
	size_t i, len, n_text;
	int type = n | nested;

	len = whole(w, generation, s, n, v);
	switch (d) {
	case EMPTY:
		len = 0;
		break;
	case SHORTER:
		len -= len > 0;
		break;
	case LONGER:
		len++;
		break;
	case OVERSIZED:
		len = LARGE;
		break;
	case BELOW:
		if (is_number(s))
			len = number(s, s->min - 1, v);
		break;
	case ABOVE:
		if (is_number(s))
			len = number(s, s->max + 1, v);
		break;
	case ONES:
		memset(v, 0xff, len);
		break;
	case ZEROS:
		memset(v, 0, len);
		break;
	case NOISE:
		for (i = 0; i < len; i++)
			v[i] = dev_random();
		break;
	case OTHER_TYPE:
		len = is_number(s) ? 2 : 3;
		memset(v, 0xff, len);
		break;
	case TEXT:
		n_text = dev_random() % (sizeof(texts) / sizeof(texts[0]));
		len = strlen(texts[n_text]) + 1;
		memcpy(v, texts[n_text], len);
		break;
	case WRONG_NESTED:
		type ^= NLA_F_NESTED;
		break;
	case SWAPPED:
		type |= NLA_F_NET_BYTEORDER;
		break;
	case DEEP:
		len = nests(n, v);
		break;
	default:
		break;
	}
	/* No profile types in a valid bitmap: attaching them is slow. */
	if (s == &spec_filter[DEVTRACE_FA_TYPES] && len == 32)
		memset(v + DEVTRACE_T_KERNEL / 8, 0, (DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL) / 8);
	i = put_attr(out, type, v, len);
	switch (d) {
	case TWICE:
		return i + put_attr(out + i, type, v, len);
	case LENGTH_BELOW:
		a->nla_len = dev_random() % NLA_HDRLEN;
		return i;
	case LENGTH_BEYOND:
		a->nla_len = 40000 + dev_random() % 25000;
		return i;
	case MISALIGNED:
		return a->nla_len | 1;
	default:
		return i;
	}
}

/* True if the message must be refused according to the description. */
static bool must_refuse(const struct wound *w)
{
	const struct spec_cmd *c = &spec_cmds[w->cmd];
	const bool top = !w->inner;
	const struct spec_attr *s = &spec_devtrace[w->outer];

	if (!((w->dump ? c->dump_takes : c->do_takes) & (1ULL << w->outer)))
		return true;
	if (!top)
		s = &s->nest[w->inner];
	if (s->type == SPEC_NONE)
		return true;
	switch (w->d) {
	case EMPTY:
	case SHORTER:
	case LONGER:
		return is_number(s) || s->type == SPEC_STRING || s->min;
	case BELOW:
		return is_number(s) && s->min;
	case ABOVE:
	case ONES:
		return is_number(s) && s->max < (s->type == SPEC_U8 ? 0xff : s->type == SPEC_U32 ?
						 0xffffffffULL : UINT64_MAX);
	case ZEROS:
		return is_number(s) && s->min;
	case OVERSIZED:
	case OTHER_TYPE:
	case TWICE:
	case WRONG_NESTED:
	case LENGTH_BELOW:
	case LENGTH_BEYOND:
		return true;
	case TEXT:
		return (top && s->type == SPEC_STRING && s->max == 31) || s->min == 32;
	case DEEP:
		return is_number(s) || s->type == SPEC_STRING || s->min;
	default:
		return false;
	}
}

static void build(struct nl *nl, const struct wound *w, uint32_t generation)
{
	int i;

	nl_begin(nl, w->cmd);
	for (i = 1; i < ATTRS; i++) {
		bool hit = i == w->outer;

		if (hit || needed(w, i))
			nl->len += put_one(w, generation, &spec_devtrace[i], i,
					   hit && !w->inner ? w->d : NONE, nl->request + nl->len);
	}
}

#define MAY	0
#define MUST	1	/* it must be refused */
#define VALID	2	/* it must not be refused */

/* Report a failure; only the first ones are printed. */
static void blame(FIXTURE_DATA(family) *self, int err, const char *what, const char *label)
{
	if (self->bad++ < 20)
		dev_say("%s: %s (%d, \"%s\" at %u)", label, what, err, self->nl.why, self->nl.where);
}

/* Send @sent bytes of a message whose header has length @len, and check the result. */
static void judge(FIXTURE_DATA(family) *self, int flags, size_t len, size_t sent, int want,
		  const char *label)
{
	const bool netlink = sent >= NLMSG_HDRLEN && len >= NLMSG_HDRLEN && len <= sent;
	const struct genlmsghdr *g = (void *)(self->nl.request + NLMSG_HDRLEN);
	const struct spec_cmd *c = g->cmd < CMDS ? &spec_cmds[g->cmd] : &spec_cmds[0];
	const bool known = (flags & NLM_F_DUMP) == NLM_F_DUMP ? c->can_dump : c->can_do;
	struct state s;
	int err, heard = 0;

	err = nl_raw(&self->nl, flags, len, sent);
	nl_heard(&self->ear, take_change, &heard);
	self->sent++;
	if (read_back(&self->look, &s)) {
		blame(self, err, "the state cannot be read any more", label);
		return;
	}
	if (err == 0) {
		self->accepted++;
		if (want == MUST)
			blame(self, err, "accepted", label);
		if (!heard && s.exact != self->now.exact)
			blame(self, err, "changed something and told nobody", label);
		if (s.exact == self->now.exact && !about_tracepoints(g->cmd))
			return;
		err = undo(&self->look, &self->generation) ?: read_back(&self->look, &self->now);
		if (err || self->now.same != self->begin.same)
			blame(self, err, "cannot be undone", label);
		nl_heard(&self->ear, NULL, NULL);
		return;
	}
	if (heard || s.exact != self->now.exact) {
		blame(self, err, "refused, and yet something changed", label);
		undo(&self->look, &self->generation);
		read_back(&self->look, &self->now);
		nl_heard(&self->ear, NULL, NULL);
	}
	if (want == VALID && !(no_tracepoints && about_tracepoints(g->cmd)))
		blame(self, err, "refused, and nothing is wrong with it", label);
	if (err > 0) {
		self->unanswered++;
		if (netlink)
			blame(self, err, "not answered", label);
		return;
	}
	self->refused++;
	if (self->nl.where && (self->nl.where < HEADERS || self->nl.where >= len))
		blame(self, err, "the attribute it names is not there", label);
	if (self->nl.why[0])
		return;
	if ((err == -EINVAL && len < HEADERS) || (err == -EOPNOTSUPP && !known))
		self->wordless++;
	else
		blame(self, err, "refused without a word", label);
}

static void judge_wound(FIXTURE_DATA(family) *self, const struct wound *w)
{
	const struct spec_attr *s = &spec_devtrace[w->outer];
	char label[128];
	int want = must_refuse(w) ? MUST : w->d == NONE ? VALID : MAY;

	build(&self->nl, w, self->generation);
	snprintf(label, sizeof(label), "%s%s, %s%s%s %s", spec_cmds[w->cmd].name,
		 w->dump ? " (dump)" : "", w->outer ? s->name : "nothing", w->inner ? " " : "",
		 w->inner ? s->nest[w->inner].name : "", damages[w->d]);
	judge(self, w->dump ? NLM_F_DUMP : NLM_F_ACK, self->nl.len, self->nl.len, want, label);
}

/* Each command, as a request and as a dump. */
#define for_each_command(w)							\
	for ((w)->cmd = 1; (w)->cmd < CMDS; (w)->cmd++)				\
		for ((w)->dump = 0; (w)->dump < 2; (w)->dump++)			\
			if ((w)->dump ? spec_cmds[(w)->cmd].can_dump : spec_cmds[(w)->cmd].can_do)

/*
 * The first board sends all messages. With a lower DEVICE_ROUNDS one in six is sent; with a low
 * one, on kernels that check each access, where a message takes ten times as long, one in
 * twelve. SEED selects the first. The number of random messages is reduced likewise.
 */
static unsigned int one_in(void)
{
	const char *env = getenv("DEVICE_ROUNDS");
	const int rounds = env && *env ? atoi(env) : 1000;

	return rounds < 50 ? 12 : rounds < 200 ? 6 : 1;
}

TEST_F_TIMEOUT(family, takes_no_damaged_attribute, 1200)
{
	const unsigned int step = one_in();
	unsigned int n = dev_random() % step;
	struct wound w;
	int d;

	for_each_command(&w) {
		for (w.outer = 1; w.outer < ATTRS; w.outer++) {
			const struct spec_attr *s = &spec_devtrace[w.outer];
			const bool takes = spec_cmds[w.cmd].do_takes & (1ULL << w.outer);

			for (w.inner = 0; w.inner <= (takes ? s->nest_max : 0); w.inner++) {
				for (d = NONE; d < DAMAGES; d++) {
					w.d = d;
					if (!(n++ % step))
						judge_wound(self, &w);
				}
			}
		}
	}
	EXPECT_LE(MIN_REFUSED / step, self->refused);
}

TEST_F_TIMEOUT(family, takes_no_unknown_attribute, 1200)
{
	static const int types[] = { 0, ATTRS, ATTRS + 1, 100, 1000, NLA_TYPE_MASK };
	struct wound w = { 0 };
	char label[64];
	size_t i, nest;

	for_each_command(&w) {
		for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			snprintf(label, sizeof(label), "%s, attribute %d", spec_cmds[w.cmd].name,
				 types[i]);
			build(&self->nl, &w, self->generation);
			nl_put_u32(&self->nl, types[i], 0);
			judge(self, w.dump ? NLM_F_DUMP : NLM_F_ACK, self->nl.len, self->nl.len,
			      MUST, label);
			if (w.cmd != DEVTRACE_CMD_STREAM_NEW)
				continue;
			build(&self->nl, &w, self->generation);
			nest = nl_nest(&self->nl, DEVTRACE_A_FILTER);
			nl_put_u32(&self->nl, types[i], 0);
			nl_nest_end(&self->nl, nest);
			judge(self, NLM_F_ACK, self->nl.len, self->nl.len, MUST, label);
		}
	}
}

TEST_F_TIMEOUT(family, takes_no_part_of_a_message, 1200)
{
	struct wound w = { 0 };
	char label[64];
	size_t i, whole;
	int flags;

	for_each_command(&w) {
		flags = w.dump ? NLM_F_DUMP : NLM_F_ACK;
		build(&self->nl, &w, self->generation);
		whole = self->nl.len;
		for (i = 1; i < whole; i++) {
			snprintf(label, sizeof(label), "%s, %zu of %zu bytes",
				 spec_cmds[w.cmd].name, i, whole);
			build(&self->nl, &w, self->generation);
			judge(self, flags, i, i, i < HEADERS ? MUST : MAY, label);
			judge(self, flags, whole, i, MUST, label);
		}
		for (i = 0; i < NLMSG_HDRLEN; i++)
			judge(self, flags, i, whole, MUST, "length below that of the header");
		for (i = 1; i < 4; i++) {
			snprintf(label, sizeof(label), "%s, %zu bytes behind",
				 spec_cmds[w.cmd].name, i);
			build(&self->nl, &w, self->generation);
			memset(self->nl.request + whole, 0xff, i);
			judge(self, flags, whole + i, whole + i, MUST, label);
		}
	}
}

TEST_F_TIMEOUT(family, knows_no_other_command, 1200)
{
	char label[64];
	int cmd, dump;

	for (cmd = 0; cmd < 256; cmd++) {
		for (dump = 0; dump < 2; dump++) {
			if (cmd && cmd < CMDS && (dump ? spec_cmds[cmd].can_dump :
						  spec_cmds[cmd].can_do))
				continue;
			snprintf(label, sizeof(label), "%s %d", dump ? "dump" : "command", cmd);
			nl_begin(&self->nl, cmd);
			if (cmd % 2)
				nl_put_str(&self->nl, DEVTRACE_A_STREAM, "keep");
			judge(self, dump ? NLM_F_DUMP : NLM_F_ACK, self->nl.len, self->nl.len,
			      MUST, label);
		}
	}
}

/* Several damaged attributes, changed bytes and cuts. */
static void mangle(struct nl *nl, uint32_t generation)
{
	struct wound w = { .cmd = 1 + dev_random() % DEVTRACE_CMD_DICT_GET };
	uint32_t i, n;

	nl_begin(nl, w.cmd);
	for (i = 1; i < ATTRS; i++) {
		const struct spec_attr *s = &spec_devtrace[i];

		if (dev_random() % 8 == 0 || nl->len > ROOM)
			continue;
		if (!needed(&w, i) && dev_random() % 24)
			continue;
		w.outer = i;
		w.inner = s->nest && dev_random() % 2 ? 1 + dev_random() % s->nest_max : 0;
		w.d = dev_random() % 3 ? NONE : dev_random() % DAMAGES;
		nl->len += put_one(&w, generation, s, i, w.inner ? NONE : w.d,
				   nl->request + nl->len);
	}
	for (n = dev_random() % 3 ? 0 : 1 + dev_random() % 8; n; n--)
		nl->request[NLMSG_HDRLEN + dev_random() % (nl->len - NLMSG_HDRLEN)] ^=
			1 << dev_random() % 8;
	if (dev_random() % 8 == 0)
		nl->len -= dev_random() % (nl->len - NLMSG_HDRLEN);
}

TEST_F_TIMEOUT(family, takes_nothing_at_random, 1200)
{
	char label[32];
	int i;

	for (i = 0; i < AT_RANDOM / (int)one_in(); i++) {
		int flags = NLM_F_ACK | (dev_random() % 4 ? 0 : NLM_F_DUMP) |
			    (dev_random() % 8 ? 0 : dev_random() % 0x10000);

		mangle(&self->nl, self->generation);
		snprintf(label, sizeof(label), "at random, %d", i);
		judge(self, flags, self->nl.len, self->nl.len, MAY, label);
	}
}

TEST_HARNESS_MAIN
