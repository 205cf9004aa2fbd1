// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_checks.c - each check of a region, with the damage that it detects
 *
 * test_persist.c damages regions at random. Here one word at a time is wrong but its checksum is
 * right, as a faulty writer or a forger would leave it.
 */
#include "kselftest_harness.h"
#include "persist_image.h"
#include "sums.h"

void ring_port_step(void)
{
}

#define SIZE	(1024 * 1024U)

/* Make a region with headers, and with unused rings and pool. */
static void begin(void)
{
	u64 at[PERSIST_COPIES];
	u32 i;

	image_begin(SIZE, 2);
	persist_places(SIZE, at);
	for (i = 0; i < PERSIST_COPIES; i++)
		memcpy(image + at[i], &head, sizeof(head));
}

/* The reason for refusing a region with only this header. */
static const char *refusal(struct persist_header *h)
{
	struct persist_header found;
	unsigned int copies;

	begin();
	memset(image, 0, SIZE);
	h->crc = PERSIST_CRC(h);
	memcpy(image, h, sizeof(*h));
	return persist_find(image, SIZE, &found, &copies);
}

/* One offset or number of a header is different, with the right checksum. */
TEST(each_word_of_a_header)
{
	static const u32 by[] = { 1, 8, PERSIST_PAGE, 1U << 31 };
	struct persist_header h;
	u32 at, i;

	begin();
	h = head;
	ASSERT_EQ(NULL, refusal(&h));
	for (at = offsetof(struct persist_header, nr_cpus);
	     at < offsetof(struct persist_header, load); at += sizeof(u32)) {
		if (at == offsetof(struct persist_header, page))
			continue;
		for (i = 0; i < ARRAY_SIZE(by); i++) {
			h = head;
			*(u32 *)((u8 *)&h + at) ^= by[i];
			if (!refusal(&h)) {
				fprintf(stderr, "# word at %u, ^ %#x\n", at, by[i]);
				EXPECT_TRUE(false);
			}
		}
	}
}

/* Sizes that persist_lay_out() must refuse. */
TEST(a_layout_that_makes_no_sense)
{
	static const struct {
		u64	size;
		u32	nr_cpus, nr_rings, page;
		bool	fits;
	} c[] = {
		{ SIZE, 2, 2, PERSIST_PAGE, true },
		{ SIZE, 2, 2, PERSIST_PAGE_MAX, true },
		{ SIZE, 2, 2, 0, true },
		{ SIZE, 2, 0, PERSIST_PAGE, false },
		{ SIZE, 2, 3, PERSIST_PAGE, false },
		{ SIZE, 2, 2, PERSIST_PAGE / 2, false },
		{ SIZE, 2, 2, 2 * PERSIST_PAGE_MAX, false },
		{ SIZE, 2, 2, 3 * PERSIST_PAGE, false },
		{ SIZE, PERSIST_CPUS_MAX, 2, PERSIST_PAGE, true },
		{ SIZE, PERSIST_CPUS_MAX + 1, 2, PERSIST_PAGE, false },
		{ PERSIST_SIZE_MAX, 2000, PERSIST_RINGS_MAX, PERSIST_PAGE, true },
		{ PERSIST_SIZE_MAX, 2000, PERSIST_RINGS_MAX + 1, PERSIST_PAGE, false },
		{ (u64)PERSIST_SIZE_MAX + PERSIST_PAGE, 2, 2, PERSIST_PAGE, false },
		{ PERSIST_PAGE, 1, 1, PERSIST_PAGE, false },
		/* 40 pages of tables and headers leave no room for a ring of 16 KiB. */
		{ 48 * PERSIST_PAGE, 1, 1, PERSIST_PAGE, false },
		{ SIZE, 64, 64, PERSIST_PAGE, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c); i++) {
		struct persist_header h = {
			.size = c[i].size, .nr_cpus = c[i].nr_cpus,
			.nr_rings = c[i].nr_rings, .page = c[i].page,
		};

		if (persist_lay_out(&h) != c[i].fits) {
			fprintf(stderr, "# case %u\n", i);
			EXPECT_TRUE(false);
		}
		if (!c[i].fits)
			continue;
		EXPECT_EQ(!!c[i].page, h.nr_blocks || c[i].page == PERSIST_PAGE_MAX);
		EXPECT_LE(h.rings + h.nr_rings * h.stride, h.size - PERSIST_PAGE);
		EXPECT_LE(h.lane_pages + (u64)h.nr_lanes * PERSIST_LANE_PAGES * PERSIST_PAGE,
			  h.size - PERSIST_PAGE);
	}
}

