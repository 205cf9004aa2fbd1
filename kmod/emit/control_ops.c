// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls into the room of control, which is above those that make them
 *
 * The operations are set under devtrace_lock, and notifications hold it: no call is
 * under way when control has taken them back. Emitters hold no lock: whoever takes the
 * operations back waits for emitters after it.
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

/**
 * control_register() - control begins, or ends
 * @ops: what it does; NULL: it ends, and there is no trigger
 */
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
