// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel events that a trigger or a stream other than stream 0 wants; stream 0 may want them, too
 *
 * Such an event is built in a slot outside the rings; store_all() stores the complete event. Until
 * then the ring of stream 0 counts as entered, so __devtrace_commit() detects the slot by the test
 * for nested events, which it makes in any case.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/devtrace.h>

#include "emit.h"
#include "event.h"
#include "slots.h"
#include "store.h"
#include "stream/rings.h"
#include "stream/wake.h"

/* One for each level of nesting: task, softirq, interrupts, NMIs. */
#define EMIT_SLOTS		6
#define EMIT_SLOT_FREE	UINT_MAX

/**
 * struct emit_slot - an event being built
 * @below: number of events of stream 0 in progress when this one began
 * @set: streams and triggers that want it
 * @ev: the event
 * @data: its payload
 */
struct emit_slot {
	unsigned int	below;
	u32		set;
	struct event	ev;
	u8		data[DEVTRACE_PAYLOAD_MAX];
};

/* @next: the slot for the next event; those before it are in use */
struct emit_slots {
	struct emit_slot	*next;
	struct emit_slot	slot[EMIT_SLOTS];
};

static DEFINE_PER_CPU(struct emit_slots *, emit_slots);

static struct emit_slot *slots_next(const struct emit_slots *s)
{
	/* An interrupt frees the slots that it takes, so every load here reads the same slot. */
	return data_race(s->next);
}

/* No slot: nobody wants the event, it is too long, or all slots are in use. */
static noinline notrace void *emit_slot_none(struct ring *r, u32 set, unsigned int type,
					     unsigned int len)
{
	if (set)
		ring_count_inc(&r->dropped[len > DEVTRACE_PAYLOAD_MAX ? RING_DROP_TOOBIG :
								       RING_DROP_BUSY]);
	else
		emit_not_wanted(type);
	preempt_enable_notrace();
	return NULL;
}

/**
 * emit_slot_reserve() - reserve a slot for an event that stream 0 is not alone in wanting
 * @r: the ring of stream 0 on this CPU
 * @set: bit mask of the streams and triggers that want it
 * @type: event type
 * @who: flags, severity and context
 * @len: bytes of payload
 *
 * Context: any, preemption off.
 * Return: where to write the payload, with preemption off until emit_slot_commit(); NULL, with
 *	preemption enabled, if the event was dropped and counted, or nobody wants it.
 */
notrace void *emit_slot_reserve(struct ring *r, u32 set, unsigned int type, u32 who,
				unsigned int len)
{
	struct emit_slots *s = __this_cpu_read(emit_slots);
	struct emit_slot *slot;

	if (unlikely(!set || len > DEVTRACE_PAYLOAD_MAX || !s ||
		     slots_next(s) == s->slot + EMIT_SLOTS))
		return emit_slot_none(r, set, type, len);
	/* Take the slot first: from here on, an interrupt takes the next one. */
	slot = slots_next(s);
	WRITE_ONCE(s->next, slot + 1);
	barrier();
	/* Set @below last: until then, an interrupt does not mistake this slot for its own. */
	slot->set = set;
	slot->ev.type = type;
	slot->ev.who = who;
	slot->ev.len = len;
	barrier();
	WRITE_ONCE(slot->below, ring_nested(r));
	barrier();
	ring_hold(r);
	return slot->data;
}

/**
 * emit_slot_commit() - the part of __devtrace_commit() for an event that is in a slot, or that
 * was begun while other events were in progress
 * @r: the ring of stream 0 on this CPU
 */
notrace void emit_slot_commit(struct ring *r)
{
	struct emit_slots *s = __this_cpu_read(emit_slots);
	struct emit_slot *slot;

	if (!s || slots_next(s) == s->slot)
		goto nested;
	slot = slots_next(s) - 1;
	if (READ_ONCE(slot->below) != ring_nested(r))
		goto nested;
	store_all(slot->set, &slot->ev);
	WRITE_ONCE(slot->below, EMIT_SLOT_FREE);
	barrier();
	WRITE_ONCE(s->next, slot);
	ring_let_go(r);
	wake_stream0();
	return;

nested:
	ring_leave_nested(r);
	wake_stream0();
}

static int alloc_slots(unsigned int cpu)
{
	struct emit_slots *s;
	int i;

	if (per_cpu(emit_slots, cpu))
		return 0;
	s = kvzalloc_node(sizeof(*s), GFP_KERNEL, cpu_to_node(cpu));
	if (!s)
		return -ENOMEM;
	s->next = s->slot;
	for (i = 0; i < EMIT_SLOTS; i++) {
		s->slot[i].below = EMIT_SLOT_FREE;
		s->slot[i].ev.data = s->slot[i].data;
	}
	/*
	 * LMM(slots:A): If an emitter reads this pointer, then it reads that the slots are free.
	 * Its loads depend on the pointer, so it needs no barrier.
	 */
	smp_store_release(per_cpu_ptr(&emit_slots, cpu), s);
	return 0;
}

/*
 * Allocate slots, for streams besides stream 0, triggers or a stop. Process context, devtrace_lock
 * held. Return 0 or -ENOMEM.
 */
int emit_slots_alloc(void)
{
	return rings_need(alloc_slots);
}

/* Called when no emitter is left. */
void emit_slots_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(emit_slots, cpu));
		per_cpu(emit_slots, cpu) = NULL;
	}
}
