/* SPDX-License-Identifier: GPL-2.0-only */
/* match.h - expressions of --match */
#ifndef TRACELOGGER_MATCH_H
#define TRACELOGGER_MATCH_H

#include "traceinfo/traceinfo.h"

/*
 * Parse @expression into @f, which points into @expression afterwards. After an error, print a
 * message and end the program with status 2.
 */
void tl_match_parse(struct ti_filter *f, char *expression);

#endif
