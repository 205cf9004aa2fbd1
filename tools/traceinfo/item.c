// SPDX-License-Identifier: GPL-2.0-only
/*
 * item.c - decide for each item whether and where its line is printed
 */
#include <stdio.h>
#include "board.h"
#include "layout.h"
#include "picked.h"
#include "pieces.h"
#include "sequence.h"
#include "sum_machine.h"
#include "timeline.h"

/* With --align, another board's clock dates the event. */
static bool real_of(const struct ti_run *run, uint64_t ts, int64_t *real)
{
	return run->opt->align ? ti_clock_real(run->in->decoder, ts, real) :
	       devtrace_decoder_real(run->in->decoder, ts, real);
}

static bool in_window(struct ti_run *run, uint64_t first, uint64_t last)
{
	const struct ti_filter *f = &run->opt->filter;
	int64_t real;

	if (f->since.kind == TI_AGO && last < run->in->since_ts)
		return false;
	if (f->until.kind == TI_AGO && first > run->in->until_ts)
		return false;
	/* Without a CLOCK frame the wall-clock time is unknown, so the filter excludes nothing. */
	if (f->since.kind == TI_REAL && real_of(run, last, &real) &&
	    real < f->since.ns)
		return false;
	if (f->until.kind == TI_REAL && real_of(run, first, &real) &&
	    real > f->until.ns)
		return false;
	return true;
}

static bool past_until(struct ti_run *run, uint64_t ts)
{
	const struct ti_filter *f = &run->opt->filter;
	int64_t real;

	if (f->until.kind == TI_AGO)
		return ts > run->in->until_ts;
	return f->until.kind == TI_REAL && real_of(run, ts, &real) &&
	       real > f->until.ns;
}

/* Return the output for lines. Lines are held in memory until the input is known to be a stream. */
static struct out *lines(struct ti_run *run)
{
	return run->in->evidence.found ? &run->out : ti_last_report(&run->in->held);
}

/*
 * Return the output for bytes. Until the input is known to be a stream, all bytes are held in
 * memory, without a limit.
 */
struct out *ti_bytes(struct ti_run *run)
{
	return run->in->evidence.found ? &run->out : &run->in->held.line;
}

/*
 * Print the lines held so far, because the input is a stream, or an error was found that must be
 * printed anyway.
 */
void ti_release(struct ti_run *run)
{
	run->in->evidence.found = true;
	ti_last_print(&run->in->held, &run->out, run->opt->json);
}

void ti_print_last(struct ti_run *run)
{
	if (!run->keep)
		return;
	run->printed += run->last.used;
	ti_last_print(&run->last, &run->out, run->opt->json);
	run->keep = false;
}

static int print_event(struct ti_run *run, const struct devtrace_item *item)
{
	const struct devtrace_event *ev = &item->u.event;
	const struct ti_options *opt = run->opt;
	struct ti_event e;
	struct out *o;
	bool wanted;

	if (ev->ts > run->in->end_ts)
		return 1;
	if ((opt->filter.since.kind || opt->filter.until.kind) &&
	    !in_window(run, ev->ts, ev->ts))
		/* With -f, all later events are newer still, so stop reading. */
		return opt->follow && past_until(run, ev->ts) ? 1 : 0;
	if (run->sum) {
		sum_event(run->sum, ev, devtrace_decoder_lane(run->in->decoder, ev->source) >= 0);
		/* QP's types, and the types that RKH may use. */
		if (ev->type < DEVTRACE_T_USER || ev->type >= DEVTRACE_T_USER2) {
			ti_event_init(&e, ev, run->in->decoder, &run->fmts);
			sum_machines_event(run->sum->machines, &e);
		}
		return 0;
	}
	ti_event_init(&e, ev, run->in->decoder, &run->fmts);
	wanted = ti_filter_wants(&opt->filter, &e);
	ti_picked_event(run->picked, &e);
	if (run->timeline)
		ti_timeline_event(run->timeline, ti_bytes(run), &run->printer, &e, wanted);
	if (run->timeline)
		run->printed += wanted;
	if (!wanted || run->timeline)
		return 0;
	if (run->raw) {
		ti_raw_item(run->raw, ti_bytes(run), item);
		run->printed++;
		return 0;
	}
	if (run->sequence && !ti_sequence_wants(run->sequence, &e))
		return 0;
	if (run->in->qspy && !ti_qspy_wants(run->in->qspy, ev))
		return 0;
	if (!opt->json && !run->sequence)
		ti_layout_line(ti_bytes(run), &run->printer);
	/* -n may drop the previous event, so no difference to its time can be printed. */
	if (run->keep && run->printer.clock.mode == TI_TIME_REL)
		run->printer.clock.have_before = false;
	o = run->keep ? ti_last_event(&run->last, opt->json) : lines(run);
	if (!o)
		return 0;
	if (run->sequence)
		ti_sequence_event(run->sequence, o, &run->printer, &e);
	else if (opt->json)
		ti_json_event(o, &run->printer, &e);
	else if (run->in->qspy)
		ti_qspy_event(run->in->qspy, o, ev);
	else
		ti_line_event(o, &run->printer, &e);
	if (run->keep)
		ti_last_keep(&run->last);
	else
		run->printed++;
	return 0;
}

