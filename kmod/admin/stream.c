// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: made, removed, stopped, started, looked at
 *
 * What emitters began (a stream stops, or goes on) is settled here by a work: it
 * waits until nobody stores any more, notes when and why for the readers, and tells
 * those who listen. Whoever moves a phase to STOPPING or STARTING owns the change and
 * alone adds to the past.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "emit/control_ops.h"
#include "emit/emit.h"
#include "filter_policy.h"
#include "lane/lane_filter.h"
#include "lane/slot.h"
#include "lane/slot_stats.h"
#include "lane/take.h"
#include "read/cdev.h"
#include "read/reader.h"
#include "read/stream_stats.h"
#include "ring/clock.h"
#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "stream.h"
#include "stream/past.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"

/* It is not listed, and no descriptor is open. */
static void stream_free(struct work_struct *work)
{
	struct stream *s = container_of(work, struct stream, free);

	irq_work_sync(&s->kick);
	cancel_delayed_work_sync(&s->work);
	rings_free(s);
	free_percpu(s->marked);
	free_percpu(s->before);
	if (s->rings != &devtrace_rings)
		free_percpu(s->rings);
	if (s != &devtrace_stream0)
		kfree(s);
}

/* Emitters of stream 0 look at its phase only if they have to. */
static void update_easy(struct stream *s)
{
	const bool runs = stop_phase(&s->stop) == STOP_RUN;

	if (s != &devtrace_stream0)
		return;
	rings_easy(!s->watched && runs);
	/* When it stopped settle() says. */
	lane_filter_state(runs || s->state == DEVTRACE_STATE_RUNNING, !s->watched && runs);
}

/* A trigger wanted it to go on while it was being stopped. */
static void go_on_again(struct stream *s)
{
	struct stop *st = &s->stop;

	/* Pairs with stop:D. */
	if (smp_load_acquire(&st->again) != 2)
		return;
	if (s->state != DEVTRACE_STATE_FROZEN &&
	    atomic_cmpxchg(&st->phase, STOP_STOPPED, STOP_STARTING) == STOP_STOPPED)
		stream_goes_on(s, st->starter);
	/* The name is read before the next one; pairs with the exchange before stop:D. */
	smp_store_release(&st->again, 0);
}

/* Nobody begins to store any more: wait for those who do, and note it down. */
static void settle(struct stream *s)
{
	struct stop *st = &s->stop;
	u64 now;

	lockdep_assert_held(&devtrace_lock);
	update_easy(s);
	quiet_wait();
	WRITE_ONCE(s->state, st->to);
	if (s == &devtrace_stream0)
		lane_filter_state(false, false);
	now = devtrace_clock();
	stream_add_past(s, st->to, now, *st->trigger ? st->ts : 0, st->trigger);
	atomic_set_release(&st->phase, STOP_STOPPED);
	go_on_again(s);
}

static void wake_readers(struct stream *s)
{
	wake_up_interruptible_all(&s->wait);
}

/* Bytes by which a ring has grown since the last notification. */
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

/* Likewise the ring of what programs emitted by lanes. */
static bool lanes_passed_mark(struct stream *s)
{
	const u64 size = slots_bytes(), pos = slots_position();

	if (!s->watermark || s != &devtrace_stream0 || !size)
		return false;
	if ((pos - s->marked_lanes) * 100 < size * s->watermark)
		return false;
	s->marked_lanes = pos;
	return true;
}

/* Nobody is told anything of a stream behind its NTF_STREAM_DEL. */
static void tell_state(struct stream *s)
{
	if (!s->gone)
		control_notify_stream(DEVTRACE_CMD_NTF_STREAM_SET, s);
}

static void stream_work(struct work_struct *work)
{
	struct stream *s = container_of(work, struct stream, work.work);
	struct stop *st = &s->stop;
	enum stop_phase phase;
	u64 now;
	int cpu;

	mutex_lock(&devtrace_lock);
	phase = stop_phase(st);
	if (phase == STOP_COUNT && st->ns) {
		now = devtrace_clock();
		if (now - st->ts > st->ns)
			atomic_cmpxchg(&st->phase, STOP_COUNT, STOP_STOPPING);
		else
			queue_delayed_work(stream_wq, &s->work,
					   nsecs_to_jiffies(st->ns - (now - st->ts)) + 1);
		phase = stop_phase(st);
	}
	if (phase == STOP_STOPPING) {
		settle(s);
		tell_state(s);
	}
	/* It said so when settle() had looked. */
	if (phase == STOP_STOPPED)
		go_on_again(s);
	if (stop_phase(st) == STOP_RUN && s->state != DEVTRACE_STATE_RUNNING) {
		WRITE_ONCE(s->state, DEVTRACE_STATE_RUNNING);
		update_easy(s);
		tell_state(s);
	}
	for_each_possible_cpu(cpu)
		if (!s->gone && passed_mark(s, cpu))
			control_notify_watermark(s, cpu);
	if (!s->gone && lanes_passed_mark(s))
		control_notify_watermark(s, DEVTRACE_CPU_LANES);
	mutex_unlock(&devtrace_lock);
	wake_readers(s);
}

