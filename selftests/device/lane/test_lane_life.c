// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_life.c - begin, end and owner of lanes
 *
 * One test for each line of "Life" in Documentation/lanes.rst. The state in the lane, the events
 * read, and the possibility to unload the module show that a lane is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "libc.h"

#define TYPE	DEVTRACE_T_USER
#define PARAM(x) "/sys/module/devtrace/parameters/" x

FIXTURE(life) {
	int		wfd;
	struct lane	l;
	long		page;
};

FIXTURE_SETUP(life)
{
	dev_seed();
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_EQ(0, dev_load("size=256K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(life)
{
	if (self->wfd >= 0)
		close(self->wfd);
	if (self->l.head)
		lane_close(&self->l);
	EXPECT_EQ(0, dev_done());
}

/* Number of events with this tag, in order from 0 on; -1 for a wrong stream. */
static int marks(uint32_t tag)
{
	struct tape *t = tape_all(65536);
	int n = 0;
	size_t i;

	if (!t || !tape_clean(t) || tape_lost(t, -1))
		return -1;
	for (i = 0; i < t->nev; i++)
		if (t->ev[i].tag == tag && t->ev[i].nr != n++)
			n = -1000000;
	tape_free(t);
	return n;
}

static void write_marks(struct lane *l, uint32_t tag, int from, int n)
{
	while (n--)
		lane_mark(l, TYPE, tag, from++);
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

TEST_F(life, layout_is_the_same_for_all)
{
	EXPECT_EQ(16, sizeof(struct devtrace_lane_ask));
	EXPECT_EQ(32, sizeof(struct devtrace_lane_head));
	EXPECT_EQ(64, sizeof(struct devtrace_lane_block));
	EXPECT_EQ(16, offsetof(struct devtrace_lane_block, number));
	EXPECT_EQ(20, offsetof(struct devtrace_lane_block, used));
	EXPECT_EQ(22, offsetof(struct devtrace_lane_block, cpu));
	EXPECT_EQ(32, offsetof(struct devtrace_lane_block, head));
	EXPECT_EQ(0xc010b706, DEVTRACE_IOC_LANE);
	EXPECT_EQ(0xb707, DEVTRACE_IOC_HAND);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 128 << 10));
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	EXPECT_EQ(32, self->l.head->blocks);
	EXPECT_EQ(1, self->l.head->first);
	EXPECT_EQ(0, self->l.head->open);
	EXPECT_EQ(0, self->l.head->busy);
	EXPECT_LE(get_nprocs_conf(), self->l.head->source);
	EXPECT_EQ(0, self->l.head->no_calls | self->l.head->reserved);
}

/* The thread unmaps its lane, or just ends. */

static void *one_thread(void *arg)
{
	struct lane *l = arg;
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);

	if (lane_open(l, fd, 0))
		memset(l, 0, sizeof(*l));
	else
		write_marks(l, 1, 0, 10);
	close(fd);
	return NULL;
}

/* Its events are read, and the lane is closed by the thread's end alone. */
TEST_F(life, thread_ends)
{
	pthread_t th;

	ASSERT_EQ(0, pthread_create(&th, NULL, one_thread, &self->l));
	pthread_join(th, NULL);
	ASSERT_NE(NULL, self->l.head);
	EXPECT_EQ(10, marks(1));
	/* pthread_join() may return before the kernel has closed the lane. */
	while (self->l.head->state != DEVTRACE_LANE_CLOSED)
		sched_yield();
	write_marks(&self->l, 1, 10, 10);
	EXPECT_EQ(10, marks(1));
	EXPECT_EQ(0, munmap(self->l.blocks, self->l.bytes));
	self->l.head = NULL;
	EXPECT_EQ(10, marks(1));
}

struct ending {
	struct lane	l;
	pid_t		tid;
	int		how;
	atomic_bool	written, go;
};

#define NAME	"ends-as-it-is"

/* Ends without the C library: no destructor runs, and nothing is unmapped. */
static void *ends_by_system_call(void *arg)
{
	struct ending *e = arg;
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);

	prctl(PR_SET_NAME, NAME);
	e->tid = syscall(SYS_gettid);
	if (lane_open(&e->l, fd, 0)) {
		memset(&e->l, 0, sizeof(e->l));
		return NULL;
	}
	write_marks(&e->l, 1, 0, 10);
	close(fd);
	e->written = true;
	while (!e->go)
		sched_yield();
	syscall(SYS_exit, 0);
	return NULL;
}

static char name_of_tid[64];

