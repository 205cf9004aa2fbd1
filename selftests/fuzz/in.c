// SPDX-License-Identifier: GPL-2.0-only
/*
 * in.c - common code of both kernel fuzzers: the state before each input
 *
 * The initial state: stream 0 with 4 KiB per CPU and no filter, the streams "a" and "b", no
 * trigger, no added tracepoint. The module notifies listeners of changes; only then is the state
 * restored, which is slow.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dev.h"
#include "in.h"
#include "nl.h"

#define NAMES	64

void (*in_thread)(bool begins);

static struct nl look, ear;
static uint64_t state = 1;

uint32_t in_random(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

void in_seed(uint32_t seed)
{
	state = seed;
	in_random();
}

struct names {
	int n, attr;
	char name[NAMES][DEVTRACE_TRACEPOINT_LEN];
};

static void take_name(const struct nl_reply *r, void *arg)
{
	struct names *names = arg;
	const struct nlattr *a = r->a[names->attr];

	/* Only added tracepoints have these. */
	if (!a || names->n == NAMES ||
	    (names->attr == DEVTRACE_A_TRACEPOINTS && !r->a[DEVTRACE_A_ELEMENTS]))
		return;
	snprintf(names->name[names->n++], sizeof(names->name[0]), "%s", (const char *)nl_data(a));
}

/* Changes since the last restore. */
static struct {
	bool triggers, tracepoints;
	bool set0, filter0;		/* of stream 0 */
	struct names streams;
	bool missed;			/* some notifications were lost */
} changed;

