// SPDX-License-Identifier: GPL-2.0-only
/*
 * opts.c - the command line
 *
 * Every option is checked before any input is read. After a wrong argument, a message lists the
 * valid ones, and the exit status is 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/link.h"
#include "common/opts.h"
#include "align.h"
#include "pick.h"
#include "traceinfo.h"

void *ti_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p) {
		fputs("traceinfo: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

void ti_words_add(struct ti_words *w, const char *s)
{
	w->v = ti_alloc(w->v, (w->n + 1) * sizeof(*w->v));
	w->v[w->n++] = s;
}

_Noreturn void ti_usage(const char *option, const char *word, const char *problem)
{
	complain_usage(TI_NAME, option, word, problem);
}

enum {
	OPT_COLOR = OPTS_LONG, OPT_TIME, OPT_CHECK, OPT_STATISTICS, OPT_DEVICE, OPT_NO_DEFAULT,
	OPT_SUMMARY, OPT_CHECK_EMIT, OPT_FORMAT, OPT_RAW, OPT_SEQUENCE,
	OPT_LAST_BOOT, OPT_PLOT, OPT_TIMELINE, OPT_SLICE, OPT_COUNTER, OPT_ALIGN,
};

/* long options without a letter, in the order of the enum */
static const char only[] =
	" color time check-fmt statistics device no-default-fmt summary check-emit format"
	" raw sequence last-boot plot timeline slice counter align";

static const char help[] =
"Usage: traceinfo [options] [device | logfile... | link...]\n"
"Print the events of /dev/trace or of another stream's device, of saved files,\n"
"of standard input (-), or of a link: tcp:HOST:PORT, unix:PATH or\n"
"serial:DEVICE,BAUD. With tcp::PORT or udp::PORT, wait for a sender.\n"
"\n"
"Which events to print:\n"
"  -n, --last N            print only the last N events\n"
"  -f, --follow            print new events as they arrive\n"
"  -S, --since WHEN        events at this time or later, for example -5s, -2min,\n"
"                          03:15, '2026-11-21 03:15' or @SECONDS since 1970\n"
"  -U, --until WHEN        events at this time or earlier\n"
"  -d START[:END]          a time range, each [[[[[[CC]YY]MM]DD]hh]mm][.SS]\n"
"  -s, --severity LIST     2: severity 2 and above; hw1: only of hardware;\n"
"                          =sw0: exactly this one; none: without a severity\n"
"  -M, --code [!]MAJOR[:MINOR]  events with this code, by number or by name such\n"
"                             as UART.OVERRUN; with ! without it; ten of each\n"
"  -p, --process LIST      events of processes or threads, by id or name\n"
"  -C, --cpu LIST          events from CPUs, for example 0,2-3\n"
"  -t, --type LIST         events of types, by number, range, group (SM AO EQ MP\n"
"                          TE QF SC SEM MTX USER0-4 EXC TEXT LOG KERNEL USER) or\n"
"                          name, for example SPEED or 'UART.*'\n"
"  -o, --object LIST       events of objects, by number or name\n"
"\n"
"How to print them:\n"
"  -e, --format-file FILE  read this format file, or this program's texts, too\n"
"  -I, --fmt-dir DIR       read all format files in DIR, too\n"
"      --no-default-fmt    read no format files but those of -e, -I and\n"
"                          DEVTRACE_FMT_PATH, see fmt(5)\n"
"      --format FORMAT     columns: wide, or short without date, CPU and context;\n"
"                          a terminal below 100 columns gets short; qspy: print\n"
"                          the records of QS as QSPY does, without columns\n"
"      --time FORMAT       us (default), date, ms, iso, rel, delta, raw, mono or\n"
"                          none\n"
"  -m                      print milliseconds, the same as --time=ms\n"
"  -F FORMAT               print dates in this strftime(3) format (default:\n"
"                          %b %d %T)\n"
"  -H, --header FORMAT     columns before an event's text, see traceinfo(1)\n"
"  -J, --json              print one JSON object per line\n"
"      --color[=WHEN]      use colors: auto, always or never\n"
"  -v, --verbose           also print clocks, names and facts about the stream\n"
"      --statistics        print totals at the end\n"
"      --summary[=LIST]    print tables instead of events: syscalls, interrupts,\n"
"                          threads, waits, machines, states, queues\n"
"                          (default: all)\n"
"      --plot              with --summary: also print histograms of the times\n"
"      --timeline[=TIME]   draw the stream: a row for each CPU, thread, interrupt\n"
"                          and state machine; TIME: from one picture to the next\n"
"      --slice BEGIN..END  with --timeline: a row of the times between two events\n"
"      --counter EVENT.ARG  with --timeline: a row of the values of an argument\n"
"      --sequence OBJECT,...  draw a diagram of the events of these objects\n"
"      --align EVENT       date all boards by the clock of the first one; the\n"
"                          boards are tied by an EVENT that all of them saw, or\n"
"                          by the messages SENT=RECEIVED\n"
"      --raw               write the stream itself, without filtered events\n"
"\n"
"Other:\n"
"  -c, --clear             clear the buffer after reading it (privileged)\n"
"      --check-fmt         check the given format files, or else all of them\n"
"      --check-emit        tell whether this user's events arrive, or why not\n"
"      --device PATH       read this device instead of /dev/trace\n"
"      --last-boot         read the previous boot's events, from /dev/trace-last\n"
"  -h, --help\n"
"  -V, --version\n";

