// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_device.c - the name of the trace device, from the environment variable DEVTRACE_DEVICE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "emit.h"

static char device[256] = "/dev/trace";
static int device_error;	/* errno number; not 0: no event is emitted */
static bool device_known;

/*
 * Read the variable once, at program start, and copy it: an event in a signal handler must not
 * depend on a later setenv(3), nor on a program that overwrites its environment with a title.
 * Set-user-id programs ignore the variable.
 */
__attribute__((constructor(101)))
static void device_read(void)
{
	const char *name;

	if (__atomic_load_n(&device_known, __ATOMIC_ACQUIRE))
		return;
	name = secure_getenv("DEVTRACE_DEVICE");
	if (name && !*name)
		device_error = ENODEV;
	else if (name && strlen(name) >= sizeof(device))
		device_error = ENAMETOOLONG;
	else if (name)
		strcpy(device, name);
	__atomic_store_n(&device_known, true, __ATOMIC_RELEASE);
}

const char *dt_device_name(void)
{
	device_read();
	return device_error ? "" : device;
}

int dt_device_error(void)
{
	device_read();
	return device_error;
}
