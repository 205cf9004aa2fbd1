/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dttest.h - what a numbered event looks like, for those who write and read
 *
 * An event is made of its tag (who wrote it) and its number alone, so whoever
 * finds it in a stream knows every byte that has to be there:
 *
 *	U32 tag, U32 number, MEM pieces of pattern, X32 hash
 *
 * The numbers of one tag begin at 0 and have no holes, so what is missing is
 * known too.
 */
#ifndef DTTEST_H
#define DTTEST_H

#include <linux/types.h>

/* Writers on one CPU; the event type is DTTEST_TYPE + class. */
enum dttest_class {
	DTTEST_TASK,
	DTTEST_SOFTIRQ,
	DTTEST_IRQ,
	DTTEST_NMI,
	DTTEST_CLASSES,
	DTTEST_USER = DTTEST_CLASSES,	/* a program */
};

#define DTTEST_TYPE		192	/* DEVTRACE_T_USER2 */
/* Emitted when something is written to the parameter "pointers". */
#define DTTEST_TYPE_POINTERS	200
#define DTTEST_SIG_POINTERS	7
/* Emitted by callbacks of dtwatch.ko, and what it takes for nothing else. */
#define DTWATCH_ECHO		211
#define DTWATCH_OTHER		212

/* Pattern that fits into one event of the kernel's record builder. */
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

/*
 * Bytes of pattern: mostly none or few; up to max where hash & heavy is 0.
 */
static inline __u32 dttest_len(__u32 hash, __u32 max, __u32 heavy)
{
	__u32 few = max < 32 ? max : 32;

	if (!(hash & heavy))
		return (hash >> 8) % (max + 1);
	return hash & 0x80 ? 0 : (hash >> 8) % (few + 1);
}

/* Many of them are the bytes that framing has to escape. */
static inline __u8 dttest_byte(__u32 hash, __u32 i)
{
	__u32 x = (hash ^ i * 0x01000193u) >> (i & 15);

	if (!(x & 6))
		return 0x7d + (x & 1);
	return x;
}

#endif /* DTTEST_H */