static enum ti_time parse_time(const char *s)
{
	static const char *const names[] = {
		[TI_TIME_DATE] = "date", [TI_TIME_MS] = "ms", [TI_TIME_US] = "us",
		[TI_TIME_ISO] = "iso", [TI_TIME_DELTA] = "delta", [TI_TIME_REL] = "rel",
		[TI_TIME_RAW] = "raw",
		[TI_TIME_MONO] = "mono", [TI_TIME_NONE] = "none",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], s))
			return (enum ti_time)i;
	ti_usage("--time", s, "is not a time format; the formats are: date ms us iso rel delta raw mono none");
}

static void parse_format(struct ti_options *opt, const char *s)
{
	if (!strcmp(s, "short"))
		opt->layout = TI_LAYOUT_SHORT;
	else if (!strcmp(s, "wide"))
		opt->layout = TI_LAYOUT_WIDE;
	else if (!strcmp(s, "qspy"))
		opt->layout = TI_LAYOUT_QSPY;
	else
		ti_usage("--format", s, "is not short, wide or qspy; use -H to choose columns, -e to name a format file");
}

static void parse_color(struct ti_options *opt, const char *s)
{
	if (!s || !strcmp(s, "always"))
		opt->color = TI_COLOR_ALWAYS;
	else if (!strcmp(s, "never"))
		opt->color = TI_COLOR_NEVER;
	else if (!strcmp(s, "auto"))
		opt->color = TI_COLOR_AUTO;
	else
		ti_usage("--color", s, "is not auto, always or never");
}

/* In the order of enum ti_table. */
static const char *const tables[] = {
	"syscalls", "interrupts", "threads", "waits", "machines", "states", "queues",
};

/* strsep() modifies the list in place. */
static void parse_summary(struct ti_options *opt, char *list)
{
	const char *word;
	size_t i;

	opt->summary = true;
	if (!list)
		opt->tables = TI_TABLE_ALL;
	while (list) {
		word = strsep(&list, ",");
		for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
			if (!strcmp(tables[i], word))
				break;
		if (i == sizeof(tables) / sizeof(tables[0]))
			ti_usage("--summary", word,
				 "is not a table; the tables are: syscalls, interrupts, threads, waits, machines, states, queues");
		opt->tables |= 1u << i;
	}
}

static void parse_timeline(struct ti_options *opt, const char *time)
{
	int64_t ns;

	opt->timeline = true;
	if (!time)
		return;
	if (!ti_parse_span(time, &ns) || ns < 1000)
		ti_usage("--timeline", time, "is not a duration of 1us or longer, such as 10s or 500ms");
	opt->window = (uint64_t)ns;
}

