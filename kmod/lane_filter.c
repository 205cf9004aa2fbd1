// SPDX-License-Identifier: GPL-2.0-only
/*
 * What may go into lanes, and what could when
 *
 * Two sides decide. The filters say which types stream 0 wants at all, and which need
 * no more than that: no other stream or trigger wants them, and there is no term
 * about anything but types. The state of stream 0 says whether it stores events, and
 * whether nothing may stop it with the next one.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "clock.h"
#include "lane_filter.h"
#include "stream.h"

#define WORDS	8

static DEFINE_SPINLOCK(lock);	/* of @allowed */
static struct lane_allowed allowed;

/* With devtrace_lock. */
static struct devtrace_control *control_page;
static u32 wanted[WORDS], simple[WORDS];
static bool state_runs = true, state_easy = true;

/* From @ts on these types are stored. */
static void change(u64 ts)
{
	const unsigned int kept = min_t(unsigned int, allowed.nr, LANE_TIMES - 1);
	unsigned int i;

	spin_lock(&lock);
	/* What falls off: its events are not to go with it. */
	if (allowed.nr == LANE_TIMES)
		for (i = 0; i < WORDS; i++)
			allowed.types[LANE_TIMES - 2][i] |= allowed.types[LANE_TIMES - 1][i];
	memmove(&allowed.at[1], &allowed.at[0], kept * sizeof(allowed.at[0]));
	memmove(&allowed.types[1], &allowed.types[0], kept * sizeof(allowed.types[0]));
	allowed.nr = kept + 1;
	allowed.at[0] = ts;
	for (i = 0; i < WORDS; i++)
		allowed.types[0][i] = state_runs ? wanted[i] : 0;
	WRITE_ONCE(allowed.changes, allowed.changes + 1);
	spin_unlock(&lock);
}

static void publish(void)
{
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(control_page->lanes[i],
			   state_runs && state_easy ? wanted[i] & simple[i] : 0);
}

/**
 * lane_filter_narrow() - the filters will change: what will not do any more does not now
 * @w: see lane_filter_types()
 * @s: likewise
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_narrow(const u32 *w, const u32 *s)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	for (i = 0; i < WORDS; i++)
		WRITE_ONCE(control_page->lanes[i], control_page->lanes[i] & w[i] & s[i]);
}

/**
 * lane_filter_types() - the filters have changed, and are in force
 * @w: types that stream 0 wants of programs
 * @s: types that nobody else wants, and of which the type is all that matters
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_types(const u32 *w, const u32 *s)
{
	const bool other = memcmp(wanted, w, sizeof(wanted));

	lockdep_assert_held(&devtrace_lock);
	memcpy(wanted, w, sizeof(wanted));
	memcpy(simple, s, sizeof(simple));
	if (other)
		change(devtrace_clock());
	publish();
}

/**
 * lane_filter_state() - stream 0 was stopped, or goes on, or may be stopped by an event
 * @runs: it stores events
 * @easy: and none may stop it
 * @ts: since when
 *
 * Context: process, devtrace_lock held.
 */
void lane_filter_state(bool runs, bool easy, u64 ts)
{
	const bool other = runs != state_runs;

	lockdep_assert_held(&devtrace_lock);
	state_runs = runs;
	state_easy = easy;
	if (other)
		change(ts);
	publish();
}

/**
 * lane_filter_get() - what could go into lanes when
 * @a: made to be so, if it is not
 */
void lane_filter_get(struct lane_allowed *a)
{
	if (likely(a->nr && a->changes == READ_ONCE(allowed.changes)))
		return;
	spin_lock(&lock);
	*a = allowed;
	spin_unlock(&lock);
}

/**
 * lane_filter_init() - everything may
 * @control: the page that programs map
 */
void lane_filter_init(struct devtrace_control *control)
{
	control_page = control;
}
