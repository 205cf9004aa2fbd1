// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trigger_exact.c - triggers while all CPUs emit at full speed
 *
 * "Severity hw2 or above, then 50 more", met in hard interrupt context: in each round exactly 50
 * events follow the firing one, in reading order, and a STATE frame gives the reason for the
 * stop. At the end the counts are exact: events emitted are those filtered, stored and dropped;
 * a permanent reader has read, or was told to have lost, each event that the stream wanted.
 *
 * Then conditions that all CPUs meet at the same time: each event is counted, and each n-th
 * fires once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <devtrace-ctl.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "trigger.h"

#define LATER	50

/* Reads permanently, and counts. */
struct reader {
	int fd;
	pthread_t thread;
	struct devtrace_decoder *d;
	uint64_t read[DEV_CPUS], lost[DEV_CPUS][DEVTRACE_LOST_CAUSES];
	uint64_t damages, failed;
	uint64_t started;		/* the last start; no loss by a later stop is older */
	uint64_t misplaced;		/* losses by a stop, not reported as of this stop */
	bool stopped;
	unsigned int stops;
	atomic_bool quiet;
};

/*
 * A loss by a stop is reported after the STATE frame of the stop, and began after the start
 * before it. If it was counted late, it is reported after the next start, but ended before.
 */
static bool is_misplaced(const struct reader *r, const struct devtrace_lost *l)
{
	return l->to < l->from || (r->stopped ? l->from < r->started : l->to > r->started);
}

static int item(const struct devtrace_item *i, void *arg)
{
	struct reader *r = arg;

	if (i->kind == DEVTRACE_ITEM_STATE) {
		r->stopped = i->u.state.state != DEVTRACE_STATE_RUNNING;
		r->stops += r->stopped;
		if (!r->stopped)
			r->started = i->u.state.ts;
	} else if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.cause == DEVTRACE_LOST_STOPPED &&
		   is_misplaced(r, &i->u.lost) && !r->misplaced++) {
		dev_say("%llu lost from %llu to %llu, %s, started %llu",
			(unsigned long long)i->u.lost.count, (unsigned long long)i->u.lost.from,
			(unsigned long long)i->u.lost.to, r->stopped ? "stopped" : "running",
			(unsigned long long)r->started);
	}
	if (i->kind == DEVTRACE_ITEM_EVENT && i->u.event.source < DEV_CPUS)
		r->read[i->u.event.source]++;
	else if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.source < DEV_CPUS &&
		 i->u.lost.cause < DEVTRACE_LOST_CAUSES)
		r->lost[i->u.lost.source][i->u.lost.cause] += i->u.lost.count;
	else if (i->kind == DEVTRACE_ITEM_DAMAGE || i->kind == DEVTRACE_ITEM_GAP)
		r->damages++;
	return 0;
}

static void *read_on(void *arg)
{
	struct reader *r = arg;
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	char buf[65536];
	bool quiet;
	ssize_t n;

	for (;;) {
		quiet = r->quiet;
		n = read(r->fd, buf, sizeof(buf));
		if (n > 0) {
			devtrace_decoder_feed(r->d, buf, n, NULL);
			continue;
		}
		r->failed += n == 0 || errno != EAGAIN;
		if (quiet || r->failed)
			return NULL;
		poll(&p, 1, 50);
		/* If it is late, it is told what it lost. */
		dev_sleep_ms(20);
	}
}

static bool start_reader(struct reader *r, const char *path)
{
	r->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	r->d = devtrace_decoder_new(item, r);
	return r->fd >= 0 && r->d && !pthread_create(&r->thread, NULL, read_on, r);
}

FIXTURE(exact) {
	struct devtrace_ctl *ctl;
	struct devtrace_ctl_trigger t;
	struct reader r;
	int cpus[DEV_CPUS], ncpus;
};

FIXTURE_VARIANT(exact) {
	const char *stream;
	bool rearm;
	unsigned int percent;		/* of the requested rounds */
};

