// SPDX-License-Identifier: GPL-2.0-only
/*
 * in_device.c - inputs that are calls to the device
 *
 * A byte selects the call, the following ones its arguments: one of eight descriptors, a number
 * of bytes, a position. THREAD passes the given number of following bytes to a second thread,
 * which executes them concurrently with the same descriptors. Calls that may wait are ended by a
 * signal after some milliseconds. in_lane.c has the calls for lanes.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dev.h"
#include "in.h"
#include "in_lane.h"
#include "libc.h"
#include "nl.h"

#define FDS		8
#define MAPS		4
#define CALLS		96		/* per thread */
#define ROOM		131072
#define WAIT_NS		5000000

enum call {
	OPEN, CLOSE, READ, READV, WRITE, WRITEV, LSEEK, EMIT, DICT, CHECK, CLEAR, STATS,
	ANY_IOCTL, POLL, MMAP, MPROTECT, DUP, SPLICE, FLAGS, FORK, CONTROL, THREAD, OTHER,
	PIN, SLEEP, BURST, LANE, LANE_USE, TYPE, NCALLS
};

struct cursor {
	const uint8_t *p, *end;
	int thread;
	timer_t timer;
	bool has_timer;
};

static int fds[FDS];
static uint8_t *maps[MAPS];
static struct nl ctl[2];
static uint8_t room[ROOM];
/* end of readable and writable memory */
static uint8_t *edge;
static bool forked;

static unsigned int u8(struct cursor *c)
{
	return c->p < c->end ? *c->p++ : 0;
}

static uint64_t number(struct cursor *c, int bytes)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < bytes; i++)
		v |= (uint64_t)u8(c) << 8 * i;
	return v;
}

static int fd_of(struct cursor *c)
{
	return __atomic_load_n(&fds[u8(c) % FDS], __ATOMIC_RELAXED);
}

static void set_fd(unsigned int slot, int fd)
{
	int old = __atomic_exchange_n(&fds[slot % FDS], fd, __ATOMIC_RELAXED);

	if (old >= 0)
		close(old);
}

static size_t size_of(unsigned int b)
{
	static const size_t sizes[] = {
		0, 1, 2, 7, 20, 64, 300, 1000, 1023, 1024, 1025, 4096, 5000, 65536, ROOM,
		SIZE_MAX / 2,
	};

	return sizes[b % (sizeof(sizes) / sizeof(sizes[0]))];
}

/* Memory for a call: valid, its second half invalid, or all of it. */
static void *place(unsigned int kind, size_t n)
{
	if (n > ROOM)
		n = ROOM;
	switch (kind % 8) {
	case 5:
		return edge - (n / 2 < 4096 ? n / 2 : 4096);
	case 6:
		return (void *)16;
	case 7:
		return (void *)-4096UL;
	default:
		return room;
	}
}

static void wake(int sig)
{
}

/* From here to on(c, false), a signal comes every few milliseconds. */
static void on(struct cursor *c, bool begin)
{
	struct itimerspec t = { 0 };

	if (!c->has_timer) {
		struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2 };

		e.sigev_notify_thread_id = syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &e, &c->timer))
			abort();
		c->has_timer = true;
	}
	if (begin)
		t.it_value.tv_nsec = t.it_interval.tv_nsec = WAIT_NS;
	timer_settime(c->timer, 0, &t, NULL);
}

static void do_open(struct cursor *c)
{
	static const char *const paths[] = {
		"/dev/trace", "/dev/trace-a", "/dev/trace-b", "/dev/trace-c",
	};
	static const int modes[] = { O_RDONLY, O_RDWR, O_WRONLY, O_RDONLY };
	unsigned int slot = u8(c), how = u8(c);
	int flags = modes[how >> 2 & 3] | O_CLOEXEC;

	if (how & 0x10)
		flags |= O_TRUNC;
	if (!(how & 0x20))
		flags |= O_NONBLOCK;
	if (how & 0x40)
		flags |= O_APPEND;
	set_fd(slot, open(paths[how & 3], flags));
}