/* Set the name of the current stream. Return true if it differs from the previous name. */
static bool other_stream(struct ti_run *run, const char *name)
{
	if (!strncmp(run->in->stream, name, sizeof(run->in->stream) - 1))
		return false;
	snprintf(run->in->stream, sizeof(run->in->stream), "%s", name);
	return true;
}

/* Print the module's load number, which the decoder knows only after INFO. */
void ti_print_load(struct ti_run *run)
{
	uint32_t load = devtrace_decoder_load(run->in->decoder);
	struct out *o = &run->out;

	if (load == run->in->load)
		return;
	run->in->load = load;
	if (load && run->raw)
		ti_raw_load(run->raw, ti_bytes(run), load);
	if (!load || run->raw || !run->opt->verbose || run->sum || run->timeline)
		return;
	if (run->keep)
		o = ti_last_report(&run->last);
	if (o && run->opt->json)
		ti_json_load(o, &run->printer, load);
	else if (o)
		ti_line_load(o, &run->printer, load);
}

/* If the boot id differs from that of the previous INFO frame, report a reboot. */
static void tell_reboot(struct ti_run *run, const struct devtrace_info *info)
{
	struct ti_input *in = run->in;
	uint8_t before[sizeof(in->boot)];
	const bool had = in->have_boot;
	struct out *o;

	if (!(info->flags & DEVTRACE_INFO_BOOT_ID))
		return;
	memcpy(before, in->boot, sizeof(before));
	memcpy(in->boot, info->boot_id, sizeof(in->boot));
	in->have_boot = true;
	if (!had || run->raw || !memcmp(before, in->boot, sizeof(before)))
		return;
	o = run->keep ? ti_last_report(&run->last) : lines(run);
	if (o && run->opt->json)
		ti_json_reboot(o, &run->printer, before, in->boot);
	else if (o)
		ti_line_reboot(o, &run->printer, before, in->boot);
}

void ti_print_pids(struct ti_run *run)
{
	if (!run->opt->filter.pids || run->raw)
		return;
	if (run->opt->json)
		ti_json_pids(&run->out, &run->printer);
	else
		ti_line_pids(&run->out, &run->printer);
}

/* Report that the wall clock was set, which explains why the dates jump. */
static void tell_clock_set(struct ti_run *run, const struct devtrace_clock *c)
{
	struct ti_clock_step step;
	struct out *o;

	/* For several boards, merge.c reports that the clock was set. */
	if (!ti_clock_set(&run->in->clock, c, &step) || run->printer.board || run->raw ||
	    run->sum || run->timeline || !in_window(run, step.from, step.to))
		return;
	if (!run->opt->json)
		ti_layout_line(ti_bytes(run), &run->printer);
	o = run->keep ? ti_last_report(&run->last) : lines(run);
	if (o && run->opt->json)
		ti_json_clock_set(o, &run->printer, run->in->decoder, &step);
	else if (o)
		ti_line_clock_set(o, &run->printer, run->in->decoder, &step);
}

bool ti_note_told(const struct ti_run *run, const char *note)
{
	return !strcmp(note, DEVTRACE_NOTE_FILE) || !strcmp(note, DEVTRACE_NOTE_CLOCK) ||
	       (run->printer.board && !strcmp(note, TI_NOTE_BOARD));
}

