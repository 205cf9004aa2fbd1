// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_rings.c - each check of a ring in a region, with the damage that it detects
 *
 * A ring is written word by word: a chunk, which is also a block, has four records of 1 KiB.
 * Then one word is changed to a value that the module does not write.
 */
#include "kselftest_harness.h"
#include "persist_image.h"
#include "check.h"

void ring_port_step(void)
{
}

#define SIZE	(1024 * 1024U)
#define UNITS	128U
#define TS	1000
#define TYPE	100

static u8 *ring;
static u64 *data, *anchors;
static struct persist_sum *sums;
static u32 mask, chunks;

/* Write a record of @units, which may be invalid. */
static void put(u64 pos, u8 type, u64 ts, u32 units)
{
	struct ring_record *rec = (void *)&data[pos & mask];

	rec->word = (u64)type << RING_TYPE_SHIFT | ts;
	rec->who = 0;
	rec->len = units * RING_UNIT - RING_HEADER;
}

static void anchor(u64 pos, u64 idx)
{
	const u32 blocks = chunks < RING_BLOCKS_MAX ? chunks : RING_BLOCKS_MAX;

	anchors[(u32)(pos & mask) / ((mask + 1) / blocks)] = ring_word(pos, idx);
}

static void commit(u64 pos, u64 idx)
{
	*(u64 *)(ring + PERSIST_COMMIT_AT) = ring_word(pos, idx);
}

static void info(u32 copy, struct persist_info i)
{
	i.crc = PERSIST_CRC(&i);
	memcpy(ring + PERSIST_INFO_AT + copy * sizeof(i), &i, sizeof(i));
}

/* The checksum entry of the records from @pos to @to_pos, the last with time @ts. */
static struct persist_sum sum_of(u64 pos, u64 idx, u64 to_pos, u64 to_idx, u64 ts)
{
	struct persist_sum s = {
		.pos = pos, .idx = idx, .to_pos = to_pos, .to_idx = to_idx, .ts = ts,
		.sum = PERSIST_SUM_FIRST,
	};
	const struct ring_record *rec;

	for (; pos < to_pos; pos += ring_record_units(rec)) {
		rec = (const void *)&data[pos & mask];
		if (rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD)
			continue;
		s.sum = persist_sum_add(s.sum, rec, (size_t)ring_record_units(rec) * RING_UNIT);
	}
	s.crc = PERSIST_CRC(&s);
	return s;
}

static struct persist_sum *sum_at(u64 pos, u32 copy)
{
	return &sums[2 * (pos / PERSIST_CHUNK & (chunks - 1)) + copy];
}

static void store_sum(struct persist_sum s, u32 copy)
{
	s.crc = PERSIST_CRC(&s);
	*sum_at(s.pos, copy) = s;
}

/* The following calls use this ring. */
static void use_ring(u32 n)
{
	ring = image + head.rings + n * head.stride;
	data = (void *)(ring + persist_data_at(head.ring_bytes));
	anchors = (void *)(ring + PERSIST_ANCHORS_AT);
	sums = (void *)(ring + PERSIST_SUMS_AT);
	mask = head.ring_bytes / RING_UNIT - 1;
	chunks = persist_chunks(head.ring_bytes);
}

static void use_image(u64 size, u32 rings)
{
	u32 n;

	image_begin(size, rings);
	for (n = rings; n--; ) {
		use_ring(n);
		info(0, (struct persist_info){ .nr = 1, .cpu = n });
	}
}

/* Write @n records from @pos on, the first @summed with checksums, their times from TS on. */
static void write_from(u64 pos, u64 idx, u32 n, u32 summed)
{
	const u32 blocks = chunks < RING_BLOCKS_MAX ? chunks : RING_BLOCKS_MAX;
	const u32 block = (mask + 1) / blocks;
	u32 i, k;

	for (i = 0; i < n; i++) {
		const u64 at = pos + i * UNITS;

		put(at, TYPE, TS + i, UNITS);
		if (at % block == 0)
			anchor(at, idx + i);
	}
	for (i = 0; i < summed; i += k) {
		k = summed - i < 4 ? summed - i : 4;
		store_sum(sum_of(pos + i * UNITS, idx + i, pos + (i + k) * UNITS, idx + i + k,
				 TS + i + k - 1), 0);
	}
	commit(pos + n * UNITS, idx + n);
}

