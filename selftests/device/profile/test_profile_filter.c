// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_filter.c - kernel profile events are enabled by the types in filters
 *
 * Filters of streams, triggers and the module parameter control the same bits; the union of them
 * is attached. Events of a type exist from the acknowledgment of its bit on, and end with the
 * acknowledgment of its removal, while both CPUs constantly cause such events.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define FIRST	DEVTRACE_T_KERNEL
#define TYPES	(DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL)
/* Faults, of a module that is not loaded here */
#define FAULTS	(1ULL << (DEVTRACE_T_FAULT - FIRST))
#define BIT(type) (1ULL << ((type) - FIRST))
#define ROUNDS	3		/* 1 on kernels that check each access */

/* The kernel's list of types. */
struct list {
	uint64_t known, available, attached;
	char name[TYPES][64], group[TYPES][32], tracepoints[TYPES][512];
};

static struct nl nl;
static struct list types;

static void copy(char *to, size_t size, const struct nlattr *a)
{
	snprintf(to, size, "%s", a ? (const char *)nl_data(a) : "");
}

static void list_one(const struct nl_reply *r, void *arg)
{
	struct list *l = arg;
	unsigned int type = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_TYPE]), i = type - FIRST;

	if (i >= TYPES)
		return;
	l->known |= BIT(type);
	if (*(const uint8_t *)nl_data(r->a[DEVTRACE_A_AVAILABLE]))
		l->available |= BIT(type);
	if (*(const uint8_t *)nl_data(r->a[DEVTRACE_A_ATTACHED]))
		l->attached |= BIT(type);
	copy(l->name[i], sizeof(l->name[i]), r->a[DEVTRACE_A_NAME]);
	copy(l->group[i], sizeof(l->group[i]), r->a[DEVTRACE_A_PROFILE_GROUP]);
	copy(l->tracepoints[i], sizeof(l->tracepoints[i]), r->a[DEVTRACE_A_TRACEPOINTS]);
}

static uint64_t attached(void)
{
	types = (struct list){ 0 };
	nl_begin(&nl, DEVTRACE_CMD_PROFILE_GET);
	if (nl_dump(&nl, list_one, &types))
		dev_say("profile-get: %s", nl.why);
	return types.attached;
}

/* These, with @others also all types of drivers and programs; only of process @pid. */
static void put_filter(int attr, uint64_t profile, bool others, uint32_t pid)
{
	size_t nest = nl_nest(&nl, attr);
	uint8_t map[32];

	memset(map, others ? 0xff : 0, sizeof(map));
	for (int i = 0; i < 8; i++)
		map[FIRST / 8 + i] = profile >> 8 * i;
	nl_put(&nl, DEVTRACE_FA_TYPES, map, sizeof(map));
	if (pid)
		nl_put_u32(&nl, DEVTRACE_FA_PIDS, pid);
	nl_nest_end(&nl, nest);
}

static void put_types(int attr, uint64_t profile, bool others)
{
	put_filter(attr, profile, others, 0);
}

static int filter_set(const char *stream, uint64_t profile)
{
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	put_types(DEVTRACE_A_FILTER, profile, true);
	return nl_do(&nl, NULL, NULL);
}

struct got {
	uint64_t profile;
	uint32_t hw_severity;
	bool has_types;
};

static void get_one(const struct nl_reply *r, void *arg)
{
	struct got *g = arg;
	const struct nlattr *a = NULL;

	while ((a = nl_next(r->a[DEVTRACE_A_FILTER], a))) {
		const uint8_t *map = nl_data(a);

		if ((a->nla_type & NLA_TYPE_MASK) == DEVTRACE_FA_HW_SEVERITY)
			g->hw_severity = nl_u32(a);
		if ((a->nla_type & NLA_TYPE_MASK) != DEVTRACE_FA_TYPES)
			continue;
		g->has_types = true;
		for (int i = 0; i < 8; i++)
			g->profile |= (uint64_t)map[FIRST / 8 + i] << 8 * i;
	}
}

