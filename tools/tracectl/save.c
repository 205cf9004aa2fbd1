// SPDX-License-Identifier: GPL-2.0-only
/*
 * save.c - save the present content of a stream, byte for byte
 *
 * The bytes are also decoded, to report losses and to find where to stop. A busy stream has no
 * end, so the first event that is later than the start of the save ends it. After an error or a
 * signal the temporary file is removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <devtrace-decode.h>
#include "common/device.h"
#include "tracectl.h"

#define BLOCK	(256 * 1024)
#define SOURCES	65536
#define STEP_NS	200000000	/* between two progress lines */

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

struct save {
	struct devtrace_decoder *d;
	/* end_ts: trace clock at the start of the save, in ns */
	uint64_t	end_ts;
	/* bytes, events: number of both before the item that ended the save */
	uint64_t	bytes, events;
	/*
	 * lost: events lost before that item; missed: how many of them because the stream was
	 * stopped or frozen
	 */
	uint64_t	lost, missed;
	/*
	 * seen: a byte for each source, with a bit for each cause of a loss reported after end_ts
	 */
	uint8_t		*seen;
	uint64_t	shown;		/* time of the last progress line */
	bool		terminal;
};

/*
 * Was a loss after end_ts with this source and cause reported before? Then end the save: while
 * programs emit into a stopped stream, losses are reported without end. The first one is saved.
 */
static bool again(struct save *s, const struct devtrace_lost *l)
{
	const uint8_t bit = (uint8_t)(1 << (l->cause & 7));
	const bool was = s->seen[l->source] & bit;

	if (l->to <= s->end_ts)
		return false;
	s->seen[l->source] |= bit;
	return was;
}

static int item(const struct devtrace_item *i, void *arg)
{
	struct save *s = arg;

	if ((i->kind == DEVTRACE_ITEM_EVENT && i->u.event.ts > s->end_ts) ||
	    (i->kind == DEVTRACE_ITEM_LOST && again(s, &i->u.lost))) {
		s->bytes = i->offset;
		return 1;
	}
	if (i->kind == DEVTRACE_ITEM_EVENT)
		s->events++;
	if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.cause == DEVTRACE_LOST_STOPPED)
		s->missed += i->u.lost.count;
	else if (i->kind == DEVTRACE_ITEM_LOST)
		s->lost += i->u.lost.count;
	return 0;
}

static int write_all(int fd, const char *buf, size_t n)
{
	while (n) {
		ssize_t done = write(fd, buf, n);

		if (done < 0 && errno != EINTR)
			return -1;
		if (done < 0)
			continue;
		buf += done;
		n -= (size_t)done;
	}
	return 0;
}

static void show(struct save *s)
{
	struct timespec t;
	uint64_t now;

	if (!s->terminal || clock_gettime(CLOCK_MONOTONIC, &t))
		return;
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (now - s->shown < STEP_NS)
		return;
	s->shown = now;
	fprintf(stderr, "\r%llu kB, %llu events ",
		(unsigned long long)(devtrace_decoder_totals(s->d)->bytes / 1000),
		(unsigned long long)devtrace_decoder_totals(s->d)->events);
}

/*
 * Copy the stream. Return NULL on success. If reading or writing failed, return "read" or "write",
 * and set errno.
 */
