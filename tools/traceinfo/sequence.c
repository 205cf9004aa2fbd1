// SPDX-License-Identifier: GPL-2.0-only
/*
 * sequence.c - --sequence: events as a diagram, with a lifeline for each object
 *
 *	                       table               philo[0]
 *	03:15:46.100000          |---EAT--------------->|
 *	03:15:46.100004          |                    [EAT]
 *	03:15:46.100009          |                   <eating>
 *
 * A post is an arrow from the sender to the receiver, or a short one from the left if the sender
 * has no lifeline; a dispatch is [signal], a new state <state>. A signal that the machine does
 * not know is "signal?", an ignored signal is "signal-". A program's event that is not from a
 * framework is {name} on the lifeline of its object.
 *
 * QP and RKH report an expired timer twice: as the timeout, and as the post of its signal by the
 * same thread. Only the timeout is drawn.
 *
 * Invariants: a line is as wide as the lifelines between two lines with the lifelines' names, for
 * any names; a non-ASCII character is printed as "?", because columns are counted in bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include "framework.h"
#include "sequence.h"

/* columns between two lifelines, reduced to COLUMN_MIN if the terminal is too narrow */
#define COLUMN		22
#define COLUMN_MIN	10
#define TIME		16	/* columns of the time */
#define HEAD_EVERY	40	/* lines */
/* expired timers that are remembered; if more expire at once, their signals are drawn twice */
#define TIMEOUTS	32

/* A timer expired, and the post of its signal has not been read yet. */
struct timeout {
	bool		is;
	uint32_t	tgid, tid, signal;
	uint64_t	to;
};

struct ti_sequence {
	const struct ti_words *objects;
	char		*line;
	size_t		width;
	size_t		column;	/* between lifelines */
	/* columns before the first lifeline; less than @column */
	size_t		margin;
	unsigned int	since_head;
	struct timeout	timeouts[TIMEOUTS];
	unsigned int	next_timeout;
};

/* One event as it is drawn in the diagram. */
struct step {
	/* FW_NONE: the event is not from QP or RKH */
	enum fw_kind	kind;
	int		from, to;	/* lifelines; -1: none */
	char		text[64];	/* signal, state or name */
	char		from_name[64], to_name[64];
};

/* Return the largest distance at which @n lifelines fit a terminal of @width columns. */
static size_t column_for(size_t n, unsigned long width)
{
	const size_t room = width > TIME ? width - TIME : 0, column = (room + 4) / (n + 1);

	return column > COLUMN ? COLUMN : column < COLUMN_MIN ? COLUMN_MIN : column;
}

struct ti_sequence *ti_sequence_new(const struct ti_words *objects, unsigned long width)
{
	struct ti_sequence *s = ti_alloc(NULL, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->objects = objects;
	s->column = width ? column_for(objects->n, width) : COLUMN;
	s->margin = s->column - 4;
	s->width = s->margin + objects->n * s->column;
	s->line = ti_alloc(NULL, s->width + 1);
	s->since_head = HEAD_EVERY;
	return s;
}

void ti_sequence_free(struct ti_sequence *s)
{
	if (!s)
		return;
	free(s->line);
	free(s);
}

static int lifeline(const struct ti_sequence *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->objects->n; i++)
		if (!strcmp(s->objects->v[i], name))
			return (int)i;
	return -1;
}

static int object_line(const struct ti_sequence *s, const struct ti_event *e, uint64_t key,
		       char name[64])
{
	fw_object_name(name, 64, e, key);
	return lifeline(s, name);
}

/* Find the lifeline for an event that is not from a framework, by its object's name or number. */
static bool step_of_program(const struct ti_sequence *s, struct step *p, const struct ti_event *e)
{
	const char *name;
	struct out o;

	if (!(e->ev->flags & DEVTRACE_F_OBJSIG) || !e->ev->object)
		return false;
	name = ti_event_object(e);
	snprintf(p->to_name, sizeof(p->to_name), "%s", name ? name : "");
	p->to = name ? lifeline(s, name) : -1;
	if (p->to < 0) {
		snprintf(p->to_name, sizeof(p->to_name), "%u", e->ev->object);
		p->to = lifeline(s, p->to_name);
	}
	if (p->to < 0)
		return false;
	out_init(&o, -1);
	ti_event_name(&o, e);
	out_char(&o, 0);
	snprintf(p->text, sizeof(p->text), "%s", o.buf ? o.buf : "");
	out_free(&o);
	return true;
}