static void look_for_name(struct tape *t, const struct devtrace_item *i)
{
	const struct ending *e = t->arg;

	if (i->kind == DEVTRACE_ITEM_PROC && i->u.proc.tid == (uint32_t)e->tid)
		snprintf(name_of_tid, sizeof(name_of_tid), "%s", i->u.proc.name);
}

/*
 * Its events are read under its name. Events that another thread writes there later are neither
 * read nor reported as lost. No reader looked before the end.
 */
TEST_F(life, thread_ends_by_a_system_call)
{
	struct ending e = { .tid = 0 };
	struct tape *t = tape_new();
	pthread_t th;
	int fd, i;

	if (!LIBC_JOINS_ANY_THREAD)
		SKIP(return, "this C library cannot join such a thread");
	ASSERT_EQ(0, pthread_create(&th, NULL, ends_by_system_call, &e));
	while (!e.written && pthread_tryjoin_np(th, NULL))
		sched_yield();
	ASSERT_TRUE(e.written);
	e.go = true;
	pthread_join(th, NULL);
	while (!syscall(SYS_tgkill, getpid(), e.tid, 0))
		sched_yield();
	self->l = e.l;
	EXPECT_EQ(DEVTRACE_LANE_CLOSED, self->l.head->state);
	/* The thread id may be reused from here on. */
	write_marks(&self->l, 1, 10, 2000);
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	t->each = look_for_name;
	t->arg = &e;
	ASSERT_LE(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(10, t->nev);
	EXPECT_EQ(0, tape_lost(t, -1));
	for (i = 0; i < t->nev; i++) {
		EXPECT_EQ(i, t->ev[i].nr);
		EXPECT_EQ(e.tid, t->ev[i].tid);
	}
	EXPECT_STREQ(NAME, name_of_tid);
	tape_free(t);
	close(fd);
}

#define SEVERAL	3

static void *ends_with_several(void *arg)
{
	int i, fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	struct lane *l = arg;

	for (i = 0; i < SEVERAL; i++) {
		if (lane_open(&l[i], fd, 0))
			return "lane";
		write_marks(&l[i], i, 0, 10);
	}
	close(fd);
	syscall(SYS_exit, 0);
	return NULL;
}

/* All its lanes are closed, not only the newest. */
TEST_F(life, thread_ends_that_has_several)
{
	struct lane l[SEVERAL];
	struct tape *t;
	pthread_t th;
	void *ret;
	int i;

	if (!LIBC_JOINS_ANY_THREAD)
		SKIP(return, "this C library cannot join such a thread");
	ASSERT_EQ(0, pthread_create(&th, NULL, ends_with_several, l));
	ASSERT_EQ(0, pthread_join(th, &ret));
	ASSERT_EQ(NULL, ret);
	for (i = 0; i < SEVERAL; i++) {
		/* pthread_join() may return before the kernel has closed the lanes. */
		while (l[i].head->state != DEVTRACE_LANE_CLOSED)
			sched_yield();
		write_marks(&l[i], i, 10, 2000);
	}
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(10 * SEVERAL, t->nev);
	EXPECT_EQ(0, tape_lost(t, -1));
	tape_free(t);
	for (i = 0; i < SEVERAL; i++)
		lane_close(&l[i]);
}

static void *ends_with_the_library(void *arg)
{
	int i;

	for (i = 0; i < 10; i++)
		devtrace(TYPE, (uint32_t)16, (uint32_t)i);
	*(int *)arg = devtrace_errors();
	syscall(SYS_exit, 0);
	return NULL;
}

/* Many threads end without unmapping; then examine what is left. */
static int many_end(void)
{
	int i, err = -1;
	pthread_t th;

	for (i = 0; i < 100; i++) {
		if (pthread_create(&th, NULL, ends_with_the_library, &err))
			return 1;
		pthread_join(th, NULL);
		if (err)
			return 2;
	}
	devtrace(TYPE, (uint32_t)17, (uint32_t)0);
	return marks(17) != 1 ? 3 : 0;
}

/* Closed lanes that are still mapped do not delay readers of other events. */
TEST_F(life, threads_of_the_library_end_by_a_system_call)
{
	struct tape *t;
	pid_t pid;
	int i;

	if (!LIBC_JOINS_ANY_THREAD)
		SKIP(return, "this C library cannot join such a thread");
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(many_end());
	EXPECT_EQ(0, status_of(pid));
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(1001, t->nev);
	EXPECT_EQ(0, tape_lost(t, -1));
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i % 10, t->ev[i].nr);
	tape_free(t);
}

