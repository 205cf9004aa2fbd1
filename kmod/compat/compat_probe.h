/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selecting the probe with the right type for a tracepoint of this kernel
 *
 * compat_trace.h says why the kernel's version is not enough.
 */
#ifndef DEVTRACE_COMPAT_PROBE_H
#define DEVTRACE_COMPAT_PROBE_H

#include <linux/tracepoint.h>

/* Select the probe of the right type for a tracepoint; if neither has it, compilation fails. */
#define compat_probe(tracepoint, probe1, probe2)			\
	_Generic(&check_trace_callback_type_##tracepoint,		\
		 void (*)(typeof(&(probe1))): (probe1),			\
		 void (*)(typeof(&(probe2))): (probe2))

#endif /* DEVTRACE_COMPAT_PROBE_H */
