// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert a region to frames, in the format of read(2)
 *
 * A reader of /dev/trace would have got the same frames at the moment of the reset: INFO of the
 * old boot, its names, then the events of all CPUs by time, with thread names, clocks, changes of
 * the stream's state, and LOST frames for missing events. The last frame is a text with the cause
 * of the reset.
 *
 * The format is that of wire.c with the default check. The code is separate, because it writes all
 * frames at once, from records of another kernel; it shares only elem.h.
 */
#include "render_priv.h"
#include "ring/elem.h"

/* Bytes for names when the buffer is first allocated. */
#define ROOM_OF_NAMES	65536
/* Frames between two calls of persist_breathe(). */
#define BREATH		64

static u8 *put_str(u8 *p, const char *s, u32 max)
{
	u32 n = strnlen(s, max - 1);

	memcpy(p, s, n);
	p[n] = 0;
	return p + n + 1;
}

static void send_info(struct render *r, const char *name)
{
	const struct persist_header *h = r->h;
	u8 *p = render_body(r);

	*p++ = DEVTRACE_WIRE_VERSION;
	*p++ = DEVTRACE_CHECK_SUM8;
	*p++ = DEVTRACE_INFO_OPEN;
	*p++ = h->flags;
	p = put_le(p, h->nr_sources, 2);
	p = put_le(p, h->nr_cpus, 2);
	p = put_le(p, r->frames, 8);
	memcpy(p, h->boot_id, sizeof(h->boot_id));
	p += sizeof(h->boot_id);
	p = put_str(p, h->machine, sizeof(h->machine));
	p = put_str(p, h->release, sizeof(h->release));
	p = put_str(p, name, 64);
	render_send(r, DEVTRACE_T_INFO, p);
	p = put_le(render_body(r), DEVTRACE_EMPTY_LOAD, 4);
	render_send(r, DEVTRACE_T_EMPTY, put_le(p, h->load, 4));
}

static void send_clock(struct render *r, const struct persist_clock *c)
{
	u8 *p = put_le(render_body(r), r->frames, 8);

	p = put_le(p, c->ts, 8);
	p = put_le(p, c->mono, 8);
	p = put_le(p, c->boot, 8);
	render_send(r, DEVTRACE_T_CLOCK, put_le(p, c->real, 8));
}

static void send_thread(struct render *r, const struct persist_thread *t)
{
	u8 *p = put_le(render_body(r), t->tid, 4);

	p = put_le(p, t->tgid, 4);
	p = put_le(p, t->since, 8);
	render_send(r, DEVTRACE_T_PROC, put_str(p, t->comm, sizeof(t->comm)));
}

static void send_name(struct render *r, const struct persist_name *n)
{
	u8 *p = render_body(r);

	if (n->kind == DEVTRACE_T_ACCURACY) {
		p = put_le(p, DEVTRACE_EMPTY_ACCURACY, sizeof(struct devtrace_wire_accuracy));
		render_send(r, DEVTRACE_T_EMPTY, put_str(p, n->name, sizeof(n->name)));
		return;
	}
	p = put_le(p, n->scope, 4);
	p = put_le(p, n->value, 4);
	p = put_le(p, n->group, 4);
	p = put_le(p, n->scope ? n->key : persist_hide(n->key), 8);
	render_send(r, n->kind, put_str(p, n->name, sizeof(n->name)));
}

/*
 * Replace addresses by hashes, because even those of the previous kernel reveal the layout of this
 * one.
 */
static void hide_addresses(u8 *p, u32 len)
{
	u32 i = 0, k;
	u64 v;
	int n;

	while (i < len) {
		const u8 format = p[i++] & 0xf;
		u8 *at = p + i;

		n = elem_size(format, at, len - i);
		if (n < 0)
			return;
		i += n;
		if (format == DEVTRACE_E_SIG)
			at += 4;
		else if (format != DEVTRACE_E_OBJ && format != DEVTRACE_E_FUN)
			continue;
		for (v = 0, k = 8; k--; )
			v = v << 8 | at[k];
		put_le(at, persist_hide(v), 8);
	}
}

