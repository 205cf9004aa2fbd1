// SPDX-License-Identifier: GPL-2.0-only
/*
 * otlp_record.c - the encoder of log records of OpenTelemetry
 *
 * A request is one ExportLogsServiceRequest. The messages around the records name the boot and the
 * stream, and are ended when one of these changes.
 *
 * otlp_attr.c writes the attributes. The numbers of fields are those of opentelemetry-proto 1.11.0.
 */
#include <stdlib.h>
#include <string.h>
#include "otlp_attr.h"
#include "record.h"

/* limit of a body, in bytes */
#define BODY_MAX	4096

/* ExportLogsServiceRequest, ResourceLogs, ScopeLogs */
enum {
	REQUEST_RESOURCE_LOGS = 1,
	RESOURCE_LOGS_RESOURCE = 1, RESOURCE_LOGS_SCOPE_LOGS = 2,
	RESOURCE_ATTRIBUTES = 1,
	SCOPE_LOGS_SCOPE = 1, SCOPE_LOGS_RECORDS = 2,
	SCOPE_NAME = 1, SCOPE_VERSION = 2,
};

/* SeverityNumber of lost events and missing frames: WARN */
#define SEVERITY_WARN	13

/* limit of cached beginnings of records, and of the bytes of one */
#define HEADS		64
#define HEAD_MAX	232

/*
 * Fields of a record that do not change from one event of its kind to the next: severity, name,
 * thread, process, object, signal, CPU or lane. Events have the same head if all values are equal
 * and no name has changed.
 */
struct head {
	struct head_key {
		uint32_t	tid, tgid, code;
		uint16_t	object, signal, source;
		uint8_t		type, flags, severity, used;
		uint16_t	zero;		/* no padding: keys are compared by memcmp() */
	} key;
	uint8_t		len;
	char		bytes[HEAD_MAX];
};

struct otlp {
	const struct tl_origin *origin;
	struct pb	request;
	struct out	name, text;
	bool		open;		/* the messages around the records are begun */
	struct head	heads[HEADS];
};

static void put_resource_str(struct pb *p, const char *key, size_t key_len, const char *s)
{
	if (s && *s)
		otlp_put_str(p, RESOURCE_ATTRIBUTES, key, key_len, s, strlen(s));
}

/* An attribute that the user may set by -A, too */
static void put_resource_default(struct otlp *r, const char *key, const char *s)
{
	if (!tl_records_note(r->origin->opt, key))
		put_resource_str(&r->request, key, strlen(key), s);
}

static void put_resource(struct otlp *r)
{
	struct pb *p = &r->request;
	size_t i;

	pb_begin(p, RESOURCE_LOGS_RESOURCE);
	put_resource_default(r, "service.name", "devtrace");
	put_resource_default(r, "host.name", r->origin->host);
	put_resource_default(r, "devtrace.boot_id", r->origin->boot_id);
	put_resource_default(r, "devtrace.stream", r->origin->stream);
	for (i = 0; i < r->origin->opt->nr_notes; i++) {
		const char *note = r->origin->opt->notes[i], *value = strchr(note, '=');

		otlp_put_str(p, RESOURCE_ATTRIBUTES, note, (size_t)(value - note), value + 1,
			     strlen(value + 1));
	}
	pb_end(p);
}

/* Begin the messages around the records, if they are not begun. */
static void begin_scope(struct otlp *r)
{
	struct pb *p = &r->request;

	if (r->open)
		return;
	r->open = true;
	pb_begin(p, REQUEST_RESOURCE_LOGS);
	put_resource(r);
	pb_begin(p, RESOURCE_LOGS_SCOPE_LOGS);
	pb_begin(p, SCOPE_LOGS_SCOPE);
	pb_str(p, SCOPE_NAME, "devtrace");
	pb_str(p, SCOPE_VERSION, TI_VERSION);
	pb_end(p);
}

static void end_scope(void *e)
{
	struct otlp *r = e;

	if (!r->open)
		return;
	pb_end(&r->request);
	pb_end(&r->request);
	r->open = false;
}

