/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pieces.h - files that are pieces of one stream
 */
#ifndef TRACEINFO_PIECES_H
#define TRACEINFO_PIECES_H

#include "traceinfo.h"

/* Identifies a stream: one boot, one loading of the module, one name. */
struct ti_stream {
	uint8_t		boot[16];
	uint32_t	load;
	char		name[DEVTRACE_NAME_MAX];
};

struct ti_piece {
	const char	*path;
	bool		known;		/* the head of the file has an INFO frame */
	/* stream.boot is the kernel's boot id, not one that the writer made up */
	bool		has_boot;
	struct ti_stream stream;
	bool		opens;		/* begins with the first frame of a stream */
	uint64_t	start;		/* number of the file's first frame, from 0 */
	uint64_t	file;		/* number of the file in its recording; 0: it has none */
	int64_t		real;		/* wall clock when the file begins; 0: unknown */
};

/* The content of a file's head; zeroed before its first item. @decoder: reads the head. */
struct ti_piece_head {
	const struct devtrace_decoder *decoder;
	struct ti_piece	piece;
	bool		has_info, has_clock;
	/* NOTE frames read so far; they are not frames of the stream */
	uint64_t	notes;
};

/* Process the next item of the head. Return true when everything is known. */
bool ti_piece_item(struct ti_piece_head *h, const struct devtrace_item *item);

/* Do the names and numbers tell that one tracelogger wrote both files? */
bool ti_piece_same_logger(const struct ti_piece *a, const struct ti_piece *b);

/*
 * Sort by time: boots, then recordings, then pieces. A file without an INFO frame keeps its
 * position.
 */
void ti_pieces_sort(struct ti_piece *v, size_t n);

/*
 * Count the frames of run->in: call ti_piece_begin(), ti_piece_account() once for each item, then
 * ti_piece_end(). ti_piece_begin() reports frames missing between the previous piece and this
 * one, and returns their number.
 */
uint64_t ti_piece_begin(struct ti_run *run, const struct ti_piece *p);
void ti_piece_account(struct ti_run *run, const struct devtrace_item *item);
void ti_piece_end(struct ti_run *run);
void ti_pieces_free(struct ti_run *run);

#endif
