/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - expressions of --match
 */
#ifndef TRACELOGGER_MATCH_H
#define TRACELOGGER_MATCH_H

#include "traceinfo/traceinfo.h"

/* Ends the program with 2 and a message if it is wrong. The words stay in expression. */
void tl_match_parse(struct ti_filter *f, char *expression);

#endif
