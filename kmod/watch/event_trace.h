/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoint devtrace:event, for tracefs, perf and BPF
 *
 * A trace event's record has room for 2 KiB, less than the longest event: it has the first
 * DEVTRACE_TRACED bytes of the payload, and len is the full length.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM devtrace

#if !defined(DEVTRACE_WATCH_EVENT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define DEVTRACE_WATCH_EVENT_TRACE_H

#include <linux/devtrace_watch.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "watch/tracepoint.h"

#define DEVTRACE_TRACED		512

/* The kernel has functions with these names, for another purpose. */
#define register_trace_event	devtrace_register_trace_event
#define unregister_trace_event	devtrace_unregister_trace_event

/* trace-cmd and perf do not know the kernel's enumerators: make tracefs print numbers. */
TRACE_DEFINE_ENUM(DEVTRACE_CTX_TASK);
TRACE_DEFINE_ENUM(DEVTRACE_CTX_SOFTIRQ);
TRACE_DEFINE_ENUM(DEVTRACE_CTX_IRQ);
TRACE_DEFINE_ENUM(DEVTRACE_CTX_NMI);

#define show_devtrace_severity(severity)				\
	__print_symbolic(severity, { 0, "-" }, DEVTRACE_SEVERITY_NAMES)

#define show_devtrace_context(flags)					\
	__print_symbolic((flags) & DEVTRACE_F_CONTEXT,			\
		{ DEVTRACE_CTX_TASK, "task" },				\
		{ DEVTRACE_CTX_SOFTIRQ, "softirq" },			\
		{ DEVTRACE_CTX_IRQ, "irq" },				\
		{ DEVTRACE_CTX_NMI, "nmi" })

TRACE_EVENT_FN(event,
	TP_PROTO(const struct devtrace_watch_event *ev),
	TP_ARGS(ev),

	TP_STRUCT__entry(
		__field(u64, ts)
		__field(u32, code)
		__field(u16, object)
		__field(u16, signal)
		__field(u16, len)
		__field(u8, type)
		__field(u8, severity)
		__field(u8, flags)
		__dynamic_array(u8, payload, min_t(unsigned int, ev->len, DEVTRACE_TRACED))
	),

	TP_fast_assign(
		__entry->ts = ev->ts;
		__entry->code = ev->code;
		__entry->object = ev->object;
		__entry->signal = ev->signal;
		__entry->len = ev->len;
		__entry->type = ev->type;
		__entry->severity = ev->severity;
		__entry->flags = ev->flags;
		memcpy(__get_dynamic_array(payload), ev->payload,
		       min_t(unsigned int, ev->len, DEVTRACE_TRACED));
	),

	TP_printk("type=%u severity=%s context=%s from=%s object=%u signal=%u code=%#x ts=%llu len=%u payload=%s",
		  __entry->type, show_devtrace_severity(__entry->severity),
		  show_devtrace_context(__entry->flags),
		  __entry->flags & DEVTRACE_F_USER ? "program" : "kernel",
		  __entry->object, __entry->signal, __entry->code, __entry->ts, __entry->len,
		  __print_hex_str(__get_dynamic_array(payload), __get_dynamic_array_len(payload))),

	watch_tracepoint_on, watch_tracepoint_off
);

#undef register_trace_event
#undef unregister_trace_event

#endif /* DEVTRACE_WATCH_EVENT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH watch
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE event_trace
#include <trace/define_trace.h>
