/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - a value in an event, and functions that print it
 *
 * A value is an element, or a buffer that was split into several MEM elements. It points into the
 * data of the event.
 */
#ifndef TRACEINFO_FMT_VALUE_H
#define TRACEINFO_FMT_VALUE_H

#include "fmt.h"

struct fmt_value {
	/* e: the element; for a split buffer, its first piece */
	struct devtrace_elem e;
	size_t	total;			/* STR, MEM: bytes in all pieces */
	bool	pieces;			/* more than one piece */
};

/* Read the next value. Like devtrace_elem_next(), but a split buffer is one value. */
int fmt_value_next(const uint8_t *data, size_t len, size_t *pos, struct fmt_value *v);

/* Describes whether the elements of an event fit the arguments of its description. */
struct fmt_fit {
	struct fmt_value values[FMT_ARGS_MAX];
	/* end: offset at which the last argument's element ends */
	size_t		end;
	/* bad: index of the first element that does not fit; -1: all fit */
	int		bad;
	/* state: why the element @bad does not fit: 1 wrong type, 0 missing, -1 invalid */
	int		state;
};

/* print.c: return true if the description declares arguments, and all elements fit them. */
bool fmt_fit(struct fmt_fit *fit, const struct fmt_entry *entry, const uint8_t *data, size_t len);

unsigned int fmt_value_bytes(const struct devtrace_elem *e);

/* Return an integer element as an unsigned value; fmt_value_signed() returns it as a signed one. */
static inline uint64_t fmt_value_unsigned(const struct devtrace_elem *e)
{
	if (e->is_enum || !(FMT_BIT(e->type) & FMT_M_SINT))
		return e->v.u;
	return e->v.u & (UINT64_MAX >> (64 - fmt_value_bytes(e) * 8));
}

static inline int64_t fmt_value_signed(const struct devtrace_elem *e)
{
	unsigned int shift;

	if (!e->is_enum && (FMT_BIT(e->type) & FMT_M_SINT))
		return e->v.i;
	shift = 64 - fmt_value_bytes(e) * 8;
	return (int64_t)(e->v.u << shift) >> shift;
}

/* Return an integer element divided by 10^@scale: the double nearest to the printed number. */
double fmt_value_scaled(const struct devtrace_elem *e, unsigned int scale);
/* Print a value in the form that its format byte requests. */
void fmt_value_print(struct out *o, const struct fmt_value *v, bool quote,
		     const struct fmt_names *names);
void fmt_value_json(struct out *o, const struct fmt_value *v, const struct fmt_names *names);
/* Print the name of an ENUM, OBJ, FUN or SIG element, or its number if it has no name. */
void fmt_value_name(struct out *o, const struct fmt_value *v, const struct fmt_names *names);
/* Print by an enum or flags declaration. */
void fmt_value_table(struct out *o, const struct devtrace_elem *e, const struct fmt_table *t);
/* Print at most @max characters of a STR or MEM element, escaped for a terminal. */
void fmt_value_bytes_safe(struct out *o, const struct fmt_value *v, size_t max);
/* Print at most @max bytes of a STR or MEM element in the form "7e 7d 20". */
void fmt_value_hex(struct out *o, const struct fmt_value *v, size_t max);
/* Copy all bytes of a STR or MEM element. */
void fmt_value_content(struct out *o, const struct fmt_value *v);
/* Print a dump with 16 bytes in a line. Before each line a line end and four blanks are printed. */
void fmt_value_dump(struct out *o, const struct fmt_value *v);

/* Return the name of the element's type, such as "I32" or "STR", for messages and JSON. */
const char *fmt_elem_name(const struct devtrace_elem *e);

#endif
