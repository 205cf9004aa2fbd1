/* SPDX-License-Identifier: GPL-2.0-only */
/* A reader of a stream: see reader.c */
#ifndef DEVTRACE_READER_H
#define DEVTRACE_READER_H

#include <linux/types.h>

struct reader;
struct stream;
struct wire;

struct reader *reader_new(struct stream *s);
void reader_free(struct reader *rd);
struct wire *reader_wire(struct reader *rd);

int reader_fill(struct reader *rd, size_t want);
void reader_check(struct reader *rd, u8 check);
u32 reader_announce(struct reader *rd);
void reader_follows(struct reader *rd);

/* For other files of this folder. */
void reader_put(struct reader *rd);

#endif /* DEVTRACE_READER_H */
