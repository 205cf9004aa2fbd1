// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the pool of lanes: find the valid events of programs
 *
 * Blocks contain runs, which are groups of consecutive events of one lane. A block with a right sum
 * is valid up to the end of the sum. After that end, or if the block has no sum of this lap, a run
 * is valid if it is well-formed and begins with the event index at which the previous run of its
 * slot ended. A block with a wrong sum is lost; the indices of the runs in other blocks show how
 * many events it had.
 *
 * Events in a lane's own memory that are in no run are read with lane_look(), which does not trust
 * the program. The runs, and @taken of struct persist_lane, tell how many events of the lane were
 * taken into runs; the greater of these numbers is used. So each event is shown once, whether it
 * was taken or not.
 *
 * The code never writes to the region, and uses no word of it unchecked.
 */
#include "lanes.h"

/* Maximum distance, ns, by which a lane's events may be newer than the newest known time. */
#define AHEAD_NS	3600000000000ULL

/*
 * Return the length of the run at @off of a page, bytes; 0: there is no valid run. Load the extent
 * only once, because the page may be overwritten while its sum is computed.
 */
static u32 extent_at(const u8 *page, u32 off)
{
	const struct run *r = (const void *)(page + off);
	u32 extent;

	if (off + sizeof(*r) > PERSIST_PAGE)
		return 0;
	extent = READ_ONCE(r->extent);
	return extent < sizeof(*r) || extent % 8 || extent > PERSIST_PAGE - off ? 0 : extent;
}

u32 persist_block_fill(const u8 *page, u32 fill)
{
	u32 off, extent;

	for (off = 0; off < fill; off += extent) {
		extent = extent_at(page, off);
		if (!extent || READ_ONCE(((const struct run *)(page + off))->slot) == SLOT_NONE)
			break;
	}
	return off;
}

/**
 * persist_block_sum() - compute the checksum of a block
 * @page: the block
 * @fill: bytes of the block to sum
 * @sum: filled in
 *
 * An abandoned run contributes only its extent to the sum. Any other run contributes all but
 * @next, which changes later.
 *
 * Return: true if the runs lead exactly to @fill.
 */
bool persist_block_sum(const u8 *page, u32 fill, u32 *sum)
{
	const u32 tail = offsetof(struct run, tid);
	u32 off, extent;

	*sum = PERSIST_SUM_FIRST;
	for (off = 0; off < fill; off += extent) {
		const struct run *r = (const void *)(page + off);

		extent = extent_at(page, off);
		if (!extent)
			return false;
		if (READ_ONCE(r->slot) == SLOT_NONE) {
			*sum = persist_sum_add(*sum, &extent, sizeof(extent));
			continue;
		}
		*sum = persist_sum_add(*sum, r, offsetof(struct run, next));
		*sum = persist_sum_add(*sum, page + off + tail, extent - tail);
	}
	return off == fill;
}

/* Return the run at @off of a page, or NULL. The page must have no writer. */
static const struct run *run_in(const u8 *page, u32 off)
{
	return extent_at(page, off) ? (const void *)(page + off) : NULL;
}

static bool event_ok(const struct lane_event *ev)
{
	return devtrace_event_is_valid(ev->type, ev->flags, ev->severity, ev->data, ev->len);
}

/*
 * Consecutive events. @all: their number; @wanted: number of those that the filter passed; @len:
 * their length, bytes; @time and @cpu: time and CPU of the last event
 */
struct row {
	u32	all, wanted, len;
	u64	time;
	u16	cpu;
};

/* Skip valid records in the short form, which nearly all records have. */
static void skip_short(const u8 *from, u32 len, struct row *row)
{
	u64 time = row->time;
	u32 at = row->len, n = 0, word, used;

	while (len - at >= sizeof(word)) {
		word = lane_word(from + at);
		used = (word & 0x7f) + (word & 1) + sizeof(word);
		if ((word & 0x7f) > DEVTRACE_LANE_SHORT || used > len - at ||
		    !devtrace_type_is_emittable(word >> DEVTRACE_LANE_TYPE_SHIFT))
			break;
		time = lane_time_after(time, word >> DEVTRACE_LANE_NS_SHIFT);
		at += used;
		n++;
	}
	row->time = time;
	row->len = at;
	row->all += n;
	row->wanted += n;
}

/* Are all bytes valid events? Set @row to the events before the first invalid one. */
static bool look_at(const u8 *from, u32 len, bool taken, struct row *row)
{
	struct lane_event ev = { .cpu = row->cpu };
	u64 time;
	u32 at;
	int ret;

	row->all = 0;
	row->wanted = 0;
	row->len = 0;
	for (;;) {
		skip_short(from, len, row);
		time = row->time;
		at = row->len;
		ret = lane_next(from, &at, len, &time, &ev);
		if (ret <= 0)
			break;
		/* In a run, EMPTY means that the filter refused the event when it was taken. */
		if (!taken || ev.type != DEVTRACE_T_EMPTY) {
			if (!event_ok(&ev))
				return false;
			row->wanted++;
		}
		row->all++;
		row->len = at;
		row->time = time;
		row->cpu = ev.cpu;
	}
	if (!ret)
		row->len = len;
	return !ret;
}

