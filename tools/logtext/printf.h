/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * printf.h - print the elements of an event as printf(3) would print the arguments
 *
 * A format comes from an ELF file or a .fmt file, and the elements come from a stream: both may be
 * malicious. A format is checked against the elements before anything is printed.
 */
#ifndef LOGTEXT_PRINTF_H
#define LOGTEXT_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/out.h"

/* limit of a width and of a precision: printf(3) need not support more */
#define LOG_WIDTH_MAX	4095

/*
 * Return NULL if the format can be printed, otherwise what is wrong with it. *at and *len are set
 * to the offset and the length of the conversion that is wrong.
 */
const char *log_format_problem(const char *format, size_t *at, size_t *len);

/*
 * Print the text as bytes, without escaping them. Return false, and print nothing, if the format
 * is wrong, or if the number or the types of the elements do not fit its conversions. If the
 * emitter cut the event, print the text up to the first argument that is missing, and the note.
 */
bool log_format_print(struct out *o, const char *format, const uint8_t *data, size_t len);

#endif
