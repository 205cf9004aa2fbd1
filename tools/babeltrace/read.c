// SPDX-License-Identifier: GPL-2.0-only
/*
 * read.c - decode a stream, and make babeltrace's messages from its items
 *
 * Each source has a babeltrace stream. The stream's first event opens a packet. At a loss the
 * packet ends, and a message with the count of discarded events follows. sink.ctf.fs demands that
 * the time of this message lasts from the end of a packet to the end of the next packet. Therefore
 * an empty packet follows the message, and then the next packet begins.
 *
 * Babeltrace requires that the times of messages never decrease. After a reboot the times in a
 * stream begin anew; the wall clock aligns the times of a later boot to those of the first boot. An
 * event that is older than the previous message gets the time of that message. An event whose time
 * is beyond the year 2262, which babeltrace cannot express, also gets this time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "common/zread.h"
#include "plugin.h"

/* Babeltrace's names are longer than a line allows. */
#define message_packet_begin	bt_message_packet_beginning_create_with_default_clock_snapshot
#define message_packet_end	bt_message_packet_end_create_with_default_clock_snapshot
#define message_event		bt_message_event_create_with_packet_and_default_clock_snapshot
#define message_discarded	bt_message_discarded_events_create_with_default_clock_snapshots

struct read_stream {
	bt_stream	*stream;
	bt_packet	*packet;	/* the open packet, or NULL */
	enum class_kind	kind;
	uint16_t	source;
};

struct read {
	struct plugin	*plugin;
	bt_self_message_iterator *self;
	bt_trace	*trace;
	int		fd;
	struct zread	*zread;
	struct devtrace_decoder *decoder;
	struct ti_evidence evidence;
	struct plugin_args args;
	struct out	name;
	/* The bytes @at to @n of @buf are not decoded yet. */
	char		*buf;
	size_t		at, n;
	bool		input_ended, finished;
	/* queue: messages @first to @queued are not delivered yet */
	const bt_message **queue;
	size_t		first, queued, room;
	/* CPUs by number, then lanes by number, then the stream of CLASS_FRAMES */
	struct read_stream **streams;
	unsigned int	ending;		/* number of streams that have ended */
	uint64_t	last;		/* time of the last message */
	uint64_t	shift;		/* added to times of a later boot */
	uint8_t		boot[16];
	bool		has_boot, new_boot;
	int		err;		/* -ENOMEM, or an errno of read(2) */
};

#define READ_SOURCES	65536
#define READ_FRAMES	(2 * READ_SOURCES)	/* index of the stream of CLASS_FRAMES */

static void read_push(struct read *r, const bt_message *m)
{
	if (m && r->queued == r->room) {
		const size_t room = r->room ? 2 * r->room : 64;
		const bt_message **q = realloc(r->queue, room * sizeof(*q));

		if (q) {
			r->queue = q;
			r->room = room;
		} else {
			bt_message_put_ref(m);
			m = NULL;
		}
	}
	if (m)
		r->queue[r->queued++] = m;
	else
		r->err = -ENOMEM;
}

static uint64_t read_time(struct read *r, uint64_t ts)
{
	const struct view_head *h = &r->plugin->head;
	const int64_t limit = h->has_clock && h->epoch > 0 ? INT64_MAX - h->epoch : INT64_MAX;
	const uint64_t t = ts + r->shift;

	if (t > r->last && t <= (uint64_t)limit)
		r->last = t;
	return r->last;
}

static bool read_packet_begin(struct read *r, struct read_stream *s)
{
	s->packet = bt_packet_create(s->stream);
	if (!s->packet) {
		r->err = -ENOMEM;
		return false;
	}
	if (s->kind != CLASS_FRAMES)
		fields_packet(s->packet, s->source);
	read_push(r, message_packet_begin(r->self, s->packet, r->last));
	return !r->err;
}

static void read_packet_end(struct read *r, struct read_stream *s)
{
	read_push(r, message_packet_end(r->self, s->packet, r->last));
	bt_packet_put_ref(s->packet);
	s->packet = NULL;
}

static bool read_stream_new(struct read *r, unsigned int i, enum class_kind kind, uint16_t source)
{
	bt_stream_class *class = r->plugin->classes.stream[kind];
	struct read_stream *s = calloc(1, sizeof(*s));
	char name[24] = "frames";

	if (kind != CLASS_FRAMES)
		snprintf(name, sizeof(name), "%s %u", kind == CLASS_CPU ? "cpu" : "lane", source);
	r->streams[i] = s;
	if (s) {
		s->kind = kind;
		s->source = source;
		s->stream = bt_stream_create_with_id(class, r->trace, i);
	}
	if (!s || !s->stream || bt_stream_set_name(s->stream, name)) {
		r->err = -ENOMEM;
		return false;
	}
	read_push(r, bt_message_stream_beginning_create(r->self, s->stream));
	return !r->err;
}