/* Rearmed when the stream runs again, or made anew for each round. */
FIXTURE_VARIANT_ADD(exact, stream0_rearming) {
	.stream = "trace", .rearm = true, .percent = 100,
};
FIXTURE_VARIANT_ADD(exact, named_one_shot) {
	.stream = "box", .rearm = false, .percent = 30,
};

FIXTURE_SETUP(exact)
{
	memset(self, 0, sizeof(*self));
	dev_seed();
	ASSERT_EQ(0, dev_load("size=8K"));
	/* Permanent load on each CPU, and interrupts. */
	ASSERT_EQ(0, dev_load_writers("pause_us=0 burst=64 period_us=300 max_len=16"));
	ASSERT_EQ(0, dev_load_file("dtfire.ko", ""));
	if (access("/sys/module/dtquiet", F_OK))
		dev_load_file("dtquiet.ko", "");	/* fails without NMIs */
	self->ncpus = dev_online(self->cpus);
	ASSERT_LT(0, self->ncpus);
	self->ctl = devtrace_ctl_open();
	ASSERT_NE(NULL, self->ctl);
	devtrace_ctl_trigger_init(&self->t, "fault");
}

FIXTURE_TEARDOWN(exact)
{
	dev_nmi(0);
	dev_writers_run(false);
	devtrace_ctl_close(self->ctl);
	devtrace_decoder_free(self->r.d);
	if (self->r.fd > 0)
		close(self->r.fd);
	dev_sleep_ms(200);	/* wait for the last NMIs */
	dev_unload_one("dtquiet");
	EXPECT_EQ(0, dev_done());
}

#define OK(call)	ASSERT_EQ(0, call) TH_LOG("%s", devtrace_ctl_error(self->ctl))

static int add_stats(const struct devtrace_ctl_stats *s, void *arg)
{
	struct devtrace_ctl_stats *all = arg;

	if (s->cpu < DEV_CPUS)
		all[s->cpu] = *s;
	return 0;
}

/* Number of events after the one with this value; -1: not found. */
static long after(const struct record *r, uint32_t value, size_t *at)
{
	size_t i;

	for (i = r->t->nev; i--;)
		if (r->t->ev[i].type == FIRE_TYPE && r->t->ev[i].tag == value) {
			*at = i;
			return r->t->nev - 1 - i;
		}
	return -1;
}

