// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c - the stream commands, clear, and the QNX options -i and -p
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/size.h"
#include "tracectl.h"

static uint64_t size_word(const struct tc *tc, const char *s)
{
	uint64_t bytes = 0;
	const int err = size_parse(s, UINT64_MAX, &bytes);

	if (err)
		tc_usage(tc, s, err == -ERANGE ? "is too large a size" :
			 "is not a size; write bytes, or a number with K, M or G");
	return bytes;
}

bool tc_percent(const char *s, unsigned int *percent)
{
	char digits[8];
	uint64_t v;
	size_t n = strcspn(s, "%");

	if (n >= sizeof(digits) || (s[n] && s[n + 1]))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!tc_number(digits, 99, &v))
		return false;
	*percent = (unsigned int)v;
	return true;
}

static int list_one(const struct devtrace_ctl_stream *s, void *arg)
{
	const uint64_t n[] = { s->used, s->watermark };
	struct tc_list *l = arg;
	struct out *o = tc_list_next(l);

	if (l->tc->json) {
		tc_json_stream(o, s);
		return 0;
	}
	tc_safe(o, s->name);
	out_char(o, '\t');
	tc_put_size(o, s->size);
	tc_cells(o, n, NR(n));
	OUT_LIT(o, "%\t");
	tc_put_state(o, s);
	return 0;
}

static int list(struct tc *tc)
{
	struct devtrace_ctl_stream one;
	struct tc_list l;
	int ret;

	tc_begin(tc);
	tc_list_begin(&l, tc, "{\"streams\":[", "STREAM\tSIZE\tUSED\tMARK\tSTATE\n", "lrbrl");
	if (!tc->stream) {
		ret = devtrace_ctl_streams(tc->ctl, list_one, &l);
	} else {
		ret = devtrace_ctl_stream_get(tc->ctl, tc->stream, &one);
		if (!ret)
			list_one(&one, &l);
	}
	return tc_list_end(&l, ret, tc->stream);
}

static int add(struct tc *tc, const char *name)
{
	uint64_t size = size_word(tc, tc_next(tc, "SIZE, such as 64K,"));
	struct devtrace_filter f;
	struct tc_terms t = { .tc = tc, .f = &f, .how = TC_SET };
	int ret;

	devtrace_filter_all(&f);
	while (tc->nr) {
		if (!tc_term(&t, tc_next(tc, "TERM"))) {
			fprintf(stderr, "tracectl: %s: %s\n", tc->command, t.error);
			exit(2);
		}
	}
	tc_open(tc);
	ret = devtrace_ctl_stream_new(tc->ctl, name, size, &f, 0, DEVTRACE_STATE_RUNNING);
	if (ret == -EEXIST && !strcmp(name, DEVTRACE_STREAM0))
		return tc_fail_as(tc, name, "stream trace exists already");
	if (ret)
		return tc_fail(tc, name);
	tc_note(tc);
	tc_note_terms(tc, &f);
	return 0;
}

static int state(struct tc *tc, const char *name, enum devtrace_state to)
{
	tc_begin(tc);
	return devtrace_ctl_stream_state(tc->ctl, name, to) ? tc_fail(tc, name) : 0;
}

/* Is the stream frozen? Then 'start' and 'stop' refuse, because its content must be kept. */
static int unfrozen(struct tc *tc, const char *name, enum devtrace_state to)
{
	struct devtrace_ctl_stream s;
	int ret;

	tc_begin(tc);
	ret = devtrace_ctl_stream_get(tc->ctl, name, &s);
	if (ret)
		return tc_fail_change(tc, name, ret);
	if (s.state == DEVTRACE_STATE_FROZEN)
		return tc_fail_as(tc, name, "stream is frozen");
	return state(tc, name, to);
}

/* thaw: turn a frozen stream into a stopped one, which can be read and cleared. */
static int thaw(struct tc *tc, const char *name)
{
	struct devtrace_ctl_stream s;

	tc_begin(tc);
	if (devtrace_ctl_stream_get(tc->ctl, name, &s))
		return tc_fail(tc, name);
	if (s.state != DEVTRACE_STATE_FROZEN) {
		fprintf(stderr, "tracectl: %s: '%s' is not frozen\n", tc->command, name);
		return 1;
	}
	return devtrace_ctl_stream_state(tc->ctl, name, DEVTRACE_STATE_STOPPED) ?
	       tc_fail(tc, name) : 0;
}

static unsigned int percent_word(const struct tc *tc, const char *word)
{
	unsigned int percent;

	if (!tc_percent(word, &percent))
		tc_usage(tc, word, "is not a percentage from 0 to 99");
	return percent;
}

static int watermark(struct tc *tc, const char *name, const char *word)
{
	unsigned int percent = percent_word(tc, word);

	tc_begin(tc);
	return devtrace_ctl_stream_watermark(tc->ctl, name, percent) ? tc_fail(tc, name) : 0;
}

