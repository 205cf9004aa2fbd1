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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tracelogger.h"

/* Read at once; half of the smallest file, so that two of them always fit. */
#define PIECE		(TL_SIZE_MIN / 2)
/* What a peer has not acknowledged: the kernel does not take more of a link. */
#define UNSURE		(64 * 1024)
#define BUF		(PIECE + 2 * TL_RESERVE + 2 * DEVTRACE_FRAME_MAX + UNSURE)
#define LEAST		4096		/* for less than that it is not worth it */
#define NO_CUT		((size_t)-1)
#define STEP		(5 * TL_NSEC / 1000)	/* how often to look how full the buffer is */
#define SEVERE		(50 * TL_NSEC / 1000)	/* the longest nap with --sync severity */
#define LAST_FILE	(256 * 1024)	/* of the spool: sent at once, and no more are begun */
#define RETRY		TL_NSEC			/* without room */
#define FAREWELL	(5 * TL_NSEC)		/* to save the rest at the end, on a full disk */

struct run {
	struct tl_options opt;
	struct tl_store	store;		/* where it goes now: files, a link, the spool */
	struct tl_store	other;		/* spooling: the link; else the spool */
	struct tl_spool	spool;
	bool		spooling;
	struct tl_report report;
	struct devtrace_decoder *decoder;
	struct tl_syslog *syslog;	/* messages in place of frames; or NULL */
	size_t		raw_at, raw_len;	/* frames that are not messages yet */
	int		dev;
	size_t		len, done;	/* bytes in buf, and of these written */
	size_t		edge;		/* behind the last whole frame */
	size_t		cut;		/* where the next file begins, or NO_CUT */
	bool		announces;	/* the device can announce anew */
	bool		ended;		/* of input */
	bool		severe, written;
	uint64_t	until, last_ts;
	int64_t		pinged, ping;
	int64_t		tried;		/* to find somebody, while it spools */
	sigset_t	mask;		/* while it waits */
	uint8_t		buf[BUF];
	uint8_t		raw[4096];
};

static int on_item(const struct devtrace_item *item, void *arg)
{
	struct run *r = arg;
	const struct devtrace_event *e = &item->u.event;

	if (r->syslog)
		tl_syslog_item(r->syslog, r->decoder, item);
	if (item->kind != DEVTRACE_ITEM_EVENT)
		return 0;
	r->last_ts = e->ts;
	if (r->opt.sync_severity >= 0 && e->severity & DEVTRACE_SEV_SET &&
	    (e->severity & 3) >= r->opt.sync_severity)
		r->severe = true;
	return r->syslog && tl_syslog_take(r->syslog, NULL) + TL_SYSLOG_MAX > BUF - r->len;
}

/* Where the last whole frame or message of the first n bytes ends. */
static size_t whole(const struct run *r, size_t n)
{
	const uint8_t *flag;

	if (r->syslog)
		return tl_syslog_edge(r->buf, n);
	flag = n ? memrchr(r->buf, DEVTRACE_FLAG, n) : NULL;
	return flag ? (size_t)(flag - r->buf) + 1 : 0;
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

/* Up to where whole frames are known to have arrived, if there is somebody to say so. */
static size_t sure(const struct run *r)
{
	size_t unsure = tl_peer_unsure(&r->store), known;

	if (unsure > UNSURE)
		unsure = UNSURE;
	known = unsure < r->done ? r->done - unsure : 0;
	return r->store.linked ? whole(r, known) : known;
}

/* What was written is needed no more. */
static void forget(struct run *r)
{
	size_t n = sure(r);

	memmove(r->buf, r->buf + n, r->len - n);
	r->len -= n;
	r->edge -= n;
	if (r->cut != NO_CUT)
		r->cut -= n;
	r->done -= n;
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
	size_t known = r->store.linked ? sure(r) : whole(r, r->done);

	end_file(r);
	tl_store_spoilt(&r->store);
	r->cut = NO_CUT;
	r->done = known;
	forget(r);
}

static bool is_full(int err)
{
	return err == ENOSPC || err == EDQUOT;
}

/*
 * A pipe or link may be full for ever: wait where signals come. *n becomes what it takes at
 * once. 0, or an error number.
 */
static int can_write(struct run *r, ssize_t *n)
{
	struct pollfd p = { .fd = r->store.fd, .events = POLLOUT };
	struct timespec last = { .tv_sec = FAREWELL / TL_NSEC };
	int ret;

	if (!r->store.linked && *n > PIPE_BUF)
		*n = PIPE_BUF;
	if (r->store.linked)
		p.events |= POLLRDHUP;
	ret = ppoll(&p, 1, r->store.linked && (tl_stop || r->opt.spool) ? &last : NULL, &r->mask);
	if (r->store.linked && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) &&
	    tl_peer_gone(&r->store))
		return ECONNRESET;
	if (ret > 0 || (!tl_stop && !(r->opt.spool && !ret)))
		return 0;
	return r->store.linked ? ETIMEDOUT : EPIPE;
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
		err = r->store.opt->file ? 0 : can_write(r, &n);
		if (err && !r->store.linked)
			return err;
		n = err ? -err : tl_store_write(&r->store, r->buf + r->done, (size_t)n);
		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n < 0 && (r->store.linked || (r->store.opt->file && !is_full((int)-n))))
			spoilt(r);
		if (n < 0)
			return (int)-n;
		r->done += (size_t)n;
		r->written = true;
	}
	forget(r);
	return 0;
}

