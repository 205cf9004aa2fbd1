// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim.c - the simulation; see sim.h
 *
 * The checks, in the order of the invariants in kmod/ring/ring.h:
 * - commit covers only records that their writers have filled in;
 * - the tail moves by whole records, except padding, never past commit, and only a little
 *   further than the current event needs;
 * - the contents of [tail, commit) equal the list, byte for byte;
 * - indices and wide positions always equal those of the list;
 * - an event is dropped, and counted, only if unfinished ones leave no room;
 * - time never decreases;
 * - a reader gets the list's records, and the others are counted as lost;
 * - nothing older follows once a reader was told so;
 * - all_of_find() finds the first record of a time.
 */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"
#include "steps.h"

#define BUF_UNITS	2048
#define STEPS_MAX	50000000

/* A record of the list. */
struct truth {
	u64	pos;		/* begin of its padding, or of itself */
	u64	ts;
	u32	serial;
	u16	pad, units, len;
	u8	type;
	bool	done;		/* filled in by its writer */
};

/* An event being written into the ring. */
struct op {
	struct op	*below;
	unsigned int	len;
	u8		type;
	u64		ts, idx;
	bool		taken;
};

struct reader {
	struct ring_place at;
	u64	first, read, lost, bound;
};

u64 sim_seed;
struct sim_totals sim_totals;

static struct {
	struct ring	ring;
	struct sim_config c;
	bool		on;
	int		who;		/* the active reader, -1 for a writer */
	bool		reader_below;	/* a reader is active or was overtaken */
	unsigned int	depth, budget;
	struct op	*op;
	u64		rng, clock, last_ts;
	u64		steps;		/* since the last operation began */
	unsigned int	interrupt_at, burst;	/* parameters of sim_interrupt() */
	u32		serial;
	struct ring_place first, head, tail, commit, cleared;
	u64		dropped;
	struct truth	*list;
	u64		list_mask;
	struct reader	readers[SIM_READERS];
	u64		buf[BUF_UNITS];
} s;

void sim_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	s.on = false;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n# ring of %lu bytes from position %#x, index %#x; SEED=%llu\n",
	       s.c.size, s.c.pos, s.c.idx, (unsigned long long)sim_seed);
	fflush(stdout);
	_exit(1);
}

static u32 random32(void)
{
	s.rng ^= s.rng >> 12;
	s.rng ^= s.rng << 25;
	s.rng ^= s.rng >> 27;
	return s.rng * 0x2545f4914f6cdd1dULL >> 32;
}

u32 sim_random(u32 n)
{
	return (u64)random32() * n >> 32;
}

bool sim_chance(unsigned int of_one)
{
	return of_one && sim_random(SIM_ONE) < of_one;
}

void sim_seed_from_env(void)
{
	const char *seed = getenv("SEED");

	if (seed && *seed)
		sim_seed = strtoull(seed, NULL, 0);
	else
		sim_seed = (u64)time(NULL) << 20 ^ (u64)getpid();
	s.rng = (sim_seed ^ 0x9e3779b97f4a7c15ULL) | 1;
	printf("# SEED=%llu\n", (unsigned long long)sim_seed);
	fflush(stdout);
}

/* The list */

static struct truth *truth(u64 idx)
{
	return &s.list[idx & s.list_mask];
}

/* True if the list still has this record. */
static bool known(u64 idx)
{
	return idx < s.head.idx && idx >= s.first.idx &&
	       s.head.idx - idx <= s.list_mask;
}

static void check_place(const struct ring_place *p, const char *what)
{
	const struct truth *t;

	sim_check(p->idx <= s.head.idx && p->pos <= s.head.pos && p->idx >= s.first.idx,
		  "%s at position %#llx index %#llx, head %#llx %#llx", what,
		  (unsigned long long)p->pos, (unsigned long long)p->idx,
		  (unsigned long long)s.head.pos, (unsigned long long)s.head.idx);
	if (p->idx == s.head.idx) {
		sim_check(p->pos == s.head.pos, "%s is not the head", what);
		return;
	}
	if (!known(p->idx))
		return;
	t = truth(p->idx);
	sim_check(p->pos == t->pos || p->pos == t->pos + t->pad,
		  "%s: record %#llx is at %#llx, not %#llx", what,
		  (unsigned long long)p->idx, (unsigned long long)t->pos,
		  (unsigned long long)p->pos);
}

