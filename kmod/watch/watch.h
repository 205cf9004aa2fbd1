/* SPDX-License-Identifier: GPL-2.0-only */
/* Watches: see watch.c */
#ifndef DEVTRACE_WATCH_WATCH_H
#define DEVTRACE_WATCH_WATCH_H

void watch_exit(void);

#endif /* DEVTRACE_WATCH_WATCH_H */
