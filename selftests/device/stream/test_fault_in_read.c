// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fault_in_read.c - a page fault of one process does not block others
 *
 * A process reads, or makes another system call, with a buffer whose page fault waits: in
 * userfaultfd(2), or in a file of a FUSE file system. Meanwhile other processes use the same
 * open file description. Calls that must not wait return, calls that may wait can be interrupted
 * and killed, and after the page fault the stream is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "libc.h"
#include "slow.h"

#define PAGES		3		/* read; the first one is present */
#define PIECES		1024
#define EMITS		800		/* on all CPUs */
#define BOUND_S		100		/* a call that does not wait returns by then */
#define ROOM		(512 * 1024)

/* Results of the process with slow memory, or of one that waited. */
struct deed {
	atomic_bool begun;
	long ret;
	int err;
	uint8_t data[ROOM];
};

FIXTURE(slow) {
	int fd;			/* O_RDWR, nothing read yet */
	struct tape *whole;
	struct slow *mem;
	size_t page;
	char why[200];
	struct deed *held;	/* shared by all processes */
	struct deed *waited;
	pid_t holder;
};

FIXTURE_VARIANT(slow) {
	enum slow_kind kind;
};

FIXTURE_VARIANT_ADD(slow, userfaultfd) { SLOW_USERFAULTFD };
FIXTURE_VARIANT_ADD(slow, fuse) { SLOW_FUSE };

static struct deed *deed_new(void)
{
	return mmap(NULL, sizeof(struct deed), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

FIXTURE_SETUP(slow)
{
	int cpus[DEV_CPUS], n = dev_online(cpus), i, k;

	dev_seed();
	self->fd = -1;
	self->page = sysconf(_SC_PAGESIZE);
	self->held = deed_new();
	self->waited = deed_new();
	ASSERT_NE(MAP_FAILED, self->held);
	ASSERT_NE(MAP_FAILED, self->waited);
	self->mem = slow_new(variant->kind, PAGES * self->page, self->why, sizeof(self->why));
	ASSERT_EQ(0, dev_load("size=128K"));
	self->fd = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	for (k = 0; k < n; k++) {
		ASSERT_EQ(0, dev_pin(cpus[k]));
		for (i = 0; i < EMITS / n; i++)
			ASSERT_EQ(0, dev_emit_numbered(self->fd, dttest_tag(DTTEST_USER, k), i,
						       1000, 15));
	}
	dev_pin(-1);
	/* Events may be delayed by the tolerance for differing clocks. */
	dev_sleep_ms(20);
	self->whole = tape_all(1 << 20);
	ASSERT_NE(NULL, self->whole);
	ASSERT_TRUE(tape_clean(self->whole));
	ASSERT_LT((PAGES + 1) * self->page, self->whole->nraw);
}

/* Processes */

/* True if the condition becomes true in bounded time. */
#define UNTIL(condition) ({							\
	unsigned int until_ = 0;						\
										\
	while (!(condition) && until_++ < BOUND_S * 500)			\
		dev_sleep_ms(2);						\
	until_ <= BOUND_S * 500;						\
})

/* Wait status; -1 if it does not end, and is killed. */
static int ends(pid_t pid)
{
	int status = -1;

	if (UNTIL(waitpid(pid, &status, WNOHANG) == pid))
		return status;
	kill(pid, SIGKILL);
	return -1;
}

/* True if the process sleeps, by the state after its name. */
static bool sleeps(pid_t pid)
{
	char path[40], text[512], *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (dev_read_file(path, text, sizeof(text)) < 0)
		return false;
	name_end = strrchr(text, ')');
	return name_end && (name_end[2] == 'S' || name_end[2] == 'D');
}

