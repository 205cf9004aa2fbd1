// SPDX-License-Identifier: GPL-2.0-only
/*
 * line.c - print one line of text for each event
 *
 * The columns before the text of an event (the header) are given by a format, such as "%c %p". It
 * is compiled to a list of fields. A field's text that is longer than the field shifts the rest of
 * the line to the right; it is never truncated.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/severity.h"
#include "traceinfo.h"

#define RED	"\033[31m"
#define BOLD_RED "\033[1;31m"
#define YELLOW	"\033[33m"
#define GREEN	"\033[32m"
#define CYAN	"\033[36m"
#define RESET	"\033[0m"

struct field {
	char		letter;		/* 0: text */
	bool		left;
	unsigned int	width;
	const char	*text;
	size_t		len;
};

/*
 * The cache contains headers without their time. Its key is made of the values of the event that
 * the header shows as numbers. Names are not part of the key: when a name changes, the cache is
 * emptied.
 */
#define CACHE_SIZE	128		/* a power of two */
#define CACHE_TEXT	160		/* a longer header is not cached */
#define KEY_UNCERTAIN	0x80		/* a bit that the flags of an event do not have */

struct head {
	uint64_t	key[3];
	size_t		len;		/* 0: unused */
	char		text[CACHE_TEXT];
};

/* Largest header in bytes. An escaped byte of a name takes four bytes. */
#define HEADER_ROOM(h)	(((h)->n + 1) * 16 * DEVTRACE_NAME_MAX + (h)->text)

struct ti_header {
	struct head	cache[CACHE_SIZE];
	size_t		cached_from;	/* first field after the time */
	size_t		text;		/* bytes of the format */
	/* bare: a text event without an object is printed without the name "text" */
	bool		bare;
	size_t		n;
	struct field	fields[];
};

static void header_error(const char *format, const char *at)
{
	char word[4] = { '%' };

	if (*at && (unsigned char)*at < 0x80)
		word[1] = *at;
	fprintf(stderr, "traceinfo: --header: '%s' in '%s' is not a field; the fields are: %%t time, %%b board, %%c CPU, %%l lane, %%x context, %%s severity, %%p process[tid], %%a the same, in parentheses if interrupted, %%N process, %%P process id, %%i thread id, %%n name, %%o object and signal, %%T type, %%M major, %%m minor, %%%%\n",
		word, format);
}

struct ti_header *ti_header_new(const char *format, bool bare)
{
	struct ti_header *h;
	const char *s;
	size_t n = 1;

	for (s = format; *s; s++)
		n += *s == '%' ? 2 : 0;
	h = ti_alloc(NULL, sizeof(*h) + n * sizeof(h->fields[0]));
	h->n = 0;
	h->cached_from = 0;
	h->bare = bare;
	h->text = strlen(format) + 100 * n;
	for (s = format; *s;) {
		struct field *f = &h->fields[h->n++];

		memset(f, 0, sizeof(*f));
		f->text = s;
		f->len = strcspn(s + 1, "%") + 1;	/* "%%" begins a text */
		if (*s != '%') {
			s += f->len;
			continue;
		}
		s++;
		f->left = *s == '-';
		s += f->left;
		while (isdigit((unsigned char)*s) && f->width < 100)
			f->width = f->width * 10 + (*s++ - '0');
		if (*s == '%') {
			f->text = s;
			f->len = 1;
		} else if (*s && strchr("tbclxspaNPinoTMm", *s)) {
			f->letter = *s;
		} else {
			header_error(format, s);
			free(h);
			return NULL;
		}
		s++;
	}
	for (n = 0; n < h->n; n++)
		if (h->fields[n].letter == 't')
			h->cached_from = n + 1;
	ti_header_forget(h);
	return h;
}

void ti_header_forget(struct ti_header *h)
{
	size_t i;

	for (i = 0; i < CACHE_SIZE; i++)
		h->cache[i].len = 0;
}

