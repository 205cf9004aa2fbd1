// SPDX-License-Identifier: GPL-2.0-only
/*
 * accuracy.c - state to the kernel how exact the wall clock is
 *
 * The module cannot read the error of the wall clock, and the logger can. The kernel puts the
 * statement into the stream, so all readers and the black box have it. An older module refuses
 * the ioctl; then only the note "clock" in the head of each file has the error.
 *
 * Invariant: a statement is made again only if it says something new, or is old, because each
 * one is an event of its own in the stream. Readers let the stated error grow by 500 ppm, as the
 * kernel does. So the error says something new if it differs from the grown one: a daemon that has
 * set the clock again makes the error small, and a reader does not know this.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <string.h>
#include "common/accuracy.h"
#include "run.h"

#define LOOK	TL_NSEC			/* how often to ask the kernel for the error */
#define AGE	(600 * TL_NSEC)		/* state the error again after this time */
#define SHARE	4			/* or if readers are wrong by a fourth of it */
#define LEAST	20000			/* smaller differences do not matter, ns */
#define STEP	1000000			/* the wall clock stepped if it moved more, ns */

/* Does @a say more than @last, which was stated @passed ns ago? */
static bool says_more(const struct devtrace_accuracy *last, int64_t passed,
		      const struct devtrace_accuracy *a)
{
	const uint64_t grown = last->max + (uint64_t)passed / (1000000 / DEVTRACE_DRIFT_PPM);

	if (accuracy_unsync(last) != accuracy_unsync(a) || strcmp(last->source, a->source))
		return true;
	return !accuracy_unsync(a) && (a->max > grown + grown / SHARE + LEAST ||
				       grown > a->max + a->max / SHARE + LEAST);
}

/* Has the wall clock stepped since the last call? Readers believe no statement before a step. */
static bool has_stepped(struct tl_run *r, int64_t now)
{
	const int64_t most = STEP + (now - r->looked) / (1000000 / DEVTRACE_DRIFT_PPM);
	const int64_t ahead = tl_real() - now, by = ahead - r->ahead;

	r->ahead = ahead;
	return by > most || by < -most;
}

void tl_accuracy(struct tl_run *r)
{
	const int64_t now = tl_now();
	struct devtrace_accuracy a;

	if (r->mute || r->dev < 0 || (r->looked && now - r->looked < LOOK))
		return;
	if (has_stepped(r, now))
		r->stated = 0;
	r->looked = now;
	if (accuracy_read(&a) ||
	    (r->stated && now - r->stated < AGE &&
	     !says_more(&r->accuracy, now - r->stated, &a)))
		return;
	if (ioctl(r->dev, DEVTRACE_IOC_ACCURACY, &a)) {
		/* The input is a pipe, a file, the black box, or the device of an older module. */
		r->mute = errno != EINTR;
		return;
	}
	r->accuracy = a;
	r->stated = now;
}
