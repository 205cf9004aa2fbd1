// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_read.c - kmod/lane/lane_read.c in user space
 *
 * On a simulated machine with the weakest allowed memory order, the events of a writer are taken
 * whole, each once or reported as lost, at any time. With hostile memory, which changes with
 * each load, only the lane and the copy are accessed, and each call ends. Built with the address
 * and undefined behaviour sanitizers. SEED repeats a run.
 *
 * The machine: all stores of the writer are known in advance, with the time at which each
 * becomes visible. Stores to one place keep their order, none passes a write barrier, and a
 * release waits for all before it. A load returns a value that was visible at any time between
 * the present and the taker's floor. The floor rises with each acquire and read barrier to the
 * newest value seen; no place goes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kselftest.h"
#include "lane_read.h"

#define NR_MAX		8
#define HEADER		sizeof(struct devtrace_lane_block)
#define BLOCK		DEVTRACE_LANE_BLOCK

static uint64_t seed;
static u8 *blocks;
static u32 nr;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* The machine. */

#define CELLS		(NR_MAX * BLOCK / 2)

struct value {
	u64	at, v;
};

/* The values of a place over time; a place is identified by its first two bytes. */
static struct cell {
	struct value	*v;
	u32		n, room;
	u64		seen;
} cells[CELLS];

static u64 now, floor_at, newest_seen;	/* of the taker */
static u64 stores, newest, barrier_at;	/* of the writer */
static bool hostile;

static struct cell *cell_of(const void *p)
{
	return &cells[((const u8 *)p - blocks) / 2];
}

static void cell_add(struct cell *c, u64 at, u64 v)
{
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 4;
		c->v = realloc(c->v, c->room * sizeof(*c->v));
		if (!c->v)
			ksft_exit_fail_msg("no memory\n");
	}
	c->v[c->n++] = (struct value){ at, v };
}

static void store(void *p, u64 v, bool release)
{
	struct cell *c = cell_of(p);
	u64 at = ++stores * 4 + rnd() % 200;

	if (at <= barrier_at)
		at = barrier_at + 1;
	if (release && at <= newest)
		at = newest + 1;
	if (c->n && at <= c->v[c->n - 1].at)
		at = c->v[c->n - 1].at + 1;
	if (at > newest)
		newest = at;
	cell_add(c, at, v);
}

static void wmb(void)
{
	barrier_at = newest;
}

static u32 hint;	/* a value that makes hostile memory look like a lane */

/* Each load of hostile memory returns another value. */
static u64 hostile_value(size_t size)
{
	static const u64 likely_ones[] = {
		0, 1, 2, ~0ULL, HEADER, HEADER - 1, HEADER + 2, BLOCK, BLOCK - 1, BLOCK - 2,
		BLOCK + 2, 1ULL << 47, 1ULL << 48, 0x8000, 0x7fffffff, 0x80000000,
	};
	u64 v = rnd() % 4 ? likely_ones[rnd() % (sizeof(likely_ones) / 8)] : rnd();

	if (rnd() % 3 == 0)
		v = rnd() % (3 * NR_MAX);
	if (size == 4 && rnd() % 2)
		v = hint + (rnd() % 4 ? 0 : rnd() % NR_MAX);
	return size == 8 ? v : v & ((1ULL << 8 * size) - 1);
}