static void do_read(struct cursor *c, bool vector)
{
	int fd = fd_of(c), i, n;
	unsigned int kind = u8(c);
	size_t size = size_of(u8(c));
	struct iovec v[16];

	on(c, true);
	if (!vector) {
		(void)!read(fd, place(kind, size), size);
	} else {
		n = u8(c) % 17;
		for (i = 0; i < n; i++) {
			v[i].iov_len = size_of(u8(c));
			v[i].iov_base = place(i == n / 2 ? kind : 0, v[i].iov_len);
		}
		(void)!(kind & 0x80 ? preadv(fd, v, n, 0) : readv(fd, v, n));
	}
	on(c, false);
}

/* Text from the input, or many lines. */
static void do_write(struct cursor *c, bool vector)
{
	int fd = fd_of(c), i, n;
	unsigned int kind = u8(c);
	size_t size = u8(c), at;
	struct iovec v[16];
	uint8_t *p;

	if (size >= 0xf0) {
		size = size_of(size);
		for (at = 0; at < ROOM; at++)
			room[at] = at % 61 ? 'a' + at % 26 : '\n';
	} else {
		for (at = 0; at < size; at++)
			room[at] = u8(c);
	}
	p = place(kind, size);
	if (p != room && kind % 8 == 5)
		memcpy(p, room, edge - p);
	on(c, true);
	if (!vector) {
		(void)!write(fd, p, size);
	} else {
		n = u8(c) % 17;
		for (i = 0; i < n; i++) {
			v[i].iov_len = i == n / 2 ? size : u8(c);
			v[i].iov_base = i == n / 2 ? p : room + i;
		}
		(void)!(kind & 0x80 ? pwritev(fd, v, n, 0) : writev(fd, v, n));
	}
	on(c, false);
}

static void do_lseek(struct cursor *c)
{
	int fd = fd_of(c);
	unsigned int whence = u8(c), kind = u8(c);
	int64_t off = 0;

	switch (kind % 8) {
	case 1:
		off = -(int64_t)number(c, 4);
		break;
	case 2:
		off = dev_now() - number(c, 4);
		break;
	case 3:
		off = dev_now() + number(c, 4);
		break;
	case 4:
		off = number(c, 8);
		break;
	case 5:
		off = u8(c) & 1 ? INT64_MAX : INT64_MIN;
		break;
	case 6:
		off = number(c, 2);
		break;
	}
	syscall(SYS_lseek, fd, (long)off, whence & 0x80 ? whence : whence % 6);
	lseek64(fd, off, whence % 5);
}

static void do_emit(struct cursor *c)
{
	int fd = fd_of(c);
	unsigned int kind = u8(c);
	size_t n = u8(c), says, i;
	uint8_t *p = room;

	/* type, severity, flags, reserved, data */
	for (i = 0; i < n; i++)
		room[i] = u8(c);
	says = n;
	if (kind & 0x40)
		says = number(c, 2) & 0x3fff;
	if (kind % 8 >= 5) {
		p = place(kind, says);
		if (p < edge && p >= edge - 4096)
			memcpy(p, room, edge - p);
	}
	ioctl(fd, DEVTRACE_IOC_EMIT(says & 0x3fff), p);
}

static void do_dict(struct cursor *c)
{
	static const uint8_t kinds[] = {
		DEVTRACE_T_SIG, DEVTRACE_T_OBJ, DEVTRACE_T_FUN, DEVTRACE_T_USR, DEVTRACE_T_ENUM,
		DEVTRACE_T_IMAGE,
	};
	struct devtrace_dict d = { 0 };
	int fd = fd_of(c);
	unsigned int kind = u8(c);
	size_t n, i;

	d.kind = kind & 0x80 ? u8(c) : kinds[kind % 6];
	d.group = u8(c);
	d.value = number(c, kind & 0x40 ? 4 : 1);
	d.key = number(c, kind & 0x20 ? 8 : 1);
	d.reserved = kind & 0x10 ? u8(c) : 0;
	n = u8(c) % (sizeof(d.name) + 1);
	for (i = 0; i < n; i++)
		d.name[i] = u8(c);
	ioctl(fd, DEVTRACE_IOC_DICT, kind & 0x08 ? (void *)(edge - 20) : &d);
}

