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
#include "board.h"
#include "layout.h"
#include "common/dial.h"
#include "common/zread.h"

#define BLOCK	(64 * 1024)
#define NSEC	1000000000ll
#define WAIT	NSEC		/* for a silent board */
#define ANSWER	(3 * NSEC)	/* for a board that does not answer */
#define CONNECT_MS	10000	/* limit of each connection attempt */
#define WIDTH	16		/* largest width of the column */

struct source {
	struct merge	*merge;
	struct ti_board	*board;
	size_t		next;		/* index of its next file */
	const char	*path;
	struct ti_input	in;
	struct link	link;
	/* dial: link whose connection is being opened; NULL: no link, or it is open */
	struct dial	*dial;
	/*
	 * @linked: the input is a link. @live: it is a device; without -f, its end is where a read
	 * would wait.
	 */
	bool		linked, live;
	int		fd;		/* -1: not open */
	struct stat	st;
	struct ti_pids	*pids;		/* translates the IDs of a live device */
	char		*buf;
	size_t		at, len;
	int64_t		arrived;	/* time when this block arrived */
	bool		announced, held, finishing, stopped, done;
	struct devtrace_item item;	/* valid if held */
	uint8_t		data[DEVTRACE_PAYLOAD_MAX];
	/* key: wall-clock time, in ns, of the held event, or else of the last event */
	int64_t		key;
	/* clock: text that says how accurate the board's wall clock is, from a note */
	char		clock[TI_BOARD_NAME];
	bool		clocked;
	struct devtrace_clock before;	/* its last CLOCK frame */
	/* ahead: @first is the first CLOCK frame, which the decoder has not reached yet */
	bool		ahead;
	struct devtrace_clock first;
	struct devtrace_totals totals;
	uint64_t	late;		/* late events */
	uint64_t	late_by;	/* largest delay, ns */
};

struct merge {
	struct ti_run	*run;
	struct source	*v;
	size_t		n;
	int64_t		key;		/* of the newest printed event */
	int		ret;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

/* Switch the output to this board. */
static struct out *turn_to(struct source *s)
{
	struct ti_run *run = s->merge->run;

