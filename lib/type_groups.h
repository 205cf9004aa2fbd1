/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * type_groups.h - names for groups of event types
 *
 * Libraries and tools all use this table, so that a name means the same everywhere. A group
 * precedes the groups that it contains. Groups, names and presets of kernel profile events are
 * defined in kmod/profile/profile_types.h.
 */
#ifndef LIB_TYPE_GROUPS_H
#define LIB_TYPE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/devtrace.h>
#include "../kmod/profile/profile_types.h"

struct type_group {
	const char	*name, *upper;
	uint8_t		ranges[6];	/* pairs of first and last type, ended by 0, 0 */
};

static const struct type_group type_groups[] = {
	{ "sm", "SM", { 1, 9, 55, 57 } },
	{ "ao", "AO", { 10, 18, 45, 45, 81, 81 } },
	{ "eq", "EQ", { 19, 22, 46, 46 } },
	{ "mp", "MP", { 24, 25, 47, 47 } },
	{ "te", "TE", { 32, 37 } },
	{ "qf", "QF", { 23, 23, 26, 31, 38, 44 } },
	{ "sc", "SC", { 48, 53 } },
	{ "sem", "SEM", { 71, 74 } },
	{ "mtx", "MTX", { 75, 80 } },
	{ "user", "USER", { 100, 124, 192, 255 } },
	{ "user0", "USER0", { 100, 104 } },
	{ "user1", "USER1", { 105, 109 } },
	{ "user2", "USER2", { 110, 114 } },
	{ "user3", "USER3", { 115, 119 } },
	{ "user4", "USER4", { 120, 124 } },
	{ "exc", "EXC", { 125, 125 } },
	{ "text", "TEXT", { 126, 126 } },
	{ "log", "LOG", { 127, 127 } },
	{ "assert", "ASSERT", { 93, 93 } },
	{ "named", "NAMED", { 84, 84 } },
	{ "kernel", "KERNEL", { 128, 191 } },
	{ "faults", "FAULTS", { 191, 191 } },
};

#define TYPE_GROUPS	(sizeof(type_groups) / sizeof(type_groups[0]))

static inline bool type_group_has(const struct type_group *g, unsigned int type)
{
	size_t i;

	for (i = 0; i < sizeof(g->ranges) && g->ranges[i]; i += 2)
		if (type >= g->ranges[i] && type <= g->ranges[i + 1])
			return true;
	return false;
}

/* Kernel profile events in the order of their types, beginning with DEVTRACE_T_KERNEL. */
struct type_profile {
	const char	*name, *group;
};

static const struct type_profile type_profiles[] = {
#define PROFILE_TYPE(T, n, g, t, o, e) { #n, #g },
	PROFILE_TYPES
#undef PROFILE_TYPE
};

#define TYPE_PROFILES	(sizeof(type_profiles) / sizeof(type_profiles[0]))

/* Does a list of words, separated by blanks, contain this word? */
static inline bool type_in_list(const char *list, const char *word)
{
	size_t n, len = strlen(word);

	for (; *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, " ");
		if (n == len && !memcmp(list, word, n))
			return true;
	}
	return false;
}

/*
 * Return the set of kernel profile events with this name, in this group or in this preset: bit n
 * is type DEVTRACE_T_KERNEL + n.
 */
static inline uint64_t type_profile_set(const char *word)
{
	static const struct {
		const char *name, *list;
	} presets[] = {
#define PROFILE_PRESET(n, l) { #n, l },
		PROFILE_PRESETS
#undef PROFILE_PRESET
	};
	uint64_t set = 0;
	size_t i, k;

	for (i = 0; i < TYPE_PROFILES; i++) {
		const struct type_profile *p = &type_profiles[i];
		bool in = !strcmp(p->name, word) || !strcmp(p->group, word);

		for (k = 0; k < sizeof(presets) / sizeof(presets[0]); k++)
			in |= !strcmp(presets[k].name, word) &&
			      (type_in_list(presets[k].list, p->name) ||
			       type_in_list(presets[k].list, p->group));
		if (in)
			set |= (uint64_t)1 << i;
	}
	return set;
}

/* Return the n-th name, or NULL: first the groups of kernel profile events, then the events. */
static inline const char *type_profile_name(size_t n)
{
	size_t i, k;

	for (i = 0; i < TYPE_PROFILES; i++) {
		for (k = 0; k < i && strcmp(type_profiles[k].group, type_profiles[i].group); k++)
			;
		if (k == i && !n--)
			return type_profiles[i].group;
	}
	return n < TYPE_PROFILES ? type_profiles[n].name : NULL;
}

#endif
