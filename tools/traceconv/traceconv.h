/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traceconv.h - the trace of a microcontroller becomes a stream of ours
 *
 * A frame of the target that is intact becomes frames of ours. A frame that is not goes
 * through as it is, so that who reads our stream finds the damage where it was, and frames
 * that are missing leave a hole in our own numbers. So damage and gaps are reported by the
 * reader, in the words that it has for them.
 */
#ifndef TRACECONV_H
#define TRACECONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#define CONV_NSEC		1000000000
#define CONV_RAW_MAX		8192	/* a longer frame is damage */
#define CONV_BODY_MAX		(16 + DEVTRACE_PAYLOAD_MAX)
/* The target is one thread of one CPU. */
#define CONV_TID		1

/* How many bytes things have in the target's records. */
struct conv_sizes {
	uint8_t		time, sig, obj, fun;
	uint8_t		equeue, mpool, event, tick;	/* counters; RKH's NE, NBLK, ES, NT */
	uint8_t		block;				/* RKH: size of blocks */
};

/**
 * struct conv_clock - the clock of the target on that of the board
 * @rate: ticks a second; 0: to be measured
 * @bits: of the target's counter
 * @ticks: of the last record, without wrapping
 * @begun: there was a record
 * @told_rate: the user said the rate
 * @arrival: when it came; 0: nobody knows, as in a file
 * @base: time at @base_ticks
 * @slope: ns of a tick
 * @last: the last time given
 * @win_begin, @win_min, @win_sum, @win_max, @win_n: delays behind the line in this window
 * @min_ticks, @min_arrival: the record of the smallest delay in it
 * @old_ticks, @old_arrival, @windows: that of the first window
 * @drift: parts in a million by which the target's clock is fast
 * @uncertainty: ns
 * @told: there is news to tell
 */
struct conv_clock {
	double		rate;
	unsigned int	bits;
	uint64_t	ticks;
	bool		begun, told_rate;
	uint64_t	arrival, first_arrival, first_ticks;
	double		base, slope;
	uint64_t	base_ticks, last;
	uint64_t	win_begin;
	double		win_min, win_sum;
	uint64_t	win_n, min_ticks, min_arrival, old_ticks, old_arrival;
	unsigned int	windows;
	double		drift, uncertainty, said;
};

/**
 * struct conv - one conversion
 * @put: writes bytes of our stream; another value than 0 ends the conversion
 * @parse: takes one intact frame without its escapes and its check
 */
struct conv {
	int		(*put)(void *arg, const void *bytes, size_t n);
	void		*arg;
	const struct conv_dialect *dialect;
	const char	*name;
	struct conv_sizes sizes;
	bool		sized;		/* the target said its sizes, or the user */
	uint32_t	rkh_flags;
	uint16_t	version;	/* of QP, or of RKH's records */
	bool		big_endian;
	bool		live;
	uint8_t		boot_id[16];
	uint32_t	load;
	struct conv_clock clock;

	/* The input */
	uint8_t		raw[CONV_RAW_MAX];
	size_t		raw_len;
	bool		too_long;
	bool		have_seq;
	uint8_t		seq;
	unsigned int	hole;		/* frames missing before this one */
	uint64_t	arrival;

	/* The output */
	uint8_t		out_seq;
	uint64_t	out_frames, out_bytes, announced_bytes, announced_ts;
	bool		announced;
	int		err;
	uint8_t		body[CONV_BODY_MAX];
	size_t		len;
	bool		pointers, too_large;

	/* What there was */
	uint64_t	frames, missing, damaged, damaged_bytes, layout, unknown, resets;
};

/* What makes QS different from RKH. */
struct conv_dialect {
	const char		*name;
	struct conv_sizes	sizes;
	uint32_t		rkh_flags;
	/* Is it a frame, with its check? Its bytes behind the check are cut off. */
	bool (*intact)(const struct conv *c, const uint8_t *p, size_t *n);
	/* Its sequence number; -1: it has none. */
	int (*seq)(const struct conv *c, const uint8_t *p, size_t n);
	/* Does it say that the target began anew? */
	bool (*begins)(const struct conv *c, const uint8_t *p, size_t n);
	/* Emit what it says. false: it is laid out otherwise, and nothing was emitted. */
	bool (*record)(struct conv *c, const uint8_t *p, size_t n);
};

extern const struct conv_dialect conv_qs, conv_rkh;

/* put, arg, name, sizes (0: as the dialect has them), rate and live are set before. */
void conv_begin(struct conv *c, const struct conv_dialect *dialect);
/* Bytes that arrived at this time of the trace clock; 0: nobody knows. */
int conv_feed(struct conv *c, const uint8_t *p, size_t n, uint64_t arrival);
int conv_end(struct conv *c);

/* A record of the target: elements first, then conv_event() under this type. */
void conv_u(struct conv *c, uint8_t format, uint64_t v, unsigned int bytes);
void conv_mem(struct conv *c, uint8_t format, const void *p, size_t n);
void conv_event(struct conv *c, uint8_t type, uint64_t ts);
void conv_number(struct conv *c, uint64_t v, unsigned int bytes);
void conv_signal(struct conv *c, uint64_t sig, uint64_t object);
/* Elements of the application; a signal has an object of so many bytes. false: they are cut off. */
bool conv_user(struct conv *c, const uint8_t *p, size_t n, unsigned int sig_object);
void conv_text(struct conv *c, const char *text);
/* A record that has no layout, as text; false: it is no record, but half a frame. */
bool conv_unknown(struct conv *c, const char *what, uint8_t number, const uint8_t *p, size_t n);
void conv_name(struct conv *c, uint8_t kind, uint32_t value, uint8_t group, uint64_t key,
	       const char *name, size_t n);
void conv_note(struct conv *c, const char *name, const char *value);
/* INFO and what belongs to it, if it is time for that. */
void conv_announce(struct conv *c, uint64_t ts);
/* Our numbers go on as if so many frames had been sent. */
void conv_skip(struct conv *c, unsigned int n);
void conv_raw(struct conv *c, const void *p, size_t n);

/* The time of a record by the target's counter. */
uint64_t conv_clock_time(struct conv_clock *k, uint32_t ticks, uint64_t arrival);
/* The target's counter began anew. */
void conv_clock_reset(struct conv_clock *k);

/* A number of so many bytes, low byte first. */
static inline uint64_t conv_le(const uint8_t *p, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}
#endif
