// SPDX-License-Identifier: GPL-2.0-only
/* test_proc_names.c - events have the name that their thread had when it emitted */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "libc.h"

FIXTURE(device) {
	int wfd;
};

FIXTURE_SETUP(device)
{
	ASSERT_EQ(0, dev_load("size=64K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(device)
{
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

TEST_F(device, thread_is_called_what_it_was_then)
{
	struct tape_seen s;
	struct tape *t;
	char name[16];
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "name-%d", i);
		ASSERT_EQ(0, prctl(PR_SET_NAME, name));
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	}
	t = tape_procs(&s);
	EXPECT_EQ(6, s.n);
	EXPECT_EQ(3, t->procs);
	for (i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "name-%d", i / 2);
		EXPECT_STREQ(name, s.name[i]);
		EXPECT_EQ(getpid(), s.tid[i]);
		EXPECT_EQ(getpid(), s.tgid[i]);
	}
	tape_free(t);
}

/* In a lane no system call announces an event: the kernel must know the name itself. */
TEST_F(device, thread_in_a_lane_is_called_what_it_was_then)
{
	static const char *const name[] = { "test_proc_names", "worker", "a-name-that-is-cut", "worker" };
	struct tape_seen s, live_s;
	struct tape *t, *live = tape_new();
	struct lane l;
	int i, k, way, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	char comm[64], cut[16];

	ASSERT_LE(0, fd);
	/* Renamed by the thread itself, and by another one. */
	for (way = 0; way < 2; way++) {
		tape_see(live, &live_s);
		ASSERT_EQ(0, prctl(PR_SET_NAME, name[0]));
		ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
		ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
		snprintf(comm, sizeof(comm), "/proc/self/task/%d/comm", (int)syscall(SYS_gettid));
		for (i = 0; i < 4; i++) {
			if (i)
				ASSERT_EQ(0, way ? dev_write_file(comm, name[i]) :
						   prctl(PR_SET_NAME, name[i]));
			for (k = 0; k < 3; k++)
				lane_mark(&l, DEVTRACE_T_USER, 1, i);
			/* The number of names per second is limited; see trace(4). */
			dev_sleep_ms(i < 2 ? 1100 : 0);
			ASSERT_LE(0, tape_drain(live, fd));
		}
		while (live_s.n < 12)
			ASSERT_LE(0, tape_drain(live, fd));
		t = tape_procs(&s);
		ASSERT_EQ(12, s.n);
		ASSERT_EQ(12, live_s.n);
		for (i = 0; i < 12; i++) {
			snprintf(cut, sizeof(cut), "%s", name[i / 3]);
			EXPECT_STREQ(cut, s.name[i]) TH_LOG("late, event %d, way %d", i, way);
			EXPECT_STREQ(cut, live_s.name[i]) TH_LOG("live, event %d, way %d", i, way);
		}
		tape_free(t);
		lane_close(&l);
	}
	tape_free(live);
	close(fd);
}

TEST_F(device, exec_gives_a_new_name)
{
	struct tape_seen s;
	struct tape *t;
	int status, i;
	pid_t pid;

	pid = fork();
	if (!pid) {
		dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, 0);
		execl("/bin/sh", "sh", "-c", "echo -n 1 >" DEV_PATH, NULL);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	t = tape_procs(&s);
	ASSERT_EQ(2, s.n);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(pid, s.tid[i]);
		EXPECT_EQ(pid, s.tgid[i]);
	}
	EXPECT_STREQ("test_proc_names", s.name[0]);
	EXPECT_STREQ("sh", s.name[1]);
	tape_free(t);
}

static void *named_thread(void *arg)
{
	intptr_t *a = arg;

	prctl(PR_SET_NAME, "a thread");
	a[1] = syscall(SYS_gettid);
	return (void *)(intptr_t)dev_emit_mark(a[0], DEVTRACE_T_USER, 1, 1);
}

