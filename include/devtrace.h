/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace.h - emit events into the trace device from a program
 *
 * There are three ways to say the same thing:
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
 * What holds for all of them:
 *
 *  - the device is opened by the first event that is wanted. Where there is
 *    none, that is found out once; from then on an event costs one load, one
 *    test and one branch, as does every event that a filter turns off;
 *  - nothing is printed, no signal is raised, errno is left alone. What went
 *    wrong can be asked for with devtrace_errors() and devtrace_error();
 *  - any thread and any signal handler may emit at any time, but for
 *    devtrace_text(), which formats with vsnprintf(3);
 *  - with DEVTRACE_DISABLE defined before this header is included, nothing
 *    remains: no code, no evaluated argument, no undefined symbol.
 *
 * The parts: devtrace/emit.h (connection, filter test, dictionaries),
 * devtrace/filter.h (what the program itself wants),
 * devtrace/record.h (records), devtrace/short.h (the short form), devtrace/assert.h
 * (assertions); and, not
 * included from here because their names belong to others, devtrace/qnx.h
 * and devtrace/qs.h. libdevtrace(3) is the manual.
 */
#ifndef DEVTRACE_H
#define DEVTRACE_H

#include <devtrace/assert.h>
#include <devtrace/emit.h>
#include <devtrace/filter.h>
#include <devtrace/record.h>
#include <devtrace/short.h>

#endif
