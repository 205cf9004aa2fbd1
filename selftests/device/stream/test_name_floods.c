// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_name_floods.c - programs that set too many names harm only themselves
 *
 * A thread that renames itself evicts only its own names. A user who starts thousands of
 * threads, or fills the dictionary, loses his own names; each user has a part, and root's is
 * reserved. New names are limited to a rate that readers can handle. Counters of names start
 * near their wrap. The idle thread of each CPU has its own name.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define NAMES		64
#define VICTIMS		32
#define FLOODER		1000	/* user ids */
#define OTHER		1001
/*
 * Number of threads: more than the table of names has slots, and more per bucket than ways. With
 * a small DEVICE_ROUNDS half of them.
 */
static int threads(void)
{
	const char *env = getenv("DEVICE_ROUNDS");

	return env && *env && atoi(env) < 50 ? 1500 : 3000;
}

FIXTURE(floods) {
	int wfd;
	struct tape *t;
};

FIXTURE_VARIANT(floods) {
	const char *start;
};

FIXTURE_VARIANT_ADD(floods, plain) { .start = "0" };
FIXTURE_VARIANT_ADD(floods, near_the_wrap) { .start = "0xfffffff0" };

FIXTURE_SETUP(floods)
{
	char params[64];

	dev_seed();
	snprintf(params, sizeof(params), "size=1M names=%d start=%s", NAMES, variant->start);
	ASSERT_EQ(0, dev_load(params));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(floods)
{
	tape_free(self->t);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* Names of threads at the time of an event, on the tape. */
#define TAG_VICTIM	1
#define TAG_FLOODER	2

struct heard {
	int victims, named;		/* events of victims, and those with the right name */
	int flooders, nameless;
	uint32_t nr;			/* number of the last event of a flooder */
	char last[16];			/* its name */
};

static void hear(struct tape *t, const struct devtrace_item *i)
{
	struct heard *h = t->arg;
	const struct tape_event *e;
	const char *name;
	char want[16];

	if (i->kind != DEVTRACE_ITEM_EVENT)
		return;
	e = &t->ev[t->nev - 1];
	name = devtrace_decoder_proc(t->d, e->tid, NULL);
	if (e->tag == TAG_VICTIM) {
		snprintf(want, sizeof(want), "victim-%u", e->nr);
		h->named += name && !strcmp(name, want);
		h->victims++;
	} else if (e->tag == TAG_FLOODER) {
		h->flooders++;
		h->nameless += !name;
		h->nr = e->nr;
		snprintf(h->last, sizeof(h->last), "%s", name ?: "");
	}
}

static struct tape *hear_all(struct heard *h)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();

	memset(h, 0, sizeof(*h));
	t->each = hear;
	t->arg = h;
	dev_sleep_ms(5);
	if (fd < 0 || tape_drain(t, fd) <= 0 || !tape_clean(t))
		fprintf(stderr, "# no stream\n");
	close(fd);
	return t;
}

/* Run @fn in a process of this user until its end; returns 0 or the failing line. */
static int as(unsigned int uid, int (*fn)(int fd, int arg), int fd, int arg)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (uid && (setgid(uid) || setuid(uid)))
			_exit(99);
		_exit(fn(fd, arg));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int victim(int fd, int nr)
{
	char name[16];

	snprintf(name, sizeof(name), "victim-%d", nr);
	return prctl(PR_SET_NAME, name) || dev_emit_mark(fd, DEVTRACE_T_USER, TAG_VICTIM, nr);
}

#define RENAMES		2000
/* Threads of one bucket: kmod/emit/proc.c. With another hash the flood is weaker. */
#define BUCKET(tid)	((uint32_t)(tid) * 0x61c88647u >> 25)

struct renamer {
	pthread_t th;
	int fd;
	uint32_t bucket;
	int err;
};

static void *rename_flood(void *arg)
{
	struct renamer *r = arg;
	char name[16];
	int i;

	if (BUCKET(syscall(SYS_gettid)) != r->bucket) {
		r->err = -1;
		return NULL;
	}
	for (i = 0; i < RENAMES && !r->err; i++) {
		snprintf(name, sizeof(name), "n-%d", i);
		r->err = prctl(PR_SET_NAME, name) ||
			 dev_emit_mark(r->fd, DEVTRACE_T_USER, TAG_FLOODER, i);
	}
	return NULL;
}

/* Four threads in the bucket of the victim, which has ended and had the same user. */
TEST_F(floods, renaming_washes_out_no_name_but_ones_own)
{
	struct renamer r[4];
	struct heard h;
	int i, status;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(victim(self->wfd, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	for (i = 0; i < 4; i++) {
		do {
			r[i] = (struct renamer){ .fd = self->wfd, .bucket = BUCKET(pid) };
			ASSERT_EQ(0, pthread_create(&r[i].th, NULL, rename_flood, &r[i]));
			pthread_join(r[i].th, NULL);
		} while (r[i].err < 0);
		EXPECT_EQ(0, r[i].err);
	}
	self->t = hear_all(&h);
	EXPECT_EQ(1, h.victims);
	EXPECT_EQ(1, h.named);
	EXPECT_EQ(4 * RENAMES, h.flooders);
	/* The flooders have names, the newest is right, and there are few names. */
	EXPECT_EQ(0, h.nameless);
	EXPECT_EQ(RENAMES - 1, h.nr);
	EXPECT_STREQ("n-1999", h.last);
	EXPECT_GE(1 + 4 * 4, self->t->procs);
}

/* The names of a thread at 10 events, each emitted under a new name. */
struct tenth {
	uint32_t tid;
	uint64_t ts[10];
	char name[10][16];
};

static void hear_ten(struct tape *t, const struct devtrace_item *i)
{
	const struct tape_event *e = &t->ev[t->nev - 1];
	struct tenth *h = t->arg;

	if (i->kind != DEVTRACE_ITEM_EVENT || e->tid != h->tid || e->nr >= 10)
		return;
	h->ts[e->nr] = e->ts;
	snprintf(h->name[e->nr], 16, "%s", devtrace_decoder_proc(t->d, e->tid, NULL) ?: "");
}

static void *ten_names(void *arg)
{
	char name[16];
	int *a = arg, i;

	a[1] = syscall(SYS_gettid);
	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "n-%d", i);
		prctl(PR_SET_NAME, name);
		if (dev_emit_mark(a[0], DEVTRACE_T_USER, TAG_FLOODER, i))
			return "emit";
	}
	return NULL;
}

/* Within a second, the first names stay, and the newest is always present. */
TEST_F(floods, names_of_a_thread_in_a_second)
{
	int i, fd, a[2] = { self->wfd };
	struct tenth h;
	pthread_t th;
	char name[16];
	void *ret;

	do {
		memset(&h, 0, sizeof(h));
		ASSERT_EQ(0, pthread_create(&th, NULL, ten_names, a));
		pthread_join(th, &ret);
		ASSERT_EQ(NULL, ret);
		tape_free(self->t);
		self->t = tape_new();
		self->t->each = hear_ten;
		self->t->arg = &h;
		h.tid = a[1];
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		while (!h.ts[9])
			ASSERT_LE(0, tape_drain(self->t, fd));
		close(fd);
		/* A busy machine may be too slow: try again. */
	} while (h.ts[9] - h.ts[0] > NSEC / 2);
	for (i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "n-%d", i < 3 || i == 9 ? i : 2);
		EXPECT_STREQ(name, h.name[i]);
	}
}

