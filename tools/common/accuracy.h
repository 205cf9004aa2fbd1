/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accuracy.h - how exact the wall clock of this machine is
 */
#ifndef COMMON_ACCURACY_H
#define COMMON_ACCURACY_H

#include <stdbool.h>
#include <linux/devtrace.h>

/* Ask the kernel. Return 0, or a negative error number if this is not allowed. */
int accuracy_read(struct devtrace_accuracy *a);
/* Is the synchronization lost? */
static inline bool accuracy_unsync(const struct devtrace_accuracy *a)
{
	return a->status & DEVTRACE_ACCURACY_UNSYNC;
}

/*
 * Compare the wall clock with the hardware clock @path, such as /dev/ptp0, which PTP keeps exact.
 * Fill in the errors, the source and a status without DEVTRACE_ACCURACY_UNSYNC. Return 0 or a
 * negative error number. *offset: hardware clock minus wall clock, in ns.
 */
int accuracy_hardware(struct devtrace_accuracy *a, const char *path, __s64 *offset);

#endif
