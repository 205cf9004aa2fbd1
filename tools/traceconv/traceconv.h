/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traceconv.h - convert the trace of a microcontroller (the target) to a devtrace stream
 *
 * An intact frame of the target becomes one or more frames of the stream. The bytes of a damaged
 * frame are copied, and for missing frames the sequence numbers of the stream skip. So a reader of
 * the stream finds and reports both, as in any other stream.
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
/*
 * Limits of what guess.c counts: records and lengths of QS's predefined records, without number
 * and check
 */
#define CONV_GUESS_RECORDS	82
#define CONV_GUESS_BYTES	64
/* The target appears in the stream as one thread on one CPU. */
#define CONV_TID		1

/* Sizes of the fields in the target's records, in bytes. */
struct conv_sizes {
	uint8_t		time, sig, obj, fun;
	uint8_t		equeue, mpool, event, tick;	/* counters; RKH's NE, NBLK, ES, NT */
	uint8_t		block;				/* RKH: size of blocks */
};

/**
 * struct conv_clock - maps the counter of the target to the trace clock of the board
 * @rate: rate of the counter in Hz; 0: unknown, so it is measured
 * @bits: width of the counter in bits
 * @ticks: counter in the last record, extended to 64 bits
 * @begun: a record has been read
 * @told_rate: the user gave the rate
 * @restarted: the counter restarted at the last record, and this was not reported yet
 * @arrival: when the last record arrived, in ns; 0: unknown, because the input is a file
 * @first_arrival: when the first record arrived
 * @first_ticks: counter in the first record
 * @base: time in ns at @base_ticks
 * @slope: ns per tick
 * @last: the time that was returned last, in ns
 * @win_begin: arrival with which the current window began
 * @win_min, @win_sum, @win_n: smallest delay, sum and number of delays in the current window
 * @min_ticks, @min_arrival: the record with the smallest delay in the current window
 * @old_ticks, @old_arrival: the record with the smallest delay in the first window
 * @windows: number of windows that have ended
 * @drift: by how many ppm the counter is fast
 * @uncertainty: uncertainty of the time in the last window, in ns
 * @said: @uncertainty in the last note, plus 1; 0: no note was written
 * @said_drift: @drift in the last note
 */
struct conv_clock {
	double		rate;
	unsigned int	bits;
	uint64_t	ticks;
	bool		begun, told_rate, restarted;
	uint64_t	arrival, first_arrival, first_ticks;
	double		base, slope;
	uint64_t	base_ticks, last;
	uint64_t	win_begin;
	double		win_min, win_sum;
	uint64_t	win_n, min_ticks, min_arrival, old_ticks, old_arrival;
	unsigned int	windows;
	double		drift, uncertainty, said, said_drift;
};

/**
 * struct conv - the state of one conversion
 * @put: writes bytes of the stream; if it returns a value other than 0, the conversion ends
 */
struct conv {
	int		(*put)(void *arg, const void *bytes, size_t n);
	void		*arg;
	const struct conv_dialect *dialect;
	const char	*name;
	struct conv_sizes sizes;
	/* sized: the target or the user gave the sizes */
	bool		sized;
	uint32_t	rkh_flags;
	bool		configured;	/* RKH: the last frame was the configuration */
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
	uint16_t	announced_version;
	bool		announced, announced_narrow;
	int		err;
	uint8_t		body[CONV_BODY_MAX];
	size_t		len;
	bool		pointers, too_large;

	/* Counts for the report */
	/* odd: why records of the target may be converted wrongly; empty if there is no reason */
	char		odd[128];
	uint64_t	frames, missing, damaged, damaged_bytes, layout, unknown, resets;
	uint32_t	lengths[CONV_GUESS_RECORDS][CONV_GUESS_BYTES];
};