static void *one_event(void *arg)
{
	int *a = arg;

	return (void *)(intptr_t)dev_emit_mark(a[0], DEVTRACE_T_USER, TAG_FLOODER, a[1]);
}

static int thread_flood(int fd, int n)
{
	int a[2] = { fd, 0 };
	pthread_t th;
	void *ret;

	prctl(PR_SET_NAME, "flooder");
	for (; a[1] < n; a[1]++)
		if (pthread_create(&th, NULL, one_event, a) || pthread_join(th, &ret) || ret)
			return 1;
	return 0;
}

TEST_F(floods, many_threads_wash_out_names_of_their_own_user)
{
	struct heard h;
	int i;

	for (i = 0; i < VICTIMS; i++)
		ASSERT_EQ(0, as(i & 1 ? OTHER : 0, victim, self->wfd, i));
	ASSERT_EQ(0, as(FLOODER, thread_flood, self->wfd, threads()));
	self->t = hear_all(&h);
	EXPECT_EQ(VICTIMS, h.victims);
	EXPECT_EQ(VICTIMS, h.named);
	EXPECT_EQ(threads(), h.flooders);
	/* his own are gone, except the latest */
	EXPECT_LT(0, h.nameless);
	EXPECT_STREQ("flooder", h.last);
}

/* More users than ways of a bucket: root's names stay. */
TEST_F(floods, many_users_leave_root_its_part)
{
	struct heard h;
	int i;

	for (i = 0; i < VICTIMS; i++)
		ASSERT_EQ(0, as(0, victim, self->wfd, i));
	for (i = 0; i < 12; i++)
		ASSERT_EQ(0, as(FLOODER + i, thread_flood, self->wfd, threads() / 6));
	self->t = hear_all(&h);
	EXPECT_EQ(VICTIMS, h.victims);
	EXPECT_EQ(VICTIMS, h.named);
}

