// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_faults.c - faults of the kernel: one event each, with its severity
 *
 * These faults leave the kernel intact: programs that crash, messages, the OOM killer, a failing
 * disk. selftests/vm/test_faults has those that need a fresh board: an oops, a hung thread.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "uring.h"

#define KINDS	"/sys/module/devtrace_profile/parameters/fault_kinds"
#define CGROUP	"/tmp/faults_cgroup"
#define DROPS	"/sys/kernel/tracing/events/skb/kfree_skb/format"
#define THREADS	3

FIXTURE(faults) {
	int fd;
	struct tape *t;
	size_t seen;
};

FIXTURE_SETUP(faults)
{
	ASSERT_EQ(0, dev_load("size=1M profile=none faults=1"));
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->t = tape_new();
	ASSERT_LT(0, tape_drain(self->t, self->fd));
	self->seen = self->t->nev;
}

FIXTURE_TEARDOWN(faults)
{
	tape_free(self->t);
	close(self->fd);
	EXPECT_EQ(0, dev_done());
}

/* Number of faults of a kind since the last call, and the last one. */
static int news(FIXTURE_DATA(faults) *self, uint32_t major, const struct tape_event **last)
{
	int n = 0;

	if (tape_drain(self->t, self->fd) < 0 || !tape_clean(self->t) || tape_lost(self->t, -1))
		return -1;
	for (; self->seen < self->t->nev; self->seen++) {
		const struct tape_event *e = &self->t->ev[self->seen];

		if (e->type != DEVTRACE_T_FAULT || DEVTRACE_CODE_MAJOR(e->code) != major)
			continue;
		*last = e;
		n++;
	}
	return n;
}

/* The n-th element, from 0. */
static struct devtrace_elem element(FIXTURE_DATA(faults) *self, const struct tape_event *e, int n)
{
	struct devtrace_elem el = { 0 };
	size_t pos = 0;

	while (devtrace_elem_next(self->t->data + e->data, e->len, &pos, &el) == 1)
		if (!n--)
			return el;
	return (struct devtrace_elem){ .type = 0xff };
}

static bool is_text(struct devtrace_elem el, const char *text)
{
	if (el.type == DEVTRACE_E_STR && el.v.mem.len == strlen(text) &&
	    !memcmp(el.v.mem.p, text, el.v.mem.len))
		return true;
	dev_say("'%.*s' is not '%s'", el.type == DEVTRACE_E_STR ? (int)el.v.mem.len : 0,
		(const char *)el.v.mem.p, text);
	return false;
}

#define NOWHERE	16
/* This CPU reports only the page. */
#ifdef __s390x__
#define FAULT_AT	(NOWHERE & ~4095)
#else
#define FAULT_AT	NOWHERE
#endif

static volatile int *volatile nowhere = (volatile int *)NOWHERE;

enum way { NULL_POINTER, ABORT, TERMINATED, KILLED, EXITS, HANDLED, IGNORED };

static void handler(int sig)
{
	_exit(sig == SIGSEGV ? 0 : 1);
}

static __attribute__((noreturn)) void die(enum way way)
{
	switch (way) {
	case NULL_POINTER:
		*nowhere = 1;
		break;
	case ABORT:
		abort();
	case TERMINATED:
		kill(getpid(), SIGTERM);
		break;
	case KILLED:
		kill(getpid(), SIGKILL);
		break;
	case EXITS:
		_exit(0);
	case HANDLED:
		signal(SIGSEGV, handler);
		*nowhere = 1;
		break;
	case IGNORED:
		signal(SIGTERM, SIG_IGN);
		kill(getpid(), SIGTERM);
		_exit(0);
	}
	for (;;)
		pause();
}

static void *thread(void *arg)
{
	if (arg)
		die(*(enum way *)arg);
	for (;;)
		pause();
	return NULL;
}

