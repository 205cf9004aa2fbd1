/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of nearly all events: short ones whose check is sum8
 *
 * Such a frame is built from words in registers. While each word is stored, its bytes are summed
 * and searched for bytes that need an escape, by wire_look(). The part that consecutive frames
 * share is summed once, see struct wire_head. If a byte needs an escape, wire_event.c escapes the
 * frame.
 *
 * The functions are inline, so that the files that find events need no call.
 */
#ifndef DEVTRACE_WIRE_QUICK_H
#define DEVTRACE_WIRE_QUICK_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/devtrace.h>

#include "compat/compat.h"
#include "wire.h"

/* Longest payload of such a frame. */
#define WIRE_QUICK_MOST	64U
/* Flag in the value of wire_quick(): a byte may need an escape. */
#define WIRE_ESCAPES	BIT(31)
/* Flag in the value of wire_lane_event(): the frame has neither check nor flag. */
#define WIRE_BEGUN	BIT(30)

#define WIRE_BYTES(b)	(0x0101010101010101ULL * (b))

/*
 * Clear the upper bit of each byte that may need an escape, and set it in all other bytes. The flag
 * and the escape byte need an escape. The bit is also clear for 7F, and for 7C after a byte above
 * FB, although these bytes need no escape. The result is ~(word + 03 in each byte) | word. In the
 * sum, a byte has its upper bit set if the byte is 7D or more, or is 7C and gets a carry from the
 * byte before it.
 */
static __always_inline u64 wire_plain(u64 word)
{
	BUILD_BUG_ON(DEVTRACE_ESCAPE != 0x7d || DEVTRACE_FLAG != 0x7e);
	return (WIRE_BYTES(0xff - (0x80 - DEVTRACE_ESCAPE)) - word) | word;
}

/**
 * struct wire_sums - sums of the bytes of some words
 * @plain: the words combined by wire_plain()
 * @all: sum of the words
 * @evens: four sums, of 16 bits each: bytes 0, 2, 4 and 6 of all words
 *
 * @all is @evens plus 256 times the sums of the odd bytes, so the sums of the odd bytes follow from
 * @all and @evens.
 */
struct wire_sums {
	u64	plain, all, evens;
};

static __always_inline void wire_look(u64 word, struct wire_sums *s)
{
	s->plain &= wire_plain(word);
	s->all += word;
	s->evens += word & 0x00ff00ff00ff00ffULL;
}

/* Return the sum of all bytes. The multiplication adds the four sums in its upper 16 bits. */
static __always_inline u8 wire_sum(const struct wire_sums *s)
{
	u64 ones = 0x0001000100010001ULL;

	/* A multiplication takes fewer instructions than the shifts that GCC would use instead. */
	OPTIMIZER_HIDE_VAR(ones);
	return (s->evens + ((s->all - s->evens) >> 8)) * ones >> 48;
}

static __always_inline bool wire_may_escape(u64 plain)
{
	return unlikely(~plain & WIRE_BYTES(0x80));
}

static __always_inline bool wire_is_special(u8 b)
{
	return unlikely((u8)(b - DEVTRACE_ESCAPE) < 2);
}

/**
 * wire_quick() - write the frame of an event after @head
 * @w: frames of the reader, whose check is sum8
 * @h: beginning of the frame
 * @ts: time of the event, less than 2^56 ns
 * @type: type of the event
 * @data: payload of the event; up to 8 bytes before it may be loaded
 * @n: bytes of payload, up to WIRE_QUICK_MOST
 *
 * If the payload is overwritten meanwhile, the frame must not be sent.
 *
 * Return: number of bytes, with the flag, for wire_quick_send().
 */
static __always_inline u32 wire_quick(struct wire *w, const struct wire_head *h, u64 ts, u8 type,
				      const u8 *data, unsigned long n)
{
	u8 *frame = w->buf + w->head, *to = frame + 2 + sizeof(struct devtrace_wire_event);
	const unsigned long rest = n % sizeof(u64);
	unsigned long i = n - rest;
	const u8 seq = wire_seq(w);
	struct wire_sums sums = { .plain = ~0ULL };
	u64 word, last;
	u8 check;

	BUILD_BUG_ON(WIRE_QUICK_MOST + sizeof(struct devtrace_wire_event) >= 255);
	put_unaligned_le16(seq | (u16)type << 8, frame);
	put_unaligned_le64(h->word, frame + 2);
	put_unaligned_le64(ts, frame + 2 + sizeof(u64));
	wire_look(ts | (u64)type << 56, &sums);
	/*
	 * Bytes of the payload after the last whole word. They may be overwritten meanwhile: see
	 * the comment of this function.
	 */
	last = data_race(get_unaligned_le64(data + n - sizeof(u64)));
	last = last >> 1 >> (63 ^ rest * 8);
	/*
	 * Append the length byte. For a length this short, it is the value of DEVTRACE_BODY_LEN().
	 */
	last |= (u64)(n + sizeof(struct devtrace_wire_event) + 1) << rest * 8;
	wire_look(last, &sums);
	put_unaligned_le64(last, to + i);
	for (; i; i -= sizeof(u64)) {
		/* may be overwritten meanwhile: see above */
		word = data_race(get_unaligned((const u64 *)(data + i) - 1));
		wire_look(word, &sums);
		put_unaligned(word, (u64 *)(to + i) - 1);
	}
	check = ~(wire_sum(&sums) + h->sum + seq);
	put_unaligned_le16(check | DEVTRACE_FLAG << 8, to + n + 1);
	n += to - frame + 3;
	if (wire_may_escape(sums.plain & h->plain))
		n |= WIRE_ESCAPES;
	if (wire_is_special(seq) || wire_is_special(check))
		n |= WIRE_ESCAPES;
	return n;
}

/* Count a frame whose @n bytes, with the flag, are final. */
static __always_inline void wire_sent(struct wire *w, u32 n)
{
	w->head += n;
	w->bytes += n;
	w->frames++;
}

/* Send the frame that wire_quick() has written. */
static __always_inline void wire_quick_send(struct wire *w, u32 n)
{
	if (unlikely(n & WIRE_ESCAPES))
		wire_send_escaped(w, w->buf + w->head, (n & ~WIRE_ESCAPES) - 1);
	else
		wire_sent(w, n);
}

#endif /* DEVTRACE_WIRE_QUICK_H */
