/* SPDX-License-Identifier: GPL-2.0-only */
/* Take events from lanes whose threads make no system calls: see lane_nocalls.c */
#ifndef DEVTRACE_LANE_NOCALLS_H
#define DEVTRACE_LANE_NOCALLS_H

struct lane;

/* Process context. */
void lane_nocalls_made(const struct lane *l);
void lane_nocalls_closed(void);
void lane_nocalls_exit(void);

#endif /* DEVTRACE_LANE_NOCALLS_H */
