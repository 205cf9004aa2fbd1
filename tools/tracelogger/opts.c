// SPDX-License-Identifier: GPL-2.0-only
/*
 * opts.c - the command line
 *
 * Every option is checked before anything is opened. A message names the wrong argument and what
 * is accepted; the exit status is 2.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/http.h"
#include "common/opts.h"
#include "common/size.h"
#include "record.h"
#include "tls.h"

enum {
	OPT_DEVICE = OPTS_LONG, OPT_AGE, OPT_SYNC, OPT_ONCE, OPT_JSON, OPT_TO,
	OPT_LISTEN, OPT_SPOOL, OPT_TRIGGER, OPT_EXEC, OPT_MATCH, OPT_INTERVAL, OPT_LAST_BOOT,
	OPT_ZSTD, OPT_COMPACT, OPT_ENTERPRISE, OPT_CACERT,
};

/* names of the options without a letter, in the order of the enum */
static const char only[] =
	" device age sync once json to listen spool on-trigger exec match interval"
	" last-boot zstd compact enterprise cacert";

static const char help[] =
"Usage: tracelogger [options]\n"
"Save the events of /dev/trace in files. traceinfo can print each file alone.\n"
"\n"
"Where to save:\n"
"  -f, --file NAME         file; %Y %y %m %d %j %H %M %S %s stand for the time;\n"
"                          without this option write to standard output\n"
"      --to LINK           send events to tcp:HOST:PORT, udp:HOST:PORT, unix:PATH\n"
"                          or serial:DEVICE,BAUD, or to standard output (-);\n"
"                          syslog:HOST:PORT gets events with a severity, as\n"
"                          messages; otlp:http://HOST[:PORT][/PATH], as log\n"
"                          records of OpenTelemetry; journal:http://HOST[:PORT],\n"
"                          as entries of the journal of systemd; both by https,\n"
"                          too, if this machine has libcurl\n"
"      --cacert FILE       with https, trust the authorities whose certificates\n"
"                          are in FILE (PEM) instead of those of the system\n"
"      --enterprise NUMBER  name the fields in syslog messages devtrace@NUMBER,\n"
"                          your private enterprise number of IANA (default:\n"
"                          messages have no fields)\n"
"      --spool DIR         keep events in files in DIR while the peer is away;\n"
"                          they take at most 16M, or the size that --limit gives\n"
"      --listen LINK       send events to each peer that connects to tcp::PORT,\n"
"                          tcp:HOST:PORT or unix:PATH\n"
"  -P, --permissions PERM  mode of new files: decimal, or octal with a leading 0\n"
"                          (default: 0644)\n"
"  -M, --open-mode FLAGS   further flags for open(2), as a number\n"
"  -o, --keep-open         continue a file that was moved\n"
"  -A, --attribute NAME=VALUE  put this note at the beginning of each file\n"
"      --zstd[=LEVEL]      compress files with zstd; LEVEL is 1 to 19\n"
"                          (default: 3)\n"
"      --compact           write compact frames of half the size, for slow links\n"
"\n"
"How much to save:\n"
"  -s, --size SIZE         largest size of a file (default: 16M, or an eighth of\n"
"                          the limit if that is less)\n"
"      --age TIME          longest time of a file, for example 1h or 1d; on a\n"
"                          link, repeat the announcement after this time\n"
"                          (default with udp and serial: 1m)\n"
"  -l, --limit SIZE        largest size of all files; the oldest are removed\n"
"  -k, --keep-free SIZE|PERCENT%  free space to leave on the file system\n"
"                          (default: 5%)\n"
"\n"
"When to save:\n"
"  -p, --percent PERCENT   save when a CPU's buffer is filled to this part; 0: at\n"
"                          once (default: 25)\n"
"  -t, --time TIME         save at least this often, for example every 500ms or\n"
"                          30s; a number without a unit is minutes (default: 1s)\n"
"      --sync POLICY,...   when to sync files to the disk: none, interval=TIME,\n"
"                          severity=0..3 or always (default: interval=5s)\n"
"      --once              save what the buffer contains, then end\n"
"      --last-boot[=DEVICE]  first save the events of the previous boot\n"
"                          (default: from /dev/trace-last)\n"
"      --on-trigger NAME   save one file each time this trigger fires; then start\n"
"                          the stream, and arm the trigger again\n"
"\n"
"Commands to run:\n"
"      --exec COMMAND      run this command for events that match; it gets their\n"
"                          values in DEVTRACE_TYPE, DEVTRACE_NAME, DEVTRACE_TEXT,\n"
"                          DEVTRACE_FIELD_0 and so on\n"
"      --match EXPRESSION  events must match all terms severity=LIST code=LIST\n"
"                          process=LIST cpu=LIST type=LIST object=LIST; the lists\n"
"                          are those of traceinfo(1); otlp, journal and syslog\n"
"                          get these events in place of those with a severity\n"
"      --interval TIME     shortest time between two commands, or between two\n"
"                          files of a trigger (default: 1s)\n"
"\n"
"Other:\n"
"      --device PATH       read this device instead of /dev/trace\n"
"  -q, --quiet             print only errors\n"
"      --json              print messages in JSON\n"
"  -h, --help\n"
"  -V, --version\n"
"\n"
"Signals: SIGALRM saves events now, SIGHUP begins another file, SIGUSR1 saves,\n"
"syncs and prints the counts of events.\n";

