// SPDX-License-Identifier: GPL-2.0-only
/*
 * class.c - the trace class, stream classes and event classes
 *
 * An event class is made when the first event of its kind is read. Its key is the kind of its
 * stream, the event's name, and the names and kinds of its fields. So events of the same name with
 * other fields get another class. A stream can contain any number of such kinds. When
 * PLUGIN_CLASSES_MAX classes exist, an event of a new kind has its name as its only field.
 */
#include <stdlib.h>
#include "plugin.h"

#define CLASS_BUCKETS	4096

struct class_event {
	struct class_event *next;
	uint64_t	hash;
	enum class_kind	kind;
	bt_event_class	*class;
	char		key[];
};

/* Append a member and give up the reference to its class. */
static int class_member(bt_field_class *to, const char *name, bt_field_class *member)
{
	int ret = -1;

	if (to && member &&
	    !bt_field_class_structure_append_member(to, name, member))
		ret = 0;
	bt_field_class_put_ref(member);
	return ret;
}

static bt_field_class *class_uint(bt_trace_class *t, unsigned int bits)
{
	bt_field_class *f = bt_field_class_integer_unsigned_create(t);

	if (f)
		bt_field_class_integer_set_field_value_range(f, bits);
	return f;
}

/* The fields that each event has. */
static const struct { const char *name; bool is_string; } class_common[] = {
	{ "tid", false }, { "pid", false }, { "procname", true }, { "context", true },
	{ "severity", true }, { "object", true }, { "signal", true },
};

#define CLASS_COMMON	(sizeof(class_common) / sizeof(class_common[0]))

static int class_set_common(bt_trace_class *t, bt_stream_class *s)
{
	bt_field_class *f = bt_field_class_structure_create(t);
	int ret = f ? 0 : -1;
	size_t i;

	for (i = 0; i < CLASS_COMMON && !ret; i++)
		ret = class_member(f, class_common[i].name, class_common[i].is_string ?
				   bt_field_class_string_create(t) : class_uint(t, 32));
	if (!ret && bt_stream_class_set_event_common_context_field_class(s, f))
		ret = -1;
	bt_field_class_put_ref(f);
	return ret;
}

static int class_set_packet(bt_trace_class *t, bt_stream_class *s, const char *name)
{
	bt_field_class *f = bt_field_class_structure_create(t);
	int ret = f ? class_member(f, name, class_uint(t, 32)) : -1;

	if (!ret && bt_stream_class_set_packet_context_field_class(s, f))
		ret = -1;
	bt_field_class_put_ref(f);
	return ret;
}

static int class_set_stream(struct classes *c, enum class_kind kind)
{
	static const char *const names[] = { "cpu", "lane", "frames" };
	static const char *const packets[] = { "cpu_id", "lane", NULL };
	bt_stream_class *s = bt_stream_class_create(c->trace);

	c->stream[kind] = s;
	if (!s || bt_stream_class_set_name(s, names[kind]) ||
	    bt_stream_class_set_default_clock_class(s, c->clock[kind]))
		return -1;
	bt_stream_class_set_assigns_automatic_stream_id(s, BT_FALSE);
	bt_stream_class_set_supports_packets(s, BT_TRUE, BT_TRUE, BT_TRUE);
	bt_stream_class_set_supports_discarded_events(s, BT_TRUE, BT_TRUE);
	if (packets[kind] && class_set_packet(c->trace, s, packets[kind]))
		return -1;
	return class_set_common(c->trace, s);
}

/*
 * State the error of the dates. Version 0 of the message interchange protocol and CTF 1.8 call it
 * the precision. In version 1 and CTF 2 the precision is how much repeated readings differ, and the
 * accuracy is the distance from the true time. A library of version 2.0 has no accuracy.
 */
extern void bt_clock_class_set_accuracy(struct bt_clock_class *clock, uint64_t cycles)
	__attribute__((weak));

static void class_set_error(bt_clock_class *clock, bt_self_component *self, uint64_t error)
{
	if (&bt_clock_class_set_accuracy && bt_self_component_get_graph_mip_version(self))
		bt_clock_class_set_accuracy(clock, error);
	else
		bt_clock_class_set_precision(clock, error);
}

/*
 * Each stream class has its own clock: if stream classes share a clock, babeltrace 2.1 writes CTF 2
 * that it cannot read. Babeltrace merges streams with several clocks only if the clocks count from
 * 1970. So without a CLOCK frame, all stream classes share one clock.
 */
static int class_set_clock(struct classes *c, enum class_kind kind, bt_self_component *self,
			   const struct view_head *h)
{
	static const char *const names[] = { "trace", "trace_lanes", "trace_frames" };
	int64_t seconds = h->epoch / 1000000000, rest = h->epoch % 1000000000;

	if (kind && !h->has_clock) {
		c->clock[kind] = c->clock[0];
		bt_clock_class_get_ref(c->clock[0]);
		return 0;
	}
	c->clock[kind] = bt_clock_class_create(self);
	if (!c->clock[kind] || bt_clock_class_set_name(c->clock[kind], names[kind]))
		return -1;
	bt_clock_class_set_frequency(c->clock[kind], 1000000000);
	bt_clock_class_set_origin_is_unix_epoch(c->clock[kind], h->has_clock);
	if (rest < 0) {
		rest += 1000000000;
		seconds--;
	}
	if (h->has_clock)
		bt_clock_class_set_offset(c->clock[kind], seconds, (uint64_t)rest);
	if (h->dates == VIEW_DATES_ERROR)
		class_set_error(c->clock[kind], self, h->error);
	return 0;
}

