// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile.c - kernel profile events: list them, switch them on and off
 *
 * An event is on while the filter of a stream contains its type; there is no other switch. Words
 * with + or - add events to those that are on, or remove them. If the first word has neither, the
 * words replace the whole set. Nothing is changed if a word is wrong, or names an event whose
 * tracepoint this kernel lacks; a group may contain such events. A word with a colon is a
 * tracepoint that was added by name: see tracectl/tracepoint.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/near.h"
#include "tracectl.h"

#define FIRST	DEVTRACE_T_KERNEL
#define TYPES	(DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL)
/* Give up after other processes have changed the filter this often in a row. */
#define TRIES	100

/*
 * Kernel profile events that the kernel reports, indexed by their type - FIRST. If the kernel does
 * not know a type, its name is empty.
 */
struct known {
	struct devtrace_ctl_profile type[TYPES];
};

/* The change that the words ask for. Bit n stands for type FIRST + n. */
struct want {
	uint64_t	on, off;	/* types in neither set stay unchanged */
	uint64_t	named;		/* subset of on: events named singly */
};

static int keep(const struct devtrace_ctl_profile *p, void *arg)
{
	struct known *k = arg;

	if (p->type >= FIRST && p->type < FIRST + TYPES)
		k->type[p->type - FIRST] = *p;
	return 0;
}

static struct known *ask(struct tc *tc)
{
	struct known *k = tc_alloc(NULL, sizeof(*k));

	memset(k, 0, sizeof(*k));
	tc_open(tc);
	if (!devtrace_ctl_profiles(tc->ctl, keep, k))
		return k;
	free(k);
	return NULL;
}

static uint64_t types_of(const struct devtrace_filter *f)
{
	uint64_t set = 0;
	unsigned int i;

	for (i = 0; i < TYPES; i++)
		if (devtrace_filter_is_type(f, FIRST + i))
			set |= (uint64_t)1 << i;
	return set;
}

/*
 * Return the set of profile events that a name stands for, or 0 if it is not the name of a profile
 * event or of a group of them.
 */
static uint64_t named_set(const char *name)
{
	struct devtrace_filter f, none;

	if (!strcmp(name, "all"))
		return ~(uint64_t)0;
	devtrace_filter_none(&f);
	none = f;
	if (devtrace_filter_group(&f, DEVTRACE_FA_TYPES, name, true))
		return 0;
	/* If a group also contains other types, it is no group of profile events. */
	memcpy(none.types + FIRST / 8, f.types + FIRST / 8, TYPES / 8);
	return memcmp(f.types, none.types, sizeof(f.types)) ? 0 : types_of(&f);
}

/* Return the tracepoints of buses. Unless @minus is set, first add them to the kernel's types. */
static uint64_t bus_set(struct tc *tc, bool minus)
{
	uint64_t set;

	if (tc_tracepoint_buses(tc, !minus, &set))
		exit(1);
	return set;
}

/* Return the event of a tracepoint that was added. If it was not, end with a message. */
static uint64_t added_set(struct tc *tc, const char *name)
{
	unsigned int type;

	if (tc_tracepoint_type(tc, name, &type)) {
		tc_fail(tc, NULL);
		exit(1);
	}
	if (type >= FIRST && type < FIRST + TYPES)
		return (uint64_t)1 << (type - FIRST);
	fprintf(stderr, "tracectl: %s: %s has not been added; add it with 'tracectl profile add'\n",
		tc->command, name);
	exit(1);
}

_Noreturn static void unknown(struct tc *tc, const char *name)
{
	const char *other;
	struct near near;
	struct out o;
	unsigned int i;

	near_init(&near, name);
	/* Presets are not in the list of groups, because filters do not use them: try them here. */
	near_try(&near, name, "latency");
	near_try(&near, name, "buses");
	for (i = 0; (other = devtrace_filter_group_name(DEVTRACE_FA_TYPES, i)); i++)
		if (named_set(other))
			near_try(&near, name, other);
	out_init(&o, -1);
	OUT_LIT(&o, "is not a kernel profile event, a group or a preset");
	near_put(&o, &near);
	if (!*near.name)
		OUT_LIT(&o, "; see 'tracectl profile list'");
	out_char(&o, '\0');
	tc_usage(tc, name, o.buf);
}

