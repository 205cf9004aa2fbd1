// SPDX-License-Identifier: GPL-2.0-only
/* test_cpu.c - CPUs that go offline and come online, and the counts of each CPU */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define PER_CPU	50

FIXTURE(cpus) {
	int cpu[DEV_CPUS], n;
	int wfd;
};

FIXTURE_SETUP(cpus)
{
	dev_seed();
	self->n = dev_online(self->cpu);
	ASSERT_LT(0, self->n);
	ASSERT_EQ(0, dev_load("size=64K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(cpus)
{
	int i;

	for (i = 1; i < self->n; i++)
		dev_switch(self->cpu[i], true);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

TEST_F(cpus, what_one_left_can_be_read)
{
	int last = self->cpu[self->n - 1], i, fd;
	struct devtrace_stats st;
	struct tape *t, *live;

	if (self->n < 2 || !dev_can_switch(last))
		SKIP(return, "no CPU here can be taken offline");
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	live = tape_new();
	ASSERT_EQ(0, dev_pin(last));
	for (i = 0; i < PER_CPU; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	ASSERT_EQ(0, dev_pin(self->cpu[0]));
	ASSERT_EQ(0, dev_switch(last, false));
	dev_sleep_ms(20);
	/* by a new reader, by one that was there before, and by statistics */
	t = tape_all(1000);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(PER_CPU, t->read[last]);
	ASSERT_LT(0, tape_drain(live, fd));
	EXPECT_EQ(PER_CPU, live->read[last]);
	ASSERT_EQ(0, dev_stats(last, &st));
	EXPECT_EQ(PER_CPU, st.stored);
	EXPECT_EQ(0, tape_lost(t, -1));
	tape_free(t);
	/* others go on without waiting for it */
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 2, 0));
	dev_sleep_ms(20);
	ASSERT_LT(0, tape_drain(live, fd));
	EXPECT_EQ(PER_CPU + 1, live->nev);
	/* online again, it continues */
	ASSERT_EQ(0, dev_switch(last, true));
	ASSERT_EQ(0, dev_pin(last));
	for (i = 0; i < PER_CPU; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 3, i));
	dev_pin(-1);
	dev_sleep_ms(20);
	ASSERT_LT(0, tape_drain(live, fd));
	EXPECT_EQ(2 * PER_CPU, live->read[last]);
	EXPECT_EQ(0, tape_lost(live, -1));
	EXPECT_TRUE(tape_clean(live));
	tape_free(live);
	close(fd);
}

static atomic_bool done;
static _Atomic uint64_t emitted;

static void *emit_on(void *arg)
{
	int fd = *(int *)arg;
	uint32_t i;

	for (i = 0; !done; i++) {
		if (dev_emit_numbered(fd, dttest_tag(DTTEST_USER, 0), i, 200, 15))
			abort();
		emitted = i + 1;
		if (!(i % 16))
			usleep(500);
	}
	return NULL;
}

/* CPUs go and come while a writer migrates between them and a reader reads. */
TEST_F(cpus, come_and_go_during_a_read)
{
	int last = self->cpu[self->n - 1], i, fd;
	struct devtrace_stats st;
	struct tape *t, *all;
	pthread_t th;

	if (self->n < 2 || !dev_can_switch(last))
		SKIP(return, "no CPU here can be taken offline");
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	t = tape_new();
	ASSERT_EQ(0, pthread_create(&th, NULL, emit_on, &self->wfd));
	for (i = 0; i < 12; i++) {
		EXPECT_EQ(0, dev_switch(last, i & 1));
		ASSERT_LE(0, tape_some(t, fd, 64 << 10));
		dev_sleep_ms(dev_random() % 50);
		ASSERT_LE(0, tape_some(t, fd, 64 << 10));
	}
	done = true;
	pthread_join(th, NULL);
	dev_sleep_ms(20);
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(emitted, t->nev + tape_lost(t, -1));
	all = tape_all(4096);
	ASSERT_NE(NULL, all);
	EXPECT_EQ(emitted, all->nev + tape_lost(all, -1));
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(emitted, st.emitted);
	tape_free(all);
	tape_free(t);
	close(fd);
}

/* A writer on a given CPU, until that goes offline. */
struct loader {
	pthread_t thread;
	int fd, cpu;
	uint32_t who, emitted;
};

static void *load(void *arg)
{
	struct loader *l = arg;

	while (!done) {
		/* While its CPU is offline it may run on another one. */
		if (!(l->emitted % 64))
			dev_pin(l->cpu);
		if (dev_emit_numbered(l->fd, dttest_tag(DTTEST_USER, l->who), l->emitted, 200, 15))
			abort();
		l->emitted++;
		if (!(l->emitted % 32))
			usleep(300);
	}
	return NULL;
}

/* Each event is read once, or reported as lost. */
static bool all_accounted(struct tape *t, const struct loader *l, int n)
{
	uint32_t next[DEV_CPUS] = { 0 };
	uint64_t sum = 0, holes = 0, wrong = 0;
	size_t i;
	int k;

	for (k = 0; k < n; k++)
		sum += l[k].emitted;
	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		k = e->tag & 0xffff;
		if (k >= n || e->nr < next[k] || e->nr >= l[k].emitted) {
			wrong++;
			continue;
		}
		holes += e->nr - next[k];
		next[k] = e->nr + 1;
	}
	for (k = 0; k < n; k++)
		holes += l[k].emitted - next[k];
	dev_say("%llu emitted, %zu read, %llu not, %llu told as lost, %llu out of order",
		(unsigned long long)sum, t->nev, (unsigned long long)holes,
		(unsigned long long)tape_lost(t, -1), (unsigned long long)wrong);
	return tape_clean(t) && !wrong && holes == tape_lost(t, -1) && sum == t->nev + holes;
}

/* One reader reads now and then, the other one only at the end. */
TEST_F_TIMEOUT(cpus, come_and_go_under_load_with_unread_events, 600)
{
	const uint64_t enough = dev_now() + 60 * NSEC;
	int last = self->cpu[self->n - 1], i, n, fd, late_fd;
	struct loader l[DEV_CPUS];
	struct devtrace_stats st;
	struct tape *t, *late;
	uint64_t sum = 0;

	if (self->n < 2 || !dev_can_switch(last))
		SKIP(return, "no CPU here can be taken offline");
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	late_fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, late_fd);
	t = tape_new();
	late = tape_new();
	done = false;
	n = self->n + 1;
	for (i = 0; i < n; i++) {
		l[i] = (struct loader){
			.fd = self->wfd, .cpu = self->cpu[i % self->n], .who = i,
		};
		ASSERT_EQ(0, pthread_create(&l[i].thread, NULL, load, &l[i]));
	}
	/* kernels that check each access may need seconds for each */
	for (i = 0; i < 20 && (i < 4 || i & 1 || dev_now() < enough); i++) {
		dev_sleep_ms(dev_random() % 30);
		EXPECT_EQ(0, dev_switch(last, i & 1));
		/* as much as the rings hold, since writers may be faster */
		if (i % 3 == 1)
			ASSERT_LE(0, tape_some(t, fd, 256 << 10));
	}
	done = true;
	for (i = 0; i < n; i++) {
		pthread_join(l[i].thread, NULL);
		sum += l[i].emitted;
	}
	dev_sleep_ms(20);
	ASSERT_LE(0, tape_drain(t, fd));
	ASSERT_LE(0, tape_drain(late, late_fd));
	EXPECT_TRUE(all_accounted(t, l, n));
	EXPECT_TRUE(all_accounted(late, l, n));
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_EQ(sum, st.emitted);
	tape_free(late);
	tape_free(t);
	close(late_fd);
	close(fd);
}

