/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * told.h - what the receiver was told, also by an earlier logger
 *
 * A reader that opens the device is told all losses since the buffer was cleared. Most of them are
 * no losses to the receiver: it has the events, or was told. told.c finds out which are new.
 */
#ifndef TRACELOGGER_TOLD_H
#define TRACELOGGER_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "devtrace-decode.h"

/* limits of sums that are remembered, and of losses that wait; further ones are sent at once */
#define TOLD_SUMS	64
#define TOLD_HELD	64
/* limit of a saved text, in bytes */
#define TOLD_TEXT	8192

/* The losses that the receiver was told, of the stream of one boot. */
struct told_stream {
	char		id[104];	/* boot id and name of the stream; "": unknown */
	uint32_t	load;		/* see devtrace_decoder_load() */
	/* newest: everything up to this time was told; heard: events up to there, and lost ones */
	uint64_t	newest, heard;
	unsigned int	nr;
	struct told_sum {
		uint16_t	source;
		uint8_t		cause;
		uint64_t	count;
	} sums[TOLD_SUMS];
};

enum told_mode {
	TOLD_LIVE,	/* what comes is new */
	TOLD_REFED,	/* frames that an earlier logger may have sent */
	TOLD_AGAIN,	/* a reader has opened the device, and reads it from its beginning */
};

struct told_state {
	/* all: this stream and another one, because a logger may also read the previous boot */
	struct told_stream all[2];
	unsigned int	current;
	enum told_mode	mode;
	bool		opened;		/* INFO says so, but the load is not known yet */
	/* past: what was told before @mode became REFED or AGAIN; left: sums not heard again yet */
	struct told_stream past, left;
	/* held: losses of which the part that is new is not known yet; due: next one to send */
	unsigned int	nr_held, due;
	struct devtrace_lost held[TOLD_HELD];
};

struct told {
	/* now: with frames that the receiver has not acknowledged; sure: without them */
	struct told_state now, sure;
};

/* The frames from here on belong to this boot and stream. */
void told_origin(struct told *t, const char *boot_id, const char *stream);
/* An INFO frame says that a reader has opened the device. */
void told_open(struct told *t);
/* An event: if true is returned, losses are due before it. */
bool told_event(struct told *t, uint64_t ts, uint32_t load);
/* Is the loss new? Reduce it to the part that is. */
bool told_lost(struct told *t, struct devtrace_lost *l, uint32_t load);
void told_gap(struct told *t, uint64_t frames);
/* Get the next loss that is due. */
bool told_due(struct told *t, struct devtrace_lost *l);
/* The receiver has acknowledged all frames. */
void told_settle(struct told *t);
/* Frames that it has not acknowledged will come again. */
void told_rewind(struct told *t);
/* Write what is sure as a text, or read such a text. */
size_t told_save(const struct told *t, char out[TOLD_TEXT]);
void told_load(struct told *t, const char *text);

#endif
