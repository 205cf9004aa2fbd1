/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * board.h - inputs of many boards, merged by wall clock
 */
#ifndef TRACEINFO_BOARD_H
#define TRACEINFO_BOARD_H

#include "pieces.h"

#define TI_BOARD_NAME	64	/* bytes, and its NUL; a longer one is cut */
#define TI_NOTE_BOARD	"board"

struct ti_board {
	char		name[TI_BOARD_NAME];
	struct ti_piece	*files;		/* in the order of time */
	size_t		nr;
};

/* The boards of these inputs, in the order of the command line. */
size_t ti_boards_find(const struct ti_words *files, struct ti_board **boards);
void ti_boards_free(struct ti_board *boards, size_t n);
/* Is that note the name of a board? Then name is it. */
bool ti_board_note(char name[TI_BOARD_NAME], const struct devtrace_note *note);

/* Read all of them, and print events in their order. 0, or 1 after a message. */
int ti_merge(struct ti_run *run, struct ti_board *boards, size_t n);

#endif
