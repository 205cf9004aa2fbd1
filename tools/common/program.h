/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - find programs with a receive channel, for hosts that use libdevtrace-rx
 */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Get the name of a process. Return false if there is no such process. */
bool program_name(pid_t pid, char *name, size_t size);
/* Get the effective user of a process. Return false if there is no such process. */
bool program_user(pid_t pid, uid_t *user);
/* Does a process of this id and name exist that is not a zombie? */
bool program_lives(pid_t pid, const char *name);
/* A listening program, with its effective user. */
struct program {
	pid_t	pid;
	uid_t	uid;
	char	name[64];
};

/*
 * Call @fn once for each program that listens, in the order of process IDs, until @fn returns
 * true.
 */
void program_each(bool (*fn)(void *arg, const struct program *p), void *arg);
/*
 * Find a program by its process ID or name. Return 0 and the reason in *why if there is none. If a
 * program of this user has the name, it is found, whatever programs of other users have the same
 * name.
 */
pid_t program_find(const char *word, const char **why);
/* Return the text for an error number of devtrace_rx_connect() or devtrace_rx_call(). */
const char *program_error(int err);

#endif