static int name_some(int fd, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (dev_name(fd, DEVTRACE_T_OBJ, 0, 0, 1000 + i, "name"))
			return 1;
	return 0;
}

/* Number of names per scope that a new reader gets. */
struct scopes {
	uint32_t of[4];
	int n[4];
};

static void count_scopes(struct tape *t, const struct devtrace_item *i)
{
	struct scopes *s = t->arg;
	int k;

	for (k = 0; i->kind == DEVTRACE_ITEM_DICT && k < 4; k++)
		s->n[k] += i->u.dict.scope == s->of[k];
}

static bool scopes(struct scopes *s)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();
	bool ok;

	memset(s->n, 0, sizeof(s->n));
	t->each = count_scopes;
	t->arg = s;
	ok = fd >= 0 && tape_drain(t, fd) > 0 && tape_clean(t);
	close(fd);
	tape_free(t);
	return ok;
}

/* Set @n names and stay until killed. */
static pid_t namer(unsigned int uid, int fd, int n)
{
	int p[2];
	pid_t pid;
	char c = 1;

	if (pipe(p))
		return -1;
	pid = fork();
	if (!pid) {
		c = (uid && (setgid(uid) || setuid(uid))) || name_some(fd, n);
		if (write(p[1], &c, 1) != 1)
			_exit(1);
		pause();
	}
	if (pid < 0 || read(p[0], &c, 1) != 1 || c)
		pid = -1;
	close(p[0]);
	close(p[1]);
	return pid;
}

TEST_F(floods, dictionary_of_one_user_leaves_others_theirs)
{
	struct scopes s = { .of = { 0 } };
	int i;

	/* two with a few names, one of which has ended */
	s.of[0] = namer(OTHER, self->wfd, 8);
	s.of[1] = namer(0, self->wfd, 8);
	ASSERT_EQ(0, kill(s.of[1], SIGKILL));
	ASSERT_EQ(s.of[1], waitpid(s.of[1], NULL, 0));
	s.of[2] = namer(FLOODER, self->wfd, 5 * NAMES);
	ASSERT_TRUE(scopes(&s));
	EXPECT_EQ(8, s.n[0]);
	EXPECT_EQ(8, s.n[1]);
	EXPECT_EQ(NAMES - 16, s.n[2]);
	/* new names evict those of the processes with most names */
	s.of[3] = namer(0, self->wfd, 8);
	ASSERT_TRUE(scopes(&s));
	EXPECT_EQ(8, s.n[0]);
	EXPECT_EQ(8, s.n[1]);
	EXPECT_EQ(NAMES - 24, s.n[2]);
	EXPECT_EQ(8, s.n[3]);
	for (i = 0; i < 4; i++) {
		kill(s.of[i], SIGKILL);
		waitpid(s.of[i], NULL, 0);
	}
}