TEST_F(device, threads_have_their_process)
{
	intptr_t arg[2] = { self->wfd };
	struct tape_seen s;
	struct tape *t;
	pthread_t th;
	void *ret;

	ASSERT_EQ(0, pthread_create(&th, NULL, named_thread, arg));
	pthread_join(th, &ret);
	ASSERT_EQ(NULL, ret);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, 2));
	t = tape_procs(&s);
	ASSERT_EQ(2, s.n);
	EXPECT_EQ(arg[1], s.tid[0]);
	EXPECT_EQ(getpid(), s.tgid[0]);
	EXPECT_STREQ("a thread", s.name[0]);
	EXPECT_EQ(getpid(), s.tid[1]);
	EXPECT_STREQ("test_proc_names", s.name[1]);
	tape_free(t);
}

/* A reused thread id: each event has the name of its own thread. */
TEST_F(device, number_used_again)
{
	struct tape_seen s;
	struct tape *t;
	int i, status;
	pid_t pid = 0, p;
	char last[16], name[16];

	for (i = 0; i < 2; i++) {
		if (pid) {
			snprintf(last, sizeof(last), "%d", pid - 1);
			if (dev_write_file("/proc/sys/kernel/ns_last_pid", last))
				SKIP(return, "this kernel does not let us choose a process id");
		}
		p = fork();
		if (!p) {
			snprintf(name, sizeof(name), "life-%d", i);
			prctl(PR_SET_NAME, name);
			_exit(dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i) != 0);
		}
		ASSERT_EQ(p, waitpid(p, &status, 0));
		EXPECT_EQ(0, status);
		if (pid && p != pid)
			SKIP(return, "the process id was taken meanwhile");
		pid = p;
	}
	t = tape_procs(&s);
	ASSERT_EQ(2, s.n);
	EXPECT_EQ(s.tid[0], s.tid[1]);
	EXPECT_STREQ("life-0", s.name[0]);
	EXPECT_STREQ("life-1", s.name[1]);
	tape_free(t);
}

/* With lanes: no event has a name that its thread never had. */

struct life {
	struct lane	l;
	int		wfd;
	atomic_int	tid;		/* set when it has written */
	atomic_bool	go;
};

/* Ends without the C library: the lane stays mapped. */
static void *life_by_lane(void *arg)
{
	struct life *a = arg;

	prctl(PR_SET_NAME, "life-0");
	if (lane_open(&a->l, a->wfd, 0))
		return NULL;
	lane_mark(&a->l, DEVTRACE_T_USER, 1, 0);
	a->tid = syscall(SYS_gettid);
	while (!a->go)
		sched_yield();
	syscall(SYS_exit, 0);
	return NULL;
}

/* Another process gets the thread id, while the lane is written further. */
TEST_F(device, lane_of_a_number_used_again)
{
	static struct life a;
	struct tape_seen s;
	struct tape *t;
	pthread_t th;
	int chosen, status;
	char last[16];
	pid_t pid;

	a.wfd = self->wfd;
	if (!LIBC_JOINS_ANY_THREAD)
		SKIP(return, "this C library cannot join such a thread");
	ASSERT_EQ(0, pthread_create(&th, NULL, life_by_lane, &a));
	while (!a.tid && pthread_tryjoin_np(th, NULL))
		sched_yield();
	ASSERT_LT(0, a.tid);
	a.go = true;
	pthread_join(th, NULL);
	while (!syscall(SYS_tgkill, getpid(), a.tid, 0))
		sched_yield();
	snprintf(last, sizeof(last), "%d", a.tid - 1);
	chosen = !dev_write_file("/proc/sys/kernel/ns_last_pid", last);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		prctl(PR_SET_NAME, "life-1");
		_exit(dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, 1) != 0);
	}
	a.l.dev = -1;
	lane_mark(&a.l, DEVTRACE_T_USER, 1, 2);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	lane_mark(&a.l, DEVTRACE_T_USER, 1, 3);
	lane_close(&a.l);
	t = tape_procs(&s);
	EXPECT_EQ(0, tape_lost(t, -1));
	ASSERT_EQ(2, s.n);
	EXPECT_EQ(0, s.nr[0]);
	EXPECT_STREQ("life-0", s.name[0]);
	EXPECT_EQ(a.tid, s.tid[0]);
	EXPECT_EQ(getpid(), s.tgid[0]);
	EXPECT_EQ(1, s.nr[1]);
	EXPECT_STREQ("life-1", s.name[1]);
	EXPECT_EQ(pid, s.tid[1]);
	tape_free(t);
	if (!chosen)
		SKIP(return, "this kernel does not let us choose a process id");
	if (pid != a.tid)
		SKIP(return, "the process id was taken meanwhile");
}

