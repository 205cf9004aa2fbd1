/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * device.h - why a path is no trace device that this user may read
 */
#ifndef TOOLS_COMMON_DEVICE_H
#define TOOLS_COMMON_DEVICE_H

#include <stdbool.h>

/* May this path name a trace device (e.g. /dev/trace)? Files in directories below /dev may not. */
bool device_place(const char *path);
/* Return text that explains why a regular file at this path is wrong, and how to correct that. */
const char *device_no_file(const char *path);
/*
 * After open(2) of this path failed with EACCES, return text in parentheses that says who may read
 * the file, with a space before it; "" if that is not known. errno is kept. The next call
 * overwrites the text.
 */
const char *device_who_may_read(const char *path);

#endif