static u64 content(u32 serial, unsigned int i)
{
	u64 x = (u64)serial << 16 | i;

	x *= 0x9e3779b97f4a7c15ULL;
	return x ^ x >> 29;
}

/* The record at @w must be record @idx of the list. */
static void check_record(const u64 *w, u64 idx)
{
	const struct ring_record *rec = (const void *)w;
	const struct truth *t = truth(idx);
	unsigned int i;

	sim_check(known(idx), "index %#llx", (unsigned long long)idx);
	sim_check(t->done, "record %#llx is not complete", (unsigned long long)idx);
	sim_check(rec->word >> RING_TYPE_SHIFT == t->type);
	sim_check(ring_ts(rec->word, s.clock) == t->ts, "%llx is not %llx",
		  (unsigned long long)ring_ts(rec->word, s.clock),
		  (unsigned long long)t->ts);
	sim_check(rec->len == t->len && rec->who == t->serial,
		  "torn: len %u is not %u, or serial %u not %u", rec->len, t->len,
		  rec->who, t->serial);
	sim_check(ring_record_units(rec) == t->units);
	sim_check(!t->len || *(const u16 *)rec->data == (u16)content(t->serial, 0));
	for (i = 2; i < t->units; i++)
		sim_check(w[i] == content(t->serial, i), "torn at word %u", i);
}

/* Check all memory between tail and commit. */
static void check_content(void)
{
	struct ring_place at = s.tail;

	while (at.pos < s.commit.pos) {
		const u64 *w = ring_at(&s.ring, (u32)at.pos);
		const struct truth *t = truth(at.idx);

		check_place(&at, "content");
		if (t->pad && at.pos == t->pos) {
			sim_check(*w == t->pad, "padding of %llu", (unsigned long long)*w);
			at.pos += t->pad;
			continue;
		}
		check_record(w, at.idx);
		at.pos += t->units;
		at.idx++;
	}
	sim_check(at.pos == s.commit.pos && at.idx == s.commit.idx);
}

/* Callbacks of the ring, checked */

static u32 padding(u64 pos, u32 units)
{
	u32 off = pos & s.ring.mask;

	return off + units > s.ring.mask + 1 ? s.ring.mask + 1 - off : 0;
}

static void took_room(u64 old, u64 new)
{
	struct op *op = s.op;
	u32 units = (RING_HEADER + op->len + 7) / 8;
	u32 pad = padding(s.head.pos, units);
	struct truth *t = truth(s.head.idx);

	sim_check(old == ring_word(s.head.pos, s.head.idx));
	sim_check((u32)new == (u32)(s.head.pos + pad + units), "room taken");
	sim_check((u32)(new >> 32) == (u32)(s.head.idx + 1), "index");
	sim_check(s.head.pos + pad + units - s.tail.pos <= s.ring.mask + 1,
		  "taken before it was free");
	sim_check(op->ts >= s.last_ts, "time runs backwards");
	s.last_ts = op->ts;
	*t = (struct truth) {
		.pos = s.head.pos,
		.ts = op->ts,
		.serial = ++s.serial,
		.pad = pad,
		.units = units,
		.len = op->len,
		.type = op->type,
	};
	op->idx = s.head.idx;
	op->taken = true;
	s.head.pos += pad + units;
	s.head.idx++;
}

static void evicted(u64 old, u64 new)
{
	u32 size = s.ring.mask + 1, ahead = min(size / 64, 512U);
	u32 units = (RING_HEADER + s.op->len + 7) / 8;
	u64 end = s.head.pos + padding(s.head.pos, units) + units;
	struct ring_place next = s.tail;

	sim_check(old == ring_word(s.tail.pos, s.tail.idx));
	sim_check(end - s.tail.pos > size, "evicted without need");
	do {
		const struct truth *t = truth(next.idx);

		sim_check(next.pos < s.commit.pos, "evicted what is not complete");
		sim_check(end + ahead > next.pos + size, "evicted more than is wanted");
		if (t->pad && next.pos == t->pos) {
			next.pos += t->pad;
		} else {
			next.pos += t->units;
			next.idx++;
		}
	} while ((int32_t)((u32)new - (u32)next.pos) > 0);
	sim_check(new == ring_word(next.pos, next.idx), "tail moved to %#llx, not %#llx",
		  (unsigned long long)new,
		  (unsigned long long)ring_word(next.pos, next.idx));
	s.tail = next;
}

