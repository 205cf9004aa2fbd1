/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pieces.h - files that are pieces of one stream
 */
#ifndef TRACEINFO_PIECES_H
#define TRACEINFO_PIECES_H

#include "traceinfo.h"

/* The stream that a file is a piece of: one boot, one loading of the module, one name. */
struct ti_stream {
	uint8_t		boot[16];
	uint32_t	load;
	char		name[DEVTRACE_NAME_MAX];
};

struct ti_piece {
	const char	*path;
	bool		known;		/* its head has an INFO frame */
	bool		has_boot;	/* with the boot id of the kernel; else it is random */
	struct ti_stream stream;
	bool		opens;		/* with the first frame of a stream */
	uint64_t	start;		/* the number of its first frame, from 0 */
	uint64_t	file;		/* its number in the recording; 0: none */
	int64_t		real;		/* wall clock where it begins; 0: not known */
};

/* What the head of a file tells; zero before its first item. decoder is the one that reads it. */
struct ti_piece_head {
	const struct devtrace_decoder *decoder;
	struct ti_piece	piece;
	bool		has_info, has_clock;
	uint64_t	notes;		/* so far: no frames of the stream */
};

/* The next item of the head. True: all is known that a head tells. */
bool ti_piece_item(struct ti_piece_head *h, const struct devtrace_item *item);

/* Were both written by one tracelogger, by their names and numbers? */
bool ti_piece_same_logger(const struct ti_piece *a, const struct ti_piece *b);

/*
 * The order of time: boots, then recordings, then the pieces of each. A file that is not known
 * stays at its place.
 */
void ti_pieces_sort(struct ti_piece *v, size_t n);

/*
 * Accounts of run->in: each item of it, once; then its end. begin prints the frames that are
 * missing between this piece and the one before it, and returns how many.
 */
uint64_t ti_piece_begin(struct ti_run *run, const struct ti_piece *p);
void ti_piece_account(struct ti_run *run, const struct devtrace_item *item);
void ti_piece_end(struct ti_run *run);
void ti_pieces_free(struct ti_run *run);

#endif
