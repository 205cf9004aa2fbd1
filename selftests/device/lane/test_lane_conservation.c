// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_conservation.c - each event of a lane is read or counted
 *
 * Four programs of three threads emit numbered events with the library, alternately into lanes
 * and by system call. Meanwhile filters change, a reader reads, and programs are killed at
 * random and restarted. At the end, the events emitted, by the programs' own count, are those
 * stored, filtered, and dropped by cause. Events stored are those that a new reader gets plus
 * those overwritten. Events that the permanent reader got or was told as lost are those stored
 * and dropped. No number comes twice or out of order. With three streams, all of this holds for
 * each of them, filters of any of them change, and there is a trigger.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

#define STREAMS		3
#define OTHER		(DEVTRACE_T_USER + 1)

static const char * const names[STREAMS] = { DEVTRACE_STREAM0, "second", "third" };

static const char *path_of(int stream)
{
	static char path[64];

	snprintf(path, sizeof(path), stream ? "%s-%s" : "%s", DEV_PATH, names[stream]);
	return path;
}

FIXTURE(lane_conservation) {
	int	fd[STREAMS];
	struct seen *seen[STREAMS][2];
	pid_t	pids[PROGRAMS];
	uint32_t lives;
};

FIXTURE_VARIANT(lane_conservation) {
	const char *params;
	bool filters;
	int streams;
};

FIXTURE_VARIANT_ADD(lane_conservation, without_filters) {
	.params = "size=64K", .streams = 1,
};
FIXTURE_VARIANT_ADD(lane_conservation, filters_change) {
	.params = "size=64K", .filters = true, .streams = 1,
};
FIXTURE_VARIANT_ADD(lane_conservation, three_streams) {
	.params = "size=64K", .filters = true, .streams = STREAMS,
};
FIXTURE_VARIANT_ADD(lane_conservation, before_wrap) {
	.params = "size=64K start=4294967000", .filters = true, .streams = STREAMS,
};

static void start(FIXTURE_DATA(lane_conservation) *self, int who)
{
	const uint32_t life = self->lives++;

	self->pids[who] = fork();
	if (!self->pids[who])
		program(life);
}

static void put_type(int attr, uint8_t type)
{
	size_t nest = nl_nest(&nl, attr);
	uint8_t types[32] = { 0 };

	types[type / 8] |= 1 << type % 8;
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
}

static int stream_new(const char *name)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 65536);
	put_type(DEVTRACE_A_FILTER, TYPE);
	return nl_do(&nl, NULL, NULL);
}

static int trigger_new(void)
{
	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "t");
	put_type(DEVTRACE_A_WHEN, OTHER);
	nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	return nl_do(&nl, NULL, NULL);
}

FIXTURE_SETUP(lane_conservation)
{
	int i, k;

	dev_seed();
	ASSERT_EQ(0, dev_load(variant->params));
	ASSERT_EQ(0, nl_open(&nl));
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, sh);
	for (i = 0; i < variant->streams; i++) {
		if (i)
			ASSERT_EQ(0, stream_new(names[i]));
		for (k = 0; k < 2; k++) {
			self->seen[i][k] = calloc(1, sizeof(struct seen));
			ASSERT_NE(NULL, self->seen[i][k]);
		}
		self->fd[i] = open(path_of(i), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, self->fd[i]);
	}
	if (variant->streams > 1)
		ASSERT_EQ(0, trigger_new());
	for (i = 0; i < PROGRAMS; i++) {
		start(self, i);
		ASSERT_LE(0, self->pids[i]);
	}
}

FIXTURE_TEARDOWN(lane_conservation)
{
	int i, k;

	for (i = 0; i < PROGRAMS; i++)
		if (self->pids[i] > 0)
			kill(self->pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < variant->streams; i++) {
		for (k = 0; k < 2; k++)
			free(self->seen[i][k]);
		close(self->fd[i]);
	}
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

enum filter { NOT_PROGRAM, NO_TYPE, OTHER_SEVERITIES, ALL_PASS, KINDS = 5 };

/* Set a filter that refuses a program, the type, or severities that do not occur, or none. */
static int set_filter(const char *stream, enum filter kind, pid_t pid)
{
	const uint32_t p = pid;
	uint8_t types[32] = { 0 };
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	switch (kind) {
	case NOT_PROGRAM:
		nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &p, sizeof(p));
		break;
	case NO_TYPE:
		nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
		break;
	case OTHER_SEVERITIES:
		nl_put_u32(&nl, DEVTRACE_FA_SW_SEVERITY, 2);
		break;
	default:
		break;
	}
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

/* Return the number of events emitted, as the programs of @lives count. */
static uint64_t emitted_by(uint32_t lives)
{
	uint64_t n = 0;
	uint32_t i;
	int k;

	for (i = 0; i < lives; i++)
		for (k = 0; k < THREADS; k++)
			n += sh->lives[i].returned[k];
	return n;
}

/*
 * Refuse events of a stream for certain. The statistics cannot tell it of a second stream while
 * programs run: there, an event that stream 0 has and this one has not yet counts as filtered.
 */
static int refuse_some(int stream, uint32_t lives)
{
	const int ret = set_filter(names[stream], NO_TYPE, 0);
	const uint64_t enough = emitted_by(lives) + 1000;

	while (!ret && emitted_by(lives) < enough)
		dev_sleep_ms(1);
	return ret;
}

static uint64_t dropped(const struct devtrace_stats *st)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		n += st->dropped[i];
	return n;
}

