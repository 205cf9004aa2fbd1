// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_skew.c - the order of events if the counters of two CPUs differ
 *
 * dtskew.ko sets the time-stamp counter of the last CPU ahead of the others, or behind. A thread
 * on each CPU writes to the device, emits into its lane and writes again, while another thread
 * reads, on the shifted CPU or on another one. The guarantees:
 *
 * - All events are present, once. Events of each thread written to the device are in order, and
 *   so are those of each lane. In one ring or lane, time never decreases.
 * - Below MARGIN_NS the order is as without a shift.
 * - Above it, the order between CPUs is wrong by the shift at most. A lane and the ring of the
 *   shifted CPU are read one after the other, so this applies to them too: an event of a lane
 *   may be outside the two calls around it, marked as late or not.
 * - A time seconds in the future delays no reader.
 * - If the kernel stops using the counter, devtrace does too, and later events are right.
 *
 * The last test leaves the machine unusable for others: see ../vm/device-tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"

#define PARAM		"/sys/module/dtskew/parameters/"
#define SOURCE		"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define TYPE		DEVTRACE_T_USER
#define THREADS		2
#define TURNS		250
#define SOURCES		(DEV_CPUS + 16)
#define MSEC		1000000LL
#define MARGIN		10000		/* the module's tolerance between CPUs, ns */

struct writer {
	pthread_t	thread;
	uint32_t	me;
	int		cpu, err;
	bool		moves;
};

/* The events read, of all that the writers emitted. */
struct seen {
	uint32_t	call[THREADS], lane[THREADS];	/* next number for each way */
	uint64_t	last;				/* time of the previous event */
	uint64_t	of_source[SOURCES], of_lane[THREADS];
	uint64_t	calls, lanes, late, late_calls;
	uint64_t	missing;	/* unexpected numbers */
	uint64_t	misplaced;	/* unmarked lane events outside their calls */
	uint64_t	backwards, worst, source_backwards;
	uint64_t	looked;		/* time of the last read */
	int64_t		away;		/* longest time between two reads */
};

struct machine {
	int		cpu[DEV_CPUS], n, bad_cpu;
	int		wfd, rfd;
	struct writer	w[THREADS];
	const char	*why;		/* why the test is impossible here, or NULL */
};

static int the_fd, the_cpu[DEV_CPUS], the_cpus;
static struct seen seen;
static atomic_int writing;
static uint64_t begun;

static int set_skew(int cpu, long long ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %lld", cpu, ns);
	return dev_write_file(PARAM "skew", text);
}

static bool source_is(const char *name)
{
	char now[64];

	if (dev_read_file(SOURCE, now, sizeof(now)) <= 0)
		return false;
	now[strcspn(now, "\n")] = 0;
	return !strcmp(now, name);
}

/* The reason why the test is impossible here, or NULL. */
static const char *why_not(struct machine *m)
{
	int i;

	m->wfd = -1;
	m->rfd = -1;
	m->n = dev_online(m->cpu);
	the_cpus = m->n;
	memcpy(the_cpu, m->cpu, sizeof(the_cpu));
	m->bad_cpu = m->cpu[m->n - 1];
	if (m->n < 2)
		return "there is but one CPU";
	/* Shortly after boot, its frequency is still being measured. */
	for (i = 0; i < 1000 && source_is("tsc-early"); i++)
		dev_sleep_ms(10);
	if (!source_is("tsc"))
		return "the clock is not the time-stamp counter";
	if (access("/sys/module/dtskew", F_OK) && dev_load_file("dtskew.ko", ""))
		return "no dtskew.ko: it is for x86-64";
	if (set_skew(m->bad_cpu, 0) && errno == ENODEV)
		return "only QEMU's emulation lets the counter of a CPU be moved";
	return NULL;
}

static int set_up(struct machine *m)
{
	struct devtrace_stats s;

	dev_seed();
	m->why = why_not(m);
	if (m->why)
		return 0;
	if (dev_load("size=4M"))
		return -1;
	m->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	m->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	the_fd = m->wfd;
	if (m->wfd < 0 || m->rfd < 0 || dev_stats(-1, &s))
		return -1;
	return devtrace_open();
}

