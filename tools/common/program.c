// SPDX-License-Identifier: GPL-2.0-only
/*
 * program.c - programs with a receive channel
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "common/program.h"

/* length to which the kernel truncates the name of a process */
#define NAME_BYTES	15

const char *program_error(int err)
{
	switch (err) {
	case ESRCH:
		return "there is no such process";
	case ECONNREFUSED:
		return "this program has no receive channel; 'tracectl rx' lists those that have";
	case EPERM:
		return "only its user and root may talk to this program, and only root "
		       "if it changed its user";
	case EPIPE:
		return "the program has ended, or closed its receive channel";
	case ETIMEDOUT:
		return "the program does not answer";
	case EAGAIN:
		return "the program accepts no requests at present; this one was not sent";
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

/* Parse the line "Uid: REAL EFFECTIVE ..." of /proc/PID/status. */
static bool effective_user(const char *line, uid_t *user)
{
	const char *real = line + strlen("Uid:"), *effective;
	char *end;

	if (strncmp(line, "Uid:", strlen("Uid:")))
		return false;
	strtoul(real, &end, 10);
	effective = end;
	*user = (uid_t)strtoul(effective, &end, 10);
	return end != effective;
}

bool program_user(pid_t pid, uid_t *user)
{
	char path[32], line[128];
	bool found = false;
	FILE *f;

	/* Read the file, not its owner: a process can make root the owner of its /proc/PID. */
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = effective_user(line, user);
	if (f)
		fclose(f);
	return found;
}

bool program_lives(pid_t pid, const char *name)
{
	char path[32], line[128], *begin = NULL, *end = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	/* Parse PID (NAME) STATE ...; the name itself may contain ')'. */
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

/*
 * Call @fn for each process that listens for requests, until @fn returns true. If @wanted is not
 * NULL, only for processes of that name.
 */
static void each(const char *wanted, bool (*fn)(void *arg, const struct program *p), void *arg)
{
	DIR *dir = opendir("/proc");
	const struct dirent *d;
	struct program p;

	while (dir && (d = readdir(dir))) {
		p.pid = (pid_t)strtol(d->d_name, NULL, 10);
		/*
		 * Compare the name first, because listing the descriptors of a process may take
		 * long.
		 */
		if (p.pid <= 0 || !program_name(p.pid, p.name, sizeof(p.name)) ||
		    (wanted && strncmp(p.name, wanted, NAME_BYTES)) ||
		    devtrace_rx_listens(p.pid) || !program_user(p.pid, &p.uid))
			continue;
		if (fn(arg, &p))
			break;
	}
	if (dir)
		closedir(dir);
}

void program_each(bool (*fn)(void *arg, const struct program *p), void *arg)
{
	each(NULL, fn, arg);
}

struct search {
	pid_t		mine, others;
	unsigned int	nr_mine, nr_others;
};

static bool is_it(void *arg, const struct program *p)
{
	struct search *s = arg;

	if (p->uid == geteuid()) {
		s->mine = p->pid;
		s->nr_mine++;
	} else {
		s->others = p->pid;
		s->nr_others++;
	}
	return false;
}

pid_t program_find(const char *word, const char **why)
{
	struct search s = { 0 };
	unsigned long pid;
	char *end;

	errno = 0;
	pid = *word >= '0' && *word <= '9' ? strtoul(word, &end, 0) : 0;
	if (pid && !*end && !errno && pid <= INT32_MAX)
		return (pid_t)pid;
	each(word, is_it, &s);
	if (s.nr_mine == 1)
		return s.mine;
	if (!s.nr_mine && s.nr_others == 1)
		return s.others;
	*why = "no program of this name has a receive channel; 'tracectl rx' lists those that have";
	if (s.nr_mine || s.nr_others)
		*why = "several programs of this name have a receive channel; "
		       "name one by its process id, which 'tracectl rx' prints";
	return 0;
}
