// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring.c - property tests of the ring, in one thread
 *
 * Interrupts, readers of incomplete states, and writers that overtake readers are simulated at
 * each step; see sim.h. A failure prints a seed: SEED=n test_ring repeats the run. With QUICK
 * there are half as many small rings; the few large ones stay.
 */
#include <stdlib.h>

#include "kselftest_harness.h"

#include "sim.h"
#include "steps.h"

#define ROUNDS	400
#define OPS	1500

const bool sim_weak;
unsigned int ring_port_alloc_fails;

void weak_begin(struct ring *r)
{
	(void)r;
}

void weak_end(void)
{
}

void weak_free(void)
{
}

void weak_drain(void)
{
}

void weak_reader(int reader)
{
	(void)reader;
}

FIXTURE(ring) { };

FIXTURE_SETUP(ring)
{
	sim_seed_from_env();
}

FIXTURE_TEARDOWN(ring)
{
}

TEST(sizes)
{
	unsigned long size;

	EXPECT_EQ(0, ring_size_round(0));
	EXPECT_EQ(0, ring_size_round(1023));
	EXPECT_EQ(1024, ring_size_round(1024));
	EXPECT_EQ(2048, ring_size_round(1025));
	EXPECT_EQ(1 << 20, ring_size_round((1 << 20) - 1));
	EXPECT_EQ(0x80000000UL, ring_size_round(0x7fffffff));
	EXPECT_EQ(0x80000000UL, ring_size_round(0x80000000ULL));
	EXPECT_EQ(0, ring_size_round(0x80000001ULL));
	EXPECT_EQ(0, ring_size_round(~0ULL));

	/* The largest payload gives the largest record, and four of them fit. */
	EXPECT_EQ(RING_UNITS_MAX, ring_units(RING_PAYLOAD_MAX));
	for (size = RING_SIZE_MIN; size <= 1 << 20; size *= 2) {
		struct ring r = { 0 };

		ASSERT_EQ(0, ring_init(&r, size, 0, 0));
		EXPECT_GE(size / 4 / RING_UNIT, ring_units(r.gate - 1));
		EXPECT_GE(RING_PAYLOAD_MAX + 1, r.gate);
		ring_free(&r);
		EXPECT_FALSE(ring_exists(&r));
	}
}

/* An event of two 32-bit integers, the reference for measurements. */
TEST(two_integers_take_24_bytes)
{
	EXPECT_EQ(24, ring_units(2 * (1 + 4)) * RING_UNIT);
}

TEST(no_memory)
{
	int n;

	for (n = 1; n <= 2; n++) {
		struct ring r = { 0 };
		struct ring_memory m;

		/* After a failed allocation nothing is left. */
		ring_port_alloc_fails = n;
		EXPECT_EQ(-ENOMEM, ring_memory_alloc(&m, 4096));
		EXPECT_EQ(NULL, m.data);
		EXPECT_EQ(NULL, m.anchors);

		ring_port_alloc_fails = n;
		EXPECT_EQ(-ENOMEM, ring_init(&r, 4096, 0, 0));
		EXPECT_EQ(0, ring_port_alloc_fails);
		EXPECT_FALSE(ring_exists(&r));
		EXPECT_EQ(0, r.gate);
		EXPECT_EQ(NULL, r.anchors);
		ring_free(&r);
	}
}

TEST_F(ring, small)
{
	const unsigned int rounds = getenv("QUICK") ? ROUNDS / 2 : ROUNDS;
	struct sim_config c;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		sim_random_config(&c, 16 << 10);
		sim_run(&c, OPS);
	}
	sim_print_totals();
	/* The simulated events did occur. */
	EXPECT_LT(1000000, sim_totals.events);
	EXPECT_LT(1000, sim_totals.drops);
	EXPECT_LT(10000, sim_totals.nested);
	EXPECT_LT(10000, sim_totals.lost);
	EXPECT_LT(10000, sim_totals.overtakes);
	EXPECT_LT(10000, sim_totals.finds);
}