static struct got filter_get(const char *stream)
{
	struct got g = { 0 };

	nl_begin(&nl, DEVTRACE_CMD_FILTER_GET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
	if (nl_do(&nl, get_one, &g))
		dev_say("filter-get: %s", nl.why);
	return g;
}

static int stream_new(const char *name, uint64_t profile)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 1 << 20);
	put_types(DEVTRACE_A_FILTER, profile, false);
	return nl_do(&nl, NULL, NULL);
}

static int stream_del(const char *name)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_DEL);
	nl_put_str(&nl, DEVTRACE_A_STREAM, name);
	return nl_do(&nl, NULL, NULL);
}

static struct tape *tape_of(const char *path)
{
	struct tape *t = tape_new();
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || tape_drain(t, fd) < 0)
		dev_say("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return t;
}

/* Number of events of a type between @from and @to. */
static size_t count(const struct tape *t, uint8_t type, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nev; i++)
		n += t->ev[i].type == type && t->ev[i].ts > from && t->ev[i].ts < to;
	return n;
}

/* Two threads per CPU pass a byte to each other: switches, wake-ups, system calls. */
#define LOADS	2

static struct {
	atomic_bool stop;
	pthread_t thread[2 * LOADS];
	int pipe[2 * LOADS][2];
} load;

static void *pass(void *arg)
{
	const long n = (long)arg;
	char c = 0;

	dev_pin(n / 2 % LOADS);
	for (;;) {
		if (read(load.pipe[n][0], &c, 1) != 1 || load.stop)
			break;
		if (write(load.pipe[n ^ 1][1], &c, 1) != 1)
			break;
	}
	/* the other one waits for it */
	if (write(load.pipe[n ^ 1][1], &c, 1) != 1)
		abort();
	return NULL;
}

static void load_start(void)
{
	load.stop = false;
	for (long i = 0; i < 2 * LOADS; i++)
		if (pipe2(load.pipe[i], O_CLOEXEC))
			abort();
	for (long i = 0; i < 2 * LOADS; i++)
		if (pthread_create(&load.thread[i], NULL, pass, (void *)i))
			abort();
	for (int i = 0; i < 2 * LOADS; i += 2)
		if (write(load.pipe[i][1], "", 1) != 1)
			abort();
}

static void load_stop(void)
{
	load.stop = true;
	for (int i = 0; i < 2 * LOADS; i++)
		pthread_join(load.thread[i], NULL);
	for (int i = 0; i < 2 * LOADS; i++) {
		close(load.pipe[i][0]);
		close(load.pipe[i][1]);
	}
}

FIXTURE(profile) {
	struct tape *t, *u;
};

FIXTURE_SETUP(profile)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=16M"));
	ASSERT_EQ(0, nl_open(&nl));
}

