/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader is told besides events: see announce.c
 */
#ifndef DEVTRACE_ANNOUNCE_H
#define DEVTRACE_ANNOUNCE_H

#include <linux/time64.h>
#include <linux/types.h>

#include "compat/compat_atomic.h"
#include "emit/dict.h"
#include "emit/proc.h"
#include "ring/clock.h"
#include "stream/past.h"
#include "stream/stream.h"
#include "wire.h"

/* INFO and CLOCK come again after that much time, or so many bytes. */
#define INFO_NS		NSEC_PER_SEC
#define INFO_BYTES	(64 * 1024)

/*
 * What need not be looked up again: nothing is to be sent for this thread from
 * one time up to before another, if no name was added since.
 */
struct proc_sent {
	u32	tid;
	u64	from;
	struct proc_found found;
};

/* The name last sent for a thread, in this place of the table of threads. */
struct proc_named {
	u64	stamp;
	u32	tid;
};

/**
 * struct announce - what a reader was told besides events
 * @wire: where frames go
 * @stream: the stream it reads
 * @begun: INFO was sent
 * @reason: why the next INFO is sent
 * @clock_sent: a CLOCK frame was sent
 * @clock_next: the next clock sample
 * @clock: the last one sent
 * @info_ts: when INFO was sent last
 * @info_bytes: bytes of @wire then
 * @serial: the last name sent
 * @sent: the thread of the last event
 * @named: for each place of the table of threads
 * @next_past: the next change of state
 * @past: it, if @has_past
 * @has_past: see there
 */
struct announce {
	struct wire	*wire;
	struct stream	*stream;
	bool		begun;
	u8		reason;
	bool		clock_sent;
	bool		has_past;
	unsigned long	clock_next;
	struct clock_sample clock;
	u64		info_ts, info_bytes;
	u64		serial;
	struct proc_sent sent;
	struct proc_named *named;
	unsigned long	next_past;
	struct stream_past past;
};

int announce_init(struct announce *a, struct stream *s, struct wire *w);
void announce_free(struct announce *a);

void announce_begin(struct announce *a);
void announce_check(struct announce *a);
void announce_again(struct announce *a);
void announce_rewind(struct announce *a);
void announce_seek(struct announce *a, u64 place, bool names);

void announce_clock(struct announce *a, u64 ts);
void announce_thread(struct announce *a, u32 tid, u64 ts);
bool announce_names(struct announce *a, size_t want);
bool announce_find_past(struct announce *a);
void announce_past(struct announce *a);

/* Whether there is a name that was not sent. */
static inline bool announce_has_names(const struct announce *a)
{
	/* LMM(names:B): pairs with dict:A. */
	return (u64)compat_atomic64_read_acquire(&devtrace_dict_serial) != a->serial;
}

/* Whether there is a change of state that was not told. */
static inline bool announce_has_past(struct announce *a)
{
	if (likely(READ_ONCE(a->stream->pasts) == a->next_past))
		return a->has_past;
	return announce_find_past(a);
}

/* Whether it is the next to be told: no event older than @bound can come. */
static inline bool announce_past_is_next(struct announce *a, u64 bound)
{
	return announce_has_past(a) && bound >= a->past.ts;
}

/* Before the event of this thread at this time: its clock, and the thread's name. */
static inline void announce_event(struct announce *a, u32 tid, u64 ts)
{
	const struct proc_sent *sent = &a->sent;

	if (unlikely(!a->clock_sent || devtrace_clock_has_sample(a->clock_next) ||
		     (s64)(ts - a->info_ts) >= (s64)INFO_NS ||
		     a->wire->bytes - a->info_bytes >= INFO_BYTES))
		announce_clock(a, ts);
	/* An idle task: the source of the event tells its name. */
	if (!tid)
		return;
	if (sent->tid != tid || ts < sent->from || ts >= sent->found.until ||
	    !devtrace_proc_same(&sent->found))
		announce_thread(a, tid, ts);
}

#endif /* DEVTRACE_ANNOUNCE_H */
