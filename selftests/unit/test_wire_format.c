// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wire_format.c - the examples in Documentation/wire-format.rst
 *
 * An example is a block of lines with hexadecimal bytes and remarks, then lines with "=>" that
 * the decoder must print for these bytes. All data comes from the document.
 */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "kselftest_harness.h"
#include "devtrace-decode.h"

#define DOCUMENT	TOP_DIR "/Documentation/wire-format.rst"

static const char * const elem_name[] = {
	"I8", "U8", "I16", "U16", "I32", "U32", "F32", "F64",
	"STR", "MEM", "SIG", "OBJ", "FUN", "I64", "U64", "X32",
};

struct said {
	char	text[4096];
	size_t	len;
};

static void __attribute__((format(printf, 2, 3))) say(struct said *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	s->len += vsnprintf(s->text + s->len, sizeof(s->text) - s->len, fmt, ap);
	va_end(ap);
}

static void say_elem(struct said *s, const struct devtrace_elem *e)
{
	say(s, "ELEM %s width=%u", e->is_enum ? "ENUM" : elem_name[e->type], e->width);
	switch (e->type) {
	case DEVTRACE_E_I8:
	case DEVTRACE_E_I16:
	case DEVTRACE_E_I32:
	case DEVTRACE_E_I64:
		say(s, " %lld\n", (long long)(e->is_enum ? (int64_t)e->v.u : e->v.i));
		break;
	case DEVTRACE_E_F32:
	case DEVTRACE_E_F64:
		say(s, " %g\n", e->v.f);
		break;
	case DEVTRACE_E_STR:
		say(s, " \"%.*s\"\n", (int)e->v.mem.len, (const char *)e->v.mem.p);
		break;
	case DEVTRACE_E_MEM:
		for (size_t i = 0; i < e->v.mem.len; i++)
			say(s, " %02x", e->v.mem.p[i]);
		say(s, "\n");
		break;
	case DEVTRACE_E_SIG:
		say(s, " %u %llu\n", e->v.sig.sig, (unsigned long long)e->v.sig.obj);
		break;
	default:
		say(s, " %llu\n", (unsigned long long)e->v.u);
	}
}

static void say_event(struct said *s, uint8_t seq, const struct devtrace_event *e)
{
	struct devtrace_elem elem;
	size_t pos = 0;

	say(s, "EVENT seq=%u type=%u flags=%02x severity=%u source=%u tid=%u ts=%llu",
	    seq, e->type, e->flags, e->severity, e->source, e->tid,
	    (unsigned long long)e->ts);
	if (e->number != e->type)
		say(s, " number=%u", e->number);
	if (e->flags & DEVTRACE_F_CODE)
		say(s, " code=%x:%02x", DEVTRACE_CODE_MAJOR(e->code),
		    DEVTRACE_CODE_MINOR(e->code));
	if (e->flags & DEVTRACE_F_OBJSIG)
		say(s, " object=%u signal=%u", e->object, e->signal);
	say(s, "\n");
	while (devtrace_elem_next(e->data, e->len, &pos, &elem) == 1)
		say_elem(s, &elem);
	if (pos != e->len)
		say(s, "rest of %zu bytes\n", e->len - pos);
}

static int say_item(const struct devtrace_item *i, void *arg)
{
	struct said *s = arg;

	switch (i->kind) {
	case DEVTRACE_ITEM_EVENT:
		say_event(s, i->seq, &i->u.event);
		break;
	case DEVTRACE_ITEM_INFO:
		say(s, "INFO seq=%u version=%u check=%u reason=%u flags=%02x sources=%u cpus=%u",
		    i->seq, i->u.info.version, i->u.info.check, i->u.info.reason,
		    i->u.info.flags, i->u.info.nr_sources, i->u.info.nr_cpus);
		say(s, " frames=%llu \"%s\" \"%s\" \"%s\"\n",
		    (unsigned long long)i->u.info.frames, i->u.info.machine,
		    i->u.info.release, i->u.info.stream);
		break;
	case DEVTRACE_ITEM_CLOCK:
		say(s, "CLOCK seq=%u frames=%llu ts=%llu mono=%llu boot=%llu real=%lld\n",
		    i->seq, (unsigned long long)i->u.clock.frames,
		    (unsigned long long)i->u.clock.ts, (unsigned long long)i->u.clock.mono,
		    (unsigned long long)i->u.clock.boot, (long long)i->u.clock.real);
		break;
	case DEVTRACE_ITEM_LOST:
		say(s, "LOST seq=%u source=%u cause=%u count=%llu from=%llu to=%llu\n",
		    i->seq, i->u.lost.source, i->u.lost.cause,
		    (unsigned long long)i->u.lost.count, (unsigned long long)i->u.lost.from,
		    (unsigned long long)i->u.lost.to);
		break;
	case DEVTRACE_ITEM_PROC:
		say(s, "PROC seq=%u tid=%u tgid=%u since=%llu \"%s\"\n", i->seq,
		    i->u.proc.tid, i->u.proc.tgid, (unsigned long long)i->u.proc.since,
		    i->u.proc.name);
		break;
	case DEVTRACE_ITEM_DICT:
		say(s, "%s seq=%u scope=%u value=%u group=%u key=%llu \"%s\"\n",
		    i->u.dict.kind == DEVTRACE_T_ENUM ? "ENUM" :
		    i->u.dict.kind == DEVTRACE_T_SIG ? "SIG" :
		    i->u.dict.kind == DEVTRACE_T_OBJ ? "OBJ" :
		    i->u.dict.kind == DEVTRACE_T_FUN ? "FUN" :
		    i->u.dict.kind == DEVTRACE_T_IMAGE ? "IMAGE" : "USR",
		    i->seq, i->u.dict.scope, i->u.dict.value, i->u.dict.group,
		    (unsigned long long)i->u.dict.key, i->u.dict.name);
		break;
	case DEVTRACE_ITEM_STATE:
		say(s, "STATE seq=%u state=%u by_trigger=%u ts=%llu fired=%llu \"%s\"\n",
		    i->seq, i->u.state.state, i->u.state.by_trigger,
		    (unsigned long long)i->u.state.ts, (unsigned long long)i->u.state.fired,
		    i->u.state.trigger);
		break;
	case DEVTRACE_ITEM_NOTE:
		say(s, "NOTE \"%s\" \"%s\"\n", i->u.note.name, i->u.note.value);
		break;
	case DEVTRACE_ITEM_ACCURACY:
		say(s, "ACCURACY ts=%llu max=%llu est=%llu status=%x \"%s\"\n",
		    (unsigned long long)i->u.accuracy.ts, (unsigned long long)i->u.accuracy.max,
		    (unsigned long long)i->u.accuracy.est, i->u.accuracy.status,
		    i->u.accuracy.source);
		break;
	case DEVTRACE_ITEM_GAP:
		say(s, "GAP of %llu frames before seq=%u\n", (unsigned long long)i->u.gap.count,
		    i->u.gap.seq_after);
		break;
	default:
		say(s, "item of kind %d\n", i->kind);
	}
	return 0;
}

