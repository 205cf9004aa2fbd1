// SPDX-License-Identifier: GPL-2.0-only
/* trigger.c - common code for the tests of triggers */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trigger.h"

/* More than the rings hold; losses of a stopped stream may never end. */
#define MUCH	(256 << 10)

int fire(const char *context, unsigned int type, unsigned int severity, uint32_t value,
	 const char *text)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %u %u 1 2 %u %s", context, type, severity, value, text);
	return dev_write_file("/sys/module/dtfire/parameters/emit", line);
}

static void item(struct tape *t, const struct devtrace_item *i)
{
	struct record *r = t->arg;
	struct record_state *s;

	if (i->kind != DEVTRACE_ITEM_STATE)
		return;
	r->state = realloc(r->state, (r->nstates + 1) * sizeof(*s));
	if (!r->state)
		abort();
	s = &r->state[r->nstates++];
	*s = (struct record_state){
		.state = i->u.state.state, .ts = i->u.state.ts, .fired = i->u.state.fired,
		.after = t->nev,
	};
	strncpy(s->trigger, i->u.state.trigger, sizeof(s->trigger) - 1);
}

static struct record *begin(const char *stream, int *fd)
{
	struct record *r = calloc(1, sizeof(*r));
	char path[64];

	snprintf(path, sizeof(path), "/dev/trace%s%s", strcmp(stream, DEVTRACE_STREAM0) ? "-" : "",
		 strcmp(stream, DEVTRACE_STREAM0) ? stream : "");
	*fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (!r || *fd < 0) {
		perror(path);
		abort();
	}
	r->t = tape_new();
	r->t->each = item;
	r->t->arg = r;
	return r;
}

/* Read everything from a stream. */
struct record *record(const char *stream)
{
	struct record *r;
	int fd;

	r = begin(stream, &fd);
	tape_drain(r->t, fd);
	close(fd);
	return r;
}

struct record *record_stopped(const char *stream)
{
	struct record *r;
	int fd, tries;

	r = begin(stream, &fd);
	for (tries = 0; tries < 2000; tries++) {
		tape_some(r->t, fd, MUCH);
		if (r->nstates && r->state[r->nstates - 1].state != DEVTRACE_STATE_RUNNING)
			break;
		usleep(1000);
	}
	tape_some(r->t, fd, MUCH);
	close(fd);
	return r;
}

void record_free(struct record *r)
{
	tape_free(r->t);
	free(r->state);
	free(r);
}
