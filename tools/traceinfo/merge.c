// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge.c - merge the events of several boards by wall clock
 *
 * Invariants
 * - At most one event of each board is held, with a copy of its bytes. Items between two events of
 *   a board (losses, damage, names) are printed after the first of the two.
 * - The held event with the earliest wall-clock time is printed first. An event before a file's
 *   first CLOCK frame is dated by that frame. If there is no such frame, the event gets the time
 *   of the board's previous event.
 * - An event is marked if its distance to an event of another board, printed before or held, is
 *   smaller than the sum of both errors. Events without a known error are not marked.
 * - Other boards wait at most WAIT for a board without new events, and at most ANSWER for a board
 *   that does not answer. If such a board has older events later, they are printed when they come,
 *   and counted as late.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "align.h"
#include "merge.h"
#include "layout.h"
#include "common/complain.h"
#include "common/zread.h"

#define BLOCK	(64 * 1024)
#define NSEC	1000000000ll
#define WAIT	NSEC		/* for a silent board */
#define ANSWER	(3 * NSEC)	/* for a board that does not answer */
#define CONNECT_MS	10000	/* limit of each connection attempt */
#define WIDTH	16		/* largest width of the column */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

/* With --align: date a time of this board by the clock of the first one. */
static bool align_date(void *arg, uint64_t ts, int64_t *real)
{
	const struct ti_source *s = arg;
	uint64_t error;

	*real = ti_align_real(s->merge->align,
			      ti_align_time(s->merge->align, ti_merge_nr(s), ts, &error));
	return true;
}

/* Switch the output to this board. */
struct out *ti_merge_turn(struct ti_source *s)
{
	struct ti_run *run = s->merge->run;

	run->in = &s->in;
	run->opt->filter.pids = s->pids;
	ti_clock_first(s->ahead ? &s->first : NULL);
	run->printer.board = s->board->name;
	run->printer.board_nr = (unsigned int)ti_merge_nr(s);
	if (s->merge->align)
		ti_clock_align(align_date, s);
	return &run->out;
}

static int on_item(const struct devtrace_item *item, void *arg)
{
	struct ti_source *s = arg;
	uint64_t error;
	int64_t real;

	if (item->kind == DEVTRACE_ITEM_NOTE) {
		ti_board_note(s->board->name, &item->u.note);
		if (!strcmp(item->u.note.name, DEVTRACE_NOTE_CLOCK))
			snprintf(s->clock, sizeof(s->clock), "%s", item->u.note.value);
	}
	ti_merge_announce(s, item);
	if (item->kind == DEVTRACE_ITEM_CLOCK) {
		s->ahead = false;
		ti_merge_clock(s, &item->u.clock);
	}
	ti_merge_turn(s);
	if (item->kind != DEVTRACE_ITEM_EVENT) {
		s->stopped = ti_item(item, s->merge->run);
		return s->stopped;
	}
	s->item = *item;
	if (item->u.event.len)
		memcpy(s->data, item->u.event.data, item->u.event.len);
	s->item.u.event.data = s->data;
	if (s->merge->align)
		s->key = (int64_t)ti_align_time(s->merge->align, ti_merge_nr(s), item->u.event.ts,
						&error);
	else if (ti_clock_real(s->in.decoder, item->u.event.ts, &real))
		s->key = real;
	ti_merge_sync(s, item->u.event.ts);
	s->held = true;
	return 1;
}

static void add_totals(struct devtrace_totals *to, const struct devtrace_totals *t)
{
	to->events += t->events;
	to->lost += t->lost;
	to->missing += t->missing;
	to->damages += t->damages;
	to->damaged_bytes += t->damaged_bytes;
}

/* Return 0 if the link is open or a connection attempt is in progress; otherwise 1. */
static int open_link(struct ti_source *s)
{
	const char *problem;

	if (!s->dial && link_parse(&s->link, s->path, &problem)) {
		s->fd = -EINVAL;
	} else if (s->link.kind != LINK_TCP || !*s->link.host) {
		s->fd = link_open(&s->link, -1, NULL);
	} else {
		if (!s->dial)
			s->dial = dial_begin(&s->link, CONNECT_MS);
		s->fd = s->dial ? dial_take(s->dial, &s->link) : -ENOMEM;
		if (s->fd == -EINPROGRESS)
			return 0;
		s->dial = NULL;
	}
	return s->fd < 0 ? complain_link(TI_NAME, &s->link, s->path, -s->fd) : 0;
}

