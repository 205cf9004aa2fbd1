// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check a region: find the valid records of rings
 *
 * After a reset, a ring has a list of runs, which are groups of consecutive records. A run with a
 * checksum ("sum") is valid if the sum is right, all its records are well-formed, and their number
 * is that in the sum. Records after the newest sum have no sum yet. Among them, some places where a
 * record begins are known: the end of the newest sum, the anchors, and the place of the writer. The
 * stretch between two known places is valid if well-formed records lead from the first place
 * exactly to the second, in position and count. So a damaged run costs only its own events, and the
 * runs before and after it show how many events it had.
 *
 * The code never writes to the region, and checks every word before it uses it.
 */
#include "check.h"

/* Do the offsets in a header agree with persist_lay_out()? */
static bool header_ok(const struct persist_header *h)
{
	struct persist_header want;

	memcpy(&want, h, sizeof(want));
	return persist_lay_out(&want) && !memcmp(&want, h, sizeof(want));
}

/**
 * persist_find() - find a valid header of a region
 * @mem: the region
 * @size: bytes of the region
 * @h: filled in: a copy of the first valid header
 * @copies: set to the number of valid headers, at most PERSIST_COPIES
 *
 * Return: NULL, or the reason why nothing can be read, for the log.
 */
const char *persist_find(const void *mem, u64 size, struct persist_header *h,
			 unsigned int *copies)
{
	const char *why = "it contains no valid header: it was never used, or its memory was lost";
	u64 at[PERSIST_COPIES];
	u32 i;

	*copies = 0;
	/*
	 * Look only at the three places of headers: programs may write something like a header to
	 * other pages.
	 */
	persist_places(size, at);
	for (i = 0; i < PERSIST_COPIES && at[i] <= size - PERSIST_PAGE; i++) {
		const struct persist_header *found = mem + at[i];

		if (found->magic == PERSIST_MAGIC_SWAPPED)
			why = "it was written by a machine of the other byte order";
		if (found->magic != PERSIST_MAGIC)
			continue;
		if (!PERSIST_OK(found))
			why = "its headers are damaged, or of another version";
		else if (found->version != PERSIST_VERSION)
			why = "it was written by another version of this module";
		else if (found->size != size)
			why = "it was written with another size";
		else if (!header_ok(found))
			why = "its header is invalid";
		else if (!(*copies)++)
			*h = *found;
	}
	return *copies ? NULL : why;
}

/* Is time @a before @b, modulo 2^56? The bits above are ignored. */
static bool check_before(u64 a, u64 b)
{
	return (a - b) & 1ULL << (RING_TYPE_SHIFT - 1);
}

/*
 * Do valid records, in order of time, lead from the beginning of @run exactly to its end? If so,
 * set the times of @run. Unless @sum is NULL, set it to the checksum of the records.
 */
static bool check_walk(const struct persist_ring *r, struct persist_run *run, u32 *sum)
{
	u64 pos = run->pos, idx = run->idx;
	u32 units;

	if (sum)
		*sum = PERSIST_SUM_FIRST;
	while (pos < run->to_pos) {
		const struct ring_record *rec = persist_record(r, pos, &units);

		/* Compare by subtraction, because positions wrap and the loop must end. */
		if (!units || units > run->to_pos - pos)
			return false;
		pos += units;
		if (!rec)
			continue;
		if (sum)
			*sum = persist_sum_add(*sum, rec, (size_t)units * RING_UNIT);
		if (idx == run->idx)
			run->ts = rec->word;
		else if (check_before(rec->word, run->to_ts))
			return false;
		run->to_ts = rec->word;
		idx++;
	}
	return idx == run->to_idx;
}

/* Is a sum of any chunk of @run damaged? */
static bool sums_lost(const struct persist_sum *sums, u32 chunks, const struct persist_run *run)
{
	const u64 last = (run->to_pos - 1) / PERSIST_CHUNK;
	u64 n = run->pos / PERSIST_CHUNK;

	for (; n <= last; n++) {
		const struct persist_sum *two = &sums[2 * (n & (chunks - 1))];

		if ((two[0].crc && !PERSIST_OK(&two[0])) || (two[1].crc && !PERSIST_OK(&two[1])))
			return true;
	}
	return false;
}

