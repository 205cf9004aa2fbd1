// SPDX-License-Identifier: GPL-2.0-only
/*
 * journal.c - the encoder of entries in the Journal Export Format, for systemd-journal-remote(8)
 *
 * Invariants
 * - A value that is text is written as NAME=VALUE. A value with a control character, or that is not
 *   UTF-8, has its length in front (the binary form). So no value can end an entry or forge a
 *   field.
 * - The name of a field has only A to Z, 0 to 9 and '_', begins with a letter, and has at most 64
 *   characters. No two elements of an event have the same field.
 * - Each entry has a time, a boot id and a host name, which the server requires.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/severity.h"
#include "field.h"
#include "record.h"

#define ARG		"DEVTRACE_ARG_"
#define NOTE		"DEVTRACE_NOTE_"

/* the level of syslog of a loss */
#define WARNING		4

struct journal {
	const struct tl_origin *origin;
	struct out	request, name, text;
	char		boot[33];	/* of this machine, for streams without a boot id */
	struct field_names names;
};

/* Can the value stand in one line? */
static bool is_line(const uint8_t *s, size_t n)
{
	size_t i = 0, len;

	while (i < n) {
		if (s[i] < ' ' || s[i] == 0x7f)
			return false;
		len = utf8_len(s + i, n - i);
		if (!len)
			return false;
		i += len;
	}
	return true;
}

static void put(struct journal *j, const char *name, const void *value, size_t n)
{
	struct out *o = &j->request;
	uint64_t left = n;
	int i;

	out_str(o, name);
	if (is_line(value, n)) {
		out_char(o, '=');
	} else {
		out_char(o, '\n');
		for (i = 0; i < 8; i++, left >>= 8)
			out_char(o, (char)left);
	}
	out_mem(o, value, n);
	out_char(o, '\n');
}

static void put_str(struct journal *j, const char *name, const char *s)
{
	put(j, name, s, strlen(s));
}

static void put_uint(struct journal *j, const char *name, uint64_t v)
{
	struct out *o = &j->request;

	out_str(o, name);
	out_char(o, '=');
	out_u64(o, v);
	out_char(o, '\n');
}

static void put_arg(void *ctx, const struct ti_arg *a)
{
	struct journal *j = ctx;
	char name[FIELD_MAX + 1];
	struct out *t = &j->text;

	field_next(&j->names, name, FIELD_MAX, true, ARG, a->name, a->name_len);
	t->len = 0;
	if (a->kind == TI_ARG_INT)
		out_i64(t, a->v.i);
	else if (a->kind == TI_ARG_UINT)
		out_u64(t, a->v.u);
	else if (a->kind == TI_ARG_DOUBLE)
		out_double_short(t, a->v.f, false);
	else
		out_mem(t, a->str, a->len);
	put(j, name, t->len ? t->buf : "", t->len);
}

/* Write a boot id as journald does: 32 digits. */
static void boot_digits(char out[33], const char *id)
{
	size_t n = 0;

	for (; *id && n < 32; id++)
		if ((*id >= '0' && *id <= '9') || (*id >= 'a' && *id <= 'f'))
			out[n++] = *id;
	out[n] = 0;
}

/* Write the fields that the server requires, and the machine, boot, stream and place. */
static void begin(struct journal *j, const struct tl_record *rec, bool has_place)
{
	const struct tl_origin *o = j->origin;
	char boot[33];
	size_t i;

	boot_digits(boot, o->boot_id);
	put_uint(j, "__REALTIME_TIMESTAMP", (rec->real ? rec->real : rec->observed) / 1000);
	put_uint(j, "__MONOTONIC_TIMESTAMP", rec->ts / 1000);
	put_str(j, "_BOOT_ID", strlen(boot) == 32 ? boot : j->boot);
	put_str(j, "_HOSTNAME", o->host);
	if (!rec->real)
		put_str(j, "DEVTRACE_TIME", "sent");
	if (rec->sync == DEVTRACE_SYNC_ERROR)
		put_uint(j, "DEVTRACE_ERROR", rec->error);
	else if (tl_record_unsynced(rec))
		put_str(j, "DEVTRACE_SYNCHRONISED", tl_record_unsynced(rec));
	if (*o->boot_id)
		put_str(j, "DEVTRACE_BOOT_ID", o->boot_id);
	if (*o->stream)
		put_str(j, "DEVTRACE_STREAM", o->stream);
	if (has_place)
		put_uint(j, rec->lane < 0 ? "DEVTRACE_CPU" : "DEVTRACE_LANE",
			 rec->lane < 0 ? rec->source : (uint64_t)rec->lane);
	for (i = 0; i < o->opt->nr_notes; i++) {
		const char *note = o->opt->notes[i], *value = strchr(note, '=');
		char name[FIELD_MAX + 1];

		field_name(name, FIELD_MAX, true, NOTE, note, (size_t)(value - note));
		put_str(j, name, value + 1);
	}
}

