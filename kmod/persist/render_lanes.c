// SPDX-License-Identifier: GPL-2.0-only
/* Convert events of lanes to frames, in order of time, with LOST frames for missing ones */
#include "render_priv.h"

/* Advance a cursor to the next event of its slot. Return false if there is none. */
static bool next_event(const struct render *r, struct lane_cursor *c)
{
	const struct persist_piece *p = c->p;

	for (;;) {
		/* lanes.c has checked these records, and they have no writer. */
		while (p && lane_next(p->from, &c->at, p->len, &c->time, &c->ev) > 0) {
			if (c->ev.type == DEVTRACE_T_EMPTY)
				continue;
			if (c->skip) {
				c->skip--;
				continue;
			}
			c->ts = c->time < p->lo ? p->lo : c->time > p->hi ? p->hi : c->time;
			return true;
		}
		if (c->piece == c->left->first + c->left->nr)
			return false;
		p = &r->lanes.piece[c->piece++];
		c->p = p;
		c->at = 0;
		c->time = p->time;
		c->ev.cpu = p->cpu;
		c->skip = p->skip;
	}
}

/* Move the cursor at the top of the heap to its place. */
static void render_lanes_sift(struct render *r)
{
	struct lane_cursor *c = r->heap[0];
	u32 i = 0, k;

	for (; (k = 2 * i + 1) < r->nr_heap; i = k) {
		if (k + 1 < r->nr_heap && r->heap[k + 1]->ts < r->heap[k]->ts)
			k++;
		if (c->ts <= r->heap[k]->ts)
			break;
		r->heap[i] = r->heap[k];
	}
	r->heap[i] = c;
}

static void render_lanes_push(struct render *r, struct lane_cursor *c)
{
	u32 i = r->nr_heap++;

	for (; i && r->heap[(i - 1) / 2]->ts > c->ts; i = (i - 1) / 2)
		r->heap[i] = r->heap[(i - 1) / 2];
	r->heap[i] = c;
}

static u16 number_of(const struct render *r, const struct lane_cursor *c)
{
	return r->h->nr_cpus + c->slot;
}

/* Report the events missing before index @idx. */
static void send_gap(struct render *r, struct lane_cursor *c, u64 idx, u64 to)
{
	const bool first = c->idx == c->left->cleared;
	/* Cleared events are not missing. */
	const u64 from = c->idx > c->left->cleared ? c->idx : c->left->cleared;
	const u64 n = idx > from ? idx - from : 0;

	if (idx <= c->idx)
		return;
	render_lost(r, number_of(r, c), c->last,
		    first ? DEVTRACE_LOST_OVERWRITTEN : DEVTRACE_LOST_DAMAGED, n, to);
	if (!first)
		r->a->damaged += n;
	c->idx = idx;
}

static void send_event(struct render *r, const struct lane_cursor *c)
{
	const u16 source = c->ev.cpu < r->h->nr_cpus ? c->ev.cpu : number_of(r, c);
	const u8 flags = c->ev.flags | DEVTRACE_F_USER | (c->ts != c->time ? DEVTRACE_F_LATE : 0);
	u8 *b = render_body(r);

	b = put_le32(b, flags | c->ev.severity << 8 | (u32)source << 16);
	b = put_le32(b, c->p->tid);
	b = put_le32(b, c->ts);
	b = put_le32(b, c->ts >> 32);
	put_bytes(b, c->ev.data, c->ev.len);
	render_send(r, c->ev.type, b + c->ev.len);
	r->a->given++;
	if (r->a->last < c->ts)
		r->a->last = c->ts;
	r->a->unchecked += !c->p->checked;
}

/* Send the oldest event of all lanes. */
void render_lane_event(struct render *r)
{
	struct lane_cursor *c = r->heap[0];

	if (c->idx < c->p->idx)
		send_gap(r, c, c->p->idx, c->ts);
	/* Events before this index were cleared. */
	if (c->idx >= c->left->cleared) {
		send_event(r, c);
		c->last = c->ts;
	}
	c->idx++;
	if (!next_event(r, c)) {
		r->heap[0] = r->heap[--r->nr_heap];
		if (!r->nr_heap)
			return;
	}
	render_lanes_sift(r);
}

/* Leave out the oldest pieces of a slot, as leave_out() of render.c does with runs. */
static void leave_out(struct render *r, struct persist_left *left)
{
	const u32 most = (left->nr >> r->o->part) + 1;

	for (; left->nr > most; left->nr--)
		r->a->left_out += r->lanes.piece[left->first++].nr;
}

int render_lanes_begin(struct render *r)
{
	struct lane_cursor *c;
	u32 i;
	int err = persist_check_lanes(r->mem, r->h, r->ref, &r->lanes);

	if (err)
		return err;
	r->lane = persist_alloc(PERSIST_SLOTS_MAX * sizeof(*r->lane));
	r->heap = persist_alloc(PERSIST_SLOTS_MAX * sizeof(*r->heap));
	if (!r->lane || !r->heap)
		return -ENOMEM;
	for (i = 0; i < PERSIST_SLOTS_MAX; i++) {
		struct persist_left *left = &r->lanes.left[i];

		if (!left->nr && !left->known && !left->unknown)
			continue;
		if (r->o->part)
			leave_out(r, left);
		c = &r->lane[r->nr_lanes++];
		memset(c, 0, sizeof(*c));
		c->left = left;
		c->slot = i;
		c->piece = left->first;
		c->idx = left->cleared;
		c->told.missed = left->stops.before;
		if (left->nr && r->lanes.piece[c->piece].idx < c->idx)
			c->idx = r->lanes.piece[c->piece].idx;
		if (next_event(r, c))
			render_lanes_push(r, c);
	}
	return 0;
}

/*
 * Estimate the size of the frames. A frame is up to 17 bytes longer than its record; one more byte
 * is for escapes.
 */
u64 render_lanes_bytes(const struct render *r)
{
	u64 bytes = 0;
	u32 i, k;

	for (i = 0; i < r->nr_lanes; i++) {
		const struct persist_left *left = r->lane[i].left;

		for (k = left->first; k < left->first + left->nr; k++)
			bytes += r->lanes.piece[k].len + 18 * (u64)r->lanes.piece[k].nr;
	}
	return bytes;
}

/* Report the events missing at the end, and dropped events. */
void render_lanes_end(struct render *r)
{
	u32 i, cause;

	r->a->open_ends += r->lanes.unknown;
	r->a->outside = r->lanes.outside;
	r->a->bad_lanes = r->lanes.bad;
	for (i = 0; i < r->nr_lanes; i++) {
		struct lane_cursor *c = &r->lane[i];

		send_gap(r, c, c->left->end, 0);
		for (cause = DEVTRACE_LOST_BUSY; cause < DEVTRACE_LOST_STOPPED; cause++)
			render_lost(r, number_of(r, c), c->left->stops.since, cause,
				    c->left->drops[cause], r->a->last);
		render_missed_end(r, number_of(r, c), &c->left->stops, &c->told, c->last,
				  c->left->drops[DEVTRACE_LOST_STOPPED]);
		r->a->open_ends += c->left->unknown;
	}
}

void render_lanes_put(struct render *r)
{
	persist_lanes_put(&r->lanes);
	persist_free(r->lane);
	persist_free(r->heap);
}