/* A program that calls exec, beside a process that shares its memory. */
struct exec {
	struct lane	l;
	int		wfd, in, go, done;
	uint8_t		stack[65536] __attribute__((aligned(16)));
};

/* Shares the memory of the old program, and has no lane. */
static int writes_on(void *arg)
{
	struct exec *e = arg;
	char byte;

	if (read(e->go, &byte, 1) != 1)
		return 1;
	e->l.dev = -1;
	byte = e->l.head->state;
	lane_mark(&e->l, DEVTRACE_T_USER, 1, 1);
	return write(e->done, &byte, 1) != 1;
}

static void *calls_exec(void *arg)
{
	struct exec *e = arg;

	prctl(PR_SET_NAME, "before");
	if (lane_open(&e->l, e->wfd, 0))
		_exit(1);
	lane_mark(&e->l, DEVTRACE_T_USER, 1, 0);
	if (clone(writes_on, e->stack + sizeof(e->stack), CLONE_VM | SIGCHLD, e) < 0)
		_exit(2);
	dup2(e->in, 0);
	execl("/bin/sh", "sh", "-c", "echo -n 1 >" DEV_PATH "; read line", NULL);
	_exit(3);
}

/* Run the program, which calls exec from a second thread if @thread. */
static void be_exec(struct exec *e, bool thread)
{
	pthread_t th;

	if (thread && !pthread_create(&th, NULL, calls_exec, e))
		for (;;)
			pause();
	calls_exec(e);
}

/* No event has the id of a thread that is another program by then. */
TEST_F(device, lane_of_who_calls_exec)
{
	static struct exec e;
	int in[2], go[2], done[2], thread, fd, status;
	char state = 0;
	struct tape *t;
	struct tape_seen s;
	pid_t pid;

	e.wfd = self->wfd;
	for (thread = 0; thread < 2; thread++) {
		ASSERT_EQ(0, pipe2(in, O_CLOEXEC));
		ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
		ASSERT_EQ(0, pipe2(done, O_CLOEXEC));
		e.in = in[0];
		e.go = go[0];
		e.done = done[1];
		ASSERT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		t = tape_new();
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			close(in[1]);
			close(go[1]);
			be_exec(&e, thread);
		}
		close(in[0]);
		close(go[0]);
		close(done[1]);
		/* The new program reports that it runs. */
		while (t->nev < 2 && !waitpid(pid, &status, WNOHANG))
			ASSERT_LE(0, tape_drain(t, fd));
		EXPECT_EQ(1, write(go[1], "", 1));
		EXPECT_EQ(1, read(done[0], &state, 1));
		EXPECT_EQ(DEVTRACE_LANE_CLOSED, state);
		tape_free(t);
		t = tape_procs(&s);
		EXPECT_EQ(0, tape_lost(t, -1));
		EXPECT_EQ(2, s.n);
		EXPECT_EQ(0, s.nr[0]);
		EXPECT_STREQ("before", s.name[0]);
		EXPECT_EQ(thread, s.tid[0] != pid);
		EXPECT_EQ(pid, s.tgid[0]);
		EXPECT_STREQ("sh", s.name[1]);
		EXPECT_EQ(pid, s.tid[1]);
		tape_free(t);
		close(in[1]);
		close(go[1]);
		close(done[0]);
		close(fd);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	}
}