struct example {
	uint8_t	bytes[1024];
	size_t	len;
	int	line;
	char	expected[4096];
};

/* The bytes at the start of a line; 0 if it has none. */
static size_t hex_bytes(const char *line, uint8_t *out)
{
	size_t n = 0;

	if (strncmp(line, "    ", 4))
		return 0;
	line += 4;
	while (isxdigit((unsigned char)line[0]) && isxdigit((unsigned char)line[1]) &&
	       (line[2] == ' ' || line[2] == '\n')) {
		out[n++] = (uint8_t)strtoul(line, NULL, 16);
		if (line[2] == '\n' || line[3] == ' ')
			break;
		line += 3;
	}
	return n;
}

static bool next_example(FILE *f, int *line_nr, struct example *e)
{
	static char line[1024];

	*e = (struct example){};
	while (fgets(line, sizeof(line), f)) {
		size_t n;

		++*line_nr;
		n = hex_bytes(line, e->bytes + e->len);
		if (n) {
			if (!e->len)
				e->line = *line_nr;
			e->len += n;
		} else if (!strncmp(line, "    => ", 7)) {
			strcat(e->expected, line + 7);
		} else if (e->len) {
			return true;
		}
	}
	return e->len;
}

TEST(examples)
{
	FILE *f = fopen(DOCUMENT, "r");
	struct example e;
	int line = 0, nr = 0;

	ASSERT_NE(NULL, f) TH_LOG("%s", DOCUMENT);
	while (next_example(f, &line, &e)) {
		struct said s = {};
		struct devtrace_decoder *d = devtrace_decoder_new(say_item, &s);

		ASSERT_NE(NULL, d);
		devtrace_decoder_feed(d, e.bytes, e.len, NULL);
		devtrace_decoder_finish(d);
		if (devtrace_decoder_load(d))
			say(&s, "load=%x\n", devtrace_decoder_load(d));
		devtrace_decoder_free(d);
		EXPECT_EQ(0, strcmp(e.expected, s.text)) {
			TH_LOG("%s:%d: says\n%sis\n%s", DOCUMENT, e.line, e.expected, s.text);
		}
		nr++;
	}
	fclose(f);
	/* All transport frames, and events: the parser missed none. */
	EXPECT_GE(nr, 17);
}

/* The check values and the frame of QP/Spy in the text. */
TEST(figures)
{
	static const struct { int check; const char *text; } values[] = {
		{ DEVTRACE_CHECK_SUM8, "``22``" },
		{ DEVTRACE_CHECK_CRC16, "``6E 90``" },
		{ DEVTRACE_CHECK_CRC32, "``26 39 F4 CB``" },
	};
	static char text[65536];
	FILE *f = fopen(DOCUMENT, "r");
	uint8_t out[32];
	char hex[64];
	size_t n;

	ASSERT_NE(NULL, f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	ASSERT_GT(n, 1000);
	for (size_t i = 0; i < 3; i++) {
		size_t len = devtrace_frame_encode(out, sizeof(out), values[i].check, '1', '2',
						   "3456789", 7, false);
		size_t at = 0;

		at += sprintf(hex, "``");
		for (size_t k = 9; k < len - 1; k++)
			at += sprintf(hex + at, "%s%02X", k > 9 ? " " : "", out[k]);
		strcpy(hex + at, "``");
		EXPECT_EQ(0, strcmp(hex, values[i].text));
		EXPECT_NE(NULL, strstr(text, values[i].text));
	}
	EXPECT_NE(NULL, strstr(text, "``7D 5E 7D 5D 7D 5D 08 01 7D 5E 7E``"));
}

TEST_HARNESS_MAIN