TEST_F(floods, dictionary_of_many_users_leaves_root_its_part)
{
	struct scopes s = { .of = { 0 } };
	int i;

	s.of[0] = namer(0, self->wfd, NAMES / 4);
	ASSERT_EQ(0, kill(s.of[0], SIGKILL));
	ASSERT_EQ(s.of[0], waitpid(s.of[0], NULL, 0));
	for (i = 0; i < NAMES; i++)
		ASSERT_EQ(0, as(FLOODER + i, name_some, self->wfd, 3));
	ASSERT_TRUE(scopes(&s));
	EXPECT_EQ(NAMES / 4, s.n[0]);
}

#define BURST	4096	/* in kmod/emit/dict.c */
#define RATE	1000

static uint64_t mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

static int name_at_rate(int fd, int n)
{
	uint64_t begin = mono(), least = (uint64_t)(n - BURST - 16) * NSEC / RATE;
	int i;

	for (i = 0; i < n; i++)
		if (dev_name(fd, DEVTRACE_T_OBJ, 0, 0, i % 4, i & 4 ? "a" : "b"))
			return 1;
	return mono() - begin < least ? 2 : 0;
}

/* Its process has a name set as root. */
static int name_as_another(int fd, int n)
{
	if (dev_name(fd, DEVTRACE_T_OBJ, 0, 0, 100, "root's") || setgid(FLOODER) || setuid(FLOODER))
		return 3;
	return name_at_rate(fd, n);
}

/* The limit also applies to a process that had another user at its first name. */
TEST_F(floods, new_names_come_at_a_rate_of_who_changed_his_user)
{
	EXPECT_EQ(0, as(0, name_as_another, self->wfd, BURST + RATE));
}

/* The user who sets too many names waits. Setting the same name again is free. */
TEST_F(floods, new_names_come_at_a_rate)
{
	int i;

	EXPECT_EQ(0, as(FLOODER, name_at_rate, self->wfd, BURST + RATE));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "root's"));
	for (i = 0; i < 10 * BURST; i++)
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "root's"));
}

/* The streams of others */

#define SHARED_EVENTS	2000
#define TURNS		8

static struct nl nl;

static int stream_of_users(void)
{
	uint8_t types[32] = { [DEVTRACE_T_USER / 8] = 1 << DEVTRACE_T_USER % 8 };
	size_t nest;

	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "victims");
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 1 << 20);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

/* Emit until killed, with @renames under a new name each time, and set names of objects. */
static pid_t flood(int fd, int i, bool renames)
{
	pid_t pid = fork();
	uint32_t n = 0;
	char name[16];

	if (pid)
		return pid;
	if (setgid(FLOODER + i % 2) || setuid(FLOODER + i % 2))
		_exit(1);
	for (;; n++) {
		snprintf(name, sizeof(name), "%d-%u", i, renames ? n : 0);
		prctl(PR_SET_NAME, name);
		dev_emit_mark(fd, DEVTRACE_T_USER + 1, TAG_FLOODER, n);
		if (renames && i >= 2)
			dev_name(fd, DEVTRACE_T_OBJ, 0, 0, n, name);
	}
}

static void each(const pid_t pid[4], int sig)
{
	int i;

	for (i = 0; i < 4; i++)
		kill(pid[i], sig);
}

/*
 * Four processes that emit, and four that rename themselves and objects: a reader of another
 * stream gets the same number of thread names. selftests/bench/flood.c measures the cost.
 */
