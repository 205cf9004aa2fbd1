// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - wait, read, write
 *
 * Invariants
 * - The device is read only if what is read can be written: while a disk is full the ring
 *   overwrites, and LOST frames tell exactly how much. What was read and could not be
 *   written stays in memory until it can.
 * - A file ends behind a whole frame, unless an error or the end of power cuts it. Then the
 *   next file begins with that frame.
 * - Emitters never wait: all that waits is this process.
 *
 * Exit status: 0; 1 if the device cannot be read or the directory not be used; 2 if the
 * command line is wrong. A disk that is full or fails ends nothing but --once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tracelogger.h"

/* Read at once; half of the smallest file, so that two of them always fit. */
#define PIECE		(TL_SIZE_MIN / 2)
#define BUF		(PIECE + 2 * TL_RESERVE + 2 * DEVTRACE_FRAME_MAX)
#define LEAST		4096		/* for less than that it is not worth it */
#define NO_CUT		((size_t)-1)
#define STEP		(5 * TL_NSEC / 1000)	/* how often to look how full the buffer is */
#define SEVERE		(50 * TL_NSEC / 1000)	/* the longest nap with --sync severity */
#define RETRY		TL_NSEC			/* without room */
#define FAREWELL	(5 * TL_NSEC)		/* to save the rest at the end, on a full disk */

struct run {
	struct tl_options opt;
	struct tl_store	store;
	struct tl_report report;
	struct devtrace_decoder *decoder;
	int		dev;
	size_t		len, done;	/* bytes in buf, and of these written */
	size_t		edge;		/* behind the last whole frame */
	size_t		cut;		/* where the next file begins, or NO_CUT */
	bool		announces;	/* the device can announce anew */
	bool		ended;		/* of input */
	bool		severe, written;
	uint64_t	until, last_ts;
	int64_t		pinged, ping;
	sigset_t	mask;		/* while it waits */
	uint8_t		buf[BUF];
};

static volatile sig_atomic_t stop, reopen, save, tell;

static void on_signal(int sig)
{
	switch (sig) {
	case SIGHUP:
		reopen = 1;
		break;
	case SIGALRM:
		save = 1;
		break;
	case SIGUSR1:
		tell = 1;
		break;
	default:
		stop = 1;
	}
}

/* They come only where they interrupt a wait. */
static void catch_signals(sigset_t *waiting)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1 };
	struct sigaction sa = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };
	sigset_t block;
	size_t i;

	sigemptyset(&block);
	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		sigaction(sigs[i], &sa, NULL);
		sigaddset(&block, sigs[i]);
	}
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &block, waiting);
}

static int on_item(const struct devtrace_item *item, void *arg)
{
	struct run *r = arg;
	const struct devtrace_event *e = &item->u.event;

	if (item->kind != DEVTRACE_ITEM_EVENT)
		return 0;
	r->last_ts = e->ts;
	if (r->opt.sync_severity >= 0 && e->severity & DEVTRACE_SEV_SET &&
	    (e->severity & 3) >= r->opt.sync_severity)
		r->severe = true;
	return 0;
}

/* Take n more bytes in: where whole frames end now. */
static void took(struct run *r, size_t n)
{
	const uint8_t *flag = memrchr(r->buf + r->len, DEVTRACE_FLAG, n);

	devtrace_decoder_feed(r->decoder, r->buf + r->len, n, NULL);
	r->len += n;
	if (flag)
		r->edge = (size_t)(flag - r->buf) + 1;
	else if (r->len - r->edge > 2 * DEVTRACE_FRAME_MAX)
		r->edge = r->len;	/* no stream: there is no frame to keep whole */
}

/* What was written is needed no more. */
static void forget(struct run *r)
{
	memmove(r->buf, r->buf + r->done, r->len - r->done);
	r->len -= r->done;
	r->edge -= r->done;
	if (r->cut != NO_CUT)
		r->cut -= r->done;
	r->done = 0;
}

/* Frames up to the end of this file. */
static void end_file(struct run *r)
{
	ssize_t n, more;

	if (r->store.fd < 0 || r->cut != NO_CUT)
		return;
	r->cut = r->edge;
	if (!r->announces)
		return;
	n = ioctl(r->dev, DEVTRACE_IOC_ANNOUNCE);
	if (n < 0) {
		/* A pipe, or an older module: files are cut, and not announced. */
		r->announces = false;
		return;
	}
	while (n > 0 && r->len < BUF) {
		size_t room = BUF - r->len;

		more = read(r->dev, r->buf + r->len, (size_t)n < room ? (size_t)n : room);
		if (more <= 0)
			break;
		took(r, (size_t)more);
		n -= more;
	}
	r->cut = r->edge;
}

