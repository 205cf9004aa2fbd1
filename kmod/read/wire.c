// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frames that read(2) returns, except those of events: see wire_event.c
 *
 * The content of a frame depends only on its arguments and the number of frames before it. So two
 * readers of the same buffer get the same bytes.
 */
#include <linux/random.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "boot_id.h"
#include "compat/compat.h"
#include "hide.h"
#include "lane/slot.h"
#include "stream/past.h"
#include "wire.h"

/*
 * Initialize the zeroed @w for a reader that got no frame so far. @name is the stream's and must
 * stay valid.
 */
void wire_init(struct wire *w, const char *name)
{
	w->name = name;
	w->check = DEVTRACE_CHECK_SUM8;
}

/* The program has copied @n more bytes. */
void wire_taken(struct wire *w, u32 n)
{
	w->taken += n;
	if (w->taken == w->head) {
		w->head = 0;
		w->taken = 0;
	}
}

/* Does this frame, escaped and without its flag, contain a name? */
static bool is_name(const u8 *frame, u32 n)
{
	u32 i = n && frame[0] == DEVTRACE_ESCAPE ? 2 : 1;
	u8 type = i < n ? frame[i] : 0;

	if (!type && i + 1 < n)
		return frame[i + 1] == DEVTRACE_EMPTY_ACCURACY;
	return type == DEVTRACE_T_ENUM || type == DEVTRACE_T_IMAGE || type == DEVTRACE_T_PROC ||
	       (type >= DEVTRACE_T_SIG && type <= DEVTRACE_T_USR);
}

/**
 * wire_restart() - discard what is staged, before a seek
 * @w: frames of the reader
 *
 * If the program has read only a part of a frame, this ends that frame with a flag, so that the
 * next one is whole. Frames that the program has not read completely count as never sent: their
 * numbers are used again.
 *
 * Return: true if a discarded frame contained a name, which must be sent again.
 */
bool wire_restart(struct wire *w)
{
	/* After two seeks in a row, the flag added by the first one is still unread. */
	const bool added = !w->taken && w->head && w->buf[0] == DEVTRACE_FLAG;
	bool partial = added || (w->taken && w->buf[w->taken - 1] != DEVTRACE_FLAG);
	bool names = false;
	u32 begin = added, i;

	for (i = begin; i < w->head; i++) {
		if (w->buf[i] != DEVTRACE_FLAG)
			continue;
		/* If the program lacks only the frame's flag, the flag added here completes it. */
		if (i > w->taken || (i == w->taken && !partial)) {
			w->frames--;
			names |= is_name(w->buf + begin, i - begin);
		}
		begin = i + 1;
	}
	w->head = 0;
	w->taken = 0;
	if (partial)
		w->buf[w->head++] = DEVTRACE_FLAG;
	return names;
}

static char *put_name(char *p, const char *name, size_t max)
{
	size_t len = strnlen(name, max - 1);

	memcpy(p, name, len);
	p[len] = 0;
	return p + len + 1;
}

/*
 * Send the number of the load in an EMPTY frame, which older decoders ignore. An additional field
 * in INFO would need a new version of the format.
 */
static void wire_load(struct wire *w)
{
	struct devtrace_wire_load *b = wire_body(w);

	memset(b, 0, sizeof(*b));
	b->what = DEVTRACE_EMPTY_LOAD;
	b->load = cpu_to_le32(devtrace_boot_id.load);
	wire_send(w, DEVTRACE_T_EMPTY, sizeof(*b));
}

/* Describe the stream. @reason: enum devtrace_reason. */
void wire_info(struct wire *w, u8 reason)
{
	struct devtrace_wire_info *b = wire_body(w);
	char *p = (char *)(b + 1);

	b->version = DEVTRACE_WIRE_VERSION;
	b->check = w->check;
	b->reason = reason;
	b->flags = (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? DEVTRACE_INFO_BIG_ENDIAN : 0) |
		   (IS_ENABLED(CONFIG_64BIT) ? 0 : DEVTRACE_INFO_32BIT) |
		   (devtrace_boot_id.random ? 0 : DEVTRACE_INFO_BOOT_ID);
	b->nr_sources = cpu_to_le16(nr_cpu_ids + SLOTS_MAX);
	b->nr_cpus = cpu_to_le16(nr_cpu_ids);
	b->frames = cpu_to_le64(w->frames);
	memcpy(b->boot_id, devtrace_boot_id.boot, sizeof(b->boot_id));
	p = put_name(p, init_utsname()->machine, __NEW_UTS_LEN + 1);
	p = put_name(p, init_utsname()->release, __NEW_UTS_LEN + 1);
	p = put_name(p, w->name, DEVTRACE_NAME_MAX);
	wire_send(w, DEVTRACE_T_INFO, p - (char *)b);
	wire_load(w);
}

