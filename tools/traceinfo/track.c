// SPDX-License-Identifier: GPL-2.0-only
/*
 * track.c - the rows of a picture of a stream, and the bars in them
 *
 * Kernel profile events make the bars of CPUs, threads and interrupts. An event of a program, which
 * can have any type, makes no such bar. The bars of a state machine are its states.
 */
#include <stdio.h>
#include "framework.h"
#include "track.h"

void ti_track_of(struct ti_track *t, const struct ti_event *e)
{
	const unsigned int context = e->ev->flags & DEVTRACE_F_CONTEXT;

	t->name[0] = 0;
	t->id = e->ev->source;
	t->kind = context == DEVTRACE_CTX_SOFTIRQ ? TI_TRACK_SOFTIRQ :
		  context != DEVTRACE_CTX_TASK ? TI_TRACK_IRQ :
		  e->ev->tid ? TI_TRACK_THREAD : TI_TRACK_CPU;
	if (t->kind == TI_TRACK_THREAD)
		t->id = e->ev->tid;
}

const char *ti_track_name(struct ti_track *t, const struct devtrace_decoder *d)
{
	const char *comm;

	if (*t->name)
		return t->name;
	if (t->kind == TI_TRACK_THREAD) {
		comm = devtrace_decoder_proc(d, (uint32_t)t->id, NULL);
		snprintf(t->name, sizeof(t->name), "%s[%u]", comm ? comm : "?", (uint32_t)t->id);
	} else {
		snprintf(t->name, sizeof(t->name), "CPU %u%s", (unsigned int)t->id,
			 t->kind == TI_TRACK_CPU ? "" :
			 t->kind == TI_TRACK_IRQ ? " interrupts" : " soft interrupts");
	}
	return t->name;
}

/* SCHED_SWITCH: end the bar of one thread, and begin the bar of the next. */
static void track_switch(const struct ti_event *e, ti_track_fn *fn, void *ctx)
{
	struct ti_track cpu = { .kind = TI_TRACK_CPU, .id = e->ev->source };
	struct ti_track thread = { .kind = TI_TRACK_THREAD, .id = e->ev->tid };
	struct devtrace_elem v[5];
	size_t pos = 0, i;

	for (i = 0; i < 5; i++)
		if (devtrace_elem_next(e->ev->data, e->ev->len, &pos, &v[i]) != 1)
			return;
	if (v[2].type != DEVTRACE_E_U32 || v[4].type != DEVTRACE_E_STR)
		return;
	if (e->ev->tid)
		fn(ctx, &thread, NULL);
	if (!v[2].v.u) {
		fn(ctx, &cpu, NULL);
		return;
	}
	thread.id = v[2].v.u;
	snprintf(thread.name, sizeof(thread.name), "%.*s[%u]", (int)(v[4].v.mem.len <
		 DEVTRACE_NAME_MAX ? v[4].v.mem.len : DEVTRACE_NAME_MAX),
		 (const char *)v[4].v.mem.p, (unsigned int)v[2].v.u);
	fn(ctx, &cpu, thread.name);
	fn(ctx, &thread, "running");
}

static void track_kernel(const struct ti_event *e, const char *name, ti_track_fn *fn, void *ctx)
{
	struct ti_track t = { .kind = TI_TRACK_IRQ, .id = e->ev->source };
	char label[DEVTRACE_NAME_MAX];

	if (ti_event_lane(e) >= 0 || (e->ev->flags & DEVTRACE_F_USER))
		return;
	switch (e->ev->type) {
	case DEVTRACE_T_SCHED_SWITCH:
		track_switch(e, fn, ctx);
		return;
	case DEVTRACE_T_SOFTIRQ_ENTRY:
		t.kind = TI_TRACK_SOFTIRQ;
		/* fall through */
	case DEVTRACE_T_IRQ_ENTRY:
	case DEVTRACE_T_VECTOR_ENTRY:
		snprintf(label, sizeof(label), "%s %u", name, e->ev->signal);
		fn(ctx, &t, label);
		return;
	case DEVTRACE_T_SOFTIRQ_EXIT:
		t.kind = TI_TRACK_SOFTIRQ;
		/* fall through */
	case DEVTRACE_T_IRQ_EXIT:
	case DEVTRACE_T_VECTOR_EXIT:
		fn(ctx, &t, NULL);
		return;
	}
}

static void track_machine(const struct ti_event *e, ti_track_fn *fn, void *ctx)
{
	struct ti_track t = { .kind = TI_TRACK_OBJECT };
	char state[160];
	struct fw_event fw;

	if ((e->ev->type >= DEVTRACE_T_USER && e->ev->type < DEVTRACE_T_USER2) ||
	    !fw_event(&fw, e) ||
	    (fw.kind != FW_INIT && fw.kind != FW_STATE && fw.kind != FW_TRAN))
		return;
	/* The same address in two processes stands for two objects. */
	t.id = fw.object ^ (uint64_t)e->tgid << 40;
	fw_object_name(t.name, 160, e, fw.object);
	fw_state_name(state, sizeof(state), e, &fw);
	fn(ctx, &t, state);
}

static void track_slices(const struct ti_event *e, const char *name, const struct ti_picks *picks,
			 ti_track_fn *fn, void *ctx)
{
	struct ti_track t = { .kind = TI_TRACK_SLICE };
	unsigned int i;

	for (i = 0; i < picks->n; i++) {
		const bool begins = !strcmp(picks->v[i].first, name);

		if (!begins && strcmp(picks->v[i].second, name))
			continue;
		t.id = (uint64_t)i << 32 | e->ev->tid;
		snprintf(t.name, sizeof(t.name), "%s %u", picks->v[i].word, e->ev->tid);
		fn(ctx, &t, begins ? name : NULL);
	}
}

void ti_track_bars(const struct ti_event *e, const char *name, const struct ti_picks *slices,
		   ti_track_fn *fn, void *ctx)
{
	track_kernel(e, name, fn, ctx);
	track_machine(e, fn, ctx);
	track_slices(e, name, slices, fn, ctx);
}