FIXTURE_TEARDOWN(profile)
{
	if (self->t)
		tape_free(self->t);
	if (self->u)
		tape_free(self->u);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

TEST_F(profile, list_tells_all_of_them)
{
	ASSERT_EQ(0, attached());
	/* in order, from the first on */
	ASSERT_NE(0, types.known);
	EXPECT_EQ(0, (types.known & ~FAULTS) & ((types.known & ~FAULTS) + 1));
	EXPECT_EQ(0, types.available & ~types.known);
	EXPECT_STREQ("sched_switch", types.name[DEVTRACE_T_SCHED_SWITCH - FIRST]);
	EXPECT_STREQ("sched", types.group[DEVTRACE_T_SCHED_SWITCH - FIRST]);
	EXPECT_STREQ("sched_switch", types.tracepoints[DEVTRACE_T_SCHED_SWITCH - FIRST]);
	EXPECT_NE(0, types.available & BIT(DEVTRACE_T_SCHED_SWITCH));
	for (int i = 0; i < TYPES; i++) {
		if (!(types.known >> i & 1))
			continue;
		EXPECT_NE(0, strlen(types.name[i]));
		EXPECT_NE(0, strlen(types.group[i]));
		if (FIRST + i != DEVTRACE_T_FAULT)
			EXPECT_NE(0, strlen(types.tracepoints[i]));
	}
	/* a filter without types includes none of them */
	EXPECT_FALSE(filter_get("trace").has_types);
}

TEST_F(profile, bit_attaches_when_set_and_detaches_when_cleared)
{
	const uint64_t bits = BIT(DEVTRACE_T_SCHED_SWITCH) | BIT(DEVTRACE_T_SCHED_WAKING);
	const char *env = getenv("PROFILE_CYCLES");
	const int rounds = env && *env && atoi(env) < 5 ? 1 : ROUNDS;
	uint64_t on[ROUNDS], clearing[ROUNDS], off[ROUNDS], next;

	load_start();
	for (int i = 0; i < rounds; i++) {
		ASSERT_EQ(0, filter_set("trace", bits));
		on[i] = dev_now();
		EXPECT_EQ(bits, attached());
		dev_sleep_ms(30);
		clearing[i] = dev_now();
		/* one of them, then the other */
		ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SCHED_WAKING)));
		off[i] = dev_now();
		EXPECT_EQ(BIT(DEVTRACE_T_SCHED_WAKING), attached());
		dev_sleep_ms(30);
		ASSERT_EQ(0, filter_set("trace", 0));
		next = dev_now();
		EXPECT_EQ(0, attached());
		EXPECT_FALSE(filter_get("trace").has_types);
		dev_sleep_ms(30);
		self->t = tape_of(DEV_PATH);
		EXPECT_LT(0, count(self->t, DEVTRACE_T_SCHED_SWITCH, on[i], clearing[i]));
		EXPECT_EQ(0, count(self->t, DEVTRACE_T_SCHED_SWITCH, off[i], UINT64_MAX));
		EXPECT_LT(0, count(self->t, DEVTRACE_T_SCHED_WAKING, off[i], next));
		EXPECT_EQ(0, count(self->t, DEVTRACE_T_SCHED_WAKING, next, UINT64_MAX));
		tape_free(self->t);
		self->t = NULL;
	}
	load_stop();
}

TEST_F(profile, set_bit_is_on_when_acknowledged)
{
	struct tape *t;
	size_t n = 0;
	uint64_t ack;

	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SYS_ENTER)));
	ack = dev_now();
	syscall(SYS_getpriority, 0, 0);
	ASSERT_EQ(0, filter_set("trace", 0));
	self->t = t = tape_of(DEV_PATH);
	for (size_t i = 0; i < t->nev; i++)
		n += t->ev[i].type == DEVTRACE_T_SYS_ENTER && t->ev[i].ts > ack &&
		     t->ev[i].tid == (uint32_t)getpid() && t->ev[i].signal == SYS_getpriority;
	EXPECT_EQ(1, n);
}

/* Stream 0 gets the types that it wants, not those of other streams. */
TEST_F(profile, streams_have_their_own)
{
	static char buf[65536];
	ssize_t n;
	int fd;

	load_start();
	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SYS_ENTER)));
	ASSERT_EQ(0, stream_new("side", BIT(DEVTRACE_T_SCHED_SWITCH)));
	EXPECT_EQ(BIT(DEVTRACE_T_SYS_ENTER) | BIT(DEVTRACE_T_SCHED_SWITCH), attached());
	EXPECT_EQ(BIT(DEVTRACE_T_SCHED_SWITCH), filter_get("side").profile);
	EXPECT_EQ(BIT(DEVTRACE_T_SYS_ENTER), filter_get("trace").profile);
	dev_sleep_ms(50);
	/* both want it: it stays when one removes it */
	ASSERT_EQ(0, filter_set("side", BIT(DEVTRACE_T_SYS_ENTER) |
					BIT(DEVTRACE_T_SCHED_SWITCH)));
	ASSERT_EQ(0, filter_set("trace", 0));
	EXPECT_EQ(BIT(DEVTRACE_T_SYS_ENTER) | BIT(DEVTRACE_T_SCHED_SWITCH), attached());
	/* when the stream goes, stream 0 must not get the last events */
	fd = open("/dev/trace-side", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stream_del("side"));
	EXPECT_EQ(0, attached());
	load_stop();
	self->u = tape_new();
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		tape_feed(self->u, buf, n);
	EXPECT_EQ(0, n);
	close(fd);
	EXPECT_LT(0, count(self->u, DEVTRACE_T_SCHED_SWITCH, 0, UINT64_MAX));
	self->t = tape_of(DEV_PATH);
	EXPECT_LT(0, count(self->t, DEVTRACE_T_SYS_ENTER, 0, UINT64_MAX)) {
		dev_say("of %zu events, %llu lost", self->t->nev,
			(unsigned long long)tape_lost(self->t, -1));
	}
	EXPECT_EQ(0, count(self->t, DEVTRACE_T_SCHED_SWITCH, 0, UINT64_MAX));
}

