/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * boardmon.h - types and codes of boardmon's events, which boardmon.fmt describes
 *
 * Other programs must choose other numbers; traceinfo --check-fmt reports conflicts.
 */
#ifndef BOARDMON_H
#define BOARDMON_H

#include <stdbool.h>

/* number of interrupts of a line since it was read last */
#define BOARD_IRQ	110
#define BOARD_LOAD	111
#define BOARD_MEMORY	112
#define BOARD_THERMAL	113
/* number of bytes that a serial port has sent and received */
#define BOARD_UART	114
#define BOARD_UPTIME	200	/* has no format line on purpose */

/* Codes of exceptions: the major is "BM". */
#define BOARD_MAJOR	0x424d
#define BOARD_UART_ERRORS	1	/* port, framing, parity, break, overrun */
#define BOARD_PTY_OVERRUN	2	/* sent, received */
#define BOARD_PTY_FLOW		3	/* packet status */
#define BOARD_PTY_HANGUP	4	/* errno, then the bytes read before */
#define BOARD_PTY_NONE		5	/* errno, then the name */
#define BOARD_HOT		6	/* zone, millidegrees */

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

/* Read a part of the board's state, and emit it. */
void look_at_interrupts(unsigned long n);	/* only the n lines with most interrupts */
void look_at_kernel(void);
void look_at_thermal(void);
void look_at_uarts(void);

/* Provoke errors on a pseudo-terminal, and emit how the kernel reports them. */
void provoke_pty(void);

/* true: print each event on standard output, too */
extern bool verbose;
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
