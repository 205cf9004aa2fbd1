// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - print one JSON object on each line
 *
 * The first member is "kind": event, lost, state, clock_set, gap, damage, unknown, note, info,
 * reboot, pid_namespace, or with -v clock, accuracy, thread, name. Each line is valid JSON in valid
 * UTF-8 for any input.
 */
#include "common/severity.h"
#include "traceinfo.h"

static void str(struct out *o, const char *key, const char *value)
{
	out_str(o, key);
	out_json(o, value, strlen(value));
}

static void num(struct out *o, const char *key, uint64_t value)
{
	out_str(o, key);
	out_u64(o, value);
}

static void begin(struct out *o, const struct ti_printer *p, const char *kind)
{
	OUT_LIT(o, "{\"kind\":\"");
	out_str(o, kind);
	out_char(o, '"');
	if (p->board)
		str(o, ",\"board\":", p->board);
}

static void source(struct out *o, const struct devtrace_decoder *d, uint16_t source)
{
	int lane = devtrace_decoder_lane(d, source);

	if (lane < 0)
		num(o, ",\"cpu\":", source);
	else
		num(o, ",\"lane\":", (uint64_t)lane);
}

static void name(struct out *o, const struct ti_event *e)
{
	struct out tmp;

	out_init(&tmp, -1);
	tmp.raw = true;
	ti_event_name(&tmp, e);
	OUT_LIT(o, ",\"name\":");
	out_json(o, tmp.buf, tmp.len);
	out_free(&tmp);
}

static void times(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  uint64_t ts)
{
	num(o, ",\"ts\":", ts);
	if (!out_room(o, 512))
		return;
	OUT_LIT(o, ",\"time\":\"");
	if (ti_clock_iso(o, &p->iso, d, ts))
		out_char(o, '"');
	else
		o->len -= sizeof(",\"time\":\"") - 1;
}

void ti_json_event(struct out *o, struct ti_printer *p, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	const char *process = ti_event_process(e);
	struct devtrace_elem text;

	begin(o, p, "event");
	times(o, p, e->decoder, ev->ts);
	if (ev->flags & DEVTRACE_F_LATE)
		OUT_LIT(o, ",\"late\":true");
	if (p->is_aligned) {
		num(o, ",\"aligned\":", p->aligned);
		num(o, ",\"align_error\":", p->align_error);
	}
	if (p->has_error)
		num(o, ",\"error\":", p->error);
	if (p->uncertain)
		OUT_LIT(o, ",\"uncertain\":true");
	source(o, e->decoder, ev->source);
	str(o, ",\"context\":", ti_event_context(e));
	out_str(o, ev->flags & DEVTRACE_F_USER ? ",\"user\":true" : ",\"user\":false");
	if (ev->severity & DEVTRACE_SEV_SET)
		str(o, ",\"severity\":", severity_name(ev->severity));
	num(o, ",\"tid\":", ev->tid);
	if (e->tgid)
		num(o, ",\"pid\":", e->tgid);
	if (process)
		str(o, ",\"process\":", process);
	num(o, ",\"type\":", ev->number);
	name(o, e);
	if (ev->flags & DEVTRACE_F_CODE) {
		num(o, ",\"major\":", DEVTRACE_CODE_MAJOR(ev->code));
		num(o, ",\"minor\":", DEVTRACE_CODE_MINOR(ev->code));
	}
	if (ev->flags & DEVTRACE_F_OBJSIG) {
		num(o, ",\"object\":", ev->object);
		if (ti_event_object(e))
			str(o, ",\"object_name\":", ti_event_object(e));
		num(o, ",\"signal\":", ev->signal);
		if (ti_event_signal(e))
			str(o, ",\"signal_name\":", ti_event_signal(e));
	}
	out_char(o, ',');
	if (ti_event_line(e, &text)) {
		OUT_LIT(o, "\"text\":");
		out_json(o, text.v.mem.p, text.v.mem.len);
	} else if (e->log.is_log) {
		fmt_log_json(o, &e->log, ev, &e->dict.names);
	} else {
		fmt_print_json(o, e->entry, ev->data, ev->len, &e->dict.names);
	}
	OUT_LIT(o, "}\n");
}

/* Omit a random boot ID. */
static void json_boot(struct out *o, const struct devtrace_info *i)
{
	if (!(i->flags & DEVTRACE_INFO_BOOT_ID))
		return;
	OUT_LIT(o, ",\"boot\":\"");
	ti_boot_id(o, i->boot_id);
	OUT_LIT(o, "\"");
}

void ti_json_load(struct out *o, struct ti_printer *p, uint32_t load)
{
	begin(o, p, "load");
	num(o, ",\"load\":", load);
	OUT_LIT(o, "}\n");
}

void ti_json_pids(struct out *o, struct ti_printer *p)
{
	begin(o, p, "pid_namespace");
	str(o, ",\"ids\":", "initial");
	OUT_LIT(o, "}\n");
}

void ti_json_clock_set(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		       const struct ti_clock_step *s)
{
	begin(o, p, "clock_set");
	times(o, p, d, s->to);
	OUT_LIT(o, ",\"by\":");
	out_i64(o, s->by);
	num(o, ",\"from\":", s->from);
	num(o, ",\"to\":", s->to);
	OUT_LIT(o, "}\n");
}