static int tear_down(struct machine *m)
{
	if (m->why)
		return 0;
	set_skew(m->bad_cpu, 0);
	devtrace_close();
	close(m->rfd);
	close(m->wfd);
	return dev_done();
}

/* One CPU's counter is off by this much. */
FIXTURE(skew) {
	struct machine m;
};

FIXTURE_VARIANT(skew) {
	long long	ns;
	bool		bad_reads;	/* the reader is on the shifted CPU */
};

FIXTURE_VARIANT_ADD(skew, ahead_a_little) { .ns = 5000 };
FIXTURE_VARIANT_ADD(skew, behind_a_little) { .ns = -5000 };
FIXTURE_VARIANT_ADD(skew, ahead_a_little_of_writers) { .ns = 5000, .bad_reads = true };
FIXTURE_VARIANT_ADD(skew, behind_a_little_of_writers) { .ns = -5000, .bad_reads = true };
FIXTURE_VARIANT_ADD(skew, ahead) { .ns = MSEC };
FIXTURE_VARIANT_ADD(skew, behind) { .ns = -MSEC };
FIXTURE_VARIANT_ADD(skew, ahead_of_writers) { .ns = MSEC, .bad_reads = true };
FIXTURE_VARIANT_ADD(skew, behind_writers) { .ns = -MSEC, .bad_reads = true };
FIXTURE_VARIANT_ADD(skew, ahead_by_seconds) { .ns = 5000 * MSEC };

FIXTURE_SETUP(skew)
{
	ASSERT_EQ(0, set_up(&self->m));
}

FIXTURE_TEARDOWN(skew)
{
	EXPECT_EQ(0, tear_down(&self->m));
}

/* And by more than real CPUs differ. */
FIXTURE(far) {
	struct machine m;
};

FIXTURE_SETUP(far)
{
	ASSERT_EQ(0, set_up(&self->m));
}

FIXTURE_TEARDOWN(far)
{
	EXPECT_EQ(0, tear_down(&self->m));
}

/* Three events per turn, with increasing numbers. */
static void *turns(void *arg)
{
	struct writer *w = arg;
	uint32_t i;

	dev_pin(w->cpu);
	for (i = 0; i < TURNS && !w->err; i++) {
		if (w->moves && !(dev_random() % 4))
			dev_pin(the_cpu[dev_random() % the_cpus]);
		if (dev_emit_mark(the_fd, TYPE, w->me, 3 * i))
			w->err = errno;
		devtrace(TYPE, w->me, 3 * i + 1);
		if (dev_emit_mark(the_fd, TYPE, w->me, 3 * i + 2))
			w->err = errno;
		/* Let the reader reach its bounds meanwhile. */
		if (!(i % 8))
			usleep(dev_random() % 2000);
	}
	writing--;
	return NULL;
}

static void look_at(struct tape *t, const struct devtrace_item *i)
{
	const struct devtrace_event *e = &i->u.event;
	struct devtrace_elem tag, nr;
	size_t pos = 0;
	bool late;

	if (i->kind != DEVTRACE_ITEM_EVENT || e->type != TYPE || e->source >= SOURCES ||
	    devtrace_elem_next(e->data, e->len, &pos, &tag) != 1 ||
	    devtrace_elem_next(e->data, e->len, &pos, &nr) != 1 || tag.v.u >= THREADS)
		return;
	if (e->ts < seen.last) {
		seen.backwards++;
		if (seen.last - e->ts > seen.worst)
			seen.worst = seen.last - e->ts;
	}
	seen.last = e->ts;
	/* The source of events of lanes may be the CPU; they are ordered per thread. */
	if (nr.v.u % 3 == 1) {
		seen.source_backwards += e->ts < seen.of_lane[tag.v.u];
		seen.of_lane[tag.v.u] = e->ts;
	} else {
		seen.source_backwards += e->ts < seen.of_source[e->source];
		seen.of_source[e->source] = e->ts;
	}
	late = e->flags & DEVTRACE_F_LATE;
	seen.late += late;
	if (nr.v.u % 3 == 1) {
		seen.missing += nr.v.u != seen.lane[tag.v.u];
		seen.lane[tag.v.u] = nr.v.u + 3;
		seen.misplaced += !late && seen.call[tag.v.u] != nr.v.u + 1;
		seen.lanes++;
	} else {
		seen.missing += nr.v.u != seen.call[tag.v.u];
		seen.late_calls += late;
		seen.call[tag.v.u] = nr.v.u + (nr.v.u % 3 ? 1 : 2);
		seen.calls++;
	}
}

