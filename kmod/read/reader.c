// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader of a stream: merges events in order of time
 *
 * A reader merges its sources, see source.h. They are in a heap, ordered by the time of their next
 * event. A source without an event at hand is ordered by its bound: no event that it gives later
 * is older than this time.
 *
 * Order: An event is given only when no source has a lower bound, so that no older event can
 * follow. While a writer is active in one source, newer events of the other sources wait. If an
 * event is more than AHEAD_NS later than the reader's clock, the clock of its CPU is wrong, and
 * the event is left for another call. If it is more than a second later, it gets the reader's time
 * and DEVTRACE_F_LATE.
 *
 * Counts: Losses of a source are reported once, in LOST frames before its next event. So for every
 * source and reader, events given and events reported lost add up to events emitted. missed.c
 * reports the losses of a stop between two changes of state.
 */
#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "announce.h"
#include "heap.h"
#include "lane/lane_wake.h"
#include "missed.h"
#include "reader.h"
#include "reader_priv.h"
#include "seek.h"
#include "source.h"
#include "sources.h"
#include "stream/stream.h"

#define BUSY_TRIES	1000
/* A read does not wait for CPUs whose clocks differ by more than this. */
#define AHEAD_NS	NSEC_PER_MSEC
/*
 * Number of events before the place of lseek(2) that one call skips. Without a limit a call might
 * not end, because writers may emit as fast as it skips.
 */
#define SKIPPED_MOST	BIT(20)

struct wire *reader_wire(struct reader *rd)
{
	return &rd->wire;
}

/*
 * Follow a clear: unread events are reported as cleared. If the clear is still in progress, the
 * next call follows the rest.
 */
static void follow_clear(struct reader *rd)
{
	unsigned int i;

	rd->clears = stream_clears(rd->stream);
	for (i = 0; i < rd->nr; i++)
		source_clear(rd, reader_source(rd, i));
	heap_make(rd);
}

static void give_events(struct reader *rd, struct source *src)
{
	find_until(rd);
	source_give(rd, src);
	heap_put_front(rd);
}

/*
 * Make the frames that must precede the next event, other than those of the event itself. Needed
 * only after more events were copied; for earlier events this was done then. Return true if a
 * frame was made.
 */
static bool reader_tell(struct reader *rd, size_t want)
{
	struct announce *a = &rd->told;
	/*
	 * The names sent must depend only on the events, not on the sizes of reads. So names that
	 * apply from a certain time on are sent only before an event, or if no source has an
	 * event.
	 */
	const u64 names = reader_may_give(rd) || !rd->nr_ready ? reader_bound(rd) : 0;

	if (unlikely(rd->fresh)) {
		if (announce_has_names(a, names) && announce_names(a, want, names))
			return true;
		announce_find_past(a);
		announce_look_again(a);
		rd->fresh = false;
	}
	if (unlikely(names >= a->name_ts) && announce_names(a, want, names))
		return true;
	if (likely(!a->has_past || reader_bound(rd) < a->past.ts))
		return false;
	if (missed_tell(rd))
		announce_past(a);
	rd->fresh = true;
	return true;
}

/* No event is at hand: refresh every source except idle lanes. */
static int refresh_all(struct reader *rd)
{
	unsigned int i;
	int err = 0;

	rd->fresh = true;
	sources_look(rd);
	for (i = 0; i < rd->nr_heap && !err && wire_has_room(&rd->wire); i++) {
		err = source_refresh(rd, rd->heap[i].src);
		cond_resched();
	}
	heap_drop_idle(rd);
	return err;
}

/*
 * Raise the bound of the front source, or that of the idle lanes if it is lower, because events of
 * other sources wait until it is higher than their times.
 */
static int refresh_front(struct reader *rd, struct source *src)
{
	int err;

	if (src->ready) {
		sources_look(rd);
		return 0;
	}
	err = source_refresh(rd, src);
	if (!err)
		heap_put_front(rd);
	return err;
}

/*
 * Look for new lanes after each copy, because their events may be as old as the last ones copied.
 */
static int look_for_lanes(struct reader *rd)
{
	if (likely(reader_nr_lanes(rd) == reader_nr_slots(rd)))
		return 0;
	return sources_follow(rd);
}

/* Do all events at hand come from CPUs whose clocks are ahead of this bound? */
static bool all_ahead(const struct reader *rd, u64 bound)
{
	unsigned int i;

	for (i = 0; i < rd->nr_heap; i++) {
		const struct source *src = rd->heap[i].src;

		if (src->ready && src->key <= bound + AHEAD_NS)
			return false;
	}
	return true;
}

/**
 * reader_fill() - make frames
 * @rd: the reader, locked
 * @want: stop when this many bytes are staged
 *
 * Holds only the reader's own lock throughout; shared data are locked for one step at a time, see
 * "Who waits for whom" in ring.rst.
 *
 * Return: 0; -EAGAIN if an active writer holds back events of other rings, or if this call skipped
 * its maximum of events: call again soon; -ENOMEM; -EINTR: killed.
 */
