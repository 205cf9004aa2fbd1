// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_lanes.c - events read from lanes in a region are those written
 *
 * Threads write lanes like the library, the module's own code takes the events into the ring of
 * blocks, and blocks get checksums. Then bits flip, lines of 64 bytes are garbled, or lines keep
 * old contents. Each event read must have been written, byte by byte, once and in order. If the
 * number is known, events read and lost are as many as were written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "render.h"
#include "lanes.h"
#include "teststream.h"

#define LANES		6
#define NR_BLOCKS	32
#define EVENTS_MAX	200000
#define LINE		64

#ifndef IMAGES
#define IMAGES		60
#endif

static struct rng rng;
static u64 now;

unsigned int ring_port_alloc_fails;

void ring_port_step(void)
{
}

/* A thread with its lane and slot. */
struct writer {
	struct lane_mem		mem;
	struct lane_place	at;
	struct persist_lane	*entry;
	u64	time, last, count, made;
	u32	open, used, tid;
	u64	floor;
	/* Events written in the slot, and the first one in this lane. */
	u32	written, base;
	u64	busy;
	u64	times[EVENTS_MAX];
};

static struct writer writer[LANES];
static struct block_ring ring;
static u8 *region, *before, *damaged;
static u64 size, next_sum, turns;
static struct persist_header head;

struct event {
	u8	type;
	u32	len;
	u8	data[200];
};

static void make_event(u32 slot, u32 n, struct event *e)
{
	u64 h = (slot + 1) * 0x9e3779b97f4a7c15ULL ^ n * 0xc2b2ae3d27d4eb4fULL;
	u32 i;

	h ^= h >> 29;
	e->type = 100 + h % 20;
	e->len = 4 + (h >> 40) % (n % 40 ? 30 : 190);
	for (i = 0; i < e->len; i++) {
		h = h * 6364136223846793005ULL + 1442695040888963407ULL;
		e->data[i] = h >> 56;
	}
	memcpy(e->data, &n, 4);
}

/* Lay out the smallest region with this number of blocks. */
static void lay_out(void)
{
	struct persist_header *h = &head;

	memset(h, 0, sizeof(*h));
	h->magic = PERSIST_MAGIC;
	h->version = PERSIST_VERSION;
	h->nr_cpus = 1;
	h->nr_rings = 1;
	h->page = PERSIST_PAGE;
	do
		h->size += PERSIST_PAGE;
	while (!persist_lay_out(h) || h->nr_blocks != NR_BLOCKS || h->nr_lanes < 2 * LANES);
	size = h->size;
	h->crc = PERSIST_CRC(h);
}

/* Open a new lane in a slot. */
static void open_lane(u32 slot)
{
	struct writer *w = &writer[slot];
	const u32 pages = slot % 3 ? 2 : 4, place = slot * 2;
	struct devtrace_lane_block *b;
	struct persist_lane e = { 0 };
	u32 i;

	w->mem.blocks = region + head.lane_pages + (u64)place * PERSIST_LANE_PAGES * PERSIST_PAGE;
	w->mem.nr = pages;
	w->mem.first = rng_below(&rng, 2) ? 1 : ~0U;
	w->entry = (void *)(region + head.lanes + place * sizeof(e));
	memset(w->mem.blocks, 0, (size_t)pages * PERSIST_PAGE);
	for (i = 0; i < pages; i++) {
		b = (void *)(w->mem.blocks + (size_t)i * DEVTRACE_LANE_BLOCK);
		b->number = ~i;
	}
	lane_head(&w->mem)->open = w->mem.first - 1;
	lane_begin(&w->mem, &w->at);
	w->open = w->mem.first - 1;
	w->used = 0;
	w->count = 0;
	w->tid = 1000 + slot + rng_below(&rng, 2) * 100;
	now += 1000;
	w->made = now;
	w->floor = now;
	w->last = now;
	w->base = w->written;
	memset(w->entry, 0, sizeof(*w->entry));
	w->entry->taken = lane_told(0);
	e.made = now;
	e.begin = blocks_chain(&ring, slot)->idx;
	e.slot = slot;
	e.pages = pages;
	e.tid = w->tid;
	e.first = w->mem.first;
	e.crc = PERSIST_CRC(&e);
	memcpy(w->entry, &e, offsetof(struct persist_lane, taken));
}

