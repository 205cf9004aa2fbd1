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
	size_t len = strnlen(s, DEVTRACE_RECORD_MAX) + 1;
	u8 *p = __devtrace_room(r, 1 + len);

	if (p) {
		*p++ = DEVTRACE_E_STR;
		memcpy(p, s, len);
	}
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
	u8 *p;

	/* The length byte cannot express more than 255. A longer buffer never fits a record. */
	BUILD_BUG_ON(DEVTRACE_RECORD_MAX > 257);
	p = n <= 255 ? __devtrace_room(r, 2 + n) : NULL;
	if (!p) {
		r->full = true;
		return;
	}
	*p++ = DEVTRACE_E_MEM;
	*p++ = n;
	memcpy(p, buf, n);
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
	u8 *p, *nul, *end;

	if (too_long > 2)
		len = min(len, too_long - 3U);
	p = __devtrace_reserve_for(DEVTRACE_T_TEXT, who | (u32)severity << RING_WHO_SEV_SHIFT,
				   len + 2, 0);
	if (!p)
		return;
	*p++ = DEVTRACE_E_STR;
	memcpy(p, text, len);
	end = p + len;
	*end = 0;
	/* A string ends at its first NUL, so replace any NUL within the text. */
	for (nul = p; unlikely((nul = memchr(nul, 0, end - nul))); nul++)
		*nul = '?';
	__devtrace_commit();
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
	char text[256];
	va_list ap;
	int len;

	if (!devtrace_enabled(DEVTRACE_T_TEXT))
		return;
	va_start(ap, fmt);
	len = vscnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	devtrace_emit_text(0, severity & 0xf, text, len);
}
EXPORT_SYMBOL_GPL(devtrace_text);
