/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * args.h - the elements of an event as named values, and the event's name and text as strings
 */
#ifndef TRACEINFO_ARGS_H
#define TRACEINFO_ARGS_H

#include "traceinfo.h"

/* An element of an event with its name and unit. The name and the unit may have the length 0. */
struct ti_arg {
	const char	*name, *unit, *str;
	size_t		name_len, unit_len, len;
	enum { TI_ARG_INT, TI_ARG_UINT, TI_ARG_DOUBLE, TI_ARG_STR } kind;
	bool		is_float;	/* TI_ARG_STR: the text of @v.f, which is not finite */
	bool		is_statement;	/* no element, but about the statement of a LOG event */
	union {
		int64_t	 i;
		uint64_t u;
		double	 f;
	} v;
};

typedef void ti_arg_fn(void *ctx, const struct ti_arg *arg);

/*
 * Call @fn for each element, in order, with the value that traceinfo --json prints; for a LOG event
 * then for level, file, line, function, image and site of its statement.
 */
void ti_args(const struct ti_event *e, ti_arg_fn *fn, void *ctx);

/*
 * ti_args_name() returns the name of an event as traceinfo prints it, and ti_args_text() returns
 * the text of the event. Both functions overwrite @o with the string, and return the string.
 */
const char *ti_args_name(struct out *o, const struct ti_event *e);
const char *ti_args_text(struct out *o, const struct ti_event *e);

#endif