/* Convert an event into a step. Return false if the diagram does not show it. */
static bool step_init(const struct ti_sequence *s, struct step *p, const struct ti_event *e)
{
	struct fw_event f;

	memset(p, 0, sizeof(*p));
	p->from = -1;
	if (!fw_event(&f, e))
		return step_of_program(s, p, e);
	p->kind = f.kind;
	switch (f.kind) {
	case FW_POST:
	case FW_REFUSED:
		p->to = object_line(s, e, f.to, p->to_name);
		if (f.has_from)
			p->from = object_line(s, e, f.from, p->from_name);
		break;
	case FW_TIMEOUT:
		p->to = object_line(s, e, f.to, p->to_name);
		p->from = object_line(s, e, f.object, p->from_name);
		break;
	case FW_DISPATCH:
	case FW_INIT:
	case FW_STATE:
	case FW_TRAN:
	case FW_IGNORED:
	case FW_UNHANDLED:
		p->to = object_line(s, e, f.object, p->to_name);
		break;
	default:
		return false;
	}
	if (p->to < 0 && p->from < 0)
		return false;
	if (f.kind == FW_INIT || f.kind == FW_STATE || f.kind == FW_TRAN)
		fw_state_name(p->text, sizeof(p->text), e, &f);
	else if (f.has_signal)
		fw_signal_name(p->text, sizeof(p->text), e, &f);
	return true;
}

static struct timeout *find_timeout(struct ti_sequence *s, const struct ti_event *e,
				    const struct fw_event *f)
{
	unsigned int i;

	for (i = 0; i < TIMEOUTS; i++) {
		struct timeout *t = &s->timeouts[i];

		if (t->is && t->to == f->to && t->signal == f->signal &&
		    t->tgid == e->tgid && t->tid == e->ev->tid)
			return t;
	}
	return NULL;
}

/* Is this event the post of a timer's signal, whose timeout has been drawn already? */
static bool told_before(struct ti_sequence *s, const struct ti_event *e)
{
	struct timeout *t;
	struct fw_event f;

	if (!fw_event(&f, e) || (f.kind != FW_TIMEOUT && f.kind != FW_POST))
		return false;
	t = find_timeout(s, e, &f);
	if (f.kind == FW_POST) {
		if (t)
			t->is = false;
		return t;
	}
	if (!t)
		t = &s->timeouts[s->next_timeout++ % TIMEOUTS];
	*t = (struct timeout){
		.is = true, .tgid = e->tgid, .tid = e->ev->tid, .signal = f.signal, .to = f.to,
	};
	return false;
}

void ti_sequence_forget(struct ti_sequence *s)
{
	memset(s->timeouts, 0, sizeof(s->timeouts));
}

bool ti_sequence_wants(struct ti_sequence *s, const struct ti_event *e)
{
	const bool told = told_before(s, e);
	struct step p;

	return !told && step_init(s, &p, e);
}

static size_t place(const struct ti_sequence *s, int n)
{
	return s->margin + (size_t)n * s->column;
}

static void put(struct ti_sequence *s, size_t at, const char *text, size_t len)
{
	for (; len && at < s->width; at++, text++, len--)
		s->line[at] = *text >= ' ' && *text < 0x7f ? *text : '?';
}

static void lifelines(struct ti_sequence *s)
{
	size_t i;

	memset(s->line, ' ', s->width);
	for (i = 0; i < s->objects->n; i++)
		s->line[place(s, (int)i)] = '|';
}

/* Draw a text around a lifeline. Truncate it if it would touch the next lifelines. */
static void around(struct ti_sequence *s, int n, char left, const char *text, char right)
{
	char buf[COLUMN];
	size_t len = strlen(text), max = s->column - 4;

	if (len > max)
		len = max;
	snprintf(buf, sizeof(buf), "%c%.*s%c", left, (int)len, text, right);
	put(s, place(s, n) - (len + 2) / 2, buf, len + 2);
}

/*
 * Draw an arrow between the columns @left and @right, with @text in it. With @back it points left.
 */
static void arrow(struct ti_sequence *s, size_t left, size_t right, const char *text, bool back,
		  bool refused)
{
	const size_t room = right - left - 1;
	size_t len = strlen(text), at;

	memset(s->line + left + 1, refused ? '.' : '-', room);
	if (len > room - 3)
		len = room - 3;
	/* Put the text closer to the sender. */
	at = back ? right - 3 - len : left + 4;
	if (at <= left + 1 || at + len >= right)
		at = left + 2;
	put(s, at, text, len);
	s->line[back ? left + 1 : right - 1] = refused ? 'x' : back ? '<' : '>';
}

