/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field.h - names of an event's elements as names of fields
 */
#ifndef TRACELOGGER_FIELD_H
#define TRACELOGGER_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#define FIELD_MAX	64
/* limit of names that are compared; fields of further elements have their position */
#define FIELD_NAMES	128

struct field_names {
	char		names[FIELD_NAMES][FIELD_MAX + 1];
	/* nr_names: used elements of @names; nr: elements of the event so far */
	unsigned int	nr_names, nr;
};

/*
 * Make a name of @prefix and of @name, which may have any characters: other characters than
 * letters and digits become '_'. @upper: small letters become capitals. The name has at most @max
 * characters. Return false if it was cut.
 */
bool field_name(char out[FIELD_MAX + 1], size_t max, bool upper, const char *prefix,
		const char *name, size_t n);
/*
 * Make the name of the event's next element. No two elements have names that differ only in case: a
 * name that is cut, or that an element before has, ends with "__" and its position, or with a
 * larger number if that is such a name, too.
 */
void field_next(struct field_names *f, char out[FIELD_MAX + 1], size_t max, bool upper,
		const char *prefix, const char *name, size_t n);
/* Begin another event. */
void field_begin(struct field_names *f);

#endif
