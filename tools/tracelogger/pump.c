// SPDX-License-Identifier: GPL-2.0-only
/*
 * pump.c - read from the device, and write what was read
 *
 * Invariants
 * - The logger reads the device only if it can write the bytes. While the disk is full, the kernel
 *   overwrites old events in its buffer, and LOST frames report the exact number. Bytes that were
 *   read and could not be written stay in memory.
 * - A file ends after a whole frame, unless an error or a power failure cuts it. After an error,
 *   the next file begins with the frame that was cut.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "run.h"

#define LEAST		4096		/* smallest room worth a read, bytes */
/* longest time of reading and writing until signals and syncs are served */
#define PASS		(TL_NSEC / 10)
/* reading must have lasted this long before a peer counts as too slow */
#define PATIENCE	(TL_NSEC / 5)
#define LOOK		(TL_NSEC / 10)	/* interval of checks for a slow peer */
/* if more than this part of the buffer (%) is unread, the peer is too slow */
#define BEHIND		50

int tl_on_item(const struct devtrace_item *item, void *arg)
{
	struct tl_run *r = arg;
	const struct devtrace_event *e = &item->u.event;

	if (item->kind != DEVTRACE_ITEM_EVENT)
		return 0;
	r->last_ts = e->ts;
	if (r->exec)
		tl_exec_event(r->exec, r->decoder, e);
	if (r->opt.sync_severity >= 0 && e->severity & DEVTRACE_SEV_SET &&
	    (e->severity & 3) >= r->opt.sync_severity)
		r->severe = true;
	return 0;
}

/* Return the offset of the end of the last whole frame in the first @n bytes. */
static size_t whole(const struct tl_run *r, size_t n)
{
	const uint8_t *flag;

	flag = n ? memrchr(r->buf, DEVTRACE_FLAG, n) : NULL;
	return flag ? (size_t)(flag - r->buf) + 1 : 0;
}

const struct devtrace_totals *tl_totals(struct tl_run *r)
{
	const struct devtrace_totals *t = devtrace_decoder_totals(r->decoder);

	r->totals = *t;
	r->totals.events += r->tally.totals.events;
	r->totals.lost += r->tally.totals.lost;
	return &r->totals;
}

/*
 * Count the events in @n bytes. The tally counts them, until the end of the input is set: then the
 * decoder takes over at the next whole frame, because the timestamps are needed.
 */
static void learn(struct tl_run *r, const uint8_t *p, size_t n)
{
	static const uint8_t flag = DEVTRACE_FLAG;

	if (r->tallies && r->until != UINT64_MAX && !r->tally.at) {
		r->tallies = false;
		devtrace_decoder_feed(r->decoder, &flag, 1, NULL);
	}
	if (r->tallies)
		tl_tally(&r->tally, p, n);
	else
		devtrace_decoder_feed(r->decoder, p, n, NULL);
}

/* Account for @n bytes that were appended to the buffer. */
static void took(struct tl_run *r, size_t n)
{
	const uint8_t *flag = memrchr(r->buf + r->len, DEVTRACE_FLAG, n);

	learn(r, r->buf + r->len, n);
	r->len += n;
	if (flag)
		r->edge = (size_t)(flag - r->buf) + 1;
	else if (r->len - r->edge > 2 * DEVTRACE_FRAME_MAX)
		/*
		 * If no flag was found for so long, the input is not a trace stream and has no
		 * frames.
		 */
		r->edge = r->len;
}

static int put_compact(const void *p, size_t n, void *arg)
{
	struct tl_run *r = arg;

	memcpy(r->buf + r->len, p, n);
	took(r, n);
	return 0;
}

/*
 * Begin compaction anew, because a reader of the next file may not have the previous one. If the
 * device cannot announce the stream on request, frames stay long until it announces itself.
 */
static void restart_compact(struct tl_run *r)
{
	if (!r->compact)
		return;
	devtrace_compact_finish(r->compact);
	devtrace_compact_free(r->compact);
	r->compact = devtrace_compact_new(put_compact, r);
}

int tl_begin_compact(struct tl_run *r)
{
	devtrace_compact_free(r->compact);
	r->compact = r->opt.compact ? devtrace_compact_new(put_compact, r) : NULL;
	return r->opt.compact && !r->compact ? -ENOMEM : 0;
}