/* An error that no room cures: go on in another file, with the frame that was cut. */
static void spoilt(struct run *r)
{
	const uint8_t *flag = r->done ? memrchr(r->buf, DEVTRACE_FLAG, r->done) : NULL;

	end_file(r);
	tl_store_spoilt(&r->store);
	r->cut = NO_CUT;
	r->done = flag ? (size_t)(flag - r->buf) + 1 : 0;
	forget(r);
}

static bool is_full(int err)
{
	return err == ENOSPC || err == EDQUOT;
}

/* A pipe may be full for ever: wait where signals come. *n becomes what it takes at once. */
static bool can_write(struct run *r, ssize_t *n)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (*n > PIPE_BUF)
		*n = PIPE_BUF;
	return ppoll(&p, 1, NULL, &r->mask) > 0 || !stop;
}

/* Write all whole frames. 0, or the error that kept it from that. */
static int flush(struct run *r)
{
	while (r->done < r->edge || r->cut != NO_CUT) {
		size_t end = r->cut != NO_CUT ? r->cut : r->edge;
		uint64_t room;
		ssize_t n;
		int err;

		if (r->done == end) {
			tl_store_end(&r->store);
			r->cut = NO_CUT;
			forget(r);
			continue;
		}
		if (r->store.fd < 0) {
			err = tl_store_begin(&r->store);
			if (err)
				return -err;
		}
		room = tl_store_room(&r->store, end - r->done);
		if (!room)
			return ENOSPC;
		n = (ssize_t)(room < end - r->done ? room : end - r->done);
		if (!r->opt.file && !can_write(r, &n))
			return EPIPE;
		n = tl_store_write(&r->store, r->buf + r->done, (size_t)n);
		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n < 0 && r->opt.file && !is_full((int)-n))
			spoilt(r);
		if (n < 0)
			return (int)-n;
		r->done += (size_t)n;
		r->written = true;
	}
	forget(r);
	return 0;
}

/* Read and write until nothing is left. 0, or what keeps it from being written. */
static int extract(struct run *r)
{
	int err;

	for (;;) {
		uint64_t room;
		ssize_t n;

		err = flush(r);
		if (err || r->ended)
			return err;
		if (tl_store_full(&r->store)) {
			end_file(r);
			continue;
		}
		room = tl_store_room(&r->store, LEAST + TL_RESERVE + TL_HEAD_MAX + r->len);
		if (room <= TL_RESERVE + TL_HEAD_MAX + r->len)
			return ENOSPC;
		room -= TL_RESERVE + TL_HEAD_MAX + r->len;
		if (r->store.fd >= 0 && r->opt.file) {
			uint64_t end = r->store.size + r->len + TL_RESERVE;

			if (end >= r->opt.size) {
				end_file(r);
				continue;
			}
			if (room > r->opt.size - end)
				room = r->opt.size - end;
		}
		n = read(r->dev, r->buf + r->len, room < PIECE ? room : PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0) {
			fprintf(stderr, "tracelogger: %s: %s\n", r->opt.device, strerror(errno));
			exit(1);
		}
		if (!n) {
			r->ended = true;
			r->edge = r->len;
		}
		took(r, (size_t)n);
		if (r->last_ts > r->until)
			r->ended = true;
		tl_report_progress(&r->report, &r->store, devtrace_decoder_totals(r->decoder));
	}
}

static int save_all(struct run *r)
{
	int err = extract(r);

	tl_report_blocked(&r->report, &r->store, err);
	if (r->store.sync && r->written)
		tl_sync_written(r->store.sync, r->opt.sync_always || r->severe);
	r->written = false;
	r->severe = false;
	if (r->ping && tl_now() - r->pinged >= r->ping) {
		tl_notify("WATCHDOG=1");
		r->pinged = tl_now();
	}
	return err;
}

/* Until the device has something, or a signal comes; ns < 0: no longer than that. */
static void wait_for(struct run *r, int fd, int64_t ns)
{
	struct timespec t = { .tv_sec = ns / TL_NSEC, .tv_nsec = ns % TL_NSEC };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)!ppoll(&p, 1, ns < 0 ? NULL : &t, &r->mask);
}

/* How many bytes of the ring of one CPU the events since may take at most. */
static bool much(const struct run *r, const struct devtrace_stats *from)
{
	struct devtrace_stats now = { .cpu = DEVTRACE_STATS_ALL };
	uint64_t held, each;

	if (ioctl(r->dev, DEVTRACE_IOC_STATS, &now))
		return false;
	held = now.stored - now.overwritten;
	each = held ? now.used / held + 1 : 0;
	return (now.stored - from->stored) * each * now.nr_cpus >= now.size / 100 * r->opt.percent;
}

