/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dttest.h - the format of numbered events, for writers and readers
 *
 * The tag (the writer) and the number determine the whole event, so a reader can check each
 * byte:
 *
 *	U32 tag, U32 number, MEM pieces of pattern, X32 hash
 *
 * The numbers of a tag begin at 0 without gaps, so missing events are noticed.
 */
#ifndef DTTEST_H
#define DTTEST_H

#include <linux/types.h>

/* Writers of a CPU; the event type is DTTEST_TYPE + class. */
enum dttest_class {
	DTTEST_TASK,
	DTTEST_SOFTIRQ,
	DTTEST_IRQ,
	DTTEST_NMI,
	DTTEST_CLASSES,
	DTTEST_USER = DTTEST_CLASSES,	/* a program */
};

#define DTTEST_TYPE		192	/* DEVTRACE_T_USER2 */
/* Emitted when the parameter "pointers" is written. */
#define DTTEST_TYPE_POINTERS	200
#define DTTEST_SIG_POINTERS	7
/* Emitted by callbacks of dtwatch.ko, and a type that it ignores. */
#define DTWATCH_ECHO		211
#define DTWATCH_OTHER		212

/* Longest pattern that fits into an event of the kernel's record builder. */
#define DTTEST_MAX_LEN		230

static inline __u32 dttest_tag(__u32 class, __u32 who)
{
	return class << 16 | who;
}

static inline __u32 dttest_hash(__u32 tag, __u32 nr)
{
	__u32 h = tag * 0x9e3779b1u ^ nr;

	h = (h ^ h >> 16) * 0x85ebca6bu;
	h = (h ^ h >> 13) * 0xc2b2ae35u;
	return h ^ h >> 16;
}

/* Bytes of pattern: mostly none or few; up to @max if hash & heavy is 0. */
static inline __u32 dttest_len(__u32 hash, __u32 max, __u32 heavy)
{
	__u32 few = max < 32 ? max : 32;

	if (!(hash & heavy))
		return (hash >> 8) % (max + 1);
	return hash & 0x80 ? 0 : (hash >> 8) % (few + 1);
}

/* Many of the bytes need an escape in the framing. */
static inline __u8 dttest_byte(__u32 hash, __u32 i)
{
	__u32 x = (hash ^ i * 0x01000193u) >> (i & 15);

	if (!(x & 6))
		return 0x7d + (x & 1);
	return x;
}

#endif /* DTTEST_H */
