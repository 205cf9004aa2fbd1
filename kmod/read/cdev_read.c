// SPDX-License-Identifier: GPL-2.0-only
/*
 * read(2), poll(2) and lseek(2) of /dev/trace
 *
 * read(2) returns any number of bytes of the frames that the reader staged. It waits only if there
 * is no byte. poll(2) reports the device as readable if read(2) would not wait.
 *
 * Invariants: A byte counts as read only after it was copied to the program, so a bad buffer loses
 * no byte. A reader announces to wake.c and lane_wake.c that it will wait before it looks for
 * events a last time.
 */
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "cdev_read.h"
#include "handle.h"
#include "lane/lane_wake.h"
#include "reader.h"
#include "reader_ready.h"
#include "seek.h"
#include "stream/profile_ops.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"
#include "wire.h"

/*
 * While profile events are on, reading creates events: system calls, context switches, timers. So
 * a reader that has read everything is held off (read 100 ms, poll 50 ms) unless much has arrived.
 * This bounds the feedback and hides no event.
 *
 * A thread in poll(2) looks again when it is woken, at the latest 100 ms after it began to wait.
 */
#define REST_POLL	(HZ / 20 ?: 1)
#define REST_READ	(HZ / 10 ?: 1)

static bool cdev_read_resting(struct handle *h)
{
	return h->rests && READ_ONCE(devtrace_profile_on) && !READ_ONCE(h->stream->gone) &&
	       time_before(jiffies, h->rested + REST_POLL) && !reader_much(h->reader);
}

/* From here on, readers are woken by new events in rings and in lanes. */
static void begin_wait(struct stream *s)
{
	lane_wake_prepare();
	wake_prepare(s);
}

/* Make a reader wait for a while. The caller holds the lock; this function releases it. */
static int cdev_read_rest(struct handle *h)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(&h->stream->wait, &wait);
	/* The reader wakes earlier if much arrives. */
	begin_wait(h->stream);
	handle_release(h);
	wait_woken(&wait, TASK_INTERRUPTIBLE, REST_READ);
	remove_wait_queue(&h->stream->wait, &wait);
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

