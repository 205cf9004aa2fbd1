// SPDX-License-Identifier: GPL-2.0-only
/*
 * syslog.c - the encoder of messages of RFC 5424 in the framing of RFC 6587
 *
 * Invariants
 * - A message is "LENGTH SP MESSAGE", and MESSAGE has no control characters. The receiver finds
 *   the next message by the length of the previous one.
 * - Structured data has the name devtrace@NUMBER, where NUMBER is the private enterprise number
 *   that the user gives. Without a number there is none: RFC 5424 has no name that is free for all.
 * - The element timeQuality, which RFC 5424 defines, says how exact the time is, if that is known.
 * - Each element of an event is a parameter of its own, so receivers need not take a string apart.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/severity.h"
#include "field.h"
#include "record.h"

#define FACILITY	1	/* user-level messages */
/* limit of a text, in bytes: receivers must accept 480 bytes and should accept 2048 */
#define TEXT_MAX	1024
/* the level of a loss */
#define WARNING		4
#define PARAM_MAX	32	/* characters of a parameter's name */

struct syslog {
	const struct tl_origin *origin;
	struct out	request, msg, text, safe;
	struct field_names names;
};

/* Append a field of the header: printable ASCII without spaces, or "-" if it is empty. */
static void put_field(struct out *o, const char *s, size_t max)
{
	size_t i;

	for (i = 0; i < max && s[i]; i++)
		out_char(o, s[i] > ' ' && s[i] < 0x7f ? s[i] : '_');
	if (!i)
		out_char(o, '-');
}

static void put_time(struct out *o, uint64_t real)
{
	const time_t sec = (time_t)(real / TL_NSEC);
	char words[64];
	struct tm tm;

	if (!real) {
		out_char(o, '-');
		return;
	}
	gmtime_r(&sec, &tm);
	strftime(words, sizeof(words), "%Y-%m-%dT%H:%M:%S", &tm);
	out_str(o, words);
	snprintf(words, sizeof(words), ".%06dZ", (int)(real % TL_NSEC / 1000));
	out_str(o, words);
}

static void put_value(struct syslog *s, const char *name, const char *value, size_t n)
{
	struct out *o = &s->msg;
	size_t i;

	s->safe.len = 0;
	out_safe(&s->safe, value, n);
	out_char(o, ' ');
	out_str(o, name);
	OUT_LIT(o, "=\"");
	for (i = 0; i < s->safe.len; i++) {
		const char c = s->safe.buf[i];

		if (c == '"' || c == '\\' || c == ']')
			out_char(o, '\\');
		out_char(o, c);
	}
	out_char(o, '"');
}

static void put_param(struct syslog *s, const char *name, const char *value)
{
	put_value(s, name, value, strlen(value));
}

static void put_number(struct syslog *s, const char *name, uint64_t n)
{
	char word[24];

	snprintf(word, sizeof(word), "%" PRIu64, n);
	put_param(s, name, word);
}

static void put_arg(void *ctx, const struct ti_arg *a)
{
	struct syslog *s = ctx;
	char name[FIELD_MAX + 1];
	struct out *t = &s->text;

	/* Some servers take a part of a name that begins with a digit for an index. */
	field_next(&s->names, name, PARAM_MAX, false,
		   a->name_len && a->name[0] >= '0' && a->name[0] <= '9' ? "e" : "", a->name,
		   a->name_len);
	t->len = 0;
	if (a->kind == TI_ARG_INT)
		out_i64(t, a->v.i);
	else if (a->kind == TI_ARG_UINT)
		out_u64(t, a->v.u);
	else if (a->kind == TI_ARG_DOUBLE)
		out_double_short(t, a->v.f, false);
	else
		out_mem(t, a->str, a->len);
	put_value(s, name, t->len ? t->buf : "", t->len);
}

/* Begin a message, up to the name of the application. */
static void begin(struct syslog *s, const struct tl_record *rec, unsigned int level)
{
	struct out *o = &s->msg;

	o->len = 0;
	out_char(o, '<');
	out_u64(o, FACILITY * 8 + level);
	OUT_LIT(o, ">1 ");
	put_time(o, rec->real);
	out_char(o, ' ');
	put_field(o, s->origin->host, 255);
	out_char(o, ' ');
}

/*
 * Begin structured data by how exact the time is. RFC 5424 forbids an accuracy of a clock that is
 * not synchronized. Return false if that is not known: then nothing was written.
 */
static bool put_quality(struct syslog *s, const struct tl_record *rec)
{
	const bool known = rec->sync == DEVTRACE_SYNC_ERROR;

	if (!known && !tl_record_unsynced(rec))
		return false;
	OUT_LIT(&s->msg, " [timeQuality");
	put_param(s, "tzKnown", "1");
	put_param(s, "isSynced", known ? "1" : "0");
	if (known)
		put_number(s, "syncAccuracy", (rec->error + 999) / 1000);
	out_char(&s->msg, ']');
	return true;
}

/* Begin structured data: what an event and a loss have in common. */
static void begin_data(struct syslog *s, const struct tl_record *rec, const char *name,
		       bool has_place)
{
	struct out *o = &s->msg;

	if (!put_quality(s, rec))
		out_char(o, ' ');
	OUT_LIT(o, "[devtrace@");
	out_u64(o, s->origin->opt->enterprise);
	put_param(s, "name", name);
	if (*s->origin->boot_id)
		put_param(s, "boot", s->origin->boot_id);
	if (*s->origin->stream)
		put_param(s, "stream", s->origin->stream);
	if (has_place)
		put_number(s, rec->lane < 0 ? "cpu" : "lane",
			   rec->lane < 0 ? rec->source : (uint64_t)rec->lane);
}

