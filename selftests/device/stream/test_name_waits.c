// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_name_waits.c - a program that waits to set a name does not prevent suspend
 *
 * Before suspend all programs are frozen; if that takes more than 20 s, the machine stays awake.
 * The threads of one user may make him wait longer: each call counts, even that of a thread
 * killed during the wait. The freezer of control groups stops programs in the same way.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define USER	1000
#define BURST	4096	/* in kmod/emit/dict_owner.c */
#define THREADS	2000	/* a millisecond each */
#define TRIES	10
#define TRIES_NAMES	1024	/* more than a thread sets in the last try */
#define GROUPS	"/tmp/freezer"
#define GROUP	GROUPS "/waits"

/* Numbers of threads started, in a call, and returned. */
static struct shared {
	atomic_int	there, asked, answered;
} *sh;

FIXTURE(waits) {
	int	wfd, rfd;
	bool	mounted;
};

FIXTURE_SETUP(waits)
{
	dev_seed();
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, sh);
	ASSERT_EQ(0, dev_load("names=64"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	mkdir(GROUPS, 0755);
	self->mounted = !mount("none", GROUPS, "cgroup", 0, "freezer");
}

FIXTURE_TEARDOWN(waits)
{
	rmdir(GROUP);
	if (self->mounted)
		umount(GROUPS);
	rmdir(GROUPS);
	close(self->wfd);
	close(self->rfd);
	munmap(sh, sizeof(*sh));
	EXPECT_EQ(0, dev_done());
}

static int name(int fd, int i)
{
	char text[16];

	snprintf(text, sizeof(text), "n%d", i);
	return dev_name(fd, DEVTRACE_T_OBJ, 0, 0, i % 8, text);
}

/* The other end of the pipe is closed when all are started. */
struct gate {
	int	wfd, pipe[2];
	int	names;		/* set by each thread */
};

static void *waiter(void *arg)
{
	const struct gate *g = arg;
	int i;
	char c;

	sh->there++;
	if (read(g->pipe[0], &c, 1))
		return NULL;
	sh->asked++;
	for (i = 0; i < g->names; i++)
		if (name(g->wfd, gettid() % 65536 * TRIES_NAMES + i))
			return NULL;
	sh->answered++;
	pause();
	return NULL;
}

/* A program of the user, whose threads wait for names when all are started. */
static void program(int wfd, int names)
{
	struct gate g = { .wfd = wfd, .names = names };
	pthread_attr_t attr;
	pthread_t t;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	if (pipe(g.pipe) || setgid(USER) || setuid(USER))
		_exit(1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t, &attr, waiter, &g))
			_exit(1);
	if (!dev_wait_for(&sh->there, THREADS))
		_exit(1);
	for (i = 0; i < BURST; i++)
		name(wfd, i);
	close(g.pipe[1]);
	for (;;)
		pause();
}

/* Wait for the state: 0; 1 on timeout; -1 without the file. */
static int set_state(const char *want)
{
	char buf[32];
	int i;

	if (dev_write_file(GROUP "/freezer.state", want))
		return -1;
	for (i = 0; i < 10000; i++) {
		if (dev_read_file(GROUP "/freezer.state", buf, sizeof(buf)) <= 0)
			return -1;
		if (!strncmp(buf, want, strlen(want)))
			return 0;
		dev_sleep_ms(10);
	}
	return 1;
}

/* Number of bytes that a reader gets. */
static ssize_t told(int fd)
{
	static char buf[64 << 10];
	ssize_t all = 0, n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		all += n;
	return n < 0 && errno != EAGAIN ? -1 : all;
}

TEST_F_TIMEOUT(waits, and_is_frozen, 900)
{
	ssize_t late = 0;
	char text[16];
	int i, tries;
	pid_t pid;

	if (!self->mounted || mkdir(GROUP, 0755))
		SKIP(return, "this kernel has no such freezer");
	/* On a slow machine none may be waiting any more: let each wait more often. */
	for (tries = 0; tries < TRIES && !late; tries++) {
		memset(sh, 0, sizeof(*sh));
		pid = fork();
		if (!pid)
			program(self->wfd, 1 << tries);
		ASSERT_LT(0, pid);
		ASSERT_TRUE(dev_wait_for(&sh->asked, THREADS));
		snprintf(text, sizeof(text), "%d", pid);
		ASSERT_EQ(0, dev_write_file(GROUP "/cgroup.procs", text));
		EXPECT_EQ(0, set_state("FROZEN"));
		/* No thread sets a name now, */
		ASSERT_LT(0, told(self->rfd));
		ASSERT_EQ(0, told(self->rfd));
		EXPECT_EQ(0, set_state("THAWED"));
		/* (a thousand names a second) */
		for (i = 0; i <= 1 << tries >> 4 && sh->answered != THREADS; i++)
			dev_wait_for(&sh->answered, THREADS);
		EXPECT_EQ(THREADS, sh->answered);
		/* and the frozen waiters set theirs afterwards. */
		late = told(self->rfd);
		EXPECT_LE(0, late);
		EXPECT_EQ(0, kill(pid, SIGKILL));
		EXPECT_EQ(pid, waitpid(pid, NULL, 0));
	}
	dev_say("%zd bytes of names came late, in try %d", late, tries);
	EXPECT_LT(0, late);
}

TEST_HARNESS_MAIN
