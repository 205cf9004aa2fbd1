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
 * Types of events that pass without further checks, because a program may emit them and this
 * program does not discard them. dt_filter_easy_ids is for events with an object and a signal; it
 * is empty once the program filters objects or signals. If the bit is clear, dt_filter_ids() and
 * dt_filter_event() decide.
 */
extern uint32_t dt_filter_easy[8] DT_FILTER_HIDDEN;
extern uint32_t dt_filter_easy_ids[8] DT_FILTER_HIDDEN;

/* Objects and signals that the program discards, a bit for each; bit 0 is never set. */
extern uint32_t dt_filter_objects[65536 / 32] DT_FILTER_HIDDEN;
extern uint32_t dt_filter_signals[65536 / 32] DT_FILTER_HIDDEN;

/* Do the program's filters pass the event's object and signal? len: bytes of payload. */
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

/* Do the program's filters pass this event with len bytes of payload? */
bool dt_filter_event(const struct devtrace_emit *event, size_t len);
bool dt_filter_type_is_programs(uint8_t type);
/* Remember the name that the program gave to the object @key. */
void dt_filter_named(uint64_t key, const char *name);

#endif
