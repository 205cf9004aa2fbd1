/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-decode.h - read the frames of /dev/trace, from anywhere
 *
 * The decoder takes the bytes of a stream in pieces of any size, from a live
 * device, a file or a line that was cut and damaged, and gives back items:
 * events, losses, names, damage. It keeps three promises: an item is whole and
 * passed every check; every frame that is missing is accounted for by a
 * DEVTRACE_ITEM_GAP; after damage it goes on with the first frame that is
 * intact. It never allocates more than a fixed amount beyond the dictionary,
 * whose size is bounded too, whatever the bytes are.
 *
 * One decoder is for one thread at a time. Decoders share nothing.
 */
#ifndef DEVTRACE_DECODE_H
#define DEVTRACE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct devtrace_decoder;

enum devtrace_item_kind {
	DEVTRACE_ITEM_EVENT,	/* u.event */
	DEVTRACE_ITEM_INFO,	/* u.info */
	DEVTRACE_ITEM_CLOCK,	/* u.clock */
	DEVTRACE_ITEM_LOST,	/* u.lost: the sender says events were lost */
	DEVTRACE_ITEM_PROC,	/* u.proc */
	DEVTRACE_ITEM_DICT,	/* u.dict */
	DEVTRACE_ITEM_DAMAGE,	/* u.damage: bytes that are no intact frame */
	DEVTRACE_ITEM_GAP,	/* u.gap: frames that never arrived intact */
	DEVTRACE_ITEM_UNKNOWN,	/* u.unknown: intact transport frame, not known */
	DEVTRACE_ITEM_STATE,	/* u.state: the stream stopped, or goes on */
	DEVTRACE_ITEM_NOTE,	/* u.note: by who saved the stream */
};

/* An event. Pointers are valid during the callback only. */
struct devtrace_event {
	uint8_t		type;
	uint8_t		flags;		/* DEVTRACE_F_* */
	uint8_t		severity;
	uint16_t	source;		/* CPU or lane: devtrace_decoder_lane() */
	uint32_t	tid;
	uint32_t	tgid;		/* from the dictionary; 0: not known */
	uint64_t	ts;		/* trace clock, ns */
	uint32_t	code;		/* if DEVTRACE_F_CODE */
	uint16_t	object;		/* if DEVTRACE_F_OBJSIG */
	uint16_t	signal;
	const uint8_t	*data;		/* elements */
	size_t		len;
};

struct devtrace_info {
	uint8_t		version, check, reason, flags;
	uint16_t	nr_sources;
	uint16_t	nr_cpus;	/* sources from this one on are lanes; 0: none */
	uint64_t	frames;
	uint8_t		boot_id[16];	/* the kernel's, if DEVTRACE_INFO_BOOT_ID */
	const char	*machine, *release, *stream;
};

struct devtrace_clock {
	uint64_t	frames;
	uint64_t	ts, mono, boot;
	int64_t		real;		/* ns since 1970 */
};

struct devtrace_lost {
	uint16_t	source;
	uint8_t		cause;		/* enum devtrace_cause */
	uint64_t	count;		/* 0: not known, if DEVTRACE_LOST_LANE */
	uint64_t	from, to;
};

/* In the order of the events: those before it are older, those after it newer. */
struct devtrace_state_item {
	uint8_t		state;		/* enum devtrace_state, from here on */
	uint8_t		by_trigger;	/* 0: somebody asked for it */
	uint64_t	ts;		/* when */
	uint64_t	fired;		/* the event that met the trigger; 0: none */
	const char	*trigger;	/* its name; empty: none */
};

/* What a program that saved the stream knew of it: no frame of the kernel. */
struct devtrace_note {
	const char	*name, *value;
};

struct devtrace_proc {
	uint32_t	tid, tgid;
	uint64_t	since;
	const char	*name;
};

