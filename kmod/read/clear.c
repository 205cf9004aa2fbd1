// SPDX-License-Identifier: GPL-2.0-only
/* Clear a stream */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/wait.h>

#include "clear.h"
#include "lane/take.h"
#include "ring/clock.h"
#include "ring/ring_read.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"

/*
 * Hide all events committed so far from readers. Called with devtrace_lock held. Return 0, or
 * -EBUSY if the stream is frozen.
 */
int stream_clear(struct stream *s)
{
	struct ring *r;
	int cpu;

	if (READ_ONCE(s->state) == DEVTRACE_STATE_FROZEN)
		return -EBUSY;
	atomic64_set(&s->cleared, devtrace_clock_now());
	for_each_possible_cpu(cpu) {
		r = per_cpu_ptr(s->rings, cpu);
		if (!ring_exists(r))
			continue;
		raw_spin_lock(&r->lock);
		ring_clear(r);
		raw_spin_unlock(&r->lock);
	}
	if (s->slots)
		slots_clear(s->slots);
	/*
	 * LMM(clears:A): If a reader reads this number, then it reads that the rings are cleared.
	 * Pairs with clears:B.
	 */
	smp_store_release(&s->clears, s->clears + 1);
	/*
	 * Wake readers by the timer: an emitter must not wait for a preempted reader that holds
	 * the wait queue's lock.
	 */
	wake_again(s);
	return 0;
}
