// SPDX-License-Identifier: GPL-2.0-only
/*
 * lane_parse.c - see lane_parse.h
 */
#include <stdlib.h>
#include <string.h>
#include "lane_parse.h"

#define HEADER	64U
#define LOOK_BACK	8U

static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Size of the record at @p, or 0 if it is invalid; *@ns: time since the previous record. */
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

/* Parse words that change the CPU; returns their size. */
static unsigned int cpus(const uint8_t *p, unsigned int left, struct lane_record *r)
{
	unsigned int at;

	for (at = 0; left - at >= 4 && (word(p + at) & 0x7f) == 124; at += 4)
		r->cpu = word(p + at) >> 15;
	return at;
}

/* Parse the events of a block; returns an error text, or NULL. */
static const char *block(const uint8_t *p, struct lane_record *r,
			 bool (*each)(const struct lane_record *r, void *arg), void *arg)
{
	const struct devtrace_lane_block *b = (const void *)p;
	unsigned int at = HEADER, size, moved;
	uint64_t ns;

	if (b->reserved[0] || b->reserved[1])
		return "reserved bytes of a block";
	if (b->used < HEADER || b->used > DEVTRACE_LANE_BLOCK || b->used % 2)
		return "used bytes of a block";
	if (b->time < r->time)
		return "time of a block";
	r->time = b->time;
	r->cpu = b->cpu;
	for (; at < b->used; at += moved + size) {
		moved = cpus(p + at, b->used - at, r);
		size = record(p + at + moved, b->used - at - moved, r, &ns);
		if (!size)
			return "a record";
		r->bytes = moved + size;
		r->time += ns;
		if (each && !each(r, arg))
			return "an event";
		r->index++;
	}
	return NULL;
}

const char *lane_parse(const struct fake_lane *lane, uint64_t *total,
		       bool (*each)(const struct lane_record *r, void *arg), void *arg)
{
	const uint32_t open = lane->head->open, taken = lane->taken;
	const uint32_t back = fake->look_back ? fake->look_back : LOOK_BACK;
	uint32_t n = taken - lane->first < back ? lane->first : taken - back;
	struct lane_record r = { 0 };
	bool begun = false;

	*total = 0;
	if (open == lane->first - 1)
		return NULL;
	/* The open block is at most one lap ahead of the first one read. */
	if (open - taken + 1 > lane->nr) {
		if (!(lane->flags & DEVTRACE_LANE_NO_CALLS) && !fake->hand_error)
			return "overwritten before it was handed over";
		n = open - lane->nr + 1;
	}
	for (; n != open + 1; n++) {
		const bool kept = (int32_t)(taken - n) > 0;
		const uint8_t *p = kept ? lane->kept + (size_t)(n % FAKE_KEPT) * DEVTRACE_LANE_BLOCK :
				   lane->blocks + (size_t)(n % lane->nr) * DEVTRACE_LANE_BLOCK;
		const struct devtrace_lane_block *b = (const void *)p;
		const char *bad;

		if (b->number != n) {
			/* The writer is opening it. */
			if (n == open)
				break;
			if (!kept || !lane->missed)
				return "number of a block";
			begun = false;
			continue;
		}
		if (begun ? b->count != r.index : n == lane->first && b->count)
			return "count of a block";
		begun = true;
		r.index = b->count;
		bad = block(p, &r, each, arg);
		if (bad)
			return bad;
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

/* Offset of the string at the end of @len bytes; @len if there is none. */
static size_t string_at(uint64_t r, size_t len)
{
	return len >= 2 && r >> 40 & 1 ? (r >> 41) % (len - 1) : len;
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
	i = string_at(r, len);
	if (i < len) {
		event->data[i] = DEVTRACE_E_STR;
		event->data[len - 1] = 0;
	}
	return sizeof(*event) + len;
}

void lane_prepare(uint64_t seed, uint64_t n, struct devtrace_emit *event, struct lane_call *c)
{
	static char string[DEVTRACE_PAYLOAD_MAX];
	size_t len, at;

	c->size = lane_event(seed, n, event);
	c->s = NULL;
	c->len = 0;
	len = c->size - sizeof(*event);
	at = string_at(mix(seed + n * UINT64_C(0x9e3779b97f4a7c15)), len);
	if (at == len)
		return;
	c->size = sizeof(*event) + at;
	c->len = len - at - 2;
	memcpy(string, event->data + at + 1, c->len);
	memset(event->data + at, 0xee, len - at);
	c->s = string;
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
