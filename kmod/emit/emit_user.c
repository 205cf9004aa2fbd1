// SPDX-License-Identifier: GPL-2.0-only
/*
 * How programs emit events by ioctl(2)
 *
 * The event is copied into a per-CPU buffer with preemption and page faults off. If one of its
 * pages is not in memory, both are enabled, the page is faulted in, and the event is copied again.
 * The checks read only the copy, which the program cannot change.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "compat/compat.h"
#include "emit.h"
#include "emit_user.h"
#include "event.h"
#include "payload.h"
#include "store.h"
#include "stream/rings.h"

/* Buffer for a program's event. */
struct bounce {
	union {
		struct devtrace_emit e;
		u8 bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
	};
};

#define FAULT_IN_TRIES	64

/* Pointers, because per-CPU memory may be vmalloc memory, into which a checked copy may sleep. */
static DEFINE_PER_CPU(struct bounce *, bounces);

/* Is this a valid request without severity, code or object? */
static __always_inline bool emit_is_plain(const struct devtrace_emit *e)
{
	return devtrace_type_is_emittable(e->type) && !(e->severity | e->flags | e->reserved);
}

static inline bool emit_is_valid(const struct devtrace_emit *e, unsigned int len)
{
	return !e->reserved &&
	       devtrace_event_is_valid(e->type, e->flags, e->severity, e->data, len);
}

static __always_inline u32 emit_who(const struct devtrace_emit *e)
{
	return RING_WHO_USER | (u32)e->flags << RING_WHO_CTX_SHIFT |
	       (u32)e->severity << RING_WHO_SEV_SHIFT;
}