static const char *copy(struct save *s, int from, int to, char *buf)
{
	uint64_t before = 0;
	int end = 0;
	ssize_t n;

	while (!end && !caught) {
		n = read(from, buf, BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return "read";
		if (n <= 0)
			break;
		s->bytes = before + (uint64_t)n;
		end = devtrace_decoder_feed(s->d, buf, (size_t)n, NULL);
		/* The save ends in a block that was written already: truncate the file. */
		if (s->bytes < before)
			return ftruncate(to, (off_t)s->bytes) ? "write" : NULL;
		if (write_all(to, buf, (size_t)(s->bytes - before)))
			return "write";
		before = s->bytes;
		show(s);
	}
	return NULL;
}

static int complain_that(const struct tc *tc, const char *path, const char *why,
			 const char *hint)
{
	struct out o;

	out_init(&o, -1);
	tc_safe(&o, path);
	fprintf(stderr, "tracectl: %s: %.*s: %s%s\n", tc->command, (int)o.len, o.buf, why, hint);
	out_free(&o);
	return 1;
}

static int complain(const struct tc *tc, const char *path, const char *hint)
{
	return complain_that(tc, path, strerror(errno), hint);
}

/* The device does not answer ioctl(2): print why it is not a trace device. */
static int no_device(const struct tc *tc, int fd, const char *device)
{
	const int err = errno;
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return complain_that(tc, device, device_no_file(device), "");
	return complain_that(tc, device, strerror(err), " (is it a trace device?)");
}

static void report(struct tc *tc, const struct save *s, const char *path)
{
	struct out *o = &tc->out;

	if (s->terminal)
		fputs("\r\033[K", stderr);
	if (tc->json) {
		out_char(o, '{');
		tc_json_str(o, "\"file\":", path);
		out_char(o, ',');
		tc_json_num(o, "\"bytes\":", s->bytes);
		out_char(o, ',');
		tc_json_num(o, "\"events\":", s->events);
		out_char(o, ',');
		tc_json_num(o, "\"lost\":", s->lost);
		out_char(o, ',');
		tc_json_num(o, "\"missed\":", s->missed);
		OUT_LIT(o, "}\n");
		return;
	}
	tc_safe(o, path);
	OUT_LIT(o, ": ");
	out_u64(o, s->events);
	OUT_LIT(o, " events, ");
	out_u64(o, s->bytes);
	OUT_LIT(o, " bytes; ");
	if (s->lost)
		out_u64(o, s->lost);
	else
		OUT_LIT(o, "none");
	OUT_LIT(o, " lost before they were read");
	if (s->missed) {
		OUT_LIT(o, ", ");
		out_u64(o, s->missed);
		OUT_LIT(o, " missed while the stream was stopped");
	}
	out_char(o, '\n');
}

/* Copy the stream to the file. Return 0, or 1 after an error (with a message) or a signal. */
static int save(struct tc *tc, struct save *s, int fd, const char *device, const char *path)
{
	struct tc_file f;
	const char *failed;
	char *buf;
	int ret = 0;

	if (tc_file_begin(&f, path))
		return complain(tc, path, errno == EISDIR ? " (name a file in it)" :
				errno == ESPIPE ?
				" (it is not a regular file; write to it with traceinfo --raw)" : "");
	buf = tc_alloc(NULL, BLOCK);
	failed = copy(s, fd, f.fd, buf);
	if (failed) {
		ret = complain(tc, *failed == 'r' ? device : path, "");
		tc_file_drop(&f);
	} else if (caught) {
		tc_file_drop(&f);
		ret = 1;
	} else if (tc_file_end(&f)) {
		ret = complain(tc, path, "");
	} else {
		report(tc, s, path);
	}
	free(buf);
	return ret;
}

int tc_save(struct tc *tc)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = on_signal };
	struct devtrace_stats stats = { .cpu = -1 };
	const char *path = tc_next(tc, "a file"), *name = tc_stream(tc);
	struct save s = { .terminal = isatty(STDERR_FILENO) };
	char device[64];
	size_t i;
	int fd, ret;

	tc_end(tc);
	snprintf(device, sizeof(device), "/dev/trace%s%s", strcmp(name, DEVTRACE_STREAM0) ? "-" : "",
		 strcmp(name, DEVTRACE_STREAM0) ? name : "");
	fd = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return complain(tc, device, errno == ENOENT ?
				" (is the module devtrace loaded, and does it have this stream?)" : "");
	if (ioctl(fd, DEVTRACE_IOC_STATS, &stats)) {
		ret = no_device(tc, fd, device);
		close(fd);
		return ret;
	}
	s.end_ts = stats.now;
	s.seen = tc_alloc(NULL, SOURCES);
	memset(s.seen, 0, SOURCES);
	s.d = devtrace_decoder_new(item, &s);
	if (!s.d)
		tc_alloc(NULL, SIZE_MAX);
	for (i = 0; i < NR(signals); i++)
		sigaction(signals[i], &act, NULL);
	ret = save(tc, &s, fd, device, path);
	devtrace_decoder_free(s.d);
	free(s.seen);
	close(fd);
	if (caught) {
		/* End the program by the signal, as if it were not caught. */
		signal(caught, SIG_DFL);
		raise(caught);
	}
	return ret;
}