static void add_run(struct persist_ring *r, const struct persist_run *run)
{
	r->run[r->nr++] = *run;
}

static int by_pos(const void *a, const void *b)
{
	const struct persist_run *one = a, *other = b;

	persist_breathe();
	if (one->pos == other->pos)
		return 0;
	return one->pos < other->pos ? -1 : 1;
}

/*
 * Sort the runs by position. The order of chunks differs: the last chunks may have runs of the
 * previous lap, which come first.
 */
static void sort_runs(struct persist_ring *r, u32 first)
{
	persist_sort(r->run + first, r->nr - first, sizeof(*r->run), by_pos);
}

static bool sum_ok(const struct persist_ring *r, const struct persist_sum *s, u32 chunk,
		   u32 chunks)
{
	if (!PERSIST_OK(s) || s->to_pos <= s->pos || s->to_idx < s->idx)
		return false;
	/* A sum covers only records that begin in its chunk: this bounds the work per record. */
	return (s->pos / PERSIST_CHUNK & (chunks - 1)) == chunk &&
	       s->to_pos - s->pos < PERSIST_CHUNK + RING_UNITS_MAX;
}

/* For each chunk, read its valid sum; if both are valid, the later one. */
static void read_sums(struct persist_ring *r, const struct persist_sum *sums, u32 chunks)
{
	struct persist_run run = { .checked = true };
	u32 i;

	for (i = 0; i < chunks; i++) {
		const struct persist_sum *a = &sums[2 * i], *b = a + 1;
		const bool a_ok = sum_ok(r, a, i, chunks), b_ok = sum_ok(r, b, i, chunks);

		if (!a_ok && !b_ok)
			continue;
		if (!a_ok || (b_ok && b->to_pos > a->to_pos))
			a = b;
		run.pos = a->pos;
		run.idx = a->idx;
		run.to_pos = a->to_pos;
		run.to_idx = a->to_idx;
		run.to_ts = a->ts;
		add_run(r, &run);
	}
	sort_runs(r, 0);
}

static const struct persist_sum *sum_of(const struct persist_sum *sums, u32 chunks, u64 pos,
					u64 to_pos)
{
	const struct persist_sum *s = &sums[2 * (pos / PERSIST_CHUNK & (chunks - 1))];

	return s->pos == pos && s->to_pos == to_pos && PERSIST_OK(s) ? s : s + 1;
}

/* Set @at to the place nearest to @near whose position and index have the lower halves in @word. */
static void check_widen(u64 word, const struct persist_run *near, struct persist_run *at)
{
	at->pos = near->pos + (u64)(s64)(s32)((u32)word - (u32)near->pos);
	at->idx = near->idx + (u64)(s64)(s32)((u32)(word >> 32) - (u32)near->idx);
}

/* Drop runs that are overwritten, overlap, or do not match their sum. */
static void keep_good(struct persist_ring *r, const struct persist_sum *sums, u32 chunks,
		      u64 head)
{
	u32 i, n = 0, sum;

	for (i = 0; i < r->nr; i++) {
		struct persist_run run = r->run[i];

		persist_breathe();
		if (run.pos + r->mask + 1 < head)
			continue;
		if (n && (run.pos < r->run[n - 1].to_pos || run.idx < r->run[n - 1].to_idx))
			continue;
		if (!check_walk(r, &run, &sum) ||
		    sum != sum_of(sums, chunks, run.pos, run.to_pos)->sum)
			continue;
		r->run[n++] = run;
	}
	r->nr = n;
}

/*
 * Add, in order, the known places after the newest sum where a record begins: @from (the end of
 * that sum, or NULL), the anchors, and @last (the place of the writer). The anchors and @last may
 * be damaged.
 */