static void *tells_its_tid(void *fd)
{
	const pid_t tid = syscall(SYS_gettid);

	return write(*(int *)fd, &tid, sizeof(tid)) == sizeof(tid) ? thread(NULL) : NULL;
}

/* Start a process with several threads, of which the last one crashes. Returns its id. */
static pid_t dies(enum way way, int threads)
{
	const struct rlimit none = { 0, 0 };
	pid_t pid = fork();
	int status;

	if (pid) {
		waitpid(pid, &status, 0);
		return pid;
	}
	setrlimit(RLIMIT_CORE, &none);
	while (--threads > 0) {
		pthread_t t;

		if (pthread_create(&t, NULL, thread, threads == 1 ? &way : NULL))
			_exit(99);
		if (threads == 1)
			thread(NULL);
	}
	die(way);
	_exit(99);
}

static const struct death {
	enum way way;
	int sig, severity;
} deaths[] = {
	{ NULL_POINTER, SIGSEGV, DEVTRACE_SW2 }, { ABORT, SIGABRT, DEVTRACE_SW2 },
	{ TERMINATED, SIGTERM, DEVTRACE_SW1 }, { KILLED, SIGKILL, DEVTRACE_SW1 },
	{ EXITS, 0, 0 }, { HANDLED, 0, 0 }, { IGNORED, 0, 0 },
};

TEST_F(faults, a_program_that_a_signal_ends_is_one_event)
{
	const struct tape_event *e = NULL;
	const struct death *d;
	int threads;

	for (threads = 1; threads <= THREADS; threads += THREADS - 1) {
		for (d = deaths; d < deaths + sizeof(deaths) / sizeof(*deaths); d++) {
			pid_t pid = dies(d->way, threads);

			ASSERT_EQ(!!d->sig, news(self, DEVTRACE_FAULT_SIGNAL, &e))
				TH_LOG("way %d, %d threads", d->way, threads);
			if (!d->sig)
				continue;
			EXPECT_EQ(d->sig, DEVTRACE_CODE_MINOR(e->code));
			EXPECT_EQ(d->severity, e->severity);
			EXPECT_EQ(pid, element(self, e, 1).v.u);
			if (d->way == NULL_POINTER)
				EXPECT_EQ(FAULT_AT, element(self, e, 2).v.u);
		}
	}
}