static void stream_kick(struct irq_work *w)
{
	mod_delayed_work(stream_wq, &container_of(w, struct stream, kick)->work, 0);
}

/**
 * stream_set_state() - stop a stream, freeze it, or let it go on
 * @s: the stream
 * @state: what it is to do
 *
 * Context: process, devtrace_lock held.
 */
void stream_set_state(struct stream *s, enum devtrace_state state)
{
	struct stop *st = &s->stop;
	enum stop_phase phase;

	/* What emitters began is over soon, but for a stop that counts. */
	while ((phase = stop_phase(st)) == STOP_FIRING || phase == STOP_STARTING)
		cpu_relax();
	if (phase == STOP_STOPPING)
		settle(s);
	if (state == DEVTRACE_STATE_RUNNING) {
		atomic_cmpxchg(&st->phase, STOP_COUNT, STOP_RUN);
		if (atomic_cmpxchg(&st->phase, STOP_STOPPED, STOP_STARTING) == STOP_STOPPED)
			stream_goes_on(s, "");
		WRITE_ONCE(s->state, state);
		update_easy(s);
	} else if (stop_phase(st) == STOP_STOPPED) {
		if (s->state != state) {
			WRITE_ONCE(s->state, state);
			stream_add_past(s, state, devtrace_clock(), 0, "");
		}
	} else {
		/* An event that is under way stays. One that fires now may say its time. */
		WRITE_ONCE(st->ts, U64_MAX);
		do {
			phase = stop_phase(st);
			if (phase == STOP_FIRING)
				cpu_relax();
		} while (phase != STOP_STOPPING && phase != STOP_STOPPED &&
			 (phase == STOP_FIRING ||
			  atomic_cmpxchg(&st->phase, phase, STOP_STOPPING) != phase));
		WRITE_ONCE(st->to, state);
		st->trigger[0] = 0;
		if (phase != STOP_STOPPED)
			settle(s);
	}
	wake_readers(s);
}

/**
 * stream_watch() - whether an armed trigger may stop a stream
 * @s: the stream
 * @on: one more, or one less
 *
 * Context: process, devtrace_lock held.
 */
void stream_watch(struct stream *s, bool on)
{
	s->watched += on ? 1 : -1;
	update_easy(s);
	if (on && s->watched == 1)
		quiet_wait();
}

/**
 * stream_set_watermark() - when readers are woken
 * @s: the stream
 * @percent: of a ring that they have not seen; 0: as events come
 *
 * Context: process, devtrace_lock held.
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
	s->marked_lanes = slots_position();
	WRITE_ONCE(s->watermark, percent);
	wake_readers(s);
}

/**
 * stream_resize() - give a stream rings of another size
 * @s: the stream
 * @bytes: a CPU, a value that ring_size_round() returned
 *
 * The newest events that fit stay. While the rings of a CPU are moved its events
 * are dropped, and counted.
 *
 * Context: process, devtrace_lock held.
 * Return: 0 or -ENOMEM.
 */
int stream_resize(struct stream *s, unsigned long bytes)
{
	struct slots_memory m = { 0 };
	int err = 0;

	if (bytes != s->bytes) {
		if (s == &devtrace_stream0 && slots_bytes())
			err = slots_memory(bytes, &m);
		if (!err)
			err = rings_resize(s, bytes);
		if (!err && m.pages)
			slots_resize(&m);
		slots_memory_free(&m);
	}
	if (!err) {
		stream_set_watermark(s, s->watermark);
		wake_readers(s);
	}
	return err;
}

static int stream_prepare(struct stream *s, const char *name, unsigned long bytes,
			  umode_t mode)
{
	strscpy(s->name, name, sizeof(s->name));
	s->bytes = bytes;
	s->mode = mode;
	kref_init(&s->ref);
	raw_spin_lock_init(&s->readers_lock);
	INIT_LIST_HEAD(&s->readers);
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->kick, stream_kick);
	INIT_DELAYED_WORK(&s->work, stream_work);
	INIT_WORK(&s->free, stream_free);
	s->marked = alloc_percpu(u64);
	s->before = alloc_percpu(u64);
	return s->marked && s->before ? 0 : -ENOMEM;
}

/* Nobody finds it any more. Who has it open reads what is left, and then the end. */
static void stream_leave(struct stream *s)
{
	RCU_INIT_POINTER(devtrace_streams[s->id], NULL);
	quiet_wait();
	rings_del(s);
	/* LMM(gone:A): what emitters stored before that; pairs with gone:B. */
	smp_store_release(&s->gone, true);
	wake_readers(s);
	stream_put(s);
}

