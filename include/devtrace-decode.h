/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-decode.h - decode the frames of /dev/trace from any input
 *
 * The decoder takes the bytes of a stream in pieces of any size, from the device, a file or a
 * damaged line, and produces items: events, losses, names, damage. It guarantees: an item is
 * whole and passed every check; a DEVTRACE_ITEM_GAP accounts for every missing frame; after
 * damage, decoding continues at the next intact frame. Its memory is bounded, the dictionary
 * included, for any input.
 *
 * A decoder is for one thread at a time. Decoders share nothing.
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
	DEVTRACE_ITEM_LOST,	/* u.lost: the sender lost events */
	DEVTRACE_ITEM_PROC,	/* u.proc */
	DEVTRACE_ITEM_DICT,	/* u.dict */
	DEVTRACE_ITEM_DAMAGE,	/* u.damage: bytes that are no intact frame */
	DEVTRACE_ITEM_GAP,	/* u.gap: frames that did not arrive intact */
	DEVTRACE_ITEM_UNKNOWN,	/* u.unknown: intact transport frame of unknown type */
	DEVTRACE_ITEM_STATE,	/* u.state: the stream stopped or continued */
	DEVTRACE_ITEM_NOTE,	/* u.note: from the program that saved the stream */
};

/* An event. Pointers are valid only during the callback. */
struct devtrace_event {
	uint8_t		type;
	uint8_t		flags;		/* DEVTRACE_F_* */
	uint8_t		severity;
	uint16_t	source;		/* CPU or lane: devtrace_decoder_lane() */
	uint32_t	tid;
	uint32_t	tgid;		/* from the dictionary; 0: unknown */
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
	uint16_t	nr_cpus;	/* higher sources are lanes; 0: no lanes */
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
	uint64_t	count;		/* 0: unknown, if DEVTRACE_LOST_LANE */
	uint64_t	from, to;
};

/* Placed among the events: earlier items are older, later ones newer. */
struct devtrace_state_item {
	uint8_t		state;		/* enum devtrace_state, from here on */
	uint8_t		by_trigger;	/* 0: by a command */
	uint64_t	ts;		/* time of the change */
	uint64_t	fired;		/* time of the event that fired the trigger; 0: none */
	const char	*trigger;	/* name; "": none */
};

/* Added by the program that saved the stream; no frame of the kernel. */
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
	DEVTRACE_DAMAGE_CHECK,		/* the check does not match */
	DEVTRACE_DAMAGE_SHORT,		/* too short for a frame */
	DEVTRACE_DAMAGE_LONG,		/* longer than any frame */
	DEVTRACE_DAMAGE_ESCAPE,		/* invalid byte after an escape */
	DEVTRACE_DAMAGE_BODY,		/* check matches, length byte or body does not */
	DEVTRACE_DAMAGE_CUT,		/* the input began or ended inside a frame */
	DEVTRACE_DAMAGE_LACKS,		/* compact, and refers to missing frames */
};

struct devtrace_damage {
	enum devtrace_damage_reason reason;
	uint64_t	offset;		/* of the first bad byte in the input */
	uint64_t	bytes;		/* raw bytes skipped, with the flag */
};

/*
 * Frames are missing between two intact ones. Sequence numbers tell the count modulo 256: with
 * exact false, at least count frames are missing. The next INFO or CLOCK frame has a wide
 * counter. If it shows that a further multiple of 256 is missing, another item with exact true
 * reports those; its place is where the counter was compared, and the frames are missing after
 * ts_before. A counter that decreased means another stream: count 1, not exact.
 */
