// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ways into the rings
 *
 * Whoever emits does it on the ring of the CPU it runs on, with preemption
 * off from reservation to commit. Nothing here takes a lock, allocates or
 * sleeps, except that a program's event is faulted in, preemption on, before
 * it is copied. Every event that is not stored is counted, by cause.
 */
#include <linux/cpuhotplug.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "core.h"
#include "dict.h"
#include "proc.h"

/* A program's event on its way into the ring. */
struct bounce {
	union {
		struct devtrace_emit e;
		u8 bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
	};
};

#define FAULT_IN_TRIES	64

unsigned long devtrace_wanted[256 / BITS_PER_LONG] __read_mostly;
EXPORT_SYMBOL_GPL(devtrace_wanted);
DEFINE_PER_CPU(u64, devtrace_filtered);
EXPORT_PER_CPU_SYMBOL_GPL(devtrace_filtered);

DEFINE_PER_CPU(struct ring, devtrace_rings);
/* Serializes clearing with whoever reads what was cleared. */
DEFINE_MUTEX(devtrace_clear_lock);
unsigned int devtrace_clear_count;

/* Not per-CPU memory itself: that is vmalloc, whose checks of a copy may sleep. */
static DEFINE_PER_CPU(struct bounce *, bounces);
static unsigned long ring_bytes;
static u32 ring_start;
static int cpuhp_state;

static noinline u32 context_interrupt(unsigned int pc)
{
	if (pc & NMI_MASK)
		return DEVTRACE_CTX_NMI << RING_WHO_CTX_SHIFT;
	if (pc & HARDIRQ_MASK)
		return DEVTRACE_CTX_IRQ << RING_WHO_CTX_SHIFT;
	return DEVTRACE_CTX_SOFTIRQ << RING_WHO_CTX_SHIFT;
}

