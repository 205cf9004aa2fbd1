// SPDX-License-Identifier: GPL-2.0-only
/* Copy some of the records of a piece of a lane: see lane_copy.h */
#include "lane_copy.h"

/* Time that a record of the form LATE can have since the record before it, ns. */
#define LATE_MOST	(BIT_ULL(48) - 1)

static void put_word(struct lane_copy *c, u32 word)
{
	memcpy(c->to + c->len, &word, sizeof(word));
	c->len += sizeof(word);
}

static void put_bytes(struct lane_copy *c, const u8 *from, u32 len)
{
	memcpy(c->to + c->len, from, len);
	c->len += len;
}

static void put_late(struct lane_copy *c, u32 type, u32 len, u32 flags, u32 severity, u64 ns)
{
	put_word(c, DEVTRACE_LANE_LATE | type << DEVTRACE_LANE_TYPE_SHIFT |
		    len << DEVTRACE_LANE_NS_SHIFT);
	put_word(c, flags | severity << 8 | (u32)(ns >> 32) << 16);
	put_word(c, (u32)ns);
}

/* Write the head of an event that happened @ns after the last record in the copy. */
static void put_head(struct lane_copy *c, const struct lane_event *ev, u64 ns)
{
	const u32 type = (u32)ev->type << DEVTRACE_LANE_TYPE_SHIFT;

	/* There is room: for each such record, one of the form LATE was left out. */
	for (; ns > LATE_MOST; ns -= LATE_MOST)
		put_late(c, DEVTRACE_T_EMPTY, 0, 0, 0, LATE_MOST);
	if (ev->flags | ev->severity) {
		if (ns > DEVTRACE_LANE_NS_MAX) {
			put_late(c, ev->type, ev->len, ev->flags, ev->severity, ns);
			return;
		}
		put_word(c, DEVTRACE_LANE_FULL | type | (u32)ns << DEVTRACE_LANE_NS_SHIFT);
		put_word(c, ev->len | (u32)ev->flags << 16 | (u32)ev->severity << 24);
	} else if (ns <= DEVTRACE_LANE_NS_MAX && ev->len <= DEVTRACE_LANE_SHORT) {
		put_word(c, ev->len | type | (u32)ns << DEVTRACE_LANE_NS_SHIFT);
	} else if (ns <= (u32)~0U) {
		put_word(c, DEVTRACE_LANE_DELAY | type | (u32)ev->len << DEVTRACE_LANE_NS_SHIFT);
		put_word(c, (u32)ns);
	} else {
		put_late(c, ev->type, ev->len, 0, 0, ns);
	}
}

/* Add the next group of the piece @buf to the copy. */
void lane_copy_add(struct lane_copy *c, const u8 *buf, const struct lane_group *g)
{
	u32 from = g->ev.head;

	if (unlikely(g->ev.cpu != c->cpu)) {
		put_word(c, DEVTRACE_LANE_CPU | (u32)g->ev.cpu << DEVTRACE_LANE_NS_SHIFT);
		c->cpu = g->ev.cpu;
	}
	if (c->gap) {
		put_head(c, &g->ev, g->ev.time - c->time);
		from = g->ev.data - buf;
		c->gap = false;
	}
	put_bytes(c, buf + from, g->end - from);
	c->nr += g->nr;
	c->time = g->time;
}
