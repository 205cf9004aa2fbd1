// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the command line of devtrace-convert, and the main loop of --from
 *
 * The files of tools/view do the work of --to. If the input of --from is live, the output is
 * flushed after every read(2), so that its reader can follow the target. At the end, the numbers
 * of missing and damaged frames are printed on standard error.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/link.h"
#include "common/opts.h"
#include "common/output.h"
#include "traceconv.h"
#include "view/view.h"

enum {
	OPT_FROM = OPTS_LONG, OPT_SIZE, OPT_RATE, OPT_NAME, OPT_TO, OPT_COUNTER, OPT_SLICE,
	OPT_LTTNG_NAMES
};

/* names of the options without a letter, in the order of the enum */
static const char only[] = " from size rate name to counter slice lttng-names";

static const char help[] =
"Usage: devtrace-convert --to FORMAT [options] [FILE | - | LINK]...\n"
"       devtrace-convert --to ctf [options] --output DIRECTORY [FILE]...\n"
"       devtrace-convert --from FORMAT [options] FILE | - | LINK\n"
"Convert a trace to the format of a viewer, or convert the trace of a\n"
"microcontroller to a stream that traceinfo prints. LINK is\n"
"serial:DEVICE[,BAUD], tcp:HOST:PORT or unix:PATH.\n"
"\n"
"For a viewer:\n"
"      --to FORMAT         perfetto: native format of ui.perfetto.dev;\n"
"                          chrome: JSON for chrome://tracing and speedscope;\n"
"                          html: a self-contained page for any browser;\n"
"                          vcd: numbers and bus lines for gtkwave, PulseView and\n"
"                          sigrok-cli;\n"
"                          ctf: a directory for Trace Compass, by babeltrace2;\n"
"                          parquet: a table for DuckDB, ClickHouse, Spark, pandas\n"
"      --counter EVENT.ARG  draw this argument as a curve, for example BEAT.late;\n"
"                          for parquet: make it a column of numbers\n"
"      --slice BEGIN..END  draw a bar from one event to the other, on each thread\n"
"      --lttng-names       for ctf: name the kernel's events as LTTng does\n"
"  -e, --format-file FILE  read this format file, or this program's texts, too\n"
"\n"
"From a microcontroller:\n"
"      --from qs           read the trace of QS, from QP 6.9 to 8.1\n"
"      --from rkh          read the trace of RKH 3\n"
"      --size LIST         sizes of fields in bytes, until the target sends them\n"
"                          (default: time=4,sig=2,obj=4,fun=4,equeue=1,mpool=2,\n"
"                          event=2,tick=4;\n"
"                          RKH: sig=1,event=2,tick=2,mpool=1,block=2)\n"
"      --rate HZ           rate of the target's clock (default: the rate that RKH\n"
"                          sends, or else measured; for a file 1000000)\n"
"      --name NAME         name of the stream (default: QS or RKH)\n"
"\n"
"Other:\n"
"  -o, --output FILE       write to FILE instead of standard output\n"
"  -q, --quiet             print no counts at the end\n"
"  -h, --help\n"
"  -V, --version\n";

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static _Noreturn void usage(const char *option, const char *word, const char *problem)
{
	complain_usage(VIEW_NAME, option, word, problem);
}

/* In the order of struct conv_sizes */
static const char *const names[] = { "time", "sig", "obj", "fun", "equeue", "mpool", "event",
				     "tick", "block" };

/* Set the size that a word such as obj=4 gives. Return whether it is one. */
static bool parse_size(uint8_t *size, const char *word)
{
	const char *value = strchr(word, '=');
	size_t i;

	if (!value)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == (size_t)(value - word) &&
		    !strncmp(names[i], word, (size_t)(value - word)))
			break;
	value++;
	if (i == sizeof(names) / sizeof(*names) || !*value || value[1] ||
	    !strchr(i == 2 || i == 3 ? "1248" : "124", *value))
		return false;
	size[i] = (uint8_t)(*value - '0');
	return true;
}

static void parse_sizes(struct conv_sizes *s, const char *list)
{
	static const char what[] =
		"is not a size; write NAME=SIZE, where SIZE is 1, 2 or 4, for obj and fun also 8; "
		"the names are time sig obj fun equeue mpool event tick block";
	size_t len;

	for (;; list++) {
		char word[32];

		len = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		if (!parse_size((uint8_t *)s, word))
			usage("--size", word, what);
		list += len;
		if (!*list)
			return;
	}
}