int tc_streams(struct tc *tc)
{
	static const char *const commands[] = {
		"stream list", "stream add", "stream resize", "stream start", "stream stop",
		"stream freeze", "stream thaw", "stream watermark", "stream del",
	};
	size_t i = tc_second(tc, commands, NR(commands),
			     "is not a stream command; the commands are: list add resize start stop freeze thaw watermark del; to empty a stream: tracectl clear --stream NAME");
	const char *name;
	uint64_t size;

	if (i == 0)
		return list(tc);
	/* 'stream add' takes the name from --stream if it was given. */
	name = tc->stream ? tc->stream : tc_next(tc, "the NAME of a stream");
	switch (i) {
	case 1:
		return add(tc, name);
	case 2:
		size = size_word(tc, tc_next(tc, "SIZE, such as 64K,"));
		tc_begin(tc);
		return devtrace_ctl_stream_resize(tc->ctl, name, size) ? tc_fail(tc, name) : 0;
	case 3:
		return unfrozen(tc, name, DEVTRACE_STATE_RUNNING);
	case 4:
		return unfrozen(tc, name, DEVTRACE_STATE_STOPPED);
	case 5:
		return state(tc, name, DEVTRACE_STATE_FROZEN);
	case 6:
		return thaw(tc, name);
	case 7:
		return watermark(tc, name, tc_next(tc, "a percentage"));
	default:
		tc_begin(tc);
		return devtrace_ctl_stream_del(tc->ctl, name) ? tc_fail(tc, name) : 0;
	}
}

int tc_clear(struct tc *tc)
{
	char problem[96];

	if (tc->nr) {
		snprintf(problem, sizeof(problem),
			 "is one word too many; to name a stream: tracectl clear --stream %.31s",
			 *tc->words);
		tc_usage(tc, *tc->words, problem);
	}
	tc_begin(tc);
	return devtrace_ctl_clear(tc->ctl, tc_stream(tc)) ? tc_fail(tc, tc_stream(tc)) : 0;
}

void tc_high_water_check(struct tc *tc, const char *percent)
{
	tc->command = "-p";
	percent_word(tc, percent);
}

int tc_high_water(struct tc *tc, const char *percent)
{
	tc->command = "-p";
	return watermark(tc, tc_stream(tc), percent);
}

/* -i prints the same information as tracectrl -i in QNX. */

struct info {
	uint64_t overruns, used, size;
	unsigned int readers;
};

static int sum_stats(const struct devtrace_ctl_stats *s, void *arg)
{
	struct info *i = arg;
	unsigned int c;

	i->overruns += s->overwritten;
	for (c = 0; c < DEVTRACE_LOST_CAUSES; c++)
		i->overruns += s->dropped[c];
	return 0;
}

static int count_reader(const struct devtrace_ctl_reader *r, void *arg)
{
	struct info *i = arg;

	(void)r;
	i->readers++;
	return 0;
}

int tc_info(struct tc *tc)
{
	struct out *o = &tc->out;
	struct devtrace_ctl_stream s;
	struct devtrace_filter f;
	struct info i = { 0 };
	char severity[16];

	tc->command = "-i";
	tc_open(tc);
	if (devtrace_ctl_stream_get(tc->ctl, tc_stream(tc), &s) ||
	    devtrace_ctl_filter_get(tc->ctl, tc_stream(tc), &f, NULL) ||
	    devtrace_ctl_stats(tc->ctl, tc_stream(tc), sum_stats, &i) ||
	    devtrace_ctl_readers(tc->ctl, tc_stream(tc), count_reader, &i))
		return tc_fail(tc, tc_stream(tc));
	if (tc->json) {
		tc_json_str(o, "{\"stream\":", s.name);
		tc_json_num(o, ",\"overruns\":", i.overruns);
		tc_json_num(o, ",\"hw_severity\":", f.hw_severity);
		tc_json_num(o, ",\"sw_severity\":", f.sw_severity);
		tc_json_num(o, ",\"readers\":", i.readers);
		tc_json_num(o, ",\"size\":", s.size);
		tc_json_num(o, ",\"used\":", s.used);
		tc_json_num(o, ",\"watermark\":", s.watermark);
		OUT_LIT(o, "}\n");
		return 0;
	}
	snprintf(severity, sizeof(severity), "hw%u, sw%u", (unsigned int)f.hw_severity,
		 (unsigned int)f.sw_severity);
	OUT_LIT(o, "Stream:        ");
	tc_safe(o, s.name);
	OUT_LIT(o, "\nOverruns:      ");
	out_u64(o, i.overruns);
	OUT_LIT(o, "\nSeverity kept: ");
	out_str(o, severity);
	OUT_LIT(o, " and above\nReaders:       ");
	out_u64(o, i.readers);
	OUT_LIT(o, "\nBuffer size:   ");
	out_u64(o, s.size);
	OUT_LIT(o, " a CPU\nData size:     ");
	out_u64(o, s.used);
	OUT_LIT(o, "\nHigh water:    ");
	out_u64(o, s.watermark);
	OUT_LIT(o, "%\n");
	return 0;
}