/*
 * A device comes and goes by a thread of the kernel, which may wait long for a CPU. Nobody
 * else makes or removes streams meanwhile: the caller sees to that.
 */
static int add_device(struct stream *s)
{
	int err;

	mutex_unlock(&devtrace_lock);
	err = cdev_add_stream(s);
	/* Not killable: what was begun comes to its end. */
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
 * stream_new() - make a stream
 * @name: its name, not in use
 * @bytes: of ring a CPU, a value that ring_size_round() returned
 * @mode: of the device node
 * @state: what it does at first
 * @f: what it wants
 *
 * Context: process, devtrace_lock held, which is given up meanwhile; no other command.
 * Return: the stream, or ERR_PTR(): -ENOSPC if there are too many, -ENOMEM, or
 * what the device model says.
 */
struct stream *stream_new(const char *name, unsigned long bytes, umode_t mode,
			  enum devtrace_state state, const struct filter *f)
{
	struct stream *s;
	unsigned int id;
	int err, cpu;

	for (id = 1; id < DEVTRACE_STREAMS_MAX; id++)
		if (!stream_by_id(id))
			break;
	if (id == DEVTRACE_STREAMS_MAX)
		return ERR_PTR(-ENOSPC);
	err = emit_slots_alloc();
	if (err)
		return ERR_PTR(err);
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);
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
		stream_add_past(s, state, devtrace_clock(), 0, "");
	}
	slots_take_all();
	s->before_lanes = slots_handled();
	for_each_possible_cpu(cpu) {
		u64 *before = per_cpu_ptr(s->before, cpu);

		*before = stream_emitted_on(cpu);
	}
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
out_free:
	if (s->rings)
		free_percpu(s->rings);
	free_percpu(s->marked);
	free_percpu(s->before);
	kfree(s);
	return ERR_PTR(err);
}

/**
 * stream_del() - remove a stream
 * @s: the stream
 *
 * Who has it open reads what is left, and then the end.
 *
 * Context: process, devtrace_lock held, which is given up meanwhile; no other command.
 * Return: 0, -EBUSY if it is stream 0, -ENOMEM.
 */
int stream_del(struct stream *s)
{
	int err;

	if (s == &devtrace_stream0)
		return -EBUSY;
	err = filter_set(s->id, NULL);
	if (err)
		return err;
	del_device(s);
	stream_leave(s);
	return 0;
}

/**
 * stream_info() - what a stream is and does
 * @s: the stream
 * @info: filled in
 *
 * Context: devtrace_lock held.
 */
void stream_info(struct stream *s, struct stream_info *info)
{
	struct devtrace_stats st;
	struct stream_past p;
	unsigned long n = stream_oldest_past(s);
	u64 oldest;

	memset(info, 0, sizeof(*info));
	strscpy(info->name, s->name, sizeof(info->name));
	info->id = s->id;
	info->bytes = s->bytes;
	info->state = s->state;
	info->watermark = s->watermark;
	info->mode = s->mode;
	/* The last change. */
	while (stream_past(s, &n, &p)) {
		n++;
		info->since = p.ts;
		strscpy(info->reason, p.trigger, sizeof(info->reason));
	}
	stream_stats(s, -1, &st, &oldest);
	info->used = st.used;
}

/**
 * stream_init() - make stream 0
 * @bytes: of ring a CPU
 * @start: first position and index, and where other counters begin, for tests
 * @mode: of the device node
 *
 * Return: 0 or -ENOMEM.
 */
int stream_init(unsigned long bytes, u32 start, umode_t mode)
{
	struct stream *s = &devtrace_stream0;
	int err;

	s->rings = &devtrace_rings;
	s->start = start & ~(u32)(bytes / RING_UNIT - 1);
	s->oldest_past = (long)(s32)start;
	s->pasts = s->oldest_past;
	s->clears = start;
	stream_wq = alloc_workqueue("devtrace", WQ_UNBOUND, 0);
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

/* No emitter, no reader and no caller of netlink is left. */
void stream_exit(void)
{
	struct stream *s;
	unsigned int id;

	mutex_lock(&devtrace_lock);
	for (id = 1; id < DEVTRACE_STREAMS_MAX; id++) {
		s = stream_by_id(id);
		if (!s)
			continue;
		/* Its filter goes with all others: to take it out would need memory. */
		cdev_del_stream(s);
		stream_leave(s);
	}
	mutex_unlock(&devtrace_lock);
	s = &devtrace_stream0;
	RCU_INIT_POINTER(devtrace_streams[0], NULL);
	rings_del(s);
	stream_put(s);
	/* Waits for those that are being freed. */
	destroy_workqueue(stream_wq);
}