static pid_t child(void)
{
	const pid_t parent = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

FIXTURE_TEARDOWN(slow)
{
	if (self->mem)
		slow_go(self->mem);
	if (self->holder) {
		kill(self->holder, SIGKILL);
		waitpid(self->holder, NULL, 0);
	}
	slow_free(self->mem);
	tape_free(self->whole);
	close(self->fd);
	EXPECT_EQ(0, dev_done());
}

/* System calls with slow memory */

static ssize_t read_pieces(int fd, uint8_t *mem, size_t len, int pieces)
{
	struct iovec iov[PIECES];
	int i;

	for (i = 0; i < pieces; i++) {
		iov[i].iov_base = mem + len / pieces * i;
		iov[i].iov_len = len / pieces;
	}
	return readv(fd, iov, pieces);
}

enum call {
	READ,
	READ_PIECES,
	WRITE,
	EMIT,
	DICT,
	CHECK,
	STATS,
	LANE,
};

/* The argument crosses from the present page into the next. */
static long call(int fd, enum call what, uint8_t *mem, size_t page)
{
	uint8_t *arg = mem + page - 2;

	switch (what) {
	case READ:
		return read(fd, mem, PAGES * page);
	case READ_PIECES:
		return read_pieces(fd, mem, PAGES * page, PIECES);
	case WRITE:
		return write(fd, arg, 100);
	case EMIT:
		return ioctl(fd, DEVTRACE_IOC_EMIT(100), arg);
	case DICT:
		return ioctl(fd, DEVTRACE_IOC_DICT, arg);
	case CHECK:
		return ioctl(fd, DEVTRACE_IOC_CHECK, arg);
	case STATS:
		return ioctl(fd, DEVTRACE_IOC_STATS, arg);
	default:
		return ioctl(fd, DEVTRACE_IOC_LANE, arg);
	}
}

/* Start a process that waits for its page fault in this call; false on failure. */
static bool hold(FIXTURE_DATA(slow) *self, enum call what)
{
	self->holder = child();
	if (!self->holder) {
		struct deed *d = self->held;
		uint8_t *mem = slow_map(self->mem);

		if (!mem) {
			perror("# slow memory");
			_exit(1);
		}
		/* A line without end, or the type of an event; the rest is zero. */
		if (what == WRITE || what == EMIT)
			mem[self->page - 2] = DEVTRACE_T_USER;
		d->begun = true;
		d->ret = call(self->fd, what, mem, self->page);
		d->err = errno;
		if (d->ret > 0 && what <= READ_PIECES)
			memcpy(d->data, mem, d->ret);
		_exit(0);
	}
	return UNTIL(slow_waits(self->mem)) && UNTIL(sleeps(self->holder));
}

/* Resolve the page fault: the call must return. */
static int let_go(FIXTURE_DATA(slow) *self)
{
	int status;

	slow_go(self->mem);
	status = ends(self->holder);
	self->holder = 0;
	return status;
}

static int set_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

/* Expect these @n bytes at this offset of the stream. */
#define EXPECT_AT(at, data, n) do {						\
	ASSERT_LE((at) + (n), self->whole->nraw);				\
	EXPECT_EQ(0, memcmp(self->whole->raw + (at), data, n));			\
} while (0)

/* The rest of the stream equals the complete one from this offset on. */
#define EXPECT_REST(at) do {							\
	struct tape *rest_ = tape_new();					\
	rest_->keep_raw = true;							\
	ASSERT_EQ(0, set_nonblock(self->fd, true));				\
	EXPECT_LE(0, tape_drain(rest_, self->fd));				\
	ASSERT_EQ(self->whole->nraw, (at) + rest_->nraw);			\
	EXPECT_AT(at, rest_->raw, rest_->nraw);					\
	tape_free(rest_);							\
} while (0)

#define NEED_SLOW() do {							\
	if (!self->mem)								\
		SKIP(return, "%s", self->why);					\
} while (0)

/* In a separate process, as the call may not return. */
#define TRY(x) do {								\
	if (!(x)) {								\
		dev_say("not so: %s (%s)", #x, strerror(errno));		\
		_exit(1);							\
	}									\
} while (0)

static void try_what_does_not_wait(FIXTURE_DATA(slow) *self)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	uint8_t buf[100];
	struct iovec iov = { buf, sizeof(buf) };
	struct devtrace_stats s = { .cpu = -1 };
	int ep = epoll_create1(EPOLL_CLOEXEC), pipes[2];

	/* There is data, but read(2) would wait for it. */
	TRY(poll(&p, 1, 0) == 0);
	TRY(!epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &ev));
	TRY(epoll_wait(ep, &ev, 1, 0) == 0);
	TRY(preadv2(self->fd, &iov, 1, -1, RWF_NOWAIT) == -1 && errno == EAGAIN);
	TRY(!pipe(pipes));
	TRY(!set_nonblock(self->fd, true));
	TRY(read(self->fd, buf, sizeof(buf)) == -1 && errno == EAGAIN);
	TRY(read(self->fd, buf, 1) == -1 && errno == EAGAIN);
	TRY(readv(self->fd, &iov, 1) == -1 && errno == EAGAIN);
	TRY(splice(self->fd, NULL, pipes[1], NULL, 1000, SPLICE_F_NONBLOCK) == -1 &&
	    errno == EAGAIN);
	TRY(!set_nonblock(self->fd, false));
	TRY(read(self->fd, buf, 0) == 0);
	TRY(!ioctl(self->fd, DEVTRACE_IOC_STATS, &s));
	TRY(!close(dup(self->fd)));
	TRY(!close(self->fd));
}

