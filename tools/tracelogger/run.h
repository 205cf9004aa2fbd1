/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - the state of the running logger
 *
 * pump.c reads and writes. follow.c waits for events and uses the spool; with --on-trigger,
 * trigger.c waits for the trigger instead. main.c starts and ends the logger.
 */
#ifndef TRACELOGGER_RUN_H
#define TRACELOGGER_RUN_H

#include "tracelogger.h"

/*
 * Limit of one read, in bytes: half of the smallest file, so that two reads always fit into a
 * file.
 */
#define TL_PIECE	(TL_SIZE_MIN / 2)
/* Limit of bytes that a peer has not acknowledged; the kernel allows no more on a link. */
#define TL_UNSURE	(64 * 1024)
#define TL_BUF		(TL_PIECE + 2 * TL_RESERVE + 2 * DEVTRACE_FRAME_MAX + TL_UNSURE)
#define TL_NO_CUT	((size_t)-1)
/* TL_RETRY: time between two attempts while the disk is full or the peer is away */
#define TL_RETRY	TL_NSEC
#define TL_CONNECT	(3 * TL_NSEC)		/* for a peer to answer */
/* TL_FAREWELL: at the end of the program, time to wait until the peer accepts more bytes */
#define TL_FAREWELL	(5 * TL_NSEC)
/* TL_LAST: at the end of the program, time to wait until the peer accepts all bytes */
#define TL_LAST		(30 * TL_NSEC)
/* TL_GRACE: time to wait for the peer to connect, if there is a spool */
#define TL_GRACE	(TL_NSEC / 4)

/* Counts events and losses from the types of frames, without decoding their contents. */
struct tl_tally {
	struct devtrace_totals totals;
	/* at: bytes of the current frame so far; 0: the last byte was a flag */
	size_t		at;
	bool		escaped;
	uint8_t		type;
	size_t		have;
	uint8_t		body[sizeof(struct devtrace_wire_lost)];	/* body of a LOST frame */
};

struct tl_run {
	struct tl_options opt;
	/* store: the destination of new events: files, a link or the spool */
	struct tl_store	store;
	/* other: while the spool is used, the link; otherwise the files of the spool */
	struct tl_store	other;
	struct tl_spool	spool;
	bool		spooling;
	struct tl_report report;
	struct devtrace_decoder *decoder;
	struct devtrace_compact *compact;	/* or NULL */
	bool		tallies;	/* @tally counts instead of the decoder */
	struct tl_tally	tally;
	/* totals: the decoder's totals plus those of the tally */
	struct devtrace_totals totals;
	/* exec: runs commands for events that match; NULL without --exec */
	struct tl_exec	*exec;
	struct devtrace_totals saved;	/* with --on-trigger: sum over all files */
	int		dev;
	/* len: bytes in @buf; @done: how many of them are written */
	size_t		len, done;
	/* edge: offset in @buf of the end of the last whole frame */
	size_t		edge;
	/* cut: offset in @buf at which the next file begins, or TL_NO_CUT */
	size_t		cut;
	bool		announces;	/* the device supports DEVTRACE_IOC_ANNOUNCE */
	bool		ended;		/* the input has ended */
	bool		failed;		/* the input could not be read */
	bool		severe, written;
	/* gave_up: the peer did not accept all bytes in time at the end of the program */
	bool		gave_up;
	bool		follows;	/* let signals and syncs interrupt extract() */
	bool		drained;	/* the last reading emptied the device */
	/* busy: when reading began that has not emptied the device since, in ns */
	int64_t		busy;
	/* stopped: when the first signal to end came, in ns; 0: none came */
	int64_t		stopped;
	size_t		quota;		/* bytes that may still be read */
	uint64_t	until, last_ts;
	int64_t		pinged, ping;
	/* tried: when the peer was last tried while the spool is used, in ns */
	int64_t		tried;
	/* unheard: events that the kernel counted and the logger did not read */
	uint64_t	unheard;
	/* looked, stated: when the error of the wall clock was last read, and stated, in ns */
	int64_t		looked, stated;
	int64_t		ahead;		/* wall clock minus tl_now() at @looked, ns */
	bool		mute;		/* the input takes no statements */
	struct devtrace_accuracy accuracy;	/* the last statement */
	sigset_t	mask;		/* signal mask during waits */
	uint8_t		buf[TL_BUF];
	uint8_t		raw[4096];
};

/*
 * main.c: tl_run_open() opens the device @path; tl_run_decoder() makes a decoder and empties the
 * buffer. Both return 0, or 1 after printing a message.
 */
int tl_run_open(struct tl_run *r, const char *path);
int tl_run_decoder(struct tl_run *r);

int tl_on_item(const struct devtrace_item *item, void *arg);
/* With --compact, make frames compact from now on. Return 0 or -ENOMEM. */
int tl_begin_compact(struct tl_run *r);
/* Totals of the input so far. */
const struct devtrace_totals *tl_totals(struct tl_run *r);
/*
 * End the file after the current frame. Before that, read the announcement that the next file
 * needs.
 */
void tl_end_file(struct tl_run *r);
/*
 * Call this before the spool is left. The end of the spool that the peer has not acknowledged is
 * copied to the buffer, in front of the bytes that were not written yet. Return false if that is
 * not possible now.
 */
bool tl_hold_unsure(struct tl_run *r);
/* After an error other than a full disk, begin another file, with the frame that was cut. */
void tl_spoilt(struct tl_run *r);
/* Write all whole frames. Return 0, or the error that prevents it. */
int tl_flush(struct tl_run *r);
/* Read and write until the device is empty. Return 0, or the error that prevents writing. */
int tl_save_all(struct tl_run *r);
/* Let the receiver of records answer all that was sent. Return 0, or the error that prevents it. */
int tl_settle(struct tl_run *r);

void tl_tally(struct tl_tally *t, const uint8_t *p, size_t n);

/* Send systemd's watchdog a ping if one is due. */
void tl_alive(struct tl_run *r);
/* Return how long to wait: @ns (< 0: forever), but at most half of the ping interval. */
int64_t tl_slice(const struct tl_run *r, int64_t ns);
/* Wait until @fd is readable, a signal comes, or @ns has passed. */
void tl_wait_for(struct tl_run *r, int fd, int64_t ns);
/* After an error of the link, use the spool instead. Return false if there is no spool. */
bool tl_use_spool(struct tl_run *r, int err);
void tl_swap_stores(struct tl_run *r);
/*
 * At the end of the program, send the files of the spool. If some could not be sent, print their
 * size and return true.
 */
bool tl_empty_spool(struct tl_run *r, int *err);
/* Note that all events in the device have been read. */
void tl_drained(struct tl_run *r);
/* Is so much of the buffer unread that events may soon be overwritten? */
bool tl_behind(struct tl_run *r, unsigned int percent);
/* Save events until a signal or the end of the input. */
void tl_follow(struct tl_run *r);

/* accuracy.c: state to the kernel how exact the wall clock is, if that is due. */
void tl_accuracy(struct tl_run *r);

/* last.c: save the previous boot. Return 0, or 1 after an error message was printed. */
int tl_last_boot(struct tl_run *r);

/* trigger.c: save a file each time the trigger fires. Return the exit status. */
int tl_trigger_run(struct tl_run *r);

#endif
