/* SPDX-License-Identifier: GPL-2.0-only */
/* Write events of severity level 2 and 3 back at once: see severe.c */
#ifndef DEVTRACE_PERSIST_SEVERE_H
#define DEVTRACE_PERSIST_SEVERE_H

#include "region.h"

void severe_ring(unsigned int cpu, const u32 *kept);
void severe_begin(const struct region *r);
void severe_end(void);

#endif /* DEVTRACE_PERSIST_SEVERE_H */