/* End the message with @n bytes of text, of which control characters are escaped. */
static void end(struct syslog *s, const char *text, size_t n)
{
	struct out *o = &s->safe;
	size_t len;

	o->len = 0;
	out_safe(o, text, n);
	len = o->len < TEXT_MAX ? o->len : TEXT_MAX;
	/* Do not truncate the text in the middle of a UTF-8 character. */
	while (len && len < o->len && ((uint8_t)o->buf[len] & 0xc0) == 0x80)
		len--;
	out_char(&s->msg, ' ');
	out_mem(&s->msg, o->buf, len);
	out_u64(&s->request, s->msg.len);
	out_char(&s->request, ' ');
	out_mem(&s->request, s->msg.buf, s->msg.len);
}

static void put_names(struct syslog *s, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	const char *object, *signal;

	if (ev->flags & DEVTRACE_F_CODE) {
		put_number(s, "major", DEVTRACE_CODE_MAJOR(ev->code));
		put_number(s, "minor", DEVTRACE_CODE_MINOR(ev->code));
	}
	if (!(ev->flags & DEVTRACE_F_OBJSIG))
		return;
	object = ti_event_object(e);
	signal = ti_event_signal(e);
	if (object)
		put_param(s, "object", object);
	else
		put_number(s, "object", ev->object);
	if (signal)
		put_param(s, "signal", signal);
	else if (ev->signal)
		put_number(s, "signal", ev->signal);
}

static void put_data(struct syslog *s, const struct tl_record *rec, const struct ti_event *e,
		     const char *name)
{
	const struct devtrace_event *ev = e->ev;
	struct devtrace_elem line;
	size_t begun;

	begin_data(s, rec, name, true);
	put_number(s, "type", ev->number);
	if (ev->severity & DEVTRACE_SEV_SET)
		put_param(s, "severity", severity_name(ev->severity));
	put_names(s, e);
	put_number(s, "tid", ev->tid);
	if (ti_event_interrupted(e))
		put_param(s, "context", ti_event_context(e));
	put_number(s, "ts", rec->ts);
	put_number(s, "nr", rec->nr);
	out_char(&s->msg, ']');
	if (ti_event_line(e, &line))
		return;
	/* The elements have names of their own, which may be equal to those above. */
	begun = s->msg.len;
	OUT_LIT(&s->msg, "[devtrace-args@");
	out_u64(&s->msg, s->origin->opt->enterprise);
	field_begin(&s->names);
	ti_args(e, put_arg, s);
	out_char(&s->msg, ']');
	if (!s->names.nr)
		s->msg.len = begun;
}

static void put_event(void *enc, const struct tl_record *rec, const struct ti_event *e)
{
	struct syslog *s = enc;
	const struct devtrace_event *ev = e->ev;
	const char *process = ti_event_process(e), *name = ti_args_name(&s->text, e);
	char kept[160];
	size_t n;

	snprintf(kept, sizeof(kept), "%s", name);
	begin(s, rec, ev->severity & DEVTRACE_SEV_SET ? severity_syslog(ev->severity) : 6);
	put_field(&s->msg, process ? process : "", 48);
	out_char(&s->msg, ' ');
	out_u64(&s->msg, e->tgid ? e->tgid : ev->tid);
	out_char(&s->msg, ' ');
	put_field(&s->msg, kept, 32);
	if (s->origin->opt->enterprise)
		put_data(s, rec, e, kept);
	else if (!put_quality(s, rec))
		OUT_LIT(&s->msg, " -");
	n = tl_record_text(&s->text, e);
	end(s, n ? s->text.buf : "", n);
}

static void put_missing(void *enc, const struct tl_record *rec, const struct tl_missing *m)
{
	struct syslog *s = enc;

	begin(s, rec, WARNING);
	OUT_LIT(&s->msg, "tracelogger - ");
	out_str(&s->msg, m->gap ? "gap" : "lost");
	if (s->origin->opt->enterprise) {
		begin_data(s, rec, m->gap ? "devtrace.gap" : "devtrace.lost", !m->gap);
		put_number(s, "count", m->count);
		put_number(s, "from", m->from);
		if (!m->gap) {
			put_number(s, "to", m->to);
			put_param(s, "cause", m->cause);
		}
		out_char(&s->msg, ']');
	} else if (!put_quality(s, rec)) {
		OUT_LIT(&s->msg, " -");
	}
	end(s, m->text, strlen(m->text));
}

static const struct out *request(void *e)
{
	const struct syslog *s = e;

	return &s->request;
}

static void clear(void *e)
{
	struct syslog *s = e;

	s->request.len = 0;
	s->request.err = 0;
	s->msg.err = 0;
	s->text.err = 0;
	s->safe.err = 0;
}

static void *make(const struct tl_records *records)
{
	struct syslog *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->origin = tl_records_origin(records);
	out_init(&s->request, -1);
	out_init(&s->msg, -1);
	out_init(&s->text, -1);
	out_init(&s->safe, -1);
	return s;
}

static void drop(void *e)
{
	struct syslog *s = e;

	out_free(&s->request);
	out_free(&s->msg);
	out_free(&s->text);
	out_free(&s->safe);
	free(s);
}

const struct tl_encoder syslog_encoder = {
	.make = make, .drop = drop, .event = put_event, .missing = put_missing,
	.request = request, .end = request, .clear = clear,
};
