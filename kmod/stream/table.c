// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which streams there are, and who keeps one
 *
 * Emitters find a stream under RCU, preemption off. Code that needs it longer takes a
 * reference; dropping the last one queues a work that takes the stream apart.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "stream.h"
#include "table.h"

/* Serializes what changes streams, filters and triggers. */
DEFINE_MUTEX(devtrace_lock);

struct stream devtrace_stream0;
struct stream __rcu *devtrace_streams[DEVTRACE_STREAMS_MAX];

struct workqueue_struct *stream_wq;

/**
 * stream_by_id() - the stream of a number
 * @id: number
 *
 * Context: devtrace_lock held.
 * Return: the stream, or NULL.
 */
struct stream *stream_by_id(unsigned int id)
{
	if (id >= DEVTRACE_STREAMS_MAX)
		return NULL;
	return rcu_dereference_protected(devtrace_streams[id], lockdep_is_held(&devtrace_lock));
}

/**
 * stream_get() - the stream of a number, to be kept
 * @id: number
 *
 * Context: process or softirq.
 * Return: the stream, stream_put() is to follow; or NULL.
 */
struct stream *stream_get(unsigned int id)
{
	struct stream *s = NULL;

	/* Pairs with quiet_wait(), and holds up nobody who waits for it. */
	preempt_disable();
	rcu_read_lock();
	if (id < DEVTRACE_STREAMS_MAX)
		s = rcu_dereference(devtrace_streams[id]);
	/* stream_leave() gives up its reference when all who are here are gone. */
	if (s)
		kref_get(&s->ref);
	rcu_read_unlock();
	preempt_enable();
	return s;
}

/* By a work: whoever drops the last reference may hold the lock that others wait for. */
static void stream_release(struct kref *ref)
{
	queue_work(stream_wq, &container_of(ref, struct stream, ref)->free);
}

/**
 * stream_put() - a stream is not needed any more
 * @s: of stream_get()
 */
void stream_put(struct stream *s)
{
	kref_put(&s->ref, stream_release);
}
