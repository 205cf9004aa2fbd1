// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_load.c - all events under load: nothing is missing
 *
 * A workload unpacks an archive, lists, searches and compresses it, once per CPU and once more
 * under strace. Each system call that strace(1) saw must be in the trace, in order, with its
 * name and result. Each interrupt that /proc/interrupts counts, per CPU, must be an event or be
 * reported as lost.
 *
 * The counts are exact: a thread pinned to a CPU reads that CPU's counts. While it runs, no
 * interrupt is in progress there, so each one is both counted and traced, or neither. Only
 * interrupts during the read may be on either side of it. The read is repeated, and for each
 * line the one with the fewest interrupts of that line is used: the result is a range, mostly of
 * a single number.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "libc.h"

#define WORK	"/tmp/profile_load"
#define READS	16		/* of /proc/interrupts, at each end of the window */
#define LINES	256

/* The n-th element, from 0; false if there is none. */
static bool element(const struct tape *t, const struct tape_event *e, int n,
		    struct devtrace_elem *el)
{
	size_t pos = 0;

	while (devtrace_elem_next(t->data + e->data, e->len, &pos, el) == 1)
		if (!n--)
			return true;
	return false;
}

/* Run a shell command on a CPU, or -1: on all. */
static pid_t run(int cpu, const char *command)
{
	pid_t pid = fork();

	if (!pid) {
		if (dev_pin(cpu))
			_exit(126);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	return pid;
}

static bool succeeded(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (status)
		dev_say("a command ended with status %#x", status);
	return !status;
}

/* The directory of the tests, without a slash at the end. */
static const char *here(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return ".";
	path[n] = 0;
	*strrchr(path, '/') = 0;
	return path;
}

/*
 * Interrupts
 */

struct line {
	char		name[64];	/* number or vector name, as in the event */
	unsigned int	handlers;	/* of a device: each is called, and is an event */
	bool		ipi;		/* between CPUs, on ARM */
};

struct reading {
	uint64_t	before, after;
	uint64_t	count[LINES];
};

/* Counts of one CPU at one end of the window. */
struct edge {
	struct reading	r[READS];
};

static struct line lines[LINES];
static int nr_lines;
static struct edge edges[2][DEV_CPUS];

/* Names of vectors in /proc/interrupts, and of their tracepoints. */
static const struct {
	const char *label, *name;
} vectors[] = {
	{ "LOC", "local_timer" }, { "RES", "reschedule" }, { "CAL", "call_function" },
	{ "IWI", "irq_work" }, { "SPU", "spurious_apic" }, { "TRM", "thermal_apic" },
	{ "THR", "threshold_apic" }, { "DFR", "deferred_error_apic" },
};

/* The name of a line; false if it has no events of its own. */
static bool line_name(struct line *l, const char *label, char *rest)
{
	size_t i;

	while (*rest == ' ')
		rest++;
	l->handlers = 1;
	if (isdigit((unsigned char)*label)) {
		snprintf(l->name, sizeof(l->name), "%s", label);
		for (; *rest; rest++)
			l->handlers += *rest == ',';
		return true;
	}
	/* lines like IPI0 have their reason after the counts */
	if (!strncmp(label, "IPI", 3)) {
		snprintf(l->name, sizeof(l->name), "%.63s", rest);
		l->ipi = true;
		return true;
	}
	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (strcmp(label, vectors[i].label))
			continue;
		snprintf(l->name, sizeof(l->name), "%s", vectors[i].name);
		return true;
	}
	return false;
}

/* Read the counts of one CPU; the first time also the names. */
static bool interrupts_read(int cpu, struct reading *r)
{
	static char buf[256 * 1024];
	char *line, *rest = buf, *p, *end;
	int column = -1, columns = 0, n = 0;

	r->before = dev_now();
	if (dev_read_file("/proc/interrupts", buf, sizeof(buf)) <= 0)
		return false;
	r->after = dev_now();
	line = strsep(&rest, "\n");
	while ((p = strsep(&line, " "))) {
		if (strncmp(p, "CPU", 3))
			continue;
		if (atoi(p + 3) == cpu)
			column = columns;
		columns++;
	}
	if (column < 0)
		return false;
	while ((line = strsep(&rest, "\n")) && *line && n < LINES) {
		struct line l = { 0 };
		const char *label;
		int i;

		while (*line == ' ')
			line++;
		label = strsep(&line, ":");
		if (!line)
			continue;
		for (i = 0, p = line; i < columns; i++, p = end) {
			uint64_t v = strtoull(p, &end, 10);

			if (end == p)
				break;
			if (i == column)
				r->count[n] = v;
		}
		/* not per CPU: ignored */
		if (i < columns || !line_name(&l, label, p))
			continue;
		if (n == nr_lines)
			lines[nr_lines++] = l;
		else if (strcmp(lines[n].name, l.name))
			return false;
		n++;
	}
	return n == nr_lines;
}