struct devtrace_name {
	uint8_t		kind;		/* DEVTRACE_T_OBJ ... */
	uint8_t		group;
	uint32_t	scope, value;
	uint64_t	key;
	const char	*name;
};

enum devtrace_damage_reason {
	DEVTRACE_DAMAGE_CHECK,		/* check does not match */
	DEVTRACE_DAMAGE_SHORT,		/* too short to be a frame */
	DEVTRACE_DAMAGE_LONG,		/* longer than any frame */
	DEVTRACE_DAMAGE_ESCAPE,		/* escape before something it never stands before */
	DEVTRACE_DAMAGE_BODY,		/* check matches, length byte or body do not */
	DEVTRACE_DAMAGE_CUT,		/* the input began or ended inside a frame */
	DEVTRACE_DAMAGE_LACKS,		/* compact, and what it refers to is missing */
};

struct devtrace_damage {
	enum devtrace_damage_reason reason;
	uint64_t	offset;		/* of the first bad byte in the input */
	uint64_t	bytes;		/* how many raw bytes are skipped, flag included */
};

/*
 * Frames missing between two intact ones, both sequence numbers, and where.
 * count is exact modulo 256 when it is told by the sequence numbers alone
 * (exact == false: at least count frames) and exact in every case once the
 * next INFO or CLOCK frame, which carry a wide counter, has come: a multiple
 * of 256 is then told by a further item with exact == true. That one says
 * where the counter was compared; the frames were missing after ts_before.
 * Should the counter have gone back, the input is not one stream, and at least
 * one frame (count 1, not exact) is missing.
 */
struct devtrace_gap {
	uint8_t		seq_before, seq_after;
	bool		exact;
	uint64_t	count;
	uint64_t	offset;		/* of the frame after the gap */
	uint64_t	ts_before;	/* last event before (of this stream), 0: none */
};

struct devtrace_item {
	enum devtrace_item_kind kind;
	uint64_t	offset;		/* of the frame's first byte in the input */
	uint8_t		seq;
	union {
		struct devtrace_event event;
		struct devtrace_info info;
		struct devtrace_clock clock;
		struct devtrace_lost lost;
		struct devtrace_proc proc;
		struct devtrace_name dict;
		struct devtrace_damage damage;
		struct devtrace_gap gap;
		struct devtrace_state_item state;
		struct devtrace_note note;
		struct { uint8_t type; const uint8_t *data; size_t len; } unknown;
	} u;
};

/* Totals since devtrace_decoder_new(). */
struct devtrace_totals {
	uint64_t	bytes, frames, events;
	uint64_t	missing;	/* frames, from gaps */
	uint64_t	damages, damaged_bytes;
	uint64_t	lost;		/* events, from LOST frames */
};

/*
 * Called for each item in order. Return 0 to go on; another value stops
 * devtrace_decoder_feed(), which returns it.
 */
typedef int devtrace_item_fn(const struct devtrace_item *item, void *arg);

/* NULL and errno ENOMEM if there is no memory. */
struct devtrace_decoder *devtrace_decoder_new(devtrace_item_fn *fn, void *arg);
void devtrace_decoder_free(struct devtrace_decoder *d);
/*
 * Decode n more bytes. 0, or what the callback returned: then the bytes
 * after that item are not consumed, *used (if not NULL) tells how many were.
 */
int devtrace_decoder_feed(struct devtrace_decoder *d, const void *buf, size_t n,
			  size_t *used);
/*
 * The input has ended: report what is cut off. What the callback returned, as
 * above; then call it again. More input may follow, and begin anywhere.
 */
int devtrace_decoder_finish(struct devtrace_decoder *d);
const struct devtrace_totals *devtrace_decoder_totals(const struct devtrace_decoder *d);

/*
 * The dictionary that the stream has brought so far. NULL: no such name. What
 * is not found under scope is looked for under scope 0, and a signal that is
 * not found under its object (key) under object 0. Valid until the next feed.
 */
