// SPDX-License-Identifier: GPL-2.0-only
/* Commands for streams: create, remove, stop, start, resize, describe */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/slots.h"
#include "filter_policy.h"
#include "filter_set.h"
#include "lane/slot.h"
#include "lane/slot_stats.h"
#include "lane/take.h"
#include "lane_resize.h"
#include "read/cdev.h"
#include "read/stream_stats.h"
#include "resize.h"
#include "ring/clock.h"
#include "ring/ring_read.h"
#include "stream.h"
#include "stream/past.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "streams.h"

/* Serializes commands that change something: see streams.h. */
DEFINE_MUTEX(streams_command_lock);

/*
 * Called when a command starts a stream that still stores the last events before a stop: cancel the
 * stop. If events were already lost because of the stop, complete it instead, so that readers see a
 * stop to which the losses belong.
 */
static void stream_cancel_stop(struct stream *s)
{
	struct stop *st = &s->stop;
	int left;

	if (stop_phase(st) != STOP_COUNT)
		return;
	/*
	 * Raise the number of events left, so that from here on no emitter stops the stream,
	 * unless it is 0 already.
	 */
	left = stop_is_over(st) ? 0 : atomic_read(&st->left);
	while (left && !atomic_try_cmpxchg(&st->left, &left, INT_MAX))
		;
	if (left) {
		/* Wait for emitters that found the phase FIRING: they may set @early. */
		quiet_wait();
		if (!READ_ONCE(st->early) &&
		    atomic_cmpxchg(&st->phase, STOP_COUNT, STOP_RUN) == STOP_COUNT)
			return;
		WRITE_ONCE(st->to, DEVTRACE_STATE_STOPPED);
	}
	atomic_cmpxchg(&st->phase, STOP_COUNT, STOP_STOPPING);
}

/**
 * stream_set_state() - stop, freeze or start a stream
 * @s: the stream
 * @state: the new state
 *
 * A frozen stream cannot start. A command must first thaw it, that is, set it to STOPPED.
 *
 * Context: process, devtrace_lock held.
 * Return: 0; -EBUSY: the stream is frozen and cannot start.
 */
int stream_set_state(struct stream *s, enum devtrace_state state)
{
	struct stop *st = &s->stop;
	enum stop_phase phase;
	u64 now;

	/* Wait for a change that an emitter began. All phases are short except COUNT. */
	while ((phase = stop_phase(st)) == STOP_FIRING || phase == STOP_STARTING)
		cpu_relax();
	if (state == DEVTRACE_STATE_RUNNING)
		stream_cancel_stop(s);
	if (stop_phase(st) == STOP_STOPPING)
		stream_settle(s);
	if (state == DEVTRACE_STATE_RUNNING) {
		if (s->state == DEVTRACE_STATE_FROZEN)
			return -EBUSY;
		if (atomic_cmpxchg(&st->phase, STOP_STOPPED, STOP_STARTING) == STOP_STOPPED)
			stream_goes_on(s, "");
		WRITE_ONCE(s->state, state);
		stream_update_quick(s);
	} else if (stop_phase(st) == STOP_STOPPED) {
		if (s->state != state) {
			WRITE_ONCE(s->state, state);
			stream_add_command(s, state, devtrace_clock_now());
		}
	} else {
		/*
		 * Until the time of the stop is known, no event counts as too late, so events that
		 * emitters are storing now are kept. A trigger that fires at the same time may
		 * store its own time here.
		 */
		WRITE_ONCE(st->ts, U64_MAX);
		now = devtrace_clock_now();
		do {
			phase = stop_phase(st);
			if (phase == STOP_FIRING)
				cpu_relax();
		} while (phase != STOP_STOPPING && phase != STOP_STOPPED &&
			 (phase == STOP_FIRING ||
			  atomic_cmpxchg(&st->phase, phase, STOP_STOPPING) != phase));
		if (phase == STOP_RUN)
			st->began = now;
		WRITE_ONCE(st->to, state);
		st->trigger[0] = 0;
		if (phase != STOP_STOPPED)
			stream_settle(s);
	}
	stream_count_missed(s);
	stream_wake(s);
	return 0;
}

/*
 * A trigger that may stop the stream was armed (@on) or disarmed. Process context, devtrace_lock
 * held.
 */
void stream_watch(struct stream *s, bool on)
{
	s->watched += on ? 1 : -1;
	stream_update_quick(s);
	if (on && s->watched == 1)
		quiet_wait_on(cpu_possible_mask);
}

