/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rkh.h - layouts of the events of RKH's trace facility on its wire
 */
#ifndef COMMON_RKH_H
#define COMMON_RKH_H

#include <stdint.h>

/* Bits of the target's options in its configuration record. */
#define RKH_SENDER	0x00001
#define RKH_QUE_LWM	0x00800
#define RKH_MP_LWM	0x01000
#define RKH_NSEQ	0x08000
#define RKH_TSTAMP	0x10000
#define RKH_CHK		0x20000

/* Size of a configuration record without the head of its frame, in bytes. */
#define RKH_TCFG_BYTES	13

/*
 * Return the layout of an event, a string with a letter for each field: P symbol, F function, S
 * signal, 1 2 4 number of so many bytes, p number of a pool, o the number of an event's pool plus 1
 * or 0 for a static event, N number of elements of a queue, q its low watermark, B number of
 * blocks, m its low watermark, Z size of blocks, E size of an event, T ticks, d sender, s string.
 * Whether q, m and d are present depends on the target's options. Return NULL for events of the
 * application and unused numbers.
 */
const char *rkh_layout(uint8_t te);
/*
 * Return the layout of an event that gives a name; the object's owner, if any, is the first field.
 */
const char *rkh_name_layout(uint8_t te);

#endif