/* Register a type by name; few different names, as there is room for 4096. */
static void do_type(struct cursor *c)
{
	struct devtrace_type_name t = { 0 };
	int fd = fd_of(c);
	unsigned int kind = u8(c);

	memset(t.name, 'a' + u8(c) % 16, kind & 0x40 ? sizeof(t.name) : kind % 4);
	t.reserved = kind & 0x10;
	ioctl(fd, DEVTRACE_IOC_TYPE, kind & 0x08 ? (void *)(edge - 20) : &t);
}

static void do_stats(struct cursor *c)
{
	struct devtrace_stats s;
	int fd = fd_of(c);
	unsigned int kind;

	memset(&s, 0xaa, sizeof(s));
	s.cpu = (int8_t)u8(c);
	kind = u8(c);
	ioctl(fd, DEVTRACE_IOC_STATS, kind % 8 == 7 ? place(5, 8) : (void *)&s);
}

static void do_poll(struct cursor *c)
{
	struct pollfd p[FDS];
	unsigned int mask = u8(c), timeout = u8(c), n = 0, i;

	for (i = 0; i < FDS; i++) {
		if (mask & 1 << i) {
			p[n].fd = fds[i];
			p[n++].events = POLLIN | POLLOUT | POLLPRI;
		}
	}
	if (timeout & 0x80)
		for (i = 0; i < n; i++)
			p[i].events = POLLIN;
	poll(p, n, timeout % 8);
}

static void do_mmap(struct cursor *c)
{
	/* Including all sizes of lanes. */
	static const size_t lengths[] = { 4096, 8192, 1, 0, 65536, 1 << 20, 16384, 262144 };
	int fd = fd_of(c);
	unsigned int slot = u8(c) % MAPS, kind = u8(c), more = u8(c);
	size_t len = kind & 0x80 ? lengths[more % 8] : (size_t)getpagesize();
	int prot = PROT_READ, flags = kind & 1 ? MAP_PRIVATE : MAP_SHARED;
	uint8_t *p;

	if (kind & 2)
		prot |= PROT_WRITE;
	if (kind & 4)
		prot |= PROT_EXEC;
	if (kind & 8)
		flags |= MAP_POPULATE;
	p = mmap(NULL, len, prot, flags, fd, kind & 0x10 ? (off_t)(more >> 4) * getpagesize() : 0);
	if (p == MAP_FAILED)
		return;
	room[0] = p[more % 256];
	/* Keep at most one page in the slot; unmap what cannot be cut. */
	if (len > (size_t)getpagesize() && munmap(p + getpagesize(), len - getpagesize())) {
		munmap(p, len);
		return;
	}
	p = __atomic_exchange_n(&maps[slot], p, __ATOMIC_RELAXED);
	if (p)
		munmap(p, getpagesize());
}

static void do_mprotect(struct cursor *c)
{
	unsigned int slot = u8(c) % MAPS, kind = u8(c);
	uint8_t *p;

	/* Take it out of the slot: no other thread has it meanwhile. */
	p = __atomic_exchange_n(&maps[slot], NULL, __ATOMIC_RELAXED);
	if (!p)
		return;
	switch (kind % 4) {
	case 0:
		munmap(p, getpagesize());
		return;
	case 1:
		mprotect(p, getpagesize(), kind >> 2 & 7);
		mprotect(p, getpagesize(), PROT_READ);
		break;
	case 2:
		mremap(p, getpagesize(), 2 * getpagesize(), MREMAP_MAYMOVE);
		break;
	default:
		madvise(p, getpagesize(), kind >> 2 & 31);
		break;
	}
	p = __atomic_exchange_n(&maps[slot], p, __ATOMIC_RELAXED);
	if (p)
		munmap(p, getpagesize());
}

static void do_splice(struct cursor *c)
{
	int fd = fd_of(c), to[2];
	unsigned int kind = u8(c);
	size_t size = size_of(u8(c));

	if (pipe2(to, O_CLOEXEC | O_NONBLOCK))
		return;
	on(c, true);
	if (kind & 1) {
		(void)!write(to[1], "a line\n<1>another\nrest", 22);
		splice(to[0], NULL, fd, NULL, size, 0);
	} else {
		splice(fd, NULL, to[1], NULL, size, kind & 2 ? SPLICE_F_NONBLOCK : 0);
	}
	if (kind & 4)
		sendfile(to[1], fd, NULL, 300);
	on(c, false);
	close(to[0]);
	close(to[1]);
}

