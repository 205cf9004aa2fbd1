// SPDX-License-Identifier: GPL-2.0-only
/*
 * terms.c - TERMs: the words of which a filter is made
 *
 * A term is KEY=ITEM[,ITEM...]. An item may begin with a sign (! + -) and may be in double quotes,
 * inside which \" \\ and \xHH are escapes. A quoted item is always a name, even if it consists of
 * digits or is also the name of a group. With TC_SET a term replaces the filter's term; with
 * TC_ADD it lets more events pass; with TC_REMOVE fewer.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "tracectl.h"

static bool wrong(struct tc_terms *t, const char *what, const char *problem)
{
	snprintf(t->error, sizeof(t->error), "'%.60s' %s", what, problem);
	return false;
}

/* Take the item at *s, and move *s behind the comma after it. */
static bool next_item(struct tc_terms *t, const char **s, struct tc_item *item)
{
	const char *start = *s, *problem = tc_item_next(s, item);

	return !problem || wrong(t, start, problem);
}

static bool range(const char *s, unsigned int max, unsigned int *first, unsigned int *last)
{
	char buf[32], *dash;
	uint64_t a, b;

	if (strlen(s) >= sizeof(buf))
		return false;
	strcpy(buf, s);
	dash = strchr(buf, '-');
	if (dash)
		*dash++ = '\0';
	if (!tc_number(buf, max, &a) || !tc_number(dash ? dash : buf, max, &b) || a > b)
		return false;
	*first = (unsigned int)a;
	*last = (unsigned int)b;
	return true;
}

/* Terms for types, objects, signals and CPUs, which are sets of numbers. */

#define LAST_OF_TERM "cannot be removed: it is the last item of its term, and without the term everything would pass"
#define NOTHING "cannot be added or removed; use it with 'set' and 'load', without a sign"

static const char *const aliases[][2] = {
	{ "queue", "eq" }, { "pool", "mp" }, { "time", "te" }, { "framework", "qf" },
	{ "scheduler", "sc" }, { "semaphore", "sem" }, { "mutex", "mtx" },
};

static bool set_range(struct tc_terms *t, enum devtrace_filter_attr term, const char *what,
		      unsigned int first, unsigned int last, bool on)
{
	int ret = devtrace_filter_range(t->f, term, first, last, on);

	if (ret == -ENOSPC && !t->alone)
		return wrong(t, what, "makes more than 64 ranges");
	if (term == DEVTRACE_FA_TYPES && first == last && !on &&
	    devtrace_filter_is_type(t->f, first))
		return wrong(t, what, "is a type of the stream format, which always passes");
	return true;
}

/*
 * Set or clear a whole group; its name may be in upper case. Return -ENOENT if there is no such
 * group.
 */
static int set_group(struct tc_terms *t, enum devtrace_filter_attr term, const char *name, bool on)
{
	char group[sizeof(((struct tc_item *)NULL)->text)];
	size_t i;

	for (i = 0; name[i]; i++)
		group[i] = (char)tolower((unsigned char)name[i]);
	group[i] = '\0';
	for (i = 0; term == DEVTRACE_FA_TYPES && i < NR(aliases); i++)
		if (!strcmp(group, aliases[i][0]))
			strcpy(group, aliases[i][1]);
	return devtrace_filter_group(t->f, term, group, on);
}

/* Report an unknown name, with the nearest known name, or else with @problem unless it is NULL. */
static bool unknown(struct tc_terms *t, enum devtrace_filter_attr term, const char *name,
		    const char *problem)
{
	struct out o;

	out_init(&o, -1);
	if (!tc_name_unknown(t->tc, term, name, &o) && problem)
		out_str(&o, strchr(problem, ';'));
	snprintf(t->error, sizeof(t->error), "%.*s", (int)o.len, o.buf);
	out_free(&o);
	return false;
}

/* Is this a name MAJOR, MAJOR.MINOR or MAJOR.* from the format files? */
static bool is_code(struct tc_terms *t, const char *name)
{
	char major[sizeof(((struct tc_item *)NULL)->text)];
	uint32_t numbers[TC_NUMBERS];
	size_t n, len = strlen(name);

	if (tc_name(t->tc, DEVTRACE_FA_CODES, name, &n, numbers))
		return true;
	strcpy(major, name);
	if (len > 2 && !strcmp(major + len - 2, ".*"))
		major[len - 2] = '\0';
	return tc_name(t->tc, DEVTRACE_FA_MAJORS, major, &n, numbers);
}

