// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_modules.c - devtrace.ko and its companion modules, loaded in any order
 *
 * LIFE_CYCLES is the number of load cycles under load (default 20). The tests load all modules
 * explicitly; automatic loading needs modprobe and is tested by test_modprobe.sh.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define PROFILE		"devtrace_profile"
#define WATCH		"devtrace_watch"
#define SIDE		"/dev/trace-side"
#define ADDED		"task:task_rename"
#define WRITERS		2
#define USERS		(WRITERS + 1)
#define ENOUGH		20		/* least number of events in a cycle */

static struct nl nl;

static bool is_loaded(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return !access(path, F_OK);
}

/* These of the types 128 to 191, and with @others all types of drivers and programs. */
static void put_filter(int attr, uint64_t profile, bool others)
{
	size_t nest = nl_nest(&nl, attr);
	uint8_t map[32];

	memset(map, others ? 0xff : 0, sizeof(map));
	for (int i = 0; i < 8; i++)
		map[DEVTRACE_T_KERNEL / 8 + i] = profile >> 8 * i;
	nl_put(&nl, DEVTRACE_FA_TYPES, map, sizeof(map));
	nl_nest_end(&nl, nest);
}

static int filter_set(uint64_t profile)
{
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	put_filter(DEVTRACE_A_FILTER, profile, true);
	return nl_do(&nl, NULL, NULL);
}

struct got {
	uint64_t profile;
	uint32_t generation;
};

static void get_one(const struct nl_reply *r, void *arg)
{
	struct got *g = arg;
	const struct nlattr *a = NULL;

	g->generation = nl_u32(r->a[DEVTRACE_A_GENERATION]);
	while ((a = nl_next(r->a[DEVTRACE_A_FILTER], a))) {
		const uint8_t *map = nl_data(a);

		if ((a->nla_type & NLA_TYPE_MASK) == DEVTRACE_FA_TYPES)
			for (int i = 0; i < 8; i++)
				g->profile |= (uint64_t)map[DEVTRACE_T_KERNEL / 8 + i] << 8 * i;
	}
}

static struct got filter_get(const char *stream)
{
	struct got g = { 0 };

	nl_begin(&nl, DEVTRACE_CMD_FILTER_GET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	nl_do(&nl, get_one, &g);
	return g;
}

static int stream_new(uint64_t profile)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "side");
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 64 << 10);
	put_filter(DEVTRACE_A_FILTER, profile, !profile);
	return nl_do(&nl, NULL, NULL);
}

static int trigger_new(const char *name)
{
	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, name);
	put_filter(DEVTRACE_A_WHEN, 0, true);
	nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	return nl_do(&nl, NULL, NULL);
}

static int by_name(int cmd, int attr, const char *name)
{
	nl_begin(&nl, cmd);
	nl_put_str(&nl, attr, name);
	return nl_do(&nl, NULL, NULL);
}

static void count_one(const struct nl_reply *r, void *arg)
{
	(void)r;
	++*(int *)arg;
}

static int count(int cmd)
{
	int n = 0;

	nl_begin(&nl, cmd);
	return nl_dump(&nl, count_one, &n) ?: n;
}

static int emit_marks(uint32_t from, uint32_t n)
{
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC), ret = fd < 0 ? -1 : 0;

	while (!ret && n--)
		ret = dev_emit_mark(fd, DEVTRACE_T_USER, 0, from++);
	close(fd);
	return ret;
}

static uint64_t emitted(void)
{
	struct devtrace_stats st;

	return dev_stats(-1, &st) ? 0 : st.emitted;
}

FIXTURE(modules) {
	bool listening;
};

FIXTURE_SETUP(modules)
{
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&nl));
}

