/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rkh.h - the events of RKH's trace facility: how they are laid out on its wire
 */
#ifndef COMMON_RKH_H
#define COMMON_RKH_H

#include <stdint.h>

/* Options of a target, as its configuration record tells them. */
#define RKH_SENDER	0x00001
#define RKH_QUE_LWM	0x00800
#define RKH_MP_LWM	0x01000
#define RKH_NSEQ	0x08000
#define RKH_TSTAMP	0x10000
#define RKH_CHK		0x20000

/* Bytes of a configuration record behind the head of its frame. */
#define RKH_TCFG_BYTES	13

/*
 * The fields of an event: P symbol, F function, S signal, 1 2 4 numbers, p number of a pool, N of
 * elements of a queue, q the least of these, B of blocks, m the least of these, Z size of
 * blocks, E size of an event, T ticks, d a sender, s string. q, m and d are there if the
 * target is configured so. NULL: events of the application, and numbers that no event has.
 */
const char *rkh_layout(uint8_t te);
/* A name, and of what: the object it belongs to first, if it belongs to one. */
const char *rkh_name_layout(uint8_t te);

#endif
