/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - the state of the running logger
 *
 * pump.c reads and writes; follow.c waits for events and uses the spool; trigger.c waits for a
 * trigger instead; main.c starts and ends all of this.
 */
#ifndef TRACELOGGER_RUN_H
#define TRACELOGGER_RUN_H

#include "tracelogger.h"

/* Bytes of one read: half of the smallest file, so that two reads always fit into a file. */
#define TL_PIECE	(TL_SIZE_MIN / 2)
/* Most bytes that a peer may leave unacknowledged: the kernel's limit for a link. */
#define TL_UNSURE	(64 * 1024)
#define TL_BUF		(TL_PIECE + 2 * TL_RESERVE + 2 * DEVTRACE_FRAME_MAX + TL_UNSURE)
#define TL_NO_CUT	((size_t)-1)
/* time between two attempts while there is no room or no peer */
#define TL_RETRY	TL_NSEC
#define TL_CONNECT	(3 * TL_NSEC)		/* for a peer to answer */
#define TL_FAREWELL	(5 * TL_NSEC)		/* at the end, for a peer to accept more bytes */
#define TL_LAST		(30 * TL_NSEC)		/* at the end, for a peer to accept all bytes */
#define TL_GRACE	(TL_NSEC / 4)		/* for a peer to answer, if there is a spool */

/* Counts of events and losses, taken without decoding the frames. */
struct tl_tally {
	struct devtrace_totals totals;
	/* bytes of the current frame so far; 0: the last byte was a flag */
	size_t		at;
	bool		escaped;
	uint8_t		type;
	size_t		have;
	uint8_t		body[sizeof(struct devtrace_wire_lost)];	/* body of a LOST frame */
};

struct tl_run {
	struct tl_options opt;
	struct tl_store	store;		/* the current destination: files, a link or the spool */
	struct tl_store	other;		/* while spooling: the link; else: the spool's files */
	struct tl_spool	spool;
	bool		spooling;
	struct tl_report report;
	struct devtrace_decoder *decoder;
	struct devtrace_compact *compact;	/* or NULL */
	bool		tallies;	/* @tally counts instead of the decoder */
	struct tl_tally	tally;
	struct devtrace_totals totals;	/* sum of the decoder's totals and the tally's */
	struct tl_exec	*exec;		/* runs commands for events that match; or NULL */
	struct devtrace_totals saved;	/* with --on-trigger: sum over all files */
	struct tl_syslog *syslog;	/* converts events to messages; or NULL */
	size_t		raw_at, raw_len;	/* part of @raw that is not converted yet */
	int		dev;
	size_t		len, done;	/* bytes in @buf, and bytes of these that are written */
	size_t		edge;		/* offset of the end of the last whole frame in @buf */
	size_t		cut;		/* offset at which the next file begins, or TL_NO_CUT */
	bool		announces;	/* the device supports DEVTRACE_IOC_ANNOUNCE */
	bool		ended;		/* the input has ended */
	bool		failed;		/* the input could not be read */
	bool		severe, written;
	bool		gave_up;	/* at the end, the peer did not accept all bytes in time */
	bool		follows;	/* let signals and syncs interrupt extract() */
	bool		drained;	/* the last reading emptied the device */
	/* when the first reading after the device was last empty began, ns */
	int64_t		busy;
	int64_t		stopped;	/* when the first signal to end came, ns; 0: none */
	size_t		quota;		/* bytes that may still be read */
	uint64_t	until, last_ts;
	int64_t		pinged, ping;
	int64_t		tried;		/* last attempt to reach the peer while spooling, ns */
	uint64_t	unheard;	/* events that the kernel counted and we did not */
	sigset_t	mask;		/* signal mask during waits */
	uint8_t		buf[TL_BUF];
	uint8_t		raw[4096];
};

/*
 * main.c: open the device @path; make a decoder and empty the buffer. Both return 1 after
 * printing a message, else 0.
 */
int tl_run_open(struct tl_run *r, const char *path);
int tl_run_decoder(struct tl_run *r);

int tl_on_item(const struct devtrace_item *item, void *arg);
/* With --compact, make frames compact from here on. Returns 0 or -ENOMEM. */
int tl_begin_compact(struct tl_run *r);
/* Totals of the input so far. */
const struct devtrace_totals *tl_totals(struct tl_run *r);
/* End the file after the current frame, once the announcement for the next file was read. */
void tl_end_file(struct tl_run *r);
/*
 * Call this before leaving the spool. Put the bytes of the spool that the peer has not
 * acknowledged into the buffer, before the bytes that no file holds yet. Returns false if that is
 * not possible now.
 */
bool tl_hold_unsure(struct tl_run *r);
/* After an error other than a full disk: go on in another file, from the cut frame. */
void tl_spoilt(struct tl_run *r);
/* Write all whole frames. Returns 0, or the error that prevents it. */
int tl_flush(struct tl_run *r);
/* Read and write until nothing is left. Returns 0, or the error that prevents writing. */
int tl_save_all(struct tl_run *r);

void tl_tally(struct tl_tally *t, const uint8_t *p, size_t n);

/* Ping the watchdog of systemd if it is time. */
void tl_alive(struct tl_run *r);
/* Shortens a wait of @ns (< 0: endless) to the time until the next ping. */
int64_t tl_slice(const struct tl_run *r, int64_t ns);
/* Wait until @fd is readable, a signal comes, or @ns has passed. */
void tl_wait_for(struct tl_run *r, int fd, int64_t ns);
/* After an error of the link: go on with the spool, if there is one. Returns true if so. */
bool tl_use_spool(struct tl_run *r, int err);
void tl_swap_stores(struct tl_run *r);
/* At the end: send the spool. If files remain in it, print their size and return true. */
bool tl_empty_spool(struct tl_run *r, int *err);
/* Note that all events of the device have been read. */
void tl_drained(struct tl_run *r);
/* True if so much of the buffer is unread that events may soon be overwritten. */
bool tl_behind(struct tl_run *r, unsigned int percent);
/* Save events until a signal or the end of input. */
void tl_follow(struct tl_run *r);

/* last.c: save the previous boot. Return 0, or 1 after an error message was printed. */
int tl_last_boot(struct tl_run *r);

/* trigger.c: save a file each time the trigger fires. Returns the exit status. */
int tl_trigger_run(struct tl_run *r);

#endif