TEST_F(floods, others_are_told_no_more)
{
	uint64_t most[2] = { 0, 0 };
	pid_t pid[2][4];
	int i, k, fd;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, stream_of_users());
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, as(OTHER, victim, self->wfd, i));
	for (i = 0; i < SHARED_EVENTS; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 0, i));
	for (i = 0; i < 8; i++)
		pid[i / 4][i % 4] = flood(self->wfd, i % 4, i / 4);
	each(pid[0], SIGSTOP);
	for (i = 0; i < TURNS; i++) {
		each(pid[i & 1], SIGSTOP);
		k = !(i & 1);
		each(pid[k], SIGCONT);
		fd = open(DEV_PATH "-victims", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		tape_free(self->t);
		self->t = tape_new();
		/* Names keep coming, so there may be no end. */
		while (self->t->nev < 8 + SHARED_EVENTS)
			ASSERT_LE(0, tape_some(self->t, fd, 4096));
		EXPECT_TRUE(tape_clean(self->t));
		if (most[k] < self->t->procs)
			most[k] = self->t->procs;
		close(fd);
	}
	for (k = 0; k < 2; k++) {
		each(pid[k], SIGKILL);
		for (i = 0; i < 4; i++)
			waitpid(pid[k][i], NULL, 0);
	}
	EXPECT_EQ(most[0], most[1]);
	nl_begin(&nl, DEVTRACE_CMD_STREAM_DEL);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "victims");
	EXPECT_EQ(0, nl_do(&nl, NULL, NULL));
	nl_close(&nl);
}

/* All counters of names, and of the frames sent with them. */

TEST_F(floods, every_name_is_read_once_and_reading_ends)
{
	int i, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct heard h = { 0 };
	char name[16];

	ASSERT_LE(0, fd);
	self->t = tape_new();
	self->t->each = hear;
	self->t->arg = &h;
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, i, "x"));
		/* Limited, as there may be no end. */
		ASSERT_LT(0, tape_some(self->t, fd, 1 << 16));
		ASSERT_EQ(i + 1, self->t->dicts);
	}
	/* The same for threads: a new name for each event, sent before it. */
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n-%d", i);
		ASSERT_EQ(0, prctl(PR_SET_NAME, name));
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, TAG_FLOODER, i));
		while (h.flooders < i + 1)
			ASSERT_LE(0, tape_drain(self->t, fd));
		ASSERT_STREQ(name, h.last);
	}
	EXPECT_TRUE(tape_clean(self->t));
	close(fd);
}

static int set_state(uint32_t state)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u32(&nl, DEVTRACE_A_STATE, state);
	return nl_do(&nl, NULL, NULL);
}

static int resize(uint64_t size)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u64(&nl, DEVTRACE_A_SIZE, size);
	return nl_do(&nl, NULL, NULL);
}

/* All types, or all but DEVTRACE_T_USER. */
static int filter(bool all)
{
	uint8_t types[32];
	size_t nest;

	memset(types, 0xff, sizeof(types));
	if (!all)
		types[DEVTRACE_T_USER / 8] &= ~(1 << DEVTRACE_T_USER % 8);
	/* Without kernel profile events: 128 to 191. */
	memset(types + 16, 0, 8);
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

TEST_F(floods, changes_of_a_stream_are_told)
{
	uint64_t events = 0;
	int i, fd;

	ASSERT_EQ(0, nl_open(&nl));
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	self->t = tape_new();
	for (i = 0; i < 40; i++) {
		/* stop and start: two changes, each reported once */
		ASSERT_EQ(0, set_state(DEVTRACE_STATE_STOPPED));
		ASSERT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
		while (self->t->states < 2 * i + 2)
			ASSERT_LE(0, tape_drain(self->t, fd));
		/* a filter that refuses, and one that does not */
		ASSERT_EQ(0, filter(false));
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 0, i));
		ASSERT_EQ(0, filter(true));
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 0, i));
		events++;
		while (self->t->nev < events)
			ASSERT_LE(0, tape_drain(self->t, fd));
		/* cleared events are reported, and a resized ring is read */
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 0, i));
		ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
		ASSERT_EQ(0, resize(i & 1 ? 1 << 20 : 1 << 16));
		while (tape_lost(self->t, -1) < i + 1)
			ASSERT_LE(0, tape_drain(self->t, fd));
	}
	EXPECT_EQ(80, self->t->states);
	EXPECT_EQ(40, self->t->nev);
	EXPECT_EQ(40, tape_lost(self->t, -1));
	EXPECT_TRUE(tape_clean(self->t));
	close(fd);
	nl_close(&nl);
}

