// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tc_stat.c - tracectl stat on terminals of several widths, and in a pipe
 *
 * The simulated kernel returns the largest possible numbers and names. On a terminal no line
 * breaks and no number is cut; in a pipe each number is complete.
 */

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kselftest_harness.h"

#define main tracectl_main
#include "tracectl/main.c"
#undef main

#define DAY	(86400 * 1000000000ull)

static bool quiet;	/* few events, none lost */

struct devtrace_ctl *__wrap_devtrace_ctl_open(void);
void __wrap_devtrace_ctl_close(struct devtrace_ctl *ctl);
int __wrap_devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg);
int __wrap_devtrace_ctl_stats(struct devtrace_ctl *ctl, const char *stream, devtrace_stats_fn *fn,
			      void *arg);
int __wrap_devtrace_ctl_types(struct devtrace_ctl *ctl, devtrace_type_fn *fn, void *arg);
int __wrap_devtrace_ctl_processes(struct devtrace_ctl *ctl, devtrace_process_fn *fn, void *arg);
int __wrap_devtrace_ctl_readers(struct devtrace_ctl *ctl, const char *stream,
				devtrace_reader_fn *fn, void *arg);
int __wrap_devtrace_ctl_lanes(struct devtrace_ctl *ctl, devtrace_lane_fn *fn, void *arg);

struct devtrace_ctl *__wrap_devtrace_ctl_open(void)
{
	static int it;

	return (struct devtrace_ctl *)&it;
}

void __wrap_devtrace_ctl_close(struct devtrace_ctl *ctl)
{
}

int __wrap_devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg)
{
	struct devtrace_ctl_dict d = { .kind = DEVTRACE_T_USR, .value = 105, .name = "SAMPLE" };

	return fn(&d, arg);
}

int __wrap_devtrace_ctl_stats(struct devtrace_ctl *ctl, const char *stream, devtrace_stats_fn *fn,
			      void *arg)
{
	static const char *const names[] = { "trace", "a-stream-whose-name-is-very-long" };
	static unsigned int samples;
	int i;

	samples++;
	for (i = 0; i < 2; i++) {
		struct devtrace_ctl_stats s = {
			.cpu = 1023, .emitted = quiet ? 1234 : 18446744073709551000ull + samples,
			.stored = quiet ? 1200 : 18446744073709551000ull,
			.filtered = quiet ? 34 : 99999999999999ull, .overwritten = 123456,
			.size = 1ull << 31, .used = 1ull << 31,
			.oldest = 1, .now = 400 * DAY + samples * 1000000000ull,
		};

		snprintf(s.stream, sizeof(s.stream), "%.31s", names[i]);
		if (!quiet)
			s.dropped[DEVTRACE_LOST_BUSY] = s.dropped[DEVTRACE_LOST_TOOBIG] =
				s.dropped[DEVTRACE_LOST_NORING] = s.dropped[DEVTRACE_LOST_STOPPED] =
				98765432101ull;
		if (fn(&s, arg))
			return -1;
	}
	return 0;
}

int __wrap_devtrace_ctl_types(struct devtrace_ctl *ctl, devtrace_type_fn *fn, void *arg)
{
	static const uint8_t types[] = { 0, 105, 106, 126, DEVTRACE_T_SCHED_SWITCH, 255 };
	struct devtrace_ctl_type y;
	size_t i;

	for (i = 0; i < sizeof(types); i++) {
		y = (struct devtrace_ctl_type){
			.type = types[i], .stored = quiet ? i : UINT64_MAX, .filtered = 5,
		};
		fn(&y, arg);
	}
	return 0;
}

