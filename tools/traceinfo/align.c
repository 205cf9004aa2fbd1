// SPDX-License-Identifier: GPL-2.0-only
/*
 * align.c - --align: date the events of all boards by the clock of the first one
 *
 * The files are read once to find the events that tie the boards, before they are read again to be
 * printed. Two events are a pair if they are on different boards and their arguments are equal. If
 * a board has several such events with equal arguments, they are not used, because nothing tells
 * which of them belongs to which event of the other board.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "align.h"
#include "common/complain.h"
#include "common/hash.h"
#include "common/link.h"
#include "common/zread.h"
#include "tie.h"

/* An event that ties. @effect: it has the second name of CAUSE=EFFECT. */
struct mark {
	uint64_t	hash[2];
	uint64_t	ts;
	bool		effect;
};

struct side {
	struct mark	*v;
	size_t		n;
	bool		has_boot;
	uint8_t		boot[16];
	uint32_t	load;
	bool		restarted;
};

struct ti_align {
	const struct ti_board *boards;
	struct ti_tie	*ties;		/* of each board; the first one is not used */
	size_t		n;
	/* clocks: CLOCK frames of the first board, ordered by time */
	struct devtrace_clock *clocks;
	size_t		nr_clocks;
	/* cause, effect: names of the events; effect is NULL if there is one name */
	char		*cause, *effect;
	struct hash_key	keys[2];	/* of the hashes of all marks */
};

struct reading {
	struct ti_run	*run;
	struct ti_align	*align;
	struct side	*side;
	const struct devtrace_decoder *decoder;
	bool		first;		/* the first board: note its clocks */
	struct out	name;
};

const char *ti_align_check(const char *word)
{
	const char *equal = strchr(word, '=');

	if (!*word || equal == word || (equal && (!equal[1] || strchr(equal + 1, '='))))
		return "is not EVENT or SENT=RECEIVED; name an event that both boards saw, "
		       "or the two events of a message";
	return NULL;
}

static bool is_named(struct reading *r, const struct ti_event *e, const char *word)
{
	char *end;
	const unsigned long type = strtoul(word, &end, 10);

	if (!*end)
		return type == e->ev->type;
	return strlen(word) == r->name.len && !memcmp(word, r->name.buf, r->name.len);
}

static void add_mark(struct reading *r, const struct devtrace_event *ev, bool effect)
{
	struct mark m = { .ts = ev->ts, .effect = effect };
	struct side *s = r->side;
	unsigned int i;

	for (i = 0; i < 2; i++)
		m.hash[i] = hash_bytes(&r->align->keys[i], ev->code, ev->data, ev->len);
	if (!(s->n & (s->n - 1)))
		s->v = ti_alloc(s->v, (s->n ? 2 * s->n : 1) * sizeof(*s->v));
	s->v[s->n++] = m;
}

static void read_event(struct reading *r, const struct devtrace_event *ev)
{
	struct ti_event e;

	ti_event_init(&e, ev, r->decoder, &r->run->fmts);
	r->name.len = 0;
	ti_event_name(&r->name, &e);
	if (is_named(r, &e, r->align->cause))
		add_mark(r, ev, false);
	else if (r->align->effect && is_named(r, &e, r->align->effect))
		add_mark(r, ev, true);
}

static void read_info(struct side *s, const struct devtrace_info *i)
{
	if (s->has_boot && memcmp(s->boot, i->boot_id, sizeof(s->boot)))
		s->restarted = true;
	s->has_boot = true;
	memcpy(s->boot, i->boot_id, sizeof(s->boot));
}

static void read_clock(struct ti_align *a, const struct devtrace_clock *c)
{
	/* After a seek, or in a file that is given twice, older frames come again. */
	if (a->nr_clocks && c->ts <= a->clocks[a->nr_clocks - 1].ts)
		return;
	if (!(a->nr_clocks & (a->nr_clocks - 1)))
		a->clocks = ti_alloc(a->clocks,
				     (a->nr_clocks ? 2 * a->nr_clocks : 1) * sizeof(*a->clocks));
	a->clocks[a->nr_clocks++] = *c;
}

