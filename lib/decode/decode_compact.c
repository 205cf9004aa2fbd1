// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decode_compact.c - expand the body of a compact frame
 *
 * The input may be malicious: nothing is read beyond the end of the body, and nothing is written
 * beyond the end of the output.
 */
#include <string.h>

#include "compact.h"
#include "devtrace-decode.h"

/*
 * Is the state still valid after @seen + @missing missing frames? If @sure, any known state may be
 * used, because a CRC will check the result.
 */
static bool compact_holds(bool known, uint32_t seen, uint32_t missing, bool sure)
{
	return known && (sure || (seen <= DT_COMPACT_BEAR && missing <= DT_COMPACT_BEAR - seen));
}

/* Return the earliest time not before @last that has these low bytes. */
static uint64_t time_after(uint64_t last, uint64_t low, unsigned int bytes)
{
	uint64_t mask = ((uint64_t)1 << 8 * bytes) - 1;
	uint64_t ts = (last & ~mask) | low;

	return ts < last ? ts + mask + 1 : ts;
}

/* The unread rest of the body, and the unused rest of the output. */
struct taken {
	const uint8_t	*p, *end;
	uint8_t		*to, *to_end;
	bool		bad;
};

static uint64_t take_int(struct taken *t, unsigned int bytes)
{
	uint64_t v = 0;

	if (bytes > (size_t)(t->end - t->p)) {
		t->bad = true;
		return 0;
	}
	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint64_t)*t->p++ << 8 * i;
	return v;
}

