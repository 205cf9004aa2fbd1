// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_assert.c - a failed assertion: emit a record, call the handler, abort
 *
 * If an assertion fails inside the handler, the handler is not called again.
 */
#include <stdlib.h>
#include <string.h>
#include <devtrace/assert.h>
#include <devtrace/record.h>
#include "emit.h"

#define FILE_MAX	200	/* only the end of a longer file name is emitted */

static devtrace_assert_fn *handler;

devtrace_assert_fn *devtrace_assert_handler(devtrace_assert_fn *fn)
{
	return __atomic_exchange_n(&handler, fn, __ATOMIC_SEQ_CST);
}

static void assert_emit(const char *file, unsigned int line)
{
	size_t len = strlen(file);

	DEVTRACE_RECORD(r, FILE_MAX + 16);

	if (len > FILE_MAX)
		file += len - FILE_MAX;
	devtrace_head_(&r, DEVTRACE_T_ASSERT, DEVTRACE_SW3, 0);
	devtrace_u16(&r, (uint16_t)line);
	devtrace_str(&r, file);
	devtrace_end(&r);
}

void devtrace_assert_failed_(const char *file, unsigned int line)
{
	static _Thread_local bool failing;

	if (devtrace_enabled_severity(DEVTRACE_T_ASSERT, DEVTRACE_SW3))
		assert_emit(file, line);
	if (!failing) {
		devtrace_assert_fn *fn = __atomic_load_n(&handler, __ATOMIC_SEQ_CST);

		failing = true;
		if (fn)
			fn(file, line);
	}
	abort();
}