static void comes_back(struct __test_metadata *_metadata, FIXTURE_DATA(slow) *self, enum call what)
{
	struct iovec iov = { self->waited->data, 10 };
	pid_t pid;

	ASSERT_TRUE(hold(self, what));
	pid = child();
	if (!pid) {
		try_what_does_not_wait(self);
		_exit(0);
	}
	EXPECT_EQ(0, ends(pid));
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(PAGES * self->page / (what == READ ? 1 : PIECES) * (what == READ ? 1 : PIECES),
		  self->held->ret);
	EXPECT_AT(0, self->held->data, self->held->ret);
	/* Staged data is returned without waiting. */
	ASSERT_EQ(10, preadv2(self->fd, &iov, 1, -1, RWF_NOWAIT));
	EXPECT_AT(self->held->ret, iov.iov_base, 10);
	EXPECT_REST(self->held->ret + 10);
}

TEST_F(slow, poll_and_nonblocking_calls_come_back)
{
	NEED_SLOW();
	comes_back(_metadata, self, READ);
}

TEST_F(slow, so_they_do_with_a_thousand_iovecs)
{
	NEED_SLOW();
	comes_back(_metadata, self, READ_PIECES);
}

/* A process that waits in one of these calls. */
enum wait {
	WAIT_READ,
	WAIT_READ_BYTE,
	WAIT_SEEK,
	WAIT_TELL,
	WAIT_SPLICE,
	WAITS
};

static void nothing(int sig)
{
}

static pid_t waits_in(FIXTURE_DATA(slow) *self, enum wait what)
{
	struct sigaction act = { .sa_handler = nothing };
	struct deed *d = self->waited;
	int pipes[2];
	pid_t pid;

	d->begun = false;
	pid = child();
	if (!pid) {
		sigaction(SIGUSR1, &act, NULL);
		TRY(!pipe(pipes));
		d->begun = true;
		switch (what) {
		case WAIT_READ:
			d->ret = read(self->fd, d->data, 100);
			break;
		case WAIT_READ_BYTE:
			d->ret = read(self->fd, d->data, 1);
			break;
		case WAIT_SPLICE:
			d->ret = splice(self->fd, NULL, pipes[1], NULL, 1000, 0);
			break;
		default:
			d->ret = lseek(self->fd, 0, what == WAIT_SEEK ? SEEK_SET : SEEK_CUR);
		}
		d->err = errno;
		_exit(0);
	}
	return UNTIL(atomic_load(&d->begun)) && UNTIL(sleeps(pid)) ? pid : -1;
}

TEST_F(slow, who_waits_can_be_interrupted_and_killed)
{
	int what, status;
	pid_t pid;

	NEED_SLOW();
	ASSERT_TRUE(hold(self, READ));
	for (what = 0; what < WAITS; what++) {
		pid = waits_in(self, what);
		ASSERT_LT(0, pid) TH_LOG("call %d", what);
		ASSERT_EQ(0, kill(pid, SIGUSR1));
		ASSERT_EQ(0, ends(pid)) TH_LOG("call %d", what);
		EXPECT_EQ(-1, self->waited->ret);
		EXPECT_EQ(EINTR, self->waited->err);
		pid = waits_in(self, what);
		ASSERT_LT(0, pid);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		status = ends(pid);
		ASSERT_NE(-1, status) TH_LOG("call %d", what);
		EXPECT_TRUE(WIFSIGNALED(status)) TH_LOG("call %d", what);
	}
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(PAGES * self->page, self->held->ret);
	EXPECT_AT(0, self->held->data, self->held->ret);
	EXPECT_REST(self->held->ret);
}

TEST_F(slow, the_next_read_goes_on_behind_it)
{
	pid_t pid;

	NEED_SLOW();
	ASSERT_TRUE(hold(self, READ));
	pid = waits_in(self, WAIT_READ);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(0, ends(pid));
	ASSERT_EQ(PAGES * self->page, self->held->ret);
	EXPECT_AT(0, self->held->data, self->held->ret);
	ASSERT_EQ(100, self->waited->ret);
	EXPECT_AT(self->held->ret, self->waited->data, 100);
	EXPECT_REST(self->held->ret + 100);
}

