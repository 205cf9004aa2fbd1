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
 * For all of them:
 *
 * - The first wanted event opens the device. If there is none, the library finds this out once;
 *   then an event costs one load, one test and one branch, like every event that a filter turns
 *   off.
 * - Nothing is printed, no signal is raised, errno is kept. devtrace_errors() and
 *   devtrace_error() report failures.
 * - Any thread and any signal handler may emit at any time, except by devtrace_text(), which
 *   formats with vsnprintf(3).
 * - With DEVTRACE_DISABLE defined before this header, no code, no evaluated argument and no
 *   undefined symbol remains.
 *
 * Parts: devtrace/emit.h (connection, filter test, dictionaries), devtrace/filter.h (the
 * program's own filters), devtrace/record.h (records), devtrace/short.h (the short form),
 * devtrace/assert.h (assertions). Not included here, because their names belong to QNX and QP:
 * devtrace/qnx.h and devtrace/qs.h. See libdevtrace(3).
 */
#ifndef DEVTRACE_H
#define DEVTRACE_H

#include <devtrace/assert.h>
#include <devtrace/emit.h>
#include <devtrace/filter.h>
#include <devtrace/record.h>
#include <devtrace/short.h>

#endif