static void begin(void)
{
	static struct block_pages *pages;
	static struct block_state state[NR_BLOCKS];
	static struct chain chains[SLOTS_CHUNK];
	u8 *at = region + head.rings;
	struct persist_info info = { .nr = 1 };
	u32 i;

	memset(region, 0, size);
	memset(writer, 0, sizeof(writer));
	memset(&ring, 0, sizeof(ring));
	memset(chains, 0, sizeof(chains));
	free(pages);
	pages = calloc(1, sizeof(*pages) + head.nr_blocks * sizeof(pages->at[0]));
	pages->nr = head.nr_blocks;
	for (i = 0; i < head.nr_blocks; i++)
		pages->at[i] = region + head.blocks + (u64)i * PERSIST_PAGE;
	ring.pages = pages;
	ring.state = state;
	ring.nr = head.nr_blocks;
	ring.chains[0] = chains;
	memset(state, 0, sizeof(state));
	/* The low bits of the numbers wrap soon. */
	blocks_init(&ring, 65500);
	next_sum = 65500;
	turns = 0;
	info.crc = PERSIST_CRC(&info);
	memcpy(at + PERSIST_INFO_AT, &info, sizeof(info));
	memcpy(region, &head, sizeof(head));
	memcpy(region + head.rings - PERSIST_PAGE, &head, sizeof(head));
	memcpy(region + size - PERSIST_PAGE, &head, sizeof(head));
	for (i = 0; i < LANES; i++)
		open_lane(i);
}

/* Like take.c. */
static void take(u32 slot)
{
	struct writer *w = &writer[slot];
	struct lane_piece c;
	struct lane_event ev;
	run_place_t place;
	struct run *r;
	u32 at, nr;
	u64 time;

	while (lane_look(&w->mem, &w->at, &c) > 0) {
		r = blocks_reserve(&ring, c.len, &place);
		memcpy(r + 1, c.from, c.len);
		w->at.idx += c.lost;
		w->busy += c.lost;
		at = 0;
		nr = 0;
		time = c.time;
		ev.cpu = c.cpu;
		while (lane_next((u8 *)(r + 1), &at, c.len, &time, &ev) > 0)
			nr++;
		r->time = c.time;
		r->lo = w->floor;
		r->hi = time > w->floor ? time : w->floor;
		r->tid = w->tid;
		r->tgid = 1;
		r->cpu = c.cpu;
		r->lane = w->at.idx;
		w->floor = r->hi;
		lane_taken(&w->at, &c);
		w->at.idx += nr;
		w->at.time = time;
		w->at.cpu = ev.cpu;
		blocks_commit(&ring, r, place, slot, c.len, nr);
		w->entry->taken = lane_told(w->at.idx);
	}
}

static void close_lane(u32 slot)
{
	take(slot);
	writer[slot].entry->taken = LANE_TOLD_CLOSED;
	if (rng_below(&rng, 2))
		memset(writer[slot].entry, 0, sizeof(struct persist_lane));
}

