// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of a reader besides events
 *
 * These are INFO, clock samples, dictionary names, thread names, and changes of the stream's
 * state. Their data are kept outside the rings. Such a frame is made just before the first event
 * that needs it.
 *
 * Invariants: A name or clock sample is sent before the first event that uses it. A name is sent
 * after all events that are older than the name, so that an address which was used again appears
 * in each event with the name that it had at that time. Each name is sent once; it is sent again
 * only if the reader seeks before it got the whole frame or seeks to a time before a rename, or if
 * the stream is announced anew. A name that was replaced before the reader reached it is not sent.
 * A change of state is sent between the events that it separates.
 *
 * A program that saves the stream may begin another file, which must be readable without the
 * previous one. announce_again() makes the reader send what a new reader gets: INFO, CLOCK, names
 * and threads. Position, sequence numbers and counts continue, so both files joined are one
 * stream.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "announce.h"
#include "stream/stop.h"
#include "stream/stream.h"

/*
 * Initialize @a, which is zeroed, for a reader that has got no frame. The caller keeps @s valid.
 * Return 0 or -ENOMEM.
 */
int announce_init(struct announce *a, struct stream *s, struct wire *w)
{
	a->stream = s;
	a->wire = w;
	a->reason = DEVTRACE_INFO_OPEN;
	a->name_ts = U64_MAX;
	a->named = kvcalloc(PROC_SLOTS, sizeof(*a->named), GFP_KERNEL_ACCOUNT);
	return a->named ? 0 : -ENOMEM;
}

void announce_free(struct announce *a)
{
	kvfree(a->named);
}

/* Send the INFO frame that is due: the first one, or after a seek or another request. */
void announce_begin(struct announce *a)
{
	if (likely(a->begun))
		return;
	wire_info(a->wire, a->reason);
	a->begun = true;
	/* Repeat the last CLOCK frame, because the next sample may not be due for a long time. */
	if (a->reason == DEVTRACE_INFO_ANNOUNCE && a->clock_sent)
		wire_clock(a->wire, &a->clock);
}

/* The check of frames changes: the next frame is an INFO that announces the new check. */
void announce_check(struct announce *a)
{
	if (a->begun)
		a->reason = DEVTRACE_INFO_CHECK;
	a->begun = false;
}

/* Send names and threads again, each before the next event that needs it. */
static void forget_names(struct announce *a)
{
	a->serial = 0;
	memset(a->name_serial, 0, sizeof(a->name_serial));
	a->name_ts = U64_MAX;
	a->renamed_ts = 0;
	a->sent.found.until = 0;
	a->quiet.until = 0;
	memset(a->named, 0, PROC_SLOTS * sizeof(*a->named));
}

/* Announce the stream anew, beginning with the next frame. */
void announce_again(struct announce *a)
{
	/*
	 * If an INFO is due after open(2) or lseek(2), keep that reason, because it implies a new
	 * announcement.
	 */
	if (a->begun || a->reason == DEVTRACE_INFO_CHECK)
		a->reason = DEVTRACE_INFO_ANNOUNCE;
	a->begun = false;
	forget_names(a);
}

/*
 * Note when the last stop began and ended. A change from one kind of stop to another begins anew,
 * because what was missed before is reported before it. After a seek it is reported after the first
 * change that is sent.
 */
static void note_stop(struct announce *a, const struct stream_past *p)
{
	if (p->state == DEVTRACE_STATE_RUNNING) {
		a->ended = p->ts;
	} else if (a->ended || !a->began || !a->sought) {
		a->began = max(p->began, a->since);
		a->ended = 0;
		a->early = p->early;
	}
}

/*
 * Skip changes of state before @place. If the stream is stopped at @place, do not skip that stop.
 */
static noinline void skip_past(struct announce *a, u64 place)
{
	u8 state = DEVTRACE_STATE_RUNNING;
	struct stream_past p;

	while (stream_past(a->stream, &a->next_past, &p) && p.ts < place) {
		state = p.state;
		note_stop(a, &p);
		a->next_past++;
	}
	if (state != DEVTRACE_STATE_RUNNING)
		a->next_past--;
}

/* Called before a seek: let clock samples and changes of state be sent again. */
void announce_rewind(struct announce *a)
{
	a->clock_sent = false;
	a->clock_early = false;
	a->clock_next = history_oldest(&devtrace_clock_samples);
	a->clock_after = 0;
	a->quiet.until = 0;
	a->next_past = stream_oldest_past(a->stream);
	a->has_past = false;
	a->state = DEVTRACE_STATE_RUNNING;
	a->began = 0;
	a->ended = 0;
	a->early = false;
	/* Changes and losses before the last clear no longer belong to the stream. */
	a->since = atomic64_read(&a->stream->cleared);
	skip_past(a, a->since);
}

