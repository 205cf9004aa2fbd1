/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count the plain records of a copy
 *
 * A record is plain if it has the short form and the filters want all events of its type. Nearly
 * all records are plain. Plain records are not parsed: only their number, their types and the sum
 * of their times are needed. The place of a record depends on the length of the record before it.
 * A loop that computes each place from this length has to wait for each load. Therefore three loops
 * predict the lengths:
 *
 *	lane_plain_alike()	all records have the length and type of the first one
 *	lane_plain_pattern()	the same few lengths and types come again and again
 *	lane_plain_mixed()	records of any lengths and types
 *
 * Invariants: Only bytes of the copy are loaded. The result is the same as that of lane_next() for
 * each record. selftests/lane and selftests/bench run this file in user space.
 */
#ifndef DEVTRACE_LANE_PLAIN_H
#define DEVTRACE_LANE_PLAIN_H

#include "lane_read.h"

/* Largest size of a record of the short form. */
#define LANE_PLAIN_MOST		((long)(sizeof(u32) + DEVTRACE_LANE_SHORT + 1))
/* If fewer consecutive records than this are alike, look for a pattern. */
#define LANE_PLAIN_ALIKE	4
/* Number of records in which a pattern is searched. A pattern has at most half as many records. */
#define LANE_PLAIN_LOOK		16U
/* If there is no pattern, lane_plain_mixed() counts the records in this many bytes. */
#define LANE_PLAIN_MIXED	1024

/**
 * struct lane_plain - state of a count
 * @limits: for each type, the payload of a plain record is shorter than this
 * @stored: for each type, counter of records
 * @end: end of the copy
 * @at: the next record
 * @ns: sum of the relative times
 */
struct lane_plain {
	const u8		*limits;
	unsigned long __percpu	*stored;
	const u8		*end;
	const u8		*at;
	u64			ns;
};

static __always_inline unsigned int lane_plain_type(u32 word)
{
	return word >> DEVTRACE_LANE_TYPE_SHIFT & 0xff;
}

static __always_inline bool lane_plain_is(const struct lane_plain *p, u32 word)
{
	return (word & 0x7f) < p->limits[lane_plain_type(word)];
}

static __always_inline u32 lane_plain_size(u32 word)
{
	return (sizeof(word) + (word & 0x7f) + 1) & ~1U;
}

/* Count plain records with the length and type of the first one. Return their number. */
static __always_inline u32 lane_plain_alike(struct lane_plain *p)
{
	const u32 word = lane_copied_word(p->at), size = lane_plain_size(word);
	const u8 *at = p->at, *last = p->end - size;
	u32 nr = 0, next = word;
	u64 ns = p->ns;

	if (unlikely(!lane_plain_is(p, word) || at > last))
		return 0;
	do {
		nr++;
		ns += next >> DEVTRACE_LANE_NS_SHIFT;
		at += size;
		/* Every record has at least one word. */
		if (at > last)
			break;
		next = lane_copied_word(at);
	} while (!((next ^ word) & LANE_HEAD));
	lane_count_add(&p->stored[lane_plain_type(word)], nr);
	p->at = at;
	p->ns = ns;
	return nr;
}

/**
 * struct lane_pattern - a sequence of records that repeats
 * @nr: number of records
 * @bytes: size of all of them
 * @heads: length and type of each record
 * @sizes: size of each record
 */
struct lane_pattern {
	u32	nr;
	u32	bytes;
	u32	heads[LANE_PLAIN_LOOK];
	u32	sizes[LANE_PLAIN_LOOK];
};

/* Find the shortest pattern of the next records. Return false unless all are plain and repeat. */
static __always_inline bool lane_pattern_find(const struct lane_plain *p, struct lane_pattern *f)
{
	const u8 *at = p->at;
	u32 i, word;

	for (i = 0; i < LANE_PLAIN_LOOK; i++) {
		if (p->end - at < LANE_PLAIN_MOST)
			return false;
		word = lane_copied_word(at);
		if (!lane_plain_is(p, word))
			return false;
		f->heads[i] = word & LANE_HEAD;
		f->sizes[i] = lane_plain_size(word);
		at += f->sizes[i];
	}
	for (f->nr = 2; f->nr <= LANE_PLAIN_LOOK / 2; f->nr++) {
		i = f->nr;
		while (i < LANE_PLAIN_LOOK && f->heads[i] == f->heads[i - f->nr])
			i++;
		if (i == LANE_PLAIN_LOOK)
			break;
	}
	if (f->nr > LANE_PLAIN_LOOK / 2)
		return false;
	f->bytes = 0;
	for (i = 0; i < f->nr; i++)
		f->bytes += f->sizes[i];
	return true;
}

/* Count plain records as long as they follow a pattern. Return their number; 0: no pattern. */
static __always_inline u32 lane_plain_pattern(struct lane_plain *p)
{
	struct lane_pattern f;
	u32 i = 0, k, rounds = 0, word;
	const u8 *at = p->at;
	u64 ns = p->ns;

	if (!lane_pattern_find(p, &f))
		return 0;
	while (p->end - at >= (long)f.bytes) {
		for (i = 0; i < f.nr; i++) {
			word = lane_copied_word(at);
			if (unlikely((word ^ f.heads[i]) & LANE_HEAD))
				goto other;
			ns += word >> DEVTRACE_LANE_NS_SHIFT;
			at += f.sizes[i];
		}
		rounds++;
	}
	i = 0;
other:
	for (k = 0; k < f.nr; k++)
		lane_count_add(&p->stored[lane_plain_type(f.heads[k])], rounds + (k < i));
	p->at = at;
	p->ns = ns;
	return rounds * f.nr + i;
}

/*
 * Count plain records that begin at or before @stop. These records end within the copy. Return
 * their number. A branch for each of two sizes lets the CPU predict where the next record begins.
 */
static __always_inline u32 lane_plain_mixed(struct lane_plain *p, const u8 *stop)
{
	u32 nr = 0, word, size, one = 0, two = 0;
	const u8 *at = p->at;
	u64 ns = p->ns;

	do {
		word = lane_copied_word(at);
		if (unlikely(!lane_plain_is(p, word)))
			break;
		lane_count_add(&p->stored[lane_plain_type(word)], 1);
		nr++;
		ns += word >> DEVTRACE_LANE_NS_SHIFT;
		size = lane_plain_size(word);
		if (size == one) {
			/* Keep the compiler from adding @size, which depends on the load. */
			OPTIMIZER_HIDE_VAR(one);
			at += one;
		} else if (size == two) {
			OPTIMIZER_HIDE_VAR(two);
			at += two;
		} else {
			two = one;
			one = size;
			at += size;
		}
	} while (at <= stop);
	p->at = at;
	p->ns = ns;
	return nr;
}

/* Count plain records up to the first other record, or the end. Return their number. */
static __always_inline u32 lane_plain_count(struct lane_plain *p)
{
	u32 all = 0, nr;

	while (p->end - p->at >= (long)sizeof(u32)) {
		nr = lane_plain_alike(p);
		if (!nr)
			break;
		all += nr;
		if (nr >= LANE_PLAIN_ALIKE || p->end - p->at < LANE_PLAIN_MOST)
			continue;
		nr = lane_plain_pattern(p);
		if (!nr)
			nr = lane_plain_mixed(p, p->at + min(p->end - p->at - LANE_PLAIN_MOST,
							     (long)LANE_PLAIN_MIXED));
		all += nr;
	}
	return all;
}

#endif /* DEVTRACE_LANE_PLAIN_H */