/* An empty line ends an entry. */
static void finish(struct journal *j)
{
	out_char(&j->request, '\n');
}

static void put_names(struct journal *j, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	const char *process = ti_event_process(e), *object, *signal;

	put_str(j, "SYSLOG_IDENTIFIER", process && *process ? process : "devtrace");
	if (e->tgid)
		put_uint(j, "SYSLOG_PID", e->tgid);
	put_uint(j, "TID", ev->tid);
	if (ti_event_interrupted(e))
		put_str(j, "DEVTRACE_CONTEXT", ti_event_context(e));
	if (!(ev->flags & DEVTRACE_F_OBJSIG))
		return;
	object = ti_event_object(e);
	signal = ti_event_signal(e);
	if (object)
		put_str(j, "DEVTRACE_OBJECT", object);
	else
		put_uint(j, "DEVTRACE_OBJECT", ev->object);
	if (signal)
		put_str(j, "DEVTRACE_SIGNAL", signal);
	else if (ev->signal)
		put_uint(j, "DEVTRACE_SIGNAL", ev->signal);
}

static void put_event(void *enc, const struct tl_record *rec, const struct ti_event *e)
{
	struct journal *j = enc;
	const struct devtrace_event *ev = e->ev;
	struct devtrace_elem line;
	size_t n;

	begin(j, rec, true);
	if (ev->severity & DEVTRACE_SEV_SET) {
		put_uint(j, "PRIORITY", severity_syslog(ev->severity));
		put_str(j, "DEVTRACE_SEVERITY", severity_name(ev->severity));
	}
	put_names(j, e);
	put_str(j, "DEVTRACE_NAME", ti_args_name(&j->name, e));
	put_uint(j, "DEVTRACE_TYPE", ev->number);
	if (ev->flags & DEVTRACE_F_CODE) {
		put_uint(j, "DEVTRACE_CODE_MAJOR", DEVTRACE_CODE_MAJOR(ev->code));
		put_uint(j, "DEVTRACE_CODE_MINOR", DEVTRACE_CODE_MINOR(ev->code));
	}
	put_uint(j, "DEVTRACE_TS", rec->ts);
	put_uint(j, "DEVTRACE_NR", rec->nr);
	n = tl_record_text(&j->text, e);
	put(j, "MESSAGE", n ? j->text.buf : "", n);
	field_begin(&j->names);
	if (!ti_event_line(e, &line))
		ti_args(e, put_arg, j);
	finish(j);
}

static void put_missing(void *enc, const struct tl_record *rec, const struct tl_missing *m)
{
	struct journal *j = enc;

	begin(j, rec, !m->gap);
	put_uint(j, "PRIORITY", WARNING);
	put_str(j, "SYSLOG_IDENTIFIER", "devtrace");
	put_str(j, "DEVTRACE_NAME", m->gap ? "devtrace.gap" : "devtrace.lost");
	put_uint(j, "DEVTRACE_COUNT", m->count);
	put_uint(j, "DEVTRACE_FROM", m->from);
	if (!m->gap) {
		put_uint(j, "DEVTRACE_TO", m->to);
		put_str(j, "DEVTRACE_CAUSE", m->cause);
	}
	put_str(j, "MESSAGE", m->text);
	finish(j);
}

static const struct out *request(void *e)
{
	const struct journal *j = e;

	return &j->request;
}

static void clear(void *e)
{
	struct journal *j = e;

	j->request.len = 0;
	j->request.err = 0;
	j->name.err = 0;
	j->text.err = 0;
}

/* An entry must have a boot id. A stream that does not tell its own gets the one of this boot. */
static void this_boot(char out[33])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char line[64] = "";

	if (!f || !fgets(line, sizeof(line), f))
		*line = 0;
	if (f)
		fclose(f);
	boot_digits(out, line);
	if (strlen(out) != 32)
		strcpy(out, "00000000000000000000000000000001");
}

static void *make(const struct tl_records *records)
{
	struct journal *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->origin = tl_records_origin(records);
	this_boot(j->boot);
	out_init(&j->request, -1);
	out_init(&j->name, -1);
	out_init(&j->text, -1);
	return j;
}

static void drop(void *e)
{
	struct journal *j = e;

	out_free(&j->request);
	out_free(&j->name);
	out_free(&j->text);
	free(j);
}

const struct tl_encoder journal_encoder = {
	.type = "application/vnd.fdo.journal",
	.hint = "; the path may be wrong, systemd-journal-remote has /upload",
	.make = make, .drop = drop, .event = put_event, .missing = put_missing,
	.request = request, .end = request, .clear = clear,
};