static bool interrupts_edge(struct edge at[DEV_CPUS], const int cpus[], int nr)
{
	bool good = true;

	for (int i = 0; i < nr; i++) {
		good &= !dev_pin(cpus[i]);
		for (int k = 0; k < READS; k++) {
			good &= interrupts_read(cpus[i], &at[cpus[i]].r[k]);
			/* not synchronous with the tick */
			usleep(1 + dev_random() % 1500);
		}
	}
	return !dev_pin(-1) && good;
}

/* The line of an interrupt event, or -1. */
static int line_of(const struct tape *t, const struct tape_event *e)
{
	struct devtrace_elem el;
	char number[16];
	const char *name = number;

	if (e->type == DEVTRACE_T_IRQ_ENTRY) {
		snprintf(number, sizeof(number), "%u", e->signal);
	} else if (e->type == DEVTRACE_T_VECTOR_ENTRY && element(t, e, 0, &el)) {
		name = (const char *)el.v.mem.p;
		/* the kernel counts both kinds of calls together */
		if (!strcmp(name, "call_function_single"))
			name = "call_function";
	} else {
		return -1;
	}
	for (int i = 0; i < nr_lines; i++)
		if (!strcmp(lines[i].name, name))
			return i;
	return -1;
}

/* Times of interrupts, per CPU and line. */
struct times {
	uint64_t *ts;
	size_t n, room;
};

static void times_add(struct times *t, uint64_t ts)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->ts = realloc(t->ts, t->room * sizeof(*t->ts));
		if (!t->ts)
			abort();
	}
	t->ts[t->n++] = ts;
}

static size_t times_within(const struct times *t, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->ts[i] >= from && t->ts[i] <= to;
	return n;
}

/* The read with the fewest interrupts of a line. */
static const struct reading *quietest(const struct edge *e, const struct times *t)
{
	const struct reading *best = NULL;
	size_t n, least = SIZE_MAX;

	for (int i = 0; i < READS; i++) {
		n = times_within(t, e->r[i].before, e->r[i].after);
		if (n < least) {
			least = n;
			best = &e->r[i];
		}
	}
	return best;
}

/* Compare counts and events of one line on one CPU. */
static bool line_agrees(int cpu, int n, const struct times *t, size_t *events, size_t *exact)
{
	const struct reading *a = quietest(&edges[0][cpu], t), *b = quietest(&edges[1][cpu], t);
	uint64_t counted = (b->count[n] - a->count[n]) * lines[n].handlers;
	size_t least = times_within(t, a->after + 1, b->before - 1);
	size_t most = times_within(t, a->before, b->after);

	if (counted || most)
		dev_say("cpu %d, %s: %llu counted, %zu to %zu events", cpu, lines[n].name,
			(unsigned long long)counted, least, most);
	*events += least;
	*exact += most && least == most;
	return least <= counted && counted <= most;
}

/*
 * System calls
 */

struct call {
	uint16_t object, signal;
	bool	 ended;
	int64_t	 ret;
};

/* Calls of a thread, from the first one that began in the trace. */
static struct call *calls_of(const struct tape *t, uint32_t tid, size_t *n)
{
	struct call *c = NULL;
	size_t room = 0;

	*n = 0;
	for (size_t i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];
		struct devtrace_elem el;

		if (e->tid != tid)
			continue;
		if (e->type == DEVTRACE_T_SYS_ENTER) {
			if (*n == room) {
				room = room ? 2 * room : 256;
				c = realloc(c, room * sizeof(*c));
				if (!c)
					abort();
			}
			c[(*n)++] = (struct call){ .object = e->object, .signal = e->signal };
		} else if (e->type == DEVTRACE_T_SYS_EXIT && *n && !c[*n - 1].ended &&
			   element(t, e, 0, &el)) {
			c[*n - 1].ended = true;
			c[*n - 1].ret = el.v.i;
		}
	}
	return c;
}