/* Read what there is room for, and make messages of it if it is so wished. */
static ssize_t take(struct run *r, size_t room)
{
	size_t used = 0;
	ssize_t n;

	if (!r->syslog) {
		n = read(r->dev, r->buf + r->len, room);
		if (n > 0)
			took(r, (size_t)n);
		return n;
	}
	if (r->raw_at == r->raw_len) {
		n = read(r->dev, r->raw, sizeof(r->raw));
		if (n <= 0)
			return n;
		r->raw_at = 0;
		r->raw_len = (size_t)n;
	}
	devtrace_decoder_feed(r->decoder, r->raw + r->raw_at, r->raw_len - r->raw_at, &used);
	r->raw_at += used;
	r->len += tl_syslog_take(r->syslog, r->buf + r->len);
	r->edge = r->len;
	return 1;
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
		if (r->store.fd >= 0 && r->store.opt->file) {
			uint64_t end = r->store.size + r->len + TL_RESERVE;

			if (end >= r->store.opt->size) {
				end_file(r);
				continue;
			}
			if (room > r->store.opt->size - end)
				room = r->store.opt->size - end;
		}
		n = take(r, room < PIECE ? room : PIECE);
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
		if (r->last_ts > r->until)
			r->ended = true;
		tl_report_progress(&r->report, &r->store, devtrace_decoder_totals(r->decoder));
	}
}

static int save_all(struct run *r)
{
	int err = extract(r);

	if (err && r->opt.spool && !r->spooling)
		return err;
	if (err != EINTR && (err != EPIPE || r->opt.served < 0))
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
	/* That a peer goes is to be known before anything is written to it in vain. */
	struct pollfd p[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = r->store.linked ? r->store.fd : -1, .events = POLLRDHUP },
	};

	(void)!ppoll(p, 2, ns < 0 ? NULL : &t, &r->mask);
	if (r->store.linked && tl_peer_gone(&r->store))
		spoilt(r);
}