void ring_port_exchanged(const void *w, u64 old, u64 new)
{
	if (!s.on)
		return;
	sim_check(s.who < 0, "a reader writes");
	if (w == &s.ring.head)
		took_room(old, new);
	else if (w == &s.ring.tail)
		evicted(old, new);
	else
		sim_fail(__FILE__, __LINE__, "exchanged something else");
}

void ring_port_released(const void *w, u64 v)
{
	struct ring_place to = s.commit;

	if (!s.on || w != &s.ring.commit)
		return;
	sim_check(s.who < 0, "a reader writes");
	to.pos += (u32)((u32)v - (u32)s.commit.pos);
	to.idx += (u32)((u32)(v >> 32) - (u32)s.commit.idx);
	check_place(&to, "commit");
	while (s.commit.idx < to.idx) {
		sim_check(truth(s.commit.idx)->done, "committed before it was complete");
		s.commit.idx++;
	}
	s.commit = to;
}

u64 ring_port_clock(void)
{
	if (sim_chance(SIM_ONE / 2))
		s.clock += sim_random(200);
	if (sim_chance(SIM_ONE / 1024))
		s.clock += random32();
	if (s.op && s.who < 0)
		s.op->ts = s.clock;
	return s.clock;
}

static void at_work(int who)
{
	s.who = who;
	weak_reader(who);
}

/* Writing */

static void emit_record(void)
{
	struct op op = { .below = s.op };
	struct ring_record *rec;
	bool crossed = false, passed;
	struct truth *t;
	u64 now = 0, end;
	u32 units, i;

	op.len = sim_chance(SIM_ONE / 8) ? sim_random(s.c.len + 1) :
					  sim_random(min(s.c.len + 1, 33U));
	op.type = 1 + sim_random(255);
	units = (RING_HEADER + op.len + 7) / 8;
	s.op = &op;
	rec = ring_reserve(&s.ring, op.len, op.type, &now, &crossed);
	s.op = op.below;
	if (!rec) {
		sim_check(!op.taken, "dropped, and room taken");
		s.dropped++;
		sim_totals.drops++;
		sim_check(s.head.pos + padding(s.head.pos, units) + units -
			  s.commit.pos > s.ring.mask + 1, "dropped without need");
		return;
	}
	sim_check(op.taken && now == op.ts);
	t = truth(op.idx);
	end = t->pos + t->pad + t->units;
	passed = t->pos >> s.ring.block_shift != end >> s.ring.block_shift;
	/* The first record of the ring may report it again. */
	sim_check(crossed == passed || (crossed && (u8 *)rec == s.ring.data));
	if (passed) {
		const ring_word_t *a = &s.ring.anchors[(end & s.ring.mask) >>
						       s.ring.block_shift];

		sim_check(!memcmp(a, &(u64){ ring_word(end, op.idx + 1) }, sizeof(u64)),
			  "anchor");
	}
	sim_check((u64 *)rec == (u64 *)s.ring.data + ((t->pos + t->pad) & s.ring.mask));
	sim_totals.events++;

	ring_put32(&rec->who, t->serial);
	if (op.len)
		ring_put16((u16 *)rec->data, content(t->serial, 0));
	for (i = 2; i < units; i++)
		ring_put64((u64 *)rec + i, content(t->serial, i));
	t->done = true;
}

/* One writer, from enter to leave. */
static void emit(void)
{
	const int who = s.who;

	at_work(-1);
	s.depth++;
	ring_enter(&s.ring);
	do {
		emit_record();
	} while (sim_chance(SIM_ONE / 8));
	ring_leave(&s.ring);
	s.depth--;
	if (!s.depth) {
		sim_check(s.commit.pos == s.head.pos && s.commit.idx == s.head.idx,
			  "the last one out did not move commit");
		sim_check(!s.ring.nest);
	}
	at_work(who);
}

static void emit_burst(unsigned int max)
{
	unsigned int n = 1;

	if (max > 1 && sim_chance(SIM_ONE / 16))
		n += sim_random(max);
	while (n-- && s.budget) {
		s.budget--;
		emit();
	}
}