static int stats_of(int fd, int cpu, struct devtrace_stats *st)
{
	memset(st, 0xaa, sizeof(*st));
	st->cpu = cpu;
	return ioctl(fd, DEVTRACE_IOC_STATS, st);
}

/* Everything is written and counted: check one stream. @t: what its permanent reader got. */
static void check_stream(struct __test_metadata *_metadata, int stream, int fd, bool filters,
			 struct tape *t, struct seen **seen)
{
	struct tape *after = seen_by(seen[1]);
	struct devtrace_stats all, lanes;
	int k, other;

	ASSERT_EQ(0, stats_of(fd, -1, &all));
	ASSERT_EQ(0, stats_of(fd, DEVTRACE_STATS_LANES, &lanes));
	dev_say("%s: %llu emitted, %llu of them by lanes", names[stream],
		(unsigned long long)all.emitted, (unsigned long long)lanes.emitted);
	dev_say("%llu stored, %llu overwritten, %llu filtered, %llu dropped",
		(unsigned long long)all.stored, (unsigned long long)all.overwritten,
		(unsigned long long)all.filtered, (unsigned long long)dropped(&all));
	EXPECT_EQ(all.emitted, all.stored + all.filtered + dropped(&all));
	EXPECT_LT(0, all.overwritten);
	EXPECT_LT(0, lanes.stored);
	EXPECT_GT(all.stored, lanes.stored);
	EXPECT_EQ(filters, all.filtered > 0);

	/* The permanent reader */
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(all.stored + dropped(&all), seen[0]->n + tape_lost(t, -1));
	/* A new reader */
	other = open(path_of(stream), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, read_some(after, other, SIZE_MAX));
	EXPECT_TRUE(tape_clean(after));
	EXPECT_EQ(all.stored - all.overwritten, seen[1]->n);
	EXPECT_EQ(all.overwritten + dropped(&all), tape_lost(after, -1));
	for (k = 0; k < 2; k++) {
		EXPECT_EQ(0, seen[k]->strange);
		EXPECT_EQ(0, seen[k]->disorder);
	}
	dev_say("%llu read on the way, %llu then", (unsigned long long)seen[0]->n,
		(unsigned long long)seen[1]->n);
	close(other);
	tape_free(after);
}

TEST_F_TIMEOUT(lane_conservation, all_is_stored_or_filtered_or_dropped, 900)
{
	const char *s = getenv("DEVICE_SECONDS");
	const uint64_t end = dev_now() + (s && *s ? atoi(s) : 10) * NSEC;
	const uint64_t patience = end + 300 * NSEC;
	struct devtrace_stats all, lanes;
	struct tape *t[STREAMS];
	uint64_t begun = 0, returned = 0;
	uint32_t kills = 0, i;
	int status, who, k, n;
	bool some;

	for (n = 0; n < variant->streams; n++)
		t[n] = seen_by(self->seen[n][0]);
	do {
		some = true;
		for (n = 0; n < variant->streams; n++) {
			ASSERT_EQ(0, read_some(t[n], self->fd[n], 64 << 10));
			ASSERT_EQ(0, stats_of(self->fd[n], -1, &all));
			ASSERT_EQ(0, stats_of(self->fd[n], DEVTRACE_STATS_LANES, &lanes));
			EXPECT_EQ(all.emitted, all.stored + all.filtered + dropped(&all));
			some &= all.overwritten && lanes.stored;
		}
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
			ASSERT_EQ(0, set_filter(names[dev_random() % variant->streams],
						dev_random() % KINDS,
						self->pids[dev_random() % PROGRAMS]));
		dev_sleep_ms(dev_random() % 50);
	} while (dev_now() < end || (dev_now() < patience && !some));
	for (n = 0; variant->filters && n < variant->streams; n++)
		ASSERT_EQ(0, refuse_some(n, self->lives));
	sh->stop = true;
	for (who = 0; who < PROGRAMS; who++) {
		ASSERT_EQ(self->pids[who], waitpid(self->pids[who], &status, 0));
		EXPECT_EQ(0, status);
		self->pids[who] = 0;
	}
	for (i = 0; i < self->lives; i++) {
		for (k = 0; k < THREADS; k++) {
			begun += sh->lives[i].begun[k];
			returned += sh->lives[i].returned[k];
		}
	}
	dev_say("%u kills, %llu to %llu emitted", kills, (unsigned long long)returned,
		(unsigned long long)begun);
	EXPECT_GE((uint64_t)kills * THREADS, begun - returned);
	for (n = 0; n < variant->streams; n++) {
		ASSERT_EQ(0, read_some(t[n], self->fd[n], SIZE_MAX));
		ASSERT_EQ(0, stats_of(self->fd[n], -1, &all));
		EXPECT_LE(returned, all.emitted);
		EXPECT_GE(begun, all.emitted);
		check_stream(_metadata, n, self->fd[n], variant->filters, t[n], self->seen[n]);
		tape_free(t[n]);
	}
}

TEST_HARNESS_MAIN
