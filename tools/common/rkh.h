/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rkh.h - layouts of the events of RKH's trace facility on its wire
 */
#ifndef COMMON_RKH_H
#define COMMON_RKH_H

#include <stdint.h>

/* Options of a target, from its configuration record. */
#define RKH_SENDER	0x00001
#define RKH_QUE_LWM	0x00800
#define RKH_MP_LWM	0x01000
#define RKH_NSEQ	0x08000
#define RKH_TSTAMP	0x10000
#define RKH_CHK		0x20000

/* Bytes of a configuration record after the head of its frame. */
#define RKH_TCFG_BYTES	13

/*
 * Fields of an event: P symbol, F function, S signal, 1 2 4 numbers, p number of a pool, N of
 * elements of a queue, q its low watermark, B of blocks, m its low watermark, Z size of blocks,
 * E size of an event, T ticks, d a sender, s string. q, m and d depend on the target's options.
 * NULL: events of the application, and unused numbers.
 */
const char *rkh_layout(uint8_t te);
/* Fields of a name; an owner comes first. */
const char *rkh_name_layout(uint8_t te);

#endif
