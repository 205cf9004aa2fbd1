/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * in_lane.h - operations of inputs on lanes
 *
 * A slot has a mapped lane, or none. A thread takes it out of the slot while it uses it, so that
 * no other thread unmaps it.
 */
#ifndef IN_LANE_H
#define IN_LANE_H

#include <stdint.h>

#define LANE_ARGS	6	/* bytes of arguments per call */

/* Request a lane and map it into a slot. Returns the descriptor, or -1. @bad: invalid memory. */
int in_lane_ask(int fd, const uint8_t *a, void *bad);
/* Write events or anything else; read and write @fd there; map, move and unmap. */
void in_lane_use(int fd, const uint8_t *a);
/* Unmap all. */
void in_lane_end(void);

#endif /* IN_LANE_H */