/* Reading */

static struct ring_place view_and_check(bool *busy)
{
	struct ring_place tail = s.tail, commit = s.commit, head = s.head;
	struct ring_view v;

	ring_view(&s.ring, &v);
	*busy = v.busy;
	check_place(&v.tail, "tail");
	check_place(&v.commit, "commit");
	check_place(&v.head, "head");
	sim_check(v.tail.pos <= v.commit.pos && v.commit.pos <= v.head.pos);
	sim_check(v.tail.idx <= v.commit.idx && v.commit.idx <= v.head.idx);
	if (!sim_weak) {
		sim_check(v.tail.pos >= tail.pos && v.tail.pos <= s.tail.pos);
		sim_check(v.commit.pos >= commit.pos && v.commit.pos <= s.commit.pos);
		sim_check(v.head.pos >= head.pos && v.head.pos <= s.head.pos);
	}
	return v.commit;
}

/* Take all or some of the fetched records. */
static void take(struct reader *rd, u32 n)
{
	bool all = sim_chance(SIM_ONE / 2);
	u32 i = 0;

	while (i < n && (all || !sim_chance(SIM_ONE / 32))) {
		const struct ring_record *rec = (const void *)&s.buf[i];
		const struct truth *t = truth(rd->at.idx);
		u32 units;

		if (rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD) {
			units = (u32)rec->word;
			sim_check(rd->at.pos == t->pos && units == t->pad && units);
			rd->at.pos += units;
			i += units;
			continue;
		}
		if (n - i < 2 || ring_record_units(rec) > n - i)
			break;
		sim_check(rd->at.pos == t->pos + t->pad);
		check_record(&s.buf[i], rd->at.idx);
		sim_check(t->ts >= rd->bound, "an older event after its bound");
		rd->at.pos += t->units;
		rd->at.idx++;
		rd->read++;
		sim_totals.reads++;
		i += t->units;
	}
}

static bool fetch(struct reader *rd)
{
	const u32 largest = ring_units(s.ring.gate - 1);
	u32 n, limit = largest + sim_random(BUF_UNITS - largest);
	struct ring_place was = rd->at, commit = s.commit;
	bool busy;
	u64 lost, now;

	now = ring_clock();
	smp_mb();
	view_and_check(&busy);
	lost = ring_fetch(&s.ring, &rd->at, limit, s.buf, &n);
	sim_check(n <= limit);
	sim_check(rd->at.pos >= was.pos && lost == rd->at.idx - was.idx,
		  "lost %llu of %llu", (unsigned long long)lost,
		  (unsigned long long)(rd->at.idx - was.idx));
	check_place(&rd->at, "reader");
	if (!sim_weak)
		sim_check(n || rd->at.pos >= commit.pos, "nothing read");
	rd->lost += lost;
	sim_totals.lost += lost;
	if (!n && !busy && !sim_weak)
		rd->bound = now;
	take(rd, n);
	return n || lost;
}

static void find(void)
{
	u64 oldest = known(s.tail.idx) ? truth(s.tail.idx)->ts : s.clock;
	struct ring_place at, tail = s.tail, commit = s.commit, cleared = s.cleared;
	u64 ts, i;

	switch (sim_random(4)) {
	case 0:		/* the time of a record */
		i = s.tail.idx + sim_random(s.head.idx - s.tail.idx + 1);
		ts = known(i) ? truth(i)->ts : s.clock;
		break;
	case 1:		/* between two, perhaps */
		i = s.tail.idx + sim_random(s.head.idx - s.tail.idx + 1);
		ts = (known(i) ? truth(i)->ts : s.clock) + 1;
		break;
	case 2:
		ts = oldest + sim_random(s.clock - oldest + 100);
		break;
	default:	/* before or after all */
		ts = sim_chance(SIM_ONE / 2) ? 1 : s.clock + 1000000;
		break;
	}
	sim_totals.finds++;
	all_of_find(&s.ring, ts, s.clock + (1ULL << 40), &at, s.buf,
		  ring_units(s.ring.gate - 1) + sim_random(1024));
	check_place(&at, "found");
	sim_check(at.pos >= cleared.pos);
	if (!sim_weak)
		sim_check(at.pos >= tail.pos);
	if (!sim_weak && known(at.idx) && at.idx < commit.idx)
		sim_check(truth(at.idx)->ts >= ts, "found an older one");
	i = s.tail.pos >= s.cleared.pos ? s.tail.idx : s.cleared.idx;
	if (at.idx > i && known(at.idx - 1))
		sim_check(truth(at.idx - 1)->ts < ts, "there is an earlier one");
}