static void write_ring(u32 n, u32 summed)
{
	use_image(SIZE, 2);
	write_from(0, 0, n, summed);
}

/* The expected text for events @from to @to of the ring. */
static const char *ev(u32 from, u32 to)
{
	return events_of(0, TS + from, TS + to);
}

/* A case: events, losses between them, events; and whether the end is known. */
#define EXPECT_RING(known, format, ...) do {				\
	char want_[16384];						\
									\
	snprintf(want_, sizeof(want_), format, __VA_ARGS__);		\
	EXPECT_STREQ(want_, image_says());				\
	EXPECT_EQ(said_events, account.given);				\
	EXPECT_EQ(!(known), account.open_ends);				\
} while (0)

TEST(a_whole_ring)
{
	/* Without checksums, with them, with some; and with one for a part of a chunk. */
	write_ring(12, 0);
	EXPECT_RING(true, "%s", ev(0, 12));
	EXPECT_EQ(12, account.unchecked);
	write_ring(12, 12);
	EXPECT_RING(true, "%s", ev(0, 12));
	EXPECT_EQ(0, account.unchecked);
	write_ring(12, 8);
	EXPECT_RING(true, "%s", ev(0, 12));
	EXPECT_EQ(4, account.unchecked);
	write_ring(7, 6);
	EXPECT_RING(true, "%s", ev(0, 7));
	EXPECT_EQ(1, account.unchecked);
	/* The order of positions differs from that of chunks and anchors. */
	use_image(SIZE, 2);
	write_from(3 * (mask + 1) - 2 * PERSIST_CHUNK, 0, 16, 16);
	EXPECT_RING(true, "%s", ev(0, 16));
	use_image(SIZE, 2);
	write_from(3 * (mask + 1) - 2 * PERSIST_CHUNK, 0, 16, 4);
	EXPECT_RING(true, "%s", ev(0, 16));
	EXPECT_EQ(12, account.unchecked);
	/* The low half of a position wraps, and no checksum tells the high half. */
	use_image(SIZE, 2);
	write_from((1ULL << 32) - PERSIST_CHUNK, 0, 8, 0);
	EXPECT_RING(true, "%s", ev(0, 8));
	/* The high half of an index follows from the last clear. */
	use_image(SIZE, 2);
	write_from(0, 5ULL << 32, 8, 0);
	info(0, (struct persist_info){ .nr = 1, .cleared = 5ULL << 32 });
	EXPECT_RING(true, "%s", ev(0, 8));
	/* Blocks of more than one chunk, one of them damaged. */
	use_image(8 * SIZE, 1);
	ASSERT_LT(RING_BLOCKS_MAX, chunks);
	write_from(0, 0, 64, 0);
	put(17 * UNITS, DEVTRACE_T_INFO, TS + 17, UNITS);
	EXPECT_RING(true, "%s lost(0:7,16,1015-1032) %s", ev(0, 16), ev(32, 64));
}