TEST_F_TIMEOUT(exact, fifty_later_events, 1200)
{
	const char *env = getenv("DEVICE_ROUNDS");
	uint32_t rounds = env && *env ? strtoul(env, NULL, 0) : 1000, round;
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], fires[DEV_CPUS] = { 0 };
	uint64_t wrong = 0, emitted, dropped, lost, stopped = 0, all = 0;
	struct devtrace_ctl_stats st[DEV_CPUS] = { 0 };
	const uint64_t begin = dev_now();
	struct devtrace_ctl_stream s;
	struct devtrace_filter f;
	char path[64] = DEV_PATH;
	int i, k, cpu;

	rounds = (rounds * variant->percent + 99) / 100;
	if (strcmp(variant->stream, "trace")) {
		/* The filter refuses some events, which must be counted. */
		devtrace_filter_all(&f);
		devtrace_filter_range(&f, DEVTRACE_FA_TYPES, DTTEST_TYPE + DTTEST_SOFTIRQ,
				      DTTEST_TYPE + DTTEST_SOFTIRQ, false);
		OK(devtrace_ctl_stream_new(self->ctl, variant->stream, 8192, &f, 0600,
					   DEVTRACE_STATE_RUNNING));
		snprintf(path, sizeof(path), "%s-%s", DEV_PATH, variant->stream);
	}
	ASSERT_TRUE(start_reader(&self->r, path));

	devtrace_filter_severity(&self->t.when, 2, 0);
	self->t.action = DEVTRACE_ACTION_STOP;
	self->t.events = LATER;
	self->t.rearm = variant->rearm;
	strcpy(self->t.stream, variant->stream);
	OK(devtrace_ctl_trigger_new(self->ctl, &self->t));
	ASSERT_EQ(0, dev_writers_run(true));
	dev_nmi(50);

	for (round = 0; round < rounds; round++) {
		struct record *r;
		size_t at = 0;
		long n;

		usleep(dev_random() % 2000);
		cpu = self->cpus[dev_random() % self->ncpus];
		ASSERT_EQ(0, dev_pin(cpu));
		ASSERT_EQ(0, fire("irq", FIRE_TYPE, DEVTRACE_SEV_SET | DEVTRACE_SEV_HW | 2,
				  round, "x"));
		fires[cpu]++;
		dev_pin(-1);
		for (i = 0; i < 5000; i++) {
			OK(devtrace_ctl_stream_get(self->ctl, variant->stream, &s));
			if (s.state == DEVTRACE_STATE_STOPPED)
				break;
			usleep(1000);
		}
		ASSERT_EQ(DEVTRACE_STATE_STOPPED, s.state) TH_LOG("round %u", round);
		EXPECT_STREQ("fault", s.reason);

		r = record_stopped(variant->stream);
		n = after(r, round, &at);
		if (n != LATER) {
			wrong++;
			dev_say("round %u: %ld later events", round, n);
		} else {
			const struct record_state *last = &r->state[r->nstates - 1];

			ASSERT_LT(0, r->nstates);
			EXPECT_EQ(DEVTRACE_STATE_STOPPED, last->state);
			EXPECT_STREQ("fault", last->trigger);
			EXPECT_EQ(r->t->ev[at].ts, last->fired);
			EXPECT_EQ(r->t->nev, last->after);
		}
		EXPECT_TRUE(tape_clean(r->t));
		record_free(r);

		OK(devtrace_ctl_clear(self->ctl, variant->stream));
		if (!variant->rearm)
			OK(devtrace_ctl_trigger_arm(self->ctl, "fault", true));
		OK(devtrace_ctl_stream_state(self->ctl, variant->stream,
					     DEVTRACE_STATE_RUNNING));
	}
	EXPECT_EQ(0, wrong) TH_LOG("%llu rounds of %u", (unsigned long long)wrong, rounds);
	OK(devtrace_ctl_trigger_get(self->ctl, "fault", &self->t));
	EXPECT_EQ(rounds, self->t.fired);
	/* Armed by hand, it counts anew. */
	EXPECT_EQ(variant->rearm ? rounds : 0, self->t.seen);

	ASSERT_EQ(0, dev_writers_run(false));
	dev_nmi(0);
	self->r.quiet = true;
	ASSERT_EQ(0, pthread_join(self->r.thread, NULL));
	ASSERT_EQ(0, dev_writers_counts(counts));
	OK(devtrace_ctl_stats(self->ctl, variant->stream, add_stats, st));
	for (i = 0; i < self->ncpus; i++) {
		cpu = self->cpus[i];
		emitted = fires[cpu];
		for (k = 0; k < DTTEST_CLASSES; k++)
			emitted += counts[cpu][k];
		for (dropped = 0, lost = 0, k = 0; k < DEVTRACE_LOST_CAUSES; k++) {
			dropped += st[cpu].dropped[k];
			lost += self->r.lost[cpu][k];
		}
		EXPECT_EQ(emitted, st[cpu].emitted);
		EXPECT_EQ(emitted, st[cpu].filtered + st[cpu].stored + dropped);
		EXPECT_EQ(strcmp(variant->stream, "trace") ? counts[cpu][DTTEST_SOFTIRQ] : 0,
			  st[cpu].filtered);
		EXPECT_EQ(emitted - st[cpu].filtered, self->r.read[cpu] + lost)
			TH_LOG("CPU %d: %llu read + %llu lost", cpu,
			       (unsigned long long)self->r.read[cpu], (unsigned long long)lost);
		/* An event undone by the stop was stored before. */
		EXPECT_LE(st[cpu].dropped[DEVTRACE_LOST_STOPPED],
			  self->r.lost[cpu][DEVTRACE_LOST_STOPPED]);
		stopped += st[cpu].dropped[DEVTRACE_LOST_STOPPED];
		all += emitted;
	}
	EXPECT_EQ(0, self->r.failed);
	EXPECT_EQ(0, self->r.damages);
	EXPECT_EQ(0, self->r.misplaced);
	EXPECT_LT(0, stopped);
	dev_say("%u rounds in %llu s: %llu events, %llu while stopped", rounds,
		(unsigned long long)((dev_now() - begin) / NSEC), (unsigned long long)all,
		(unsigned long long)stopped);
}

