/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of a reader besides events: see announce.c
 */
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

/* INFO and CLOCK come again after that much time, or so many bytes. */
#define INFO_NS		NSEC_PER_SEC
#define INFO_BYTES	(64 * 1024)

/*
 * A lookup that need not be repeated: no name is to be sent for this thread from
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

/*
 * Nothing is to be told before an event of this thread from one time up to before another,
 * as long as so few bytes were sent.
 */
struct announce_quiet {
	u32	tid;
	u64	from, until;
	u64	bytes;
};

/**
 * struct announce - what a reader was told besides events
 * @wire: where frames go
 * @stream: the stream it reads
 * @begun: INFO was sent
 * @reason: why the next INFO is sent
 * @clock_sent: a CLOCK frame was sent before an event
 * @clock_early: one was sent before any event
 * @clock_next: the next clock sample
 * @clock_after: it is not to be sent before this time, as far as is known
 * @clock: the last one sent
 * @info_ts: when INFO was sent last
 * @info_bytes: bytes of @wire then
 * @serial: of the newest name when names were looked for
 * @name_serial: the last name sent of those that hold always, and of the others
 * @name_ts: the next of the others holds from then on; U64_MAX: none waits; 0: there was no
 *	room for all
 * @renamed_ts: the last name sent of a thing that had another before holds from then on
 * @sent: the thread of the last event
 * @named: for each place of the table of threads
 * @next_past: the next change of state
 * @past: it, if @has_past
 * @has_past: see there
 * @sought: since lseek(2) no change of state was told
 * @state: what the stream does, as far as it was told: enum devtrace_state
 * @since: the last clear before the reader went to its place: what was missed is not older
 * @began: unless it runs: what it has missed since is not older
 * @quiet: before which events nothing is to be told; see announce_is_quiet()
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
	u64		began;
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
void announce_past(struct announce *a);

/* Before a frame that has a time and is no event. */
static inline void announce_time(struct announce *a, u64 ts)
{
	if (unlikely(!a->clock_sent && !a->clock_early))
		announce_early_clock(a, ts);
}

/* Whether a name is to be sent: no event older than @bound can come. */
static inline bool announce_has_names(const struct announce *a, u64 bound)
{
	/* LMM(names:B): pairs with dict:A. */
	return (u64)compat_atomic64_read_acquire(&devtrace_dict_serial) != a->serial ||
	       bound >= a->name_ts;
}

/* Whether there is a change of state that was not told. */
static inline bool announce_has_past(struct announce *a)
{
	if (likely(!history_has(&a->stream->pasts, a->next_past)))
		return a->has_past;
	return announce_find_past(a);
}

/* Whether it, or a name, is the next to be told: no event older than @bound can come. */
static inline bool announce_is_next(struct announce *a, u64 bound)
{
	return (announce_has_past(a) && bound >= a->past.ts) || announce_has_names(a, bound);
}

/*
 * Whether no frame must precede this event. One look is enough for all events
 * that the reader has copied: a name is known before an event of its thread is stored. The
 * next look, by announce_look_again(), comes when more events were copied.
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
