// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_attack.c - lanes with arbitrary contents
 *
 * A program writes anything into its own lane, in steps and at random, while others emit
 * numbered events into another lane and by system call. Those must be read in order, and the
 * numbers read and lost must add up. The stream must have only valid frames. Events from the
 * hostile lane must be events that a program may emit, with a time not before the previous event
 * and not in the future. An invalid lane is reported once, and closed; events that the kernel
 * took before stay unchanged.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define TYPE	DEVTRACE_T_USER
#define HONEST	0x600d0001
#define RINGS	0x600d0002
#define EVIL	0x600d0bad

/* Events seen by a reader. Sources of lanes come after those of CPUs. */
struct account {
	struct tape	*t;
	int		fd;
	uint16_t	cpus, honest;
	bool		sought;		/* after a seek: numbers are not checked */
	uint64_t	read[2];	/* of HONEST, RINGS */
	uint64_t	lost[2];
	uint64_t	next[2];	/* next expected number */
	uint64_t	bad_lanes;	/* LOST frames for an invalid lane */
	uint64_t	from_evil, late;
	uint64_t	wrong;
};

static void complain(struct account *a, const char *what, uint64_t n)
{
	if (a->wrong++ < 10)
		dev_say("%s: %llu", what, (unsigned long long)n);
}

static bool legal(const struct devtrace_event *e)
{
	const uint8_t flags = e->flags & ~(DEVTRACE_F_USER | DEVTRACE_F_LATE);

	if (e->type < DEVTRACE_T_USER || (e->type >= DEVTRACE_T_KERNEL && e->type < DEVTRACE_T_USER2)) {
		if (e->type == DEVTRACE_T_EMPTY || e->type == DEVTRACE_T_ENUM ||
		    (e->type >= DEVTRACE_T_CLOCK && e->type <= DEVTRACE_T_PROC) ||
		    e->type >= DEVTRACE_T_KERNEL)
			return false;
	}
	return e->flags & DEVTRACE_F_USER && !(flags & ~DEVTRACE_F_MASK_EMIT) &&
	       (!e->severity || e->severity >> 3 == 1);
}

static void numbered(struct account *a, int who, uint64_t nr)
{
	if (!a->sought && nr != a->next[who])
		complain(a, who ? "number of a ring" : "number of the honest lane", nr);
	a->next[who] = nr + 1;
	a->read[who]++;
}

static void one_event(struct account *a, const struct devtrace_event *e)
{
	const struct tape_event *ev = &a->t->ev[a->t->nev - 1];

	/* A lane may claim any CPU for its events. */
	if (e->source < a->cpus && ev->tag == RINGS) {
		numbered(a, 1, ev->nr);
		return;
	}
	if (e->source == a->honest) {
		if (ev->tag != HONEST || e->flags & ~(DEVTRACE_F_USER | DEVTRACE_F_LATE))
			complain(a, "an event of the honest lane is not its own", ev->tag);
		else
			numbered(a, 0, ev->nr);
		return;
	}
	a->from_evil++;
	a->late += !!(e->flags & DEVTRACE_F_LATE);
	if (!legal(e))
		complain(a, "an event that no program may emit, type", e->type);
	if (e->ts > dev_now() + NSEC / 1000)
		complain(a, "an event of the future", e->ts);
}

static void one_loss(struct account *a, const struct devtrace_lost *l)
{
	int who = l->source < a->cpus;

	if (l->cause == DEVTRACE_LOST_LANE) {
		if (l->source < a->cpus || l->source == a->honest || l->count)
			complain(a, "a bad lane that is none, source", l->source);
		a->bad_lanes++;
		return;
	}
	if (!who && l->source != a->honest)
		return;
	a->lost[who] += l->count;
	a->next[who] += l->count;
}

