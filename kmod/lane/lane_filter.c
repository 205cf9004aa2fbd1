// SPDX-License-Identifier: GPL-2.0-only
/*
 * The types that may go into lanes: bits that programs test
 *
 * A type may go into lanes if stream 0 wants it, no trigger wants it, and each stream that wants it
 * stores events and cannot be stopped by the next event. The other terms of filters apply when an
 * event is taken.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "lane_filter.h"
#include "slot.h"
#include "stream/quiet.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "take.h"
#include <uapi/linux/devtrace.h>

#define WORDS	8
/* Severity bytes of levels 2 and 3, of software and of hardware. */
#define SEVERE	(BIT(DEVTRACE_SW2) | BIT(DEVTRACE_SW3) | BIT(DEVTRACE_HW2) | BIT(DEVTRACE_HW3))

/* Protected by devtrace_lock. */
static struct devtrace_control *lane_control;
/* For each type, the streams and triggers that want a program's event of this type. */
static u32 sets[32 * WORDS];
/* Streams and triggers whose types stay out of lanes; streams that drop what is taken. */
static u32 kept_out = FILTER_TRIGGERS, stopped;

/* The word of the control page for 32 types from @first on. @want: see sets[] */
static u32 lanes_word(const u32 *want, unsigned int first)
{
	unsigned int i;
	u32 word = 0;

	for (i = 0; i < 32; i++)
		if (want[first + i] & FILTER_STREAM0 && !(want[first + i] & kept_out))
			word |= BIT(i);
	return word;
}

static void write_lanes(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(lane_control->lanes[i], lanes_word(sets, 32 * i));
}

/**
 * lane_filter_narrow() - clear the bits that new filters will clear
 * @want: for each type, the streams and triggers that want a program's event under the new filters
 *
 * Called before the filters change. It also takes all events out of the lanes, so that the old
 * filters apply to them.
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_narrow(const u32 *want)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(lane_control->lanes[i],
			   lane_control->lanes[i] & lanes_word(want, 32 * i));
	slots_take_all();
}

/* New filters are in force. @want: see lane_filter_narrow(). devtrace_lock held. */
void lane_filter_table(const u32 *want)
{
	lockdep_assert_held(&devtrace_lock);
	memcpy(sets, want, sizeof(sets));
	write_lanes();
}

/**
 * lane_filter_state() - the state of a stream, or of its triggers, has changed
 * @s: the stream
 * @runs: the stream stores events
 * @unwatched: no event can make a trigger stop the stream
 *
 * On return, the events that were in lanes are stored or dropped according to the old state.
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_state(struct stream *s, bool runs, bool unwatched)
{
	const u32 bit = BIT(s->id);
	const bool other = runs == !!(stopped & bit);

	lockdep_assert_held(&devtrace_lock);
	stopped = runs ? stopped & ~bit : stopped | bit;
	kept_out = runs && unwatched ? kept_out & ~bit : kept_out | bit;
	/*
	 * Before slots_stop(true), after which events in lanes are dropped, clear the bits; set
	 * them only after slots_stop(false).
	 */
	if (!runs)
		write_lanes();
	if (other)
		slots_stop(s->slots, !runs);
	write_lanes();
}

/* The stream is removed; another one may get its number. devtrace_lock held. */
void lane_filter_forget(const struct stream *s)
{
	stopped &= ~BIT(s->id);
	kept_out &= ~BIT(s->id);
	write_lanes();
}

/* Let all types go into lanes. @control: the control page. */
void lane_filter_init(struct devtrace_control *control)
{
	lane_control = control;
}

/**
 * lane_filter_tell_severe() - set the callback for severe events
 * @told: see emit_severe_told; NULL: no callback
 *
 * While there is a callback, the library passes severe events to the kernel at once.
 *
 * Context: process; with NULL, sleeps until no call is in progress.
 */
void lane_filter_tell_severe(void (*told)(struct ring *r))
{
	WRITE_ONCE(lane_control->severe, told ? SEVERE : 0);
	WRITE_ONCE(emit_severe, told ? EMIT_SEVERE : 0);
	WRITE_ONCE(emit_severe_told, told);
	if (!told)
		quiet_wait();
}