static void draw_post(struct ti_sequence *s, const struct step *p)
{
	const bool refused = p->kind == FW_REFUSED;

	if (p->to < 0) {
		/* the receiver has no lifeline: draw a short arrow */
		arrow(s, place(s, p->from), place(s, p->from) + s->margin - 1, p->text, false,
		      refused);
	} else if (p->from < 0) {
		arrow(s, place(s, p->to) - s->margin + 1, place(s, p->to), p->text, false, refused);
		if (p->kind == FW_TIMEOUT)
			s->line[place(s, p->to) - s->margin + 2] = '~';
	} else if (p->from == p->to) {
		s->line[place(s, p->to)] = '*';
		arrow(s, place(s, p->to) - s->margin + 1, place(s, p->to), p->text, false, refused);
	} else if (p->from < p->to) {
		arrow(s, place(s, p->from), place(s, p->to), p->text, false, refused);
	} else {
		arrow(s, place(s, p->to), place(s, p->from), p->text, true, refused);
	}
}

static void draw(struct ti_sequence *s, const struct step *p)
{
	char text[sizeof(p->text) + 1];

	lifelines(s);
	switch (p->kind) {
	case FW_POST:
	case FW_REFUSED:
	case FW_TIMEOUT:
		draw_post(s, p);
		break;
	case FW_DISPATCH:
		around(s, p->to, '[', p->text, ']');
		break;
	case FW_IGNORED:
	case FW_UNHANDLED:
		snprintf(text, sizeof(text), "%s%c", p->text, p->kind == FW_IGNORED ? '-' : '?');
		around(s, p->to, '(', text, ')');
		break;
	case FW_NONE:
		around(s, p->to, '{', p->text, '}');
		break;
	default:
		around(s, p->to, '<', p->text, '>');
	}
}

/* Print the line without trailing blanks. */
static void end_line(struct ti_sequence *s, struct out *o)
{
	size_t len = s->width;

	while (len && s->line[len - 1] == ' ')
		len--;
	out_mem(o, s->line, len);
	out_char(o, '\n');
}

static void head(struct ti_sequence *s, struct out *o, size_t time_width)
{
	size_t i;

	memset(s->line, ' ', s->width);
	for (i = 0; i < s->objects->n; i++) {
		const char *name = s->objects->v[i];
		size_t len = strlen(name);

		if (len > s->column - 2)
			len = s->column - 2;
		put(s, place(s, (int)i) - len / 2, name, len);
	}
	out_fill(o, ' ', time_width);
	end_line(s, o);
	s->since_head = 0;
}

static const char *const words[] = {
	[FW_NONE] = "event", [FW_POST] = "post", [FW_REFUSED] = "refused",
	[FW_DISPATCH] = "dispatch", [FW_INIT] = "init", [FW_STATE] = "state",
	[FW_TRAN] = "state", [FW_IGNORED] = "ignored", [FW_UNHANDLED] = "unhandled",
	[FW_TIMEOUT] = "timeout",
};

static void json_string(struct out *o, const char *key, const char *v)
{
	if (!*v)
		return;
	OUT_LIT(o, ",\"");
	out_str(o, key);
	OUT_LIT(o, "\":");
	out_json(o, v, strlen(v));
}

static void json(struct out *o, const struct step *p, uint64_t ts)
{
	const bool state = p->kind == FW_INIT || p->kind == FW_STATE || p->kind == FW_TRAN;

	OUT_LIT(o, "{\"kind\":\"sequence\",\"ts\":");
	out_u64(o, ts);
	json_string(o, "what", words[p->kind]);
	json_string(o, "from", p->from_name);
	json_string(o, "to", p->to_name);
	json_string(o, state ? "state" : p->kind == FW_NONE ? "name" : "signal", p->text);
	OUT_LIT(o, "}\n");
}

void ti_sequence_event(struct ti_sequence *s, struct out *o, struct ti_printer *printer,
		       const struct ti_event *e)
{
	struct step p;

	if (!step_init(s, &p, e))
		return;
	if (printer->opt->json) {
		json(o, &p, e->ev->ts);
		return;
	}
	if (s->since_head >= HEAD_EVERY)
		head(s, o, ti_clock_width(&printer->clock));
	s->since_head++;
	if (printer->clock.mode != TI_TIME_NONE)
		ti_clock_print(o, &printer->clock, e->decoder, e->ev->ts);
	draw(s, &p);
	end_line(s, o);
}