static bool run_to_piece(const struct run *r, struct persist_piece *p)
{
	struct row row = { .time = r->time, .cpu = r->cpu };

	if (r->slot >= PERSIST_SLOTS_MAX || !r->nr || r->len > r->extent - sizeof(*r) ||
	    r->lo > r->hi || !look_at((const u8 *)(r + 1), r->len, true, &row) ||
	    row.wanted != r->nr)
		return false;
	*p = (struct persist_piece){
		.from = (const u8 *)(r + 1), .len = r->len, .nr = r->nr, .idx = r->idx,
		.time = r->time, .lo = r->lo, .hi = r->hi, .tid = r->tid,
		.slot = r->slot, .cpu = r->cpu, .lane = r->lane, .lane_to = r->lane + row.all,
	};
	return true;
}

/* Return the newer valid sum of a block, or NULL. Set @lost to whether a sum is damaged. */
static const struct persist_block *sum_of(const struct persist_block *two, bool *lost)
{
	const bool a_ok = PERSIST_OK(&two[0]), b_ok = PERSIST_OK(&two[1]);

	*lost = (!a_ok && two[0].crc) || (!b_ok && two[1].crc);
	if (!a_ok || !b_ok)
		return a_ok ? &two[0] : b_ok ? &two[1] : NULL;
	if (two[0].number != two[1].number)
		return two[0].number > two[1].number ? &two[0] : &two[1];
	return two[0].fill > two[1].fill ? &two[0] : &two[1];
}

/* Add each valid run of a block to the list of pieces of @l. */
static void read_block(struct persist_lanes *l, const u8 *page, const struct persist_block *two)
{
	const struct run *r = run_in(page, 0);
	const u16 number = r ? r->block : 0;
	const struct persist_block *s;
	u32 off, to = 0, sum;
	bool lost;

	s = sum_of(two, &lost);
	if (!s && !lost && !((const struct run *)page)->extent)
		return;
	if (s && (u16)s->number == number) {
		if (persist_block_sum(page, s->fill, &sum) && sum == s->sum)
			to = s->fill;
		else
			lost = true;
	}
	/* If no sum is right, a damaged one may have covered any run: drop the block. */
	if (!r || (lost && !to)) {
		l->damaged++;
		l->unknown = true;
		return;
	}
	for (off = 0; off < PERSIST_PAGE; off += r->extent) {
		r = run_in(page, off);
		if (!r && (off + sizeof(*r) > PERSIST_PAGE ||
			   !((const struct run *)(page + off))->extent))
			break;
		if (!r || r->block != number) {
			l->damaged++;
			l->unknown = true;
			break;
		}
		if (r->slot == SLOT_NONE)
			continue;
		if (l->nr == l->room || !run_to_piece(r, &l->piece[l->nr])) {
			l->damaged++;
			l->unknown = true;
			break;
		}
		l->piece[l->nr++].checked = off < to;
	}
}

static u32 count_runs(const u8 *page)
{
	const struct run *r;
	u32 off = 0, n = 0;

	while (off < PERSIST_PAGE && (r = run_in(page, off))) {
		n++;
		off += r->extent;
	}
	return n;
}

static int by_slot(const void *a, const void *b)
{
	const struct persist_piece *one = a, *other = b;

	persist_breathe();
	if (one->slot != other->slot)
		return one->slot < other->slot ? -1 : 1;
	if (one->idx != other->idx)
		return one->idx < other->idx ? -1 : 1;
	/* If two pieces have the same index, the one with a sum comes first. */
	if (one->checked != other->checked)
		return one->checked ? -1 : 1;
	return one->from < other->from ? -1 : one->from > other->from;
}

static void sort_pieces(struct persist_lanes *l)
{
	persist_sort(l->piece, l->nr, sizeof(*l->piece), by_slot);
}