/*
 * A command cancels each stop. Events that were dropped while the one that fired was stored belong
 * to a stop all the same, which a reader is told before the loss.
 */
TEST_F_TIMEOUT(exact, cancelled_by_a_command, 600)
{
	const char *env = getenv("DEVICE_ROUNDS");
	uint32_t rounds = env && *env ? strtoul(env, NULL, 0) : 1000, round;
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], emitted = 0, told = 0;
	struct devtrace_ctl_stream s;
	int i, k, cpu;

	if (strcmp(variant->stream, "trace"))
		SKIP(return, "stream 0 suffices");
	ASSERT_TRUE(start_reader(&self->r, DEV_PATH));
	devtrace_filter_severity(&self->t.when, 2, 0);
	self->t.action = DEVTRACE_ACTION_STOP;
	/* The stop does not come by itself. */
	self->t.events = INT32_MAX;
	OK(devtrace_ctl_trigger_new(self->ctl, &self->t));
	ASSERT_EQ(0, dev_writers_run(true));
	dev_nmi(50);
	for (round = 0; round < rounds; round++) {
		cpu = self->cpus[dev_random() % self->ncpus];
		ASSERT_EQ(0, dev_pin(cpu));
		ASSERT_EQ(0, fire("irq", FIRE_TYPE, DEVTRACE_SEV_SET | DEVTRACE_SEV_HW | 2,
				  round, "x"));
		dev_pin(-1);
		/* Let the reader read before the command, mostly. */
		usleep(dev_random() % 60000);
		OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING));
		OK(devtrace_ctl_stream_get(self->ctl, "trace", &s));
		EXPECT_EQ(DEVTRACE_STATE_RUNNING, s.state);
		OK(devtrace_ctl_trigger_arm(self->ctl, "fault", true));
	}
	ASSERT_EQ(0, dev_writers_run(false));
	dev_nmi(0);
	OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_RUNNING));
	self->r.quiet = true;
	ASSERT_EQ(0, pthread_join(self->r.thread, NULL));
	ASSERT_EQ(0, dev_writers_counts(counts));
	for (i = 0; i < self->ncpus; i++) {
		cpu = self->cpus[i];
		told += self->r.read[cpu];
		for (k = 0; k < DEVTRACE_LOST_CAUSES; k++)
			told += self->r.lost[cpu][k];
		for (k = 0; k < DTTEST_CLASSES; k++)
			emitted += counts[cpu][k];
	}
	EXPECT_EQ(emitted + rounds, told);
	EXPECT_EQ(0, self->r.failed);
	EXPECT_EQ(0, self->r.damages);
	EXPECT_EQ(0, self->r.misplaced);
	dev_say("%llu events, %u stops told", (unsigned long long)emitted, self->r.stops);
}

static unsigned long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

FIXTURE(count) {
	struct devtrace_ctl *ctl;
	struct devtrace_ctl_trigger t;
};