/* Error numbers by strace's names; libc lacks those that programs never see. */
static int error_number(const char *name)
{
	static const struct {
		const char *name;
		int nr;
	} inner[] = {
		{ "ERESTARTSYS", 512 }, { "ERESTARTNOINTR", 513 }, { "ERESTARTNOHAND", 514 },
		{ "ENOIOCTLCMD", 515 }, { "ERESTART_RESTARTBLOCK", 516 },
	};

	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++)
		if (!strcmp(name, inner[i].name))
			return inner[i].nr;
	for (int i = 1; i < 256; i++)
		if (strerrorname_np(i) && !strcmp(name, strerrorname_np(i)))
			return i;
	return 0;
}

/* Parse `name(args) = result`; false for other lines. */
static bool strace_line(char *line, char **name, bool *ended, long *ret)
{
	char *result = NULL, *p;

	line[strcspn(line, "\n")] = 0;
	*name = line;
	if (!islower((unsigned char)*line) && *line != '_')
		return false;
	for (p = line; (p = strstr(p, " = ")); p += 3)
		result = p + 3;
	p = strchr(line, '(');
	if (!result || !p)
		return false;
	*p = 0;
	*ended = *result != '?';
	if (!strncmp(result, "-1 E", 4)) {
		p = result + 3;
		p[strcspn(p, " ")] = 0;
		*ret = -error_number(p);
		return *ret != 0;
	}
	/* without an error, a number of the machine's width */
	*ret = *ended ? (long)strtoull(result, &p, 0) : 0;
	return !*ended || p != result;
}

/* Compare strace's output for a thread with its events. Returns the number of calls, or -1. */
static long same_calls(const struct tape *t, const char *file, uint32_t tid, bool first)
{
	FILE *f = fopen(file, "re");
	char line[4096], *name;
	struct call *c;
	size_t nr, at = 0;
	long n = 0, ret;
	bool ended;

	c = calls_of(t, tid, &nr);
	if (!f) {
		dev_say("%s: %s", file, strerror(errno));
		free(c);
		return -1;
	}
	while (n >= 0 && fgets(line, sizeof(line), f)) {
		const char *traced = NULL;

		if (!strace_line(line, &name, &ended, &ret)) {
			dev_say("strace: %u: what is this? %s", tid, line);
			n = -1;
			break;
		}
		/* The program begins with its exec, which strace prepared. */
		for (; first && !n && at < nr; at++) {
			traced = devtrace_decoder_name(t->d, DEVTRACE_T_SIG, 0, c[at].signal, 0,
						       c[at].object);
			if (traced && !strcmp(traced, name))
				break;
		}
		if (at < nr)
			traced = devtrace_decoder_name(t->d, DEVTRACE_T_SIG, 0, c[at].signal, 0,
						       c[at].object);
		if (at == nr || !traced || strcmp(traced, name) || c[at].ended != ended ||
		    (ended && (long)c[at].ret != ret)) {
			dev_say("thread %u, call %ld: strace: %s = %s%ld, trace: %s = %s%ld", tid,
				n, name, ended ? "" : "?", ret,
				at == nr ? "nothing more" : traced ? traced : "without a name",
				at < nr && c[at].ended ? "" : "?", at < nr ? (long)c[at].ret : 0);
			n = -1;
			break;
		}
		at++;
		n++;
	}
	if (n >= 0 && at != nr) {
		dev_say("thread %u: %zu calls in the trace and not in strace", tid, nr - at);
		n = -1;
	}
	fclose(f);
	free(c);
	return n;
}

FIXTURE(load) {
	struct tape *t;
	struct times *times[DEV_CPUS];
	int cpus[DEV_CPUS], nr;
};

FIXTURE_SETUP(load)
{
	dev_seed();
	self->nr = dev_online(self->cpus);
	ASSERT_LT(0, self->nr);
	for (int i = 0; i < self->nr; i++) {
		self->times[self->cpus[i]] = calloc(LINES, sizeof(struct times));
		ASSERT_NE(NULL, self->times[self->cpus[i]]);
	}
}

FIXTURE_TEARDOWN(load)
{
	for (int c = 0; c < DEV_CPUS; c++) {
		for (int i = 0; self->times[c] && i < LINES; i++)
			free(self->times[c][i].ts);
		free(self->times[c]);
	}
	if (self->t)
		tape_free(self->t);
	EXPECT_TRUE(succeeded(run(-1, "rm -rf " WORK)));
	EXPECT_EQ(0, dev_done());
}