/* Send the time of several clocks at one instant, which relates the trace clock to them. */
void wire_clock(struct wire *w, const struct clock_sample *s)
{
	struct devtrace_wire_clock *b = wire_body(w);

	b->frames = cpu_to_le64(w->frames);
	b->ts = cpu_to_le64(s->ts);
	b->mono = cpu_to_le64(s->mono);
	b->boot = cpu_to_le64(s->boot);
	b->real = cpu_to_le64(s->real);
	wire_send(w, DEVTRACE_T_CLOCK, sizeof(*b));
}

/**
 * wire_lost() - report events that this reader will not get
 * @w: frames of the reader
 * @source: the source that lost them
 * @cause: enum devtrace_cause
 * @count: number of events
 * @from: no lost event is older, ns; 0 if not known
 * @to: no lost event is newer, ns
 */
void wire_lost(struct wire *w, u16 source, u8 cause, u64 count, u64 from, u64 to)
{
	struct devtrace_wire_lost *b = wire_body(w);

	b->source = cpu_to_le16(source);
	b->cause = cause;
	b->reserved = 0;
	b->count = cpu_to_le64(count);
	b->from = cpu_to_le64(from);
	b->to = cpu_to_le64(to);
	wire_send(w, DEVTRACE_T_LOST, sizeof(*b));
}

/* Report a change of state. */
void wire_state(struct wire *w, const struct stream_past *past)
{
	struct devtrace_wire_state *b = wire_body(w);
	char *p = (char *)(b + 1);

	memset(b, 0, sizeof(*b));
	b->state = past->state;
	b->trigger = !!*past->trigger;
	b->ts = cpu_to_le64(past->ts);
	b->fired = cpu_to_le64(past->fired_at);
	p = put_name(p, past->trigger, sizeof(past->trigger));
	wire_send(w, DEVTRACE_T_STATE, p - (char *)b);
}

/* Send the name of a thread. */
void wire_proc(struct wire *w, const struct proc_name *name)
{
	struct devtrace_wire_proc *b = wire_body(w);
	char *p = (char *)(b + 1);

	b->tid = cpu_to_le32(name->tid);
	b->tgid = cpu_to_le32(name->tgid);
	b->since = cpu_to_le64(name->since);
	p = put_name(p, name->comm, sizeof(name->comm));
	wire_send(w, DEVTRACE_T_PROC, p - (char *)b);
}

/* Return the key of a name as readers see it. @scope: process id, 0 for the kernel. */
u64 wire_dict_key(const struct devtrace_dict *d, u32 scope)
{
	return scope ? d->key : hide_address(d->key);
}

/* Send an accuracy in an EMPTY frame, which older decoders ignore. */
static void wire_accuracy(struct wire *w, const char *text)
{
	struct devtrace_wire_accuracy *b = wire_body(w);
	char *p = (char *)(b + 1);

	memset(b, 0, sizeof(*b));
	b->what = DEVTRACE_EMPTY_ACCURACY;
	p = put_name(p, text, DEVTRACE_NAME_MAX);
	wire_send(w, DEVTRACE_T_EMPTY, p - (char *)b);
}

/* Send a name of the dictionary. @scope: process id, 0 for the kernel. */
void wire_dict(struct wire *w, const struct devtrace_dict *d, u32 scope)
{
	struct devtrace_wire_dict *b = wire_body(w);
	char *p = (char *)(b + 1);

	if (d->kind == DEVTRACE_T_ACCURACY) {
		wire_accuracy(w, d->name);
		return;
	}
	memset(b, 0, sizeof(*b));
	b->scope = cpu_to_le32(scope);
	b->value = cpu_to_le32(d->value);
	b->group = d->group;
	b->key = cpu_to_le64(wire_dict_key(d, scope));
	p = put_name(p, d->name, sizeof(d->name));
	wire_send(w, d->kind, p - (char *)b);
}
