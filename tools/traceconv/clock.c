// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - map the counter of the target to the trace clock of the board
 *
 * A straight line maps ticks of the counter to ns. A record arrives some time after it was made;
 * this delay is unknown but never negative. So the line follows the records with the smallest
 * delays. If a record arrives before its time on the line, the line is lowered at once. At the end
 * of each WINDOW, the line is laid through the record with the smallest delay in the window. Its
 * slope is computed from this record and the corresponding record of the first window. The
 * smallest delay of the transport cannot be measured, so it remains as a constant error.
 *
 * Invariants: no event gets a time after its arrival, or before the time of the previous event.
 */
#include "traceconv.h"

#define WINDOW		(4ull * CONV_NSEC)
#define MEASURE		CONV_NSEC
/* part of a second: if the counter goes back by more than 1/10 s, the target was restarted */
#define BACK_A_SECOND	10
/*
 * If the counter is this many seconds ahead, the target was restarted, too. Smaller differences
 * may come from frames that waited in the target.
 */
#define AHEAD		10

void conv_clock_reset(struct conv_clock *k)
{
	k->begun = false;
	k->windows = 0;
	k->win_n = 0;
}

/*
 * Was the target restarted without a frame that says so? Then its counter goes back by more than
 * interrupts explain. If the input is live, the counter may also be further ahead than the time
 * that passed. A counter with few bits wraps too often to decide.
 */
static bool clock_restarted(const struct conv_clock *k, uint32_t ticks, uint64_t arrival)
{
	const uint32_t delta = ticks - (uint32_t)k->ticks;
	double passed;

	if (k->bits < 32 || !(k->rate > 0))
		return false;
	if (delta > UINT32_MAX / 2)
		return -delta > k->rate / BACK_A_SECOND;
	if (!arrival || !k->arrival)
		return false;
	passed = (double)(arrival - k->arrival) / CONV_NSEC;
	return delta / k->rate > passed + AHEAD;
}

/*
 * Extend the counter to 64 bits. The arrival shows how often it has wrapped since the last record.
 */
static void count_on(struct conv_clock *k, uint32_t ticks, uint64_t arrival)
{
	const uint64_t range = 1ull << k->bits;
	uint64_t delta = (ticks - k->ticks) & (range - 1);
	double expected;

	if (arrival && k->arrival && k->rate > 0) {
		expected = (double)(arrival - k->arrival) * k->rate / CONV_NSEC - (double)delta;
		if (expected > (double)range / 2)
			delta += range * (uint64_t)(expected / (double)range + 0.5);
	}
	/*
	 * The counter may go back a little: an interrupt handler may write its record, with a
	 * later time, before the interrupted code writes this one.
	 */
	if (delta > range - range / 8 && delta < range && k->ticks > range - delta)
		k->ticks -= range - delta;
	else
		k->ticks += delta;
}

static void begin(struct conv_clock *k, uint32_t ticks, uint64_t arrival)
{
	const bool again = k->last != 0;

	k->begun = true;
	k->ticks = ticks;
	k->first_ticks = k->base_ticks = ticks;
	k->first_arrival = arrival;
	k->slope = k->rate > 0 ? CONV_NSEC / k->rate : 0;
	if (arrival)
		k->base = (double)arrival;
	else
		k->base = again ? (double)k->last : (double)ticks * k->slope;
	k->win_begin = arrival;
	k->win_n = 0;
}

static void close_window(struct conv_clock *k, uint64_t arrival)
{
	double mean = k->win_sum / (double)k->win_n, moved = k->win_min;
	double nominal = k->rate > 0 ? CONV_NSEC / k->rate : 0;

	if (k->windows++) {
		double ticks = (double)(k->min_ticks - k->old_ticks);

		if (ticks > 0)
			k->slope = (double)(k->min_arrival - k->old_arrival) / ticks;
		if (nominal > 0 && k->slope > 0)
			k->drift = (nominal / k->slope - 1) * 1e6;
	} else {
		k->old_ticks = k->min_ticks;
		k->old_arrival = k->min_arrival;
	}
	k->base = (double)k->min_arrival;
	k->base_ticks = k->min_ticks;
	k->uncertainty = mean > moved ? mean : moved;
	k->win_begin = arrival;
	k->win_n = 0;
}

/* Return the time of the last record in ns, according to the line. */
static double by_line(const struct conv_clock *k)
{
	return k->base + ((double)k->ticks - (double)k->base_ticks) * k->slope;
}

static void learn(struct conv_clock *k, uint64_t arrival)
{
	double delay = (double)arrival - by_line(k);

	if (delay < 0) {
		k->base += delay;
		k->win_min = 0;
		delay = 0;
	}
	if (!k->win_n || delay <= k->win_min) {
		k->win_min = delay;
		k->min_ticks = k->ticks;
		k->min_arrival = arrival;
	}
	if (!k->win_n)
		k->win_sum = 0;
	k->win_sum += delay;
	k->win_n++;
	if (arrival - k->win_begin >= WINDOW)
		close_window(k, arrival);
}

/*
 * Measure the unknown rate of the counter for the time MEASURE. Until it is known, an event gets
 * the time of its arrival.
 */
static void measure(struct conv_clock *k, uint64_t arrival)
{
	if (k->rate > 0 || arrival - k->first_arrival < MEASURE || k->ticks <= k->first_ticks)
		return;
	k->rate = (double)(k->ticks - k->first_ticks) * CONV_NSEC /
		  (double)(arrival - k->first_arrival);
	k->slope = CONV_NSEC / k->rate;
	k->base = (double)arrival;
	k->base_ticks = k->ticks;
	k->win_begin = arrival;
	k->win_n = 0;
}

uint64_t conv_clock_time(struct conv_clock *k, uint32_t ticks, uint64_t arrival)
{
	double t;

	if (k->begun && clock_restarted(k, ticks, arrival)) {
		conv_clock_reset(k);
		k->restarted = true;
	}
	if (!k->begun)
		begin(k, ticks, arrival);
	else
		count_on(k, ticks, arrival);
	k->arrival = arrival;
	if (arrival) {
		measure(k, arrival);
		if (k->rate > 0)
			learn(k, arrival);
	}
	t = k->rate > 0 ? by_line(k) : (double)arrival;
	if (t < 0)
		t = 0;
	if ((uint64_t)t > k->last)
		k->last = (uint64_t)t;
	if (arrival && k->last > arrival)
		k->last = arrival;
	return k->last;
}