/*
 * Set when readers are woken: when @percent of a ring has new events; 0: at each event. Process
 * context, devtrace_lock held.
 */
void stream_set_watermark(struct stream *s, unsigned int percent)
{
	struct ring_view v;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct ring *r = per_cpu_ptr(s->rings, cpu);

		if (!ring_exists(r))
			continue;
		ring_view(r, &v);
		*per_cpu_ptr(s->marked, cpu) = v.commit.pos;
	}
	s->marked_lanes = s->slots ? slots_position(s->slots) : 0;
	WRITE_ONCE(s->watermark, percent);
	stream_wake(s);
}

/**
 * stream_resize() - resize the rings of a stream
 * @s: the stream
 * @bytes: size of each ring, as ring_size_round() returned it
 *
 * The stream stores events meanwhile. Only the oldest events are lost, for which a smaller ring has
 * no room.
 *
 * Context: process, devtrace_lock held.
 * Return: 0; -EBUSY if its memory is borrowed; -ENOMEM.
 */
int stream_resize(struct stream *s, unsigned long bytes)
{
	struct slots_memory m = { 0 };
	int err = 0;

	if (s->lent && bytes != s->bytes)
		return -EBUSY;
	if (bytes != s->bytes) {
		if (s->slots && slots_bytes(s->slots))
			err = slots_memory(s->slots, bytes, &m);
		if (!err)
			err = rings_resize(s, bytes, NULL);
		if (!err && m.pages)
			slots_resize(s->slots, &m);
		slots_memory_free(&m);
	}
	if (!err) {
		stream_set_watermark(s, s->watermark);
		stream_wake(s);
	}
	return err;
}

/**
 * stream_lend() - move the rings of stream 0 into borrowed memory, or out of it
 * @bytes: size of each ring, as ring_size_round() returned it
 * @lend: lends the memory; NULL: move the rings out
 *
 * Like stream_resize(), but without the ring of blocks, which slots_lend() moves.
 *
 * Context: process, devtrace_lock held.
 * Return: 0, -EBUSY or -ENOMEM.
 */
int stream_lend(unsigned long bytes, rings_lend_t lend)
{
	struct stream *s = &devtrace_stream0;
	int err;

	if (lend && s->lent)
		return -EBUSY;
	err = rings_resize(s, bytes, lend);
	if (err)
		return err;
	s->lent = lend;
	stream_set_watermark(s, s->watermark);
	stream_wake(s);
	return 0;
}

/* Has a ring grown by the watermark since the last notification? */
static bool passed_mark(struct stream *s, int cpu)
{
	const struct ring *r = per_cpu_ptr(s->rings, cpu);
	u64 *mark = per_cpu_ptr(s->marked, cpu);
	struct ring_view v;

	if (!s->watermark || !ring_exists(r))
		return false;
	ring_view(r, &v);
	if ((v.commit.pos - *mark) * 100 < (u64)(r->mask + 1) * s->watermark)
		return false;
	*mark = v.commit.pos;
	return true;
}

/* Has the ring of blocks grown by the watermark since the last notification? */
static bool lanes_passed_mark(struct stream *s)
{
	u64 size, pos;

	if (!s->watermark || !s->slots || !slots_bytes(s->slots))
		return false;
	size = slots_bytes(s->slots);
	pos = slots_position(s->slots);
	if ((pos - s->marked_lanes) * 100 < size * s->watermark)
		return false;
	s->marked_lanes = pos;
	return true;
}

/*
 * Call @tell with each CPU, or DEVTRACE_CPU_LANES, that passed the watermark since the last call.
 * Process context, devtrace_lock held.
 */
void stream_watermarks(struct stream *s, void (*tell)(struct stream *s, u32 cpu))
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (passed_mark(s, cpu))
			tell(s, cpu);
	if (lanes_passed_mark(s))
		tell(s, DEVTRACE_CPU_LANES);
}

/*
 * A kernel thread creates and removes devices, and may wait long for a CPU, so release
 * devtrace_lock meanwhile. streams_command_lock keeps other commands from creating or removing
 * streams.
 */
static int add_device(struct stream *s)
{
	int err;

	mutex_unlock(&devtrace_lock);
	err = cdev_add_stream(s);
	/* Not killable: the command must be completed. */
	mutex_lock(&devtrace_lock);
	return err;
}

static void del_device(struct stream *s)
{
	mutex_unlock(&devtrace_lock);
	cdev_del_stream(s);
	mutex_lock(&devtrace_lock);
}