FIXTURE_TEARDOWN(modules)
{
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

TEST_F_TIMEOUT(modules, devtrace_stands_alone, 300)
{
	struct tape *t;
	int fd;

	nl_close(&nl);
	ASSERT_EQ(0, dev_unload());
	ASSERT_EQ(0, dev_load_file("devtrace.ko", "size=64K"));
	EXPECT_FALSE(is_loaded(PROFILE));
	ASSERT_EQ(0, emit_marks(0, 100));
	ASSERT_NE(NULL, t = tape_all(4096));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(100, t->nev);
	tape_free(t);

	/* Seek to the oldest event and to the newest. */
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	t = tape_new();
	ASSERT_LE(0, tape_drain(t, fd));
	ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_EQ(200, t->nev);
	ASSERT_LE(0, lseek(fd, 0, SEEK_END));
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_EQ(200, t->nev);
	tape_free(t);
	close(fd);

	fd = open(DEV_PATH, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_NE(NULL, t = tape_all(4096));
	EXPECT_EQ(0, t->nev);
	tape_free(t);

	/* Control works. */
	ASSERT_EQ(0, nl_open(&nl));
	EXPECT_EQ(0, stream_new(0));
	EXPECT_EQ(0, access(SIDE, F_OK));
	EXPECT_EQ(0, trigger_new("t"));
	EXPECT_EQ(1, count(DEVTRACE_CMD_TRIGGER_GET));
}

TEST_F_TIMEOUT(modules, each_needs_devtrace, 300)
{
	nl_close(&nl);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "devtrace", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, dev_unload_one(PROFILE));
	ASSERT_EQ(0, dev_unload_one("devtrace"));
	EXPECT_EQ(-1, dev_load_file(PROFILE ".ko", ""));
	EXPECT_EQ(ENOENT, errno);
	ASSERT_EQ(0, dev_load(""));
	ASSERT_EQ(0, nl_open(&nl));
}

/* Neither an armed trigger nor a stream holds the module. */
TEST_F_TIMEOUT(modules, all_that_was_set_goes_with_devtrace, 300)
{
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, stream_new(0));
		ASSERT_EQ(0, trigger_new("armed"));
		EXPECT_EQ(-EEXIST, trigger_new("armed"));
		ASSERT_EQ(0, filter_set(0));
		/* The trigger fires, and its work is pending when the module is unloaded. */
		ASSERT_EQ(0, emit_marks(0, 10));
		nl_close(&nl);
		ASSERT_EQ(0, dev_unload());
		EXPECT_EQ(-1, access(SIDE, F_OK));
		EXPECT_EQ(-1, nl_open(&nl));
		ASSERT_EQ(0, dev_load_file("devtrace.ko", "size=64K"));
		ASSERT_EQ(0, nl_open(&nl));
		EXPECT_EQ(0, count(DEVTRACE_CMD_TRIGGER_GET));
		EXPECT_EQ(1, count(DEVTRACE_CMD_STREAM_GET));
		EXPECT_EQ(0, emitted());
	}
}

static int attached;

static void count_attached(const struct nl_reply *r, void *arg)
{
	const struct nlattr *a = r->a[DEVTRACE_A_ATTACHED];

	attached += a && *(const uint8_t *)nl_data(a);
}

static int profile_get(void)
{
	attached = 0;
	nl_begin(&nl, DEVTRACE_CMD_PROFILE_GET);
	return nl_dump(&nl, count_attached, NULL);
}

/* Types in a filter are attached and detached with the module, for each kind of filter. */
TEST_F_TIMEOUT(modules, profile_events_come_again, 300)
{
	const uint64_t want = 1ULL << (DEVTRACE_T_SCHED_SWITCH - DEVTRACE_T_KERNEL);
	uint64_t n;
	int tries;

	ASSERT_EQ(0, filter_set(want));
	ASSERT_EQ(0, profile_get());
	ASSERT_EQ(1, attached);
	ASSERT_EQ(0, dev_unload_one(PROFILE));
	n = emitted();
	dev_sleep_ms(20);
	EXPECT_EQ(n, emitted());
	EXPECT_EQ(want, filter_get(DEVTRACE_STREAM0).profile);

	ASSERT_EQ(0, dev_load_file(PROFILE ".ko", ""));
	ASSERT_EQ(0, profile_get());
	EXPECT_EQ(1, attached);
	for (tries = 0; tries < 3000 && emitted() == n; tries++)
		dev_sleep_ms(10);
	EXPECT_LT(n, emitted());
	EXPECT_EQ(want, filter_get(DEVTRACE_STREAM0).profile);
	ASSERT_EQ(0, filter_set(0));
}