TEST_F(floods, clock_is_told)
{
	struct timespec ts;
	struct tape *t;
	int i, fd, n;

	/* nearer to the wrap: a sample is taken once a second */
	if (strcmp(variant->start, "0")) {
		close(self->wfd);
		ASSERT_EQ(0, dev_load("size=64K start=0xfffffffe"));
		self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
		ASSERT_LE(0, self->wfd);
	}
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	self->t = tape_new();
	for (i = 0, n = 0; i < 4; i++) {
		uint64_t clocks = self->t->clocks;

		ASSERT_EQ(0, clock_gettime(CLOCK_REALTIME, &ts));
		ts.tv_sec += 100;
		ASSERT_EQ(0, clock_settime(CLOCK_REALTIME, &ts));
		/* Each INFO is followed by a sample sent before. */
		do {
			ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 0, n++));
			dev_sleep_ms(20);
			ASSERT_LE(0, tape_drain(self->t, fd));
		} while (self->t->clocks - clocks < 1 + (i > 0) || !self->t->nev);
		/* a new reader gets the latest sample before the first event */
		t = tape_all(4096);
		ASSERT_NE(NULL, t);
		EXPECT_LE(1, t->clocks);
		tape_free(t);
	}
	close(fd);
	ASSERT_EQ(0, clock_gettime(CLOCK_REALTIME, &ts));
	ts.tv_sec -= 400;
	ASSERT_EQ(0, clock_settime(CLOCK_REALTIME, &ts));
}

struct idle {
	int n, wrong;
	uint64_t cpus;
};

static void hear_idle(struct tape *t, const struct devtrace_item *i)
{
	struct idle *s = t->arg;
	const char *name;
	char want[16];

	if (i->kind != DEVTRACE_ITEM_EVENT || i->u.event.tid)
		return;
	snprintf(want, sizeof(want), "swapper/%u", i->u.event.source);
	name = devtrace_decoder_proc(t->d, 0, NULL);
	s->wrong += !name || strcmp(name, want);
	s->cpus |= 1ULL << (i->u.event.source & 63);
	s->n++;
}

/* Interrupts during the idle threads of all CPUs, which all have id 0. */
TEST_F(floods, idle_thread_is_that_of_its_cpu)
{
	int i, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC), cpus[DEV_CPUS];
	struct idle s = { 0 };

	ASSERT_LE(0, fd);
	self->t = tape_new();
	self->t->each = hear_idle;
	self->t->arg = &s;
	ASSERT_EQ(0, dev_load_writers("max_len=0 pause_us=5000"));
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < 100 && __builtin_popcountll(s.cpus) < dev_online(cpus); i++) {
		dev_sleep_ms(50);
		ASSERT_LE(0, tape_some(self->t, fd, 1 << 20));
	}
	ASSERT_EQ(0, dev_writers_run(false));
	close(fd);
	EXPECT_EQ(0, s.wrong);
	EXPECT_EQ(0, self->t->procs && devtrace_decoder_proc(self->t->d, 0, NULL) == NULL);
	if (!s.n)
		SKIP(return, "no CPU was idle");
}

TEST_HARNESS_MAIN
