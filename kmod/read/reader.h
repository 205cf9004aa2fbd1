/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One reader's place in all rings, and their events in time order
 */
#ifndef DEVTRACE_READER_H
#define DEVTRACE_READER_H

#include <linux/types.h>

#include "wire.h"

struct cursor;
struct reader;
struct ring_cursor;
struct stream;

struct reader *reader_new(struct stream *s);
void reader_free(struct reader *rd);
struct wire *reader_wire(struct reader *rd);

int reader_fill(struct reader *rd, size_t want);
void reader_check(struct reader *rd, u8 check);

/* For the other files of this folder */
bool cursor_cache(struct ring_cursor *c);
bool cursor_dropped_more(const struct ring_cursor *c);
void cursor_oldest(struct ring_cursor *c);
void cursor_ready(struct reader *rd, struct cursor *c, bool ready);
bool reader_more_names(const struct reader *rd);
bool reader_more_past(struct reader *rd);
void reader_heapify(struct reader *rd);
void reader_put(struct reader *rd);
void report_loss(struct reader *rd, struct cursor *c, u8 cause, u64 count, u64 now);

#endif /* DEVTRACE_READER_H */
