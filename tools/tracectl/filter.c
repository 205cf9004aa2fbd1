// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter.c - the filter commands
 *
 * The kernel can only set a whole filter. So 'add' and 'remove' read the filter, change it, and
 * set it only if nobody has changed it meanwhile (its generation is the same). Otherwise they
 * start again. A filter file has one TERM on each line; a line that begins with '#' is a comment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "tracectl.h"

/* Give up after other processes have changed the filter this often in a row. */
#define TRIES	100

/*
 * Apply the TERMs of the command line to @f. If @f is NULL, only report mistakes that do not
 * depend on the present filter. Return false if a term is wrong, after printing a message.
 */
static bool parse(struct tc *tc, struct devtrace_filter *f, enum tc_edit how)
{
	struct tc_terms t = { .tc = tc, .how = how, .alone = !f };
	struct devtrace_filter any;
	int i;

	devtrace_filter_all(&any);
	t.f = f ? f : &any;
	if (!tc->nr)
		tc_missing(tc, "a TERM, such as type=user0 or severity=2,");
	for (i = 0; i < tc->nr; i++) {
		if (!tc_term(&t, tc->words[i])) {
			fprintf(stderr, "tracectl: %s: %s\n", tc->command, t.error);
			return false;
		}
	}
	return true;
}

static int set(struct tc *tc, const struct devtrace_filter *f)
{
	tc_open(tc);
	if (devtrace_ctl_filter_set(tc->ctl, tc_stream(tc), f, NULL))
		return tc_fail(tc, tc_stream(tc));
	tc_note(tc);
	tc_note_terms(tc, f);
	return 0;
}

static int edit(struct tc *tc, enum tc_edit how)
{
	struct devtrace_filter f;
	int ret, tries;

	if (!parse(tc, NULL, how))
		return 2;
	tc_open(tc);
	for (tries = 0; tries < TRIES; tries++) {
		uint32_t generation;

		ret = devtrace_ctl_filter_get(tc->ctl, tc_stream(tc), &f, &generation);
		if (ret)
			return tc_fail_change(tc, tc_stream(tc), ret);
		if (!parse(tc, &f, how))
			return 1;
		ret = devtrace_ctl_filter_set(tc->ctl, tc_stream(tc), &f, &generation);
		if (!ret) {
			tc_note(tc);
			tc_note_terms(tc, &f);
		}
		if (ret != -EBUSY)
			return ret ? tc_fail(tc, tc_stream(tc)) : 0;
	}
	return tc_fail(tc, tc_stream(tc));
}

struct show {
	struct tc *tc;
	unsigned int nr;
};

static int show_one(const char *stream, const struct devtrace_filter *f, uint32_t generation,
		    void *arg)
{
	struct show *s = arg;
	struct out *o = &s->tc->out;

	if (s->tc->json) {
		if (s->nr++)
			out_char(o, ',');
		tc_json_str(o, "{\"stream\":", stream);
		tc_json_num(o, ",\"generation\":", generation);
		tc_json_filter(o, ",\"filter\":", f);
		out_char(o, '}');
		return 0;
	}
	tc_safe(o, stream);
	OUT_LIT(o, ": ");
	tc_put_terms(o, f, ' ');
	out_char(o, '\n');
	return 0;
}

static int show(struct tc *tc)
{
	struct show s = { .tc = tc };
	struct devtrace_filter f;
	uint32_t generation;
	int ret;

	tc_begin(tc);
	if (tc->json)
		OUT_LIT(&tc->out, "{\"filters\":[");
	if (tc->stream) {
		ret = devtrace_ctl_filter_get(tc->ctl, tc->stream, &f, &generation);
		if (!ret)
			show_one(tc->stream, &f, generation, &s);
	} else {
		ret = devtrace_ctl_filters(tc->ctl, show_one, &s);
	}
	if (ret) {
		tc->out.len = 0;
		return tc_fail(tc, tc->stream);
	}
	if (tc->json)
		OUT_LIT(&tc->out, "]}\n");
	return 0;
}

/*
 * Print the filter that the terms make, as 'save' does, or in JSON. The kernel is needed only to
 * look up names in the terms.
 */
static int check(struct tc *tc)
{
	struct devtrace_filter f;

	devtrace_filter_all(&f);
	if (!parse(tc, &f, TC_SET))
		return 2;
	if (tc->json) {
		tc_json_filter(&tc->out, "{\"filter\":", &f);
		OUT_LIT(&tc->out, "}\n");
	} else {
		tc_put_terms(&tc->out, &f, '\n');
		out_char(&tc->out, '\n');
	}
	return 0;
}

