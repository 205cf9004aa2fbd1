// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter.c - select the events to print
 *
 * An event must pass each kind of filter that is set. It passes a kind if it has one of the
 * values. Losses, gaps and damage are not events, so filters do not hide them.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include "../lib/type_groups.h"
#include "traceinfo.h"

static void list(struct ti_words *w, char *word)
{
	char *s, *save;

	for (s = strtok_r(word, ",", &save); s; s = strtok_r(NULL, ",", &save))
		ti_words_add(w, s);
}

void ti_filter_some(struct ti_words *w, char *word, const char *option, const char *problem)
{
	size_t before = w->n;

	list(w, word);
	if (w->n == before)
		ti_usage(option, word, problem);
}

/* Parse a decimal or hexadecimal (0x) number up to @max. Set *end to the first byte after it. */
static bool number(const char *s, char **end, unsigned long max, unsigned long *v)
{
	int base = s[0] == '0' && (s[1] | 0x20) == 'x' ? 16 : 10;

	if (!isdigit((unsigned char)*s))
		return false;
	*v = strtoul(s, end, base);
	return *v <= max;
}

/* Parse [=][hw|sw]N or "none". For example, hw2 means hardware severity 2 and above. */
static bool one_severity(struct ti_filter *f, const char *s)
{
	bool exact = *s == '=', hw = true, sw = true;
	int level, i;

	if (!strcmp(s, "none")) {
		f->severity[8] = true;
		return true;
	}
	s += exact;
	if (!strncmp(s, "hw", 2) || !strncmp(s, "sw", 2)) {
		hw = *s == 'h';
		sw = !hw;
		s += 2;
	}
	if (*s < '0' || *s > '3' || s[1])
		return false;
	level = *s - '0';
	for (i = level; i <= (exact ? level : 3); i++) {
		if (sw)
			f->severity[i] = true;
		if (hw)
			f->severity[i | DEVTRACE_SEV_HW] = true;
	}
	return true;
}

void ti_filter_severity(struct ti_filter *f, char *word)
{
	struct ti_words w = { 0 };
	size_t i;

	list(&w, word);
	for (i = 0; i < w.n; i++)
		if (!one_severity(f, w.v[i]))
			ti_usage("--severity", w.v[i],
				 "is not a severity; write [=][hw|sw]0 to 3, or none: hw2 means 2 and above, =hw2 only 2");
	if (!w.n)
		ti_usage("--severity", word, "is not a severity; write 0 to 3, or none");
	f->by_severity = true;
	free(w.v);
}

void ti_filter_cpu(struct ti_filter *f, char *word)
{
	struct ti_words w = { 0 };
	unsigned long a, b;
	char *end;
	size_t i;

	list(&w, word);
	for (i = 0; i < w.n; i++) {
		bool good = number(w.v[i], &end, 65535, &a);

		b = a;
		if (good && *end == '-')
			good = number(end + 1, &end, 65535, &b);
		if (!good || *end || b < a)
			ti_usage("--cpu", w.v[i], "is not a CPU or a range of CPUs; write 0 or 2-3");
		for (; a <= b; a++)
			f->cpus[a / 64] |= 1ull << a % 64;
	}
	if (!w.n)
		ti_usage("--cpu", word, "is not a CPU or a range of CPUs; write 0 or 2-3");
	f->by_cpu = true;
	free(w.v);
}

static bool add_group(struct ti_filter *f, const char *word)
{
	char lower[64] = "";
	uint64_t set;
	size_t i, t;

	for (i = 0; i < sizeof(lower) - 1 && word[i]; i++)
		lower[i] = (char)tolower((unsigned char)word[i]);
	for (i = 0; i < TYPE_GROUPS; i++) {
		if (strcmp(type_groups[i].name, lower))
			continue;
		for (t = 0; t < 256; t++)
			f->types[t] |= type_group_has(&type_groups[i], (unsigned int)t);
		return true;
	}
	set = type_profile_set(lower);
	for (i = 0; i < TYPE_PROFILES; i++)
		f->types[DEVTRACE_T_KERNEL + i] |= set >> i & 1;
	return set;
}

