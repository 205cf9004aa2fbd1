// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_conservation.c - each event of a lane is read or counted
 *
 * Four programs of three threads emit numbered events with the library, alternately into lanes
 * and by system call. Meanwhile filters change, a reader reads, and programs are killed at
 * random and restarted. At the end, the events emitted, by the programs' own count, are those
 * stored, filtered, and dropped by cause. Events stored are those that a new reader gets plus
 * those overwritten. Events that the permanent reader got or was told as lost are those stored
 * and dropped. No number comes twice or out of order.
 *
 * A killed thread may have emitted one event more than it counted. The last programs therefore
 * end on their own.
 *
 * DEVICE_SECONDS is the duration (default 10).
 */
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define PROGRAMS	4
#define THREADS		3
#define LIVES		4096		/* of all programs */
#define TYPE		DEVTRACE_T_USER

/* One run of a program: what its threads have done. */
struct life {
	_Atomic uint32_t begun[THREADS], returned[THREADS];
};

struct shared {
	atomic_bool	stop;
	struct life	lives[LIVES];
};

struct thread {
	struct life	*life;
	uint32_t	tag;		/* of its run and thread */
	int		who, fd;
};

static struct shared *sh;
static struct nl nl;

/* Emits without the check of the control page, so that each event is counted. */
static int by_library(uint32_t tag, uint32_t nr)
{
	struct {
		struct devtrace_emit e;
		uint8_t d[10];
	} __attribute__((packed)) ev = { .e = { .type = TYPE } };

	tag = htole32(tag);
	nr = htole32(nr);
	ev.d[0] = DEVTRACE_E_U32;
	memcpy(ev.d + 1, &tag, 4);
	ev.d[5] = DEVTRACE_E_U32;
	memcpy(ev.d + 6, &nr, 4);
	return devtrace_emit_event(&ev.e, sizeof(ev));
}

static void *emit_all_the_time(void *arg)
{
	struct thread *t = arg;
	uint32_t nr, pause = 64 + dev_random() % 512;

	for (nr = 0; !sh->stop; nr++) {
		t->life->begun[t->who] = nr + 1;
		if (nr % 5 == 4 ? dev_emit_mark(t->fd, TYPE, t->tag, nr) : by_library(t->tag, nr))
			_exit(1);
		t->life->returned[t->who] = nr + 1;
		if (!(nr % pause))
			dev_sleep_ms(dev_random() % 4);
	}
	return NULL;
}

static void program(uint32_t life)
{
	struct thread t[THREADS];
	pthread_t th[THREADS];
	int i, fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);

	dev_random_as(life);
	for (i = 0; i < THREADS; i++) {
		t[i] = (struct thread){
			.life = &sh->lives[life], .tag = life * THREADS + i, .who = i, .fd = fd,
		};
		if (fd < 0 || pthread_create(&th[i], NULL, emit_all_the_time, &t[i]))
			_exit(1);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(th[i], NULL);
	_exit(0);
}

/* Events that a reader gets. */
struct seen {
	uint64_t	n, disorder, strange;
	uint32_t	next[LIVES * THREADS];
};

static void look_at(struct tape *t, const struct devtrace_item *i)
{
	struct seen *s = t->arg;
	const struct tape_event *e = &t->ev[t->nev - 1];

	if (i->kind != DEVTRACE_ITEM_EVENT)
		return;
	s->n++;
	if (e->type != TYPE || e->tag >= LIVES * THREADS ||
	    e->nr >= sh->lives[e->tag / THREADS].begun[e->tag % THREADS]) {
		s->strange++;
		return;
	}
	s->disorder += e->nr < s->next[e->tag];
	s->next[e->tag] = e->nr + 1;
}

static struct tape *seen_by(struct seen *s)
{
	struct tape *t = tape_new();

	t->each = look_at;
	t->arg = s;
	return t;
}

static int read_some(struct tape *t, int fd, size_t most)
{
	ssize_t n = tape_some(t, fd, most);

	t->nev = 0;
	t->ndata = 0;
	return n < 0 ? -1 : 0;
}

FIXTURE(lane_conservation) {
	int	fd;
	struct seen *seen[2];
	pid_t	pids[PROGRAMS];
	uint32_t lives;
};

FIXTURE_VARIANT(lane_conservation) {
	const char *params;
	bool filters;
};

FIXTURE_VARIANT_ADD(lane_conservation, without_filters) {
	.params = "size=64K",
};
FIXTURE_VARIANT_ADD(lane_conservation, filters_change) {
	.params = "size=64K", .filters = true,
};
FIXTURE_VARIANT_ADD(lane_conservation, before_wrap) {
	.params = "size=64K start=4294967000", .filters = true,
};

static void start(FIXTURE_DATA(lane_conservation) *self, int who)
{
	const uint32_t life = self->lives++;

	self->pids[who] = fork();
	if (!self->pids[who])
		program(life);
}

