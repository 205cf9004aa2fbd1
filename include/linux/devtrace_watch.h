/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call a function of a driver for trace events, in the context that emits them
 *
 * A watch is for a driver that must act at once: for example, it stops the motor on the first
 * event of severity DEVTRACE_HW3. Readers of /dev/trace and triggers act later, in a process.
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
 * The module devtrace_watch.ko exports these functions, so a driver that calls one depends on this
 * module. While no watch is registered, an event costs not one instruction more than without the
 * module.
 */
#ifndef _LINUX_DEVTRACE_WATCH_H
#define _LINUX_DEVTRACE_WATCH_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/devtrace.h>
#include <linux/errno.h>
#include <linux/types.h>

/* Maximum number of watches that are registered at the same time. */
#define DEVTRACE_WATCHES_MAX		8

/* For the member severities of struct devtrace_watch; s: DEVTRACE_SW0 ... DEVTRACE_HW3 */
#define DEVTRACE_WATCH_SEVERITY(s)	BIT(s)
/* Events without a severity. */
#define DEVTRACE_WATCH_NO_SEVERITY	BIT(0)
#define DEVTRACE_WATCH_ANY_SEVERITY	0xff01U

/* For the member origins of struct devtrace_watch. */
#define DEVTRACE_WATCH_KERNEL		0x1U
#define DEVTRACE_WATCH_USER		0x2U

/**
 * struct devtrace_watch_event - an event being emitted
 * @ts: trace clock, ns; not later than the time stamp that the event gets in a stream
 * @payload: the elements, valid until the callback returns
 * @len: bytes of @payload
 * @type: event type
 * @severity: DEVTRACE_SW0 ... DEVTRACE_HW3, or 0: none
 * @flags: DEVTRACE_F_*: context of the emitter, whether the emitter is a program, and which
 *	optional parts the event has
 * @code: the code if DEVTRACE_F_CODE is set in @flags, else 0
 * @object: the object if DEVTRACE_F_OBJSIG is set in @flags, else 0
 * @signal: the signal if DEVTRACE_F_OBJSIG is set in @flags, else 0
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
 * @event: called once for each event whose type, severity and origin the watch selects. Context:
 *	that of the emitter, which may be a task, a softirq, an interrupt or an NMI; preemption is
 *	off. The callback must not sleep; must not allocate memory, except with GFP_NOWAIT outside
 *	an NMI; must not take a lock that the interrupted code may hold; and must not call
 *	devtrace_watch_register() or devtrace_watch_unregister(). If rcu_is_watching() returns
 *	false, it must not use RCU. The event is stored after the callback returns. An event that
 *	the callback itself emits is stored, but no watch is called for it
 * @types: bit n selects events of type n. As in a filter, a bit from 128 to 191 also attaches the
 *	tracepoint of this kernel profile event
 * @severities: DEVTRACE_WATCH_SEVERITY(s), or several of them ORed
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
 * devtrace_watch_all() - let a watch select all events of drivers and programs
 * @w: the watch; all members except the callback are set
 *
 * Kernel profile events are not selected: each of their types that a watch selects attaches a
 * tracepoint, which costs time even if no such event is of interest.
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