void ti_filter_type(struct ti_filter *f, char *word)
{
	struct ti_words w = { 0 };
	unsigned long a, b;
	char *end;
	size_t i;

	list(&w, word);
	for (i = 0; i < w.n; i++) {
		if (!isdigit((unsigned char)*w.v[i])) {
			if (!add_group(f, w.v[i]))
				ti_words_add(&f->names, w.v[i]);
			continue;
		}
		if (!number(w.v[i], &end, 65535, &a))
			ti_usage("--type", w.v[i], "is not a type; types are 0 to 65535");
		b = a;
		if ((*end == '-' && !number(end + 1, &end, 65535, &b)) || *end || b < a)
			ti_usage("--type", w.v[i], "is not a type or a range of types; write 100 or 100-104");
		for (; a <= b; a++)
			if (a < 256)
				f->types[a] = true;
			else
				f->numbers[a / 64] |= 1ull << a % 64;
	}
	if (!w.n)
		ti_usage("--type", word, "is not a type; write 0 to 65535, or a name");
	f->by_type = true;
	free(w.v);
}

/*
 * Parse a name from the format files, such as MAJOR, MAJOR.*, MAJOR:NUMBER or MAJOR.MINOR, or a
 * pattern.
 */
static bool code_name(struct ti_code_match *m, const char *s)
{
	const size_t len = strcspn(s, ".:*?[");
	unsigned long minor;
	char *end;

	if (!isalpha((unsigned char)*s) && !strchr("_*?[", *s))
		return false;
	m->name = s;
	m->minor = -1;
	m->head = !s[len] || !strcmp(s + len, ".*") || s[len] == ':' ? len : 0;
	if (s[len] != ':')
		return true;
	if (!number(s + len + 1, &end, 255, &minor) || *end)
		return false;
	m->minor = (int)minor;
	return true;
}

/* Parse [!]major[:minor] or a name; '!' excludes the code. */
void ti_filter_code(struct ti_filter *f, const char *word)
{
	const char *s = *word == '!' ? word + 1 : word;
	struct ti_code_match *m = *word == '!' ? f->unmatch : f->match;
	unsigned int *nr = *word == '!' ? &f->nr_unmatch : &f->nr_match;
	unsigned long major, minor;
	char *end;

	if (*nr == TI_MATCH_MAX)
		ti_usage("-M", word, *word == '!' ?
			 "is one exclusion too many: at most 10 are allowed" :
			 "is one match too many: at most 10 are allowed");
	memset(&m[*nr], 0, sizeof(*m));
	if (code_name(&m[*nr], s)) {
		++*nr;
		return;
	}
	if (!number(s, &end, 0xffffff, &major))
		ti_usage("-M", word, "is not [!]major[:minor]: a major is a number up to 0xffffff, or a name from the format files such as UART or UART.OVERRUN");
	m[*nr].major = major;
	m[*nr].minor = -1;
	if (*end == ':') {
		if (!number(end + 1, &end, 255, &minor))
			ti_usage("-M", word, "is not [!]major[:minor]: a minor is a number up to 255");
		m[*nr].minor = (int)minor;
	}
	if (*end)
		ti_usage("-M", word, "is not [!]major[:minor]; write for example 0xA10, 0xA10:1 or !0xA10");
	++*nr;
}

void ti_filter_ready(struct ti_filter *f)
{
	ti_choice_make(&f->by_name, f->names.v, f->names.n);
	ti_choice_make(&f->by_process, f->processes.v, f->processes.n);
	ti_choice_make(&f->by_object, f->objects.v, f->objects.n);
}