/* A present CPU that is not online, as after maxcpus=1; or -1. */
static int left_out(const int *online, int n)
{
	int cpu, i;

	for (cpu = 1; cpu < DEV_CPUS; cpu++) {
		for (i = 0; i < n && online[i] != cpu; i++)
			;
		if (i == n && dev_can_switch(cpu))
			return cpu;
	}
	return -1;
}

/* Load the module while a CPU is offline; returns it, -1 if none can go, -2 on failure. */
static int load_without_one(FIXTURE_DATA(cpus) *self, const char *params)
{
	int last = left_out(self->cpu, self->n);

	if (last < 0 && self->n > 1 && dev_can_switch(self->cpu[self->n - 1]))
		last = self->cpu[self->n - 1];
	if (last < 0)
		return -1;
	close(self->wfd);
	if (dev_unload() || dev_switch(last, false) || dev_load(params))
		return -2;
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	return self->wfd < 0 ? -2 : last;
}

/* A CPU that was offline at load time gets its ring when it comes. */
TEST_F(cpus, one_comes_after_the_module)
{
	int last = load_without_one(self, "size=4K"), i, fd;
	struct tape *t = tape_new();

	if (last == -1)
		SKIP(return, "no CPU here can be taken offline");
	ASSERT_LE(0, last);
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, 0));
	dev_sleep_ms(20);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_EQ(1, t->nev);
	ASSERT_EQ(0, dev_switch(last, true));
	ASSERT_EQ(0, dev_pin(last));
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	dev_pin(-1);
	dev_sleep_ms(20);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(1001, t->nev + tape_lost(t, -1));
	EXPECT_LT(0, t->read[last]);
	tape_free(t);
	close(fd);
}

