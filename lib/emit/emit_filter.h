/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_filter.h - the program's own filters, as emit_lane.c asks them
 */
#ifndef LIB_EMIT_FILTER_H
#define LIB_EMIT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

/*
 * Types that need no more than this look: a program may emit them, it wants them, and it does
 * not filter objects or signals. All others go by dt_filter_event().
 */
extern uint32_t dt_filter_easy[8] __attribute__((visibility("hidden")));

/* Does the program want this event of len bytes of payload? */
bool dt_filter_event(const struct devtrace_emit *event, size_t len);
/* May a program emit this type? */
bool dt_filter_type_is_programs(uint8_t type);
/* An object was given a name. */
void dt_filter_named(uint64_t key, const char *name);

#endif
