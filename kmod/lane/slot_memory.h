/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of slots, for slot.c: see slot_memory.c */
#ifndef DEVTRACE_SLOT_MEMORY_H
#define DEVTRACE_SLOT_MEMORY_H

#include <linux/types.h>

struct chunk;
struct slot;
struct slots;

/* Memory for a chunk of slots: @slots for all streams, @chunk for one. */
struct slots_spare {
	struct slot	*slots;
	struct chunk	*chunk;
};

bool slots_have_chunks(unsigned int chunk, struct slots_spare *spare);
bool slots_spare_alloc(struct slots_spare *spare);
void slots_spare_free(struct slots_spare *spare);
void slots_set_nr(struct slots *in, unsigned int nr);

#endif /* DEVTRACE_SLOT_MEMORY_H */