static int put(void *arg, const void *bytes, size_t n)
{
	FILE *out = arg;

	return fwrite(bytes, 1, n, out) == n ? 0 : -1;
}

static void identify(struct conv *c)
{
	char text[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	const char *p = text;
	size_t i;

	while (!c->load)
		if (getrandom(&c->load, sizeof(c->load), 0) != sizeof(c->load))
			c->load = (uint32_t)time(NULL) | 1;
	if (f) {
		if (!fgets(text, sizeof(text), f))
			*text = 0;
		fclose(f);
	}
	for (i = 0; i < sizeof(c->boot_id) && *p; p++) {
		const char byte[] = { p[0], p[1], 0 };
		char *end;

		if (*p == '-')
			continue;
		c->boot_id[i] = (uint8_t)strtoul(byte, &end, 16);
		if (end != byte + 2)
			break;
		i++;
		p++;
	}
}

/* Frames had a correct check and a wrong length: suggest sizes that would fit. */
static void suggest(const struct conv *c)
{
	struct conv_sizes best = { 0 };
	const uint8_t *size = (const uint8_t *)&best, *now = (const uint8_t *)&c->sizes;
	uint64_t fit, all;
	char sep = ' ';
	size_t i;

	if (!conv_guess(c, &best, &fit, &all))
		return;
	fputs("devtrace-convert: try --size", stderr);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (size[i] == now[i])
			continue;
		fprintf(stderr, "%c%s=%u", sep, names[i], size[i]);
		sep = ',';
	}
	fprintf(stderr, ", which fits %llu of %llu predefined records\n",
		(unsigned long long)fit, (unsigned long long)all);
}

static void report(const struct conv *c, const char *where)
{
	complain_begin(VIEW_NAME, where);
	fprintf(stderr, "%llu frames", (unsigned long long)c->frames);
	if (c->missing)
		fprintf(stderr, ", %llu missing", (unsigned long long)c->missing);
	if (c->damaged)
		fprintf(stderr, ", %llu damaged (%llu bytes)", (unsigned long long)c->damaged,
			(unsigned long long)c->damaged_bytes);
	if (c->unknown)
		fprintf(stderr, ", %llu unknown", (unsigned long long)c->unknown);
	if (c->resets)
		fprintf(stderr, ", %llu resets of the target", (unsigned long long)c->resets);
	fputc('\n', stderr);
	if (*c->odd)
		fprintf(stderr, "devtrace-convert: the target: %s\n", c->odd);
	if (c->layout)
		fprintf(stderr, "devtrace-convert: %llu of the damaged frames have a correct check, but a wrong length%s\n",
			(unsigned long long)c->layout,
			c->sized ? "" : "; if the target has other sizes of fields, give them with --size");
	if (c->layout)
		suggest(c);
	if (c->clock.windows)
		fprintf(stderr, "devtrace-convert: clock of the target: %.0f Hz, drift %+.1f ppm, uncertainty %.0f us\n",
			c->clock.rate, c->clock.drift, c->clock.uncertainty / 1000);
}

/*
 * Open the input. *live: bytes arrive as the target sends them. The descriptor of a link is made
 * blocking.
 */
static int open_input(const char *where, struct link *link, bool *live)
{
	const char *problem;
	struct stat st;
	int fd;

	*live = true;
	if (link_is(where)) {
		if (link_parse(link, where, &problem))
			usage("the input", where, problem);
		if (link->kind == LINK_UDP || link->kind == LINK_SYSLOG)
			usage("the input", where, "cannot carry frames; write serial:DEVICE,BAUD, tcp:HOST:PORT or unix:PATH");
		fd = link_open(link, -1, NULL);
		if (fd < 0)
			complain_text(VIEW_NAME, where, link_error(link, -fd));
		else
			fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		return fd;
	}
	fd = strcmp(where, "-") ? open(where, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (fd < 0 || fstat(fd, &st)) {
		complain_text(VIEW_NAME, where, strerror(errno));
		return -1;
	}
	*live = !S_ISREG(st.st_mode);
	return fd;
}

/*
 * Is the output a trace device? It would store the bytes as text events. EBADF is the answer of a
 * device that is open only for writing.
 */
static bool is_trace_device(int fd)
{
	struct devtrace_stats stats = { 0 };
	struct stat st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) &&
	       (!ioctl(fd, DEVTRACE_IOC_STATS, &stats) || errno == EBADF);
}

