// SPDX-License-Identifier: GPL-2.0-only
/*
 * weak.c - a machine with weak memory order for the simulation
 *
 * The writer's CPU sees its own stores at once. They become visible to others later and in any
 * order, except that
 * - stores to one place keep their order,
 * - none passes a write barrier, and
 * - a release waits for all stores before it.
 *
 * A place keeps its last values and the times at which they became visible. A reader's load
 * returns any of them, except that
 * - no place goes back in time, and
 * - after a read barrier or an acquire, nothing is older than what was read before.
 *
 * This is weaker than all machines that Linux runs on, apart from dependencies, which the ring
 * does not rely on.
 */
#include "sim.h"

#define VALUES		16	/* kept per place */
#define PENDING		96	/* stores not visible yet */
#define PLACES_FIXED	6

struct place {
	u64	seen[SIM_READERS];	/* time of the value read last */
	u64	when[VALUES];
	u64	value[VALUES];
	u32	n;			/* values so far */
};

/* A store that is not visible yet; without a place, a write barrier. */
struct store {
	struct place	*place;
	u64		value;
	bool		release;
};

struct fixed {
	const void	*at;
	size_t		size;
};

static struct {
	struct ring	*ring;
	struct fixed	fixed[PLACES_FIXED];
	struct place	*places;	/* the fixed ones, anchors, data */
	u32		nr_anchors;
	struct store	pending[PENDING];
	u32		nr_pending;
	u64		now;		/* number of stores that became visible */
	u64		oldest[SIM_READERS];	/* older values cannot be read */
	u64		newest[SIM_READERS];	/* time of the newest value read */
	int		who;
	bool		in_order;	/* like x86 */
} w;

static u32 nr_places(void)
{
	return PLACES_FIXED + w.nr_anchors + w.ring->mask + 1;
}

static struct place *find_place(const void *p)
{
	const struct ring *r = w.ring;
	size_t off;
	u32 i;

	if (!r)
		return NULL;
	off = (const u8 *)p - r->data;
	if ((const u8 *)p >= r->data && off < (size_t)(r->mask + 1) * RING_UNIT)
		return &w.places[PLACES_FIXED + w.nr_anchors + off / RING_UNIT];
	for (i = 0; i < PLACES_FIXED; i++)
		if (p == w.fixed[i].at)
			return &w.places[i];
	off = (const u8 *)p - (const u8 *)r->anchors;
	if ((const u8 *)p >= (const u8 *)r->anchors && off < w.nr_anchors * sizeof(u64))
		return &w.places[PLACES_FIXED + off / sizeof(u64)];
	return NULL;
}

static u64 plain_load(const void *p, size_t size)
{
	u64 v = 0;

	switch (size) {
	case 2:
		return *(const u16 *)p;
	case 4:
		return *(const u32 *)p;
	default:
		memcpy(&v, p, sizeof(v));
		return v;
	}
}

static void plain_store(void *p, u64 v, size_t size)
{
	switch (size) {
	case 2:
		*(u16 *)p = v;
		break;
	case 4:
		*(u32 *)p = v;
		break;
	default:
		memcpy(p, &v, sizeof(v));
		break;
	}
}

/* The contents of the place with @p, as the writer sees them. */
static u64 whole(const void *p, const struct place *place, size_t size)
{
	if (place < &w.places[PLACES_FIXED])
		return plain_load(p, size);
	return plain_load((const void *)((uintptr_t)p & ~(uintptr_t)7), sizeof(u64));
}

static void appear(struct place *place, u64 value)
{
	u32 i = place->n++ % VALUES;

	place->value[i] = value;
	place->when[i] = ++w.now;
}

static void remove_store(u32 i)
{
	w.nr_pending--;
	memmove(&w.pending[i], &w.pending[i + 1],
		(w.nr_pending - i) * sizeof(w.pending[0]));
	/* A barrier without stores before it is complete. */
	while (w.nr_pending && !w.pending[0].place) {
		w.nr_pending--;
		memmove(&w.pending[0], &w.pending[1],
			w.nr_pending * sizeof(w.pending[0]));
	}
}

/* Make one of the possible stores visible. */
static void drain_one(void)
{
	u32 i, n = 0, pick;

	while (n < w.nr_pending && w.pending[n].place)
		n++;
	if (!n)
		return;
	pick = w.in_order ? 0 : sim_random(n);
	for (i = 0; w.pending[i].place != w.pending[pick].place; i++)
		;
	if (w.pending[i].release)
		i = 0;
	appear(w.pending[i].place, w.pending[i].value);
	remove_store(i);
}

void weak_drain(void)
{
	while (w.ring && w.nr_pending && sim_chance(SIM_ONE / 3))
		drain_one();
}

