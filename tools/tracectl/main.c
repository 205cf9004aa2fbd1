// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the command line of tracectl
 *
 * Exit status: 0; 1 if the kernel refused the request or cannot be reached, or a file could not be
 * read or written; 2 if the command line is wrong, and then nothing was changed. Long options may
 * be anywhere. Short options must be before the command, because words after it may begin with
 * '-'.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tracectl.h"

static const char help[] =
"Usage: tracectl [options] COMMAND\n"
"       tracectl -i | -s SEVERITY | -p PERCENT\n"
"Control filters, streams, triggers and profiles of /dev/trace, and print\n"
"statistics.\n"
"\n"
"Commands:\n"
"  filter [show]                   print the filter\n"
"  filter set TERM...              replace the filter: let only these events pass\n"
"  filter add | remove TERM...     add: also let these events pass;\n"
"                                  remove: no longer let them pass\n"
"  filter clear                    let everything pass\n"
"  filter save [FILE]              write the filter, as lines for 'filter load'\n"
"  filter load [FILE]              replace the filter by a saved one\n"
"  filter check TERM...            print what the terms mean, change nothing\n"
"  stream [list]                   print the streams\n"
"  stream add NAME SIZE [TERM...]  add a stream with a buffer and a filter of its\n"
"                                  own, read from /dev/trace-NAME\n"
"  stream resize NAME SIZE         change the size of each CPU's buffer\n"
"  stream start | stop | freeze | thaw NAME\n"
"  stream watermark NAME PERCENT   wake readers at this fill level; 0: at once\n"
"  stream del NAME                 remove the stream\n"
"  trigger [list]                  print the triggers\n"
"  trigger add NAME when TERM... [element N [mask M] OP VALUE] [nth N | rate N/s]\n"
"          do start | stop | freeze | filter TERM... | restore | notify\n"
"          [after N events | N ms]... [stream NAME] [again]\n"
"  trigger arm | disarm | del NAME\n"
"  profile                         print which kernel profile events are on\n"
"  profile list                    list all of them: names, groups, tracepoints\n"
"  profile latency | buses | GROUP | NAME... | all | none\n"
"                                  turn on only these profile events\n"
"  profile +NAME | -NAME...        turn on these, too; turn these off\n"
"  profile add | del SYSTEM:EVENT...   add or remove any tracepoint of the kernel\n"
"  profile fmt                     print format lines for them, for traceinfo -e\n"
"  stat [COUNT]                    print counts of events and losses, fill levels\n"
"  monitor                         print each change of settings as it happens\n"
"  dict                            print the names that programs gave to numbers\n"
"  clear                           remove all events from the stream\n"
"  save FILE                       save the stream in a file for traceinfo\n"
"  clock [HARDWARE]                state in the streams how exact the clock is;\n"
"                                  HARDWARE: compare with a clock, as /dev/ptp0\n"
"  site [list [PATTERN...]]        print DT_LOG() statements, and which are off\n"
"  site off | on PATTERN...        turn statements off or on, also for programs\n"
"                                  that start later; PATTERN: FILE, FILE:LINE,\n"
"                                  level LEVEL, func NAME, text 'WORDS', all\n"
"  rx                              list programs that have a receive channel\n"
"  rx PROGRAM [KIND=OBJECT]... REQUEST   send this program a request:\n"
"     info | command N [N N N] | reset | tick [RATE] | peek OFFSET SIZE [COUNT]\n"
"     poke OFFSET SIZE VALUE... | fill OFFSET SIZE COUNT VALUE | query KIND\n"
"     event [publish | post | init | dispatch | to=N] sig=SIGNAL [BYTE...]\n"
"     filter | local all | none | N[-N]... | object ADDRESS [off]\n"
"     current KIND OBJECT | setup | teardown | probe ADDRESS DATA | continue\n"
"\n"
"TERMs are all, none, or KEY=ITEM[,ITEM...]:\n"
"  type=sm,user0,125,-mp           groups (sm ao eq mp te qf sc sem mtx user\n"
"                                  user0-user4 exc text log named, kernel for\n"
"                                  kernel profile events), numbers, ranges, or\n"
"                                  names from 'profile list', 'dict' and fmt(5);\n"
"                                  '-' excludes an item\n"
"  object=ao,100-103  signal=4     groups of objects (ao ep eq ap), numbers,\n"
"                                  ranges or names from 'dict'\n"
"  severity=hw2,sw1                this level and above, of hardware or software;\n"
"                                  2 means both; cannot be removed\n"
"  code=0xA10:1  code=!UART        only this code; all codes but these; names are\n"
"                                  as in fmt(5)\n"
"  process=1234,motord,!ksoftirqd/0\n"
"  origin=kernel | user  cpu=0,2-3\n"
"\n"
"Options:\n"
"      --stream NAME               use this stream instead of stream 0 (trace)\n"
"      --cpu                       stat: print a row for each CPU\n"
"      --types | --processes | --readers | --lanes\n"
"                                  stat: print a row for each type, thread,\n"
"                                  reader or lane\n"
"      --interval SECONDS          stat: repeat, and print events per second\n"
"      --process NAME|PID          site: only in these running programs\n"
"  -j, --json                      print one JSON document; monitor: one object a\n"
"                                  line\n"
"  -i                              print a short description of stream 0\n"
"  -s SEVERITY                     let this severity and above pass: 2, hw1, sw2\n"
"  -p PERCENT                      wake readers at this fill level, 0 to 99\n"
"  -h, --help\n"
"  -V, --version\n";

