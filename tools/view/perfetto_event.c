// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto_event.c - events on tracks of Perfetto
 *
 * An event of a thread is on the thread's track. An event of an interrupt or an idle CPU is on a
 * track of the CPU. With --slice, each pair has a track of its own below that one, so slices need
 * not be nested. Each event is one packet; --counter and state machines add packets.
 */
#include <stdio.h>
#include "common/severity.h"
#include "perfetto.h"
#include "traceinfo/framework.h"

#define TRACK_NAME_MAX	160

/* LogMessage.Priority */
enum { LOG_INFO_PRIO = 4, LOG_WARN_PRIO, LOG_ERROR_PRIO };

static void event_thread(struct perfetto *f, const struct ti_event *e, uint64_t track)
{
	uint64_t *seen = view_seen(f->seen, track);
	const char *name;
	struct pb *p;

	if (*seen == (uint64_t)e->tgid + 1)
		return;
	*seen = (uint64_t)e->tgid + 1;
	name = ti_event_process(e);
	p = perfetto_begin(f, PERFETTO_EVENTS, 0);
	pb_begin(p, PACKET_TRACK_DESCRIPTOR);
	pb_uint(p, 1, track);
	pb_begin(p, 4);
	pb_uint(p, 1, e->tgid ? e->tgid : e->ev->tid);
	pb_uint(p, 2, e->ev->tid);
	if (name)
		pb_text(p, 5, name, strlen(name));
	pb_end(p);
	pb_end(p);
	perfetto_end(f);
}

/* Return the number of the track for the event, and describe the track if it is new. */
static uint64_t event_track(struct perfetto *f, const struct ti_event *e)
{
	const unsigned int context = e->ev->flags & DEVTRACE_F_CONTEXT;
	char name[TRACK_NAME_MAX];
	uint64_t track;

	if (context == DEVTRACE_CTX_TASK && e->ev->tid) {
		track = perfetto_track(f, PERFETTO_TRACK_THREAD, e->ev->tid);
		event_thread(f, e, track);
		return track;
	}
	track = perfetto_track(f, PERFETTO_TRACK_CPU, (uint64_t)context << 16 | e->ev->source);
	snprintf(name, sizeof(name), "CPU %u %s", e->ev->source,
		 context == DEVTRACE_CTX_TASK ? "idle" : context == DEVTRACE_CTX_SOFTIRQ ?
		 "soft interrupts" : context == DEVTRACE_CTX_IRQ ? "interrupts" : "NMI");
	perfetto_track_named(f, track, 0, name, false);
	return track;
}

/* One for each pick on each track. */
static uint64_t event_pair(unsigned int pick, uint64_t parent)
{
	return (uint64_t)pick << 40 | (parent & 15) << 36 | (parent >> 4 & 0xfffffffff);
}

static uint64_t *event_open(struct perfetto *f, unsigned int pick, uint64_t parent)
{
	return view_seen(f->seen, perfetto_track(f, PERFETTO_TRACK_OPEN,
						 event_pair(pick, parent)));
}

/* Does the event begin or end a slice? Then set *track to the track of the slice. */
static enum perfetto_type event_type(struct perfetto *f, const char *name, uint64_t parent,
				     uint64_t *track)
{
	const struct ti_picks *picks = &f->view->opt->slices;
	unsigned int i;

	for (i = 0; i < picks->n; i++) {
		const struct ti_pick *pick = &picks->v[i];
		const bool begins = !strcmp(pick->first, name);
		uint64_t *open;

		if (!begins && strcmp(pick->second, name))
			continue;
		open = event_open(f, i, parent);
		/* An end without a begin (which may be lost) is written as an instant event. */
		if (!begins && !*open)
			continue;
		*open += begins ? 1 : -1;
		*track = perfetto_track(f, PERFETTO_TRACK_SLICE, event_pair(i, parent));
		perfetto_track_named(f, *track, parent, pick->word, false);
		return begins ? PERFETTO_SLICE_BEGIN : PERFETTO_SLICE_END;
	}
	*track = parent;
	return PERFETTO_INSTANT;
}

