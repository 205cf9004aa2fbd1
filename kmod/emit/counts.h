/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of stored and filtered events, by type */
#ifndef DEVTRACE_EMIT_COUNTS_H
#define DEVTRACE_EMIT_COUNTS_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct emit_counts - numbers of events by type, for each CPU
 * @stored: events stored in any stream
 * @filtered: events that stream 0's filter refused; devtrace_filtered points to it
 *
 * Allocated, because static per-CPU memory of all modules is limited to 8 KiB.
 */
struct emit_counts {
	unsigned long	stored[256];
	u64		filtered[256];
};

extern struct emit_counts __percpu *emit_counts;

void emit_not_wanted(unsigned int type);
int emit_counts_init(void);
void emit_counts_exit(void);

#endif /* DEVTRACE_EMIT_COUNTS_H */
