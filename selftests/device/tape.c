// SPDX-License-Identifier: GPL-2.0-only
/* tape.c - read a stream, decode it, and check the decoder's guarantees */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"

static void *grow(void *p, size_t *room, size_t need, size_t size)
{
	if (need <= *room)
		return p;
	*room = need * 2;
	p = realloc(p, *room * size);
	if (!p) {
		perror("# realloc");
		abort();
	}
	return p;
}

static bool first_two(const struct devtrace_event *e, uint32_t *tag, uint32_t *nr)
{
	struct devtrace_elem a, b;
	size_t pos = 0;

	if (devtrace_elem_next(e->data, e->len, &pos, &a) != 1 || a.type != DEVTRACE_E_U32 ||
	    devtrace_elem_next(e->data, e->len, &pos, &b) != 1 || b.type != DEVTRACE_E_U32)
		return false;
	*tag = a.v.u;
	*nr = b.v.u;
	return true;
}

static void add_event(struct tape *t, const struct devtrace_event *e)
{
	struct tape_event *ev;

	t->ev = grow(t->ev, &t->ev_room, t->nev + 1, sizeof(*t->ev));
	t->data = grow(t->data, &t->data_room, t->ndata + e->len + 1, 1);
	ev = &t->ev[t->nev++];
	*ev = (struct tape_event){
		.ts = e->ts, .tid = e->tid, .tgid = e->tgid, .code = e->code, .number = e->number,
		.source = e->source, .object = e->object, .signal = e->signal,
		.type = e->type, .flags = e->flags, .severity = e->severity,
		.data = t->ndata, .len = e->len,
	};
	if (!first_two(e, &ev->tag, &ev->nr))
		ev->tag = ev->nr = ~0U;
	memcpy(t->data + t->ndata, e->data, e->len);
	/* add a NUL for printing */
	t->data[t->ndata + e->len] = 0;
	t->ndata += e->len + 1;
	if (e->source < DEV_CPUS) {
		ev->lost = tape_lost(t, e->source);
		t->read[e->source]++;
	}
	if (e->ts + t->slack < t->last)
		t->backwards++;
	t->last = e->ts;
}

static int item(const struct devtrace_item *i, void *arg)
{
	struct tape *t = arg;

	switch (i->kind) {
	case DEVTRACE_ITEM_EVENT:
		add_event(t, &i->u.event);
		break;
	case DEVTRACE_ITEM_INFO:
		t->infos++;
		t->reason = i->u.info.reason;
		if (i->u.info.reason == DEVTRACE_INFO_SEEK)
			t->last = 0;
		break;
	case DEVTRACE_ITEM_CLOCK:
		t->clocks++;
		break;
	case DEVTRACE_ITEM_LOST:
		t->nlost++;
		if (i->u.lost.source < DEV_CPUS && i->u.lost.cause < DEVTRACE_LOST_CAUSES)
			t->lost[i->u.lost.source][i->u.lost.cause] += i->u.lost.count;
		break;
	case DEVTRACE_ITEM_PROC:
		t->procs++;
		break;
	case DEVTRACE_ITEM_DICT:
		t->dicts++;
		break;
	case DEVTRACE_ITEM_DAMAGE:
		t->damages++;
		break;
	case DEVTRACE_ITEM_GAP:
		t->gaps++;
		break;
	case DEVTRACE_ITEM_STATE:
		t->states++;
		break;
	case DEVTRACE_ITEM_UNKNOWN:
	case DEVTRACE_ITEM_NOTE:
		t->unknown++;
		break;
	case DEVTRACE_ITEM_ACCURACY:
		break;
	}
	if (t->each)
		t->each(t, i);
	return 0;
}

struct tape *tape_new(void)
{
	struct tape *t = calloc(1, sizeof(*t));

	if (t)
		t->d = devtrace_decoder_new(item, t);
	if (!t || !t->d) {
		perror("# tape");
		abort();
	}
	return t;
}

void tape_free(struct tape *t)
{
	if (!t)
		return;
	devtrace_decoder_free(t->d);
	free(t->ev);
	free(t->data);
	free(t->raw);
	free(t);
}

void tape_feed(struct tape *t, const void *buf, size_t n)
{
	if (t->keep_raw) {
		t->raw = grow(t->raw, &t->raw_room, t->nraw + n, 1);
		memcpy(t->raw + t->nraw, buf, n);
		t->nraw += n;
	}
	devtrace_decoder_feed(t->d, buf, n, NULL);
}

static ssize_t drain(struct tape *t, int fd, char *buf, size_t chunk, size_t most)
{
	ssize_t n, all = 0;

	for (;;) {
		if ((size_t)all >= most)
			return all;
		n = read(fd, buf, chunk);
		if (n > 0) {
			tape_feed(t, buf, n);
			all += n;
		} else if (n < 0 && errno == EAGAIN) {
			return all;
		} else if (n == 0 || errno != EINTR) {
			fprintf(stderr, "# read %s: %s\n", DEV_PATH,
				n ? strerror(errno) : "end of file");
			return -1;
		}
	}
}

ssize_t tape_drain(struct tape *t, int fd)
{
	char buf[65536];

	return drain(t, fd, buf, sizeof(buf), SIZE_MAX);
}

ssize_t tape_some(struct tape *t, int fd, size_t most)
{
	char buf[65536];

	return drain(t, fd, buf, sizeof(buf), most);
}

struct tape *tape_all(size_t chunk)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();
	char *buf = malloc(chunk);

	t->keep_raw = true;
	if (fd < 0 || !buf || drain(t, fd, buf, chunk, SIZE_MAX) < 0) {
		tape_free(t);
		t = NULL;
	}
	free(buf);
	if (fd >= 0)
		close(fd);
	return t;
}

uint64_t tape_lost(const struct tape *t, int source)
{
	uint64_t n = 0;
	int s, c;

	for (s = 0; s < DEV_CPUS; s++)
		for (c = 0; c < DEVTRACE_LOST_CAUSES; c++)
			if (source < 0 || s == source)
				n += t->lost[s][c];
	return n;
}

bool tape_clean(const struct tape *t)
{
	if (!t->damages && !t->gaps && !t->unknown && !t->backwards)
		return true;
	fprintf(stderr, "# stream: %llu damages, %llu gaps, %llu unknown frames, %llu times backwards\n",
		(unsigned long long)t->damages, (unsigned long long)t->gaps,
		(unsigned long long)t->unknown, (unsigned long long)t->backwards);
	return false;
}

static void note_proc(struct tape *t, const struct devtrace_item *i)
{
	struct tape_seen *s = t->arg;
	const char *name;
	uint32_t tgid;

	if (i->kind != DEVTRACE_ITEM_EVENT || s->n >= TAPE_SEEN)
		return;
	name = devtrace_decoder_proc(t->d, i->u.event.tid, &tgid);
	s->nr[s->n] = t->ev[t->nev - 1].nr;
	s->tid[s->n] = i->u.event.tid;
	s->tgid[s->n] = name ? tgid : 0;
	snprintf(s->name[s->n], sizeof(s->name[0]), "%s", name ?: "(none)");
	s->missing += !name;
	s->n++;
}

void tape_see(struct tape *t, struct tape_seen *s)
{
	memset(s, 0, sizeof(*s));
	t->each = note_proc;
	t->arg = s;
}

struct tape *tape_procs(struct tape_seen *s)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	struct tape *t = tape_new();

	tape_see(t, s);
	dev_sleep_ms(5);
	if (fd < 0 || tape_drain(t, fd) <= 0 || !tape_clean(t))
		fprintf(stderr, "# no stream\n");
	close(fd);
	return t;
}