/* Read a varint whose value must fit in @bytes. */
static uint64_t take_varint(struct taken *t, unsigned int bytes)
{
	unsigned int shift = 0;
	uint64_t v = 0;
	uint8_t b;

	do {
		b = (uint8_t)take_int(t, 1);
		if (shift == 7 * (DT_VARINT_MAX - 1)) {
			v |= (uint64_t)b << shift;
			break;
		}
		v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (bytes < 8 && v >> 8 * bytes)
		t->bad = true;
	return v;
}

static void give_int(struct taken *t, uint64_t v, unsigned int bytes)
{
	if (t->bad || bytes > (size_t)(t->to_end - t->to)) {
		t->bad = true;
		return;
	}
	dt_put_le(t->to, v, bytes);
	t->to += bytes;
}

static void give_bytes(struct taken *t, size_t n)
{
	if (n > (size_t)(t->end - t->p) || n > (size_t)(t->to_end - t->to)) {
		t->bad = true;
		return;
	}
	memcpy(t->to, t->p, n);
	t->to += n;
	t->p += n;
}

/*
 * Return the size of the value at t->p as in a frame that is not compact. The body may be shorter.
 */
static size_t value_size(const struct taken *t, uint8_t type)
{
	static const uint8_t size[16] = { 1, 1, 2, 2, 4, 4, 4, 8, 0, 0, 12, 8, 8, 8, 8, 4 };
	size_t left = (size_t)(t->end - t->p);
	const uint8_t *nul;

	switch (type) {
	case DEVTRACE_E_STR:
		nul = memchr(t->p, 0, left);
		return nul ? (size_t)(nul - t->p) + 1 : left + 1;
	case DEVTRACE_E_MEM:
		return left ? (size_t)*t->p + 1 : 1;
	default:
		return size[type];
	}
}

static void unpack_one(struct taken *t, uint8_t format, bool varint)
{
	const uint8_t type = format & 0xf;
	size_t n = value_size(t, type);

	give_int(t, format, 1);
	switch (varint ? dt_short(type) : DT_SHORT_NOT) {
	case DT_SHORT_UNSIGNED:
		give_int(t, take_varint(t, (unsigned int)n), (unsigned int)n);
		break;
	case DT_SHORT_SIGNED:
		give_int(t, dt_unfold(take_varint(t, (unsigned int)n)), (unsigned int)n);
		break;
	case DT_SHORT_SIG:
		give_int(t, take_varint(t, 4), 4);
		give_int(t, dt_unfold(take_varint(t, 8)), 8);
		break;
	default:
		/* If a string ends the body, its NUL was left out: add it. */
		if (type == DEVTRACE_E_STR && n > (size_t)(t->end - t->p)) {
			give_bytes(t, n - 1);
			give_int(t, 0, 1);
		} else {
			give_bytes(t, n);
		}
	}
}

/*
 * Expand code, object and signal, then the elements. Two formats share a byte; with @alone each
 * takes one.
 */
static void compact_unpack(struct taken *t, uint8_t flags, bool varint, bool alone)
{
	if (flags & DEVTRACE_F_CODE) {
		give_bytes(t, 1);
		give_int(t, varint ? take_varint(t, 3) : take_int(t, 3), 3);
	}
	for (int i = 0; i < 2 && flags & DEVTRACE_F_OBJSIG; i++)
		give_int(t, varint ? take_varint(t, 2) : take_int(t, 2), 2);
	while (!t->bad && t->p < t->end) {
		uint8_t formats = *t->p++;

		if (alone) {
			unpack_one(t, formats, varint);
			continue;
		}
		unpack_one(t, formats & 0xf, varint);
		/*
		 * If the number of elements is odd, the last one has no partner: the body ends,
		 * and the second format is 0.
		 */
		if (!t->bad && (t->p < t->end || formats >> 4))
			unpack_one(t, formats >> 4, varint);
	}
}

size_t dt_compact_expand(const struct dt_compact_known *k, uint32_t missing, bool sure,
			 const uint8_t *body, size_t len, uint8_t *full, size_t size)
{
	struct taken t = { body + 1, body + len, full, full + size, false };
	unsigned int bytes = 2 + ((body[0] & DT_COMPACT_TIME) >> DT_COMPACT_TIME_SHIFT);
	const bool whole = (body[0] & DT_COMPACT_TIME) == DT_COMPACT_TIME;
	const bool is_more = (body[0] & DT_COMPACT_SLOT) == DT_COMPACT_MORE;
	const uint8_t more = is_more ? (uint8_t)take_int(&t, 1) : 0;
	const uint8_t also = body[0] & DT_COMPACT_FLAGS ? (uint8_t)take_int(&t, 1) : 0;
	unsigned int slot = t.bad ? DT_COMPACT_SLOTS : dt_compact_slot(body);
	struct dt_origin o;
	uint64_t v, ts;
	uint8_t flags;

	if (slot >= DT_COMPACT_SLOTS || more & ~DT_MORE_ALL)
		return 0;
	o = k->slots[slot].origin;
	if (whole || more & DT_MORE_ORIGIN) {
		v = take_varint(&t, 3);
		if (v >> 3 > UINT16_MAX)
			return 0;
		o.flags = v & DT_ORIGIN_FLAGS;
		o.source = (uint16_t)(v >> 3);
		o.tid = (uint32_t)take_varint(&t, 4);
	} else if (!compact_holds(k->slots[slot].known, k->slots[slot].missing, missing, sure)) {
		return DT_COMPACT_LACKS;
	}
	if (whole) {
		ts = take_int(&t, 8);
	} else {
		if (!compact_holds(k->timed, k->missing, missing, sure))
			return DT_COMPACT_LACKS;
		ts = time_after(k->ts, take_int(&t, bytes), bytes);
	}

	/* Drop the severity, and bit 7, which is not a flag. */
	flags = o.flags | ((also & ~DT_FLAGS_SEVERITY) >> DT_FLAGS_SHIFT & 0xff);
	give_int(&t, flags, 1);
	give_int(&t, also & DT_FLAGS_SEVERITY, 1);
	give_int(&t, o.source, 2);
	give_int(&t, o.tid, 4);
	give_int(&t, ts, 8);
	/* The payload is unchanged. It need not consist of elements. */
	if (more & DT_MORE_ALONE && !(body[0] & DT_COMPACT_VARINT))
		give_bytes(&t, (size_t)(t.end - t.p));
	else
		compact_unpack(&t, flags, body[0] & DT_COMPACT_VARINT, more & DT_MORE_ALONE);
	return t.bad ? 0 : (size_t)(t.to - full);
}

void dt_compact_learn(struct dt_compact_known *k, const uint8_t *body, const uint8_t *full)
{
	unsigned int slot = dt_compact_slot(body);

	k->slots[slot].origin = (struct dt_origin){
		.flags = full[0] & DT_ORIGIN_FLAGS,
		.source = dt_le16(full + 2),
		.tid = dt_le32(full + 4),
	};
	k->slots[slot].known = true;
	k->slots[slot].missing = 0;
	k->timed = true;
	k->missing = 0;
	k->ts = dt_le64(full + 8);
}

static void compact_add(uint32_t *missing, uint64_t n)
{
	*missing = n > UINT32_MAX - *missing ? UINT32_MAX : *missing + (uint32_t)n;
}

void dt_compact_missing(struct dt_compact_known *k, uint64_t n)
{
	for (unsigned int i = 0; i < DT_COMPACT_SLOTS; i++)
		compact_add(&k->slots[i].missing, n);
	compact_add(&k->missing, n);
}
