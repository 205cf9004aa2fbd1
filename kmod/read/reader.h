/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One reader's place in all rings, and their events in time order
 */
#ifndef DEVTRACE_READER_H
#define DEVTRACE_READER_H

#include <linux/types.h>

#include "wire.h"

struct reader;
struct stream;

struct reader *reader_new(struct stream *s);
void reader_free(struct reader *rd);
struct wire *reader_wire(struct reader *rd);

int reader_fill(struct reader *rd, size_t want);
int reader_ready(struct reader *rd);
bool reader_much(struct reader *rd);
loff_t reader_seek(struct reader *rd, loff_t off, int whence);
void reader_follows(struct reader *rd);
void reader_check(struct reader *rd, u8 check);

#endif /* DEVTRACE_READER_H */
