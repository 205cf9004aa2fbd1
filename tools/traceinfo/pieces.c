// SPDX-License-Identifier: GPL-2.0-only
/*
 * pieces.c - files that are pieces of one stream: their order, and gaps between them
 *
 * INFO and CLOCK frames contain the number of frames before them in the stream, so the numbers of
 * a file's first and last frame are known. If a file begins with a later frame than the one after
 * the end of the previous file of the stream, the frames between are missing, and a gap is
 * reported.
 *
 * Each reader of a stream counts its frames separately, and a reader that reopens the device
 * begins again at 0. So several earlier files may be from the same stream. A file continues the
 * one that ended exactly where it begins; otherwise one of the same name and directory; otherwise
 * the one that was read last.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "pieces.h"

/* How far a recording has been read. */
struct ti_end {
	struct ti_stream stream;
	char		*path;
	uint64_t	next;		/* number of the next frame */
	/* ts: trace clock of the recording's last event, in ns; 0: no event was read */
	uint64_t	ts;
};

static bool opens(const struct devtrace_info *i)
{
	return i->reason == DEVTRACE_INFO_OPEN && !i->frames;
}

static bool has_boot(const struct devtrace_info *i)
{
	return i->flags & DEVTRACE_INFO_BOOT_ID;
}

static void set_name(struct ti_stream *s, const char *name)
{
	memset(s->name, 0, sizeof(s->name));
	memcpy(s->name, name, strnlen(name, sizeof(s->name) - 1));
}

static bool same_stream(const struct ti_stream *a, const struct ti_stream *b)
{
	return !memcmp(a->boot, b->boot, sizeof(a->boot)) && a->load == b->load &&
	       !strcmp(a->name, b->name);
}

bool ti_piece_item(struct ti_piece_head *h, const struct devtrace_item *item)
{
	const struct devtrace_totals *t = devtrace_decoder_totals(h->decoder);
	struct ti_piece *p = &h->piece;

	if (item->kind == DEVTRACE_ITEM_NOTE) {
		h->notes++;
		if (!strcmp(item->u.note.name, DEVTRACE_NOTE_FILE))
			p->file = strtoull(item->u.note.value, NULL, 10);
	} else if (item->kind == DEVTRACE_ITEM_INFO) {
		/*
		 * Another stream begins here, so no INFO frame of this piece's own stream will
		 * follow.
		 */
		if (opens(&item->u.info) && (t->events || h->has_info))
			return true;
		if (!h->has_info) {
			h->has_info = true;
			p->known = true;
			p->has_boot = has_boot(&item->u.info);
			p->opens = opens(&item->u.info);
			memcpy(p->stream.boot, item->u.info.boot_id, sizeof(p->stream.boot));
			set_name(&p->stream, item->u.info.stream);
			p->start = item->u.info.frames - (t->frames - 1 - h->notes + t->missing);
		}
	} else if (item->kind == DEVTRACE_ITEM_CLOCK && !h->has_clock) {
		h->has_clock = true;
		p->real = item->u.clock.real;
	} else if (!h->has_info) {
		return false;
	}
	p->stream.load = devtrace_decoder_load(h->decoder);
	return h->has_info && h->has_clock;
}

/*
 * Return the length of the part of a path that identifies the logger: the directory and the name
 * of the file without the digits of a date and without the suffix .N, which a logger appends if a
 * name exists already.
 */
static size_t stem_len(const char *path)
{
	size_t n = strlen(path), k = n;

	while (k && isdigit((unsigned char)path[k - 1]))
		k--;
	return k < n && k && path[k - 1] == '.' ? k - 1 : n;
}

static int compare_stems(const char *a, const char *b)
{
	const size_t n = stem_len(a), k = stem_len(b);
	const int c = memcmp(a, b, n < k ? n : k);

	return c ? c : n < k ? -1 : n > k;
}

static size_t skip_digits(const char *path, size_t at, size_t end)
{
	while (at < end && isdigit((unsigned char)path[at]))
		at++;
	return at;
}

/* Compare two paths. In the names of the files, all sequences of digits count as equal. */
static int compare_patterns(const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
	const size_t n = stem_len(a), k = stem_len(b);
	const size_t from_a = slash_a ? (size_t)(slash_a - a) : 0;
	const size_t from_b = slash_b ? (size_t)(slash_b - b) : 0;
	size_t i = 0, j = 0;

	while (i < n && j < k) {
		if (i >= from_a && j >= from_b && isdigit((unsigned char)a[i]) &&
		    isdigit((unsigned char)b[j])) {
			i = skip_digits(a, i, n);
			j = skip_digits(b, j, k);
			continue;
		}
		if (a[i] != b[j])
			return (unsigned char)a[i] < (unsigned char)b[j] ? -1 : 1;
		i++;
		j++;
	}
	return i < n ? 1 : j < k ? -1 : 0;
}

