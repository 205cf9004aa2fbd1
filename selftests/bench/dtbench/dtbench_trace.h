/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dtbench_trace.h - a TRACE_EVENT with the fields of the devtrace record
 *
 * It is the reference for devtrace: the kernel's own way to record two integers, with the
 * cheapest assignment and no filter.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM dtbench

#if !defined(DTBENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define DTBENCH_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(dtbench_pair,
	TP_PROTO(s32 a, s32 b),
	TP_ARGS(a, b),
	TP_STRUCT__entry(
		__field(s32, a)
		__field(s32, b)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
	),
	TP_printk("a=%d b=%d", __entry->a, __entry->b)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE dtbench_trace
#include <trace/define_trace.h>
