// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the command line of qsgate, and the main loop
 *
 * One loop waits for the stream, the host and the front ends. While the host of --to is not
 * connected or is too slow, and there are no front ends, the gate does not read the stream: events
 * stay in the buffer of the device.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "common/opts.h"
#include "common/program.h"
#include "gate.h"

#define DEVICE		"/dev/trace"

enum { OPT_TO = OPTS_LONG, OPT_UDP, OPT_RKH, OPT_TEST, OPT_OLD, OPT_ALLOW };

/* names of the options without a letter, in the order of the enum */
static const char only[] = " to udp rkh test old allow-requests";

static const char help[] =
"Usage: qsgate [options] [FILE | - | LINK]\n"
"Show the trace of a program (default: from /dev/trace) to QSPY's tools, and pass\n"
"their requests on to the program. LINK is tcp:HOST:PORT, unix:PATH or\n"
"serial:DEVICE[,BAUD]. Without --to and --udp, act as QSPY on UDP port 7701.\n"
"\n"
"      --udp [HOST:]PORT   act as QSPY for qutest.py and other front ends; with\n"
"                          PORT 0 use any free port\n"
"      --to LINK|FILE      act as a target: send frames of QS to a QSPY, for\n"
"                          example at tcp:HOST:6601; or wait for one at\n"
"                          tcp::PORT; or use unix:PATH or serial:DEVICE,BAUD;\n"
"                          or save the frames in FILE\n"
"      --rkh               with --to: send frames of RKH to Trazer, for example\n"
"                          at tcp:HOST:6602\n"
"      --old               with --to: act as a target of QP 7, for QSPY up to 7.4\n"
"      --test              count time stamps 1, 2, 3 from RESET or TEST_SETUP on,\n"
"                          for scripts of qutest.py that contain @timestamp\n"
"      --allow-requests    as root: also pass on requests that any user may have\n"
"                          sent, by --udp or --to tcp::PORT\n"
"  -p, --program NAME|PID  show only this program, and send requests to it\n"
"  -q, --quiet             print no lines, and no counts at the end\n"
"  -h, --help\n"
"  -V, --version\n";

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

uint64_t gate_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static _Noreturn void usage(const char *option, const char *word, const char *problem)
{
	fprintf(stderr, "qsgate: %s: '%s' %s\n", option, word, problem);
	exit(2);
}

/*
 * Does a program of this name run? It may belong to any user, and need not have a receive channel.
 */
static bool runs(const char *name)
{
	DIR *proc = opendir("/proc");
	const struct dirent *d;
	bool found = false;

	while (proc && !found && (d = readdir(proc))) {
		const long pid = strtol(d->d_name, NULL, 10);

		found = pid > 0 && program_lives((pid_t)pid, name);
	}
	if (proc)
		closedir(proc);
	return found;
}

/*
 * Choose the process. A program named by its PID need not have a receive channel yet. A program
 * without a channel is found by the stream, which tells the names of processes. In a saved stream,
 * every program is found so.
 */
static void choose_program(struct gate *g)
{
	const char *why;

	if (!g->program)
		return;
	g->by_name = g->program[strspn(g->program, "0123456789")];
	if (g->saved && g->by_name) {
		g->by_stream = true;
		return;
	}
	g->pid = program_find(g->program, &why);
	if (g->pid) {
		gate_same_user(g, g->pid);
		return;
	}
	fprintf(stderr, "qsgate: %s: %s\n", g->program, why);
	if (!g->by_name || !runs(g->program) || strstr(why, "several"))
		exit(1);
	fputs("qsgate: its trace is shown, but requests are refused\n", stderr);
	g->by_stream = true;
}

static int open_input(const char *where, struct link *link)
{
	const char *problem;
	int fd;

	link->line = NULL;
	if (link_is(where)) {
		if (link_parse(link, where, &problem))
			usage("the input", where, problem);
		fd = link_open(link, -1, NULL);
		if (fd < 0)
			fprintf(stderr, "qsgate: %s: %s\n", where, link_error(link, -fd));
		return fd;
	}
	if (!strcmp(where, "-"))
		return STDIN_FILENO;
	fd = open(where, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	/*
	 * O_NONBLOCK is set only after open(2): otherwise a FIFO that has no writer yet would seem
	 * to have ended.
	 */
	if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK))
		fprintf(stderr, "qsgate: %s: %s\n", where, strerror(errno));
	return fd;
}

/* Read and process input. Return 1 to continue, 0 at the end of the input, -1 after an error. */
static int take_input(struct gate *g, int fd, const char *where)
{
	static uint8_t bytes[65536];
	ssize_t n = read(fd, bytes, g->front.fd >= 0 ? sizeof(bytes) : 4096);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0) {
		fprintf(stderr, "qsgate: %s: %s\n", where, strerror(errno));
		return -1;
	}
	if (n)
		devtrace_decoder_feed(g->decoder, bytes, (size_t)n, NULL);
	return n > 0;
}

/* Should reading the stream wait, because records would be dropped? */
static bool rests(const struct gate *g)
{
	const struct target *t = &g->target;

	if (!t->where || g->front.fd >= 0)
		return false;
	return t->fd < 0 || t->len > GATE_BUFFER / 2;
}

static void block_signals(int how, sigset_t *before)
{
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(how, &both, before);
}