static void each(struct tape *t, const struct devtrace_item *i)
{
	struct account *a = t->arg;

	if (i->kind == DEVTRACE_ITEM_EVENT)
		one_event(a, &i->u.event);
	else if (i->kind == DEVTRACE_ITEM_LOST)
		one_loss(a, &i->u.lost);
}

static void account_open(struct account *a, uint16_t honest)
{
	struct devtrace_stats st;

	memset(a, 0, sizeof(*a));
	dev_stats(-1, &st);
	a->cpus = st.nr_cpus;
	a->honest = honest;
	a->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	a->t = tape_new();
	a->t->each = each;
	a->t->arg = a;
}

/* Read up to @most bytes; events are counted and dropped. */
static bool account_some(struct account *a, size_t most)
{
	bool ok = tape_some(a->t, a->fd, most) >= 0;

	a->t->nev = 0;
	a->t->ndata = 0;
	return ok;
}

static bool account_drain(struct account *a)
{
	return account_some(a, SIZE_MAX);
}

static bool account_right(struct account *a)
{
	return tape_clean(a->t) && !a->wrong;
}

static void account_close(struct account *a)
{
	tape_free(a->t);
	close(a->fd);
}

FIXTURE(attack) {
	int		wfd;
	struct lane	honest, evil;
	struct account	a;
	uint32_t	nr;		/* events of each honest writer */
	uint64_t	found;		/* events of the hostile lane that a new reader gets */
};