/* Read at most @most bytes, but only so many that the frames, made compact, fit into @room. */
static ssize_t read_frames(struct tl_run *r, size_t most, size_t room)
{
	ssize_t n;

	if (!r->compact) {
		n = read(r->dev, r->buf + r->len, most < room ? most : room);
		if (n > 0)
			took(r, (size_t)n);
		return n;
	}
	/* A frame that is made compact becomes at most twice as long. */
	room /= 2;
	if (most > sizeof(r->raw))
		most = sizeof(r->raw);
	n = read(r->dev, r->raw, most < room ? most : room);
	if (n > 0)
		devtrace_compact_feed(r->compact, r->raw, (size_t)n);
	else if (!n)
		devtrace_compact_finish(r->compact);
	return n;
}

/*
 * Return the offset up to which whole frames are known to have arrived at the peer. If the link
 * does not report acknowledgements, all bytes that were sent count as arrived.
 */
static size_t sure(const struct tl_run *r)
{
	size_t unsure = tl_peer_unsure(&r->store), known;

	if (unsure > TL_UNSURE)
		unsure = TL_UNSURE;
	known = unsure < r->done ? r->done - unsure : 0;
	return r->store.linked ? whole(r, known) : known;
}

/* Remove bytes from the buffer that have arrived at the peer. */
static void forget(struct tl_run *r)
{
	size_t n = sure(r);

	memmove(r->buf, r->buf + n, r->len - n);
	r->len -= n;
	r->edge -= n;
	if (r->cut != TL_NO_CUT)
		r->cut -= n;
	r->done -= n;
}

bool tl_hold_unsure(struct tl_run *r)
{
	off_t from = tl_spool_sure(&r->spool, &r->other);
	size_t n = (size_t)(r->spool.sent - from);

	forget(r);
	if (n > TL_BUF - r->len)
		return false;
	memmove(r->buf + n, r->buf, r->len);
	if (n && pread(r->spool.fd, r->buf, n, from) != (ssize_t)n) {
		memmove(r->buf, r->buf + n, r->len);
		return false;
	}
	r->len += n;
	r->edge += n;
	if (r->cut != TL_NO_CUT)
		r->cut += n;
	r->done = n;
	return true;
}

/*
 * End the file after the current frame. Before that, read the announcement that the next file
 * needs.
 */
void tl_end_file(struct tl_run *r)
{
	ssize_t n, more;

	if (r->store.fd < 0 || r->cut != TL_NO_CUT)
		return;
	r->cut = r->edge;
	if (!r->announces) {
		restart_compact(r);
		return;
	}
	n = ioctl(r->dev, DEVTRACE_IOC_ANNOUNCE);
	if (n < 0) {
		/*
		 * The input is a pipe or an older module: the next file will have no announcement.
		 */
		r->announces = false;
		restart_compact(r);
		return;
	}
	while (n > 0 && r->len < TL_BUF) {
		more = read_frames(r, (size_t)n, TL_BUF - r->len);
		if (more <= 0)
			break;
		n -= more;
	}
	r->cut = r->edge;
}

void tl_spoilt(struct tl_run *r)
{
	size_t known = r->store.linked ? sure(r) : whole(r, r->done);

	if (r->gave_up && !r->opt.spool)
		r->store.unacked += r->done - known;
	else
		r->store.resent += r->done - known;
	tl_end_file(r);
	tl_store_spoilt(&r->store);
	r->cut = TL_NO_CUT;
	r->done = known;
	forget(r);
}

/*
 * Stop writing to a file that was moved, removed or cut. Bytes that it lost are written to another
 * file, which begins with a whole frame.
 */
static void leave_file(struct tl_run *r)
{
	const size_t known = whole(r, r->done);

	tl_end_file(r);
	tl_store_end(&r->store);
	r->cut = TL_NO_CUT;
	r->done = known;
	forget(r);
}

static bool is_full(int err)
{
	return err == ENOSPC || err == EDQUOT;
}

/*
 * Is the peer slower than the programs emit? If there is a spool, the caller then uses it, so that
 * no event is lost.
 */
