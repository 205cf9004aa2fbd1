/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statements about the error of the wall clock
 */
#ifndef DEVTRACE_ACCURACY_H
#define DEVTRACE_ACCURACY_H

#include <linux/devtrace.h>

int devtrace_accuracy_set(const struct devtrace_accuracy *a);

#endif /* DEVTRACE_ACCURACY_H */