u64 port_load(const void *p, size_t size, bool acquire)
{
	struct cell *c;
	u64 from, t, v = 0, at = 0;
	u32 lo, hi;

	if (hostile) {
		/* The sanitizer checks the access. */
		u8 touch[8];

		memcpy(touch, p, size);
		return hostile_value(size);
	}
	c = cell_of(p);
	from = floor_at > c->seen ? floor_at : c->seen;
	t = rnd() % 3 && from < now ? from + ((u64)rnd() << 16 | rnd()) % (now - from + 1) :
	    rnd() % 2 ? now : from;
	for (lo = 0, hi = c->n; lo < hi;) {
		u32 mid = (lo + hi) / 2;

		if (c->v[mid].at <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo) {
		v = c->v[lo - 1].v;
		at = c->v[lo - 1].at;
	}
	c->seen = at;
	if (at > newest_seen)
		newest_seen = at;
	if (acquire && at > floor_at)
		floor_at = at;
	return v;
}

/* Load from a copy; or from a hostile lane, as when events are only counted. */
u32 port_word(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return hostile && rnd() % 2 ? hostile_value(sizeof(v)) : v;
}

void port_rmb(void)
{
	if (newest_seen > floor_at)
		floor_at = newest_seen;
}

/* The writer, in the order of lanes.rst. */

#define EVENTS		3000
#define LONGEST		1500

static struct lane_mem mem;
static u32 w_number, w_used;
static u64 w_count, w_last, w_time[EVENTS];
static u16 w_len[EVENTS], w_cpus[EVENTS], w_cpu;
static u32 w_block[EVENTS];

static u8 pattern(u64 idx, u32 i)
{
	return idx * 31 + i * 7 + (i >> 8);
}

static struct devtrace_lane_block *block(u32 number)
{
	return (void *)(blocks + (size_t)(number & (nr - 1)) * BLOCK);
}

static struct devtrace_lane_head *head(void)
{
	return &block(0)->head;
}

static void enter(u64 ts, u16 cpu)
{
	struct devtrace_lane_block *b = block(++w_number);

	/* The rest of the previous block is complete too. */
	store(&head()->open, w_number, true);
	wmb();
	w_used = HEADER;
	store(&b->used, w_used, false);
	store(&b->time, ts, false);
	store(&b->count, w_count, false);
	store(&b->cpu, cpu, false);
	store(&b->number, w_number, true);
	w_last = ts;
	w_cpu = cpu;
}

static void put16(u32 at, const u8 *from)
{
	u16 v;

	memcpy(&v, from, 2);
	store((u8 *)block(w_number) + at, v, false);
}

static void emit(u64 ts, u32 len, u16 cpu)
{
	u8 rec[16 + LONGEST] = { 0 };
	u32 word[3] = { DEVTRACE_T_USER << DEVTRACE_LANE_TYPE_SHIFT };
	u32 moved = DEVTRACE_LANE_CPU | (u32)cpu << DEVTRACE_LANE_NS_SHIFT;
	u32 n = 1, size, i;
	u64 ns;

	if (!w_used || w_used + 16 + len + 1 > BLOCK)
		enter(ts, cpu);
	if (cpu != w_cpu) {
		put16(w_used, (u8 *)&moved);
		put16(w_used + 2, (u8 *)&moved + 2);
		w_used += sizeof(moved);
		w_cpu = cpu;
	}
	ns = ts - w_last;
	if (len <= DEVTRACE_LANE_SHORT && ns <= DEVTRACE_LANE_NS_MAX) {
		word[0] |= len | (u32)ns << DEVTRACE_LANE_NS_SHIFT;
	} else if (ns <= DEVTRACE_LANE_NS_MAX) {
		word[0] |= DEVTRACE_LANE_FULL | (u32)ns << DEVTRACE_LANE_NS_SHIFT;
		word[1] = len;
		n = 2;
	} else if (ns <= 0xffffffff) {
		word[0] |= DEVTRACE_LANE_DELAY | len << DEVTRACE_LANE_NS_SHIFT;
		word[1] = ns;
		n = 2;
	} else {
		word[0] |= DEVTRACE_LANE_LATE | len << DEVTRACE_LANE_NS_SHIFT;
		word[1] = (u32)(ns >> 32) << 16;
		word[2] = ns;
		n = 3;
	}
	memcpy(rec, word, n * 4);
	for (i = 0; i < len; i++)
		rec[n * 4 + i] = pattern(w_count, i);
	size = n * 4 + len + (len & 1);
	for (i = 0; i < size; i += 2)
		put16(w_used + i, rec + i);
	w_time[w_count] = ts;
	w_block[w_count] = w_number;
	w_len[w_count] = len;
	w_cpus[w_count] = cpu;
	w_count++;
	w_last = ts;
	w_used += size;
	store(&block(w_number)->used, w_used, true);
}

/* All stores of the writer. */
static void write_all(u32 first)
{
	static const u64 gaps[] = { 0, 1, 100, 5000, 131071, 131072, 0xffffffff, 0x100000000 };
	u64 ts = 1000;
	u16 cpu = 0;
	u32 i;

	for (i = 0; i < CELLS; i++) {
		cells[i].n = 0;
		cells[i].seen = 0;
	}
	stores = 0;
	newest = 0;
	barrier_at = 0;
	w_used = 0;
	w_count = 0;
	w_number = first - 1;
	mem = (struct lane_mem){ blocks, nr, first };
	cell_add(cell_of(&head()->open), 0, first - 1);
	for (i = 0; i < nr; i++)
		cell_add(cell_of(&block(i)->number), 0, (u32)~i);
	for (i = 0; i < EVENTS; i++) {
		ts += gaps[rnd() % (sizeof(gaps) / sizeof(gaps[0]))];
		cpu = rnd() % 16 ? cpu : rnd() % 3 ? rnd() % 4 : DEVTRACE_LANE_NO_CPU;
		emit(ts, rnd() % 4 ? rnd() % 130 : rnd() % LONGEST, cpu);
	}
}

/* The taker, like kmod/lane/slot.c. */

static u64 r_next, r_lost, r_read;

/* The newest open block that the writer has published. */
static u32 open_now(void)
{
	const struct cell *c = cell_of(&head()->open);
	u32 i = c->n;

	while (i > 1 && c->v[i - 1].at > now)
		i--;
	return c->v[i - 1].v;
}

static bool look_at(u64 idx, const struct lane_event *ev)
{
	u32 i;

	if (idx < r_next || idx >= EVENTS || ev->len != w_len[idx] || ev->time != w_time[idx] ||
	    ev->cpu != w_cpus[idx] || ev->type != DEVTRACE_T_USER || ev->flags || ev->severity)
		return false;
	for (i = 0; i < ev->len; i++)
		if (ev->data[i] != pattern(idx, i))
			return false;
	/* Only events about to be overwritten may be lost. */
	if (idx > r_next && (s32)(open_now() - nr - w_block[idx - 1]) < 0)
		return false;
	r_lost += idx - r_next;
	r_read++;
	r_next = idx + 1;
	return true;
}

/* Check the records of a valid copy; false if they differ from those written. */
static bool look_at_copy(struct lane_place *p, const struct lane_piece *c, const u8 *buf)
{
	struct lane_event ev = { .cpu = c->cpu };
	u64 time = c->time;
	u32 at = 0;
	int ret;

	p->idx += c->lost;
	while ((ret = lane_next(buf, &at, c->len, &time, &ev)) > 0)
		if (!look_at(p->idx++, &ev))
			return false;
	p->time = time;
	p->cpu = ev.cpu;
	return !ret && at == c->len;
}

/* Take what is there; false if it differs from what was written. */
static bool take(struct lane_place *p)
{
	struct lane_piece c;
	bool ok;
	u8 *buf;
	int ret, i;

	for (i = 0; i < 4; i++) {
		ret = lane_look(&mem, p, &c);
		if (ret <= 0)
			return !ret;
		buf = malloc(c.len);
		lane_copy_out(buf, c.from, c.len);
		ok = true;
		if (lane_still(&mem, p)) {
			ok = look_at_copy(p, &c, buf);
			lane_taken(p, &c);
		}
		free(buf);
		if (!ok)
			return false;
	}
	return true;
}

static void restart(void)
{
	u32 i;

	now = 0;
	floor_at = 0;
	newest_seen = 0;
	for (i = 0; i < CELLS; i++)
		cells[i].seen = 0;
}

static void test_taker(const char *name, u32 blocks_nr, u32 first, u32 pace, unsigned int rounds)
{
	u64 reads = 0, losses = 0;
	struct lane_place p;
	bool ok = true;
	u32 open, left;
	u16 used;

	nr = blocks_nr;
	while (ok && rounds--) {
		write_all(first);
		restart();
		r_next = 0;
		r_lost = 0;
		r_read = 0;
		lane_begin(&mem, &p);
		ok = !lane_untaken_bytes(&mem, &p);
		while (ok && now < newest) {
			now += rnd() % pace;
			ok = take(&p);
		}
		/* Then take the rest. */
		now = newest + 1;
		floor_at = now;
		for (left = nr; ok && left && lane_untaken_bytes(&mem, &p); left--)
			ok = take(&p);
		ok = ok && !lane_untaken_bytes(&mem, &p);
		ok = ok && r_read + r_lost == EVENTS && p.idx == EVENTS;
		lane_newest(&mem, &open, &used);
		ok = ok && open == w_number && used == w_used;
		reads += r_read;
		losses += r_lost;
	}
	ksft_print_msg("%llu read, %llu lost\n", (unsigned long long)reads,
		       (unsigned long long)losses);
	ksft_test_result(ok && reads && (losses || pace < 1000), "%s, %u blocks\n", name, nr);
}

static unsigned long events, refused, pieces;

/* Check that each event is within the bytes examined. */
static bool look_at_hostile(const u8 *buf, u32 len)
{
	struct lane_event ev = { 0 };
	u32 at = 0, before, i;
	u64 time = 0;
	u8 sum = 0;

	for (;;) {
		before = at;
		if (lane_next(buf, &at, len, &time, &ev) <= 0)
			return at <= len;
		/* The sanitizer checks the access. */
		for (i = 0; i < ev.len; i++)
			sum += ev.data[i];
		__asm__ volatile("" : : "r" (sum));
		if (at <= before || at > len || ev.len > DEVTRACE_PAYLOAD_MAX ||
		    ev.head < before || ev.head + 4 > at || ev.data + ev.len > buf + at)
			return false;
		events++;
	}
}

/* Within one block, and behind its header. */
static bool piece_makes_sense(const struct lane_piece *c)
{
	const size_t at = c->from - blocks;

	return c->from >= blocks && at < nr * BLOCK && at % BLOCK >= HEADER && c->len &&
	       at % BLOCK + c->len <= BLOCK && at % 2 == 0 && c->len % 2 == 0;
}

static void test_hostile(u32 blocks_nr, unsigned int rounds)
{
	struct lane_place p = { 0 };
	struct lane_piece c;
	bool ok = true;
	u32 len, i, open;
	u16 used;
	u8 *raw;
	int ret;

	nr = blocks_nr;
	events = 0;
	refused = 0;
	pieces = 0;
	hostile = true;
	mem = (struct lane_mem){ blocks, nr, 1 };
	for (i = 0; i < nr * BLOCK; i++)
		blocks[i] = rnd() % 2 ? rnd() : 0x7c + rnd() % 4;
	while (ok && rounds--) {
		if (rnd() % 8 == 0)
			lane_begin(&mem, &p);
		else if (rnd() % 4 == 0)
			p = (struct lane_place){
				.block = rnd() % (2 * NR_MAX), .off = rnd() % 2 ? HEADER : 0,
				.idx = rnd() % 100, .skipped = rnd() % 3,
			};
		hint = p.block;
		ret = lane_look(&mem, &p, &c);
		refused += ret == -EPROTO;
		lane_newest(&mem, &open, &used);
		ok = lane_untaken_bytes(&mem, &p) <= nr * BLOCK;
		if (ret > 0) {
			pieces++;
			ok = ok && piece_makes_sense(&c);
			/* In the lane, as when events are only counted; then in a copy. */
			ok = ok && look_at_hostile(c.from, c.len);
			raw = malloc(c.len);
			lane_copy_out(raw, c.from, c.len);
			ok = ok && look_at_hostile(raw, c.len);
			free(raw);
			if (lane_still(&mem, &p))
				lane_taken(&p, &c);
		}
		/* A separate allocation, so that the sanitizer knows its end. */
		len = rnd() % 200;
		raw = malloc(len ?: 1);
		for (i = 0; i < len; i++)
			raw[i] = rnd() % 2 ? rnd() : 0x7c + rnd() % 4;
		ok = ok && look_at_hostile(raw, len);
		free(raw);
	}
	hostile = false;
	memset(blocks, 0, nr * BLOCK);
	ksft_print_msg("%lu pieces, %lu events made sense, %lu were refused\n", pieces, events,
		       refused);
	ksft_test_result(ok && events && refused && pieces,
			 "hostile memory: nothing is touched but the lane and the copy, %u blocks\n",
			 nr);
}

static void test_all(u32 blocks_nr)
{
	/* A writer needs about two units of time per byte. */
	const u32 lap = 2 * blocks_nr * BLOCK;

	blocks = calloc(blocks_nr, BLOCK);
	if (!blocks)
		ksft_exit_fail_msg("no memory\n");
	test_taker("a taker that is quick", blocks_nr, 1, 100, 6);
	test_taker("a taker that is slow is told what it missed", blocks_nr, 1, 6 * lap, 20);
	test_taker("a taker at the writer's heels", blocks_nr, 1, lap, 20);
	test_taker("block numbers that wrap", blocks_nr, 0xfffffff0, lap, 20);
	test_hostile(blocks_nr, 40000);
	free(blocks);
}

int main(void)
{
	const char *s = getenv("SEED");

	seed = s && *s ? strtoull(s, NULL, 0) : (u64)time(NULL);
	seed = seed * 2 + 1;
	ksft_print_header();
	ksft_set_plan(10);
	ksft_print_msg("SEED=%llu\n", (unsigned long long)(seed / 2));
	test_all(2);
	test_all(8);
	ksft_finished();
}
