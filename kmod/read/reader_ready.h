/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether there is something to read: see reader_ready.c
 */
#ifndef DEVTRACE_READER_READY_H
#define DEVTRACE_READER_READY_H

#include <linux/types.h>

struct reader;

int reader_ready(struct reader *rd);
bool reader_much(struct reader *rd);

#endif /* DEVTRACE_READER_READY_H */