void ti_header_heads(struct out *o, const struct ti_header *h, size_t time_width)
{
	static const struct {
		char letter;
		const char *name;
	} heads[] = {
		{ 't', "TIME" }, { 'b', "BOARD" }, { 'c', "CPU" }, { 'x', "CTX" }, { 's', "SEV" },
		{ 'a', "THREAD (IN IRQ)" }, { 'n', "EVENT@OBJECT: TEXT" },
	};
	size_t at = 0, done = 0, i, k;

	for (i = 0; i < h->n; i++) {
		const struct field *f = &h->fields[i];
		size_t width = f->letter == 't' ? time_width : f->letter ? f->width : f->len;

		if (f->letter == 't' && !width)
			continue;
		for (k = 0; k < sizeof(heads) / sizeof(heads[0]); k++) {
			size_t len = strlen(heads[k].name), from = at;

			if (heads[k].letter != f->letter)
				continue;
			/*
			 * The head "CPU" is wider than its column, so it also covers the blank
			 * before the column.
			 */
			if (f->letter == 'c')
				from = at + width > len ? at + width - len : 0;
			if (done && from <= done)
				from = done + 1;
			out_fill(o, ' ', from - done);
			out_str(o, heads[k].name);
			done = from + len;
		}
		at += width;
	}
}

static const char *severity_color(uint8_t severity)
{
	if (!(severity & DEVTRACE_SEV_SET))
		return "";
	switch (severity & DEVTRACE_SEV_LEVEL) {
	case 3:
		return BOLD_RED;
	case 2:
		return RED;
	case 1:
		return YELLOW;
	}
	return "";
}

/* Print the process's name, or its ID. Return the number of columns printed. */
static size_t print_process(struct out *o, const struct ti_event *e)
{
	const char *name = ti_event_process(e);

	if (name)
		return out_safe(o, name, strlen(name));
	out_char(o, '?');
	return 1;
}

static void print_name(struct out *o, const char *name, uint64_t number)
{
	if (name)
		out_safe(o, name, strlen(name));
	else
		out_u64(o, number);
}

/*
 * Is the time marked? '~': the program wrote a time that could not be used. '?': the order of this
 * event and one of another board is not certain.
 */
static bool marked(const struct ti_printer *p, const struct ti_event *e)
{
	return (e->ev->flags & DEVTRACE_F_LATE || p->uncertain) && p->clock.mode != TI_TIME_NONE;
}

/* Is this a text without an object, which the layout prints without a name? */
static bool unnamed(const struct ti_printer *p, const struct ti_event *e)
{
	return p->header->bare && !e->entry &&
	       (e->ev->type == DEVTRACE_T_TEXT || e->ev->type == DEVTRACE_T_LOG) &&
	       !(e->ev->flags & (DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG));
}

static size_t print_field(struct out *o, struct ti_printer *p, const struct ti_event *e,
			  const struct field *f)
{
	const struct devtrace_event *ev = e->ev;
	bool exc = ev->flags & DEVTRACE_F_CODE;
	size_t before = o->len, n = 0;
	int lane;

	switch (f->letter) {
	case 't':
		ti_clock_print(o, &p->clock, e->decoder, ev->ts);
		if (marked(p, e))
			out_char(o, e->ev->flags & DEVTRACE_F_LATE ? '~' : '?');
		if (marked(p, e) && e->ev->flags & DEVTRACE_F_LATE && p->uncertain)
			out_char(o, '?');
		break;
	case 'b':
		if (p->board)
			return out_safe(o, p->board, strlen(p->board));
		out_char(o, '-');
		break;
	case 'c':
		lane = ti_event_lane(e);
		if (lane < 0)
			out_u64(o, ev->source);
		else
			out_char(o, '-');
		break;
	case 'l':
		lane = ti_event_lane(e);
		if (lane < 0)
			out_char(o, '-');
		else
			out_u64(o, (uint64_t)lane);
		break;
	case 'x':
		out_str(o, ti_event_context(e));
		break;
	case 's':
		out_str(o, severity_name(ev->severity));
		break;
	case 'a':
		if (ti_event_interrupted(e)) {
			out_char(o, '(');
			n = 1 + print_process(o, e);
			before = o->len;
			out_char(o, '[');
			out_u64(o, ev->tid);
			OUT_LIT(o, "])");
			break;
		}
		/* fall through */
	case 'p':
		n = print_process(o, e);
		before = o->len;
		out_char(o, '[');
		out_u64(o, ev->tid);
		out_char(o, ']');
		break;
	case 'N':
		return print_process(o, e);
	case 'P':
		if (e->tgid)
			out_u64(o, e->tgid);
		else
			out_char(o, '?');
		break;
	case 'i':
		out_u64(o, ev->tid);
		break;
	case 'n':
		if (!unnamed(p, e))
			ti_event_name(o, e);
		break;
	case 'o':
		if (!(ev->flags & DEVTRACE_F_OBJSIG) || (!ev->object && !ev->signal))
			break;
		out_char(o, '@');
		print_name(o, ti_event_object(e), ev->object);
		if (ev->signal || ti_event_signal(e)) {
			out_char(o, '/');
			print_name(o, ti_event_signal(e), ev->signal);
		}
		break;
	case 'T':
		out_u64(o, ev->number);
		break;
	case 'M':
		if (exc)
			out_hex(o, DEVTRACE_CODE_MAJOR(ev->code), 6);
		else
			out_char(o, '-');
		break;
	case 'm':
		if (exc)
			out_u64(o, DEVTRACE_CODE_MINOR(ev->code));
		else
			out_char(o, '-');
		break;
	}
	return n + o->len - before;
}

