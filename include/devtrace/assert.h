/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/assert.h - assertions whose failure is an event
 *
 *	devtrace_assert(rpm < limit);
 *
 * A failed assertion emits a record of type DEVTRACE_T_ASSERT and severity sw3 with the line and
 * the file, like QP/Spy. Then the library calls the program's handler. Without a handler, or if it
 * returns, the library calls abort(3). This happens even if there is no device or a filter refuses
 * the record.
 *
 * With DEVTRACE_DISABLE the expression is not evaluated, like assert(3) with NDEBUG.
 */
#ifndef DEVTRACE_ASSERT_H
#define DEVTRACE_ASSERT_H

#include <devtrace/emit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The handler may leave by longjmp(3) or restart the program. */
typedef void devtrace_assert_fn(const char *file, unsigned int line);

/* Set the handler; NULL: none. Return the previous one. */
devtrace_assert_fn *devtrace_assert_handler(devtrace_assert_fn *fn);

/* Called by devtrace_assert() on failure. */
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
