/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - programs that have a receive channel, for who talks to them by libdevtrace-rx
 */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The name of a process. false: there is none. */
bool program_name(pid_t pid, char *name, size_t size);
/* Its effective user. false: there is no such process. */
bool program_user(pid_t pid, uid_t *user);
/* Is the process there, with this name, and not only its exit status? */
bool program_lives(pid_t pid, const char *name);
/* A program that listens, and the user as whom it runs. */
struct program {
	pid_t	pid;
	uid_t	uid;
	char	name[64];
};

/* Each of them, once, in the order of their numbers, until fn returns true. */
void program_each(bool (*fn)(void *arg, const struct program *p), void *arg);
/*
 * By its number or name. 0: *why says what is wrong. A name is that of a program of this user if
 * there is one: another user's program of the same name neither takes its place nor makes
 * the name ambiguous.
 */
pid_t program_find(const char *word, const char **why);
/* The text for an error of devtrace_rx_connect() or devtrace_rx_call(). */
const char *program_error(int err);

#endif
