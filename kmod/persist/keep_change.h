/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When stream 0 stopped and went on, in a region: see keep_change.c
 */
#ifndef DEVTRACE_PERSIST_KEEP_CHANGE_H
#define DEVTRACE_PERSIST_KEEP_CHANGE_H

#include "layout.h"
#include "region.h"

void keep_changes_begin(struct region *region);

/* The owner of the sums calls these, one at a time; a panic may. */
void keep_changes_look(void);
void keep_missed_ring(unsigned int cpu, struct persist_missed *two);
/* Process context. */
void keep_missed_slot(unsigned int slot, struct persist_missed *two);
void keep_changes_done(void);

#endif /* DEVTRACE_PERSIST_KEEP_CHANGE_H */