TEST_F_TIMEOUT(modules, a_tracepoint_holds_profile, 300)
{
	int err = by_name(DEVTRACE_CMD_PROFILE_ADD, DEVTRACE_A_TRACEPOINT, ADDED);

	if (err == -EOPNOTSUPP)
		SKIP(return, "%s", nl.why);
	ASSERT_EQ(0, err) TH_LOG("%s", nl.why);
	EXPECT_EQ(-1, dev_unload_one(PROFILE));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, by_name(DEVTRACE_CMD_PROFILE_DEL, DEVTRACE_A_TRACEPOINT, ADDED));
	EXPECT_EQ(0, dev_unload_one(PROFILE));
}

/* One message names what is missing and how to load it. */
TEST_F_TIMEOUT(modules, without_profile_its_types_are_left_off, 300)
{
	ASSERT_EQ(0, dev_unload_one(PROFILE));
	EXPECT_EQ(0, filter_set(3));
	if (is_loaded(PROFILE))
		SKIP(return, "modprobe finds it here");
	EXPECT_NE(NULL, strstr(nl.why, "insmod devtrace_profile.ko")) TH_LOG("%s", nl.why);
	EXPECT_EQ(0, filter_get(DEVTRACE_STREAM0).profile);
	EXPECT_EQ(-EOPNOTSUPP, profile_get());
	EXPECT_NE(NULL, strstr(nl.why, "insmod devtrace_profile.ko")) TH_LOG("%s", nl.why);
	EXPECT_EQ(-EOPNOTSUPP, by_name(DEVTRACE_CMD_PROFILE_ADD, DEVTRACE_A_TRACEPOINT, ADDED));
	EXPECT_NE(NULL, strstr(nl.why, "insmod devtrace_profile.ko")) TH_LOG("%s", nl.why);
	/* Without a request for profile types there is no message. */
	EXPECT_EQ(0, filter_set(0));
	EXPECT_STREQ("", nl.why);
}

struct life {
	atomic_int pause, resting, bad;
	atomic_ulong emitted;		/* in this cycle */
	atomic_ulong asked, triggers;
};

FIXTURE(orders) {
	struct life *l;
	pid_t users[USERS];
	int cycles;
};

static void rest(struct life *l)
{
	if (!l->pause)
		return;
	l->resting++;
	while (l->pause)
		usleep(1000);
	l->resting--;
}