/**
 * stream_new() - create a stream
 * @name: its name, not in use
 * @bytes: size of each ring, as ring_size_round() returned it
 * @mode: mode of the device node
 * @state: initial state
 * @f: its filter
 * @image: the events of an earlier boot, which readers of the device get, or NULL; released with
 *	the stream, or on failure
 *
 * Context: process, devtrace_lock held, which is released meanwhile; streams_command_lock held.
 * Return: the stream, or ERR_PTR(): -ENOSPC if there are too many, -ENOMEM, or the error of the
 *	device model.
 */
struct stream *stream_new(const char *name, unsigned long bytes, umode_t mode,
			  enum devtrace_state state, const struct filter *f,
			  struct stream_image *image)
{
	struct stream *s;
	unsigned int id;
	int err, cpu;

	for (id = 1; id < DEVTRACE_STREAMS_MAX; id++)
		if (!stream_by_id(id))
			break;
	err = id < DEVTRACE_STREAMS_MAX ? emit_slots_alloc() : -ENOSPC;
	if (err)
		goto out_image;
	err = -ENOMEM;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		goto out_image;
	s->id = id;
	err = stream_prepare(s, name, bytes, mode);
	if (err)
		goto out_free;
	err = -ENOMEM;
	s->rings = alloc_percpu(struct ring);
	if (!s->rings)
		goto out_free;
	err = rings_add(s);
	if (err)
		goto out_free;
	if (state != DEVTRACE_STATE_RUNNING) {
		atomic_set(&s->stop.phase, STOP_STOPPED);
		s->state = state;
		stream_add_command(s, state, devtrace_clock_now());
		stream_count_missed(s);
	}
	err = image ? 0 : slots_add(s);
	if (err)
		goto out_rings;
	stream_update_quick(s);
	for_each_possible_cpu(cpu) {
		u64 *before = per_cpu_ptr(s->before, cpu);

		*before = stream_emitted_on(cpu);
	}
	s->image = image;
	rcu_assign_pointer(devtrace_streams[id], s);
	err = add_device(s);
	if (err)
		goto out_list;
	err = filter_set(id, f);
	if (err)
		goto out_cdev;
	return s;

out_cdev:
	del_device(s);
out_list:
	stream_leave(s);
	return ERR_PTR(err);
out_rings:
	rings_del(s);
	rings_free(s);
	slots_free(s->slots);
out_free:
	if (s->rings)
		free_percpu(s->rings);
	free_percpu(s->marked);
	free_percpu(s->before);
	kvfree(s->missed);
	kfree(s);
out_image:
	if (image)
		image->release(image);
	return ERR_PTR(err);
}

/**
 * stream_del() - remove a stream
 * @s: the stream
 *
 * Its readers get the remaining events, then end of file. The removal of a stream without a filter
 * cannot fail: devtrace_persist.ko relies on that when it is removed.
 *
 * Context: process, devtrace_lock held, which is released meanwhile; streams_command_lock held.
 * Return: 0; -EBUSY for stream 0; -ENOMEM.
 */
int stream_del(struct stream *s)
{
	int err;

	if (s == &devtrace_stream0)
		return -EBUSY;
	err = filter_get(s->id, NULL) ? filter_set(s->id, NULL) : 0;
	if (err)
		return err;
	del_device(s);
	stream_leave(s);
	return 0;
}

/* Find a stream by name, or return NULL. devtrace_lock held. */
struct stream *stream_find(const char *name)
{
	unsigned int id;

	for (id = 0; id < DEVTRACE_STREAMS_MAX; id++) {
		struct stream *s = stream_by_id(id);

		if (s && !strcmp(s->name, name))
			return s;
	}
	return NULL;
}

/* Describe a stream. devtrace_lock held. */
void stream_info(struct stream *s, struct stream_info *info)
{
	struct devtrace_stats st;
	struct stream_past p;
	unsigned long n = stream_oldest_past(s);

	memset(info, 0, sizeof(*info));
	strscpy(info->name, s->name, sizeof(info->name));
	info->id = s->id;
	info->bytes = s->bytes;
	info->state = s->state;
	info->watermark = s->watermark;
	info->mode = s->mode;
	/* After the loop, the members have the values of the last change. */
	while (stream_past(s, &n, &p)) {
		n++;
		info->since = p.ts;
		strscpy(info->reason, p.trigger, sizeof(info->reason));
	}
	stream_stats(s, -1, &st);
	info->used = s->image ? s->image->bytes : st.used;
}