static const char *const problems[] = {
	[DEVTRACE_FA_TYPES] =
		"is not a type; write 0 to 65535, a range, a group (sm ao eq mp te qf sc sem mtx user user0-user4 exc text log named kernel), all, none, or a name from the format files, 'tracectl profile list' or 'tracectl dict'",
	[DEVTRACE_FA_OBJECTS] =
		"is not an object; write 0 to 65535, a range, a group (ao ep eq ap), all, none, or a name from 'tracectl dict'",
	[DEVTRACE_FA_SIGNALS] =
		"is not a signal; write 0 to 65535, a range, all, none, or a name from 'tracectl dict'",
	[DEVTRACE_FA_CPUS] =
		"is not a CPU; write 0 to 65535, a range, all or none",
};

static bool set_item(struct tc_terms *t, enum devtrace_filter_attr term, const struct tc_item *item,
		     bool on)
{
	unsigned int first, last;
	uint32_t numbers[TC_NUMBERS];
	size_t i, n;
	int ret;

	if (!item->quoted && !strcasecmp(item->text, "none")) {
		if (t->how != TC_SET || item->sign)
			return wrong(t, item->text, NOTHING);
		return devtrace_filter_only(t->f, term) == 0;
	}
	if (!item->quoted && range(item->text, 65535, &first, &last))
		return set_range(t, term, item->text, first, last, on);
	ret = item->quoted ? -ENOENT : set_group(t, term, item->text, on);
	if (!ret || (ret == -ENOSPC && t->alone))
		return true;
	if (ret == -ENOSPC)
		return wrong(t, item->text, "makes more than 64 ranges");
	if (term == DEVTRACE_FA_CPUS || (!item->quoted && isdigit((unsigned char)*item->text)))
		return wrong(t, item->text, problems[term]);
	if (!tc_name(t->tc, term, item->text, &n, numbers) && term == DEVTRACE_FA_TYPES &&
	    is_code(t, item->text))
		return wrong(t, item->text, "is the name of a code, not of a type; write it after code=");
	if (!n)
		return unknown(t, term, item->text, item->quoted ? NULL : problems[term]);
	for (i = 0; i < n; i++)
		if (!set_range(t, term, item->text, numbers[i], numbers[i], on))
			return false;
	return true;
}

static bool set_term(struct tc_terms *t, enum devtrace_filter_attr term, const char *s, bool fresh)
{
	bool on_is_default = t->how != TC_REMOVE;
	struct tc_item item;

	/* A term that begins with '-' or '!' excludes items, so it begins with everything. */
	if (fresh && t->how == TC_SET && *s != '-' && *s != '!')
		devtrace_filter_only(t->f, term);
	else if (fresh && t->how == TC_SET)
		devtrace_filter_any(t->f, term);
	do {
		bool minus;

		if (!next_item(t, &s, &item))
			return false;
		minus = item.sign == '-' || item.sign == '!';
		if (!set_item(t, term, &item, minus ? !on_is_default : on_is_default))
			return false;
	} while (*s);
	return true;
}

/* Report that a list of the filter, for example of the codes that are excluded, is full. */

static bool full(struct tc_terms *t, const char *what)
{
	return wrong(t, what, "is one item too many: a term has at most 64");
}

/* Edit a process ID, or a process name if @v is NULL. */
static int edit_process(struct tc_terms *t, bool not, const char *name, const uint64_t *v, bool on)
{
	if (v)
		return devtrace_filter_number(t->f, not ? DEVTRACE_FA_NOT_PIDS : DEVTRACE_FA_PIDS,
					      (uint32_t)*v, on);
	return devtrace_filter_name(t->f, not ? DEVTRACE_FA_NOT_COMMS : DEVTRACE_FA_COMMS, name,
				    on);
}

static bool process_item(struct tc_terms *t, const struct tc_item *item, const uint64_t *v)
{
	const struct devtrace_filter *f = t->f;
	bool only = f->pids.given || f->comms.given;
	int ret = 0;

	if (!v && strlen(item->text) >= DEVTRACE_COMM_LEN)
		return wrong(t, item->text, "is not the name of a process; a name has 1 to 15 bytes");
	if (item->sign == '!') {
		ret = edit_process(t, true, item->text, v, t->how != TC_REMOVE);
		if (ret == -ENOENT && !t->alone)
			return wrong(t, item->text, "is not excluded");
	} else if (t->how == TC_SET) {
		ret = edit_process(t, false, item->text, v, true);
	} else if (t->how == TC_ADD) {
		edit_process(t, true, item->text, v, false);
		if (only)
			ret = edit_process(t, false, item->text, v, true);
	} else if (!only) {
		ret = edit_process(t, true, item->text, v, true);
	} else {
		if (f->pids.nr + f->comms.nr == 1 && !edit_process(t, false, item->text, v, false))
			return wrong(t, item->text, LAST_OF_TERM);
		ret = edit_process(t, false, item->text, v, false);
		if (ret == -ENOENT)
			return wrong(t, item->text, "does not pass as it is");
	}
	return ret == -ENOSPC ? full(t, item->text) : true;
}