static bool is_among(const struct names *names, const char *name)
{
	int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

/* A firing trigger or a full ring changes nothing itself. */
static void take_change(const struct nl_reply *r, void *arg)
{
	const char *stream = r->a[DEVTRACE_A_STREAM] ? nl_data(r->a[DEVTRACE_A_STREAM]) : "";

	switch (r->cmd) {
	case DEVTRACE_CMD_NTF_STREAM_NEW:
	case DEVTRACE_CMD_NTF_STREAM_SET:
	case DEVTRACE_CMD_NTF_STREAM_DEL:
	case DEVTRACE_CMD_NTF_FILTER:
		if (!strcmp(stream, DEVTRACE_STREAM0)) {
			changed.filter0 |= r->cmd == DEVTRACE_CMD_NTF_FILTER;
			changed.set0 |= r->cmd != DEVTRACE_CMD_NTF_FILTER;
		} else if (!is_among(&changed.streams, stream)) {
			if (changed.streams.n == NAMES)
				changed.missed = true;
			else
				snprintf(changed.streams.name[changed.streams.n++],
					 sizeof(changed.streams.name[0]), "%s", stream);
		}
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_NEW:
	case DEVTRACE_CMD_NTF_TRIGGER_SET:
	case DEVTRACE_CMD_NTF_TRIGGER_DEL:
		changed.triggers = true;
		break;
	case DEVTRACE_CMD_NTF_PROFILE_ADD:
	case DEVTRACE_CMD_NTF_PROFILE_DEL:
		changed.tracepoints = true;
		break;
	}
}

static int list(int get, int attr, struct names *names)
{
	memset(names, 0, sizeof(*names));
	names->attr = attr;
	nl_begin(&look, get);
	return nl_dump(&look, take_name, names);
}

/* Remove objects with these names; all if there are none. */
static const char *remove_those(int get, int list_attr, int del, int attr,
				const struct names *names)
{
	struct names all;
	int i, err;

	if (list(get, list_attr, &all))
		return "what there is cannot be listed";
	for (i = 0; i < all.n; i++) {
		if (!strcmp(all.name[i], DEVTRACE_STREAM0) ||
		    (names && !is_among(names, all.name[i])))
			continue;
		nl_begin(&look, del);
		nl_put_str(&look, attr, all.name[i]);
		err = nl_do(&look, NULL, NULL);
		if (err)
			return "something cannot be removed";
	}
	return NULL;
}

static int add_stream(const struct names *there, const char *name, uint64_t size)
{
	if (is_among(there, name))
		return 0;
	nl_begin(&look, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&look, DEVTRACE_A_STREAM, name);
	nl_put_u64(&look, DEVTRACE_A_SIZE, size);
	return nl_do(&look, NULL, NULL);
}

static int set_stream0(void)
{
	nl_begin(&look, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&look, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u64(&look, DEVTRACE_A_SIZE, 4096);
	nl_put_u32(&look, DEVTRACE_A_STATE, DEVTRACE_STATE_RUNNING);
	nl_put_u32(&look, DEVTRACE_A_WATERMARK, 0);
	return nl_do(&look, NULL, NULL);
}

/* A frozen stream must be stopped before it can be started. */
static int thaw_stream0(void)
{
	nl_begin(&look, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&look, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u32(&look, DEVTRACE_A_STATE, DEVTRACE_STATE_STOPPED);
	return nl_do(&look, NULL, NULL);
}

static const char *put_back_stream0(void)
{
	if (changed.set0 && set_stream0() && (thaw_stream0() || set_stream0()))
		return "stream 0 cannot be set";
	if (changed.filter0) {
		nl_begin(&look, DEVTRACE_CMD_FILTER_SET);
		nl_put_str(&look, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
		nl_nest_end(&look, nl_nest(&look, DEVTRACE_A_FILTER));
		if (nl_do(&look, NULL, NULL))
			return "the filter of stream 0 cannot be taken away";
	}
	return NULL;
}

static const char *put_back(void)
{
	const char *bad = NULL;
	struct names there;

	if (changed.missed)
		changed.triggers = changed.tracepoints = true;
	/* A trigger may act later, and not have been reported yet. */
	if (changed.triggers)
		changed.missed = changed.set0 = changed.filter0 = true;
	if (changed.triggers)
		bad = remove_those(DEVTRACE_CMD_TRIGGER_GET, DEVTRACE_A_TRIGGER,
				   DEVTRACE_CMD_TRIGGER_DEL, DEVTRACE_A_TRIGGER, NULL);
	if (!bad && (changed.missed || changed.streams.n)) {
		bad = remove_those(DEVTRACE_CMD_STREAM_GET, DEVTRACE_A_STREAM,
				   DEVTRACE_CMD_STREAM_DEL, DEVTRACE_A_STREAM,
				   changed.missed ? NULL : &changed.streams);
		if (!bad && (list(DEVTRACE_CMD_STREAM_GET, DEVTRACE_A_STREAM, &there) ||
			     add_stream(&there, "a", 4096) || add_stream(&there, "b", 16384)))
			bad = "streams cannot be made";
	}
	if (!bad && changed.tracepoints)
		bad = remove_those(DEVTRACE_CMD_PROFILE_GET, DEVTRACE_A_TRACEPOINTS,
				   DEVTRACE_CMD_PROFILE_DEL, DEVTRACE_A_TRACEPOINT, NULL);
	if (!bad)
		bad = put_back_stream0();
	nl_heard(&ear, NULL, NULL);
	memset(&changed, 0, sizeof(changed));
	return bad;
}

int in_setup(void)
{
	const char *bad;

	if (nl_open(&look) || nl_open(&ear) || nl_listen(&ear)) {
		fprintf(stderr, "# the netlink family cannot be had: %s\n", strerror(errno));
		return -1;
	}
	changed.missed = true;
	bad = put_back();
	if (bad)
		fprintf(stderr, "# %s: %s\n", bad, look.why);
	return bad ? -1 : 0;
}

#define STREAMS	3
#define MARKS	2

static const char *const paths[STREAMS] = { "/dev/trace", "/dev/trace-a", "/dev/trace-b" };

/* Emit two marks: they must be read in order, and nothing else since the clear. */
static const char *read_marks(int fd, uint32_t nr)
{
	struct tape *t = tape_new();
	const char *bad = NULL;
	size_t i;
	int tries;

	if (!t)
		return "no memory";
	for (tries = 0; tries < 2000 && !bad && t->nev < MARKS; tries++) {
		if (tape_drain(t, fd) < 0)
			bad = "a stream cannot be read";
		/* Wait for events that another CPU may still store. */
		if (t->nev < MARKS)
			usleep(1000);
	}
	if (!bad && t->nev != MARKS)
		bad = "a stream does not have the events that were emitted";
	for (i = 0; !bad && i < MARKS; i++)
		if (t->ev[i].nr != nr + i)
			bad = "a stream has other events than were emitted";
	if (!bad && !tape_clean(t))
		bad = "a stream is damaged";
	tape_free(t);
	return bad;
}

/* Without writers, a stream can be cleared, and stores the next events. */
static const char *works(void)
{
	static uint32_t nr;
	const int out = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	struct devtrace_stats s = { .cpu = -1 };
	const char *bad = NULL;
	int fd[STREAMS], i;

	for (i = 0; i < STREAMS; i++) {
		fd[i] = open(paths[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd[i] < 0 || ioctl(fd[i], DEVTRACE_IOC_CLEAR))
			bad = "a stream cannot be opened, or not be cleared";
		else if (ioctl(fd[i], DEVTRACE_IOC_STATS, &s) || s.overwritten > s.stored ||
			 s.used > s.size)
			bad = "the account of a stream cannot be true";
	}
	for (i = 0; !bad && i < MARKS; i++)
		if (dev_emit_mark(out, DEVTRACE_T_USER, 0, nr + i))
			bad = "nothing can be emitted";
	for (i = 0; !bad && i < STREAMS; i++)
		bad = read_marks(fd[i], nr);
	for (i = 0; i < STREAMS; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	if (out >= 0)
		close(out);
	nr += MARKS;
	return bad;
}

const char *in_check(void)
{
	const char *bad;

	/* The only error is a full socket: more may follow. */
	while (nl_heard(&ear, take_change, NULL) < 0)
		changed.missed = true;
	bad = put_back();
	if (!bad)
		bad = works();
	if (bad)
		fprintf(stderr, "# %s: %s\n", bad, look.why);
	return bad;
}

static size_t put_in(uint8_t *p, size_t n, size_t at, const uint8_t *what, size_t len)
{
	if (len > IN_MAX - n)
		len = IN_MAX - n;
	memmove(p + at + len, p + at, n - at);
	memcpy(p + at, what, len);
	return n + len;
}

size_t in_havoc(uint8_t *p, size_t n)
{
	static const uint8_t odd[] = { 0, 1, 2, 3, 4, 7, 8, 16, 32, 63, 64, 127, 128, 254, 255 };
	uint8_t piece[16];
	size_t at, len, i;

	if (!n) {
		p[0] = in_random();
		return 1;
	}
	at = in_random() % n;
	len = 1 + in_random() % sizeof(piece);
	if (len > n - at)
		len = n - at;
	switch (in_random() % 7) {
	case 0:
		p[at] ^= 1 << in_random() % 8;
		return n;
	case 1:
		p[at] = odd[in_random() % sizeof(odd)];
		return n;
	case 2:
		p[at] += (int)(in_random() % 9) - 4;
		return n;
	case 3:
		p[at] = in_random();
		return n;
	case 4:
		memmove(p + at, p + at + len, n - at - len);
		return n - len;
	case 5:
		memcpy(piece, p + at, len);
		return put_in(p, n, in_random() % (n + 1), piece, len);
	default:
		for (i = 0; i < len; i++)
			piece[i] = in_random();
		return put_in(p, n, at, piece, len);
	}
}
