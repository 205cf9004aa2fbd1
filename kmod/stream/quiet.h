/* SPDX-License-Identifier: GPL-2.0-only */
/* Wait for active emitters: see quiet.c */
#ifndef DEVTRACE_QUIET_H
#define DEVTRACE_QUIET_H

struct cpumask;

void quiet_wait_on(const struct cpumask *which);
void quiet_wait(void);

#endif /* DEVTRACE_QUIET_H */