static void event_note(void *ctx, const struct ti_arg *a)
{
	struct perfetto *f = ctx;
	struct pb *p = &f->packet;

	pb_begin(p, TRACK_EVENT_ANNOTATION);
	pb_uint(p, 1, perfetto_intern(f, PERFETTO_ANNOTATION_NAMES, a->name, a->name_len));
	switch (a->kind) {
	case TI_ARG_INT:
		pb_int(p, 4, a->v.i);
		break;
	case TI_ARG_UINT:
		pb_uint(p, 3, a->v.u);
		break;
	case TI_ARG_DOUBLE:
		pb_double(p, 5, a->v.f);
		break;
	case TI_ARG_STR:
		pb_text(p, 6, a->str, a->len);
		break;
	}
	pb_end(p);
}

static void event_note_str(struct perfetto *f, const char *name, const char *s, size_t len)
{
	const struct ti_arg a = {
		.name = name, .name_len = strlen(name), .kind = TI_ARG_STR, .str = s, .len = len,
	};

	event_note(f, &a);
}

static void event_note_number(struct perfetto *f, const char *name, uint64_t v)
{
	const struct ti_arg a = {
		.name = name, .name_len = strlen(name), .kind = TI_ARG_UINT, .v.u = v,
	};

	event_note(f, &a);
}

/* Object and signal, by name or number. */
static void event_object(struct perfetto *f, const struct ti_event *e)
{
	const char *object = ti_event_object(e), *signal = ti_event_signal(e);

	if (object)
		event_note_str(f, "object", object, strlen(object));
	else
		event_note_number(f, "object", e->ev->object);
	if (signal)
		event_note_str(f, "signal", signal, strlen(signal));
	else
		event_note_number(f, "signal", e->ev->signal);
}

/* For an event without a description, the text would only repeat the elements. */
static void event_text(struct perfetto *f, const struct ti_event *e)
{
	if (!e->log.is_log && (!e->entry || !e->entry->ops))
		return;
	ti_args_text(&f->text, e);
	if (f->text.len > 1)
		event_note_str(f, "text", f->text.buf, f->text.len - 1);
}

static void event_log(struct perfetto *f, const struct ti_event *e)
{
	const unsigned int severity = e->ev->severity & DEVTRACE_SEV_SET ?
				      e->ev->severity & 3 : 0;
	struct pb *p = &f->packet;

	ti_args_text(&f->text, e);
	pb_begin(p, TRACK_EVENT_LOG_MESSAGE);
	pb_uint(p, 2, perfetto_intern(f, PERFETTO_LOG_BODIES, f->text.buf, f->text.len - 1));
	pb_uint(p, 3, severity > 2 ? LOG_ERROR_PRIO : severity ? LOG_WARN_PRIO : LOG_INFO_PRIO);
	pb_end(p);
}

/* The place of a LOG event's statement in the source. */
static void event_source(struct perfetto *f, const struct log_site *site)
{
	struct pb *s = &f->source;

	pb_clear(s);
	pb_text(s, 2, site->file, strlen(site->file));
	if (*site->function)
		pb_text(s, 3, site->function, strlen(site->function));
	pb_uint(s, 4, site->line);
	pb_uint(&f->packet, TRACK_EVENT_SOURCE_IID,
		perfetto_intern(f, PERFETTO_SOURCES, s->o.buf, s->o.len));
}

static void event_packet(struct perfetto *f, const struct ti_event *e, uint64_t time,
			 const char *name, enum perfetto_type type, uint64_t track)
{
	struct pb *p = perfetto_event_begin(f, time, type, track);
	struct devtrace_elem text;
	char category[] = "sev:hw0";

	pb_uint(p, TRACK_EVENT_NAME_IID,
		perfetto_intern(f, PERFETTO_EVENT_NAMES, name, strlen(name)));
	if (e->ev->severity & DEVTRACE_SEV_SET) {
		memcpy(category + 4, severity_name(e->ev->severity), 3);
		pb_uint(p, TRACK_EVENT_CATEGORY_IID,
			perfetto_intern(f, PERFETTO_CATEGORIES, category, 7));
	}
	if (ti_event_line(e, &text)) {
		event_log(f, e);
	} else {
		ti_args(e, event_note, f);
		if (e->ev->flags & DEVTRACE_F_OBJSIG)
			event_object(f, e);
		event_text(f, e);
		if (e->log.is_log && e->log.site)
			event_source(f, e->log.site);
	}
	pb_end(p);
	perfetto_end(f);
}