/* Begin a record, with its times. */
static struct pb *begin_record(struct otlp *r, const struct tl_record *rec)
{
	struct pb *p = &r->request;

	begin_scope(r);
	pb_begin(p, SCOPE_LOGS_RECORDS);
	if (rec->real)
		pb_fixed64(p, OTLP_RECORD_TIME, rec->real);
	pb_fixed64(p, OTLP_RECORD_OBSERVED, rec->observed);
	return p;
}

static void put_error(struct pb *p, const struct tl_record *rec)
{
	const char *unsynced = tl_record_unsynced(rec);

	if (rec->sync == DEVTRACE_SYNC_ERROR)
		OTLP_PUT_INT(p, "devtrace.error", (int64_t)rec->error);
	else if (unsynced)
		OTLP_PUT_STR(p, "devtrace.synchronised", unsynced);
}

/* Forget the heads, because a name has changed. */
static void forget_heads(void *e)
{
	struct otlp *r = e;
	unsigned int i;

	for (i = 0; i < HEADS; i++)
		r->heads[i].key.used = 0;
}

static void make_head(struct otlp *r, const struct tl_record *rec,
		      const struct ti_event *e)
{
	struct pb *p = &r->request;

	otlp_put_severity(p, e->ev->severity);
	ti_args_name(&r->name, e);
	pb_text(p, OTLP_RECORD_EVENT_NAME, r->name.buf, r->name.len ? r->name.len - 1 : 0);
	otlp_put_names(p, e);
	otlp_put_source(p, rec);
}

static void put_head(struct otlp *r, const struct tl_record *rec,
		     const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	const struct head_key key = {
		.tid = ev->tid, .tgid = ev->tgid, .source = ev->source, .type = ev->type,
		.flags = ev->flags, .severity = ev->severity, .used = 1,
		.code = ev->flags & DEVTRACE_F_CODE ? ev->code : ev->number,
		.object = ev->flags & DEVTRACE_F_OBJSIG ? ev->object : 0,
		.signal = ev->flags & DEVTRACE_F_OBJSIG ? ev->signal : 0,
	};
	const uint32_t hash = (key.tid ^ key.code << 8 ^ (uint32_t)key.object << 4 ^
			       (uint32_t)key.source << 12 ^ key.type) * 2654435761u;
	struct head *h = &r->heads[hash >> 26];
	struct out *o = &r->request.o;
	const size_t begun = o->len;

	if (!memcmp(&h->key, &key, sizeof(key))) {
		out_mem(o, h->bytes, h->len);
		return;
	}
	make_head(r, rec, e);
	h->key.used = 0;
	if (o->err || o->len - begun > HEAD_MAX)
		return;
	h->key = key;
	h->len = (uint8_t)(o->len - begun);
	memcpy(h->bytes, o->buf + begun, h->len);
}

static void put_body(struct otlp *r, const struct ti_event *e)
{
	struct pb *p = &r->request;
	size_t n = tl_record_text(&r->text, e);

	if (n > BODY_MAX) {
		n = BODY_MAX;
		/* Do not cut a UTF-8 character. */
		while (n && ((uint8_t)r->text.buf[n] & 0xc0) == 0x80)
			n--;
	}
	pb_begin(p, OTLP_RECORD_BODY);
	pb_text(p, OTLP_ANY_STRING, r->text.buf, n);
	pb_end(p);
}

static void put_event(void *enc, const struct tl_record *rec, const struct ti_event *e)
{
	struct otlp *r = enc;
	struct pb *p = begin_record(r, rec);
	struct devtrace_elem line;

	put_head(r, rec, e);
	put_error(p, rec);
	OTLP_PUT_INT(p, "devtrace.ts", (int64_t)rec->ts);
	if (rec->nr > 1)
		OTLP_PUT_INT(p, "devtrace.nr", rec->nr);
	put_body(r, e);
	if (!ti_event_line(e, &line))
		ti_args(e, otlp_put_arg, p);
	pb_end(p);
}

