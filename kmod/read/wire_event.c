// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of events that wire_quick.h cannot make, and the end of any frame
 *
 * A frame is built in the buffer from which it is sent. One loop over its words sums its bytes and
 * looks for bytes to escape. If there are any, which is rare, the frame is copied to another
 * buffer and escaped from there into the first.
 *
 * Invariants: After @head, the buffer has room for the longest frame and a word. Stores of whole
 * words may reach past the end of a frame, and the next frame overwrites the excess bytes. The
 * reader never gets bytes after @head.
 */
#include <linux/bitops.h>
#include <linux/crc-ccitt.h>
#include <linux/crc32.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "hide.h"
#include "lane/slot.h"
#include "wire.h"
#include "wire_quick.h"

/* Up to this length in bytes, copying words one by one is faster than memcpy(). */
#define PAYLOAD_BY_WORDS	64
/*
 * Maximum length in bytes for which wire_sum() is exact: its multiplication adds up three of the
 * four 16-bit sums below the upper 16 bits, and this partial sum must not carry into them.
 */
#define SUM_BYTES		336

static u8 *put_byte(u8 *out, u8 b)
{
	if (unlikely(b == DEVTRACE_FLAG || b == DEVTRACE_ESCAPE)) {
		*out++ = DEVTRACE_ESCAPE;
		b ^= DEVTRACE_ESCAPE_XOR;
	}
	*out++ = b;
	return out;
}

/* Send the frame of @n bytes after @head, without its flag. Its bytes may need escapes. */
void wire_send_escaped(struct wire *w, u8 *frame, unsigned int n)
{
	const u8 *raw = w->raw, *end = frame + n;
	u8 *out = frame;
	unsigned int i;
	u64 word, hits;

	/* Skip the words before the first byte that needs an escape; they stay in place. */
	while (out < end && !wire_may_escape(wire_plain(get_unaligned_le64(out))))
		out += sizeof(word);
	out = min_t(u8 *, out, frame + n);
	n = end - out;
	end = raw + n;
	for (i = 0; i < n; i += sizeof(word))
		put_unaligned(get_unaligned((u64 *)(out + i)), (u64 *)(w->raw + i));
	while (raw < end) {
		word = get_unaligned_le64(raw);
		put_unaligned_le64(word, out);
		hits = ~wire_plain(word) & WIRE_BYTES(0x80);
		i = hits ? __ffs64(hits) / BITS_PER_BYTE : sizeof(word);
		raw += i;
		out += i;
		if (hits && raw < end)
			out = put_byte(out, *raw++);
	}
	/* The last word may have reached past the end: step back. */
	out -= raw - end;
	*out++ = DEVTRACE_FLAG;
	wire_sent(w, out - frame);
}

/* Send a frame of @n bytes that ends with a CRC, or that is longer than SUM_BYTES. */
static noinline void send_checked(struct wire *w, u8 *frame, unsigned int n)
{
	unsigned int i;
	u8 sum = 0;

	switch (w->check) {
	case DEVTRACE_CHECK_CRC16:
		put_unaligned_le16(~crc_ccitt(0xffff, frame, n), frame + n);
		n += 2;
		break;
	case DEVTRACE_CHECK_CRC32:
		put_unaligned_le32(~crc32_le(~0, frame, n), frame + n);
		n += 4;
		break;
	default:
		for (i = 0; i < n; i++)
			sum += frame[i];
		frame[n++] = ~sum;
	}
	wire_send_escaped(w, frame, n);
}

/*
 * DEVTRACE_BODY_LEN() for lengths below 65535, without a division, for which some CPUs have no
 * instruction.
 */
static __always_inline u8 body_len(unsigned int len)
{
	return len + ((len + 1 + (len >> 8)) >> 8) + 1;
}

/* Write number, type and length byte around a body of @len bytes. Return the end. */
static __always_inline u8 *put_around(struct wire *w, u8 *frame, u8 type, unsigned int len)
{
	frame[0] = wire_seq(w);
	frame[1] = type;
	frame[2 + len] = body_len(len);
	return frame + 2 + len + 1;
}

/* Make a frame of the body, which has @len bytes, and send it. */
void wire_send(struct wire *w, u8 type, unsigned int len)
{
	u8 *frame = w->buf + w->head;

	send_checked(w, frame, put_around(w, frame, type, len) - frame);
}

/* Does the same as wire_send(), faster for events. */
static noinline void send_event(struct wire *w, u8 *frame, u8 type, unsigned int len)
{
	u8 *p = frame, *end = put_around(w, frame, type, len);
	struct wire_sums sums = { .plain = ~0ULL };

	BUILD_BUG_ON(3 * SUM_BYTES / sizeof(u64) * 2 * 0xff > U16_MAX);
	if (unlikely(len > SUM_BYTES - 3 || w->check != DEVTRACE_CHECK_SUM8)) {
		send_checked(w, frame, end - frame);
		return;
	}
	put_unaligned(0ULL, (u64 *)end);
	do {
		wire_look(get_unaligned((u64 *)p), &sums);
		p += sizeof(u64);
	} while (p < end);
	*end = ~wire_sum(&sums);
	end++;
	if (wire_may_escape(sums.plain) || wire_is_special(end[-1])) {
		wire_send_escaped(w, frame, end - frame);
		return;
	}
	*end++ = DEVTRACE_FLAG;
	wire_sent(w, end - frame);
}

