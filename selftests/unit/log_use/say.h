/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * say.h - one statement, and what a reader must print for it
 *
 * SAY(format, ...) prints a line "want FILE:LINE TEXT", formatted by the C library, and executes
 * DT_LOG(), whose event stub.c prints. log_elf.py compares the two.
 */
#ifndef SAY_H
#define SAY_H

#include <stdio.h>
#include <devtrace/log.h>

#define SAY(...)								\
	do {									\
		printf("want %s:%d ", __FILE__, __LINE__);			\
		printf(__VA_ARGS__);						\
		printf("\n");							\
		DT_LOG(__VA_ARGS__);						\
	} while (0)

#endif
