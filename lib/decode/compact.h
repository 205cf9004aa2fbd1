/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compact.h - compact frames: what the encoder and the decoder have in common
 *
 * Private to the library. Documentation/wire-format.rst, "Compact frames", has the layout
 * and the argument. In short: the header of an event is said by a number where it was said
 * before, and the check of the frame is over the whole header, so that a header that is
 * put together wrongly is found like any damage.
 */
#ifndef DT_COMPACT_H
#define DT_COMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#include "wire/bytes.h"

#define DT_COMPACT_SLOTS	7
/* So many frames may be missing, and what follows them is understood all the same. */
#define DT_COMPACT_BEAR		4
#define DT_HEADER		sizeof(struct devtrace_wire_event)
/* CRC-16 and CRC-32 of a compact frame are over the CRC-32 of its header, then the frame. */
#define DT_COMPACT_BEFORE	4

/* The first byte of a compact body. */
#define DT_COMPACT_SLOT		0x07	/* or DT_COMPACT_MORE: a byte more follows */
#define DT_COMPACT_MORE		0x07
#define DT_COMPACT_TIME		0x18	/* bytes of it, less 2; all: 8 bytes, and the origin */
#define DT_COMPACT_TIME_SHIFT	3
#define DT_COMPACT_FLAGS	0x20	/* a byte with flags and severity follows */
#define DT_COMPACT_VARINT	0x40	/* numbers of more than a byte are as short as can be */

/* The byte more, which comes before flags and severity. Bits 70 are 0. */
#define DT_MORE_SLOT		0x07
#define DT_MORE_ORIGIN		0x08	/* what the slot stands for follows */
#define DT_MORE_ALONE		0x80	/* formats are as ever, one to a byte */
#define DT_MORE_ALL		(DT_MORE_SLOT | DT_MORE_ORIGIN | DT_MORE_ALONE)

/* Flags and severity in one byte: all flags that no slot stands for, one bit higher. */
#define DT_FLAGS_SHIFT		1
#define DT_FLAGS_SEVERITY	0x0f

#define DT_VARINT_MAX		9	/* bytes of 64 bits: the last has eight of them */

/* The meaning of a slot. */
struct dt_origin {
	uint8_t		flags;		/* DT_ORIGIN_FLAGS */
	uint16_t	source;
	uint32_t	tid;
};

#define DT_ORIGIN_FLAGS	(DEVTRACE_F_CONTEXT | DEVTRACE_F_USER)

/*
 * The state of a decoder.
 * @known: the slot was said once
 * @missing: frames since this was last seen to hold
 * @timed: there was an event, at @ts
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

/* Seven bits a byte, the lowest first; bit 80: there are more. The ninth byte has eight bits. */
static inline uint8_t *dt_put_varint(uint8_t *p, uint64_t v)
{
	for (int i = 1; v >= 0x80 && i < DT_VARINT_MAX; i++, v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* Small where v is near 0 or, all high bits set, below it: the sign is the lowest bit. */
static inline uint64_t dt_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t dt_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

/* How an element is written where integers are short. */
enum dt_short {
	DT_SHORT_NOT,
	DT_SHORT_UNSIGNED,
	DT_SHORT_SIGNED,	/* folded */
	DT_SHORT_SIG,		/* two of them: unsigned, and an address */
};

static inline enum dt_short dt_short(uint8_t type)
{
	switch (type) {
	case DEVTRACE_E_U16:
	case DEVTRACE_E_U32:
	case DEVTRACE_E_U64:
	case DEVTRACE_E_X32:
		return DT_SHORT_UNSIGNED;
	/* Addresses of the kernel have all high bits set. */
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
 * Take a compact body apart. @missing: frames missing right before it; @sure: the check
 * that is made of what comes out leaves no doubt. full: the body as it was, header and
 * payload, of at most @size bytes. Returns its length; 0: the body makes no sense;
 * DT_COMPACT_LACKS: what it refers to is not known.
 */
#define DT_COMPACT_LACKS	SIZE_MAX
size_t dt_compact_expand(const struct dt_compact_known *k, uint32_t missing, bool sure,
			 const uint8_t *body, size_t len, uint8_t *full, size_t size);

/* The event of this body, which dt_compact_expand() made @full of, was taken. */
void dt_compact_learn(struct dt_compact_known *k, const uint8_t *body, const uint8_t *full);

static inline unsigned int dt_compact_slot(const uint8_t *body)
{
	return (body[0] & DT_COMPACT_SLOT) == DT_COMPACT_MORE ?
	       body[1] & DT_MORE_SLOT : body[0] & DT_COMPACT_SLOT;
}

/* Frames are missing. */
void dt_compact_missing(struct dt_compact_known *k, uint64_t n);

/* The stream begins, or is announced anew: all is said again. */
static inline void dt_compact_forget(struct dt_compact_known *k)
{
	*k = (struct dt_compact_known){ 0 };
}

#endif