static void send_event(struct render *r, const struct cursor *c)
{
	const struct ring_record *rec = c->rec;
	const u8 flags = rec->who >> RING_WHO_CTX_SHIFT & 0x3f;
	const u32 skip = (flags & DEVTRACE_F_CODE ? 4 : 0) + (flags & DEVTRACE_F_OBJSIG ? 4 : 0);
	u8 *p = render_body(r);

	p = put_le32(p, flags | rec->who >> RING_WHO_SEV_SHIFT << 8 | c->ring.cpu << 16);
	p = put_le32(p, rec->who & RING_WHO_TID);
	p = put_le32(p, c->ts);
	p = put_le32(p, c->ts >> 32);
	put_bytes(p, rec->data, rec->len);
	if (flags & DEVTRACE_F_PTR && !(flags & DEVTRACE_F_USER) && skip < rec->len)
		hide_addresses(p + skip, rec->len - skip);
	render_send(r, rec->word >> RING_TYPE_SHIFT, p + rec->len);
	r->a->given++;
	if (r->a->last < c->ts)
		r->a->last = c->ts;
	r->a->unchecked += c->unchecked;
}

static void send_text(struct render *r, const struct persist_cause *c, u64 ts, const char *text)
{
	u8 *p = render_body(r);

	*p++ = 0;
	/* hw3: panic or oops; hw2: no notice; sw1: reboot or removal of the module. */
	*p++ = DEVTRACE_SEV_SET | (c->why == PERSIST_PANIC || c->why == PERSIST_OOPS ? 7 :
				   c->why == PERSIST_NO_NOTICE ? 6 : 1);
	p = put_le(p, c->why ? c->cpu : 0, 2);
	p = put_le(p, c->why ? c->tid : 0, 4);
	p = put_le(p, ts, 8);
	*p++ = DEVTRACE_E_STR;
	render_send(r, DEVTRACE_T_TEXT, put_str(p, text, sizeof(c->text)));
}

/* Sort the clocks by time. Insertion sort suffices: they are few, and nearly in order. */
static void sort_clocks(struct render *r)
{
	const struct persist_clock *all = r->mem + PERSIST_CLOCKS_AT;
	u32 i, k;

	for (i = 0; i < PERSIST_CLOCKS; i++) {
		if (!PERSIST_OK(&all[i]))
			continue;
		for (k = r->clocks++; k && r->clock_at[k - 1].ts > all[i].ts; k--)
			r->clock_at[k] = r->clock_at[k - 1];
		r->clock_at[k] = all[i];
	}
}

static void sort_threads(struct render *r)
{
	const struct persist_thread *all = r->mem + r->h->threads;
	u32 i, k;

	for (i = 0; i < r->h->nr_threads; i++) {
		if (!PERSIST_OK(&all[i]) || !all[i].tid)
			continue;
		for (k = r->threads++; k && r->thread_at[k - 1].since > all[i].since; k--)
			r->thread_at[k] = r->thread_at[k - 1];
		r->thread_at[k] = all[i];
		persist_breathe();
	}
}

/* Send thread names that apply by @ts, and the first name of each thread that is named later. */
static void send_first_threads(struct render *r, u64 ts)
{
	u32 i, k;

	while (r->thread < r->threads && r->thread_at[r->thread].since <= ts)
		send_thread(r, &r->thread_at[r->thread++]);
	for (i = r->thread; i < r->threads; i++) {
		for (k = 0; k < i && r->thread_at[k].tid != r->thread_at[i].tid; k++)
			;
		if (k == i)
			send_thread(r, &r->thread_at[i]);
	}
}

/* Is this the frame type of a name? Any other would be sent as an event. */
static bool is_name(u8 kind)
{
	return kind == DEVTRACE_T_ENUM || kind == DEVTRACE_T_IMAGE || kind == DEVTRACE_T_ACCURACY ||
	       (kind >= DEVTRACE_T_SIG && kind <= DEVTRACE_T_USR);
}

/*
 * Return the next name, from entry @i on, with a serial number above @serial, and update @i and
 * @serial. NULL: there is no such name.
 */