static void parse_when(const char *option, const char *s, struct ti_when *when)
{
	if (!ti_parse_when(s, when))
		ti_usage(option, s,
			 "is not a date; write -5s, -1h30min, boot, now, today, yesterday, HH:MM[:SS], 'YYYY-MM-DD [HH:MM[:SS]]' or @SECONDS");
}

/* -F and -m together choose a time format; --time overrides both. */
struct times {
	bool date, ms, time;
};

static void parse_one(struct ti_options *opt, struct times *times, int c)
{
	const char *problem;
	char *end;

	switch (c) {
	case 'd':
		if (!ti_parse_dates(optarg, &opt->filter.since, &opt->filter.until))
			ti_usage("-d", optarg, "is not start[:end]; each is [[[[[[CC]YY]MM]DD]hh]mm][.SS]");
		break;
	case 'e':
		ti_words_add(&opt->fmt_files, optarg);
		break;
	case 'F':
		opt->date = optarg;
		times->date = true;
		break;
	case 'M':
		ti_filter_code(&opt->filter, optarg);
		break;
	case 'I':
		ti_words_add(&opt->fmt_dirs, optarg);
		break;
	case 'n':
		opt->last = strtol(optarg, &end, 10);
		if (*optarg < '0' || *optarg > '9' || *end || opt->last > TI_LAST_MAX)
			ti_usage("--last", optarg, "is not a number of events from 0 to 1000000");
		break;
	case 'S':
		parse_when("--since", optarg, &opt->filter.since);
		break;
	case 'U':
		parse_when("--until", optarg, &opt->filter.until);
		break;
	case 's':
		ti_filter_severity(&opt->filter, optarg);
		break;
	case 'p':
		ti_filter_some(&opt->filter.processes, optarg, "--process",
			       "is not a process or thread; write numbers or names");
		break;
	case 'C':
		ti_filter_cpu(&opt->filter, optarg);
		break;
	case 't':
		ti_filter_type(&opt->filter, optarg);
		break;
	case 'o':
		ti_filter_some(&opt->filter.objects, optarg, "--object",
			       "is not an object; write numbers or names");
		break;
	case OPT_COLOR:
		parse_color(opt, optarg);
		break;
	case OPT_TIME:
		opt->time = parse_time(optarg);
		times->time = true;
		break;
	case OPT_SEQUENCE:
		ti_filter_some(&opt->sequence, optarg, "--sequence",
			       "is not an object; write numbers or names");
		break;
	case OPT_SUMMARY:
		parse_summary(opt, optarg);
		break;
	case OPT_TIMELINE:
		parse_timeline(opt, optarg);
		break;
	case OPT_SLICE:
	case OPT_COUNTER:
		problem = c == OPT_SLICE ? ti_pick_slice(&opt->slices, optarg) :
			  ti_pick_counter(&opt->counters, optarg);
		if (problem)
			ti_usage(c == OPT_SLICE ? "--slice" : "--counter", optarg, problem);
		break;
	case OPT_FORMAT:
		parse_format(opt, optarg);
		break;
	case OPT_ALIGN:
		problem = ti_align_check(optarg);
		if (problem)
			ti_usage("--align", optarg, problem);
		opt->align = optarg;
		break;
	case OPT_LAST_BOOT:
		opt->device = TI_DEVICE_LAST;
		break;
	default:
		opts_end(c, help, "traceinfo (devtrace) " TI_VERSION,
			 "Try 'traceinfo --help'.");
	}
}

/* Is the word a table of --summary? */
static bool is_table(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strncmp(tables[i], word, strlen(tables[i])))
			return true;
	return false;
}

/*
 * The argument of --timeline, --summary or --color follows a '='. After a blank it is taken as a
 * file, so if there is no such file, tell how the option is written.
 */