FIXTURE_SETUP(attack)
{
	dev_seed();
	/* One CPU, so one ring: its events are in the order of their numbers */
	ASSERT_EQ(0, dev_pin(0));
	ASSERT_EQ(0, dev_load("size=256K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_open(&self->honest, self->wfd, 0));
	account_open(&self->a, self->honest.head->source);
	ASSERT_LE(0, self->a.fd);
}

FIXTURE_TEARDOWN(attack)
{
	account_close(&self->a);
	lane_close(&self->honest);
	if (self->evil.head)
		lane_close(&self->evil);
	close(self->wfd);
	dev_pin(-1);
	EXPECT_EQ(0, dev_done());
}

static void emit_honest(FIXTURE_DATA(attack) *self, int n)
{
	for (; n--; self->nr++) {
		lane_mark(&self->honest, TYPE, HONEST, self->nr);
		dev_emit_mark(self->wfd, TYPE, RINGS, self->nr);
	}
}

/* A lane with two full blocks and one incomplete block, from which nothing was taken. */
static int evil_anew(FIXTURE_DATA(attack) *self)
{
	int i;

	if (self->evil.head)
		lane_close(&self->evil);
	if (lane_open(&self->evil, self->wfd, 2 * DEVTRACE_LANE_MIN))
		return -1;
	self->evil.dev = -1;
	for (i = 0; self->evil.n != self->evil.head->first + 2 || i % 64; i++)
		lane_mark(&self->evil, TYPE, EVIL, i);
	return 0;
}

/*
 * Examine the state in all ways, with a permanent reader and new ones. Returns whether the
 * permanent reader was told of an invalid lane.
 */
static bool look(FIXTURE_DATA(attack) *self, struct __test_metadata *_metadata)
{
	const uint64_t before = self->a.bad_lanes;
	struct devtrace_stats st;
	struct account b;
	int i;

	account_open(&b, self->honest.head->source);
	b.sought = true;
	EXPECT_TRUE(account_drain(&b));
	EXPECT_GE(1, b.bad_lanes);
	self->found = b.from_evil;
	EXPECT_LE(0, lseek(b.fd, dev_now() - NSEC / 1000, SEEK_SET));
	EXPECT_TRUE(account_drain(&b));
	EXPECT_LE(0, lseek(b.fd, 0, SEEK_END));
	EXPECT_TRUE(account_drain(&b));
	EXPECT_LE(0, lseek(b.fd, 0, SEEK_DATA));
	EXPECT_TRUE(account_drain(&b));
	EXPECT_TRUE(account_right(&b));
	account_close(&b);
	EXPECT_EQ(0, dev_stats(-1, &st));

	/* A lane that claims to be busy delays the others by 10 ms */
	for (i = 0; i < 1000; i++) {
		EXPECT_TRUE(account_drain(&self->a));
		if (self->nr == self->a.read[0] + self->a.lost[0] &&
		    self->nr == self->a.read[1] + self->a.lost[1])
			break;
		dev_sleep_ms(1);
	}
	EXPECT_GE(before + 1, self->a.bad_lanes);
	EXPECT_TRUE(account_right(&self->a));
	EXPECT_EQ(self->nr, self->a.read[0] + self->a.lost[0]);
	EXPECT_EQ(self->nr, self->a.read[1] + self->a.lost[1]);
	if (self->a.bad_lanes != before)
		EXPECT_EQ(DEVTRACE_LANE_CLOSED, self->evil.head->state);
	return self->a.bad_lanes != before;
}

/* The k-th replacement for a number of @bits. */
static uint64_t odd_value(int k, uint64_t was, unsigned int bits)
{
	const uint64_t mask = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
	const uint64_t v[] = {
		0, 1, ~0ULL, 1ULL << (bits - 1), was + 1, was - 1, was + 2, was - 2, -was, was ^ 0x7f,
		DEVTRACE_LANE_BLOCK + 2,
	};

	return v[k] & mask;
}
#define VALUES	11

/* The fields: two of the head, five per block, three words of a record. */
#define BLOCKS	3
#define FIELDS	(2 + BLOCKS * 8)

#define SWAP(x, bits)	(*was = (x), (x) = odd_value(k, *was, bits))

static uint64_t swap_field(struct lane *l, int field, int k, uint64_t *was)
{
	struct devtrace_lane_block *b;
	uint32_t *w;

	if (field == 0)
		return SWAP(l->head->open, 32);
	if (field == 1)
		return SWAP(l->head->busy, 32);
	b = lane_block(l, l->head->first + (field - 2) / 8);
	w = (uint32_t *)(b + 1);
	switch ((field - 2) % 8) {
	case 0:
		return SWAP(b->time, 64);
	case 1:
		return SWAP(b->count, 64);
	case 2:
		return SWAP(b->number, 32);
	case 3:
		return SWAP(b->used, 16);
	case 4:
		return SWAP(b->cpu, 16);
	default:
		w += (field - 2) % 8 - 5;
		return SWAP(*w, 32);
	}
}

/* Impossible values in the first two blocks, which are full. */
static bool is_nonsense(int field, uint64_t was, uint64_t now)
{
	if (field < 2 || field >= 2 + 2 * 8 || was == now)
		return false;
	switch ((field - 2) % 8) {
	case 1:	/* number of events before this block */
		return field < 2 + 8 ? now > 1ULL << 48 : now < was;
	case 2:
		return true;
	case 3:
		return now & 1 || now > DEVTRACE_LANE_BLOCK ||
		       now < sizeof(struct devtrace_lane_block);
	}
	return false;
}

TEST_F(attack, each_number_is_wrong_in_turn)
{
	int field, k, bad = 0;

	for (field = 0; field < FIELDS; field++) {
		for (k = 0; k < VALUES; k++) {
			const uint64_t before = self->a.bad_lanes;
			uint64_t was, now, in_first, all;
			bool told;

			/* read and clear the events of the previous round */
			EXPECT_TRUE(account_drain(&self->a));
			ASSERT_EQ(0, ioctl(self->a.fd, DEVTRACE_IOC_CLEAR));
			ASSERT_EQ(0, evil_anew(self));
			in_first = lane_block(&self->evil, self->evil.head->first + 1)->count;
			all = self->evil.count;
			emit_honest(self, 5);
			/* in every other round, the kernel has taken everything before */
			if (k & 1)
				EXPECT_TRUE(account_drain(&self->a));
			now = swap_field(&self->evil, field, k, &was);
			emit_honest(self, 5);
			told = look(self, _metadata);
			if (k & 1) {
				/* A later change does not affect them. */
				EXPECT_LE(all, self->found);
				if (field >= 2 && field < 2 + 2 * 8)
					EXPECT_FALSE(told);
			} else if (is_nonsense(field, was, now)) {
				EXPECT_TRUE(told);
				/* No event of an invalid block is read. */
				EXPECT_EQ(field < 2 + 8 ? 0 : in_first, self->found);
			}
			bad += self->a.bad_lanes - before;
			if (!_metadata->passed) {
				dev_say("field %d, value %d", field, k);
				return;
			}
		}
	}
	dev_say("%d of %d were bad lanes", bad, FIELDS * VALUES);
	EXPECT_LT(FIELDS, bad);
}

TEST_F(attack, times_that_cannot_be)
{
	const uint64_t hour = 3600 * NSEC, begin = dev_now();
	struct tape *t;
	size_t i, n = 0;

	ASSERT_EQ(0, lane_open(&self->evil, self->wfd, 0));
	lane_mark(&self->evil, TYPE, EVIL, 0);
	lane_emit_at(&self->evil, dev_now() + hour, TYPE, "later", 5);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(2, t->nev);
	EXPECT_EQ(0, t->ev[0].flags & DEVTRACE_F_LATE);
	EXPECT_EQ(DEVTRACE_F_LATE, t->ev[1].flags & DEVTRACE_F_LATE);
	EXPECT_GT(dev_now() + NSEC / 1000, t->ev[1].ts);
	tape_free(t);

	/* Back to before it was made, in a new block */
	self->evil.used = 0;
	lane_emit_at(&self->evil, begin - hour, TYPE, "sooner", 6);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev; i++) {
		n += !!(t->ev[i].flags & DEVTRACE_F_LATE);
		EXPECT_LT(begin, t->ev[i].ts);
	}
	EXPECT_EQ(3, t->nev);
	EXPECT_EQ(2, n);
	tape_free(t);
}

/*
 * Write a block that claims that many events were overwritten before it, as if blocks were
 * skipped.
 */
static void skip_to(struct lane *l, uint32_t blocks, uint64_t lost)
{
	int i;

	l->n += blocks;
	l->count += lost;
	/* The kernel examines as many as exist. */
	for (i = 0; i < l->nr; i++) {
		l->used = 0;
		lane_mark(l, TYPE, EVIL, 0);
	}
}

/* At most one event per nanosecond is plausible, in one block and in all. */
TEST_F(attack, more_events_than_there_was_time_for)
{
	uint64_t made = dev_now(), lost;
	struct devtrace_stats s;

	ASSERT_EQ(0, lane_open(&self->evil, self->wfd, DEVTRACE_LANE_MIN));
	self->evil.dev = -1;
	lane_mark(&self->evil, TYPE, EVIL, 0);
	dev_sleep_ms(5000);
	lost = (dev_now() - made) / 10 * 9;
	skip_to(&self->evil, 1U << 30, lost);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &s));
	EXPECT_LE(lost, s.dropped[DEVTRACE_LOST_BUSY]);
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->evil.head->state);
	skip_to(&self->evil, 1U << 30, lost);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &s));
	EXPECT_EQ(DEVTRACE_LANE_CLOSED, self->evil.head->state);
	EXPECT_GT(dev_now() - made, s.dropped[DEVTRACE_LOST_BUSY]);
}