static int save(struct tc *tc)
{
	const char *path = tc->nr ? tc_next(tc, "FILE") : "-";
	struct devtrace_filter f;
	struct out o;
	int ret = 0;

	tc_begin(tc);
	if (devtrace_ctl_filter_get(tc->ctl, tc_stream(tc), &f, NULL))
		return tc_fail(tc, tc_stream(tc));
	out_init(&o, -1);
	if (tc->json) {
		tc_json_filter(&o, "{\"filter\":", &f);
		out_char(&o, '}');
	} else {
		OUT_LIT(&o, "# filter of ");
		tc_safe(&o, tc_stream(tc));
		OUT_LIT(&o, "; tracectl filter load\n");
		tc_put_terms(&o, &f, '\n');
	}
	out_char(&o, '\n');
	if (o.err) {
		errno = o.err;
		ret = -1;
	} else if (!strcmp(path, "-")) {
		out_mem(&tc->out, o.buf, o.len);
	} else {
		ret = tc_write_file(path, &o);
	}
	if (ret)
		fprintf(stderr, "tracectl: %s: %s: %s\n", tc->command, path, strerror(errno));
	out_free(&o);
	return ret ? 1 : 0;
}

static int load(struct tc *tc)
{
	const char *path = tc->nr ? tc_next(tc, "FILE") : "-";
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	struct devtrace_filter f;
	struct tc_terms t = { .tc = tc, .f = &f, .how = TC_SET };
	unsigned int line = 0, terms = 0;
	char *buf = NULL;
	size_t size = 0;
	ssize_t n;
	bool nul;
	int ret = 0;

	tc_end(tc);
	devtrace_filter_all(&f);
	while (!ret && file && (n = getline(&buf, &size, file)) > 0) {
		char *s = buf + strspn(buf, " \t"), *end = buf + n;

		line++;
		/*
		 * A NUL shows that the file was damaged, for example by a power failure, so terms
		 * may be missing.
		 */
		nul = memchr(buf, 0, (size_t)n);
		while (end > s && strchr(" \t\r\n", end[-1]))
			*--end = '\0';
		if (!nul && (!*s || *s == '#'))
			continue;
		if (nul) {
			snprintf(t.error, sizeof(t.error), "has a NUL byte");
			ret = 1;
		} else if (!tc_term(&t, s)) {
			ret = 1;
		}
		if (ret) {
			struct out o;

			out_init(&o, -1);
			tc_safe(&o, t.error);
			fprintf(stderr, "tracectl: %s: %s:%u: %.*s\n", tc->command, path, line,
				(int)o.len, o.buf);
			out_free(&o);
		}
		terms++;
	}
	if (!file || ferror(file)) {
		fprintf(stderr, "tracectl: %s: %s: %s\n", tc->command, path, strerror(errno));
		ret = 1;
	} else if (!terms) {
		/* A file without terms may have been truncated, so it does not mean "all". */
		fprintf(stderr, "tracectl: %s: %s: contains no TERM; write 'all' to let everything pass\n",
			tc->command, path);
		ret = 1;
	}
	free(buf);
	if (file && file != stdin)
		fclose(file);
	return ret ? ret : set(tc, &f);
}

int tc_filter(struct tc *tc)
{
	static const char *const commands[] = {
		"filter show", "filter set", "filter add", "filter remove", "filter clear",
		"filter save", "filter load", "filter check",
	};
	size_t i = tc_second(tc, commands, NR(commands),
			     "is not a filter command; the commands are: show set add remove clear save load check");
	struct devtrace_filter f;

	devtrace_filter_all(&f);
	switch (i) {
	case 0:
		return show(tc);
	case 1:
		return parse(tc, &f, TC_SET) ? set(tc, &f) : 2;
	case 2:
		return edit(tc, TC_ADD);
	case 3:
		return edit(tc, TC_REMOVE);
	case 4:
		tc_end(tc);
		return set(tc, &f);
	case 5:
		return save(tc);
	case 6:
		return load(tc);
	default:
		return check(tc);
	}
}

/* -s SEVERITY, as in QNX: let only events of this severity and above pass. */
int tc_keep(struct tc *tc, const char *severity)
{
	char term[64];
	char *words[1] = { term };
	int ret;

	tc->command = "-s";
	if ((size_t)snprintf(term, sizeof(term), "severity=%s", severity) >= sizeof(term))
		tc_usage(tc, severity, "is not a severity; write 0 to 3, hw0 to hw3 or sw0 to sw3");
	tc->words = words;
	tc->nr = 1;
	ret = edit(tc, TC_SET);
	tc->nr = 0;
	return ret;
}
