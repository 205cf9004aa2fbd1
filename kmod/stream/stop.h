/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stopping a stream exactly
 *
 * "Stop 50 events after this one" is to leave 50 later events in the stream, no
 * more and no fewer, though other CPUs store at the same time. Phases:
 *
 *	RUN	 events are stored
 *	FIRING	 the event that fired is about to be stored; its time is not known yet
 *	COUNT	 its time is known; each later event takes one of the count left
 *	STOPPING the count is used up; emitters under way end, then stop_settle()
 *	STOPPED	 nothing is stored
 *	STARTING a trigger, or a request, is about to set RUN
 *
 * The emitter that fires sets FIRING, stores its event and so reads the clock, then stores
 * the time and sets COUNT. An emitter of another event loads the phase before it reads its
 * time, and again after. If the phase is RUN both times, its event is older than the event
 * that fired:
 *
 *	fires			stores
 *	phase = FIRING		ts = clock	(in the reservation)
 *	MB stop:A		MB stop:B
 *	ts = clock		phase == RUN
 *
 * for then the clock was read on the right before it was on the left. If it saw COUNT
 * before, it is newer. If it saw COUNT only after, the two times tell; if it is newer and
 * nothing is left for it, its record is made void, which it can be as long as it is not
 * committed. FIRING lasts for the storing of one event: others wait for that a little,
 * and drop their event if it takes longer. So what is dropped there happened while the
 * stream was about to stop, and is counted.
 */
#ifndef DEVTRACE_STOP_H
#define DEVTRACE_STOP_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <uapi/linux/devtrace_netlink.h>

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
 * struct stop - whether and when a stream stores events
 * @phase: enum stop_phase
 * @cpu: which CPU fires
 * @left: how many further events are stored
 * @endless: @left says nothing: only @ns ends it
 * @ns: 0, or events so long after @ts are not stored
 * @ts: time of the event that fired
 * @began: when it left RUN: no event is dropped for the stop before that
 * @to: STOPPED or FROZEN
 * @again: a trigger wants it to go on, while it is being stopped: 1, @starter is
 *	being written; 2, it is there
 * @trigger: name of the one that stops it
 * @starter: name of the one that wants it to go on
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
	int		again;
	char		trigger[DEVTRACE_NAME_LEN];
	char		starter[DEVTRACE_NAME_LEN];
};

static inline enum stop_phase stop_phase(const struct stop *st)
{
	/*
	 * A CPU that sees COUNT sees the time: pairs with stop:C. LMM(missed:F): if it then
	 * counts a drop, it does so behind the change; pairs with missed:E.
	 */
	return atomic_read_acquire(&st->phase);
}

#endif /* DEVTRACE_STOP_H */