static __always_inline u64 head_word(u8 flags, u8 severity, u16 source, u32 tid)
{
	BUILD_BUG_ON(sizeof(struct devtrace_wire_event) != 2 * sizeof(u64) ||
		     offsetof(struct devtrace_wire_event, severity) != 1 ||
		     offsetof(struct devtrace_wire_event, source) != 2 ||
		     offsetof(struct devtrace_wire_event, tid) != 4 ||
		     offsetof(struct devtrace_wire_event, ts) != 8);
	return (u64)tid << 32 | (u32)source << 16 | (u32)severity << 8 | flags;
}

/**
 * wire_head_set() - set the beginning of the frames of one thread and CPU
 * @h: filled in
 * @flags: flags of the events
 * @severity: severity byte of the events
 * @source: number of the CPU or lane
 * @tid: the thread
 */
void wire_head_set(struct wire_head *h, u8 flags, u8 severity, u16 source, u32 tid)
{
	struct wire_sums sums = { .plain = ~0ULL };

	h->word = head_word(flags, severity, source, tid);
	wire_look(h->word, &sums);
	h->plain = sums.plain;
	h->sum = wire_sum(&sums);
}

/* Write the beginning of an event frame's body. Return the place of the payload. */
static u8 *put_head(u8 *body, u64 word, u64 ts)
{
	put_unaligned_le64(word, body);
	put_unaligned_le64(ts, body + sizeof(u64));
	return body + sizeof(struct devtrace_wire_event);
}

static void hide_addresses(u8 *data, unsigned int len, u8 flags)
{
	unsigned int skip = 0;

	skip += flags & DEVTRACE_F_CODE ? 4 : 0;
	skip += flags & DEVTRACE_F_OBJSIG ? 4 : 0;
	if (skip < len)
		hide_in_elements(data + skip, len - skip);
}

/**
 * wire_event() - send an event of a ring
 * @w: frames of the reader
 * @rec: copy of the record; one word after it may be loaded
 * @source: number of the ring
 * @ts: the record's full time stamp, ns
 */
void wire_event(struct wire *w, const struct ring_record *rec, u16 source, u64 ts)
{
	const u8 flags = rec->who >> RING_WHO_CTX_SHIFT & 0x3f;
	/* Set the flag if peek_ring() in source_ring.c has corrected this time stamp. */
	const u8 late = (rec->word ^ ts) & RING_TS_MASK ? DEVTRACE_F_LATE : 0;
	const unsigned int len = rec->len;
	u8 *frame = w->buf + w->head, *data;
	unsigned int i;

	data = put_head(frame + 2, head_word(flags | late, rec->who >> RING_WHO_SEV_SHIFT, source,
					     rec->who & RING_WHO_TID), ts);
	if (likely(len <= PAYLOAD_BY_WORDS))
		for (i = 0; i < len; i += sizeof(u64))
			put_unaligned(get_unaligned((u64 *)(rec->data + i)), (u64 *)(data + i));
	else
		memcpy(data, rec->data, len);
	if (unlikely(flags & DEVTRACE_F_PTR) && !(flags & DEVTRACE_F_USER))
		hide_addresses(data, len, flags);
	send_event(w, frame, rec->word >> RING_TYPE_SHIFT,
		   sizeof(struct devtrace_wire_event) + len);
}

/*
 * Copy the payload by words. The last word overlaps the word before it, so no byte after the
 * payload is loaded.
 */
static void put_payload(u8 *to, const u8 *from, unsigned int n)
{
	unsigned int i;

	if (unlikely(n < sizeof(u64) || n > PAYLOAD_BY_WORDS)) {
		lane_copy_out(to, from, n);
		return;
	}
	for (i = 0; i < n - sizeof(u64); i += sizeof(u64))
		/*
		 * If the record is being overwritten, the caller notices this later and does not
		 * send the frame.
		 */
		data_race(memcpy(to + i, from + i, sizeof(u64)));
	/* as above */
	data_race(memcpy(to + n - sizeof(u64), from + n - sizeof(u64), sizeof(u64)));
}

/**
 * wire_lane_event() - begin the frame of an event of a lane
 * @w: frames of the reader
 * @h: beginning of the frame
 * @ts: time of the event, ns
 * @type: type of the event
 * @data: payload of the event
 * @len: bytes of payload
 *
 * Copies the payload, which may be overwritten meanwhile. If it was not, the caller sends the
 * frame with wire_lane_send().
 *
 * Return: @len with two flags, for wire_lane_send().
 */
u32 wire_lane_event(struct wire *w, const struct wire_head *h, u64 ts, u8 type, const u8 *data,
		    unsigned int len)
{
	u8 *body = wire_body(w);

	body[-1] = type;
	put_payload(put_head(body, h->word, ts), data, len);
	return len | WIRE_BEGUN | WIRE_ESCAPES;
}

/*
 * Send the frame that wire_lane_event() or wire_quick() began and for which it returned @frame.
 */
void wire_lane_send(struct wire *w, u32 frame)
{
	const u8 *body = wire_body(w);

	if (!IS_ENABLED(CONFIG_64BIT) || frame & WIRE_BEGUN)
		send_event(w, w->buf + w->head, body[-1],
			   sizeof(struct devtrace_wire_event) + (frame & U16_MAX));
	else
		wire_quick_send(w, frame);
}
