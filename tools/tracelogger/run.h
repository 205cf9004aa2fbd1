/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - the state of one run
 *
 * pump.c reads, and writes what it read; follow.c waits for more, and uses the spool;
 * trigger.c waits for a trigger instead; main.c begins and ends.
 */
#ifndef TRACELOGGER_RUN_H
#define TRACELOGGER_RUN_H

#include "tracelogger.h"

/* Read at once; half of the smallest file, so that two of them always fit. */
#define TL_PIECE	(TL_SIZE_MIN / 2)
/* The most that a peer has not acknowledged: the kernel accepts no more for a link. */
#define TL_UNSURE	(64 * 1024)
#define TL_BUF		(TL_PIECE + 2 * TL_RESERVE + 2 * DEVTRACE_FRAME_MAX + TL_UNSURE)
#define TL_NO_CUT	((size_t)-1)
#define TL_RETRY	TL_NSEC			/* without room */
#define TL_CONNECT	(3 * TL_NSEC)		/* for a peer to answer */
#define TL_FAREWELL	(5 * TL_NSEC)		/* for a peer to take something, at the end */
#define TL_LAST		(30 * TL_NSEC)		/* and for all of it */
#define TL_GRACE	(TL_NSEC / 4)		/* the same where files can take its place */

/* Events and losses that are counted without being decoded. */
struct tl_tally {
	struct devtrace_totals totals;
	size_t		at;		/* in a frame; 0: a flag came last, or nothing yet */
	bool		escaped;
	uint8_t		type;
	size_t		have;
	uint8_t		body[sizeof(struct devtrace_wire_lost)];	/* of LOST */
};

struct tl_run {
	struct tl_options opt;
	struct tl_store	store;		/* where it goes now: files, a link, the spool */
	struct tl_store	other;		/* spooling: the link; else the spool */
	struct tl_spool	spool;
	bool		spooling;
	struct tl_report report;
	struct devtrace_decoder *decoder;
	struct devtrace_compact *compact;	/* or NULL */
	bool		tallies;	/* in place of the decoder, while that is not needed */
	struct tl_tally	tally;
	struct devtrace_totals totals;	/* of both */
	struct tl_exec	*exec;		/* a command for events that match; or NULL */
	struct devtrace_totals saved;	/* on triggers, of all files */
	struct tl_syslog *syslog;	/* messages in place of frames; or NULL */
	size_t		raw_at, raw_len;	/* frames that are not messages or compact yet */
	int		dev;
	size_t		len, done;	/* bytes in buf, and of these written */
	size_t		edge;		/* behind the last whole frame */
	size_t		cut;		/* where the next file begins, or TL_NO_CUT */
	bool		announces;	/* the device can announce anew */
	bool		ended;		/* of input */
	bool		failed;		/* of input, too: it could not be read */
	bool		severe, written;
	bool		gave_up;	/* on a peer, which had its time at the end */
	bool		follows;	/* events come: look for signals, and after the disk */
	bool		drained;	/* all that there was has been read */
	int64_t		busy;		/* since when that is not so */
	int64_t		stopped;	/* when a signal that ends us was heard; 0: none */
	size_t		quota;		/* bytes that may still be read */
	uint64_t	until, last_ts;
	int64_t		pinged, ping;
	int64_t		tried;		/* to find somebody, while it spools */
	uint64_t	unheard;	/* events stored and not in totals, when all was read */
	sigset_t	mask;		/* while it waits */
	uint8_t		buf[TL_BUF];
	uint8_t		raw[4096];
};

/* main.c: open another device; a decoder for it, and an empty buffer. 1 after a message. */
int tl_run_open(struct tl_run *r, const char *path);
int tl_run_decoder(struct tl_run *r);

/* pump.c */
int tl_on_item(const struct devtrace_item *item, void *arg);
/* Frames become compact from here on, if it is so wished. 0, or -ENOMEM. */
int tl_begin_compact(struct tl_run *r);
/* Totals of the input so far. */
const struct devtrace_totals *tl_totals(struct tl_run *r);
/* Frames up to the end of this file. */
void tl_end_file(struct tl_run *r);
/*
 * The spool is to be left: take what its peer has not acknowledged into the buffer. False:
 * that cannot be done now.
 */
bool tl_hold_unsure(struct tl_run *r);
/* An error that no room cures: go on in another file, with the frame that was cut. */
void tl_spoilt(struct tl_run *r);
/* Write all whole frames. 0, or the error that kept it from that. */
int tl_flush(struct tl_run *r);
/* Read and write until nothing is left. 0, or what keeps it from being written. */
int tl_save_all(struct tl_run *r);

/* tally.c */
void tl_tally(struct tl_tally *t, const uint8_t *p, size_t n);

/* follow.c */
/* Tell the watchdog of systemd that we live, if it is time. */
void tl_alive(struct tl_run *r);
/* So long it may wait before it is time again; ns < 0: for ever. */
int64_t tl_slice(const struct tl_run *r, int64_t ns);
/* Until the device has something, a signal comes or tl_slice() is over. */
void tl_wait_for(struct tl_run *r, int fd, int64_t ns);
/* Nobody is there: into files, if it is so wished. True: go on with these. */
bool tl_use_spool(struct tl_run *r, int err);
void tl_swap_stores(struct tl_run *r);
/* At the end of all: send what is in it. True: some stays there, which is said. */
bool tl_empty_spool(struct tl_run *r, int *err);
/* All that the device has is read now. */
void tl_drained(struct tl_run *r);
/* Is so much of its buffer not read that some of it may soon be overwritten? */
bool tl_behind(struct tl_run *r, unsigned int percent);
/* Save what comes, until a signal or the end of input. */
void tl_follow(struct tl_run *r);

/* last.c: save what the boot before left. 1 after a message. */
int tl_last_boot(struct tl_run *r);

/* trigger.c: a file each time that a trigger fires. The exit status. */
int tl_trigger_run(struct tl_run *r);

#endif
