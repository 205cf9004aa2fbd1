// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_move.c - a ring gets other memory while its writers go on
 *
 * At each step of the move in turn, writers come that interrupt it, as an NMI does: one
 * event, or many, once or twice. A larger ring then has every event that the ring had and
 * that came meanwhile, each once and in order; a smaller one has the newest of them, and its
 * indices tell how many are gone. Nothing here is random.
 */
#include <stdlib.h>

#include "kselftest_harness.h"

#include "ring_memory.h"
#include "ring_read.h"
#include "ring_resize.h"

unsigned int ring_port_alloc_fails;

static struct ring *interrupted;
static unsigned long steps, first_at, second_at;
static unsigned int burst;
static u64 now_ns = 1;
static u32 emitted;

/* Each event has its number inside. */
static void emit(struct ring *r, unsigned int len)
{
	struct ring_record *rec;
	bool crossed = false;
	u64 now;

	ring_enter(r);
	rec = ring_reserve(r, len, 1, &now, &crossed);
	if (!rec)
		abort();
	memcpy(rec->data, &emitted, sizeof(emitted));
	emitted++;
	ring_leave(r);
}

void ring_port_step(void)
{
	struct ring *r = interrupted;
	unsigned int i;

	if (!r || (++steps != first_at && steps != second_at))
		return;
	interrupted = NULL;
	for (i = 0; i < burst; i++)
		emit(r, 4 + i % 40);
	interrupted = r;
}

u64 ring_port_clock(void)
{
	return now_ns++;
}

void ring_port_exchanged(const void *w, u64 old, u64 new)
{
	(void)w;
	(void)old;
	(void)new;
}

void ring_port_released(const void *w, u64 v)
{
	(void)w;
	(void)v;
}

/* Whether the ring has the newest events, up to all, each once; how many it has. */
static u64 whole(const struct ring *r)
{
	static u64 buf[1024];
	struct ring_place at;
	u64 lost, nr = 0;
	u32 n, i, number;

	ring_oldest(r, &at, &lost);
	for (;;) {
		if (ring_fetch(r, &at, 1024, buf, &n))
			return 0;
		if (!n)
			break;
		for (i = 0; i < n; ) {
			const struct ring_record *rec = (const void *)&buf[i];
			const bool pad = rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD;

			if (!pad && (n - i < 3 || ring_record_units(rec) > n - i))
				break;
			memcpy(&number, rec->data, sizeof(number));
			if (!pad && number != (u32)at.idx)
				return 0;
			at.idx += !pad;
			nr += !pad;
			at.pos += ring_record_units(rec);
			i += ring_record_units(rec);
		}
	}
	return at.idx == emitted && lost + nr == emitted ? nr : 0;
}

/*
 * Move a ring from one size to the other, with writers at these steps of the move. Return
 * how many steps it took, 0: it went wrong. @had: events before, and those that came
 * meanwhile; @has: events behind it.
 */
static unsigned long move_once(unsigned long from, unsigned long to, u32 pos, u32 events, u64 *had,
			       u64 *has)
{
	static struct ring_move move;
	struct ring r = { 0 };
	struct ring_memory m;
	bool good;
	u32 i;

	emitted = 0;
	if (ring_init(&r, from, pos, 0) || ring_memory_alloc(&m, to))
		return 0;
	for (i = 0; i < events; i++)
		emit(&r, 4 + i % 30);
	*had = whole(&r);
	ring_shrink_limit(&r, to);
	ring_resize_prepare(&r, to, &m, &move);
	steps = 0;
	interrupted = &r;
	good = ring_resize_move(&r, &move, RING_MOVE_UNITS * 64);
	interrupted = NULL;
	*had += emitted - events;
	ring_resize_done(&r, &move, &m);
	ring_open(&r);
	ring_memory_free(&m);
	good = good && *had && !r.nest && r.mask == to / RING_UNIT - 1;
	*has = whole(&r);
	/* It goes on as any ring. */
	for (i = 0; i < 300; i++)
		emit(&r, 4 + i % 30);
	good = good && *has && whole(&r);
	ring_free(&r);
	return good ? steps : 0;
}

