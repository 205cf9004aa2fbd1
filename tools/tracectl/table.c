// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - aligned columns that fit the terminal
 *
 * Output to a file or pipe is never narrowed, because programs read it. On a terminal no line may
 * be wider than the screen. A table that is too wide is narrowed step by step, until it fits:
 * times get two units; counts and bytes get a unit such as k; columns of losses are omitted if all
 * are 0; headings get short; names are truncated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "tracectl.h"

#define COLUMNS		16
/* columns assumed for a terminal that does not report its width, e.g. a serial line */
#define TERMINAL	80
#define NAME_LEAST	8	/* minimum columns of a truncated name */
#define CELL		64	/* maximum bytes of a narrowed cell */

#define BOLD		"\033[1m"
#define MAGENTA		"\033[1;35m"	/* losses, as in traceinfo */
#define RESET		"\033[0m"

struct table {
	const struct out *rows;
	const char	*kinds;
	size_t		nr;
	size_t		width[COLUMNS];
	bool		left_out[COLUMNS];
	bool		times, units, brief;
};

static size_t terminal_width(void)
{
	const char *env = getenv("COLUMNS");
	struct winsize w;
	size_t n = 0;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col)
		return w.ws_col;
	if (env && *env >= '0' && *env <= '9')
		n = strtoul(env, NULL, 10);
	return n ? n : TERMINAL;
}

static bool want_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

/* Return the width of a text that out_safe() wrote, counted in characters. */
static size_t columns(const char *s, size_t n)
{
	size_t i, width = 0;

	for (i = 0; i < n; i++)
		width += (s[i] & 0xc0) != 0x80;
	return width;
}

/* Write a number in at most five characters, for example 12.3k, 123k or 1.23M. */
static void shorten(char *to, uint64_t v, unsigned int unit, const char *units)
{
	double d = (double)v;

	if (v < 10000) {
		snprintf(to, CELL, "%u", (unsigned int)v);
		return;
	}
	for (d /= unit; d >= 999.5 && units[1]; d /= unit)
		units++;
	snprintf(to, CELL, d < 9.995 ? "%.2f%c" : d < 99.95 ? "%.1f%c" : "%.0f%c", d, *units);
}

/* Write a time in seconds in a short form, for example 850ms, 12.3s, 4m18s, 2h05m or 3d04h. */
static void shorten_time(char *to, double s)
{
	const unsigned long n = (unsigned long)(s + .5);

	if (s == 0)
		strcpy(to, "0s");
	else if (s < .9995)
		snprintf(to, CELL, "%.0fms", s * 1000);
	else if (s < 99.95)
		snprintf(to, CELL, "%.1fs", s);
	else if (n < 100 * 60)
		snprintf(to, CELL, "%lum%02lus", n / 60, n % 60);
	else if (n < 48 * 3600)
		snprintf(to, CELL, "%luh%02lum", n / 3600, n / 60 % 60);
	else
		snprintf(to, CELL, "%lud%02luh", n / 86400, n / 3600 % 24);
}

/* A cell of a line. @end: it is the last one. */
struct cell {
	size_t		col;
	bool		head, end;
	const char	*s;
	size_t		n;
};

/* Return the text of a cell: the original, or a shorter form in @buf. */
static void narrow(const struct table *t, struct cell *c, char buf[CELL])
{
	const char *bar = c->head ? memchr(c->s, '|', c->n) : NULL, kind = t->kinds[c->col];
	char *end;
	uint64_t v;

	if (bar && t->brief) {
		c->n -= (size_t)(bar + 1 - c->s);
		c->s = bar + 1;
	} else if (bar) {
		c->n = (size_t)(bar - c->s);
	}
	if (c->head || c->n >= CELL)
		return;
	memcpy(buf, c->s, c->n);
	buf[c->n] = '\0';
	if (kind == 'd' && t->times) {
		shorten_time(buf, strtod(buf, NULL));
	} else if (strchr("nxXb", kind) && t->units) {
		v = strtoull(buf, &end, 10);
		if (end == buf || *end)
			return;
		shorten(buf, v, kind == 'b' ? 1024 : 1000, kind == 'b' ? "KMGTPE" : "kMGTPE");
	} else {
		return;
	}
	c->s = buf;
	c->n = strlen(buf);
}