/* A stream for programs only attaches no tracepoint. */
TEST_F(profile, origin_user_attaches_nothing)
{
	size_t nest;
	uint8_t map[32];

	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "trace");
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	memset(map, 0xff, sizeof(map));
	nl_put(&nl, DEVTRACE_FA_TYPES, map, sizeof(map));
	nl_put_u32(&nl, DEVTRACE_FA_ORIGINS, DEVTRACE_ORIGIN_USER);
	nl_nest_end(&nl, nest);
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	EXPECT_EQ(0, attached());
	EXPECT_EQ(types.available, filter_get("trace").profile);
}

struct fired {
	uint64_t fired;
	int armed;
};

static void fired_one(const struct nl_reply *r, void *arg)
{
	struct fired *f = arg;

	f->fired = nl_u64(r->a[DEVTRACE_A_FIRED]);
	f->armed = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_ARMED]);
}

static struct fired trigger_get(void)
{
	struct fired f = { 0 };

	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_GET);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "fork");
	nl_do(&nl, fired_one, &f);
	return f;
}

static int trigger_arm(uint8_t armed)
{
	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_SET);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "fork");
	nl_put(&nl, DEVTRACE_A_ARMED, &armed, sizeof(armed));
	return nl_do(&nl, NULL, NULL);
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

TEST_F(profile, armed_trigger_attaches)
{
	uint8_t no = 0;
	int tries;

	nl_begin(&nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, "fork");
	/* others fork too, including kernel threads */
	put_filter(DEVTRACE_A_WHEN, BIT(DEVTRACE_T_SCHED_FORK), false, getpid());
	nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	nl_put(&nl, DEVTRACE_A_ARMED, &no, sizeof(no));
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	EXPECT_EQ(0, attached());
	fork_once();
	EXPECT_EQ(0, trigger_get().fired);

	ASSERT_EQ(0, trigger_arm(1));
	EXPECT_EQ(BIT(DEVTRACE_T_SCHED_FORK), attached());
	fork_once();
	EXPECT_EQ(1, trigger_get().fired);
	/* it has fired: a work detaches */
	for (tries = 0; tries < 600 && attached(); tries++)
		dev_sleep_ms(50);
	EXPECT_EQ(0, attached());
	EXPECT_EQ(0, trigger_get().armed);

	ASSERT_EQ(0, trigger_arm(1));
	EXPECT_EQ(BIT(DEVTRACE_T_SCHED_FORK), attached());
	ASSERT_EQ(0, trigger_arm(0));
	EXPECT_EQ(0, attached());
	fork_once();
	EXPECT_EQ(1, trigger_get().fired);
	/* no stream stores events of a trigger */
	self->t = tape_of(DEV_PATH);
	EXPECT_EQ(0, count(self->t, DEVTRACE_T_SCHED_FORK, 0, UINT64_MAX));
}