/* Return the stream of a source with an open packet, or NULL if there is no memory. */
static struct read_stream *read_stream_of(struct read *r, uint16_t source)
{
	/* An INFO frame may change which sources are lanes. */
	const int lane = devtrace_decoder_lane(r->decoder, source);
	const unsigned int i = lane < 0 ? source : READ_SOURCES + (unsigned int)lane;

	if (!r->streams[i] &&
	    !read_stream_new(r, i, lane < 0 ? CLASS_CPU : CLASS_LANE,
			     lane < 0 ? source : (uint16_t)lane))
		return NULL;
	if (!r->streams[i]->packet && !read_packet_begin(r, r->streams[i]))
		return NULL;
	return r->streams[i];
}

static void read_event(struct read *r, const struct devtrace_event *ev)
{
	struct classes *c = &r->plugin->classes;
	const uint64_t time = read_time(r, ev->ts);
	struct read_stream *s = read_stream_of(r, ev->source);
	bt_event_class *class;
	const char *name = NULL;
	struct ti_event e;
	bt_message *m;
	bt_event *event;

	if (!s)
		return;
	ti_event_init(&e, ev, r->decoder, &r->plugin->fmts);
	if (r->plugin->lttng_names)
		name = lttng_event(&r->args, &e);
	if (!name) {
		plugin_args(&r->args, &e);
		name = ti_args_name(&r->name, &e);
	}
	if (r->args.text.err || r->name.err) {
		r->err = -ENOMEM;
		return;
	}
	class = classes_event(c, s->kind, name, &r->args);
	m = class ? message_event(r->self, class, s->packet, time) : NULL;
	if (!m) {
		r->err = -ENOMEM;
		return;
	}
	event = bt_message_event_borrow_event(m);
	if (fields_payload(event, name, classes_is_other(c, class) ? NULL : &r->args) ||
	    fields_context(event, &e))
		r->err = -ENOMEM;
	read_push(r, m);
}

/* Push a message about discarded events, and the empty packet that ends with it. */
static void read_discarded(struct read *r, struct read_stream *s, uint64_t to, uint64_t count)
{
	const uint64_t from = r->last;
	bt_message *m;

	read_packet_end(r, s);
	read_time(r, to);
	m = message_discarded(r->self, s->stream, from, r->last);
	if (m && count)
		bt_message_discarded_events_set_count(m, count);
	read_push(r, m);
	if (r->err || !read_packet_begin(r, s))
		return;
	read_packet_end(r, s);
	read_packet_begin(r, s);
}

static void read_lost(struct read *r, const struct devtrace_lost *l)
{
	struct read_stream *s;

	if (l->from)
		read_time(r, l->from);
	s = read_stream_of(r, l->source);
	if (s)
		read_discarded(r, s, l->to, l->count);
}

/* Frames are missing, and their sources are unknown. */
static void read_gap(struct read *r, uint64_t count)
{
	struct read_stream **s = &r->streams[READ_FRAMES];

	if (!*s && !read_stream_new(r, READ_FRAMES, CLASS_FRAMES, 0))
		return;
	if ((*s)->packet || read_packet_begin(r, *s))
		read_discarded(r, *s, 0, count);
}

static void read_info(struct read *r, const struct devtrace_info *i)
{
	r->new_boot = r->has_boot && memcmp(r->boot, i->boot_id, sizeof(r->boot));
	memcpy(r->boot, i->boot_id, sizeof(r->boot));
	r->has_boot = true;
}

static void read_clock(struct read *r, const struct devtrace_clock *c)
{
	if (r->new_boot && r->plugin->head.has_clock)
		r->shift = (uint64_t)c->real - (uint64_t)r->plugin->head.epoch - c->ts;
	r->new_boot = false;
}

static int read_item(const struct devtrace_item *item, void *arg)
{
	struct read *r = arg;

	if (!r->evidence.found && !ti_evidence(&r->evidence, item))
		return 0;
	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		read_event(r, &item->u.event);
		break;
	case DEVTRACE_ITEM_LOST:
		read_lost(r, &item->u.lost);
		break;
	case DEVTRACE_ITEM_GAP:
		read_gap(r, item->u.gap.count);
		break;
	case DEVTRACE_ITEM_INFO:
		read_info(r, &item->u.info);
		break;
	case DEVTRACE_ITEM_CLOCK:
		read_clock(r, &item->u.clock);
		break;
	default:
		break;
	}
	/* The queue is delivered before the next item is decoded. */
	return r->queued > 0 || r->err;
}