static void read_slots(const void *mem, const struct persist_header *h, struct persist_lanes *l)
{
	u32 i;

	for (i = 0; i < h->nr_slots; i++) {
		const struct persist_slot *const two = mem + h->slots + 2 * i * sizeof(*two);
		const struct persist_slot *a = two, *b = two + 1;
		struct persist_left *left = &l->left[i];

		if (!PERSIST_OK(a) || (PERSIST_OK(b) && b->nr > a->nr))
			a = b;
		if (!PERSIST_OK(a) || a->slot != i) {
			/*
			 * Both entries were written and are damaged, so clears and drops are
			 * unknown.
			 */
			left->unknown = two[0].crc && two[1].crc;
			continue;
		}
		left->known = true;
		left->stops.since = a->since;
		left->stops.before = a->missed;
		left->stops.counts = persist_missed_of(mem + h->missed +
						       2 * i * sizeof(struct persist_missed));
		left->cleared = a->cleared;
		left->end = a->idx;
		memcpy(left->drops, a->drops, sizeof(left->drops));
		l->outside += a->outside;
	}
}

/*
 * Drop pieces that overlap an older piece, and those without a sum that do not follow one directly.
 */
static void lanes_join(struct persist_lanes *l)
{
	struct persist_left *left = NULL;
	u64 end = 0;
	u32 i, n = 0;

	for (i = 0; i < l->nr; i++) {
		const struct persist_piece *p = &l->piece[i];
		const bool first = !n || l->piece[n - 1].slot != p->slot;

		if (first) {
			left = &l->left[p->slot];
			/*
			 * If the first piece of a slot has no sum, it must not begin before
			 * @cleared.
			 */
			end = p->checked ? 0 : left->cleared;
			left->first = n;
		}
		if (p->idx < end || p->nr > ~0ULL - p->idx ||
		    (!first && !p->checked && p->idx != end)) {
			left->unknown = true;
			l->damaged++;
			continue;
		}
		end = p->idx + p->nr;
		l->piece[n] = *p;
		n++;
		left->nr++;
		if (left->end < end)
			left->end = end;
	}
	l->nr = n;
}

/*
 * Set @to to the number of the lane's events that were taken into runs, modulo 2^32. Return false
 * if the number is not known.
 */
static bool find_taken(const struct persist_lane *e, const struct persist_lanes *l,
		       const struct persist_left *left, u32 *to)
{
	const struct persist_piece *newest = NULL;
	const u64 word = e->taken;
	const bool known = word == lane_told(word);
	u64 end = 0;

	if (left->nr) {
		newest = &l->piece[left->first + left->nr - 1];
		end = newest->idx + newest->nr;
	}
	/* Not known if the lane's newest run may be the one that is damaged or overwritten. */
	if (!known && (l->damaged || (left->end > e->begin && left->end > end)))
		return false;
	*to = known ? word : 0;
	/*
	 * Use the greater of the entry's number and the newest run's; the newest run has the
	 * greatest number of all runs.
	 */
	if (newest && newest->idx >= e->begin && (!known || (s32)(newest->lane_to - *to) > 0))
		*to = newest->lane_to;
	return true;
}

/* Add a piece of a lane's own memory; there is room, since no page is in two lanes. */
static void add_open(struct persist_lanes *l, const struct persist_lane *e,
		     const struct lane_piece *c, const struct row *row, u64 skip, u64 lo, u64 hi)
{
	l->piece[l->nr++] = (struct persist_piece){
		.from = c->from, .len = row->len, .time = c->time, .lo = lo, .hi = hi,
		.nr = row->all - skip, .skip = skip, .tid = e->tid, .slot = e->slot,
		.cpu = c->cpu, .open = true,
	};
}

/* Read the events of a lane that are in no run. */
static void read_lane(struct persist_lanes *l, const struct persist_lane *e, const u8 *blocks,
		      u64 now)
{
	const struct lane_mem m = { .blocks = (u8 *)blocks, .nr = e->pages, .first = e->first };
	struct lane_place p = { .block = e->first, .cpu = DEVTRACE_LANE_NO_CPU };
	struct persist_left *left = &l->left[e->slot];
	u64 lo = e->made, done = 0, first, skip;
	u32 steps, taken;
	struct lane_piece c;
	struct row row;
	int ret = 0;

	if (!find_taken(e, l, left, &taken)) {
		left->unknown = true;
		return;
	}
	if (left->nr && l->piece[left->first + left->nr - 1].hi > lo)
		lo = l->piece[left->first + left->nr - 1].hi;
	for (steps = 0; steps <= e->pages; steps++) {
		ret = lane_look(&m, &p, &c);
		if (ret <= 0)
			break;
		if (c.lost && (now < e->made || c.lost > now - e->made)) {
			ret = -EPROTO;
			break;
		}
		first = p.idx + c.lost;
		/* Extend taken to 64 bits: it is the lower half of a number that is near first. */
		if (!steps)
			done = first + (u64)(s64)(s32)(taken - (u32)first);
		if ((s64)done < 0) {
			ret = -EPROTO;
			break;
		}
		row = (struct row){ .time = c.time, .cpu = c.cpu };
		ret = look_at(c.from, c.len, false, &row) ? 0 : -EPROTO;
		skip = done > first ? done - first : 0;
		/* The program overwrote these events before they were taken. */
		if (first > done && first - done < 1ULL << 31)
			left->drops[DEVTRACE_LOST_BUSY] += first - done;
		if (skip < row.all)
			add_open(l, e, &c, &row, skip, lo, now);
		if (done < first + row.all)
			done = first + row.all;
		p.off = (p.off ?: LANE_HEADER) + c.len;
		p.skipped = 0;
		p.idx = first + row.all;
		p.time = row.time;
		p.cpu = row.cpu;
		if (ret)
			break;
	}
	if (ret < 0) {
		l->bad++;
		left->unknown = true;
	}
}