/* One code, or all codes of a major number. */
struct code {
	bool		whole;
	uint32_t	number;		/* the code, or the major */
};

static bool is_on(const struct devtrace_numbers *l, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		if (l->v[i] == number)
			return true;
	return false;
}

static int edit_code(struct tc_terms *t, bool not, const struct code *c, bool on)
{
	enum devtrace_filter_attr term =
		c->whole ? (not ? DEVTRACE_FA_NOT_MAJORS : DEVTRACE_FA_MAJORS) :
			   (not ? DEVTRACE_FA_NOT_CODES : DEVTRACE_FA_CODES);

	return devtrace_filter_number(t->f, term, c->number, on);
}

/* Remove all codes of a major number from a list. */
static void drop_codes(struct tc_terms *t, enum devtrace_filter_attr term,
		       const struct devtrace_numbers *l, uint32_t major)
{
	unsigned int i;

	for (i = l->nr; i--;)
		if (DEVTRACE_CODE_MAJOR(l->v[i]) == major)
			devtrace_filter_number(t->f, term, l->v[i], false);
}

/* Let a code or a major pass. If it is in the list of excluded ones, remove it from there. */
static bool code_add(struct tc_terms *t, const struct code *c, const char *what)
{
	struct devtrace_filter *f = t->f;

	if (!c->whole && is_on(&f->not_majors, DEVTRACE_CODE_MAJOR(c->number)))
		return wrong(t, what, "is excluded together with its whole major; 'add' the major first");
	edit_code(t, true, c, false);
	if (c->whole)
		drop_codes(t, DEVTRACE_FA_NOT_CODES, &f->not_codes, c->number);
	if (!f->majors.given && !f->codes.given)
		return true;
	return edit_code(t, false, c, true) == -ENOSPC ? full(t, what) : true;
}

/* Exclude a code or a major that passes now. */
static bool code_remove(struct tc_terms *t, const struct code *c, const char *what)
{
	struct devtrace_filter *f = t->f, left = *f;
	struct tc_terms then = { .f = &left };
	int ret;

	if (!f->majors.given && !f->codes.given)
		return edit_code(t, true, c, true) == -ENOSPC ? full(t, what) : true;
	ret = edit_code(&then, false, c, false);
	if (c->whole) {
		drop_codes(&then, DEVTRACE_FA_CODES, &left.codes, c->number);
	} else if (is_on(&f->majors, DEVTRACE_CODE_MAJOR(c->number))) {
		/* Exclude only this code: the other codes of its major still pass. */
		if (edit_code(&then, true, c, true) == -ENOSPC)
			return full(t, what);
		ret = 0;
	}
	if (ret == -ENOENT && left.codes.nr == f->codes.nr)
		return wrong(t, what, "does not pass as it is");
	if (!left.majors.given && !left.codes.given)
		return wrong(t, what, LAST_OF_TERM);
	*f = left;
	return true;
}

static bool code_item(struct tc_terms *t, const struct tc_item *item, const struct code *c)
{
	int ret;

	if (item->sign == '!') {
		ret = edit_code(t, true, c, t->how != TC_REMOVE);
		if (ret == -ENOENT && !t->alone)
			return wrong(t, item->text, "is not excluded");
		return ret == -ENOSPC ? full(t, item->text) : true;
	}
	if (t->how == TC_REMOVE)
		return code_remove(t, c, item->text);
	if (t->how == TC_ADD)
		return code_add(t, c, item->text);
	return edit_code(t, false, c, true) == -ENOSPC ? full(t, item->text) : true;
}

/* Parse MAJOR:MINOR or MAJOR, where both are numbers. */
static bool code_number(const char *s, struct code *c)
{
	char text[sizeof(((struct tc_item *)NULL)->text)], *minor;
	uint64_t major, low;

	strcpy(text, s);
	minor = strchr(text, ':');
	if (minor)
		*minor++ = '\0';
	if (!tc_number(text, 0xffffff, &major) || (minor && !tc_number(minor, 255, &low)))
		return false;
	c->whole = !minor;
	c->number = (uint32_t)(minor ? major << 8 | low : major);
	return true;
}

