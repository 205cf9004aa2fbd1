/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * qs_encode.h - make QS streams for tests
 *
 * It follows the record layouts of QP's manual and shares no tables with tools/traceconv, so
 * that the tests find mistakes in either.
 */
#ifndef QS_ENCODE_H
#define QS_ENCODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct qs_target {
	int	time, sig, obj, fun, equeue, mpool, event, tick;
	int	version;
	uint8_t	seq;
	uint64_t ticks;
	uint8_t	out[65536];
	size_t	len;
	size_t	ends[512];	/* offset behind each frame */
	int	nr;
	uint8_t	data[2048];	/* the current record */
	size_t	n;
	uint8_t	record;
};

static inline void qs_num(struct qs_target *t, uint64_t v, int bytes)
{
	for (; bytes--; v >>= 8)
		t->data[t->n++] = (uint8_t)v;
}

static inline void qs_str(struct qs_target *t, const char *s)
{
	memcpy(t->data + t->n, s, strlen(s) + 1);
	t->n += strlen(s) + 1;
}

static inline void qs_begin(struct qs_target *t, uint8_t record)
{
	t->record = record;
	t->n = 0;
}

static inline void qs_byte(struct qs_target *t, uint8_t b)
{
	if (b == 0x7e || b == 0x7d) {
		t->out[t->len++] = 0x7d;
		b ^= 0x20;
	}
	t->out[t->len++] = b;
}

static inline void qs_end(struct qs_target *t)
{
	uint8_t sum = (uint8_t)(++t->seq + t->record);
	size_t i;

	qs_byte(t, t->seq);
	qs_byte(t, t->record);
	for (i = 0; i < t->n; i++) {
		sum = (uint8_t)(sum + t->data[i]);
		qs_byte(t, t->data[i]);
	}
	qs_byte(t, (uint8_t)~sum);
	t->out[t->len++] = 0x7e;
	t->ends[t->nr++] = t->len;
}

static inline void qs_time(struct qs_target *t)
{
	t->ticks += 10;
	qs_num(t, t->ticks, t->time);
}

/* TARGET_INFO in the form of 7.3, or of 8.0 and later. */
static inline void qs_target_info(struct qs_target *t, int reset, int big)
{
	qs_begin(t, 64);
	if (t->version >= 800) {
		qs_num(t, 2u | 1u << 2 | (reset ? 0x40u : 0) | (big ? 0x80u : 0), 1);
		qs_num(t, ~(260715u * 10000u + (unsigned int)t->version), 4);
	} else {
		qs_num(t, reset ? 0xff : 0, 1);
		qs_num(t, (unsigned int)t->version | (big ? 0x8000u : 0), 2);
	}
	qs_num(t, (unsigned int)(t->sig | t->event << 4), 1);
	qs_num(t, (unsigned int)(t->equeue | t->tick << 4), 1);
	qs_num(t, (unsigned int)(t->mpool | t->mpool << 4), 1);
	qs_num(t, (unsigned int)(t->obj | t->fun << 4), 1);
	qs_num(t, (unsigned int)t->time, 1);
	qs_num(t, 0x20, 1);
	qs_num(t, 0x13, 1);
	qs_num(t, 5, 1);
	qs_num(t, 4, 1);
	qs_num(t, 3, 1);
	qs_num(t, 2, 1);
	qs_num(t, 1, 1);
	qs_num(t, 26, 1);
	qs_end(t);
}

#endif
