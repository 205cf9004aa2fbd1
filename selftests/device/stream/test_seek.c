// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_seek.c - each lseek(2) finds exactly the right event
 *
 * On quiet rings, the events after a seek are compared with a full copy. On rings that wrap, two
 * readers seek at random while a third one copies everything; then the position of each of their
 * events in the copy must match the events read and lost since their seek.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

FIXTURE(quiet) {
	int fd, wfd;
	struct tape *whole;
	struct tape *t;
};

FIXTURE_SETUP(quiet)
{
	int cpus[DEV_CPUS], n = dev_online(cpus), i, k;
	char name[32];

	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "object-%d", i);
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, i + 1, name));
	}
	for (k = 0; k < 20 * n; k++) {
		ASSERT_EQ(0, dev_pin(cpus[k % n]));
		for (i = 0; i < 100; i++)
			ASSERT_EQ(0, dev_emit_numbered(self->wfd,
						       dttest_tag(DTTEST_USER, k), i, 1000, 15));
	}
	dev_pin(-1);
	dev_sleep_ms(20);
	self->whole = tape_all(1 << 20);
	ASSERT_NE(NULL, self->whole);
	ASSERT_TRUE(tape_clean(self->whole));
	ASSERT_LT(0, tape_lost(self->whole, -1));
	ASSERT_LT(200, self->whole->nev);
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->t = tape_new();
}

FIXTURE_TEARDOWN(quiet)
{
	tape_free(self->whole);
	tape_free(self->t);
	close(self->fd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

static bool same(const struct tape_event *a, const struct tape_event *b)
{
	return a->ts == b->ts && a->source == b->source && a->tag == b->tag && a->nr == b->nr;
}

/* The events of the tape from @from on are those of the copy from time @t on. */
static bool is_end_of(const struct tape *whole, uint64_t t, const struct tape *tape, size_t from)
{
	size_t i = 0, k;

	while (i < whole->nev && whole->ev[i].ts < t)
		i++;
	if (tape->nev - from != whole->nev - i) {
		fprintf(stderr, "# %zu events from %llu on, want %zu\n", tape->nev - from,
			(unsigned long long)t, whole->nev - i);
		return false;
	}
	for (k = from; k < tape->nev; k++)
		if (!same(&tape->ev[k], &whole->ev[i++]))
			return false;
	return true;
}

#define EXPECT_END_FROM(t_) do {						\
	size_t from_ = self->t->nev;						\
	ASSERT_LE(0, tape_drain(self->t, self->fd));				\
	EXPECT_TRUE(is_end_of(self->whole, t_, self->t, from_));		\
} while (0)

TEST_F_TIMEOUT(quiet, set_goes_to_the_first_event_at_or_after, 1200)
{
	const struct tape *w = self->whole;
	uint64_t first = w->ev[0].ts, last = w->ev[w->nev - 1].ts, t;
	int i;

	for (i = 0; i < 300; i++) {
		t = w->ev[dev_random() % w->nev].ts;
		switch (i % 4) {
		case 1:
			t--;
			break;
		case 2:
			t++;
			break;
		case 3:
			t = first + ((uint64_t)dev_random() << 31 | dev_random()) %
				(last - first);
			break;
		}
		ASSERT_EQ(t, lseek(self->fd, t, SEEK_SET));
		EXPECT_END_FROM(t);
	}
	EXPECT_EQ(1, lseek(self->fd, 1, SEEK_SET));
	EXPECT_END_FROM(1);
	EXPECT_EQ(last, lseek(self->fd, last, SEEK_SET));
	EXPECT_END_FROM(last);
	EXPECT_EQ(300, self->t->infos > 300 ? 300 : self->t->infos);
	EXPECT_TRUE(tape_clean(self->t));
}

TEST_F(quiet, past_the_end_there_is_nothing)
{
	uint64_t last = self->whole->ev[self->whole->nev - 1].ts;
	static const int64_t far[] = { 1, NSEC, 1LL << 32, 3600 * NSEC };
	int i;

	for (i = 0; i < 4; i++) {
		/* a time cut to 32 bits would find events */
		EXPECT_EQ(last + far[i], lseek(self->fd, last + far[i], SEEK_SET));
		EXPECT_END_FROM(last + 1);
	}
	EXPECT_EQ(INT64_MAX, lseek(self->fd, INT64_MAX, SEEK_SET));
	EXPECT_END_FROM(last + 1);
	EXPECT_TRUE(tape_clean(self->t));
}

TEST_F(quiet, oldest_with_all_that_was_lost)
{
	int i;

	for (i = 0; i < 3; i++) {
		uint64_t lost = tape_lost(self->t, -1);

		ASSERT_EQ(0, lseek(self->fd, 0, i == 1 ? SEEK_DATA : SEEK_SET));
		EXPECT_END_FROM(0);
		EXPECT_EQ(tape_lost(self->whole, -1), tape_lost(self->t, -1) - lost);
	}
	/* read again from there with read(2) alone */
	ASSERT_EQ(0, lseek(self->fd, INT64_MIN, SEEK_END));
	EXPECT_END_FROM(0);
	EXPECT_TRUE(tape_clean(self->t));
}

TEST_F(quiet, end_is_after_the_newest)
{
	uint64_t before = dev_now(), at, after;

	at = lseek(self->fd, 0, SEEK_END);
	after = dev_now();
	EXPECT_LE(before, at);
	EXPECT_GE(after, at);
	ASSERT_LT(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(0, self->t->nev);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 5, 6));
	dev_sleep_ms(5);
	ASSERT_LT(0, tape_drain(self->t, self->fd));
	ASSERT_EQ(1, self->t->nev);
	EXPECT_EQ(5, self->t->ev[0].tag);
	EXPECT_EQ(0, tape_lost(self->t, -1));
	EXPECT_TRUE(tape_clean(self->t));
}