/*
 * Parse the minor number after a major. Return 256 for an empty text, which means all minors, and
 * -1 if the text is not a minor number.
 */
static int minor_of(const char *s)
{
	uint64_t v;

	if (!*s || !strcmp(s, ".*"))
		return 256;
	return *s == ':' && tc_number(s + 1, 255, &v) ? (int)v : -1;
}

/* Does the text contain a colon without a valid minor number after it? */
static bool has_no_minor(const char *s)
{
	return strchr(s, ':') && minor_of(strchr(s, ':')) < 0;
}

/*
 * Parse a name from the format files: MAJOR, MAJOR.*, MAJOR:NUMBER or MAJOR.MINOR. If several
 * codes have the same name, use all of them.
 */
static bool code_name(struct tc_terms *t, const struct tc_item *item, const char *problem)
{
	char major[sizeof(item->text)];
	uint32_t numbers[TC_NUMBERS];
	size_t i, n, len = strcspn(item->text, ".:");
	int minor = item->quoted ? -1 : minor_of(item->text + len);
	struct code c;

	memcpy(major, item->text, len);
	major[len] = '\0';
	if (minor >= 0 && tc_name(t->tc, DEVTRACE_FA_MAJORS, major, &n, numbers))
		c.whole = minor == 256;
	else if (tc_name(t->tc, DEVTRACE_FA_MAJORS, item->text, &n, numbers))
		c.whole = true;
	else if (tc_name(t->tc, DEVTRACE_FA_CODES, item->text, &n, numbers))
		c.whole = false;
	else
		return unknown(t, DEVTRACE_FA_CODES, item->text, item->quoted ? NULL : problem);
	for (i = 0; i < n; i++) {
		c.number = minor >= 0 && !c.whole ? numbers[i] << 8 | (uint32_t)minor : numbers[i];
		if (!code_item(t, item, &c))
			return false;
	}
	return true;
}

static bool code_term(struct tc_terms *t, const char *s, bool fresh)
{
	static const enum devtrace_filter_attr lists[] = {
		DEVTRACE_FA_MAJORS, DEVTRACE_FA_NOT_MAJORS,
		DEVTRACE_FA_CODES, DEVTRACE_FA_NOT_CODES,
	};
#define NO_CODE	"is not a code; write MAJOR or MAJOR:MINOR, up to 16777215 and 255, " \
		"or a name from the format files such as UART or UART.OVERRUN, or ! before one of these"
	static const char problem[] = NO_CODE;
	struct tc_item item;
	struct code c;
	size_t i;

	for (i = 0; fresh && t->how == TC_SET && i < NR(lists); i++)
		devtrace_filter_any(t->f, lists[i]);
	do {
		if (!next_item(t, &s, &item))
			return false;
		if (item.sign && item.sign != '!')
			return wrong(t, item.text, problem);
		if (!item.quoted && code_number(item.text, &c)) {
			if (!code_item(t, &item, &c))
				return false;
		} else if (!item.quoted && (isdigit((unsigned char)*item.text) ||
					    has_no_minor(item.text))) {
			return wrong(t, item.text, problem);
		} else if (!code_name(t, &item, problem)) {
			return false;
		}
	} while (*s);
	return true;
}

static bool process_term(struct tc_terms *t, const char *s, bool fresh)
{
	struct tc_item item;
	uint64_t v;

	if (fresh && t->how == TC_SET) {
		devtrace_filter_any(t->f, DEVTRACE_FA_PIDS);
		devtrace_filter_any(t->f, DEVTRACE_FA_NOT_PIDS);
		devtrace_filter_any(t->f, DEVTRACE_FA_COMMS);
		devtrace_filter_any(t->f, DEVTRACE_FA_NOT_COMMS);
	}
	do {
		bool number;

		if (!next_item(t, &s, &item))
			return false;
		if (item.sign && item.sign != '!')
			return wrong(t, item.text, "begins with a sign other than !; put a name that begins with it in quotes");
		number = !item.quoted && tc_number(item.text, 0x7fffffff, &v);
		if (!process_item(t, &item, number ? &v : NULL))
			return false;
	} while (*s);
	return true;
}

static unsigned int level(enum tc_edit how, unsigned int old, unsigned int n)
{
	return how == TC_ADD && n > old ? old : n;
}