static void read_lanes(const void *mem, const struct persist_header *h, struct persist_lanes *l,
		       u64 now)
{
	const u32 nr = h->nr_lanes * PERSIST_LANE_PAGES;
	const u8 *pages = mem + h->lane_pages;
	/* end: index after the pages of the previous lanes, so that no page is read twice */
	u32 end = 0, i;

	for (i = 0; i < h->nr_lanes; i++) {
		const struct persist_lane *e = mem + h->lanes + i * sizeof(*e);
		const u32 page = i * PERSIST_LANE_PAGES;

		if (!e->crc)
			continue;
		if (PERSIST_OK(e) && e->pages && !(e->pages & (e->pages - 1)) && page >= end &&
		    e->pages <= nr - page && e->slot < PERSIST_SLOTS_MAX) {
			end = page + e->pages;
			l->open++;
			if (e->taken != LANE_TOLD_CLOSED)
				read_lane(l, e, pages + (u64)page * PERSIST_PAGE, now);
		} else {
			l->bad++;
			l->unknown = true;
		}
		persist_breathe();
	}
}

/* Number the events in lanes' own memory, which follow those in the runs of their slot. */
static void number_open(struct persist_lanes *l)
{
	struct persist_left *left;
	u32 i;

	for (i = 0; i < l->nr; i++) {
		struct persist_piece *p = &l->piece[i];

		left = &l->left[p->slot];
		if (!i || p[-1].slot != p->slot) {
			left->first = i;
			left->nr = 0;
		}
		left->nr++;
		if (p->open) {
			p->idx = left->end;
			left->end += p->nr;
		}
	}
}

static bool was_used(const struct persist_header *h, const struct persist_lanes *l)
{
	u32 i;

	for (i = 0; i < h->nr_slots; i++)
		if (l->left[i].known)
			return true;
	return l->open || l->nr;
}

/**
 * persist_check_lanes() - find the valid events of lanes
 * @mem: the region
 * @h: header from persist_find()
 * @now: newest known time, trace clock ns
 * @l: filled in; on success the caller must call persist_lanes_put()
 *
 * Return: 0 or -ENOMEM.
 */
int persist_check_lanes(const void *mem, const struct persist_header *h, u64 now,
			struct persist_lanes *l)
{
	const u8 *blocks = mem + h->blocks;
	/* Room for the pieces of lanes: at most one for each page, and one more for each lane. */
	u64 room = (u64)h->nr_lanes * PERSIST_LANE_PAGES + h->nr_lanes;
	u32 i;

	memset(l, 0, sizeof(*l));
	for (i = 0; i < h->nr_blocks; i++)
		room += count_runs(blocks + (u64)i * PERSIST_PAGE);
	l->piece = persist_alloc((room + 1) * sizeof(*l->piece));
	l->left = persist_alloc(PERSIST_SLOTS_MAX * sizeof(*l->left));
	l->room = room;
	if (!l->piece || !l->left) {
		persist_lanes_put(l);
		return -ENOMEM;
	}
	memset(l->left, 0, PERSIST_SLOTS_MAX * sizeof(*l->left));
	read_slots(mem, h, l);
	for (i = 0; i < h->nr_blocks; i++) {
		read_block(l, blocks + (u64)i * PERSIST_PAGE,
			   mem + h->block_sums + 2 * i * sizeof(struct persist_block));
		persist_breathe();
	}
	sort_pieces(l);
	lanes_join(l);
	read_lanes(mem, h, l, now + AHEAD_NS);
	/* Sort again: the pieces of each slot, with those in a lane's own memory last. */
	for (i = 0; i < l->nr; i++)
		if (l->piece[i].open)
			l->piece[i].idx = ~0ULL - l->nr + i;
	sort_pieces(l);
	number_open(l);
	/* If lanes were never used, nothing is lost, whatever bits the memory has. */
	if (!was_used(h, l)) {
		l->unknown = false;
		l->bad = 0;
	}
	return 0;
}

void persist_lanes_put(struct persist_lanes *l)
{
	persist_free(l->piece);
	persist_free(l->left);
	l->piece = NULL;
	l->left = NULL;
	l->nr = 0;
}
