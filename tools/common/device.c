// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c - a regular file where a trace device should be
 *
 * In /dev a shell made it, and it has to go before the module can make the device. Anywhere
 * else it is somebody's file, which nobody should be told to remove.
 */
#include <string.h>
#include "common/device.h"

bool device_place(const char *path)
{
	return !strncmp(path, "/dev/", 5) && !strchr(path + 5, '/');
}

const char *device_no_file(const char *path)
{
	/* By whether it is in the way. */
	static const char *const texts[] = {
		"a regular file and no trace device; what is saved in a file is printed by 'traceinfo FILE'",
		"a regular file and no trace device, as a shell makes it that writes there before the module is loaded; remove it, and load the module devtrace again",
	};

	return texts[device_place(path)];
}
