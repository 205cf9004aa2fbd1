/* SPDX-License-Identifier: GPL-2.0-only */
/* Would read(2) return something? See reader_ready.c */
#ifndef DEVTRACE_READER_READY_H
#define DEVTRACE_READER_READY_H

#include <linux/types.h>

struct reader;

int reader_ready(struct reader *rd);
bool reader_much(struct reader *rd);

#endif /* DEVTRACE_READER_READY_H */
