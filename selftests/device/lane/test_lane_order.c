// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_order.c - an event of a lane is ordered between the system calls around it
 *
 * A thread writes to the device, emits into its lane, and writes again, on two CPUs, also while
 * it migrates. The stream always has this order; the program itself reads the time of the middle
 * event. Its source is the thread's CPU, if the C library knows that.
 *
 * DEVICE_ROUNDS is the duration: 100 turns per round and thread (default 1000).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"

#define THREADS		2
#define TYPE		DEVTRACE_T_USER
#define TURNS		100

static int the_fd, the_cpu[DEV_CPUS], the_cpus, rfd;
static uint64_t seen[THREADS], wrong;

struct writer {
	pthread_t	thread;
	uint32_t	me, turns;
	int		err;
};

/* Three events per turn, with increasing numbers. */
static void *turns(void *arg)
{
	struct writer *w = arg;
	uint32_t i;

	for (i = 0; i < w->turns && !w->err; i++) {
		if (!(dev_random() % 8))
			dev_pin(the_cpu[dev_random() % the_cpus]);
		if (dev_emit_mark(the_fd, TYPE, w->me, 3 * i))
			w->err = errno;
		devtrace(TYPE, w->me, 3 * i + 1);
		if (dev_emit_mark(the_fd, TYPE, w->me, 3 * i + 2))
			w->err = errno;
	}
	return NULL;
}

static void look_at(struct tape *t, const struct devtrace_item *i)
{
	struct devtrace_elem tag, nr;
	size_t pos = 0;

	if (i->kind != DEVTRACE_ITEM_EVENT || i->u.event.type != TYPE ||
	    devtrace_elem_next(i->u.event.data, i->u.event.len, &pos, &tag) != 1 ||
	    devtrace_elem_next(i->u.event.data, i->u.event.len, &pos, &nr) != 1 ||
	    tag.v.u >= THREADS)
		return;
	wrong += nr.v.u != seen[tag.v.u];
	seen[tag.v.u] = nr.v.u + 1;
}

FIXTURE(lane_order) {
	struct writer	w[THREADS];
};

FIXTURE_SETUP(lane_order)
{
	dev_seed();
	the_cpus = dev_online(the_cpu);
	ASSERT_LT(0, the_cpus);
	ASSERT_EQ(0, dev_load("size=1M"));
	the_fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, the_fd);
	rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, rfd);
	ASSERT_EQ(0, devtrace_open());
}

FIXTURE_TEARDOWN(lane_order)
{
	/* its mapping holds the module */
	devtrace_lane(0);
	devtrace_close();
	close(rfd);
	close(the_fd);
	EXPECT_EQ(0, dev_done());
}

TEST_F(lane_order, between_two_system_calls)
{
	const char *env = getenv("DEVICE_ROUNDS");
	uint32_t rounds = env ? atoi(env) : 1000, r, i;
	struct devtrace_stats st;
	struct tape *t;

	for (r = 0; r < rounds; r++) {
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < THREADS; i++) {
			self->w[i] = (struct writer){ .me = i, .turns = TURNS };
			ASSERT_EQ(0, pthread_create(&self->w[i].thread, NULL, turns, &self->w[i]));
		}
		for (i = 0; i < THREADS; i++) {
			pthread_join(self->w[i].thread, NULL);
			EXPECT_EQ(0, self->w[i].err);
		}
		t = tape_new();
		ASSERT_NE(NULL, t);
		t->each = look_at;
		while (tape_drain(t, rfd) > 0)
			;
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(0, tape_lost(t, -1));
		for (i = 0; i < THREADS; i++)
			ASSERT_EQ(3 * TURNS, seen[i]);
		tape_free(t);
		ASSERT_EQ(0, wrong);
	}
	/* Only the middle events are from lanes. */
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	dev_say("%llu events of lanes, each between two system calls",
		(unsigned long long)st.stored);
	EXPECT_EQ((uint64_t)rounds * THREADS * TURNS, st.stored);
}

/* True if the C library tells the CPU. */
static bool cpu_is_known(void)
{
#if defined(__GLIBC__) && __has_include(<sys/rseq.h>) && \
	(defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__s390x__))
	return __rseq_size;
#else
	return false;
#endif
}

/* The thread migrates within a block and between blocks. */
TEST_F(lane_order, on_the_cpu_that_is_its_source)
{
	const uint32_t n = 3000;
	uint16_t cpu[3000];
	struct devtrace_stats st;
	uint32_t i, moves = 0;
	struct tape *t;
	int k = 0;

	ASSERT_EQ(0, dev_pin(the_cpu[k]));
	for (i = 0; i < n; i++) {
		if (!(dev_random() % 32)) {
			k = (k + 1) % the_cpus;
			moves++;
			ASSERT_EQ(0, dev_pin(the_cpu[k]));
		}
		cpu[i] = the_cpu[k];
		devtrace(TYPE, 9u, i);
	}
	dev_pin(-1);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	EXPECT_EQ(n, st.stored);
	t = tape_new();
	ASSERT_NE(NULL, t);
	while (tape_drain(t, rfd) > 0)
		;
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(n, t->nev);
	EXPECT_EQ(0, tape_lost(t, -1));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(i, t->ev[i].nr);
		if (!cpu_is_known())
			ASSERT_LE(st.nr_cpus, t->ev[i].source) TH_LOG("event %u", i);
		if (cpu_is_known())
			ASSERT_EQ(cpu[i], t->ev[i].source) TH_LOG("event %u", i);
	}
	dev_say("%u events, %u moves among %d CPUs, CPU %sknown", n, moves, the_cpus,
		cpu_is_known() ? "" : "not ");
	tape_free(t);
}

TEST_HARNESS_MAIN
