// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_blocks.c - kmod/lane/blocks.c compared with a simple model, in user space
 *
 * Runs are reserved, committed, abandoned and overwritten, and the ring is resized, in random
 * order with several runs open at a time. The model keeps all runs. After each step the ring
 * must equal the model: the chain of each slot in order, with exactly the runs not overwritten,
 * their bytes unchanged, and each event either held or counted as overwritten. Built with the
 * address and undefined behaviour sanitizers. SEED repeats a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kselftest.h"
#include "blocks.h"

#define STEPS		20000
#define RUNS		(STEPS + 1)
#define SLOTS		12
#define PENDING		8
#define NR_MAX		64

static uint64_t seed;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* The model. */

enum state { WRITING, COMMITTED, GIVEN_UP };

static struct model {
	enum state	state;
	run_place_t	place;
	struct run	*r;
	u32		slot, reserved, len, nr;
	u64		idx;
} runs[RUNS];

/* In more than one chunk. */
static const u32 slots[SLOTS] = { 0, 1, 2, 3, 4, 62, 63, 64, 65, 127, 128, 191 };

static struct block_ring ring;
static u32 nr_runs, oldest;		/* all before it are overwritten */
static u32 writing[PENDING], nr_writing;
static u64 idx[SLOTS], stored, overwritten, overwritten_of[SLOTS];
static struct {
	unsigned long evicted, refused, resized, not_resized, holes;
} seen;

static const char *bad;

#define CHECK(what, text) do {							\
	if (!(what) && !bad)							\
		bad = text;							\
} while (0)

static u64 block_of(u32 run)
{
	return blocks_number(runs[run].place);
}

static u8 pattern(u32 run, u32 i)
{
	return run * 37 + i * 11 + (i >> 8);
}

static bool bytes_are_there(u32 run, const u8 *p, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (p[i] != pattern(run, i))
			return false;
	return true;
}

/* True if a run before this block is being written. */
static bool writes_before(u64 block)
{
	u32 i;

	for (i = 0; i < nr_writing; i++)
		if (block_of(writing[i]) < block)
			return true;
	return false;
}

/* Like kmod/lane/lane_port.h, with a check of the order of stores. */

static bool armed, tail_stored;

u64 port_load(const void *p, size_t size, bool acquire)
{
	u32 v;

	(void)acquire;
	if (p == &ring.pages)
		return (uintptr_t)ring.pages;
	memcpy(&v, p, sizeof(v));
	CHECK(size == sizeof(v), "something else than the tail is loaded");
	return v;
}