static int read_item(const struct devtrace_item *item, void *arg)
{
	struct reading *r = arg;

	if (item->kind == DEVTRACE_ITEM_EVENT)
		read_event(r, &item->u.event);
	else if (item->kind == DEVTRACE_ITEM_INFO)
		read_info(r->side, &item->u.info);
	else if (item->kind == DEVTRACE_ITEM_CLOCK && r->first)
		read_clock(r->align, &item->u.clock);
	return ti_stop;
}

/* Return 0, or 1 after an error message. */
static int read_fd(struct reading *r, int fd, const char *path)
{
	struct devtrace_decoder *d = devtrace_decoder_new(read_item, r);
	struct zread *z = zread_new(NULL, NULL);
	char *buf = ti_alloc(NULL, TI_BLOCK);
	int ret = 0;
	ssize_t n = 0;

	r->decoder = d;
	while (d && z && !ti_stop && (n = zread_read(z, fd, buf, TI_BLOCK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		devtrace_decoder_feed(d, buf, (size_t)n, NULL);
	}
	if (!d || !z)
		ret = complain(TI_NAME, "decoder", "", "");
	else if (n < 0)
		ret = complain_input(TI_NAME, path, false);
	free(buf);
	zread_free(z);
	devtrace_decoder_free(d);
	return ret;
}

static int read_file(struct reading *r, const char *path)
{
	struct stat st;
	int fd, ret;

	if (!strcmp(path, "-") || link_is(path) || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return complain_text(TI_NAME ": --align", path,
				     "not a file; --align reads its inputs twice, so save the stream first");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain_input(TI_NAME, path, false);
	ret = read_fd(r, fd, path);
	close(fd);
	return ret;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *p = a, *q = b;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (p->hash[i] != q->hash[i])
			return p->hash[i] < q->hash[i] ? -1 : 1;
	return p->effect != q->effect ? p->effect - q->effect : 0;
}

/* Sort the marks of a board, and remove those that are not the only one with their arguments. */
static void keep_single(struct side *s)
{
	size_t i, k, n = 0;

	qsort(s->v, s->n, sizeof(*s->v), compare_marks);
	for (i = 0; i < s->n; i = k) {
		for (k = i + 1; k < s->n && !compare_marks(&s->v[i], &s->v[k]); k++)
			;
		if (k == i + 1)
			s->v[n++] = s->v[i];
	}
	s->n = n;
}

static bool same_args(const struct mark *a, const struct mark *b)
{
	return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

/* Add each cause in @from whose effect is in @to. */
static void add_messages(struct ti_tie *t, const struct side *from, const struct side *to,
			 bool back)
{
	size_t i, k = 0;

	for (i = 0; i < from->n; i++) {
		struct mark effect = from->v[i];

		if (effect.effect)
			continue;
		effect.effect = true;
		while (k < to->n && compare_marks(&to->v[k], &effect) < 0)
			k++;
		if (k == to->n || compare_marks(&to->v[k], &effect))
			continue;
		if (back)
			ti_tie_add(t, to->v[k].ts, from->v[i].ts, TI_PAIR_BACK);
		else
			ti_tie_add(t, from->v[i].ts, to->v[k].ts, TI_PAIR_THERE);
	}
}

/* Add each event that both boards have. */
static void add_both(struct ti_tie *t, const struct side *a, const struct side *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n) {
		if (same_args(&a->v[i], &b->v[k])) {
			ti_tie_add(t, a->v[i].ts, b->v[k].ts, TI_PAIR_BOTH);
			i++;
			k++;
		} else if (compare_marks(&a->v[i], &b->v[k]) < 0) {
			i++;
		} else {
			k++;
		}
	}
}

/* The names of boards may be from the files: control characters are escaped. */
static int refuse(const struct ti_align *a, size_t board, const char *problem)
{
	const char *const words[] = {
		a->cause, a->effect ? "=" : "", a->effect ? a->effect : "", ": board ",
		a->boards[board].name, " ", problem,
	};
	struct out o;
	size_t i;

	out_init(&o, -1);
	OUT_LIT(&o, TI_NAME ": --align ");
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		out_safe(&o, words[i], strlen(words[i]));
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
	return 1;
}

/* Tie a board to the first one. Return 0, or 1 after an error message. */
static int tie(struct ti_align *a, const struct side *sides, size_t board)
{
	struct ti_tie *t = &a->ties[board];
	char *problem = NULL;
	int ret = 0;

	if (a->effect) {
		add_messages(t, &sides[0], &sides[board], false);
		add_messages(t, &sides[board], &sides[0], true);
	} else {
		add_both(t, &sides[0], &sides[board]);
	}
	if (!t->n && asprintf(&problem, "and board %s have no such event whose arguments are equal, once on each board",
			      a->boards[0].name) < 0)
		problem = NULL;
	else if (t->n && !(t->has_low && t->has_high) &&
		 asprintf(&problem, "and board %s have messages in one direction only, which limit the offset on one side; name messages of both directions",
			  a->boards[0].name) < 0)
		problem = NULL;
	if (!t->n || !(t->has_low && t->has_high))
		ret = refuse(a, board, problem ? problem : "cannot be tied");
	else
		ti_tie_ready(t);
	free(problem);
	return ret;
}

/* Read one board. Return 0, or 1 after an error message. */
static int read_board(struct reading *r, size_t board, struct side *side)
{
	const struct ti_board *b = &r->align->boards[board];
	int ret = 0;
	size_t i;

	r->side = side;
	r->first = !board;
	for (i = 0; i < b->nr && !ret; i++)
		ret = read_file(r, b->files[i].path);
	if (ret)
		return ret;
	if (side->restarted)
		return refuse(r->align, board, "was restarted, and then its trace clock began anew; give the files of one boot");
	if (!side->n)
		return refuse(r->align, board, "has no such event; see its events with traceinfo, and name one as it is printed");
	if (!board && !r->align->nr_clocks)
		return refuse(r->align, board, "has no CLOCK frame, so its events have no date");
	keep_single(side);
	if (!side->n)
		return refuse(r->align, board, "has each such event several times with equal arguments; name an event with an argument that counts");
	return 0;
}

struct ti_align *ti_align_new(struct ti_run *run, const struct ti_board *boards, size_t n)
{
	const char *word = run->opt->align, *equal = strchr(word, '=');
	struct ti_align *a = ti_alloc(NULL, sizeof(*a));
	struct side *sides = ti_alloc(NULL, n * sizeof(*sides));
	struct reading r = { .run = run, .align = a };
	int ret = 0;
	size_t i;

	memset(sides, 0, n * sizeof(*sides));
	*a = (struct ti_align){ .boards = boards, .n = n };
	a->ties = ti_alloc(NULL, n * sizeof(*a->ties));
	memset(a->ties, 0, n * sizeof(*a->ties));
	hash_key_init(&a->keys[0]);
	hash_key_init(&a->keys[1]);
	a->cause = strndup(word, equal ? (size_t)(equal - word) : strlen(word));
	a->effect = equal ? strdup(equal + 1) : NULL;
	if (!a->cause || (equal && !a->effect))
		ret = complain(TI_NAME, "--align", "", "");
	out_init(&r.name, -1);
	for (i = 0; i < n && !ret && !ti_stop; i++)
		ret = read_board(&r, i, &sides[i]);
	for (i = 1; i < n && !ret && !ti_stop; i++)
		ret = tie(a, sides, i);
	for (i = 0; i < n; i++)
		free(sides[i].v);
	free(sides);
	out_free(&r.name);
	if (!ret && !ti_stop)
		return a;
	ti_align_free(a);
	return NULL;
}

void ti_align_free(struct ti_align *a)
{
	size_t i;

	if (!a)
		return;
	for (i = 0; i < a->n; i++)
		ti_tie_free(&a->ties[i]);
	free(a->ties);
	free(a->clocks);
	free(a->cause);
	free(a->effect);
	free(a);
}

uint64_t ti_align_time(const struct ti_align *a, size_t board, uint64_t ts, uint64_t *error)
{
	if (board)
		return ti_tie_time(&a->ties[board], ts, error);
	*error = 0;
	return ts;
}

int64_t ti_align_real(const struct ti_align *a, uint64_t ts)
{
	size_t low = 0, high = a->nr_clocks;
	const struct devtrace_clock *c;

	/* Find the last CLOCK frame at @ts or earlier, or else the first one. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (a->clocks[middle].ts <= ts)
			low = middle + 1;
		else
			high = middle;
	}
	c = &a->clocks[low ? low - 1 : 0];
	return (int64_t)((uint64_t)c->real + (ts - c->ts));
}

size_t ti_align_pairs(const struct ti_align *a, size_t board)
{
	return board ? a->ties[board].n : 0;
}
