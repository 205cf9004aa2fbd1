// SPDX-License-Identifier: GPL-2.0-only
/* dumps.c - statistics of streams, types, threads and lanes, by netlink */
#include <stdio.h>
#include <string.h>

#include "dumps.h"

uint64_t dropped(const struct devtrace_stats *s)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		n += s->dropped[i];
	return n;
}

bool adds_up(const struct devtrace_stats *s)
{
	return s->emitted == s->stored + s->filtered + dropped(s);
}

void add_row(const struct nl_reply *r, void *arg)
{
	struct rows *all = arg;
	struct row *row = &all->v[all->nr];

	if (all->nr == sizeof(all->v) / sizeof(all->v[0]))
		return;
	all->nr++;
	memset(row, 0, sizeof(*row));
	snprintf(row->stream, sizeof(row->stream), "%s",
		 (const char *)nl_data(r->a[DEVTRACE_A_STREAM]));
	row->cpu = nl_u32(r->a[DEVTRACE_A_CPU]);
	row->s.emitted = nl_u64(r->a[DEVTRACE_A_EMITTED]);
	row->s.stored = nl_u64(r->a[DEVTRACE_A_STORED]);
	row->s.filtered = nl_u64(r->a[DEVTRACE_A_FILTERED]);
	row->s.overwritten = nl_u64(r->a[DEVTRACE_A_OVERWRITTEN]);
	row->s.size = nl_u64(r->a[DEVTRACE_A_SIZE]);
	row->s.used = nl_u64(r->a[DEVTRACE_A_USED]);
	if (nl_len(r->a[DEVTRACE_A_DROPPED]) == sizeof(row->s.dropped))
		memcpy(row->s.dropped, nl_data(r->a[DEVTRACE_A_DROPPED]), sizeof(row->s.dropped));
	else
		row->s.dropped[0] = UINT64_MAX;
}

struct devtrace_stats sum_of(const struct rows *all, const char *stream, bool lanes)
{
	struct devtrace_stats s = { 0 };
	unsigned int i, c;

	for (i = 0; i < all->nr; i++) {
		const struct row *r = &all->v[i];

		if (strcmp(r->stream, stream) || (lanes && r->cpu != DEVTRACE_CPU_LANES))
			continue;
		s.emitted += r->s.emitted;
		s.stored += r->s.stored;
		s.filtered += r->s.filtered;
		s.overwritten += r->s.overwritten;
		for (c = 0; c < DEVTRACE_LOST_CAUSES; c++)
			s.dropped[c] += r->s.dropped[c];
		s.size += r->s.size;
		s.used += r->s.used;
	}
	return s;
}

int lane_rows(const struct rows *all, const char *stream)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < all->nr; i++)
		n += all->v[i].cpu == DEVTRACE_CPU_LANES && !strcmp(all->v[i].stream, stream);
	return n;
}

bool same(const struct devtrace_stats *a, const struct devtrace_stats *b)
{
	return a->emitted == b->emitted && a->stored == b->stored && a->filtered == b->filtered &&
	       a->overwritten == b->overwritten && a->size == b->size && a->used == b->used &&
	       !memcmp(a->dropped, b->dropped, sizeof(a->dropped));
}

void add_type(const struct nl_reply *r, void *arg)
{
	const uint8_t type = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_TYPE]);
	struct by_type *t = arg;

	t->stored[type] += nl_u64(r->a[DEVTRACE_A_STORED]);
	t->filtered[type] += nl_u64(r->a[DEVTRACE_A_FILTERED]);
}

void add_thread(const struct nl_reply *r, void *arg)
{
	struct by_thread *t = arg;

	t->all += nl_u64(r->a[DEVTRACE_A_STORED]);
	if (nl_u32(r->a[DEVTRACE_A_TID]) != t->tid)
		return;
	t->pid = nl_u32(r->a[DEVTRACE_A_PID]);
	t->stored += nl_u64(r->a[DEVTRACE_A_STORED]);
	snprintf(t->comm, sizeof(t->comm), "%s", (const char *)nl_data(r->a[DEVTRACE_A_COMM]));
}

void add_lane(const struct nl_reply *r, void *arg)
{
	struct lane_rows *all = arg;
	struct lane_row *l = &all->v[all->nr % 16];
	const uint64_t *d = nl_data(r->a[DEVTRACE_A_DROPPED]);
	uint64_t cause;
	size_t i;

	all->nr++;
	memset(l, 0, sizeof(*l));
	l->source = nl_u32(r->a[DEVTRACE_A_ID]);
	l->tid = nl_u32(r->a[DEVTRACE_A_TID]);
	l->pid = nl_u32(r->a[DEVTRACE_A_PID]);
	l->state = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_LANE_STATE]);
	l->size = nl_u64(r->a[DEVTRACE_A_SIZE]);
	l->stored = nl_u64(r->a[DEVTRACE_A_STORED]);
	l->overwritten = nl_u64(r->a[DEVTRACE_A_OVERWRITTEN]);
	l->oldest = nl_u64(r->a[DEVTRACE_A_OLDEST]);
	l->now = nl_u64(r->a[DEVTRACE_A_NOW]);
	for (i = 0; i < nl_len(r->a[DEVTRACE_A_DROPPED]) / sizeof(*d); i++) {
		memcpy(&cause, &d[i], sizeof(cause));
		l->dropped += cause;
	}
	snprintf(l->comm, sizeof(l->comm), "%s", (const char *)nl_data(r->a[DEVTRACE_A_COMM]));
}

const struct lane_row *lane_of(const struct lane_rows *all, uint32_t tid)
{
	const struct lane_row *found = NULL;
	unsigned int i;

	for (i = 0; i < all->nr && i < 16; i++) {
		if (all->v[i].tid != tid)
			continue;
		if (found)
			return NULL;
		found = &all->v[i];
	}
	return found;
}
