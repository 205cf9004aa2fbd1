/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plugin.h - the plugin for babeltrace2: source.devtrace.file reads a trace stream
 *
 * plugin.c describes the component class, ../view/head.c and head_error.c read the facts needed
 * before the first event, read.c decodes the stream and makes messages, class.c makes trace, stream
 * and event classes, and lttng.c renames the kernel's events for viewers that know LTTng's.
 *
 * Memory is bounded for any input: the plugin makes at most PLUGIN_CLASSES_MAX event classes and
 * one babeltrace stream for each source.
 */
#ifndef BABELTRACE_PLUGIN_H
#define BABELTRACE_PLUGIN_H

#include <babeltrace2/babeltrace.h>
#include "common/hash.h"
#include "traceinfo/traceinfo.h"
#include "traceinfo/args.h"
#include "view/head.h"

#define PLUGIN_BLOCK		(64 * 1024)	/* bytes read at once */
#define PLUGIN_CLASSES_MAX	4096
#define PLUGIN_ARGS_MAX		64		/* further elements of an event are left out */
#define PLUGIN_NAME_MAX		64

/* The stream classes. Events of a CPU and of a lane have different packet contexts. */
enum class_kind {
	CLASS_CPU,	/* packet context: cpu_id */
	CLASS_LANE,	/* packet context: lane */
	CLASS_FRAMES,	/* no events, only losses whose source is unknown */
	CLASS_KINDS
};

struct class_event;

struct classes {
	bt_trace_class	*trace;
	struct bt_clock_class *clock[CLASS_KINDS];
	struct bt_stream_class *stream[CLASS_KINDS];
	struct class_event **table;	/* hash table of event classes */
	struct hash_key	key;
	unsigned int	nr;
	/* classes of the events for which no other class can be made: see PLUGIN_CLASSES_MAX */
	struct bt_event_class *other[CLASS_KINDS];
	struct out	scratch;
};

/* The elements of one event, with copies of their strings in @text. */
struct plugin_args {
	unsigned int	n;
	struct plugin_arg {
		char	name[PLUGIN_NAME_MAX];
		int	kind;			/* TI_ARG_INT ... */
		union { int64_t i; uint64_t u; double f; size_t at; } v;	/* at: in @text */
	} v[PLUGIN_ARGS_MAX];
	struct out	text;
};

/*
 * Escape control characters and invalid UTF-8 of a name, as traceinfo does. babeltrace2 prints
 * names unchanged, and what it writes of them in CTF it may read differently. Overwrite @o with the
 * result, and return it, or NULL if there is no memory.
 */
const char *plugin_safe(struct out *o, const char *name);

/* Make the trace class, clocks and stream classes. Return 0, or -1 if there is no memory. */
int classes_init(struct classes *c, bt_self_component *self, const struct view_head *h);
void classes_free(struct classes *c);
/*
 * Return the class for an event with this name and these elements. If there are too many classes,
 * return a class whose only field is the name. Return NULL if there is no memory.
 */
bt_event_class *classes_event(struct classes *c, enum class_kind kind, const char *name,
			      const struct plugin_args *args);
/* Return true if the only field of the class is the event's name. */
bool classes_is_other(const struct classes *c, const bt_event_class *class);

/*
 * fields.c: set the fields of an event. With @args NULL, its only field is its name. Return -1 if
 * there is no memory.
 */
int fields_payload(bt_event *event, const char *name, const struct plugin_args *args);
int fields_context(bt_event *event, const struct ti_event *e);
void fields_packet(bt_packet *packet, uint64_t source);

/* Collect the elements of an event. */
void plugin_args(struct plugin_args *a, const struct ti_event *e);
void plugin_arg_int(struct plugin_args *a, const char *name, int64_t value);
void plugin_arg_str(struct plugin_args *a, const char *name, const char *value, size_t len);

/*
 * lttng.c: if LTTng records the same event of the kernel, collect LTTng's fields instead, and
 * return LTTng's name of the event. Otherwise return NULL.
 */
const char *lttng_event(struct plugin_args *a, const struct ti_event *e);

/* The component. */
struct plugin {
	char		*path;
	char		where[256];	/* for messages */
	bool		lttng_names;
	struct view_head head;
	struct classes	classes;
	struct fmt_set	fmts;
};

bt_message_iterator_class_initialize_method_status
plugin_iterator_init(bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
		     bt_self_component_port_output *port);
void plugin_iterator_free(bt_self_message_iterator *self);
bt_message_iterator_class_next_method_status
plugin_iterator_next(bt_self_message_iterator *self, bt_message_array_const msgs,
		     uint64_t capacity, uint64_t *count);

#endif
