/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DEVTRACE_EMIT_SLOTS_H
#define DEVTRACE_EMIT_SLOTS_H

#include <linux/types.h>

struct ring;

void *emit_slot_reserve(struct ring *r, u32 set, unsigned int type, u32 who, unsigned int len);
void emit_slot_commit(struct ring *r);

int emit_slots_alloc(void);
void emit_slots_free(void);

#endif /* DEVTRACE_EMIT_SLOTS_H */