/*
 * An interrupt at each possible point of a writer that passes the end of the ring or is near it,
 * while the index passes a quarter of its range.
 */
TEST_F(ring, interrupt_everywhere)
{
	/* A ring of one block and one of two: records before, events of the interrupt. */
	static const struct {
		unsigned long size;
		unsigned int first, last, burst;
	} cases[] = {
		{ 1024, 58, 67, 1 }, { 1024, 58, 67, 20 }, { 1024, 58, 67, 45 },
		{ 1024, 58, 67, 60 }, { 1024, 58, 67, 70 },
		{ 8192, 210, 257, 1 }, { 8192, 210, 257, 280 },
	};
	struct sim_config c = { .clock = 1, .len = 2 };
	unsigned int before, step, i, d, places = 0;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (before = cases[i].first; before <= cases[i].last; before++)
			for (d = 0; d <= cases[i].burst; d += 1 + cases[i].burst / 6) {
				c.size = cases[i].size;
				c.idx = (1U << 30) - before - before / 7 - d;
				c.pos = 0U - c.size / RING_UNIT;
				for (step = 1; sim_interrupt(&c, before, step, cases[i].burst);
				     step++)
					places++;
			}
	printf("# %u places\n", places);
	fflush(stdout);
	EXPECT_LT(5000U, places);
}

TEST_F(ring, large)
{
	struct sim_config c;
	unsigned int i;

	for (i = 0; i < 12; i++) {
		sim_random_config(&c, 1 << 20);
		c.size = 64 << 10 << sim_random(5);
		c.len = RING_PAYLOAD_MAX;
		sim_run(&c, 2 * OPS);
	}
	sim_print_totals();
	EXPECT_LT(20000, sim_totals.events);
}

/* Emit a record of @len bytes with any contents. */
static void emit_len(struct ring *r, unsigned int len, struct ring_place *head)
{
	const u32 units = ring_units(len), off = head->pos & r->mask;
	bool crossed = false;
	u64 now;

	sim_progress();
	ring_enter(r);
	sim_check(ring_reserve(r, len, 1, &now, &crossed));
	ring_leave(r);
	if (off + units > r->mask + 1)
		head->pos += r->mask + 1 - off;
	head->pos += units;
	head->idx++;
}

/* 80 GiB pass through a ring: its 32-bit positions wrap more than twice. */
TEST_F(ring, positions_wrap)
{
	const u32 start = (3U << 30) - 1000, start_idx = 0U - 1000;
	struct ring_place head, sleeper;
	struct ring r = { 0 };
	static u64 buf[1024];
	struct ring_view v;
	u64 lost;
	u32 n;

	ASSERT_EQ(0, ring_init(&r, 64 << 10, start, start_idx));
	head.pos = start & ~r.mask;
	head.idx = start_idx;
	sleeper = head;
	while (head.pos < (10ULL << 30)) {
		emit_len(&r, RING_PAYLOAD_MAX, &head);
		if (head.idx % 100000 && (head.pos & 0x3fffffff) > 1000)
			continue;
		ring_view(&r, &v);
		ASSERT_EQ(head.pos, v.head.pos);
		ASSERT_EQ(head.idx, v.head.idx);
		ASSERT_EQ(head.pos, v.commit.pos);
		ASSERT_GE(r.mask + 1, head.pos - v.tail.pos);
	}
	/* A reader that slept meanwhile knows how many it missed. */
	ring_view(&r, &v);
	lost = ring_fetch(&r, &sleeper, 1024, buf, &n);
	EXPECT_EQ(v.tail.idx - start_idx, lost);
	EXPECT_EQ(v.tail.pos, sleeper.pos);
	EXPECT_LT(0U, n);
	ring_oldest(&r, &sleeper, &lost);
	EXPECT_EQ(v.tail.idx - start_idx, lost);
	ring_free(&r);
}

