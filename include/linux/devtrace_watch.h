/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Be called for trace events in the kernel, where and when they are emitted
 *
 * For a driver that must act at once: cut the power on the first event of severity
 * DEVTRACE_HW3, say. Readers of /dev/trace and triggers act later, in a process.
 *
 *	static void stop(struct devtrace_watch *w, const struct devtrace_watch_event *ev)
 *	{
 *		writel(0, motor_enable);
 *	}
 *
 *	static struct devtrace_watch watch = {
 *		.event		= stop,
 *		.severities	= DEVTRACE_WATCH_SEVERITY(DEVTRACE_HW3),
 *		.origins	= DEVTRACE_WATCH_KERNEL | DEVTRACE_WATCH_USER,
 *	};
 *
 *	__set_bit(DEVTRACE_T_EXC, watch.types);
 *	err = devtrace_watch_register(&watch);
 *
 * The module devtrace_watch.ko exports these functions; a driver that calls one needs the module.
 * Without a registered watch, no emitter pays: no instruction on the path of an event tests for
 * one.
 */
#ifndef _LINUX_DEVTRACE_WATCH_H
#define _LINUX_DEVTRACE_WATCH_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/devtrace.h>
#include <linux/errno.h>
#include <linux/types.h>

/* Number of watches at a time. */
#define DEVTRACE_WATCHES_MAX		8

/* For struct devtrace_watch.severities: s is DEVTRACE_SW0 ... DEVTRACE_HW3 */
#define DEVTRACE_WATCH_SEVERITY(s)	BIT(s)
/* Events without a severity. */
#define DEVTRACE_WATCH_NO_SEVERITY	BIT(0)
#define DEVTRACE_WATCH_ANY_SEVERITY	0xff01U

/* For struct devtrace_watch.origins */
#define DEVTRACE_WATCH_KERNEL		0x1U
#define DEVTRACE_WATCH_USER		0x2U

/**
 * struct devtrace_watch_event - an event being emitted
 * @ts: trace clock, ns; not later than the time that the event gets in a stream
 * @payload: the elements, valid until the callback returns
 * @len: bytes of @payload
 * @type: event type
 * @severity: DEVTRACE_SW0 ... DEVTRACE_HW3, or 0: none
 * @flags: DEVTRACE_F_*: context, emitted by a program, and what the event has
 * @code: with DEVTRACE_F_CODE; else 0
 * @object: with DEVTRACE_F_OBJSIG; else 0
 * @signal: with DEVTRACE_F_OBJSIG; else 0
 */
struct devtrace_watch_event {
	u64		ts;
	const u8	*payload;
	u16		len;
	u8		type;
	u8		severity;
	u8		flags;
	u32		code;
	u16		object;
	u16		signal;
};

/**
 * struct devtrace_watch - a callback, and the events that it is called for
 * @event: called once for each event that meets all terms. Context: that of the emitter, which
 *	may be a task, a softirq, an interrupt or an NMI; preemption is off. It must not sleep;
 *	not allocate, except with GFP_NOWAIT outside an NMI; not take a lock that the
 *	interrupted code may hold; and not call devtrace_watch_register() or
 *	devtrace_watch_unregister(). RCU may not be watching: rcu_is_watching() tells. The event
 *	is not stored before the callback returns. An event that the callback emits is stored,
 *	but no watch is called for it
 * @types: bit n: events of type n. Bits 128 to 191 enable the kernel profile events, like a
 *	filter that names them
 * @severities: DEVTRACE_WATCH_SEVERITY(s), or several of them
 * @origins: DEVTRACE_WATCH_KERNEL: drivers and the kernel; DEVTRACE_WATCH_USER: programs
 *
 * The members must not change while the watch is registered.
 */
struct devtrace_watch {
	void (*event)(struct devtrace_watch *w, const struct devtrace_watch_event *ev);
	DECLARE_BITMAP(types, 256);
	u32	severities;
	u32	origins;
};

/**
 * devtrace_watch_all() - let a watch ask for all events of drivers and programs
 * @w: its terms are set, but not the callback
 *
 * Leaves out kernel profile events, which cost time as soon as they are named.
 *
 * Context: any.
 */
static inline void devtrace_watch_all(struct devtrace_watch *w)
{
	bitmap_fill(w->types, 256);
	bitmap_clear(w->types, DEVTRACE_T_KERNEL, DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL);
	w->severities = DEVTRACE_WATCH_ANY_SEVERITY;
	w->origins = DEVTRACE_WATCH_KERNEL | DEVTRACE_WATCH_USER;
}

#if IS_ENABLED(CONFIG_DEVTRACE) && !defined(DEVTRACE_DISABLE)

int devtrace_watch_register(struct devtrace_watch *w);
int devtrace_watch_unregister(struct devtrace_watch *w);

#else

static inline int devtrace_watch_register(struct devtrace_watch *w) { return -ENODEV; }
static inline int devtrace_watch_unregister(struct devtrace_watch *w) { return -ENODEV; }

#endif

#endif /* _LINUX_DEVTRACE_WATCH_H */
