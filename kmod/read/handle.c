// SPDX-License-Identifier: GPL-2.0-only
/*
 * An open descriptor of /dev/trace
 *
 * A descriptor open for reading has a reader. If it is open for writing, too, the reader is
 * created at the first read, poll or seek: a program that emits opens the device for both, to map
 * the control page, and usually never reads.
 *
 * User memory may be backed by userfaultfd(2) or FUSE, where a page fault can wait forever. So
 * read(2) holds no lock while it copies. It sets the flag @copying instead; until it clears the
 * flag, no other call may use the staged frames. Another read(2) or lseek(2) waits for the flag
 * and can be interrupted. A nonblocking read gets EAGAIN, and poll(2) finds nothing to read; both
 * are woken when the copy ends. A nonblocking read also gets EAGAIN if the lock is held, because
 * the holder may be preempted for long.
 *
 * Invariant: No lock is held while user memory is accessed. So each wait for a lock is bounded,
 * and killable unless the caller must finish its work.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "handle.h"
#include "reader.h"
#include "stream/stream.h"
#include "stream/wake.h"

/* Wait until no read is copying. Return 0 or -ERESTARTSYS. */
static int wait_copied(struct handle *h)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	bool copying;

	add_wait_queue(&h->copied, &wait);
	/* Queue before reading the flag: pairs with wq_has_sleeper() in handle_unlock(). */
	smp_mb();
	while ((copying = READ_ONCE(h->copying)) && !signal_pending(current))
		wait_woken(&wait, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
	remove_wait_queue(&h->copied, &wait);
	return copying ? -ERESTARTSYS : 0;
}

/*
 * Take the lock if it is free. Otherwise return false; the holder will wake readers when it
 * unlocks.
 */
static bool handle_trylock(struct handle *h)
{
	if (mutex_trylock(&h->lock))
		return true;
	WRITE_ONCE(h->missed, true);
	/*
	 * LMM(handle:A): If the second attempt below fails, then the holder of the lock reads,
	 * after unlocking, that missed is set. Pairs with handle:B.
	 */
	smp_mb();
	return mutex_trylock(&h->lock);
}

/*
 * Take the lock when no other read is copying. If @nowait is set, return -EAGAIN instead of
 * waiting. Return 0 with the lock held, -EAGAIN or -ERESTARTSYS.
 */
int handle_lock(struct handle *h, bool nowait)
{
	for (;;) {
		if (nowait && !handle_trylock(h))
			return -EAGAIN;
		if (!nowait && mutex_lock_interruptible(&h->lock))
			return -ERESTARTSYS;
		if (!h->copying)
			return 0;
		if (nowait)
			WRITE_ONCE(h->missed, true);
		mutex_unlock(&h->lock);
		if (nowait)
			return -EAGAIN;
		if (wait_copied(h))
			return -ERESTARTSYS;
	}
}

/*
 * Release the lock, and wake callers that got EAGAIN. While a read is copying, they are not woken
 * here but at the end of the copy.
 */
void handle_release(struct handle *h)
{
	const bool copying = h->copying;

	mutex_unlock(&h->lock);
	/*
	 * LMM(handle:B): If missed reads false below, then a later attempt to take the lock
	 * succeeds. Pairs with handle:A.
	 */
	smp_mb();
	if (copying || !READ_ONCE(h->missed))
		return;
	/* A caller that sets missed from here on is woken by the next lock holder. */
	WRITE_ONCE(h->missed, false);
	/*
	 * Wake readers of a removed stream directly, because the timer that wakes readers does not
	 * find it.
	 */
	if (READ_ONCE(h->stream->gone))
		wake_up_interruptible_all(&h->stream->wait);
	else
		wake_again(h->stream);
}

/* Release the lock. If the caller was copying, wake waiters for the end of the copy. */
void handle_unlock(struct handle *h)
{
	const bool copied = h->copying;

	WRITE_ONCE(h->copying, false);
	handle_release(h);
	/* wq_has_sleeper() has a full barrier, which pairs with the barrier in wait_copied(). */
	if (copied && wq_has_sleeper(&h->copied))
		wake_up_interruptible_all(&h->copied);
}

/*
 * Return the reader, which is created if it does not exist; NULL if there is no memory. The lock
 * is held.
 */
struct reader *handle_reader(struct handle *h)
{
	lockdep_assert_held(&h->lock);
	if (!h->reader)
		h->reader = reader_new(h->stream);
	return h->reader;
}
