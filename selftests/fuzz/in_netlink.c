// SPDX-License-Identifier: GPL-2.0-only
/*
 * in_netlink.c - inputs that are netlink messages of the family
 *
 * A message is a u16 with the size of its attributes, a u8 with the way of sending, a u8 with
 * the command, and the attributes in little-endian byte order; on other machines the lengths are
 * wrong, which is a valid input too. Commands from EMIT on do not belong to the family: they
 * emit, read and close, so that triggers fire and dumps have contents.
 *
 * Inputs are made from the description of the family (nl_spec.h): valid messages, and messages
 * with an attribute added, removed, doubled, or with another value, type or length, at any
 * depth; also with random bytes changed.
 *
 * Inputs that would only use up the machine are limited: rings are at most a megabyte, and only
 * four of the kernel profile types are used, as the kernel patches itself for each.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/genetlink.h>

#include "dev.h"
#include "in.h"
#include "nl.h"
#include "nl_spec.h"

#define HEAD		4		/* bytes before the attributes of a message */
#define MESSAGES	24
#define READERS		4
#define CMDS		((int)(sizeof(spec_cmds) / sizeof(spec_cmds[0])))
#define ATTRS		((int)(sizeof(spec_devtrace) / sizeof(spec_devtrace[0])))
#define RING_MAX	1048576

/* Commands outside the family. */
#define EMIT		0xf0
#define OPEN		0xf1
#define READ		0xf2
#define CLOSE		0xf3
#define SOCKET		0xf4

/* Ways of sending. */
#define DUMP		0x01
#define NO_ACK		0x02
#define LIES		0x04		/* wrong length */
#define OTHER_SOCKET	0x08
#define PART		0x10		/* read only one part of the reply */
#define NOBODY		0x20		/* without any rights */
#define MORE_FLAGS	0x40
#define OTHER_VERSION	0x80

static struct nl nl[2];
static int readers[READERS];
static int wfd;

static uint16_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = v;
	p[1] = v >> 8;
}

static const struct spec_attr *spec_of(const struct spec_attr *in, int max, unsigned int type)
{
	type &= NLA_TYPE_MASK;
	return type && (int)type <= max ? &in[type] : NULL;
}

/* Limit only what would use up the machine. */
static void hold_back(uint8_t *p, size_t n, const struct spec_attr *in, int max)
{
	size_t at, len;

	for (at = 0; at + NLA_HDRLEN <= n; at += NLA_ALIGN(len)) {
		const struct spec_attr *s = spec_of(in, max, get16(p + at + 2));
		uint8_t *v = p + at + NLA_HDRLEN;
		uint64_t size;

		len = get16(p + at);
		if (len < NLA_HDRLEN || len > n - at)
			break;
		if (s && s->nest)
			hold_back(v, len - NLA_HDRLEN, s->nest, s->nest_max);
		if (s == &spec_devtrace[DEVTRACE_A_SIZE] && len == NLA_HDRLEN + 8) {
			memcpy(&size, v, 8);
			if (size > RING_MAX && size <= 0x80000000ULL)
				size = RING_MAX;
			memcpy(v, &size, 8);
		}
		if (s == &spec_filter[DEVTRACE_FA_TYPES] && len == NLA_HDRLEN + 32) {
			memset(v + 17, 0, 5);
			v[16] &= 0x0f;
			v[22] &= 0x03;
		}
	}
}

static const char *const nodes[] = {
	"/dev/trace", "/dev/trace-a", "/dev/trace-b", "/dev/trace-c",
};

static void set_reader(unsigned int slot, int fd)
{
	if (readers[slot % READERS] >= 0)
		close(readers[slot % READERS]);
	readers[slot % READERS] = fd;
}