/* The first two words of a record in the full form. */
static void put_head(uint8_t *p, uint32_t first, uint32_t second)
{
	const uint32_t w[2] = { first, second };

	memcpy(p, w, sizeof(w));
}

TEST_F(attack, types_and_flags_that_no_program_may_have)
{
	static const struct { uint8_t type, flags, severity; uint16_t len; bool good; } c[] = {
		{ TYPE, 0, 0, 0, true },
		{ TYPE, DEVTRACE_F_MASK_EMIT, 8, 8, true },
		{ TYPE, DEVTRACE_F_CODE, 0, 4, true },
		{ TYPE, DEVTRACE_F_CODE, 0, 3, false },
		{ TYPE, DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG, 0, 7, false },
		{ TYPE, DEVTRACE_F_USER, 0, 8, false },
		{ TYPE, DEVTRACE_F_LATE, 0, 8, false },
		{ TYPE, 0x80, 0, 8, false },
		{ TYPE, 0, 1, 8, false },
		{ TYPE, 0, 16, 8, false },
		{ DEVTRACE_T_EMPTY, 0, 0, 8, false },
		{ DEVTRACE_T_ENUM, 0, 0, 8, false },
		{ DEVTRACE_T_CLOCK, 0, 0, 8, false },
		{ DEVTRACE_T_PROC, 0, 0, 8, false },
		{ DEVTRACE_T_KERNEL, 0, 0, 8, false },
		{ DEVTRACE_T_USER2, 0, 0, 8, true },
		{ TYPE, 0, 0, DEVTRACE_PAYLOAD_MAX, true },
		{ TYPE, 0, 0, DEVTRACE_PAYLOAD_MAX + 1, false },
	};
	uint8_t *p;
	int i;

	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		const uint64_t was = self->a.from_evil, bad = self->a.bad_lanes;

		if (self->evil.head)
			lane_close(&self->evil);
		ASSERT_EQ(0, lane_open(&self->evil, self->wfd, DEVTRACE_LANE_MIN));
		lane_mark(&self->evil, TYPE, EVIL, i);
		p = (uint8_t *)lane_block(&self->evil, self->evil.n) + self->evil.used;
		put_head(p, DEVTRACE_LANE_FULL | (uint32_t)c[i].type << DEVTRACE_LANE_TYPE_SHIFT,
			 c[i].len | (uint32_t)c[i].flags << 16 | (uint32_t)c[i].severity << 24);
		__atomic_store_n(&lane_block(&self->evil, self->evil.n)->used,
				 self->evil.used + 8 + c[i].len + (c[i].len & 1),
				 __ATOMIC_RELEASE);
		look(self, _metadata);
		EXPECT_EQ(was + 1 + c[i].good, self->a.from_evil) TH_LOG("case %d", i);
		EXPECT_EQ(bad + !c[i].good, self->a.bad_lanes) TH_LOG("case %d", i);
		EXPECT_EQ(c[i].good ? DEVTRACE_LANE_OPEN : DEVTRACE_LANE_CLOSED,
			  self->evil.head->state);
	}
}

