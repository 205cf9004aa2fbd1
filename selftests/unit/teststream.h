/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * teststream.h - make streams for the tests of the decoder
 *
 * Such a stream has frames of all types, with the device's sequence numbers and counters, and a
 * record of each frame. To check the decoder, a test converts each item back to its body and
 * compares both.
 */
#ifndef TESTSTREAM_H
#define TESTSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devtrace-decode.h"

/* Random numbers, reproducible from the seed on all machines. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n);
/* The seed from the environment (SEED), or a new one; it is printed. */
uint64_t test_seed(const char *name);

struct frame_info {
	size_t		start, end;	/* offsets in the stream; end is behind the flag */
	uint8_t		seq, type;
	uint64_t	digest;		/* of type and body */
};

struct stream {
	uint8_t		*bytes;
	size_t		len, room;
	struct frame_info *frames;
	size_t		nr, frames_room;
	enum devtrace_check check;
	uint64_t	sent;		/* frames since the stream was opened */
	uint8_t		seq;		/* of the next frame */
	uint64_t	ts;		/* of the next event */
	uint16_t	nr_cpus;	/* 0: an INFO without lanes */
	uint8_t		info_flags;	/* DEVTRACE_INFO_* */
};

void stream_init(struct stream *s, enum devtrace_check check);
void stream_free(struct stream *s);
void stream_frame(struct stream *s, uint8_t type, const void *body, size_t len);
void stream_info(struct stream *s, enum devtrace_reason reason);
void stream_clock(struct stream *s);
/* Add an event with these elements. */
void stream_event(struct stream *s, uint8_t type, const void *data, size_t len);
void stream_number(struct stream *s, uint32_t n);	/* event: U32 n */
void stream_proc(struct stream *s, uint32_t tid, uint32_t tgid, const char *name);
void stream_name(struct stream *s, uint8_t kind, uint32_t scope, uint32_t value,
		 uint8_t group, uint64_t key, const char *name);
/* Add a stop or start of the stream by this trigger, or "": by a user. */
void stream_state(struct stream *s, uint8_t state, uint64_t fired, const char *trigger);
/* Add a frame of random type and contents. */
void stream_random(struct stream *s, struct rng *r);
/* Add INFO, names and CLOCK like the device, then @nr random frames. */
void stream_mixed(struct stream *s, struct rng *r, size_t nr);
/* Skip frames, as if they were lost: only the counters advance. */
void stream_skip(struct stream *s, uint64_t nr);

uint64_t body_digest(uint8_t type, const uint8_t *body, size_t len);
/* The digest of the frame that this item came from; 0 if none. */
uint64_t item_digest(const struct devtrace_item *item);

/* Append little-endian numbers. */
struct body {
	uint8_t	bytes[8192];
	size_t	len;
};

void body_int(struct body *b, uint64_t value, int bytes);
void body_bytes(struct body *b, const void *p, size_t n);
void body_string(struct body *b, const char *s);

/* An item from the decoder. */
struct seen {
	enum devtrace_item_kind	kind;
	uint64_t		offset;
	uint8_t			seq;
	uint64_t		digest;		/* of a frame */
	struct devtrace_gap	gap;
	struct devtrace_damage	damage;
};

struct seen_list {
	struct seen	*v;
	size_t		nr, room;
};

int seen_add(const struct devtrace_item *item, void *seen_list);
void seen_free(struct seen_list *l);
bool seen_equal(const struct seen_list *a, const struct seen_list *b);
/* Decode in pieces of this size (0: random), then finish. */
void decode_pieces(struct seen_list *l, const uint8_t *p, size_t n, size_t piece,
		   struct rng *r, struct devtrace_totals *totals);

#endif
