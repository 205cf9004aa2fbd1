// SPDX-License-Identifier: GPL-2.0-only
/*
 * ti_line.c - one line of text for each event, loss, gap and damage
 *
 * The header of a line is a small format of its own (-H), compiled once to a
 * list of fields. A field of fixed width that is too long pushes the rest to
 * the right; it is never cut.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "ti.h"

#define DEFAULT_HEADER	"%t %2c %-4x %-3s %-21p %n%o: "

#define RED	"\033[31m"
#define BOLD_RED "\033[1;31m"
#define YELLOW	"\033[33m"
#define GREEN	"\033[32m"
#define CYAN	"\033[36m"
#define MAGENTA	"\033[1;35m"
#define RESET	"\033[0m"

struct field {
	char		letter;		/* 0: text */
	bool		left;
	unsigned int	width;
	const char	*text;
	size_t		len;
};

struct ti_header {
	size_t		n;
	struct field	fields[];
};

static void header_error(const char *format, const char *at)
{
	char word[4] = { '%' };

	if (*at && (unsigned char)*at < 0x80)
		word[1] = *at;
	fprintf(stderr, "traceinfo: --header: '%s' in '%s' is no field; there are: %%t time, %%c CPU, %%x context, %%s severity, %%p process[tid], %%N process, %%P process id, %%i thread id, %%n name, %%o object and signal, %%T type, %%M major, %%m minor, %%%%\n",
		word, format);
}

struct ti_header *ti_header_new(const char *format)
{
	struct ti_header *h;
	const char *s;
	size_t n = 1;

	if (!format)
		format = DEFAULT_HEADER;
	for (s = format; *s; s++)
		n += *s == '%' ? 2 : 0;
	h = ti_alloc(NULL, sizeof(*h) + n * sizeof(h->fields[0]));
	h->n = 0;
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
		} else if (*s && strchr("tcxspNPinoTMm", *s)) {
			f->letter = *s;
		} else {
			header_error(format, s);
			free(h);
			return NULL;
		}
		s++;
	}
	return h;
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

static size_t print_process(struct out *o, const struct ti_event *e, bool tid)
{
	size_t before, n;

	/* Everything fits in the block: columns can be counted from len. */
	out_room(o, 4 * DEVTRACE_PAYLOAD_MAX);
	before = o->len;
	n = 0;
	if (e->process)
		n = out_safe(o, e->process, strlen(e->process));
	else
		out_char(o, '?');
	if (e->process) {
		size_t bytes = o->len - before;

		before += bytes - n;	/* bytes that are no columns */
	}
	if (tid) {
		out_char(o, '[');
		out_u64(o, e->ev->tid);
		out_char(o, ']');
	}
	return o->len - before;
}