/*
 * An invalid record found at the end of the lane: events before it are taken, and it is reported
 * once.
 */
TEST_F(attack, bad_when_its_memory_is_gone)
{
	const uint32_t bad = DEVTRACE_LANE_LATE | 0xffff8000U;
	struct tape *t;
	uint8_t *spoilt = NULL;
	size_t i;

	ASSERT_EQ(0, lane_open(&self->evil, self->wfd, DEVTRACE_LANE_MIN));
	for (i = 0; i < 100; i++)
		lane_mark(&self->evil, TYPE, EVIL, i);
	/* The reader has the first half. All are in one block. */
	EXPECT_TRUE(account_drain(&self->a));
	EXPECT_EQ(100, self->a.from_evil);
	for (; i < 160; i++) {
		if (i == 150)
			spoilt = (uint8_t *)lane_block(&self->evil, self->evil.n) + self->evil.used;
		lane_mark(&self->evil, TYPE, EVIL, i);
	}
	memcpy(spoilt, &bad, sizeof(bad));
	lane_close(&self->evil);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(account_drain(&self->a));
	EXPECT_TRUE(account_right(&self->a));
	EXPECT_EQ(150, self->a.from_evil);
	EXPECT_EQ(1, self->a.bad_lanes);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(150, t->nev);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i, t->ev[i].nr);
	tape_free(t);
}