static int one_item(struct ti_run *run, const struct devtrace_item *item)
{
	bool announced = false;
	struct out *o;
	int ret;

	ti_print_load(run);
	if (run->in->qspy)
		ti_qspy_item(run->in->qspy, item);
	if (!run->in->evidence.found && ti_evidence(&run->in->evidence, item))
		ti_release(run);
	/* From this CLOCK frame on, the decoder itself can compute dates. */
	if (item->kind == DEVTRACE_ITEM_CLOCK) {
		ti_clock_first(NULL);
		tell_clock_set(run, &item->u.clock);
	}
	if (item->kind == DEVTRACE_ITEM_INFO) {
		tell_reboot(run, &item->u.info);
		/*
		 * After a seek, the trace clock may go back; another stream has another trace
		 * clock. In both cases, do not compare with the previous CLOCK frame.
		 */
		if (item->u.info.reason == DEVTRACE_INFO_OPEN ||
		    item->u.info.reason == DEVTRACE_INFO_SEEK)
			run->in->clock.known = false;
	}
	if (run->sequence && (item->kind == DEVTRACE_ITEM_LOST || item->kind == DEVTRACE_ITEM_GAP ||
			      item->kind == DEVTRACE_ITEM_DAMAGE))
		ti_sequence_forget(run->sequence);

	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		run->in->losses.n = 0;
		ret = print_event(run, item);
		return ret ? ret : run->out.err || ti_stop;
	case DEVTRACE_ITEM_LOST:
		if (item->u.lost.to > run->in->losses_ts &&
		    ti_losses_only(&run->in->losses, item->u.lost.source, item->u.lost.cause))
			return 1;
		if (item->u.lost.to && !in_window(run, item->u.lost.from, item->u.lost.to))
			return 0;
		break;
	case DEVTRACE_ITEM_STATE:
		if (!in_window(run, item->u.state.ts, item->u.state.ts))
			return 0;
		break;
	case DEVTRACE_ITEM_GAP:
	case DEVTRACE_ITEM_DAMAGE:
	case DEVTRACE_ITEM_UNKNOWN:
		break;
	case DEVTRACE_ITEM_INFO:
		/* The lanes of another stream have other names: empty the cache. */
		ti_header_forget(run->printer.header);
		announced = other_stream(run, item->u.info.stream);
		if (!announced && !run->opt->verbose && !run->sum && !run->timeline && !run->raw)
			return 0;
		break;
	case DEVTRACE_ITEM_NOTE:
		if (!run->opt->verbose && ti_note_told(run, item->u.note.name))
			return 0;
		break;
	case DEVTRACE_ITEM_PROC:
	case DEVTRACE_ITEM_DICT:
		if (item->kind == DEVTRACE_ITEM_PROC)
			ti_pids_forget(run->opt->filter.pids, item->u.proc.tid);
		if (run->names && item->kind == DEVTRACE_ITEM_DICT)
			ti_names_heard(run->names, &item->u.dict);
		if (run->names && item->kind == DEVTRACE_ITEM_PROC)
			ti_names_thread(run->names, item->u.proc.name);
		ti_header_forget(run->printer.header);
		/* fall through */
	default:
		if (!run->opt->verbose && !run->raw)
			return 0;
	}
	if (run->raw) {
		ti_raw_item(run->raw, ti_bytes(run), item);
		return run->out.err || ti_stop;
	}
	if (run->sum) {
		sum_item(run->sum, item, item->kind == DEVTRACE_ITEM_LOST &&
			 devtrace_decoder_lane(run->in->decoder, item->u.lost.source) >= 0);
		return ti_stop;
	}
	if (run->timeline) {
		ti_timeline_item(run->timeline, ti_bytes(run), &run->printer, run->in->decoder,
				 item);
		return run->out.err || ti_stop;
	}
	/* -n drops lines before the last events, but not the line with the stream's name. */
	if (!run->opt->json)
		ti_layout_line(ti_bytes(run), &run->printer);
	o = run->keep && !announced ? ti_last_report(&run->last) : lines(run);
	if (o && run->opt->json)
		ti_json_item(o, &run->printer, run->in->decoder, item);
	else if (o)
		ti_line_item(o, &run->printer, run->in->decoder, item);
	return run->out.err || ti_stop;
}

int ti_item(const struct devtrace_item *item, void *arg)
{
	struct ti_run *run = arg;
	int ret;

	ti_piece_account(run, item);
	ret = one_item(run, item);

	if (run->raw)
		ti_raw_used(run->raw, item->offset);
	if (ret && run->raw)
		ti_raw_end(run->raw, item);
	return ret;
}
