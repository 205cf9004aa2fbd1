// SPDX-License-Identifier: GPL-2.0-only
/* test_field.c - names of an event's elements as names of fields: none is there twice */
#include "kselftest_harness.h"
#include <string.h>
#include "tracelogger/field.h"

static struct field_names names;

static const char *next(const char *name, size_t max)
{
	static char out[FIELD_MAX + 1];

	field_next(&names, out, max, false, "", name, strlen(name));
	return out;
}

TEST(names_differ)
{
	field_begin(&names);
	EXPECT_STREQ("x", next("x", 32));
	EXPECT_STREQ("X__2", next("X", 32));
	EXPECT_STREQ("a_b", next("a.b", 32));
	EXPECT_STREQ("a_b__4", next("a-b", 32));
	EXPECT_STREQ("abc", next("abc", 4));
	EXPECT_STREQ("a__6", next("abcde", 4));
	field_begin(&names);
	EXPECT_STREQ("x", next("x", 32));
}

/* The name that an element would get may be that of an element before. */
TEST(names_with_numbers)
{
	field_begin(&names);
	EXPECT_STREQ("X__3", next("X__3", 32));
	EXPECT_STREQ("x", next("x", 32));
	EXPECT_STREQ("x__4", next("x", 32));
	EXPECT_STREQ("x__5", next("x", 32));
}

/* Names are compared up to a limit; from there on, all have their position. */
TEST(many_names)
{
	char name[16];
	unsigned int i;

	field_begin(&names);
	EXPECT_STREQ("x__131", next("x__131", 32));
	for (i = 2; i <= FIELD_NAMES; i++) {
		snprintf(name, sizeof(name), "e%u", i);
		EXPECT_STREQ(name, next(name, 32));
	}
	EXPECT_STREQ("x__129", next("x", 32));
	EXPECT_STREQ("x__130", next("x", 32));
	EXPECT_STREQ("x__132", next("x", 32));
}

TEST_HARNESS_MAIN