u32 port_word(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

void port_rmb(void)
{
}

static bool in_a_page(const u8 *p)
{
	u32 i;

	for (i = 0; i < ring.nr; i++)
		if (p >= ring.pages->at[i] && p < ring.pages->at[i] + BLOCK_BYTES)
			return true;
	return false;
}

/* The tail has moved: the block before it must still be intact. */
void port_stored(const void *p)
{
	const u64 block = ring.tail - 1;
	u32 i;

	if (p == &ring.pages)
		return;
	if (in_a_page(p)) {
		CHECK(!tail_stored, "a run is begun before the barrier behind the tail");
		return;
	}
	CHECK(p == &ring.tail_low, "something else than the tail is stored");
	if (!armed)
		return;
	CHECK(ring.tail_low == (u32)ring.tail, "half a tail");
	for (i = oldest; i < nr_runs; i++) {
		if (block_of(i) != block || runs[i].state != COMMITTED)
			continue;
		CHECK(runs[i].r->slot == slots[runs[i].slot] && runs[i].r->nr == runs[i].nr &&
		      bytes_are_there(i, (u8 *)(runs[i].r + 1), runs[i].len),
		      "a block was overwritten before the tail had left it");
	}
	tail_stored = true;
}

void port_wmb(void)
{
	tail_stored = false;
}

/* Let the model follow the tail. */
static void follow_tail(void)
{
	CHECK(!tail_stored, "no barrier behind the tail");
	CHECK(!writes_before(ring.tail), "a block is gone in which somebody writes");
	for (; oldest < nr_runs && block_of(oldest) < ring.tail; oldest++) {
		const struct model *m = &runs[oldest];

		if (m->state != COMMITTED)
			continue;
		overwritten += m->nr;
		overwritten_of[m->slot] += m->nr;
		seen.evicted++;
	}
}

/* Compare the ring with the model. */

static u64 bytes_from(run_place_t place)
{
	return ring.head * BLOCK_BYTES + ring.state[ring.head & (ring.nr - 1)].fill - place;
}

static void check_slot(u32 slot)
{
	const struct chain *c = blocks_chain(&ring, slots[slot]);
	run_place_t place = c->first, last = 0;
	u64 held = 0;
	struct run r;
	u32 i;

	for (i = oldest; i < nr_runs; i++) {
		const struct model *m = &runs[i];

		if (m->slot != slot || m->state != COMMITTED)
			continue;
		CHECK(place == m->place, "a chain is not in order, or has not all runs");
		if (bad)
			return;
		CHECK(blocks_run(&ring, place, &r), "a run of a chain is not there");
		CHECK(r.slot == slots[slot] && r.idx == m->idx && r.len == m->len &&
		      r.nr == m->nr && r.time == i, "the header of a run");
		CHECK(bytes_are_there(i, blocks_records(&ring, place), m->len),
		      "the records of a run");
		CHECK(blocks_there(&ring, place), "a run that is there is refused");
		CHECK(blocks_behind(&ring, slots[slot], place, r.idx + r.nr - 1) ==
		      bytes_from(place), "how much is behind a run");
		/* Bytes filled since a run was read count as behind it. */
		if (last)
			CHECK(blocks_behind(&ring, slots[slot], last, r.idx) == bytes_from(place),
			      "how much is behind a run that was read");
		held += m->nr;
		last = place;
		place = r.next;
	}
	CHECK(!place, "a chain goes on to what was not committed");
	CHECK(c->last == last, "the end of a chain");
	CHECK(c->idx == idx[slot] && c->idx == held + overwritten_of[slot],
	      "events of a slot are held or overwritten");
	CHECK(!blocks_behind(&ring, slots[slot], last, c->idx), "nothing is behind the last run");
}

static void check_all(void)
{
	struct run r;
	u32 i;

	for (i = 0; i < SLOTS; i++)
		check_slot(i);
	CHECK(ring.stored == stored, "what was stored");
	CHECK(ring.overwritten == overwritten, "what was overwritten");
	CHECK(ring.head - ring.tail < ring.nr, "more blocks than there are");
	CHECK(blocks_used(&ring) <= (u64)ring.nr * BLOCK_BYTES, "more is used than there is");
	/* Overwritten runs, and runs being written. */
	for (i = oldest > 200 ? oldest - 200 : 0; i < oldest; i++)
		CHECK(!blocks_there(&ring, runs[i].place) && !blocks_run(&ring, runs[i].place, &r),
		      "a run that is overwritten is said to be there");
	for (i = 0; i < nr_writing; i++)
		CHECK(bytes_are_there(writing[i], (u8 *)(runs[writing[i]].r + 1),
				      runs[writing[i]].reserved),
		      "somebody else wrote where a run is being written");
}

/* Steps. */

static bool slot_is_written(u32 slot)
{
	u32 i;

	for (i = 0; i < nr_writing; i++)
		if (runs[writing[i]].slot == slot)
			return true;
	return false;
}

static void reserve(void)
{
	const u64 head = ring.head, tail = ring.tail, used = blocks_used(&ring);
	struct model *m = &runs[nr_runs];
	u32 i, len = rnd() % 4 ? rnd() % 400 : rnd() % (BLOCK_BYTES - sizeof(struct run) + 1);
	u32 slot = rnd() % SLOTS;
	struct run *r;

	if (rnd() % 20 == 0)
		len = BLOCK_BYTES - sizeof(struct run);
	len = (len & ~1U) ?: 2;
	if (nr_writing == PENDING || slot_is_written(slot))
		return;
	r = blocks_reserve(&ring, len, &m->place);
	if (!r) {
		CHECK(ring.head == head && ring.tail == tail && blocks_used(&ring) == used,
		      "a reservation in vain changes something");
		CHECK(head - tail + 1 == ring.nr && writes_before(tail + 1),
		      "no room, and nobody is in the way");
		seen.refused++;
		return;
	}
	CHECK(ring.head - head <= 1 && ring.tail - tail <= 1, "more than one block at a time");
	CHECK(ring.tail == tail || head - tail + 1 == ring.nr, "a block goes without need");
	CHECK(blocks_number(m->place) == ring.head &&
	      m->place % BLOCK_BYTES + sizeof(*r) + len <= BLOCK_BYTES &&
	      (u8 *)(r + 1) == blocks_records(&ring, m->place), "where a run is");
	follow_tail();
	*m = (struct model){ .state = WRITING, .place = m->place, .r = r, .slot = slot,
			     .reserved = len };
	r->time = nr_runs;
	for (i = 0; i < len; i++)
		((u8 *)(r + 1))[i] = pattern(nr_runs, i);
	writing[nr_writing++] = nr_runs++;
}

static bool one_sleeps;

static struct model *any_writing(u32 *run)
{
	u32 i = rnd() % (nr_writing - one_sleeps) + one_sleeps;

	*run = writing[i];
	writing[i] = writing[--nr_writing];
	return &runs[*run];
}

static void commit(void)
{
	struct model *m;
	u32 run;

	if (nr_writing <= one_sleeps)
		return;
	m = any_writing(&run);
	m->len = rnd() % 4 ? m->reserved : (rnd() % m->reserved & ~1U) + 2;
	m->nr = 1 + rnd() % ((m->len + 3) / 4);
	m->idx = idx[m->slot];
	m->state = COMMITTED;
	idx[m->slot] += m->nr;
	stored += m->nr;
	blocks_commit(&ring, m->r, m->place, slots[m->slot], m->len, m->nr);
}

static void give_up(void)
{
	struct model *m;
	u64 used;
	u32 run;

	if (nr_writing <= one_sleeps)
		return;
	m = any_writing(&run);
	m->state = GIVEN_UP;
	used = blocks_used(&ring);
	blocks_abandon(&ring, m->r, m->place);
	seen.holes += blocks_used(&ring) == used;
}

/* Memory for the ring; unneeded pages come back in the same array. */
static struct block_pages *new_pages(u32 nr)
{
	struct block_pages *pages = calloc(1, sizeof(*pages) + nr * sizeof(pages->at[0]));
	u32 i;

	if (!pages)
		ksft_exit_fail_msg("no memory\n");
	pages->nr = nr;
	for (i = 0; i < nr; i++) {
		pages->at[i] = calloc(1, BLOCK_BYTES);
		if (!pages->at[i])
			ksft_exit_fail_msg("no memory\n");
	}
	return pages;
}

/* @spare: pages to free instead of those still in use, or NULL */
static void free_pages(struct block_pages *pages, struct block_state *state, u8 **spare)
{
	u32 i;

	/* The sanitizer sees a page freed twice, or one of the ring. */
	for (i = 0; i < pages->nr; i++)
		free(spare && spare[i] ? spare[i] : pages->at[i]);
	free(pages);
	free(state);
}

/* A reader of the old array still finds each block that did not move. */
static bool still_finds(const struct block_pages *old, u64 n)
{
	return old->at[n & (old->nr - 1)] == ring.pages->at[n & (ring.nr - 1)];
}

static void resize(void)
{
	const u32 nr = BLOCKS_MIN << rnd() % 5, old_nr = ring.nr;
	struct block_state *state = calloc(nr, sizeof(*state)), *old_state = ring.state;
	struct block_pages *pages = new_pages(nr), *old_pages = ring.pages;
	u8 **spare = calloc(old_nr, sizeof(*spare));
	const u64 tail = ring.tail, head = ring.head;
	const u64 to = head + 1 - tail > nr ? head + 1 - nr : tail;
	u64 n;

	if (blocks_resize(&ring, pages, state, spare)) {
		CHECK(ring.tail == to && ring.head == head && ring.nr == nr,
		      "the newest blocks do not stay");
		CHECK(ring.pages == pages && ring.state == state, "other memory than was given");
		for (n = to; n <= head; n++)
			CHECK(still_finds(old_pages, n), "a block that stays is elsewhere");
		free_pages(old_pages, old_state, spare);
		seen.resized++;
	} else {
		CHECK(ring.tail <= to && ring.head == head && ring.nr == old_nr &&
		      ring.pages == old_pages && ring.state == old_state,
		      "a change of size in vain changes something");
		CHECK(writes_before(to), "no other size, and nobody is in the way");
		free_pages(pages, state, NULL);
		seen.not_resized++;
	}
	free(spare);
	follow_tail();
}

static void begin(u32 nr, u64 first)
{
	u32 i;

	memset(&ring, 0, sizeof(ring));
	memset(idx, 0, sizeof(idx));
	memset(overwritten_of, 0, sizeof(overwritten_of));
	nr_runs = 0;
	oldest = 0;
	nr_writing = 0;
	stored = 0;
	overwritten = 0;
	for (i = 0; i < 3; i++)
		ring.chains[i] = calloc(SLOTS_CHUNK, sizeof(struct chain));
	ring.nr = nr;
	ring.pages = new_pages(nr);
	ring.state = calloc(nr, sizeof(*ring.state));
	armed = false;
	blocks_init(&ring, first);
	armed = true;
	tail_stored = false;
}

static void end(void)
{
	u32 i;

	armed = false;
	free_pages(ring.pages, ring.state, NULL);
	for (i = 0; i < 3; i++)
		free(ring.chains[i]);
}

static void test_random(const char *name, u32 nr, u64 first, bool resizes)
{
	u32 step;

	memset(&seen, 0, sizeof(seen));
	begin(nr, first);
	for (step = 0; step < STEPS && !bad; step++) {
		u32 what = rnd() % 100;

		/* At times one run stays open. */
		one_sleeps = step / 2000 % 2;
		if (what < 60)
			reserve();
		else if (what < 62)
			give_up();
		else if (what < 98 || !resizes)
			commit();
		else
			resize();
		if (step % 16 == 0)
			check_all();
	}
	one_sleeps = false;
	while (nr_writing)
		commit();
	check_all();
	ksft_print_msg("%u runs, %lu overwritten, %lu times no room, %lu holes, %lu sizes, %lu not\n",
		       nr_runs, seen.evicted, seen.refused, seen.holes, seen.resized,
		       seen.not_resized);
	if (bad)
		ksft_print_msg("%s, at step %u\n", bad, step);
	ksft_test_result(!bad && seen.evicted && seen.refused && seen.holes &&
			 !resizes == !seen.resized && (!resizes || seen.not_resized), "%s\n", name);
	bad = NULL;
	end();
}

/* A block with a run that stays open. */
static void test_pending(void)
{
	const u32 len = BLOCK_BYTES - sizeof(struct run);
	run_place_t first, place;
	struct run *held, *r;
	u32 i, n;

	begin(4, 0xfffffffe);
	armed = false;
	held = blocks_reserve(&ring, 100, &first);
	memset(held + 1, 0x5a, 100);
	for (n = 0; n < 10; n++) {
		r = blocks_reserve(&ring, len, &place);
		if (!r)
			break;
		memset(r + 1, 0xff, len);
		blocks_commit(&ring, r, place, 1, len, 1);
	}
	CHECK(n == 3, "blocks beside the one in which somebody writes");
	for (i = 0; i < 100; i++)
		CHECK(((u8 *)(held + 1))[i] == 0x5a, "somebody else wrote there");
	CHECK(!ring.overwritten && ring.stored == 3, "nothing is overwritten");
	CHECK(!blocks_chain(&ring, 0)->first, "what is being written is in no chain");
	blocks_commit(&ring, held, first, 0, 100, 7);
	CHECK(blocks_chain(&ring, 0)->first == first && ring.stored == 10, "committed");
	CHECK(blocks_reserve(&ring, len, &place), "there is room again");
	CHECK(ring.overwritten == 7 && !blocks_chain(&ring, 0)->first &&
	      blocks_chain(&ring, 0)->idx == 7 && !blocks_there(&ring, first), "overwritten");
	if (bad)
		ksft_print_msg("%s\n", bad);
	ksft_test_result(!bad, "a block in which somebody writes is not overwritten\n");
	bad = NULL;
	end();
}

int main(void)
{
	const char *s = getenv("SEED");

	seed = s && *s ? strtoull(s, NULL, 0) : (u64)time(NULL);
	seed = seed * 2 + 1;
	ksft_print_header();
	ksft_set_plan(6);
	ksft_print_msg("SEED=%llu\n", (unsigned long long)(seed / 2));
	test_pending();
	test_random("four blocks", 4, 1, false);
	test_random("many blocks", NR_MAX, 1, false);
	test_random("numbers of 32 bits that end", 4, 0xffffffff - rnd() % 40, false);
	test_random("other sizes", 8, 1, true);
	test_random("other sizes while numbers of 32 bits end", 16, 0xffffffff - rnd() % 40, true);
	ksft_finished();
}
