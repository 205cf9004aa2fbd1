/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoint devtrace:event as a watch: see tracepoint.c */
#ifndef DEVTRACE_WATCH_TRACEPOINT_H
#define DEVTRACE_WATCH_TRACEPOINT_H

/* The tracepoint calls these before its first probe and after its last one. */
int watch_tracepoint_on(void);
void watch_tracepoint_off(void);

void watch_tracepoint_exit(void);

#endif /* DEVTRACE_WATCH_TRACEPOINT_H */