/* Records behind the newest checksum that do not lead to the next place. */
TEST(a_stretch_that_leads_elsewhere)
{
	u32 i;

	/* A record of an invalid type has no length. */
	write_ring(8, 4);
	put(6 * UNITS, DEVTRACE_T_INFO, TS + 6, UNITS);
	EXPECT_RING(false, "%s", ev(0, 4));
	/* The last record ends behind the place. */
	write_ring(8, 4);
	commit(8 * UNITS - 1, 8);
	EXPECT_RING(false, "%s", ev(0, 4));
	/* One record fewer, or more, than counted. */
	for (i = 7; i <= 9; i += 2) {
		write_ring(8, 4);
		commit(8 * UNITS, i);
		EXPECT_RING(false, "%s", ev(0, 4));
	}
	/* A record of the previous lap in between. */
	write_ring(12, 4);
	put(6 * UNITS, TYPE, TS - 100, UNITS);
	EXPECT_RING(true, "%s lost(0:7,4,1003-1008) %s", ev(0, 4), ev(8, 12));
	/* All are of the previous lap: older than the checksum. */
	write_ring(8, 4);
	for (i = 4; i < 8; i++)
		put(i * UNITS, TYPE, TS - 100 + i, UNITS);
	EXPECT_RING(false, "%s", ev(0, 4));
	/* Two stretches with contradictory times: it is unknown which is old. */
	write_ring(16, 0);
	for (i = 4; i < 8; i++)
		put(i * UNITS, TYPE, 2 * TS + i, UNITS);
	EXPECT_RING(true, "%s lost(0:7,8,1003-1012) %s", ev(0, 4), ev(12, 16));
	/* Records with a checksum are rendered all the same. */
	write_ring(8, 4);
	store_sum(sum_of(0, 0, 4 * UNITS, 4, TS - 500), 0);
	for (i = 4; i < 8; i++)
		put(i * UNITS, TYPE, TS - 100 + i, UNITS);
	EXPECT_RING(true, "%s 0:904 0:905 0:906 0:907", ev(0, 4));
}

/* With equal times, the order does not show that a stretch is longer than a lap. */
TEST(a_stretch_of_more_than_a_lap)
{
	u32 i, lap;

	use_image(SIZE, 2);
	lap = (mask + 1) / UNITS;
	for (i = 0; i < lap; i++)
		put(i * UNITS, TYPE, TS, UNITS);
	store_sum(sum_of(0, 0, 4 * UNITS, 4, TS), 0);
	commit((lap + 5) * UNITS, lap + 5);
	EXPECT_RING(false, "%s", "0:1000 0:1000 0:1000 0:1000");
	/* Exactly a lap; the overwritten events are gone. */
	commit((lap + 4) * UNITS, lap + 4);
	image_says();
	EXPECT_EQ(0, account.open_ends);
	EXPECT_EQ(lap, account.given);
	EXPECT_EQ(4, account.lost);
	/* With wrapped positions it must end too. */
	use_image(SIZE, 2);
	for (i = 0; i < lap; i++)
		put(i * UNITS, TYPE, TS, UNITS);
	put(-8ULL, TYPE, TS, 8);
	store_sum((struct persist_sum){ .pos = -512ULL, .to_pos = -8ULL, .to_idx = 4 }, 0);
	commit(-4ULL, 5);
	EXPECT_RING(false, "%s", "lost(0:0,4,0-0)");
}

/* crc 0 means the checksum was being written; any other wrong crc covered records. */
TEST(a_stretch_whose_sum_is_damaged)
{
	u32 copy;

	for (copy = 0; copy < 2; copy++) {
		write_ring(8, 4);
		sum_at(4 * UNITS, copy)->crc = 1;
		EXPECT_RING(false, "%s", ev(0, 4));
		sum_at(4 * UNITS, copy)->crc = 0;
		sum_at(4 * UNITS, copy)->to_idx = 6;
		EXPECT_RING(true, "%s", ev(0, 8));
		/* The first and the last chunk of a stretch, and the chunk after it. */
		write_ring(12, 4);
		anchors[2] = 0;
		sum_at(4 * UNITS, copy)->crc = 1;
		EXPECT_RING(false, "%s", ev(0, 4));
		sum_at(4 * UNITS, copy)->crc = 0;
		EXPECT_RING(true, "%s", ev(0, 12));
		sum_at(8 * UNITS, copy)->crc = 1;
		EXPECT_RING(false, "%s", ev(0, 4));
		anchor(8 * UNITS, 8);
		EXPECT_RING(false, "%s", ev(0, 8));
	}
}

