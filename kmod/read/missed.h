/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that a stopped stream missed: see missed.c */
#ifndef DEVTRACE_MISSED_H
#define DEVTRACE_MISSED_H

#include <linux/types.h>

struct reader;

bool missed_tell(struct reader *rd);

#endif /* DEVTRACE_MISSED_H */