/* Open the next input, or continue opening. */
static int open_next(struct ti_source *s)
{
	struct ti_run *run = s->merge->run;
	bool is_stdin;

	if (!s->dial)
		s->path = s->board->files[s->next++].path;
	is_stdin = !strcmp(s->path, "-");
	s->linked = link_is(s->path);
	s->live = false;
	ti_merge_turn(s);
	if (s->linked) {
		if (open_link(s))
			return 1;
		if (s->dial)
			return 0;
	} else if (is_stdin) {
		s->fd = dup(STDIN_FILENO);
		s->path = "standard input";
	} else {
		s->live = ti_is_device(s->path);
		s->fd = open(s->path, O_RDONLY | O_CLOEXEC | (s->live ? O_NONBLOCK : 0));
	}
	if (s->fd < 0 || fstat(s->fd, &s->st))
		return complain_input(TI_NAME, s->path, s->live);
	if (ti_input_window(run, s->fd, s->path, s->live, s->buf) ||
	    ti_input_begin(run, on_item, s))
		return 1;
	s->ahead = ti_find_clock(s->fd, &s->st, &s->first);
	if (s->live) {
		s->in.evidence.found = true;
		s->pids = ti_pids_new(s->fd);
		ti_merge_turn(s);
		ti_print_pids(run);
	}
	s->in.named = !s->linked && !is_stdin;
	s->at = 0;
	s->len = 0;
	s->clocked = false;
	if (S_ISREG(s->st.st_mode))
		s->totals.missing += ti_piece_begin(run, &s->board->files[s->next - 1]);
	return 0;
}

static void close_file(struct ti_source *s)
{
	struct devtrace_totals t;
	int ret;

	ti_merge_turn(s);
	if (s->in.decoder) {
		if (s->in.evidence.found && !s->announced)
			ti_merge_announce_now(s, NULL);
		t = *devtrace_decoder_totals(s->in.decoder);
		t.damages += s->in.zstd_damages;
		t.damaged_bytes += s->in.zstd_bytes;
		ret = ti_input_end(s->merge->run, s->path, s->stopped || ti_stop ?
				   TI_END_STOPPED : TI_END_LATER, &s->st, s->live);
		if (!ret)
			add_totals(&s->totals, &t);
		s->merge->ret |= ret;
	}
	if (s->linked)
		link_close(&s->link, s->fd);
	else if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	ti_pids_free(s->pids);
	s->pids = NULL;
	s->merge->run->opt->filter.pids = NULL;
	s->finishing = false;
	s->stopped = false;
}

static bool silent(const struct ti_source *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return !S_ISREG(s->st.st_mode) && !s->live && !zread_holds(s->in.zread) &&
	       poll(&p, 1, 0) == 0;
}

/* Read another block. Return false if no data is available now. */
static bool read_more(struct ti_source *s)
{
	ssize_t n;

	ti_merge_turn(s);
	do {
		if (silent(s))
			return false;
		n = ti_input_read(s->merge->run, s->fd, s->buf, BLOCK);
	} while (n < 0 && errno == EINTR && !ti_stop);
	if (n < 0 && (errno == EINTR || (errno == EAGAIN && !s->live)))
		return false;
	if (n < 0 && errno != EAGAIN) {
		s->merge->ret |= complain_input(TI_NAME, s->path, s->live);
		ti_release(s->merge->run);
	}
	s->at = 0;
	s->len = n > 0 ? (size_t)n : 0;
	s->finishing = n <= 0;
	s->arrived = now_ns();
	return true;
}

/*
 * Read the board's input up to its next event. Afterwards the board holds an event or is done, or
 * else no data is available now.
 */
static void advance(struct ti_source *s)
{
	while (!s->held && !s->done && !ti_stop) {
		size_t used = 0;

		if (s->fd < 0) {
			s->done = s->next == s->board->nr && !s->dial;
			if (!s->done && open_next(s)) {
				s->merge->ret = 1;
				close_file(s);
			}
			if (s->dial)
				return;
			continue;
		}
		if (s->at < s->len) {
			devtrace_decoder_feed(s->in.decoder, s->buf + s->at, s->len - s->at, &used);
			s->at += used;
		} else if (s->finishing) {
			/* The rest of an incomplete frame on a live device will arrive later. */
			if (s->live || !devtrace_decoder_finish(s->in.decoder))
				close_file(s);
		} else if (!read_more(s)) {
			return;
		}
		if (s->stopped && s->fd >= 0)
			close_file(s);
	}
}