int reader_fill(struct reader *rd, size_t want)
{
	struct wire *w = &rd->wire;
	struct source *src;
	int tries = 0, waits = 0, err;

	want = min_t(size_t, want, WIRE_SIZE);
	rd->stop = min_t(u32, w->taken + want, WIRE_FULL);
	rd->fresh = true;
	rd->turn++;
	rd->skipped = 0;
	if (rd->clears != stream_clears(rd->stream))
		follow_clear(rd);
	announce_begin(&rd->told);
	err = look_for_lanes(rd);
	if (err)
		return err;
	while (w->head < rd->stop) {
		if (unlikely(reader_tell(rd, want)))
			continue;
		src = rd->heap->src;
		if (reader_may_give(rd)) {
			give_events(rd, src);
			continue;
		}
		/*
		 * Leave the rest to another call, so that a signal can interrupt the program in
		 * between.
		 */
		if (unlikely(rd->skipped >= SKIPPED_MOST))
			return -EAGAIN;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!rd->nr_ready) {
			err = refresh_all(rd) ?: look_for_lanes(rd);
			if (err)
				return err;
			if (rd->nr_ready || announce_is_next(&rd->told, reader_bound(rd)))
				continue;
			/* A name that is due waits for events that a busy lane may still give. */
			return rd->told.name_ts != U64_MAX ? -EAGAIN : 0;
		}
		rd->fresh = true;
		err = refresh_front(rd, src) ?: look_for_lanes(rd);
		if (err)
			return err;
		if (!src->ready && src->busy && ++tries > BUSY_TRIES)
			return -EAGAIN;
		if (unlikely((src->ready || !src->busy) && !reader_may_give(rd) &&
			     ++waits > BUSY_TRIES)) {
			if (all_ahead(rd, reader_bound(rd)))
				return -EAGAIN;
			waits = 0;
		}
	}
	return 0;
}

/* Change the check of all following frames. The reader is locked. */
void reader_check(struct reader *rd, u8 check)
{
	rd->wire.check = check;
	announce_check(&rd->told);
}

/*
 * Announce the stream anew, after the staged bytes. Return the number of these bytes. The reader
 * is locked.
 */
u32 reader_announce(struct reader *rd)
{
	announce_again(&rd->told);
	return wire_staged(&rd->wire);
}

/* Called when the reader, which is locked, is about to wait for the first time. */
void reader_follows(struct reader *rd)
{
	if (rd->follows)
		return;
	rd->follows = true;
	lane_wake_follow(true);
}

static void reader_destroy(struct reader *rd)
{
	if (rd->follows)
		lane_wake_follow(false);
	sources_free(rd);
	announce_free(&rd->told);
	kvfree(rd);
}

static void reader_release(struct kref *ref)
{
	reader_destroy(container_of(ref, struct reader, ref));
}

/* Drop a reference to a reader. Process context. */
void reader_put(struct reader *rd)
{
	kref_put(&rd->ref, reader_release);
}

/* Add the reader to the stream's tree, where dumps find it. */
static void reader_list(struct reader *rd)
{
	struct stream *s = rd->stream;
	struct rb_node **at = &s->readers.rb_node, *parent = NULL;

	raw_spin_lock(&s->readers_lock);
	rd->serial = ++s->reader_serial;
	/* The new reader has the greatest serial number. */
	while (*at) {
		parent = *at;
		at = &parent->rb_right;
	}
	rb_link_node(&rd->node, parent, at);
	rb_insert_color(&rd->node, &s->readers);
	raw_spin_unlock(&s->readers_lock);
}

/*
 * Create a reader at the oldest event; NULL: no memory. The caller keeps the stream valid until
 * reader_free().
 */
struct reader *reader_new(struct stream *s)
{
	struct reader *rd;

	rd = kvzalloc(sizeof(*rd), GFP_KERNEL_ACCOUNT);
	if (!rd)
		return NULL;
	kref_init(&rd->ref);
	rd->stream = s;
	rd->pid = task_tgid_nr(current);
	/* The process may be renamed meanwhile, so the name may be a mixture. */
	data_race(strscpy(rd->comm, current->comm, sizeof(rd->comm)));
	wire_init(&rd->wire, s->name);
	if (announce_init(&rd->told, s, &rd->wire) || sources_init(rd)) {
		reader_destroy(rd);
		return NULL;
	}
	reader_oldest(rd);
	reader_list(rd);
	return rd;
}

/* Free a reader, or leave this to stream_reader() if it still holds a reference. */
void reader_free(struct reader *rd)
{
	raw_spin_lock(&rd->stream->readers_lock);
	rb_erase(&rd->node, &rd->stream->readers);
	raw_spin_unlock(&rd->stream->readers_lock);
	reader_put(rd);
}