/* An invalid lane does not either. */
TEST_F(life, bad_lane_holds_up_nobody)
{
	struct tape *t;
	struct lane l;
	int i;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	write_marks(&self->l, 1, 0, 10);
	self->l.head->busy = 1;
	lane_block(&self->l, self->l.n)->used = DEVTRACE_LANE_BLOCK - 1;
	EXPECT_EQ(-1, lane_hand(&self->l));
	EXPECT_EQ(EPIPE, errno);
	for (i = 0; i < 10; i++) {
		lane_mark(&l, TYPE, 2, 2 * i);
		ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, 2, 2 * i + 1));
	}
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(20, t->nev);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(i, t->ev[i].nr);
	tape_free(t);
	lane_close(&l);
}

/* The process. */

enum end { EXITS, KILLED, EXECS, ENDS };

static void child_ends(int how)
{
	struct lane l;
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);

	if (lane_open(&l, fd, 0))
		_exit(1);
	write_marks(&l, 2, 0, 100);
	switch (how) {
	case EXITS:
		_exit(0);
	case KILLED:
		raise(SIGKILL);
		break;
	default:
		execl("/bin/sh", "sh", "-c", ":", NULL);
	}
	_exit(2);
}

TEST_F(life, process_ends)
{
	int how, status;
	pid_t pid;

	for (how = 0; how < ENDS; how++) {
		close(self->wfd);
		self->wfd = -1;
		ASSERT_EQ(0, dev_load("size=64K"));
		fflush(stdout);
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			/* without the output of another program */
			close(1);
			close(2);
			child_ends(how);
		}
		status = status_of(pid);
		if (how == KILLED)
			EXPECT_TRUE(WIFSIGNALED(status));
		if (how == EXITS)
			EXPECT_EQ(0, status);
		EXPECT_NE(2, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
		EXPECT_EQ(100, marks(2)) TH_LOG("way %d", how);
		/* The process is dead: nothing holds the module. */
		EXPECT_EQ(0, dev_unload_one("devtrace")) TH_LOG("way %d", how);
	}
}

TEST_F(life, fork_gives_nothing_to_the_child)
{
	pid_t pid;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	write_marks(&self->l, 3, 0, 10);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct lane own;
		int bad = 0;

		bad |= self->l.head->state != DEVTRACE_LANE_CLOSED;
		bad |= (self->l.head->open != 0 || self->l.head->blocks != 0) << 1;
		/* Writes to the mapping still work. */
		write_marks(&self->l, 4, 0, 10);
		/* Its own child sees none of it. */
		pid = fork();
		if (!pid)
			_exit(self->l.head->state != DEVTRACE_LANE_CLOSED ||
			      self->l.head->open != 0);
		bad |= !!status_of(pid) << 2;
		/* It may have a lane of its own. */
		if (lane_open(&own, self->wfd, 0))
			bad |= 8;
		else
			write_marks(&own, 5, 0, 10);
		_exit(bad);
	}
	EXPECT_EQ(0, status_of(pid));
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	write_marks(&self->l, 3, 10, 10);
	EXPECT_EQ(20, marks(3));
	EXPECT_EQ(0, marks(4));
	EXPECT_EQ(10, marks(5));
	/* The children kept nothing of it. */
	lane_close(&self->l);
	EXPECT_EQ(20, marks(3));
	close(self->wfd);
	self->wfd = -1;
	EXPECT_EQ(0, dev_unload_one("devtrace"));
}

static int same_memory(void *arg)
{
	write_marks(arg, 6, 10, 10);
	return 0;
}

TEST_F(life, vfork_writes_for_its_parent)
{
	static uint8_t stack[65536] __attribute__((aligned(16)));
	struct tape *t;
	size_t i;
	pid_t pid;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	write_marks(&self->l, 6, 0, 10);
	pid = clone(same_memory, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &self->l);
	ASSERT_LE(0, pid);
	EXPECT_EQ(0, status_of(pid));
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	write_marks(&self->l, 6, 20, 10);
	EXPECT_EQ(30, marks(6));
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	for (i = 0; i < t->nev; i++)
		EXPECT_EQ(getpid(), t->ev[i].tid);
	tape_free(t);
}

/* The mapping. */

