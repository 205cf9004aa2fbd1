/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-decode.h - decode the frames of /dev/trace from any input
 *
 * The caller feeds a decoder with the bytes of a stream, in pieces of any size, from the device, a
 * file or an unreliable line. The decoder calls a function for each item: an event, a loss, a
 * name, damage and so on. It guarantees that an item is complete and passed every check; that a
 * DEVTRACE_ITEM_GAP accounts for every missing frame; that after damage, decoding continues at the
 * next intact frame; and that its memory, including the dictionary, is bounded for any input.
 *
 * Only one thread at a time may use a decoder. Decoders share no data.
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
	DEVTRACE_ITEM_DAMAGE,	/* u.damage: bytes that form no intact frame */
	DEVTRACE_ITEM_GAP,	/* u.gap: frames that did not arrive intact */
	DEVTRACE_ITEM_UNKNOWN,	/* u.unknown: intact transport frame, type unknown */
	DEVTRACE_ITEM_STATE,	/* u.state: the stream was stopped or started */
	DEVTRACE_ITEM_NOTE,	/* u.note: added by the program that saved the stream */
	DEVTRACE_ITEM_ACCURACY,	/* u.accuracy: a program stated how exact the wall clock was */
};

/* An event. Pointers are valid only during the callback. */
struct devtrace_event {
	uint8_t		type;
	uint8_t		flags;		/* DEVTRACE_F_* */
	uint8_t		severity;
	uint16_t	source;		/* CPU or lane: devtrace_decoder_lane() */
	/*
	 * number: the type, or from DEVTRACE_NAMED_FIRST on the number of a type that was
	 * registered by name: then type is DEVTRACE_T_NAMED, and flags lacks DEVTRACE_F_CODE
	 */
	uint16_t	number;
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
	uint16_t	nr_cpus;	/* number of the first source that is a lane; 0: no lanes */
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

/*
 * A change of the stream's state. Earlier items are older than the change, later items are newer.
 */
struct devtrace_state_item {
	uint8_t		state;		/* enum devtrace_state, from here on */
	uint8_t		by_trigger;	/* 0: by a command */
	uint64_t	ts;		/* time of the change */
	uint64_t	fired;		/* time of the event that fired the trigger; 0: none */
	const char	*trigger;	/* name; "": none */
};

/* A note that a program added when it saved the stream. The kernel sends none. */
struct devtrace_note {
	const char	*name, *value;
};

/* A statement about the error of the wall clock: see struct devtrace_accuracy. */
struct devtrace_statement {
	uint64_t	ts;		/* when it was made, trace clock; 0: unknown */
	uint64_t	max, est;	/* largest and estimated error, ns */
	uint32_t	status;		/* with DEVTRACE_ACCURACY_UNSYNC: not synchronized */
	char		source[12];	/* such as "ntp" */
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
	DEVTRACE_DAMAGE_BODY,		/* the check matches, but not the length byte or the body */
	DEVTRACE_DAMAGE_CUT,		/* the input began or ended inside a frame */
	DEVTRACE_DAMAGE_LACKS,		/* a compact frame that refers to a missing frame */
};

struct devtrace_damage {
	enum devtrace_damage_reason reason;
	uint64_t	offset;		/* input offset of the first bad byte */
	uint64_t	bytes;		/* raw bytes skipped, with the flag */
};

/*
 * Frames are missing between two intact ones. Sequence numbers count modulo 256: if exact is
 * false, count is a minimum, because a multiple of 256 frames may be missing in addition. INFO and
 * CLOCK frames contain a 64-bit counter of frames. If it shows such a multiple, the decoder
 * reports it as another gap with exact true, just before that frame; the missing frames belong
 * somewhere after ts_before. If the counter is lower than before, another stream begins: count is
 * 1 and exact is false.
 */
struct devtrace_gap {
	uint8_t		seq_before, seq_after;
	bool		exact;
	uint64_t	count;
	uint64_t	offset;		/* of the frame after the gap */
	uint64_t	ts_before;	/* time of the last event before the gap; 0: none */
};

struct devtrace_item {
	enum devtrace_item_kind kind;
	uint64_t	offset;		/* input offset of the frame */
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
		struct devtrace_statement accuracy;
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
 * Called for each item in order. If it returns a value other than 0, devtrace_decoder_feed() stops
 * and returns this value.
 */
typedef int devtrace_item_fn(const struct devtrace_item *item, void *arg);

/* Create a decoder. If there is no memory, return NULL with errno ENOMEM. */
struct devtrace_decoder *devtrace_decoder_new(devtrace_item_fn *fn, void *arg);
void devtrace_decoder_free(struct devtrace_decoder *d);
/*
 * Decode n more bytes. Return 0, or the value other than 0 that the callback returned. In this
 * case the bytes after the item's frame are not consumed. Unless used is NULL, *used is the number
 * of consumed bytes.
 */
int devtrace_decoder_feed(struct devtrace_decoder *d, const void *buf, size_t n,
			  size_t *used);
/*
 * End the input: report an incomplete frame. Return 0, or the value other than 0 that the callback
 * returned; in this case call the function again. Afterwards the decoder can be fed with another
 * input, which may begin inside a frame.
 */
int devtrace_decoder_finish(struct devtrace_decoder *d);
const struct devtrace_totals *devtrace_decoder_totals(const struct devtrace_decoder *d);

/*
 * Look up a name in the stream's dictionary, or return NULL. If scope (a process) has no such
 * name, scope 0 (the kernel) is searched, except for DEVTRACE_T_IMAGE; if a signal has no name for
 * the object key, its name for object 0 is used. The string is valid until the next feed.
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
 * Return the number of the lane, counted from 0, or -1 if the source is a CPU. The last INFO frame
 * determines which sources are lanes; before the first one, every source counts as a CPU.
 */
int devtrace_decoder_lane(const struct devtrace_decoder *d, uint16_t source);
/*
 * Return the random number that identifies this load of the module, sent after each INFO frame; 0:
 * not received, for example because the module is older.
 */
uint32_t devtrace_decoder_load(const struct devtrace_decoder *d);
/*
 * Convert a trace clock time to CLOCK_REALTIME or CLOCK_MONOTONIC, in ns, with the last CLOCK
 * frame at or before ts, or the oldest known one if ts is earlier. Return false before the first
 * CLOCK frame.
 */
bool devtrace_decoder_real(const struct devtrace_decoder *d, uint64_t ts, int64_t *real);
bool devtrace_decoder_mono(const struct devtrace_decoder *d, uint64_t ts, uint64_t *mono);

/* How well the wall clock was synchronized. */
enum devtrace_sync {
	DEVTRACE_SYNC_UNKNOWN,	/* no statement applies */
	DEVTRACE_SYNC_NEVER,	/* every statement so far says: not synchronized */
	DEVTRACE_SYNC_LOST,	/* the clock was synchronized earlier, but is not any more */
	DEVTRACE_SYNC_ERROR,	/* the error is known */
};

/*
 * Compute the largest error of devtrace_decoder_real() at a time of the trace clock, in ns. It is
 * the error of the last statement, plus DEVTRACE_DRIFT_PPM of the time from there to ts, plus what
 * the conversion by CLOCK frames may add (20 us and more). If the wall clock was set after the
 * statement, the statement no longer applies. *max is set only if the function returns
 * DEVTRACE_SYNC_ERROR.
 */
#define DEVTRACE_DRIFT_PPM	500	/* as the kernel assumes for a clock without corrections */
enum devtrace_sync devtrace_decoder_error(const struct devtrace_decoder *d, uint64_t ts,
					  uint64_t *max);
/* The last statement; NULL: there is none. It may no longer apply. */
const struct devtrace_statement *devtrace_decoder_statement(const struct devtrace_decoder *d);

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
 * Decode the element at *pos of data and advance *pos. Return 1 if there is an element, 0 at the
 * end of data, -1 if the rest is not a complete element. A buffer that consists of several MEM
 * pieces is returned piece by piece; all but the last have the width DEVTRACE_E_MEM_MORE >> 4.
 */
int devtrace_elem_next(const uint8_t *data, size_t len, size_t *pos,
		       struct devtrace_elem *e);

/*
 * Build a frame as the device does: sequence number, type, body, check, flag. If add_len is true,
 * append the length byte to the body. Return the length of the frame, or 0 if it exceeds size. For
 * tests, gateways and tools that write streams.
 */
size_t devtrace_frame_encode(uint8_t *out, size_t size, enum devtrace_check check,
			     uint8_t seq, uint8_t type, const void *body, size_t len,
			     bool add_len);

/*
 * Make a stream compact for slow lines: event frames get a short header, from which the decoder
 * restores the same items. devtrace_compact_feed() takes the bytes from read(2) in pieces of any
 * size and calls fn with the bytes to send. If fn returns a value other than 0,
 * devtrace_compact_feed() or devtrace_compact_finish() returns it, and bytes are lost. Bytes that
 * do not form an intact frame are passed on unchanged. devtrace_compact_finish() passes on an
 * incomplete frame.
 *
 * An object is for one stream, and for one thread at a time. devtrace_compact_new() returns NULL
 * with errno ENOMEM if there is no memory.
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