/* The user changes between the request for the lane and the event. */
static int changes_user(int wfd)
{
	struct lane l;

	prctl(PR_SET_NAME, "was root");
	if (lane_open(&l, wfd, 0))
		return 1;
	lane_mark(&l, DEVTRACE_T_USER, 1, 0);
	if (setresgid(1234, 1234, 1234) || setresuid(1234, 1234, 1234))
		return 2;
	lane_mark(&l, DEVTRACE_T_USER, 1, 1);
	if (lane_hand(&l))
		return 3;
	prctl(PR_SET_NAME, "is a user");
	if (dev_emit_mark(wfd, DEVTRACE_T_USER, 1, 2))
		return 4;
	lane_mark(&l, DEVTRACE_T_USER, 1, 3);
	lane_close(&l);
	return 0;
}

TEST_F(device, setuid_in_between)
{
	struct tape_seen s;
	struct tape *t;
	int i, status;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(changes_user(self->wfd));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	t = tape_procs(&s);
	EXPECT_EQ(0, tape_lost(t, -1));
	ASSERT_EQ(4, s.n);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(i, s.nr[i]);
		EXPECT_EQ(pid, s.tid[i]);
		EXPECT_EQ(pid, s.tgid[i]);
		EXPECT_STREQ(i < 2 ? "was root" : "is a user", s.name[i]);
	}
	tape_free(t);
}

/* The first process of a PID namespace, with id 1. */
static int is_number_1(int wfd)
{
	struct lane l;

	prctl(PR_SET_NAME, "number 1");
	if (getpid() != 1 || lane_open(&l, wfd, 0))
		return 1;
	lane_mark(&l, DEVTRACE_T_USER, 1, 0);
	lane_close(&l);
	return dev_emit_mark(wfd, DEVTRACE_T_USER, 1, 1) ? 2 : 0;
}

/* An outside reader gets the outside id. */
TEST_F(device, of_another_pid_namespace)
{
	int i, status, told[2];
	pid_t pid, inner = 0;
	struct tape_seen s;
	struct tape *t;

	ASSERT_EQ(0, pipe(told));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(errno == EINVAL ? 77 : 1);
		inner = fork();
		if (!inner)
			_exit(is_number_1(self->wfd));
		if (write(told[1], &inner, sizeof(inner)) != sizeof(inner) ||
		    waitpid(inner, &status, 0) != inner)
			_exit(2);
		_exit(WEXITSTATUS(status));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	if (WEXITSTATUS(status) == 77)
		SKIP(return, "this kernel has no pid namespaces");
	ASSERT_EQ(0, status);
	ASSERT_EQ(sizeof(inner), read(told[0], &inner, sizeof(inner)));
	t = tape_procs(&s);
	ASSERT_EQ(2, s.n);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(i, s.nr[i]);
		EXPECT_EQ(inner, s.tid[i]);
		EXPECT_EQ(inner, s.tgid[i]);
		EXPECT_STREQ("number 1", s.name[i]);
	}
	tape_free(t);
	close(told[0]);
	close(told[1]);
}

/* Names outlive their threads, also of many processes. */
TEST_F(device, many_processes_that_are_gone)
{
	struct tape_seen s;
	struct tape *t;
	int i, status;
	char name[16];
	pid_t p[40];

	for (i = 0; i < 40; i++) {
		p[i] = fork();
		if (!p[i]) {
			snprintf(name, sizeof(name), "process-%d", i);
			prctl(PR_SET_NAME, name);
			_exit(dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i) != 0);
		}
		ASSERT_EQ(p[i], waitpid(p[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	t = tape_procs(&s);
	ASSERT_EQ(40, s.n);
	EXPECT_EQ(0, s.missing);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "process-%d", s.nr[i]);
		EXPECT_STREQ(name, s.name[i]);
		EXPECT_EQ(p[s.nr[i]], s.tid[i]);
	}
	tape_free(t);
}

TEST_HARNESS_MAIN
