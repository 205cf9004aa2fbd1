// SPDX-License-Identifier: GPL-2.0-only
/*
 * line_item.c - print one line of text for each item that is not an event
 *
 * Lines about losses, gaps, damage, changes of state and unknown frames begin with three stars;
 * all other lines begin with three dashes.
 */
#include <stdio.h>
#include "accuracy.h"
#include "traceinfo.h"

#define MAGENTA	"\033[1;35m"
#define RESET	"\033[0m"

/* Print the board, if there are several. */
static void of_board(struct out *o, const struct ti_printer *p)
{
	if (!p->board)
		return;
	out_safe(o, p->board, strlen(p->board));
	OUT_LIT(o, ": ");
}

static void stars(struct out *o, struct ti_printer *p)
{
	out_str(o, p->color ? MAGENTA "*** " : "*** ");
	of_board(o, p);
}

static void end_line(struct out *o, struct ti_printer *p)
{
	out_str(o, p->color ? RESET "\n" : "\n");
}

static void plural(struct out *o, uint64_t n, const char *what)
{
	out_u64(o, n);
	out_char(o, ' ');
	out_str(o, what);
	if (n != 1)
		out_char(o, 's');
}

static void print_lost(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		       const struct devtrace_lost *l)
{
	static const char *const why[] = {
		[DEVTRACE_LOST_OVERWRITTEN] = "overwritten by newer ones",
		[DEVTRACE_LOST_CLEARED] = "a user cleared the buffer",
		[DEVTRACE_LOST_BUSY] = "the ring was full of unfinished events",
		[DEVTRACE_LOST_TOOBIG] = "larger than a quarter of the ring",
		[DEVTRACE_LOST_NORING] = "the CPU had no ring",
		[DEVTRACE_LOST_STOPPED] = "the stream was stopped",
		[DEVTRACE_LOST_LANE] = "the contents of the lane were invalid, so it was abandoned",
		[DEVTRACE_LOST_DAMAGED] = "the memory that kept them across the reset was damaged",
	};
	int lane = devtrace_decoder_lane(d, l->source);

	stars(o, p);
	if (l->count || l->cause != DEVTRACE_LOST_LANE)
		plural(o, l->count, "event");
	else
		OUT_LIT(o, "an unknown number of events");
	out_str(o, lane < 0 ? " of CPU " : " of lane ");
	out_u64(o, lane < 0 ? l->source : (uint64_t)lane);
	OUT_LIT(o, " lost: ");
	if (l->cause < sizeof(why) / sizeof(why[0])) {
		out_str(o, why[l->cause]);
	} else {
		OUT_LIT(o, "cause ");
		out_u64(o, l->cause);
	}
	if (l->from && l->to) {
		OUT_LIT(o, ", between ");
		ti_clock_moment(o, &p->clock, d, l->from);
		OUT_LIT(o, " and ");
		ti_clock_moment(o, &p->clock, d, l->to);
	} else if (l->to) {
		OUT_LIT(o, ", before ");
		ti_clock_moment(o, &p->clock, d, l->to);
	} else if (l->from) {
		OUT_LIT(o, ", after ");
		ti_clock_moment(o, &p->clock, d, l->from);
	}
	end_line(o, p);
}

static void print_state(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
			const struct devtrace_state_item *s)
{
	stars(o, p);
	if (s->state == DEVTRACE_STATE_RUNNING) {
		OUT_LIT(o, "running again");
	} else if (s->state <= DEVTRACE_STATE_FROZEN) {
		out_str(o, ti_state_name(s->state));
	} else {
		OUT_LIT(o, "in state ");
		out_u64(o, s->state);
	}
	OUT_LIT(o, " from ");
	ti_clock_moment(o, &p->clock, d, s->ts);
	if (s->by_trigger) {
		OUT_LIT(o, ", by trigger ");
		out_safe(o, s->trigger, strlen(s->trigger));
	}
	if (s->fired) {
		OUT_LIT(o, " that was met at ");
		ti_clock_moment(o, &p->clock, d, s->fired);
	}
	end_line(o, p);
}

