/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - a value in an event, and functions that print it
 *
 * A value is an element, or a buffer that was split into several MEM elements. It points into
 * the event's data.
 */
#ifndef TRACEINFO_FMT_VALUE_H
#define TRACEINFO_FMT_VALUE_H

#include "fmt.h"

struct fmt_value {
	struct devtrace_elem e;		/* the element; for a buffer, its first piece */
	size_t	total;			/* STR, MEM: bytes in all pieces */
	bool	pieces;			/* more than one piece */
};

/* Like devtrace_elem_next(), but a buffer in pieces is one value. */
int fmt_value_next(const uint8_t *data, size_t len, size_t *pos, struct fmt_value *v);

/* How the elements of an event fit the arguments of its description. */
struct fmt_fit {
	struct fmt_value values[FMT_ARGS_MAX];
	size_t		end;		/* offset of the end of the last argument */
	int		bad;		/* index of the first misfit; -1: all fit */
	/* state of element @bad: 1 wrong type, 0 missing, -1 broken */
	int		state;
};

/* print.c: true if there is a description, it declares arguments, and the elements fit them. */
bool fmt_fit(struct fmt_fit *fit, const struct fmt_entry *entry, const uint8_t *data, size_t len);

unsigned int fmt_value_bytes(const struct devtrace_elem *e);

/* An integer element as unsigned or signed value of its size. */
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

/* Print a value as its format byte says. */
void fmt_value_print(struct out *o, const struct fmt_value *v, bool quote,
		     const struct fmt_names *names);
void fmt_value_json(struct out *o, const struct fmt_value *v, const struct fmt_names *names);
/* Print the name of an ENUM, OBJ, FUN or SIG, or its number. */
void fmt_value_name(struct out *o, const struct fmt_value *v, const struct fmt_names *names);
/* Print by an enum or flags declaration. */
void fmt_value_table(struct out *o, const struct devtrace_elem *e, const struct fmt_table *t);
/* Print at most max characters of a STR or MEM, escaped for a terminal. */
void fmt_value_bytes_safe(struct out *o, const struct fmt_value *v, size_t max);
/* Print at most max bytes of a STR or MEM as "7e 7d 20". */
void fmt_value_hex(struct out *o, const struct fmt_value *v, size_t max);
/* Print a dump of 16 bytes a line; each line begins with a line end and four spaces. */
void fmt_value_dump(struct out *o, const struct fmt_value *v);

/* The name of the type, such as "I32" or "STR", for messages and JSON. */
const char *fmt_elem_name(const struct devtrace_elem *e);

#endif