static void emit(const uint8_t *p, size_t n)
{
	uint8_t event[64] = { 0 };
	struct devtrace_emit *e = (void *)event;

	/* 8 bytes each: type, severity, object, signal, an element. */
	for (; n >= 8; p += 8, n -= 8) {
		e->type = p[0];
		e->severity = p[1] ? DEVTRACE_SEV_SET | (p[1] & 7) : 0;
		e->flags = p[1] & 0x10 ? DEVTRACE_F_OBJSIG | DEVTRACE_F_CODE : DEVTRACE_F_OBJSIG;
		memset(e->data, 0, 16);
		memcpy(e->data + (p[1] & 0x10 ? 4 : 0), p + 2, 4);
		memcpy(e->data + (p[1] & 0x10 ? 8 : 4), p + 6, 2);
		dev_emit(wfd, e, 16);
	}
}

/* Commands outside the family. */
static void beside(unsigned int cmd, unsigned int how, const uint8_t *p, size_t n)
{
	static uint8_t buf[4096];

	switch (cmd) {
	case EMIT:
		emit(p, n);
		break;
	case OPEN:
		set_reader(how >> 4, open(nodes[how % 4], O_RDONLY | O_NONBLOCK | O_CLOEXEC));
		break;
	case READ:
		if (readers[how % READERS] >= 0)
			(void)!read(readers[how % READERS], buf, sizeof(buf));
		break;
	case CLOSE:
		set_reader(how, -1);
		break;
	case SOCKET:
		/* Including its pending replies, and an unfinished dump. */
		nl_close(&nl[how & 1]);
		if (nl_open(&nl[how & 1]))
			abort();
		if (how & 2)
			nl_listen(&nl[how & 1]);
		break;
	}
}

static void message(unsigned int cmd, unsigned int how, const uint8_t *p, size_t n)
{
	struct nl *to = &nl[!!(how & OTHER_SOCKET)];
	struct genlmsghdr *g;
	int flags = how & DUMP ? NLM_F_DUMP : how & NO_ACK ? 0 : NLM_F_ACK;
	size_t len;

	nl_begin(to, cmd);
	g = NLMSG_DATA((struct nlmsghdr *)to->request);
	if (how & OTHER_VERSION)
		g->version = how;
	if (how & MORE_FLAGS)
		flags |= NLM_F_ECHO | NLM_F_EXCL | NLM_F_CREATE | NLM_F_APPEND;
	memcpy(to->request + to->len, p, n);
	hold_back(to->request + to->len, n, spec_devtrace, ATTRS - 1);
	len = to->len += n;
	if (how & LIES)
		len = n % 3 ? len - n % 16 : len + n % 32;
	if (how & NOBODY)
		syscall(SYS_setresuid, -1, 65534, -1);
	if (how & PART) {
		to->len = len < sizeof(to->request) ? len : to->len;
		nl_send(to, flags);
		(void)!recv(to->fd, to->answer, 2048, MSG_DONTWAIT);
	} else {
		nl_raw(to, flags, len, to->len);
	}
	if (how & NOBODY)
		syscall(SYS_setresuid, -1, 0, -1);
}

static void run(const uint8_t *p, size_t n)
{
	size_t at, len;
	int i;

	wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	if (wfd < 0 || nl_open(&nl[0]) || nl_open(&nl[1])) {
		perror("# in_netlink");
		exit(1);
	}
	for (i = 0; i < READERS; i++)
		readers[i] = -1;
	for (at = 0, i = 0; at + HEAD <= n && i < MESSAGES; at += HEAD + len, i++) {
		len = get16(p + at);
		if (len > n - at - HEAD)
			len = n - at - HEAD;
		if (p[at + 3] >= EMIT)
			beside(p[at + 3], p[at + 2], p + at + HEAD, len);
		else
			message(p[at + 3], p[at + 2], p + at + HEAD, len);
	}
	for (i = 0; i < READERS; i++)
		set_reader(i, -1);
	nl_close(&nl[0]);
	nl_close(&nl[1]);
	close(wfd);
}

/* Making inputs. */
static bool one_in(unsigned int n)
{
	return in_random() % n == 0;
}

