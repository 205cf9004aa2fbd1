/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frames that read(2) returns
 *
 * Frames are made when a program reads, in a buffer of the reader, from which read(2) copies any
 * number of bytes. See Documentation/wire-format.rst.
 */
#ifndef DEVTRACE_WIRE_H
#define DEVTRACE_WIRE_H

#include <linux/types.h>
#include <linux/devtrace.h>

#include "emit/proc.h"
#include "ring/clock.h"
#include "ring/ring.h"

struct stream_past;

/* Largest size of a frame: every byte escaped, and the flag. */
#define WIRE_FRAME_ROOM	(2 * DEVTRACE_FRAME_MAX + 1)
/*
 * Bytes of the buffer. This size keeps a reader within 32 KiB: CPUs cache free pages of that
 * order, so allocating a reader takes no lock. reader_priv.h checks the size.
 */
#define WIRE_SIZE	(27 * 1024 - 256)

/**
 * struct wire - frames that the program has not read
 * @frames: number of frames made since the stream began
 * @bytes: number of their bytes
 * @head: bytes of @buf that are filled
 * @taken: bytes of @buf that were read
 * @check: enum devtrace_check
 * @name: name of the stream
 * @raw: a frame being escaped; word loads may reach past its end
 * @buf: frames as they are sent; word stores may reach past the end
 *
 * Protected by the reader's lock.
 */
struct wire {
	u64	frames;
	u64	bytes;
	u32	head;
	u32	taken;
	u8	check;
	const char *name;
	u8	raw[DEVTRACE_FRAME_MAX + sizeof(u64)];
	u8	buf[WIRE_SIZE + sizeof(u64)];
};

/**
 * struct wire_head - beginning of the frames of events of one thread and CPU
 * @word: the first 8 bytes of their body
 * @plain: wire_plain() of these bytes, see wire_quick.h
 * @sum: sum of these bytes
 */
struct wire_head {
	u64	word;
	u64	plain;
	u8	sum;
};

/* The sequence number of the next frame; the first is 1. */
static inline u8 wire_seq(const struct wire *w)
{
	return w->frames + 1;
}

/* Return where the body of the next frame begins, after its sequence number and type. */
static inline void *wire_body(struct wire *w)
{
	return w->buf + w->head + 2;
}

static inline u32 wire_staged(const struct wire *w)
{
	return w->head - w->taken;
}

/* If @head is here or later, an event frame and the frames before it may not fit. */
#define WIRE_FULL	(WIRE_SIZE - WIRE_FRAME_ROOM - 4096 + 1)

static inline bool wire_has_room(const struct wire *w)
{
	return w->head < WIRE_FULL;
}

void wire_init(struct wire *w, const char *name);
void wire_taken(struct wire *w, u32 n);
bool wire_restart(struct wire *w);
void wire_info(struct wire *w, u8 reason);
void wire_clock(struct wire *w, const struct clock_sample *s);
void wire_lost(struct wire *w, u16 source, u8 cause, u64 count, u64 from, u64 to);
void wire_state(struct wire *w, const struct stream_past *p);
void wire_proc(struct wire *w, const struct proc_name *name);
u64 wire_dict_key(const struct devtrace_dict *d, u32 scope);
void wire_dict(struct wire *w, const struct devtrace_dict *d, u32 scope);
void wire_send(struct wire *w, u8 type, unsigned int len);
void wire_send_escaped(struct wire *w, u8 *frame, unsigned int n);

void wire_head_set(struct wire_head *h, u8 flags, u8 severity, u16 source, u32 tid);
void wire_event(struct wire *w, const struct ring_record *rec, u16 source, u64 ts);
u32 wire_lane_event(struct wire *w, const struct wire_head *h, u64 ts, u8 type, const u8 *data,
		    unsigned int len);
void wire_lane_send(struct wire *w, u32 frame);

/* Can wire_quick() make frames? It needs the check sum8, and 64-bit registers. */
static inline bool wire_is_quick(const struct wire *w)
{
	return IS_ENABLED(CONFIG_64BIT) && w->check == DEVTRACE_CHECK_SUM8;
}

#endif /* DEVTRACE_WIRE_H */