static void check_apart(const struct ti_options *opt)
{
	const char *option, *word;
	char *problem;
	int64_t ns;
	size_t i;

	for (i = 0; i < opt->files.n; i++) {
		word = opt->files.v[i];
		if (opt->timeline && ti_parse_span(word, &ns))
			option = "--timeline";
		else if (opt->summary && is_table(word))
			option = "--summary";
		else if (opt->color != TI_COLOR_AUTO &&
			 (!strcmp(word, "auto") || !strcmp(word, "always") ||
			  !strcmp(word, "never")))
			option = "--color";
		else
			continue;
		if (!access(word, F_OK))
			continue;
		if (asprintf(&problem, "is no file; write %s=%s", option, word) < 0)
			problem = NULL;
		ti_usage(option, word, problem ? problem : "is no file");
	}
}

static void check_links(struct ti_options *opt)
{
	const char *problem;
	size_t i;

	for (i = 0; i < opt->files.n; i++) {
		problem = link_is(opt->files.v[i]) ? complain_link_word(opt->files.v[i]) : NULL;
		if (problem)
			ti_usage("link", opt->files.v[i], problem);
	}
	/* A link is always followed. */
	if (opt->files.n == 1 && link_is(opt->files.v[0]))
		opt->follow = false;
}

void ti_options_parse(struct ti_options *opt, int argc, char **argv)
{
	struct times times = { 0 };
	const struct opts_note notes[] = {
		{ 'c', .flag = &opt->clear }, { 'H', .word = &opt->header },
		{ 'm', .flag = &times.ms }, { 'f', .flag = &opt->follow },
		{ 'J', .flag = &opt->json }, { 'v', .flag = &opt->verbose },
		{ OPT_CHECK, .flag = &opt->check_fmt },
		{ OPT_CHECK_EMIT, .flag = &opt->check_emit },
		{ OPT_PLOT, .flag = &opt->plot },
		{ OPT_STATISTICS, .flag = &opt->statistics },
		{ OPT_RAW, .flag = &opt->raw },
		{ OPT_DEVICE, .word = &opt->device },
		{ OPT_NO_DEFAULT, .flag = &opt->no_default_fmt }, { 0 },
	};
	struct opts opts;
	int c;

	memset(opt, 0, sizeof(*opt));
	opt->last = -1;
	opt->time = TI_TIME_US;
	opt->device = TI_DEVICE;
	opts_read(&opts, help, only);
	while ((c = opts_next(&opts, argc, argv)) != -1)
		if (!opts_note(notes, c))
			parse_one(opt, &times, c);
	ti_filter_ready(&opt->filter);
	opt->time_given = times.time || times.ms || times.date;
	if (!times.time && times.ms)
		opt->time = TI_TIME_MS;
	else if (!times.time && times.date)
		opt->time = TI_TIME_DATE;
	else if (times.ms && opt->time == TI_TIME_DATE)
		opt->time = TI_TIME_MS;
	for (; optind < argc; optind++)
		ti_words_add(&opt->files, argv[optind]);
	if (opt->check_fmt)
		return;
	if (opt->check_emit) {
		if (opt->files.n || strcmp(opt->device, TI_DEVICE))
			ti_usage("--check-emit", opt->files.n ? opt->files.v[0] : opt->device,
				 "is not needed: --check-emit checks /dev/trace, or the device that DEVTRACE_DEVICE names");
		return;
	}
	check_links(opt);
	check_apart(opt);
	/*
	 * The only argument is the device of another stream. A file that does not exist is taken
	 * for a device if only a device makes sense.
	 */
	if (opt->files.n == 1 && !link_is(opt->files.v[0]) &&
	    (ti_is_device(opt->files.v[0]) ||
	     ((opt->follow || opt->clear) && access(opt->files.v[0], F_OK)))) {
		opt->device = opt->files.v[0];
		opt->files.n = 0;
	}
	if (opt->files.n && opt->follow)
		ti_usage("--follow", opt->files.v[0], "is not a single trace device: only one live buffer can be followed; a pipe (-) needs no --follow");
	if (opt->files.n && opt->clear)
		ti_usage("--clear", opt->files.v[0], "is not a single trace device: only one live buffer can be cleared");
	if (opt->plot && opt->timeline)
		ti_usage("--plot", "--timeline", "has no histograms; give --summary in its place, or leave out --plot");
	if (opt->plot && !opt->summary)
		ti_usage("--plot", "--summary",
			 "is missing: the histograms belong to its tables; give both options");
	if (opt->summary && opt->last >= 0)
		ti_usage("--summary", "--last", "excludes events that --summary needs; only --since and --until can be given");
	if (opt->summary && ti_filter_by_event(&opt->filter))
		ti_usage("--summary", "-s, -M, -p, -C, -t or -o",
			 "excludes events that --summary needs; only --since and --until can be given");
	if (opt->raw && (opt->last >= 0 || opt->follow || opt->json || opt->summary ||
			 opt->statistics))
		ti_usage("--raw", opt->last >= 0 ? "--last" : opt->follow ? "--follow" :
			 opt->json ? "--json" : opt->summary ? "--summary" : "--statistics",
			 "cannot be combined with --raw, which copies the frames unchanged and ends; "
			 "give a time with --since, or follow the device with cat");
	if (opt->layout == TI_LAYOUT_QSPY && (opt->json || opt->summary || opt->raw ||
					      opt->sequence.n || opt->header || opt->time_given))
		ti_usage("--format", "qspy", opt->json ? "cannot be combined with --json" :
			 opt->summary ? "cannot be combined with --summary" :
			 opt->raw ? "cannot be combined with --raw" :
			 opt->sequence.n ? "cannot be combined with --sequence" :
			 opt->header ? "has no columns that --header could choose" :
			 "has the times of QSPY; leave out --time, -m and -F");
	if (opt->sequence.n > TI_LIFELINES_MAX)
		ti_usage("--sequence", opt->sequence.v[TI_LIFELINES_MAX],
			 "is one object too many: a diagram shows at most 16");
	if (opt->sequence.n && (opt->raw || opt->summary))
		ti_usage("--sequence", opt->raw ? "--raw" : "--summary",
			 "cannot be combined with it: each replaces the list of events; give one of them");
	if (opt->align && (opt->raw || opt->summary || opt->sequence.n || opt->timeline))
		ti_usage("--align", opt->raw ? "--raw" : opt->summary ? "--summary" :
			 opt->timeline ? "--timeline" : "--sequence",
			 "shows each board by itself, so nothing is to be aligned; leave one of them out");
	if (opt->align && opt->files.n < 2)
		ti_usage("--align", opt->align, "ties several boards; give the files of at least two");
	if (opt->timeline && (opt->json || opt->raw || opt->summary || opt->sequence.n ||
			      opt->last >= 0 || opt->layout == TI_LAYOUT_QSPY))
		ti_usage("--timeline", opt->json ? "--json" : opt->raw ? "--raw" :
			 opt->summary ? "--summary" : opt->sequence.n ? "--sequence" :
			 opt->last >= 0 ? "--last" : "--format=qspy",
			 "cannot be combined with --timeline, which draws a picture for people; "
			 "choose a time with --since, and print figures with --summary --json");
	if (!opt->timeline && (opt->slices.n || opt->counters.n))
		ti_usage(opt->slices.n ? "--slice" : "--counter", "--timeline",
			 "is missing: a slice or counter is a row of the timeline; give both options");
	if (opt->raw && isatty(STDOUT_FILENO))
		ti_usage("--raw", "standard output",
			 "is a terminal and cannot show frames; write them to a file: traceinfo --raw >FILE");
	if (opt->clear && opt->follow)
		ti_usage("--clear", "--follow", "never ends, so --clear would never be reached; give one of them");
	if (opt->filter.since.kind == TI_REAL && opt->filter.until.kind == TI_REAL &&
	    opt->filter.since.ns > opt->filter.until.ns)
		ti_usage("--until", opt->filter.until.word, "is before the beginning");
}

void ti_options_free(struct ti_options *opt)
{
	free(opt->fmt_files.v);
	free(opt->fmt_dirs.v);
	free(opt->files.v);
	free(opt->sequence.v);
	ti_filter_free(&opt->filter);
}
