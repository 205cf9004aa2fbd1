/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rx_served.h - a program with a receive channel, and requests to it
 *
 * The program is the test itself, served by the library's thread, or a child. It records its calls
 * in memory shared with its children. Its object is surrounded by memory that must not change.
 */
#ifndef RX_SERVED_H
#define RX_SERVED_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <devtrace-rx.h>

#define SECOND	10000		/* timeout for a busy machine, ms */
#define GUARD	64

static struct {
	uint8_t before[GUARD], object[16], after[GUARD];
} memory;

/* Calls of the program, in shared memory, as it may be a child. */
static struct calls {
	unsigned int	commands, resets, ticks, setups, teardowns, events, filters, objects;
	uint8_t		command, rate, to, request, bits[16];
	uint32_t	p[3], sig;
	size_t		len;
	char		params[16];
	void		*object;
	bool		remove;
} *calls;

static inline void on_command(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3)
{
	calls->command = command;
	calls->p[0] = p1;
	calls->p[1] = p2;
	calls->p[2] = p3;
	calls->commands++;
}

static inline void on_reset(void *arg) { calls->resets++; }
static inline void on_setup(void *arg) { calls->setups++; }
static inline void on_teardown(void *arg) { calls->teardowns++; }

static inline void on_tick(void *arg, uint8_t rate)
{
	calls->rate = rate;
	calls->ticks++;
}

static inline int on_event(void *arg, const struct devtrace_rx_event *e)
{
	calls->to = e->to;
	calls->sig = e->sig;
	calls->object = e->object;
	calls->len = e->len;
	memcpy(calls->params, e->params, e->len < 16 ? e->len : 16);
	calls->events++;
	return e->sig == 666;
}

static inline int on_query(void *arg, uint8_t kind, void *object, struct devtrace_record *r)
{
	devtrace_u16(r, 5);
	devtrace_u16(r, 3);
	return 0;
}

static inline int on_filter(void *arg, uint8_t request, const uint8_t *bits)
{
	calls->request = request;
	memcpy(calls->bits, bits, 16);
	calls->filters++;
	return 0;
}

static inline int on_object(void *arg, bool remove, void *object)
{
	calls->remove = remove;
	calls->object = object;
	calls->objects++;
	return 0;
}

static const struct devtrace_rx_ops ops = {
	.size = sizeof(ops), .version = 815, .command = on_command, .reset = on_reset,
	.tick = on_tick, .setup = on_setup, .teardown = on_teardown, .event = on_event,
	.query = on_query, .filter = on_filter, .object_filter = on_object,
};

static char ao[8], sm[8];

static inline int open_all(unsigned int flags)
{
	int i;

	memset(calls, 0, sizeof(*calls));
	for (i = 0; i < 16; i++)
		memory.object[i] = (uint8_t)(i + 1);
	memset(memory.before, 0xaa, GUARD);
	memset(memory.after, 0xaa, GUARD);
	devtrace_rx_object(DEVTRACE_RX_AP, memory.object, 16, "motor");
	devtrace_rx_object(DEVTRACE_RX_AO, ao, sizeof(ao), "philo");
	devtrace_rx_object(DEVTRACE_RX_SM, sm, sizeof(sm), "table");
	return devtrace_rx_open(&ops, NULL, flags);
}

static struct devtrace_rx_answer answer;

/* The status, or 1000 plus errno. */
static inline int ask(struct devtrace_rx_host *h, uint8_t request, const void *data, size_t n)
{
	int err = devtrace_rx_call(h, request, data, n, SECOND, &answer);

	return err ? 1000 + err : answer.status;
}

/* Descriptor of the socket through which a process is reached. */
static inline int file_of(pid_t pid)
{
	char path[64], link[256];
	int fd;

	for (fd = 0; fd < 64; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		n = readlink(path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = 0;
		if (strstr(link, "/devtrace-rx-"))
			return open(path, O_PATH | O_CLOEXEC);
	}
	return -1;
}

/* Before the first test. */
static inline void calls_share(void)
{
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

#endif /* RX_SERVED_H */
