// SPDX-License-Identifier: GPL-2.0-only
/*
 * head_error.c - the largest error of the dates of a stream
 *
 * CTF has one clock with one offset and one error. The error must hold for each event, and must be
 * known before the first one. So the input is read twice.
 *
 * Invariant: the error of no date is larger than the one found. The events before the first known
 * error have this error, plus what the trace clock may drift until then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/zread.h"
#include "view/dates.h"
#include "view/head.h"

struct error_scan {
	struct view_head *head;
	struct devtrace_decoder *decoder;
	uint8_t		boot[16];
	bool		has_boot, new_boot;
	/* of this boot. epoch: date minus trace clock; begun: it has events */
	int64_t		epoch;
	bool		begun;
	uint64_t	first;		/* time of the oldest event so far */
	struct view_dates dates;
	enum devtrace_sync sync;	/* of the last event */
	/* boots, and those with a known error, and without any synchronization */
	unsigned int	boots, exact, never;
};

static void error_grow(struct error_scan *s, uint64_t error)
{
	if (error > s->head->error)
		s->head->error = error;
}

static void error_event(struct error_scan *s, uint64_t ts)
{
	const bool known = s->dates.known;
	uint64_t error;

	if (!s->begun || ts < s->first)
		s->first = ts;
	s->begun = true;
	s->sync = devtrace_decoder_error(s->decoder, ts, &error);
	if (!view_dates_error(&s->dates, s->decoder, ts, s->epoch, &error))
		return;
	error_grow(s, error + (known ? 0 : view_dates_drift(ts - s->first)));
	if (s->sync == DEVTRACE_SYNC_ERROR)
		memcpy(s->head->source, devtrace_decoder_statement(s->decoder)->source,
		       sizeof(s->head->source));
}

static void error_boot_end(struct error_scan *s)
{
	if (s->begun) {
		s->boots++;
		s->exact += s->dates.known;
		s->never += !s->dates.known && s->sync == DEVTRACE_SYNC_NEVER;
	}
	s->begun = false;
	memset(&s->dates, 0, sizeof(s->dates));
}

static int error_item(const struct devtrace_item *item, void *arg)
{
	struct error_scan *s = arg;
	const struct devtrace_clock *c = &item->u.clock;

	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		error_event(s, item->u.event.ts);
		break;
	case DEVTRACE_ITEM_INFO:
		if (s->has_boot && memcmp(s->boot, item->u.info.boot_id, sizeof(s->boot))) {
			error_boot_end(s);
			s->new_boot = true;
		}
		memcpy(s->boot, item->u.info.boot_id, sizeof(s->boot));
		s->has_boot = true;
		break;
	case DEVTRACE_ITEM_CLOCK:
		if (s->new_boot)
			s->epoch = (int64_t)((uint64_t)c->real - c->ts);
		s->new_boot = false;
		break;
	default:
		break;
	}
	return 0;
}

/* Return false if the input could not be read to its end. */
static bool error_read(struct error_scan *s, int fd, struct zread *z, char *buf)
{
	size_t left = s->head->is_file ? SIZE_MAX : VIEW_HEAD_MAX;
	ssize_t n;

	while (left) {
		n = zread_read(z, fd, buf, VIEW_HEAD_BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return !n || errno == EAGAIN;
		devtrace_decoder_feed(s->decoder, buf, (size_t)n, NULL);
		left -= (size_t)n < left ? (size_t)n : left;
	}
	return false;
}

void view_head_error(struct view_head *h, const char *path)
{
	struct error_scan s = { .head = h, .epoch = h->epoch };
	struct zread *z = zread_new(NULL, NULL);
	char *buf = malloc(VIEW_HEAD_BLOCK);
	const char *problem;
	const int fd = h->has_clock ? view_head_open(path, &problem) : -1;

	h->dates = VIEW_DATES_UNKNOWN;
	h->error = 0;
	*h->source = 0;
	s.decoder = devtrace_decoder_new(error_item, &s);
	if (fd >= 0 && z && buf && s.decoder && error_read(&s, fd, z, buf)) {
		devtrace_decoder_finish(s.decoder);
		error_boot_end(&s);
		if (s.boots && s.exact == s.boots)
			h->dates = VIEW_DATES_ERROR;
		else if (s.boots && s.never == s.boots)
			h->dates = VIEW_DATES_NEVER;
	}
	if (fd >= 0)
		close(fd);
	free(buf);
	zread_free(z);
	devtrace_decoder_free(s.decoder);
}