void ti_filter_free(struct ti_filter *f)
{
	ti_choice_free(&f->by_name);
	ti_choice_free(&f->by_process);
	ti_choice_free(&f->by_object);
	free(f->names.v);
	free(f->processes.v);
	free(f->objects.v);
}

/* Print the event's name into @name, which the caller frees. Return false if memory is short. */
static bool event_name(struct out *name, const struct ti_event *e)
{
	out_init(name, -1);
	ti_event_name(name, e);
	out_char(name, 0);
	return !name->err;
}

static bool type_matches(const struct ti_filter *f, const struct ti_event *e)
{
	struct out name;
	bool found;

	if (!f->names.n)
		return false;
	found = event_name(&name, e) && ti_choice_has_name(&f->by_name, name.buf);
	out_free(&name);
	return found;
}

static bool code_is(const struct ti_code_match *m, const struct ti_event *e)
{
	struct out name;
	bool found;

	if (m->name && !m->head) {
		found = event_name(&name, e) && !fnmatch(m->name, name.buf, 0);
		out_free(&name);
		return found;
	}
	if (m->name ? (!e->major || strlen(e->major->name) != m->head ||
		       memcmp(e->major->name, m->name, m->head)) :
		      m->major != DEVTRACE_CODE_MAJOR(e->ev->code))
		return false;
	return m->minor < 0 || m->minor == (int)DEVTRACE_CODE_MINOR(e->ev->code);
}

static bool code_in(const struct ti_code_match *m, unsigned int n, const struct ti_event *e)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (code_is(&m[i], e))
			return true;
	return false;
}

static bool object_matches(const struct ti_filter *f, const struct ti_event *e)
{
	const char *name = ti_event_object(e);

	if (!(e->ev->flags & DEVTRACE_F_OBJSIG))
		return false;
	return ti_choice_has_number(&f->by_object, e->ev->object) ||
	       (name && ti_choice_has_name(&f->by_object, name));
}

static bool process_matches(const struct ti_filter *f, const struct ti_event *e)
{
	const uint32_t tid = ti_pids_named(f->pids, e->ev->tid);
	const uint32_t tgid = ti_pids_named(f->pids, e->tgid);
	const char *name = ti_event_process(e);

	if (ti_choice_has_number(&f->by_process, tid) ||
	    (e->tgid && ti_choice_has_number(&f->by_process, tgid)) ||
	    (name && ti_choice_has_name(&f->by_process, name)))
		return true;
	/* The name of a process also selects its threads that have another name. */
	name = e->tgid && e->tgid != e->ev->tid ?
	       devtrace_decoder_proc(e->decoder, e->tgid, NULL) : NULL;
	return name && ti_choice_has_name(&f->by_process, name);
}

bool ti_filter_by_event(const struct ti_filter *f)
{
	return f->nr_match || f->nr_unmatch || f->by_severity || f->by_cpu || f->by_type ||
	       f->processes.n || f->objects.n;
}

bool ti_filter_wants(const struct ti_filter *f, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	bool has_code = ev->flags & DEVTRACE_F_CODE;

	if (f->nr_match && !(has_code && code_in(f->match, f->nr_match, e)))
		return false;
	if (f->nr_unmatch && has_code && code_in(f->unmatch, f->nr_unmatch, e))
		return false;
	if (f->by_severity &&
	    !f->severity[ev->severity & DEVTRACE_SEV_SET ? ev->severity & 7 : 8])
		return false;
	/* An event from a lane has no CPU number, so it does not pass a filter by CPU. */
	if (f->by_cpu && (ti_event_lane(e) >= 0 ||
			  !(f->cpus[ev->source / 64] >> ev->source % 64 & 1)))
		return false;
	if (f->by_type && !f->types[ev->type] &&
	    !(f->numbers[ev->number / 64] >> ev->number % 64 & 1) && !type_matches(f, e))
		return false;
	if (f->processes.n && !process_matches(f, e))
		return false;
	return !f->objects.n || object_matches(f, e);
}
