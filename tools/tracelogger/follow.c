// SPDX-License-Identifier: GPL-2.0-only
/* follow.c - wait for events, and send the spool while a peer is connected */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "run.h"

#define STEP		(5 * TL_NSEC / 1000)	/* interval of checks of the fill level */
#define SEVERE		(50 * TL_NSEC / 1000)	/* longest nap with --sync severity */

void tl_alive(struct tl_run *r)
{
	if (!r->ping || tl_now() - r->pinged < r->ping)
		return;
	tl_notify("WATCHDOG=1");
	r->pinged = tl_now();
}

/*
 * Limit a wait to half of the ping interval, so that it ends in time even if it begins just before
 * the next ping is due.
 */
int64_t tl_slice(const struct tl_run *r, int64_t ns)
{
	return r->ping && (ns < 0 || ns > r->ping / 2) ? r->ping / 2 : ns;
}

void tl_wait_for(struct tl_run *r, int fd, int64_t most)
{
	int64_t ns = tl_slice(r, most);
	struct timespec t = { .tv_sec = ns / TL_NSEC, .tv_nsec = ns % TL_NSEC };
	/* Also poll the peer's socket: a hang-up is noticed even if nothing is sent. */
	struct pollfd p[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = tl_peer_tells(&r->store) ? r->store.fd : -1,
		  .events = tl_peer_events(&r->store, false) },
		{ .fd = r->other.dial ? dial_fd(r->other.dial) : -1, .events = POLLIN },
	};

	(void)!ppoll(p, 3, ns < 0 ? NULL : &t, &r->mask);
	tl_alive(r);
	if (r->store.linked && tl_peer_gone(&r->store))
		tl_spoilt(r);
}

/* Wait until the peer accepts a piece of the spool, until @fd is readable, or for @most ns. */
static void wait_link(struct tl_run *r, int fd, int64_t most)
{
	int64_t ns = tl_peer_nap(&r->other, tl_slice(r, most));
	struct timespec t = { .tv_sec = ns / TL_NSEC, .tv_nsec = ns % TL_NSEC };
	struct pollfd p[] = {
		{ .fd = r->other.fd, .events = tl_peer_events(&r->other, true) },
		{ .fd = fd, .events = POLLIN },
	};

	(void)!ppoll(p, 2, &t, &r->mask);
	tl_alive(r);
}

/*
 * Would the events that were stored since the count was @known fill @percent of a CPU's buffer, if
 * one CPU had stored them all?
 */
static bool much(const struct tl_run *r, uint64_t known, uint64_t percent)
{
	struct devtrace_stats now = { .cpu = DEVTRACE_STATS_ALL };
	uint64_t held, each;

	if (ioctl(r->dev, DEVTRACE_IOC_STATS, &now) || now.stored <= known)
		return false;
	held = now.stored - now.overwritten;
	each = held ? now.used / held + 1 : 0;
	return (now.stored - known) * each * now.nr_cpus >= now.size / 100 * percent;
}

static uint64_t heard_of(struct tl_run *r)
{
	const struct devtrace_totals *t = tl_totals(r);

	return t->events + t->lost;
}

/*
 * Every event in the device has been read. Note the difference between the kernel's count of
 * events and the count of events read, so that tl_behind() can compare later counts.
 */
void tl_drained(struct tl_run *r)
{
	struct devtrace_stats now = { .cpu = DEVTRACE_STATS_ALL };

	r->unheard = ioctl(r->dev, DEVTRACE_IOC_STATS, &now) ? 0 : now.stored - heard_of(r);
}

bool tl_behind(struct tl_run *r, unsigned int percent)
{
	return much(r, heard_of(r) + r->unheard, percent);
}

/*
 * While the spool is used: return the time until the peer should be tried again, or until its
 * answer to the last try should be looked at, in ns. Events must not change this time: boards that
 * emit at the same moment would all connect then.
 */
