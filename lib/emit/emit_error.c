// SPDX-License-Identifier: LGPL-2.1-or-later
/* emit_error.c - number of failed calls, and errno number of the last one */
#include <devtrace.h>
#include "emit.h"

static unsigned long errors;
static int last_error;

int emit_error(int err)
{
	__atomic_store_n(&last_error, err, __ATOMIC_RELAXED);
	__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
	return err;
}

unsigned long devtrace_errors(void)
{
	return __atomic_load_n(&errors, __ATOMIC_RELAXED);
}

int devtrace_error(void)
{
	return __atomic_load_n(&last_error, __ATOMIC_RELAXED);
}