/* Checksum entries with a right crc but impossible contents, or without records. */
TEST(a_sum_that_makes_no_sense)
{
	const u64 at = 5 * PERSIST_CHUNK;
	u32 copy;

	for (copy = 0; copy < 2; copy++) {
		write_ring(8, 8);
		/* Empty; backwards in position, or in number; longer than the ring. */
		store_sum(sum_of(at, 40, at, 40, TS), copy);
		EXPECT_RING(true, "%s", ev(0, 8));
		store_sum(sum_of(at, 40, at - 4, 44, TS), copy);
		EXPECT_RING(true, "%s", ev(0, 8));
		store_sum((struct persist_sum){ .pos = at, .idx = 24, .to_pos = at + 512,
			  .to_idx = 20 }, copy);
		EXPECT_RING(true, "%s", ev(0, 8));
		store_sum((struct persist_sum){ .pos = at, .idx = 24, .to_pos = at + mask + 2,
			  .to_idx = 40 }, copy);
		EXPECT_RING(true, "%s", ev(0, 8));
		/* The entry of another chunk. */
		*sum_at(at, copy) = *sum_at(4 * UNITS, 0);
		memset(sum_at(4 * UNITS, 0), 0, sizeof(*sums));
		EXPECT_RING(true, "%s", ev(0, 8));
		EXPECT_EQ(4, account.unchecked);
	}
	/* Two that overlap in position, or in number: the first one counts. */
	write_ring(8, 8);
	store_sum(sum_of(0, 0, 5 * UNITS, 5, TS + 4), 0);
	store_sum(sum_of(4 * UNITS, 5, 8 * UNITS, 9, TS + 7), 0);
	commit(8 * UNITS, 9);
	EXPECT_RING(true, "%s lost(0:7,4,1004-0)", ev(0, 5));
	write_ring(8, 8);
	store_sum(sum_of(4 * UNITS, 3, 8 * UNITS, 7, TS + 7), 0);
	commit(8 * UNITS, 7);
	EXPECT_RING(true, "%s lost(0:7,3,1003-0)", ev(0, 4));
	/* One event more, or less, than there are records. */
	write_ring(8, 8);
	store_sum(sum_of(4 * UNITS, 4, 8 * UNITS, 9, TS + 7), 0);
	commit(8 * UNITS, 9);
	EXPECT_RING(true, "%s lost(0:7,5,1003-0)", ev(0, 4));
	/* The records do not match the checksum. */
	write_ring(12, 12);
	put(5 * UNITS, TYPE + 1, TS + 5, UNITS);
	EXPECT_RING(true, "%s lost(0:7,4,1003-1008) %s", ev(0, 4), ev(8, 12));
	/* The newest: their number is known. */
	write_ring(8, 8);
	put(5 * UNITS, TYPE + 1, TS + 5, UNITS);
	EXPECT_RING(true, "%s lost(0:7,4,1003-0)", ev(0, 4));
	/* An invalid record with a right checksum. */
	write_ring(12, 8);
	put(5 * UNITS, DEVTRACE_T_INFO, TS + 5, UNITS);
	store_sum(sum_of(4 * UNITS, 4, 8 * UNITS, 8, TS + 7), 0);
	EXPECT_RING(true, "%s lost(0:7,4,1003-1008) %s", ev(0, 4), ev(8, 12));
}

/* Each chunk has two checksums: the later intact one counts. */
TEST(two_sums)
{
	u32 newer;

	for (newer = 0; newer < 2; newer++) {
		write_ring(12, 12);
		store_sum(sum_of(4 * UNITS, 4, 6 * UNITS, 6, TS + 5), !newer);
		store_sum(sum_of(4 * UNITS, 4, 8 * UNITS, 8, TS + 7), newer);
		EXPECT_RING(true, "%s", ev(0, 12));
		/* A damaged one only shows that it existed. */
		sum_at(4 * UNITS, newer)->idx ^= 1;
		EXPECT_RING(true, "%s lost(0:7,2,1005-1008) %s", ev(0, 6), ev(8, 12));
		/* Both cover the same records; one is damaged. */
		store_sum(sum_of(4 * UNITS, 4, 8 * UNITS, 8, TS + 7), 0);
		store_sum(sum_of(4 * UNITS, 4, 8 * UNITS, 8, TS + 7), 1);
		sum_at(4 * UNITS, newer)->sum ^= 1;
		EXPECT_RING(true, "%s", ev(0, 12));
	}
	/* To the same place, but from an invalid position. */
	write_ring(8, 8);
	store_sum(sum_of(4 * UNITS, 4, 8 * UNITS, 8, TS + 7), 1);
	store_sum((struct persist_sum){ .pos = 4 * UNITS + 1, .idx = 9, .to_pos = 8 * UNITS,
		  .to_idx = 8, .ts = TS + 7 }, 0);
	EXPECT_RING(true, "%s", ev(0, 8));
	/* Both are damaged. */
	write_ring(8, 8);
	sum_at(4 * UNITS, 0)->idx ^= 1;
	sum_at(4 * UNITS, 1)->crc = 1;
	EXPECT_RING(false, "%s", ev(0, 4));
}