static bool too_slow(struct tl_run *r)
{
	if (!r->opt.spool || !r->store.linked || tl_now() - r->busy < PATIENCE ||
	    !tl_behind(r, BEHIND))
		return false;
	r->store.link.why = "the peer is slower than events are emitted";
	return true;
}

/*
 * A signal interrupted a wait for the link. After the first signal to end, wait TL_FAREWELL
 * longer. Further signals within a second are ignored, because one request may arrive several
 * times, from the process group and from the parent; a later signal ends the wait. Return true to
 * wait until *@end.
 */
static bool wait_on(struct tl_run *r, sig_atomic_t stops, int64_t *end)
{
	int64_t now = tl_now();

	if (tl_stop == stops)
		return true;
	if (stops)
		return now - r->stopped < TL_NSEC;
	r->stopped = now;
	*end = now + TL_FAREWELL;
	return true;
}

/*
 * Wait until the pipe or link accepts bytes; a signal interrupts the wait. For a pipe, limit *@n
 * to the bytes that it accepts at once. Return 0 or an error number.
 */
static int can_write(struct tl_run *r, ssize_t *n)
{
	const bool linked = r->store.linked, spool = linked && r->opt.spool;
	struct pollfd p = { .fd = r->store.fd, .events = POLLOUT };
	int64_t end = tl_now() + TL_FAREWELL, ns;
	sig_atomic_t stops;
	struct timespec t;
	bool limited;
	int ret;

	if (!linked && *n > PIPE_BUF)
		*n = PIPE_BUF;
	do {
		if (linked)
			p.events = tl_peer_events(&r->store, true);
		stops = tl_stop;
		if (stops && !r->stopped)
			r->stopped = tl_now();
		limited = stops || spool;
		ns = limited ? end - tl_now() : -1;
		ns = tl_slice(r, limited && ns < 0 ? 0 : ns);
		if (spool && ns > LOOK)
			ns = LOOK;
		if (linked)
			ns = tl_peer_nap(&r->store, ns);
		t = (struct timespec){ .tv_sec = ns / TL_NSEC, .tv_nsec = ns % TL_NSEC };
		ret = ppoll(&p, 1, ns < 0 ? NULL : &t, &r->mask);
		tl_alive(r);
		if (ret < 0 && errno == EINTR && wait_on(r, stops, &end))
			ret = 0;
		/* An answer may be overdue. */
		if (!ret && r->store.upload && tl_peer_gone(&r->store))
			return ECONNRESET;
	} while (!ret && (!(limited || tl_stop) || tl_now() < end) && !too_slow(r));
	if (linked && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) && tl_peer_gone(&r->store))
		return ECONNRESET;
	if (r->stopped && tl_now() - r->stopped >= TL_LAST)
		ret = 0;
	else if (ret > 0 || (!tl_stop && !spool))
		return 0;
	r->gave_up = tl_stop;
	return ETIMEDOUT;
}

int tl_flush(struct tl_run *r)
{
	while (r->done < r->edge || r->cut != TL_NO_CUT) {
		size_t end = r->cut != TL_NO_CUT ? r->cut : r->edge;
		uint64_t room, size;
		ssize_t n;
		int err;

		if (r->done == end) {
			tl_store_end(&r->store);
			r->cut = TL_NO_CUT;
			forget(r);
			continue;
		}
		/* Check this after each wait for room, too: users move files away to make room. */
		if (tl_store_left(&r->store)) {
			leave_file(r);
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
		if (r->store.zip)
			n = (ssize_t)tl_zip_fits(r->store.zip, room, end - r->done);
		if (!n)
			return ENOSPC;
		err = r->store.opt->file ? 0 : can_write(r, &n);
		if (err && !r->store.linked)
			return err;
		size = r->store.size;
		n = err ? -err : tl_store_write(&r->store, r->buf + r->done, (size_t)n);
		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n < 0 && (r->store.linked || (r->store.opt->file && !is_full((int)-n))))
			tl_spoilt(r);
		if (n < 0 && tl_peer_again(&r->store))
			continue;
		if (n < 0)
			return (int)-n;
		if (tl_store_took_away(&r->store, size)) {
			leave_file(r);
			continue;
		}
		r->done += (size_t)n;
		r->written = true;
	}
	forget(r);
	return 0;
}

