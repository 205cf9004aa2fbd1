/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading what came by lanes: see reader_lane.c
 */
#ifndef DEVTRACE_READER_LANE_H
#define DEVTRACE_READER_LANE_H

#include <linux/types.h>

struct lane_cursor;
struct reader;

void reader_follows(struct reader *rd);
int reader_follow_lanes(struct reader *rd);
void cursor_lane_refresh(struct reader *rd, struct lane_cursor *c);
bool cursor_lane_peek(struct reader *rd, struct lane_cursor *c);
bool cursor_lane_send(struct reader *rd, struct lane_cursor *c);
void cursor_lane_seek(struct reader *rd, struct lane_cursor *c, u64 ts);
void reader_lanes_clear(struct reader *rd);
bool reader_lanes_unread(const struct reader *rd, unsigned int percent);
u64 reader_lanes_lag(const struct reader *rd);
void reader_lanes_free(struct reader *rd);

#endif /* DEVTRACE_READER_LANE_H */
