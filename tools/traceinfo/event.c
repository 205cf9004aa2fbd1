// SPDX-License-Identifier: GPL-2.0-only
/*
 * event.c - names of an event, its process and its object
 *
 * A name is looked up in the format files, then among the names that the event's own process
 * announced in the stream, then among the names announced for all processes. One exception: the
 * emitter's name of a user record wins over descriptions that do not say whose they are.
 * A value without a name is printed as a number.
 */
#include "../lib/type_groups.h"
#include "traceinfo.h"

const char *ti_event_group(uint8_t type)
{
	size_t i;

	for (i = 0; i < TYPE_GROUPS; i++)
		if (type_group_has(&type_groups[i], type))
			return type_groups[i].upper;
	return "TYPE";
}

const char *ti_event_dict(const struct ti_event *e, uint8_t kind, uint32_t value,
			  uint8_t group, uint64_t key)
{
	return fmt_dict_name(&e->dict, kind, value, group, key);
}

void ti_event_init(struct ti_event *e, const struct devtrace_event *ev,
		   const struct devtrace_decoder *decoder, const struct fmt_set *fmts)
{
	e->ev = ev;
	e->decoder = decoder;
	e->tgid = ev->tgid;
	fmt_dict_init(&e->dict, ev, decoder);
	e->entry = fmt_find(fmts, ev, &e->dict.names, &e->major);
	fmt_log_find(&e->log, fmts, ev, decoder);
}

const char *ti_event_process(const struct ti_event *e)
{
	return devtrace_decoder_proc(e->decoder, e->ev->tid, NULL);
}

static void code_name(struct out *o, const struct ti_event *e)
{
	uint32_t minor = DEVTRACE_CODE_MINOR(e->ev->code);

	if (!e->major) {
		out_hex(o, DEVTRACE_CODE_MAJOR(e->ev->code), 6);
	} else {
		out_str(o, e->major->name);
		if (e->entry && e->entry == e->major->minors[minor]) {
			out_char(o, '.');
			out_str(o, e->entry->name);
			return;
		}
		if (e->entry && e->entry == e->major->any) {
			out_char(o, '.');
			out_str(o, e->entry->name);
		}
	}
	out_char(o, ':');
	out_u64(o, minor);
}

void ti_event_name(struct out *o, const struct ti_event *e)
{
	const bool exc = e->ev->type == DEVTRACE_T_EXC || e->ev->type == DEVTRACE_T_FAULT;
	const char *s;

	if (exc && (e->ev->flags & DEVTRACE_F_CODE)) {
		code_name(o, e);
	} else if (e->entry) {
		out_str(o, e->entry->name);
	} else if (e->ev->type == DEVTRACE_T_TEXT) {
		OUT_LIT(o, "text");
	} else if (e->ev->type == DEVTRACE_T_LOG) {
		OUT_LIT(o, "LOG");
	} else {
		s = ti_event_dict(e, DEVTRACE_T_USR, e->ev->number, 0, 0);
		if (s) {
			out_safe(o, s, strlen(s));
		} else {
			out_str(o, ti_event_group(e->ev->type));
			out_char(o, ':');
			out_u64(o, e->ev->number);
		}
	}
	/* The event's type is not for codes, but it has a code: print the code, too. */
	if (!exc && (e->ev->flags & DEVTRACE_F_CODE)) {
		out_char(o, '.');
		out_hex(o, DEVTRACE_CODE_MAJOR(e->ev->code), 6);
		out_char(o, ':');
		out_u64(o, DEVTRACE_CODE_MINOR(e->ev->code));
	}
}

const char *ti_event_object(const struct ti_event *e)
{
	return ti_event_dict(e, DEVTRACE_T_OBJ, 0, 0, e->ev->object);
}

const char *ti_event_signal(const struct ti_event *e)
{
	const char *s = ti_event_dict(e, DEVTRACE_T_SIG, e->ev->signal, 0, e->ev->object);

	/*
	 * Signal 0 usually means that the event has no signal. If the object itself has a name for
	 * signal 0, the event does have one: for example, system call 0 is "read". A name for
	 * signal 0 of all objects does not count, because RKH announces such names for signals
	 * numbered from 0.
	 */
	if (!e->ev->signal && s == ti_event_dict(e, DEVTRACE_T_SIG, 0, 0, 0))
		return NULL;
	return s;
}