/* Overwritten events are not rendered, even if parts of them are left. */
TEST(overwritten)
{
	struct persist_sum old;
	u32 i, lap;

	/* A checksum of the previous lap with its records; those of the newest lap are damaged. */
	use_image(SIZE, 2);
	lap = (mask + 1) / UNITS;
	write_from(0, 0, lap + 8, lap);
	for (i = 0; i < 4; i++)
		put(i * UNITS, TYPE, TS + i, UNITS);
	old = sum_of(0, 0, 4 * UNITS, 4, TS + 3);
	store_sum(old, 0);
	store_sum(sum_of((lap + 4) * UNITS, lap + 4, (lap + 8) * UNITS, lap + 8, TS + lap + 7), 0);
	put(6 * UNITS, TYPE, TS, UNITS);
	EXPECT_RING(true, "lost(0:0,8,0-1008) %s lost(0:7,8,1255-0)", ev(8, lap));
	/* A copy of a record elsewhere: with equal times it leads to the same place. */
	use_image(SIZE, 2);
	for (i = 0; i < lap; i++)
		put(i * UNITS, TYPE, TS, UNITS);
	for (i = 0; i < lap; i += 4)
		store_sum(sum_of(i * UNITS, i, (i + 4) * UNITS, i + 4, TS), 0);
	commit((lap + 1) * UNITS, lap + 1);
	image_says();
	EXPECT_EQ(0, account.open_ends);
	EXPECT_EQ(lap + 1 - 4, account.given);
	EXPECT_EQ(4, account.lost);
}

/* Commit or an anchor is damaged: they have no checksum. */
TEST(a_place_that_makes_no_sense)
{
	u32 i, lap;

	/* The writer goes back in position, in number, or in both. */
	for (i = 1; i < 4; i++) {
		write_ring(8, 8);
		commit(i & 1 ? 2 * UNITS : 16 * UNITS, i & 2 ? 2 : 16);
		EXPECT_RING(false, "%s", ev(0, 8));
	}
	/* It cannot advance with fewer events either: later places do not begin there. */
	write_ring(16, 4);
	commit(9 * UNITS, 2);
	EXPECT_RING(false, "%s", ev(0, 12));
	/* An anchor in the place of another block. */
	write_ring(16, 4);
	anchors[3] = ring_word(5 * UNITS + 1, 6);
	EXPECT_RING(true, "%s", ev(0, 16));
	/* Not behind the newest checksum, by position or by number. */
	write_ring(12, 8);
	anchors[0] = ring_word(0, 20);
	EXPECT_RING(true, "%s", ev(0, 12));
	write_ring(16, 4);
	anchors[2] = ring_word(8 * UNITS, 2);
	EXPECT_RING(true, "%s", ev(0, 16));
	/* At the place in commit, which was not written back later. */
	write_ring(12, 4);
	commit(8 * UNITS, 8);
	anchor(8 * UNITS, 7);
	anchor(12 * UNITS, 12);
	EXPECT_RING(false, "%s", ev(0, 12));
	/* Behind commit, without a checksum. */
	write_ring(16, 0);
	commit(8 * UNITS, 8);
	EXPECT_RING(true, "%s", ev(0, 8));
	/* From the previous lap; the stretch that overwrote it is damaged. */
	use_image(SIZE, 2);
	lap = (mask + 1) / UNITS;
	for (i = 0; i < lap; i++)
		put(i * UNITS, TYPE, TS, UNITS);
	for (i = 0; i < lap; i += 4)
		anchor(i * UNITS, i);
	put((lap - 2) * UNITS, DEVTRACE_T_INFO, TS, UNITS);
	commit((lap + 2) * UNITS, lap + 2);
	image_says();
	EXPECT_EQ(1, account.open_ends);
	EXPECT_EQ(lap - 8, account.given);
	EXPECT_EQ(4, account.lost);
	/* Only padding between two places: the stretch has no time. */
	use_image(SIZE, 2);
	write_from((lap - 8) * UNITS, 0, 5, 0);
	data[(lap - 3) * UNITS] = 3 * UNITS;
	put(lap * UNITS, TYPE, TS + 5, UNITS);
	anchor((lap - 3) * UNITS, 5);
	anchor(lap * UNITS, 5);
	commit((lap + 1) * UNITS, 6);
	EXPECT_RING(true, "%s", ev(0, 6));
}

