/* SPDX-License-Identifier: GPL-2.0-only */
/* flight_tp.h - the events of flight.c for LTTng-UST */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER devtrace_flight

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./flight_tp.h"

#if !defined(FLIGHT_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define FLIGHT_TP_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(devtrace_flight, args0,
	LTTNG_UST_TP_ARGS(),
	LTTNG_UST_TP_FIELDS()
)

LTTNG_UST_TRACEPOINT_EVENT(devtrace_flight, pair,
	LTTNG_UST_TP_ARGS(int, a, int, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, a, a)
		lttng_ust_field_integer(int, b, b)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(devtrace_flight, args6,
	LTTNG_UST_TP_ARGS(int, a, int, b, int, c, int, d, int, e, int, f),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, a, a)
		lttng_ust_field_integer(int, b, b)
		lttng_ust_field_integer(int, c, c)
		lttng_ust_field_integer(int, d, d)
		lttng_ust_field_integer(int, e, e)
		lttng_ust_field_integer(int, f, f)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(devtrace_flight, string32,
	LTTNG_UST_TP_ARGS(const char *, s),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(s, s)
	)
)

#endif

#include <lttng/tracepoint-event.h>
