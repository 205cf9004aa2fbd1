/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by render.c, render_change.c, render_lanes.c and render_frame.c */
#ifndef DEVTRACE_PERSIST_RENDER_PRIV_H
#define DEVTRACE_PERSIST_RENDER_PRIV_H

#include "lanes.h"
#include "render.h"

#define FRAME_MAX	(2 + 64 + RING_PAYLOAD_MAX + 2)
/* Bytes that may be written behind a frame: two words. */
#define FRAME_MORE	(2 * sizeof(u64))
/* A frame with all bytes escaped, the flag, and the bytes that may be written behind it. */
#define FRAME_ROOM	(2 * FRAME_MAX + 1 + FRAME_MORE)

/**
 * struct told - what was already reported about the events that a source missed because of stops
 * @missed: number of missed events reported so far, counted since the stream was created
 * @voids: number of withdrawn records not reported yet
 * @open: earliest time of a stop without a count; 0: there is none
 */
struct told {
	u64	missed;
	u64	voids;
	u64	open;
};

/* Read position in a ring: a place in a run, and the state of that run. */
struct cursor {
	struct persist_ring ring;
	u32	run;		/* index of the next run */
	bool	unchecked;
	u64	pos, to_pos, run_idx;
	u64	idx;
	const struct ring_record *rec;
	u64	ts;
	u64	last;		/* time of the previous event; 0: none */
	struct told told;
};

/* Read position in a slot: a piece, and an event in it. */
struct lane_cursor {
	const struct persist_left *left;
	const struct persist_piece *p;
	u32	piece;		/* index of the next piece */
	u32	at, skip;
	u64	time, idx;
	u64	ts;
	u64	last;		/* time of the previous event; 0: none */
	struct told told;
	u16	slot;
	struct lane_event ev;
};

struct render {
	struct persist_out *o;
	struct persist_account *a;
	const void *mem;
	const struct persist_header *h;
	u64	frames;
	u64	ref;		/* time of the newest clock; all events are within 2^55 ns of it */
	struct cursor *cursor;
	struct persist_lanes lanes;
	struct lane_cursor *lane;
	struct lane_cursor **heap;	/* cursors that have an event, oldest first */
	u32	nr_lanes, nr_heap;
	u32	clocks, clock;	/* number of clocks; index of the next one */
	struct persist_clock *clock_at;
	u32	threads, thread;
	struct persist_thread *thread_at;
	const struct persist_name *waits;	/* the next name, not sent yet */
	u32	name;		/* index of the entry after @waits */
	u64	serial;		/* serial number of @waits */
	u32	changes, change;
	struct persist_change *change_at;
	u32	state;		/* the last state sent: enum devtrace_state */
	u64	since;		/* time of the last clear, or 0 */
	u64	began; /* while the stream is stopped, no missed event is older than this */
	bool	early;		/* a missed event may be older than events stored before the stop */
	u64	until;		/* time of the next clock, change or name to send */
	bool	full;
	u8	*raw;
	u8	spare[FRAME_MAX + FRAME_MORE];
};

/* Integers of the stream are little-endian. */
static inline u8 *put_le(u8 *p, u64 v, u32 n)
{
	while (n--) {
		*p++ = v;
		v >>= 8;
	}
	return p;
}

static inline u8 *put_le32(u8 *p, u32 v)
{
	p[0] = v;
	p[1] = v >> 8;
	p[2] = v >> 16;
	p[3] = v >> 24;
	return p + 4;
}

/* memcpy() of few bytes, by words. */
static __always_inline void put_bytes(u8 *to, const u8 *from, u32 n)
{
	u64 word;
	u32 i;

	if (n < sizeof(word)) {
		memcpy(to, from, n);
		return;
	}
	for (i = 0; i < n - sizeof(word); i += sizeof(word)) {
		memcpy(&word, from + i, sizeof(word));
		memcpy(to + i, &word, sizeof(word));
	}
	memcpy(&word, from + n - sizeof(word), sizeof(word));
	memcpy(to + n - sizeof(word), &word, sizeof(word));
}

u8 *render_grow(struct render *r);

/* Return where to write the body of the next frame; render_send() completes it. */
static inline u8 *render_body(struct render *r)
{
	const struct persist_out *o = r->o;

	if (unlikely(o->room - o->n < FRAME_ROOM))
		return render_grow(r);
	r->raw = o->buf + o->n;
	return r->raw + 2;
}

void render_send(struct render *r, u8 type, const u8 *end);
/*
 * Send LOST: @n events are missing, between the events at the times @last and @to. A time of 0 is
 * not known.
 */
void render_lost(struct render *r, u16 number, u64 last, u8 cause, u64 n, u64 to);

void render_changes_begin(struct render *r);
void render_change(struct render *r);
void render_missed_end(struct render *r, u16 number, const struct persist_stops *stops,
		       struct told *t, u64 last, u64 drops);

int render_lanes_begin(struct render *r);
u64 render_lanes_bytes(const struct render *r);
void render_lanes_end(struct render *r);
void render_lanes_put(struct render *r);
void render_lane_event(struct render *r);

/* Return the time of the oldest event of lanes that was not sent; ~0: there is none. */
static inline u64 render_lanes_next(const struct render *r)
{
	return r->nr_heap ? r->heap[0]->ts : ~0ULL;
}

#endif /* DEVTRACE_PERSIST_RENDER_PRIV_H */
