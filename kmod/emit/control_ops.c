// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls into kmod/control, whose functions these callers must not call directly
 *
 * The table of operations is set, and notifications are sent, under devtrace_lock. So once control
 * has withdrawn its table, no notification is in progress. Emitters hold no lock: after
 * withdrawing the table, control waits for active emitters.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/compiler.h>
#include <linux/lockdep.h>

#include "control_ops.h"
#include "store.h"
#include "stream/table.h"

/* Written under devtrace_lock. */
static const struct control_ops *control;
void (*devtrace_watching)(u32 set, const struct event *ev);

/* Set the operations of control; NULL when control ends and no trigger is left. */
void control_register(const struct control_ops *ops)
{
	lockdep_assert_held(&devtrace_lock);
	WRITE_ONCE(control, ops);
}

notrace void control_event(u32 set, const struct event *ev, struct firing *f)
{
	void (*watching)(u32 set, const struct event *ev) = READ_ONCE(devtrace_watching);
	const struct control_ops *ops = READ_ONCE(control);

	if (ops)
		ops->event(set, ev, f);
	if (watching)
		watching(set, ev);
}

void control_notify_stream(int cmd, struct stream *s)
{
	lockdep_assert_held(&devtrace_lock);
	if (control)
		control->stream(cmd, s);
}

void control_notify_filter(struct stream *s)
{
	lockdep_assert_held(&devtrace_lock);
	if (control)
		control->filter(s);
}

void control_notify_clear(struct stream *s)
{
	lockdep_assert_held(&devtrace_lock);
	if (control)
		control->clear(s);
}

void control_notify_watermark(struct stream *s)
{
	lockdep_assert_held(&devtrace_lock);
	if (control)
		control->watermark(s);
}