/* Sort the tape's interrupts by CPU and line. */
static void sort_interrupts(const struct tape *t, struct times *times[DEV_CPUS])
{
	for (size_t i = 0; i < t->nev; i++) {
		int n = line_of(t, &t->ev[i]);

		if (n >= 0 && t->ev[i].source < DEV_CPUS && times[t->ev[i].source])
			times_add(&times[t->ev[i].source][n], t->ev[i].ts);
	}
}

TEST_F_TIMEOUT(load, everything_that_others_see_is_there, 600)
{
	size_t events = 0, exact = 0, used = 0, on[DEV_CPUS] = { 0 };
	long calls = 0, programs = 0, n;
	pid_t pids[DEV_CPUS + 1];
	struct dirent *entry;
	char command[8192], file[512];
	uint32_t first = 0, tid;
	DIR *dir;

	if (access("/usr/bin/strace", X_OK))
		SKIP(return, "there is no strace on this board");
	for (int i = 0; i <= self->nr; i++) {
		snprintf(command, sizeof(command),
			 "mkdir -p " WORK "/strace && sh %s/profload.sh prepare " WORK "/%d 24",
			 here(), i);
		ASSERT_TRUE(succeeded(run(-1, command)));
	}
	ASSERT_EQ(0, dev_load("size=16M"));
	ASSERT_TRUE(dev_profile("all"));
	ASSERT_TRUE(interrupts_edge(edges[0], self->cpus, self->nr));
	for (int i = 0; i < self->nr; i++) {
		snprintf(command, sizeof(command), "sh %s/profload.sh run " WORK "/%d", here(), i);
		pids[i] = run(self->cpus[i], command);
	}
	/* -ff: children too, a file per thread; raw: arguments do not matter */
	snprintf(command, sizeof(command), "exec /usr/bin/strace -ff -qq -e signal=none -e raw=all "
		 "-o " WORK "/strace/t sh %s/profload.sh run " WORK "/%d", here(), self->nr);
	pids[self->nr] = run(-1, command);
	for (int i = 0; i <= self->nr; i++)
		ASSERT_TRUE(succeeded(pids[i]));
	ASSERT_TRUE(interrupts_edge(edges[1], self->cpus, self->nr));
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_all(1 << 20);
	ASSERT_NE(NULL, self->t);
	EXPECT_TRUE(tape_clean(self->t));
	dev_say("%zu events", self->t->nev);
	ASSERT_EQ(0, tape_lost(self->t, -1));

	/* The workload ran on the intended CPUs. */
	for (size_t i = 0; i < self->t->nev; i++)
		if (self->t->ev[i].type == DEVTRACE_T_SYS_ENTER && self->t->ev[i].source < DEV_CPUS)
			on[self->t->ev[i].source]++;
	for (int i = 0; i < self->nr; i++)
		used += on[self->cpus[i]] > 100;
	EXPECT_EQ(self->nr, used);

	dir = opendir(WORK "/strace");
	ASSERT_NE(NULL, dir);
	/* the program is the oldest thread, but ids may have wrapped */
	while ((entry = readdir(dir))) {
		const uint32_t strace = pids[self->nr];

		tid = strtoul(entry->d_name[0] == 't' ? entry->d_name + 2 : "", NULL, 10);
		if (tid && (!first || tid - strace < first - strace))
			first = tid;
	}
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		tid = strtoul(entry->d_name[0] == 't' ? entry->d_name + 2 : "", NULL, 10);
		if (!tid)
			continue;
		snprintf(file, sizeof(file), WORK "/strace/%s", entry->d_name);
		n = same_calls(self->t, file, tid, tid == first);
		EXPECT_LE(0, n);
		calls += n;
		programs++;
	}
	closedir(dir);
	dev_say("%ld system calls of %ld processes, the same as strace saw", calls, programs);
	/* the shell, and tar, ls, grep, gzip, rm */
	EXPECT_LE(6, programs);
	EXPECT_LT(400, calls);

	sort_interrupts(self->t, self->times);
	for (int i = 0; i < self->nr; i++) {
		for (int k = 0; k < nr_lines; k++) {
			EXPECT_TRUE(line_agrees(self->cpus[i], k, &self->times[self->cpus[i]][k],
						&events, &exact)) {
				TH_LOG("cpu %d, interrupt %s", self->cpus[i], lines[k].name);
			}
		}
	}
	dev_say("%zu interrupts in the window; %zu lines exactly", events, exact);
	if (nr_lines) {
		EXPECT_LT(100, events);
		EXPECT_LT(0, exact);
	}
}