/* Wait for something to read. The caller holds the lock; this function releases it. */
static int wait_readable(struct handle *h, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	reader_follows(h->reader);
	add_wait_queue(&h->stream->wait, &wait);
	for (;;) {
		begin_wait(h->stream);
		/* If another read is copying, do not wait here: handle_lock() waits for it. */
		if (timeout != MAX_SCHEDULE_TIMEOUT ? timeout == 0 :
		    h->copying || reader_ready(h->reader)) {
			handle_release(h);
			break;
		}
		handle_release(h);
		timeout = wait_woken(&wait, TASK_INTERRUPTIBLE, timeout);
		if (signal_pending(current) || mutex_lock_interruptible(&h->lock))
			break;
	}
	remove_wait_queue(&h->stream->wait, &wait);
	/*
	 * Filtered events, which give the reader nothing, may arrive without end: let other
	 * threads run.
	 */
	cond_resched();
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

/*
 * Copy @n bytes of staged frames to the program. The lock is held on entry and return, but not
 * during the copy.
 */
static size_t copy_frames(struct handle *h, size_t n, struct iov_iter *to)
{
	struct wire *w = reader_wire(h->reader);
	size_t copied;

	WRITE_ONCE(h->copying, true);
	mutex_unlock(&h->lock);
	copied = copy_to_iter(w->buf + w->taken, n, to);
	/* Not killable: copied bytes must be counted. No holder of the lock waits for a program. */
	mutex_lock(&h->lock);
	wire_taken(w, copied);
	return copied;
}

/*
 * Read as many available frames as fit. The lock is held on entry and return, but not while frames
 * are copied; no other read can use the reader then. @err: 0, -EFAULT or the error of
 * reader_fill().
 */
static ssize_t read_frames(struct handle *h, struct iov_iter *to, int *err)
{
	struct wire *w = reader_wire(h->reader);
	ssize_t done = 0;
	size_t n, copied;

	do {
		*err = 0;
		if (!wire_staged(w))
			*err = reader_fill(h->reader, iov_iter_count(to));
		n = min_t(size_t, wire_staged(w), iov_iter_count(to));
		if (!n) {
			h->rests = !*err;
			h->rested = jiffies;
			break;
		}
		copied = copy_frames(h, n, to);
		done += copied;
		if (copied < n) {
			*err = -EFAULT;
			break;
		}
		cond_resched();
	} while (iov_iter_count(to) && !signal_pending(current));
	return done;
}

ssize_t cdev_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct handle *h = iocb->ki_filp->private_data;
	bool nowait = iocb->ki_filp->f_flags & O_NONBLOCK || iocb->ki_flags & IOCB_NOWAIT;
	ssize_t done;
	bool gone;
	int err;

	if (!iov_iter_count(to))
		return 0;
	err = handle_lock(h, nowait);
	if (err)
		return err;
	if (!handle_reader(h)) {
		handle_unlock(h);
		return -ENOMEM;
	}
	if (!wire_staged(reader_wire(h->reader)) && cdev_read_resting(h)) {
		if (nowait) {
			handle_unlock(h);
			return -EAGAIN;
		}
		err = cdev_read_rest(h) ?: handle_lock(h, false);
		if (err)
			return err;
	}
	h->rests = false;
	for (;;) {
		/*
		 * LMM(gone:B): If gone is true, then the search below finds all events that
		 * were stored. Pairs with gone:A.
		 */
		gone = smp_load_acquire(&h->stream->gone);
		done = read_frames(h, to, &err);
		if (done || (err && err != -EAGAIN))
			break;
		/* The stream was removed, and no event is left. */
		if (!err && gone)
			break;
		if (nowait) {
			err = -EAGAIN;
			break;
		}
		err = wait_readable(h, err ? 1 : MAX_SCHEDULE_TIMEOUT) ?: handle_lock(h, false);
		if (err)
			return err;
	}
	handle_unlock(h);
	return done ?: err;
}

/* Would read(2) return something? If that is not known yet, make poll(2) look again soon. */
static bool poll_ready(struct handle *h)
{
	int ret = reader_ready(h->reader);

	if (ret == -EAGAIN)
		wake_again(h->stream);
	return ret && ret != -EAGAIN;
}

__poll_t cdev_poll(struct file *file, poll_table *wait)
{
	struct handle *h = file->private_data;
	__poll_t mask = 0;

	if (file->f_mode & FMODE_WRITE)
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (file->f_mode & FMODE_READ) {
		poll_wait(file, &h->stream->wait, wait);
		begin_wait(h->stream);
		/*
		 * The process is killed: report readiness, so that others that wait on the same
		 * epoll(7) descriptor wake.
		 */
		if (mutex_lock_killable(&h->lock))
			return mask | EPOLLIN | EPOLLRDNORM;
		/*
		 * If there is no memory for a reader, report readiness: read(2) would fail without
		 * waiting.
		 */
		if (handle_reader(h))
			reader_follows(h->reader);
		if (h->copying)
			WRITE_ONCE(h->missed, true);
		else if (!h->reader || (!cdev_read_resting(h) && poll_ready(h)))
			mask |= EPOLLIN | EPOLLRDNORM;
		handle_release(h);
		if (READ_ONCE(h->stream->gone))
			mask |= EPOLLHUP;
	}
	return mask;
}

loff_t cdev_llseek(struct file *file, loff_t off, int whence)
{
	struct handle *h = file->private_data;
	loff_t ret;

	if (!(file->f_mode & FMODE_READ))
		return -ESPIPE;
	ret = handle_lock(h, false);
	if (ret)
		return ret;
	h->rests = false;
	ret = handle_reader(h) ? reader_seek(h->reader, off, whence) : -ENOMEM;
	handle_unlock(h);
	/*
	 * Wake other threads that wait on this descriptor or a duplicate: at the new place, there
	 * may be data.
	 */
	if (ret >= 0 && whence != SEEK_CUR)
		wake_again(h->stream);
	return ret;
}