static __always_inline bool copy_words_from_user(u8 *to, const u8 __user *from,
						 unsigned int size)
{
	const u8 *last = to + size - sizeof(long);
	unsigned long word;

	if (!user_read_access_begin(from, size))
		return false;
	do {
		unsafe_get_user(word, (const unsigned long __user *)from, fault);
		*(unsigned long *)to = word;
		from += sizeof(long);
		to += sizeof(long);
	} while (to < last);
	from += last - to;
	unsafe_get_user(word, (const unsigned long __user *)from, fault);
	*(unsigned long *)last = word;
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/* Page faults and preemption are off. */
static __always_inline bool copy_event(void *to, const void __user *from, unsigned int size)
{
	if (payload_is_few_words(size))
		return copy_words_from_user(to, from, size);
	return access_ok(from, size) && !__copy_from_user_inatomic(to, from, size);
}

/* Emit an event if the gate is closed (see emit.h), or if the event is severe or does not fit. */
static noinline int emit_gated(struct ring *r, u32 who, const struct devtrace_emit *e,
			       unsigned int len)
{
	const u16 too_long = READ_ONCE(r->too_long);
	struct ring_record *rec;
	u32 set;
	u64 now;

	if (len >= too_long && too_long)
		return -EMSGSIZE;
	set = emit_wants(e->type, who, e->data);
	if (likely(set == READ_ONCE(devtrace_quick_set) && too_long) && !emit_is_severe(who)) {
		rec = emit_reserve(r, 0, e->type, who, len, &now);
		if (likely(rec)) {
			payload_copy(rec->data, e->data, len);
			emit_commit(r);
		}
	} else {
		store_all(set, &(struct event){ e->type, who, len, e->data });
	}
	return 0;
}

/* Store the buffer's event into @rec, if it was reserved. */
static void emit_finish(struct bounce *b, struct ring *r, struct ring_record *rec, unsigned int len)
{
	if (likely(rec)) {
		payload_copy(rec->data, b->e.data, len);
		emit_commit(r);
	}
	preempt_enable();
}

/* Emit any event in the buffer; preemption is off. */
static noinline int emit_any(struct bounce *b, unsigned int len)
{
	struct ring *r = __this_cpu_read(devtrace_ring);
	const u32 who = emit_who(&b->e);
	u64 now;
	int err = -EINVAL;

	if (!emit_is_valid(&b->e, len))
		goto out;
	devtrace_proc_seen(current);
	if (unlikely(len >= READ_ONCE(r->gate)) || emit_is_severe(who)) {
		err = emit_gated(r, who, &b->e, len);
		goto out;
	}
	emit_finish(b, r, emit_reserve(r, 0, b->e.type, who, len, &now), len);
	return 0;
out:
	preempt_enable();
	return err;
}

/* Emit after emit_try() has entered the ring and failed. */
static noinline int emit_entered(struct bounce *b, struct ring *r, unsigned int len)
{
	u64 now;

	emit_finish(b, r, emit_reserve_entered(r, 0, b->e.type, emit_who(&b->e), len, &now), len);
	return 0;
}

static noinline int emit_late(struct bounce *b, struct ring *r, struct ring_record *rec, u64 now)
{
	devtrace_clock_take(now);
	emit_finish(b, r, rec, rec->len);
	return 0;
}

/* Emit a plain event that streams besides stream 0, or triggers, want; preemption is off. */
static noinline int emit_others(struct bounce *b, unsigned int len, u32 set)
{
	store_all(set, &(struct event){ b->e.type, RING_WHO_USER, len, b->e.data });
	preempt_enable();
	return 0;
}

/* Emit an event that is long, or whose page is not in memory. */
static noinline long emit_copied(const struct devtrace_emit __user *arg, unsigned int size)
{
	struct bounce *b;
	int tries = 0;
	bool copied;

	if (size < sizeof(*arg))
		return -EINVAL;
	if (size - sizeof(*arg) > DEVTRACE_PAYLOAD_MAX)
		return -EMSGSIZE;
	for (;;) {
		preempt_disable();
		b = __this_cpu_read(bounces);
		/* With CONFIG_PREEMPT_COUNT, disabling preemption disables page faults, too. */
		if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
			pagefault_disable();
		copied = copy_event(b->bytes, arg, size);
		if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
			pagefault_enable();
		if (likely(copied))
			return emit_any(b, size - sizeof(*arg));
		preempt_enable();
		if (++tries > FAULT_IN_TRIES || !access_ok(arg, size) ||
		    compat_fault_in_readable((const void __user *)arg, size))
			return -EFAULT;
	}
}

/**
 * devtrace_emit_user() - emit an event of a program
 * @arg: the event
 * @size: its size including the header, bytes
 *
 * Return: 0 if it was stored, filtered, or dropped and counted; -EINVAL if it is invalid;
 *	-EMSGSIZE if it is longer than the limit or a quarter of the ring; -EFAULT.
 */
long devtrace_emit_user(const struct devtrace_emit __user *arg, unsigned int size)
{
	const unsigned int len = size - sizeof(*arg);
	struct ring_record *rec;
	struct bounce *b;
	unsigned int type;
	struct ring *r;
	u32 others = 0;
	bool copied;
	u64 now;

	if (!payload_is_few_words(size))
		return emit_copied(arg, size);
	preempt_disable();
	b = __this_cpu_read(bounces);
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		pagefault_disable();
	copied = copy_words_from_user(b->bytes, (const u8 __user *)arg, size);
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		pagefault_enable();
	if (unlikely(!copied)) {
		preempt_enable();
		return emit_copied(arg, size);
	}

	r = __this_cpu_read(devtrace_ring);
	type = b->e.type;
	if (unlikely(!emit_is_plain(&b->e) ||
		     !quick_may(r, type, RING_WHO_USER, len, false, &others)))
		return others ? emit_others(b, len, others) : emit_any(b, len);
	rec = emit_try(r, type, RING_WHO_USER, len, &now);
	if (unlikely(!rec))
		return emit_entered(b, r, len);
	if (devtrace_clock_due(now))
		return emit_late(b, r, rec, now);
	payload_copy_few(rec->data, b->e.data, len);
	emit_commit(r);
	preempt_enable();
	return 0;
}

static int alloc_bounce(unsigned int cpu)
{
	if (!per_cpu(bounces, cpu))
		per_cpu(bounces, cpu) = kvmalloc_node(sizeof(struct bounce), GFP_KERNEL,
						      cpu_to_node(cpu));
	return per_cpu(bounces, cpu) ? 0 : -ENOMEM;
}

/*
 * Let each CPU have a buffer before it comes up. rings_init() allocates the buffers of the CPUs
 * that are up.
 */
int emit_user_init(void)
{
	return rings_need(alloc_bounce);
}

/* No emitter is left. */
void emit_user_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(bounces, cpu));
		per_cpu(bounces, cpu) = NULL;
	}
}
