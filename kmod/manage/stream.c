// SPDX-License-Identifier: GPL-2.0-only
/*
 * Create and free streams; the work item that completes their stops and starts
 *
 * The work item completes a stop or start that an emitter began: it waits until no emitter stores
 * any more, records the change for the readers, and notifies listeners. The thread that moves a
 * phase to STOPPING or STARTING owns this change of state: only the owner adds it to the history.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/control_ops.h"
#include "lane/lane_filter.h"
#include "lane/slot.h"
#include "lane/take.h"
#include "read/cdev.h"
#include "ring/clock.h"
#include "stream.h"
#include "stream/past.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"

/* Called when the stream is not in the table and no descriptor is open. */
static void stream_free(struct work_struct *work)
{
	struct stream *s = container_of(work, struct stream, free);

	irq_work_sync(&s->kick);
	cancel_delayed_work_sync(&s->work);
	rings_free(s);
	if (s->image)
		s->image->release(s->image);
	if (s != &devtrace_stream0)
		slots_free(s->slots);
	free_percpu(s->marked);
	free_percpu(s->before);
	kvfree(s->missed);
	if (s->rings != &devtrace_rings)
		free_percpu(s->rings);
	if (s != &devtrace_stream0)
		kfree(s);
}

/* Tell emitters of stream 0 whether they must check its phase, and programs about their lanes. */
void stream_update_quick(struct stream *s)
{
	const bool runs = stop_phase(&s->stop) == STOP_RUN;

	if (s == &devtrace_stream0)
		rings_set_quick(!s->watched && runs);
	if (!s->slots)
		return;
	/* During a stop, lanes go on as if the stream ran, until stream_settle() stops them. */
	lane_filter_state(s, runs || s->state == DEVTRACE_STATE_RUNNING, !s->watched && runs);
}

/* Is a start among the changes of state whose missed events are not counted yet? */
static bool has_started(const struct stream *s, unsigned long pasts)
{
	unsigned long n;

	for (n = s->counted; n != pasts; n++)
		if (s->past[n % STREAM_PASTS].state == DEVTRACE_STATE_RUNNING)
			return true;
	return false;
}

/*
 * For each change of state that has no counts yet, store the number of events that each ring and
 * each slot had missed before it: see stream_missed().
 */
void stream_count_missed(struct stream *s)
{
	/* Load this once: meanwhile, a trigger may start the stream, which adds a change. */
	const unsigned long pasts = smp_load_acquire(&s->pasts.nr);
	const struct ring *r;
	unsigned int cpu, now, before;
	bool stops;

	/*
	 * LMM(missed:C): If a reader copies a count that is stored below, then its next load of
	 * the number of changes returns the number loaded above or a later one. Pairs with
	 * missed:D.
	 */
	smp_mb();
	/* Wait until emitters that found the stream stopped have counted their dropped events. */
	if (has_started(s, pasts))
		quiet_wait();
	/* Events in lanes that a stop drops are counted when they are taken, so take them. */
	if (s->slots && s->counted != pasts)
		slots_take_all();
	while (s->counted != pasts) {
		now = s->counted % STREAM_PASTS;
		before = (s->counted - 1) % STREAM_PASTS;
		stops = s->past[now].state != DEVTRACE_STATE_RUNNING &&
			s->past[before].state == DEVTRACE_STATE_RUNNING;
		for_each_possible_cpu(cpu) {
			r = per_cpu_ptr(s->rings, cpu);
			s->missed[now * nr_cpu_ids + cpu] =
				stops ? s->missed[before * nr_cpu_ids + cpu] :
				ring_count_read(&r->dropped[RING_DROP_STOPPED]);
		}
		if (s->slots)
			slots_count_missed(s->slots, s->counted, stops);
		/*
		 * LMM(missed:A): If a reader reads this number, then it reads the counts stored
		 * before it. Pairs with missed:B.
		 */
		smp_store_release(&s->counted, s->counted + 1);
	}
}

/* Start the stream again if a trigger requested it during the stop, and no command has done so. */
static void go_on_again(struct stream *s)
{
	struct stop *st = &s->stop;

	/*
	 * Pairs with stop:D. If the next stop is already in progress, its stream_settle() handles
	 * the request.
	 */
	if (smp_load_acquire(&st->again) != 2 || stop_phase(st) == STOP_STOPPING)
		return;
	if (s->state != DEVTRACE_STATE_FROZEN &&
	    atomic_cmpxchg(&st->phase, STOP_STOPPED, STOP_STARTING) == STOP_STOPPED)
		stream_goes_on(s, st->starter);
	/*
	 * If the exchange of a later trigger reads 0, then the name was read above. Pairs with that
	 * exchange, which comes before stop:D.
	 */
	smp_store_release(&st->again, 0);
}

/*
 * Complete a stop. No emitter begins to store any more, so wait for the active ones, then record
 * the stop.
 */
void stream_settle(struct stream *s)
{
	struct stop *st = &s->stop;
	struct stream_past p = { .state = st->to, .began = st->began };

	lockdep_assert_held(&devtrace_lock);
	/* First count the events missed before the last start; the stop adds more. */
	stream_count_missed(s);
	stream_update_quick(s);
	quiet_wait();
	WRITE_ONCE(s->state, st->to);
	if (s->slots)
		lane_filter_state(s, false, false);
	if (*st->trigger)
		p.fired_at = st->ts;
	strscpy(p.trigger, st->trigger, sizeof(p.trigger));
	p.early = READ_ONCE(st->early);
	p.ts = devtrace_clock_now();
	stream_add_past(s, &p);
	stream_count_missed(s);
	atomic_set_release(&st->phase, STOP_STOPPED);
	go_on_again(s);
}

