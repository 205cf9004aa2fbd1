/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe that a tracepoint of this kernel takes
 *
 * Why its version does not tell is in compat_trace.h.
 */
#ifndef DEVTRACE_COMPAT_PROBE_H
#define DEVTRACE_COMPAT_PROBE_H

#include <linux/tracepoint.h>

/*
 * Of two probes the one that has the right type for a tracepoint; that neither
 * has is an error.
 */
#define compat_probe(tracepoint, probe1, probe2)			\
	_Generic(&check_trace_callback_type_##tracepoint,		\
		 void (*)(typeof(&(probe1))): (probe1),			\
		 void (*)(typeof(&(probe2))): (probe2))

#endif /* DEVTRACE_COMPAT_PROBE_H */