/* Like the library. */
static void emit(u32 slot)
{
	struct writer *w = &writer[slot];
	struct devtrace_lane_block *b;
	struct event e;
	u32 word, need;
	u64 ts;

	if (w->written == EVENTS_MAX)
		return;
	make_event(slot, w->written, &e);
	need = 4 + ((e.len + 1) & ~1U) + (e.len > DEVTRACE_LANE_SHORT ? 4 : 0);
	now += 100 + now % 7;
	ts = now;
	b = (void *)lane_block(&w->mem, w->open);
	if (!w->used || w->used + need > DEVTRACE_LANE_BLOCK ||
	    ts - w->last > DEVTRACE_LANE_NS_MAX) {
		if ((s32)(w->open + 1 - w->mem.nr - w->at.block) >= 0)
			take(slot);
		w->open++;
		lane_head(&w->mem)->open = w->open;
		b = (void *)lane_block(&w->mem, w->open);
		b->time = ts;
		b->count = w->count;
		b->cpu = DEVTRACE_LANE_NO_CPU;
		b->used = LANE_HEADER;
		b->number = w->open;
		w->used = LANE_HEADER;
		w->last = ts;
	}
	word = (ts - w->last) << DEVTRACE_LANE_NS_SHIFT | (u32)e.type << DEVTRACE_LANE_TYPE_SHIFT;
	if (e.len > DEVTRACE_LANE_SHORT) {
		word |= DEVTRACE_LANE_FULL;
		memcpy((u8 *)b + w->used, &word, 4);
		word = e.len;
		w->used += 4;
	} else {
		word |= e.len;
	}
	memcpy((u8 *)b + w->used, &word, 4);
	memcpy((u8 *)b + w->used + 4, e.data, e.len);
	w->used += 4 + ((e.len + 1) & ~1U);
	b->used = w->used;
	w->last = ts;
	w->count++;
	w->times[w->written++] = ts;
}

/* Like pool.c. */
static void sync_pool(void)
{
	u64 n;
	u32 i;

	for (i = 0; i < LANES; i++)
		take(i);
	if (next_sum < ring.tail)
		next_sum = ring.tail;
	for (n = next_sum; n <= ring.head; n++) {
		const u32 k = n & (head.nr_blocks - 1);
		struct persist_block *two = (void *)(region + head.block_sums) + 2 * k * sizeof(*two);
		struct persist_block s = { .number = n, .fill = blocks_state(&ring, n)->fill };
		struct persist_block *to = &two[two[0].number > two[1].number ||
						(two[0].number == two[1].number &&
						 two[0].fill > two[1].fill)];

		if (!s.fill || !persist_block_sum(blocks_page(&ring, n), s.fill, &s.sum))
			continue;
		s.crc = PERSIST_CRC(&s);
		*to = s;
	}
	next_sum = ring.head;
	turns++;
	for (i = 0; i < LANES; i++) {
		struct persist_slot *to = (void *)(region + head.slots +
						   (2 * i + turns % 2) * sizeof(*to));
		struct persist_slot s = {
			.nr = turns, .slot = i, .idx = blocks_chain(&ring, i)->idx,
		};

		s.crc = PERSIST_CRC(&s);
		*to = s;
	}
}

struct found {
	u32	next[LANES];
	u64	given[LANES], lost[LANES];
	u64	unsummed, frames;
	const char *wrong;
};