void ti_json_reboot(struct out *o, struct ti_printer *p, const uint8_t before[16],
		    const uint8_t id[16])
{
	begin(o, p, "reboot");
	OUT_LIT(o, ",\"boot\":\"");
	ti_boot_id(o, id);
	OUT_LIT(o, "\",\"before\":\"");
	ti_boot_id(o, before);
	OUT_LIT(o, "\"}\n");
}

static void json_unknown(struct out *o, struct ti_printer *p, const struct devtrace_item *item)
{
	size_t i;

	begin(o, p, "unknown");
	num(o, ",\"type\":", item->u.unknown.type);
	OUT_LIT(o, ",\"bytes\":[");
	for (i = 0; i < item->u.unknown.len; i++)
		num(o, i ? "," : "", item->u.unknown.data[i]);
	out_char(o, ']');
}

static void json_name(struct out *o, struct ti_printer *p, const struct devtrace_name *n)
{
	begin(o, p, "name");
	num(o, ",\"type\":", n->kind);
	num(o, ",\"scope\":", n->scope);
	num(o, ",\"value\":", n->value);
	num(o, ",\"group\":", n->group);
	num(o, ",\"key\":", n->key);
	str(o, ",\"name\":", n->name);
}

void ti_json_item(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct devtrace_item *item)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		begin(o, p, "lost");
		num(o, ",\"count\":", item->u.lost.count);
		source(o, d, item->u.lost.source);
		str(o, ",\"cause\":", ti_lost_cause(item->u.lost.cause));
		num(o, ",\"from\":", item->u.lost.from);
		num(o, ",\"to\":", item->u.lost.to);
		break;
	case DEVTRACE_ITEM_STATE:
		begin(o, p, "state");
		str(o, ",\"state\":", ti_state_name(item->u.state.state));
		times(o, p, d, item->u.state.ts);
		if (item->u.state.by_trigger)
			str(o, ",\"trigger\":", item->u.state.trigger);
		if (item->u.state.fired)
			num(o, ",\"fired\":", item->u.state.fired);
		break;
	case DEVTRACE_ITEM_GAP:
		begin(o, p, "gap");
		num(o, ",\"count\":", item->u.gap.count);
		out_str(o, item->u.gap.exact ? ",\"exact\":true" : ",\"exact\":false");
		num(o, ",\"before\":", item->u.gap.seq_before);
		num(o, ",\"after\":", item->u.gap.seq_after);
		num(o, ",\"offset\":", item->u.gap.offset);
		num(o, ",\"from\":", item->u.gap.ts_before);
		if (p->gap_from) {
			str(o, ",\"between\":[", p->gap_from);
			str(o, ",", p->gap_to);
			out_char(o, ']');
		}
		break;
	case DEVTRACE_ITEM_DAMAGE:
		begin(o, p, "damage");
		num(o, ",\"offset\":", item->u.damage.offset);
		num(o, ",\"bytes\":", item->u.damage.bytes);
		str(o, ",\"reason\":", ti_damage_reason(item->u.damage.reason));
		break;
	case DEVTRACE_ITEM_NOTE:
		begin(o, p, "note");
		str(o, ",\"name\":", item->u.note.name);
		str(o, ",\"value\":", item->u.note.value);
		break;
	case DEVTRACE_ITEM_UNKNOWN:
		json_unknown(o, p, item);
		break;
	case DEVTRACE_ITEM_INFO:
		begin(o, p, "info");
		num(o, ",\"frames\":", item->u.info.frames);
		num(o, ",\"reason\":", item->u.info.reason);
		if (item->u.info.nr_cpus)
			num(o, ",\"cpus\":", item->u.info.nr_cpus);
		json_boot(o, &item->u.info);
		str(o, ",\"machine\":", item->u.info.machine);
		str(o, ",\"release\":", item->u.info.release);
		str(o, ",\"stream\":", item->u.info.stream);
		break;
	case DEVTRACE_ITEM_CLOCK:
		begin(o, p, "clock");
		num(o, ",\"frames\":", item->u.clock.frames);
		times(o, p, d, item->u.clock.ts);
		num(o, ",\"monotonic\":", item->u.clock.mono);
		num(o, ",\"boottime\":", item->u.clock.boot);
		OUT_LIT(o, ",\"realtime\":");
		out_i64(o, item->u.clock.real);
		break;
	case DEVTRACE_ITEM_ACCURACY:
		begin(o, p, "accuracy");
		times(o, p, d, item->u.accuracy.ts);
		num(o, ",\"max_error\":", item->u.accuracy.max);
		num(o, ",\"estimated_error\":", item->u.accuracy.est);
		num(o, ",\"status\":", item->u.accuracy.status);
		str(o, ",\"source\":", item->u.accuracy.source);
		break;
	case DEVTRACE_ITEM_PROC:
		begin(o, p, "thread");
		num(o, ",\"tid\":", item->u.proc.tid);
		num(o, ",\"pid\":", item->u.proc.tgid);
		str(o, ",\"name\":", item->u.proc.name);
		break;
	case DEVTRACE_ITEM_DICT:
		json_name(o, p, &item->u.dict);
		break;
	default:
		return;
	}
	OUT_LIT(o, "}\n");
}
