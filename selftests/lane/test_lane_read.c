// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_read.c - kmod/lane_read.c on the host
 *
 * On a simulated machine that reorders loads and stores as much as it may, a writer's
 * events come out whole, each once or told as lost, whenever the reader looks. And on
 * hostile memory, which changes with every load, nothing is touched but the lane
 * and the buffer, and every call ends. Run with address and undefined behaviour
 * sanitizers. SEED repeats a run.
 *
 * The machine: all that the writer stores is known beforehand, with the instant at which
 * it becomes visible: stores to one place keep their order, none passes a write barrier,
 * a release waits for all before it. A load gives what was visible at any instant
 * between now and the reader's floor, which rises to what it has seen with each
 * acquire and read barrier; and no place goes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "kselftest.h"
#include "lane_read.h"

#define NR		8
#define HEADER		sizeof(struct devtrace_lane_block)
#define BLOCK		DEVTRACE_LANE_BLOCK

static uint64_t seed;
static struct devtrace_lane_head *head;
static u8 *blocks;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* The machine. */

#define CELLS		((sizeof(struct devtrace_lane_head) + NR * BLOCK) / 2)

struct value {
	u64	at, v;
};

/* What a place holds from when on; places are named by their first two bytes. */
static struct cell {
	struct value	*v;
	u32		n, room;
	u64		seen;
} cells[CELLS];

static u64 now, floor_at, newest_seen;	/* the reader's */
static u64 stores, newest, barrier_at;	/* the writer's */
static bool hostile;