static size_t print_field(struct out *o, struct ti_printer *p, const struct ti_event *e,
			  const struct field *f)
{
	const struct devtrace_event *ev = e->ev;
	bool exc = ev->flags & DEVTRACE_F_CODE;
	size_t before;

	out_room(o, 4 * DEVTRACE_PAYLOAD_MAX);
	before = o->len;
	switch (f->letter) {
	case 't':
		ti_clock_print(o, &p->clock, e->decoder, ev->ts);
		break;
	case 'c':
		out_u64(o, ev->source);
		break;
	case 'x':
		out_str(o, ti_event_context(e));
		break;
	case 's':
		out_str(o, ti_severity_name(ev->severity));
		break;
	case 'p':
		return print_process(o, e, true);
	case 'N':
		return print_process(o, e, false);
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
		ti_event_name(o, e);
		break;
	case 'o':
		if (!(ev->flags & DEVTRACE_F_OBJSIG) || (!ev->object && !ev->signal))
			break;
		out_char(o, '@');
		ti_event_object(o, e);
		if (ev->signal) {
			out_char(o, '/');
			ti_event_signal(o, e);
		}
		break;
	case 'T':
		out_u64(o, ev->type);
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
	return o->len - before;
}

/* The width of a right-aligned field is known only when it was printed. */
static void shift_right(struct out *o, size_t bytes, size_t by)
{
	if (!out_room(o, by) || bytes > o->len)
		return;
	memmove(o->buf + o->len - bytes + by, o->buf + o->len - bytes, bytes);
	memset(o->buf + o->len - bytes, ' ', by);
	o->len += by;
}

static void print_header(struct out *o, struct ti_printer *p, const struct ti_event *e)
{
	const char *color;
	size_t i;

	for (i = 0; i < p->header->n; i++) {
		const struct field *f = &p->header->fields[i];
		size_t before, n;

		if (!f->letter) {
			out_mem(o, f->text, f->len);
			continue;
		}
		color = "";
		if (p->color)
			color = f->letter == 't' ? GREEN : f->letter == 'p' ? CYAN :
				f->letter == 's' || f->letter == 'n' ?
				severity_color(e->ev->severity) : "";
		if (*color)
			out_str(o, color);
		out_room(o, 4 * DEVTRACE_PAYLOAD_MAX);
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

void ti_line_event(struct out *o, struct ti_printer *p, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	struct devtrace_elem text;
	size_t begin;

	/* The largest line but for pathological formats: it is not flushed half. */
	out_room(o, 16 * DEVTRACE_PAYLOAD_MAX);
	print_header(o, p, e);
	begin = o->len;
	if (ti_event_line(e, &text))
		out_safe(o, text.v.mem.p, text.v.mem.len);
	else
		fmt_print(o, e->entry, ev->data, ev->len, &e->names);
	/* No text: no ": " that promises one. */
	if (o->len == begin)
		while (begin && (o->buf[o->len - 1] == ' ' || o->buf[o->len - 1] == ':'))
			begin = --o->len;
	out_char(o, '\n');
}

static void stars(struct out *o, struct ti_printer *p)
{
	out_str(o, p->color ? MAGENTA "*** " : "*** ");
}

static void end_line(struct out *o, struct ti_printer *p)
{
	out_str(o, p->color ? RESET "\n" : "\n");
}

static void plural(struct out *o, uint64_t n, const char *what)
{
	out_u64(o, n);
	out_char(o, ' ');
	out_str(o, what);
	if (n != 1)
		out_char(o, 's');
}

static void moment(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		   uint64_t ts)
{
	struct ti_clock *c = &p->clock;

	/* A delta is between events; here the clock itself is meant. */
	if (c->mode == TI_TIME_DELTA || c->mode == TI_TIME_NONE) {
		struct ti_clock raw = { .mode = TI_TIME_RAW };

		c = &raw;
		ti_clock_print(o, c, d, ts);
		return;
	}
	ti_clock_print(o, c, d, ts);
}

static void print_lost(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		       const struct devtrace_lost *l)
{
	static const char *const why[DEVTRACE_LOST_CAUSES] = {
		[DEVTRACE_LOST_OVERWRITTEN] = "overwritten by newer ones",
		[DEVTRACE_LOST_CLEARED] = "somebody cleared the buffer",
		[DEVTRACE_LOST_BUSY] = "the ring was full of unfinished events",
		[DEVTRACE_LOST_TOOBIG] = "larger than a quarter of the ring",
		[DEVTRACE_LOST_NORING] = "the CPU had no ring yet",
	};

	stars(o, p);
	plural(o, l->count, "event");
	OUT_LIT(o, " of CPU ");
	out_u64(o, l->source);
	OUT_LIT(o, " lost: ");
	if (l->cause < DEVTRACE_LOST_CAUSES) {
		out_str(o, why[l->cause]);
	} else {
		OUT_LIT(o, "cause ");
		out_u64(o, l->cause);
	}
	if (l->from && l->to) {
		OUT_LIT(o, ", between ");
		moment(o, p, d, l->from);
		OUT_LIT(o, " and ");
		moment(o, p, d, l->to);
	} else if (l->to) {
		OUT_LIT(o, ", before ");
		moment(o, p, d, l->to);
	}
	end_line(o, p);
}

static void print_gap(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		      const struct devtrace_gap *g)
{
	stars(o, p);
	if (!g->exact)
		OUT_LIT(o, "at least ");
	plural(o, g->count, "frame");
	OUT_LIT(o, " missing between number ");
	out_u64(o, g->seq_before);
	OUT_LIT(o, " and ");
	out_u64(o, g->seq_after);
	OUT_LIT(o, ", before byte ");
	out_u64(o, g->offset);
	if (g->ts_before) {
		OUT_LIT(o, ", after ");
		moment(o, p, d, g->ts_before);
	}
	end_line(o, p);
}

static void print_dict(struct out *o, const struct devtrace_name *n)
{
	static const char *const kinds[] = { "signal", "object", "function", "record type" };

	if (n->kind == DEVTRACE_T_ENUM) {
		OUT_LIT(o, "enum ");
		out_u64(o, n->group);
	} else {
		out_str(o, n->kind >= DEVTRACE_T_SIG && n->kind <= DEVTRACE_T_USR ?
			kinds[n->kind - DEVTRACE_T_SIG] : "name");
	}
	out_char(o, ' ');
	if (n->kind == DEVTRACE_T_OBJ || n->kind == DEVTRACE_T_FUN)
		out_hex(o, n->key, 1);
	else
		out_u64(o, n->value);
	if (n->kind == DEVTRACE_T_SIG && n->key) {
		OUT_LIT(o, " of object ");
		out_hex(o, n->key, 1);
	}
	OUT_LIT(o, " is ");
	out_quoted(o, n->name, strlen(n->name));
	if (n->scope) {
		OUT_LIT(o, " in process ");
		out_u64(o, n->scope);
	}
}

static void print_info(struct out *o, const struct devtrace_info *i)
{
	static const char *const reasons[] = { "begins", "goes on", "was moved", "changes its check" };

	OUT_LIT(o, "stream ");
	out_quoted(o, i->stream, strlen(i->stream));
	OUT_LIT(o, " of ");
	out_safe(o, i->machine, strlen(i->machine));
	OUT_LIT(o, ", Linux ");
	out_safe(o, i->release, strlen(i->release));
	out_char(o, ' ');
	if (i->reason < 4)
		out_str(o, reasons[i->reason]);
	OUT_LIT(o, " after ");
	plural(o, i->frames, "frame");
}

void ti_line_item(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct devtrace_item *item)
{
	size_t i;

	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		print_lost(o, p, d, &item->u.lost);
		return;
	case DEVTRACE_ITEM_GAP:
		print_gap(o, p, d, &item->u.gap);
		return;
	case DEVTRACE_ITEM_DAMAGE:
		stars(o, p);
		plural(o, item->u.damage.bytes, "byte");
		OUT_LIT(o, " from byte ");
		out_u64(o, item->u.damage.offset);
		OUT_LIT(o, " on are no whole frame: ");
		out_str(o, ti_damage_reason(item->u.damage.reason));
		end_line(o, p);
		return;
	case DEVTRACE_ITEM_UNKNOWN:
		stars(o, p);
		OUT_LIT(o, "frame of unknown type ");
		out_u64(o, item->u.unknown.type);
		OUT_LIT(o, " with ");
		plural(o, item->u.unknown.len, "byte");
		for (i = 0; i < item->u.unknown.len; i++) {
			static const char set[] = "0123456789abcdef";
			uint8_t c = item->u.unknown.data[i];

			out_str(o, i ? " " : ": ");
			out_char(o, set[c >> 4]);
			out_char(o, set[c & 15]);
		}
		end_line(o, p);
		return;
	default:
		break;
	}
	OUT_LIT(o, "--- ");
	if (item->kind == DEVTRACE_ITEM_INFO) {
		print_info(o, &item->u.info);
	} else if (item->kind == DEVTRACE_ITEM_CLOCK) {
		OUT_LIT(o, "clock: ");
		moment(o, p, d, item->u.clock.ts);
	} else if (item->kind == DEVTRACE_ITEM_PROC) {
		OUT_LIT(o, "thread ");
		out_u64(o, item->u.proc.tid);
		OUT_LIT(o, " of process ");
		out_u64(o, item->u.proc.tgid);
		OUT_LIT(o, " is ");
		out_quoted(o, item->u.proc.name, strlen(item->u.proc.name));
	} else if (item->kind == DEVTRACE_ITEM_DICT) {
		print_dict(o, &item->u.dict);
	}
	out_char(o, '\n');
}