static void print_gap(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		      const struct devtrace_gap *g)
{
	stars(o, p);
	if (!g->exact)
		OUT_LIT(o, "at least ");
	plural(o, g->count, "frame");
	if (p->gap_from) {
		OUT_LIT(o, " missing between ");
		out_safe(o, p->gap_from, strlen(p->gap_from));
		OUT_LIT(o, " and ");
		out_safe(o, p->gap_to, strlen(p->gap_to));
	} else {
		OUT_LIT(o, " missing between number ");
		out_u64(o, g->seq_before);
		OUT_LIT(o, " and ");
		out_u64(o, g->seq_after);
		OUT_LIT(o, ", before byte ");
		out_u64(o, g->offset);
	}
	if (g->ts_before) {
		OUT_LIT(o, ", after ");
		ti_clock_moment(o, &p->clock, d, g->ts_before);
	}
	end_line(o, p);
}

static void print_dict(struct out *o, const struct devtrace_name *n)
{
	static const char *const kinds[] = { "signal", "object", "function", "record type" };

	if (n->kind == DEVTRACE_T_ENUM) {
		OUT_LIT(o, "enum ");
		out_u64(o, n->group);
	} else if (n->kind == DEVTRACE_T_IMAGE) {
		out_str(o, n->group == FMT_IMAGE_ID ? "build-id of image" :
			n->group == FMT_IMAGE_PATH ? "file of image" :
			n->group == FMT_IMAGE_BASE ? "address of image" : "name of image");
	} else {
		out_str(o, n->kind >= DEVTRACE_T_SIG && n->kind <= DEVTRACE_T_USR ?
			kinds[n->kind - DEVTRACE_T_SIG] : "name");
	}
	out_char(o, ' ');
	if (n->kind == DEVTRACE_T_OBJ || n->kind == DEVTRACE_T_FUN)
		out_hex(o, n->key, 1);
	else
		out_u64(o, n->value);
	if (n->kind == DEVTRACE_T_SIG && n->key) {
		OUT_LIT(o, " of object ");
		out_hex(o, n->key, 1);
	}
	OUT_LIT(o, " is ");
	out_quoted(o, n->name, strlen(n->name));
	if (n->scope) {
		OUT_LIT(o, " in process ");
		out_u64(o, n->scope);
	}
}

void ti_line_load(struct out *o, struct ti_printer *p, uint32_t load)
{
	OUT_LIT(o, "--- ");
	of_board(o, p);
	OUT_LIT(o, "load ");
	out_u64(o, load);
	OUT_LIT(o, " of the module");
	end_line(o, p);
}

void ti_line_pids(struct out *o, struct ti_printer *p)
{
	OUT_LIT(o, "--- ");
	of_board(o, p);
	OUT_LIT(o, "thread ids shown are those of the initial pid namespace; -p expects ids of this pid namespace\n");
}

/*
 * Print that the wall clock was set. The line stands between the events before and after the step.
 */
void ti_line_clock_set(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		       const struct ti_clock_step *s)
{
	stars(o, p);
	OUT_LIT(o, "wall clock set by ");
	ti_clock_step(o, s->by);
	out_str(o, s->exact ? " from " : " between ");
	ti_clock_moment(o, &p->clock, d, s->from);
	out_str(o, s->exact ? " to " : " and ");
	ti_clock_moment(o, &p->clock, d, s->to);
	end_line(o, p);
}

void ti_line_reboot(struct out *o, struct ti_printer *p, const uint8_t before[16],
		    const uint8_t id[16])
{
	OUT_LIT(o, "--- ");
	of_board(o, p);
	OUT_LIT(o, "the machine booted again: boot ");
	ti_boot_id(o, id);
	OUT_LIT(o, " follows boot ");
	ti_boot_id(o, before);
	out_char(o, '\n');
}