FIXTURE_SETUP(lane_conservation)
{
	int i;

	dev_seed();
	ASSERT_EQ(0, dev_load(variant->params));
	ASSERT_EQ(0, nl_open(&nl));
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, sh);
	for (i = 0; i < 2; i++) {
		self->seen[i] = calloc(1, sizeof(struct seen));
		ASSERT_NE(NULL, self->seen[i]);
	}
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < PROGRAMS; i++) {
		start(self, i);
		ASSERT_LE(0, self->pids[i]);
	}
}

FIXTURE_TEARDOWN(lane_conservation)
{
	int i;

	for (i = 0; i < PROGRAMS; i++)
		if (self->pids[i] > 0)
			kill(self->pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < 2; i++)
		free(self->seen[i]);
	close(self->fd);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

/* No filter, or one that refuses a program, the type, or severities that do not occur. */
static int change_filter(pid_t pid)
{
	const uint32_t p = pid;
	uint8_t types[32] = { 0 };
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	switch (dev_random() % 5) {
	case 0:
		nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &p, sizeof(p));
		break;
	case 1:
		nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
		break;
	case 2:
		nl_put_u32(&nl, DEVTRACE_FA_SW_SEVERITY, 2);
		break;
	}
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

static uint64_t dropped(const struct devtrace_stats *st)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		n += st->dropped[i];
	return n;
}

TEST_F_TIMEOUT(lane_conservation, all_is_stored_or_filtered_or_dropped, 900)
{
	const char *s = getenv("DEVICE_SECONDS");
	const uint64_t end = dev_now() + (s && *s ? atoi(s) : 10) * NSEC;
	const uint64_t patience = end + 300 * NSEC;
	struct devtrace_stats all, lanes;
	struct tape *t = seen_by(self->seen[0]), *after = seen_by(self->seen[1]);
	uint64_t begun = 0, returned = 0, lost;
	uint32_t kills = 0, i;
	int status, who, k, fd;
	bool some;

	do {
		ASSERT_EQ(0, read_some(t, self->fd, 64 << 10));
		ASSERT_EQ(0, dev_stats(-1, &all));
		ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &lanes));
		if (self->lives < LIVES) {
			who = dev_random() % PROGRAMS;
			/* it may have its lanes or not yet */
			kill(self->pids[who], SIGKILL);
			ASSERT_EQ(self->pids[who], waitpid(self->pids[who], &status, 0));
			ASSERT_EQ(SIGKILL, status);
			kills++;
			start(self, who);
		}
		if (variant->filters)
			ASSERT_EQ(0, change_filter(self->pids[dev_random() % PROGRAMS]));
		dev_sleep_ms(dev_random() % 50);
		/* lanes are not used under a filter: wait for a time without one */
		some = all.overwritten && lanes.stored && (!variant->filters || all.filtered);
	} while (dev_now() < end || (dev_now() < patience && !some));
	sh->stop = true;
	for (who = 0; who < PROGRAMS; who++) {
		ASSERT_EQ(self->pids[who], waitpid(self->pids[who], &status, 0));
		EXPECT_EQ(0, status);
		self->pids[who] = 0;
	}
	ASSERT_EQ(0, read_some(t, self->fd, SIZE_MAX));
	for (i = 0; i < self->lives; i++) {
		for (k = 0; k < THREADS; k++) {
			begun += sh->lives[i].begun[k];
			returned += sh->lives[i].returned[k];
		}
	}
	ASSERT_EQ(0, dev_stats(-1, &all));
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &lanes));
	dev_say("%u kills, %llu to %llu emitted, %llu of them by lanes", kills,
		(unsigned long long)returned, (unsigned long long)begun,
		(unsigned long long)lanes.emitted);
	dev_say("%llu stored, %llu overwritten, %llu filtered, %llu dropped",
		(unsigned long long)all.stored, (unsigned long long)all.overwritten,
		(unsigned long long)all.filtered, (unsigned long long)dropped(&all));
	EXPECT_LE(returned, all.emitted);
	EXPECT_GE(begun, all.emitted);
	EXPECT_GE((uint64_t)kills * THREADS, begun - returned);
	EXPECT_EQ(all.emitted, all.stored + all.filtered + dropped(&all));
	EXPECT_LT(0, all.overwritten);
	EXPECT_LT(0, lanes.stored);
	EXPECT_GT(all.stored, lanes.stored);
	EXPECT_EQ(variant->filters, all.filtered > 0);

	/* The permanent reader */
	lost = tape_lost(t, -1);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(all.stored + dropped(&all), self->seen[0]->n + lost);
	/* A new reader */
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, read_some(after, fd, SIZE_MAX));
	EXPECT_TRUE(tape_clean(after));
	EXPECT_EQ(all.stored - all.overwritten, self->seen[1]->n);
	EXPECT_EQ(all.overwritten + dropped(&all), tape_lost(after, -1));
	for (k = 0; k < 2; k++) {
		EXPECT_EQ(0, self->seen[k]->strange);
		EXPECT_EQ(0, self->seen[k]->disorder);
	}
	dev_say("%llu read on the way, %llu then", (unsigned long long)self->seen[0]->n,
		(unsigned long long)self->seen[1]->n);
	close(fd);
	tape_free(t);
	tape_free(after);
}

TEST_HARNESS_MAIN
