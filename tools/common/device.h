/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * device.h - a regular file in place of a trace device
 */
#ifndef TOOLS_COMMON_DEVICE_H
#define TOOLS_COMMON_DEVICE_H

#include <stdbool.h>

/* May this path name a trace device (e.g. /dev/trace)? Files in directories below /dev may not. */
bool device_place(const char *path);
/* Return text that explains why a regular file at this path is wrong, and how to correct that. */
const char *device_no_file(const char *path);

#endif