static size_t some_number(const struct spec_attr *s, uint8_t *out)
{
	const size_t size = s->type == SPEC_U8 ? 1 : s->type == SPEC_U32 ? 4 : 8;
	uint64_t v;

	switch (in_random() % 12) {
	case 0:
		v = s->min - 1;
		break;
	case 1:
		v = s->max + 1;
		break;
	case 2:
		v = s->max;
		break;
	case 3:
		v = s->min;
		break;
	case 4:
		v = ((uint64_t)in_random() << 31 | in_random()) >> in_random() % 60;
		break;
	default:
		v = in_random() % 8;
		break;
	}
	if (s == &spec_devtrace[DEVTRACE_A_SIZE] && !one_in(6))
		v = 1024 << in_random() % 8;
	if (s == &spec_devtrace[DEVTRACE_A_ACTION] && !one_in(8))
		v = in_random() % 6;
	memcpy(out, &v, size);
	return size;
}

static size_t some_string(const struct spec_attr *s, uint8_t *out)
{
	static const char *const streams[] = { "a", "b", "trace", "c", "d" };
	static const char *const triggers[] = { "t", "u", "v" };
	static const char *const tracepoints[] = {
		"task:task_rename", "task:task_newtask", "sched:sched_process_exit",
		"sched:sched_process_fork", "no:such", "signal:signal_deliver", "task:",
	};
	static const char *const odd[] = {
		"", "a/b", "..", "%s%n", "\xff\xfe", "kfuzz", "a name that is longer than thirty-one bytes",
		"hello", "task_rename", ":", "a:b:c",
	};
	const char *text;

	if (one_in(10))
		text = odd[in_random() % (sizeof(odd) / sizeof(odd[0]))];
	else if (s == &spec_devtrace[DEVTRACE_A_STREAM])
		text = streams[in_random() % 5];
	else if (s == &spec_devtrace[DEVTRACE_A_TRIGGER])
		text = triggers[in_random() % 3];
	else if (s == &spec_devtrace[DEVTRACE_A_TRACEPOINT])
		text = tracepoints[in_random() % 7];
	else
		text = odd[in_random() % (sizeof(odd) / sizeof(odd[0]))];
	strcpy((char *)out, text);
	return strlen(text) + !one_in(20);
}

static size_t some_array(const struct spec_attr *s, uint8_t *out)
{
	const unsigned int n = one_in(30) ? 63 + in_random() % 3 : in_random() % 4;
	const size_t size = s->type == SPEC_BINARY ? 16 : s->type == SPEC_U64S ? 8 : 4;
	unsigned int i;

	memset(out, 0, n * size);
	for (i = 0; i < n; i++) {
		uint8_t *p = out + i * size;
		unsigned int first = one_in(3) ? in_random() & 0xffff : in_random() % 300;

		if (s->type == SPEC_BINARY) {
			strcpy((char *)p, one_in(3) ? "kfuzz" : one_in(2) ? "init" : "x");
		} else if (s->type == SPEC_RANGES) {
			put16(p, first);
			put16(p + 2, one_in(10) ? in_random() : first + in_random() % 8);
		} else {
			const uint32_t v = one_in(3) ? (uint32_t)getpid() : one_in(2) ? i : in_random();

			memcpy(p, &v, 4);
		}
	}
	return n * size;
}

static size_t some_attr(const struct spec_attr *in, int max, int type, int depth, uint8_t *out);

static size_t some_value(const struct spec_attr *s, int depth, uint8_t *out)
{
	size_t n = 0;
	int i;

	switch (s->type) {
	case SPEC_U8:
	case SPEC_U32:
	case SPEC_U64:
	case SPEC_S64:
		return some_number(s, out);
	case SPEC_STRING:
		return some_string(s, out);
	case SPEC_NEST:
		for (i = 1; i <= s->nest_max && depth < 3; i++)
			if (one_in(s->nest_max > 8 ? 6 : 2))
				n += some_attr(s->nest, s->nest_max, i, depth + 1, out + n);
		return n;
	case SPEC_BINARY:
		if (s->min != 32)
			return some_array(s, out);
		memset(out, one_in(2) ? 0xff : 0, 32);
		for (i = 0; i < 4; i++)
			out[in_random() % 32] = in_random();
		if (!one_in(8))
			memset(out + 16, 0, 8);
		return 32;
	case SPEC_U32S:
	case SPEC_U64S:
	case SPEC_RANGES:
		return some_array(s, out);
	default:
		return in_random() % 8;
	}
}

