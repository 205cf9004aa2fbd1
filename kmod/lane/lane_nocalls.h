/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lanes whose blocks nobody hands over: see lane_nocalls.c
 */
#ifndef DEVTRACE_LANE_NOCALLS_H
#define DEVTRACE_LANE_NOCALLS_H

struct lane;

/* Process context, for all of these. */
void lane_nocalls_made(const struct lane *l);
void lane_nocalls_closed(void);
void lane_nocalls_exit(void);

#endif /* DEVTRACE_LANE_NOCALLS_H */
