// SPDX-License-Identifier: GPL-2.0-only
/*
 * today.c - notes on terms that no event can match at present
 *
 * The kernel refuses a condition that can never match. A term may also name a process that does
 * not exist, a CPU that is offline, or a fault whose type does not pass the filter. That is not an
 * error, because the user may be waiting for it; so only a note is printed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "tracectl.h"

static void note(const struct tc *tc, const char *text)
{
	fprintf(stderr, "tracectl: %s: note: %s\n", tc->command, text);
}

static bool is_fault(uint32_t major)
{
	return major >> 8 == DEVTRACE_FAULT_PANIC >> 8;
}

/* Are all codes in the filter faults of the kernel, although the filter lets no fault pass? */
static bool lacks_faults(const struct devtrace_filter *f)
{
	unsigned int i;

	if ((!f->majors.given && !f->codes.given) || devtrace_filter_is_type(f, DEVTRACE_T_FAULT))
		return false;
	for (i = 0; i < f->majors.nr; i++)
		if (!is_fault(f->majors.v[i]))
			return false;
	for (i = 0; i < f->codes.nr; i++)
		if (!is_fault(DEVTRACE_CODE_MAJOR(f->codes.v[i])))
			return false;
	return true;
}

/* Is one of the CPUs online? Return true if the kernel's list, such as 0,2-3, cannot be read. */
static bool is_online(const struct devtrace_ranges *cpus)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned long first, last;
	char *line = NULL, *at, *end;
	bool found = true;
	size_t size = 0;
	unsigned int i;

	if (f && getline(&line, &size, f) > 0) {
		found = false;
		for (at = line; !found; at = end + 1) {
			first = strtoul(at, &end, 10);
			last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
			for (i = 0; i < cpus->nr; i++)
				found |= cpus->r[i].first <= last && first <= cpus->r[i].last;
			if (*end != ',')
				break;
		}
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/*
 * Does one of the processes exist? Names of processes are not checked: a process may take any
 * name.
 */
static bool has_process(const struct devtrace_filter *f)
{
	unsigned int i;

	if (f->comms.given)
		return true;
	for (i = 0; i < f->pids.nr; i++)
		/* ID 0 stands for the idle threads, which always exist. */
		if (!f->pids.v[i] || !kill((pid_t)f->pids.v[i], 0) || errno != ESRCH)
			return true;
	return false;
}

void tc_note_terms(const struct tc *tc, const struct devtrace_filter *f)
{
	if (lacks_faults(f))
		note(tc, "these codes are of the kernel's own faults, which do not pass this filter; add type=faults");
	if (f->pids.given && !has_process(f))
		note(tc, "no such process or thread exists at present");
	if (f->cpus.given && f->cpus.nr && !is_online(&f->cpus))
		note(tc, "none of these CPUs is online");
}