static int run(struct gate *g, int input, const char *where)
{
	sigset_t none;
	int ret = 1;

	block_signals(SIG_BLOCK, &none);
	while (!stop && ret > 0) {
		struct target *t = &g->target;
		struct timespec retry = { .tv_nsec = 100000000 };
		struct pollfd p[4];
		int n;

		p[0] = (struct pollfd){ .fd = rests(g) ? -1 : input, .events = POLLIN };
		p[1].revents = 0;
		p[1].fd = -1;
		if (t->where)
			p[1].events = target_events(t, &p[1].fd);
		p[2] = (struct pollfd){ .fd = g->front.fd, .events = POLLIN };
		p[3] = (struct pollfd){ .fd = -1, .events = POLLIN };
		if (g->host)
			p[3].fd = devtrace_rx_host_fd(g->host);
		n = ppoll(p, 4, target_waits(t) ? &retry : NULL, &none);
		if (n < 0 && errno != EINTR) {
			fprintf(stderr, "qsgate: poll: %s\n", strerror(errno));
			return 1;
		}
		if (n < 0)
			continue;
		if (p[3].revents)
			gate_answers(g);
		target_run(g, p[1].revents, gate_now_ms());
		/* The output has failed, and there are no front ends to read the stream for. */
		if (t->failed && g->front.fd < 0)
			return 1;
		if (p[2].revents)
			front_run(g);
		if (p[0].revents)
			ret = take_input(g, input, where);
		if (g->echo)
			fflush(stdout);
	}
	if (!ret)
		devtrace_decoder_finish(g->decoder);
	return ret < 0;
}

static void report(const struct gate *g)
{
	unsigned long long dropped = g->target.dropped + g->front.dropped;

	fprintf(stderr, "qsgate: %llu records", (unsigned long long)g->records);
	if (g->others)
		fprintf(stderr, ", %llu events that are not records of %s",
			(unsigned long long)g->others, g->rkh ? "RKH" : "QS");
	if (g->missing)
		fprintf(stderr, ", %llu missing in the stream", (unsigned long long)g->missing);
	if (dropped)
		fprintf(stderr, ", %llu dropped because the host was too slow or gone", dropped);
	if (g->requests + g->refused)
		fprintf(stderr, ", %llu requests, %llu refused", (unsigned long long)g->requests,
			(unsigned long long)g->refused);
	fputc('\n', stderr);
}

static void parse_to(struct gate *g, const char *word)
{
	const char *problem;

	g->target.where = word;
	g->target.is_link = link_is(word);
	if (!g->target.is_link)
		return;
	if (link_parse(&g->target.link, word, &problem))
		usage("--to", word, problem);
	if (g->target.link.kind == LINK_UDP || g->target.link.kind == LINK_SYSLOG)
		usage("--to", word, "cannot carry frames; write tcp:HOST:PORT, unix:PATH or serial:DEVICE,BAUD");
}

static void open_front(struct gate *g, const char *udp)
{
	const char *problem;
	int ret = front_open(&g->front, udp, &problem);

	if (ret == 2)
		usage("--udp", udp, problem);
	if (ret) {
		fprintf(stderr, "qsgate: UDP port %s: %s\n", udp ? udp : "7701", problem);
		exit(1);
	}
	if (udp)
		fprintf(stderr, "qsgate: front ends attach at UDP port %u\n", g->front.port);
	g->echo = !g->quiet;
}

int main(int argc, char **argv)
{
	static struct gate gate = {
		.ptr = GATE_PTR, .front.fd = -1, .target = { .fd = -1, .listen = -1 },
	};
	const struct sigaction action = { .sa_handler = on_signal };
	struct gate *g = &gate;
	const char *where = DEVICE, *udp = NULL;
	static struct link link;
	const struct opts_note notes[] = {
		{ OPT_UDP, .word = &udp }, { OPT_RKH, .flag = &g->rkh },
		{ OPT_OLD, .flag = &g->old }, { OPT_TEST, .flag = &g->test },
		{ OPT_ALLOW, .flag = &g->allow },
		{ 'p', .word = &g->program }, { 'q', .flag = &g->quiet }, { 0 },
	};
	struct opts opts;
	struct stat st;
	int c, input, ret;

	opts_read(&opts, help, only);
	while ((c = opts_next(&opts, argc, argv)) != -1) {
		if (c == OPT_TO)
			parse_to(g, optarg);
		else if (!opts_note(notes, c))
			opts_end(c, help, "qsgate " TI_VERSION, "Try 'qsgate --help'.");
	}
	if (optind + 1 < argc)
		usage("the input", argv[optind + 1], "is one too many; qsgate reads a single stream");
	if (optind < argc)
		where = argv[optind];
	if (g->old && (udp || !g->target.where || g->rkh)) {
		fputs("qsgate: --old is not for front ends, which are of QP 8 or later; name a QSPY with --to, and omit --udp\n",
		      stderr);
		return 2;
	}
	if (g->rkh && (udp || !g->target.where)) {
		fputs("qsgate: --rkh makes frames for Trazer; name the destination with --to, and omit --udp\n",
		      stderr);
		return 2;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	g->saved = !stat(where, &st) && S_ISREG(st.st_mode);
	choose_program(g);
	if (udp || !g->target.where)
		open_front(g, udp);
	g->decoder = devtrace_decoder_new(gate_item, g);
	if (!g->decoder) {
		fprintf(stderr, "qsgate: %s\n", strerror(errno));
		return 1;
	}
	if (g->target.is_link && target_open(g, -1))
		return 1;
	input = open_input(where, &link);
	if (input < 0 || (!g->target.is_link && target_open(g, input)))
		return 1;
	ret = run(g, input, where);
	front_close(&g->front);
	/* Another signal ends the wait for a slow host. */
	stop = 0;
	block_signals(SIG_UNBLOCK, NULL);
	target_close(g, &stop);
	block_signals(SIG_BLOCK, NULL);
	if (!g->quiet)
		report(g);
	gate_disconnect(g);
	devtrace_decoder_free(g->decoder);
	qspy_names_free(&g->names);
	free(g->symbols.v);
	return ret || g->target.failed || (fflush(stdout) && !g->quiet);
}
