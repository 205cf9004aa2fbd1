// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge_head.c - lines about the boards of a merged output
 */
#include "accuracy.h"
#include "align.h"
#include "merge.h"

static void json_head(struct out *o, const struct ti_source *s, const char *kind)
{
	OUT_LIT(o, "{\"kind\":\"");
	out_str(o, kind);
	OUT_LIT(o, "\",\"board\":");
	out_json(o, s->board->name, strlen(s->board->name));
}

static void text_head(struct out *o, const struct ti_source *s, const char *mark)
{
	out_str(o, mark);
	OUT_LIT(o, "board ");
	out_safe(o, s->board->name, strlen(s->board->name));
	OUT_LIT(o, ": ");
}

/* The time at which the error of the wall clock is printed. */
static uint64_t error_time(const struct devtrace_decoder *d, const struct devtrace_item *item)
{
	const struct devtrace_statement *a = devtrace_decoder_statement(d);

	return item && item->kind == DEVTRACE_ITEM_EVENT ? item->u.event.ts : a ? a->ts : 0;
}

/*
 * With --align, print how many pairs tie the board, the error that is left, and by how much its
 * wall clock is ahead of that of the first board.
 */
static void print_tie(struct ti_source *s, struct out *o, uint64_t ts)
{
	static const struct out_spec plain = { .digits = OUT_NODIGITS };
	const struct ti_merge *m = s->merge;
	int64_t own, real;
	uint64_t error;
	bool known;

	if (!m->align || !ti_merge_nr(s))
		return;
	real = ti_align_real(m->align, ti_align_time(m->align, ti_merge_nr(s), ts, &error));
	known = devtrace_decoder_real(s->in.decoder, ts, &own);
	own = (int64_t)((uint64_t)own - (uint64_t)real);
	if (m->run->opt->json) {
		OUT_LIT(o, ",\"aligned_to\":");
		out_json(o, m->v[0].board->name, strlen(m->v[0].board->name));
		OUT_LIT(o, ",\"pairs\":");
		out_u64(o, ti_align_pairs(m->align, ti_merge_nr(s)));
		OUT_LIT(o, ",\"align_error\":");
		out_u64(o, error);
		if (known)
			OUT_LIT(o, ",\"ahead\":");
		if (known)
			out_i64(o, own);
		return;
	}
	if (known) {
		OUT_LIT(o, ", ");
		out_int(o, own < 0 ? -(uint64_t)own : (uint64_t)own, false, 10, false, 9, &plain);
		out_str(o, own < 0 ? " s behind " : " s ahead of ");
	} else {
		OUT_LIT(o, ", tied to ");
	}
	out_safe(o, m->v[0].board->name, strlen(m->v[0].board->name));
	out_char(o, ' ');
	ti_accuracy_error(o, &m->run->printer, error);
	OUT_LIT(o, " by ");
	out_u64(o, ti_align_pairs(m->align, ti_merge_nr(s)));
	out_str(o, ti_align_pairs(m->align, ti_merge_nr(s)) == 1 ? " pair" : " pairs");
}

void ti_merge_announce_now(struct ti_source *s, const struct devtrace_item *item)
{
	const struct ti_options *opt = s->merge->run->opt;
	const struct devtrace_decoder *d = s->in.decoder;
	const uint64_t ts = error_time(d, item);
	struct out *o = ti_merge_turn(s);
	uint64_t error;

	s->announced = true;
	s->sync = devtrace_decoder_error(d, ts, &error);
	if (opt->json) {
		json_head(o, s, "board");
		OUT_LIT(o, ",\"input\":");
		out_json(o, s->path, strlen(s->path));
		if (*s->clock) {
			OUT_LIT(o, ",\"clock\":");
			out_json(o, s->clock, strlen(s->clock));
		}
		ti_accuracy_json(o, d, ts);
		print_tie(s, o, ts);
		OUT_LIT(o, "}\n");
		return;
	}
	text_head(o, s, "--- ");
	ti_accuracy_text(o, &s->merge->run->printer, d, ts);
	print_tie(s, o, ts);
	OUT_LIT(o, ", ");
	out_safe(o, s->path, strlen(s->path));
	out_char(o, '\n');
}