/* Make messages of the input until the queue has some, or the input ends. */
static void read_more(struct read *r)
{
	while (!r->queued && !r->err && !r->finished) {
		size_t used = 0;
		ssize_t n;

		if (r->at < r->n) {
			devtrace_decoder_feed(r->decoder, r->buf + r->at, r->n - r->at, &used);
			r->at += used;
			continue;
		}
		if (r->input_ended) {
			r->finished = !devtrace_decoder_finish(r->decoder);
			continue;
		}
		n = zread_read(r->zread, r->fd, r->buf, PLUGIN_BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		/* A device without further events ends like a file. */
		if (n < 0 && errno != EAGAIN)
			r->err = errno;
		r->input_ended = n <= 0;
		r->at = 0;
		r->n = n > 0 ? (size_t)n : 0;
	}
}

/* End the streams; each call ends some of them. */
static void read_end(struct read *r)
{
	for (; r->ending <= READ_FRAMES && !r->queued && !r->err; r->ending++) {
		struct read_stream *s = r->streams[r->ending];

		if (!s)
			continue;
		if (s->packet)
			read_packet_end(r, s);
		read_push(r, bt_message_stream_end_create(r->self, s->stream));
	}
}

static bt_message_iterator_class_next_method_status read_failed(struct read *r)
{
	const char *path = r->plugin->path;

	if (r->err < 0)
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(r->self, "%s: %s", path,
								   strerror(r->err));
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
}

bt_message_iterator_class_next_method_status
plugin_iterator_next(bt_self_message_iterator *self, bt_message_array_const msgs,
		     uint64_t capacity, uint64_t *count)
{
	struct read *r = bt_self_message_iterator_get_data(self);

	*count = 0;
	while (*count < capacity) {
		if (r->first == r->queued) {
			r->first = r->queued = 0;
			read_more(r);
			if (!r->queued && !r->err)
				read_end(r);
			if (!r->queued || r->err)
				break;
		}
		msgs[(*count)++] = r->queue[r->first++];
	}
	/* Messages before an error are delivered first. */
	if (*count)
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
	return r->err ? read_failed(r) : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

static void read_free(struct read *r)
{
	unsigned int i;

	for (; r->first < r->queued; r->first++)
		bt_message_put_ref(r->queue[r->first]);
	for (i = 0; r->streams && i <= READ_FRAMES; i++) {
		if (!r->streams[i])
			continue;
		bt_packet_put_ref(r->streams[i]->packet);
		bt_stream_put_ref(r->streams[i]->stream);
		free(r->streams[i]);
	}
	bt_trace_put_ref(r->trace);
	if (r->fd >= 0)
		close(r->fd);
	zread_free(r->zread);
	devtrace_decoder_free(r->decoder);
	out_free(&r->args.text);
	out_free(&r->name);
	free(r->streams);
	free(r->queue);
	free(r->buf);
	free(r);
}

/* How exact the dates are, as traceinfo --json has it. */
static int read_trace_dates(bt_trace *trace, const struct view_head *h)
{
	static const char *const words[] = {
		[VIEW_DATES_UNKNOWN] = "unknown", [VIEW_DATES_NEVER] = "never",
		[VIEW_DATES_ERROR] = "yes",
	};

	if (bt_trace_set_environment_entry_string(trace, "clock_synchronised", words[h->dates]))
		return -1;
	if (h->dates != VIEW_DATES_ERROR)
		return 0;
	if (bt_trace_set_environment_entry_string(trace, "clock_source", h->source) ||
	    bt_trace_set_environment_entry_integer(trace, "clock_error", (int64_t)h->error))
		return -1;
	return 0;
}

static int read_trace(struct read *r, const struct plugin *p)
{
	const struct { const char *name, *value; } env[] = {
		{ "machine", p->head.machine }, { "kernel_release", p->head.release },
		{ "sysname", "Linux" }, { "tracer_name", "devtrace" },
		{ "domain", p->lttng_names ? "kernel" : "" },
	};
	const char *name = plugin_safe(&r->name, *p->head.stream ? p->head.stream : "trace");
	size_t i;

	r->trace = name ? bt_trace_create(p->classes.trace) : NULL;
	if (!r->trace || bt_trace_set_name(r->trace, name))
		return -1;
	for (i = 0; i < sizeof(env) / sizeof(env[0]); i++) {
		const char *value = plugin_safe(&r->name, env[i].value);

		if (!value || (*value && bt_trace_set_environment_entry_string(r->trace,
									       env[i].name, value)))
			return -1;
	}
	return read_trace_dates(r->trace, &p->head);
}

bt_message_iterator_class_initialize_method_status
plugin_iterator_init(bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
		     bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	struct plugin *p = bt_self_component_get_data(component);
	struct read *r = calloc(1, sizeof(*r));
	const char *problem = NULL;

	(void)config;
	(void)port;
	if (!r)
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	r->plugin = p;
	r->self = self;
	out_init(&r->args.text, -1);
	out_init(&r->name, -1);
	r->fd = view_head_open(p->path, &problem);
	r->zread = zread_new(NULL, NULL);
	r->decoder = devtrace_decoder_new(read_item, r);
	r->buf = malloc(PLUGIN_BLOCK);
	r->streams = calloc(READ_FRAMES + 1, sizeof(struct read_stream *));
	if (r->fd < 0) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(self, "%s: %s", p->path,
									   problem);
		read_free(r);
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (!r->zread || !r->decoder || !r->buf || !r->streams || read_trace(r, p)) {
		read_free(r);
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	bt_self_message_iterator_set_data(self, r);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void plugin_iterator_free(bt_self_message_iterator *self)
{
	read_free(bt_self_message_iterator_get_data(self));
}