/* Start a program that reports which thread waits until it is released. */
static pid_t stands_still(void (*program)(int tell))
{
	char text[32] = "";
	int tries, tell[2];
	pid_t pid, tid = 0;

	if (pipe(tell))
		return -1;
	pid = fork();
	if (!pid) {
		program(tell[1]);
		thread(NULL);
	}
	close(tell[1]);
	if (read(tell[0], &tid, sizeof(tid)) != sizeof(tid))
		tid = 0;
	close(tell[0]);
	snprintf(text, sizeof(text), "%d", tid);
	if (dev_write_file(CGROUP "/still/tasks", text) ||
	    dev_write_file(CGROUP "/still/freezer.state", "FROZEN"))
		dev_say("thread %s is not stopped: %s", text, strerror(errno));
	for (tries = 0; tries < 10000 && tid; tries++) {
		if (dev_read_file(CGROUP "/still/freezer.state", text, sizeof(text)) > 0 &&
		    !strncmp(text, "FROZEN", 6))
			return pid;
		dev_sleep_ms(1);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}

static void two_threads(int tell)
{
	pthread_t t;

	if (pthread_create(&t, NULL, tells_its_tid, &tell))
		_exit(99);
	thread(NULL);
}

/* Number of threads of a process; 0: no such process. */
static int threads_of(pid_t pid)
{
	char path[32];
	int n = -2;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return 0;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A kernel worker of io_uring waits in it for a request that never completes. */
static void has_a_worker(int tell)
{
	static char byte;
	struct io_uring_sqe *sqe;
	struct uring u;
	int tries, fds[2];

	if (uring_open(&u) || pipe(fds))
		_exit(99);
	sqe = uring_next(&u);
	sqe->opcode = IORING_OP_READ;
	sqe->flags = IOSQE_ASYNC;
	sqe->fd = fds[0];
	sqe->addr = (uintptr_t)&byte;
	sqe->len = 1;
	uring_enter(&u, 1, 0);
	for (tries = 0; tries < 10000 && threads_of(getpid()) < 2; tries++)
		dev_sleep_ms(1);
	if (tries == 10000)
		_exit(99);
	tells_its_tid(&tell);
}

/* Other processes whose ids share the entry of @pid in told[] (kmod/faults/told.c) crash. */
static int others_die(pid_t pid)
{
	char text[32];
	int i, n = 0;

	for (i = 1; i <= 20 && n < 4; i++) {
		snprintf(text, sizeof(text), "%d", pid + 512 * i - 1);
		if (dev_write_file("/proc/sys/kernel/ns_last_pid", text))
			return -1;
		n += dies(TERMINATED, THREADS) == pid + 512 * i;
	}
	return n == 4 ? i - 1 : -1;
}

TEST_F(faults, a_program_is_one_event_however_late_its_last_thread_ends)
{
	const struct tape_event *e = NULL;
	int n, tries, status;
	pid_t pid;

	mkdir(CGROUP, 0755);
	if (access("/proc/sys/kernel/ns_last_pid", W_OK) ||
	    mount("none", CGROUP, "cgroup", 0, "freezer"))
		SKIP(return, "no freezer, or numbers cannot be chosen");
	mkdir(CGROUP "/still", 0755);
	pid = stands_still(two_threads);
	ASSERT_LT(0, pid);
	kill(pid, SIGTERM);
	for (tries = 0, n = 0; tries < 10000 && !n; tries++) {
		n = news(self, DEVTRACE_FAULT_SIGNAL, &e);
		dev_sleep_ms(1);
	}
	EXPECT_EQ(1, n);
	n = others_die(pid);
	EXPECT_LE(4, n);
	EXPECT_EQ(n, news(self, DEVTRACE_FAULT_SIGNAL, &e));

	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(0, dev_write_file(CGROUP "/still/freezer.state", "THAWED"));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, news(self, DEVTRACE_FAULT_SIGNAL, &e));
	rmdir(CGROUP "/still");
	umount(CGROUP);
}

TEST_F(faults, a_program_is_told_of_by_a_thread_of_its_own)
{
	const struct tape_event *e = NULL;
	int tries, status;
	pid_t pid;

	mkdir(CGROUP, 0755);
	if (mount("none", CGROUP, "cgroup", 0, "freezer"))
		SKIP(return, "no freezer");
	mkdir(CGROUP "/still", 0755);
	pid = stands_still(has_a_worker);
	if (pid > 0) {
		kill(pid, SIGKILL);
		for (tries = 0; tries < 10000 && threads_of(pid) > 1; tries++)
			dev_sleep_ms(1);
		EXPECT_EQ(1, threads_of(pid));
		EXPECT_EQ(0, news(self, DEVTRACE_FAULT_SIGNAL, &e));
		EXPECT_EQ(0, dev_write_file(CGROUP "/still/freezer.state", "THAWED"));
		EXPECT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(1, news(self, DEVTRACE_FAULT_SIGNAL, &e));
		EXPECT_NE(0, element(self, e, 2).v.u);
	}
	rmdir(CGROUP "/still");
	umount(CGROUP);
	if (pid < 0)
		SKIP(return, "io_uring has no threads in a process");
}

static int waits(void *unused)
{
	for (;;)
		pause();
	return 0;
}

/*
 * A process that shares the memory of another: up to Linux 5.15, the core dump of one ends both;
 * later, a signal does.
 */
TEST_F(faults, a_program_that_shares_its_memory_is_one_event)
{
	const struct rlimit none = { 0, 0 };
	static char stack[2][16384] __attribute__((aligned(16)));
	const struct tape_event *e = NULL;
	volatile pid_t *other;
	int status;
	pid_t pid;

	other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, other);
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		*other = clone(waits, stack[1], CLONE_VM | SIGCHLD, NULL);
		die(NULL_POINTER);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_LT(0, *other);
	kill(*other, SIGKILL);
	EXPECT_EQ(*other, waitpid(*other, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(2, news(self, DEVTRACE_FAULT_SIGNAL, &e));
	EXPECT_EQ(*other, element(self, e, 1).v.u);
	EXPECT_EQ(WTERMSIG(status), DEVTRACE_CODE_MINOR(e->code));
	munmap((void *)other, 4096);
}

static int say(int level, const char *text)
{
	char line[128];
	int ret, fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	snprintf(line, sizeof(line), "<%d>%s\n", level, text);
	ret = write(fd, line, strlen(line)) == (ssize_t)strlen(line) ? 0 : -1;
	close(fd);
	return ret;
}

TEST_F(faults, a_message_of_the_kernel_is_one_event)
{
	static const int severity[] = { DEVTRACE_SW3, DEVTRACE_SW3, DEVTRACE_SW2, DEVTRACE_SW1 };
	const struct tape_event *e = NULL;
	int level, tries, n = 0, lines;

	for (level = 0; level < 8; level++) {
		ASSERT_EQ(0, say(level, "[drm] pump stands still"));
		/* It is reported when interrupts are enabled; send another one of a lower level. */
		for (tries = 0, n = 0; tries < 1000 && !n && level < 4; tries++) {
			n = news(self, DEVTRACE_FAULT_CONSOLE, &e);
			dev_sleep_ms(1);
		}
		ASSERT_EQ(level < 4, n);
		if (level > 3)
			continue;
		EXPECT_EQ(level, DEVTRACE_CODE_MINOR(e->code));
		EXPECT_EQ(severity[level], e->severity);
		EXPECT_TRUE(is_text(element(self, e, 0), "[drm] pump stands still"));
	}
	/* Several interrupts read the messages; the last message is a fault. */
	for (lines = 0; lines < 100; lines++)
		ASSERT_EQ(0, say(3 + lines % 2, "many"));
	ASSERT_EQ(0, say(0, "the last"));
	for (tries = 0, lines = 0; tries < 1000; tries++) {
		n = news(self, DEVTRACE_FAULT_CONSOLE, &e);
		ASSERT_LE(0, n);
		lines += n;
		if (n && e->severity == DEVTRACE_SW3)
			break;
		dev_sleep_ms(1);
	}
	EXPECT_EQ(51, lines);
}

TEST_F(faults, nothing_is_attached_that_nobody_wants)
{
	const struct tape_event *e = NULL;
	char kinds[512];

	EXPECT_LT(0, dev_read_file(KINDS, kinds, sizeof(kinds)));
	EXPECT_NE(NULL, strstr(kinds, "signal"));
	EXPECT_EQ(NULL, strstr(kinds, "net_drop"));
	ASSERT_EQ(0, dev_write_file(KINDS, "-signal"));
	dies(KILLED, 1);
	EXPECT_EQ(0, news(self, DEVTRACE_FAULT_SIGNAL, &e));
	ASSERT_EQ(0, dev_write_file(KINDS, "+signal"));
	dies(KILLED, 1);
	EXPECT_EQ(1, news(self, DEVTRACE_FAULT_SIGNAL, &e));
	EXPECT_EQ(-1, dev_write_file(KINDS, "signl"));
	EXPECT_EQ(EINVAL, errno);

	/* Without faults=1 no filter wants them. */
	close(self->fd);
	tape_free(self->t);
	ASSERT_EQ(0, dev_load("size=1M"));
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	self->t = tape_new();
	self->seen = 0;
	dies(KILLED, 1);
	EXPECT_EQ(0, news(self, DEVTRACE_FAULT_SIGNAL, &e));
}

TEST_F(faults, an_assertion_of_a_driver_is_one_event)
{
	const struct tape_event *e = NULL;
	int i, n = 0;

	ASSERT_EQ(0, dev_load_file("dtfault.ko", ""));
	EXPECT_EQ(0, dev_write_file("/sys/module/dtfault/parameters/how", "assert"));
	EXPECT_EQ(0, dev_unload_one("dtfault"));
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	for (i = self->seen; i < self->t->nev; i++) {
		if (self->t->ev[i].type != DEVTRACE_T_ASSERT)
			continue;
		e = &self->t->ev[i];
		n++;
	}
	ASSERT_EQ(1, n);
	EXPECT_EQ(DEVTRACE_SW3, e->severity);
	EXPECT_EQ(DEVTRACE_E_U16, element(self, e, 0).type);
	EXPECT_TRUE(is_text(element(self, e, 1), "dtfault how_set"));
}

/* Events of a panic: the messages, if they are reported, then the panic. */
static int at_a_panic(FIXTURE_DATA(faults) *self)
{
	int i, ret, lines = 0, panics = 0, marks = 0;

	if (dev_load_file("dtfault.ko", ""))
		return -1;
	ret = dev_write_file("/sys/module/dtfault/parameters/how", "panic");
	if (dev_unload_one("dtfault") || ret || tape_drain(self->t, self->fd) < 0)
		return -1;
	for (i = self->seen; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		marks += e->type == DEVTRACE_T_ASSERT;
		if (e->type != DEVTRACE_T_FAULT)
			continue;
		if (DEVTRACE_CODE_MAJOR(e->code) == DEVTRACE_FAULT_PANIC) {
			if (e->severity != DEVTRACE_SW3 || marks ||
			    !is_text(element(self, e, 0), "dtfault: as asked"))
				return -1;
			panics++;
		}
		lines += DEVTRACE_CODE_MAJOR(e->code) == DEVTRACE_FAULT_CONSOLE && !panics;
	}
	self->seen = i;
	return panics == 1 && marks == 1 ? lines : -1;
}

TEST_F(faults, a_panic_reports_the_messages_before_it)
{
	EXPECT_EQ(100, at_a_panic(self));
	/* Not while they are not wanted, and none of those later. */
	ASSERT_EQ(0, dev_write_file(KINDS, "panic"));
	EXPECT_EQ(0, at_a_panic(self));
	ASSERT_EQ(0, dev_write_file(KINDS, "panic console"));
	EXPECT_EQ(100, at_a_panic(self));
}

TEST_F(faults, an_error_of_memory_has_its_severity)
{
	/* By enum hw_event_mc_err_type, then by GHES_SEV_* of <acpi/ghes.h>. */
	static const int severity[] = {
		DEVTRACE_HW1, DEVTRACE_HW2, DEVTRACE_HW2, DEVTRACE_HW3, DEVTRACE_HW0,
		DEVTRACE_HW0, DEVTRACE_HW1, DEVTRACE_HW2, DEVTRACE_HW3,
	};
	int i, err, n = 0;

	ASSERT_EQ(0, dev_load_file("dtfault.ko", ""));
	err = dev_write_file("/sys/module/dtfault/parameters/how", "memory") ? errno : 0;
	EXPECT_EQ(0, dev_unload_one("dtfault"));
	if (err == EOPNOTSUPP)
		SKIP(return, "this kernel reports no errors of memory");
	ASSERT_EQ(0, err);
	ASSERT_LE(0, tape_drain(self->t, self->fd));
	for (i = self->seen; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		if (e->type != DEVTRACE_T_FAULT ||
		    DEVTRACE_CODE_MAJOR(e->code) != DEVTRACE_FAULT_MEMORY)
			continue;
		ASSERT_LT(n, 9);
		EXPECT_EQ(severity[n], e->severity)
			TH_LOG("event %d", n);
		if (n++ >= 5)
			EXPECT_TRUE(is_text(element(self, e, 1), "DIMM twenty letters_"));
	}
	EXPECT_EQ(9, n);
}

/* Start a process that exceeds a cgroup limit of 16 MiB; returns its id, or -1. */
static pid_t take_too_much(void)
{
	const size_t size = 64 << 20;
	pid_t pid = fork();
	char text[32];
	int status;

	if (!pid) {
		char *p;

		snprintf(text, sizeof(text), "%d", getpid());
		if (dev_write_file(CGROUP "/small/cgroup.procs", text))
			_exit(99);
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p != MAP_FAILED)
			memset(p, 1, size);
		_exit(98);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status)) {
		dev_say("it ended with status %#x", status);
		return -1;
	}
	return pid;
}

