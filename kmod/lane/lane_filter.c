// SPDX-License-Identifier: GPL-2.0-only
/*
 * The types that may go into lanes: bits that programs test
 *
 * The bits depend on the filters and on the state of stream 0. The filters determine the types that
 * only stream 0 wants (manage/filter_compile.c); their other terms apply when an event is taken.
 * The state says whether stream 0 stores events, and whether the next event may stop it.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "lane_filter.h"
#include "stream/quiet.h"
#include "stream/table.h"
#include "take.h"
#include <uapi/linux/devtrace.h>

#define WORDS	8
/* Severity bytes of levels 2 and 3, of software and of hardware. */
#define SEVERE	(BIT(DEVTRACE_SW2) | BIT(DEVTRACE_SW3) | BIT(DEVTRACE_HW2) | BIT(DEVTRACE_HW3))

/* Protected by devtrace_lock. */
static struct devtrace_control *lane_control;
static u32 simple[WORDS];
static bool state_runs = true, state_unwatched = true;

static void write_lanes(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(lane_control->lanes[i],
			   state_runs && state_unwatched ? simple[i] : 0);
}

/**
 * lane_filter_narrow() - clear the bits that new filters will clear
 * @lanes: types that may go into lanes under the new filters
 *
 * Called before the filters change. It also takes all events out of the lanes, so that the old
 * filters apply to them.
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_narrow(const u32 *lanes)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(lane_control->lanes[i], lane_control->lanes[i] & lanes[i]);
	slots_take_all();
}

/* New filters are in force; @lanes: types that may go into lanes. devtrace_lock held. */
void lane_filter_table(const u32 *lanes)
{
	lockdep_assert_held(&devtrace_lock);
	memcpy(simple, lanes, sizeof(simple));
	write_lanes();
}

/**
 * lane_filter_state() - the state of stream 0, or of its triggers, has changed
 * @runs: the stream stores events
 * @unwatched: no event can make a trigger stop the stream
 *
 * On return, the events that were in lanes are stored or dropped according to the old state.
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_state(bool runs, bool unwatched)
{
	const bool other = runs != state_runs;

	lockdep_assert_held(&devtrace_lock);
	state_runs = runs;
	state_unwatched = unwatched;
	/*
	 * Before slots_stop(true), after which events in lanes are dropped, clear the bits; set
	 * them only after slots_stop(false).
	 */
	if (!runs)
		write_lanes();
	if (other)
		slots_stop(!runs);
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