static int stream_of_writers(const char *name)
{
	uint8_t types[32] = { 0 };
	struct nl nl;
	size_t nest;
	int i, err;

	for (i = DTTEST_TYPE; i <= DTTEST_TYPE + DTTEST_USER; i++)
		types[i / 8] |= 1 << i % 8;
	err = nl_open(&nl);
	if (err)
		return err;
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 65536);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
	err = nl_do(&nl, NULL, NULL);
	nl_close(&nl);
	return err;
}

/* A CPU that was offline when a second stream was made stores drivers' events in that stream. */
TEST_F(cpus, one_comes_after_a_second_stream)
{
	struct devtrace_stats st = { 0 };
	int last = load_without_one(self, "size=64K"), fd, i;

	if (last == -1)
		SKIP(return, "no CPU here can be taken offline");
	ASSERT_LE(0, last);
	ASSERT_EQ(0, stream_of_writers("second"));
	fd = open(DEV_PATH "-second", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, dev_switch(last, true));
	ASSERT_EQ(0, dev_load_writers("heavy=15"));
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < 3000 && st.stored < 100; i++) {
		dev_sleep_ms(20);
		st.cpu = last;
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_STATS, &st));
	}
	EXPECT_LE(100, st.stored);
	EXPECT_EQ(0, dev_writers_run(false));
	close(fd);
}

/* A clear in a new ring that was not read yet is reported. */
TEST_F(cpus, one_that_comes_is_cleared_at_once)
{
	int last = load_without_one(self, "size=64K start=0xffffff00"), i, fd;
	struct tape *t = tape_new();

	if (last == -1)
		SKIP(return, "no CPU here can be taken offline");
	ASSERT_LE(0, last);
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, dev_switch(last, true));
	ASSERT_EQ(0, dev_pin(last));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CLEAR));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	dev_pin(-1);
	dev_sleep_ms(20);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(3, t->read[last]);
	EXPECT_EQ(10, t->lost[last][DEVTRACE_LOST_CLEARED]);
	EXPECT_EQ(10, tape_lost(t, -1));
	tape_free(t);
	close(fd);
}