const char *devtrace_decoder_name(const struct devtrace_decoder *d, uint8_t kind,
				  uint32_t scope, uint32_t value, uint8_t group,
				  uint64_t key);
/*
 * Thread name and, if tgid is not NULL, its process (0: not known). Thread 0 is the
 * idle thread of each CPU: its name is "swapper/" and the CPU of the last event that
 * had it.
 */
const char *devtrace_decoder_proc(const struct devtrace_decoder *d, uint32_t tid,
				  uint32_t *tgid);
/*
 * Which lane this source is, counted from 0; -1: it is a CPU. The last INFO
 * frame decides: before the first one every source is taken for a CPU.
 */
int devtrace_decoder_lane(const struct devtrace_decoder *d, uint16_t source);
/*
 * Which loading of the module the stream is of: a random number. It stands in the frame
 * behind each INFO frame. 0: not there yet, or the module was older than this.
 */
uint32_t devtrace_decoder_load(const struct devtrace_decoder *d);
/*
 * What the trace clock was on another clock, by the last CLOCK frame at or
 * before it (for what is older than all that are remembered, the first of
 * them): CLOCK_REALTIME and CLOCK_MONOTONIC, ns. false: no CLOCK frame yet.
 */
bool devtrace_decoder_real(const struct devtrace_decoder *d, uint64_t ts, int64_t *real);
bool devtrace_decoder_mono(const struct devtrace_decoder *d, uint64_t ts, uint64_t *mono);

/* One data element of an event. */
struct devtrace_elem {
	uint8_t		type;		/* enum devtrace_element */
	uint8_t		width;		/* high nibble; ENUM: the group */
	bool		is_enum;
	union {
		int64_t	 i;		/* I8 I16 I32 I64 */
		uint64_t u;		/* ENUM U8 U16 U32 U64 X32 OBJ FUN */
		double	 f;		/* F32 F64 */
		struct { const uint8_t *p; size_t len; } mem; /* STR (no NUL) MEM */
		struct { uint32_t sig; uint64_t obj; } sig;
	} v;
	const uint8_t	*raw;		/* the format byte */
	size_t		size;		/* with the format byte */
};

/*
 * Take the element at *pos of data and move *pos behind it. 1: there was one;
 * 0: the end; -1: what stands there is no whole element.
 * A buffer in several MEM pieces comes piece by piece (width DEVTRACE_E_MEM_MORE >> 4).
 */
int devtrace_elem_next(const uint8_t *data, size_t len, size_t *pos,
		       struct devtrace_elem *e);

/*
 * Build a frame as the device would: seq, type, body (without its length
 * byte if add_len is true, which is then appended), check, flag. Returns its
 * length, or 0 if it does not fit in size. For tests, gateways and tools that
 * write streams.
 */
size_t devtrace_frame_encode(uint8_t *out, size_t size, enum devtrace_check check,
			     uint8_t seq, uint8_t type, const void *body, size_t len,
			     bool add_len);

/*
 * A stream made compact, for thin lines: frames of events say who and when in few bytes,
 * and the decoder gives the same items for them. Feed it what read(2) returned, in pieces
 * of any size; fn gets what is to be sent instead, and stops it with a value other than 0,
 * which feed and finish return: then bytes are lost. What is no intact frame is given as it
 * came. finish: the rest of a frame that has no end yet is given.
 *
 * One object is for one stream and one thread at a time. new: NULL and errno ENOMEM if
 * there is no memory.
 */
struct devtrace_compact;

typedef int devtrace_bytes_fn(const void *buf, size_t n, void *arg);

struct devtrace_compact *devtrace_compact_new(devtrace_bytes_fn *fn, void *arg);
void devtrace_compact_free(struct devtrace_compact *c);
int devtrace_compact_feed(struct devtrace_compact *c, const void *buf, size_t n);
int devtrace_compact_finish(struct devtrace_compact *c);

#ifdef __cplusplus
}
#endif
#endif