/* A program can write a page of a region with any contents. */
TEST(a_forged_header)
{
	u64 at[PERSIST_COPIES], page;
	struct persist_header h;
	unsigned int copies;
	const char *why;
	u32 i;

	begin();
	persist_places(SIZE, at);
	for (page = 0; page < SIZE; page += PERSIST_PAGE) {
		const bool place = page == at[0] || page == at[1] || page == at[2];

		memset(image, 0, SIZE);
		memcpy(image + page, &head, sizeof(head));
		why = persist_find(image, SIZE, &h, &copies);
		if (place) {
			EXPECT_EQ(NULL, why);
			EXPECT_EQ(1, copies);
		} else {
			ASSERT_NE(NULL, why);
			EXPECT_NE(NULL, strstr(why, "no valid header"));
			EXPECT_EQ(0, copies);
		}
	}
	/* If all three are damaged, a header elsewhere does not count. */
	begin();
	memcpy(image + head.lane_pages, &head, sizeof(head));
	for (i = 0; i < PERSIST_COPIES; i++)
		image[at[i] + offsetof(struct persist_header, load)] ^= 1;
	why = persist_find(image, SIZE, &h, &copies);
	ASSERT_NE(NULL, why);
	EXPECT_NE(NULL, strstr(why, "damaged"));
	/* The third header is intact. */
	image[at[2] + offsetof(struct persist_header, load)] ^= 1;
	EXPECT_EQ(NULL, persist_find(image, SIZE, &h, &copies));
	EXPECT_EQ(1, copies);
}

/* The places of the headers may be outside the memory. */
TEST(a_region_of_one_page)
{
	u8 *page = calloc(1, PERSIST_PAGE);
	struct persist_header h;
	unsigned int copies;

	EXPECT_NE(NULL, persist_find(page, PERSIST_PAGE, &h, &copies));
	EXPECT_EQ(0, copies);
	free(page);
}

/* If two headers differ, as after a reset between the two writes, the first one counts. */
TEST(two_headers)
{
	u64 at[PERSIST_COPIES];
	struct persist_header h;
	unsigned int copies;

	begin();
	persist_places(SIZE, at);
	head.load++;
	head.crc = PERSIST_CRC(&head);
	memcpy(image + at[1], &head, sizeof(head));
	memcpy(image + at[2], &head, sizeof(head));
	EXPECT_EQ(NULL, persist_find(image, SIZE, &h, &copies));
	EXPECT_EQ(PERSIST_COPIES, copies);
	EXPECT_EQ(0, h.load);
}

static void store_cause(enum persist_why why, u64 ts, const char *text)
{
	struct persist_cause c = { .why = why, .ts = ts };

	memcpy(c.text, text, strnlen(text, sizeof(c.text)));
	c.crc = PERSIST_CRC(&c);
	memcpy(image + PERSIST_CAUSES_AT + (why - 1) * sizeof(c), &c, sizeof(c));
}

static void store_clock(u64 ts)
{
	struct persist_clock c = { .ts = ts };

	c.crc = PERSIST_CRC(&c);
	memcpy(image + PERSIST_CLOCKS_AT + (PERSIST_CLOCKS - 1) * sizeof(c), &c, sizeof(c));
}

static const struct persist_cause *const cause = &account.cause;

#define NS	1000000000ULL

