/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * duration.h - durations with a suitable unit
 */
#ifndef COMMON_DURATION_H
#define COMMON_DURATION_H

#include "out.h"

/* Print a duration of up to 999 days in at most seven columns, for example 12.34ms or 4m18s. */
void out_duration(struct out *o, uint64_t ns);
/* Print a duration right-aligned in @width columns. */
void out_duration_right(struct out *o, uint64_t ns, unsigned int width);

#endif