/* With its header and padding. */
static size_t some_attr(const struct spec_attr *in, int max, int type, int depth, uint8_t *out)
{
	const struct spec_attr *s = spec_of(in, max, type);
	size_t n = 0;

	memset(out, 0, NLA_HDRLEN + 16);
	if (s)
		n = some_value(s, depth, out + NLA_HDRLEN);
	else
		n = in_random() % 12;
	put16(out, NLA_HDRLEN + n);
	put16(out + 2, type | (s && s->nest ? NLA_F_NESTED : 0));
	memset(out + NLA_HDRLEN + n, 0, NLA_ALIGN(n) - n);
	return NLA_HDRLEN + NLA_ALIGN(n);
}

/* A message that is mostly valid. */
static size_t some_message(uint8_t *out)
{
	const int cmd = 1 + in_random() % (CMDS - 1);
	const struct spec_cmd *c = &spec_cmds[cmd];
	const bool dump = c->can_dump && (!c->can_do || one_in(2));
	const uint64_t takes = dump ? c->dump_takes : c->do_takes;
	size_t n = HEAD, i;
	int a;

	if (one_in(6)) {
		out[3] = EMIT + in_random() % 5;
		out[2] = in_random();
		if (out[3] == EMIT) {
			for (i = in_random() % 8 * 8; i; i--)
				out[n++] = one_in(3) ? in_random() : in_random() % 16;
			for (i = HEAD; i < n; i += 8)
				out[i] = one_in(4) ? in_random() : DEVTRACE_T_USER + in_random() % 4;
		}
		put16(out, n - HEAD);
		return n;
	}
	out[3] = one_in(40) ? in_random() % EMIT : (uint32_t)cmd;
	out[2] = (dump ? DUMP : 0) | (one_in(8) ? in_random() & ~DUMP : 0);
	for (a = 1; a < ATTRS; a++) {
		const bool must = a == DEVTRACE_A_STREAM || a == DEVTRACE_A_TRIGGER ||
				  a == DEVTRACE_A_WHEN || a == DEVTRACE_A_ACTION ||
				  a == DEVTRACE_A_TRACEPOINT ||
				  (a == DEVTRACE_A_SIZE && cmd == DEVTRACE_CMD_STREAM_NEW) ||
				  (a == DEVTRACE_A_FILTER && cmd == DEVTRACE_CMD_FILTER_SET);
		const bool in = takes & 1ULL << a ? (must ? !one_in(12) : one_in(4)) : one_in(500);

		if (in && n < IN_MAX / 2)
			n += some_attr(spec_devtrace, ATTRS - 1, a, 0, out + n);
	}
	put16(out, n - HEAD);
	return n;
}

static size_t generate(uint8_t *p)
{
	uint8_t one[8192];
	unsigned int i = 1 + in_random() % 5;
	size_t n = 0, len;

	while (i--) {
		len = some_message(one);
		if (len > IN_MAX - n)
			break;
		memcpy(p + n, one, len);
		n += len;
	}
	return n;
}

/* An attribute, its message, and the nests around it. */
struct where {
	size_t msg, at, nest[4];
	int depth;
	const struct spec_attr *in;
	int max;
};

