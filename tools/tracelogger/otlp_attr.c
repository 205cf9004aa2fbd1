// SPDX-License-Identifier: GPL-2.0-only
/*
 * otlp_attr.c - fields and attributes of a log record of OpenTelemetry
 *
 * Invariants
 * - An event's elements have the names and values of traceinfo --json. Other attributes begin with
 *   "devtrace.", or have the names of OpenTelemetry's conventions.
 * - The bytes written depend only on the arguments, so otlp_record.c may keep them for the next
 *   event of the same kind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "common/severity.h"
#include "otlp_attr.h"

void otlp_put_str(struct pb *p, unsigned int field, const char *key, size_t key_len,
		  const char *s, size_t n)
{
	pb_begin(p, field);
	pb_bytes(p, OTLP_KEY, key, key_len);
	pb_begin(p, OTLP_VALUE);
	pb_text(p, OTLP_ANY_STRING, s, n);
	pb_end(p);
	pb_end(p);
}

/* a key up to this length makes an attribute of less than 128 bytes, whose length is one byte */
#define SHORT_KEY		100

/* Most attributes are integers with short keys: their lengths are known before they are written. */
void otlp_put_int(struct pb *p, const char *key, size_t key_len, int64_t value)
{
	uint64_t v = (uint64_t)value;
	struct out *o = &p->o;
	uint8_t *all, *to;

	if (key_len > SHORT_KEY || !out_room(o, SHORT_KEY + 20))
		return;
	all = (uint8_t *)o->buf + o->len;
	all[0] = OTLP_TAG_BYTES(OTLP_RECORD_ATTRIBUTES);
	all[2] = OTLP_TAG_BYTES(OTLP_KEY);
	all[3] = (uint8_t)key_len;
	memcpy(all + 4, key, key_len);
	to = all + 4 + key_len;
	to[0] = OTLP_TAG_BYTES(OTLP_VALUE);
	to[2] = OTLP_TAG_VARINT(OTLP_ANY_INT);
	for (all = to + 3; v >= 0x80; v >>= 7)
		*all++ = (uint8_t)v | 0x80;
	*all++ = (uint8_t)v;
	to[1] = (uint8_t)(all - to - 2);
	o->buf[o->len + 1] = (char)(all - (uint8_t *)o->buf - o->len - 2);
	o->len = (size_t)(all - (uint8_t *)o->buf);
}

/* The place in the source has the names of OpenTelemetry's conventions. */
static bool put_place(struct pb *p, const struct ti_arg *a)
{
	if (!strcmp(a->name, "file"))
		OTLP_PUT_TEXT(p, "code.file.path", a->str, a->len);
	else if (!strcmp(a->name, "line"))
		OTLP_PUT_INT(p, "code.line.number", a->v.i);
	else if (!strcmp(a->name, "function"))
		OTLP_PUT_TEXT(p, "code.function.name", a->str, a->len);
	else
		return false;
	return true;
}

void otlp_put_arg(void *ctx, const struct ti_arg *a)
{
	struct pb *p = ctx;

	if (a->is_statement && put_place(p, a))
		return;

	/* Names come from descriptions of events, whose names are ASCII. */
	if (a->name_len <= SHORT_KEY &&
	    (a->kind == TI_ARG_INT || (a->kind == TI_ARG_UINT && a->v.u <= INT64_MAX))) {
		otlp_put_int(p, a->name, a->name_len, a->v.i);
		return;
	}
	pb_begin(p, OTLP_RECORD_ATTRIBUTES);
	pb_text(p, OTLP_KEY, a->name, a->name_len);
	pb_begin(p, OTLP_VALUE);
	if (a->kind == TI_ARG_INT) {
		pb_int(p, OTLP_ANY_INT, a->v.i);
	} else if (a->kind == TI_ARG_UINT && a->v.u <= INT64_MAX) {
		pb_uint(p, OTLP_ANY_INT, a->v.u);
	} else if (a->kind == TI_ARG_DOUBLE) {
		pb_double(p, OTLP_ANY_DOUBLE, a->v.f);
	} else if (a->kind == TI_ARG_UINT) {
		/* The type has no unsigned numbers: write a large one in decimal. */
		char word[24];

		snprintf(word, sizeof(word), "%" PRIu64, a->v.u);
		pb_str(p, OTLP_ANY_STRING, word);
	} else {
		pb_text(p, OTLP_ANY_STRING, a->str, a->len);
	}
	pb_end(p);
	pb_end(p);
}

/* Severities 0 to 3 are INFO, WARN, ERROR and ERROR2, which is that of syslog's "critical". */
void otlp_put_severity(struct pb *p, uint8_t severity)
{
	static const uint8_t numbers[] = { 9, 13, 17, 18 };

	if (!(severity & DEVTRACE_SEV_SET))
		return;
	pb_uint(p, OTLP_RECORD_SEVERITY, numbers[severity & DEVTRACE_SEV_LEVEL]);
	pb_str(p, OTLP_RECORD_SEVERITY_TEXT, severity_name(severity));
}

void otlp_put_source(struct pb *p, const struct tl_record *rec)
{
	if (rec->lane < 0)
		OTLP_PUT_INT(p, "devtrace.cpu", rec->source);
	else
		OTLP_PUT_INT(p, "devtrace.lane", rec->lane);
}

void otlp_put_names(struct pb *p, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	const char *process = ti_event_process(e), *object, *signal;

	OTLP_PUT_INT(p, "thread.id", ev->tid);
	if (process)
		OTLP_PUT_STR(p, "thread.name", process);
	if (e->tgid)
		OTLP_PUT_INT(p, "process.pid", e->tgid);
	if (ti_event_interrupted(e))
		OTLP_PUT_STR(p, "devtrace.context", ti_event_context(e));
	if (!(ev->flags & DEVTRACE_F_OBJSIG))
		return;
	object = ti_event_object(e);
	signal = ti_event_signal(e);
	if (object)
		OTLP_PUT_STR(p, "devtrace.object", object);
	else
		OTLP_PUT_INT(p, "devtrace.object", ev->object);
	if (signal)
		OTLP_PUT_STR(p, "devtrace.signal", signal);
	else if (ev->signal)
		OTLP_PUT_INT(p, "devtrace.signal", ev->signal);
}