TEST_F(slow, a_seek_waits_and_then_goes_there)
{
	struct tape *t = tape_new();
	size_t i, first;
	pid_t pid;

	NEED_SLOW();
	ASSERT_TRUE(hold(self, READ));
	pid = waits_in(self, WAIT_SEEK);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, let_go(self));
	ASSERT_EQ(0, ends(pid));
	EXPECT_EQ(0, self->waited->ret);
	EXPECT_AT(0, self->held->data, self->held->ret);
	ASSERT_EQ(0, set_nonblock(self->fd, true));
	/* The frame read partly is completed; then all frames come again. */
	tape_feed(t, self->held->data, self->held->ret);
	first = t->nev;
	EXPECT_LT(0, tape_drain(t, self->fd));
	ASSERT_EQ(first + self->whole->nev, t->nev);
	for (i = 0; i < self->whole->nev; i++)
		ASSERT_EQ(self->whole->ev[i].ts, t->ev[first + i].ts);
	tape_free(t);
}

/* Without new events, waiters must be told when the read ends. */

static void wait_in_poll(FIXTURE_DATA(slow) *self, atomic_bool *told)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	TRY(poll(&p, 1, 0) == 0);
	*told = true;
	TRY(poll(&p, 1, -1) == 1 && p.revents & POLLIN);
}

static void wait_in_select(FIXTURE_DATA(slow) *self, atomic_bool *told)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(self->fd, &set);
	*told = true;
	TRY(select(self->fd + 1, &set, NULL, NULL, NULL) == 1);
}

/* EPOLLET reports a change once, so a missed one is missed for good. */
static void wait_in_epoll(FIXTURE_DATA(slow) *self, atomic_bool *told)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	TRY(!epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &ev));
	*told = true;
	TRY(epoll_wait(ep, &ev, 1, -1) == 1 && ev.events & EPOLLIN);
}

static void wait_after_eagain(FIXTURE_DATA(slow) *self, atomic_bool *told)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	uint8_t buf[100];
	struct iovec iov = { buf, sizeof(buf) };

	TRY(!epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &ev));
	TRY(preadv2(self->fd, &iov, 1, -1, RWF_NOWAIT) == -1 && errno == EAGAIN);
	*told = true;
	TRY(epoll_wait(ep, &ev, 1, -1) == 1 && ev.events & EPOLLIN);
}

TEST_F(slow, wakes_whoever_was_told_to_wait)
{
	static void (*const wait[])(FIXTURE_DATA(slow) *, atomic_bool *) = {
		wait_in_poll, wait_in_select, wait_in_epoll, wait_after_eagain,
	};
	const int nr = sizeof(wait) / sizeof(wait[0]);
	atomic_bool *told = (void *)self->waited->data;
	pid_t pid[sizeof(wait) / sizeof(wait[0])];
	int i;

	NEED_SLOW();
	ASSERT_TRUE(hold(self, READ));
	for (i = 0; i < nr; i++) {
		pid[i] = child();
		if (!pid[i]) {
			wait[i](self, &told[i]);
			_exit(0);
		}
	}
	for (i = 0; i < nr; i++)
		ASSERT_TRUE(UNTIL(told[i]) && UNTIL(sleeps(pid[i])));
	/* The timer of the first waiters wakes them once, which does not count. */
	dev_sleep_ms(200);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, waitpid(pid[i], NULL, WNOHANG)) TH_LOG("%d did not wait", i);
	ASSERT_EQ(0, let_go(self));
	for (i = 0; i < nr; i++)
		EXPECT_EQ(0, ends(pid[i])) TH_LOG("%d", i);
	EXPECT_AT(0, self->held->data, self->held->ret);
	EXPECT_REST(self->held->ret);
}

/* The bytes that it did not get go to the next reader. */
TEST_F(slow, a_reader_that_is_killed_takes_nothing_away)
{
	struct tape *rest = tape_new();
	size_t took;
	int status;

	NEED_SLOW();
	ASSERT_TRUE(hold(self, READ));
	ASSERT_EQ(0, kill(self->holder, SIGKILL));
	/* Linux always waits for a FUSE server that has received the request. */
	if (variant->kind == SLOW_FUSE)
		slow_go(self->mem);
	status = ends(self->holder);
	self->holder = 0;
	ASSERT_NE(-1, status);
	EXPECT_TRUE(WIFSIGNALED(status));
	rest->keep_raw = true;
	ASSERT_EQ(0, set_nonblock(self->fd, true));
	ASSERT_LT(0, tape_drain(rest, self->fd));
	ASSERT_LE(rest->nraw, self->whole->nraw);
	took = self->whole->nraw - rest->nraw;
	EXPECT_LE(self->page - 64, took);
	EXPECT_GE((variant->kind == SLOW_FUSE ? PAGES : 1) * self->page, took);
	EXPECT_AT(took, rest->raw, rest->nraw);
	tape_free(rest);
}

