/* SPDX-License-Identifier: GPL-2.0-only */
/* conv_got.h - the output of traceconv, for the tests of its dialects */
#ifndef CONV_GOT_H
#define CONV_GOT_H

#include <stdio.h>
#include <string.h>
#include "devtrace-decode.h"
#include "traceconv/traceconv.h"
#include "teststream.h"

/* Decoded output: type and bytes of each event and name, and the number of missing frames. */
struct got {
	int		nr;
	struct {
		uint8_t type;
		uint64_t ts;
		uint64_t digest;
		uint8_t data[2048];
		size_t len;
		char name[64];
		uint64_t key;
		uint32_t value;
		uint8_t group;
	} v[512];
	uint64_t	missing, damages, notes, unknown, marks;
	uint64_t	gap_at[8];
	int		gaps;
	uint8_t		info_flags;
	char		release[32];
};

static inline int got_item(const struct devtrace_item *item, void *arg)
{
	struct got *g = arg;

	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		g->v[g->nr].type = item->u.event.type;
		g->v[g->nr].ts = item->u.event.ts;
		g->v[g->nr].len = item->u.event.len;
		memcpy(g->v[g->nr].data, item->u.event.data, item->u.event.len);
		g->v[g->nr].digest = body_digest(item->u.event.type, item->u.event.data,
						 item->u.event.len);
		g->nr++;
		break;
	case DEVTRACE_ITEM_DICT:
		/* The name that marks RKH's events does not come from the target. */
		if (item->u.dict.kind == DEVTRACE_T_USR && item->u.dict.scope == 1 &&
		    item->u.dict.value == 244 && !strcmp(item->u.dict.name, "RKH_SYMBOL")) {
			g->marks++;
			break;
		}
		g->v[g->nr].type = item->u.dict.kind;
		g->v[g->nr].key = item->u.dict.key;
		g->v[g->nr].value = item->u.dict.value;
		g->v[g->nr].group = item->u.dict.group;
		snprintf(g->v[g->nr].name, 64, "%s", item->u.dict.name);
		g->v[g->nr].digest = body_digest(item->u.dict.kind, (void *)item->u.dict.name,
						 strlen(item->u.dict.name)) ^
				     item->u.dict.key ^ (uint64_t)item->u.dict.value << 20;
		g->nr++;
		break;
	case DEVTRACE_ITEM_GAP:
		g->missing += item->u.gap.count;
		if (g->gaps < 8)
			g->gap_at[g->gaps++] = (uint64_t)g->nr;
		break;
	case DEVTRACE_ITEM_DAMAGE:
		g->damages++;
		break;
	case DEVTRACE_ITEM_NOTE:
		g->notes++;
		break;
	case DEVTRACE_ITEM_INFO:
		g->info_flags = item->u.info.flags;
		snprintf(g->release, sizeof(g->release), "%s", item->u.info.release);
		break;
	case DEVTRACE_ITEM_UNKNOWN:
		g->unknown++;
		break;
	default:
		break;
	}
	return 0;
}

static inline int got_decode(void *decoder, const void *bytes, size_t n)
{
	return devtrace_decoder_feed(decoder, bytes, n, NULL);
}

/*
 * Convert @n bytes and decode the result. @sizes: the user's target sizes, or NULL.
 */
static inline void got_convert(struct got *g, const struct conv_dialect *dialect, const uint8_t *p,
			       size_t n, const struct conv_sizes *sizes, size_t piece,
			       struct conv *c)
{
	struct devtrace_decoder *d;

	memset(g, 0, sizeof(*g));
	memset(c, 0, sizeof(*c));
	d = devtrace_decoder_new(got_item, g);
	if (sizes)
		c->sizes = *sizes;
	c->put = got_decode;
	c->arg = d;
	c->load = 77;
	c->clock.rate = 1000000;
	conv_begin(c, dialect);
	while (n) {
		size_t part = piece && piece < n ? piece : n;

		conv_feed(c, p, part, 0);
		p += part;
		n -= part;
	}
	conv_end(c);
	devtrace_decoder_finish(d);
	devtrace_decoder_free(d);
}

/*
 * Number of frames of @g that are missing in @g2, the first in *@first; -1 if @g2 has other
 * frames.
 */
static inline int got_not_there(const struct got *g, const struct got *g2, int *first)
{
	int i = 0, k = 0, lost = 0;

	*first = -1;
	while (i < g->nr) {
		if (k < g2->nr && g->v[i].digest == g2->v[k].digest) {
			k++;
		} else {
			if (*first < 0)
				*first = i;
			lost++;
		}
		i++;
	}
	return k == g2->nr ? lost : -1;
}

#define GOT_SPOILS	6
static const char *const got_spoils[GOT_SPOILS] = {
	"bit", "all bits", "7E", "7D", "gone", "twice"
};

/* Copy a stream with the byte at offset @at damaged; returns its length. */
static inline size_t got_spoil(uint8_t *bad, const uint8_t *good, size_t n, size_t at, int kind)
{
	memcpy(bad, good, at + 1);
	switch (kind) {
	case 0:
		bad[at] ^= 1 << at % 8;
		break;
	case 1:
		bad[at] ^= 0xff;
		break;
	case 2:
		bad[at] = 0x7e;
		break;
	case 3:
		bad[at] = 0x7d;
		break;
	case 4:
		memcpy(bad + at, good + at + 1, n - at - 1);
		return n - 1;
	default:
		memcpy(bad + at + 1, good + at, n - at);
		return n + 1;
	}
	memcpy(bad + at + 1, good + at + 1, n - at - 1);
	return n;
}

#endif
