// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c - a regular file in place of a trace device
 *
 * If a shell redirection wrote to /dev/trace while the module was not loaded, a regular file was
 * created there. It must be removed before the module can create the device. A regular file in
 * another place belongs to the user: never advise to remove it.
 */
#include <string.h>
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