static int64_t until_try(const struct tl_run *r)
{
	int64_t at = r->tried + TL_RETRY, left;

	if (r->other.dial) {
		struct pollfd p = { .fd = dial_fd(r->other.dial), .events = POLLIN };

		if (poll(&p, 1, 0) > 0)
			return 0;
	} else if (at < r->other.rested) {
		at = r->other.rested;
	}
	left = at - tl_now();
	return left > 0 ? left : 0;
}

/* Return how long events may accumulate, in ns. */
static int64_t nap_time(struct tl_run *r)
{
	struct tl_upload *upload = r->store.upload ? r->store.upload : r->other.upload;
	const int64_t turn = upload ? tl_upload_turn(upload) : -1;
	int64_t ns = turn >= 0 ? turn : r->opt.every;

	if (r->opt.sync_severity >= 0 && ns > SEVERE)
		ns = SEVERE;
	/* The next attempt to connect must not wait for the end of a nap. */
	if (r->spooling && (upload || r->other.dial) && ns > until_try(r))
		ns = until_try(r);
	return ns;
}

/* Let events accumulate: fewer and larger writes. */
static void nap(struct tl_run *r)
{
	struct devtrace_stats from = { .cpu = DEVTRACE_STATS_ALL };
	int64_t end, left;

	if (!r->opt.percent || ioctl(r->dev, DEVTRACE_IOC_STATS, &from))
		return;
	end = tl_now() + nap_time(r);
	while (!tl_stop && !tl_reopen && !tl_save && !tl_tell && (left = end - tl_now()) > 0) {
		tl_wait_for(r, -1, left < STEP ? left : STEP);
		if (much(r, from.stored, r->opt.percent) || (r->other.dial && !until_try(r)))
			break;
	}
}

static int64_t next_wake(const struct tl_run *r)
{
	int64_t ns = -1;

	/*
	 * Wake up each second: a file that has reached its age must end even if no event is
	 * emitted.
	 */
	if ((r->opt.age || r->store.name.periodic || r->report.tty) &&
	    r->store.fd >= 0)
		ns = TL_NSEC;
	/* The link broke, or an answer may be overdue. */
	if (r->store.linked && (r->done < r->edge || tl_peer_unsure(&r->store)))
		ns = tl_peer_nap(&r->store, TL_RETRY);
	return ns;
}

void tl_swap_stores(struct tl_run *r)
{
	struct tl_store t = r->store;

	r->store = r->other;
	r->other = t;
	/* Connecting to the peer must not delay writing to the spool. */
	r->store.patience = tl_slice(r, TL_GRACE);
	r->other.patience = 0;
	r->spooling = !r->spooling;
}

bool tl_use_spool(struct tl_run *r, int err)
{
	if (!err || err == EINTR || !r->opt.spool || r->spooling)
		return false;
	fprintf(stderr, "tracelogger: %s: %s; events are written to %s\n", r->opt.to,
		link_error(&r->store.link, err), r->opt.spool);
	tl_swap_stores(r);
	r->tried = tl_now();
	return true;
}

/* The whole spool was sent, so new events are sent over the link again. */
static void leave_spool(struct tl_run *r)
{
	size_t stuck;

	/*
	 * A request is not answered yet. If the logger is killed now, its records must still be in
	 * the spool.
	 */
	if (r->other.upload && tl_peer_unsure(&r->other))
		return;
	if (!tl_hold_unsure(r)) {
		tl_wait_for(r, -1, STEP);
		return;
	}
	tl_spool_leave(&r->spool, &r->store);
	stuck = tl_spool_stuck(&r->store);
	if (stuck)
		fprintf(stderr,
			"tracelogger: %s: the spool %s was sent, but %zu files cannot be read\n",
			r->opt.to, r->opt.spool, stuck);
	else if (!r->opt.quiet)
		fprintf(stderr, "tracelogger: %s: the whole spool %s was sent\n", r->opt.to,
			r->opt.spool);
	tl_swap_stores(r);
}

/*
 * The peer has disconnected. Keep the position in the file: the next peer gets the rest from
 * there, even if the logger is restarted.
 */
