/* SPDX-License-Identifier: GPL-2.0-only */
/* Generic netlink and triggers: see control.c */
#ifndef DEVTRACE_CONTROL_H
#define DEVTRACE_CONTROL_H

/* Kbuild defines CONFIG_DEVTRACE_CONTROL unless the user sets it to n. */
#ifdef CONFIG_DEVTRACE_CONTROL
int control_init(void);
void control_exit(void);
#else
static inline int control_init(void) { return 0; }
static inline void control_exit(void) { }
#endif

#endif /* DEVTRACE_CONTROL_H */