/* Let some events come together: fewer and larger writes. */
static void nap(struct run *r)
{
	struct devtrace_stats from = { .cpu = DEVTRACE_STATS_ALL };
	int64_t end = tl_now(), every = r->opt.every, left;

	if (!r->opt.percent || ioctl(r->dev, DEVTRACE_IOC_STATS, &from))
		return;
	if (r->opt.sync_severity >= 0 && every > SEVERE)
		every = SEVERE;
	end += every;
	while (!stop && !reopen && !save && !tell && (left = end - tl_now()) > 0) {
		wait_for(r, -1, left < STEP ? left : STEP);
		if (much(r, &from))
			break;
	}
}

static int64_t next_wake(const struct run *r)
{
	int64_t ns = r->ping ? r->ping / 2 : -1;

	/* A file that is too old ends though nothing comes. */
	if ((r->opt.age || r->store.name.periodic || r->report.tty) &&
	    r->store.fd >= 0 && (ns < 0 || ns > TL_NSEC))
		ns = TL_NSEC;
	return ns;
}

static void follow(struct run *r)
{
	int err = 0;

	while (!stop && !r->ended) {
		if (err)
			wait_for(r, -1, RETRY);
		else
			wait_for(r, r->dev, next_wake(r));
		if (!err)
			nap(r);
		if (reopen && !stop)
			end_file(r);
		reopen = 0;
		save = 0;
		err = save_all(r);
		if (!r->opt.file && err)
			break;
		if (tell) {
			tell = 0;
			if (r->store.sync)
				tl_sync_written(r->store.sync, true);
			tl_report_status(&r->report, &r->store,
					 devtrace_decoder_totals(r->decoder), "asked");
		}
	}
}

/* The last of it: all that is there now, if there is room. */
static int finish(struct run *r)
{
	struct devtrace_stats stats = { .cpu = DEVTRACE_STATS_ALL };
	int64_t begun = tl_now();
	int err;

	/* Writers may be faster than we. */
	if (!ioctl(r->dev, DEVTRACE_IOC_STATS, &stats))
		r->until = stats.now;
	for (;;) {
		err = save_all(r);
		if (!err && r->opt.once && !r->ended && r->until == UINT64_MAX) {
			/* No device: all of it. */
			wait_for(r, r->dev, -1);
			if (!stop)
				continue;
		}
		if (!err || !r->opt.file || r->opt.once || tl_now() - begun >= FAREWELL)
			return err;
		wait_for(r, -1, RETRY / 10);
	}
}

static void watchdog(struct run *r)
{
	const char *usec = getenv("WATCHDOG_USEC");

	if (usec)
		r->ping = strtoll(usec, NULL, 10) * 1000 / 2;
}

static int begin(struct run *r)
{
	int err = tl_store_init(&r->store, &r->opt);

	if (err) {
		fprintf(stderr, "tracelogger: %s: %s\n", r->store.name.dir, strerror(-err));
		return 1;
	}
	r->dev = open(r->opt.device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r->dev < 0) {
		fprintf(stderr, "tracelogger: %s: %s%s\n", r->opt.device, strerror(errno),
			errno == ENOENT ? " (is devtrace loaded, and has it this stream?)" :
			errno == EACCES ? " (the group of the device may read it)" : "");
		return 1;
	}
	r->decoder = devtrace_decoder_new(on_item, r);
	if (!r->decoder) {
		fputs("tracelogger: out of memory\n", stderr);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct run run = { .cut = NO_CUT, .announces = true, .until = UINT64_MAX };
	struct run *r = &run;
	int ret, err;

	tl_options_parse(&r->opt, argc, argv);
	tzset();
	catch_signals(&r->mask);
	r->report.tty = isatty(STDERR_FILENO);
	watchdog(r);
	ret = begin(r);
	if (ret)
		return ret;
	tl_notify("READY=1");
	if (!r->opt.once)
		follow(r);
	tl_notify("STOPPING=1");
	err = finish(r);
	if (err == EPIPE)
		err = 0;	/* nobody reads it any more */
	tl_store_free(&r->store);
	tl_report_status(&r->report, &r->store, devtrace_decoder_totals(r->decoder), "ended");
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s; not all that there was is saved\n",
			r->store.name.dir, strerror(err));
		ret = 1;
	}
	devtrace_decoder_free(r->decoder);
	close(r->dev);
	return ret;
}
