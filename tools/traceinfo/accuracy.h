/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accuracy.h - print how exact a wall clock was
 */
#ifndef TRACEINFO_ACCURACY_H
#define TRACEINFO_ACCURACY_H

#include "traceinfo.h"

/* Print an error of @ns with its sign, rounded up to two digits, such as "±1.3 ms". */
void ti_accuracy_error(struct out *o, const struct ti_printer *p, uint64_t ns);
/*
 * Print how exact the wall clock was at a time of the trace clock: "±1.3 ms (ntp)", "never
 * synchronised", "no longer synchronised" or "error unknown".
 */
void ti_accuracy_text(struct out *o, const struct ti_printer *p, const struct devtrace_decoder *d,
		      uint64_t ts);
/* Print the same as members of a JSON object, each with a comma before it. */
void ti_accuracy_json(struct out *o, const struct devtrace_decoder *d, uint64_t ts);
/* Print a statement, for -v. */
void ti_accuracy_statement(struct out *o, const struct ti_printer *p,
			   const struct devtrace_statement *a);

#endif
