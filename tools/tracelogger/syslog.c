// SPDX-License-Identifier: GPL-2.0-only
/*
 * syslog.c - events that have a severity, as messages of RFC 5424 in the framing of RFC 6587
 *
 * Invariants
 * - A message is "LENGTH SP MESSAGE", and MESSAGE has no control characters. The receiver finds
 *   the next message by the length of the previous one.
 * - Lost events and missing frames become messages, too. Only events without a severity are left
 *   out without a message.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/out.h"
#include "common/severity.h"
#include "fmtlang/fmt.h"
#include "tracelogger.h"

#define FACILITY	1	/* user-level messages */
/* limit of a text, in bytes: receivers must accept 480 bytes and should accept 2048 */
#define TEXT_MAX	1024
/* RFC 5612 reserves this number for examples; the project has no number of its own. */
#define SD_NUMBER	"@32473"

struct tl_syslog {
	struct fmt_set	fmts;
	struct out	msg, text, out;
	char		host[256];
};

/*
 * Return the syslog priority of a severity. emit.h maps printk levels to severities; this is the
 * inverse.
 */
static unsigned int priority(uint8_t severity)
{
	static const uint8_t levels[] = { 6, 4, 3, 2 };

	return FACILITY * 8 + levels[severity & DEVTRACE_SEV_LEVEL];
}

/* Append a field of the header: printable ASCII without spaces, or "-" if it is empty. */
static void put_field(struct out *o, const char *s, size_t len, size_t max)
{
	size_t i;

	for (i = 0; i < len && i < max; i++)
		out_char(o, s[i] > ' ' && s[i] < 0x7f ? s[i] : '_');
	if (!len)
		out_char(o, '-');
}

static void put_time(struct out *o, const struct devtrace_decoder *d, uint64_t ts)
{
	char words[64];
	int64_t real;
	time_t sec;
	struct tm tm;

	if (!ts || !devtrace_decoder_real(d, ts, &real) || real < 0) {
		out_char(o, '-');
		return;
	}
	sec = (time_t)(real / TL_NSEC);
	gmtime_r(&sec, &tm);
	strftime(words, sizeof(words), "%Y-%m-%dT%H:%M:%S", &tm);
	out_str(o, words);
	snprintf(words, sizeof(words), ".%06dZ", (int)(real % TL_NSEC / 1000));
	out_str(o, words);
}

static void put_param(struct out *o, const char *name, const char *value)
{
	out_char(o, ' ');
	out_str(o, name);
	OUT_LIT(o, "=\"");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\' || *value == ']')
			out_char(o, '\\');
		out_char(o, *value);
	}
	out_char(o, '"');
}

static void put_number(struct out *o, const char *name, uint64_t n)
{
	char word[24];

	snprintf(word, sizeof(word), "%" PRIu64, n);
	put_param(o, name, word);
}

static void put_code(struct out *o, const struct devtrace_event *e)
{
	char word[24];

	snprintf(word, sizeof(word), "0x%06x:%u", DEVTRACE_CODE_MAJOR(e->code),
		 DEVTRACE_CODE_MINOR(e->code));
	put_param(o, "code", word);
}

static void begin(struct tl_syslog *s, const struct devtrace_decoder *d, unsigned int pri,
		  uint64_t ts)
{
	struct out *o = &s->msg;

	o->len = 0;
	out_char(o, '<');
	out_u64(o, pri);
	OUT_LIT(o, ">1 ");
	put_time(o, d, ts);
	out_char(o, ' ');
	put_field(o, s->host, strlen(s->host), 255);
	out_char(o, ' ');
}

static void end(struct tl_syslog *s)
{
	out_u64(&s->out, s->msg.len);
	out_char(&s->out, ' ');
	out_mem(&s->out, s->msg.buf, s->msg.len);
}

/* Append the name of the event, as traceinfo prints it. */
static void put_name(struct out *o, const struct fmt_dict *dict, const struct fmt_major *major,
		     const struct fmt_entry *entry)
{
	const struct devtrace_event *e = dict->event;
	const char *user = fmt_dict_name(dict, DEVTRACE_T_USR, e->type, 0, 0);
	char word[160];

	if (e->type == DEVTRACE_T_EXC && e->flags & DEVTRACE_F_CODE && !major)
		snprintf(word, sizeof(word), "0x%06x:%u", DEVTRACE_CODE_MAJOR(e->code),
			 DEVTRACE_CODE_MINOR(e->code));
	else if (e->type == DEVTRACE_T_EXC && e->flags & DEVTRACE_F_CODE && entry)
		snprintf(word, sizeof(word), "%s.%s", major->name, entry->name);
	else if (e->type == DEVTRACE_T_EXC && e->flags & DEVTRACE_F_CODE)
		snprintf(word, sizeof(word), "%s:%u", major->name, DEVTRACE_CODE_MINOR(e->code));
	else if (entry)
		snprintf(word, sizeof(word), "%s", entry->name);
	else if (e->type == DEVTRACE_T_TEXT)
		snprintf(word, sizeof(word), "text");
	else if (user)
		snprintf(word, sizeof(word), "%s", user);
	else
		snprintf(word, sizeof(word), "type:%u", e->type);
	put_field(o, word, strlen(word), 32);
}

