// SPDX-License-Identifier: GPL-2.0-only
/*
 * request.c - a host's request to the program, by its receive channel
 *
 * The wire of the target that the gate is was chosen so that a request has the bytes that the
 * receive channel has. The gate checks them first: the program sees no request that QS does
 * not have. The program acknowledges in its trace. The gate waits a moment for the answer on the
 * socket, for what the trace cannot say: that nobody is there. A program that waits in
 * devtrace_rx_pause() answers later, and is asked on all the same.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/program.h"
#include "gate.h"

#define ANSWER_MS	100

void gate_disconnect(struct gate *g)
{
	devtrace_rx_disconnect(g->host);
	g->host = NULL;
}

/* A program that was started anew has other keys. */
static int connect_program(struct gate *g)
{
	const char *why = NULL;
	pid_t pid;
	int err;

	if (g->host)
		return 0;
	if (!g->program) {
		fputs("qsgate: a request, and no program that takes it; name one with --program\n",
		      stderr);
		return -1;
	}
	pid = program_find(g->program, &why);
	err = pid ? devtrace_rx_connect(pid, &g->host) : 0;
	if (!pid || err) {
		fprintf(stderr, "qsgate: %s: %s\n", g->program, why ? why : program_error(err));
		return -1;
	}
	if (g->pid && g->pid != pid) {
		gate_names_forget(&g->names, (uint32_t)g->pid);
		gate_send_info(g, true);
	}
	g->pid = pid;
	return 0;
}

/* Is it as long as it says? */
static bool fits(uint8_t record, const uint8_t *p, size_t n)
{
	size_t bytes;

	switch (record) {
	case DEVTRACE_RX_COMMAND:
		return n >= 1 && n <= 13 && (n - 1) % 4 == 0;
	case DEVTRACE_RX_TICK:
	case DEVTRACE_RX_QUERY:
		return n == 1;
	case DEVTRACE_RX_PEEK:
	case DEVTRACE_RX_POKE:
	case DEVTRACE_RX_FILL:
		if (n < 4 || (p[2] != 1 && p[2] != 2 && p[2] != 4) || !p[3])
			return false;
		bytes = record == DEVTRACE_RX_PEEK ? 0 : record == DEVTRACE_RX_FILL ? p[2] :
			(size_t)p[2] * p[3];
		return n == 4 + bytes;
	case DEVTRACE_RX_PROBE:
		return n == 4 + GATE_PTR;
	case DEVTRACE_RX_GLB_FILTER:
	case DEVTRACE_RX_LOC_FILTER:
		return n == 17 && *p == 16;
	case DEVTRACE_RX_OBJ_FILTER:
		return n == 1 + GATE_PTR && *p <= 1;
	case DEVTRACE_RX_CURRENT:
		return n == 1 + GATE_PTR && *p < DEVTRACE_RX_KINDS;
	case DEVTRACE_RX_EVENT:
		bytes = 3 + GATE_SIG;
		return n >= bytes && n == bytes + (size_t)gate_le(p + 1 + GATE_SIG, 2);
	}
	return n == 0;
}

/* 0 is no object: the receive channel would look for a name instead. */
static bool names_nothing(uint8_t record, const uint8_t *p)
{
	return record == DEVTRACE_RX_CURRENT && !gate_le(p + 1, GATE_PTR);
}

void gate_request(struct gate *g, uint8_t record, const uint8_t *p, size_t n)
{
	struct devtrace_rx_answer answer;
	int err;

	g->requests++;
	if (record >= DEVTRACE_RX_REQUESTS) {
		gate_error(g, 0x43);
		return;
	}
	if (!fits(record, p, n)) {
		gate_error(g, 0x50);
		return;
	}
	if (!g->program && record == DEVTRACE_RX_INFO) {
		gate_send_info(g, false);
		return;
	}
	if (names_nothing(record, p) || connect_program(g)) {
		gate_error(g, record);
		return;
	}
	err = devtrace_rx_call(g->host, record, p, n, ANSWER_MS, &answer);
	if (!err && answer.status == DEVTRACE_RX_BUSY && record != DEVTRACE_RX_PROBE) {
		fprintf(stderr, "qsgate: %s: %s\n", g->program,
			devtrace_rx_status_text(answer.status));
		gate_disconnect(g);
		gate_error(g, record);
	} else if (err && err != ETIMEDOUT) {
		fprintf(stderr, "qsgate: %s: %s\n", g->program, program_error(err));
		gate_disconnect(g);
		gate_error(g, record);
	}
}