int tl_settle(struct tl_run *r)
{
	const int64_t end = tl_now() + TL_FAREWELL;
	int err;

	while (r->store.upload && tl_peer_unsure(&r->store)) {
		const struct timespec t = { .tv_nsec = tl_peer_nap(&r->store, LOOK) };
		struct pollfd p = { .fd = r->store.fd };

		err = -tl_peer_push(&r->store);
		p.events = tl_peer_events(&r->store, false);
		if (!err && tl_peer_unsure(&r->store))
			(void)!ppoll(&p, 1, &t, &r->mask);
		tl_alive(r);
		if (!err && tl_peer_gone(&r->store))
			err = ECONNRESET;
		if (!err && tl_peer_unsure(&r->store) && tl_now() >= end)
			err = ETIMEDOUT;
		if (!err)
			continue;
		if (!tl_peer_unsure(&r->store))
			err = 0;
		tl_spoilt(r);
		return err;
	}
	return 0;
}

/*
 * Is it time to return to the caller? If programs emit fast, the buffer is never empty, so check
 * from time to time for a signal or a sync that is due.
 */
static bool is_wanted(const struct tl_run *r, int64_t begun)
{
	static const struct timespec none;

	if (!r->follows)
		return false;
	(void)!ppoll(NULL, 0, &none, &r->mask);
	return tl_stop || tl_reopen || tl_save || tl_tell || tl_now() - begun >= PASS;
}

/* Read and write until the device is empty. Return 0, or the error that prevents writing. */
static int extract(struct tl_run *r)
{
	int64_t begun = tl_now();
	int err;

	if (r->drained)
		r->busy = begun;
	r->drained = false;

	for (;;) {
		uint64_t room;
		ssize_t n;

		err = tl_flush(r);
		if (err || r->ended)
			return err;
		if (tl_store_full(&r->store)) {
			tl_end_file(r);
			continue;
		}
		room = tl_store_room(&r->store, LEAST + TL_RESERVE + TL_HEAD_MAX + r->len);
		if (room <= TL_RESERVE + TL_HEAD_MAX + r->len)
			return ENOSPC;
		room -= TL_RESERVE + TL_HEAD_MAX + r->len;
		if (r->store.fd >= 0 && r->store.opt->file) {
			uint64_t end = r->store.size + r->len + TL_RESERVE;

			if (end >= r->store.opt->size) {
				tl_end_file(r);
				continue;
			}
			if (room > r->store.opt->size - end)
				room = r->store.opt->size - end;
		}
		if (too_slow(r)) {
			tl_spoilt(r);
			return ETIMEDOUT;
		}
		if (is_wanted(r, begun))
			return 0;
		if (room > TL_PIECE)
			room = TL_PIECE;
		if (room > r->quota)
			room = r->quota;
		n = room ? read_frames(r, room, room) : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (!room || (n < 0 && errno == EAGAIN)) {
			r->drained = true;
			if (r->opt.spool)
				tl_drained(r);
			err = -tl_peer_push(&r->store);
			if (err)
				tl_spoilt(r);
			return err;
		}
		if (r->quota != SIZE_MAX)
			r->quota -= (size_t)n > r->quota ? r->quota : (size_t)n;
		if (n < 0) {
			fprintf(stderr, "tracelogger: %s: %s\n", r->opt.device, strerror(errno));
			r->failed = true;
		}
		/* The input has ended: write the rest, and close the link in order. */
		if (n <= 0) {
			r->ended = true;
			r->edge = r->len;
		}
		if (r->last_ts > r->until)
			r->ended = true;
		tl_report_progress(&r->report, &r->store, tl_totals(r));
		tl_alive(r);
	}
}

int tl_save_all(struct tl_run *r)
{
	int err;

	tl_accuracy(r);
	err = extract(r);
	if (err && r->opt.spool && !r->spooling)
		return err;
	if (err != EINTR && !r->store.left)
		tl_report_blocked(&r->report, &r->store, err);
	if (r->store.sync && r->written)
		tl_sync_written(r->store.sync, r->opt.sync_always || r->severe);
	tl_store_synced(&r->store);
	r->written = false;
	r->severe = false;
	tl_alive(r);
	return err;
}
