// SPDX-License-Identifier: GPL-2.0-only
/*
 * pids.c - thread and process IDs in another PID namespace
 *
 * Events contain the IDs of the initial namespace. A user in a container knows only the
 * container's IDs, and gives these to -p. The module translates the ID of a thread while the
 * thread exists. If the thread has ended or is not in the container, the ID in the event is shown,
 * unless a thread of the container has the same ID.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "traceinfo.h"

#define CACHE	256	/* a power of two */

struct ti_pids {
	int		fd;
	struct {
		bool		known;
		uint32_t	id, named;
	} cache[CACHE];
};

/* Translate an ID from the namespace @of to the other one. Return 0 if that is not possible. */
static uint32_t other_side(int fd, uint32_t id, uint32_t of)
{
	struct devtrace_pid p = { .id = id, .of = of };

	return ioctl(fd, DEVTRACE_IOC_PID, &p) ? 0 : p.id;
}

struct ti_pids *ti_pids_new(int fd)
{
	const uint32_t self = (uint32_t)getpid(), there = other_side(fd, self, DEVTRACE_PID_OWN);
	struct ti_pids *p;

	if (!there || there == self)
		return NULL;
	p = ti_alloc(NULL, sizeof(*p));
	memset(p, 0, sizeof(*p));
	p->fd = fd;
	return p;
}

void ti_pids_free(struct ti_pids *p)
{
	free(p);
}

static uint32_t find(const struct ti_pids *p, uint32_t id)
{
	const uint32_t own = other_side(p->fd, id, DEVTRACE_PID_EVENT);

	if (own)
		return own;
	return other_side(p->fd, id, DEVTRACE_PID_OWN) ? TI_PID_NONE : id;
}

uint32_t ti_pids_named(struct ti_pids *p, uint32_t id)
{
	const size_t i = id % CACHE;

	if (!p || !id)
		return id;
	if (!p->cache[i].known || p->cache[i].id != id) {
		p->cache[i].known = true;
		p->cache[i].id = id;
		p->cache[i].named = find(p, id);
	}
	return p->cache[i].named;
}

void ti_pids_forget(struct ti_pids *p, uint32_t id)
{
	if (p)
		p->cache[id % CACHE].known = false;
}
