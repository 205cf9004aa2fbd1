/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compact.h - compact frames: shared by the encoder and the decoder
 *
 * Private to the library. See "Compact frames" in Documentation/wire-format.rst. In short: encoder
 * and decoder keep a few slots with the origins of events (thread, CPU or lane, context). If an
 * event's origin is in a slot, the frame contains the number of the slot instead. The check also
 * covers the original header, so a header that is rebuilt wrongly is found like any damage.
 */
#ifndef DT_COMPACT_H
#define DT_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#include "wire/bytes.h"

#define DT_COMPACT_SLOTS	7
/* A decoder understands a compact frame if at most this many frames are missing before it. */
#define DT_COMPACT_BEAR		4
#define DT_HEADER		sizeof(struct devtrace_wire_event)
/*
 * The CRC of a compact frame is computed over four more bytes and then the frame. The four bytes
 * are the CRC-32 of the original event header. They are not sent: the decoder computes them from
 * the header that it has rebuilt.
 */
#define DT_COMPACT_BEFORE	4

/* First byte of a compact body. */
#define DT_COMPACT_SLOT		0x07 /* slot number; DT_COMPACT_MORE: the next byte contains it */
#define DT_COMPACT_MORE		0x07
/* bytes of the time stamp minus 2; 3: 8 bytes, then the origin */
#define DT_COMPACT_TIME		0x18
#define DT_COMPACT_TIME_SHIFT	3
#define DT_COMPACT_FLAGS	0x20	/* a byte with flags and severity follows */
#define DT_COMPACT_VARINT	0x40	/* numbers longer than a byte are varints */

/* Second byte, before flags and severity. The bits of the mask 0x70 are 0. */
#define DT_MORE_SLOT		0x07
#define DT_MORE_ORIGIN		0x08	/* the slot's origin follows */
/* two formats do not share a byte: each takes one, as in other frames */
#define DT_MORE_ALONE		0x80
#define DT_MORE_ALL		(DT_MORE_SLOT | DT_MORE_ORIGIN | DT_MORE_ALONE)

/*
 * Flags and severity in one byte: the flags that do not belong to the origin, shifted left by one.
 */
#define DT_FLAGS_SHIFT		1
#define DT_FLAGS_SEVERITY	0x0f

/* bytes for a value of 64 bits: the first eight bytes hold 7 bits each, the last one holds 8 */
#define DT_VARINT_MAX		9

/* The part of an event's header that the number of a slot replaces. */
struct dt_origin {
	uint8_t		flags;
	uint16_t	source;
	uint32_t	tid;
};

#define DT_ORIGIN_FLAGS	(DEVTRACE_F_CONTEXT | DEVTRACE_F_USER)

/*
 * The decoder's copy of the encoder's state.
 * @slots.known: the slot has an origin
 * @slots.missing, @missing: number of frames missing since the slot, or @ts, was last confirmed
 * @timed: true once an event was received; @ts is its time stamp
 */
struct dt_compact_known {
	struct {
		struct dt_origin	origin;
		bool			known;
		uint32_t		missing;
	} slots[DT_COMPACT_SLOTS];
	bool		timed;
	uint32_t	missing;
	uint64_t	ts;
};

static inline bool dt_is_event(uint8_t type)
{
	return !devtrace_type_is_transport(type);
}

static inline bool dt_is_compact(uint8_t type, const uint8_t *body, size_t len)
{
	return len && body[0] & DEVTRACE_COMPACT && dt_is_event(type);
}

static inline void dt_put_le(uint8_t *p, uint64_t v, unsigned int n)
{
	while (n--) {
		*p++ = (uint8_t)v;
		v >>= 8;
	}
}

/*
 * A varint has seven bits in each byte, lowest first; bit 7 is set if more bytes follow. The ninth
 * byte has eight bits.
 */
static inline uint8_t *dt_put_varint(uint8_t *p, uint64_t v)
{
	for (int i = 1; v >= 0x80 && i < DT_VARINT_MAX; i++, v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* Move the sign to the lowest bit, so that small absolute values become small numbers. */
static inline uint64_t dt_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t dt_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

/* How a frame with varints writes an element. */
enum dt_short {
	DT_SHORT_NOT,
	DT_SHORT_UNSIGNED,
	DT_SHORT_SIGNED,	/* folded */
	DT_SHORT_SIG,		/* signal as unsigned, address as signed */
};

static inline enum dt_short dt_short(uint8_t type)
{
	switch (type) {
	case DEVTRACE_E_U16:
	case DEVTRACE_E_U32:
	case DEVTRACE_E_U64:
	case DEVTRACE_E_X32:
		return DT_SHORT_UNSIGNED;
	/* Addresses of the kernel have all high bits set, so they are short as signed numbers. */
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
	case DEVTRACE_E_I16:
	case DEVTRACE_E_I32:
	case DEVTRACE_E_I64:
		return DT_SHORT_SIGNED;
	case DEVTRACE_E_SIG:
		return DT_SHORT_SIG;
	default:
		return DT_SHORT_NOT;
	}
}

/*
 * Expand a compact body to @full, header and payload, at most @size bytes. @missing: number of
 * frames missing just before this frame. @sure: the caller will check the result with a CRC, so
 * state that may be out of date can be used. Return the length of the result, 0 if the body is
 * malformed, or DT_COMPACT_LACKS if the needed state is unknown.
 */
#define DT_COMPACT_LACKS	SIZE_MAX
size_t dt_compact_expand(const struct dt_compact_known *k, uint32_t missing, bool sure,
			 const uint8_t *body, size_t len, uint8_t *full, size_t size);

/*
 * Update the state with the body of an intact event, which dt_compact_expand() expanded to @full.
 */
void dt_compact_learn(struct dt_compact_known *k, const uint8_t *body, const uint8_t *full);

static inline unsigned int dt_compact_slot(const uint8_t *body)
{
	return (body[0] & DT_COMPACT_SLOT) == DT_COMPACT_MORE ?
	       body[1] & DT_MORE_SLOT : body[0] & DT_COMPACT_SLOT;
}

/* Note that @n more frames are missing. */
void dt_compact_missing(struct dt_compact_known *k, uint64_t n);

/* The stream begins or is announced again: forget all state, because the stream will repeat it. */
static inline void dt_compact_forget(struct dt_compact_known *k)
{
	*k = (struct dt_compact_known){ 0 };
}

#endif
