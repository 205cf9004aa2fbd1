// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of streams, and references to them
 *
 * Emitters look a stream up under RCU, with preemption off. Other code takes a reference; dropping
 * the last one queues a work item that frees the stream.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "stream.h"
#include "table.h"

/* Serializes changes of streams, filters and triggers. */
DEFINE_MUTEX(devtrace_lock);

struct stream devtrace_stream0;
struct stream __rcu *devtrace_streams[DEVTRACE_STREAMS_MAX];

struct workqueue_struct *stream_wq;

/* The stream with this number, or NULL. devtrace_lock held. */
struct stream *stream_by_id(unsigned int id)
{
	if (id >= DEVTRACE_STREAMS_MAX)
		return NULL;
	return rcu_dereference_protected(devtrace_streams[id], lockdep_is_held(&devtrace_lock));
}

/* The stream with this number and a reference for stream_put(), or NULL. Process or softirq. */
struct stream *stream_get(unsigned int id)
{
	struct stream *s = NULL;

	/*
	 * quiet_wait() waits for this section. If the section were preempted, it would delay every
	 * caller.
	 */
	preempt_disable();
	rcu_read_lock();
	if (id < DEVTRACE_STREAMS_MAX)
		s = rcu_dereference(devtrace_streams[id]);
	/* The count is not 0: stream_leave() drops the table's reference after quiet_wait(). */
	if (s)
		kref_get(&s->ref);
	rcu_read_unlock();
	preempt_enable();
	return s;
}

/* Free the stream in a work item, because the caller may hold locks that others wait for. */
static void stream_release(struct kref *ref)
{
	queue_work(stream_wq, &container_of(ref, struct stream, ref)->free);
}

/* Drop a reference of stream_get(). */
void stream_put(struct stream *s)
{
	kref_put(&s->ref, stream_release);
}
