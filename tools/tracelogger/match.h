/* SPDX-License-Identifier: GPL-2.0-only */
/* match.h - expressions of --match */
#ifndef TRACELOGGER_MATCH_H
#define TRACELOGGER_MATCH_H

#include "traceinfo/traceinfo.h"

/*
 * Parse @expression, which the filter points into afterwards. An error ends the program with a
 * message and status 2.
 */
void tl_match_parse(struct ti_filter *f, char *expression);

#endif