int classes_init(struct classes *c, bt_self_component *self, const struct view_head *h)
{
	int i;

	hash_key_init(&c->key);
	out_init(&c->scratch, -1);
	c->table = calloc(CLASS_BUCKETS, sizeof(struct class_event *));
	c->trace = bt_trace_class_create(self);
	if (!c->table || !c->trace)
		return -1;
	for (i = 0; i < CLASS_KINDS; i++)
		if (class_set_clock(c, i, self, h) || class_set_stream(c, i))
			return -1;
	return 0;
}

void classes_free(struct classes *c)
{
	size_t i;

	for (i = 0; c->table && i < CLASS_BUCKETS; i++) {
		while (c->table[i]) {
			struct class_event *e = c->table[i];

			c->table[i] = e->next;
			bt_event_class_put_ref(e->class);
			free(e);
		}
	}
	free(c->table);
	out_free(&c->scratch);
	for (i = 0; i < CLASS_KINDS; i++) {
		bt_event_class_put_ref(c->other[i]);
		bt_stream_class_put_ref(c->stream[i]);
		bt_clock_class_put_ref(c->clock[i]);
	}
	bt_trace_class_put_ref(c->trace);
}

static bt_field_class *class_field(bt_trace_class *t, int kind)
{
	switch (kind) {
	case TI_ARG_INT:
		return bt_field_class_integer_signed_create(t);
	case TI_ARG_UINT:
		return class_uint(t, 64);
	case TI_ARG_DOUBLE:
		return bt_field_class_real_double_precision_create(t);
	default:
		return bt_field_class_string_create(t);
	}
}

const char *plugin_safe(struct out *o, const char *name)
{
	o->len = 0;
	out_safe(o, name, strlen(name));
	out_char(o, 0);
	return o->err ? NULL : o->buf;
}

static int class_set_name(bt_event_class *e, const char *name)
{
	struct out safe;
	int ret;

	out_init(&safe, -1);
	name = plugin_safe(&safe, name);
	ret = name ? bt_event_class_set_name(e, name) : -1;
	out_free(&safe);
	return ret;
}

static bt_event_class *class_new(struct classes *c, enum class_kind kind, const char *name,
				 const struct plugin_args *args)
{
	bt_field_class *f = bt_field_class_structure_create(c->trace);
	bt_event_class *e = bt_event_class_create(c->stream[kind]);
	int ret = f && e ? class_set_name(e, name) : -1;
	unsigned int i;

	for (i = 0; i < args->n && !ret; i++)
		ret = class_member(f, args->v[i].name, class_field(c->trace, args->v[i].kind));
	if (!ret)
		ret = bt_event_class_set_payload_field_class(e, f);
	bt_field_class_put_ref(f);
	if (ret) {
		bt_event_class_put_ref(e);
		return NULL;
	}
	return e;
}

static bt_event_class *class_other(struct classes *c, enum class_kind kind)
{
	static const struct plugin_args name = { .n = 1, .v = { { "name", TI_ARG_STR, { 0 } } } };

	if (!c->other[kind])
		c->other[kind] = class_new(c, kind, "other", &name);
	return c->other[kind];
}

bool classes_is_other(const struct classes *c, const bt_event_class *class)
{
	int i;

	for (i = 0; i < CLASS_KINDS; i++)
		if (class == c->other[i])
			return true;
	return false;
}

static void class_key(struct out *o, const char *name, const struct plugin_args *args)
{
	unsigned int i;

	out_str(o, name);
	for (i = 0; i < args->n; i++) {
		out_char(o, (char)(1 + args->v[i].kind));
		out_str(o, args->v[i].name);
	}
	out_char(o, 0);
}

bt_event_class *classes_event(struct classes *c, enum class_kind kind, const char *name,
			      const struct plugin_args *args)
{
	struct class_event *e = NULL;
	struct out *key = &c->scratch;
	uint64_t hash;
	size_t i;

	key->len = 0;
	class_key(key, name, args);
	if (key->err)
		return NULL;
	hash = hash_string(&c->key, kind, key->buf);
	i = hash % CLASS_BUCKETS;
	for (e = c->table[i]; e; e = e->next)
		if (e->hash == hash && e->kind == kind && !strcmp(e->key, key->buf))
			return e->class;
	if (c->nr == PLUGIN_CLASSES_MAX)
		return class_other(c, kind);
	e = malloc(sizeof(*e) + key->len);
	if (!e)
		return NULL;
	e->class = class_new(c, kind, name, args);
	if (!e->class) {
		free(e);
		return NULL;
	}
	e->hash = hash;
	e->kind = kind;
	memcpy(e->key, key->buf, key->len);
	e->next = c->table[i];
	c->table[i] = e;
	c->nr++;
	return e->class;
}
