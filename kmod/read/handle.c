// SPDX-License-Identifier: GPL-2.0-only
/*
 * An open descriptor of /dev/trace
 *
 * A descriptor open for reading has a reader. One open for both reading and writing has
 * one from the first time that it reads, polls or seeks: programs that emit open it so to
 * map the control page, and most never read.
 *
 * User memory may be behind userfaultfd(2) or FUSE: a page fault there can wait for ever.
 * So read(2) holds no lock while it copies; it sets a flag, and until it clears the flag
 * the staged frames are its own. Another read(2) or lseek(2) waits for the flag and can be
 * interrupted; a read that must not wait gets EAGAIN, and poll(2) finds nothing to read.
 * A caller that was told either is woken when the copying ends.
 *
 * Invariant. No lock is held while user memory is touched: a wait for a lock is bounded,
 * and killable unless it must not be given up.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "handle.h"
#include "reader.h"
#include "stream/stream.h"

/* 0: no read is copying any more */
static int wait_copied(struct handle *h)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	bool copying;

	add_wait_queue(&h->copied, &wait);
	/* Listed before the look: pairs with wq_has_sleeper() in handle_unlock(). */
	smp_mb();
	while ((copying = READ_ONCE(h->copying)) && !signal_pending(current))
		wait_woken(&wait, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
	remove_wait_queue(&h->copied, &wait);
	return copying ? -ERESTARTSYS : 0;
}

/**
 * handle_lock() - take the lock while no other read is copying
 * @h: the handle
 * @nowait: do not wait for a read that is copying
 *
 * Return: 0 with the lock held; -EAGAIN: another read is copying, and @nowait;
 * -ERESTARTSYS.
 */
int handle_lock(struct handle *h, bool nowait)
{
	for (;;) {
		if (mutex_lock_interruptible(&h->lock))
			return -ERESTARTSYS;
		if (!h->copying)
			return 0;
		h->missed |= nowait;
		mutex_unlock(&h->lock);
		if (nowait)
			return -EAGAIN;
		if (wait_copied(h))
			return -ERESTARTSYS;
	}
}

/* Release the lock. If the caller has been copying, tell those who asked meanwhile. */
void handle_unlock(struct handle *h)
{
	const bool missed = h->missed;

	if (!h->copying) {
		mutex_unlock(&h->lock);
		return;
	}
	WRITE_ONCE(h->copying, false);
	h->missed = false;
	mutex_unlock(&h->lock);
	/* Has a full barrier; pairs with that of wait_copied(). */
	if (wq_has_sleeper(&h->copied))
		wake_up_interruptible_all(&h->copied);
	if (missed)
		wake_up_interruptible_all(&h->stream->wait);
}

/* The reader, locked, or NULL if there is no memory. */
struct reader *handle_reader(struct handle *h)
{
	lockdep_assert_held(&h->lock);
	if (!h->reader)
		h->reader = reader_new(h->stream);
	return h->reader;
}