	run->in = &s->in;
	run->opt->filter.pids = s->pids;
	ti_clock_first(s->ahead ? &s->first : NULL);
	run->printer.board = s->board->name;
	run->printer.board_nr = (unsigned int)(s - s->merge->v);
	return &run->out;
}

static void json_head(struct out *o, const struct source *s, const char *kind)
{
	OUT_LIT(o, "{\"kind\":\"");
	out_str(o, kind);
	OUT_LIT(o, "\",\"board\":");
	out_json(o, s->board->name, strlen(s->board->name));
}

static void text_head(struct out *o, const struct source *s, const char *mark)
{
	out_str(o, mark);
	OUT_LIT(o, "board ");
	out_safe(o, s->board->name, strlen(s->board->name));
	OUT_LIT(o, ": ");
}

/* Print the name of the board and of its input, once the input is known to be a stream. */
static void announce(struct source *s, const struct devtrace_item *item)
{
	const struct ti_options *opt = s->merge->run->opt;
	struct ti_evidence evidence = s->in.evidence;
	struct out *o = turn_to(s);

	if (s->announced || !ti_evidence(&evidence, item))
		return;
	s->announced = true;
	if (opt->json) {
		json_head(o, s, "board");
		OUT_LIT(o, ",\"input\":");
		out_json(o, s->path, strlen(s->path));
		if (*s->clock) {
			OUT_LIT(o, ",\"clock\":");
			out_json(o, s->clock, strlen(s->clock));
		}
		OUT_LIT(o, "}\n");
		return;
	}
	text_head(o, s, "--- ");
	out_safe(o, s->path, strlen(s->path));
	if (*s->clock) {
		OUT_LIT(o, ", its wall clock is ");
		out_safe(o, s->clock, strlen(s->clock));
	} else {
		OUT_LIT(o, ", the accuracy of its wall clock is unknown");
	}
	out_char(o, '\n');
}

/* If the wall clock was set since the previous CLOCK frame, report it. */
static void check_clock(struct source *s, const struct devtrace_clock *c)
{
	struct out *o = turn_to(s);
	int64_t by;

	if (s->clocked && ti_clock_was_set(&s->before, c, &by)) {
		if (s->merge->run->opt->json) {
			json_head(o, s, "clock_set");
			OUT_LIT(o, ",\"by\":");
			out_i64(o, by);
			OUT_LIT(o, "}\n");
		} else {
			text_head(o, s, "*** ");
			OUT_LIT(o, "its wall clock was set by ");
			ti_clock_step(o, by);
			out_char(o, '\n');
		}
	}
	s->clocked = true;
	s->before = *c;
}

static int on_item(const struct devtrace_item *item, void *arg)
{
	struct source *s = arg;
	int64_t real;

	if (item->kind == DEVTRACE_ITEM_NOTE) {
		ti_board_note(s->board->name, &item->u.note);
		if (!strcmp(item->u.note.name, DEVTRACE_NOTE_CLOCK))
			snprintf(s->clock, sizeof(s->clock), "%s", item->u.note.value);
	} else {
		announce(s, item);
	}
	if (item->kind == DEVTRACE_ITEM_CLOCK) {
		s->ahead = false;
		check_clock(s, &item->u.clock);
	}
	turn_to(s);
	if (item->kind != DEVTRACE_ITEM_EVENT) {
		s->stopped = ti_item(item, s->merge->run);
		return s->stopped;
	}
	s->item = *item;
	if (item->u.event.len)
		memcpy(s->data, item->u.event.data, item->u.event.len);
	s->item.u.event.data = s->data;
	if (ti_clock_real(s->in.decoder, item->u.event.ts, &real))
		s->key = real;
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
static int open_link(struct source *s)
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
	return s->fd < 0 ? ti_link_failed(&s->link, s->path, -s->fd) : 0;
}

/* Open the next input, or continue opening. */
static int open_next(struct source *s)
{
	struct ti_run *run = s->merge->run;
	bool is_stdin;

	if (!s->dial)
		s->path = s->board->files[s->next++].path;
	is_stdin = !strcmp(s->path, "-");
	s->linked = link_is(s->path);
	s->live = false;
	turn_to(s);
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
		return ti_complain(s->path, "", s->fd < 0 && errno == ENOENT ? TI_NO_FILE : "");
	if (ti_input_window(run, s->fd, s->path, s->live, s->buf) ||
	    ti_input_begin(run, on_item, s))
		return 1;
	s->ahead = ti_find_clock(s->fd, &s->st, &s->first);
	if (s->live) {
		s->in.evidence.found = true;
		s->pids = ti_pids_new(s->fd);
		turn_to(s);
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

static void close_file(struct source *s)
{
	struct devtrace_totals t;
	int ret;

	turn_to(s);
	if (s->in.decoder) {
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

static bool silent(const struct source *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return !S_ISREG(s->st.st_mode) && !s->live && !zread_holds(s->in.zread) &&
	       poll(&p, 1, 0) == 0;
}

/* Read another block. Return false if no data is available now. */
static bool read_more(struct source *s)
{
	ssize_t n;

	turn_to(s);
	do {
		if (silent(s))
			return false;
		n = ti_input_read(s->merge->run, s->fd, s->buf, BLOCK);
	} while (n < 0 && errno == EINTR && !ti_stop);
	if (n < 0 && (errno == EINTR || (errno == EAGAIN && !s->live)))
		return false;
	if (n < 0 && errno != EAGAIN) {
		s->merge->ret |= ti_complain(s->path, "", errno == ENOTSUP ? TI_NO_ZSTD : "");
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
static void advance(struct source *s)
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

static void wait_some(struct merge *m, int64_t ns)
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
static struct source *oldest(struct merge *m, int64_t *others)
{
	struct source *s = NULL;
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

static void print_held(struct merge *m, struct source *s)
{
	turn_to(s);
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
}

static void end_json(struct out *o, const struct source *s)
{
	const struct devtrace_totals *t = &s->totals;
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "events", t->events }, { "lost", t->lost }, { "missing", t->missing },
		{ "damages", t->damages }, { "damaged_bytes", t->damaged_bytes },
		{ "late", s->late }, { "late_by", s->late_by },
	};
	size_t i;

	json_head(o, s, "board_end");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OUT_LIT(o, ",\"");
		out_str(o, rows[i].key);
		OUT_LIT(o, "\":");
		out_u64(o, rows[i].value);
	}
	OUT_LIT(o, "}\n");
}

static void count(struct out *o, const char **before, uint64_t n, const char *one,
		  const char *many)
{
	if (!n)
		return;
	out_str(o, *before);
	out_u64(o, n);
	out_str(o, n == 1 ? one : many);
	*before = ", ";
}

/* Print how much of this input was lost, damaged or late, if anything was. */
static void end_text(struct out *o, const struct source *s)
{
	const struct devtrace_totals *t = &s->totals;
	static const struct out_spec plain = { .digits = OUT_NODIGITS };
	const char *before = "";

	if (!t->lost && !t->missing && !t->damages && !s->late)
		return;
	text_head(o, s, "*** ");
	count(o, &before, t->lost, " event lost", " events lost");
	count(o, &before, t->missing, " frame missing", " frames missing");
	count(o, &before, t->damages, " damaged place", " damaged places");
	count(o, &before, s->late, " event printed after newer ones of other boards, ",
	      " events printed after newer ones of other boards, up to ");
	if (s->late) {
		out_int(o, s->late_by / 1000, false, 10, false, 6, &plain);
		OUT_LIT(o, " s late");
	}
	out_char(o, '\n');
}

static void end_all(struct merge *m)
{
	struct ti_run *run = m->run;
	size_t i;

	for (i = 0; i < m->n; i++) {
		struct source *s = &m->v[i];

		if (s->fd >= 0)
			close_file(s);
		dial_drop(s->dial);
		ti_last_free(&s->in.held);
	}
	ti_print_last(run);
	run->in = &run->one;
	for (i = 0; i < m->n; i++) {
		if (m->v[i].announced && run->opt->json)
			end_json(&run->out, &m->v[i]);
		else if (m->v[i].announced)
			end_text(&run->out, &m->v[i]);
		free(m->v[i].buf);
	}
	run->printer.board = NULL;
}

int ti_merge(struct ti_run *run, struct ti_board *boards, size_t n)
{
	struct merge m = { .run = run, .n = n, .key = INT64_MIN };
	size_t width = 0, i;

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
		struct source *s = oldest(&m, &others);
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
	free(m.v);
	return m.ret;
}