FIXTURE(move) { };
FIXTURE_VARIANT(move) { unsigned long from, to; u32 events; };
FIXTURE_VARIANT_ADD(move, grows) { .from = 8192, .to = 32768, .events = 64 };
FIXTURE_VARIANT_ADD(move, grows_far) { .from = 4096, .to = 1 << 20, .events = 32 };
FIXTURE_VARIANT_ADD(move, stays_full) { .from = 8192, .to = 8192, .events = 300 };
FIXTURE_VARIANT_ADD(move, shrinks) { .from = 16384, .to = 4096, .events = 300 };
FIXTURE_VARIANT_ADD(move, shrinks_far) { .from = 65536, .to = 2048, .events = 300 };
FIXTURE_SETUP(move) { }
FIXTURE_TEARDOWN(move) { }

/* Whether writers at two steps of the move lose nothing that there is room for. */
static bool loses_none(const FIXTURE_VARIANT(move) *v, u32 pos, u64 room)
{
	u64 had, has;

	if (!move_once(v->from, v->to, pos, v->events, &had, &has))
		return false;
	return v->to > v->from ? has == had : has >= room / 2;
}

/* Writers at each two steps that are close to each other; how many moves, 0: one went wrong. */
static unsigned long at_each_step(const FIXTURE_VARIANT(move) *v, u32 pos)
{
	unsigned long last, all = 0;
	u64 had, room;

	first_at = 0;
	second_at = 0;
	last = move_once(v->from, v->to, pos, v->events, &had, &room);
	for (first_at = 1; first_at < last; first_at++) {
		/* Copying takes most of the steps, and is the same all along. */
		if (first_at > 400 && first_at + 600 < last)
			first_at += 61;
		for (second_at = first_at; second_at < min(last, first_at + 25);
		     second_at += 1 + second_at % 4, all++)
			if (!loses_none(v, pos, room)) {
				printf("# %u events at steps %lu and %lu of %lu\n", burst,
				       first_at, second_at, last);
				return 0;
			}
	}
	return all;
}

TEST_F(move, writers_at_each_step)
{
	static const unsigned int bursts[] = { 1, 20 };
	static const u32 places[] = { 0, 0xfffff000, 0x3ffff000 };
	unsigned long moves, all = 0;
	unsigned int b, p;

	for (b = 0; b < 2; b++)
		for (p = 0; p < 3; p++) {
			burst = bursts[b];
			moves = at_each_step(variant, places[p]);
			ASSERT_LT(0, moves);
			all += moves;
		}
	printf("# %lu moves\n", all);
}

/* A writer that is under way is left alone, and the ring stays as it is. */
TEST(not_under_a_writer)
{
	static struct ring_move move;
	struct ring r = { 0 };
	struct ring_memory m;

	emitted = 0;
	ASSERT_EQ(0, ring_init(&r, 4096, 0, 0));
	ASSERT_EQ(0, ring_memory_alloc(&m, 8192));
	emit(&r, 8);
	ring_resize_prepare(&r, 8192, &m, &move);
	ring_enter(&r);
	EXPECT_FALSE(ring_resize_move(&r, &move, RING_MOVE_UNITS));
	ring_leave(&r);
	ring_hold(&r);
	EXPECT_FALSE(ring_resize_move(&r, &move, RING_MOVE_UNITS));
	ring_let_go(&r);
	EXPECT_EQ(4096 / RING_UNIT - 1, r.mask);
	EXPECT_EQ(1, whole(&r));
	EXPECT_TRUE(ring_resize_move(&r, &move, RING_MOVE_UNITS));
	ring_resize_done(&r, &move, &m);
	EXPECT_EQ(1, whole(&r));
	ring_memory_free(&m);
	ring_free(&r);
}

/* No more is copied at once than is asked for; the copy goes on where it was. */
TEST(in_parts)
{
	static struct ring_move move;
	struct ring r = { 0 };
	struct ring_memory m;
	unsigned int i, parts = 0;

	emitted = 0;
	ASSERT_EQ(0, ring_init(&r, 1 << 20, 0, 0));
	ASSERT_EQ(0, ring_memory_alloc(&m, 2 << 20));
	for (i = 0; i < 20000; i++)
		emit(&r, 8 + i % 20);
	ring_resize_prepare(&r, 2 << 20, &m, &move);
	EXPECT_FALSE(ring_resize_move(&r, &move, RING_MOVE_UNITS));
	while (!ring_resize_copy(&r, &move, RING_MOVE_UNITS)) {
		emit(&r, 4);
		parts++;
	}
	EXPECT_LT(20U, parts);
	emit(&r, 4);
	EXPECT_TRUE(ring_resize_move(&r, &move, RING_MOVE_UNITS));
	ring_resize_done(&r, &move, &m);
	EXPECT_EQ(emitted, whole(&r));
	ring_memory_free(&m);
	ring_free(&r);
}

TEST_HARNESS_MAIN
