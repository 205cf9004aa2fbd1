// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_qnx.c - the QNX calls that are not inline: calls with a buffer, and TraceEvent()
 *
 * As in emit_text.c, only long events use a large stack frame.
 */
#include <devtrace/qnx.h>
#include "emit.h"

/* Bytes of elements: the data of TraceEvent() and its seven arguments. Trace6b() has only six. */
#define ARGS_MAX	(8 * 5)
#define SHORT		200

static int qnx_finish(struct devtrace_record *r, const uint8_t *args, size_t nargs,
		      const void *mem, size_t len, bool pointer)
{
	__builtin_memcpy(r->buf + r->pos, args, nargs);
	r->pos += nargs;
	if (pointer)
		devtrace_mem(r, mem, mem ? len : 0);
	return devtrace_qnx_result_(devtrace_end(r));
}

__attribute__((noinline))
static int emit_short(const struct devtrace_emit *head, uint32_t code, const uint8_t *args,
		      size_t nargs, const void *mem, size_t len, bool pointer)
{
	DEVTRACE_RECORD(r, ARGS_MAX + 2 + SHORT);

	devtrace_head_(&r, head->type, head->severity, head->flags);
	if (head->flags & DEVTRACE_F_CODE) {
		devtrace_store32_(r.buf + r.pos, code);
		r.pos += 4;
	}
	return qnx_finish(&r, args, nargs, mem, len, pointer);
}

__attribute__((noinline))
static int emit_long(const struct devtrace_emit *head, uint32_t code, const uint8_t *args,
		     size_t nargs, const void *mem, size_t len)
{
	DEVTRACE_RECORD(r, DEVTRACE_RECORD_MAX);

	devtrace_head_(&r, head->type, head->severity, head->flags);
	if (head->flags & DEVTRACE_F_CODE) {
		devtrace_store32_(r.buf + r.pos, code);
		r.pos += 4;
	}
	return qnx_finish(&r, args, nargs, mem, len, true);
}

int devtrace_qnx_buffer_(uint32_t code, uint8_t severity, unsigned int nargs,
			 const uint8_t *args, size_t len, const void *mem)
{
	const struct devtrace_emit head = {
		.type = DEVTRACE_T_EXC,
		.severity = severity,
		.flags = DEVTRACE_F_CODE,
	};

	/* The length was a negative int. */
	if (len > INT32_MAX) {
		emit_error(EINVAL);
		return -1;
	}
	if (len <= SHORT)
		return emit_short(&head, code, args, 5 * nargs, mem, len, true);
	return emit_long(&head, code, args, 5 * nargs, mem, len);
}

int devtrace_qnx_event_(int code, ...)
{
	const uint32_t word = code;
	const uint32_t data = word >> 12;
	const bool pointer = word & 1u << 11;
	unsigned int nargs = word >> 8 & 7;
	struct devtrace_emit head = { .type = word & 0xff };
	uint8_t args[ARGS_MAX];
	struct devtrace_record r = { args, 0, sizeof(args), 0 };
	uint32_t exception = 0;
	const void *mem = NULL;
	size_t len = 0;
	va_list list;

	if (devtrace_qnx_reserved_(word)) {
		emit_error(EINVAL);
		return -1;
	}
	if (!devtrace_qnx_wanted_(word))
		return 0;
	va_start(list, code);
	if (head.type == DEVTRACE_T_EXC) {
		head.severity = data & (DEVTRACE_SEV_SET | DEVTRACE_SEV_HW | DEVTRACE_SEV_LEVEL);
		head.flags = DEVTRACE_F_CODE;
		if (nargs) {
			exception = va_arg(list, int);
			nargs--;
		}
	} else {
		devtrace_u32(&r, data);
	}
	while (nargs--)
		devtrace_i32(&r, va_arg(list, int));
	if (pointer) {
		mem = va_arg(list, const void *);
		len = va_arg(list, unsigned int);
	}
	va_end(list);
	if (len > INT32_MAX) {
		emit_error(EINVAL);
		return -1;
	}
	if (len <= SHORT)
		return emit_short(&head, exception, args, r.pos, mem, len, pointer);
	return emit_long(&head, exception, args, r.pos, mem, len);
}