static struct cell *cell_of(const void *p)
{
	if ((const u8 *)p >= blocks && (const u8 *)p < blocks + NR * BLOCK)
		return &cells[sizeof(*head) / 2 + ((const u8 *)p - blocks) / 2];
	return &cells[((const u8 *)p - (const u8 *)head) / 2];
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

/* Every load of hostile memory finds something else. */
static u64 hostile_value(size_t size)
{
	static const u64 likely_ones[] = {
		0, 1, 2, ~0ULL, HEADER, HEADER - 1, HEADER + 2, BLOCK, BLOCK - 1, BLOCK - 2,
		BLOCK + 2, 1ULL << 47, 1ULL << 48, 0x8000, 0x7fffffff, 0x80000000,
	};
	u64 v = rnd() % 4 ? likely_ones[rnd() % (sizeof(likely_ones) / 8)] : rnd();

	if (rnd() % 3 == 0)
		v = rnd() % (3 * NR);
	return size == 8 ? v : v & ((1ULL << 8 * size) - 1);
}

u64 port_load(const void *p, size_t size, bool acquire)
{
	struct cell *c;
	u64 from, t, v = 0, at = 0;
	u32 lo, hi;

	if (hostile) {
		/* The sanitizer sees whether it is there. */
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

void port_rmb(void)
{
	if (newest_seen > floor_at)
		floor_at = newest_seen;
}

/* The writer, in the order that lanes.rst gives. */

#define EVENTS		3000
#define LONGEST		1500

static struct lane_mem mem;
static u32 w_number, w_used;
static u64 w_count, w_last, w_time[EVENTS];
static u16 w_len[EVENTS];
static u32 w_block[EVENTS];

static u8 pattern(u64 idx, u32 i)
{
	return idx * 31 + i * 7 + (i >> 8);
}

static struct devtrace_lane_block *block(u32 number)
{
	return (void *)(blocks + (size_t)(number & (NR - 1)) * BLOCK);
}

static void enter(u64 ts)
{
	struct devtrace_lane_block *b = block(++w_number);

	/* What was complete of the block before, too. */
	store(&head->open, w_number, true);
	wmb();
	w_used = HEADER;
	store(&b->time, ts, false);
	store(&b->count, w_count, false);
	store(&b->reserved, 0, false);
	store(&b->used, w_used, false);
	store(&b->number, w_number, true);
	w_last = ts;
}

static void put16(u32 at, const u8 *from)
{
	u16 v;

	memcpy(&v, from, 2);
	store((u8 *)block(w_number) + at, v, false);
}

static void emit(u64 ts, u32 len)
{
	u8 rec[16 + LONGEST] = { 0 };
	u32 word[3] = { DEVTRACE_T_USER << DEVTRACE_LANE_TYPE_SHIFT };
	u32 n = 1, size, i;
	u64 ns;

	if (!w_used || w_used + 12 + len + 1 > BLOCK)
		enter(ts);
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
	w_count++;
	w_last = ts;
	w_used += size;
	store(&block(w_number)->used, w_used, true);
}

/* All that the writer ever does. */
static void write_all(u32 first)
{
	static const u64 gaps[] = { 0, 1, 100, 5000, 131071, 131072, 0xffffffff, 0x100000000 };
	u64 ts = 1000;
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
	mem = (struct lane_mem){ head, blocks, NR, first };
	cell_add(cell_of(&head->open), 0, first - 1);
	for (i = 0; i < NR; i++)
		cell_add(cell_of(&block(i)->number), 0, (u32)~i);
	for (i = 0; i < EVENTS; i++) {
		ts += gaps[rnd() % (sizeof(gaps) / sizeof(gaps[0]))];
		emit(ts, rnd() % 4 ? rnd() % 130 : rnd() % LONGEST);
	}
}

/* The reader. */

static u64 r_next, r_lost, r_read;

/* What the writer has said up to now. */
static u32 open_now(void)
{
	const struct cell *c = cell_of(&head->open);
	u32 i = c->n;

	while (i > 1 && c->v[i - 1].at > now)
		i--;
	return c->v[i - 1].v;
}

static bool look_at(const struct lane_place *p, const struct lane_event *ev)
{
	u64 idx = p->idx - 1;
	u32 i;

	if (idx < r_next || idx >= EVENTS || ev->len != w_len[idx] || ev->time != w_time[idx] ||
	    ev->type != DEVTRACE_T_USER || ev->flags || ev->severity)
		return false;
	for (i = 0; i < ev->len; i++)
		if (ev->data[i] != pattern(idx, i))
			return false;
	/* Only what was about to be overwritten is lost. */
	if (idx > r_next && (int32_t)(open_now() - NR + 2 - w_block[idx - 1]) <= 0)
		return false;
	r_read++;
	r_next = idx + 1;
	return true;
}

/* What can be read now; false if it was not what was written. */
static bool read_some(struct lane_place *p)
{
	u8 *buf = malloc(BLOCK);
	struct lane_event ev;
	u64 lost = 0;
	u32 len, at;
	bool ok;

	ok = !lane_fetch(&mem, p, buf, &len, &lost);
	r_lost += lost;
	for (at = 0; ok && at < len;)
		ok = !lane_next(p, buf, &at, len, &ev) && look_at(p, &ev);
	free(buf);
	return ok;
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

static void test_reader(const char *name, u32 first, u32 pace, unsigned int rounds)
{
	struct lane_place p, end;
	u8 *buf = malloc(BLOCK);
	u64 reads = 0, losses = 0;
	bool ok = true;

	while (ok && rounds--) {
		write_all(first);
		restart();
		r_next = 0;
		r_lost = 0;
		r_read = 0;
		lane_begin(&mem, &p);
		while (ok && now < newest) {
			now += rnd() % pace;
			ok = read_some(&p);
		}
		/* Then all that is left. */
		now = newest + 1;
		floor_at = now;
		while (ok && lane_unread(&mem, &p, 0))
			ok = read_some(&p);
		ok = ok && r_read + r_lost == EVENTS && p.idx == EVENTS;
		ok = ok && !lane_end(&mem, &end, buf) && end.idx == EVENTS && end.off == p.off &&
		     end.block == p.block && end.time == p.time;
		reads += r_read;
		losses += r_lost;
	}
	free(buf);
	ksft_print_msg("%llu read, %llu lost\n", (unsigned long long)reads,
		       (unsigned long long)losses);
	ksft_test_result(ok && reads, "%s\n", name);
}

static void test_find(void)
{
	struct lane_place p;
	bool ok = true;
	u32 i;

	write_all(1);
	restart();
	now = newest + 1;
	floor_at = now;
	for (i = 0; ok && i < EVENTS; i++) {
		lane_find(&mem, &p, w_time[i]);
		/* Not behind it, and if it is still there not a block before it. */
		ok = !p.off && (p.idx <= i || p.block == w_number - NR + 2);
		if (p.idx)
			ok = ok && w_time[p.idx - 1] <= w_time[p.idx];
	}
	lane_find(&mem, &p, ~0ULL);
	ok = ok && p.block == w_number;
	ksft_test_result(ok, "lane_find() goes to the block of a time\n");
}

static void test_hostile(unsigned int rounds)
{
	u8 *buf = malloc(BLOCK), *raw = malloc(BLOCK);
	unsigned long events = 0, refused = 0;
	struct lane_place p;
	struct lane_event ev;
	u64 lost = 0, time;
	u32 len, at, i, before;

	hostile = true;
	mem = (struct lane_mem){ head, blocks, NR, 1 };
	while (rounds--) {
		if (rnd() % 8 == 0)
			lane_begin(&mem, &p);
		else
			p = (struct lane_place){ rnd() % (2 * NR), rnd() % 2 ? HEADER : 0,
						 rnd() % 100, 0 };
		if (lane_fetch(&mem, &p, buf, &len, &lost)) {
			refused++;
			continue;
		}
		if (len > BLOCK - HEADER)
			break;
		/* A piece of its own, so that the sanitizer knows its end. */
		len = len ?: rnd() % 200;
		free(raw);
		raw = malloc(len ?: 1);
		for (i = 0; i < len; i++)
			raw[i] = rnd() % 2 ? rnd() : 0x7d + rnd() % 3;
		for (at = 0; at < len;) {
			before = at;
			time = p.time;
			if (lane_next(&p, raw, &at, len, &ev))
				break;
			for (i = 0; i < ev.len; i++)
				time += ev.data[i] & 0;
			if (at <= before || at > len || ev.len > DEVTRACE_PAYLOAD_MAX)
				goto out;
			events++;
		}
		lane_find(&mem, &p, rnd());
		lane_end(&mem, &p, buf);
		lane_unread(&mem, &p, rnd() % NR);
	}
out:
	hostile = false;
	free(buf);
	free(raw);
	ksft_print_msg("%lu events made sense, %lu copies were refused\n", events, refused);
	ksft_test_result(rounds == -1U && events && refused,
			 "hostile memory: nothing is touched but the lane and the copy\n");
}

int main(void)
{
	const char *s = getenv("SEED");

	seed = s && *s ? strtoull(s, NULL, 0) : (u64)time(NULL);
	seed = seed * 2 + 1;
	head = malloc(sizeof(*head));
	blocks = malloc(NR * BLOCK);
	if (!head || !blocks)
		return KSFT_FAIL;
	memset(head, 0, sizeof(*head));
	memset(blocks, 0, NR * BLOCK);
	ksft_print_header();
	ksft_set_plan(6);
	ksft_print_msg("SEED=%llu\n", (unsigned long long)(seed / 2));
	test_reader("a reader that is quick", 1, 100, 6);
	test_reader("a reader that is slow is told what it missed", 1, 400000, 20);
	test_reader("a reader at the writer's heels", 1, 60000, 20);
	test_reader("block numbers that wrap", 0xfffffff0, 60000, 20);
	test_find();
	test_hostile(40000);
	ksft_finished();
}