bool ti_piece_same_logger(const struct ti_piece *a, const struct ti_piece *b)
{
	return a->file && b->file && a->file != b->file && !compare_stems(a->path, b->path);
}

/* The order of pieces. */

struct place {
	struct ti_piece	piece;
	size_t		given;		/* index on the command line */
	size_t		boot;		/* rank of its boot */
	size_t		group;		/* @given of the recording's first piece */
	/* begun: wall-clock time at the begin of the recording, in ns since 1970; 0: unknown */
	int64_t		begun;
	enum { BY_PLACE, BY_START, BY_NUMBER, BY_CLOCK } order;
};

typedef int compare_fn(const struct place *a, const struct place *b);

static int compare_boots(const struct place *a, const struct place *b)
{
	return memcmp(a->piece.stream.boot, b->piece.stream.boot, sizeof(a->piece.stream.boot));
}

static int compare_streams(const struct place *a, const struct place *b)
{
	const int c = compare_boots(a, b);

	if (c)
		return c;
	if (a->piece.stream.load != b->piece.stream.load)
		return a->piece.stream.load < b->piece.stream.load ? -1 : 1;
	return strcmp(a->piece.stream.name, b->piece.stream.name);
}

/*
 * Compare the loggers of two pieces. Pieces without a file number are equal if their streams are.
 */
static int compare_loggers(const struct place *a, const struct place *b)
{
	const int c = compare_streams(a, b);

	if (c || !a->piece.file || !b->piece.file)
		return c ? c : (a->piece.file != 0) - (b->piece.file != 0);
	return compare_patterns(a->piece.path, b->piece.path);
}

static int compare_exact(const struct place *a, const struct place *b)
{
	const int c = compare_loggers(a, b);

	return c || !a->piece.file ? c : compare_stems(a->piece.path, b->piece.path);
}

static int compare_given(const struct place *a, const struct place *b)
{
	return a->given < b->given ? -1 : a->given > b->given;
}

static int compare_numbers(const struct place *a, const struct place *b)
{
	if (a->piece.file != b->piece.file)
		return a->piece.file < b->piece.file ? -1 : 1;
	return compare_given(a, b);
}

static int by_stream(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int c = compare_streams(x, y);

	if (c || x->piece.start == y->piece.start)
		return c ? c : compare_given(x, y);
	return x->piece.start < y->piece.start ? -1 : 1;
}

static int by_logger(const void *a, const void *b)
{
	const int c = compare_loggers(a, b);

	return c ? c : compare_numbers(a, b);
}

static int by_exact(const void *a, const void *b)
{
	const int c = compare_exact(a, b);

	return c ? c : compare_numbers(a, b);
}

/* Return the end of the sequence of places, beginning at @i, that compare as equal. */
static size_t run_end(const struct place *v, size_t n, size_t i, compare_fn *fn)
{
	size_t k = i + 1;

	while (k < n && !fn(&v[i], &v[k]))
		k++;
	return k;
}

static size_t first_given(const struct place *v, size_t n)
{
	size_t i, first = v[0].given;

	for (i = 1; i < n; i++)
		if (v[i].given < first)
			first = v[i].given;
	return first;
}

static bool numbers_differ(const struct place *v, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (v[i].piece.file == v[i - 1].piece.file)
			return false;
	return v[0].piece.file;
}

/* Are these pieces, sorted by frame number, parts of one stream that one reader read? */
static bool is_one_recording(const struct place *v, size_t n)
{
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (i && (v[i].piece.opens || v[i].piece.start == v[i - 1].piece.start))
			return false;
		if (v[i].piece.file && v[i].piece.file <= number)
			return false;
		if (v[i].piece.file)
			number = v[i].piece.file;
	}
	return true;
}

static void set_group(struct place *v, size_t n, bool by_start)
{
	const size_t first = first_given(v, n);
	int64_t begun = v[0].piece.real;
	size_t i;

	for (i = 1; i < n && begun; i++)
		if (v[i].piece.real < begun)
			begun = v[i].piece.real;
	v[0].order = by_start ? BY_START : numbers_differ(v, n) ? BY_NUMBER :
		     begun ? BY_CLOCK : BY_PLACE;
	for (i = 0; i < n; i++) {
		v[i].group = first;
		v[i].begun = begun;
		v[i].order = v[0].order;
	}
}