static const struct {
	const char	*name;
	int		(*fn)(struct tc *tc);
} commands[] = {
	{ "filter", tc_filter }, { "stream", tc_streams }, { "trigger", tc_trigger },
	{ "stat", tc_stat }, { "monitor", tc_monitor }, { "dict", tc_dict },
	{ "clear", tc_clear }, { "profile", tc_profile }, { "save", tc_save },
	{ "rx", tc_rx }, { "site", tc_site }, { "clock", tc_clock },
};

_Noreturn void tc_usage(const struct tc *tc, const char *word, const char *problem)
{
	fprintf(stderr, "tracectl: %s%s'%s' %s\n", tc->command ? tc->command : "",
		tc->command ? ": " : "", word, problem);
	exit(2);
}

_Noreturn void tc_missing(const struct tc *tc, const char *what)
{
	fprintf(stderr, "tracectl: %s: %s is missing\n", tc->command, what);
	exit(2);
}

static int fail(const struct tc *tc, const char *name, const char *text)
{
	struct out o;

	/* Escape the name and the message, because another process may have chosen them. */
	out_init(&o, -1);
	OUT_LIT(&o, "tracectl: ");
	if (tc->command) {
		out_str(&o, tc->command);
		OUT_LIT(&o, ": ");
	}
	if (name) {
		tc_safe(&o, name);
		OUT_LIT(&o, ": ");
	}
	tc_safe(&o, text);
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
	return 1;
}

/*
 * Messages of the module and of libdevtrace-ctl name netlink attributes. For some of them, this
 * table has a message that uses the words of the command line instead.
 * @kernel: how the original message begins
 * @here: the message to print; %s stands for the name that was given in the command
 */
static const struct {
	const char *kernel, *here;
} sentences[] = {
	{ "stream is not known", "no such stream; see 'tracectl stream list'" },
	{ "trigger is not known", "no such trigger; see 'tracectl trigger list'" },
	{ "stream is frozen", "the stream is frozen; thaw it first: tracectl stream thaw %s" },
	{ "stream exists already",
	  "this stream exists already; choose another name, "
	  "or remove it first: tracectl stream del %s" },
	{ "stream trace exists already",
	  "this stream always exists; to change its size: tracectl stream resize %s SIZE" },
	{ "stream would be one more than 16",
	  "there are 16 streams already, and no more are allowed; "
	  "remove one first: tracectl stream del NAME" },
	{ "stream trace always exists", "this stream always exists and cannot be removed" },
	{ "stream must be a name",
	  "the name of a stream has 1 to 31 characters of A-Z a-z 0-9 _ . -" },
	{ "size must be",
	  "the SIZE of each CPU's ring must be from 1K to 2G" },
	{ "trigger exists already",
	  "this trigger exists already; choose another name, "
	  "or remove it first: tracectl trigger del %s" },
	{ "trigger must be a name",
	  "the name of a trigger has 1 to 31 characters of A-Z a-z 0-9 _ . -" },
	{ "there are 16 triggers already",
	  "there are 16 triggers already, and no more are allowed; "
	  "remove one first: tracectl trigger del NAME" },
	{ "tracepoint is not added",
	  "this tracepoint has not been added; see 'tracectl profile list'" },
	{ "types that this kernel does not have",
	  "types that this kernel does not have were skipped; "
	  "see 'tracectl profile list'" },
	{ "generation is outdated", "other processes keep changing this filter; try again" },
	{ "pids must be", "the id of a process is from 0 to 4194303" },
	{ "not-pids must be", "the id of a process is from 0 to 4194303" },
	{ "events must be", "'after' takes 1 to 2147483647 events" },
	{ "rate must be", "the rate is from 1/s to 16777214/s" },
};