/* Until the peer takes a piece of the spool, or fd has something. */
static void wait_link(struct run *r, int fd, int64_t ns)
{
	struct timespec t = { .tv_sec = ns / TL_NSEC, .tv_nsec = ns % TL_NSEC };
	struct pollfd p[] = {
		{ .fd = r->other.fd, .events = POLLOUT | POLLRDHUP },
		{ .fd = fd, .events = POLLIN },
	};

	(void)!ppoll(p, 2, &t, &r->mask);
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
	while (!tl_stop && !tl_reopen && !tl_save && !tl_tell && (left = end - tl_now()) > 0) {
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

static void swap_stores(struct run *r)
{
	struct tl_store t = r->store;

	r->store = r->other;
	r->other = t;
	r->spooling = !r->spooling;
}

/* Nobody is there: into files, if it is so wished. True: go on with these. */
static bool use_spool(struct run *r, int err)
{
	if (!err || err == EINTR || !r->opt.spool || r->spooling)
		return false;
	if (!r->opt.quiet)
		fprintf(stderr, "tracelogger: %s: %s; events go to %s\n", r->opt.to,
			link_error(&r->store.link, err), r->opt.spool);
	swap_stores(r);
	r->tried = tl_now();
	return true;
}

/* The last file is small: end it, send it, and go on over the link. */
static void leave_spool(struct run *r)
{
	int ret = 1;

	end_file(r);
	if (flush(r) || r->store.fd >= 0)
		return;
	while (ret > 0 && !tl_stop) {
		wait_link(r, -1, RETRY);
		ret = tl_spool_send(&r->spool, &r->store, &r->other);
	}
	if (ret || tl_stop || r->other.fd < 0)
		return;
	if (!r->opt.quiet)
		fprintf(stderr, "tracelogger: %s: all of %s is sent\n", r->opt.to, r->opt.spool);
	swap_stores(r);
}

/* Is anybody there again, and takes a piece? */
static void send_spool(struct run *r)
{
	if (r->other.fd < 0 && tl_now() - r->tried >= RETRY) {
		r->tried = tl_now();
		(void)!tl_store_begin(&r->other);
	}
	if (r->other.fd < 0)
		return;
	if (tl_peer_gone(&r->other)) {
		tl_spool_broken(&r->spool, &r->other);
		return;
	}
	if (tl_spool_send(&r->spool, &r->store, &r->other))
		return;
	if (r->other.fd >= 0 && r->store.fd >= 0 && r->store.size > LAST_FILE)
		end_file(r);
	else if (r->other.fd >= 0)
		leave_spool(r);
}

static void wait_more(struct run *r, int err)
{
	if (r->spooling && r->other.fd >= 0)
		wait_link(r, r->dev, RETRY);
	else if (err || r->spooling)
		wait_for(r, err ? -1 : r->dev, RETRY);
	else
		wait_for(r, r->dev, next_wake(r));
}

static void follow(struct run *r)
{
	int err = 0;

	while (!tl_stop && !r->ended) {
		wait_more(r, err);
		if (r->spooling)
			send_spool(r);
		if (!err && (!r->spooling || r->other.fd < 0))
			nap(r);
		if (tl_reopen && !tl_stop)
			end_file(r);
		tl_reopen = 0;
		tl_save = 0;
		err = save_all(r);
		if (use_spool(r, err))
			err = save_all(r);
		if (!r->store.opt->file && !r->opt.to && (err || r->store.errors))
			break;
		if (tl_tell) {
			tl_tell = 0;
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
		if (use_spool(r, err))
			err = save_all(r);
		if (!err && r->opt.once && !r->ended && r->until == UINT64_MAX) {
			/* No device: all of it. */
			wait_for(r, r->dev, -1);
			if (!tl_stop)
				continue;
		}
		if (!err || (!r->store.opt->file && !r->opt.to) || r->opt.once ||
		    tl_now() - begun >= FAREWELL)
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

/* -1: go on with a peer, in a process of its own; else the exit status. */
static int serve(struct run *r)
{
	int fd = tl_serve(&r->opt.link, &r->mask, r->ping / 2);

	if (fd == -ECANCELED)
		return 0;
	if (fd < 0) {
		fprintf(stderr, "tracelogger: %s: %s\n", r->opt.listen,
			link_error(&r->opt.link, -fd));
		return 1;
	}
	r->opt.served = fd;
	return -1;
}

static int begin(struct run *r)
{
	int err = tl_store_init(&r->store, &r->opt);

	r->store.mask = &r->mask;
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s\n", r->store.name.dir, strerror(-err));
		return 1;
	}
	if (r->opt.link.kind == LINK_SYSLOG && r->opt.to) {
		r->syslog = tl_syslog_new(&r->opt);
		r->announces = false;
		err = r->syslog ? 0 : -ENOMEM;
	}
	if (r->opt.spool) {
		err = tl_spool_init(&r->spool, &r->opt);
		r->other = r->spool.files;
	}
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s\n", r->opt.spool ? r->opt.spool : r->opt.to,
			strerror(-err));
		return 1;
	}
	/* Of the run before: that goes first. */
	if (r->other.nr)
		swap_stores(r);
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
	tl_signals(&r->mask);
	r->report.tty = isatty(STDERR_FILENO);
	watchdog(r);
	ret = r->opt.listen ? serve(r) : -1;
	if (ret >= 0)
		return ret;
	ret = begin(r);
	if (ret)
		return ret;
	tl_notify("READY=1");
	if (!r->opt.once)
		follow(r);
	tl_notify("STOPPING=1");
	err = finish(r);
	if (err == EPIPE || r->opt.served >= 0)
		err = 0;	/* nobody reads it any more */
	tl_store_free(&r->store);
	if (r->opt.spool)
		tl_spool_free(&r->spool, &r->other);
	tl_report_status(&r->report, &r->store, devtrace_decoder_totals(r->decoder), "ended");
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s; not all that there was is saved\n",
			r->store.name.dir, strerror(err));
		ret = 1;
	}
	tl_syslog_free(r->syslog);
	devtrace_decoder_free(r->decoder);
	close(r->dev);
	return ret;
}