TEST_F(slow, the_check_is_changed_meanwhile)
{
	uint32_t check = DEVTRACE_CHECK_CRC32;
	struct tape *t = tape_new();
	size_t i;
	pid_t pid;

	NEED_SLOW();
	ASSERT_TRUE(hold(self, READ));
	pid = child();
	if (!pid) {
		TRY(!ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
		_exit(0);
	}
	ASSERT_EQ(0, ends(pid));
	ASSERT_EQ(0, let_go(self));
	EXPECT_AT(0, self->held->data, self->held->ret);
	tape_feed(t, self->held->data, self->held->ret);
	ASSERT_EQ(0, set_nonblock(self->fd, true));
	ASSERT_LT(0, tape_drain(t, self->fd));
	EXPECT_TRUE(tape_clean(t));
	ASSERT_EQ(self->whole->nev, t->nev);
	for (i = 0; i < t->nev; i++)
		ASSERT_EQ(self->whole->ev[i].ts, t->ev[i].ts);
	tape_free(t);
}

static void try_everything(FIXTURE_DATA(slow) *self)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN | POLLOUT };
	struct devtrace_stats s = { .cpu = -1 };
	uint32_t check = DEVTRACE_CHECK_CRC16;
	uint8_t buf[100];

	TRY(poll(&p, 1, 0) == 1 && p.revents == (POLLIN | POLLOUT));
	TRY(read(self->fd, buf, sizeof(buf)) == sizeof(buf));
	TRY(lseek(self->fd, 0, SEEK_END) > 0);
	TRY(!ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	TRY(!ioctl(self->fd, DEVTRACE_IOC_STATS, &s));
	TRY(write(self->fd, "line\n", 5) == 5);
	TRY(!dev_emit_mark(self->fd, DEVTRACE_T_USER, 1, 2));
	TRY(!dev_name(self->fd, DEVTRACE_T_OBJ, 0, 0, 1, "object"));
	TRY(!ioctl(self->fd, DEVTRACE_IOC_CLEAR));
	TRY(!close(self->fd));
}

/* Calls other than read(2) hold no lock while they wait for their page fault. */
static void holds_nothing(struct __test_metadata *_metadata, FIXTURE_DATA(slow) *self,
			  enum call what)
{
	pid_t pid;

	ASSERT_TRUE(hold(self, what)) TH_LOG("call %d", what);
	pid = child();
	if (!pid) {
		try_everything(self);
		_exit(0);
	}
	EXPECT_EQ(0, ends(pid)) TH_LOG("call %d", what);
	ASSERT_EQ(0, let_go(self)) TH_LOG("call %d", what);
	switch (what) {
	case WRITE:
		EXPECT_EQ(100, self->held->ret);
		break;
	case DICT:
		EXPECT_EQ(-1, self->held->ret);
		EXPECT_EQ(EINVAL, self->held->err);
		break;
	default:
		EXPECT_LE(0, self->held->ret) TH_LOG("call %d: %d", what, self->held->err);
	}
}

TEST_F(slow, write_holds_nothing)
{
	NEED_SLOW();
	holds_nothing(_metadata, self, WRITE);
}

TEST_F(slow, emitting_holds_nothing)
{
	NEED_SLOW();
	holds_nothing(_metadata, self, EMIT);
}

TEST_F(slow, naming_holds_nothing)
{
	NEED_SLOW();
	holds_nothing(_metadata, self, DICT);
}

TEST_F(slow, choosing_a_check_holds_nothing)
{
	NEED_SLOW();
	holds_nothing(_metadata, self, CHECK);
}

TEST_F(slow, asking_for_statistics_holds_nothing)
{
	NEED_SLOW();
	holds_nothing(_metadata, self, STATS);
}

TEST_F(slow, asking_for_a_lane_holds_nothing)
{
	NEED_SLOW();
	holds_nothing(_metadata, self, LANE);
}

TEST_HARNESS_MAIN
