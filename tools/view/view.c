// SPDX-License-Identifier: GPL-2.0-only
/*
 * view.c - one conversion: format files, output, inputs
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/link.h"
#include "common/output.h"
#include "view.h"

static const struct view_format *const view_formats[] = {
	&view_perfetto, &view_chrome, &view_html, &view_vcd,
};

const struct view_format *view_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(view_formats) / sizeof(view_formats[0]); i++)
		if (!strcmp(view_formats[i]->name, name))
			return view_formats[i];
	return NULL;
}

void *view_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p) {
		fputs("devtrace-convert: no memory\n", stderr);
		exit(1);
	}
	return p;
}

static void view_unreadable(void *arg, enum fmt_level level, const char *path, unsigned int line,
			    unsigned int column, const char *message)
{
	(void)arg;
	(void)column;
	if (level == FMT_ERROR && !line)
		fprintf(stderr, "devtrace-convert: %s: %s; -e takes a format file\n", path,
			message);
}

/*
 * Load format files in the order of traceinfo: those of -e, DEVTRACE_FMT_PATH, the default places.
 */
static int view_load(struct view *v)
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
		fprintf(stderr, "devtrace-convert: %s: %s\n", name,
			problem ? problem : strerror(errno));
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
		fprintf(stderr, "devtrace-convert: %s: %s\n",
			v->opt->output ? v->opt->output : "standard output", strerror(v->out.err));
	out_free(&v->out);
	return v->out.err && v->out.err != EPIPE;
}

int view_run(const struct view_options *opt, volatile sig_atomic_t *stop)
{
	struct view v = { .opt = opt, .stop = stop };
	int ret, i;

	v.format = view_format_find(opt->to);
	ret = view_load(&v);
	if (ret || view_open(&v)) {
		fmt_set_free(&v.fmts);
		return 1;
	}
	v.format->begin(&v);
	view_machine_enter(&v, NULL);
	if (!opt->nr_inputs)
		ret |= view_input(&v, TI_DEVICE);
	for (i = 0; i < opt->nr_inputs && !*stop && !v.out.err; i++)
		ret |= view_input(&v, opt->inputs[i]);
	v.format->end(&v);
	ret |= view_close(&v);
	free(v.machines);
	fmt_set_free(&v.fmts);
	return ret;
}