static void put_missing(void *enc, const struct tl_record *rec, const struct tl_missing *m)
{
	struct otlp *r = enc;
	struct pb *p = begin_record(r, rec);

	pb_uint(p, OTLP_RECORD_SEVERITY, SEVERITY_WARN);
	pb_str(p, OTLP_RECORD_EVENT_NAME, m->gap ? "devtrace.gap" : "devtrace.lost");
	OTLP_PUT_INT(p, "devtrace.count", (int64_t)m->count);
	OTLP_PUT_INT(p, "devtrace.from", (int64_t)m->from);
	put_error(p, rec);
	if (!m->gap) {
		OTLP_PUT_STR(p, "devtrace.cause", m->cause);
		otlp_put_source(p, rec);
		OTLP_PUT_INT(p, "devtrace.to", (int64_t)m->to);
	}
	pb_begin(p, OTLP_RECORD_BODY);
	pb_str(p, OTLP_ANY_STRING, m->text);
	pb_end(p);
	pb_end(p);
}

static const struct out *request(void *e)
{
	const struct otlp *r = e;

	return &r->request.o;
}

static const struct out *end(void *e)
{
	end_scope(e);
	return request(e);
}

static void clear(void *e)
{
	struct otlp *r = e;

	pb_clear(&r->request);
	r->request.o.err = 0;
	r->open = false;
}

static void *make(const struct tl_records *records)
{
	struct otlp *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->origin = tl_records_origin(records);
	pb_init(&r->request);
	out_init(&r->name, -1);
	out_init(&r->text, -1);
	return r;
}

static void drop(void *e)
{
	struct otlp *r = e;

	pb_free(&r->request);
	out_free(&r->name);
	out_free(&r->text);
	free(r);
}

/* Read a varint of @p, at *@at. Return false at the end. */
static bool get_varint(const uint8_t *p, size_t n, size_t *at, uint64_t *v)
{
	unsigned int shift = 0;

	for (*v = 0; *at < n && shift < 64; shift += 7) {
		*v |= (uint64_t)(p[*at] & 0x7f) << shift;
		if (!(p[(*at)++] & 0x80))
			return true;
	}
	return false;
}

/*
 * Find the field with the tag @want, which has its number and its type: a varint or bytes. For
 * bytes, *@v is their length, and they begin at *@at. Return false if the field is missing or the
 * message is not valid.
 */
static bool find_field(const uint8_t *p, size_t n, uint64_t want, size_t *at, uint64_t *v)
{
	uint64_t tag;

	for (*at = 0; get_varint(p, n, at, &tag);) {
		if ((tag & 7) == 1 || (tag & 7) == 5) {
			*at += (tag & 7) == 1 ? 8 : 4;
			continue;
		}
		if (((tag & 7) != 0 && (tag & 7) != 2) || !get_varint(p, n, at, v) ||
		    ((tag & 7) == 2 && *v > n - *at))
			return false;
		if (tag == want)
			return true;
		if ((tag & 7) == 2)
			*at += *v;
	}
	return false;
}

/*
 * ExportLogsServiceResponse has partial_success = 1, which has rejected_log_records = 1 and
 * error_message = 2.
 */
static uint64_t rejected(const uint8_t *p, size_t size, const char **why, size_t *len)
{
	uint64_t n, count = 0, words = 0;
	size_t at, where = 0;

	*len = 0;
	if (!find_field(p, size, OTLP_TAG_BYTES(1), &at, &n))
		return 0;
	p += at;
	if (!find_field(p, n, OTLP_TAG_VARINT(1), &where, &count))
		count = 0;
	if (find_field(p, n, OTLP_TAG_BYTES(2), &where, &words)) {
		*why = (const char *)p + where;
		*len = words;
	}
	return count;
}

const struct tl_encoder otlp_encoder = {
	.type = "application/x-protobuf", .gzip = true,
	.hint = "; the path may be wrong, most receivers have /v1/logs",
	.make = make, .drop = drop, .event = put_event, .missing = put_missing,
	.renamed = forget_heads, .moved = end_scope,
	.request = request, .end = end, .clear = clear, .rejected = rejected,
};
