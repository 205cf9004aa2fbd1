/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * device.h - a regular file in place of a trace device
 */
#ifndef TOOLS_COMMON_DEVICE_H
#define TOOLS_COMMON_DEVICE_H

#include <stdbool.h>

/* Is this the path of a device: /dev/trace, but not /dev/shm/file? */
bool device_place(const char *path);
/* Explain what is wrong with a regular file at this path, and the remedy. */
const char *device_no_file(const char *path);

#endif
