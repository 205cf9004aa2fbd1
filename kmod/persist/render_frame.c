// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of a frame: number, length, sum, escapes and flag
 *
 * A frame is built in place. Then one pass over its words sums them and looks for bytes to escape,
 * which few frames have. Recovering a region spends most of its time here.
 */
#include "render_priv.h"

/* Longer frames are summed byte by byte: the 16-bit sums of frame_sum() could overflow. */
#define FRAME_WORDS	512
#define EACH_BYTE	0x0101010101010101ULL
#define TOP		(EACH_BYTE << 7)
/* Bytes at even places of a word. */
#define EVEN		0x00ff00ff00ff00ffULL

/* Make room for the next frame. Without memory, the frame is built in @spare and dropped. */
u8 *render_grow(struct render *r)
{
	struct persist_out *o = r->o;

	r->full |= !o->grow(o, FRAME_ROOM);
	r->raw = r->full ? r->spare : o->buf + o->n;
	return r->raw + 2;
}

/*
 * Set bit 7 of each byte that is a flag or an escape, and rarely of another byte. The other bits
 * of the result mean nothing.
 */
static inline u64 special_in(u64 word)
{
	return (word + EACH_BYTE * (0x80 - DEVTRACE_ESCAPE)) & ~word;
}

/*
 * Sum the bytes of a frame; set @special if some byte may be a flag or an escape. @even sums the
 * bytes at even places in fields of 16 bits. @all - @even has the sums of the bytes at odd places;
 * its topmost field loses only upper bits, which are not needed.
 */
static inline u8 frame_sum(const u8 *p, const u8 *end, bool *special)
{
	u64 all = 0, even = 0, found = 0, word, next;

	for (; p < end; p += FRAME_MORE) {
		memcpy(&word, p, sizeof(word));
		memcpy(&next, p + sizeof(word), sizeof(next));
		all += word + next;
		even += (word & EVEN) + (next & EVEN);
		found |= special_in(word) | special_in(next);
	}
	*special = found & TOP;
	return ((even + ((all - even) >> 8)) * 0x0001000100010001ULL) >> 48;
}

/* Escape each flag byte and escape byte; return the new length. Few frames need this. */
static noinline u32 add_escapes(struct render *r, u32 n)
{
	const u8 *from = r->spare, *const end = from + n;
	u8 *to = r->raw;
	u64 word;
	u32 i;
	u8 b;

	/* Bytes behind the frame are copied, too, but not sent. */
	put_bytes(r->spare, r->raw, n + sizeof(word));
	while (from < end) {
		memcpy(&word, from, sizeof(word));
		if (!(special_in(word) & TOP)) {
			memcpy(to, &word, sizeof(word));
			to += sizeof(word);
			from += sizeof(word);
			continue;
		}
		for (i = 0; i < sizeof(word); i++) {
			b = *from++;
			*to = b;
			if (unlikely(b == DEVTRACE_FLAG || b == DEVTRACE_ESCAPE)) {
				*to++ = DEVTRACE_ESCAPE;
				*to = b ^ DEVTRACE_ESCAPE_XOR;
			}
			to++;
		}
	}
	/* Subtract the zeros after the frame, which were copied with its last word. */
	return to - (from - end) - r->raw;
}

/* The sum of a long frame. */
static noinline u8 slow_sum(const u8 *p, u32 n)
{
	u8 sum = 0;

	while (n--)
		sum += *p++;
	return sum;
}

void render_send(struct render *r, u8 type, const u8 *end)
{
	u8 *const raw = r->raw;
	u32 n = end - raw;
	bool special = true;
	u8 sum;

	raw[0] = 1 + r->frames++;
	raw[1] = type;
	raw[n] = DEVTRACE_BODY_LEN(n - 2);
	n++;
	/* Zero the bytes after the frame that frame_sum() also adds. */
	memset(raw + n, 0, FRAME_MORE);
	sum = ~(likely(n <= FRAME_WORDS) ? frame_sum(raw, raw + n, &special) : slow_sum(raw, n));
	raw[n++] = sum;
	if (unlikely(r->full))
		return;
	if (unlikely(special || sum == DEVTRACE_FLAG || sum == DEVTRACE_ESCAPE))
		n = add_escapes(r, n);
	raw[n++] = DEVTRACE_FLAG;
	r->o->n += n;
}

void render_lost(struct render *r, u16 number, u64 last, u8 cause, u64 n, u64 to)
{
	u8 *p = put_le(render_body(r), number, 2);

	if (!n)
		return;
	p = put_le(p, cause, 2);
	p = put_le(p, n, 8);
	p = put_le(p, last, 8);
	render_send(r, DEVTRACE_T_LOST, put_le(p, to, 8));
	r->a->lost += n;
}