/* Does the stream describe itself with this item, without a line of output? */
static bool is_quiet(const struct ti_source *s, const struct devtrace_item *item)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_INFO:
		return !strncmp(s->in.stream, item->u.info.stream, sizeof(s->in.stream) - 1);
	case DEVTRACE_ITEM_CLOCK:
	case DEVTRACE_ITEM_DICT:
	case DEVTRACE_ITEM_PROC:
	case DEVTRACE_ITEM_ACCURACY:
		return true;
	case DEVTRACE_ITEM_NOTE:
		return ti_note_told(s->merge->run, item->u.note.name);
	default:
		return false;
	}
}

void ti_merge_announce(struct ti_source *s, const struct devtrace_item *item)
{
	struct ti_evidence evidence = s->in.evidence;

	if (s->announced || !ti_evidence(&evidence, item))
		return;
	if (s->merge->run->opt->verbose || !is_quiet(s, item))
		ti_merge_announce_now(s, item);
}

void ti_merge_sync(struct ti_source *s, uint64_t ts)
{
	struct ti_run *run = s->merge->run;
	uint64_t error;
	const enum devtrace_sync sync = devtrace_decoder_error(s->in.decoder, ts, &error);
	struct out *o;

	s->has_error = s->merge->align || sync == DEVTRACE_SYNC_ERROR;
	if (s->merge->align)
		ti_align_time(s->merge->align, ti_merge_nr(s), ts, &error);
	s->error = s->has_error ? error : 0;
	if (sync == s->sync)
		return;
	s->sync = sync;
	o = ti_merge_turn(s);
	if (run->opt->json) {
		json_head(o, s, "synchronised");
		ti_accuracy_json(o, s->in.decoder, ts);
		OUT_LIT(o, "}\n");
	} else {
		text_head(o, s, "*** ");
		ti_accuracy_text(o, &run->printer, s->in.decoder, ts);
		out_char(o, '\n');
	}
}

void ti_merge_clock(struct ti_source *s, const struct devtrace_clock *c)
{
	struct out *o = ti_merge_turn(s);
	int64_t by;

	if (s->clocked && ti_clock_was_set(&s->before, c, &by)) {
		if (s->merge->run->opt->json) {
			json_head(o, s, "clock_set");
			OUT_LIT(o, ",\"by\":");
			out_i64(o, by);
			OUT_LIT(o, "}\n");
		} else {
			text_head(o, s, "*** ");
			OUT_LIT(o, "its wall clock was set by ");
			ti_clock_step(o, by);
			out_char(o, '\n');
		}
	}
	s->clocked = true;
	s->before = *c;
}

void ti_merge_end_json(struct out *o, const struct ti_source *s)
{
	const struct devtrace_totals *t = &s->totals;
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "events", t->events }, { "lost", t->lost }, { "missing", t->missing },
		{ "damages", t->damages }, { "damaged_bytes", t->damaged_bytes },
		{ "late", s->late }, { "late_by", s->late_by },
	};
	size_t i;

	json_head(o, s, "board_end");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OUT_LIT(o, ",\"");
		out_str(o, rows[i].key);
		OUT_LIT(o, "\":");
		out_u64(o, rows[i].value);
	}
	OUT_LIT(o, "}\n");
}

static void count(struct out *o, const char **before, uint64_t n, const char *one,
		  const char *many)
{
	if (!n)
		return;
	out_str(o, *before);
	out_u64(o, n);
	out_str(o, n == 1 ? one : many);
	*before = ", ";
}

void ti_merge_end_text(struct out *o, const struct ti_source *s)
{
	const struct devtrace_totals *t = &s->totals;
	static const struct out_spec plain = { .digits = OUT_NODIGITS };
	const char *before = "";

	if (!t->lost && !t->missing && !t->damages && !s->late)
		return;
	text_head(o, s, "*** ");
	count(o, &before, t->lost, " event lost", " events lost");
	count(o, &before, t->missing, " frame missing", " frames missing");
	count(o, &before, t->damages, " damaged place", " damaged places");
	count(o, &before, s->late, " event printed after newer ones of other boards, ",
	      " events printed after newer ones of other boards, up to ");
	if (s->late) {
		out_int(o, s->late_by / 1000, false, 10, false, 6, &plain);
		OUT_LIT(o, " s late");
	}
	out_char(o, '\n');
}
