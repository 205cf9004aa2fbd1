// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_text.c - text events: one STR element, copied or formatted by vsnprintf(3)
 *
 * Most texts are short, and a thread may have a small stack. So the large buffer is in a separate
 * function, which only long texts call.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <devtrace/record.h>
#include "emit.h"

#define SHORT	240

/* Emit as much of the text as fits. */
static int emit_short(uint8_t severity, const char *text, size_t len)
{
	DEVTRACE_RECORD(r, SHORT + 2);

	devtrace_head_(&r, DEVTRACE_T_TEXT, severity, 0);
	devtrace_strn_(&r, text, len);
	return devtrace_end(&r);
}

__attribute__((noinline))
static int emit_long(uint8_t severity, const char *text, size_t len)
{
	DEVTRACE_RECORD(r, DEVTRACE_RECORD_MAX);

	devtrace_head_(&r, DEVTRACE_T_TEXT, severity, 0);
	devtrace_strn_(&r, text, len);
	return devtrace_end(&r);
}

/* Emit a text without one trailing newline, because readers end each line themselves. */
static int emit_text(uint8_t severity, const char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--;
	return len <= SHORT ? emit_short(severity, text, len) : emit_long(severity, text, len);
}

int devtrace_puts_(uint8_t severity, const char *text)
{
	if (!text)
		text = "(null)";
	return emit_text(severity, text, strlen(text));
}

__attribute__((noinline))
static int format_long(uint8_t severity, const char *format, va_list args)
{
	/* One byte more than a record holds, to see whether a character ends at the limit. */
	char text[DEVTRACE_RECORD_MAX + 1];
	int n = vsnprintf(text, sizeof(text), format, args);

	DEVTRACE_RECORD(r, DEVTRACE_RECORD_MAX);

	/*
	 * The first vsnprintf() found a long text, but another thread may have changed its
	 * arguments since.
	 */
	if (n <= 0)
		return n < 0 ? emit_error(errno) : emit_short(severity, "", 0);
	devtrace_head_(&r, DEVTRACE_T_TEXT, severity, 0);
	if ((size_t)n < sizeof(text) - 1) {
		if (text[n - 1] == '\n')
			n--;
		devtrace_strn_(&r, text, n);
	} else {
		size_t keep = sizeof(text) - 2;

		while (keep && ((unsigned char)text[keep] & 0xc0) == 0x80)
			keep--;
		devtrace_strn_(&r, text, keep);
		r.cut = n - keep;
	}
	return devtrace_end(&r);
}

int devtrace_vtext_(uint8_t severity, const char *format, va_list args)
{
	int saved = errno;
	char text[SHORT + 2];
	va_list copy;
	int n, err;

	va_copy(copy, args);
	n = vsnprintf(text, sizeof(text), format, args);
	if (n < 0)
		err = emit_error(errno);
	else if ((size_t)n < sizeof(text))
		err = emit_text(severity, text, n);
	else
		err = format_long(severity, format, copy);
	va_end(copy);
	errno = saved;
	return err;
}

int devtrace_text_(uint8_t severity, const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = devtrace_vtext_(severity, format, args);
	va_end(args);
	return err;
}