/* The last of several causes counts; an oops counts only if nothing followed. */
TEST(what_ended_it)
{
	begin();
	image_says();
	EXPECT_EQ(PERSIST_NO_NOTICE, cause->why);
	EXPECT_STREQ("watchdog or power: the machine went down without notice", cause->text);
	store_cause(PERSIST_OOPS, 5 * NS, "oops: 0002, sh[7]");
	store_clock(5 * NS + NS / 2);
	image_says();
	EXPECT_EQ(PERSIST_OOPS, cause->why);
	EXPECT_STREQ("oops: 0002, sh[7]", cause->text);
	/* The time of a cause may lack a clock. */
	store_clock(4 * NS);
	image_says();
	EXPECT_EQ(PERSIST_OOPS, cause->why);
	store_clock(17 * NS);
	image_says();
	EXPECT_EQ(PERSIST_NO_NOTICE, cause->why);
	EXPECT_EQ(0, strncmp(cause->text, "watchdog or power: ", 19));
	EXPECT_NE(NULL, strstr(cause->text, ", 12 s after an oops: 0002, sh[7]"));
	EXPECT_EQ(17 * NS, account.last);
	store_cause(PERSIST_UNLOADED, 18 * NS, "removed");
	image_says();
	EXPECT_EQ(PERSIST_UNLOADED, cause->why);
	store_cause(PERSIST_REBOOT, 18 * NS, "reboot");
	image_says();
	EXPECT_EQ(PERSIST_REBOOT, cause->why);
	/* Only an oops can be survived. */
	store_clock(40 * NS);
	image_says();
	EXPECT_EQ(PERSIST_REBOOT, cause->why);
	store_clock(17 * NS);
	store_cause(PERSIST_PANIC, 18 * NS, "panic");
	image_says();
	EXPECT_EQ(PERSIST_PANIC, cause->why);
	EXPECT_EQ(18 * NS, account.last);
	/* A damaged cause does not count, nor does one at another's place. */
	image[PERSIST_CAUSES_AT + (PERSIST_PANIC - 1) * sizeof(*cause) + 60] ^= 1;
	image_says();
	EXPECT_EQ(PERSIST_REBOOT, cause->why);
	memcpy(image + PERSIST_CAUSES_AT + (PERSIST_PANIC - 1) * sizeof(*cause), cause,
	       sizeof(*cause));
	store_cause(PERSIST_REBOOT, 19 * NS, "another");
	image_says();
	EXPECT_STREQ("another", cause->text);
}

/* A text without an end, with the right checksum. */
TEST(a_cause_without_end)
{
	char text[sizeof(((struct persist_cause *)NULL)->text) + 1];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	begin();
	store_cause(PERSIST_OOPS, 5 * NS, text);
	image_says();
	EXPECT_EQ(sizeof(cause->text) - 1, strnlen(cause->text, sizeof(cause->text)));
	/* After other words, only its beginning is printed. */
	store_clock(17 * NS);
	image_says();
	EXPECT_NE(NULL, strstr(cause->text, ", 12 s after an xxx"));
	EXPECT_EQ(100, strspn(strchr(cause->text, 'x'), "x"));
}

/* A record with an impossible size, as in damaged memory of a ring. */
TEST(a_sum_ends_at_a_record_that_makes_no_sense)
{
	static const u64 wrong[] = { 0, RING_UNITS_MAX + 1, ~0ULL >> 8 };
	const u64 type = (u64)DEVTRACE_T_USER << RING_TYPE_SHIFT;
	u64 two[2 * PERSIST_CHUNK] = { type | 5, 0, type | 6, 0 };
	struct persist_sum table[4] = { 0 };
	struct ring_place place = { 0 };
	struct sums s;
	u32 i;

	/* A loop without end fails the test. */
	alarm(20);
	/* Two records without payload, then padding with this size. */
	for (i = 0; i < 3; i++) {
		two[4] = wrong[i];
		sums_begin(&s, table, 2 * PERSIST_CHUNK - 1, place);
		sums_add(&s, two, 2 * PERSIST_CHUNK);
		EXPECT_EQ(2, s.place.idx);
		EXPECT_EQ(4, s.place.pos);
	}
}

TEST_HARNESS_MAIN