#define DEVICE		"/dev/trace"
#define SPOOL_LIMIT	(16 << 20)

static _Noreturn void usage(const char *option, const char *word, const char *problem)
{
	fprintf(stderr, "tracelogger: %s: '%s' %s\n", option, word, problem);
	exit(2);
}

static uint64_t number(const char *option, const char *word, const char **end, const char *what)
{
	unsigned long long n;
	char *e;

	errno = 0;
	n = strtoull(word, &e, 10);
	if (!isdigit((unsigned char)*word) || errno || n > INT64_MAX)
		usage(option, word, what);
	*end = e;
	return n;
}

static uint64_t parse_size(const char *option, const char *word)
{
	uint64_t bytes = 0;

	if (size_parse(word, INT64_MAX, &bytes))
		usage(option, word, "is not a size; write a number and K, M or G, for example 100M");
	return bytes;
}

/* Parse a time. A number without a unit is in minutes, as in QNX. */
static int64_t parse_time(const char *option, const char *word)
{
	static const char what[] =
		"is not a time; write a number and ms, s, m, h or d, for example 30s";
	static const struct { const char *unit; int64_t ns; } units[] = {
		{ "", 60 * TL_NSEC }, { "ms", TL_NSEC / 1000 }, { "s", TL_NSEC },
		{ "m", 60 * TL_NSEC }, { "min", 60 * TL_NSEC }, { "h", 3600 * TL_NSEC },
		{ "d", 86400 * TL_NSEC },
	};
	const char *end;
	uint64_t n = number(option, word, &end, what);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit) && n <= (uint64_t)(INT64_MAX / units[i].ns))
			return (int64_t)n * units[i].ns;
	usage(option, word, what);
}

static unsigned int parse_percent(const char *option, const char *word, const char *after)
{
	const char *end;
	uint64_t n = number(option, word, &end, "is not a percentage from 0 to 100");

	if (strcmp(end, after) || n > 100)
		usage(option, word, "is not a percentage from 0 to 100");
	return (unsigned int)n;
}

static void parse_keep_free(struct tl_options *opt, const char *word)
{
	size_t len = strlen(word);

	opt->keep_free = 0;
	opt->keep_percent = 0;
	if (len && word[len - 1] == '%')
		opt->keep_percent = parse_percent("--keep-free", word, "%");
	else
		opt->keep_free = parse_size("--keep-free", word);
}