int __wrap_devtrace_ctl_processes(struct devtrace_ctl *ctl, devtrace_process_fn *fn, void *arg)
{
	static const struct devtrace_ctl_process p[] = {
		{ 4194303, 4194303, "\033[31m\033[31m\033[31", 7 },
		{ 10, 12, "b", 9000000000000 }, { 10, 11, "a", 9000000000000 },
		{ 9, 9, "fifteen-letters", UINT64_MAX }, { 1, 1, "init", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		fn(&p[i], arg);
	return 0;
}

int __wrap_devtrace_ctl_readers(struct devtrace_ctl *ctl, const char *stream,
				devtrace_reader_fn *fn, void *arg)
{
	const struct devtrace_ctl_reader r = {
		"a-stream-whose-name-is-very-lon", 4194303, "fifteen-letters",
		400 * DAY + 123456789, quiet ? 0 : UINT64_MAX, UINT64_MAX, quiet ? 0 : UINT64_MAX,
	};

	return fn(&r, arg);
}

int __wrap_devtrace_ctl_lanes(struct devtrace_ctl *ctl, devtrace_lane_fn *fn, void *arg)
{
	const struct devtrace_ctl_lane l = {
		.source = 65535, .pid = 4194303, .tid = 4194303, .comm = "fifteen-letters",
		.size = 1 << 20, .used = 1000000, .stored = UINT64_MAX, .overwritten = UINT64_MAX,
		.dropped = { 0, 0, quiet ? 0 : 123456789012345ull }, .oldest = 1, .now = 400 * DAY,
		.state = 2,
	};

	return fn(&l, arg);
}

static char output[65536];

/* Run "tracectl @line" on a terminal of @width columns (0: in a pipe); returns its status. */
static int show(const char *line, unsigned short width)
{
	struct winsize size = { .ws_row = 24, .ws_col = width == UINT16_MAX ? 0 : width };
	char words[256], *argv[16] = { "tracectl" };
	int argc = 1, status, fds[2], fd;
	size_t len = 0;
	ssize_t n;
	char *save, *w;
	pid_t pid;

	snprintf(words, sizeof(words), "%s", line);
	for (w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	if (width) {
		pid = forkpty(&fd, NULL, NULL, &size);
	} else {
		if (pipe(fds))
			return -1;
		pid = fork();
		fd = fds[0];
	}
	if (!pid) {
		if (!width)
			dup2(fds[1], 1);
		exit(tracectl_main(argc, argv));
	}
	if (!width)
		close(fds[1]);
	while ((n = read(fd, output + len, sizeof(output) - 1 - len)) > 0)
		len += (size_t)n;
	output[len] = '\0';
	close(fd);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Width of the longest line, without colours. */
static size_t widest(void)
{
	size_t max = 0, n = 0;
	const char *p;

	for (p = output; *p; p++) {
		if (*p == '\033') {
			p += strcspn(p, "m");
			continue;
		}
		n = *p == '\n' || *p == '\r' ? 0 : n + 1;
		if (n > max)
			max = n;
	}
	return max;
}

static bool has(const char *s)
{
	return strstr(output, s);
}

static const char *const forms[] = {
	"stat", "stat --cpu", "stat --interval 0.01 2", "stat --cpu --interval 0.01 2", "stat --types",
	"stat --processes", "stat --readers", "stat --lanes",
};

FIXTURE(stat) {
};

FIXTURE_SETUP(stat)
{
	setenv("TERM", "vt100", 1);
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("DEVTRACE_FMT_PATH", "/nonexistent", 1);
}

FIXTURE_TEARDOWN(stat)
{
}

TEST_F(stat, no_line_breaks_on_a_terminal)
{
	static const unsigned short widths[] = { 80, 132, UINT16_MAX };
	size_t i, w;

	for (w = 0; w < 6; w++) {
		const unsigned short width = widths[w % 3];

		quiet = w >= 3;
		for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
			EXPECT_EQ(0, show(forms[i], width));
			EXPECT_GE(width == UINT16_MAX ? 80 : width, widest()) {
				TH_LOG("%s at %u%s:\n%s", forms[i], width,
				       quiet ? ", quiet" : "", output);
			}
			EXPECT_LT(20, widest());
		}
	}
	quiet = false;
}

/* Units are used for numbers that would break the line; 400 days. */
TEST_F(stat, numbers_have_units_that_fit)
{
	EXPECT_EQ(0, show("stat", 80));
	EXPECT_TRUE(has("18.4E"));
	EXPECT_TRUE(has("98.8G"));
	EXPECT_TRUE(has("400d00h"));
	EXPECT_TRUE(has("123k"));
	/* Smaller numbers have no unit. */
	quiet = true;
	EXPECT_EQ(0, show("stat", 80));
	EXPECT_TRUE(has(" 1234 "));
	EXPECT_FALSE(has("BUSY") || has("STOPPED"));
	quiet = false;
}

/* In a pipe, numbers are complete, and there are no colours or short headings. */
TEST_F(stat, a_pipe_has_whole_numbers)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		EXPECT_EQ(0, show(forms[i], 0));
		EXPECT_EQ(NULL, strchr(output, '\033'));
		EXPECT_EQ(NULL, strchr(output, '|'));
		EXPECT_EQ(NULL, strchr(output, '~'));
	}
	EXPECT_EQ(0, show("stat", 0));
	EXPECT_TRUE(has("OVERWRITTEN  "));
	EXPECT_TRUE(has("STOPPED  "));
	EXPECT_TRUE(has("  98765432101  "));
	EXPECT_TRUE(has("  34560000.999s\n"));
	EXPECT_EQ(0, show("stat --readers", 0));
	EXPECT_TRUE(has("  18446744073709551615  "));
}

TEST_F(stat, colours_are_for_a_terminal)
{
	EXPECT_EQ(0, show("stat", 132));
	EXPECT_TRUE(has("\033[1mSTREAM"));
	EXPECT_TRUE(has("\033[1;35m98.8G\033[0m"));
	setenv("NO_COLOR", "1", 1);
	EXPECT_EQ(0, show("stat", 132));
	EXPECT_EQ(NULL, strchr(output, '\033'));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	EXPECT_EQ(0, show("stat", 132));
	EXPECT_EQ(NULL, strchr(output, '\033'));
}

/* Sorted by events emitted; long names do not shift the columns. */
TEST_F(stat, processes_are_sorted)
{
	const char *most, *a, *b, *escapes, *init;

	EXPECT_EQ(0, show("stat --processes", 0));
	most = strstr(output, "fifteen-letters");
	a = strstr(output, "\na ");
	b = strstr(output, "\nb ");
	escapes = strstr(output, "\n\\x1b");
	init = strstr(output, "\ninit ");
	ASSERT_TRUE(most && a && b && escapes && init);
	EXPECT_TRUE(most < a && a < b && b < escapes && escapes < init);
	EXPECT_EQ(0, show("stat --processes --json", 0));
	EXPECT_TRUE(strstr(output, "fifteen") < strstr(output, "\"a\""));
}

TEST_F(stat, types_have_names)
{
	EXPECT_EQ(0, show("stat --types", 0));
	EXPECT_TRUE(has("SAMPLE\n"));
	EXPECT_TRUE(has("sched_switch\n") || has("SCHED_SWITCH\n"));
	EXPECT_TRUE(has("text\n"));
	EXPECT_TRUE(has("  -\n"));
	EXPECT_EQ(0, show("stat --types --json", 0));
	EXPECT_TRUE(has("\"type\":105,\"group\":\"user1\",\"stored\":18446744073709551615,\"filtered\":5,\"name\":\"SAMPLE\""));
	EXPECT_TRUE(has("\"type\":255,\"group\":\"user\",\"stored\":18446744073709551615,\"filtered\":5,\"name\":null"));
}

TEST_HARNESS_MAIN