static void add_store(struct place *place, u64 value, bool release)
{
	if (w.nr_pending == PENDING)
		drain_one();
	w.pending[w.nr_pending++] = (struct store) { place, value, release };
}

static void store(void *p, u64 v, size_t size, bool release)
{
	struct place *place = find_place(p);

	plain_store(p, v, size);
	if (!place)
		return;
	sim_check(w.who < 0, "a reader writes");
	add_store(place, whole(p, place, size), release);
}

void weak_store(void *p, u64 v, size_t size)
{
	store(p, v, size, false);
}

void weak_store_release(void *p, u64 v, size_t size)
{
	store(p, v, size, true);
}

bool weak_cmpxchg64(void *p, u64 old, u64 new)
{
	if (plain_load(p, sizeof(u64)) != old)
		return false;
	store(p, new, sizeof(u64), false);
	return true;
}

void weak_wmb(void)
{
	if (!w.ring || !w.nr_pending || !w.pending[w.nr_pending - 1].place)
		return;
	add_store(NULL, 0, false);
}

/* One of the values that the active reader may see, and its time. */
static u64 read_place(struct place *place, u64 *when)
{
	u64 oldest = w.oldest[w.who];
	u32 first, last = place->n - 1, i;

	if (oldest < place->seen[w.who])
		oldest = place->seen[w.who];
	first = place->n > VALUES ? place->n - VALUES : 0;
	/* The value at that time, or a later one. */
	while (first < last && place->when[(first + 1) % VALUES] <= oldest)
		first++;
	i = sim_chance(SIM_ONE / 2) ? last : first + sim_random(last - first + 1);
	*when = place->when[i % VALUES];
	place->seen[w.who] = *when;
	if (w.newest[w.who] < *when)
		w.newest[w.who] = *when;
	return place->value[i % VALUES];
}

u64 weak_load(const void *p, size_t size)
{
	struct place *place = w.who < 0 ? NULL : find_place(p);
	u64 when;

	return place ? read_place(place, &when) : plain_load(p, size);
}

u64 weak_load_acquire(const void *p, size_t size)
{
	struct place *place = w.who < 0 ? NULL : find_place(p);
	u64 when, v;

	if (!place)
		return plain_load(p, size);
	v = read_place(place, &when);
	if (w.oldest[w.who] < when)
		w.oldest[w.who] = when;
	return v;
}

void weak_rmb(void)
{
	if (w.who >= 0 && w.oldest[w.who] < w.newest[w.who])
		w.oldest[w.who] = w.newest[w.who];
}

/* The copy may be made in any order. */
void weak_copy(void *dst, const void *src, u32 units)
{
	u32 i, j, from = sim_random(units);

	for (i = 0; i < units; i++) {
		j = (from + i) % units;
		ring_port_step();
		((u64 *)dst)[j] = weak_load((const u64 *)src + j, sizeof(u64));
	}
}

void weak_reader(int reader)
{
	w.who = reader;
}

/* The present contents of the ring are visible to all. */
void weak_begin(struct ring *r)
{
	u32 i;

	w.ring = r;
	w.nr_anchors = (r->mask + 1) >> r->block_shift;
	w.fixed[0] = (struct fixed) { port_word(&r->head), sizeof(u64) };
	w.fixed[1] = (struct fixed) { port_word(&r->tail), sizeof(u64) };
	w.fixed[2] = (struct fixed) { port_word(&r->commit), sizeof(u64) };
	w.fixed[3] = (struct fixed) { &r->nest, sizeof(r->nest) };
	w.fixed[4] = (struct fixed) { &r->pos_epoch, sizeof(r->pos_epoch) };
	w.fixed[5] = (struct fixed) { &r->idx_epoch, sizeof(r->idx_epoch) };
	w.nr_pending = 0;
	w.now = 0;
	w.who = -1;
	w.in_order = sim_chance(SIM_ONE / 8);
	memset(w.oldest, 0, sizeof(w.oldest));
	memset(w.newest, 0, sizeof(w.newest));
	w.places = calloc(nr_places(), sizeof(*w.places));
	sim_check(w.places);
	for (i = 0; i < PLACES_FIXED; i++)
		appear(&w.places[i], plain_load(w.fixed[i].at, w.fixed[i].size));
	for (i = 0; i < w.nr_anchors; i++)
		appear(&w.places[PLACES_FIXED + i], plain_load(&r->anchors[i], sizeof(u64)));
	for (i = 0; i <= r->mask; i++)
		appear(&w.places[PLACES_FIXED + w.nr_anchors + i], 0);
}

void weak_free(void)
{
	free(w.places);
	w.ring = NULL;
}

/* Everything becomes visible to all. */
void weak_end(void)
{
	int i;

	while (w.nr_pending)
		drain_one();
	for (i = 0; i < SIM_READERS; i++)
		w.oldest[i] = w.now;
}