static void parse_sync(struct tl_options *opt, const char *all)
{
	static const char what[] =
		"is not a policy; write none, interval=TIME, severity=0..3 or always";
	char word[64];
	size_t len;

	opt->sync_every = 0;
	for (;; all += len + 1) {
		len = strcspn(all, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, all);
		if (!strncmp(word, "interval=", 9)) {
			opt->sync_every = parse_time("--sync", word + 9);
			if (!opt->sync_every)
				usage("--sync", word, "is not an interval above 0; use 'always' to sync after each write");
		} else if (!strncmp(word, "severity=", 9) && word[9] >= '0' && word[9] <= '3' &&
			   !word[10]) {
			opt->sync_severity = word[9] - '0';
		} else if (!strcmp(word, "always")) {
			opt->sync_always = true;
		} else if (strcmp(word, "none") || len != strlen(all)) {
			usage("--sync", word, what);
		}
		if (!all[len])
			break;
	}
}

static long parse_bits(const char *option, const char *word, long allowed, const char *what)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(word, &end, 0);
	if (!isdigit((unsigned char)*word) || *end || errno || n & ~allowed)
		usage(option, word, what);
	return n;
}

static void add_note(struct tl_options *opt, const char *word)
{
	static const char *const taken[] = {
		DEVTRACE_NOTE_FILE, DEVTRACE_NOTE_CLOCK, TL_NOTE_LAST,
	};
	const char *value = strchr(word, '=');
	size_t total = 256 + 2 * strlen(word) + 16, i;

	if (!value || value == word)
		usage("--attribute", word, "is not NAME=VALUE");
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if ((size_t)(value - word) == strlen(taken[i]) &&
		    !strncmp(word, taken[i], strlen(taken[i])))
			usage("--attribute", word, "is a note that tracelogger writes itself; choose another name");
	for (i = 0; i < opt->nr_notes; i++)
		total += 2 * strlen(opt->notes[i]) + 16;
	if (opt->nr_notes == TL_NOTES || total > TL_HEAD_MAX)
		usage("--attribute", word, "is too much: at most 16 attributes are allowed, of 1900 bytes in all");
	opt->notes[opt->nr_notes++] = word;
}

static void parse_enterprise(struct tl_options *opt, const char *word)
{
	static const char what[] =
		"is not a private enterprise number of IANA from 1 to 4294967295";
	const char *end;
	const uint64_t n = number("--enterprise", word, &end, what);

	if (*end || !n || n > UINT32_MAX)
		usage("--enterprise", word, what);
	opt->enterprise = (uint32_t)n;
}

static void parse_zstd(struct tl_options *opt, const char *word)
{
	const char *end;

	opt->zstd = true;
	if (word)
		opt->zstd_level = (int)number("--zstd", word, &end, "is not a level from 1 to 19");
	if (word && (*end || opt->zstd_level < 1 || opt->zstd_level > 19))
		usage("--zstd", word, "is not a level from 1 to 19");
	if (!tl_zip_built)
		usage("--zstd", word ? word : "",
		      "cannot be done: this tracelogger was built without libzstd");
}

/* Receivers of requests, by what a link begins with. */
static const struct {
	const char	*prefix;
	const struct tl_encoder *encoder;
	const char	*no_tls;
	struct http_service service;
} receivers[] = {
	{ "otlp:", &otlp_encoder,
		"needs libcurl, which this machine does not have; install libcurl3-gnutls, or send to an agent on this machine, such as the OpenTelemetry Collector or Fluent Bit, by http://localhost:4318, and let it send on by https", {
		"4318", "/v1/logs",
		"is not a URL; write http://HOST:4318 or http://HOST:PORT/PATH",
		"names no host; write http://HOST:4318",
	} },
	{ "journal:", &journal_encoder,
		"needs libcurl, which this machine does not have; install libcurl3-gnutls, or send to a proxy on this machine, such as stunnel, by http://localhost:19532, and let it send on by https", {
		"19532", "/upload",
		"is not a URL; write http://HOST:19532 or http://HOST:PORT/PATH",
		"names no host; write http://HOST:19532",
	} },
};

