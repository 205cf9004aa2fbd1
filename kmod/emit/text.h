/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DEVTRACE_EMIT_TEXT_H
#define DEVTRACE_EMIT_TEXT_H

#include <linux/kernel.h>
#include <linux/types.h>

void devtrace_emit_text(u32 who, u8 severity, const char *text, unsigned int len);
__printf(2, 0)
void text_emit_args(u8 severity, const char *fmt, va_list ap);

#endif /* DEVTRACE_EMIT_TEXT_H */
