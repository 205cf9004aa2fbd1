/* SPDX-License-Identifier: GPL-2.0-only */
/* Keep the changes of stream 0's state in a region: see keep_change.c */
#ifndef DEVTRACE_PERSIST_KEEP_CHANGE_H
#define DEVTRACE_PERSIST_KEEP_CHANGE_H

#include "layout.h"
#include "region.h"

void keep_changes_begin(struct region *region);

/* Called only by the owner of the sums, see keep_take() in keep.c; also at a panic. */
void keep_changes_look(void);
void keep_missed_ring(unsigned int cpu, struct persist_missed *two);
/* Process context. */
void keep_missed_slot(unsigned int slot, struct persist_missed *two);
void keep_changes_done(void);

#endif /* DEVTRACE_PERSIST_KEEP_CHANGE_H */