/*
 * The index takes too long to wrap. Jumps of less than a quarter of its range, without writers,
 * are equivalent.
 */
TEST_F(ring, indices_wrap)
{
	struct ring_place head = { 0, 7 }, sleeper = head;
	struct ring r = { 0 };
	static u64 buf[1024];
	struct ring_view v;
	u64 lost;
	u32 i, n;
	int jump;

	ASSERT_EQ(0, ring_init(&r, 4096, head.pos, head.idx));
	for (jump = 0; jump < 40; jump++) {
		u64 word;

		for (i = 0; i < 300; i++) {
			emit_len(&r, sim_random(100), &head);
			ring_view(&r, &v);
			ASSERT_EQ(head.idx, v.head.idx);
			ASSERT_EQ(head.pos, v.head.pos);
		}
		head.idx += 800000000;
		word = ring_word(head.pos, head.idx);
		ring_store(&r.tail, word);
		ring_store(&r.commit, word);
		ring_store(&r.head, word);
		ring_view(&r, &v);
		ASSERT_EQ(head.idx, v.head.idx);
	}
	ASSERT_LT(7ULL << 32, head.idx);
	lost = ring_fetch(&r, &sleeper, 1024, buf, &n);
	EXPECT_EQ(head.idx - 7, lost);
	EXPECT_EQ(0U, n);
	ring_free(&r);
}

/* Check that the ring has the records @first to @last, which contain their index. */
static void check_records(struct ring *r, u64 first, u64 last)
{
	struct ring_place at;
	static u64 buf[1024];
	u32 n = 0, i = 0, nr;
	u64 lost;

	ring_oldest(r, &at, &lost);
	sim_check(at.idx == first);
	while (at.idx <= last) {
		const struct ring_record *rec = (void *)&buf[i];

		if (i == n) {
			sim_check(!ring_fetch(r, &at, 1024, buf, &n));
			sim_check(n);
			i = 0;
			continue;
		}
		if (rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD) {
			at.pos += (u32)rec->word;
			i += (u32)rec->word;
			continue;
		}
		/* Cut off: copy from here. */
		if (n - i < 2 || ring_record_units(rec) > n - i) {
			i = n;
			continue;
		}
		nr = at.idx;
		sim_check(!memcmp(rec->data, &nr, sizeof(nr)));
		at.pos += ring_record_units(rec);
		i += ring_record_units(rec);
		at.idx++;
	}
}

static void emit_index(struct ring *r, unsigned int len)
{
	bool crossed = false;
	struct ring_record *rec;
	u64 now, head;
	u32 nr;

	ring_enter(r);
	head = ring_load(&r->head);
	rec = ring_reserve(r, len, 1, &now, &crossed);
	sim_check(rec);
	nr = head >> 32;
	memcpy(rec->data, &nr, sizeof(nr));
	ring_leave(r);
}

/* The newest records that fit move to rings of all sizes, and the ring goes on. */
TEST_F(ring, other_memory)
{
	struct ring_place head = { 0, 5 }, at, was;
	unsigned long size = 4096;
	struct ring_memory m;
	struct ring r = { 0 };
	static u64 buf[1024];
	struct ring_view v;
	u64 gone, first;
	int i, k;

	ASSERT_EQ(0, ring_init(&r, size, 0xfffffff0, head.idx));
	for (k = 0; k < 300; k++) {
		for (i = sim_random(200); i; i--)
			emit_index(&r, 4 + sim_random(100));
		ring_view(&r, &v);
		first = v.tail.idx;
		was = v.tail;
		was.idx += sim_random(v.head.idx - v.tail.idx + 1);
		if (sim_random(8) == 0) {
			ring_clear(&r);
			first = v.head.idx;
		}
		size = 1024UL << sim_random(6);
		ASSERT_EQ(0, ring_memory_alloc(&m, size));
		all_of_resize(&r, size, &m);
		ring_memory_free(&m);

		was.pos = v.tail.pos;
		ASSERT_EQ(size / RING_UNIT - 1, r.mask);
		gone = all_of_place(&r, was.idx, &at, buf, 1024);
		ring_oldest(&r, &head, &gone);
		EXPECT_LE(first, head.idx);
		/* All of them if they fit: no more are lost than necessary. */
		if ((v.head.pos - v.tail.pos) * RING_UNIT <= size)
			EXPECT_EQ(first, head.idx);
		EXPECT_EQ(was.idx > head.idx ? was.idx : head.idx, at.idx);
		ring_view(&r, &v);
		check_records(&r, head.idx, v.head.idx - 1);
	}
	ring_free(&r);
}

