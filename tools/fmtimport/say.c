// SPDX-License-Identifier: GPL-2.0-only
/*
 * say.c - name on standard error what is left out, and files that cannot be read
 */
#include <stdio.h>
#include <string.h>
#include "import.h"

#define ENTRY_MAX	80	/* bytes of an entry that a message shows */

/* Print bytes without control characters. */
static void say(const char *s, size_t n)
{
	struct out safe;

	out_init(&safe, -1);
	out_safe(&safe, s, n);
	out_char(&safe, 0);
	fputs(safe.err ? "?" : safe.buf, stderr);
	out_free(&safe);
}

static void say_place(const struct import *x, unsigned int line)
{
	say(x->path, strlen(x->path));
	if (line)
		fprintf(stderr, ":%u", line);
	fputs(": ", stderr);
}

void import_leave_out(struct import *x, unsigned int line, const char *entry, const char *why)
{
	const size_t n = strlen(entry);

	x->left_out++;
	say_place(x, line);
	say(entry, n < ENTRY_MAX ? n : ENTRY_MAX);
	fputs(n < ENTRY_MAX ? ": left out: " : "...: left out: ", stderr);
	say(why, strlen(why));
	fputc('\n', stderr);
}

void import_fail(struct import *x, unsigned int line, const char *why)
{
	x->failed = true;
	fputs("fmtimport: ", stderr);
	say_place(x, line);
	say(why, strlen(why));
	fputc('\n', stderr);
}