/* Parse a link to a receiver of requests. Return false if the word is another link. */
static bool parse_receiver(struct tl_options *opt, const char *word)
{
	const char *problem;
	struct http_url url;
	size_t i = 0;

	while (strncmp(word, receivers[i].prefix, strlen(receivers[i].prefix)))
		if (++i == sizeof(receivers) / sizeof(receivers[0]))
			return false;
	if (http_url_parse(&url, word + strlen(receivers[i].prefix), &receivers[i].service,
			   &problem))
		usage("--to", word, problem);
	if (url.tls && !tls_load())
		usage("--to", word, receivers[i].no_tls);
	opt->encoder = receivers[i].encoder;
	opt->link = (struct link){ .kind = LINK_HTTP, .open = url.tls ? tls_open : NULL };
	strcpy(opt->link.host, url.host);
	strcpy(opt->link.port, url.port);
	strcpy(opt->link.path, url.path);
	return true;
}

static void parse_to(struct tl_options *opt, const char *word)
{
	const char *problem;

	opt->to = strcmp(word, "-") ? word : NULL;
	opt->encoder = NULL;
	if (!opt->to)
		return;
	if (parse_receiver(opt, word))
		return;
	if (!link_is(word))
		usage("--to", word, "is not a link; write tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, serial:DEVICE,BAUD, syslog:HOST:PORT, otlp:http://HOST, journal:http://HOST or -");
	if (link_parse(&opt->link, word, &problem))
		usage("--to", word, problem);
	if (opt->link.kind == LINK_SYSLOG)
		opt->encoder = &syslog_encoder;
	if (opt->link.kind != LINK_UNIX && opt->link.kind != LINK_SERIAL && !*opt->link.host)
		usage("--to", word, "names no host; --listen accepts connections");
}

static void parse_listen(struct tl_options *opt, const char *word)
{
	const char *problem;

	opt->listen = word;
	if (link_parse(&opt->link, word, &problem))
		usage("--listen", word, problem);
	if (opt->link.kind != LINK_TCP && opt->link.kind != LINK_UNIX)
		usage("--listen", word, "is not a link to listen on; use tcp::7070 or unix:PATH");
}

static void check_sizes(struct tl_options *opt)
{
	if (!opt->size) {
		opt->size = 16 << 20;
		if (opt->limit && opt->limit / 8 < opt->size)
			opt->size = opt->limit / 8 > TL_SIZE_MIN ? opt->limit / 8 : TL_SIZE_MIN;
	}
	if (opt->size < TL_SIZE_MIN || (opt->limit && opt->size > opt->limit / 2)) {
		fprintf(stderr, "tracelogger: files of %llu bytes do not fit a limit of %llu bytes: a file needs at least 64K, and the limit must hold two files\n",
			(unsigned long long)opt->size, (unsigned long long)opt->limit);
		exit(2);
	}
}

static void check_link(struct tl_options *opt)
{
	if ((opt->to && opt->listen) || (opt->file && (opt->to || opt->listen))) {
		fputs("tracelogger: --file, --to and --listen: give one of them\n", stderr);
		exit(2);
	}
	if (opt->listen && opt->once) {
		fputs("tracelogger: --listen serves peers until a signal; omit --once\n", stderr);
		exit(2);
	}
	if (opt->spool && (!opt->to || opt->link.kind == LINK_UDP ||
			   opt->link.kind == LINK_SERIAL)) {
		fputs("tracelogger: --spool needs a peer that may be away; name it with --to=tcp:..., --to=unix:..., --to=syslog:..., --to=otlp:... or --to=journal:...\n",
		      stderr);
		exit(2);
	}
	if (!opt->spool && (opt->limit || opt->size)) {
		fputs("tracelogger: --size and --limit apply to files; give --file or --spool\n",
		      stderr);
		exit(2);
	}
	if (opt->spool && !opt->limit)
		opt->limit = SPOOL_LIMIT;
	if (opt->spool)
		check_sizes(opt);
	if (!opt->age && (opt->link.kind == LINK_UDP || opt->link.kind == LINK_SERIAL))
		opt->age = 60 * TL_NSEC;
}