/* Do not notify listeners of a stream after its NTF_STREAM_DEL. */
static void tell_state(struct stream *s)
{
	if (!s->gone)
		control_notify_stream(DEVTRACE_CMD_NTF_STREAM_SET, s);
}

/*
 * Longest delay of the work item, ns. A longer one would overflow 32-bit jiffies, so that the work
 * item would run at once.
 */
#define LOOK_AGAIN	((u64)NSEC_PER_SEC << 20)

static void stream_work(struct work_struct *work)
{
	struct stream *s = container_of(work, struct stream, work.work);
	struct stop *st = &s->stop;
	enum stop_phase phase;
	u64 now;

	mutex_lock(&devtrace_lock);
	phase = stop_phase(st);
	if (phase == STOP_COUNT && st->ns) {
		now = devtrace_clock_now();
		if (now - st->ts > st->ns)
			atomic_cmpxchg(&st->phase, STOP_COUNT, STOP_STOPPING);
		else
			queue_delayed_work(stream_wq, &s->work,
					   nsecs_to_jiffies(min_t(u64, st->ns - (now - st->ts),
								  LOOK_AGAIN)) + 1);
		phase = stop_phase(st);
	}
	if (phase == STOP_STOPPING) {
		stream_settle(s);
		tell_state(s);
	}
	/* A trigger may have asked for a start after stream_settle() checked. */
	go_on_again(s);
	if (stop_phase(st) == STOP_RUN && s->state != DEVTRACE_STATE_RUNNING) {
		WRITE_ONCE(s->state, DEVTRACE_STATE_RUNNING);
		stream_count_missed(s);
		stream_update_quick(s);
		tell_state(s);
	}
	if (!s->gone && s->watermark)
		control_notify_watermark(s);
	mutex_unlock(&devtrace_lock);
	stream_wake(s);
}

static void stream_kick(struct irq_work *w)
{
	mod_delayed_work(stream_wq, &container_of(w, struct stream, kick)->work, 0);
}

/* Initialise a stream that is not in the table. After a failure, stream_put() can free it. */
int stream_prepare(struct stream *s, const char *name, unsigned long bytes, umode_t mode)
{
	strscpy(s->name, name, sizeof(s->name));
	s->bytes = bytes;
	s->mode = mode;
	kref_init(&s->ref);
	raw_spin_lock_init(&s->readers_lock);
	s->readers = RB_ROOT;
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->kick, stream_kick);
	INIT_DELAYED_WORK(&s->work, stream_work);
	INIT_WORK(&s->free, stream_free);
	s->marked = alloc_percpu(u64);
	s->before = alloc_percpu(u64);
	s->missed = kvcalloc(nr_cpu_ids, STREAM_PASTS * sizeof(*s->missed), GFP_KERNEL);
	return s->marked && s->before && s->missed ? 0 : -ENOMEM;
}

/* Remove a stream from the table. Its readers get the remaining events, then end of file. */
void stream_leave(struct stream *s)
{
	RCU_INIT_POINTER(devtrace_streams[s->id], NULL);
	if (s->slots) {
		slots_leave(s);
		lane_filter_forget(s);
	}
	quiet_wait();
	rings_del(s);
	/*
	 * LMM(gone:A): If a reader reads true, then it reads all events that emitters stored.
	 * Pairs with gone:B.
	 */
	smp_store_release(&s->gone, true);
	stream_wake(s);
	stream_put(s);
}

/**
 * stream_init() - create stream 0
 * @bytes: size of each ring
 * @start: initial value of positions, indices and other counters; tests set one that wraps soon
 * @mode: mode of the device node
 *
 * Return: 0 or -ENOMEM.
 */
int stream_init(unsigned long bytes, u32 start, umode_t mode)
{
	struct stream *s = &devtrace_stream0;
	int err;

	s->rings = &devtrace_rings;
	s->slots = &slots0;
	s->start = start & ~(u32)(bytes / RING_UNIT - 1);
	history_start(&s->pasts, start);
	s->counted = s->pasts.nr;
	s->clears = start;
	/*
	 * High priority, because these work items hold devtrace_lock: while one waits for a CPU,
	 * all others that need the lock wait, too.
	 */
	stream_wq = alloc_workqueue("devtrace", WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!stream_wq)
		return -ENOMEM;
	err = stream_prepare(s, DEVTRACE_STREAM0, bytes, mode);
	if (!err)
		err = rings_add(s);
	if (err) {
		stream_put(s);
		destroy_workqueue(stream_wq);
		return err;
	}
	rcu_assign_pointer(devtrace_streams[0], s);
	return 0;
}

/* Remove all streams. Called when no emitter, no reader and no netlink request is left. */
void stream_exit(void)
{
	struct stream *s;
	unsigned int id;

	mutex_lock(&devtrace_lock);
	for (id = 1; id < DEVTRACE_STREAMS_MAX; id++) {
		s = stream_by_id(id);
		if (!s)
			continue;
		/*
		 * Do not remove its filter, which would need memory: filter_exit() frees the
		 * filter.
		 */
		cdev_del_stream(s);
		stream_leave(s);
	}
	mutex_unlock(&devtrace_lock);
	s = &devtrace_stream0;
	RCU_INIT_POINTER(devtrace_streams[0], NULL);
	rings_del(s);
	stream_put(s);
	/* This waits until all removed streams are freed. */
	destroy_workqueue(stream_wq);
}
