// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn.c - the cost of emitting and reading events for a program
 *
 *	insn emit	system calls that emit, and others for comparison
 *	insn syscall	of these, only the one that emits
 *	insn read	like cat, on the ring as it is
 *	insn wait	nothing: waits for the time of events to be read later
 *	insn room	bytes of an event in the ring
 *	insn record N F	emit N events, then write the device's data into F
 *
 * Prints `name cost`, in thousandths of a nanosecond per call or event; on a board whose clock
 * advances one nanosecond per instruction, in thousandths of an instruction. Runs on a board
 * with one CPU, statically linked.
 *
 * The median of many batches excludes interrupts, which few batches have. When reading, the
 * shortest of several times for the same piece does.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/devtrace.h>

#include "count.h"

/* A whole number of blocks of the ring: 512 events of 24 bytes, 3 blocks. */
#define BATCH		512
#define BATCHES		128
#define READINGS	8

/* An event of two 32-bit integers, as passed to the device. */
struct pair {
	struct devtrace_emit head;
	struct {
		uint8_t f;
		int32_t v;
	} __attribute__((packed)) e[2];
} __attribute__((packed));

static int fd;

static void nothing(int i, int batch)
{
	__asm__ volatile("" : : "r"(i), "r"(batch) : "memory");
}

static void emit(int i, int batch)
{
	struct pair p = {
		.head = { .type = DEVTRACE_T_USER },
		.e = { { DEVTRACE_E_I32, i }, { DEVTRACE_E_I32, batch } },
	};

	if (ioctl(fd, DEVTRACE_IOC_EMIT(sizeof(p)), &p))
		err(1, "cannot emit");
}

static void marker(int i, int batch)
{
	int32_t raw[8] = { 1, i, batch };

	if (write(fd, raw, sizeof(raw)) != sizeof(raw))
		err(1, "cannot write trace_marker_raw");
}

static void null(int i, int batch)
{
	int32_t raw[8] = { 1, i, batch };

	if (write(fd, raw, sizeof(raw)) != sizeof(raw))
		err(1, "cannot write /dev/null");
}

/* The first half fills the ring and is not measured. */
static uint64_t median(void (*one)(int, int))
{
	static uint64_t took[2 * BATCHES];

	for (int batch = 0; batch < 2 * BATCHES; batch++) {
		uint64_t begin = now();

		for (int i = 0; i < BATCH; i++)
			one(i, batch);
		took[batch] = now() - begin;
	}
	qsort(took + BATCHES, BATCHES, sizeof(took[0]), compare);
	return took[BATCHES + BATCHES / 2];
}

static void measure(const char *name, const char *path, void (*one)(int, int))
{
	uint64_t cost;

	fd = open(path, O_WRONLY);
	if (fd < 0)
		err(1, "%s", path);
	cost = median(one) - median(nothing);
	close(fd);
	printf("%s %" PRIu64 "\n", name, cost * 1000 / BATCH);
}

static int open_trace(void)
{
	int trace = open("/dev/trace", O_RDONLY | O_NONBLOCK);

	if (trace < 0)
		err(1, "/dev/trace");
	return trace;
}

static void stats_of(int trace, struct devtrace_stats *s)
{
	s->cpu = -1;
	if (ioctl(trace, DEVTRACE_IOC_STATS, s))
		err(1, "cannot get statistics");
}

static void measure_read(void)
{
	struct devtrace_stats s;
	uint64_t total, bytes;
	int trace = open_trace();

	stats_of(trace, &s);
	close(trace);
	total = read_all(READINGS, &bytes);
	printf("read %" PRIu64 "\n", (uint64_t)(total * 1000 / (s.stored - s.overwritten)));
	fprintf(stderr, "read: %" PRIu64 " events, %" PRIu64 " bytes\n",
		(uint64_t)(s.stored - s.overwritten), bytes);
}

/* Not measured: data of a real device for traceinfo. */
static void record(long count, const char *path)
{
	static char buf[1 << 20];
	struct devtrace_stats s;
	int trace, file;
	ssize_t n;

	fd = open("/dev/trace", O_WRONLY);
	if (fd < 0)
		err(1, "/dev/trace");
	for (long i = 0; i < count; i++)
		emit(i, -i);
	close(fd);

	trace = open_trace();
	stats_of(trace, &s);
	if (s.stored - s.overwritten != (uint64_t)count)
		errx(1, "the ring does not have all events");
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (file < 0)
		err(1, "%s", path);
	while ((n = read(trace, buf, sizeof(buf))) > 0)
		if (write(file, buf, n) != n)
			err(1, "%s", path);
	if (errno != EAGAIN)
		err(1, "/dev/trace");
	close(file);
}

static void measure_room(void)
{
	struct devtrace_stats s;

	stats_of(open_trace(), &s);
	if (!s.overwritten)
		errx(1, "the ring is not full");
	printf("room %" PRIu64 "\n", (uint64_t)(s.used * 1000 / (s.stored - s.overwritten)));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "emit") && argc == 2) {
		measure("emit", "/dev/trace", emit);
		measure("marker", "/sys/kernel/tracing/trace_marker_raw", marker);
		measure("null", "/dev/null", null);
	} else if (!strcmp(what, "syscall") && argc == 2) {
		measure("emit", "/dev/trace", emit);
	} else if (!strcmp(what, "read") && argc == 2) {
		measure_read();
	} else if (!strcmp(what, "wait") && argc == 2) {
		await_time(0);
	} else if (!strcmp(what, "room") && argc == 2) {
		measure_room();
	} else if (!strcmp(what, "record") && argc == 4) {
		record(atol(argv[2]), argv[3]);
	} else {
		fprintf(stderr, "usage: insn emit | syscall | read | wait | room | record COUNT FILE\n");
		return 2;
	}
	return 0;
}
