/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace.h - emit events into the trace device from a program
 *
 * There are three ways to emit an event:
 *
 *	devtrace(PUMP_STATE, rpm, "running");		short form
 *
 *	DEVTRACE_RECORD(r, 64);				record, as in QP/Spy
 *	if (devtrace_begin(&r, PUMP_STATE, OBJ_PUMP, 0)) {
 *		devtrace_u16(&r, rpm);
 *		devtrace_str(&r, "running");
 *		devtrace_end(&r);
 *	}
 *
 *	Trace2(__M(0x41) + 7, _TRACE_HW_SEVERITY2,	as in QNX:
 *	       rpm, limit);				<devtrace/qnx.h>
 *
 * All three have in common:
 *
 * - The first event that the filters pass opens the device. If the device is missing, the library
 *   notices this once; afterwards an event costs one load, one test and one branch, like an event
 *   that a filter refuses.
 * - The library prints nothing, raises no signal and keeps errno. devtrace_errors() and
 *   devtrace_error() report failures.
 * - Any thread and any signal handler may emit at any time. The exception is devtrace_text(),
 *   which signal handlers must not call because it formats with vsnprintf(3).
 * - With DEVTRACE_DISABLE defined before this header is included, the calls generate no code,
 *   evaluate no argument and need no library.
 *
 * Parts: devtrace/emit.h (connection, filter test, dictionaries), devtrace/filter.h (the program's
 * own filters), devtrace/record.h (records), devtrace/short.h (the short form), devtrace/assert.h
 * (assertions). devtrace/qnx.h and devtrace/qs.h are not included here, because they define names
 * of QNX and QP. See libdevtrace(3).
 */
#ifndef DEVTRACE_H
#define DEVTRACE_H

#include <devtrace/assert.h>
#include <devtrace/emit.h>
#include <devtrace/filter.h>
#include <devtrace/record.h>
#include <devtrace/short.h>

#endif