static void lose_peer(struct tl_run *r)
{
	if (tl_spool_current(&r->spool, &r->store)) {
		tl_end_file(r);
		(void)tl_flush(r);	/* the next write reports the error */
	}
	tl_spool_broken(&r->spool, &r->store, &r->other);
	if (tl_peer_again(&r->other))
		r->tried = 0;
}

/* Connect to the peer if it is time to retry. If it is connected, send a piece of the spool. */
static void send_spool(struct tl_run *r)
{
	if (r->other.fd < 0 && !until_try(r)) {
		r->tried = tl_now();
		if (!tl_store_begin(&r->other))
			tl_spool_retry(&r->store);
	}
	if (r->other.fd < 0)
		return;
	if (tl_peer_gone(&r->other)) {
		lose_peer(r);
		return;
	}
	switch (tl_spool_send(&r->spool, &r->store, &r->other)) {
	case TL_SPOOL_BROKEN:
		lose_peer(r);
		break;
	case TL_SPOOL_CLOSE:
		tl_end_file(r);
		break;
	case TL_SPOOL_SENT:
		leave_spool(r);
		break;
	case TL_SPOOL_MORE:
		break;
	}
}

bool tl_empty_spool(struct tl_run *r, int *err)
{
	int64_t now = tl_now(), last = now + TL_LAST, end = now + TL_FAREWELL;
	uint64_t arrived = 0, was, left;

	r->ended = r->ended || !*err;
	/* End the current file: only a finished file can be sent to its end and then removed. */
	tl_end_file(r);
	r->other.patience = tl_slice(r, TL_CONNECT);
	while (r->spooling && !tl_stop && now < end && now < last) {
		*err = tl_save_all(r);
		send_spool(r);
		was = arrived;
		arrived = r->other.bytes - tl_peer_unsure(&r->other);
		now = tl_now();
		if (arrived != was)
			end = now + TL_FAREWELL;
		if (!r->spooling)
			*err = tl_save_all(r);
		else if (r->other.fd >= 0)
			wait_link(r, -1, STEP);
		tl_wait_for(r, -1, r->spooling && r->other.fd < 0 ? STEP : 0);
	}
	if (!r->spooling && !*err)
		*err = tl_settle(r);
	if (tl_use_spool(r, *err))
		*err = tl_save_all(r);
	left = r->spooling ? r->store.total : r->other.total;
	if (left)
		fprintf(stderr, "tracelogger: %s: not everything was sent; %" PRIu64 " bytes remain in files in %s\n",
			r->opt.to, left, r->opt.spool);
	return left > 0;
}

static void wait_more(struct tl_run *r, int err)
{
	/* A signal that arrived during the writes must be served first. */
	if (tl_stop || tl_reopen || tl_save || tl_tell)
		return;
	if (!err && !r->drained && !r->spooling)
		return;
	if (r->spooling && r->other.fd >= 0)
		wait_link(r, err ? -1 : r->dev, TL_RETRY);
	else if (r->spooling)
		tl_wait_for(r, err ? -1 : r->dev, err ? TL_RETRY : until_try(r));
	else if (err)
		tl_wait_for(r, -1, TL_RETRY);
	else
		tl_wait_for(r, r->dev, next_wake(r));
}

void tl_follow(struct tl_run *r)
{
	int err = 0;

	r->follows = true;
	while (!tl_stop && !r->ended) {
		wait_more(r, err);
		if (r->spooling)
			send_spool(r);
		if (!err && r->drained && (!r->spooling || r->other.fd < 0))
			nap(r);
		if (tl_reopen && !tl_stop)
			tl_end_file(r);
		tl_reopen = 0;
		tl_save = 0;
		err = tl_save_all(r);
		if (tl_use_spool(r, err))
			err = tl_save_all(r);
		if (!r->store.opt->file && !r->opt.to &&
		    (err || r->store.errors || r->store.left))
			break;
		if (tl_tell) {
			tl_tell = 0;
			if (r->store.sync)
				tl_sync_written(r->store.sync, true);
			tl_report_status(&r->report, &r->store,
					 tl_totals(r), "asked");
		}
	}
	r->follows = false;
}
