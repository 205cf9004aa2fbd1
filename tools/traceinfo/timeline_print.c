// SPDX-License-Identifier: GPL-2.0-only
/*
 * timeline_print.c - --timeline: print the cells as the columns of a terminal
 *
 *	                    |0ns        |20.00us    |40.00us
 *	CPU 0               |####++...///::| 61 %
 *	motord[712]         |. . !  . :////|   38
 *
 * A row with bars shows for each column the share that bars fill. Other rows show how many events
 * the column has, compared with the column of the row that has most events. The row of a state
 * machine shows a letter for the state that fills most of the column. The share or the number of
 * events in the whole picture is at the end of the row.
 */
#include <stdio.h>
#include <stdlib.h>
#include "common/duration.h"
#include "layout.h"
#include "timeline.h"

#define FIGURE	7	/* columns at the end of a row */
#define LABEL_MIN 12
#define LABEL_MAX 32
/* A narrower terminal gets a picture of this width: 6 columns of a name, 5 cells */
#define WIDTH_MIN 20
#define LABEL_NARROW 6
#define CELLS_MIN 10
#define TICK	12	/* minimum number of columns between two marks of time */
#define THREADS	20	/* rows of each kind, unless -v is given */

#define GREEN	"\033[32m"
#define RED	"\033[1;31m"
#define MAGENTA	"\033[35m"
#define RESET	"\033[0m"

struct picture {
	struct ti_timeline *t;
	struct out	*o;
	const struct ti_printer *p;
	unsigned int	lines;
	uint64_t	span;		/* ns in the picture */
	unsigned int	cells;		/* in the picture */
	unsigned int	label, columns;
};

static void newline(struct picture *x)
{
	out_char(x->o, '\n');
	x->lines++;
}

/* The columns of the terminal, or the smallest width of a picture. */
static size_t width(void)
{
	const unsigned long wide = ti_columns();

	return wide < WIDTH_MIN ? WIDTH_MIN : wide > 100000 ? 100000 : (size_t)wide;
}

/* Return how many of @len bytes have at most @max characters in UTF-8; *@n: the number of them. */
static size_t fit(const char *s, size_t len, size_t max, size_t *n)
{
	size_t i;

	*n = 0;
	for (i = 0; i < len; i++) {
		if (((unsigned char)s[i] & 0xc0) == 0x80)
			continue;
		if (*n == max)
			break;
		++*n;
	}
	return i;
}

/*
 * Print a text in lines that fit the terminal. A line ends at a blank; only a word that is wider
 * than the terminal is divided.
 */
static void paragraph(struct picture *x, struct out *text)
{
	const size_t max = width();
	const char *s = text->buf, *end = s + text->len;
	size_t at = 0, n;

	while (s < end) {
		const char *blank = memchr(s, ' ', (size_t)(end - s));
		const char *stop = blank ? blank : end;
		size_t len = fit(s, (size_t)(stop - s), SIZE_MAX, &n);

		if (at && at + 1 + n > max) {
			newline(x);
			at = 0;
		} else if (at) {
			out_char(x->o, ' ');
			at++;
		}
		if (n > max)
			len = fit(s, len, max, &n);
		out_mem(x->o, s, len);
		at += n;
		s += len;
		if (s < stop) {
			newline(x);
			at = 0;
		} else if (blank) {
			s++;
		}
	}
	newline(x);
	out_free(text);
}

static void color(const struct picture *x, const char *code)
{
	if (x->p->color)
		out_str(x->o, code);
}

/* Return the first cell of a column. */
static unsigned int from_cell(const struct picture *x, unsigned int column)
{
	return (unsigned int)((uint64_t)column * x->cells / x->columns);
}

static bool is_lost(const struct picture *x, unsigned int column)
{
	unsigned int i, end = from_cell(x, column + 1);

	for (i = from_cell(x, column); i < end; i++)
		if (x->t->is_lost[i])
			return true;
	return false;
}

static struct timeline_cell join(const struct picture *x, const struct timeline_row *r,
				 unsigned int column)
{
	struct timeline_cell c = r->cells[from_cell(x, column)];
	unsigned int i, end = from_cell(x, column + 1);

	for (i = from_cell(x, column) + 1; i < end; i++)
		timeline_join(r->kind, &c, &r->cells[i]);
	return c;
}

/*
 * Print at most @max characters of a name. A character that is not ASCII could have any width, so
 * it becomes a question mark.
 */