TEST_F(faults, an_oom_kill_is_one_event)
{
	const struct tape_event *e = NULL;
	pid_t pid;

	mkdir(CGROUP, 0755);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		SKIP(return, "no cgroup2: %s", strerror(errno));
	if (dev_write_file(CGROUP "/cgroup.subtree_control", "+memory") ||
	    mkdir(CGROUP "/small", 0755) ||
	    dev_write_file(CGROUP "/small/memory.max", "16M")) {
		umount(CGROUP);
		SKIP(return, "no memory controller: %s", strerror(errno));
	}
	pid = take_too_much();
	EXPECT_LT(0, pid);
	EXPECT_EQ(1, news(self, DEVTRACE_FAULT_OOM, &e));
	if (e) {
		EXPECT_EQ(DEVTRACE_SW2, e->severity);
		EXPECT_EQ(pid, element(self, e, 0).v.u);
		EXPECT_TRUE(is_text(element(self, e, 1), "test_faults"));
	}
	rmdir(CGROUP "/small");
	umount(CGROUP);
}

/* Get the word that the kernel prints for the reason of a dropped packet; "": it has no word. */
static void kernels_word(unsigned int reason, char *word, size_t size)
{
	static char format[16384];
	char entry[32];
	const char *p;

	*word = '\0';
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	if (dev_read_file(DROPS, format, sizeof(format)) <= 0) {
		dev_say("%s: %s", DROPS, strerror(errno));
		return;
	}
	snprintf(entry, sizeof(entry), "{ %u, \"", reason);
	p = strstr(format, entry);
	if (p)
		snprintf(word, size, "%.*s", (int)strcspn(p + strlen(entry), "\""),
			 p + strlen(entry));
}