/* Whether the records lead to the writer's place. */
TEST(where_it_ends)
{
	write_ring(8, 8);
	commit(9 * UNITS, 8);
	EXPECT_RING(false, "%s", ev(0, 8));
	commit(8 * UNITS, 9);
	EXPECT_RING(false, "%s", ev(0, 8));
	/* With a checksum, but damaged records. */
	write_ring(4, 4);
	put(UNITS, TYPE + 1, TS, UNITS);
	EXPECT_RING(true, "%s", "lost(0:0,4,0-0)");
	commit(5 * UNITS, 4);
	EXPECT_RING(false, "%s", "lost(0:0,4,0-0)");
	/* Without a checksum. */
	write_ring(8, 0);
	anchor(8 * UNITS, 8);
	commit(8 * UNITS + 64, 8);
	EXPECT_RING(false, "%s", ev(0, 8));
	/* Never written, or cleared according to its description. */
	write_ring(0, 0);
	EXPECT_RING(true, "%s", "");
	commit(7 * UNITS, 0);
	EXPECT_RING(true, "%s", "");
	commit(0, 1);
	EXPECT_RING(false, "%s", "");
	commit(0, 0);
	ring[PERSIST_INFO_AT] ^= 2;
	EXPECT_RING(false, "%s", "");
}

/* A ring has two descriptions: the newer intact one counts. */
TEST(descriptions)
{
	u32 newer;

	for (newer = 0; newer < 2; newer++) {
		write_ring(8, 8);
		info(!newer, (struct persist_info){ .nr = 1, .cleared = 2 });
		info(newer, (struct persist_info){ .nr = 2, .cleared = 4, .cpu = 3 });
		EXPECT_RING(true, "%s", "3:1004 3:1005 3:1006 3:1007");
		ring[PERSIST_INFO_AT + newer * sizeof(struct persist_info) + 8] ^= 1;
		EXPECT_RING(true, "%s", ev(2, 8));
		/* This CPU does not exist. */
		info(newer, (struct persist_info){ .nr = 2, .cleared = 4, .cpu = head.nr_cpus });
		EXPECT_RING(true, "%s", ev(2, 8));
		/*
		 * Both damaged: the ring belongs to its place, and the number dropped is
		 * unknown.
		 */
		ring[PERSIST_INFO_AT + !newer * sizeof(struct persist_info) + 8] ^= 1;
		EXPECT_RING(false, "%s", ev(0, 8));
	}
	use_image(SIZE, 2);
	use_ring(1);
	write_from(0, 0, 1, 1);
	ring[PERSIST_INFO_AT] ^= 2;
	EXPECT_RING(false, "%s", "1:1000");
	/* More cleared than the writer had written: none of these is missing. */
	use_image(SIZE, 2);
	use_ring(0);
	info(0, (struct persist_info){ .nr = 1, .cleared = 4 });
	commit(2 * UNITS, 2);
	EXPECT_RING(false, "%s", "");
	/* Events of a damaged chunk are missing unless they were cleared. */
	write_ring(12, 12);
	info(0, (struct persist_info){ .nr = 1, .cleared = 6 });
	put(5 * UNITS, TYPE + 1, TS + 5, UNITS);
	EXPECT_RING(true, "lost(0:7,2,0-1008) %s", ev(8, 12));
	EXPECT_EQ(2, account.damaged);
	/*
	 * Dropped events have no place: they were lost between the last clear and the last
	 * event.
	 */
	write_ring(4, 4);
	info(0, (struct persist_info){ .nr = 1, .drops = { 9, 9, 1, 2, 3, 4 } });
	EXPECT_RING(true, "%s lost(0:2,1,0-1003) lost(0:3,2,0-1003) lost(0:4,3,0-1003) "
		    "lost(0:5,4,0-1003)", ev(0, 4));
}