static u64 get(const u8 *p, u32 n)
{
	u64 v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static const char *judge(struct found *s, u8 type, const u8 *p, u32 len)
{
	const u32 source = get(p + 2, 2), slot = source - 1;
	const u32 n = len < 20 ? U32_MAX : get(p + 16, 4);
	struct event e;

	s->frames++;
	if (len < 16)
		return "an event that is too short";
	if (!source || slot >= LANES) {
		s->unsummed++;
		return NULL;
	}
	s->given[slot]++;
	if (n < writer[slot].written)
		make_event(slot, n, &e);
	if (n >= writer[slot].written || type != e.type || len != 16 + e.len ||
	    memcmp(p + 16, e.data, e.len) || get(p + 8, 8) != writer[slot].times[n] ||
	    get(p + 4, 4) / 100 * 100 + slot > 1100 + slot || (get(p + 4, 4) - slot) % 100) {
		s->unsummed++;
		return NULL;
	}
	if (n < s->next[slot])
		return "an event twice, or out of order";
	s->next[slot] = n + 1;
	return NULL;
}

static void take_frame(struct found *s, const u8 *p, u32 n)
{
	static u8 raw[8192];
	u32 i, k = 0;

	for (i = 0; i + 1 < n; i++)
		raw[k++] = p[i] == DEVTRACE_ESCAPE ? p[++i] ^ DEVTRACE_ESCAPE_XOR : p[i];
	k -= 4;
	if (raw[1] == DEVTRACE_T_TEXT && k > 20 && !strncmp((char *)raw + 19, "watchdog", 8))
		return;
	if (raw[1] && raw[1] != DEVTRACE_T_ENUM &&
	    (raw[1] < DEVTRACE_T_CLOCK || raw[1] > DEVTRACE_T_PROC) && !s->wrong)
		s->wrong = judge(s, raw[1], raw + 2, k);
	if (raw[1] == DEVTRACE_T_LOST && get(raw + 2, 2) - 1 < LANES)
		s->lost[get(raw + 2, 2) - 1] += get(raw + 6, 8);
}

/* Often too little room; doubled, since realloc() copies under ASan. */
static bool grow(struct persist_out *o, u64 more)
{
	o->room = 2 * o->n + (more < 20000 ? more : 20000);
	o->buf = realloc(o->buf, o->room);
	return o->buf;
}

static int render(const u8 *image, const struct persist_header *h, struct found *s,
		  struct persist_account *a)
{
	struct persist_out o = { .grow = grow };
	int err = persist_render(image, h, "last", &o, a);
	u64 from, to;

	for (from = 0; !err && from < o.n; from = to) {
		for (to = from; to < o.n && o.buf[to++] != DEVTRACE_FLAG; )
			;
		take_frame(s, o.buf + from, to - from);
	}
	free(o.buf);
	return err;
}

/* 1 to @max, with a uniform logarithm. */
static u32 some(u32 max)
{
	u32 n = 1;

	while (n < max && rng_below(&rng, 8))
		n *= 2;
	return n;
}

/* Any offset, but mostly within lanes and blocks. */
static u64 where(void)
{
	const u64 at = rng_next(&rng) % size, pool = head.rings + head.stride;

	return rng_below(&rng, 8) ? pool + at % (size - pool) : at;
}

static void damage(u32 kind)
{
	u32 n, i;
	u64 at;

	if (kind == 1) {
		for (n = some(4096); n; n--)
			damaged[where()] ^= 1 << rng_below(&rng, 8);
	} else if (kind) {
		for (n = some(256); n; n--) {
			at = where() / LINE * LINE;
			for (i = 0; i < LINE; i++)
				damaged[at + i] = kind == 2 ? rng_next(&rng) : before[at + i];
		}
	}
}

static const char *look(u32 kind)
{
	struct persist_account a;
	struct persist_header h;
	struct found s = { 0 };
	unsigned int copies;
	u32 i;

	if (persist_find(damaged, size, &h, &copies))
		return kind ? NULL : "refused";
	if (render(damaged, &h, &s, &a))
		return "not rendered";
	if (s.wrong && (!kind || !a.unchecked))
		return s.wrong;
	if (s.unsummed > a.unchecked || (!kind && s.unsummed))
		return "an event that was not written";
	if (!kind && (a.open_ends || a.bad_lanes))
		return "an undamaged image is called damaged";
	for (i = 0; i < LANES; i++) {
		const u64 sum = s.given[i] + s.lost[i];

		if (!kind && (sum != writer[i].written || s.next[i] != writer[i].written))
			return "an event of an undamaged image is missing";
		if (kind == 3 || a.unchecked)
			continue;
		if (sum > writer[i].written)
			return "more given and lost than were written";
		if (!a.open_ends && sum != writer[i].written)
			return "given and lost are not what was written";
	}
	return NULL;
}

static const char *try_images(u32 kind, u32 nr)
{
	const char *wrong;
	u32 n, k;

	for (n = 0; n < nr; n++) {
		if (n % 20 == 0)
			begin();
		memcpy(before, region, size);
		for (k = 1 + rng_below(&rng, 3000); k; k--) {
			const u32 slot = rng_below(&rng, 2 + rng_below(&rng, LANES - 1));

			emit(slot);
			if (!rng_below(&rng, 60))
				take(slot);
			if (!rng_below(&rng, 300))
				sync_pool();
			if (!rng_below(&rng, 600)) {
				close_lane(slot);
				open_lane(slot);
			}
		}
		if (n % 2)
			sync_pool();
		memcpy(damaged, region, size);
		damage(kind);
		wrong = look(kind);
		if (wrong) {
			fprintf(stderr, "# image %u: %s\n", n, wrong);
			return wrong;
		}
	}
	return NULL;
}

FIXTURE(images)
{
	int	nr;
};

FIXTURE_SETUP(images)
{
	self->nr = IMAGES;
}

FIXTURE_TEARDOWN(images)
{
}

TEST_F_TIMEOUT(images, undamaged, 300)
{
	EXPECT_EQ(NULL, try_images(0, self->nr));
}

TEST_F_TIMEOUT(images, flipped_bits, 300)
{
	EXPECT_EQ(NULL, try_images(1, self->nr));
}

TEST_F_TIMEOUT(images, garbled_lines, 300)
{
	EXPECT_EQ(NULL, try_images(2, self->nr));
}

TEST_F_TIMEOUT(images, old_lines, 300)
{
	EXPECT_EQ(NULL, try_images(3, self->nr));
}

/* After each store of the taker: a run is either complete or absent. */
TEST(half_a_run)
{
	struct run *r;
	run_place_t place;
	u32 i;

	begin();
	for (i = 0; i < 300; i++)
		emit(0);
	take(0);
	r = blocks_reserve(&ring, 400, &place);
	memset(r + 1, 0x5a, 400);
	memcpy(damaged, region, size);
	EXPECT_EQ(NULL, look(0));
	/* Old data of a program that looks like a run: it is behind the newest. */
	memset(r + 1, 0, 400);
	blocks_abandon(&ring, r, place);
	memcpy(damaged, region, size);
	EXPECT_EQ(NULL, look(0));
}

/* The events are taken but the word of the lane is not updated; and the reverse. */
TEST(taken_once)
{
	u32 i;

	begin();
	for (i = 0; i < 200; i++)
		emit(1);
	take(1);
	for (i = 0; i < 50; i++)
		emit(1);
	writer[1].entry->taken = lane_told(0);
	memcpy(damaged, region, size);
	EXPECT_EQ(NULL, look(0));
	take(1);
	memcpy(damaged, region, size);
	EXPECT_EQ(NULL, look(0));
}

/* A program may write anything into its lane. */
TEST(hostile_lane)
{
	struct persist_account a;
	struct persist_header h;
	struct found s;
	unsigned int copies;
	u32 n, i, bad = 0;

	for (n = 0; n < 400; n++) {
		if (n % 100 == 0) {
			begin();
			for (i = 0; i < 100; i++)
				emit(n / 100 % LANES);
		}
		memcpy(damaged, region, size);
		for (i = some(64); i; i--)
			damaged[writer[n / 100 % LANES].mem.blocks - region +
				rng_below(&rng, i % 2 ? 128 : 2 * PERSIST_PAGE)] = rng_next(&rng);
		memset(&s, 0, sizeof(s));
		ASSERT_EQ(NULL, persist_find(damaged, size, &h, &copies));
		ASSERT_EQ(0, render(damaged, &h, &s, &a));
		bad += a.bad_lanes;
		ASSERT_EQ(a.given, a.unchecked);
		ASSERT_EQ(a.given, s.frames);
	}
	EXPECT_GT(bad, 20);
}

int main(int argc, char **argv)
{
	const char *seed = getenv("SEED");

	rng.state = seed && *seed ? strtoull(seed, NULL, 0) : (u64)time(NULL) << 20 ^ getpid();
	printf("# SEED=%llu\n", (unsigned long long)rng.state);
	lay_out();
	region = malloc(size);
	before = malloc(size);
	damaged = malloc(size);
	return test_harness_run(argc, argv);
}
