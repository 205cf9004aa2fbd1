// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair.c - emit events of two 32-bit integers through LTTng-UST
 *
 *	pair COUNT
 */
#include <stdio.h>
#include <stdlib.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "pair_tp.h"

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0;

	if (n <= 0) {
		fprintf(stderr, "usage: pair COUNT\n");
		return 2;
	}
	for (int i = 0; i < n; i++)
		lttng_ust_tracepoint(devtrace_bench, pair, i, -i);
	return 0;
}
