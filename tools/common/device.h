/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * device.h - a regular file where a trace device should be
 */
#ifndef TOOLS_COMMON_DEVICE_H
#define TOOLS_COMMON_DEVICE_H

#include <stdbool.h>

/* Is this a place of devices: /dev/trace, but not /dev/shm/file? */
bool device_place(const char *path);
/* What is wrong with a regular file of this name, and what to do. */
const char *device_no_file(const char *path);

#endif