static int run(struct conv *c, int fd, FILE *out, const char *where)
{
	uint8_t buf[4096];
	ssize_t n = 0;

	while (!stop && !c->err) {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		conv_feed(c, buf, (size_t)n, c->live ? conv_now() : 0);
		if (c->live && fflush(out))
			c->err = -1;
	}
	if (n < 0 && errno != EIO && !stop) {
		complain_text(VIEW_NAME, where, strerror(errno));
		return 1;
	}
	conv_end(c);
	if (fflush(out) || c->err) {
		fprintf(stderr, "devtrace-convert: the output: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

/* --from: convert one input. Return the exit status. */
static int convert_from(struct conv *conv, const char *from, const char *output, bool quiet,
			const char *where)
{
	static struct link link;
	const char *problem = NULL;
	FILE *out = stdout;
	int fd, to = STDOUT_FILENO, ret;

	fd = open_input(where, &link, &conv->live);
	if (fd < 0)
		return 1;
	if (output)
		to = output_open(output, fd, &problem);
	else if (output_is_input(to, fd))
		problem = "the output file is also the input; name another file with --output";
	if (!problem && output)
		out = fdopen(to, "w");
	if (problem || !out) {
		complain_text(VIEW_NAME, output ? output : "standard output",
			      problem ? problem : strerror(errno));
		return 1;
	}
	if (is_trace_device(fileno(out))) {
		fputs("devtrace-convert: the output is a trace device, which cannot store a stream; name a file with --output, then print both: traceinfo FILE /dev/trace\n",
		      stderr);
		return 2;
	}
	identify(conv);
	conv->put = put;
	conv->arg = out;
	if (!conv->live && !(conv->clock.rate > 0))
		conv->clock.rate = 1000000;
	conv_begin(conv, strcmp(from, "rkh") ? &conv_qs : &conv_rkh);
	ret = run(conv, fd, out, where);
	link_close(&link, fd);
	if (!quiet)
		report(conv, where);
	return ret;
}

static bool is_ctf(const struct view_options *view)
{
	return view->to && !strcmp(view->to, "ctf");
}

/* --to ctf: babeltrace2 reads files and writes a directory. */
static void check_ctf(const struct view_options *view, char *const *inputs)
{
	if (!view->output) {
		fputs("devtrace-convert: --to ctf makes a directory; name one with --output\n",
		      stderr);
		exit(2);
	}
	for (; *inputs; inputs++)
		if (!strcmp(*inputs, "-") || link_is(*inputs))
			usage("--to ctf", *inputs, "is not a file; save the stream first, for example with traceinfo --raw");
}

/* A format that does not draw curves or bars would ignore these options without a word. */
static void check_picks(const struct view_options *view)
{
	const struct view_format *f = view_format_find(view->to);

	if (view->counters.n && !(f && f->counters))
		usage("--counter", view->to, "has no curves; use --to perfetto, chrome, vcd or parquet");
	if (view->slices.n && !(f && f->slices))
		usage("--slice", view->to, "has no bars; use --to perfetto, chrome or html");
}

/* --to: check links, and that no file is named twice, because its events would be there twice. */
static void check_inputs(char *const *inputs)
{
	char *const *other;
	struct stat st, st2;

	for (; *inputs; inputs++) {
		const char *problem = link_is(*inputs) ? complain_link_word(*inputs) : NULL;

		if (problem)
			usage("link", *inputs, problem);
		for (other = inputs + 1; *other; other++)
			if (!strcmp(*inputs, *other) ||
			    (!stat(*inputs, &st) && S_ISREG(st.st_mode) && !stat(*other, &st2) &&
			     st.st_dev == st2.st_dev && st.st_ino == st2.st_ino))
				usage("input", *other,
				      "is given twice, so its events would be in the output twice; give it once");
	}
}

/* If options cannot be combined, or an argument is not valid, end the program. */
static void check_options(const struct conv *conv, const char *from,
			  const struct view_options *view, char *const *inputs, int nr_inputs)
{
	const bool of_from = conv->sized || conv->clock.told_rate || conv->name;

	if (!from && !view->to) {
		fputs("devtrace-convert: name a format: --to perfetto, chrome, html, vcd, ctf or parquet for a viewer; --from qs or rkh for the trace of a microcontroller\n",
		      stderr);
		exit(2);
	}
	if (from && strcmp(from, "qs") && strcmp(from, "rkh"))
		usage("--from", from, "is not a format; write qs or rkh");
	if (view->to && !is_ctf(view) && !view_format_find(view->to))
		usage("--to", view->to, "is not a format; write perfetto, chrome, html, vcd, ctf or parquet");
	if (from && view->to) {
		fprintf(stderr, "devtrace-convert: --from and --to are two steps: devtrace-convert --from %s ... | devtrace-convert --to %s -\n",
			from, view->to);
		exit(2);
	}
	if (view->to && of_from) {
		fputs("devtrace-convert: --size, --rate and --name can be used only with --from\n",
		      stderr);
		exit(2);
	}
	if (from && (view->nr_fmt_files || view->counters.n || view->slices.n)) {
		fputs("devtrace-convert: --format-file, --counter and --slice can be used only with --to\n",
		      stderr);
		exit(2);
	}
	if (view->output && !*view->output)
		usage("--output", "", "is not the name of a file");
	if (view->to)
		check_picks(view);
	if (view->to)
		check_inputs(inputs);
	if (is_ctf(view))
		check_ctf(view, inputs);
	else if (view->lttng_names)
		usage("--lttng-names", view->to ? view->to : from, "has no such names; use --to ctf");
	if (from && nr_inputs != 1) {
		fputs("devtrace-convert: name one FILE, -, serial:DEVICE[,BAUD], tcp:HOST:PORT or unix:PATH\n",
		      stderr);
		exit(2);
	}
	if (!view->output && isatty(STDOUT_FILENO)) {
		fputs("devtrace-convert: a terminal cannot show this output; name a file with --output, or pipe the output to another program\n",
		      stderr);
		exit(2);
	}
}

static void pick(const char *option, const char *problem)
{
	if (problem)
		usage(option, optarg, problem);
}

int main(int argc, char **argv)
{
	static struct conv conv;
	static struct view_options view;
	const struct sigaction action = { .sa_handler = on_signal };
	const char *from = NULL;
	const struct opts_note notes[] = {
		{ OPT_FROM, .word = &from }, { OPT_TO, .word = &view.to },
		{ 'o', .word = &view.output }, { 'q', .flag = &view.quiet },
		{ OPT_LTTNG_NAMES, .flag = &view.lttng_names }, { 0 },
	};
	char *end;
	struct opts opts;
	int c;

	opts_read(&opts, help, only);
	/* the former name of --format-file, for one release */
	opts_alias(&opts, "event", 'e');
	while ((c = opts_next(&opts, argc, argv)) != -1) {
		if (opts_note(notes, c))
			continue;
		switch (c) {
		case OPT_SIZE:
			parse_sizes(&conv.sizes, optarg);
			conv.sized = true;
			break;
		case OPT_RATE:
			conv.clock.rate = strtod(optarg, &end);
			if (*end || !(conv.clock.rate >= 1 && conv.clock.rate <= 1e10))
				usage("--rate", optarg, "is not a rate; write a number in Hz, for example 1000000");
			conv.clock.told_rate = true;
			break;
		case OPT_NAME:
			if (!*optarg || strlen(optarg) >= DEVTRACE_NAME_MAX)
				usage("--name", optarg, "is not a name of 1 to 63 bytes");
			conv.name = optarg;
			break;
		case OPT_COUNTER:
			pick("--counter", ti_pick_counter(&view.counters, optarg));
			break;
		case OPT_SLICE:
			pick("--slice", ti_pick_slice(&view.slices, optarg));
			break;
		case 'e':
			if (view.nr_fmt_files == TI_PICKS_MAX)
				usage("--format-file", optarg, "is one too many: at most 32 are allowed");
			view.fmt_files[view.nr_fmt_files++] = optarg;
			break;
		default:
			opts_end(c, help, "devtrace-convert " TI_VERSION,
				 "Try 'devtrace-convert --help'.");
		}
	}
	check_options(&conv, from, &view, argv + optind, argc - optind);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (from)
		return convert_from(&conv, from, view.output, view.quiet, argv[optind]);
	view.inputs = argv + optind;
	view.nr_inputs = argc - optind;
	if (is_ctf(&view))
		return view_ctf(&view);
	return view_run(&view, &stop);
}