TEST_F(faults, a_dropped_packet_has_its_reason_in_words)
{
	const struct tape_event *e = NULL;
	char word[64];
	int s[2];

	ASSERT_EQ(0, dev_write_file(KINDS, "+net_drop"));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	EXPECT_EQ(1, write(s[0], "x", 1));
	/* No one reads the packet. */
	close(s[1]);
	close(s[0]);
	ASSERT_LE(1, news(self, DEVTRACE_FAULT_NET_DROP, &e));
	EXPECT_EQ(DEVTRACE_SW1, e->severity);
	EXPECT_EQ(DEVTRACE_E_U32, element(self, e, 0).type);
	kernels_word((unsigned int)element(self, e, 0).v.u, word, sizeof(word));
	EXPECT_EQ(dev_kernel_before(5, 17), !*word);
	if (*word) {
		EXPECT_EQ(1, DEVTRACE_CODE_MINOR(e->code));
		EXPECT_TRUE(is_text(element(self, e, 1), word));
		EXPECT_EQ(DEVTRACE_E_STR, element(self, e, 2).type);
	} else {
		EXPECT_EQ(0, DEVTRACE_CODE_MINOR(e->code));
		EXPECT_EQ(DEVTRACE_E_STR, element(self, e, 1).type);
	}
	EXPECT_EQ(0, dev_write_file(KINDS, "-net_drop"));
}

TEST_HARNESS_MAIN
