/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * in_lane.h - what inputs of the device do with lanes
 *
 * A slot has a lane that is mapped, or none. Whoever does something with one has it
 * alone meanwhile: so no thread touches what another unmaps.
 */
#ifndef IN_LANE_H
#define IN_LANE_H

#include <stdint.h>

#define LANE_ARGS	6	/* bytes that each call takes */

/* Ask for one, and map it into a slot. The descriptor, or -1. @bad: memory to fault on. */
int in_lane_ask(int fd, const uint8_t *a, void *bad);
/* Write events, or anything else; read and write @fd there; map, move and unmap. */
void in_lane_use(int fd, const uint8_t *a);
/* Unmap all. */
void in_lane_end(void);

#endif /* IN_LANE_H */