static void oldest(struct reader *rd)
{
	struct ring_place tail = s.tail, at;
	u64 lost;

	ring_oldest(&s.ring, &at, &lost);
	check_place(&at, "oldest");
	sim_check(at.pos >= s.cleared.pos && lost == at.idx - s.cleared.idx);
	if (!sim_weak)
		sim_check(at.pos >= tail.pos || at.pos == s.cleared.pos);
	if (sim_chance(SIM_ONE / 16)) {
		/* A reader that opens anew. */
		rd->at = at;
		rd->first = s.cleared.idx;
		rd->read = 0;
		rd->lost = lost;
		rd->bound = 0;
	}
}

static void clear(void)
{
	struct ring_place commit = s.commit;

	ring_clear(&s.ring);
	s.cleared = s.ring.cleared;
	check_place(&s.cleared, "cleared");
	if (!sim_weak)
		sim_check(s.cleared.pos >= commit.pos && s.cleared.pos <= s.commit.pos);
}

/* A random action of a reading CPU. */
static void read_something(void)
{
	unsigned int who = sim_random(SIM_READERS);
	bool busy;

	s.reader_below = true;
	at_work(who);
	/* Reader 0 comes often, the last one rarely. */
	if (sim_chance(SIM_ONE >> (2 * who)) && sim_chance(SIM_ONE * 3 / 4))
		fetch(&s.readers[who]);
	else if (sim_chance(SIM_ONE / 4))
		find();
	else if (sim_chance(SIM_ONE / 4))
		oldest(&s.readers[who]);
	else if (sim_chance(s.c.clear))
		clear();
	else
		view_and_check(&busy);
	at_work(-1);
	s.reader_below = false;
}

/* A random event may happen here. */
void ring_port_step(void)
{
	const bool reading = s.who >= 0;

	sim_check(++s.steps < STEPS_MAX, "no end is seen");
	if (!s.on)
		return;
	weak_drain();
	if (s.interrupt_at && s.depth == 1 && !--s.interrupt_at) {
		while (s.burst--)
			emit();
		return;
	}
	if (s.budget && s.depth < s.c.depth &&
	    sim_chance(reading ? s.c.overtake : s.c.nest)) {
		if (reading)
			sim_totals.overtakes++;
		else
			sim_totals.nested++;
		emit_burst(s.c.burst);
	} else if (!s.reader_below && s.depth && sim_chance(s.c.peek)) {
		sim_totals.peeks++;
		read_something();
	}
}

/* Running */

void sim_progress(void)
{
	s.steps = 0;
}

/* A value that soon passes a quarter of its range, or the whole, or any value. */
static u32 start_value(void)
{
	u32 before = sim_random(sim_chance(SIM_ONE / 2) ? 100 : 5000);

	return sim_chance(SIM_ONE / 4) ? random32() : (sim_random(4) << 30) - before;
}

void sim_random_config(struct sim_config *c, unsigned long size_max)
{
	/* The chance per step of events: never, rarely, often. */
	static const unsigned int chances[] = { 0, 20, 200, 2000, 10000 };

	*c = (struct sim_config) {
		.size = RING_SIZE_MIN,
		.pos = start_value(),
		.idx = start_value(),
		.clock = (u64)random32() << 10 | 1,
		.nest = chances[sim_random(5)],
		.depth = 1 + sim_random(4),
		.burst = sim_chance(SIM_ONE / 4) ? 300 : 4,
		.overtake = chances[sim_random(5)],
		.peek = chances[sim_random(3)],
		.clear = sim_chance(SIM_ONE / 4) ? SIM_ONE / 8 : 0,
	};
	/* Mostly small rings. */
	while (c->size < size_max && sim_chance(SIM_ONE / 2))
		c->size <<= 1;
	/* Timestamps have 56 bits. */
	if (sim_chance(SIM_ONE / 4))
		c->clock = (1ULL << RING_TYPE_SHIFT) - sim_random(100000);
	c->len = min_t(unsigned long, c->size / 4 - RING_UNIT - RING_HEADER,
		       RING_PAYLOAD_MAX);
	if (sim_chance(SIM_ONE / 2))
		c->len = sim_random(c->len + 1);
}

