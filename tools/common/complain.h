/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * complain.h - messages about inputs, which traceinfo and devtrace-convert print alike
 *
 * A message names the program, the input and the error, and then in parentheses what to do. Each
 * function prints one line on standard error.
 */
#ifndef TOOLS_COMMON_COMPLAIN_H
#define TOOLS_COMMON_COMPLAIN_H

#include <stdbool.h>
#include <devtrace-decode.h>
#include "common/link.h"

/* Print the path, @what if that is not "", the text of errno, and @hint. Return 1. */
int complain(const char *program, const char *path, const char *what, const char *hint);
/* Print the path and a text that needs no errno. Return 1. */
int complain_text(const char *program, const char *path, const char *text);
/* Print why a format file cannot be read, and what would be right. */
void complain_format(const char *program, const char *path, const char *message, const char *hint);
/* Print that a word of an option is wrong, and what would be right, and end the program. */
_Noreturn void complain_usage(const char *program, const char *option, const char *word,
			      const char *problem);
/* Print "PROGRAM: PATH: ", to which the caller adds the rest of the line. */
void complain_begin(const char *program, const char *path);
/* Return what to do if an input cannot be opened or read, or "". @live: it should be a device. */
const char *complain_hint(const char *path, int err, bool live);
/* Print that the input cannot be opened or read, as errno says, and what to do. Return 1. */
int complain_input(const char *program, const char *path, bool live);
/*
 * Print why a file is not a stream: it has no frames, is empty, or is a regular file at a device's
 * path. Return 1.
 */
int complain_no_stream(const char *program, const char *path, bool regular, bool live,
		       const struct devtrace_totals *t);
/* Print that a link could not be opened. Return 1. */
int complain_link(const char *program, const struct link *l, const char *word, int err);
/* Return NULL, or a message that says why a stream cannot be read from the link @word. */
const char *complain_link_word(const char *word);

#endif