TEST_F(quiet, end_minus_t_is_exact_to_the_event)
{
	const struct tape *w = self->whole;
	uint64_t before, after;
	int64_t back, at;
	int i;

	for (i = 0; i < 200; i++) {
		before = dev_now();
		back = before - w->ev[dev_random() % w->nev].ts + dev_random() % 1000;
		at = lseek(self->fd, -back, SEEK_END);
		after = dev_now();
		EXPECT_LE(before - back, at);
		EXPECT_GE(after - back, at);
		EXPECT_END_FROM(at);
	}
	/* before the begin of time */
	EXPECT_EQ(0, lseek(self->fd, -(int64_t)(dev_now() + NSEC), SEEK_END));
	EXPECT_END_FROM(0);
	EXPECT_TRUE(tape_clean(self->t));
}

/* One reader's position is where another one can continue. */
TEST_F(quiet, cur_tells_where_to_resume)
{
	const struct tape *w = self->whole;
	char buf[3000];
	ssize_t n;
	off_t at;
	int fd;

	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
	for (;;) {
		struct tape *rest = tape_new();

		n = read(self->fd, buf, 1 + dev_random() % sizeof(buf));
		if (n < 0)
			break;
		tape_feed(self->t, buf, n);
		at = lseek(self->fd, 0, SEEK_CUR);
		ASSERT_LE(0, at);
		ASSERT_EQ(at, lseek(fd, at, SEEK_SET));
		ASSERT_LE(0, tape_drain(rest, fd));
		if (self->t->nev < w->nev) {
			/* nothing is missing; events with the same time come again */
			ASSERT_LT(0, rest->nev);
			EXPECT_GE(w->ev[self->t->nev].ts, rest->ev[0].ts);
			EXPECT_LE(at, rest->ev[0].ts);
			EXPECT_LE(w->nev, self->t->nev + rest->nev);
			EXPECT_GE(w->nev + 2, self->t->nev + rest->nev);
		}
		tape_free(rest);
	}
	EXPECT_EQ(EAGAIN, errno);
	/* The query did not move it. */
	EXPECT_EQ(w->nev, self->t->nev);
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(w->ev[w->nev - 1].ts + 1, lseek(self->fd, 0, SEEK_CUR));
	/* After a seek: its target. */
	at = lseek(self->fd, 0, SEEK_END);
	EXPECT_EQ(at, lseek(self->fd, 0, SEEK_CUR));
	EXPECT_EQ(at, lseek(self->fd, at, SEEK_SET));
	EXPECT_LT(0, tape_drain(self->t, self->fd));
	EXPECT_EQ(w->nev, self->t->nev);
	close(fd);
}

