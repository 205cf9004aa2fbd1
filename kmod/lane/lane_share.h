/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits of lanes: for a process, for a user, and for all
 *
 * A lane's bytes are reserved before its memory is allocated, and returned after it is freed.
 */
#ifndef DEVTRACE_LANE_SHARE_H
#define DEVTRACE_LANE_SHARE_H

struct lane;

/* Call before the first lane is made. */
void lane_limits_init(void);
int lane_share_reserve(struct lane *l);
void lane_share_return(struct lane *l);
void lane_shares_exit(void);

#endif /* DEVTRACE_LANE_SHARE_H */
