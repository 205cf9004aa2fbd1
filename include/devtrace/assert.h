/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/assert.h - assertions whose failure is an event
 *
 *	devtrace_assert(rpm < limit);
 *
 * If it does not hold, a record of type DEVTRACE_T_ASSERT with the severity sw3, the line
 * and the file is emitted, as QP/Spy has it. Then the program's handler is called; if there
 * is none, or it returns, the program ends by abort(3). Where no trace device is, or nobody
 * wants the record, handler and abort(3) are the same.
 *
 * With DEVTRACE_DISABLE the expression is not evaluated, as with NDEBUG and assert(3).
 */
#ifndef DEVTRACE_ASSERT_H
#define DEVTRACE_ASSERT_H

#include <devtrace/emit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* May end the program in its own way: by longjmp(3), or by starting it anew. */
typedef void devtrace_assert_fn(const char *file, unsigned int line);

/* Call this from now on; NULL: nothing. Returns what was called before. */
devtrace_assert_fn *devtrace_assert_handler(devtrace_assert_fn *fn);

/* What devtrace_assert() calls when it fails. */
__attribute__((noreturn, cold))
void devtrace_assert_failed_(const char *file, unsigned int line);

#ifdef __cplusplus
}
#endif

#ifndef DEVTRACE_DISABLE
#define devtrace_assert(condition) \
	(__builtin_expect(!(condition), 0) ? devtrace_assert_failed_(__FILE__, __LINE__) : (void)0)
#else
#define devtrace_assert(condition)	((void)sizeof(!(condition)))
#define devtrace_assert_handler(fn)	((void)sizeof(fn), (devtrace_assert_fn *)0)
#endif

#endif