TEST_F(quiet, refuses_what_makes_no_sense_and_stays)
{
	static const struct { int64_t off; int whence; } bad[] = {
		{ -1, SEEK_SET }, { INT64_MIN, SEEK_SET }, { 1, SEEK_CUR }, { -1, SEEK_CUR },
		{ INT64_MAX, SEEK_CUR }, { 1, SEEK_END }, { INT64_MAX, SEEK_END },
		{ 1, SEEK_DATA }, { -1, SEEK_DATA }, { 0, SEEK_HOLE }, { 1, SEEK_HOLE },
		{ 0, 5 }, { 0, 77 }, { 0, -1 },
	};
	char buf[500];
	int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ASSERT_EQ(sizeof(buf), read(self->fd, buf, sizeof(buf)));
		tape_feed(self->t, buf, sizeof(buf));
		EXPECT_EQ(-1, lseek(self->fd, bad[i].off, bad[i].whence));
		EXPECT_EQ(EINVAL, errno) TH_LOG("%lld %d", (long long)bad[i].off, bad[i].whence);
	}
	ASSERT_LT(0, tape_drain(self->t, self->fd));
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(self->whole->nev, self->t->nev);
	EXPECT_EQ(-1, lseek(self->wfd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
}

/* Wherever the data was cut, the next frame is whole, and none is missing. */
TEST_F(quiet, leaves_no_gap)
{
	const uint32_t check = DEVTRACE_CHECK_CRC32;
	const struct tape *w = self->whole;
	char buf[20000], want[32];
	int i, seeks = 0;
	ssize_t n;

	/* sum8 would accept one of 65536 cut frames, and 700 are cut. */
	ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	for (i = 0; i < 2000; i++) {
		/* at first within the names, many times */
		n = read(self->fd, buf, 1 + dev_random() %
			 (i < 30 || dev_random() % 8 ? 300 : 20000));
		if (n > 0)
			tape_feed(self->t, buf, n);
		if (i >= 30 && dev_random() % 3)
			continue;
		seeks++;
		ASSERT_LE(0, lseek(self->fd, i & 1 ? 0 : w->ev[dev_random() % w->nev].ts,
				   SEEK_SET));
		/* sometimes twice in a row */
		if (!(dev_random() % 5))
			ASSERT_LE(0, lseek(self->fd, 0, SEEK_SET));
	}
	ASSERT_EQ(w->ev[5].ts, lseek(self->fd, w->ev[5].ts, SEEK_SET));
	seeks++;
	/*
	 * A frame cut before its last flag is completed by the first flag of the following data.
	 * It came before this seek.
	 */
	tape_feed(self->t, "\x7e", 1);
	EXPECT_END_FROM(w->ev[5].ts);
	EXPECT_EQ(0, self->t->gaps);
	EXPECT_EQ(0, self->t->unknown);
	EXPECT_EQ(0, self->t->backwards);
	EXPECT_GE(seeks, self->t->damages);
	/* All names have come, also those whose frames were cut. */
	for (i = 0; i < 300; i++) {
		snprintf(want, sizeof(want), "object-%d", i);
		EXPECT_STREQ(want, devtrace_decoder_name(self->t->d, DEVTRACE_T_OBJ, getpid(),
							 0, 0, i + 1));
	}
	EXPECT_NE(NULL, devtrace_decoder_proc(self->t->d, w->ev[0].tid, NULL));
}

/*
 * A frame cut by a seek is whole if it only lacks the flag that begins the following data,
 * damaged if it lacks more, and absent if it has not begun.
 */
TEST_F(quiet, a_frame_that_lacks_its_flag_is_whole)
{
	static char buf[32768];
	size_t at, had, whole = 0, damaged = 0, none = 0;

	/* each case at least twice, for any length of the frames */
	for (at = 20000; at < 22000 && (at < 20150 || whole < 2 || none < 2); at++) {
		struct tape *t = tape_new();

		ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
		ASSERT_EQ(at, read(self->fd, buf, at));
		tape_feed(t, buf, at);
		had = t->nev;
		ASSERT_LT(0, had);
		ASSERT_EQ(INT64_MAX, lseek(self->fd, INT64_MAX, SEEK_SET));
		ASSERT_LT(0, tape_drain(t, self->fd));
		EXPECT_EQ(0, t->gaps);
		if (t->damages) {
			EXPECT_EQ(1, t->damages);
			EXPECT_EQ(had, t->nev);
			damaged++;
		} else if (t->nev == had) {
			none++;
		} else {
			EXPECT_EQ(had + 1, t->nev);
			whole++;
		}
		tape_free(t);
	}
	dev_say("%zu cuts: %zu before a last flag, %zu within a frame, %zu between", at - 20000,
		whole, damaged, none);
	EXPECT_LE(2, whole);
	EXPECT_LE(2, none);
	EXPECT_LT(whole + none, damaged);
}

/*
 * The live test. A series is a sequence of numbers of one writer on one CPU: a class of dttest,
 * or a seeker itself, which is pinned to a CPU.
 */
#define SEEKERS		2
#define SERIES		(DTTEST_CLASSES + SEEKERS)
#define CHUNK		8000

enum how { SET_RECENT, SET_OLDEST, DATA, END, END_RECENT, RESUME, HOWS };
static const char * const how_name[] = {
	"SEEK_SET t", "SEEK_SET 0", "SEEK_DATA", "SEEK_END 0", "SEEK_END -t", "resume",
};

/*
 * From one seek to the next; in the stream, from the INFO frame of the seek. Before it there may
 * be the end of a frame that was read almost completely.
 */
struct leg {
	enum how how;
	size_t first;		/* index of its first event on the tape, or NOT_BEGUN */
	uint64_t lost[DEV_CPUS];/* lost so far */
	uint64_t t, before, after;
	uint32_t own;		/* events that we had emitted before the seek */
};

#define NOT_BEGUN	SIZE_MAX

struct seeker {
	int fd, wfd, cpu;
	uint32_t id, emitted, failed;
	struct tape *t;
	struct leg legs[4000];
	int nlegs;
	uint32_t seed;
	pthread_t thread;
};

static atomic_bool over;

static void leg_begins(struct tape *t, const struct devtrace_item *i)
{
	struct seeker *s = t->arg;
	struct leg *l = &s->legs[s->nlegs - 1];
	int c;

	if (i->kind != DEVTRACE_ITEM_INFO || !s->nlegs || l->first != NOT_BEGUN ||
	    i->u.info.reason == DEVTRACE_INFO_PERIODIC)
		return;
	l->first = t->nev;
	for (c = 0; c < DEV_CPUS; c++)
		l->lost[c] = tape_lost(t, c);
}

static void seek_emit(struct seeker *s)
{
	if (dev_emit_numbered(s->wfd, dttest_tag(DTTEST_USER, s->id), s->emitted, 100, 15))
		s->failed++;
	s->emitted++;
}

static void *seek_around(void *arg)
{
	struct seeker *s = arg;
	char buf[CHUNK];
	ssize_t n;
	int k;

	dev_pin(s->cpu);
	s->t->each = leg_begins;
	s->t->arg = s;
	while (!over && s->nlegs < 4000) {
		struct leg *l = &s->legs[s->nlegs];
		int64_t at;

		seek_emit(s);
		l->how = dev_random() % HOWS;
		if (!s->nlegs && l->how == RESUME)
			l->how = SET_OLDEST;
		l->own = s->emitted;
		l->before = dev_now();
		switch (l->how) {
		case SET_RECENT:
			l->t = l->before - dev_random() % (80 * 1000000);
			at = lseek(s->fd, l->t, SEEK_SET);
			s->failed += at != l->t;
			break;
		case SET_OLDEST:
			s->failed += lseek(s->fd, 0, SEEK_SET) != 0;
			break;
		case DATA:
			s->failed += lseek(s->fd, 0, SEEK_DATA) != 0;
			break;
		case END:
			at = lseek(s->fd, 0, SEEK_END);
			l->t = at;
			s->failed += at < 0;
			break;
		case END_RECENT:
			at = lseek(s->fd, -(int64_t)(1 + dev_random() % (80 * 1000000)),
				   SEEK_END);
			l->t = at;
			s->failed += at < 0;
			break;
		case RESUME:
			at = lseek(s->fd, 0, SEEK_CUR);
			l->t = at;
			s->failed += at < 0 || lseek(s->fd, at, SEEK_SET) != at;
			break;
		default:
			abort();
		}
		l->after = dev_now();
		l->first = NOT_BEGUN;
		s->nlegs++;
		seek_emit(s);
		for (k = dev_random() % 8; k >= 0; k--) {
			n = read(s->fd, buf, 1 + dev_random() % CHUNK);
			if (n > 0)
				tape_feed(s->t, buf, n);
			else if (errno == EAGAIN)
				dev_sleep_ms(1);
			else
				s->failed++;
			/* so that it is sometimes overtaken */
			if (!(dev_random() % 64))
				dev_sleep_ms(dev_random() % 500);
		}
	}
	return NULL;
}

static void *copy_all(void *arg)
{
	struct seeker *s = arg;
	ssize_t n;
	bool last;

	do {
		last = over;
		n = tape_drain(s->t, s->fd);
		if (n < 0)
			s->failed++;
		if (!n && !last)
			dev_sleep_ms(1);
	} while (!last);
	return NULL;
}

/* The position of each event of the copy in its ring, by series and number. */
struct places {
	uint32_t *of[DEV_CPUS][SERIES];
	uint32_t room[DEV_CPUS][SERIES], n[DEV_CPUS][SERIES];
	uint64_t *ts[DEV_CPUS];
	size_t nts[DEV_CPUS];
};

static int series(const struct tape_event *e)
{
	uint32_t class = e->tag >> 16;

	if (class == DTTEST_USER)
		return (e->tag & 0xffff) < SEEKERS ? DTTEST_CLASSES + (e->tag & 0xffff) : -1;
	return class < DTTEST_CLASSES ? class : -1;
}

static bool places_make(struct places *p, const struct tape *t)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < DEV_CPUS; i++)
		p->ts[i] = t->read[i] ? malloc(t->read[i] * sizeof(uint64_t)) : NULL;
	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];
		int s = series(e), c = e->source;

		/* The copy is complete: numbers have no gaps. */
		if (s < 0 || e->nr != p->n[c][s])
			return false;
		if (e->nr >= p->room[c][s]) {
			p->room[c][s] = 2 * e->nr + 1024;
			p->of[c][s] = realloc(p->of[c][s], p->room[c][s] * sizeof(uint32_t));
		}
		p->of[c][s][p->n[c][s]++] = p->nts[c];
		p->ts[c][p->nts[c]++] = e->ts;
	}
	return true;
}