static bool severity_term(struct tc_terms *t, const char *s, bool fresh)
{
	unsigned int hw = t->f->hw_severity, sw = t->f->sw_severity;
	struct tc_item item;

	if (fresh && t->how == TC_SET)
		hw = sw = 0;
	do {
		const char *p;
		bool both;

		if (!next_item(t, &s, &item))
			return false;
		p = item.text;
		both = strncasecmp(p, "hw", 2) && strncasecmp(p, "sw", 2);
		if (!both)
			p += 2;
		if (item.sign || item.quoted || *p < '0' || *p > '4' || p[1])
			return wrong(t, item.text,
				     "is not a severity; write hw0 to hw3, sw0 to sw3, or 0 to 3 for both: each means this level and above; hw4 and sw4 mean none");
		/* A filter has only a lowest severity, so higher ones cannot be removed. */
		if (t->how == TC_REMOVE)
			return wrong(t, item.text,
				     "cannot be removed: a filter has only a lowest severity; 'set' and -s set it, 'add' lowers it");
		if (t->how == TC_ADD && *p == '4')
			return wrong(t, item.text, NOTHING);
		if (both || tolower((unsigned char)*item.text) == 'h')
			hw = level(t->how, hw, (unsigned int)(*p - '0'));
		if (both || tolower((unsigned char)*item.text) == 's')
			sw = level(t->how, sw, (unsigned int)(*p - '0'));
	} while (*s);
	return devtrace_filter_severity(t->f, hw, sw) == 0;
}

static bool origin_term(struct tc_terms *t, const char *s, bool fresh)
{
	uint32_t origins = fresh && t->how == TC_SET ? 0 : t->f->origins;
	const char *all = s;
	struct tc_item item;

	do {
		uint32_t bit;

		if (!next_item(t, &s, &item))
			return false;
		bit = !strcasecmp(item.text, "kernel") ? DEVTRACE_ORIGIN_KERNEL :
		      !strcasecmp(item.text, "user") ? DEVTRACE_ORIGIN_USER : 0;
		if (!bit || item.sign || item.quoted)
			return wrong(t, item.text, "is not an origin; write kernel or user");
		origins = t->how == TC_REMOVE ? origins & ~bit : origins | bit;
	} while (*s);
	if (devtrace_filter_origins(t->f, origins))
		return wrong(t, all, "cannot be removed: without any origin no event would pass");
	return true;
}

static const char *const keys[] = {
	"type", "object", "signal", "severity", "code", "process", "origin", "cpu",
};

/* Return the index of the term's key in @keys. "major" is an older word for "code". */
static size_t key_of(const char *term, size_t n)
{
	size_t i;

	if (n == 5 && !strncasecmp(term, "major", n))
		return 4;
	for (i = 0; i < NR(keys); i++)
		if (strlen(keys[i]) == n && !strncasecmp(term, keys[i], n))
			break;
	return i;
}

bool tc_is_term(const char *word)
{
	size_t n = strcspn(word, "=");

	if (!strcmp(word, "all") || !strcmp(word, "none"))
		return true;
	return word[n] && key_of(word, n) < NR(keys);
}

bool tc_term(struct tc_terms *t, const char *term)
{
	size_t i, n = strcspn(term, "=");
	const char *s = term + n + 1;
	bool fresh;

	if (!strcmp(term, "all") || !strcmp(term, "none")) {
		if (t->how != TC_SET)
			return wrong(t, term, "is for 'set' and 'load'");
		if (*term == 'a')
			devtrace_filter_all(t->f);
		else
			devtrace_filter_none(t->f);
		return true;
	}
	i = key_of(term, n);
	if (i == NR(keys) || !term[n]) {
		snprintf(t->error, sizeof(t->error), "unknown term '%.60s'; terms are type= object= signal= severity= code= process= origin= cpu= all none",
			 term);
		return false;
	}
	if (!*s)
		return wrong(t, term, "has no value after the =");
	fresh = !(t->seen & 1u << i);
	t->seen |= 1u << i;
	switch (i) {
	case 0:
		return set_term(t, DEVTRACE_FA_TYPES, s, fresh);
	case 1:
		return set_term(t, DEVTRACE_FA_OBJECTS, s, fresh);
	case 2:
		return set_term(t, DEVTRACE_FA_SIGNALS, s, fresh);
	case 3:
		return severity_term(t, s, fresh);
	case 4:
		return code_term(t, s, fresh);
	case 5:
		return process_term(t, s, fresh);
	case 7:
		return set_term(t, DEVTRACE_FA_CPUS, s, fresh);
	default:
		return origin_term(t, s, fresh);
	}
}
