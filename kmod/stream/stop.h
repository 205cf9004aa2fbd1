/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stop a stream exactly
 *
 * "Stop 50 events after this one" must leave exactly 50 later events in the stream, though
 * other CPUs store at the same time. Phases:
 *
 *	RUN	 events are stored
 *	FIRING	 the event that fired is being stored; its time is not known yet
 *	COUNT	 its time is known; each later event uses up one of @left
 *	STOPPING @left is used up; then stream_settle() waits for active emitters
 *	STOPPED	 nothing is stored
 *	STARTING a trigger or a command is about to set RUN
 *
 * The emitter that fires sets FIRING, stores its event (which reads the clock), stores the event's
 * time and sets COUNT. An emitter of another event loads the phase before and after it reads the
 * clock. If the phase is RUN both times, its event is older than the event that fired:
 *
 *	fires			stores
 *	phase = FIRING		ts = clock	(in the reservation)
 *	MB stop:A		MB stop:B
 *	ts = clock		phase == RUN
 *
 * If the load on the right reads RUN, then the right clock was read before the left clock. If
 * the emitter sees COUNT before it reads the clock, its event is newer. If the emitter sees COUNT
 * only after it has read the clock, it compares the two times. If its event is newer and @left is
 * used up, it withdraws its record, which is not committed yet.
 *
 * FIRING lasts while one event is stored. Other emitters wait briefly. An emitter drops and counts
 * its event if FIRING lasts longer, or if it has interrupted the emitter that fires. The dropped
 * event is an early loss of this stop: the stream may store @left more events after it. @early
 * tells readers to report the loss with the stop.
 */
#ifndef DEVTRACE_STOP_H
#define DEVTRACE_STOP_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <uapi/linux/devtrace_netlink.h>

#include "ring/clock.h"

enum stop_phase {
	STOP_RUN,
	STOP_FIRING,
	STOP_COUNT,
	STOP_STOPPING,
	STOP_STOPPED,
	STOP_STARTING,
};

struct stream;

/**
 * struct stop - whether, and until when, a stream stores events
 * @phase: enum stop_phase
 * @cpu: the CPU that fires
 * @left: number of further events to store
 * @endless: ignore @left; only @ns ends storing
 * @ns: if not 0, events later than @ts + @ns are not stored
 * @ts: time of the event that fired
 * @began: when the phase left RUN: the stop drops no older event
 * @early: an event was dropped in FIRING, so the stream may have stored events after a loss
 * @to: final state, STOPPED or FROZEN
 * @again: not 0: a trigger wants to start the stream while it is being stopped; 1: @starter is
 *	being written; 2: @starter is complete
 * @trigger: name of the trigger that stops the stream
 * @starter: name of the trigger that wants to start the stream
 *
 * The emitter that fires, or the command that stops the stream, writes all members but @phase,
 * @early, @again and @starter before it sets COUNT or STOPPING; other emitters only decrement
 * @left and set @early.
 */
struct stop {
	atomic_t	phase;
	int		cpu;
	atomic_t	left;
	u64		ns;
	u64		ts;
	u64		began;
	u8		to;
	bool		endless;
	bool		early;
	int		again;
	char		trigger[DEVTRACE_NAME_LEN];
	char		starter[DEVTRACE_NAME_LEN];
};

static inline enum stop_phase stop_phase(const struct stop *st)
{
	/*
	 * If the phase is COUNT, then @ts is visible; pairs with stop:C. LMM(missed:F): If an
	 * emitter counts a drop because of this phase, then it does so after the change. Pairs
	 * with missed:E.
	 */
	return atomic_read_acquire(&st->phase);
}

/* While the phase is COUNT: may the stream store no more events? */
static inline bool stop_is_over(const struct stop *st)
{
	return !atomic_read(&st->left) ||
	       (st->ns && devtrace_clock_now() - READ_ONCE(st->ts) > st->ns);
}

#endif /* DEVTRACE_STOP_H */