static const struct persist_name *next_name(const struct render *r, u32 *i, u64 *serial)
{
	const struct persist_name *all = r->mem + r->h->names, *n;

	for (; *i < r->h->nr_names; ++*i) {
		n = &all[*i];
		if (PERSIST_OK(n) && is_name(n->kind) && n->serial > *serial) {
			*serial = n->serial;
			++*i;
			return n;
		}
		persist_breathe();
	}
	return NULL;
}

/* Send names that apply to all events. */
static void send_first_names(struct render *r)
{
	const struct persist_name *n;
	u64 serial = 0;
	u32 i = 0;

	while ((n = next_name(r, &i, &serial)))
		if (!n->since)
			send_name(r, n);
}

/* Send the other names that apply by @ts. Return when the next one starts to apply. */
static u64 send_names(struct render *r, u64 ts)
{
	while (r->waits || (r->waits = next_name(r, &r->name, &r->serial))) {
		if (r->waits->since > ts)
			return r->waits->since;
		if (r->waits->since)
			send_name(r, r->waits);
		r->waits = NULL;
		persist_breathe();
	}
	return ~0ULL;
}

/* Send clocks and names up to @ts. Return the start time of the next name. */
static u64 send_clocks_and_names(struct render *r, u64 ts)
{
	const u64 name = send_names(r, ts);

	while (r->clock < r->clocks && r->clock_at[r->clock].ts <= ts)
		send_clock(r, &r->clock_at[r->clock++]);
	while (r->thread < r->threads && r->thread_at[r->thread].since <= ts)
		send_thread(r, &r->thread_at[r->thread++]);
	return name;
}

/* Send clocks, changes of state and names up to @ts; set @until to the time of the next one. */
static void send_until(struct render *r, u64 ts)
{
	while (r->change < r->changes && r->change_at[r->change].ts <= ts) {
		send_clocks_and_names(r, r->change_at[r->change].ts);
		render_change(r);
	}
	r->until = send_clocks_and_names(r, ts);
	if (r->change < r->changes)
		r->until = min(r->until, r->change_at[r->change].ts);
	if (r->clock < r->clocks)
		r->until = min(r->until, r->clock_at[r->clock].ts);
	if (r->thread < r->threads)
		r->until = min(r->until, r->thread_at[r->thread].since);
}

/* Advance a cursor to the next event of its ring; at the end, set rec to NULL. */
static void next_event(struct render *r, struct cursor *c)
{
	struct persist_ring *ring = &c->ring;

	for (;;) {
		while (c->pos < c->to_pos) {
			/* check.c has checked this record, and nothing writes it any more. */
			c->rec = (const void *)&ring->data[c->pos & ring->mask];
			c->pos += ring_record_units(c->rec);
			if (unlikely(c->rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD))
				continue;
			c->ts = r->ref + (u64)((s64)((c->rec->word - r->ref) << 8) >> 8);
			return;
		}
		if (c->run == ring->nr)
			break;
		c->pos = ring->run[c->run].pos;
		c->to_pos = ring->run[c->run].to_pos;
		c->run_idx = ring->run[c->run].idx;
		c->unchecked = !ring->run[c->run].checked;
		c->run++;
	}
	c->rec = NULL;
}

/* Report the events missing before index @idx. */
static void send_gap(struct render *r, struct cursor *c, u64 idx, u64 to)
{
	const bool first = c->idx == c->ring.cleared;
	/* Cleared events are not missing. */
	const u64 from = c->idx > c->ring.cleared ? c->idx : c->ring.cleared;
	const u64 n = idx > from ? idx - from : 0;

	if (idx <= c->idx)
		return;
	render_lost(r, c->ring.cpu, c->last,
		    first ? DEVTRACE_LOST_OVERWRITTEN : DEVTRACE_LOST_DAMAGED, n, to);
	if (!first)
		r->a->damaged += n;
	c->idx = idx;
}