static void print_info(struct out *o, const struct devtrace_info *i)
{
	static const char *const reasons[] = {
		"begins", "goes on", "was moved", "changes its check", "is announced anew",
	};

	OUT_LIT(o, "stream ");
	out_quoted(o, i->stream, strlen(i->stream));
	OUT_LIT(o, " of ");
	out_safe(o, i->machine, strlen(i->machine));
	OUT_LIT(o, ", Linux ");
	out_safe(o, i->release, strlen(i->release));
	out_char(o, ' ');
	if (i->reason < sizeof(reasons) / sizeof(reasons[0]))
		out_str(o, reasons[i->reason]);
	OUT_LIT(o, " after ");
	plural(o, i->frames, "frame");
	if (i->nr_cpus) {
		OUT_LIT(o, ", of ");
		plural(o, i->nr_cpus, "CPU");
	}
	if (i->flags & DEVTRACE_INFO_BOOT_ID) {
		OUT_LIT(o, ", boot ");
		ti_boot_id(o, i->boot_id);
	}
}

void ti_line_item(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct devtrace_item *item)
{
	size_t i;

	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		print_lost(o, p, d, &item->u.lost);
		return;
	case DEVTRACE_ITEM_STATE:
		print_state(o, p, d, &item->u.state);
		return;
	case DEVTRACE_ITEM_GAP:
		print_gap(o, p, d, &item->u.gap);
		return;
	case DEVTRACE_ITEM_DAMAGE:
		stars(o, p);
		plural(o, item->u.damage.bytes, "byte");
		OUT_LIT(o, " from byte ");
		out_u64(o, item->u.damage.offset);
		out_str(o, item->u.damage.bytes == 1 ? " on is" : " on are");
		OUT_LIT(o, " not a whole frame: ");
		out_str(o, ti_damage_reason(item->u.damage.reason));
		end_line(o, p);
		return;
	case DEVTRACE_ITEM_NOTE:
		OUT_LIT(o, "--- ");
		of_board(o, p);
		out_safe(o, item->u.note.name, strlen(item->u.note.name));
		out_char(o, '=');
		out_safe(o, item->u.note.value, strlen(item->u.note.value));
		end_line(o, p);
		return;
	case DEVTRACE_ITEM_UNKNOWN:
		stars(o, p);
		OUT_LIT(o, "frame of unknown type ");
		out_u64(o, item->u.unknown.type);
		OUT_LIT(o, " with ");
		plural(o, item->u.unknown.len, "byte");
		for (i = 0; i < item->u.unknown.len; i++) {
			static const char set[] = "0123456789abcdef";
			uint8_t c = item->u.unknown.data[i];

			out_str(o, i ? " " : ": ");
			out_char(o, set[c >> 4]);
			out_char(o, set[c & 15]);
		}
		end_line(o, p);
		return;
	default:
		break;
	}
	OUT_LIT(o, "--- ");
	of_board(o, p);
	if (item->kind == DEVTRACE_ITEM_INFO) {
		print_info(o, &item->u.info);
	} else if (item->kind == DEVTRACE_ITEM_CLOCK) {
		OUT_LIT(o, "clock: ");
		ti_clock_moment(o, &p->clock, d, item->u.clock.ts);
	} else if (item->kind == DEVTRACE_ITEM_PROC) {
		OUT_LIT(o, "thread ");
		out_u64(o, item->u.proc.tid);
		OUT_LIT(o, " of process ");
		out_u64(o, item->u.proc.tgid);
		OUT_LIT(o, " is ");
		out_quoted(o, item->u.proc.name, strlen(item->u.proc.name));
	} else if (item->kind == DEVTRACE_ITEM_ACCURACY) {
		ti_accuracy_statement(o, p, &item->u.accuracy);
	} else if (item->kind == DEVTRACE_ITEM_DICT) {
		print_dict(o, &item->u.dict);
	}
	out_char(o, '\n');
}