static void each_cell(struct table *t, void (*fn)(struct table *t, struct cell c, void *arg),
		      void *arg)
{
	const char *p = t->rows->buf, *all = p + t->rows->len;
	bool head = true;

	while (p < all) {
		const char *eol = memchr(p, '\n', (size_t)(all - p));
		struct cell c = { .head = head };

		for (; p <= eol && c.col < t->nr; c.col++) {
			const char *tab = memchr(p, '\t', (size_t)(eol - p));
			const char *stop = tab ? tab : eol;

			c.end = !tab || c.col == t->nr - 1;
			c.s = p;
			c.n = (size_t)(stop - p);
			fn(t, c, arg);
			p = stop + 1;
			if (!tab)
				break;
		}
		p = eol + 1;
		head = false;
	}
}

static void measure_cell(struct table *t, struct cell c, void *arg)
{
	char buf[CELL];
	size_t width;

	(void)arg;
	narrow(t, &c, buf);
	width = columns(c.s, c.n);
	if (width > t->width[c.col])
		t->width[c.col] = width;
}

static bool is_zero(const struct cell *c)
{
	return c->n == 1 && *c->s == '0';
}

static void look_for_losses(struct table *t, struct cell c, void *arg)
{
	bool *some = arg;

	(void)t;
	if (!c.head && !is_zero(&c))
		some[c.col] = true;
}

/* Measure the width of each column. Return the width of the whole table. */
static size_t measure(struct table *t)
{
	size_t col, sum = 0;

	memset(t->width, 0, sizeof(t->width));
	each_cell(t, measure_cell, NULL);
	for (col = 0; col < t->nr; col++)
		if (!t->left_out[col])
			sum += t->width[col] + (sum ? (t->brief ? 1 : 2) : 0);
	return sum;
}

/*
 * Truncate names until the table is @too_much columns narrower, beginning with the widest column.
 */
static void cut(struct table *t, size_t too_much)
{
	size_t col, widest;

	while (too_much--) {
		widest = t->nr;
		for (col = 0; col < t->nr; col++)
			if (t->kinds[col] == 'c' && t->width[col] > NAME_LEAST &&
			    (widest == t->nr || t->width[col] > t->width[widest]))
				widest = col;
		if (widest == t->nr)
			return;
		t->width[widest]--;
	}
}

static void fit(struct table *t, size_t room)
{
	bool some[COLUMNS] = { false };
	size_t col, width;

	t->times = true;
	if (measure(t) <= room)
		return;
	t->units = true;
	if (measure(t) <= room)
		return;
	each_cell(t, look_for_losses, some);
	for (col = 0; col < t->nr; col++)
		t->left_out[col] = t->kinds[col] == 'X' && !some[col];
	if (measure(t) <= room)
		return;
	t->brief = true;
	width = measure(t);
	if (width > room)
		cut(t, width - room);
}

struct print {
	struct out	*o;
	bool		color;
};

/*
 * Return how many bytes the first @room - 1 characters have. The last column is for a '~', which
 * marks truncated text.
 */
static size_t prefix(const char *s, size_t n, size_t room)
{
	size_t i, width = 0;

	for (i = 0; i < n; i++) {
		width += (s[i] & 0xc0) != 0x80;
		if (width == room)
			break;
	}
	return i;
}

static void print_cell(struct table *t, struct cell c, void *arg)
{
	const struct print *p = arg;
	const char kind = t->kinds[c.col], *color = "";
	const bool left = kind == 'l' || kind == 'c';
	size_t width, room = t->width[c.col];
	char buf[CELL];

	if (p->color && c.head)
		color = BOLD;
	else if (p->color && (kind == 'x' || kind == 'X') && !is_zero(&c))
		color = MAGENTA;
	narrow(t, &c, buf);
	width = columns(c.s, c.n);
	if (!t->left_out[c.col]) {
		if (c.col)
			out_str(p->o, t->brief ? " " : "  ");
		if (!left)
			out_fill(p->o, ' ', room - width);
		out_str(p->o, color);
		out_mem(p->o, c.s, width > room ? prefix(c.s, c.n, room) : c.n);
		if (width > room)
			out_char(p->o, '~');
		if (*color)
			OUT_LIT(p->o, RESET);
		if (left && !c.end && width < room)
			out_fill(p->o, ' ', room - width);
	}
	if (c.end)
		out_char(p->o, '\n');
}

void tc_table(struct out *o, const struct out *rows, const char *kinds)
{
	struct table t = { .rows = rows, .kinds = kinds, .nr = strlen(kinds) };
	struct print p = { .o = o, .color = want_color() };
	size_t room = terminal_width();

	if (room)
		fit(&t, room);
	else
		measure(&t);
	each_cell(&t, print_cell, &p);
}