TEST_F(life, munmap)
{
	uint8_t *head;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 4 * self->page));
	head = self->l.blocks;
	write_marks(&self->l, 7, 0, 10);
	/* A part */
	EXPECT_EQ(-1, munmap(head, self->page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, munmap(head + self->l.bytes - self->page, self->page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, munmap(head + self->page, self->page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	write_marks(&self->l, 7, 10, 10);
	EXPECT_EQ(20, marks(7));
	write_marks(&self->l, 7, 20, 10);
	/* All of it: that is the end of the lane, and its events are taken. */
	EXPECT_EQ(0, munmap(head, self->l.bytes));
	self->l.head = NULL;
	EXPECT_EQ(30, marks(7));
	close(self->wfd);
	self->wfd = -1;
	EXPECT_EQ(0, dev_unload_one("devtrace"));
}

TEST_F(life, mremap_is_refused_and_harms_nothing)
{
	uint8_t *head;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 4 * self->page));
	head = self->l.blocks;
	write_marks(&self->l, 8, 0, 10);
	/* to another address, larger, smaller, a second time */
	EXPECT_EQ(MAP_FAILED, mremap(head, self->l.bytes, self->l.bytes,
				     MREMAP_MAYMOVE | MREMAP_FIXED, head + (64 << 20)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mremap(head, self->l.bytes, 2 * self->l.bytes, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(MAP_FAILED, mremap(head, self->l.bytes, self->page, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mremap(head, 0, self->l.bytes, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	write_marks(&self->l, 8, 10, 10);
	EXPECT_EQ(20, marks(8));
}

TEST_F(life, mprotect_gives_no_more_rights)
{
	uint8_t *head;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 4 * self->page));
	head = self->l.blocks;
	EXPECT_EQ(-1, mprotect(head, self->l.bytes, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(head, self->page, PROT_READ));
	EXPECT_EQ(EINVAL, errno);
	/* The owner may do this. */
	EXPECT_EQ(0, mprotect(head, self->l.bytes, PROT_READ));
	EXPECT_EQ(0, mprotect(head, self->l.bytes, PROT_READ | PROT_WRITE));
	write_marks(&self->l, 9, 0, 10);
	EXPECT_EQ(10, marks(9));
}

/* The state in the lane is for the writer: the kernel keeps its own. */
TEST_F(life, what_the_kernel_says_is_not_read_back)
{
	volatile struct devtrace_lane_head *head;
	struct tape *t;
	int source;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	head = self->l.head;
	source = head->source;
	write_marks(&self->l, 1, 0, 10);
	head->blocks = 1 << 20;
	head->first = 77;
	head->source = 1;
	head->state = 77;
	head->reserved = 77;
	EXPECT_EQ(10, marks(1));
	write_marks(&self->l, 1, 10, 10);
	head->source = source;
	EXPECT_EQ(0, lane_hand(&self->l));
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(20, t->read[source]);
	EXPECT_EQ(20, t->nev);
	tape_free(t);
}

TEST_F(life, mmap_takes_all_of_it_once_and_nothing_else)
{
	const int rw = PROT_READ | PROT_WRITE;
	const long page = self->page;
	struct devtrace_lane_ask arg;
	struct { long more; int prot, flags; off_t at; } c[] = {
		{ -page, rw, MAP_SHARED, 0 },
		{ page, rw, MAP_SHARED, 0 },
		{ -page, rw, MAP_SHARED, page },
		{ 0, rw, MAP_SHARED, page },
		{ 0, PROT_READ, MAP_SHARED, page },
		{ 0, rw, MAP_SHARED, 1 << 30 },
		{ 0, rw, MAP_PRIVATE, 0 },
		{ 0, PROT_READ, MAP_PRIVATE, 0 },
	};
	void *blocks;
	int fd, i;

	fd = lane_fd(self->wfd, 16 << 10, &arg);
	ASSERT_LE(0, fd);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		EXPECT_EQ(MAP_FAILED, mmap(NULL, arg.bytes + c[i].more, c[i].prot, c[i].flags, fd,
					   c[i].at)) TH_LOG("case %d", i);
		EXPECT_EQ(EINVAL, errno) TH_LOG("case %d", i);
	}
	/* None of these used it up. */
	blocks = mmap(NULL, arg.bytes, rw, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, blocks);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, arg.bytes, rw, MAP_SHARED, fd, 0));
	EXPECT_EQ(EBUSY, errno);
	munmap(blocks, arg.bytes);
	/* It is gone for good. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, arg.bytes, rw, MAP_SHARED, fd, 0));
	EXPECT_EQ(EPERM, errno);
	close(fd);
}

/* A process that received the descriptor tries all uses. */
static int try_other(int socket, size_t bytes)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof(room) };
	int fd, bad = 0;

	if (recvmsg(socket, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
		return 64;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	bad |= mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED || errno != EPERM;
	bad |= (mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED ||
		errno != EPERM) << 1;
	bad |= (read(fd, &byte, 1) != -1) << 2;
	bad |= (write(fd, &byte, 1) != -1) << 3;
	return bad;
}

TEST_F(life, descriptor_is_of_no_use_to_others)
{
	char room[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof(room) };
	struct devtrace_lane_ask arg;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int user, fd, sv[2];
	pid_t pid;

	for (user = 0; user < 2; user++) {
		fd = lane_fd(self->wfd, 64 << 10, &arg);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			close(fd);
			if (user && (setgid(1234) || setuid(1234)))
				_exit(32);
			_exit(try_other(sv[1], arg.bytes));
		}
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
		ASSERT_EQ(1, sendmsg(sv[0], &m, 0));
		EXPECT_EQ(0, status_of(pid));
		/* Its owner can still use it. */
		ASSERT_EQ(0, lane_map(&self->l, fd, arg.bytes));
		write_marks(&self->l, 10 + user, 0, 5);
		EXPECT_EQ(5, marks(10 + user));
		lane_close(&self->l);
		close(fd);
		close(sv[0]);
		close(sv[1]);
	}
}

TEST_F(life, module_stays_while_a_lane_lives)
{
	struct devtrace_lane_ask arg;
	int fd;

	fd = lane_fd(self->wfd, 0, &arg);
	ASSERT_LE(0, fd);
	close(self->wfd);
	self->wfd = -1;
	ASSERT_EQ(-1, dev_unload_in_use());
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, lane_map(&self->l, fd, arg.bytes));
	close(fd);
	write_marks(&self->l, 1, 0, 10);
	ASSERT_EQ(-1, dev_unload_in_use());
	EXPECT_EQ(EAGAIN, errno);
	lane_close(&self->l);
	EXPECT_EQ(10, marks(1));
	EXPECT_EQ(0, dev_unload_one("devtrace"));
}

TEST_F(life, memory_that_is_told_to_be_of_no_need)
{
	uint8_t *head;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 0));
	head = self->l.blocks;
	write_marks(&self->l, 12, 0, 500);
	EXPECT_EQ(0, madvise(head, self->l.bytes, MADV_DONTNEED));
	/* The results of these do not matter. */
	madvise(head, self->l.bytes, MADV_PAGEOUT);
	madvise(head, self->l.bytes, MADV_FREE);
	madvise(head, self->l.bytes, MADV_REMOVE);
	madvise(head, self->page, MADV_DONTFORK);
	mlock(head, self->l.bytes);
	munlock(head, self->l.bytes);
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	EXPECT_EQ(2, self->l.head->open);
	write_marks(&self->l, 12, 500, 500);
	EXPECT_EQ(1000, marks(12));
}

