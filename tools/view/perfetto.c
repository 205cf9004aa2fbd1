// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto.c - Perfetto's packets and tracks; clocks, threads and losses
 *
 * The packets are in the order of the events in the stream. Before the packet of an event come the
 * description of its track, if it is new, and the kernel profile events that were collected.
 */
#include <stdlib.h>
#include "perfetto.h"

/* TracePacket.SequenceFlags */
#define PERFETTO_STATE_CLEARED	1
#define PERFETTO_NEEDS_STATE	2

/* TracePacket.previous_packet_dropped: bits */
#define PERFETTO_DROPPED	1
#define PERFETTO_CORRUPTED	4
#define PERFETTO_OVERWRITTEN	64

/* Clock ids of Perfetto's BuiltinClock. Ids from 128 on may be chosen freely. */
enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_BOOTTIME = 6, CLOCK_ID_TRACE = 128 };

struct pb *perfetto_begin(struct perfetto *f, enum perfetto_writer writer, uint64_t time)
{
	struct pb *p = &f->packet;

	pb_clear(p);
	f->writer = writer;
	f->named = false;
	if (time)
		pb_uint(p, PACKET_TIMESTAMP, time);
	pb_uint(p, PACKET_SEQUENCE_ID, writer);
	f->cleared = writer == PERFETTO_LOSSES ||
		     (writer == PERFETTO_EVENTS && perfetto_intern_anew(f));
	return p;
}

void perfetto_end(struct perfetto *f)
{
	const unsigned int machine = f->view->machine->nr;
	struct pb *p = &f->packet;
	uint8_t head[20];
	const unsigned int flags = (f->cleared ? PERFETTO_STATE_CLEARED : 0) |
				   (f->named ? PERFETTO_NEEDS_STATE : 0);

	if (f->named)
		perfetto_intern_put(f->names, p);
	if (flags)
		pb_uint(p, PACKET_SEQUENCE_FLAGS, flags);
	if (machine)
		pb_uint(p, PACKET_MACHINE_ID, machine);
	out_mem(&f->view->out, head, pb_head(head, 1, p->o.len));
	out_mem(&f->view->out, p->o.buf, p->o.len);
	if (p->o.err && !f->view->out.err)
		f->view->out.err = p->o.err;
}

/*
 * Compose the number of a track: the kind in the low bits and the machine in the highest, so that
 * the numbers of most tracks are short as varints.
 */
uint64_t perfetto_track(const struct perfetto *f, enum perfetto_kind kind, uint64_t id)
{
	return (uint64_t)(f->view->machine->nr & 0xfff) << 52 | (id & 0xffffffffffff) << 4 | kind;
}

static enum perfetto_writer perfetto_writer_of(uint64_t track)
{
	return (track & 15) == PERFETTO_TRACK_LOST ? PERFETTO_LOSSES : PERFETTO_EVENTS;
}

void perfetto_track_named(struct perfetto *f, uint64_t track, uint64_t parent, const char *name,
			  bool states)
{
	uint64_t *seen = view_seen(f->seen, track);
	struct pb *p;

	if (*seen)
		return;
	*seen = 1;
	p = perfetto_begin(f, perfetto_writer_of(track), 0);
	pb_begin(p, PACKET_TRACK_DESCRIPTOR);
	pb_uint(p, 1, track);
	pb_text(p, 2, name, strlen(name));
	if (parent)
		pb_uint(p, 5, parent);
	if (states) {
		pb_begin(p, 18);
		pb_end(p);
	}
	pb_end(p);
	perfetto_end(f);
}

struct pb *perfetto_event_begin(struct perfetto *f, uint64_t time, enum perfetto_type type,
				uint64_t track)
{
	struct pb *p = perfetto_begin(f, perfetto_writer_of(track), time);

	pb_begin(p, PACKET_TRACK_EVENT);
	pb_uint(p, TRACK_EVENT_TYPE, type);
	pb_uint(p, TRACK_EVENT_TRACK, track);
	return p;
}

static void perfetto_clock(struct pb *p, unsigned int id, uint64_t time)
{
	pb_begin(p, 1);
	pb_uint(p, 1, id);
	pb_uint(p, 2, time);
	pb_end(p);
}

/*
 * The events of this machine were aligned to the first machine's clock: write that both clocks are
 * the same.
 */
