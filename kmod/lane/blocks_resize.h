/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other memory for a ring of blocks: see blocks_resize.c
 */
#ifndef DEVTRACE_BLOCKS_RESIZE_H
#define DEVTRACE_BLOCKS_RESIZE_H

#include "blocks.h"

bool blocks_trim(struct block_ring *b, u32 nr, u32 most);
bool blocks_resize(struct block_ring *b, struct block_pages *pages, struct block_state *state,
		   u8 **spare);

#endif /* DEVTRACE_BLOCKS_RESIZE_H */
