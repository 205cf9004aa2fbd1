// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c - why a path is no trace device that this user may read
 *
 * If a shell redirection wrote to /dev/trace while the module was not loaded, a regular file was
 * created there. It must be removed before the module can create the device. A regular file in
 * another place belongs to the user: never advise to remove it.
 */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "common/device.h"

bool device_place(const char *path)
{
	return !strncmp(path, "/dev/", 5) && !strchr(path + 5, '/');
}

const char *device_no_file(const char *path)
{
	/* Indexed by device_place(). */
	static const char *const texts[] = {
		"a regular file, not a trace device; 'traceinfo FILE' prints a saved stream",
		"a regular file, not a trace device: a program wrote to this path before the module was loaded; remove the file, and load the module devtrace again",
	};

	return texts[device_place(path)];
}

const char *device_who_may_read(const char *path)
{
	static char text[96];
	const struct group *group;
	const int err = errno;		/* The caller prints it, and getgrgid() changes it. */
	struct stat st;

	if (stat(path, &st) || st.st_mode & 0004) {
		errno = err;
		return "";	/* Another directory, or a security module, refuses. */
	}
	if (!(st.st_mode & 0040))
		return " (only root may read it)";
	group = getgrgid(st.st_gid);
	errno = err;
	if (group)
		snprintf(text, sizeof(text), " (only root and the group '%.32s' may read it)",
			 group->gr_name);
	else
		snprintf(text, sizeof(text), " (only root and the group %lu may read it)",
			 (unsigned long)st.st_gid);
	return text;
}
