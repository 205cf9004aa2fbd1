// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint.c - kernel tracepoints added by name
 *
 * 'add' takes two steps: the kernel assigns a type to the tracepoint, then the type is added to
 * the stream's filter. After 'del' the kernel removes the type from all filters. The stream does
 * not contain the names of the fields of these events, so 'fmt' prints them as a format file,
 * fmt(5).
 */
#include <ctype.h>
#include "tracectl.h"

/* The name to find in the list of profile events, and the result. */
struct find {
	const char *name;
	unsigned int type;	/* 0: not found */
};

static int find_one(const struct devtrace_ctl_profile *p, void *arg)
{
	struct find *f = arg;

	if (p->added && !strcmp(p->name, f->name))
		f->type = p->type;
	return 0;
}

int tc_tracepoint_type(struct tc *tc, const char *name, unsigned int *type)
{
	struct find f = { .name = name };
	int ret;

	tc_open(tc);
	ret = devtrace_ctl_profiles(tc->ctl, find_one, &f);
	*type = f.type;
	return ret;
}

static int add_one(struct tc *tc, const char *name)
{
	unsigned int type;

	if (devtrace_ctl_profile_add(tc->ctl, name) || tc_tracepoint_type(tc, name, &type))
		return tc_fail(tc, name);
	/* Type 0: another process has removed the tracepoint already. */
	return type && tc_profile_on(tc, type) ? tc_fail(tc, tc_stream(tc)) : 0;
}

int tc_tracepoint_add(struct tc *tc)
{
	int ret = 0;

	if (!tc->nr)
		tc_missing(tc, "a tracepoint, SYSTEM:EVENT,");
	tc_open(tc);
	while (tc->nr)
		ret |= add_one(tc, tc_next(tc, ""));
	return ret;
}

int tc_tracepoint_del(struct tc *tc)
{
	int ret = 0;

	if (!tc->nr)
		tc_missing(tc, "a tracepoint, SYSTEM:EVENT,");
	tc_open(tc);
	while (tc->nr) {
		const char *name = tc_next(tc, "");

		if (devtrace_ctl_profile_del(tc->ctl, name))
			ret |= tc_fail(tc, name);
	}
	return ret;
}

static int fmt_one(const struct devtrace_ctl_profile *p, void *arg)
{
	struct tc *tc = arg;
	struct out *o = &tc->out;
	const char *event = strchr(p->name, ':');

	if (!p->added || !event)
		return 0;
	OUT_LIT(o, "\n# ");
	tc_safe(o, p->name);
	OUT_LIT(o, "\nrecord ");
	out_u64(o, p->type);
	out_char(o, ' ');
	/* Replace characters that a name in a format file cannot have. */
	event++;
	if (!isalpha((unsigned char)*event))
		out_char(o, '_');
	for (; *event; event++)
		out_char(o, isalnum((unsigned char)*event) ? *event : '_');
	OUT_LIT(o, " (");
	tc_safe(o, p->elements);
	OUT_LIT(o, ")\n");
	return 0;
}

int tc_tracepoint_fmt(struct tc *tc)
{
	tc_begin(tc);
	OUT_LIT(&tc->out, "# Tracepoints that were added by name; written by 'tracectl profile fmt'.\n");
	if (!devtrace_ctl_profiles(tc->ctl, fmt_one, tc))
		return 0;
	tc->out.len = 0;
	return tc_fail(tc, NULL);
}
