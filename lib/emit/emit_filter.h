/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_filter.h - the program's own filters, for emit_lane.c
 */
#ifndef LIB_EMIT_FILTER_H
#define LIB_EMIT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#define DT_FILTER_HIDDEN	__attribute__((visibility("hidden")))

/*
 * Types that pass without further checks: a program may emit them and the program wants them.
 * dt_filter_easy_ids is for events with an object and a signal; it is empty while the program
 * filters objects or signals. All other events are checked by dt_filter_ids() and
 * dt_filter_event().
 */
extern uint32_t dt_filter_easy[8] DT_FILTER_HIDDEN;
extern uint32_t dt_filter_easy_ids[8] DT_FILTER_HIDDEN;

/* Unwanted objects and signals, a bit each; bit 0 is never set. */
extern uint32_t dt_filter_objects[65536 / 32] DT_FILTER_HIDDEN;
extern uint32_t dt_filter_signals[65536 / 32] DT_FILTER_HIDDEN;

/* Does the program want the event's object and signal? len: bytes of payload. */
static inline __attribute__((always_inline))
bool dt_filter_ids(const struct devtrace_emit *event, size_t len)
{
	const size_t at = event->flags & DEVTRACE_F_CODE ? 4 : 0;
	const uint8_t *p = event->data + at;
	unsigned int object, sig;

	if (!(event->flags & DEVTRACE_F_OBJSIG) || len < at + 4)
		return true;
	object = p[0] | (unsigned int)p[1] << 8;
	sig = p[2] | (unsigned int)p[3] << 8;
	return !((__atomic_load_n(&dt_filter_objects[object >> 5], __ATOMIC_RELAXED) >>
		  (object & 31) |
		  __atomic_load_n(&dt_filter_signals[sig >> 5], __ATOMIC_RELAXED) >>
		  (sig & 31)) & 1);
}

/* Does the program want this event with len bytes of payload? */
bool dt_filter_event(const struct devtrace_emit *event, size_t len);
bool dt_filter_type_is_programs(uint8_t type);
/* The program gave the object @key a name. */
void dt_filter_named(uint64_t key, const char *name);

#endif