/**
 * announce_seek() - prepare for sending after lseek(2) has moved the reader
 * @a: after announce_rewind()
 * @place: the new place: trace clock, ns
 * @names: true if the seek discarded a frame with a name that the program had not read
 */
void announce_seek(struct announce *a, u64 place, bool names)
{
	/* An object that was renamed after the time @place had another name at that time. */
	if (names || place < a->renamed_ts)
		forget_names(a);
	if (a->begun || a->reason != DEVTRACE_INFO_OPEN)
		a->reason = DEVTRACE_INFO_SEEK;
	a->begun = false;
	a->sought = true;
	skip_past(a, place);
}

/*
 * Send a CLOCK before the first event, to convert @ts to a date: see announce_time(). Another
 * CLOCK precedes the first event, because losses and changes of state may be sent long before it.
 */
void announce_early_clock(struct announce *a, u64 ts)
{
	unsigned long n = a->clock_next;
	struct clock_sample s, found;
	bool any = false;

	for (; devtrace_clock_sample(&n, &s) && (!any || s.ts <= ts); n++) {
		found = s;
		any = true;
	}
	if (any)
		wire_clock(a->wire, &found);
	a->clock_early = any;
}

/*
 * Send the latest clock sample that is not newer than @ts, the time of the next event; if all are
 * newer, send the first. Once in a while, also send an INFO. If the wall clock was set after the
 * last sample that was sent, first send the old time, so the decoder knows when it was set.
 */
static void announce_clock(struct announce *a, u64 ts)
{
	unsigned long n = a->clock_next;
	struct clock_sample s, before;
	bool first = !a->clock_sent;
	bool found = false, steps = false;

	a->clock_after = 0;
	while (devtrace_clock_sample(&n, &s)) {
		if (s.ts > ts && (found || !first)) {
			a->clock_after = s.ts;
			break;
		}
		if (s.steps && found && !first && !steps) {
			before = a->clock;
			steps = true;
		}
		a->clock = s;
		found = true;
		a->clock_next = ++n;
		if (s.ts > ts)
			break;
	}
	if (steps)
		wire_clock(a->wire, &before);
	if (!first && ((s64)(ts - a->info_ts) >= (s64)INFO_NS ||
		       a->wire->bytes - a->info_bytes >= INFO_BYTES)) {
		wire_info(a->wire, DEVTRACE_INFO_PERIODIC);
		found = true;
		first = true;
	}
	if (!found)
		return;
	wire_clock(a->wire, &a->clock);
	a->clock_sent = true;
	if (first) {
		a->info_ts = ts;
		a->info_bytes = a->wire->bytes;
	}
}

/* Send the name of a thread, unless the thread's last name sent is the same. */
static void announce_thread(struct announce *a, u32 tid, u64 ts)
{
	struct proc_named *named = a->named;
	struct proc_sent *sent = &a->sent;
	struct proc_name name;
	unsigned int i, first;
	int at;

	sent->tid = tid;
	sent->from = ts;
	if (!devtrace_proc_find(tid, ts, &name, &sent->found))
		return;
	at = sent->found.slot;
	if (named[at].stamp == sent->found.stamp && named[at].tid == tid)
		return;
	/* This name is now the thread's last one, so mark other names of the thread as not sent. */
	first = at & ~(PROC_WAYS - 1);
	for (i = first; i < first + PROC_WAYS; i++)
		if (named[i].tid == tid)
			named[i].stamp = 0;
	named[at].stamp = sent->found.stamp;
	named[at].tid = tid;
	wire_proc(a->wire, &name);
}

/* Is a CLOCK or INFO frame due before an event at this time? */
static bool clock_is_due(const struct announce *a, u64 ts)
{
	return !a->clock_sent || (s64)(ts - a->info_ts) >= (s64)INFO_NS ||
	       a->wire->bytes - a->info_bytes >= INFO_BYTES ||
	       (history_has(&devtrace_clock_samples, a->clock_next) && ts >= a->clock_after);
}

/* Compute for which events announce_is_quiet() returns true. */
static void find_quiet(struct announce *a, u32 tid, u64 ts)
{
	struct announce_quiet *q = &a->quiet;

	q->tid = tid;
	q->from = tid ? max(a->sent.from, a->info_ts) : a->info_ts;
	q->until = a->clock_sent ? a->info_ts + INFO_NS : 0;
	q->bytes = a->info_bytes + INFO_BYTES;
	if (history_has(&devtrace_clock_samples, a->clock_next))
		q->until = min(q->until, a->clock_after);
	if (tid)
		q->until = min(q->until, a->sent.found.until);
}

/*
 * Send what must precede an event of thread @tid at @ts: clock, thread name. Called if
 * announce_is_quiet() returned false.
 */