static void add_places(struct persist_ring *r, const u64 *anchors,
		       const struct persist_run *from, const struct persist_run *last)
{
	const u32 chunks = (r->mask + 1) / PERSIST_CHUNK;
	const u32 blocks = chunks < RING_BLOCKS_MAX ? chunks : RING_BLOCKS_MAX;
	const u32 block = (r->mask + 1) / blocks;
	const u32 first = r->nr;
	struct persist_run run = { 0 };
	u32 i;

	if (from)
		add_run(r, from);
	/*
	 * A writer never moves back. So if its place is before @from, the place is damaged: do not
	 * use it.
	 */
	if (!from || (last->pos > from->pos && last->idx > from->idx))
		add_run(r, last);
	for (i = 0; i < blocks; i++) {
		check_widen(anchors[i], from ?: last, &run);
		if ((u32)(run.pos & r->mask) / block != i || run.pos == last->pos)
			continue;
		/* Skip an anchor that belongs to another lap, or that is not after @from. */
		if (from ? run.pos <= from->pos || run.idx <= from->idx :
			   run.pos > last->pos || run.pos + r->mask + 1 < last->pos)
			continue;
		add_run(r, &run);
	}
	sort_runs(r, first);
}

/*
 * Maximum number of laps of the ring that are walked. All valid places are in one lap, but each
 * damaged place may add a stretch in another lap.
 */
#define WALK_LAPS	16

/*
 * Check the stretches after the newest sum, each from one known place to the next. Drop a stretch
 * whose records do not lead to the next place. If a cache line was not written back, memory still
 * has records of an earlier lap, so drop a stretch that begins before @after, the time of the
 * newest sum. If the times of two stretches contradict each other, drop both. Forged places can be
 * in as many laps as there are blocks, so walk at most WALK_LAPS.
 */
static void walk_rest(struct persist_ring *r, u32 first, const struct persist_sum *sums,
		      const u64 *after)
{
	const u32 chunks = (r->mask + 1) / PERSIST_CHUNK;
	u64 left = WALK_LAPS * ((u64)r->mask + 1), units;
	u32 i, n = first;

	for (i = first; i + 1 < r->nr; i++) {
		struct persist_run run = r->run[i];

		run.to_pos = r->run[i + 1].pos;
		run.to_idx = r->run[i + 1].idx;
		persist_breathe();
		units = run.to_pos - run.pos;
		if (units > r->mask + 1 || units > left)
			continue;
		left -= units;
		if (run.to_idx <= run.idx || !check_walk(r, &run, NULL) ||
		    sums_lost(sums, chunks, &run))
			continue;
		if (after && check_before(run.ts, *after))
			continue;
		if (n > first && check_before(run.ts, r->run[n - 1].to_ts)) {
			n--;
			continue;
		}
		r->run[n++] = run;
	}
	r->nr = n;
}

/* Drop runs that newer records have overwritten. */
static void drop_overwritten(struct persist_ring *r)
{
	u32 i, n = 0;

	for (i = 0; i < r->nr; i++)
		if (r->run[i].pos + r->mask + 1 >= r->run[r->nr - 1].to_pos)
			r->run[n++] = r->run[i];
	r->nr = n;
}

static bool info_ok(const struct persist_info *i, const struct persist_header *h)
{
	return PERSIST_OK(i) && i->cpu < h->nr_cpus;
}

/*
 * Read a ring's struct persist_info. Return false if both copies are damaged, so that the numbers
 * of cleared and dropped events are unknown.
 */
static bool read_info(struct persist_ring *r, const struct persist_info *info, u32 n,
		      const struct persist_header *h)
{
	const struct persist_info *a = info, *b = info + 1;

	r->cpu = n;
	if (!info_ok(a, h) || (info_ok(b, h) && b->nr > a->nr))
		a = b;
	if (!info_ok(a, h))
		return false;
	r->cpu = a->cpu;
	r->cleared = a->cleared;
	r->stops.since = a->since;
	r->stops.before = a->missed;
	memcpy(r->drops, a->drops, sizeof(r->drops));
	return true;
}

/**
 * persist_check_ring() - find the valid records of a ring
 * @mem: the region
 * @h: header from persist_find()
 * @n: number of the ring
 * @r: filled in; the caller must call persist_ring_put()
 *
 * Return: 0 or -ENOMEM.
 */