/* A pinned page stays unchanged, whatever happens to the lane. */
TEST_F(life, page_that_is_pinned_outlives_it)
{
	struct lane more[4];
	uint8_t *copy, *got;
	struct iovec v;
	int p[2], i;

	ASSERT_EQ(0, lane_open(&self->l, self->wfd, DEVTRACE_LANE_MIN));
	write_marks(&self->l, 14, 0, 100);
	copy = malloc(DEVTRACE_LANE_BLOCK);
	got = malloc(DEVTRACE_LANE_BLOCK);
	v.iov_base = lane_block(&self->l, self->l.n);
	v.iov_len = DEVTRACE_LANE_BLOCK;
	memcpy(copy, v.iov_base, DEVTRACE_LANE_BLOCK);
	ASSERT_EQ(0, pipe(p));
	ASSERT_EQ(DEVTRACE_LANE_BLOCK, vmsplice(p[1], &v, 1, 0));
	lane_close(&self->l);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, lane_open(&more[i], self->wfd, DEVTRACE_LANE_MIN));
		write_marks(&more[i], 13, 0, 300);
	}
	ASSERT_EQ(DEVTRACE_LANE_BLOCK, read(p[0], got, DEVTRACE_LANE_BLOCK));
	EXPECT_EQ(0, memcmp(copy, got, DEVTRACE_LANE_BLOCK));
	EXPECT_EQ(100, marks(14));
	for (i = 0; i < 4; i++)
		lane_close(&more[i]);
	close(p[0]);
	close(p[1]);
	free(copy);
	free(got);
}

TEST_HARNESS_MAIN