static void begin(struct writer *w, const int *cpu, int n, bool moves)
{
	int i;

	/* On a good CPU until it reads, possibly by another clock. */
	dev_pin(cpu[0]);
	begun = dev_now();
	writing = THREADS;
	for (i = 0; i < THREADS; i++) {
		w[i] = (struct writer){ .me = i, .cpu = cpu[i ? n - 1 : 0], .moves = moves };
		if (pthread_create(&w[i].thread, NULL, turns, &w[i]))
			abort();
	}
}

static void end(struct writer *w)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_join(w[i].thread, NULL);
}

static ssize_t look(struct tape *t, int rfd)
{
	const ssize_t n = tape_drain(t, rfd);
	const uint64_t now = dev_now();
	const int64_t away = now - seen.looked;

	seen.away = away > seen.away ? away : seen.away;
	seen.looked = now;
	return n;
}

/* Read on this CPU while they write, then read the rest. */
static struct tape *follow(struct writer *w, int rfd, int cpu)
{
	struct tape *t = tape_new();
	unsigned int i;

	if (!t)
		abort();
	memset(&seen, 0, sizeof(seen));
	seen.away = dev_now() - begun;
	for (i = 0; i < THREADS; i++)
		seen.lane[i] = 1;
	t->each = look_at;
	dev_pin(cpu);
	seen.looked = dev_now();
	while (writing && look(t, rfd) >= 0)
		usleep(500);
	end(w);
	return t;
}

static void read_rest(struct tape *t, int rfd, uint64_t calls)
{
	unsigned int i;

	/* Events with future times come when these have passed. */
	for (i = 0; i < 20000 && seen.calls + seen.lanes < calls + calls / 2; i++) {
		look(t, rfd);
		usleep(1000);
	}
	dev_pin(-1);
	dev_say("%llu calls, %llu in lanes, %llu marked late; %llu older than the one before, by %llu ns at most, %llu so in one source",
		(unsigned long long)seen.calls, (unsigned long long)seen.lanes,
		(unsigned long long)seen.late, (unsigned long long)seen.backwards,
		(unsigned long long)seen.worst, (unsigned long long)seen.source_backwards);
}

/* How far the bad CPU's clock is ahead, measured in both directions. */
static long long measured(int good, int bad)
{
	long long there = INT64_MAX, back = INT64_MAX, d;
	uint64_t t;
	int i;

	for (i = 0; i < 200; i++) {
		dev_pin(good);
		t = devtrace_now();
		dev_pin(bad);
		d = devtrace_now() - t;
		there = d < there ? d : there;
		t = devtrace_now();
		dev_pin(good);
		d = devtrace_now() - t;
		back = d < back ? d : back;
	}
	dev_pin(-1);
	return (there - back) / 2;
}

