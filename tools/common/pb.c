// SPDX-License-Identifier: GPL-2.0-only
/*
 * pb.c - write messages of protobuf, without its library
 */
#include <assert.h>
#include <endian.h>
#include "common/pb.h"

/* Wire types */
enum { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2 };

#define PB_VARINT_MAX	10

static size_t pb_put(uint8_t *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)v | 0x80;
	to[n++] = (uint8_t)v;
	return n;
}

/* Most numbers have one byte. */
static inline void pb_varint(struct pb *p, uint64_t v)
{
	if (!out_room(&p->o, PB_VARINT_MAX))
		return;
	if (v < 0x80)
		p->o.buf[p->o.len++] = (char)v;
	else
		p->o.len += pb_put((uint8_t *)p->o.buf + p->o.len, v);
}

static inline void pb_tag(struct pb *p, unsigned int field, unsigned int type)
{
	pb_varint(p, (uint64_t)field << 3 | type);
}

void pb_init(struct pb *p)
{
	out_init(&p->o, -1);
	p->depth = 0;
}

void pb_free(struct pb *p)
{
	out_free(&p->o);
}

void pb_clear(struct pb *p)
{
	p->o.len = 0;
	p->depth = 0;
}

void pb_uint(struct pb *p, unsigned int field, uint64_t v)
{
	pb_tag(p, field, PB_VARINT);
	pb_varint(p, v);
}

void pb_int(struct pb *p, unsigned int field, int64_t v)
{
	pb_uint(p, field, (uint64_t)v);
}

void pb_fixed64(struct pb *p, unsigned int field, uint64_t v)
{
	const uint64_t bytes = htole64(v);

	pb_tag(p, field, PB_FIXED64);
	out_mem(&p->o, &bytes, sizeof(bytes));
}

void pb_double(struct pb *p, unsigned int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	pb_fixed64(p, field, bits);
}

void pb_bytes(struct pb *p, unsigned int field, const void *data, size_t n)
{
	pb_tag(p, field, PB_BYTES);
	pb_varint(p, n);
	out_mem(&p->o, data, n);
}

void pb_str(struct pb *p, unsigned int field, const char *s)
{
	pb_bytes(p, field, s, strlen(s));
}

void pb_text(struct pb *p, unsigned int field, const void *data, size_t n)
{
	pb_begin(p, field);
	out_utf8(&p->o, data, n);
	pb_end(p);
}

void pb_begin(struct pb *p, unsigned int field)
{
	pb_tag(p, field, PB_BYTES);
	assert(p->depth < PB_DEPTH);
	out_char(&p->o, 0);
	p->begun[p->depth++] = p->o.len;
}

void pb_end(struct pb *p)
{
	const size_t at = p->begun[--p->depth], n = p->o.len - at;
	uint8_t len[PB_VARINT_MAX];
	size_t more;

	if (n < 0x80 && !p->o.err) {
		p->o.buf[at - 1] = (char)n;
		return;
	}
	more = pb_put(len, n) - 1;
	if (p->o.err || (more && !out_room(&p->o, more)))
		return;
	if (more)
		memmove(p->o.buf + at + more, p->o.buf + at, n);
	memcpy(p->o.buf + at - 1, len, more + 1);
	p->o.len += more;
}

size_t pb_head(uint8_t *head, unsigned int field, uint64_t n)
{
	const size_t tag = pb_put(head, (uint64_t)field << 3 | PB_BYTES);

	return tag + pb_put(head + tag, n);
}