struct devtrace_gap {
	uint8_t		seq_before, seq_after;
	bool		exact;
	uint64_t	count;
	uint64_t	offset;		/* of the frame after the gap */
	uint64_t	ts_before;	/* last event of this stream before; 0: none */
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
 * Called for each item in order. Return 0 to continue; another value stops
 * devtrace_decoder_feed(), which returns it.
 */
typedef int devtrace_item_fn(const struct devtrace_item *item, void *arg);

/* Return NULL with errno ENOMEM if there is no memory. */
struct devtrace_decoder *devtrace_decoder_new(devtrace_item_fn *fn, void *arg);
void devtrace_decoder_free(struct devtrace_decoder *d);
/*
 * Decode n more bytes. Return 0, or the callback's value: then the bytes after that item are not
 * consumed; *used (unless NULL) is the number of consumed bytes.
 */
int devtrace_decoder_feed(struct devtrace_decoder *d, const void *buf, size_t n,
			  size_t *used);
/*
 * End of the input: report what is cut off. Return 0, or the callback's value: then call it
 * again. More input may follow and may begin inside a frame.
 */
int devtrace_decoder_finish(struct devtrace_decoder *d);
const struct devtrace_totals *devtrace_decoder_totals(const struct devtrace_decoder *d);

/*
 * Look up the stream's dictionary. Return NULL if there is no such name. A name that is missing
 * under scope is looked up under scope 0, a signal that is missing under its object (key) under
 * object 0. Valid until the next feed.
 */
const char *devtrace_decoder_name(const struct devtrace_decoder *d, uint8_t kind,
				  uint32_t scope, uint32_t value, uint8_t group,
				  uint64_t key);
/*
 * Return the name of a thread and, unless tgid is NULL, its process (0: unknown). Thread 0 is
 * the idle thread of each CPU: its name is "swapper/" and the CPU of its last event.
 */
const char *devtrace_decoder_proc(const struct devtrace_decoder *d, uint32_t tid,
				  uint32_t *tgid);
/*
 * Return the number of the lane from 0 on, or -1 if the source is a CPU. The last INFO frame
 * decides; before the first, all sources count as CPUs.
 */
int devtrace_decoder_lane(const struct devtrace_decoder *d, uint16_t source);
/*
 * Return a random number that identifies the loading of the module; it follows each INFO frame.
 * 0: not received yet, or an older module.
 */
uint32_t devtrace_decoder_load(const struct devtrace_decoder *d);
/*
 * Convert the trace clock to CLOCK_REALTIME or CLOCK_MONOTONIC, ns, by the last CLOCK frame at
 * or before ts, or by the oldest one kept. false: no CLOCK frame yet.
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
		struct { const uint8_t *p; size_t len; } mem; /* STR (without NUL) MEM */
		struct { uint32_t sig; uint64_t obj; } sig;
	} v;
	const uint8_t	*raw;		/* starts at the format byte */
	size_t		size;		/* with the format byte */
};

/*
 * Take the element at *pos of data and advance *pos. Return 1: an element; 0: the end; -1: no
 * whole element. A buffer in several MEM pieces comes piece by piece (width DEVTRACE_E_MEM_MORE
 * >> 4).
 */
int devtrace_elem_next(const uint8_t *data, size_t len, size_t *pos,
		       struct devtrace_elem *e);

/*
 * Build a frame like the device: seq, type, body, check, flag. add_len: append the body's length
 * byte, which body does not contain. Return the length, or 0 if it exceeds size. For tests,
 * gateways and tools that write streams.
 */
size_t devtrace_frame_encode(uint8_t *out, size_t size, enum devtrace_check check,
			     uint8_t seq, uint8_t type, const void *body, size_t len,
			     bool add_len);

/*
 * Make a stream compact for slow lines: event frames carry their header in few bytes, and the
 * decoder produces the same items. Feed the bytes from read(2) in pieces of any size; fn gets
 * the bytes to send. If fn returns a value other than 0, feed and finish return it, and bytes
 * are lost. Bytes that are no intact frame are passed on. finish: pass on an incomplete frame.
 *
 * An object is for one stream, and for one thread at a time. new: returns NULL with errno ENOMEM
 * if there is no memory.
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