static void check_trigger(struct tl_options *opt)
{
	if (!opt->file || opt->to || opt->listen || opt->age || opt->last_boot || opt->exec ||
	    strcmp(opt->device, DEVICE)) {
		fprintf(stderr, "tracelogger: --on-trigger: '%s' %s\n", opt->trigger,
			!opt->file || opt->to || opt->listen ?
			"saves files; give --file" :
			opt->age ? "saves the whole stream in each file; omit --age" :
			opt->last_boot ? "saves only the trigger's stream; omit --last-boot" :
			opt->exec ? "cannot run a command; omit --exec" :
			"saves the stream of the trigger; omit --device");
		exit(2);
	}
	/* With a trigger, the whole buffer goes into one file, however large the buffer is. */
	if (!opt->size)
		opt->size = opt->limit ? opt->limit / 2 : (uint64_t)1 << 40;
}

static void check_exec(const struct tl_options *opt)
{
	if (opt->exec && !opt->match)
		usage("--exec", opt->exec, "needs --match, which selects the events");
	if (opt->match && !opt->exec && !opt->encoder)
		usage("--match", opt->match, "selects events for --exec and for --to otlp:..., journal:... and syslog:...; give a command or such a receiver");
	if (opt->exec && opt->listen)
		usage("--exec", opt->exec, "cannot be combined with --listen: it would run once per peer");
	if (opt->match)
		tl_exec_check(opt->match);
}

/*
 * --sync interval limits the time from an event to the disk. The wait before the event is written
 * (--time) is a part of this time, so make it a quarter. If --time was given and is longer, sync
 * soon after each write.
 */
static void share_interval(struct tl_options *opt)
{
	const int64_t part = opt->sync_every / 4;

	if (opt->every < 0)
		opt->every = part && part < TL_NSEC ? part : TL_NSEC;
	opt->sync_every -= opt->every;
	if (opt->sync_every < part)
		opt->sync_every = part;
}

static void check(struct tl_options *opt)
{
	struct tl_name name;
	const char *problem;

	if (opt->file && !strcmp(opt->file, "-"))
		opt->file = NULL;
	if (opt->zstd && !opt->file) {
		fputs("tracelogger: --zstd applies to files; give --file\n", stderr);
		exit(2);
	}
	if (opt->compact && opt->encoder) {
		fputs("tracelogger: --compact applies to frames, but otlp, journal and syslog get records\n",
		      stderr);
		exit(2);
	}
	if (opt->enterprise && opt->encoder != &syslog_encoder) {
		fputs("tracelogger: --enterprise names the data in messages of syslog; give --to=syslog:HOST:PORT\n",
		      stderr);
		exit(2);
	}
	if (opt->cacert && !opt->link.open) {
		fputs("tracelogger: --cacert applies to https; give --to=otlp:https://HOST or --to=journal:https://HOST\n",
		      stderr);
		exit(2);
	}
	if (opt->cacert && access(opt->cacert, R_OK))
		usage("--cacert", opt->cacert, strerror(errno));
	opt->link.ca = opt->cacert;
	check_exec(opt);
	if (opt->trigger)
		check_trigger(opt);
	if (opt->to || opt->listen || opt->spool) {
		check_link(opt);
		return;
	}
	if (opt->file && tl_name_parse(&name, opt->file, &problem))
		usage("--file", opt->file, problem);
	if (!opt->file && (opt->limit || opt->age || opt->size)) {
		fputs("tracelogger: --size, --age and --limit apply to files; give --file\n",
		      stderr);
		exit(2);
	}
	if (!opt->file && isatty(STDOUT_FILENO)) {
		fputs("tracelogger: standard output is a terminal; name a file with --file, or pipe the frames to traceinfo\n",
		      stderr);
		exit(2);
	}
	check_sizes(opt);
}

