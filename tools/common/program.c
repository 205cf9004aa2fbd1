// SPDX-License-Identifier: GPL-2.0-only
/*
 * program.c - programs that have a receive channel
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/program.h"

#define PREFIX		"@devtrace-rx-"
#define NAME_BYTES	15	/* that the kernel keeps */
#define PROGRAMS_MAX	256

const char *program_error(int err)
{
	switch (err) {
	case ESRCH:
		return "there is no such process";
	case ECONNREFUSED:
		return "this program has no receive channel; 'tracectl rx' lists those that have";
	case EPERM:
		return "this program is another user's; only its user and root may talk to it";
	case EPIPE:
		return "the program has ended, or talks only to its own user and root";
	case ETIMEDOUT:
		return "the program does not answer";
	case EAGAIN:
		return "the program takes no requests at present; this one was not sent";
	}
	return strerror(err);
}

bool program_name(pid_t pid, char *name, size_t size)
{
	char path[32];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fgets(name, (int)size, f);
	name[ok ? strcspn(name, "\n") : 0] = 0;
	fclose(f);
	return ok;
}

bool program_lives(pid_t pid, const char *name)
{
	char path[32], line[128], *begin = NULL, *end = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	/* PID (NAME) STATE ..., and a name may have any character. */
	if (f && fgets(line, sizeof(line), f)) {
		begin = strchr(line, '(');
		end = strrchr(line, ')');
	}
	if (f)
		fclose(f);
	if (!begin || !end || end < begin || strlen(end) < 3)
		return false;
	*end = 0;
	return !strncmp(begin + 1, name, NAME_BYTES) && end[2] != 'Z' && end[2] != 'X';
}

void program_each(bool (*fn)(void *arg, pid_t pid, const char *name), void *arg)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512], name[64];
	pid_t seen[PROGRAMS_MAX];
	size_t nr = 0, i;

	while (f && fgets(line, sizeof(line), f)) {
		const char *p = strstr(line, PREFIX);
		pid_t pid = p ? (pid_t)strtol(p + strlen(PREFIX), NULL, 10) : 0;

		/* The connections of a program are there, too. */
		for (i = 0; i < nr && seen[i] != pid; i++)
			;
		if (pid <= 0 || i < nr || nr == PROGRAMS_MAX ||
		    !program_name(pid, name, sizeof(name)))
			continue;
		seen[nr++] = pid;
		if (fn(arg, pid, name))
			break;
	}
	if (f)
		fclose(f);
}

struct search {
	const char	*name;
	pid_t		pid;
	unsigned int	found;
};

static bool is_it(void *arg, pid_t pid, const char *name)
{
	struct search *s = arg;

	if (!strncmp(name, s->name, NAME_BYTES)) {
		s->pid = pid;
		s->found++;
	}
	return false;
}

pid_t program_find(const char *word, const char **why)
{
	struct search s = { .name = word };
	unsigned long pid;
	char *end;

	errno = 0;
	pid = *word >= '0' && *word <= '9' ? strtoul(word, &end, 0) : 0;
	if (pid && !*end && !errno && pid <= INT32_MAX)
		return (pid_t)pid;
	program_each(is_it, &s);
	if (s.found == 1)
		return s.pid;
	*why = "no program of this name has a receive channel; 'tracectl rx' lists those that have";
	if (s.found)
		*why = "several programs of this name have a receive channel; "
		       "name one by its number, see 'tracectl rx'";
	return 0;
}
