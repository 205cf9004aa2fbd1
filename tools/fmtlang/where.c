// SPDX-License-Identifier: GPL-2.0-only
/*
 * where.c - the default places of format files
 *
 * They are read in this order; a place overrides those after it:
 * - share/devtrace/fmt next to the program's directory, or the fmtdir chosen when it was built:
 *   formats installed together with the program
 * - /usr/share/devtrace/fmt: formats of packages
 * - /etc/devtrace/fmt: formats of the administrator
 * - /usr/trace: formats of drivers and applications
 * - formats of the kernel's own events, which are part of the program
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "internal.h"

/* The text of tools/fmt/kernel.fmt, in a source file that tools/Makefile generates. */
extern const char fmt_kernel[];

/*
 * Find the directory of the formats that were installed with the program, for example
 * /usr/local/share/devtrace/fmt for /usr/local/bin/traceinfo. Return
 * false if /proc is not mounted.
 */
static bool prefix_dir(char *dir, size_t size)
{
#ifdef FMT_DIR
	return (size_t)snprintf(dir, size, "%s", FMT_DIR) < size;
#else
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	unsigned int up;

	if (n <= 0)
		return false;
	exe[n] = '\0';
	for (up = 0; up < 2; up++) {
		char *slash = strrchr(exe, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	return (size_t)snprintf(dir, size, "%s/share/devtrace/fmt", exe) < size;
#endif
}

void fmt_next_place(struct fmt_set *set)
{
	set->place++;
}

void fmt_add_default(struct fmt_set *set)
{
	static const char *const dirs[] = {
		"/usr/share/devtrace/fmt", "/etc/devtrace/fmt", "/usr/trace"
	};
	char prefix[PATH_MAX];
	size_t i;

	fmt_next_place(set);
	if (prefix_dir(prefix, sizeof(prefix)))
		fmt_add_dir(set, prefix, true);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		fmt_next_place(set);
		fmt_add_dir(set, dirs[i], true);
	}
	fmt_next_place(set);
	fmt_add_text(set, "kernel.fmt (in the program)", fmt_kernel, strlen(fmt_kernel));
}