static __always_inline u32 context(void)
{
	const unsigned int pc = preempt_count();
	bool task = !(pc & (NMI_MASK | HARDIRQ_MASK));

	/* Where it can be, one test. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		task = task && !in_serving_softirq();
	else
		task = !(pc & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
	if (likely(task))
		return DEVTRACE_CTX_TASK << RING_WHO_CTX_SHIFT;
	return context_interrupt(pc);
}

/* Too long a payload for this ring, or no ring at all. */
static noinline void drop_unfit(struct ring *r)
{
	ring_count_inc(&r->dropped[READ_ONCE(r->limit) ? RING_DROP_TOOBIG :
							 RING_DROP_NORING]);
	devtrace_wake_kick();
}

/*
 * Room on this CPU for an event that fits, preemption off. NULL: dropped and
 * counted; otherwise commit() is to follow.
 */
static __always_inline struct ring_record *
reserve_fit(struct ring *r, unsigned int type, u32 who, unsigned int len)
{
	struct task_struct *task = current;
	struct ring_record *rec;
	bool crossed = false;
	u64 now;

	devtrace_proc_seen(task);
	ring_enter(r);
	rec = ring_reserve(r, len, type, &now, &crossed);
	if (unlikely(!rec)) {
		ring_leave(r);
		/* There is a loss to be read. */
		devtrace_wake_kick();
		return NULL;
	}
	BUILD_BUG_ON(PID_MAX_LIMIT - 1 > RING_WHO_TID);
	rec->who = who | context() | task->pid;
	devtrace_clock_event(now);
	if (unlikely(crossed))
		devtrace_wake_full();
	return rec;
}

/* The same for an event of any length. */
static __always_inline struct ring_record *
reserve(struct ring *r, unsigned int type, u32 who, unsigned int len)
{
	if (likely(len < READ_ONCE(r->limit)))
		return reserve_fit(r, type, who, len);
	drop_unfit(r);
	return NULL;
}

static __always_inline void commit(struct ring *r)
{
	ring_leave(r);
	if (unlikely(READ_ONCE(devtrace_waiting) == DEVTRACE_WAITING))
		devtrace_wake_kick();
}

/**
 * __devtrace_reserve() - room for an event
 * @type: event type
 * @who: __DEVTRACE_* flags and severity
 * @len: bytes of payload
 *
 * Return: where the payload goes, preemption off until __devtrace_commit();
 * or NULL if the event was dropped.
 */
void *__devtrace_reserve(unsigned int type, u32 who, unsigned int len)
{
	struct ring_record *rec;

	preempt_disable_notrace();
	rec = reserve(this_cpu_ptr(&devtrace_rings), type, who, len);
	if (likely(rec))
		return rec->data;
	preempt_enable_notrace();
	return NULL;
}
EXPORT_SYMBOL_GPL(__devtrace_reserve);

/**
 * __devtrace_commit() - the event reserved last on this CPU is complete
 */
void __devtrace_commit(void)
{
	commit(this_cpu_ptr(&devtrace_rings));
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(__devtrace_commit);

/**
 * __devtrace_emit() - emit an event that is already built
 * @type: event type
 * @who: __DEVTRACE_* flags and severity
 * @data: payload
 * @len: its length in bytes
 */
void __devtrace_emit(unsigned int type, u32 who, const void *data, unsigned int len)
{
	void *p;

	/* The type need not be a constant here. */
	if (WARN_ON_ONCE(!__devtrace_type_ok(type)))
		return;
	p = __devtrace_reserve(type, who, len);
	if (p) {
		memcpy(p, data, len);
		__devtrace_commit();
	}
}
EXPORT_SYMBOL_GPL(__devtrace_emit);

/**
 * devtrace_put_str() - add a string
 * @r: the record
 * @s: NUL-terminated
 */
void devtrace_put_str(struct devtrace_record *r, const char *s)
{
	size_t len = strnlen(s, DEVTRACE_RECORD_MAX) + 1;
	u8 *p = __devtrace_room(r, 1 + len);

	if (p) {
		*p++ = DEVTRACE_E_STR;
		memcpy(p, s, len);
	}
}
EXPORT_SYMBOL_GPL(devtrace_put_str);

/**
 * devtrace_put_mem() - add a buffer
 * @r: the record
 * @buf: the buffer
 * @n: its length in bytes
 */
void devtrace_put_mem(struct devtrace_record *r, const void *buf, size_t n)
{
	u8 *p;

	/* A record holds one length byte's worth of buffer and not much more. */
	BUILD_BUG_ON(DEVTRACE_RECORD_MAX > 257);
	p = n <= 255 ? __devtrace_room(r, 2 + n) : NULL;
	if (!p) {
		r->full = true;
		return;
	}
	*p++ = DEVTRACE_E_MEM;
	*p++ = n;
	memcpy(p, buf, n);
}
EXPORT_SYMBOL_GPL(devtrace_put_mem);

/**
 * devtrace_emit_text() - emit one line of text
 * @who: RING_WHO_USER or 0
 * @severity: severity byte
 * @text: not terminated
 * @len: its length; what the ring or an event cannot hold is cut off
 */
void devtrace_emit_text(u32 who, u8 severity, const char *text, unsigned int len)
{
	struct ring_record *rec;
	struct ring *r;
	u8 *p, *nul, *end;

	preempt_disable_notrace();
	r = this_cpu_ptr(&devtrace_rings);
	if (r->limit > 2)
		len = min(len, r->limit - 3U);
	rec = reserve(r, DEVTRACE_T_TEXT, who | (u32)severity << RING_WHO_SEV_SHIFT,
		      len + 2);
	if (rec) {
		p = rec->data;
		*p++ = DEVTRACE_E_STR;
		memcpy(p, text, len);
		end = p + len;
		*end = 0;
		/* A string ends at its NUL, so inside there is none. */
		for (nul = p; unlikely((nul = memchr(nul, 0, end - nul))); nul++)
			*nul = '?';
		commit(r);
	}
	preempt_enable_notrace();
}

/**
 * devtrace_text() - emit a line of text
 * @severity: severity byte
 * @fmt: as for printk(), without a newline
 */
void devtrace_text(u8 severity, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int len;

	if (!devtrace_enabled(DEVTRACE_T_TEXT))
		return;
	va_start(ap, fmt);
	len = vscnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	devtrace_emit_text(0, severity & 0xf, text, len);
}
EXPORT_SYMBOL_GPL(devtrace_text);

/* Types that a program may emit. */
static __always_inline bool user_type(u8 type)
{
	if (likely(type >= DEVTRACE_T_USER && type < DEVTRACE_T_KERNEL))
		return true;
	if (type == DEVTRACE_T_EMPTY || type == DEVTRACE_T_ENUM)
		return false;
	if (type >= DEVTRACE_T_CLOCK && type <= DEVTRACE_T_PROC)
		return false;
	return type < DEVTRACE_T_KERNEL || type >= DEVTRACE_T_USER2;
}

static noinline int emit_check_rest(const struct devtrace_emit *e, unsigned int len)
{
	unsigned int need = 0;

	if (e->flags & DEVTRACE_F_CODE)
		need += sizeof(__le32);
	if (e->flags & DEVTRACE_F_OBJSIG)
		need += 2 * sizeof(__le16);
	if (e->reserved || e->flags & ~DEVTRACE_F_MASK_EMIT || len < need ||
	    (e->severity && e->severity >> 3 != 1))
		return -EINVAL;
	return 0;
}

static __always_inline int emit_check(const struct devtrace_emit *e, unsigned int len)
{
	if (unlikely(!user_type(e->type)))
		return -EINVAL;
	if (likely(!(e->severity | e->flags | e->reserved)))
		return 0;
	return emit_check_rest(e, len);
}

/*
 * Events of these sizes are copied word by word, the last two overlapping. In
 * place of an unaligned access some machines would take many.
 */
static __always_inline bool few_words(unsigned int size)
{
	return IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) &&
	       likely(size >= sizeof(long) && size <= 8 * sizeof(long));
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

static __always_inline void copy_words(u8 *to, const u8 *from, unsigned int size)
{
	const u8 *last = to + size - sizeof(long);

	do {
		*(unsigned long *)to = *(const unsigned long *)from;
		from += sizeof(long);
		to += sizeof(long);
	} while (to < last);
	*(unsigned long *)last = *(const unsigned long *)(from + (last - to));
}

/* Page faults and preemption are off. */
static __always_inline bool copy_event(void *to, const void __user *from, unsigned int size)
{
	if (few_words(size))
		return copy_words_from_user(to, from, size);
	return access_ok(from, size) && !__copy_from_user_inatomic(to, from, size);
}

static __always_inline void copy_payload(void *to, const void *from, unsigned int len)
{
	if (few_words(len))
		copy_words(to, from, len);
	else
		memcpy(to, from, len);
}

/**
 * devtrace_emit_user() - emit an event of a program
 * @arg: the event
 * @size: its size with the header
 *
 * Return: 0 if it was stored, filtered, or dropped and counted; -EINVAL if it
 * makes no sense; -EMSGSIZE if it is longer than any event or than a quarter
 * of the ring; -EFAULT.
 */
long devtrace_emit_user(const struct devtrace_emit __user *arg, unsigned int size)
{
	const unsigned int len = size - sizeof(*arg);
	struct ring_record *rec;
	int tries = 0, err;
	struct bounce *b;
	struct ring *r;
	bool copied;

	if (!few_words(size)) {
		if (size < sizeof(*arg))
			return -EINVAL;
		if (len > DEVTRACE_PAYLOAD_MAX)
			return -EMSGSIZE;
	}
	for (;;) {
		preempt_disable();
		b = __this_cpu_read(bounces);
		/* Where the count tells, preemption off is enough not to fault. */
		if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
			pagefault_disable();
		copied = copy_event(b->bytes, arg, size);
		if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
			pagefault_enable();
		if (likely(copied))
			break;
		preempt_enable();
		if (++tries > FAULT_IN_TRIES || !access_ok(arg, size) ||
		    compat_fault_in_readable((const void __user *)arg, size))
			return -EFAULT;
	}

	err = emit_check(&b->e, len);
	if (unlikely(err))
		goto out;
	if (unlikely(!devtrace_enabled(b->e.type)))
		goto out;
	r = this_cpu_ptr(&devtrace_rings);
	if (unlikely(len >= READ_ONCE(r->limit))) {
		if (r->limit)
			err = -EMSGSIZE;
		else
			drop_unfit(r);
		goto out;
	}
	rec = reserve_fit(r, b->e.type, RING_WHO_USER |
			(u32)b->e.flags << RING_WHO_CTX_SHIFT |
			(u32)b->e.severity << RING_WHO_SEV_SHIFT, len);
	if (likely(rec)) {
		copy_payload(rec->data, b->e.data, len);
		commit(r);
	}
out:
	preempt_enable();
	return err;
}

/* Names that drivers give; scope 0. */

static int name_set(u8 kind, u8 group, u32 value, const void *key, const char *name)
{
	struct devtrace_dict d = {
		.kind = kind,
		.group = group,
		.value = value,
		.key = (unsigned long)key,
	};

	int err;

	if (strscpy(d.name, name, sizeof(d.name)) < 0)
		return -EINVAL;
	err = devtrace_dict_set(NULL, &d);
	if (!err)
		devtrace_wake_later();
	return err;
}

/**
 * devtrace_name_obj() - name an object
 * @obj: its address, or a small id
 * @name: at most DEVTRACE_NAME_MAX bytes with the NUL
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_obj(const void *obj, const char *name)
{
	return name_set(DEVTRACE_T_OBJ, 0, 0, obj, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_obj);

/**
 * devtrace_name_fun() - name a function
 * @fun: its address
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_fun(const void *fun, const char *name)
{
	return name_set(DEVTRACE_T_FUN, 0, 0, fun, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_fun);

/**
 * devtrace_name_sig() - name a signal
 * @sig: its number
 * @obj: the object it means this to, or NULL for all
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_sig(u32 sig, const void *obj, const char *name)
{
	return name_set(DEVTRACE_T_SIG, 0, sig, obj, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_sig);

/**
 * devtrace_name_type() - name an event type
 * @type: event type
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_type(u8 type, const char *name)
{
	return name_set(DEVTRACE_T_USR, 0, type, NULL, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_type);

/**
 * devtrace_name_enum() - name a value of an enumeration
 * @group: enumeration, 0 to 7
 * @value: its value
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_enum(u8 group, u8 value, const char *name)
{
	return name_set(DEVTRACE_T_ENUM, group, value, NULL, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_enum);

/**
 * devtrace_clear() - let no event be read that is committed now
 */
void devtrace_clear(void)
{
	struct ring *r;
	int cpu;

	mutex_lock(&devtrace_clear_lock);
	for_each_possible_cpu(cpu) {
		r = per_cpu_ptr(&devtrace_rings, cpu);
		if (ring_exists(r))
			ring_clear(r);
	}
	WRITE_ONCE(devtrace_clear_count, devtrace_clear_count + 1);
	mutex_unlock(&devtrace_clear_lock);
	devtrace_wake_now();
}

static void stats_add(const struct ring *r, int cpu, struct devtrace_stats *s)
{
	u64 filtered = READ_ONCE(*per_cpu_ptr(&devtrace_filtered, cpu));
	u64 dropped = 0, stored = 0;
	struct ring_view v;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++) {
		u64 n = ring_count_read(&r->dropped[i]);

		s->dropped[i] += n;
		dropped += n;
	}
	if (ring_exists(r)) {
		ring_view(r, &v);
		stored = v.head.idx - ring_start;
		s->overwritten += v.tail.idx - ring_start;
		s->size += (u64)(r->mask + 1) * RING_UNIT;
		s->used += (v.head.pos - v.tail.pos) * RING_UNIT;
	}
	s->stored += stored;
	s->filtered += filtered;
	s->emitted += stored + dropped + filtered;
}

/**
 * devtrace_stats_get() - what became of the events
 * @cpu: CPU number, possible, or -1 for all
 * @s: filled in
 */
void devtrace_stats_get(int cpu, struct devtrace_stats *s)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->cpu = cpu;
	s->nr_cpus = nr_cpu_ids;
	s->now = devtrace_clock();
	if (cpu >= 0) {
		stats_add(per_cpu_ptr(&devtrace_rings, cpu), cpu, s);
		return;
	}
	for_each_possible_cpu(i)
		stats_add(per_cpu_ptr(&devtrace_rings, i), i, s);
}