static void perfetto_same_clock(struct perfetto *f, uint64_t time)
{
	struct pb *p = perfetto_begin(f, PERFETTO_EVENTS, time);
	unsigned int side;

	pb_begin(p, PACKET_REMOTE_CLOCK_SYNC);
	pb_begin(p, 1);
	for (side = 2; side <= 3; side++) {
		pb_begin(p, side);
		perfetto_clock(p, CLOCK_ID_BOOTTIME, time);
		pb_end(p);
	}
	pb_end(p);
	pb_end(p);
	perfetto_end(f);
}

static void perfetto_clocks(struct perfetto *f, const struct devtrace_clock *c)
{
	const uint64_t time = view_time(f->view, c->ts);
	const unsigned int machine = f->view->machine->nr;
	struct pb *p;

	if (machine && machine >= f->machines) {
		f->machines = machine + 1;
		perfetto_same_clock(f, time);
	}
	p = perfetto_begin(f, PERFETTO_EVENTS, time);
	pb_begin(p, PACKET_CLOCK_SNAPSHOT);
	perfetto_clock(p, CLOCK_ID_BOOTTIME, time);
	perfetto_clock(p, CLOCK_ID_MONOTONIC, c->mono);
	perfetto_clock(p, CLOCK_ID_REALTIME, (uint64_t)c->real);
	perfetto_clock(p, CLOCK_ID_TRACE, c->ts);
	pb_uint(p, 2, CLOCK_ID_BOOTTIME);
	pb_end(p);
	perfetto_end(f);
}

static void perfetto_info(struct perfetto *f, const struct devtrace_info *i)
{
	struct pb *p = perfetto_begin(f, PERFETTO_EVENTS, 0);

	pb_begin(p, PACKET_SYSTEM_INFO);
	pb_begin(p, 1);
	pb_str(p, 1, "Linux");
	pb_text(p, 3, i->release, strlen(i->release));
	pb_text(p, 4, i->machine, strlen(i->machine));
	pb_end(p);
	pb_end(p);
	perfetto_end(f);
}

static void perfetto_proc(struct perfetto *f, const struct devtrace_proc *t)
{
	struct pb *p = perfetto_begin(f, PERFETTO_EVENTS, f->view->last);
	const size_t len = strlen(t->name);

	/* Describe the track of the thread's events again, with the new name. */
	*view_seen(f->seen, perfetto_track(f, PERFETTO_TRACK_THREAD, t->tid)) = 0;
	pb_begin(p, PACKET_PROCESS_TREE);
	if (t->tid == t->tgid || !t->tgid) {
		pb_begin(p, 1);
		pb_uint(p, 1, t->tid);
		pb_text(p, 3, t->name, len);
		pb_uint(p, 9, 1);
		pb_end(p);
	}
	pb_begin(p, 2);
	pb_uint(p, 1, t->tid);
	pb_text(p, 2, t->name, len);
	pb_uint(p, 3, t->tgid ? t->tgid : t->tid);
	pb_end(p);
	pb_end(p);
	perfetto_end(f);
}

void perfetto_note(struct pb *p, const char *name, uint64_t value)
{
	pb_begin(p, TRACK_EVENT_ANNOTATION);
	pb_str(p, 10, name);
	pb_uint(p, 3, value);
	pb_end(p);
}

void perfetto_note_text(struct pb *p, const char *name, const char *text)
{
	pb_begin(p, TRACK_EVENT_ANNOTATION);
	pb_str(p, 10, name);
	pb_text(p, 6, text, strlen(text));
	pb_end(p);
}

/* An event of the track of losses. */
static struct pb *perfetto_loss(struct perfetto *f, uint64_t time, const char *name)
{
	const uint64_t track = perfetto_track(f, PERFETTO_TRACK_LOST, 0);
	struct pb *p;

	perfetto_track_named(f, track, 0, "Lost", false);
	p = perfetto_event_begin(f, time, PERFETTO_INSTANT, track);
	pb_str(p, TRACK_EVENT_NAME, name);
	return p;
}

static void perfetto_loss_end(struct perfetto *f, unsigned int dropped)
{
	pb_end(&f->packet);
	pb_uint(&f->packet, PACKET_DROPPED, PERFETTO_DROPPED | dropped);
	perfetto_end(f);
}

