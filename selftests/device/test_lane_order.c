// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_order.c - an event of a lane stands between the system calls around it
 *
 * A thread writes to the device, emits into its lane and writes again, on two CPUs and
 * moving between them. In the stream these stand in that order, always: the time of
 * the one in the middle is read by the program itself.
 *
 * DEVICE_ROUNDS makes it longer: 100 such turns a round and thread (default 1000).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"

#define THREADS		2
#define TYPE		DEVTRACE_T_USER
#define TURNS		100

static int the_fd, the_cpu[DEV_CPUS], the_cpus, rfd;
static uint64_t seen[THREADS], wrong, in_lanes;
static int nr_cpus;

struct writer {
	pthread_t	thread;
	uint32_t	me, turns;
	int		err;
};

/* Three events of a turn; their numbers rise. */
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
	bool from_lane;
	size_t pos = 0;

	if (i->kind != DEVTRACE_ITEM_EVENT || i->u.event.type != TYPE ||
	    devtrace_elem_next(i->u.event.data, i->u.event.len, &pos, &tag) != 1 ||
	    devtrace_elem_next(i->u.event.data, i->u.event.len, &pos, &nr) != 1 ||
	    tag.v.u >= THREADS)
		return;
	wrong += nr.v.u != seen[tag.v.u];
	/* The one in the middle, and no other, is from a lane. */
	from_lane = i->u.event.source >= nr_cpus;
	wrong += from_lane != (nr.v.u % 3 == 1);
	in_lanes += from_lane;
	seen[tag.v.u] = nr.v.u + 1;
}

FIXTURE(lane_order) {
	struct writer	w[THREADS];
};

FIXTURE_SETUP(lane_order)
{
	struct devtrace_stats s;

	dev_seed();
	the_cpus = dev_online(the_cpu);
	ASSERT_LT(0, the_cpus);
	ASSERT_EQ(0, dev_load("size=1M"));
	the_fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, the_fd);
	rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, rfd);
	ASSERT_EQ(0, dev_stats(-1, &s));
	nr_cpus = s.nr_cpus;
	ASSERT_EQ(0, devtrace_open());
}

FIXTURE_TEARDOWN(lane_order)
{
	devtrace_close();
	close(rfd);
	close(the_fd);
	EXPECT_EQ(0, dev_done());
}

TEST_F(lane_order, between_two_system_calls)
{
	const char *env = getenv("DEVICE_ROUNDS");
	uint32_t rounds = env ? atoi(env) : 1000, r, i;
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
	dev_say("%llu events of lanes, each between two system calls",
		(unsigned long long)in_lanes);
	EXPECT_EQ((uint64_t)rounds * THREADS * TURNS, in_lanes);
}

TEST_HARNESS_MAIN
