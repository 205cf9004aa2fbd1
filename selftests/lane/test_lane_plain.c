// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_plain.c - kmod/lane/lane_plain.h compared with lane_next(), in user space
 *
 * A copy has random records: equal ones, a repeated pattern of two to ten records, or any records.
 * Some records have other forms or types that are not plain, and the copy may end within a record.
 * lane_plain_count() must count the plain records up to the first other record as lane_next() does:
 * their number, their types, the sum of their times and the place after them. The copy ends at the
 * end of its memory, so the address sanitizer detects a load after the copy. SEED repeats a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kselftest.h"
#include "lane_read.h"
#include "lane_plain.h"

#define COPIES		20000
#define PATTERN_MOST	10

static uint64_t seed;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* Only lane_read.c, which is not part of this program, loads memory that others change. */
u64 port_load(const void *p, size_t size, bool acquire)
{
	(void)p;
	(void)size;
	(void)acquire;
	abort();
}

u32 port_word(const void *p)
{
	return lane_copied_word(p);
}

void port_rmb(void)
{
}

/* The test has no record of a long form that lane_next() reaches before it stops. */
int lane_long(u32 word, const u8 *buf, u32 at, u32 left, struct lane_event *ev)
{
	(void)word;
	(void)buf;
	(void)at;
	(void)left;
	(void)ev;
	return -EPROTO;
}

static u8 limits[256];
static unsigned long stored[256], expected[256];
static unsigned long patterns, others, ends;

/* Return a random length and type of a record. @plain: with the short form and a wanted type. */
static u32 any_head(bool plain)
{
	u32 len = rnd() % 3 ? rnd() % 40 : rnd() % (DEVTRACE_LANE_SHORT + 1);
	u32 type = rnd() % 128;

	if (!plain && rnd() % 2)
		type += 128;
	else if (!plain)
		len = DEVTRACE_LANE_SHORT + 1 + rnd() % 8;
	return len | type << DEVTRACE_LANE_TYPE_SHIFT;
}

/* Fill the copy with records. Return the number of bytes. */
static u32 fill(u8 *buf, u32 room)
{
	u32 heads[PATTERN_MOST], nr = 1 + rnd() % PATTERN_MOST, at = 0, i, word;
	const bool any = rnd() % 4 == 0;

	for (i = 0; i < nr; i++)
		heads[i] = any_head(true);
	for (i = 0; at + sizeof(word) <= room; i++) {
		word = any ? any_head(true) : heads[i % nr];
		if (rnd() % 400 == 0)
			word = any_head(rnd() % 2);
		word |= rnd() << DEVTRACE_LANE_NS_SHIFT;
		memcpy(buf + at, &word, sizeof(word));
		at += lane_plain_size(word);
	}
	patterns += !any;
	return at < room ? at : room;
}

/* Count the records with lane_next() up to the first record that is not plain. */
static u32 count_by_next(const u8 *buf, u32 *at, u32 len, u64 *ns)
{
	struct lane_event ev;
	u32 next = *at, nr = 0;
	u64 time = 0;

	*ns = 0;
	while (len - next >= sizeof(u32) &&
	       (lane_copied_word(buf + next) & 0x7f) <= DEVTRACE_LANE_SHORT &&
	       lane_next(buf, &next, len, &time, &ev) > 0 && limits[ev.type]) {
		expected[ev.type]++;
		nr++;
		*at = next;
		*ns = time;
	}
	return nr;
}

static bool same_as_next(const u8 *buf, u32 len)
{
	struct lane_plain p = { .limits = limits, .stored = stored, .end = buf + len, .at = buf };
	u32 at = 0, nr;
	u64 ns;

	nr = count_by_next(buf, &at, len, &ns);
	others += at < len;
	ends += at == len;
	return lane_plain_count(&p) == nr && p.at == buf + at && p.ns == ns &&
	       !memcmp(stored, expected, sizeof(stored));
}

int main(void)
{
	const char *given = getenv("SEED");
	unsigned int i;
	bool same = true;

	ksft_print_header();
	ksft_set_plan(1);
	seed = given && *given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	ksft_print_msg("SEED=%llu\n", (unsigned long long)seed);
	seed |= 1;
	memset(limits, DEVTRACE_LANE_SHORT + 1, 128);
	for (i = 0; i < COPIES && same; i++) {
		const u32 room = 2 * (rnd() % 2033);
		u8 *buf = malloc(room + !room), *copy;
		u32 len = fill(buf, room);

		copy = malloc(len + !len);
		memcpy(copy, buf, len);
		same = same_as_next(copy, len);
		free(copy);
		free(buf);
	}
	ksft_print_msg("%u copies, %lu of patterns, %lu to their end, %lu to another record\n", i,
		       patterns, ends, others);
	same = same && patterns > COPIES / 4 && ends > COPIES / 20 && others > COPIES / 10;
	ksft_test_result(same, "plain_records_are_counted_as_they_are_parsed\n");
	if (ksft_get_fail_cnt())
		ksft_exit_fail();
	ksft_exit_pass();
}