int persist_check_ring(const void *mem, const struct persist_header *h, u32 n,
		       struct persist_ring *r)
{
	const void *ring = mem + h->rings + n * h->stride;
	const struct persist_sum *sums = ring + PERSIST_SUMS_AT;
	const u64 *anchors = ring + PERSIST_ANCHORS_AT;
	const u32 chunks = persist_chunks(h->ring_bytes);
	u64 commit = *(const u64 *)(ring + PERSIST_COMMIT_AT);
	/* @from: end of the newest sum; @last: place of the writer. */
	struct persist_run from = { .pos = 1ULL << 32 }, last = { 0 };
	bool summed, informed;
	u32 first;

	memset(r, 0, sizeof(*r));
	r->data = ring + persist_data_at(h->ring_bytes);
	r->mask = h->ring_bytes / RING_UNIT - 1;
	r->run = persist_alloc((chunks + RING_BLOCKS_MAX + 2) * sizeof(*r->run));
	if (!r->run)
		return -ENOMEM;
	informed = read_info(r, ring + PERSIST_INFO_AT, n, h);
	r->stops.counts = persist_missed_of(ring + PERSIST_MISSED_AT);
	read_sums(r, sums, chunks);

		/* Without a sum, the upper half of a position is unknown: any value will do. */
	from.idx = r->cleared;
	summed = r->nr;
	if (summed) {
		from.pos = r->run[r->nr - 1].to_pos;
		from.idx = r->run[r->nr - 1].to_idx;
		from.to_ts = r->run[r->nr - 1].to_ts;
		keep_good(r, sums, chunks, from.pos);
	}
	first = r->nr;
	check_widen(commit, &from, &last);
	add_places(r, anchors, summed ? &from : NULL, &last);
	walk_rest(r, first, sums, summed ? &from.to_ts : NULL);
	drop_overwritten(r);
	if (r->nr && r->run[r->nr - 1].to_idx > from.idx) {
		from.pos = r->run[r->nr - 1].to_pos;
		from.idx = r->run[r->nr - 1].to_idx;
	}
	r->end = from.idx;
	/*
	 * The end is known if the records lead to the writer's place, or if there are no records
	 * since the last clear. If the number of cleared or of dropped events is lost, the number
	 * of missing events is unknown, too.
	 */
	r->end_known = informed && last.idx == from.idx &&
		       (!(summed || r->nr) || last.pos == from.pos);
	return 0;
}

void persist_ring_put(struct persist_ring *r)
{
	persist_free(r->run);
	r->run = NULL;
	r->nr = 0;
}

/* If the machine ran for at least this time after an oops, it survived the oops; ns. */
#define OOPS_NS	1000000000ULL

static const struct persist_cause *stored_cause(const void *mem)
{
	static const u8 order[] = { PERSIST_PANIC, PERSIST_REBOOT, PERSIST_UNLOADED, PERSIST_OOPS };
	const struct persist_cause *all = mem + PERSIST_CAUSES_AT;
	u32 i;

	for (i = 0; i < sizeof(order); i++)
		if (PERSIST_OK(&all[order[i] - 1]) && all[order[i] - 1].why == order[i])
			return &all[order[i] - 1];
	return NULL;
}

/**
 * persist_check_cause() - determine why the machine went down
 * @mem: the region
 * @last: newest time of all events and clocks
 * @cause: filled in
 *
 * Several causes may be stored. A panic is preferred to a reboot, a reboot to the removal of the
 * module, and the removal to an oops. If the machine survived an oops, it went down without notice.
 * Then the text also says how long before that the oops was, because the oops may be the reason.
 */
void persist_check_cause(const void *mem, u64 last, struct persist_cause *cause)
{
	static const char none[] = "watchdog or power: the machine went down without notice";
	const struct persist_cause *c = stored_cause(mem);

	memset(cause, 0, sizeof(*cause));
	if (!c) {
		strcpy(cause->text, none);
	} else if (c->why == PERSIST_OOPS && last > c->ts && last - c->ts > OOPS_NS) {
		snprintf(cause->text, sizeof(cause->text), "%s, %u s after an %.100s", none,
			 (u32)div_u64(last - c->ts, 1000000000), c->text);
	} else {
		*cause = *c;
		cause->text[sizeof(c->text) - 1] = 0;
	}
}
