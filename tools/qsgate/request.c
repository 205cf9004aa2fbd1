// SPDX-License-Identifier: GPL-2.0-only
/*
 * request.c - pass a host's request on to the receive channel of the program
 *
 * A request has the same bytes on the receive channel, except that a pointer of 4 bytes becomes
 * one of 8. The gate first checks that the request is one of QS. The program acknowledges a
 * request in its trace, so the gate does not wait for the answer on the socket: a program in
 * devtrace_rx_pause() answers later, and may get further requests meanwhile. But the gate does
 * read the answer when it arrives, because only the socket shows that the program has no room for
 * the request or has ended.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "common/le.h"
#include "common/program.h"
#include "gate.h"

void gate_disconnect(struct gate *g)
{
	devtrace_rx_disconnect(g->host);
	g->host = NULL;
	g->waits = false;
}

static int connect_program(struct gate *g)
{
	const char *why = NULL;
	pid_t pid;
	int err;

	if (g->host)
		return 0;
	if (!g->program) {
		fputs("qsgate: a request came, but no program handles it; name one with --program\n",
		      stderr);
		return -1;
	}
	pid = program_find(g->program, &why);
	/* The name or process ID may belong to another user's process by now. */
	if (pid && !gate_same_user(g, pid) && !devtrace_rx_listens(pid)) {
		why = "the program now belongs to another user; restart qsgate to talk to it";
		pid = 0;
	}
	if (pid && g->pid && g->pid != pid)
		gate_follow(g, pid);
	err = pid ? devtrace_rx_connect(pid, &g->host) : 0;
	if (!pid || err) {
		fprintf(stderr, "qsgate: %s: %s\n", g->program, why ? why : program_error(err));
		return -1;
	}
	g->pid = pid;
	return 0;
}

/* Does the request have the length and the values that QS requires? */
static bool fits(uint8_t ptr, uint8_t record, const uint8_t *p, size_t n)
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
		return n == 4u + ptr;
	case DEVTRACE_RX_GLB_FILTER:
	case DEVTRACE_RX_LOC_FILTER:
		return n == 17 && *p == 16;
	case DEVTRACE_RX_OBJ_FILTER:
		return n == 1u + ptr && *p <= 1;
	case DEVTRACE_RX_CURRENT:
		return n == 1u + ptr && *p < DEVTRACE_RX_KINDS;
	case DEVTRACE_RX_EVENT:
		bytes = 3 + GATE_SIG;
		return n >= bytes && n == bytes + (size_t)le_read(p + 1 + GATE_SIG, 2);
	}
	return n == 0;
}

/*
 * Copy a request. If its last field is a pointer, extend it to GATE_PTR bytes. Return the length
 * of the copy.
 */
static size_t widen(uint8_t ptr, uint8_t record, const uint8_t *p, size_t n, uint8_t *wide)
{
	memcpy(wide, p, n);
	switch (record) {
	case DEVTRACE_RX_PROBE:
	case DEVTRACE_RX_OBJ_FILTER:
	case DEVTRACE_RX_CURRENT:
		memset(wide + n, 0, GATE_PTR - ptr);
		return n + GATE_PTR - ptr;
	}
	return n;
}

/* Does the request have 0 as its object? The receive channel would then expect a name: refuse. */
static bool names_nothing(uint8_t record, const uint8_t *p)
{
	return record == DEVTRACE_RX_CURRENT && !le_read(p + 1, GATE_PTR);
}

/*
 * Is this request forbidden? INFO is always allowed, because its answer contains only facts about
 * the gate and the program's name. The program may allow the other requests.
 */
static bool forbidden(struct gate *g, bool anybody, uint8_t record)
{
	if (!anybody || g->allow || record == DEVTRACE_RX_INFO || geteuid())
		return false;
	if (!connect_program(g) && devtrace_rx_anybody(g->host))
		return false;
	if (!g->told_refusal)
		fputs("qsgate: runs as root and refuses a request that any user may have sent; see --allow-requests, or let the program open its channel with DEVTRACE_RX_ANYBODY\n",
		      stderr);
	g->told_refusal = true;
	return true;
}

/* Report why the last request was not executed. */
static void fail(struct gate *g, const char *why)
{
	fprintf(stderr, "qsgate: %s: %s\n", g->program, why);
	gate_error(g, g->asked);
}

static void lose(struct gate *g, const char *why)
{
	gate_disconnect(g);
	fail(g, why);
}

static void take_answer(struct gate *g, uint8_t request, const struct devtrace_rx_answer *answer)
{
	/* The answer may be to an older request, so the last one may still be waiting. */
	if (request == g->asked)
		g->waits = false;
	if (answer->status == DEVTRACE_RX_BUSY && request != DEVTRACE_RX_PROBE)
		lose(g, devtrace_rx_status_text(answer->status));
}

void gate_request(struct gate *g, bool anybody, uint8_t record, const uint8_t *p, size_t n)
{
	struct devtrace_rx_answer answer;
	uint8_t wide[GATE_BYTES + GATE_PTR];
	int err;

	g->requests++;
	if (record >= DEVTRACE_RX_REQUESTS) {
		gate_error(g, 0x43);
		return;
	}
	if (!fits(g->ptr, record, p, n)) {
		gate_error(g, 0x50);
		return;
	}
	n = widen(g->ptr, record, p, n, wide);
	p = wide;
	if (!g->program && record == DEVTRACE_RX_INFO) {
		gate_send_info(g, false);
		return;
	}
	if (forbidden(g, anybody, record) || names_nothing(record, p) || connect_program(g)) {
		gate_error(g, record);
		return;
	}
	err = devtrace_rx_call(g->host, record, p, n, 0, &answer);
	g->asked = record;
	g->waits |= err == ETIMEDOUT;
	if (!err)
		take_answer(g, record, &answer);
	else if (err == EAGAIN)
		/* The program still runs, and may accept the next request. */
		fail(g, program_error(err));
	else if (err != ETIMEDOUT)
		lose(g, program_error(err));
}

void gate_answers(struct gate *g)
{
	struct devtrace_rx_answer answer;
	uint8_t request;
	int err;

	while (g->host) {
		err = devtrace_rx_answer(g->host, &request, &answer);
		if (err == EAGAIN)
			return;
		if (!err)
			take_answer(g, request, &answer);
		else if (g->waits && g->asked != DEVTRACE_RX_RESET)
			lose(g, program_error(err));
		else
			gate_disconnect(g);
	}
}