static void in_words(char *to, size_t size, const char *text, const char *name)
{
	/* Compare with the message, and with the part after the first ": ", if it has a prefix. */
	const char *s = strstr(text, ": ");
	size_t i;

	for (i = 0; i < NR(sentences); i++) {
		const char *k = sentences[i].kernel, *here = sentences[i].here;
		const char *at = strstr(here, "%s");

		if (strncmp(text, k, strlen(k)) && (!s || strncmp(s + 2, k, strlen(k))))
			continue;
		if (at)
			snprintf(to, size, "%.*s%s%s", (int)(at - here), here,
				 name ? name : "NAME", at + 2);
		else
			snprintf(to, size, "%s", here);
		return;
	}
	snprintf(to, size, "%s", text);
}

int tc_fail(const struct tc *tc, const char *name)
{
	char text[512];

	in_words(text, sizeof(text), devtrace_ctl_error(tc->ctl), name);
	return fail(tc, name, text);
}

int tc_fail_as(const struct tc *tc, const char *name, const char *kernel)
{
	char text[512];

	in_words(text, sizeof(text), kernel, name);
	return fail(tc, name, text);
}

int tc_fail_change(const struct tc *tc, const char *name, int err)
{
	/*
	 * The kernel refused a read, for which CAP_SYSLOG would be enough. But the command also
	 * changes something, so name the capabilities that it needs.
	 */
	if (err == -EPERM)
		return fail(tc, name, "this needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace");
	return tc_fail(tc, name);
}

void tc_note(const struct tc *tc)
{
	const char *warning = devtrace_ctl_warning(tc->ctl);
	char text[1024];
	struct out o;

	if (!*warning)
		return;
	in_words(text, sizeof(text), warning, NULL);
	out_init(&o, -1);
	tc_safe(&o, text);
	fprintf(stderr, "tracectl: %s: note: %.*s\n", tc->command, (int)o.len, o.buf);
	out_free(&o);
}

void tc_open(struct tc *tc)
{
	if (tc->ctl)
		return;
	tc->ctl = devtrace_ctl_open();
	if (tc->ctl)
		return;
	if (errno == ENOENT && !access("/sys/module/devtrace", F_OK))
		fputs("tracectl: devtrace was built without its control interface; build it with CONFIG_DEVTRACE_CONTROL=y\n",
		      stderr);
	else if (errno == ENOENT)
		fputs("tracectl: this kernel has no devtrace; load the module: modprobe devtrace, or insmod devtrace.ko\n",
		      stderr);
	else
		fprintf(stderr, "tracectl: netlink: %s\n", strerror(errno));
	exit(1);
}

const char *tc_stream(const struct tc *tc)
{
	return tc->stream ? tc->stream : DEVTRACE_STREAM0;
}

const char *tc_next(struct tc *tc, const char *what)
{
	if (!tc->nr)
		tc_missing(tc, what);
	tc->nr--;
	return *tc->words++;
}

size_t tc_second(struct tc *tc, const char *const *names, size_t nr, const char *problem)
{
	const char *word = tc->nr ? tc_next(tc, "") : NULL;
	size_t i;

	for (i = 0; word && i < nr; i++)
		if (!strcmp(strchr(names[i], ' ') + 1, word))
			break;
	if (i == nr)
		tc_usage(tc, word, problem);
	tc->command = names[i];
	return i;
}

void tc_end(const struct tc *tc)
{
	if (tc->nr)
		tc_usage(tc, *tc->words, "is one word too many");
}

void tc_begin(struct tc *tc)
{
	tc_end(tc);
	tc_open(tc);
}