FIXTURE_SETUP(count)
{
	memset(self, 0, sizeof(*self));
	ASSERT_EQ(0, dev_load("size=32K"));
	ASSERT_EQ(0, dev_load_writers("pause_us=0 burst=64 period_us=300 max_len=40"));
	if (access("/sys/module/dtquiet", F_OK))
		dev_load_file("dtquiet.ko", "");
	self->ctl = devtrace_ctl_open();
	ASSERT_NE(NULL, self->ctl);
	devtrace_ctl_trigger_init(&self->t, "each");
	devtrace_filter_only(&self->t.when, DEVTRACE_FA_TYPES);
	devtrace_filter_range(&self->t.when, DEVTRACE_FA_TYPES, DTTEST_TYPE,
			      DTTEST_TYPE + DTTEST_CLASSES - 1, true);
}

FIXTURE_TEARDOWN(count)
{
	dev_nmi(0);
	dev_writers_run(false);
	devtrace_ctl_close(self->ctl);
	dev_sleep_ms(200);
	dev_unload_one("dtquiet");
	EXPECT_EQ(0, dev_done());
}

/* Losses never end, but traceinfo does, and prints everything stored. */
TEST_F_TIMEOUT(count, stopped_stream_is_printed_while_others_emit, 300)
{
	ASSERT_EQ(0, dev_writers_run(true));
	dev_sleep_ms(50);
	OK(devtrace_ctl_stream_state(self->ctl, "trace", DEVTRACE_STATE_STOPPED));
	dev_sleep_ms(200);
	EXPECT_EQ(0, system("timeout 60 traceinfo -J >/tmp/during"));
	ASSERT_EQ(0, dev_writers_run(false));
	EXPECT_EQ(0, system("traceinfo -J >/tmp/after"));
	EXPECT_EQ(0, system("for f in during after; do\n"
			    "	grep '\"kind\":\"event\"' /tmp/$f >/tmp/events.$f || exit\n"
			    "done; cmp /tmp/events.*"));
	dev_say("%lu bytes printed during, %lu after", size_of("/tmp/during"),
		size_of("/tmp/after"));
}

TEST_F(count, each_seventh_fires_and_one_shot_once)
{
	const char *env = getenv("DEVICE_SECONDS");
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], emitted = 0;
	int c, k, tries, seconds = env && *env ? atoi(env) : 5;
	struct devtrace_ctl_trigger got = { .fired = 0 };

	self->t.nth = 7;
	self->t.rearm = true;
	OK(devtrace_ctl_trigger_new(self->ctl, &self->t));
	strcpy(self->t.name, "once");
	self->t.nth = 1000;
	self->t.rearm = false;
	OK(devtrace_ctl_trigger_new(self->ctl, &self->t));

	ASSERT_EQ(0, dev_writers_run(true));
	dev_nmi(100);
	dev_sleep_ms(seconds * 1000);
	/* On a slow machine the thousandth event takes longer. */
	for (tries = 0; tries < 6000 && !got.fired; tries++) {
		OK(devtrace_ctl_trigger_get(self->ctl, "once", &got));
		dev_sleep_ms(10);
	}
	dev_nmi(0);
	ASSERT_EQ(0, dev_writers_run(false));
	ASSERT_EQ(0, dev_writers_counts(counts));
	for (c = 0; c < DEV_CPUS; c++)
		for (k = 0; k < DTTEST_CLASSES; k++)
			emitted += counts[c][k];

	OK(devtrace_ctl_trigger_get(self->ctl, "each", &got));
	EXPECT_EQ(emitted, got.seen);
	EXPECT_EQ(emitted / 7, got.fired);
	OK(devtrace_ctl_trigger_get(self->ctl, "once", &got));
	EXPECT_EQ(1, got.fired);
	EXPECT_LE(1000, got.seen);
	EXPECT_FALSE(got.armed);
	dev_say("%llu events", (unsigned long long)emitted);
}

TEST_HARNESS_MAIN
