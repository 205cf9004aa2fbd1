// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - find the numbers that a name stands for
 *
 * Format files contain names of types and codes. The kernel's dictionary contains names of types,
 * objects and signals, which programs announced. Both are read when the first name is looked up.
 * If several numbers have the same name, the name stands for all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include "common/near.h"
#include "fmtlang/fmt.h"
#include "tracectl.h"

struct entry {
	struct entry	*next;
	enum devtrace_filter_attr term;
	uint32_t	number;
	char		name[];
};

struct tc_names {
	struct entry	*entries;
};

static void add(struct tc_names *names, enum devtrace_filter_attr term, uint64_t number,
		const char *name)
{
	struct entry *e;

	if (number > (term == DEVTRACE_FA_MAJORS ? 0xffffff :
		      term == DEVTRACE_FA_CODES ? UINT32_MAX : 65535))
		return;
	e = tc_alloc(NULL, sizeof(*e) + strlen(name) + 1);
	e->term = term;
	e->number = (uint32_t)number;
	strcpy(e->name, name);
	e->next = names->entries;
	names->entries = e;
}

static void fmt_has(void *arg, const char *name, enum fmt_kind kind, uint32_t number)
{
	if (kind == FMT_RECORD)
		add(arg, DEVTRACE_FA_TYPES, number, name);
	else if (kind == FMT_MAJOR)
		add(arg, DEVTRACE_FA_MAJORS, number, name);
	else if (kind == FMT_CODE)
		add(arg, DEVTRACE_FA_CODES, number, name);
}

static int kernel_has(const struct devtrace_ctl_dict *d, void *arg)
{
	if (d->kind == DEVTRACE_T_OBJ)
		add(arg, DEVTRACE_FA_OBJECTS, d->key, d->name);
	else if (d->kind == DEVTRACE_T_SIG)
		add(arg, DEVTRACE_FA_SIGNALS, d->value, d->name);
	else if (d->kind == DEVTRACE_T_USR)
		add(arg, DEVTRACE_FA_TYPES, d->value, d->name);
	return 0;
}

/* Read all names. If the kernel cannot be reached, use those of the format files. */
static void learn(struct tc *tc)
{
	const char *env = getenv("DEVTRACE_FMT_PATH");
	struct fmt_set fmts;

	tc->names = tc_alloc(NULL, sizeof(*tc->names));
	memset(tc->names, 0, sizeof(*tc->names));
	fmt_set_init(&fmts, NULL, NULL);
	if (env)
		fmt_add_path(&fmts, env);
	fmt_add_default(&fmts);
	fmt_each_name(&fmts, fmt_has, tc->names);
	fmt_set_free(&fmts);
	if (!tc->ctl)
		tc->ctl = devtrace_ctl_open();
	if (tc->ctl)
		devtrace_ctl_dict(tc->ctl, kernel_has, tc->names);
}

bool tc_name(struct tc *tc, enum devtrace_filter_attr term, const char *name, size_t *nr,
	     uint32_t *numbers)
{
	const struct entry *e;
	size_t i;

	if (!tc->names)
		learn(tc);
	*nr = 0;
	for (e = tc->names->entries; e; e = e->next) {
		if (e->term != term || strcmp(e->name, name))
			continue;
		for (i = 0; i < *nr && numbers[i] != e->number; i++)
			;
		if (i == *nr && *nr < TC_NUMBERS)
			numbers[(*nr)++] = e->number;
	}
	return *nr;
}

const char *tc_type_name(struct tc *tc, unsigned int type)
{
	const struct entry *e;

	if (!tc->names)
		learn(tc);
	/*
	 * Names from programs were added last, so they are found before those of the format files.
	 */
	for (e = tc->names->entries; e; e = e->next)
		if (e->term == DEVTRACE_FA_TYPES && e->number == type)
			return e->name;
	return NULL;
}

bool tc_name_unknown(struct tc *tc, enum devtrace_filter_attr term, const char *name,
		     struct out *o)
{
	static const char *const what[] = {
		[DEVTRACE_FA_TYPES] = "type", [DEVTRACE_FA_OBJECTS] = "object",
		[DEVTRACE_FA_SIGNALS] = "signal", [DEVTRACE_FA_CODES] = "code",
	};
	const bool codes = term == DEVTRACE_FA_CODES;
	const struct entry *e;
	struct near near;

	near_init(&near, name);
	for (e = tc->names->entries; e; e = e->next)
		if (e->term == term || (codes && e->term == DEVTRACE_FA_MAJORS))
			near_try(&near, name, e->name);
	OUT_LIT(o, "no ");
	out_str(o, what[term]);
	out_char(o, ' ');
	out_safe(o, name, strlen(name));
	out_str(o, codes ? " in the format files" :
		term == DEVTRACE_FA_TYPES ? " in the format files or the dictionary" :
		" in the dictionary");
	near_put(o, &near);
	return *near.name;
}

void tc_names_free(struct tc_names *names)
{
	while (names && names->entries) {
		struct entry *e = names->entries;

		names->entries = e->next;
		free(e);
	}
	free(names);
}
