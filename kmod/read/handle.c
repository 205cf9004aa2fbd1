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
 * A caller that was told either is woken when the copying ends. The same for a read that must
 * not wait and finds the lock taken: its holder may have lost its CPU for long.
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
#include "stream/wake.h"

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
 * handle_trylock() - take the lock if nobody has it
 * @h: the handle
 *
 * Return: false: somebody has it, and wakes readers when he gives it back.
 */
static bool handle_trylock(struct handle *h)
{
	if (mutex_trylock(&h->lock))
		return true;
	WRITE_ONCE(h->missed, true);
	/* LMM(handle:A): noted before we look again; pairs with handle:B. */
	smp_mb();
	return mutex_trylock(&h->lock);
}

/**
 * handle_lock() - take the lock while no other read is copying
 * @h: the handle
 * @nowait: wait neither for the lock nor for a read that is copying
 *
 * Return: 0 with the lock held; -EAGAIN: another call has it, or another read is copying, and
 * @nowait; -ERESTARTSYS.
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

/**
 * handle_release() - give the lock back, and wake those who were told not to wait for it
 * @h: the handle; while a read is copying they are told when it ends
 */
void handle_release(struct handle *h)
{
	const bool copying = h->copying;

	mutex_unlock(&h->lock);
	/* LMM(handle:B): given back before we look; pairs with handle:A. */
	smp_mb();
	if (copying || !READ_ONCE(h->missed))
		return;
	/* Who notes it from here on is told by whoever has the lock then. */
	WRITE_ONCE(h->missed, false);
	/* The timer finds no stream that was removed. */
	if (READ_ONCE(h->stream->gone))
		wake_up_interruptible_all(&h->stream->wait);
	else
		wake_again(h->stream);
}

/* Release the lock. If the caller has been copying, tell those who waited for that. */
void handle_unlock(struct handle *h)
{
	const bool copied = h->copying;

	WRITE_ONCE(h->copying, false);
	handle_release(h);
	/* Has a full barrier; pairs with that of wait_copied(). */
	if (copied && wq_has_sleeper(&h->copied))
		wake_up_interruptible_all(&h->copied);
}

/* The reader, locked, or NULL if there is no memory. */
struct reader *handle_reader(struct handle *h)
{
	lockdep_assert_held(&h->lock);
	if (!h->reader)
		h->reader = reader_new(h->stream);
	return h->reader;
}