/* A CPU gets its ring before it first comes up, and keeps it. */
static int emit_cpu_prepare(unsigned int cpu)
{
	struct ring *r = per_cpu_ptr(&devtrace_rings, cpu);

	if (ring_exists(r))
		return 0;
	return ring_init(r, ring_bytes, ring_start, ring_start);
}

/**
 * devtrace_emit_init() - make the rings
 * @size: bytes a CPU, rounded
 * @start: first position and index
 *
 * Return: 0 or a negative error number.
 */
int devtrace_emit_init(unsigned long size, u32 start)
{
	int cpu, ret;

	BUILD_BUG_ON(RING_PAYLOAD_MAX != DEVTRACE_PAYLOAD_MAX);
	BUILD_BUG_ON(RING_WHO_CODE != __DEVTRACE_CODE);
	BUILD_BUG_ON(RING_WHO_OBJSIG != __DEVTRACE_OBJSIG);
	BUILD_BUG_ON(RING_WHO_PTR != __DEVTRACE_PTR);
	BUILD_BUG_ON(RING_WHO_USER != (DEVTRACE_F_USER << RING_WHO_CTX_SHIFT));
	BUILD_BUG_ON(RING_WHO_CODE != (DEVTRACE_F_CODE << RING_WHO_CTX_SHIFT));
	BUILD_BUG_ON(RING_WHO_OBJSIG != (DEVTRACE_F_OBJSIG << RING_WHO_CTX_SHIFT));
	BUILD_BUG_ON(RING_WHO_PTR != (DEVTRACE_F_PTR << RING_WHO_CTX_SHIFT));

	ring_bytes = size;
	ring_start = start & ~(u32)(size / RING_UNIT - 1);
	for_each_possible_cpu(cpu) {
		struct bounce *b = kmalloc_node(sizeof(*b), GFP_KERNEL, cpu_to_node(cpu));

		if (!b) {
			devtrace_emit_exit();
			return -ENOMEM;
		}
		per_cpu(bounces, cpu) = b;
	}
	bitmap_fill(devtrace_wanted, 256);
	ret = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "devtrace:ring",
				emit_cpu_prepare, NULL);
	if (ret < 0) {
		devtrace_emit_exit();
		return ret;
	}
	cpuhp_state = ret;
	return 0;
}

/* No emitter is left. */
void devtrace_emit_exit(void)
{
	int cpu;

	if (cpuhp_state > 0)
		cpuhp_remove_state_nocalls(cpuhp_state);
	for_each_possible_cpu(cpu) {
		ring_free(per_cpu_ptr(&devtrace_rings, cpu));
		kfree(per_cpu(bounces, cpu));
		per_cpu(bounces, cpu) = NULL;
	}
}
