// SPDX-License-Identifier: GPL-2.0-only
/*
 * boardmon.c - an application that emits the state of its board
 *
 * It reads interrupts, load, memory, temperature and serial ports from the kernel, and provokes
 * errors on a pseudo-terminal. It is an example for four ways to emit events: printf-like lines
 * (this file), records like those of QS (boardmon_irq.c), the short form (boardmon_proc.c), and the
 * functions of QNX (boardmon_pty.c).
 *
 * traceinfo finds the texts of the lines in the program; fmtextract(1) writes them for a program
 * that is stripped. The other events have the format file boardmon.fmt, which is installed in
 * /usr/trace.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <devtrace.h>
#include <devtrace/log.h>
#include "boardmon.h"

#define NAME	"boardmon"

bool verbose;

static volatile sig_atomic_t stop;

void say(const char *format, ...)
{
	va_list args;

	if (!verbose)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

static void on_signal(int sig)
{
	/* Emitting is async-signal-safe. */
	DT_INFO(NAME " is told to stop");
	stop = sig;
}

/*
 * Emit the names of objects, enumerations and functions, because events contain only their
 * numbers.
 */
static void name_things(void)
{
	devtrace_dict_obj(OBJ_INTERRUPTS, "interrupts");
	devtrace_dict_obj(OBJ_KERNEL, "kernel");
	devtrace_dict_obj(OBJ_THERMAL, "thermal");
	devtrace_dict_obj(OBJ_UART, "uart");
	devtrace_dict_obj(OBJ_PTY, "pty");
	DEVTRACE_DICT_ENUM(COOL, GROUP_HEAT);
	DEVTRACE_DICT_ENUM(WARM, GROUP_HEAT);
	DEVTRACE_DICT_ENUM(HOT, GROUP_HEAT);
	DEVTRACE_DICT_USR(BOARD_UPTIME);
	DEVTRACE_DICT_FUN(look_at_kernel);
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: " NAME " [options]\n"
		"Emit the state of this board as events to the trace device.\n\n"
		"  -n, --count N       read the state N times; 0: until a signal (default: 0)\n"
		"  -i, --interval S    wait S seconds between two readings (default: 1)\n"
		"  -b, --busiest N     emit only the N most frequent interrupts\n"
		"  -P, --no-pty        do not provoke errors on a pseudo-terminal\n"
		"  -v, --verbose       print each event on standard output, too\n"
		"  -h, --help          print this\n"
		"  -V, --version       print the version\n\n"
		"The variable DEVTRACE_DEVICE can name a device other than /dev/trace.\n");
}

static double number(const char *option, const char *text, double max, bool whole)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || *end || errno || !(v >= 0 && v <= max) ||
	    (whole && v != (unsigned long)v)) {
		fprintf(stderr, NAME ": %s: '%s' is not a %snumber from 0 to %.0f\n", option, text,
			whole ? "whole " : "", max);
		exit(2);
	}
	return v;
}

/* Wait until the next reading is due, an interval after @next. Emit a line if it is too late. */
static void wait_until(struct timespec *next, double interval)
{
	struct timespec now;
	double late;

	next->tv_sec += (time_t)interval;
	next->tv_nsec += (long)((interval - (double)(time_t)interval) * 1e9);
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
	while (!stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
		;
	clock_gettime(CLOCK_MONOTONIC, &now);
	late = (double)(now.tv_sec - next->tv_sec) + (double)(now.tv_nsec - next->tv_nsec) / 1e9;
	if (!stop && interval > 0 && late > interval)
		DT_WARN(NAME " looks %.3f s late", late);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "interval", required_argument, NULL, 'i' },
		{ "busiest", required_argument, NULL, 'b' },
		{ "no-pty", no_argument, NULL, 'P' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ }
	};
	struct sigaction action = { .sa_handler = on_signal };
	unsigned long count = 0, busiest = ULONG_MAX, n;
	double interval = 1;
	struct timespec next;
	bool pty = true;
	int c, err;

	while ((c = getopt_long(argc, argv, "n:i:b:PvhV", options, NULL)) != -1) {
		switch (c) {
		case 'n':
			count = (unsigned long)number("--count", optarg, 1e9, true);
			break;
		case 'i':
			interval = number("--interval", optarg, 1e6, false);
			break;
		case 'b':
			busiest = (unsigned long)number("--busiest", optarg, 1e9, true);
			break;
		case 'P':
			pty = false;
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		case 'V':
			printf(NAME " %s\n", BOARDMON_VERSION);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc) {
		fprintf(stderr, NAME ": unexpected argument '%s'\n", argv[optind]);
		usage(stderr);
		return 2;
	}

	/* Most applications need not check this: without the device they run, and emit nothing. */
	err = devtrace_open();
	if (err && !verbose) {
		fprintf(stderr, NAME ": no trace device: %s\n", strerror(err));
		return 1;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);

	name_things();
	DT_LOG(NAME " looks every %g s", interval);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (n = 1;; n++) {
		look_at_interrupts(busiest);
		look_at_kernel();
		look_at_thermal();
		look_at_uarts();
		if (pty)
			provoke_pty();
		fflush(stdout);
		if (stop || n == count)
			break;
		wait_until(&next, interval);
		if (stop)
			break;
	}
	DT_LOG(NAME " looked %lu times", n);
	if (!err && devtrace_errors()) {
		fprintf(stderr, NAME ": %lu events could not be emitted, the last one: %s\n",
			devtrace_errors(), strerror(devtrace_error()));
		return 1;
	}
	return 0;
}