/*
 * The ring is too small for the window: interrupts counted are those read and those reported as
 * lost. Only begin events are enabled, so one event is one interrupt. On ARM, interrupts between
 * CPUs also have a number, which /proc/interrupts lacks, and a reason; the numbered ones are
 * all.
 */

/* Time of the newest event reported lost, per CPU. */
static uint64_t lost_to[DEV_CPUS];

static void note_lost(struct tape *t, const struct devtrace_item *i)
{
	if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.source < DEV_CPUS &&
	    lost_to[i->u.lost.source] < i->u.lost.to)
		lost_to[i->u.lost.source] = i->u.lost.to;
}

TEST_F_TIMEOUT(load, interrupts_are_events_or_told_as_lost, 600)
{
	uint64_t start[DEV_CPUS] = { 0 }, least, most, counted, lost;
	struct times all[DEV_CPUS] = { 0 };
	struct devtrace_stats st;
	bool wrapped, numbers = false;
	int fd;

	ASSERT_TRUE(interrupts_read(self->cpus[0], &edges[0][self->cpus[0]].r[0]));
	if (!nr_lines)
		SKIP(return, "this machine does not number its interrupts");
	for (int k = 0; k < nr_lines; k++)
		numbers |= lines[k].ipi;
	ASSERT_EQ(0, dev_load("size=128K"));
	ASSERT_TRUE(dev_profile(numbers ? "irq_entry" : "irq_entry,vector_entry"));
	ASSERT_TRUE(interrupts_edge(edges[0], self->cpus, self->nr));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	self->t = tape_new();
	self->t->each = note_lost;
	ASSERT_LT(0, tape_drain(self->t, fd));
	/* all events of the first reads are present */
	for (int i = 0; i < self->nr; i++)
		ASSERT_EQ(0, tape_lost(self->t, self->cpus[i]));
	for (int i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, dev_stats(self->cpus[i], &st));
		start[i] = st.overwritten;
	}
	/* Each sleep causes a timer interrupt. */
	do {
		wrapped = true;
		for (int i = 0; i < self->nr; i++) {
			ASSERT_EQ(0, dev_pin(self->cpus[i]));
			for (int k = 0; k < 50; k++)
				usleep(500);
			ASSERT_EQ(0, dev_stats(self->cpus[i], &st));
			/* more than the ring holds: the events read were overwritten, and more */
			wrapped &= st.overwritten > start[i] + 2 * (st.stored - st.overwritten);
		}
	} while (!wrapped);
	ASSERT_TRUE(interrupts_edge(edges[1], self->cpus, self->nr));
	ASSERT_TRUE(dev_profile("none"));
	ASSERT_LT(0, tape_drain(self->t, fd));
	close(fd);
	EXPECT_TRUE(tape_clean(self->t));

	for (size_t i = 0; i < self->t->nev; i++)
		if ((self->t->ev[i].type == DEVTRACE_T_IRQ_ENTRY ||
		     self->t->ev[i].type == DEVTRACE_T_VECTOR_ENTRY) &&
		    self->t->ev[i].source < DEV_CPUS)
			times_add(&all[self->t->ev[i].source], self->t->ev[i].ts);
	for (int i = 0; i < self->nr; i++) {
		int cpu = self->cpus[i];
		const struct reading *a = quietest(&edges[0][cpu], &all[cpu]);
		const struct reading *b = quietest(&edges[1][cpu], &all[cpu]);

		counted = 0;
		for (int k = 0; k < nr_lines; k++)
			counted += (b->count[k] - a->count[k]) * lines[k].handlers;
		lost = tape_lost(self->t, cpu);
		least = times_within(&all[cpu], a->after + 1, b->before - 1) + lost;
		most = times_within(&all[cpu], a->before, b->after) + lost;
		dev_say("cpu %d: %llu counted, %llu to %llu events and lost, of these lost %llu",
			cpu, (unsigned long long)counted, (unsigned long long)least,
			(unsigned long long)most, (unsigned long long)lost);
		EXPECT_LT(0, lost);
		/* the losses are within the window */
		EXPECT_GT(b->before, lost_to[cpu]);
		EXPECT_LE(least, counted);
		EXPECT_LE(counted, most);
		free(all[cpu].ts);
	}
}

TEST_HARNESS_MAIN