static void put_data(struct tl_syslog *s, const struct devtrace_decoder *d,
		     const struct devtrace_event *e)
{
	int lane = devtrace_decoder_lane(d, e->source);
	struct out *o = &s->msg;

	OUT_LIT(o, " [event" SD_NUMBER);
	put_number(o, "type", e->type);
	put_param(o, "severity", severity_name(e->severity));
	if (e->flags & DEVTRACE_F_CODE)
		put_code(o, e);
	if (e->flags & DEVTRACE_F_OBJSIG) {
		put_number(o, "object", e->object);
		put_number(o, "signal", e->signal);
	}
	put_number(o, lane < 0 ? "cpu" : "lane", lane < 0 ? e->source : (uint64_t)lane);
	put_number(o, "tid", e->tid);
	put_number(o, "ts", e->ts);
	OUT_LIT(o, "] ");
}

static void put_text(struct tl_syslog *s, const struct fmt_dict *dict,
		     const struct fmt_entry *entry)
{
	const struct devtrace_event *e = dict->event;
	struct devtrace_elem text;
	size_t pos = 0, len;

	s->text.len = 0;
	if (e->type == DEVTRACE_T_TEXT && !entry &&
	    devtrace_elem_next(e->data, e->len, &pos, &text) == 1 && !text.is_enum &&
	    text.type == DEVTRACE_E_STR && pos == e->len)
		out_safe(&s->text, text.v.mem.p, text.v.mem.len);
	else
		fmt_print(&s->text, entry, e->data, e->len, &dict->names);
	len = s->text.len < TEXT_MAX ? s->text.len : TEXT_MAX;
	/* Do not truncate the text in the middle of a UTF-8 character. */
	while (len && len < s->text.len && ((uint8_t)s->text.buf[len] & 0xc0) == 0x80)
		len--;
	out_mem(&s->msg, s->text.buf, len);
}

static void put_event(struct tl_syslog *s, const struct devtrace_decoder *d,
		      const struct devtrace_event *e)
{
	struct fmt_dict dict;
	const struct fmt_major *major = NULL;
	const struct fmt_entry *entry;
	const char *process;
	uint32_t tgid = 0;

	if (!(e->severity & DEVTRACE_SEV_SET))
		return;
	fmt_dict_init(&dict, e, d);
	entry = fmt_find(&s->fmts, e, &dict.names, &major);
	process = devtrace_decoder_proc(d, e->tid, &tgid);
	begin(s, d, priority(e->severity), e->ts);
	put_field(&s->msg, process, process ? strlen(process) : 0, 48);
	out_char(&s->msg, ' ');
	out_u64(&s->msg, tgid ? tgid : e->tid);
	out_char(&s->msg, ' ');
	put_name(&s->msg, &dict, major, entry);
	put_data(s, d, e);
	put_text(s, &dict, entry);
	end(s);
}

static void put_missing(struct tl_syslog *s, const struct devtrace_decoder *d, const char *what,
			uint64_t count, uint64_t ts)
{
	struct out *o = &s->msg;

	begin(s, d, FACILITY * 8 + 4, ts);
	OUT_LIT(o, "tracelogger - lost [lost" SD_NUMBER);
	put_number(o, "count", count);
	OUT_LIT(o, "] ");
	out_u64(o, count);
	out_char(o, ' ');
	out_str(o, what);
	end(s);
}

void tl_syslog_item(struct tl_syslog *s, const struct devtrace_decoder *d,
		    const struct devtrace_item *item)
{
	if (item->kind == DEVTRACE_ITEM_EVENT)
		put_event(s, d, &item->u.event);
	else if (item->kind == DEVTRACE_ITEM_LOST)
		put_missing(s, d, "events lost before they were read", item->u.lost.count,
			    item->u.lost.to);
	else if (item->kind == DEVTRACE_ITEM_GAP)
		put_missing(s, d, "frames missing", item->u.gap.count, item->u.gap.ts_before);
}

size_t tl_syslog_take(struct tl_syslog *s, uint8_t *to)
{
	size_t n = s->out.len;

	if (to && n) {
		memcpy(to, s->out.buf, n);
		s->out.len = 0;
	}
	return n;
}

size_t tl_syslog_edge(const uint8_t *p, size_t n)
{
	size_t at = 0, len, i;

	for (;;) {
		len = 0;
		for (i = at; i < n && p[i] != ' '; i++)
			len = 10 * len + (size_t)(p[i] - '0');
		if (i == n || len > n - i - 1)
			return at;
		at = i + 1 + len;
	}
}

struct tl_syslog *tl_syslog_new(const struct tl_options *opt)
{
	struct tl_syslog *s = calloc(1, sizeof(*s));
	size_t i;

	if (!s)
		return NULL;
	/* Errors in format files are ignored here; traceinfo --check-fmt reports them. */
	fmt_set_init(&s->fmts, NULL, NULL);
	fmt_add_default(&s->fmts);
	out_init(&s->msg, -1);
	out_init(&s->text, -1);
	out_init(&s->out, -1);
	gethostname(s->host, sizeof(s->host) - 1);
	for (i = 0; i < opt->nr_notes; i++)
		if (!strncmp(opt->notes[i], "board=", 6))
			snprintf(s->host, sizeof(s->host), "%s", opt->notes[i] + 6);
	return s;
}

void tl_syslog_free(struct tl_syslog *s)
{
	if (!s)
		return;
	fmt_set_free(&s->fmts);
	out_free(&s->msg);
	out_free(&s->text);
	out_free(&s->out);
	free(s);
}
