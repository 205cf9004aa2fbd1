/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * boardmon.h - the numbers of boardmon's events; boardmon.fmt has their words
 *
 * Records take types 110 to 114 and 200, exceptions the major below. A program
 * of your own chooses others: traceinfo --check-fmt tells of a clash.
 */
#ifndef BOARDMON_H
#define BOARDMON_H

#include <stdbool.h>

/* Records. */
#define BOARD_IRQ	110	/* interrupts of a line since the last look */
#define BOARD_LOAD	111
#define BOARD_MEMORY	112
#define BOARD_THERMAL	113
#define BOARD_UART	114	/* bytes through a serial port */
#define BOARD_UPTIME	200	/* on purpose without words in boardmon.fmt */

/* Exceptions: "BM" */
#define BOARD_MAJOR	0x424d
#define BOARD_UART_ERRORS	1	/* port, framing, parity, break, overrun */
#define BOARD_PTY_OVERRUN	2	/* sent, received */
#define BOARD_PTY_FLOW		3	/* packet status */
#define BOARD_PTY_HANGUP	4	/* errno, then the bytes that came before */
#define BOARD_PTY_NONE		5	/* errno, then the name */
#define BOARD_HOT		6	/* zone, millidegrees */

/* Objects, as they stand in the events, and the enumeration of states. */
enum board_object {
	OBJ_INTERRUPTS = 1,
	OBJ_KERNEL = 2,
	OBJ_THERMAL = 3,
	OBJ_UART = 4,
	OBJ_PTY = 5,
};

#define GROUP_HEAT	3

enum heat {
	COOL,
	WARM,
	HOT,
};

/* Looks at the board; each emits what it finds. */
void look_at_interrupts(unsigned long n);	/* at the n busiest */
void look_at_kernel(void);
void look_at_thermal(void);
void look_at_uarts(void);

/* Make errors on a pseudo-terminal, and emit how they are found. */
void provoke_pty(void);

/* Print what is emitted, too. */
extern bool verbose;
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