/* Several readers recorded this stream: group the files by reader. */
static void set_loggers(struct place *v, size_t n)
{
	size_t i, k, end, end2;

	qsort(v, n, sizeof(*v), by_logger);
	for (i = 0; i < n; i = end) {
		end = run_end(v, n, i, compare_loggers);
		if (!v[i].piece.file || numbers_differ(v + i, end - i)) {
			set_group(v + i, end - i, false);
			continue;
		}
		/*
		 * Several files have the same number, so they are from several loggers whose names
		 * differ in digits.
		 */
		qsort(v + i, end - i, sizeof(*v), by_exact);
		for (k = i; k < end; k = end2) {
			end2 = run_end(v, end, k, compare_exact);
			set_group(v + k, end2 - k, false);
		}
	}
}

/* Group the pieces into recordings, and choose the order of the pieces in each recording. */
static void set_groups(struct place *v, size_t n)
{
	size_t i, end;

	qsort(v, n, sizeof(*v), by_stream);
	for (i = 0; i < n; i = end) {
		end = run_end(v, n, i, compare_streams);
		if (is_one_recording(v + i, end - i))
			set_group(v + i, end - i, true);
		else
			set_loggers(v + i, end - i);
	}
	for (i = 0; i < n && v[i].begun; i++)
		;
	/*
	 * Recordings can be sorted by time only if all have a clock. Otherwise they stay in the
	 * order of the command line.
	 */
	for (end = i < n ? n : 0; end; end--)
		v[end - 1].begun = 0;
}

struct boot {
	size_t		from, n, given;
	uint64_t	number;		/* smallest file number in this boot */
	int64_t		real;
};

static int boots_by_number(const void *x, const void *y)
{
	const struct boot *a = x, *b = y;

	return a->number < b->number ? -1 : a->number > b->number;
}

static int boots_by_clock(const void *x, const void *y)
{
	const struct boot *a = x, *b = y;

	if (a->real != b->real)
		return a->real < b->real ? -1 : 1;
	return a->given < b->given ? -1 : a->given > b->given;
}

static int boots_by_place(const void *x, const void *y)
{
	const struct boot *a = x, *b = y;

	return a->given < b->given ? -1 : a->given > b->given;
}

/*
 * Sort the boots. A logger's file numbers show the order of boots even if each boot's clock starts
 * in 1970; if there are none, the clocks show it.
 */
static void set_boots(struct place *v, size_t n)
{
	struct boot *boots = ti_alloc(NULL, n * sizeof(*boots)), *b;
	bool numbers = true, clocks = true;
	size_t nr = 0, i, k, end;

	for (i = 0; i < n; i = end) {
		end = run_end(v, n, i, compare_boots);
		b = &boots[nr++];
		*b = (struct boot){ i, end - i, first_given(v + i, end - i), UINT64_MAX, 0 };
		for (k = i; k < end; k++) {
			const struct ti_piece *p = &v[k].piece;

			numbers = numbers && p->file && !compare_patterns(p->path, v[0].piece.path);
			if (p->file < b->number)
				b->number = p->file;
			if (p->real && (!b->real || p->real < b->real))
				b->real = p->real;
		}
		clocks = clocks && b->real;
	}
	qsort(boots, nr, sizeof(*boots), boots_by_number);
	for (i = 1; i < nr; i++)
		numbers = numbers && boots[i].number != boots[i - 1].number;
	if (!numbers)
		qsort(boots, nr, sizeof(*boots), clocks ? boots_by_clock : boots_by_place);
	for (i = 0; i < nr; i++)
		for (k = 0; k < boots[i].n; k++)
			v[boots[i].from + k].boot = i;
	free(boots);
}

static int by_time(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->boot != b->boot)
		return a->boot < b->boot ? -1 : 1;
	if (a->begun != b->begun)
		return a->begun < b->begun ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->order == BY_NUMBER)
		return compare_numbers(a, b);
	if (a->order == BY_START && a->piece.start != b->piece.start)
		return a->piece.start < b->piece.start ? -1 : 1;
	if (a->order == BY_CLOCK && a->piece.real != b->piece.real)
		return a->piece.real < b->piece.real ? -1 : 1;
	return compare_given(a, b);
}

void ti_pieces_sort(struct ti_piece *v, size_t n)
{
	struct place *places = ti_alloc(NULL, (n + 1) * sizeof(*places));
	size_t i, nr = 0;

	for (i = 0; i < n; i++)
		if (v[i].known)
			places[nr++] = (struct place){ .piece = v[i], .given = i };
	if (nr > 1) {
		set_groups(places, nr);
		set_boots(places, nr);
		qsort(places, nr, sizeof(*places), by_time);
	}
	for (i = 0, nr = 0; i < n; i++)
		if (v[i].known)
			v[i] = places[nr++].piece;
	free(places);
}

