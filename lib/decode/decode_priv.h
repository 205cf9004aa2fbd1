/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decode_priv.h - the inside of a decoder
 *
 * Private to the library. decode.c finds the frames and keeps the accounts,
 * decode_body.c turns the body of an intact frame into an item and keeps what
 * the stream says about names and clocks.
 */
#ifndef DT_DECODE_PRIV_H
#define DT_DECODE_PRIV_H

#include "compact.h"
#include "decode_names.h"
#include "devtrace-decode.h"
#include "wire/frame.h"

/* The longest frame with every byte escaped, without its flag. */
#define DT_RAW_MAX	(2 * DEVTRACE_FRAME_MAX)

/*
 * How far before the end of a bad frame to look for the beginning of another
 * stream: an INFO frame with three names of 64 bytes, every byte escaped.
 */
#define DT_TAIL_MAX	512

#define DT_NAMES_MAX	65536		/* names, and as many threads */
#define DT_CLOCKS	64		/* CLOCK frames remembered */
#define DT_RECENT	16		/* threads found without the table; 2^n */

/*
 * How certain the check is. GUESSED: frames pass as sum8, which one damaged
 * frame in 65536 does too, so that each frame is tried under the others first.
 */
enum dt_check_state {
	DT_CHECK_UNKNOWN,
	DT_CHECK_GUESSED,
	DT_CHECK_SURE,
};

struct devtrace_decoder {
	devtrace_item_fn	*fn;
	void			*arg;
	struct devtrace_totals	totals;

	/* Where in the input: bytes consumed, and the frame being collected. */
	uint64_t	pos, start;
	size_t		have;		/* bytes of it in raw[] */
	bool		too_long;	/* raw[] has only its last bytes */
	bool		midway;		/* no flag yet: it may begin inside */
	bool		pending;	/* raw[] is whole, the callback stopped */

	enum dt_check_state	check_state;
	enum devtrace_check	check;
	uint8_t			runs[DT_CHECKS];	/* see other_check() */

	/* The accounts of sequence numbers and of the wide counter. */
	bool		have_seq, have_wide;
	bool		gap_since_wide;
	uint8_t		seq;		/* of the last intact frame */
	uint8_t		next_seq;	/* that nothing is missing before */
	uint32_t	refused;	/* places of damage since then */
	uint64_t	wide;		/* number of the next frame */
	uint64_t	last_ts;	/* of the last event */
	uint64_t	gap_ts;		/* last_ts where a gap may have been */

	/* The stream's own description. */
	uint8_t			version;
	uint16_t		nr_cpus;	/* 0: sources are CPUs */
	char			idle[16];	/* thread 0 of the last event that had it */
	bool			have_boot;
	uint8_t			boot_id[16];
	uint32_t		load;	/* 0: not known */
	struct dt_names		names, procs;
	/* Of events lately: the process of tid, in place tid % DT_RECENT. */
	struct { uint32_t tid, tgid; } recent[DT_RECENT];
	uint32_t		nr_clocks, next_clock;
	struct devtrace_clock	clocks[DT_CLOCKS];

	/* State that compact frames refer to; a frame in full, and as its check sees it. */
	struct dt_compact_known	compact;
	uint8_t		full[DT_HEADER + DEVTRACE_PAYLOAD_MAX];
	uint8_t		checked[DT_COMPACT_BEFORE + DEVTRACE_FRAME_MAX];

	struct dt_crc	crc[2];		/* CRC-16, CRC-32 */
	uint8_t		frame[DEVTRACE_FRAME_MAX];
	uint8_t		raw[DT_RAW_MAX];
};

/*
 * Fill in *item from an intact frame: its type, and body without the length
 * byte. False: the body is not one of this type. Changes nothing in d.
 */
bool dt_body_parse(const struct devtrace_decoder *d, struct devtrace_item *item,
		   uint8_t type, const uint8_t *body, size_t len);

/* The same of an EMPTY frame that may be a note: *item is to be used only if it is one. */
bool dt_note_parse(struct devtrace_item *item, const uint8_t *body, size_t len);

/* Is this what a sane emitter makes? For a guess only. */
bool dt_item_plausible(const struct devtrace_item *item);

/* The item is about to be delivered: learn from it, complete it. */
void dt_body_learn(struct devtrace_decoder *d, struct devtrace_item *item);

/* The table of threads has changed. */
void dt_forget_recent(struct devtrace_decoder *d);

/* An INFO frame that opens a stream: its reason, and no frame before it. */
static inline bool dt_opens_stream(const struct devtrace_info *i)
{
	return i->reason == DEVTRACE_INFO_OPEN && i->frames == 0;
}

#endif