TEST_F(profile, what_the_kernel_lacks_is_left_out_and_named)
{
	uint64_t lacks;
	char name[128];

	attached();
	lacks = types.known & ~types.available & ~FAULTS;
	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SCHED_SWITCH)));
	EXPECT_STREQ("", nl.why);
	/* faults belong to the same module */
	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SCHED_SWITCH) | FAULTS));
	EXPECT_STREQ("", nl.why);
	EXPECT_EQ(BIT(DEVTRACE_T_SCHED_SWITCH) | FAULTS, filter_get("trace").profile);
	/* an error message tells only the error, not what is left out */
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "nobody");
	put_types(DEVTRACE_A_FILTER, FAULTS, true);
	EXPECT_EQ(-ENOENT, nl_do(&nl, NULL, NULL));
	EXPECT_EQ(NULL, strstr(nl.why, "191"));
	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SCHED_SWITCH)));
	EXPECT_STREQ("", nl.why);
	if (!lacks)
		SKIP(return, "this kernel has them all");
	for (int i = 0; i < TYPES; i++) {
		if (!(lacks >> i & 1))
			continue;
		ASSERT_EQ(0, filter_set("trace", 1ULL << i | BIT(DEVTRACE_T_SCHED_SWITCH)));
		snprintf(name, sizeof(name), "%s: not available in this kernel; skipped",
			 types.name[i]);
		EXPECT_STREQ(name, nl.why);
		EXPECT_EQ(BIT(DEVTRACE_T_SCHED_SWITCH), filter_get("trace").profile);
	}
	/* "all": what is available; types with a name are reported */
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "lacks");
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 65536);
	put_types(DEVTRACE_A_FILTER, ~0ULL, false);
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	EXPECT_EQ(NULL, strstr(nl.why, "type "));
	for (int i = 0; i < TYPES; i++) {
		if (lacks >> i & 1)
			EXPECT_NE(NULL, strstr(nl.why, types.name[i]));
	}
	EXPECT_EQ(types.available, filter_get("lacks").profile);
	EXPECT_EQ(types.available, attached());
}

static void heard_one(const struct nl_reply *r, void *arg)
{
	if (r->cmd == DEVTRACE_CMD_NTF_FILTER)
		get_one(r, arg);
}

TEST_F(profile, parameter_and_filter_are_one)
{
	struct got g, heard = { 0 };
	char buf[4096];

	/* other terms stay */
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "trace");
	nl_nest_end(&nl, ({ size_t n = nl_nest(&nl, DEVTRACE_A_FILTER);
			    nl_put_u32(&nl, DEVTRACE_FA_HW_SEVERITY, 2); n; }));
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	ASSERT_EQ(0, nl_listen(&nl));
	ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "syscalls"));
	EXPECT_EQ(1, nl_heard(&nl, heard_one, &heard));
	EXPECT_EQ(BIT(DEVTRACE_T_SYS_ENTER) | BIT(DEVTRACE_T_SYS_EXIT), heard.profile);
	g = filter_get("trace");
	EXPECT_EQ(heard.profile, g.profile);
	EXPECT_EQ(2, g.hw_severity);
	EXPECT_EQ(heard.profile, attached());

	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SCHED_FORK)));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("sched_fork\n", buf);
	/* only the types of stream 0 */
	ASSERT_EQ(0, stream_new("side", BIT(DEVTRACE_T_SCHED_EXIT)));
	ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "none"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("none\n", buf);
	EXPECT_EQ(BIT(DEVTRACE_T_SCHED_EXIT), attached());
	EXPECT_FALSE(filter_get("trace").has_types);
}

TEST_F(profile, unload_detaches)
{
	load_start();
	ASSERT_EQ(0, filter_set("trace", BIT(DEVTRACE_T_SCHED_SWITCH) |
					 BIT(DEVTRACE_T_SYS_ENTER)));
	ASSERT_EQ(0, stream_new("side", BIT(DEVTRACE_T_SCHED_WAKING)));
	nl_close(&nl);
	EXPECT_EQ(0, dev_unload());
	load_stop();
	ASSERT_EQ(0, dev_load(""));
	ASSERT_EQ(0, nl_open(&nl));
	EXPECT_EQ(0, attached());
}

TEST_HARNESS_MAIN
