// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pids.c - thread ids in a container
 *
 * Events have the ids of the initial PID namespace; DEVTRACE_IOC_PID translates them for a
 * program in another one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

FIXTURE(device) {
	int rfd, wfd;
};

FIXTURE_SETUP(device)
{
	ASSERT_EQ(0, dev_load("size=64K"));
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(device)
{
	close(self->rfd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* The translated id, or a negative error number. */
static long other_side(int fd, uint32_t id, uint32_t of)
{
	struct devtrace_pid p = { .id = id, .of = of };

	return ioctl(fd, DEVTRACE_IOC_PID, &p) ? -errno : (long)p.id;
}

TEST_F(device, ids_are_the_same_outside)
{
	EXPECT_EQ(getpid(), other_side(self->rfd, getpid(), DEVTRACE_PID_OWN));
	EXPECT_EQ(getpid(), other_side(self->rfd, getpid(), DEVTRACE_PID_EVENT));
	EXPECT_EQ(1, other_side(self->rfd, 1, DEVTRACE_PID_OWN));
}

TEST_F(device, wrong_calls)
{
	long page = sysconf(_SC_PAGESIZE);
	char *edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	ASSERT_NE(MAP_FAILED, edge);
	ASSERT_EQ(0, mprotect(edge + page, page, PROT_NONE));
	EXPECT_EQ(-EBADF, other_side(self->wfd, getpid(), DEVTRACE_PID_OWN));
	EXPECT_EQ(-EINVAL, other_side(self->rfd, getpid(), 2));
	EXPECT_EQ(-EINVAL, other_side(self->rfd, getpid(), UINT32_MAX));
	EXPECT_EQ(-ESRCH, other_side(self->rfd, 0, DEVTRACE_PID_OWN));
	EXPECT_EQ(-ESRCH, other_side(self->rfd, 0, DEVTRACE_PID_EVENT));
	EXPECT_EQ(-ESRCH, other_side(self->rfd, INT32_MAX, DEVTRACE_PID_OWN));
	EXPECT_EQ(-ESRCH, other_side(self->rfd, UINT32_MAX, DEVTRACE_PID_EVENT));
	EXPECT_EQ(-1, ioctl(self->rfd, DEVTRACE_IOC_PID, edge + page - 4));
	EXPECT_EQ(EFAULT, errno);
	munmap(edge, 2 * page);
}

/* Results in the container, in this order. */
struct told {
	long	self, back, thread, thread_back, parent, none;
	pid_t	tid, inner;	/* inner: id of its process in the parent's namespace */
};

static void *in_thread(void *arg)
{
	*(pid_t *)arg = (pid_t)syscall(SYS_gettid);
	pause();
	return NULL;
}

static int inside(int rfd, int wfd, pid_t outer, struct told *t)
{
	_Atomic pid_t tid = 0;
	pthread_t thread;

	if (getpid() != 1 || dev_emit_mark(wfd, DEVTRACE_T_USER, 7, 7))
		return 1;
	if (pthread_create(&thread, NULL, in_thread, (void *)&tid))
		return 2;
	while (!tid)
		sched_yield();
	t->tid = tid;
	t->self = other_side(rfd, 1, DEVTRACE_PID_OWN);
	t->back = other_side(rfd, (uint32_t)t->self, DEVTRACE_PID_EVENT);
	t->thread = other_side(rfd, (uint32_t)tid, DEVTRACE_PID_OWN);
	t->thread_back = other_side(rfd, (uint32_t)t->thread, DEVTRACE_PID_EVENT);
	t->parent = other_side(rfd, (uint32_t)outer, DEVTRACE_PID_EVENT);
	t->none = other_side(rfd, 9999, DEVTRACE_PID_OWN);
	return 0;
}

/* The descriptor is opened outside: the caller's namespace counts. */
TEST_F(device, ids_of_a_container)
{
	struct told *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			      -1, 0);
	pid_t pid, outer = getpid();
	struct tape *tape;
	int status;
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)t);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		pid_t child;

		if (unshare(CLONE_NEWPID))
			_exit(errno == EINVAL ? 77 : 1);
		child = fork();
		if (!child)
			_exit(inside(self->rfd, self->wfd, outer, t));
		t->inner = child;
		if (waitpid(child, &status, 0) != child)
			_exit(2);
		_exit(WEXITSTATUS(status));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WEXITSTATUS(status) == 77)
		SKIP(return, "this kernel has no pid namespaces");
	ASSERT_EQ(0, status);
	EXPECT_EQ(t->inner, t->self);
	EXPECT_EQ(1, t->back);
	EXPECT_NE(t->self, t->thread);
	EXPECT_LT(0, t->thread);
	EXPECT_EQ(t->tid, t->thread_back);
	EXPECT_EQ(-ESRCH, t->parent);
	EXPECT_EQ(-ESRCH, t->none);
	/* Its events have this id. */
	tape = tape_all(4096);
	ASSERT_NE(NULL, tape);
	for (i = 0; i < tape->nev && tape->ev[i].type != DEVTRACE_T_USER; i++)
		;
	ASSERT_LT(i, tape->nev);
	EXPECT_EQ(t->self, tape->ev[i].tid);
	tape_free(tape);
	/* It has ended. */
	EXPECT_EQ(-ESRCH, other_side(self->rfd, (uint32_t)t->self, DEVTRACE_PID_EVENT));
}

TEST_HARNESS_MAIN
