/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decode_priv.h - the inside of a decoder
 *
 * Private to the library. decode.c finds the frames and counts them; decode_body.c turns the body
 * of an intact frame into an item and keeps the stream's names and clocks.
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
 * The INFO frame of another stream may be in the last DT_TAIL_MAX bytes of a bad frame. This is
 * the size of an INFO frame with three names of 64 bytes if every byte is escaped.
 */
#define DT_TAIL_MAX	512

#define DT_NAMES_MAX	65536		/* limit of names, and of threads */
#define DT_CLOCKS	64		/* CLOCK frames kept */
#define DT_RECENT	16		/* threads cached in recent[]; a power of two */

/*
 * How certain the kind of check is. GUESSED: frames pass sum8, but so does one damaged frame in
 * 65536; so each frame is tried under the other checks first.
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

	/* Position in the input: bytes consumed, and the begin of the current frame. */
	uint64_t	pos, start;
	size_t		have;		/* bytes of the current frame in raw[] */
	bool		too_long;	/* raw[] has only the last bytes of the frame */
	bool		midway;		/* no flag yet: the input may begin inside a frame */
	bool		pending;	/* raw[] is whole, but the callback stopped */

	enum dt_check_state	check_state;
	enum devtrace_check	check;
	/* frames in a row that pass this check, see other_check() */
	uint8_t			runs[DT_CHECKS];

	/* Our counts, to compare with sequence numbers and the wide counter. */
	bool		have_seq, have_wide;
	bool		gap_since_wide;
	uint8_t		seq;		/* of the last intact frame */
	uint8_t		next_seq;	/* next expected number */
	uint32_t	refused;	/* damaged places since the last intact frame */
	uint64_t	wide;		/* number of the next frame */
	uint64_t	last_ts;	/* of the last event */
	uint64_t	gap_ts;		/* @last_ts at the earliest possible gap */

	/* From INFO and the load frame. */
	uint8_t			version;
	uint16_t		nr_cpus;	/* higher sources are lanes; 0: all are CPUs */
	char			idle[16];	/* name of thread 0 in the last event that had it */
	bool			have_boot;
	uint8_t			boot_id[16];
	uint32_t		load;	/* load number of the module; 0: unknown */
	struct dt_names		names, procs;
	/* Cache: the process of tid, at index tid % DT_RECENT. */
	struct { uint32_t tid, tgid; } recent[DT_RECENT];
	uint32_t		nr_clocks, next_clock;
	struct devtrace_clock	clocks[DT_CLOCKS];

	/*
	 * State of compact frames. @full: an expanded frame; @checked: the bytes that its check
	 * covers.
	 */
	struct dt_compact_known	compact;
	uint8_t		full[DT_HEADER + DEVTRACE_PAYLOAD_MAX];
	uint8_t		checked[DT_COMPACT_BEFORE + DEVTRACE_FRAME_MAX];

	struct dt_crc	crc[2];		/* CRC-16, CRC-32 */
	uint8_t		frame[DEVTRACE_FRAME_MAX];
	uint8_t		raw[DT_RAW_MAX];
};

/*
 * Fill in *item from the type and the body, without the length byte, of an intact frame. Return
 * false if this is not a body of this type. Nothing in d is changed.
 */
bool dt_body_parse(const struct devtrace_decoder *d, struct devtrace_item *item,
		   uint8_t type, const uint8_t *body, size_t len);

/*
 * Fill in *item from the body of an EMPTY frame. Return false if this is not a note; *item is
 * then undefined.
 */
bool dt_note_parse(struct devtrace_item *item, const uint8_t *body, size_t len);

/* Could a real emitter have made this item? Used only to guess the check. */
bool dt_item_plausible(const struct devtrace_item *item);

/* Learn from an item that is about to be delivered, and fill in its tgid. */
void dt_body_learn(struct devtrace_decoder *d, struct devtrace_item *item);

/* Clear the cache after the table of threads changed. */
void dt_forget_recent(struct devtrace_decoder *d);

static inline bool dt_opens_stream(const struct devtrace_info *i)
{
	return i->reason == DEVTRACE_INFO_OPEN && i->frames == 0;
}

#endif