void *tc_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p) {
		fputs("tracectl: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

bool tc_number(const char *s, uint64_t max, uint64_t *v)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	char *end;

	if (!strchr("0123456789", *s) || !*s || (hex && !s[2]))
		return false;
	errno = 0;
	*v = strtoull(s, &end, hex ? 16 : 10);
	return !*end && !errno && *v <= max;
}

/* The options -i, -s and -p. */
struct line {
	bool		info;
	const char	*severity, *percent;
	const char	*command;
};

/* Return the value of an option: the part after its '=', or else the next word. */
static const char *value(struct tc *tc, const char *word, size_t len, char **argv, int *i)
{
	if (word[len] == '=')
		return word + len + 1;
	if (!argv[*i + 1]) {
		fprintf(stderr, "tracectl: the option %s needs a value\n", word);
		exit(2);
	}
	(void)tc;
	return argv[++*i];
}

static bool is(const char *word, const char *option, size_t len)
{
	return strlen(option) == len && !strncmp(word, option, len);
}

static void done(int status)
{
	exit(fflush(stdout) ? 1 : status);
}

static void option(struct tc *tc, struct line *line, char **argv, int *i)
{
	const char *word = argv[*i];
	size_t len = strcspn(word, "=");

	if (is(word, "--stream", len)) {
		tc->stream = value(tc, word, len, argv, i);
	} else if (is(word, "--interval", len)) {
		tc->interval = value(tc, word, len, argv, i);
	} else if (is(word, "--process", len)) {
		tc->process = value(tc, word, len, argv, i);
	} else if (!strcmp(word, "--json") || !strcmp(word, "-j")) {
		tc->json = true;
	} else if (!strcmp(word, "--cpu")) {
		tc->cpu = true;
	} else if (!strcmp(word, "--types")) {
		tc->types = true;
	} else if (!strcmp(word, "--processes")) {
		tc->processes = true;
	} else if (!strcmp(word, "--readers")) {
		tc->readers = true;
	} else if (!strcmp(word, "--lanes")) {
		tc->lanes = true;
	} else if (!strcmp(word, "-i")) {
		line->info = true;
	} else if (!strcmp(word, "-s")) {
		line->severity = value(tc, word, 2, argv, i);
	} else if (!strcmp(word, "-p")) {
		line->percent = value(tc, word, 2, argv, i);
	} else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		fputs(help, stdout);
		done(0);
	} else if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts("tracectl (devtrace) " TI_VERSION);
		done(0);
	} else {
		fprintf(stderr, "tracectl: unknown option '%s'; try 'tracectl --help'\n",
			word);
		exit(2);
	}
}

/* Process the options, and collect all other words in tc->words. */
static void parse(struct tc *tc, struct line *line, int argc, char **argv)
{
	int i;

	tc->words = tc_alloc(NULL, (size_t)(argc + 1) * sizeof(*tc->words));
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			while (++i < argc)
				tc->words[tc->nr++] = argv[i];
			break;
		}
		if (!strncmp(argv[i], "--", 2) || (*argv[i] == '-' && !tc->nr))
			option(tc, line, argv, &i);
		else
			tc->words[tc->nr++] = argv[i];
	}
}

/* Return an option that was given and is only for 'stat', or NULL. */
static const char *for_stat(const struct tc *tc)
{
	return tc->interval ? "--interval" : tc->cpu ? "--cpu" : tc->types ? "--types" :
	       tc->processes ? "--processes" : tc->readers ? "--readers" :
	       tc->lanes ? "--lanes" : NULL;
}

static int run(struct tc *tc, struct line *line)
{
	const char *word, *option = for_stat(tc);
	size_t i;
	int ret = 0;

	if (!tc->nr && !line->info && !line->severity && !line->percent) {
		fputs("tracectl: a command is missing; try 'tracectl --help'\n",
		      stderr);
		return 2;
	}
	if (!tc->nr) {
		if (option)
			tc_usage(tc, option, "is for 'stat'");
		if (tc->process)
			tc_usage(tc, "--process", "is for 'site'");
		/* Check -p before -s changes anything. */
		if (line->percent)
			tc_high_water_check(tc, line->percent);
		if (line->severity)
			ret = tc_keep(tc, line->severity);
		if (line->percent && !ret)
			ret = tc_high_water(tc, line->percent);
		if (line->info && !ret)
			ret = tc_info(tc);
		return ret;
	}
	if (line->info || line->severity || line->percent)
		tc_usage(tc, *tc->words, "does not go with -i, -s or -p");
	word = tc_next(tc, "a command");
	for (i = 0; i < NR(commands); i++)
		if (!strcmp(commands[i].name, word))
			break;
	if (i == NR(commands))
		tc_usage(tc, word, "is not a command; the commands are: filter stream trigger profile stat monitor dict clear save clock site rx");
	tc->command = commands[i].name;
	if (option && commands[i].fn != tc_stat)
		tc_usage(tc, option, "is for 'stat'");
	if (tc->process && commands[i].fn != tc_site)
		tc_usage(tc, "--process", "is for 'site'");
	return commands[i].fn(tc);
}

int main(int argc, char **argv)
{
	struct tc tc = { 0 };
	struct line line = { 0 };
	char **words;
	int ret;

	signal(SIGPIPE, SIG_IGN);
	parse(&tc, &line, argc, argv);
	words = tc.words;
	out_init(&tc.out, STDOUT_FILENO);
	ret = run(&tc, &line);
	out_flush(&tc.out);
	if (tc.out.err && tc.out.err != EPIPE) {
		/*
		 * EINTR: a signal interrupted a write that blocked. Print no message, because
		 * standard error may block, too.
		 */
		if (tc.out.err != EINTR)
			fprintf(stderr, "tracectl: standard output: %s\n", strerror(tc.out.err));
		ret = 1;
	}
	out_free(&tc.out);
	devtrace_ctl_close(tc.ctl);
	tc_names_free(tc.names);
	free(words);
	return ret;
}
