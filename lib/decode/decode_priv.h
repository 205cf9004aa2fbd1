/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decode_priv.h - the private structure of a decoder
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
 * Number of bytes at the end of a bad frame that are searched for the INFO frame of another
 * stream. It is the size of an INFO frame with three names of 64 bytes if every byte is escaped.
 */
#define DT_TAIL_MAX	512

#define DT_NAMES_MAX	65536		/* limit of names, and of threads */
#define DT_CLOCKS	64		/* CLOCK frames kept */
#define DT_RECENT	16		/* threads cached in recent[]; a power of two */

/*
 * How certain the decoder is about the stream's check. GUESSED: the frames pass sum8, but so does
 * one damaged frame in 65536; so each frame is first tried under the other checks.
 */
enum dt_check_state {
	DT_CHECK_UNKNOWN,
	DT_CHECK_GUESSED,
	DT_CHECK_SURE,
};

/*
 * Statements of the stream about the error of the wall clock. @valid: the last statement applies;
 * @synced: a statement says that the clock was synchronized; @noted: the last statement is a note,
 * and the kernel has made none; @fresh: that note may belong to the stream that begins after it.
 */
struct dt_accuracy {
	struct devtrace_statement last;
	uint64_t step;		/* when the wall clock stepped last, as far as is known; 0: never */
	bool	known, valid, synced, noted, fresh;
};

struct devtrace_decoder {
	devtrace_item_fn	*fn;
	void			*arg;
	struct devtrace_totals	totals;

	/* Position in the input: end of the consumed bytes, and beginning of the current frame. */
	uint64_t	pos, start;
	size_t		have;		/* bytes of the current frame in raw[] */
	bool		too_long;	/* raw[] has only the last bytes of the frame */
	bool		midway;		/* no flag so far: the input may begin inside a frame */
	/* raw[] has a whole frame, of which the callback has not accepted all items */
	bool		pending;

	enum dt_check_state	check_state;
	enum devtrace_check	check;
	/* number of consecutive frames that passed this check, see other_check() */
	uint8_t			runs[DT_CHECKS];

	/*
	 * Our counts, for comparison with sequence numbers and with the counter of INFO and CLOCK.
	 */
	bool		have_seq, have_wide;
	bool		gap_since_wide;
	uint8_t		seq;		/* of the last intact frame */
	uint8_t		next_seq;	/* next expected number */
	uint32_t	refused;	/* number of damaged places since the last intact frame */
	uint64_t	wide; /* expected number of the next frame, as INFO and CLOCK count */
	uint64_t	last_ts;	/* time of the last event */
	/* @last_ts at the earliest place where the missing frames may belong */
	uint64_t	gap_ts;

	/* From INFO frames and from the EMPTY frame with the load number. */
	uint8_t			version;
	uint16_t		nr_cpus; /* sources from this number on are lanes; 0: no lanes */
	char			idle[16];	/* name of thread 0, made for its last event */
	bool			have_boot;
	uint8_t			boot_id[16];
	uint32_t		load;	/* load number of the module; 0: unknown */
	struct dt_names		names, procs;
	/* Cache of threads and their processes: thread tid is at index tid % DT_RECENT. */
	struct { uint32_t tid, tgid; } recent[DT_RECENT];
	struct dt_accuracy	accuracy;
	uint32_t		nr_clocks, next_clock;
	struct devtrace_clock	clocks[DT_CLOCKS];

	/*
	 * State of compact frames. @full: an expanded event; @checked: the bytes that its check
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
 * false if the body is not valid for this type. *d does not change.
 */
bool dt_body_parse(const struct devtrace_decoder *d, struct devtrace_item *item,
		   uint8_t type, const uint8_t *body, size_t len);

/*
 * Fill in *item from the body of an EMPTY frame that contains a note. Return false if it contains
 * none; *item is then undefined.
 */
bool dt_note_parse(struct devtrace_item *item, const uint8_t *body, size_t len);

/* decode_accuracy.c: parse the body of an EMPTY frame. Return false if it has no statement. */
bool dt_accuracy_parse(struct devtrace_statement *a, const uint8_t *body, size_t len);
/*
 * Learn a statement; one that may be in a note; a CLOCK frame, before which the wall clock may have
 * been set, with the frame @before it, or NULL.
 */
void dt_accuracy_learn(struct dt_accuracy *to, const struct devtrace_statement *a);
void dt_accuracy_note(struct dt_accuracy *to, const struct devtrace_note *note);
void dt_accuracy_clock(struct dt_accuracy *a, const struct devtrace_clock *before,
		       const struct devtrace_clock *c);
void dt_accuracy_forget(struct dt_accuracy *a);

/* Does the item look like one that a kernel sends? Used only to guess the check. */
bool dt_item_plausible(const struct devtrace_item *item);

/* Update names and clocks from an item before it is delivered, and fill in the item's tgid. */
void dt_body_learn(struct devtrace_decoder *d, struct devtrace_item *item);

/* Empty the cache after a change in the table of threads. */
void dt_forget_recent(struct devtrace_decoder *d);

static inline bool dt_opens_stream(const struct devtrace_info *i)
{
	return i->reason == DEVTRACE_INFO_OPEN && i->frames == 0;
}

#endif