/* Another process shares the descriptors, and ends at once. */
static void do_fork(struct cursor *c)
{
	int fd = fd_of(c);
	unsigned int kind = u8(c), i;
	uint8_t lane[LANE_ARGS] = { 0 };
	pid_t pid;

	for (i = 0; i < LANE_ARGS && kind & 8; i++)
		lane[i] = u8(c);
	if (c->thread || forked)
		return;
	forked = true;
	pid = fork();
	if (!pid) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		if (kind & 1)
			(void)!write(fd, "child", 5);
		if (kind & 2)
			(void)!read(fd, room, 100);
		if (kind & 4)
			close(fd);
		if (kind & 8)
			in_lane_use(fd, lane);
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

/* Control requests: streams, states, filters, triggers. */
static void do_control(struct cursor *c)
{
	static const char *const names[] = { "trace", "a", "b", "c" };
	struct nl *nl = &ctl[c->thread];
	unsigned int kind = u8(c), v = u8(c);
	const char *name = names[kind >> 4 & 3];
	size_t nest;

	switch (kind % 12) {
	case 0:
	case 1:
		nl_begin(nl, kind % 12 ? DEVTRACE_CMD_STREAM_SET : DEVTRACE_CMD_STREAM_NEW);
		nl_put_str(nl, DEVTRACE_A_STREAM, name);
		nl_put_u64(nl, DEVTRACE_A_SIZE, 1024 << v % 7);
		break;
	case 2:
		nl_begin(nl, DEVTRACE_CMD_STREAM_DEL);
		nl_put_str(nl, DEVTRACE_A_STREAM, name);
		break;
	case 3:
		nl_begin(nl, DEVTRACE_CMD_STREAM_SET);
		nl_put_str(nl, DEVTRACE_A_STREAM, name);
		nl_put_u32(nl, DEVTRACE_A_STATE, v % 3);
		break;
	case 4:
		nl_begin(nl, DEVTRACE_CMD_STREAM_SET);
		nl_put_str(nl, DEVTRACE_A_STREAM, name);
		nl_put_u32(nl, DEVTRACE_A_WATERMARK, v % 100);
		break;
	case 5:
		nl_begin(nl, DEVTRACE_CMD_CLEAR);
		nl_put_str(nl, DEVTRACE_A_STREAM, name);
		break;
	case 6:
		nl_begin(nl, DEVTRACE_CMD_FILTER_SET);
		nl_put_str(nl, DEVTRACE_A_STREAM, name);
		nest = nl_nest(nl, DEVTRACE_A_FILTER);
		if (v & 1)
			nl_put_u32(nl, DEVTRACE_FA_SW_SEVERITY, v >> 4 & 3);
		if (v & 2)
			nl_put_u32(nl, DEVTRACE_FA_ORIGINS, DEVTRACE_ORIGIN_USER);
		if (v & 4)
			nl_put_u32(nl, DEVTRACE_FA_NOT_PIDS, getpid());
		if (v & 8)
			nl_put(nl, DEVTRACE_FA_CPUS, "\0\0\0\0", 4);
		nl_nest_end(nl, nest);
		break;
	case 7:
	case 8:
		nl_begin(nl, DEVTRACE_CMD_TRIGGER_NEW);
		nl_put_str(nl, DEVTRACE_A_TRIGGER, kind & 0x80 ? "t" : "u");
		nest = nl_nest(nl, DEVTRACE_A_WHEN);
		if (v & 0x10)
			nl_put_u32(nl, DEVTRACE_FA_SW_SEVERITY, 3);
		nl_nest_end(nl, nest);
		nl_put_u32(nl, DEVTRACE_A_ACTION, v % 4);
		if (v % 4)
			nl_put_str(nl, DEVTRACE_A_STREAM, name);
		if (v & 0x20)
			nl_put_u64(nl, DEVTRACE_A_NTH, 1 + (v >> 6));
		if (v % 4 >= DEVTRACE_ACTION_STOP && v & 0x40)
			nl_put_u64(nl, DEVTRACE_A_EVENTS, 3);
		if (v & 0x80)
			nl_put(nl, DEVTRACE_A_REARM, "\1", 1);
		break;
	case 9:
		nl_begin(nl, DEVTRACE_CMD_TRIGGER_DEL);
		nl_put_str(nl, DEVTRACE_A_TRIGGER, kind & 0x80 ? "t" : "u");
		break;
	case 10:
		nl_begin(nl, DEVTRACE_CMD_READER_GET);
		nl_dump(nl, NULL, NULL);
		return;
	default:
		nl_begin(nl, v & 1 ? DEVTRACE_CMD_DICT_GET : DEVTRACE_CMD_PROCESS_GET);
		nl_dump(nl, NULL, NULL);
		return;
	}
	nl_do(nl, NULL, NULL);
}

static void do_other(struct cursor *c)
{
	int fd = fd_of(c), v = 0;
	struct { uint8_t b[64]; } s;

	switch (u8(c) % 8) {
	case 0:
		(void)!pread(fd, room, 100, u8(c));
		break;
	case 1:
		(void)!pwrite(fd, room, 100, u8(c));
		break;
	case 2:
		fsync(fd);
		break;
	case 3:
		(void)!ftruncate(fd, u8(c));
		break;
	case 4:
		ioctl(fd, FIONREAD, &v);
		break;
	case 5:
		fcntl(fd, F_SETFL, (u8(c) & 1 ? O_NONBLOCK : 0) | (u8(c) & 1 ? O_ASYNC : 0));
		break;
	case 6:
		posix_fadvise(fd, 0, 100, u8(c) % 6);
		break;
	default:
		fcntl(fd, F_GETLK, &s);
		break;
	}
}

/* Keep the descriptor in a slot if requested: it keeps the lane too. */
static void do_lane(struct cursor *c, bool ask)
{
	int fd = fd_of(c);
	uint8_t a[LANE_ARGS];
	size_t i;

	for (i = 0; i < LANE_ARGS; i++)
		a[i] = u8(c);
	if (!ask) {
		on(c, true);
		in_lane_use(fd, a);
		on(c, false);
		return;
	}
	fd = in_lane_ask(fd, a, place(5 + a[5] % 3, sizeof(struct devtrace_lane_ask)));
	if (fd >= 0 && a[0] & 0x10)
		set_fd(a[5] >> 2, fd);
	else if (fd >= 0)
		close(fd);
}

static void calls(struct cursor *c);

static void *second(void *arg)
{
	if (in_thread)
		in_thread(true);
	calls(arg);
	if (in_thread)
		in_thread(false);
	return NULL;
}

static void call(struct cursor *c, enum call what)
{
	struct timespec ms = { 0, 1000000 };
	unsigned int i, n;
	cpu_set_t set;
	uint32_t v;
	int fd;

	switch (what) {
	case OPEN:
		do_open(c);
		break;
	case CLOSE:
		set_fd(u8(c), -1);
		break;
	case READ:
	case READV:
		do_read(c, what == READV);
		break;
	case WRITE:
	case WRITEV:
		do_write(c, what == WRITEV);
		break;
	case LSEEK:
		do_lseek(c);
		break;
	case EMIT:
		do_emit(c);
		break;
	case DICT:
	case TYPE:
		(what == DICT ? do_dict : do_type)(c);
		break;
	case CHECK:
		fd = fd_of(c);
		v = u8(c);
		ioctl(fd, DEVTRACE_IOC_CHECK, v & 0x80 ? (void *)(edge - 2) : &v);
		break;
	case CLEAR:
		ioctl(fd_of(c), DEVTRACE_IOC_CLEAR);
		break;
	case STATS:
		do_stats(c);
		break;
	case ANY_IOCTL:
		fd = fd_of(c);
		v = number(c, 4);
		ioctl(fd, v & 1 ? v : (v & 0xffff00ff) | DEVTRACE_IOC_MAGIC << 8, room);
		break;
	case POLL:
		do_poll(c);
		break;
	case MMAP:
		do_mmap(c);
		break;
	case MPROTECT:
		do_mprotect(c);
		break;
	case DUP:
		fd = fcntl(fd_of(c), F_DUPFD_CLOEXEC, 0);
		set_fd(u8(c), fd);
		break;
	case SPLICE:
		do_splice(c);
		break;
	case FLAGS:
		fd = fd_of(c);
		fcntl(fd, F_SETFL, u8(c) & 1 ? O_NONBLOCK : 0);
		break;
	case FORK:
		do_fork(c);
		break;
	case CONTROL:
		do_control(c);
		break;
	case PIN:
		CPU_ZERO(&set);
		CPU_SET(u8(c) % 2, &set);
		sched_setaffinity(0, sizeof(set), &set);
		break;
	case SLEEP:
		nanosleep(&ms, NULL);
		break;
	case BURST:
		fd = fd_of(c);
		n = u8(c);
		for (i = 0; i < n; i++)
			dev_emit_numbered(fd, 3 << 16, i, n, 3);
		break;
	case LANE:
	case LANE_USE:
		do_lane(c, what == LANE);
		break;
	default:
		do_other(c);
		break;
	}
}

static void calls(struct cursor *c)
{
	struct cursor other = { .thread = 1 };
	pthread_t thread;
	bool split = false;
	int i;

	for (i = 0; i < CALLS && c->p < c->end; i++) {
		enum call what = u8(c) % NCALLS;
		size_t n;

		if (what != THREAD) {
			call(c, what);
			continue;
		}
		n = u8(c);
		if (n > (size_t)(c->end - c->p))
			n = c->end - c->p;
		if (!c->thread && !split) {
			other.p = c->p;
			other.end = c->p + n;
			split = !pthread_create(&thread, NULL, second, &other);
		}
		c->p += n;
	}
	if (split)
		pthread_join(thread, NULL);
	if (c->has_timer)
		timer_delete(c->timer);
	c->has_timer = false;
}

static void begin(void)
{
	struct sigaction sa = { .sa_handler = wake };
	long page = getpagesize();
	int i;

	if (edge)
		return;
	edge = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (edge == MAP_FAILED || nl_open(&ctl[0]) || nl_open(&ctl[1])) {
		perror("# in_device");
		exit(1);
	}
	edge += 2 * page;
	mprotect(edge, page, PROT_NONE);
	sigaction(SIGUSR2, &sa, NULL);
	for (i = 0; i < FDS; i++)
		fds[i] = -1;
}

static void run(const uint8_t *p, size_t n)
{
	struct cursor c = { .p = p, .end = p + n };
	int i;

	begin();
	forked = false;
	calls(&c);
	for (i = 0; i < FDS; i++)
		set_fd(i, -1);
	for (i = 0; i < MAPS; i++) {
		if (maps[i])
			munmap(maps[i], getpagesize());
		maps[i] = NULL;
	}
	in_lane_end();
	dev_pin(-1);
}

/* Random calls with arguments; most have an open descriptor. */
static size_t some_calls(uint8_t *p, unsigned int calls)
{
	size_t n = 0, i, args;

	while (calls--) {
		p[n++] = in_random() % 4 ? in_random() % NCALLS : EMIT;
		p[n++] = in_random() % 3;
		args = in_random() % 24;
		for (i = 0; i < args; i++)
			p[n++] = in_random() % 3 ? in_random() % 8 : in_random();
	}
	return n;
}

static size_t generate(uint8_t *p)
{
	size_t n = 0, i;

	for (i = 0; i < 3; i++) {
		p[n++] = OPEN;
		p[n++] = i;
		p[n++] = in_random() % 3 | (i ? 4 : 0) | (in_random() % 4 ? 0 : in_random() % 128);
	}
	return n + some_calls(p + n, 4 + in_random() % 20);
}

static size_t mutate(uint8_t *p, size_t n)
{
	uint8_t more[256];
	size_t len, at;

	if (in_random() % 4)
		return in_havoc(p, n);
	len = some_calls(more, 1 + in_random() % 4);
	if (len > IN_MAX - n)
		return in_havoc(p, n);
	at = in_random() % (n + 1);
	memmove(p + at + len, p + at, n - at);
	memcpy(p + at, more, len);
	return n + len;
}

const struct in_target in_device = {
	.name = "device", .corpus = "corpus-dev", .run = run, .generate = generate, .mutate = mutate,
};