static bool is_buses(const char *name)
{
	return !strcmp(name, "buses");
}

/* Refuse wrong words before "buses" adds tracepoints. */
static void words_check(struct tc *tc)
{
	int i;

	for (i = 0; i < tc->nr; i++) {
		const char *name = tc->words[i] + (*tc->words[i] == '+' || *tc->words[i] == '-');

		if (!is_buses(name) && strcmp(tc->words[i], "none") && !strchr(name, ':') &&
		    !named_set(name))
			unknown(tc, name);
	}
}

static struct want words(struct tc *tc)
{
	struct want w = { 0 };
	int i;

	words_check(tc);
	if (!strchr("+-", *tc->words[0]))
		w.off = ~(uint64_t)0;
	for (i = 0; i < tc->nr; i++) {
		const char *name = tc->words[i];
		bool minus = *name == '-';
		uint64_t set;

		name += *name == '+' || minus;
		if (!strcmp(name, "none") && name == tc->words[i]) {
			w = (struct want){ .off = ~(uint64_t)0 };
			continue;
		}
		set = is_buses(name) ? bus_set(tc, minus) :
		      strchr(name, ':') ? added_set(tc, name) : named_set(name);
		w.on = minus ? w.on & ~set : w.on | set;
		w.off = minus ? w.off | set : w.off & ~set;
		/* The word names a single event, so the kernel must have its tracepoint. */
		if (!(set & (set - 1)) || minus)
			w.named = minus ? w.named & ~set : w.named | set;
	}
	return w;
}

/* Check that the kernel has the tracepoints of all events that were named singly. */
static int check(const struct tc *tc, const struct known *k, uint64_t named)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < TYPES; i++) {
		const struct devtrace_ctl_profile *p = &k->type[i];

		/*
		 * Skip the last type, faults of the kernel: devtrace_profile logs a warning for
		 * each kind of fault that it cannot report.
		 */
		if (!(named >> i & 1) || p->available || i == TYPES - 1)
			continue;
		fprintf(stderr, "tracectl: %s: %s: this kernel does not have the tracepoint %s\n",
			tc->command, p->name, p->tracepoints);
		ret = 1;
	}
	return ret;
}

/* Change the filter of the stream. Return 0 or the library's error. */
static int apply(struct tc *tc, const struct want *w)
{
	struct devtrace_filter f;
	int ret, tries = 0;

	do {
		uint32_t generation;
		unsigned int i;

		ret = devtrace_ctl_filter_get(tc->ctl, tc_stream(tc), &f, &generation);
		if (ret)
			break;
		for (i = 0; i < TYPES; i++)
			if ((w->on | w->off) >> i & 1)
				devtrace_filter_range(&f, DEVTRACE_FA_TYPES, FIRST + i, FIRST + i,
						      w->on >> i & 1);
		ret = devtrace_ctl_filter_set(tc->ctl, tc_stream(tc), &f, &generation);
	} while (ret == -EBUSY && ++tries < TRIES);
	return ret;
}

int tc_profile_on(struct tc *tc, unsigned int type)
{
	const struct want w = { .on = (uint64_t)1 << (type - FIRST) };

	return apply(tc, &w);
}

static int set(struct tc *tc)
{
	struct want w = words(tc);
	struct known *k = ask(tc);
	int ret;

	if (!k)
		return tc_fail(tc, NULL);
	ret = check(tc, k, w.named);
	free(k);
	if (ret)
		return ret;
	if (apply(tc, &w))
		return tc_fail(tc, tc_stream(tc));
	tc_note(tc);
	return 0;
}

struct show {
	struct tc *tc;
	const struct known *known;
	unsigned int nr;
};

/* Print the added tracepoints that are on. Then print the other events that are on, as groups. */
static void show_types(const struct show *s, struct devtrace_filter f)
{
	struct out *o = &s->tc->out;
	unsigned int i, nr = 0;

	for (i = 0; i < TYPES; i++) {
		if (!s->known->type[i].added || !devtrace_filter_is_type(&f, FIRST + i))
			continue;
		devtrace_filter_range(&f, DEVTRACE_FA_TYPES, FIRST + i, FIRST + i, false);
		if (nr++)
			out_char(o, ' ');
		tc_safe(o, s->known->type[i].name);
	}
	if (nr && !types_of(&f))
		return;
	if (nr)
		out_char(o, ' ');
	tc_put_profile(o, &f);
}

