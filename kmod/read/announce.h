/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames of a reader besides events: see announce.c */
#ifndef DEVTRACE_ANNOUNCE_H
#define DEVTRACE_ANNOUNCE_H

#include <linux/limits.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "compat/compat_atomic.h"
#include "emit/dict.h"
#include "emit/proc.h"
#include "ring/clock.h"
#include "stream/past.h"
#include "stream/stream.h"
#include "wire.h"

/* INFO and CLOCK are repeated after this time or so many bytes */
#define INFO_NS		NSEC_PER_SEC
#define INFO_BYTES	(64 * 1024)

/**
 * struct proc_sent - a thread whose name need not be sent again
 * @tid: the thread
 * @from: for events from this time on, up to before @found.until
 * @found: result of the lookup, valid while devtrace_proc_same()
 */
struct proc_sent {
	u32	tid;
	u64	from;
	struct proc_found found;
};

/* For a slot of the table of threads: the name that the reader was last told from it. */
struct proc_named {
	u64	stamp;
	u32	tid;
};

/**
 * struct announce_quiet - events that no other frame must precede
 * @tid: thread of the events
 * @from: earliest time of the events
 * @until: the events are older than this time
 * @bytes: valid while the reader has made fewer bytes of frames than this
 */
struct announce_quiet {
	u32	tid;
	u64	from, until;
	u64	bytes;
};

/**
 * struct announce - what a reader was sent besides events
 * @wire: where frames go
 * @stream: the reader's stream
 * @begun: INFO was sent
 * @reason: reason of the next INFO
 * @clock_sent: a CLOCK was sent before an event
 * @clock_early: a CLOCK was sent before the first event
 * @clock_next: number of the next clock sample
 * @clock_after: as far as known, sample @clock_next need not be sent before this time
 * @clock: the last sample sent
 * @info_ts: time of the last INFO
 * @info_bytes: bytes of @wire at the last INFO
 * @serial: newest name's serial number when names were last looked up
 * @name_serial: serial numbers of the last names sent: [0] of names that always hold, [1] of
 *	names that hold from a time on
 * @name_ts: time from which the next name of kind [1] holds; U64_MAX: no name is due; 0: there
 *	was no room for all names
 * @renamed_ts: start time of the last name sent that replaced another
 * @sent: the thread of the last event
 * @named: for each slot of the table of threads
 * @next_past: number of the next change of state
 * @past: the next change of state, if @has_past
 * @has_past: @past is valid
 * @sought: no change of state was sent since lseek(2)
 * @state: the last state sent, enum devtrace_state
 * @since: time of the last clear before the reader went to its place; missed events are not older
 * @began: events missed by the last stop are not older than this; 0: no stop is known
 * @ended: events missed by the last stop are not newer than this; 0: it has not ended
 * @early: events missed by the last stop may be older than events stored before it
 * @quiet: see announce_is_quiet()
 *
 * Protected by the reader's lock.
 */
struct announce {
	struct wire	*wire;
	struct stream	*stream;
	bool		begun;
	u8		reason;
	bool		clock_sent, clock_early;
	bool		has_past;
	bool		sought;
	unsigned long	clock_next;
	u64		clock_after;
	struct clock_sample clock;
	u64		info_ts, info_bytes;
	u64		serial;
	u64		name_serial[2];
	u64		name_ts;
	u64		renamed_ts;
	struct proc_sent sent;
	struct proc_named *named;
	unsigned long	next_past;
	struct stream_past past;
	u8		state;
	u64		since;
	u64		began, ended;
	bool		early;
	struct announce_quiet quiet;
};

int announce_init(struct announce *a, struct stream *s, struct wire *w);
void announce_free(struct announce *a);

void announce_begin(struct announce *a);
void announce_check(struct announce *a);
void announce_again(struct announce *a);
void announce_rewind(struct announce *a);
void announce_seek(struct announce *a, u64 place, bool names);

void announce_early_clock(struct announce *a, u64 ts);
void announce_event(struct announce *a, u32 tid, u64 ts);
bool announce_names(struct announce *a, size_t want, u64 bound);
bool announce_find_past(struct announce *a);
bool announce_stop_is_next(struct announce *a);
bool announce_stops_again(const struct announce *a);
void announce_past(struct announce *a);

/* Call before sending a frame that has a time but is no event. */
static inline void announce_time(struct announce *a, u64 ts)
{
	if (unlikely(!a->clock_sent && !a->clock_early))
		announce_early_clock(a, ts);
}

/* Is a name due? No event older than @bound can come. */
static inline bool announce_has_names(const struct announce *a, u64 bound)
{
	/* LMM(names:B): pairs with dict:A. */
	return (u64)compat_atomic64_read_acquire(&devtrace_dict_serial) != a->serial ||
	       bound >= a->name_ts;
}

/* Is there a change of state that was not sent? */
static inline bool announce_has_past(struct announce *a)
{
	if (likely(!history_has(&a->stream->pasts, a->next_past)))
		return a->has_past;
	return announce_find_past(a);
}

/* Must a change of state or a name be sent next? No event older than @bound can come. */
static inline bool announce_is_next(struct announce *a, u64 bound)
{
	return (announce_has_past(a) && bound >= a->past.ts) || announce_has_names(a, bound);
}

/*
 * May this event be the next frame, without another frame before it? A lookup is valid for all
 * events that the reader has copied, because a thread's name is known before its event is stored.
 * After more events were copied, announce_look_again() requires a new lookup.
 */
static inline bool announce_is_quiet(const struct announce *a, u32 tid, u64 ts)
{
	const struct announce_quiet *q = &a->quiet;

	return tid == q->tid && ts >= q->from && ts < q->until && a->wire->bytes < q->bytes;
}

static inline void announce_look_again(struct announce *a)
{
	a->quiet.until = 0;
}

#endif /* DEVTRACE_ANNOUNCE_H */
