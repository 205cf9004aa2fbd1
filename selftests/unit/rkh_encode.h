/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rkh_encode.h - make RKH streams for tests
 *
 * It follows the record layouts of RKH's manual and shares no tables with tools/common, so that
 * the tests find mistakes in either.
 */
#ifndef RKH_ENCODE_H
#define RKH_ENCODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sizes in bytes; option flags of the configuration record. */
struct rkh_target {
	int	time, sig, ptr, ntick, nblk, ne, es, bsize;
	uint32_t flags;
	int	hz;
	uint8_t	seq;
	uint64_t ticks;
	uint8_t	out[32768];
	size_t	len;
	size_t	ends[256];	/* offset behind each frame */
	int	nr;
	uint8_t	data[2048];	/* the current frame */
	size_t	n;
	unsigned int	version;	/* 0: 3.4.00 */
};

static inline void rkh_num(struct rkh_target *t, uint64_t v, int bytes)
{
	for (; bytes--; v >>= 8)
		t->data[t->n++] = (uint8_t)v;
}

static inline void rkh_str(struct rkh_target *t, const char *s)
{
	memcpy(t->data + t->n, s, strlen(s) + 1);
	t->n += strlen(s) + 1;
}

/* group 0 MP, 1 QUE, 2 SMA, 3 SM, 4 TMR, 5 FWK, 6 USR, 7 UT */
static inline void rkh_begin(struct rkh_target *t, int group, int event)
{
	t->n = 0;
	rkh_num(t, (uint64_t)(group << 5 | event), 1);
	if (t->flags & 1 << 15)
		rkh_num(t, t->seq++, 1);
	if (t->flags & 1 << 16)
		rkh_num(t, t->ticks += 10, t->time);
}

static inline void rkh_byte(struct rkh_target *t, uint8_t b)
{
	if (b == 0x7e || b == 0x7d) {
		t->out[t->len++] = 0x7d;
		b ^= 0x20;
	}
	t->out[t->len++] = b;
}

static inline void rkh_end(struct rkh_target *t)
{
	uint8_t sum = 0;
	size_t i;

	for (i = 0; i < t->n; i++) {
		sum = (uint8_t)(sum + t->data[i]);
		rkh_byte(t, t->data[i]);
	}
	if (t->flags & 1 << 17)
		rkh_byte(t, (uint8_t)-sum);
	t->out[t->len++] = 0x7e;
	t->ends[t->nr++] = t->len;
}

/* The configuration record has neither sequence number nor timestamp. */
static inline void rkh_tcfg(struct rkh_target *t)
{
	t->n = 0;
	rkh_num(t, 5 << 5 | 12, 1);
	rkh_num(t, t->version ? t->version : 0x3400, 2);
	rkh_num(t, t->flags, 4);
	rkh_num(t, (unsigned int)(t->sig << 4 | t->time), 1);
	rkh_num(t, (unsigned int)(t->ptr << 4 | t->ntick), 1);
	rkh_num(t, (unsigned int)(t->nblk << 4 | t->ne), 1);
	rkh_num(t, (unsigned int)t->es, 1);
	rkh_num(t, (unsigned int)(t->bsize << 4 | 4), 1);
	rkh_num(t, (unsigned int)t->hz, 2);
	rkh_end(t);
}

#endif