static void start(const struct sim_config *c)
{
	unsigned int i;
	u64 records = 1024;

	memset(&s.ring, 0, sizeof(s.ring));
	s.c = *c;
	s.who = -1;
	s.clock = c->clock;
	s.last_ts = 0;
	s.serial = random32();
	s.dropped = 0;
	if (ring_init(&s.ring, c->size, c->pos, c->idx))
		sim_fail(__FILE__, __LINE__, "ring_init");
	sim_check(s.ring.gate > c->len);

	s.first.pos = c->pos & ~s.ring.mask;
	s.first.idx = c->idx;
	s.head = s.tail = s.commit = s.cleared = s.first;
	while (records < s.ring.mask * 2ULL)
		records *= 2;
	s.list = calloc(records, sizeof(*s.list));
	s.list_mask = records - 1;
	sim_check(s.list);
	for (i = 0; i < SIM_READERS; i++)
		s.readers[i] = (struct reader) { .at = s.first, .first = s.first.idx };
	weak_begin(&s.ring);
	s.on = true;
}

/* Without writers, the rest is read, and the counts must match. */
static void finish(void)
{
	u64 lost;
	bool busy;
	int i;

	s.budget = 0;
	sim_progress();
	weak_end();
	check_content();
	for (i = 0; i < SIM_READERS; i++) {
		struct reader *rd = &s.readers[i];

		at_work(i);
		view_and_check(&busy);
		sim_check(!busy);
		while (fetch(rd))
			;
		sim_check(rd->at.pos == s.head.pos && rd->at.idx == s.head.idx);
		sim_check(rd->read + rd->lost == s.head.idx - rd->first,
			  "reader %d: %llu read, %llu lost of %llu", i,
			  (unsigned long long)rd->read, (unsigned long long)rd->lost,
			  (unsigned long long)(s.head.idx - rd->first));
		at_work(-1);
	}
	lost = ring_count_read(&s.ring.dropped[RING_DROP_BUSY]);
	sim_check(lost == s.dropped, "%llu drops counted, %llu seen",
		  (unsigned long long)lost, (unsigned long long)s.dropped);
	s.on = false;
	weak_free();
	ring_free(&s.ring);
	free(s.list);
}

/**
 * sim_run() - simulate one ring
 * @c: its parameters
 * @ops: number of operations on the outermost level
 */
void sim_run(const struct sim_config *c, unsigned int ops)
{
	unsigned int i;

	start(c);
	for (i = 0; i < ops; i++) {
		s.budget = c->burst * 4;
		sim_progress();
		if (sim_chance(SIM_ONE * 2 / 3))
			emit_burst(c->burst);
		else
			read_something();
		/* About once per lap. */
		if (!sim_random((s.ring.mask + 1) / 8))
			check_content();
	}
	finish();
}

/**
 * sim_interrupt() - simulate one ring, with one interrupt at a given point
 * @c: its parameters
 * @before: number of writers before
 * @step: access of the next writer before which the interrupt comes
 * @burst: number of events of the interrupt
 *
 * Return: false if that writer makes fewer accesses.
 */
bool sim_interrupt(const struct sim_config *c, unsigned int before, unsigned int step,
		   unsigned int burst)
{
	bool was;

	start(c);
	sim_progress();
	while (before--)
		emit();
	s.interrupt_at = step;
	s.burst = burst;
	emit();
	was = !s.interrupt_at;
	s.interrupt_at = 0;
	finish();
	return was;
}

void sim_print_totals(void)
{
	const struct sim_totals *t = &sim_totals;

	printf("# %llu events, %llu dropped, %llu interrupts, %llu read, %llu lost, ",
	       (unsigned long long)t->events, (unsigned long long)t->drops,
	       (unsigned long long)t->nested, (unsigned long long)t->reads,
	       (unsigned long long)t->lost);
	printf("%llu searches, %llu overtaken, %llu half-done looks\n",
	       (unsigned long long)t->finds, (unsigned long long)t->overtakes,
	       (unsigned long long)t->peeks);
	fflush(stdout);
}