static void wait_some(struct ti_merge *m, int64_t ns)
{
	struct pollfd *p = ti_alloc(NULL, m->n * sizeof(*p));
	struct timespec t = { .tv_sec = ns / NSEC, .tv_nsec = ns % NSEC };
	sigset_t block, old;
	size_t i;

	for (i = 0; i < m->n; i++)
		p[i] = (struct pollfd){
			.fd = m->v[i].held || m->v[i].done ? -1 :
			      m->v[i].dial ? dial_fd(m->v[i].dial) : m->v[i].fd,
			.events = POLLIN,
		};
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	if (!ti_stop)
		(void)!ppoll(p, (nfds_t)m->n, ns < 0 ? NULL : &t, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	free(p);
	for (i = 0; i < m->n; i++)
		advance(&m->v[i]);
}

/*
 * Return the board with the oldest held event. Set *others to the time, in ns, to wait for boards
 * that may still deliver an older event.
 */
static struct ti_source *oldest(struct ti_merge *m, int64_t *others)
{
	struct ti_source *s = NULL;
	size_t i;

	*others = 0;
	for (i = 0; i < m->n; i++) {
		if (m->v[i].held && (!s || m->v[i].key < s->key))
			s = &m->v[i];
		if (m->v[i].dial)
			*others = ANSWER;
		else if (!m->v[i].held && !m->v[i].done && !*others)
			*others = WAIT;
	}
	return s;
}

static bool is_near(int64_t a, int64_t b, uint64_t error)
{
	return (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b) < error;
}

static bool is_near_printed(const struct ti_source *s, const struct ti_printed *p)
{
	return p->valid && is_near(s->key, p->key, s->error + p->error);
}

/* Note the held event, which is being printed. */
static void note_printed(struct ti_source *s)
{
	struct ti_printed *far = &s->farthest;

	if (!s->has_error)
		return;
	s->printed = (struct ti_printed){ .valid = true, .key = s->key, .error = s->error };
	if (!far->valid ||
	    (int64_t)((uint64_t)s->key + s->error - (uint64_t)far->key - far->error) > 0)
		*far = s->printed;
}

/* May the held event have happened on the other side of an event of another board? */
static bool is_uncertain(const struct ti_merge *m, const struct ti_source *s)
{
	size_t i;

	for (i = 0; s->has_error && i < m->n; i++) {
		const struct ti_source *o = &m->v[i];

		if (o == s)
			continue;
		if (is_near_printed(s, &o->printed) || is_near_printed(s, &o->farthest))
			return true;
		if (o->held && o->has_error && is_near(s->key, o->key, s->error + o->error))
			return true;
	}
	return false;
}

static void print_held(struct ti_merge *m, struct ti_source *s)
{
	ti_merge_turn(s);
	m->run->printer.uncertain = is_uncertain(m, s);
	m->run->printer.is_aligned = m->align;
	m->run->printer.aligned = (uint64_t)s->key;
	m->run->printer.align_error = s->error;
	m->run->printer.has_error = s->has_error && !m->align;
	m->run->printer.error = s->error;
	note_printed(s);
	if (s->key < m->key) {
		const uint64_t by = (uint64_t)m->key - (uint64_t)s->key;

		s->late++;
		if (by > s->late_by)
			s->late_by = by;
	} else {
		m->key = s->key;
	}
	s->held = false;
	if (ti_item(&s->item, m->run)) {
		s->stopped = true;
		close_file(s);
	}
	m->run->printer.uncertain = false;
	m->run->printer.has_error = false;
}

static void end_all(struct ti_merge *m)
{
	struct ti_run *run = m->run;
	size_t i;

	for (i = 0; i < m->n; i++) {
		struct ti_source *s = &m->v[i];

		if (s->fd >= 0)
			close_file(s);
		dial_drop(s->dial);
		ti_last_free(&s->in.held);
	}
	ti_print_last(run);
	run->in = &run->one;
	for (i = 0; i < m->n; i++) {
		if (m->v[i].announced && run->opt->json)
			ti_merge_end_json(&run->out, &m->v[i]);
		else if (m->v[i].announced)
			ti_merge_end_text(&run->out, &m->v[i]);
		free(m->v[i].buf);
	}
	run->printer.board = NULL;
}

int ti_merge(struct ti_run *run, struct ti_board *boards, size_t n)
{
	struct ti_merge m = { .run = run, .n = n, .key = INT64_MIN };
	size_t width = 0, i;

	if (run->opt->align) {
		m.align = ti_align_new(run, boards, n);
		if (!m.align)
			return 1;
	}
	for (i = 0; i < n; i++)
		width = strlen(boards[i].name) > width ? strlen(boards[i].name) : width;
	ti_layout_boards(&run->printer, (unsigned int)(width < WIDTH ? width : WIDTH));
	m.v = ti_alloc(NULL, n * sizeof(*m.v));
	memset(m.v, 0, n * sizeof(*m.v));
	for (i = 0; i < n; i++) {
		m.v[i].merge = &m;
		m.v[i].board = &boards[i];
		m.v[i].fd = -1;
		m.v[i].key = INT64_MIN;
		m.v[i].buf = ti_alloc(NULL, TI_BLOCK);
		ti_input_init(&m.v[i].in);
	}
	for (i = 0; i < n; i++)
		advance(&m.v[i]);
	while (!ti_stop && !run->out.err) {
		int64_t others;
		struct ti_source *s = oldest(&m, &others);
		int64_t left = !s ? -1 : others ? s->arrived + others - now_ns() : 0;

		if (!s && !others)
			break;
		if (others && (!s || left > 0)) {
			if (!out_flush(&run->out))
				wait_some(&m, left);
			continue;
		}
		print_held(&m, s);
		advance(s);
	}
	end_all(&m);
	ti_clock_align(NULL, NULL);
	ti_align_free(m.align);
	free(m.v);
	return m.ret;
}