/*
 * Move the last bytes of the output to the right. The width of a right-aligned field is known only
 * after it was printed.
 */
static void shift_right(struct out *o, size_t bytes, size_t by)
{
	if (!out_room(o, by) || bytes > o->len)
		return;
	memmove(o->buf + o->len - bytes + by, o->buf + o->len - bytes, bytes);
	memset(o->buf + o->len - bytes, ' ', by);
	o->len += by;
}

static void print_fields(struct out *o, struct ti_printer *p, const struct ti_event *e,
			 size_t from, size_t to)
{
	const char *color;
	size_t i;

	for (i = from; i < to; i++) {
		const struct field *f = &p->header->fields[i];
		size_t before, n, cut;

		if (!f->letter) {
			/* If the time has a mark, the mark replaces the blank after it. */
			if (i && f[-1].letter == 'o' && unnamed(p, e))
				continue;
			cut = i && f[-1].letter == 't' && !f[-1].width && *f->text == ' ' &&
			      marked(p, e);
			out_mem(o, f->text + cut, f->len - cut);
			continue;
		}
		color = "";
		if (p->color)
			color = f->letter == 't' ? GREEN :
				f->letter == 'p' ||
				(f->letter == 'a' && !ti_event_interrupted(e)) ? CYAN :
				f->letter == 's' || f->letter == 'n' ?
				severity_color(e->ev->severity) : "";
		if (*color)
			out_str(o, color);
		before = o->len;
		n = print_field(o, p, e, f);
		if (n < f->width && !f->left)
			shift_right(o, o->len - before, f->width - n);
		if (*color)
			OUT_LIT(o, RESET);
		if (n < f->width && f->left)
			out_fill(o, ' ', f->width - n);
	}
}

static void print_header(struct out *o, struct ti_printer *p, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	struct ti_header *h = p->header;
	const uint64_t key[3] = {
		(uint64_t)ev->tid << 32 | (ev->flags & DEVTRACE_F_CODE ? ev->code : ev->number),
		(uint64_t)p->board_nr << 48 | (uint64_t)ev->source << 32 |
			(ev->flags & DEVTRACE_F_OBJSIG ?
			 (uint32_t)ev->object << 16 | ev->signal : 0),
		(uint64_t)ev->tgid << 32 | (uint32_t)ev->type << 16 |
			(ev->flags | (p->uncertain ? KEY_UNCERTAIN : 0)) << 8 | ev->severity,
	};
	uint64_t hash = (key[0] ^ key[0] >> 29 ^ key[1] ^ key[1] >> 32 ^ key[2]) *
			0x9e3779b97f4a7c15ull;
	struct head *c = &h->cache[hash >> 57];
	size_t begin;

	print_fields(o, p, e, 0, h->cached_from);
	if (c->len && c->key[0] == key[0] && c->key[1] == key[1] && c->key[2] == key[2]) {
		out_mem(o, c->text, c->len);
		return;
	}
	begin = o->len;
	print_fields(o, p, e, h->cached_from, h->n);
	c->len = 0;
	if (o->len - begin <= CACHE_TEXT && !o->err) {
		memcpy(c->key, key, sizeof(key));
		c->len = o->len - begin;
		memcpy(c->text, o->buf + begin, c->len);
	}
}

void ti_line_event(struct out *o, struct ti_printer *p, const struct ti_event *e)
{
	size_t begin;

	/*
	 * Reserve room for the largest header, so that the buffer is not flushed while columns are
	 * counted.
	 */
	if (!out_room(o, HEADER_ROOM(p->header)))
		return;
	print_header(o, p, e);
	begin = o->len;
	ti_event_text(o, e);
	/* Without a text, remove the ": " before it. */
	if (o->len == begin)
		while (begin && (o->buf[o->len - 1] == ' ' || o->buf[o->len - 1] == ':'))
			begin = --o->len;
	out_char(o, '\n');
}
