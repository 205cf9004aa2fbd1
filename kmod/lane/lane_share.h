/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of lanes: of a process, of a user, and of all
 *
 * The bytes of a lane are reserved before any of its memory is allocated, and given back when
 * that memory has been freed.
 */
#ifndef DEVTRACE_LANE_SHARE_H
#define DEVTRACE_LANE_SHARE_H

struct lane;

/* Before the first lane. */
void lane_limits_init(void);
int lane_share_reserve(struct lane *l);
void lane_share_return(struct lane *l);
void lane_shares_exit(void);

#endif /* DEVTRACE_LANE_SHARE_H */
