/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pieces.h - files that are pieces of one stream
 */
#ifndef TRACEINFO_PIECES_H
#define TRACEINFO_PIECES_H

#include "traceinfo.h"

/* Identifies a stream: the boot of the machine, the load of the module, the stream's name. */
struct ti_stream {
	uint8_t		boot[16];
	uint32_t	load;
	char		name[DEVTRACE_NAME_MAX];
};

struct ti_piece {
	const char	*path;
	/* known: the head of the file contains an INFO frame, so the stream is known */
	bool		known;
	/* true: stream.boot is the kernel's boot id; false: the writer of the file made up an id */
	bool		has_boot;
	struct ti_stream stream;
	/* opens: the file begins with the first frame of the stream */
	bool		opens;
	/* start: number of the file's first frame, counted from 0 at the begin of the stream */
	uint64_t	start;
	/* file: position of the file among the files of one recording, from 1; 0: unknown */
	uint64_t	file;
	/* real: wall-clock time at the begin of the file, in ns since 1970; 0: unknown */
	int64_t		real;
};

/*
 * The state of reading the head (the first frames) of a file. All members but @decoder, the
 * decoder that reads the head, are 0 before the first item.
 */
struct ti_piece_head {
	const struct devtrace_decoder *decoder;
	struct ti_piece	piece;
	bool		has_info, has_clock;
	/* notes: number of NOTE frames read so far; the stream's frame numbers do not count them */
	uint64_t	notes;
};

/* Process the next item of a file's head. Return true when all members of h->piece are known. */
bool ti_piece_item(struct ti_piece_head *h, const struct devtrace_item *item);

/* Do the paths and file numbers show that one tracelogger process wrote both files? */
bool ti_piece_same_logger(const struct ti_piece *a, const struct ti_piece *b);

/*
 * Sort files by time: first by boot, then by recording, then by position in the recording. A file
 * without an INFO frame keeps its position.
 */
void ti_pieces_sort(struct ti_piece *v, size_t n);

/*
 * Count the frames of run->in. For each file, call ti_piece_begin(), then ti_piece_account() for
 * each item, then ti_piece_end(). ti_piece_begin() reports the frames that are missing between the
 * previous file and this one, and returns their number.
 */
uint64_t ti_piece_begin(struct ti_run *run, const struct ti_piece *p);
void ti_piece_account(struct ti_run *run, const struct devtrace_item *item);
void ti_piece_end(struct ti_run *run);
void ti_pieces_free(struct ti_run *run);

#endif