/* Number of events of a ring before @t. */
static size_t older(const struct places *p, int cpu, uint64_t t)
{
	size_t lo = 0, hi = p->nts[cpu], mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (p->ts[cpu][mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct verdict {
	uint64_t events, stray, inexact, jumped, late;
};

static void complain(const char *what, const struct leg *l, const struct tape_event *e,
		     long long got, long long want)
{
	static int said;

	if (said++ < 8)
		fprintf(stderr, "# %s after %s, t %llu (%lld us before the call, which took %lld us): CPU %d event %u/%u is number %lld, want %lld\n",
			what, how_name[l->how], (unsigned long long)l->t,
			(long long)(l->before - l->t) / 1000,
			(long long)(l->after - l->before) / 1000, e->source, e->tag >> 16,
			e->nr, got, want);
}

static void check_leg(const struct seeker *s, int n, const struct places *p, struct verdict *v)
{
	const struct leg *l = &s->legs[n];
	size_t start[DEV_CPUS], count[DEV_CPUS] = { 0 };
	int64_t was[DEV_CPUS];		/* RESUME: last position of the previous leg */
	size_t end = s->t->nev, i;
	int next;

	if (l->first == NOT_BEGUN)
		return;
	for (next = n + 1; next < s->nlegs; next++) {
		if (s->legs[next].first == NOT_BEGUN)
			continue;
		end = s->legs[next].first;
		break;
	}
	for (i = 0; i < DEV_CPUS; i++)
		was[i] = -1;
	if (l->how == RESUME && s->legs[n - 1].first != NOT_BEGUN)
		for (i = s->legs[n - 1].first; i < l->first; i++) {
			const struct tape_event *e = &s->t->ev[i];

			if (series(e) >= 0 && e->nr < p->n[e->source][series(e)])
				was[e->source] = p->of[e->source][series(e)][e->nr];
		}

	for (i = l->first; i < end; i++) {
		const struct tape_event *e = &s->t->ev[i];
		int c = e->source, k = series(e);
		size_t place, lost = e->lost - l->lost[c];

		v->events++;
		if (k < 0 || e->nr >= p->n[c][k]) {
			v->stray++;
			continue;
		}
		place = p->of[c][k][e->nr];
		if (count[c]++) {
			/* Continuing from there, missing ones were reported lost. */
			if (place != start[c] + count[c] - 1 + lost) {
				v->jumped++;
				complain("jump", l, e, place, start[c] + count[c] - 1 + lost);
			}
			continue;
		}
		start[c] = place - lost;
		switch (l->how) {
		case SET_OLDEST:
		case DATA:
			if (start[c]) {
				v->inexact++;
				complain("start", l, e, start[c], 0);
			}
			break;
		case SET_RECENT:
		case END_RECENT:
			/* Unless @t was overwritten during a slow call: then the oldest event. */
			if (start[c] < older(p, c, l->t) ||
			    (start[c] > older(p, c, l->t) && l->after - l->t < 150 * 1000000)) {
				v->inexact++;
				complain("start", l, e, start[c], older(p, c, l->t));
			}
			break;
		case END:
			/* no older event, and no newer one is missing */
			if (start[c] > older(p, c, l->after)) {
				v->inexact++;
				complain("start", l, e, start[c], older(p, c, l->after));
			}
			if (k == DTTEST_CLASSES + (int)s->id && e->nr < l->own)
				v->late++;
			break;
		case RESUME:
			/* the same time may come again, but none is missing */
			if (was[c] >= 0 && (int64_t)start[c] > was[c] + 1 &&
			    l->after - l->t < 150 * 1000000) {
				v->inexact++;
				complain("resume", l, e, start[c], was[c] + 1);
			}
			break;
		default:
			break;
		}
	}
}

FIXTURE(live) {
	struct seeker *s[SEEKERS + 1];	/* the last one copies */
};

FIXTURE_SETUP(live)
{
	int cpus[DEV_CPUS], n = dev_online(cpus), i;
	const uint32_t check = DEVTRACE_CHECK_CRC32;

	dev_seed();
	ASSERT_EQ(0, dev_load("size=512K"));
	ASSERT_EQ(0, dev_load_writers(""));
	for (i = 0; i <= SEEKERS; i++) {
		struct seeker *s = calloc(1, sizeof(*s));

		ASSERT_NE(NULL, s);
		self->s[i] = s;
		s->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		s->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
		ASSERT_LE(0, s->fd);
		ASSERT_LE(0, s->wfd);
		/* sum8 would accept one of 65536 cut frames. */
		ASSERT_EQ(0, ioctl(s->fd, DEVTRACE_IOC_CHECK, &check));
		s->id = i;
		s->cpu = cpus[i % n];
		s->t = tape_new();
	}
}

FIXTURE_TEARDOWN(live)
{
	int i;

	dev_writers_run(false);
	for (i = 0; i <= SEEKERS; i++) {
		close(self->s[i]->fd);
		close(self->s[i]->wfd);
	}
	EXPECT_EQ(0, dev_done());
}

static int seeks(struct seeker *const *s)
{
	int i, n = 0;

	for (i = 0; i < SEEKERS; i++)
		n += __atomic_load_n(&s[i]->nlegs, __ATOMIC_RELAXED);
	return n;
}

TEST_F_TIMEOUT(live, two_seek_on_a_ring_that_wraps, 600)
{
	struct seeker *copy = self->s[SEEKERS];
	struct verdict v = { 0 };
	static struct places p;
	struct devtrace_stats st;
	int i, k, legs = 0;

	for (i = 0; i <= SEEKERS; i++)
		ASSERT_EQ(0, pthread_create(&self->s[i]->thread, NULL,
					    i == SEEKERS ? copy_all : seek_around, self->s[i]));
	ASSERT_EQ(0, dev_writers_run(true));
	dev_sleep_ms(6000);
	/* A busy machine takes longer. */
	for (i = 0; i < 150; i++) {
		ASSERT_EQ(0, dev_stats(-1, &st));
		if (st.overwritten > 1000 && seeks(self->s) > 100)
			break;
		dev_sleep_ms(1000);
	}
	ASSERT_EQ(0, dev_writers_run(false));
	dev_sleep_ms(50);
	over = true;
	for (i = 0; i <= SEEKERS; i++)
		ASSERT_EQ(0, pthread_join(self->s[i]->thread, NULL));
	/* the last events of the seekers */
	dev_sleep_ms(10);
	ASSERT_LE(0, tape_drain(copy->t, copy->fd));

	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_LT(1000, st.overwritten) TH_LOG("the rings did not wrap");
	EXPECT_TRUE(tape_clean(copy->t));
	if (tape_lost(copy->t, -1))
		SKIP(return, "this machine was too busy to copy every event");
	EXPECT_EQ(st.stored, copy->t->nev);
	ASSERT_TRUE(places_make(&p, copy->t));

	for (i = 0; i < SEEKERS; i++) {
		struct seeker *s = self->s[i];

		for (k = 0; k < s->nlegs; k++)
			check_leg(s, k, &p, &v);
		legs += s->nlegs;
		EXPECT_EQ(0, s->failed);
		EXPECT_EQ(0, s->t->gaps);
		EXPECT_EQ(0, s->t->unknown);
		EXPECT_EQ(0, s->t->backwards);
		EXPECT_GE(s->nlegs, s->t->damages);
	}
	dev_say("%d seeks, %llu events after them, %zu in all, %llu overwritten", legs,
		(unsigned long long)v.events, copy->t->nev, (unsigned long long)st.overwritten);
	EXPECT_LT(100, legs);
	EXPECT_LT(1000, v.events);
	EXPECT_EQ(0, v.stray);
	EXPECT_EQ(0, v.inexact);
	EXPECT_EQ(0, v.jumped);
	EXPECT_EQ(0, v.late);
}

TEST_HARNESS_MAIN