/*
 * Is the program called by QNX's name for it? Then -l is the file, as in "Trace -l FILE", which
 * saves each event at once.
 */
static bool called_trace(char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	int i;

	if (strcmp(slash ? slash + 1 : argv[0], "Trace"))
		return false;
	for (i = 1; argv[i] && strcmp(argv[i], "--"); i++)
		if (argv[i][0] == '-' && argv[i][1] == 'l')
			argv[i][1] = 'f';
	return true;
}

void tl_options_parse(struct tl_options *opt, int argc, char **argv)
{
	const long open_flags = O_ACCMODE | O_CREAT | O_APPEND | O_DSYNC | O_SYNC | O_NOATIME;
	const struct opts_note notes[] = {
		{ 'f', .word = &opt->file }, { 'o', .flag = &opt->keep_open },
		{ 'q', .flag = &opt->quiet }, { OPT_DEVICE, .word = &opt->device },
		{ OPT_ONCE, .flag = &opt->once }, { OPT_JSON, .flag = &opt->json },
		{ OPT_SPOOL, .word = &opt->spool }, { OPT_TRIGGER, .word = &opt->trigger },
		{ OPT_EXEC, .word = &opt->exec }, { OPT_MATCH, .word = &opt->match },
		{ OPT_COMPACT, .flag = &opt->compact }, { OPT_CACERT, .word = &opt->cacert },
		{ 0 },
	};
	struct opts opts;
	int c;

	*opt = (struct tl_options){
		.device = DEVICE, .interval = TL_NSEC, .zstd_level = 3,
		.keep_percent = 5, .every = -1, .percent = 25,
		.served = -1, .perm = 0644, .sync_severity = -1, .sync_every = 5 * TL_NSEC,
	};
	if (argc && called_trace(argv))
		opt->percent = 0;
	opts_read(&opts, help, only);
	while ((c = opts_next(&opts, argc, argv)) != -1) {
		if (opts_note(notes, c))
			continue;
		switch (c) {
		case 's':
			opt->size = parse_size("--size", optarg);
			if (!opt->size)
				usage("--size", optarg, "is too small; a file needs at least 64K");
			break;
		case 'l':
			opt->limit = parse_size("--limit", optarg);
			break;
		case 'k':
			parse_keep_free(opt, optarg);
			break;
		case 'p':
			opt->percent = parse_percent("--percent", optarg, "");
			break;
		case 't':
			opt->every = parse_time("--time", optarg);
			break;
		case 'M':
			opt->open_flags = (int)(parse_bits("--open-mode", optarg, open_flags,
				"contains a flag other than O_DSYNC, O_SYNC and O_NOATIME") &
				~(long)O_ACCMODE);
			break;
		case 'P':
			opt->perm = (mode_t)parse_bits("--permissions", optarg, 0777,
						       "are not permissions; write 0644, or 420");
			break;
		case 'A':
			add_note(opt, optarg);
			break;
		case OPT_AGE:
			opt->age = parse_time("--age", optarg);
			break;
		case OPT_SYNC:
			parse_sync(opt, optarg);
			break;
		case OPT_TO:
			parse_to(opt, optarg);
			break;
		case OPT_LISTEN:
			parse_listen(opt, optarg);
			break;
		case OPT_INTERVAL:
			opt->interval = parse_time("--interval", optarg);
			break;
		case OPT_ENTERPRISE:
			parse_enterprise(opt, optarg);
			break;
		case OPT_ZSTD:
			parse_zstd(opt, optarg);
			break;
		case OPT_LAST_BOOT:
			opt->last_boot = optarg ? optarg : "/dev/trace-last";
			break;
		default:
			opts_end(c, help, "tracelogger " TI_VERSION, "Try 'tracelogger --help'.");
		}
	}
	if (optind < argc)
		usage("argument", argv[optind], "is unexpected; name a file with --file");
	share_interval(opt);
	check(opt);
}