static void render_give(struct render *r, struct cursor *c)
{
	if (c->idx < c->run_idx)
		send_gap(r, c, c->run_idx, c->ts);
	if (c->idx < c->ring.cleared) {
		c->idx++;
	} else if (c->rec->word >> RING_TYPE_SHIFT == RING_TYPE_VOID) {
		c->idx++;
		/*
		 * A stop withdrew this record. The next change of state reports it; without
		 * one, report it here.
		 */
		if (r->change < r->changes)
			c->told.voids++;
		else
			render_lost(r, c->ring.cpu, c->last, DEVTRACE_LOST_STOPPED, 1, c->ts);
	} else {
		send_event(r, c);
		c->idx++;
		c->last = c->ts;
	}
	next_event(r, c);
}

static void render_begin(struct cursor *c)
{
	c->told.missed = c->ring.stops.before;
	/* Begin at the last clear, or at an older event if one is left: render_give() skips it. */
	c->idx = c->ring.cleared;
	if (c->ring.nr && c->ring.run[0].idx < c->idx)
		c->idx = c->ring.run[0].idx;
}

/*
 * Return the ring with the oldest event, or NULL. Set @then to the time of the oldest event of the
 * other rings.
 */
static struct cursor *render_oldest(const struct render *r, u64 *then)
{
	struct cursor *best = NULL, *c;

	*then = ~0ULL;
	for (c = r->cursor; c < r->cursor + r->h->nr_rings; c++) {
		if (!c->rec)
			continue;
		if (!best || c->ts < best->ts) {
			if (best)
				*then = best->ts;
			best = c;
		} else if (c->ts < *then) {
			*then = c->ts;
		}
	}
	return best;
}

/* From time to time, let other threads run. Return false if memory has run out. */
static inline bool render_breathe(const struct render *r)
{
	if (likely(r->frames % BREATH))
		return true;
	persist_breathe();
	return !r->full;
}

/*
 * Send the events of all rings and lanes in order of time. Events come in bursts from one source,
 * so look for the source with the oldest event only when another source is due.
 */
static void render_merge(struct render *r)
{
	bool first = true;

	for (;;) {
		u64 lanes = render_lanes_next(r), then, ts;
		struct cursor *best = render_oldest(r, &then);

		if ((!best && !r->nr_heap) || r->full)
			break;
		/* At equal times, events of rings come before those of lanes. */
		if (best && best->ts <= lanes) {
			ts = best->ts;
			then = min(then, lanes);
		} else {
			then = best ? best->ts : ~0ULL;
			best = NULL;
			ts = lanes;
		}
		if (first)
			send_first_threads(r, ts);
		first = false;
		if (ts >= r->until)
			send_until(r, ts);
		then = min(then, r->until);
		if (best) {
			do
				render_give(r, best);
			while (best->rec && best->ts < then && render_breathe(r));
		} else {
			do
				render_lane_event(r);
			while (r->nr_heap && r->heap[0]->ts < then && render_breathe(r));
		}
	}
}

/*
 * Report events missing after the newest ones, and dropped events. The time of dropped events is
 * known only if a stop dropped them.
 */
static void render_end(struct render *r)
{
	const u32 n = r->h->nr_rings;
	u32 i, cause;

	send_until(r, ~0ULL);
	for (i = 0; i < n; i++) {
		struct cursor *c = &r->cursor[i];
		const struct persist_stops *stops = &c->ring.stops;
		const u64 *drops = c->ring.drops;

		send_gap(r, c, c->ring.end, 0);
		for (cause = DEVTRACE_LOST_BUSY; cause < DEVTRACE_LOST_STOPPED; cause++)
			render_lost(r, c->ring.cpu, stops->since, cause, drops[cause], r->a->last);
		render_missed_end(r, c->ring.cpu, stops, &c->told, c->last,
				  drops[DEVTRACE_LOST_STOPPED]);
		r->a->open_ends += !c->ring.end_known;
	}
	render_lanes_end(r);
}

/*
 * Leave out the oldest runs until at most 1/2^part of the records, or one run, remains. The events
 * left out are reported as overwritten.
 */
