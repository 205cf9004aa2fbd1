// SPDX-License-Identifier: GPL-2.0-only
/*
 * lttng.c - LTTng's names for events of the kernel
 *
 * Trace Compass computes its views of threads, CPUs and interrupts from the events that LTTng
 * records, by their names and fields. This file uses the fields of lttng-modules 2.13. An event is
 * renamed if it has the elements that devtrace.ko emits (kmod/profile/profile_types.h).
 */
#include "plugin.h"

/* Return the unsigned or signed value of element @i of the event; 0 if there is none. */
static int64_t lttng_int(const struct ti_event *e, unsigned int i)
{
	struct devtrace_elem v;
	size_t pos = 0;

	do {
		if (devtrace_elem_next(e->ev->data, e->ev->len, &pos, &v) != 1)
			return 0;
	} while (i--);
	if (!(fmt_elem_bit(&v) & FMT_M_INT))
		return 0;
	return v.v.i;
}

static void lttng_comm(struct plugin_args *a, const char *name, const struct ti_event *e)
{
	struct devtrace_elem v;
	size_t pos = 0;

	/* The only string of such an event is the name of the other thread. */
	while (devtrace_elem_next(e->ev->data, e->ev->len, &pos, &v) == 1) {
		if (v.is_enum || v.type != DEVTRACE_E_STR)
			continue;
		plugin_arg_str(a, name, (const char *)v.v.mem.p, v.v.mem.len);
		return;
	}
	plugin_arg_str(a, name, "", 0);
}

static const char *lttng_switch(struct plugin_args *a, const struct ti_event *e)
{
	/* Bits of prev_state for the values of enum task_state in kernel.fmt */
	static const uint16_t states[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 256 };
	const char *comm = ti_event_process(e);
	const uint64_t state = (uint64_t)lttng_int(e, 0);

	plugin_arg_str(a, "prev_comm", comm ? comm : "", comm ? strlen(comm) : 0);
	plugin_arg_int(a, "prev_tid", e->ev->tid);
	plugin_arg_int(a, "prev_prio", lttng_int(e, 1));
	plugin_arg_int(a, "prev_state",
		       state < sizeof(states) / sizeof(states[0]) ? states[state] : 0);
	lttng_comm(a, "next_comm", e);
	plugin_arg_int(a, "next_tid", lttng_int(e, 2));
	plugin_arg_int(a, "next_prio", lttng_int(e, 3));
	return "sched_switch";
}

static const char *lttng_wake(struct plugin_args *a, const struct ti_event *e, const char *name)
{
	lttng_comm(a, "comm", e);
	plugin_arg_int(a, "tid", lttng_int(e, 0));
	plugin_arg_int(a, "prio", lttng_int(e, 1));
	plugin_arg_int(a, "target_cpu", lttng_int(e, 2));
	return name;
}

static const char *lttng_irq(struct plugin_args *a, const struct ti_event *e, bool entry)
{
	plugin_arg_int(a, "irq", e->ev->signal);
	if (entry)
		lttng_comm(a, "name", e);
	else
		plugin_arg_int(a, "ret", lttng_int(e, 0));
	return entry ? "irq_handler_entry" : "irq_handler_exit";
}

static const char *lttng_softirq(struct plugin_args *a, const struct ti_event *e, const char *name)
{
	plugin_arg_int(a, "vec", e->ev->signal);
	return name;
}

static const char *lttng_call(struct plugin_args *a, const struct ti_event *e, bool entry)
{
	const char *call = ti_event_signal(e);
	const char *const prefix = entry ? "syscall_entry_" : "syscall_exit_";

	if (!entry)
		plugin_arg_int(a, "ret", lttng_int(e, 0));
	out_str(&a->text, prefix);
	out_str(&a->text, call ? call : "unknown");
	out_char(&a->text, 0);
	if (a->text.err)
		return NULL;
	return a->text.buf + a->text.len - strlen(prefix) - strlen(call ? call : "unknown") - 1;
}

const char *lttng_event(struct plugin_args *a, const struct ti_event *e)
{
	/* A program can also emit events of these types; its events are not renamed. */
	if (ti_event_lane(e) >= 0 || (e->ev->flags & (DEVTRACE_F_USER | DEVTRACE_F_CODE)))
		return NULL;
	a->n = 0;
	a->text.len = 0;
	switch (e->ev->type) {
	case DEVTRACE_T_SCHED_SWITCH:
		return lttng_switch(a, e);
	case DEVTRACE_T_SCHED_WAKING:
		return lttng_wake(a, e, "sched_waking");
	case DEVTRACE_T_SCHED_WAKEUP:
		return lttng_wake(a, e, "sched_wakeup");
	case DEVTRACE_T_SCHED_WAKEUP_NEW:
		return lttng_wake(a, e, "sched_wakeup_new");
	case DEVTRACE_T_IRQ_ENTRY:
		return lttng_irq(a, e, true);
	case DEVTRACE_T_IRQ_EXIT:
		return lttng_irq(a, e, false);
	case DEVTRACE_T_SOFTIRQ_RAISE:
		return lttng_softirq(a, e, "irq_softirq_raise");
	case DEVTRACE_T_SOFTIRQ_ENTRY:
		return lttng_softirq(a, e, "irq_softirq_entry");
	case DEVTRACE_T_SOFTIRQ_EXIT:
		return lttng_softirq(a, e, "irq_softirq_exit");
	case DEVTRACE_T_SYS_ENTER:
		return lttng_call(a, e, true);
	case DEVTRACE_T_SYS_EXIT:
		return lttng_call(a, e, false);
	}
	return NULL;
}