TEST_F(skew, order)
{
	const long long most = variant->ns < 0 ? -variant->ns : variant->ns;
	uint64_t calls = 2 * THREADS * TURNS;
	struct tape *t = NULL;
	long long ns;
	int tries;

	if (self->m.why)
		SKIP(return, "%s", self->m.why);
	ASSERT_EQ(0, set_skew(self->m.bad_cpu, variant->ns));
	ns = measured(self->m.cpu[0], self->m.bad_cpu);
	dev_say("the counter of CPU %d is ahead by %lld ns, measured: %lld", self->m.bad_cpu,
		variant->ns, ns);
	if (most >= MSEC) {
		EXPECT_LT(variant->ns - MSEC / 2, ns);
		EXPECT_GT(variant->ns + MSEC / 2, ns);
	}
	/*
	 * A reader that is 4 s late accepts a time 5 s ahead: try again. Within MARGIN a store
	 * may be seen late by chance, but not each time.
	 */
	for (tries = 0; tries < 5 && (!t || seen.away > 3000 * MSEC ||
	     (most < MARGIN && (seen.worst || seen.misplaced))); tries++) {
		tape_free(t);
		begin(self->m.w, self->m.cpu, self->m.n, false);
		t = follow(self->m.w, self->m.rfd,
			   variant->bad_reads ? self->m.bad_cpu : self->m.cpu[0]);
		read_rest(t, self->m.rfd, calls);
	}
	EXPECT_EQ(0, t->damages + t->gaps + t->unknown);
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(calls, seen.calls);
	EXPECT_EQ(calls / 2, seen.lanes);
	EXPECT_EQ(0, seen.missing);
	EXPECT_EQ(0, seen.source_backwards);
	/* Such times are not accepted, so the calls made there are marked. */
	EXPECT_EQ(variant->ns < 1000 * MSEC ? 0 : calls / 2, seen.late_calls);
	if (most < MARGIN)
		EXPECT_EQ(0, seen.misplaced);
	/* On a busy machine an event may also be late because of BUSY_NS. */
	EXPECT_GE(most < MARGIN ? 0 : most, seen.worst);
	tape_free(t);
}

/* A read returns meanwhile, instead of spinning in the kernel until that time. */
TEST_F(far, nobody_waits_for_it)
{
	int i, again = 0;

	if (self->m.why)
		SKIP(return, "%s", self->m.why);
	ASSERT_EQ(0, set_skew(self->m.bad_cpu, 900 * MSEC));
	/* If the machine stands still that long, nothing can be seen. */
	for (i = 0; i < 10 && !again; i++) {
		struct tape *t = tape_new();

		ASSERT_NE(NULL, t);
		dev_pin(self->m.bad_cpu);
		ASSERT_EQ(0, dev_emit_mark(self->m.wfd, TYPE, 0, i));
		dev_pin(self->m.cpu[0]);
		while (!t->nev) {
			ASSERT_LE(0, tape_drain(t, self->m.rfd));
			again += !t->nev;
			usleep(1000);
		}
		EXPECT_EQ(i, t->ev[0].nr);
		tape_free(t);
	}
	EXPECT_LT(0, again);
}

/*
 * While they emit, the kernel finds that the counter is wrong. Events emitted then are present
 * and in order; later ones are as without a shift.
 */
TEST_F(far, given_up)
{
	uint64_t calls = 2 * THREADS * TURNS;
	struct tape *t;
	int i;

	if (self->m.why)
		SKIP(return, "%s", self->m.why);
	ASSERT_NE(0, devtrace_control.counter.seq);
	ASSERT_EQ(0, set_skew(self->m.bad_cpu, MSEC));
	begin(self->m.w, self->m.cpu, self->m.n, false);
	dev_sleep_ms(100);
	ASSERT_EQ(0, dev_write_file(PARAM "unstable", "1"));
	t = follow(self->m.w, self->m.rfd, self->m.cpu[0]);
	read_rest(t, self->m.rfd, calls);
	EXPECT_EQ(0, t->damages + t->gaps + t->unknown);
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(calls, seen.calls);
	EXPECT_EQ(calls / 2, seen.lanes);
	EXPECT_EQ(0, seen.missing);
	tape_free(t);

	for (i = 0; i < 1000 && source_is("tsc"); i++)
		dev_sleep_ms(10);
	EXPECT_FALSE(source_is("tsc"));
	EXPECT_EQ(0, devtrace_control.counter.seq);
	dev_sleep_ms(10);
	begin(self->m.w, self->m.cpu, self->m.n, true);
	t = follow(self->m.w, self->m.rfd, self->m.bad_cpu);
	read_rest(t, self->m.rfd, calls);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(calls, seen.calls);
	EXPECT_EQ(calls / 2, seen.lanes);
	EXPECT_EQ(0, seen.missing);
	EXPECT_EQ(0, seen.misplaced);
	EXPECT_EQ(0, seen.late_calls);
	EXPECT_EQ(0, seen.backwards);
	tape_free(t);
}

TEST_HARNESS_MAIN