/* Random changes, with threads. */

struct war {
	int		wfd;
	struct lane	*honest;
	atomic_bool	stop;
	uint64_t	emitted[2];
	uint64_t	lanes, scribbles;
	atomic_ulong	looks, clears, dumps;
	atomic_int	failed;
};

static void *emit_all_the_time(void *arg)
{
	struct war *w = arg;
	uint32_t nr = 0;

	dev_pin(0);
	for (; !w->stop; nr++) {
		lane_mark(w->honest, TYPE, HONEST, nr);
		dev_emit_mark(w->wfd, TYPE, RINGS, nr);
		if (!(nr % 64))
			sched_yield();
	}
	w->emitted[0] = nr;
	w->emitted[1] = nr;
	return NULL;
}

static uint64_t odd_random(uint64_t was)
{
	return dev_random() % 4 ? odd_value(dev_random() % VALUES, was, 64) :
				  (uint64_t)dev_random() << 33 ^ dev_random();
}

static void scribble(struct lane *l)
{
	struct devtrace_lane_block *b = lane_block(l, l->n - dev_random() % 3);
	uint8_t *p = (uint8_t *)(b + 1) + dev_random() % (DEVTRACE_LANE_BLOCK - sizeof(*b) - 8);
	uint64_t v;

	switch (dev_random() % 8) {
	case 0:
		l->head->open = odd_random(l->head->open);
		break;
	case 1:
		l->head->busy = odd_random(1);
		break;
	case 2:
		b->time = odd_random(b->time);
		break;
	case 3:
		b->count = odd_random(b->count);
		break;
	case 4:
		b->number = odd_random(b->number);
		break;
	case 5:
		b->used = odd_random(b->used);
		break;
	case 6:
		v = odd_random(0);
		memcpy(p, &v, sizeof(v));
		break;
	default:
		if (!(dev_random() % 16))
			memset(lane_block(l, dev_random()), dev_random(), DEVTRACE_LANE_BLOCK);
	}
}

/* It is valid at times, so that there is something to damage. */
static void *scribble_all_the_time(void *arg)
{
	struct war *w = arg;
	struct lane l;
	int i;

	dev_pin(-1);
	while (!w->stop) {
		if (lane_open(&l, w->wfd, DEVTRACE_LANE_MIN << dev_random() % 2)) {
			w->failed++;
			return NULL;
		}
		w->lanes++;
		for (i = dev_random() % 1000; i--;) {
			lane_mark(&l, TYPE, EVIL, i);
			if (!(dev_random() % 256))
				lane_emit_at(&l, odd_random(dev_now()), TYPE, "when?", 5);
		}
		/* Readers may be reading it, or be late. */
		dev_sleep_ms(dev_random() % 8);
		for (i = dev_random() % 400; i-- && !w->stop; w->scribbles++) {
			scribble(&l);
			lane_mark(&l, TYPE, EVIL, i);
			if (l.head->state == DEVTRACE_LANE_CLOSED && !(dev_random() % 50))
				break;
		}
		lane_close(&l);
	}
	return NULL;
}

static void *seek_all_the_time(void *arg)
{
	/* sum8 would accept one of 65536 frames that a seek cut. */
	const uint32_t check = DEVTRACE_CHECK_CRC32;
	struct war *w = arg;
	struct account a;
	char buf[5000];
	loff_t at;
	ssize_t n;
	int i;

	dev_pin(-1);
	account_open(&a, w->honest->head->source);
	w->failed += !!ioctl(a.fd, DEVTRACE_IOC_CHECK, &check);
	a.sought = true;
	for (; !w->stop; w->looks++) {
		switch (dev_random() % 4) {
		case 0:
			at = lseek(a.fd, 0, SEEK_DATA);
			break;
		case 1:
			at = lseek(a.fd, -(loff_t)(dev_random() % NSEC), SEEK_END);
			break;
		case 2:
			at = lseek(a.fd, dev_now() - dev_random() % NSEC, SEEK_SET);
			break;
		default:
			at = lseek(a.fd, 0, SEEK_CUR);
		}
		w->failed += at < 0;
		for (i = dev_random() % 20; i--;) {
			n = read(a.fd, buf, 1 + dev_random() % sizeof(buf));
			if (n <= 0)
				break;
			tape_feed(a.t, buf, n);
		}
		a.t->nev = 0;
		a.t->ndata = 0;
	}
	/* A frame that a seek cut counts as damage. */
	w->failed += a.wrong || a.t->unknown || a.t->backwards;
	account_close(&a);
	return NULL;
}