/* Counting the frames of each piece. */

/* Return the number of frames read so far, without @of_item, the frames of the current item. */
static uint64_t frames_now(const struct ti_input *in, unsigned int of_item)
{
	const struct devtrace_totals *t = devtrace_decoder_totals(in->decoder);

	return t->frames - of_item - in->accounts.notes + t->missing;
}

static bool is_better(const struct ti_end *e, const struct ti_end *than, const struct ti_piece *p)
{
	const bool meets = e->next == p->start;
	const bool than_meets = than && than->next == p->start;
	bool same, than_same;

	if (!than || meets != than_meets)
		return !than || meets;
	same = !compare_stems(e->path, p->path);
	than_same = !compare_stems(than->path, p->path);
	return same != than_same ? same : e->next >= than->next;
}

static void forget_end(struct ti_ends *ends, struct ti_end *e)
{
	free(e->path);
	*e = ends->v[--ends->n];
}

/* Report frames that are missing between two files. The report names both files. */
static void tell_gap(struct ti_run *run, const struct ti_end *e, const struct ti_piece *p)
{
	const struct devtrace_item item = {
		.kind = DEVTRACE_ITEM_GAP,
		.u.gap = {
			.seq_before = (uint8_t)e->next, .seq_after = (uint8_t)(p->start + 1),
			.exact = true, .count = p->start - e->next, .ts_before = e->ts,
		},
	};

	run->printer.gap_from = e->path;
	run->printer.gap_to = p->path;
	ti_item(&item, run);
	run->printer.gap_from = NULL;
	run->printer.gap_to = NULL;
	run->totals.missing += item.u.gap.count;
}

uint64_t ti_piece_begin(struct ti_run *run, const struct ti_piece *p)
{
	struct ti_ends *ends = &run->ends;
	struct ti_end *best = NULL;
	uint64_t missing;
	size_t i;

	run->in->accounts.path = p->path;
	if (!p->known || p->opens)
		return 0;
	for (i = 0; i < ends->n; i++)
		if (same_stream(&ends->v[i].stream, &p->stream) && ends->v[i].next <= p->start &&
		    is_better(&ends->v[i], best, p))
			best = &ends->v[i];
	if (!best)
		return 0;
	missing = p->start - best->next;
	if (missing)
		tell_gap(run, best, p);
	forget_end(ends, best);
	return missing;
}

/* Note how far the current recording has been read. */
static void add_end(struct ti_run *run, unsigned int of_item)
{
	const struct ti_accounts *a = &run->in->accounts;
	struct ti_ends *ends = &run->ends;
	struct ti_end *e;

	if (!a->path || !a->named)
		return;
	ends->v = ti_alloc(ends->v, (ends->n + 1) * sizeof(*ends->v));
	e = &ends->v[ends->n++];
	*e = (struct ti_end){ .next = a->base + frames_now(run->in, of_item), .ts = a->ts };
	memcpy(e->stream.boot, a->boot, sizeof(e->stream.boot));
	e->stream.load = a->load;
	set_name(&e->stream, a->name);
	e->path = ti_alloc(NULL, strlen(a->path) + 1);
	strcpy(e->path, a->path);
}

void ti_piece_account(struct ti_run *run, const struct devtrace_item *item)
{
	struct ti_accounts *a = &run->in->accounts;
	const struct devtrace_info *info = &item->u.info;

	/* The first INFO frame of another stream resets the decoder's load number. */
	if (item->kind != DEVTRACE_ITEM_INFO)
		a->load = devtrace_decoder_load(run->in->decoder);
	switch (item->kind) {
	case DEVTRACE_ITEM_NOTE:
		a->notes++;
		break;
	case DEVTRACE_ITEM_EVENT:
		a->ts = item->u.event.ts;
		break;
	case DEVTRACE_ITEM_INFO:
		if (opens(info)) {
			add_end(run, 1);
			a->ts = 0;
		}
		a->named = true;
		memcpy(a->boot, info->boot_id, sizeof(a->boot));
		snprintf(a->name, sizeof(a->name), "%s", info->stream);
		a->base = info->frames - frames_now(run->in, 1);
		break;
	case DEVTRACE_ITEM_CLOCK:
		a->base = item->u.clock.frames - frames_now(run->in, 1);
		break;
	default:
		break;
	}
}

void ti_piece_end(struct ti_run *run)
{
	run->in->accounts.load = devtrace_decoder_load(run->in->decoder);
	add_end(run, 0);
	run->in->accounts.path = NULL;
}

void ti_pieces_free(struct ti_run *run)
{
	while (run->ends.n)
		forget_end(&run->ends, run->ends.v);
	free(run->ends.v);
}
