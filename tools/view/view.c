// SPDX-License-Identifier: GPL-2.0-only
/*
 * view.c - one conversion: format files, output, inputs
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/link.h"
#include "common/output.h"
#include "view.h"

static const struct view_format *const view_formats[] = {
	&view_perfetto, &view_chrome, &view_html, &view_vcd, &view_parquet,
};

const struct view_format *view_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(view_formats) / sizeof(view_formats[0]); i++)
		if (!strcmp(view_formats[i]->name, name))
			return view_formats[i];
	return NULL;
}

_Noreturn void view_no_memory(void)
{
	fputs("devtrace-convert: no memory\n", stderr);
	exit(1);
}

void *view_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p)
		view_no_memory();
	return p;
}

static void view_unreadable(void *arg, enum fmt_level level, const char *path, unsigned int line,
			    unsigned int column, const char *message)
{
	const struct view *v = arg;

	(void)column;
	if (level == FMT_ERROR && !line && !fmt_replaced(&v->fmts, path, v->fmts.place))
		complain_format(VIEW_NAME, path, message, "-e takes a format file or a program");
}

/*
 * In the order of traceinfo: those of -e, DEVTRACE_FMT_PATH, the default places.
 */
int view_load(struct view *v)
{
	const char *env = getenv("DEVTRACE_FMT_PATH");
	unsigned int i;
	int ret = 0;

	fmt_set_init(&v->fmts, view_unreadable, v);
	for (i = 0; i < v->opt->nr_fmt_files; i++)
		ret |= fmt_add_file(&v->fmts, v->opt->fmt_files[i]);
	fmt_next_place(&v->fmts);
	v->fmts.given = 1;
	if (env)
		fmt_add_path(&v->fmts, env);
	fmt_add_default(&v->fmts);
	fmt_say_errors(&v->fmts, VIEW_NAME);
	return ret ? 1 : 0;
}

/* Writing into an input would never end. */
static bool view_is_input(const struct view_options *opt, const struct stat *out)
{
	struct stat st;
	int i;

	for (i = 0; i < opt->nr_inputs; i++) {
		const bool is_stdin = !strcmp(opt->inputs[i], "-");

		if (link_is(opt->inputs[i]) ||
		    (is_stdin ? fstat(STDIN_FILENO, &st) : stat(opt->inputs[i], &st)))
			continue;
		if (S_ISREG(st.st_mode) && st.st_dev == out->st_dev && st.st_ino == out->st_ino)
			return true;
	}
	return false;
}

static int view_open(struct view *v)
{
	const char *path = v->opt->output, *problem = NULL;
	const char *const name = path ? path : "standard output";
	struct stat st;
	int fd = STDOUT_FILENO;

	if (!(path ? stat(path, &st) : fstat(fd, &st)) && view_is_input(v->opt, &st))
		problem = "the output file is also an input; name another file";
	else if (path)
		fd = output_open(path, -1, &problem);
	if (problem || fd < 0) {
		complain_text(VIEW_NAME, name, problem ? problem : strerror(errno));
		return -1;
	}
	out_init(&v->out, fd);
	v->out.stop = v->stop;
	return 0;
}

/*
 * Close the output. Return 1 if it could not be written. If the reader of a pipe has exited, that
 * is no error.
 */
static int view_close(struct view *v)
{
	out_flush(&v->out);
	if (v->opt->output && close(v->out.fd) && !v->out.err)
		v->out.err = errno;
	if (v->out.err && v->out.err != EPIPE && v->out.err != EINTR)
		complain_text(VIEW_NAME, v->opt->output ? v->opt->output : "standard output",
			      strerror(v->out.err));
	out_free(&v->out);
	return v->out.err && v->out.err != EPIPE;
}

/*
 * Return the number of the first input to read, or that of inputs if none can be read: then an
 * output file of an earlier conversion must stay as it is. Messages about the inputs before it were
 * printed. To know whether a link can be read, open it.
 */
static int view_first(struct view *v)
{
	const int n = view_nr_inputs(v->opt);
	int i;

	for (i = 0; i < n; i++)
		if (!link_is(view_input_name(v->opt, i)) &&
		    !view_check(view_input_name(v->opt, i), false))
			return 0;
	for (i = 0; i < n && !*v->stop; i++) {
		const char *name = view_input_name(v->opt, i);

		if (!link_is(name))
			view_check(name, true);
		else if (!view_link(v, name))
			break;
	}
	return *v->stop ? n : i;
}

int view_run(const struct view_options *opt, volatile sig_atomic_t *stop)
{
	struct view v = { .opt = opt, .stop = stop };
	int ret, i, first = view_nr_inputs(opt);

	v.format = view_format_find(opt->to);
	ret = view_load(&v);
	if (!ret)
		first = view_first(&v);
	if (first == view_nr_inputs(opt) || view_open(&v)) {
		view_link_close(&v);
		fmt_set_free(&v.fmts);
		return !*stop;
	}
	ret = first > 0;
	v.picked = ti_picked_new(&opt->counters, &opt->slices);
	v.format->begin(&v);
	view_machine_enter(&v, NULL);
	for (i = first; i < view_nr_inputs(opt) && !*stop && !v.out.err; i++)
		ret |= view_input(&v, view_input_name(opt, i));
	v.format->end(&v);
	ret |= view_close(&v);
	if (!*stop && !v.out.err)
		ti_picked_say(v.picked, VIEW_NAME);
	ti_picked_free(v.picked);
	free(v.machines);
	fmt_set_free(&v.fmts);
	return ret;
}
