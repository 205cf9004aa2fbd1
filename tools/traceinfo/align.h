/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * align.h - --align: date the events of all boards by the clock of the first one
 */
#ifndef TRACEINFO_ALIGN_H
#define TRACEINFO_ALIGN_H

#include "board.h"

struct ti_align;

/* Check the argument of --align. Return NULL, or what is wrong. */
const char *ti_align_check(const char *word);
/*
 * Read the files of all boards, and tie their clocks by the events that opt->align names. Return
 * NULL after printing an error.
 */
struct ti_align *ti_align_new(struct ti_run *run, const struct ti_board *boards, size_t n);
void ti_align_free(struct ti_align *a);
/* Convert a time of a board to the trace clock of the first board. *error: largest error, ns. */
uint64_t ti_align_time(const struct ti_align *a, size_t board, uint64_t ts, uint64_t *error);
/* Convert a time of the first board's trace clock to its wall clock. */
int64_t ti_align_real(const struct ti_align *a, uint64_t ts);
/* The number of pairs that tie a board; 0: it is the first one. */
size_t ti_align_pairs(const struct ti_align *a, size_t board);

#endif