static void *look_all_the_time(void *arg)
{
	static struct nl nl;
	struct war *w = arg;
	struct devtrace_stats st;
	struct pollfd p = { .events = POLLIN };

	dev_pin(-1);
	w->failed += !!nl_open(&nl);
	p.fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	for (; !w->stop; w->dumps++) {
		w->failed += !!dev_stats(-1, &st);
		nl_begin(&nl, DEVTRACE_CMD_READER_GET);
		w->failed += !!nl_dump(&nl, NULL, NULL);
		nl_begin(&nl, DEVTRACE_CMD_STATS_GET);
		w->failed += !!nl_dump(&nl, NULL, NULL);
		poll(&p, 1, dev_random() % 10);
		if (!(dev_random() % 16)) {
			w->failed += !!ioctl(p.fd, DEVTRACE_IOC_CLEAR);
			w->clears++;
		}
	}
	close(p.fd);
	nl_close(&nl);
	return NULL;
}

TEST_F_TIMEOUT(attack, at_random_while_all_look, 900)
{
	static void * (* const fn[])(void *) = {
		emit_all_the_time, scribble_all_the_time, seek_all_the_time, look_all_the_time,
	};
	const char *s = getenv("DEVICE_SECONDS");
	const uint64_t end = dev_now() + (s ? atoi(s) : 5) * NSEC;
	const uint64_t patience = end + 300 * NSEC;
	struct war w = { .wfd = self->wfd, .honest = &self->honest };
	pthread_t th[4];
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&th[i], NULL, fn[i], &w));
	/* on a slow machine, until each kind has occurred */
	while (dev_now() < end ||
	       (dev_now() < patience &&
		!(self->a.from_evil && self->a.late && self->a.bad_lanes))) {
		struct pollfd p = { .fd = self->a.fd, .events = POLLIN };

		poll(&p, 1, 20);
		/* Writers may be faster than this reader. */
		EXPECT_TRUE(account_some(&self->a, 256 << 10));
	}
	w.stop = true;
	for (i = 0; i < 4; i++)
		pthread_join(th[i], NULL);
	EXPECT_TRUE(account_drain(&self->a));
	EXPECT_TRUE(account_right(&self->a));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(w.emitted[i], self->a.read[i] + self->a.lost[i]);
	EXPECT_EQ(0, w.failed);
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->honest.head->state);
	dev_say("%llu lanes, %llu scribbles, %llu hostile events, %llu of them late, %llu bad lanes",
		(unsigned long long)w.lanes, (unsigned long long)w.scribbles,
		(unsigned long long)self->a.from_evil, (unsigned long long)self->a.late,
		(unsigned long long)self->a.bad_lanes);
	dev_say("%llu numbers each, %llu and %llu of them read, %lu seeks, %lu clears, %lu dumps",
		(unsigned long long)w.emitted[0], (unsigned long long)self->a.read[0],
		(unsigned long long)self->a.read[1], w.looks, w.clears, w.dumps);
	EXPECT_LT(0, self->a.from_evil);
	EXPECT_LT(0, self->a.late);
	EXPECT_LT(0, self->a.bad_lanes);
}

TEST_HARNESS_MAIN