static void writer(struct life *l, uint32_t who)
{
	uint32_t nr = 0;
	char buf[300];
	int fd, i, n;

	for (;;) {
		rest(l);
		fd = open(DEV_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		/* Counted while the open descriptor holds devtrace. */
		for (i = 0, n = 1 + dev_random() % 8; fd >= 0 && i < n; i++) {
			if (dev_emit_mark(fd, DEVTRACE_T_USER, who, nr++))
				l->bad = errno;
			else
				l->emitted++;
		}
		if (fd >= 0 && read(fd, buf, sizeof(buf)) < 0 && errno != EAGAIN)
			l->bad = errno;
		if (fd >= 0)
			close(fd);
		usleep(dev_random() % 2000);
	}
}

/*
 * Make and remove control objects. devtrace may be unloaded between any two steps; stream 0
 * always wants the marks.
 */
static void asker(struct life *l)
{
	for (;;) {
		rest(l);
		if (!nl_open(&nl)) {
			l->asked++;
			stream_new(dev_random() % 2 ? ~0ULL : 0);
			l->triggers += !trigger_new("t");
			filter_set(dev_random() % 2 ? 1ULL << (dev_random() % 20) : 0);
			filter_set(0);
			nl_begin(&nl, DEVTRACE_CMD_STATS_GET);
			nl_dump(&nl, NULL, NULL);
			by_name(DEVTRACE_CMD_TRIGGER_DEL, DEVTRACE_A_TRIGGER, "t");
			by_name(DEVTRACE_CMD_STREAM_DEL, DEVTRACE_A_STREAM, "side");
			nl_close(&nl);
		}
		usleep(dev_random() % 5000);
	}
}

FIXTURE_SETUP(orders)
{
	const char *c = getenv("LIFE_CYCLES");
	int i;

	dev_seed();
	self->cycles = c && *c ? atoi(c) : 20;
	ASSERT_EQ(0, dev_unload());
	self->l = mmap(NULL, sizeof(*self->l), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	ASSERT_NE(MAP_FAILED, self->l);
	for (i = 0; i < USERS; i++) {
		self->users[i] = fork();
		ASSERT_LE(0, self->users[i]);
		if (self->users[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dev_random_as(i);
		if (i < WRITERS)
			writer(self->l, i);
		asker(self->l);
	}
}

FIXTURE_TEARDOWN(orders)
{
	int i;

	for (i = 0; i < USERS; i++) {
		kill(self->users[i], SIGKILL);
		waitpid(self->users[i], NULL, 0);
	}
	EXPECT_EQ(0, self->l->bad) TH_LOG("%s", strerror(self->l->bad));
	munmap(self->l, sizeof(*self->l));
	EXPECT_EQ(0, dev_done());
}

static unsigned long inserted, removed;	/* modules, in all cycles */

/* Unload it when its users have released it. */
static bool goes(const char *name)
{
	int tries;

	for (tries = 0; tries < 60000; tries++) {
		if (!syscall(SYS_delete_module, name, O_NONBLOCK)) {
			removed++;
			return true;
		}
		if (errno != EAGAIN && errno != EBUSY)
			return false;
		usleep(dev_random() % 1000);
	}
	return false;
}

/* Each mark of this cycle is in the ring or counted as lost. */
static void account(struct __test_metadata *_metadata, struct life *l)
{
	uint64_t marks = 0;
	struct tape *t;
	size_t i;

	l->pause = 1;
	ASSERT_TRUE(dev_wait_for(&l->resting, USERS));
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev; i++)
		marks += t->ev[i].type == DEVTRACE_T_USER;
	/* A filter may add other events. */
	EXPECT_LE(marks, l->emitted);
	EXPECT_GE(marks + tape_lost(t, -1), l->emitted);
	tape_free(t);
}

static const struct {
	const char	*name, *file;
} beside[] = {
	{ PROFILE, PROFILE ".ko" },
	{ WATCH, WATCH ".ko" },
};

#define BESIDE	((int)ARRAY_SIZE(beside))

static void shuffle(int *order)
{
	for (int i = 0; i < BESIDE; i++) {
		const int k = dev_random() % (i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

/* Load the first @n, last one first. */
static void come(struct __test_metadata *_metadata, const int *order, int n)
{
	while (n--) {
		const int k = order[n];

		usleep(dev_random() % 3000);
		ASSERT_EQ(0, dev_load_file(beside[k].file, "")) TH_LOG("%s: %s", beside[k].name,
								      strerror(errno));
		inserted++;
	}
}

static void go(struct __test_metadata *_metadata, const int *order, int n)
{
	for (int i = 0; i < n; i++) {
		const char *name = beside[order[i]].name;

		ASSERT_TRUE(goes(name)) TH_LOG("%s: %s", name, strerror(errno));
		usleep(dev_random() % 3000);
	}
}

TEST_F_TIMEOUT(orders, all_come_and_go_under_load, 24 * 3600)
{
	struct life *l = self->l;
	int order[BESIDE], i, n, tries;

	for (i = 0; i < self->cycles; i++) {
		l->emitted = 0;
		ASSERT_EQ(0, dev_load_file("devtrace.ko", "size=256K"));
		inserted++;
		shuffle(order);
		come(_metadata, order, BESIDE);
		for (n = dev_random() % 4; n; n--) {
			const int some = 1 + dev_random() % BESIDE;

			usleep(dev_random() % 5000);
			shuffle(order);
			go(_metadata, order, some);
			come(_metadata, order, some);
		}
		for (tries = 0; tries < 60000 && l->emitted < ENOUGH; tries++)
			usleep(1000);
		account(_metadata, l);
		l->pause = 0;
		ASSERT_TRUE(dev_wait_for(&l->resting, 0));
		shuffle(order);
		go(_metadata, order, BESIDE);
		ASSERT_TRUE(goes("devtrace")) TH_LOG("%s", strerror(errno));
		ASSERT_EQ(0, l->bad);
		/* All loaded modules are unloaded. */
		ASSERT_EQ(inserted, removed);
		if (i && i % 100 == 0)
			dev_say("%d times so far", i);
	}
	dev_say("%d lives, modules inserted %lu times; asked %lu times, %lu triggers", i, inserted,
		(unsigned long)l->asked, (unsigned long)l->triggers);
	EXPECT_LT(0, l->asked);
	EXPECT_LT(0, l->triggers);
}

TEST_HARNESS_MAIN
