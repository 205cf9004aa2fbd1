/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - find programs with a receive channel, for hosts that use libdevtrace-rx
 */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Get the name of a process; false: no such process. */
bool program_name(pid_t pid, char *name, size_t size);
/* Get its effective user; false: no such process. */
bool program_user(pid_t pid, uid_t *user);
/* Does the process run under this name (and is not a zombie)? */
bool program_lives(pid_t pid, const char *name);
/* A listening program, with its effective user. */
struct program {
	pid_t	pid;
	uid_t	uid;
	char	name[64];
};

/* Call fn once for each, in the order of PIDs, until fn returns true. */
void program_each(bool (*fn)(void *arg, const struct program *p), void *arg);
/*
 * Find a program by its number or name. Return 0 with the reason in *why. A name means this
 * user's program if there is one: a program of another user with the same name neither replaces
 * it nor makes the name ambiguous.
 */
pid_t program_find(const char *word, const char **why);
/* Return the text for an error of devtrace_rx_connect() or devtrace_rx_call(). */
const char *program_error(int err);

#endif