static void find(uint8_t *p, size_t begin, size_t end, struct where *now, struct where *got,
		 unsigned int *count)
{
	size_t at, len;

	for (at = begin; at + NLA_HDRLEN <= end; at += NLA_ALIGN(len)) {
		const struct spec_attr *s = spec_of(now->in, now->max, get16(p + at + 2));
		struct where inner = *now;

		len = get16(p + at);
		if (len < NLA_HDRLEN || len > end - at)
			return;
		/* All are equally likely. */
		if (one_in(++*count)) {
			*got = *now;
			got->at = at;
		}
		if (s && s->nest && now->depth < 4) {
			inner.in = s->nest;
			inner.max = s->nest_max;
			inner.nest[inner.depth++] = at;
			find(p, at + NLA_HDRLEN, at + len, &inner, got, count);
		}
	}
}

/* Replace @old bytes by @len others, and adjust the lengths around them. */
static size_t replace(uint8_t *p, size_t n, const struct where *w, size_t old, const uint8_t *what,
		      size_t len)
{
	int i;

	if (n - old + len > IN_MAX || w->at + old > n)
		return n;
	memmove(p + w->at + len, p + w->at + old, n - w->at - old);
	memcpy(p + w->at, what, len);
	put16(p + w->msg, get16(p + w->msg) + len - old);
	for (i = 0; i < w->depth; i++)
		put16(p + w->nest[i], get16(p + w->nest[i]) + len - old);
	return n - old + len;
}

static size_t mutate_attr(uint8_t *p, size_t n)
{
	struct where now = { .in = spec_devtrace, .max = ATTRS - 1 }, got = { 0 };
	unsigned int count = 0, type;
	uint8_t one[8192];
	size_t at, len, old;

	for (at = 0; at + HEAD <= n; at += HEAD + len) {
		len = get16(p + at);
		if (len > n - at - HEAD)
			len = n - at - HEAD;
		now.msg = at;
		if (p[at + 3] < EMIT)
			find(p, at + HEAD, at + HEAD + len, &now, &got, &count);
	}
	if (!count)
		return in_havoc(p, n);
	old = NLA_ALIGN(get16(p + got.at));
	if (got.at + old > n)
		old = n - got.at;
	switch (in_random() % 8) {
	case 0:		/* remove */
		return replace(p, n, &got, old, NULL, 0);
	case 1:		/* double */
		memcpy(one, p + got.at, old);
		return replace(p, n, &got, 0, one, old);
	case 2:		/* another value */
	case 3:
		len = some_attr(got.in, got.max, get16(p + got.at + 2) & NLA_TYPE_MASK, got.depth,
				one);
		return replace(p, n, &got, old, one, len);
	case 4:		/* add another one */
	case 5:
		len = some_attr(got.in, got.max, 1 + in_random() % (got.max + one_in(20)),
				got.depth, one);
		return replace(p, n, &got, 0, one, len);
	case 6:		/* another type */
		type = get16(p + got.at + 2) ^ 1U << in_random() % 16;
		put16(p + got.at + 2, one_in(2) ? type : 1 + in_random() % (got.max + 1));
		return n;
	default:	/* another length */
		put16(p + got.at, get16(p + got.at) + in_random() % 9 - 4);
		return n;
	}
}

static size_t mutate(uint8_t *p, size_t n)
{
	uint8_t one[8192];
	size_t len, at;

	switch (in_random() % 8) {
	case 0:
		return in_havoc(p, n);
	case 1:
	case 2:
		len = some_message(one);
		/* After an existing message. */
		for (at = 0; at + HEAD <= n && !one_in(4); at += HEAD + get16(p + at))
			;
		if (at > n || len > IN_MAX - n)
			return in_havoc(p, n);
		memmove(p + at + len, p + at, n - at);
		memcpy(p + at, one, len);
		return n + len;
	case 3:
		if (n >= HEAD)
			p[in_random() % 4 ? 2 : 3] = in_random();
		return n;
	default:
		return mutate_attr(p, n);
	}
}

const struct in_target in_netlink = {
	.name = "netlink", .corpus = "corpus-nl", .run = run, .generate = generate, .mutate = mutate,
};
