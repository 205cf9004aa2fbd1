// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_copy.c - kmod/lane/lane_copy.c in user space
 *
 * Random pieces with records of each form, CPU changes and any time, from each of which a random
 * part of the events is copied. The copy has these events with their times, CPUs and contents, and
 * is never longer than the piece. Built with the address and undefined behaviour sanitizers. SEED
 * repeats a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kselftest.h"
#include "lane_copy.h"

#define ROUNDS		20000
#define MOST		2048		/* records of a piece */
#define PIECE		(DEVTRACE_LANE_BLOCK - LANE_HEADER)

static uint64_t seed;

static u32 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

u32 port_word(const void *p)
{
	u32 word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* lane_copy.c reads no lane. */
u64 port_load(const void *p, size_t size, bool acquire)
{
	(void)p;
	(void)size;
	(void)acquire;
	abort();
}

void port_rmb(void)
{
	abort();
}

static u8 piece[PIECE];
static u32 len;

static void put(u32 word)
{
	memcpy(piece + len, &word, sizeof(word));
	len += sizeof(word);
}

/* A time of any size; most are small. */
static u64 some_ns(unsigned int bits)
{
	const u64 ns = (u64)rnd() << 32 | rnd();

	return ns >> (64 - (rnd() % 4 ? 1 + rnd() % 17 : 1 + rnd() % bits));
}

/* Write a record as the format in <linux/devtrace_lane.h> says; false: no room. */
static bool put_record(u32 form, u32 type, u32 bytes)
{
	const u32 head = type << 7 | form;
	u32 flags = rnd() & 7, severity = rnd() & 0xff, i;
	u64 ns;

	if (len + 12 + bytes + 1 > PIECE)
		return false;
	switch (form) {
	case 124:
		put(124 | (rnd() % 5) << 15);
		return true;
	case 125:
		put(head | bytes << 15);
		put(some_ns(32));
		break;
	case 126:
		put(head | (u32)some_ns(17) << 15);
		put(bytes | flags << 16 | severity << 24);
		break;
	case 127:
		ns = some_ns(48);
		put(head | bytes << 15);
		put(flags | severity << 8 | (u32)(ns >> 32) << 16);
		put(ns);
		break;
	default:
		put(head | (u32)some_ns(17) << 15);
	}
	for (i = 0; i < bytes + (bytes & 1); i++)
		piece[len++] = rnd();
	return true;
}

static void make_piece(void)
{
	const u32 longest = rnd() % 3 ? 16 : 200;
	u32 n, form, type, bytes;
	bool room = true;

	len = 0;
	while (room && rnd() % 50) {
		type = 1 + rnd() % 4;
		bytes = rnd() % longest;
		form = rnd() % 3 ? bytes : 124 + rnd() % 4;
		if (form == bytes && bytes > 119)
			form = 125;
		/* Often several with the same head */
		for (n = rnd() % 2 ? 1 : 1 + rnd() % 20; n && room; n--)
			room = put_record(form, type, bytes);
	}
}

static struct lane_event wanted[MOST];
static bool wants[256];

/* Which events of the piece are wanted, one by one. */
static u32 list(u16 cpu, u64 base)
{
	struct lane_event ev = { .cpu = cpu };
	u64 time = base;
	u32 at = 0, n = 0;

	while (lane_next(piece, &at, len, &time, &ev) > 0)
		if (wants[ev.type])
			wanted[n++] = ev;
	return n;
}

static bool same(const struct lane_event *a, const struct lane_event *b)
{
	return a->time == b->time && a->cpu == b->cpu && a->type == b->type &&
	       a->flags == b->flags && a->severity == b->severity && a->len == b->len &&
	       !memcmp(a->data, b->data, a->len);
}

static void check(u16 cpu, u64 base)
{
	/* Exactly this long, so that the sanitizer finds each byte beyond it. */
	u8 *to = malloc(len ?: 1);
	struct lane_copy c = { .to = to, .time = base, .cpu = cpu };
	struct lane_group g = { .time = base, .ev.cpu = cpu };
	struct lane_event ev = { .cpu = cpu };
	u32 n = list(cpu, base), i = 0, at = 0, records = 0;
	u64 time = base;
	int ret;

	while (lane_group_next(piece, len, &g) > 0) {
		if (wants[g.ev.type])
			lane_copy_add(&c, piece, &g);
		else
			lane_copy_skip(&c);
		records++;
	}
	if (c.nr != n || c.len > len)
		ksft_exit_fail_msg("seed: %u events and %u bytes, not %u of %u\n", c.nr, c.len, n,
				   len);
	while ((ret = lane_next(to, &at, c.len, &time, &ev)) > 0) {
		if (ev.type == DEVTRACE_T_EMPTY)
			continue;
		if (i == n || !same(&ev, &wanted[i]))
			ksft_exit_fail_msg("event %u of %u is another one\n", i, n);
		i++;
	}
	if (ret || i != n)
		ksft_exit_fail_msg("%u of %u events, then %d\n", i, n, ret);
	free(to);
}

static void copies_have_what_is_wanted(void)
{
	u32 i, k;

	for (i = 0; i < ROUNDS; i++) {
		for (k = 1; k < 5; k++)
			wants[k] = rnd() % 2;
		make_piece();
		/* A time that saturates, too */
		check(rnd() % 5, rnd() % 8 ? some_ns(60) : ~0ULL - some_ns(50));
	}
	ksft_test_result_pass("copies_have_what_is_wanted\n");
}

/* Records of one form, of which each second one is left out, at the ends of each form's time. */
static void no_copy_is_longer(void)
{
	static const u64 times[] = {
		0, 1, 0x1ffff, 0x20000, 0xffffffff, 0x100000000, 0xffffffffffff,
	};
	u32 i, k, n;

	wants[1] = true;
	wants[2] = false;
	for (i = 0; i < 7; i++) {
		for (k = 0; k < 7; k++) {
			len = 0;
			for (n = 0; n < 100; n++) {
				const u64 ns = times[n % 2 ? k : i];
				const u32 type = 1 + (n + 1) % 2;

				if (ns <= 0x1ffff) {
					put(type << 7 | (u32)ns << 15);
				} else if (ns <= 0xffffffff) {
					put(type << 7 | 125);
					put(ns);
				} else {
					put(type << 7 | 127);
					put((u32)(ns >> 32) << 16);
					put(ns);
				}
			}
			check(0, 0);
		}
	}
	ksft_test_result_pass("no_copy_is_longer\n");
}

int main(void)
{
	const char *s = getenv("SEED");

	seed = s && *s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL);
	seed = seed ?: 1;
	printf("# SEED=%llu\n", (unsigned long long)seed);
	ksft_print_header();
	ksft_set_plan(2);
	copies_have_what_is_wanted();
	no_copy_is_longer();
	ksft_finished();
}
