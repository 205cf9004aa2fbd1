// SPDX-License-Identifier: GPL-2.0-only
/*
 * lane_parse.c - see lane_parse.h
 */
#include <stdlib.h>
#include <string.h>
#include "lane_parse.h"

#define HEADER	24U

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Bytes of the record at p, 0 if it makes no sense; the time since the one before in *ns. */
static unsigned int record(const uint8_t *p, unsigned int left, struct lane_record *r,
			   uint64_t *ns)
{
	unsigned int words = 1, low;

	if (left < 4)
		return 0;
	low = word(p) & 0x7f;
	r->type = word(p) >> 7 & 0xff;
	r->flags = 0;
	r->severity = 0;
	*ns = word(p) >> 15;
	r->len = low;
	if (low > 119) {
		if (low < 125 || left < (low == 127 ? 12 : 8))
			return 0;
		r->len = *ns;
		words = 2;
		if (low == 125) {
			*ns = word(p + 4);
		} else if (low == 126) {
			r->len = word(p + 4) & 0xffff;
			r->flags = word(p + 4) >> 16 & 0xff;
			r->severity = word(p + 4) >> 24;
		} else {
			words = 3;
			r->flags = word(p + 4) & 0xff;
			r->severity = word(p + 4) >> 8 & 0xff;
			*ns = (uint64_t)(word(p + 4) >> 16) << 32 | word(p + 8);
		}
	}
	if (r->len > DEVTRACE_PAYLOAD_MAX || 4 * words + r->len + r->len % 2 > left)
		return 0;
	r->data = p + 4 * words;
	if (r->len % 2 && r->data[r->len])
		return 0;
	return 4 * words + r->len + r->len % 2;
}

const char *lane_parse(const struct fake_lane *lane, uint64_t *total,
		       bool (*each)(const struct lane_record *r, void *arg), void *arg)
{
	const uint32_t open = lane->head->open, nr = lane->page.blocks;
	uint32_t n = lane->page.first;
	struct lane_record r = { 0 };
	bool begun = false;

	*total = 0;
	if (open == n - 1)
		return NULL;
	/* Blocks that are open are at most one lap behind. */
	if (open - n >= nr)
		n = open - nr + 1;
	for (; n != open + 1; n++) {
		const uint8_t *block = lane->blocks + (size_t)(n % nr) * DEVTRACE_LANE_BLOCK;
		const struct devtrace_lane_block *b = (const void *)block;
		unsigned int at = HEADER, size;
		uint64_t ns;

		if (b->number != n) {
			/* It is being opened. */
			if (n == open)
				break;
			return "number of a block";
		}
		if (b->reserved)
			return "reserved bytes of a block";
		if (b->used < HEADER || b->used > DEVTRACE_LANE_BLOCK || b->used % 2)
			return "used bytes of a block";
		if (begun && b->count != r.index)
			return "count of a block";
		if (!begun && n == lane->page.first && b->count)
			return "count of the first block";
		begun = true;
		r.index = b->count;
		if (b->time < r.time)
			return "time of a block";
		r.time = b->time;
		for (; at < b->used; at += size) {
			size = record(block + at, b->used - at, &r, &ns);
			if (!size)
				return "a record";
			r.bytes = size;
			r.time += ns;
			if (each && !each(&r, arg))
				return "an event";
			r.index++;
		}
	}
	*total = r.index;
	return NULL;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

size_t lane_event(uint64_t seed, uint64_t n, struct devtrace_emit *event)
{
	static const uint8_t types[] = { 1, 53, 55, 57, 71, 99, 100, 124, 125, 126, 127, 192, 255 };
	uint64_t r = mix(seed + n * UINT64_C(0x9e3779b97f4a7c15));
	size_t len, i;

	event->type = types[r % sizeof(types)];
	event->severity = r >> 8 & 1 ? 0 : 8 | (r >> 9 & 7);
	event->flags = r >> 12 & 3 ? 0 : (r >> 14 & 7) << 3;
	event->reserved = 0;
	switch (r >> 20 & 7) {
	case 0:
		len = r >> 32 & 0xfff;
		len = len <= DEVTRACE_PAYLOAD_MAX ? len : DEVTRACE_PAYLOAD_MAX;
		break;
	case 1:
		len = r >> 32 & 0xff;
		break;
	default:
		len = r >> 32 & 0x1f;
	}
	if (len < 8)
		event->flags &= DEVTRACE_F_PTR;
	for (i = 0; i < len; i++)
		event->data[i] = (r >> i % 8 * 8) + i;
	return sizeof(*event) + len;
}

struct expected {
	uint64_t	seed;
	union {
		struct devtrace_emit event;
		uint8_t	bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
	};
};

static bool as_expected(const struct lane_record *r, void *arg)
{
	struct expected *e = arg;
	size_t size = lane_event(e->seed, r->index, &e->event);

	return r->type == e->event.type && r->flags == e->event.flags &&
	       r->severity == e->event.severity && r->len == size - sizeof(e->event) &&
	       !memcmp(r->data, e->event.data, r->len);
}

const char *lane_verify(const struct fake_lane *lane, uint64_t seed, uint64_t *total)
{
	struct expected e = { .seed = seed };

	return lane_parse(lane, total, as_expected, &e);
}
