// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rkh_port.c - the functions of an RKH port for its byte stream
 *
 * There is no byte stream: events are written to the lane at once, and readers open the device.
 * The functions are weak: if a port defines them, its own are used.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace/rkh/rkhtrc.h>

#define WEAK	__attribute__((weak))

WEAK void rkh_trc_open(void)
{
	devtrace_open();
	devtrace_rkh_begin();
}

WEAK void rkh_trc_close(void)
{
}

WEAK void rkh_trc_flush(void)
{
}

static RKH_TS_T rkh_port_getts(void)
{
	return (RKH_TS_T)devtrace_now();
}

RKH_TS_T rkh_trc_getts(void) __attribute__((weak, alias("rkh_port_getts")));

/* A constructor, because a port may define rkh_trc_open() itself. */
__attribute__((constructor))
static void rkh_port_tell_clock(void)
{
	const char *debug = secure_getenv("DEVTRACE_DEBUG");

	if (rkh_trc_getts != rkh_port_getts && debug && *debug && strcmp(debug, "0"))
		fputs("devtrace: rkh_trc_getts() is not called: stamps are those of the trace clock\n",
		      stderr);
}

WEAK void rkh_trc_init(void)
{
}

WEAK void rkh_trcStream_init(void)
{
}

WEAK rui8_t *rkh_trc_get(void)
{
	return NULL;
}

WEAK rui8_t *rkh_trc_get_block(TRCQTY_T *nget)
{
	if (nget)
		*nget = 0;
	return NULL;
}

WEAK TRCQTY_T rkh_trc_getWholeBlock(rui8_t *block, TRCQTY_T size)
{
	(void)block;
	(void)size;
	return 0;
}
