// SPDX-License-Identifier: GPL-2.0-only
/*
 * whose.c - find out which process is the program that the gate follows
 *
 * With --program NAME this is the process of that name which has a receive channel. If it has
 * ended and another process with the name emits, the program was restarted, and the gate follows
 * the new process. The stream contains the names of processes. If the main thread of a process has
 * emitted nothing, its name is not in the stream; then the kernel is asked, while the process
 * exists.
 */
#include <stdio.h>
#include <string.h>
#include <devtrace-decode.h>
#include "common/program.h"
#include "gate.h"

/* shortest time in ms between two questions to the kernel about a process */
#define ASK_AGAIN_MS	100

static bool has_the_name(const struct gate *g, uint32_t process)
{
	const char *name = devtrace_decoder_proc(g->decoder, process, NULL);
	char buf[64];

	if (!name && !g->saved && program_name((pid_t)process, buf, sizeof(buf)))
		name = buf;
	/* The kernel keeps 15 bytes. */
	return name && !strncmp(name, g->program, 15);
}

bool gate_same_user(struct gate *g, pid_t pid)
{
	uid_t user;

	if (!program_user(pid, &user))
		return false;
	if (!g->user_known)
		g->user = user;
	g->user_known = true;
	return user == g->user;
}

/*
 * Decide whose a process is. The process that the gate followed before is only a namesake, because
 * its last events may come late.
 */
static enum gate_whose ask(struct gate *g, uint32_t process)
{
	/*
	 * A saved stream does not show when a process ended: the next process with the name
	 * replaces it.
	 */
	if (g->saved && has_the_name(g, process))
		return process == (uint32_t)g->before ? GATE_NAMESAKE : GATE_OURS;
	if (!has_the_name(g, process))
		return GATE_OTHERS;
	if (process == (uint32_t)g->before || program_lives(g->pid, g->program))
		return GATE_NAMESAKE;
	/* Any user can start a process with this name, and root's requests would be sent to it. */
	if (!gate_same_user(g, (pid_t)process))
		return GATE_NAMESAKE;
	return GATE_OURS;
}

/* If the program has no receive channel, it is the first process with its name in the stream. */
static enum gate_whose first_of_the_name(struct gate *g, uint32_t process)
{
	if (has_the_name(g, process)) {
		g->pid = (pid_t)process;
		gate_tell_names(g);
		return GATE_OURS;
	}
	/* The stream may give the name of the process after other names. */
	return devtrace_decoder_proc(g->decoder, process, NULL) ? GATE_OTHERS : GATE_NAMESAKE;
}

enum gate_whose gate_whose(struct gate *g, uint32_t process)
{
	struct gate_known *k = &g->known[process % GATE_KNOWN];
	uint64_t now;

	if (!g->pid && g->by_stream && process)
		return first_of_the_name(g, process);

	if (!g->pid || process == (uint32_t)g->pid)
		return GATE_OURS;
	if (!g->by_name)
		return GATE_OTHERS;
	now = gate_now_ms();
	if (k->process != process || now >= k->until) {
		k->whose = ask(g, process);
		k->process = process;
		k->until = now + ASK_AGAIN_MS;
		if (k->whose == GATE_OURS)
			gate_follow(g, (pid_t)process);
	}
	return k->whose;
}

void gate_follow(struct gate *g, pid_t pid)
{
	const pid_t before = g->pid;

	if (!g->quiet)
		fprintf(stderr, "qsgate: %s was restarted, as process %d\n", g->program, (int)pid);
	gate_disconnect(g);
	qspy_names_forget(&g->names, (uint32_t)before);
	rkh_forget(g, (uint32_t)before);
	g->before = before;
	g->pid = pid;
	gate_send_info(g, true);
	if (g->rkh)
		rkh_begin(g);
	gate_tell_names(g);
}
