// SPDX-License-Identifier: GPL-2.0-only
/*
 * fields.c - the values of an event's fields
 *
 * A missing name is "-", as in traceinfo, and not empty: for an empty string of CTF, babeltrace 2.0
 * returns the string that was in its memory before.
 */
#include <stdio.h>
#include "common/severity.h"
#include "plugin.h"

#define FIELDS_NONE	"-"

static int fields_text(bt_field *field, const char *s)
{
	return bt_field_string_set_value(field, s) ? -1 : 0;
}

static int fields_value(bt_field *field, const struct plugin_args *args,
			const struct plugin_arg *v)
{
	switch (v->kind) {
	case TI_ARG_INT:
		bt_field_integer_signed_set_value(field, v->v.i);
		return 0;
	case TI_ARG_UINT:
		bt_field_integer_unsigned_set_value(field, v->v.u);
		return 0;
	case TI_ARG_DOUBLE:
		bt_field_real_double_precision_set_value(field, v->v.f);
		return 0;
	default:
		return fields_text(field, args->text.buf + v->v.at);
	}
}

int fields_payload(bt_event *event, const char *name, const struct plugin_args *args)
{
	bt_field *payload = bt_event_borrow_payload_field(event);
	unsigned int i;
	int ret = 0;

	if (!args)
		return fields_text(bt_field_structure_borrow_member_field_by_index(payload, 0),
				   name);
	for (i = 0; i < args->n && !ret; i++)
		ret = fields_value(bt_field_structure_borrow_member_field_by_index(payload, i),
				   args, &args->v[i]);
	return ret;
}

/* Set a name, or the number if there is no name. */
static int fields_named(bt_field *field, const char *name, unsigned int number)
{
	char digits[16];

	if (name)
		return fields_text(field, name);
	snprintf(digits, sizeof(digits), "%u", number);
	return fields_text(field, digits);
}

int fields_context(bt_event *event, const struct ti_event *e)
{
	bt_field *c = bt_event_borrow_common_context_field(event), *f[7];
	const bool has = e->ev->flags & DEVTRACE_F_OBJSIG;
	const char *comm = ti_event_process(e), *signal = has ? ti_event_signal(e) : NULL;
	unsigned int i;

	for (i = 0; i < 7; i++)
		f[i] = bt_field_structure_borrow_member_field_by_index(c, i);
	bt_field_integer_unsigned_set_value(f[0], e->ev->tid);
	bt_field_integer_unsigned_set_value(f[1], e->tgid);
	if (fields_text(f[2], comm ? comm : FIELDS_NONE) ||
	    fields_text(f[3], ti_event_context(e)) ||
	    fields_text(f[4], e->ev->severity & DEVTRACE_SEV_SET ?
			severity_name(e->ev->severity) : FIELDS_NONE))
		return -1;
	if (!has)
		return fields_text(f[5], FIELDS_NONE) || fields_text(f[6], FIELDS_NONE) ? -1 : 0;
	if (fields_named(f[5], ti_event_object(e), e->ev->object))
		return -1;
	/* An event without a signal has signal 0, and no name for it. */
	if (!signal && !e->ev->signal)
		return fields_text(f[6], FIELDS_NONE);
	return fields_named(f[6], signal, e->ev->signal);
}

void fields_packet(bt_packet *packet, uint64_t source)
{
	bt_field *context = bt_packet_borrow_context_field(packet);
	bt_field *f = bt_field_structure_borrow_member_field_by_index(context, 0);

	bt_field_integer_unsigned_set_value(f, source);
}