static int show_one(const char *stream, const struct devtrace_filter *f, uint32_t generation,
		    void *arg)
{
	struct show *s = arg;
	struct out *o = &s->tc->out;
	unsigned int i, nr = 0;

	(void)generation;
	if (!s->tc->json) {
		tc_safe(o, stream);
		OUT_LIT(o, ": ");
		show_types(s, *f);
		out_char(o, '\n');
		return 0;
	}
	tc_json_str(o, s->nr++ ? ",{\"stream\":" : "{\"stream\":", stream);
	OUT_LIT(o, ",\"types\":[");
	for (i = 0; i < TYPES; i++)
		if (devtrace_filter_is_type(f, FIRST + i))
			tc_json_str(o, nr++ ? "," : "", s->known->type[i].name);
	OUT_LIT(o, "]}");
	return 0;
}

static int show(struct tc *tc)
{
	struct known *k = ask(tc);
	struct show s = { .tc = tc, .known = k };
	struct devtrace_filter f;
	int ret;

	if (!k)
		return tc_fail(tc, NULL);
	if (tc->json)
		OUT_LIT(&tc->out, "{\"streams\":[");
	if (tc->stream) {
		ret = devtrace_ctl_filter_get(tc->ctl, tc->stream, &f, NULL);
		if (!ret)
			show_one(tc->stream, &f, 0, &s);
	} else {
		ret = devtrace_ctl_filters(tc->ctl, show_one, &s);
	}
	free(k);
	if (ret) {
		tc->out.len = 0;
		return tc_fail(tc, tc->stream);
	}
	if (tc->json)
		OUT_LIT(&tc->out, "]}\n");
	return 0;
}

static void list_json(struct out *o, const struct devtrace_ctl_profile *p)
{
	const char *t = p->tracepoints;

	tc_json_num(o, "\"type\":", p->type);
	tc_json_str(o, ",\"name\":", p->name);
	tc_json_str(o, ",\"group\":", p->group);
	OUT_LIT(o, ",\"tracepoints\":[");
	while (*t) {
		size_t n = strcspn(t, " ");

		out_json(o, t, n);
		t += n + (t[n] == ' ');
		if (*t)
			out_char(o, ',');
	}
	tc_json_bool(o, "],\"available\":", p->available);
	tc_json_bool(o, ",\"attached\":", p->attached);
}

static int list_one(const struct devtrace_ctl_profile *p, void *arg)
{
	struct tc_list *l = arg;
	struct out *o = tc_list_next(l);

	if (l->tc->json) {
		list_json(o, p);
		return 0;
	}
	out_u64(o, p->type);
	out_char(o, '\t');
	tc_safe(o, p->name);
	out_char(o, '\t');
	tc_safe(o, p->group);
	out_str(o, p->attached ? "\ton\t" : p->available ? "\toff\t" : "\tlacking\t");
	tc_safe(o, p->tracepoints);
	return 0;
}

static int list(struct tc *tc)
{
	struct tc_list l;

	tc_begin(tc);
	tc_list_begin(&l, tc, "{\"types\":[", "TYPE\tNAME\tGROUP\tSTATE\tTRACEPOINTS\n", "rllll");
	return tc_list_end(&l, devtrace_ctl_profiles(tc->ctl, list_one, &l), NULL);
}

int tc_profile(struct tc *tc)
{
	if (!tc->nr)
		return show(tc);
	if (!strcmp(*tc->words, "list")) {
		tc_next(tc, "");
		tc->command = "profile list";
		return list(tc);
	}
	if (!strcmp(*tc->words, "add")) {
		tc_next(tc, "");
		tc->command = "profile add";
		return tc_tracepoint_add(tc);
	}
	if (!strcmp(*tc->words, "del")) {
		tc_next(tc, "");
		tc->command = "profile del";
		return tc_tracepoint_del(tc);
	}
	if (!strcmp(*tc->words, "fmt")) {
		tc_next(tc, "");
		tc->command = "profile fmt";
		return tc_tracepoint_fmt(tc);
	}
	return set(tc);
}
