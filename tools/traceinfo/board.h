/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * board.h - inputs of several boards, merged by wall clock
 */
#ifndef TRACEINFO_BOARD_H
#define TRACEINFO_BOARD_H

#include "pieces.h"

/* size of a board's name in bytes, with the NUL; a longer name is truncated */
#define TI_BOARD_NAME	64
#define TI_NOTE_BOARD	"board"

struct ti_board {
	char		name[TI_BOARD_NAME];
	struct ti_piece	*files;		/* ordered by time */
	size_t		nr;
};

/*
 * Group the input files by board. The boards are in the order in which the command line first
 * names one of their files. Return the number of boards.
 */
size_t ti_boards_find(const struct ti_words *files, struct ti_board **boards);
void ti_boards_free(struct ti_board *boards, size_t n);
/* If the note contains the name of a board, copy the name to @name and return true. */
bool ti_board_note(char name[TI_BOARD_NAME], const struct devtrace_note *note);

/*
 * Read the inputs of all boards and print their events in the order of time. Return 0, or 1 after
 * printing an error.
 */
int ti_merge(struct ti_run *run, struct ti_board *boards, size_t n);

#endif