/* Each event is counted for its CPU, by its outcome. */
TEST_F(cpus, account_is_exact)
{
	struct devtrace_stats before[DEV_CPUS], st, all;
	uint64_t stored = 0;
	struct tape *t;
	int i, k, n;

	for (k = 0; k < self->n; k++) {
		ASSERT_EQ(0, dev_pin(self->cpu[k]));
		ASSERT_EQ(0, dev_stats(self->cpu[k], &before[k]));
		EXPECT_EQ(65536, before[k].size);
		EXPECT_EQ(0, before[k].overwritten);
		n = 1000 * (k + 1) + 7;
		for (i = 0; i < n; i++)
			ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, k, i));
		ASSERT_EQ(0, dev_stats(self->cpu[k], &st));
		EXPECT_EQ(n, st.emitted - before[k].emitted);
		EXPECT_EQ(n, st.stored - before[k].stored);
		EXPECT_EQ(0, st.filtered);
		for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
			EXPECT_EQ(0, st.dropped[i]);
		/* 14 bytes of header and 10 of elements */
		EXPECT_EQ((st.stored - st.overwritten) * 24, st.used);
		EXPECT_GE(st.size, st.used);
		stored += st.stored;
	}
	dev_pin(-1);
	/* the rings are full: missing events were overwritten */
	for (i = 0; i < 20000; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 99, i));
	stored += 20000;
	dev_sleep_ms(20);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (k = 0; k < self->n; k++) {
		ASSERT_EQ(0, dev_stats(self->cpu[k], &st));
		EXPECT_EQ(st.stored - st.overwritten, t->read[self->cpu[k]]);
		EXPECT_EQ(st.overwritten, t->lost[self->cpu[k]][DEVTRACE_LOST_OVERWRITTEN]);
		EXPECT_EQ(st.overwritten, tape_lost(t, self->cpu[k]));
	}
	ASSERT_EQ(0, dev_stats(-1, &all));
	EXPECT_EQ(stored, all.stored);
	EXPECT_EQ(all.emitted, all.stored);
	EXPECT_LT(0, all.overwritten);
	tape_free(t);
}

/* Events that are too large are counted, and reported to readers. */
TEST_F(cpus, drops_are_counted_by_cause)
{
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], want[DEV_CPUS] = { 0 }, toobig = 0;
	struct devtrace_stats st;
	struct tape *t, *live;
	int c, i, k, fd;

	close(self->wfd);
	self->wfd = -1;
	/* events of up to 260 bytes in a ring that accepts 234 */
	ASSERT_EQ(0, dev_load("size=1K"));
	ASSERT_EQ(0, dev_load_writers("heavy=1"));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	live = tape_new();
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < 50; i++) {
		ASSERT_LE(0, tape_some(live, fd, 64 << 10));
		dev_sleep_ms(10);
	}
	ASSERT_EQ(0, dev_writers_run(false));
	ASSERT_EQ(0, dev_writers_counts(counts));
	dev_sleep_ms(20);
	ASSERT_LE(0, tape_drain(live, fd));
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_TRUE(tape_clean(live));
	for (c = 0; c < DEV_CPUS; c++) {
		for (k = 0; k < DTTEST_CLASSES; k++) {
			want[c] += counts[c][k];
			/* their numbers tell which of them were too large */
			for (i = 0; i < counts[c][k]; i++) {
				uint32_t len = dttest_len(dttest_hash(dttest_tag(k, c), i),
							  DTTEST_MAX_LEN, 1);

				/* object and signal, tag, number, pattern, hash */
				toobig += len && 4 + 5 + 5 + 2 + len + 5 > 1024 / 4 - 22;
			}
		}
		if (!want[c])
			continue;
		ASSERT_EQ(0, dev_stats(c, &st));
		EXPECT_EQ(want[c], st.emitted);
		EXPECT_EQ(want[c], st.stored + st.dropped[DEVTRACE_LOST_BUSY] +
			  st.dropped[DEVTRACE_LOST_TOOBIG]);
		EXPECT_EQ(0, st.dropped[DEVTRACE_LOST_OVERWRITTEN]);
		EXPECT_EQ(0, st.dropped[DEVTRACE_LOST_CLEARED]);
		EXPECT_EQ(0, st.dropped[DEVTRACE_LOST_NORING]);
		EXPECT_EQ(want[c], t->read[c] + tape_lost(t, c));
		EXPECT_EQ(want[c], live->read[c] + tape_lost(live, c));
		for (k = DEVTRACE_LOST_BUSY; k < DEVTRACE_LOST_CAUSES; k++) {
			EXPECT_EQ(st.dropped[k], t->lost[c][k]);
			EXPECT_EQ(st.dropped[k], live->lost[c][k]);
		}
	}
	ASSERT_EQ(0, dev_stats(-1, &st));
	EXPECT_LT(0, st.dropped[DEVTRACE_LOST_TOOBIG]);
	EXPECT_EQ(toobig, st.dropped[DEVTRACE_LOST_TOOBIG]);
	tape_free(t);
	tape_free(live);
	close(fd);
}

TEST_HARNESS_MAIN