static void perfetto_lost(struct perfetto *f, const struct devtrace_lost *l)
{
	const int lane = devtrace_decoder_lane(f->view->decoder, l->source);
	const bool overwritten = l->cause == DEVTRACE_LOST_OVERWRITTEN;
	struct pb *p = perfetto_loss(f, l->to ? view_time(f->view, l->to) : f->view->last,
				     ti_lost_cause(l->cause));

	perfetto_note(p, "count", l->count);
	perfetto_note(p, lane < 0 ? "cpu" : "lane", lane < 0 ? l->source : (uint64_t)lane);
	perfetto_note(p, "from", l->from);
	perfetto_note(p, "to", l->to);
	perfetto_loss_end(f, overwritten ? PERFETTO_OVERWRITTEN : 0);
	if (lane < 0)
		*view_seen(f->seen, perfetto_track(f, PERFETTO_TRACK_LOST_ON_CPU, l->source)) = 1;
}

static void perfetto_state(struct perfetto *f, const struct devtrace_state_item *s)
{
	const uint64_t track = perfetto_track(f, PERFETTO_TRACK_STREAM, 0);
	const char *name = ti_state_name(s->state);
	struct pb *p;

	perfetto_track_named(f, track, 0, "Stream", false);
	p = perfetto_event_begin(f, view_time(f->view, s->ts), PERFETTO_INSTANT, track);
	pb_uint(p, TRACK_EVENT_NAME_IID,
		perfetto_intern(f, PERFETTO_EVENT_NAMES, name, strlen(name)));
	if (s->by_trigger)
		perfetto_note_text(p, "trigger", s->trigger);
	pb_end(p);
	perfetto_end(f);
}

static void perfetto_item(struct view *v, const struct devtrace_item *item)
{
	struct perfetto *f = v->state;
	struct pb *p;

	if (item->kind == DEVTRACE_ITEM_DICT || item->kind == DEVTRACE_ITEM_NOTE ||
	    item->kind == DEVTRACE_ITEM_UNKNOWN)
		return;
	perfetto_ftrace_flush(f);
	perfetto_clock_item(f, item);
	switch (item->kind) {
	case DEVTRACE_ITEM_INFO:
		perfetto_info(f, &item->u.info);
		break;
	case DEVTRACE_ITEM_CLOCK:
		perfetto_clocks(f, &item->u.clock);
		break;
	case DEVTRACE_ITEM_PROC:
		perfetto_proc(f, &item->u.proc);
		break;
	case DEVTRACE_ITEM_LOST:
		perfetto_lost(f, &item->u.lost);
		break;
	case DEVTRACE_ITEM_STATE:
		perfetto_state(f, &item->u.state);
		break;
	case DEVTRACE_ITEM_GAP:
		p = perfetto_loss(f, v->last, "frames missing");
		perfetto_note(p, "count", item->u.gap.count);
		perfetto_loss_end(f, 0);
		break;
	case DEVTRACE_ITEM_DAMAGE:
		p = perfetto_loss(f, v->last, "damage");
		perfetto_note(p, "bytes", item->u.damage.bytes);
		perfetto_loss_end(f, PERFETTO_CORRUPTED);
		break;
	default:
		break;
	}
}

static void perfetto_start(struct view *v)
{
	struct perfetto *f = view_alloc(NULL, sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->view = v;
	pb_init(&f->packet);
	pb_init(&f->bundle);
	pb_init(&f->source);
	out_init(&f->name, -1);
	out_init(&f->text, -1);
	f->names = perfetto_intern_new();
	f->seen = view_seen_new();
	v->state = f;
}

static void perfetto_finish(struct view *v)
{
	struct perfetto *f = v->state;

	perfetto_ftrace_flush(f);
	perfetto_intern_free(f->names);
	view_seen_free(f->seen);
	free(f->dates);
	pb_free(&f->packet);
	pb_free(&f->bundle);
	pb_free(&f->source);
	out_free(&f->name);
	out_free(&f->text);
	free(f);
}

const struct view_format view_perfetto = {
	.name = "perfetto", .counters = true, .slices = true,
	.begin = perfetto_start, .event = perfetto_event,
	.item = perfetto_item, .end = perfetto_finish,
};