const char *ti_event_context(const struct ti_event *e)
{
	switch (e->ev->flags & DEVTRACE_F_CONTEXT) {
	case DEVTRACE_CTX_SOFTIRQ:
		return "sirq";
	case DEVTRACE_CTX_IRQ:
		return "irq";
	case DEVTRACE_CTX_NMI:
		return "nmi";
	}
	return e->ev->flags & DEVTRACE_F_USER ? "user" : "task";
}

bool ti_event_interrupted(const struct ti_event *e)
{
	return (e->ev->flags & DEVTRACE_F_CONTEXT) != DEVTRACE_CTX_TASK;
}

/* Print a boot id as the kernel does, in groups of 8-4-4-4-12 digits. */
void ti_boot_id(struct out *o, const uint8_t id[16])
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_char(o, '-');
		out_char(o, digits[id[i] >> 4]);
		out_char(o, digits[id[i] & 0xf]);
	}
}

int ti_event_lane(const struct ti_event *e)
{
	return devtrace_decoder_lane(e->decoder, e->ev->source);
}

bool ti_event_line(const struct ti_event *e, struct devtrace_elem *text)
{
	size_t pos = 0;

	return e->ev->type == DEVTRACE_T_TEXT && !e->entry &&
	       devtrace_elem_next(e->ev->data, e->ev->len, &pos, text) == 1 &&
	       !text->is_enum && text->type == DEVTRACE_E_STR && pos == e->ev->len;
}

void ti_event_text(struct out *o, const struct ti_event *e)
{
	struct devtrace_elem text;

	if (ti_event_line(e, &text))
		out_safe(o, text.v.mem.p, text.v.mem.len);
	else if (e->log.is_log)
		fmt_log_print(o, &e->log, e->ev, &e->dict.names);
	else
		fmt_print(o, e->entry, e->ev->data, e->ev->len, &e->dict.names);
}

const char *ti_lost_cause(uint8_t cause)
{
	static const char *const causes[] = {
		[DEVTRACE_LOST_OVERWRITTEN] = "overwritten",
		[DEVTRACE_LOST_CLEARED] = "cleared",
		[DEVTRACE_LOST_BUSY] = "busy",
		[DEVTRACE_LOST_TOOBIG] = "too-big",
		[DEVTRACE_LOST_NORING] = "no-ring",
		[DEVTRACE_LOST_STOPPED] = "stopped",
		[DEVTRACE_LOST_LANE] = "bad-lane",
		[DEVTRACE_LOST_DAMAGED] = "damaged",
	};

	return cause < sizeof(causes) / sizeof(causes[0]) ? causes[cause] : "unknown-cause";
}

const char *ti_state_name(uint8_t state)
{
	switch (state) {
	case DEVTRACE_STATE_RUNNING:
		return "running";
	case DEVTRACE_STATE_STOPPED:
		return "stopped";
	case DEVTRACE_STATE_FROZEN:
		return "frozen";
	}
	return "unknown-state";
}

const char *ti_damage_reason(enum devtrace_damage_reason reason)
{
	if ((int)reason == TI_DAMAGE_ZSTD)
		return "a zstd frame of the compressed input is unreadable";
	switch (reason) {
	case DEVTRACE_DAMAGE_CHECK:
		return "the check does not match";
	case DEVTRACE_DAMAGE_SHORT:
		return "too short for a frame";
	case DEVTRACE_DAMAGE_LONG:
		return "longer than any frame";
	case DEVTRACE_DAMAGE_ESCAPE:
		return "a misplaced escape byte";
	case DEVTRACE_DAMAGE_BODY:
		return "the body does not fit the type";
	case DEVTRACE_DAMAGE_CUT:
		return "cut off";
	case DEVTRACE_DAMAGE_LACKS:
		return "a compact frame that refers to a missing frame";
	}
	return "damaged";
}