static void leave_out(struct render *r, struct persist_ring *ring)
{
	u64 units = 0, most;
	u32 n;

	for (n = 0; n < ring->nr; n++)
		units += ring->run[n].to_pos - ring->run[n].pos;
	most = units >> r->o->part;
	for (n = 0; n + 1 < ring->nr && units > most; n++) {
		units -= ring->run[n].to_pos - ring->run[n].pos;
		r->a->left_out += ring->run[n].to_idx - ring->run[n].idx;
	}
	ring->nr -= n;
	memmove(ring->run, ring->run + n, ring->nr * sizeof(*ring->run));
}

static u64 newest_clock(const struct render *r)
{
	return r->clocks ? r->clock_at[r->clocks - 1].ts : 0;
}

static int render_all(struct render *r, const char *name)
{
	struct persist_cause *cause = &r->a->cause;
	u64 bytes = 0;
	u32 i, k;
	int err;

	for (i = 0; i < r->h->nr_rings; i++) {
		const struct persist_ring *ring = &r->cursor[i].ring;

		err = persist_check_ring(r->mem, r->h, i, &r->cursor[i].ring);
		if (err)
			return err;
		if (r->o->part)
			leave_out(r, &r->cursor[i].ring);
		render_begin(&r->cursor[i]);
		for (k = 0; k < ring->nr; k++)
			bytes += (ring->run[k].to_pos - ring->run[k].pos) * RING_UNIT;
	}
	sort_clocks(r);
	sort_threads(r);
	render_changes_begin(r);
	r->ref = newest_clock(r);
	r->a->last = r->ref;
	for (i = 0; i < r->h->nr_rings; i++)
		next_event(r, &r->cursor[i]);
	err = render_lanes_begin(r);
	if (err)
		return err;
	/*
	 * Estimate generously: growing copies all frames. A frame is slightly longer than a ring's
	 * record, and much longer than a lane's.
	 */
	bytes += bytes / 8 * 3 + render_lanes_bytes(r) + ROOM_OF_NAMES;
	if (!r->o->grow(r->o, bytes))
		return -ENOMEM;
	send_info(r, name);
	/* Send a clock before the first event, so that readers know the date of each event. */
	if (r->clocks)
		send_clock(r, &r->clock_at[r->clock++]);
	send_first_names(r);
	render_merge(r);
	persist_check_cause(r->mem, r->a->last, cause);
	/* Readers see only events up to @last. */
	if (r->a->last < cause->ts)
		r->a->last = cause->ts;
	render_end(r);
	send_text(r, cause, r->a->last, cause->text);
	return r->full ? -ENOMEM : 0;
}

/**
 * persist_render() - write all valid events of a region as frames
 * @mem: the region
 * @h: header from persist_find()
 * @name: name of the stream
 * @o: buffer for the frames
 * @a: filled in
 *
 * Return: 0 or -ENOMEM.
 */
int persist_render(const void *mem, const struct persist_header *h, const char *name,
		   struct persist_out *o, struct persist_account *a)
{
	struct render *r = persist_alloc(sizeof(*r));
	int err = -ENOMEM;
	u32 i;

	memset(a, 0, sizeof(*a));
	if (!r)
		return -ENOMEM;
	memset(r, 0, sizeof(*r));
	r->o = o;
	r->a = a;
	r->mem = mem;
	r->h = h;
	r->cursor = persist_alloc(h->nr_rings * sizeof(*r->cursor));
	r->clock_at = persist_alloc(PERSIST_CLOCKS * sizeof(*r->clock_at));
	r->thread_at = persist_alloc((h->nr_threads + 1) * sizeof(*r->thread_at));
	r->change_at = persist_alloc(PERSIST_CHANGES * sizeof(*r->change_at));
	if (r->cursor && r->clock_at && r->thread_at && r->change_at) {
		memset(r->cursor, 0, h->nr_rings * sizeof(*r->cursor));
		err = render_all(r, name);
		for (i = 0; i < h->nr_rings; i++)
			persist_ring_put(&r->cursor[i].ring);
		render_lanes_put(r);
	}
	persist_free(r->cursor);
	persist_free(r->clock_at);
	persist_free(r->thread_at);
	persist_free(r->change_at);
	persist_free(r);
	return err;
}