/* While a ring is held nothing is committed, and readers know. */
TEST_F(ring, held_back)
{
	struct ring r = { 0 };
	struct ring_view v;

	ASSERT_EQ(0, ring_init(&r, 4096, 0, 0));
	ring_hold(&r);
	ring_view(&r, &v);
	EXPECT_TRUE(v.busy);
	emit_index(&r, 4);
	ring_hold(&r);
	emit_index(&r, 4);
	ring_view(&r, &v);
	EXPECT_EQ(2, v.head.idx);
	EXPECT_EQ(0, v.commit.idx);
	ring_let_go(&r);
	ring_view(&r, &v);
	EXPECT_EQ(0, v.commit.idx);
	ring_let_go(&r);
	ring_view(&r, &v);
	EXPECT_FALSE(v.busy);
	EXPECT_EQ(2, v.commit.idx);
	ring_free(&r);
}

/*
 * A writer is about to evict the unit of padding at the end of the ring, when an interrupt
 * evicts it first and writes there. The record's length must not be read behind the end of the
 * ring (checked by AddressSanitizer). ring_evict() is called as the writer would.
 */
TEST(evict_at_the_very_end)
{
	struct ring_place head = { 0 };
	struct ring r = { 0 };
	u64 tail;

	ASSERT_EQ(0, ring_init(&r, 1024, 0, 0));
	/* 63 records of two units, one unit left, padding; then from the begin. */
	while (head.pos < 124)
		emit_len(&r, 2, &head);
	emit_len(&r, 10, &head);
	ASSERT_EQ(127, head.pos);
	/* Evicts one unit, and two more in advance: the record before the padding. */
	while (head.pos < 128 + 122)
		emit_len(&r, 2, &head);
	emit_len(&r, 10, &head);
	tail = ring_load(&r.tail);
	ASSERT_EQ(127, (u32)tail);
	/* The bytes there now look like a record. */
	((u64 *)r.data)[127] = ~0ULL;
	ring_store(&r.tail, ring_word(128, (u32)(tail >> 32)));
	EXPECT_EQ(ring_load(&r.tail), ring_evict(&r, tail, 1));
	ring_free(&r);
}

/*
 * The same if the interrupt's payload there is zero, which looks like padding of length 0 that a
 * walk never passes; and if it looks like padding that leads far away.
 */
TEST(evict_where_zeros_stand_now)
{
	const u64 words[] = { 0, U32_MAX };
	struct ring_place head = { 0 };
	struct ring r = { 0 };
	unsigned int i;
	u64 tail;

	ASSERT_EQ(0, ring_init(&r, 1024, 0, 0));
	while (head.pos < 128 + 64)
		emit_len(&r, 2, &head);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		tail = ring_load(&r.tail);
		((u64 *)r.data)[tail & r.mask] = words[i];
		ring_store(&r.tail, tail + ring_word(2, 1));
		sim_progress();
		EXPECT_EQ(ring_load(&r.tail), ring_evict(&r, tail, 4));
	}
	ring_free(&r);
}

TEST_HARNESS_MAIN
