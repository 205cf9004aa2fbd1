/* SPDX-License-Identifier: GPL-2.0-only */
/* Keep names in a region: see names.c */
#ifndef DEVTRACE_PERSIST_NAMES_H
#define DEVTRACE_PERSIST_NAMES_H

#include "layout.h"
#include "region.h"

void names_begin(struct region *region, const struct persist_header *h);
void names_end(void);

#endif /* DEVTRACE_PERSIST_NAMES_H */
