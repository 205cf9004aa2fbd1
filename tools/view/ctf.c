// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctf.c - --to ctf: let babeltrace2 write a trace in the Common Trace Format, version 1.8
 *
 * babeltrace2 reads the inputs by our plugin (tools/babeltrace), and writes the trace by its own
 * sink. devtrace-convert only composes the command line, and then executes babeltrace2 in its
 * place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"
#include "view.h"

#define CTF_PROGRAM	"babeltrace2"
/* The makefile knows the directory in which the plugin is installed. */
#ifndef VIEW_PLUGIN_DIR
#define VIEW_PLUGIN_DIR	"/usr/local/lib/babeltrace2/plugins"
#endif
#define CTF_PLUGIN	"babeltrace-plugin-devtrace.so"
/* Arguments besides those of the inputs */
#define CTF_FIXED	10

static int ctf_fail(const char *message)
{
	fprintf(stderr, "devtrace-convert: --to ctf: %s\n", message);
	return 1;
}

/* Append a string as babeltrace2 reads it in a list of parameters. */
static void ctf_quote(struct out *o, const char *s)
{
	out_char(o, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			out_char(o, '\\');
		out_char(o, *s);
	}
	out_char(o, '"');
}

static bool ctf_has_plugin(const char *dir, size_t len)
{
	char *path;
	bool has;

	if (asprintf(&path, "%.*s/" CTF_PLUGIN, (int)len, dir) < 0)
		return false;
	has = !access(path, R_OK);
	free(path);
	return has;
}

/*
 * Append the directory of the plugin: babeltrace-plugins/ beside this program, where the build puts
 * it, or the directory in which it is installed. Return false if the plugin is in neither.
 */
static bool ctf_plugin(struct out *o)
{
	char exe[4096];
	const ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *slash;

	if (n > 0) {
		exe[n] = 0;
		slash = strrchr(exe, '/');
		out_mem(o, exe, (size_t)(slash - exe + 1));
		OUT_LIT(o, "babeltrace-plugins");
		if (!o->err && ctf_has_plugin(o->buf, o->len)) {
			out_char(o, 0);
			return true;
		}
	}
	o->len = 0;
	OUT_LIT(o, VIEW_PLUGIN_DIR);
	out_char(o, 0);
	return ctf_has_plugin(VIEW_PLUGIN_DIR, strlen(VIEW_PLUGIN_DIR));
}

/* From version 2.1 on, babeltrace2 writes CTF 2 unless an option selects CTF 1.8. */
static bool ctf_must_ask(void)
{
	FILE *f = popen(CTF_PROGRAM " --version 2>/dev/null", "re");
	static const char old[] = "Babeltrace 2.0";
	char line[64] = "";

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		*line = 0;
	while (fgetc(f) != EOF)
		;
	pclose(f);
	return *line && strncmp(line, old, sizeof(old) - 1);
}

static void ctf_source(struct out *o, const struct view_options *opt, const char *input)
{
	unsigned int i;

	OUT_LIT(o, "inputs=[");
	ctf_quote(o, input);
	OUT_LIT(o, "],formats=[");
	for (i = 0; i < opt->nr_fmt_files; i++) {
		if (i)
			out_char(o, ',');
		ctf_quote(o, opt->fmt_files[i]);
	}
	OUT_LIT(o, "]");
	if (opt->lttng_names)
		OUT_LIT(o, ",lttng-names=yes");
	out_char(o, 0);
}

static void ctf_sink(struct out *o, const char *output)
{
	OUT_LIT(o, "path=");
	ctf_quote(o, output);
	if (ctf_must_ask())
		OUT_LIT(o, ",ctf-version=\"1\"");
	out_char(o, 0);
}

/* babeltrace2 names neither the input nor the mistake, so check all of them before it starts. */
static int ctf_inputs(const struct view_options *opt)
{
	struct view v = { .opt = opt };
	int i, ret;

	ret = view_load(&v);
	fmt_set_free(&v.fmts);
	for (i = 0; i < view_nr_inputs(opt); i++)
		ret |= view_check_ctf(view_input_name(opt, i));
	return ret;
}

/*
 * Into a directory that exists, babeltrace2 would write a second trace. If it cannot make the
 * directory, it prints its log. So try that before it starts.
 */
static int ctf_output(const char *path)
{
	if (!mkdir(path, 0777))
		return rmdir(path) ? complain_text(VIEW_NAME, path, strerror(errno)) : 0;
	return complain_text(VIEW_NAME, path, errno != EEXIST ? strerror(errno) :
			     "exists; name a directory that does not exist yet");
}

/* The strings of the command: one for each input, then the plugin's directory and the sink. */
static int ctf_compose(const struct view_options *opt, struct out *text, const char **argv)
{
	const int n = view_nr_inputs(opt);
	int i, argc = 0;

	argv[argc++] = CTF_PROGRAM;
	argv[argc++] = "--plugin-path";
	argv[argc++] = text[n].buf;
	argv[argc++] = "convert";
	for (i = 0; i < n; i++) {
		ctf_source(&text[i], opt, view_input_name(opt, i));
		argv[argc++] = "--component";
		argv[argc++] = "source.devtrace.file";
		argv[argc++] = "--params";
		argv[argc++] = text[i].buf;
	}
	ctf_sink(&text[n + 1], opt->output);
	argv[argc++] = "--component";
	argv[argc++] = "sink.ctf.fs";
	argv[argc++] = "--params";
	argv[argc++] = text[n + 1].buf;
	argv[argc] = NULL;
	for (i = 0; i < n + 2; i++)
		if (text[i].err)
			return -1;
	return 0;
}

static int ctf_become(const struct view_options *opt, struct out *text, const char **argv)
{
	const int n = view_nr_inputs(opt);

	if (!ctf_plugin(&text[n]))
		return ctf_fail("no plugin " CTF_PLUGIN "; make builds it where libbabeltrace2 is installed (Debian: libbabeltrace2-dev)");
	if (ctf_compose(opt, text, argv))
		return ctf_fail("no memory");
	execvp(argv[0], (char *const *)argv);
	if (errno == ENOENT)
		return ctf_fail(CTF_PROGRAM " is not installed (Debian: babeltrace2)");
	return ctf_fail(strerror(errno));
}

int view_ctf(const struct view_options *opt)
{
	const int n = view_nr_inputs(opt);
	struct out *text = view_alloc(NULL, (size_t)(n + 2) * sizeof(*text));
	const char **argv = view_alloc(NULL, (size_t)(4 * n + CTF_FIXED) * sizeof(*argv));
	int i, ret;

	if (ctf_inputs(opt) || ctf_output(opt->output)) {
		free(text);
		free(argv);
		return 1;
	}
	for (i = 0; i < n + 2; i++)
		out_init(&text[i], -1);
	ret = ctf_become(opt, text, argv);
	for (i = 0; i < n + 2; i++)
		out_free(&text[i]);
	free(text);
	free(argv);
	return ret;
}