void announce_event(struct announce *a, u32 tid, u64 ts)
{
	const struct proc_sent *sent = &a->sent;

	if (clock_is_due(a, ts))
		announce_clock(a, ts);
	/* Thread 0 is an idle task: the event's source implies its name. */
	if (tid && (sent->tid != tid || ts < sent->from || ts >= sent->found.until ||
		    !devtrace_proc_same(&sent->found)))
		announce_thread(a, tid, ts);
	find_quiet(a, tid, ts);
}

/*
 * Is this a statement from before a step of the wall clock that the reader does not get any more?
 * It gets steps after its first CLOCK, which fits the first event; @bound is the time of this
 * event.
 */
static bool is_over(const struct announce *a, const struct dict_name *n, u64 bound)
{
	const u64 step = devtrace_clock_set_at();

	return n->d.kind == DEVTRACE_T_ACCURACY && n->since < step &&
	       step <= (a->clock_sent ? a->clock.ts : bound);
}

/* Send names of one kind; return false if there is no room for all. */
static bool announce_names_of(struct announce *a, bool dated, size_t want, u64 bound)
{
	u64 *serial = &a->name_serial[dated];
	struct dict_name n;

	while (wire_has_room(a->wire) && wire_staged(a->wire) < want) {
		if (!devtrace_dict_next_of(dated, *serial, &n))
			return true;
		if (n.since > bound) {
			a->name_ts = n.since;
			return true;
		}
		*serial = n.serial;
		/* Skip an old name if all events to which it applies are already sent. */
		if ((n.until && n.until <= bound) || is_over(a, &n, bound))
			continue;
		if (n.replaces)
			a->renamed_ts = n.since;
		wire_dict(a->wire, &n.d, n.scope);
	}
	return false;
}

/**
 * announce_names() - send the dictionary names that are due, each in a frame
 * @a: announce_has_names() is true
 * @want: stop when this many bytes are staged
 * @bound: send only names that apply from this time on or earlier; no older event follows
 *
 * Return: true if a name was sent; false also if the dictionary has evicted all names that were
 * due.
 */
bool announce_names(struct announce *a, size_t want, u64 bound)
{
	const u64 frames = a->wire->frames;
	u64 newest;

	/* LMM(names:C): Load this number before the names. Pairs with dict:A. */
	newest = compat_atomic64_read_acquire(&devtrace_dict_serial);
	a->name_ts = U64_MAX;
	if (announce_names_of(a, false, want, bound) && announce_names_of(a, true, want, bound))
		a->serial = newest;
	else
		a->name_ts = 0;
	return a->wire->frames != frames;
}

/* Look up the next change of state; return false if there is none. */
bool announce_find_past(struct announce *a)
{
	if (!a->has_past)
		a->has_past = stream_past(a->stream, &a->next_past, &a->past);
	return a->has_past;
}

void announce_past(struct announce *a)
{
	announce_time(a, a->past.ts);
	/* The wall clock may have been set since the last event. */
	if (a->clock_sent && clock_is_due(a, a->past.ts))
		announce_clock(a, a->past.ts);
	wire_state(a->wire, &a->past);
	a->state = a->past.state;
	note_stop(a, &a->past);
	a->next_past++;
	a->has_past = false;
	a->sought = false;
}

/* Has the stream begun to stop without having recorded the change? */
static bool is_about_to_stop(const struct stream *s)
{
	switch (stop_phase(&s->stop)) {
	case STOP_RUN:
		return false;
	case STOP_COUNT:
		return READ_ONCE(s->stop.early) || stop_is_over(&s->stop);
	default:
		return !READ_ONCE(s->gone);
	}
}

/*
 * Must the losses of a stop wait until its change of state is sent? The caller has read the counts
 * of losses before.
 */
bool announce_stop_is_next(struct announce *a)
{
	bool stops;

	/*
	 * LMM(missed:E): If the caller read a count that was stored by missed:F, then the phase
	 * loaded below, or the history, shows the change. Pairs with missed:F. LMM(early:B): If it
	 * read a count that was stored by early:A, then early is set, or the history has the
	 * change. Pairs with early:A.
	 */
	smp_rmb();
	/*
	 * Load the phase before the history: when the phase says that a change is over, the
	 * history has it.
	 */
	stops = is_about_to_stop(a->stream);
	return announce_has_past(a) || (a->state == DEVTRACE_STATE_RUNNING && stops);
}

/**
 * announce_stops_again() - does the stream stop again after the start that is sent next?
 * @a: frames of the reader, which has read the counts of losses
 */
bool announce_stops_again(const struct announce *a)
{
	/* As in announce_stop_is_next(): LMM(missed:E), LMM(early:B). */
	smp_rmb();
	return is_about_to_stop(a->stream);
}