/* Valid and invalid types, lengths and padding. */
TEST(records)
{
	u32 type, lap;

	for (type = 1; type < 256; type++) {
		write_ring(8, 4);
		put(5 * UNITS, type, TS + 5, UNITS);
		if (type == RING_TYPE_VOID)
			EXPECT_RING(true, "%s lost(0:5,1,1004-1005) %s", ev(0, 5), ev(6, 8));
		else if (devtrace_type_is_transport(type))
			EXPECT_RING(false, "%s", ev(0, 4));
		else
			/* Emitted texts and thread names are ordinary events. */
			EXPECT_EQ((image_says(), 8), account.given);
	}
	/* The longest payload, and a longer one. */
	write_ring(4, 4);
	put(4 * UNITS, TYPE, TS + 4, RING_UNITS_MAX);
	((struct ring_record *)&data[4 * UNITS])->len = RING_PAYLOAD_MAX;
	commit(4 * UNITS + RING_UNITS_MAX, 5);
	EXPECT_RING(true, "%s", ev(0, 5));
	((struct ring_record *)&data[4 * UNITS])->len = RING_PAYLOAD_MAX + 1;
	EXPECT_RING(false, "%s", ev(0, 4));
	/* Padding up to the end, shorter than the longest record. */
	lap = (mask + 1) / UNITS;
	use_image(SIZE, 2);
	write_from((lap - 4) * UNITS, 0, 2, 0);
	put(lap * UNITS, TYPE, TS + 2, UNITS);
	commit((lap + 1) * UNITS, 3);
	data[(lap - 2) * UNITS] = 2 * UNITS;
	EXPECT_RING(true, "%s", ev(0, 3));
	data[(lap - 2) * UNITS] = 2 * UNITS - 1;
	EXPECT_RING(false, "%s", "");
	data[(lap - 2) * UNITS] = 2 * UNITS | 1ULL << 40;
	EXPECT_RING(false, "%s", "");
	use_image(SIZE, 2);
	write_from((lap - 8) * UNITS, 0, 4, 0);
	anchors[63] = 0;
	put(lap * UNITS, TYPE, TS + 4, UNITS);
	commit((lap + 1) * UNITS, 5);
	data[(lap - 4) * UNITS] = 4 * UNITS;
	EXPECT_RING(false, "%s", "");
	/* A record that crosses the end. */
	use_image(SIZE, 2);
	write_from((lap - 4) * UNITS, 0, 4, 0);
	put((lap - 1) * UNITS, TYPE, TS + 3, UNITS + 1);
	put(lap * UNITS + 1, TYPE, TS + 4, UNITS);
	commit((lap + 1) * UNITS + 1, 5);
	EXPECT_RING(false, "%s", "");
	/* One unit is left, which is shorter than any record. */
	use_image(SIZE, 2);
	write_from((lap - 4) * UNITS, 0, 4, 0);
	put((lap - 1) * UNITS, TYPE, TS + 3, UNITS - 1);
	data[mask] = (u64)TYPE << RING_TYPE_SHIFT | (TS + 4);
	put(lap * UNITS, TYPE, TS + 5, UNITS);
	commit((lap + 1) * UNITS, 6);
	EXPECT_RING(false, "%s", "");
	data[mask] = 1;
	commit((lap + 1) * UNITS, 5);
	EXPECT_RING(true, "%s 0:1005", ev(0, 4));
}

TEST_HARNESS_MAIN
