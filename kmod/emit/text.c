// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events with strings, buffers and lines of text
 *
 * notrace: see emit/emit.c.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "emit.h"
#include "stream/rings.h"
#include "text.h"

/**
 * devtrace_put_str() - add a string
 * @r: the record
 * @s: NUL-terminated
 */
notrace void devtrace_put_str(struct devtrace_record *r, const char *s)
{
	__devtrace_put_str(r, s);
}
EXPORT_SYMBOL_GPL(devtrace_put_str);

/**
 * devtrace_put_mem() - add a buffer
 * @r: the record
 * @buf: the buffer
 * @n: bytes
 */
notrace void devtrace_put_mem(struct devtrace_record *r, const void *buf, size_t n)
{
	__devtrace_put_mem(r, buf, n);
}
EXPORT_SYMBOL_GPL(devtrace_put_mem);

/**
 * devtrace_emit_text() - emit one line of text
 * @who: RING_WHO_USER or 0
 * @severity: severity byte
 * @text: the text, not terminated
 * @len: bytes; truncated to what the ring or an event can hold
 */
notrace void devtrace_emit_text(u32 who, u8 severity, const char *text, unsigned int len)
{
	const u16 too_long = READ_ONCE(raw_cpu_ptr(&devtrace_rings)->too_long);
	u8 *p;

	if (too_long > 2)
		len = min(len, too_long - 3U);
	p = __devtrace_reserve_for(DEVTRACE_T_TEXT, who | (u32)severity << RING_WHO_SEV_SHIFT,
				   len + 2, 0);
	if (!p)
		return;
	__dt_store_str(p, text, len);
	__devtrace_commit();
}

/* Emit a line of text, if text is wanted. */
notrace void text_emit_args(u8 severity, const char *fmt, va_list ap)
{
	char text[256];
	int len;

	if (!devtrace_enabled(DEVTRACE_T_TEXT))
		return;
	len = vscnprintf(text, sizeof(text), fmt, ap);
	devtrace_emit_text(0, severity & 0xf, text, len);
}

/* The macro of this name tests the severity first. */
#undef devtrace_text
/**
 * devtrace_text() - emit a line of text
 * @severity: severity byte
 * @fmt: format as for printk(), without a newline
 */
notrace void devtrace_text(u8 severity, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_emit_args(severity, fmt, ap);
	va_end(ap);
}
EXPORT_SYMBOL_GPL(devtrace_text);
