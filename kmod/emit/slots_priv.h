/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where events of the kernel are built that are not for stream 0 alone
 *
 * For slots.c, and slots_alloc.c.
 */
#ifndef DEVTRACE_EMIT_SLOTS_PRIV_H
#define DEVTRACE_EMIT_SLOTS_PRIV_H

#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/devtrace.h>

#include "event.h"

/* Nested one upon the other: task, softirq, interrupts, NMIs. */
#define EMIT_SLOTS		6
#define EMIT_SLOT_FREE	UINT_MAX

/**
 * struct emit_slot - an event that is being built
 * @below: events of stream 0 that were under way when it began
 * @set: who wants it
 * @ev: the event
 * @data: its payload
 */
struct emit_slot {
	unsigned int	below;
	u32		set;
	struct event	ev;
	u8		data[DEVTRACE_PAYLOAD_MAX];
};

struct emit_slots {
	unsigned int	used;
	struct emit_slot	slot[EMIT_SLOTS];
};

DECLARE_PER_CPU(struct emit_slots *, emit_slots);

#endif /* DEVTRACE_EMIT_SLOTS_PRIV_H */
