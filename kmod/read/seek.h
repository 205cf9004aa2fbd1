/* SPDX-License-Identifier: GPL-2.0-only */
/* The position of a reader, and moving it: see seek.c */
#ifndef DEVTRACE_SEEK_H
#define DEVTRACE_SEEK_H

#include <linux/types.h>

struct reader;

loff_t reader_seek(struct reader *rd, loff_t off, int whence);
void reader_oldest(struct reader *rd);

#endif /* DEVTRACE_SEEK_H */