static void event_counter(struct perfetto *f, unsigned int nr, uint64_t time,
			  const struct ti_arg *a)
{
	const uint64_t track = perfetto_track(f, PERFETTO_TRACK_COUNTER, nr);
	uint64_t *seen = view_seen(f->seen, track);
	struct pb *p;

	if (!*seen) {
		*seen = 1;
		p = perfetto_begin(f, PERFETTO_EVENTS, 0);
		pb_begin(p, PACKET_TRACK_DESCRIPTOR);
		pb_uint(p, 1, track);
		pb_str(p, 2, f->view->opt->counters.v[nr].word);
		pb_begin(p, 8);
		/* The unit begins with a blank, which is not part of it here. */
		if (a->unit_len > 1)
			pb_text(p, 6, a->unit + 1, a->unit_len - 1);
		pb_end(p);
		pb_end(p);
		perfetto_end(f);
	}
	p = perfetto_event_begin(f, time, PERFETTO_COUNTER, track);
	if (a->kind == TI_ARG_DOUBLE || (a->kind == TI_ARG_UINT && a->v.u > INT64_MAX))
		pb_double(p, TRACK_EVENT_COUNTER_DOUBLE,
			  a->kind == TI_ARG_DOUBLE ? a->v.f : (double)a->v.u);
	else
		pb_int(p, TRACK_EVENT_COUNTER, a->v.i);
	pb_end(p);
	perfetto_end(f);
}

/* If the event changes the state of a state machine of QP or RKH, write the new state. */
static void event_machine(struct perfetto *f, const struct ti_event *e, uint64_t time)
{
	char object[TRACK_NAME_MAX], state[TRACK_NAME_MAX];
	struct fw_event fw;
	uint64_t track;
	struct pb *p;

	if (e->ev->type >= DEVTRACE_T_USER && e->ev->type < DEVTRACE_T_USER2)
		return;
	if (!fw_event(&fw, e) ||
	    (fw.kind != FW_INIT && fw.kind != FW_STATE && fw.kind != FW_TRAN))
		return;
	fw_object_name(object, sizeof(object), e, fw.object);
	fw_state_name(state, sizeof(state), e, &fw);
	/* The same address in two processes stands for two objects. */
	track = perfetto_track(f, PERFETTO_TRACK_OBJECT,
			       fw.object ^ (uint64_t)(e->tgid ? e->tgid : e->ev->tid) << 24);
	perfetto_track_named(f, track, 0, object, true);
	p = perfetto_event_begin(f, time, PERFETTO_STATE, track);
	pb_uint(p, TRACK_EVENT_NAME_IID,
		perfetto_intern(f, PERFETTO_EVENT_NAMES, state, strlen(state)));
	pb_end(p);
	perfetto_end(f);
}

static bool event_is_slice(const struct ti_picks *picks, const char *name)
{
	unsigned int i;

	for (i = 0; i < picks->n; i++)
		if (!strcmp(picks->v[i].first, name) || !strcmp(picks->v[i].second, name))
			return true;
	return false;
}

void perfetto_event(struct view *v, const struct ti_event *e)
{
	struct perfetto *f = v->state;
	const uint64_t time = view_time(v, e->ev->ts);
	const char *name = ti_args_name(&f->name, e);
	const struct ti_picks *counters = &v->opt->counters;
	struct ti_arg value;
	enum perfetto_type type;
	uint64_t track;
	unsigned int i;

	perfetto_clock_event(f, e->ev->ts);
	if (event_is_slice(&v->opt->slices, name) || !perfetto_ftrace(f, e)) {
		perfetto_ftrace_flush(f);
		type = event_type(f, name, event_track(f, e), &track);
		event_packet(f, e, time, name, type, track);
		event_machine(f, e, time);
	}
	for (i = 0; i < counters->n; i++) {
		if (!ti_pick_value(&counters->v[i], name, e, &value))
			continue;
		perfetto_ftrace_flush(f);
		event_counter(f, i, time, &value);
	}
}
