// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - print trace events as text
 *
 * Exit status: 0; 1 if an input could not be read or is not a stream, a name in a filter is
 * unknown, a format file is wrong (--check-fmt), an event would not arrive (--check-emit) or the
 * output failed; 2 if the command line is wrong. Damage in a stream is printed, but is not a
 * failure.
 *
 * If the reader of the output exits (EPIPE), the program ends without a message. After the first
 * SIGINT the program ends when pending output was written; after the second it ends at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "board.h"
#include "layout.h"
#include "picked.h"
#include "common/complain.h"
#include "common/link.h"
#include "sequence.h"
#include "traceinfo.h"

volatile sig_atomic_t ti_stop;

static void on_signal(int sig)
{
	if (ti_stop)
		link_die(sig);
	ti_stop = 1;
}

static void catch_signals(void)
{
	struct sigaction stop = { .sa_handler = on_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

/* --check-fmt: print an error, warning or note with its file, line and column. */
static void print_diag(void *arg, enum fmt_level level, const char *path, unsigned int line,
		       unsigned int column, const char *message)
{
	static const char *const levels[] = { "error: ", "warning: ", "note: " };
	struct out *o = arg;

	out_str(o, path);
	if (line) {
		out_char(o, ':');
		out_u64(o, line);
		out_char(o, ':');
		out_u64(o, column);
	}
	OUT_LIT(o, ": ");
	out_str(o, levels[level]);
	out_str(o, message);
	out_char(o, '\n');
}

/*
 * Index of the first default place. A place is a set of format files that overrides the files of
 * later places. Places 0 and 1 are the files of -e and the directories of -I.
 */
#define PLACE_OWN	2

/* Without --check-fmt, print only an error about a file that cannot be read. */
static void print_unreadable(void *arg, enum fmt_level level, const char *path,
			     unsigned int line, unsigned int column, const char *message)
{
	const struct ti_run *run = arg;

	(void)column;
	if (level == FMT_ERROR && !line && !fmt_replaced(&run->fmts, path, run->fmts.place))
		complain_format(TI_NAME, path, message,
				"-e takes a format file or a program, -I a directory with *.fmt");
}

/* Load the format files. Return 1 if a file or directory that the user gave could not be read. */
static int load_fmts(struct fmt_set *set, const struct ti_options *opt)
{
	const char *env = getenv("DEVTRACE_FMT_PATH");
	int ret = 0;
	size_t i;

	for (i = 0; i < opt->fmt_files.n; i++)
		ret |= fmt_add_file(set, opt->fmt_files.v[i]);
	fmt_next_place(set);
	for (i = 0; i < opt->fmt_dirs.n; i++)
		ret |= fmt_add_dir(set, opt->fmt_dirs.v[i], false);
	fmt_next_place(set);
	set->given = PLACE_OWN;
	if (env)
		fmt_add_path(set, env);
	if (!opt->no_default_fmt)
		fmt_add_default(set);
	return ret ? 1 : 0;
}

/* Flush the output. Return 1 if writing failed, but 0 if the reader of a pipe has exited. */
static int flush(struct out *o)
{
	out_flush(o);
	if (!o->err || o->err == EPIPE)
		return 0;
	/*
	 * EINTR: the user interrupted a write to a full pipe. Print no message: its reader may not
	 * read standard error either.
	 */
	if (o->err != EINTR)
		fprintf(stderr, "traceinfo: standard output: %s\n", strerror(o->err));
	return 1;
}

static void count(struct out *o, unsigned int n, const char *what, const char *behind)
{
	out_u64(o, n);
	out_char(o, ' ');
	out_str(o, what);
	out_str(o, n == 1 ? "" : "s");
	out_str(o, behind);
}

static int check_fmt(const struct ti_options *opt)
{
	struct fmt_set set;
	struct fmt_file *f;
	unsigned int nr = 0;
	struct out o;
	size_t i;
	int ret;

	out_init(&o, STDOUT_FILENO);
	fmt_set_init(&set, print_diag, &o);
	for (i = 0; i < opt->files.n; i++)
		fmt_add_file(&set, opt->files.v[i]);
	if (!opt->files.n)
		load_fmts(&set, opt);
	for (f = set.files; f; f = f->next)
		nr++;
	count(&o, nr, "file", ", ");
	count(&o, set.errors, "error", ", ");
	count(&o, set.warnings, "warning", "\n");
	ret = flush(&o) || set.errors;
	fmt_set_free(&set);
	out_free(&o);
	return ret;
}

static bool want_color(const struct ti_options *opt)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (opt->color != TI_COLOR_AUTO)
		return opt->color == TI_COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

static void print_statistics(struct ti_run *run)
{
	const struct devtrace_totals *t = &run->totals;
	const struct {
		const char *key, *words;
		uint64_t value;
	} rows[] = {
		{ "printed", "events printed", run->printed },
		{ "events", "events read", t->events },
		{ "lost", "events lost before they were read", t->lost },
		{ "missing", "frames missing", t->missing },
		{ "damages", "damaged places", t->damages },
		{ "damaged_bytes", "damaged bytes", t->damaged_bytes },
		{ "frames", "frames read", t->frames },
		{ "bytes", "bytes read", t->bytes },
	};
	static const struct out_spec wide = { .width = 12, .digits = OUT_NODIGITS };
	struct out *o = &run->out;
	size_t i;

	if (run->opt->json)
		OUT_LIT(o, "{\"kind\":\"statistics\"");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (run->opt->json) {
			OUT_LIT(o, ",\"");
			out_str(o, rows[i].key);
			OUT_LIT(o, "\":");
			out_u64(o, rows[i].value);
		} else {
			out_int(o, rows[i].value, false, 10, false, 0, &wide);
			out_char(o, ' ');
			out_str(o, rows[i].words);
			out_char(o, '\n');
		}
	}
	if (run->opt->json)
		OUT_LIT(o, "}\n");
}

static int finish(struct ti_run *run, int ret)
{
	ti_print_last(run);
	if (run->opt->statistics)
		print_statistics(run);
	return flush(&run->out) | ret;
}

static int read_board(struct ti_run *run, const struct ti_board *b)
{
	int ret = 0;
	size_t i;

	run->in->have_boot = false;
	for (i = 0; i < b->nr && !ti_stop && !run->out.err; i++)
		ret |= ti_input_file(run, &b->files[i]);
	return ret;
}

static int one_board(const struct ti_options *opt)
{
	fprintf(stderr, "traceinfo: --align %s: all files are of one board; give files of several boards\n",
		opt->align);
	return 1;
}

/* The files of one board are read one after the other; several boards are merged by wall clock. */
static int read_inputs(struct ti_run *run)
{
	const struct ti_options *opt = run->opt;
	struct ti_board *boards;
	int ret = 0;
	size_t i, n;

	if (opt->files.n == 1) {
		const struct ti_piece only = { .path = opt->files.v[0] };

		return ti_input_file(run, &only);
	}
	n = ti_boards_find(&opt->files, &boards);
	if (n < 2 && opt->align)
		ret = one_board(opt);
	else if (n > 1 && !opt->summary && !opt->raw && !opt->sequence.n && !opt->timeline)
		ret = ti_merge(run, boards, n);
	else
		for (i = 0; i < n; i++)
			ret |= read_board(run, &boards[i]);
	ti_boards_free(boards, n);
	return ret;
}

int main(int argc, char **argv)
{
	struct ti_options opt;
	struct ti_run run = { .opt = &opt, .in = &run.one };
	int ret = 0, names = 0;

	ti_options_parse(&opt, argc, argv);
	tzset();
	if (opt.check_fmt) {
		ret = check_fmt(&opt);
		ti_options_free(&opt);
		return ret;
	}
	if (opt.check_emit) {
		ret = ti_check_emit(&opt);
		ti_options_free(&opt);
		return ret;
	}
	catch_signals();
	run.printer.opt = &opt;
	run.printer.color = !opt.json && want_color(&opt);
	run.printer.unicode = ti_unicode();
	run.printer.iso.mode = TI_TIME_ISO;
	if (!ti_layout_begin(&run.printer)) {
		ti_options_free(&opt);
		return 2;
	}
	fmt_set_init(&run.fmts, print_unreadable, &run);
	run.fmts.unprinted = opt.timeline || opt.summary || opt.raw;
	ret = load_fmts(&run.fmts, &opt);
	fmt_say_errors(&run.fmts, TI_NAME);
	run.names = ti_names_new(&opt, &run.fmts);
	run.picked = ti_picked_new(&opt.counters, &opt.slices);
	run.keep = opt.last >= 0;
	if (opt.sequence.n)
		run.sequence = ti_sequence_new(&opt.sequence,
					       isatty(STDOUT_FILENO) ? ti_columns() : 0);
	if (opt.raw)
		run.raw = ti_raw_new(&opt.filter);
	ti_last_init(&run.last, opt.last);
	ti_input_init(&run.one);
	out_init(&run.out, STDOUT_FILENO);
	run.out.stop = &ti_stop;

	if (!opt.files.n)
		ret |= ti_input_live(&run, opt.device);
	ret |= read_inputs(&run);
	ret = finish(&run, ret);
	/* Report unknown names only if the input was read to its end: a name may come late. */
	if (run.totals.frames && !ti_stop && !run.out.err)
		names = ti_names_say(run.names);
	ret |= names;
	if (run.totals.frames && !ti_stop && !run.out.err)
		ti_picked_say(run.picked, TI_NAME);
	if (run.totals.frames && !names && !ti_stop && !run.out.err)
		ti_nothing_say(&run);

	ti_names_free(run.names);
	ti_picked_free(run.picked);
	ti_raw_free(run.raw);
	ti_sequence_free(run.sequence);
	ti_last_free(&run.last);
	ti_last_free(&run.one.held);
	out_free(&run.out);
	fmt_set_free(&run.fmts);
	ti_pieces_free(&run);
	free(run.printer.header);
	ti_options_free(&opt);
	return ret;
}