/* The functions and default values of a trace format, QS or RKH. */
struct conv_dialect {
	const char		*name;
	struct conv_sizes	sizes;
	uint32_t		rkh_flags;
	/*
	 * name that the stream gives to the type @mark_type, so that the .fmt file of the format
	 * is used; NULL: none
	 */
	const char		*mark;
	uint8_t			mark_type;
	/* Is this a frame with a correct check? If so, subtract the size of the check from *n. */
	bool (*intact)(const struct conv *c, const uint8_t *p, size_t *n);
	/* Return the sequence number of the frame, or -1 if it has none. */
	int (*seq)(const struct conv *c, const uint8_t *p, size_t n);
	/* Does the frame show that the target was restarted? */
	bool (*begins)(const struct conv *c, const uint8_t *p, size_t n);
	/* Convert a record. If it has an unknown layout, write nothing and return false. */
	bool (*record)(struct conv *c, const uint8_t *p, size_t n);
};

extern const struct conv_dialect conv_qs, conv_rkh;

/*
 * Begin a conversion. The caller has set put, arg, name, rate, live, and sizes (0: the dialect's
 * default).
 */
void conv_begin(struct conv *c, const struct conv_dialect *dialect);
/*
 * Return the time of the trace clock, in ns. If there is no trace device, return
 * CLOCK_MONOTONIC_RAW, which does not count the time for which the machine was suspended.
 */
uint64_t conv_now(void);
/* Convert bytes that arrived at the time @arrival of the trace clock; 0: unknown. */
int conv_feed(struct conv *c, const uint8_t *p, size_t n, uint64_t arrival);
int conv_end(struct conv *c);

/* To write an event, write its elements with conv_u() and conv_mem(), then call conv_event(). */
void conv_u(struct conv *c, uint8_t format, uint64_t v, unsigned int bytes);
void conv_mem(struct conv *c, uint8_t format, const void *p, size_t n);
void conv_event(struct conv *c, uint8_t type, uint64_t ts);
void conv_number(struct conv *c, uint64_t v, unsigned int bytes);
void conv_signal(struct conv *c, uint64_t sig, uint64_t object);
/*
 * Convert elements of an application's event. @types translates the target's codes of element
 * types; NULL: the codes are those of QS, which devtrace uses, too. @sig_object: size in bytes of
 * the object in a signal.
 */
enum conv_user { CONV_USER_OK, CONV_USER_CUT, CONV_USER_UNKNOWN };
#define CONV_NO_ELEMENT	0xff
extern const uint8_t conv_rkh_elements[16];
enum conv_user conv_user(struct conv *c, const uint8_t *p, size_t n, const uint8_t *types,
			 unsigned int sig_object);
void conv_text(struct conv *c, const char *text);
/* Write an unknown record as text. Return false if the record may be a truncated frame. */
bool conv_unknown(struct conv *c, const char *what, uint8_t number, const uint8_t *p, size_t n);
void conv_name(struct conv *c, uint8_t kind, uint32_t value, uint8_t group, uint64_t key,
	       const char *name, size_t n);
void conv_note(struct conv *c, const char *name, const char *value);
/*
 * Report why records of this target may be converted wrongly: once in the stream, and at the end.
 */
void conv_odd_target(struct conv *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* If INFO and the frames that follow it are due, write them. */
void conv_announce(struct conv *c, uint64_t ts);
/* Skip n sequence numbers. */
void conv_skip(struct conv *c, unsigned int n);
void conv_raw(struct conv *c, const void *p, size_t n);

/* Count a predefined record of QS by its length. The caller has verified the record's check. */
void conv_guess_note(struct conv *c, uint8_t record, size_t n);
/*
 * Find sizes that fit more of the counted records than the current sizes do. Set *fit to the
 * number of records that they fit, and *all to the number of all. Return false if there are no
 * such sizes.
 */
bool conv_guess(const struct conv *c, struct conv_sizes *best, uint64_t *fit, uint64_t *all);

/* Return the time, in ns, of a record with the counter @ticks. */
uint64_t conv_clock_time(struct conv_clock *k, uint32_t ticks, uint64_t arrival);
/* The target's counter began anew. */
void conv_clock_reset(struct conv_clock *k);

#endif