static unsigned int ascii(const struct picture *x, const char *name, unsigned int max)
{
	unsigned int n = 0;

	for (; *name && n < max; name++) {
		/* Only the first byte of a character in UTF-8 is printed. */
		if (((unsigned char)*name & 0xc0) == 0x80)
			continue;
		out_char(x->o, *name >= ' ' && *name < 0x7f ? *name : '?');
		n++;
	}
	return n;
}

/* Print the name of a row, which ends with @tail. A name that is too long is cut before @tail. */
static void label(const struct picture *x, const char *name, const char *tail)
{
	const unsigned int room = (unsigned int)strlen(tail);
	unsigned int n = ascii(x, name, room < x->label ? x->label - room : 0);

	n += ascii(x, tail, x->label - n);
	out_fill(x->o, ' ', x->label - n);
	out_char(x->o, '|');
}

/* Print a mark for a share: 0 to 1 of the whole. */
static void mark(const struct picture *x, double share)
{
	static const char *const quarters[] = { ".", ":", "+", "#" };
	static const char *const eighths[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	const unsigned int n = x->p->unicode ? 8 : 4;
	unsigned int i = share > 0 ? (unsigned int)(share * n) : 0;

	i = i < n ? i : n - 1;
	out_str(x->o, x->p->unicode ? eighths[i] : quarters[i]);
}

static void hatch(const struct picture *x)
{
	color(x, MAGENTA);
	out_str(x->o, x->p->unicode ? "╱" : "/");
	color(x, RESET);
}

/* Range of the counts in the columns of a row without bars, or of the values of a counter. */
struct range {
	double		min, max;
};

static struct range range(const struct picture *x, const struct timeline_row *r)
{
	struct range v = { 0, 0 };
	bool some = false;
	unsigned int i;

	for (i = 0; i < x->columns; i++) {
		const struct timeline_cell c = join(x, r, i);
		const double n = r->kind == TIMELINE_COUNTER ? c.v.max : (double)c.events;

		if (!c.events)
			continue;
		v.min = !some || n < v.min ? n : v.min;
		v.max = !some || n > v.max ? n : v.max;
		some = true;
	}
	if (r->kind != TIMELINE_COUNTER)
		v.min = 0;
	return v;
}

static void state(const struct picture *x, uint8_t state)
{
	static const char *const colors[] = {
		"\033[32m", "\033[33m", "\033[34m", "\033[36m", "\033[31m", "\033[37m",
	};

	color(x, colors[(state - 1) % 6]);
	out_char(x->o, x->t->states[state - 1].letter);
	color(x, RESET);
}

static void one(const struct picture *x, const struct timeline_row *r, unsigned int column,
		const struct range *v)
{
	const struct timeline_cell c = join(x, r, column);
	const uint64_t whole = (uint64_t)(from_cell(x, column + 1) - from_cell(x, column)) *
			       x->t->width;
	const bool bars = r->ns && r->kind != TIMELINE_COUNTER;

	if (c.severity > 2) {
		color(x, RED);
		out_char(x->o, '!');
		color(x, RESET);
	} else if (r->kind == TI_TRACK_OBJECT && c.state) {
		state(x, c.state);
	} else if (c.events || (bars && c.v.ns)) {
		const double share = bars ? (double)c.v.ns / (double)whole :
				     v->max > v->min ?
				     ((r->kind == TIMELINE_COUNTER ? c.v.max : (double)c.events) -
				      v->min) / (v->max - v->min) : 1;

		color(x, GREEN);
		/* A column that is filled nearly completely counts as full. */
		mark(x, share > 0.999 ? 1 : bars ? share : share - 0.001);
		color(x, RESET);
	} else if (is_lost(x, column)) {
		hatch(x);
	} else {
		out_char(x->o, ' ');
	}
}

/* Print a number in at most five columns. */
static void number(struct out *o, uint64_t n)
{
	static const char units[] = " kMGTPE";
	unsigned int unit = 0;
	char text[32];

	for (; n >= (unit ? 1000 : 100000); n /= 1000)
		unit++;
	snprintf(text, sizeof(text), unit ? "%6llu%c" : "%7llu", (unsigned long long)n,
		 units[unit]);
	out_str(o, text);
}

static void row(struct picture *x, const struct timeline_row *r)
{
	const struct range v = range(x, r);
	const char *id = r->kind == TI_TRACK_THREAD ? strrchr(r->track.name, '[') : NULL;
	char text[32];
	unsigned int i;

	if (id) {
		/* Many threads have one name, so the number stays if the name is cut. */
		snprintf(text, sizeof(text), "%.*s", (int)(id - r->track.name), r->track.name);
		label(x, text, id);
	} else if (r->kind == TI_TRACK_SLICE) {
		const char *word = x->p->opt->slices.v[r->track.id >> 32].word;

		snprintf(text, sizeof(text), " %u", (uint32_t)r->track.id);
		label(x, word, text);
	} else {
		label(x, r->track.name, "");
	}
	for (i = 0; i < x->columns; i++)
		one(x, r, i, &v);
	out_char(x->o, '|');
	if (r->kind == TIMELINE_COUNTER) {
		snprintf(text, sizeof(text), "%7.5g", r->max);
		out_mem(x->o, text, strnlen(text, FIGURE));
	} else if (r->ns && r->kind != TI_TRACK_OBJECT) {
		snprintf(text, sizeof(text), "%5.0f %%", (double)r->ns * 100 / (double)x->span);
		out_str(x->o, text);
	} else {
		number(x->o, r->events);
	}
	newline(x);
}

/* Compare rows: CPUs and counters by number, other rows by time, then by events. */
static int compare(const void *a, const void *b)
{
	const struct timeline_row *r = *(struct timeline_row *const *)a;
	const struct timeline_row *s = *(struct timeline_row *const *)b;

	if (r->kind != s->kind)
		return r->kind < s->kind ? -1 : 1;
	if (r->kind == TI_TRACK_THREAD && r->ns != s->ns)
		return r->ns > s->ns ? -1 : 1;
	if (r->kind == TI_TRACK_THREAD && r->events != s->events)
		return r->events > s->events ? -1 : 1;
	return r->track.id < s->track.id ? -1 : r->track.id > s->track.id;
}

/* Return the smallest number of at least @ns that is 1, 2 or 5 times a power of ten. */
static uint64_t round_up(uint64_t ns)
{
	uint64_t unit = 1;

	while (unit < ns / 10)
		unit *= 10;
	return unit >= ns ? unit : 2 * unit >= ns ? 2 * unit : 5 * unit >= ns ? 5 * unit :
	       10 * unit;
}

/* Print marks of the time since the begin of the picture. */
static void axis(struct picture *x)
{
	const double column = (double)x->span / x->columns;
	/* If there is room for one mark only, the distance of two would not fit 64 bits. */
	const uint64_t step = column * TICK < (double)x->span ?
			      round_up((uint64_t)(column * TICK) + 1) : UINT64_MAX;
	unsigned int at = 0, next;
	uint64_t ns;

	out_fill(x->o, ' ', x->label);
	for (ns = 0; ; ns += step) {
		char buf[32];
		struct out text = { .buf = buf, .size = sizeof(buf), .fd = -1 };

		next = (unsigned int)((double)ns / column);
		if (ns >= x->span || (ns && next + TICK > x->columns + 2))
			break;
		out_fill(x->o, ' ', next > at ? next - at : 0);
		out_char(&text, '|');
		out_duration(&text, ns);
		out_mem(x->o, buf, text.len);
		at = next + (unsigned int)text.len;
		if (ns > UINT64_MAX - step)
			break;
	}
	newline(x);
}

static void losses(struct picture *x)
{
	bool some = false;
	unsigned int i;

	for (i = 0; i < x->columns; i++)
		some |= is_lost(x, i);
	if (!some)
		return;
	label(x, "lost", "");
	for (i = 0; i < x->columns; i++) {
		if (is_lost(x, i))
			hatch(x);
		else
			out_char(x->o, ' ');
	}
	out_char(x->o, '|');
	number(x->o, x->t->lost);
	newline(x);
}

static void head(struct picture *x, const struct devtrace_decoder *d, const char *input)
{
	struct ti_timeline *t = x->t;
	struct ti_clock clock = x->p->clock;
	struct out text;

	out_init(&text, -1);
	if (input) {
		out_safe(&text, input, strlen(input));
		OUT_LIT(&text, ": ");
	}
	if (!t->begun) {
		OUT_LIT(&text, "no events");
		paragraph(x, &text);
		return;
	}
	ti_clock_moment(&text, &clock, d, t->first);
	OUT_LIT(&text, " to ");
	if (t->window) {
		out_char(&text, '+');
		out_duration(&text, t->window);
	} else {
		ti_clock_moment(&text, &clock, d, t->last);
	}
	paragraph(x, &text);
	out_init(&text, -1);
	out_u64(&text, t->events);
	out_str(&text, t->events == 1 ? " event" : " events");
	OUT_LIT(&text, ", ");
	out_u64(&text, t->lost);
	OUT_LIT(&text, " lost; a column is ");
	out_duration(&text, x->span / x->columns);
	if (t->lost_before) {
		OUT_LIT(&text, "; before, ");
		out_u64(&text, t->lost_before);
		OUT_LIT(&text, " were lost");
	}
	paragraph(x, &text);
	axis(x);
}

/* Explain the marks, and the letters of states, in lines that fit the terminal. */
static void explain(struct picture *x, bool states)
{
	const size_t columns = width();
	struct out text;
	unsigned int i;
	size_t at = 0;

	if (!x->t->explained) {
		out_init(&text, -1);
		out_str(&text, x->p->unicode ? "▁▄█" : ". : + #");
		OUT_LIT(&text, " little to all of the time, or few to most events; ! severe");
		paragraph(x, &text);
		out_init(&text, -1);
		out_str(&text, x->p->unicode ? "╱" : "/");
		OUT_LIT(&text, " events were lost; at the end: share of the time, or number of events");
		paragraph(x, &text);
	}
	for (i = 0; states && i < x->t->nr_states; i++) {
		const char *name = x->t->states[i].name;
		const size_t room = strlen(name) + 4;

		if (at && at + room > columns) {
			newline(x);
			at = 0;
		}
		out_str(x->o, at ? ", " : "");
		out_char(x->o, x->t->states[i].letter);
		out_char(x->o, ' ');
		ascii(x, name, (unsigned int)columns - 2);
		at += room;
	}
	if (at)
		newline(x);
}

/* Set @rows to the rows that are not empty, in the order of printing. Return their number. */
static unsigned int choose(struct picture *x, struct timeline_row **rows,
			   const struct devtrace_decoder *d)
{
	const bool filtered = ti_filter_by_event(&x->p->opt->filter);
	unsigned int i, n = 0;

	for (i = 0; i < x->t->nr_rows; i++) {
		struct timeline_row *r = x->t->rows[i];

		if (filtered ? !r->wanted : !r->ns && !r->events)
			continue;
		if (r->kind == TI_TRACK_THREAD &&
		    devtrace_decoder_proc(d, (uint32_t)r->track.id, NULL)) {
			r->track.name[0] = 0;
			ti_track_name(&r->track, d);
		}
		rows[n++] = r;
	}
	qsort(rows, n, sizeof(*rows), compare);
	return n;
}

unsigned int timeline_print(struct ti_timeline *t, struct out *o, struct ti_printer *p,
			    const struct devtrace_decoder *d, const char *input,
			    unsigned int rows_max)
{
	const unsigned int wide = (unsigned int)width();
	struct picture x = { .t = t, .o = o, .p = p };
	struct out text;
	struct timeline_row *rows[TIMELINE_ROWS];
	unsigned int i, n, of_kind = 0, printed = 0;
	bool states = false;

	x.label = wide / 4 < LABEL_MIN ? LABEL_MIN : wide / 4 > LABEL_MAX ? LABEL_MAX :
		  wide / 4;
	if (wide < x.label + FIGURE + 2 + CELLS_MIN)
		x.label = LABEL_NARROW;
	x.columns = wide - x.label - FIGURE - 2;
	x.span = t->window ? t->window : t->last - t->first + 1;
	x.cells = (unsigned int)((x.span - 1) / t->width) + 1;
	/* A column has at least one cell. */
	x.columns = x.columns < x.cells ? x.columns : x.cells;
	head(&x, d, input);
	if (!t->begun)
		return x.lines;
	n = choose(&x, rows, d);
	losses(&x);
	for (i = 0; i < n; i++) {
		of_kind = i && rows[i]->kind == rows[i - 1]->kind ? of_kind + 1 : 0;
		if (printed == rows_max || (of_kind >= THREADS && !p->opt->verbose))
			continue;
		states |= rows[i]->kind == TI_TRACK_OBJECT;
		row(&x, rows[i]);
		printed++;
	}
	if (printed < n) {
		out_init(&text, -1);
		OUT_LIT(&text, "and ");
		out_u64(&text, n - printed);
		out_str(&text, n - printed == 1 ? " more row" : " more rows");
		out_str(&text, p->opt->verbose ? "" : "; -v prints them");
		paragraph(&x, &text);
	}
	if (t->left_out) {
		out_init(&text, -1);
		out_u64(&text, t->left_out);
		OUT_LIT(&text, " events are in no row: there are too many threads and CPUs");
		paragraph(&x, &text);
	}
	explain(&x, states);
	return x.lines;
}
