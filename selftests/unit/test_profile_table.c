// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_table.c - all copies of the table of kernel profile events agree
 *
 * kmod/profile/profile_types.h has the table, the UAPI header the numbers, tools/fmt/kernel.fmt
 * the format lines, and Documentation/profile.rst the list for users. Each is compared with the
 * table, line by line, in both directions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/devtrace.h>

#include "kselftest_harness.h"
#include "../../kmod/profile/profile_types.h"

#define FMT	TOP_DIR "/tools/fmt/kernel.fmt"
#define DOCUMENT TOP_DIR "/Documentation/profile.rst"

static const struct type {
	int	nr;
	const char *upper, *name, *group, *tracepoints, *object, *elements;
} types[] = {
#define PROFILE_TYPE(T, n, g, t, o, e) \
	{ DEVTRACE_T_##T, #T, #n, #g, t, #o, e },
	PROFILE_TYPES
#undef PROFILE_TYPE
};

#define NR	((int)(sizeof(types) / sizeof(types[0])))

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	const size_t room = 1 << 20;
	char *s = calloc(1, room);

	if (!f || !s || !fread(s, 1, room - 1, f)) {
		perror(path);
		exit(1);
	}
	fclose(f);
	return s;
}

static int count(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)); s++)
		n++;
	return n;
}

TEST(numbers_are_in_order)
{
	int i;

	for (i = 0; i < NR; i++)
		EXPECT_EQ(DEVTRACE_T_KERNEL + i, types[i].nr) {
			TH_LOG("%s", types[i].upper);
		}
	EXPECT_GE(DEVTRACE_T_ADDED, DEVTRACE_T_KERNEL + NR);
}

TEST(fmt_describes_each)
{
	char *fmt = read_file(FMT), line[512];
	int i;

	for (i = 0; i < NR; i++) {
		const struct type *t = &types[i];

		if (*t->elements)
			snprintf(line, sizeof(line), "\nrecord %d %s (%s)\n", t->nr, t->upper,
				 t->elements);
		else
			snprintf(line, sizeof(line), "\nrecord %d %s \"", t->nr, t->upper);
		EXPECT_NE(NULL, strstr(fmt, line)) {
			TH_LOG("%s lacks:%s", FMT, line);
		}
	}
	EXPECT_EQ(NR, count(fmt, "\nrecord "));
	free(fmt);
}

TEST(document_lists_each)
{
	char *doc = read_file(DOCUMENT), row[1024], object[32], elements[512], *p;
	int i;

	for (i = 0; i < NR; i++) {
		const struct type *t = &types[i];
		const char *tps = t->tracepoints;

		snprintf(object, sizeof(object), "%s", strcmp(t->object, "NONE") ? t->object : "-");
		for (p = object; *p; p++)
			if (*p >= 'A' && *p <= 'Z')
				*p += 'a' - 'A';
		if (*t->elements)
			snprintf(elements, sizeof(elements), "``%s``", t->elements);
		else
			strcpy(elements, "-");
		/* These differ between machines. */
		if (!strncmp(t->upper, "VECTOR", 6))
			tps = "see `Vectors`_";
		snprintf(row, sizeof(row),
			 "   * - %d\n     - ``%s``\n     - %s\n     - %s\n     - %s\n     - %s\n",
			 t->nr, t->name, t->group, tps, object, elements);
		EXPECT_NE(NULL, strstr(doc, row)) {
			TH_LOG("%s lacks:\n%s", DOCUMENT, row);
		}
	}
	/* one more for the head of the table */
	EXPECT_EQ(NR + 1, count(doc, "\n   * - "));
	free(doc);
}

TEST(document_has_the_objects)
{
	static const struct {
		int nr;
		const char *name;
	} objects[] = {
		{ DEVTRACE_OBJ_SYSCALL, "SYSCALL" }, { DEVTRACE_OBJ_COMPAT, "COMPAT" },
		{ DEVTRACE_OBJ_IRQ, "IRQ" }, { DEVTRACE_OBJ_VECTOR, "VECTOR" },
		{ DEVTRACE_OBJ_SOFTIRQ, "SOFTIRQ" },
	};
	char *doc = read_file(DOCUMENT), row[128];
	size_t i;

	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		snprintf(row, sizeof(row), "\n0x%04x   ``DEVTRACE_OBJ_%s``", objects[i].nr,
			 objects[i].name);
		EXPECT_NE(NULL, strstr(doc, row)) {
			TH_LOG("%s lacks:%s", DOCUMENT, row);
		}
	}
	free(doc);
}

TEST_HARNESS_MAIN
