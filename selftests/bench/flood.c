// SPDX-License-Identifier: GPL-2.0-only
/*
 * flood.c - the cost of a flood of names to readers of others' events
 *
 *	flood rename	reading an event of another thread, after each of four processes in
 *			that thread's bucket has renamed itself, minus the same without them
 *	flood dict	a reader's cost per name that others set
 *
 * Prints `name cost`, in thousandths of a nanosecond per event or name; on a board whose clock
 * advances one nanosecond per instruction, in thousandths of an instruction. Runs on a board
 * with one CPU, statically linked.
 *
 * The flooders hand over empty lanes: the kernel records their names, but there are no events of
 * theirs to read. As in insn.c, the shortest of several readings of the same piece excludes
 * interrupts.
 */
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <devtrace.h>

#include "../device/lanes.h"
#include "count.h"

#define EVENTS		512
#define READINGS	4
#define FLOODERS	4
#define NAMES		1000
/* Less than two events, so that a read makes at most one frame. */
#define PIECE		24
/* The bucket of a thread: kmod/emit/proc.c. */
#define BUCKET(tid)	((uint32_t)(tid) * 0x61c88647u >> 25)

struct flooder {
	pid_t	pid;
	int	go, done;
};

static int dev;

/* For lanes.c: the trace clock. */
uint64_t dev_now(void)
{
	return devtrace_now();
}

static void emit(int i)
{
	struct {
		struct devtrace_emit head;
		struct {
			uint8_t f;
			int32_t v;
		} __attribute__((packed)) e[2];
	} __attribute__((packed)) p = {
		.head = { .type = DEVTRACE_T_USER },
		.e = { { DEVTRACE_E_I32, i }, { DEVTRACE_E_I32, -i } },
	};

	if (ioctl(dev, DEVTRACE_IOC_EMIT(sizeof(p)), &p))
		err(1, "cannot emit");
}

/* Emits, and ends. */
static pid_t victim(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "victim");
		for (int i = 0; i < EVENTS; i++)
			emit(i);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		err(1, "fork");
	return pid;
}

static void flood(int go, int done)
{
	char what, name[16];
	struct lane l;

	if (lane_open(&l, dev, 0))
		err(1, "lane");
	for (unsigned int n = 0; read(go, &what, 1) == 1; n++) {
		if (what == 'r') {
			snprintf(name, sizeof(name), "n-%u", n);
			prctl(PR_SET_NAME, name);
		}
		lane_hand(&l);
		if (write(done, &what, 1) != 1)
			break;
	}
	_exit(0);
}

static void start(struct flooder *f, uint32_t bucket)
{
	int go[2], done[2];

	if (pipe(go) || pipe(done))
		err(1, "pipe");
	for (;;) {
		f->pid = fork();
		if (f->pid < 0)
			err(1, "fork");
		if (!f->pid) {
			close(go[1]);
			if (BUCKET(getpid()) != bucket)
				_exit(0);
			flood(go[0], done[1]);
		}
		if (BUCKET(f->pid) == bucket)
			break;
		waitpid(f->pid, NULL, 0);
	}
	f->go = go[1];
	f->done = done[0];
}

/* Read piece by piece, after an action of each flooder. */
static uint64_t read_beside(struct flooder f[FLOODERS], char what)
{
	static uint32_t best[CHUNKS_MAX];
	uint64_t total = 0, begin, took;
	char buf[PIECE], c;
	int chunks = 0, trace;
	ssize_t n;

	memset(best, 0xff, sizeof(best));
	for (int reading = 0; reading < READINGS; reading++) {
		trace = open("/dev/trace", O_RDONLY | O_NONBLOCK);
		if (trace < 0)
			err(1, "/dev/trace");
		for (chunks = 0; chunks < CHUNKS_MAX; chunks++) {
			for (int i = 0; i < FLOODERS; i++)
				if (write(f[i].go, &what, 1) != 1 || read(f[i].done, &c, 1) != 1)
					errx(1, "a flooder is gone");
			begin = now();
			n = read(trace, buf, sizeof(buf));
			took = now() - begin;
			if (n <= 0)
				break;
			if (took < best[chunks])
				best[chunks] = took;
		}
		close(trace);
	}
	for (int i = 0; i < chunks; i++)
		total += best[i];
	return total;
}

static void measure_rename(void)
{
	const uint32_t bucket = BUCKET(victim());
	struct flooder f[FLOODERS];
	uint64_t quiet, renamed, all, bytes;

	for (int i = 0; i < FLOODERS; i++)
		start(&f[i], bucket);
	quiet = read_beside(f, 'q');
	renamed = read_beside(f, 'r');
	all = read_all(READINGS, &bytes);
	for (int i = 0; i < FLOODERS; i++) {
		kill(f[i].pid, SIGKILL);
		waitpid(f[i].pid, NULL, 0);
	}
	printf("names.read %" PRIu64 "\n", all * 1000 / EVENTS);
	printf("names.rename %" PRIu64 "\n",
	       renamed > quiet ? (renamed - quiet) * 1000 / EVENTS : 0);
}

static void measure_dict(void)
{
	struct devtrace_dict d = { .kind = DEVTRACE_T_OBJ };
	uint64_t begin, end, least = UINT64_MAX;
	static char buf[1 << 20];
	int trace = open("/dev/trace", O_RDONLY | O_NONBLOCK);

	if (trace < 0)
		err(1, "/dev/trace");
	for (int round = 0; round < READINGS; round++) {
		while (read(trace, buf, sizeof(buf)) > 0)
			;
		for (int i = 0; i < NAMES; i++) {
			d.key = i + 1;
			snprintf(d.name, sizeof(d.name), "object %d of %d", i, round);
			if (ioctl(dev, DEVTRACE_IOC_DICT, &d))
				err(1, "cannot name");
		}
		begin = now();
		while (read(trace, buf, sizeof(buf)) > 0)
			;
		end = now();
		if (end - begin < least)
			least = end - begin;
	}
	printf("names.dict %" PRIu64 "\n", least * 1000 / NAMES);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	dev = open("/dev/trace", O_WRONLY);
	if (dev < 0)
		err(1, "/dev/trace");
	if (!strcmp(what, "rename")) {
		measure_rename();
	} else if (!strcmp(what, "dict")) {
		measure_dict();
	} else {
		fprintf(stderr, "usage: flood rename | dict\n");
		return 2;
	}
	return 0;
}
