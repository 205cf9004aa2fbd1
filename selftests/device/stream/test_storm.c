// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_storm.c - all hostile actions at once
 *
 * Two unprivileged users of the device's group do everything they can: they make lanes, fill
 * them with garbage, and leave them by close, fork, exec and SIGKILL; they emit invalid events;
 * they read with read(2), preadv2(2), poll(2), epoll(7), lseek(2) and io_uring(7) into valid and
 * invalid memory, two processes through one descriptor; they change their names. Meanwhile root
 * resizes, stops, freezes, filters and clears, adds and removes streams and triggers, sets the
 * clock, changes the clocksource, switches CPUs off and on, and kills processes at random
 * (storm.c).
 *
 * With STORM_PROFILE, set in test_storm_profile.c, kernel profile events are switched too.
 *
 * This lasts DEVICE_SECONDS, and until each action was done. Then each process can be killed,
 * counters are consistent, readers find no damage, and the module can be unloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "libc.h"
#include "storm.h"
#include "uring.h"

#define GROUP		4321
#define USER		1234		/* and the next one */
#define TYPE		DEVTRACE_T_USER
#define SLOTS		12		/* processes that the test starts; some fork */
#define LANES		6		/* per process, at a time */
#define ROOM		65536
#define PATIENCE	300		/* more time for a slow machine, s */

#ifdef STORM_PROFILE
static const bool with_profile = true;
#else
static const bool with_profile;
#endif

static struct shared {
	_Atomic uint64_t	done[DEEDS];
	atomic_int		no_uring;	/* errno of io_uring_setup(2) */
	atomic_bool		making[SLOTS];	/* the process is making an io_uring */
	atomic_bool		switching;	/* a CPU goes or comes */
} *sh;
static int place;		/* slot of this process */

void did(enum deed d)
{
	atomic_fetch_add_explicit(&sh->done[d], 1, memory_order_relaxed);
}

/*
 * Linux 6.1 notifies an io_uring about a new CPU before it is fully set up, and oopses.
 * Therefore none is made meanwhile. A process killed while it makes one counts until its slot is
 * reused.
 */
bool may_switch(void)
{
	int i;

	sh->switching = true;
	/* Pairs with make_uring(): at least one of both sees the other. */
	for (i = 0; i < SLOTS; i++)
		if (sh->making[i]) {
			sh->switching = false;
			return false;
		}
	return true;
}

void switched(void)
{
	sh->switching = false;
}

static int make_uring(struct uring *u)
{
	int err;

	for (;;) {
		sh->making[place] = true;
		if (!sh->switching)
			break;
		sh->making[place] = false;
		dev_sleep_ms(1);
	}
	err = uring_open(u);
	sh->making[place] = false;
	return err;
}

static uint64_t random64(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 64, 4096, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0xffffffff, 1ULL << 32,
		1ULL << 62, 1ULL << 63, ~0ULL,
	};

	if (chance(2))
		return odd[dev_random() % ARRAY_SIZE(odd)] + dev_random() % 3 - 1;
	return (uint64_t)dev_random() << 33 ^ dev_random();
}

/* Emitters */

static void garbage(struct lane *l)
{
	uint8_t *all = l->blocks;
	uint64_t v = random64();
	size_t i, at;

	switch (dev_random() % 4) {
	case 0:		/* a field of the lane's head, or of a block */
		at = (dev_random() % l->nr) * DEVTRACE_LANE_BLOCK + dev_random() % 56;
		break;
	case 1:		/* anywhere */
		at = dev_random() % (l->bytes - sizeof(v));
		break;
	case 2:		/* all of a block except its header */
		at = (dev_random() % l->nr) * DEVTRACE_LANE_BLOCK;
		for (i = 64; i < DEVTRACE_LANE_BLOCK; i++)
			all[at + i] = dev_random();
		return;
	default:	/* the number of the open block */
		l->head->open = random64();
		return;
	}
	memcpy(all + at, &v, chance(2) ? sizeof(v) : 2);
}

static void exec_now(void)
{
	did(EXECED);
	execl("/bin/sh", "sh", "-c", ":", NULL);
	_exit(1);
}

static void write_lane(struct lane *l, int fd)
{
	int i;

	/* The writer keeps its own numbers: garbage does not affect it. */
	for (i = dev_random() % 600; i--;) {
		if (chance(100))
			lane_emit_at(l, random64(), TYPE, "when?", 5);
		lane_mark(l, TYPE, 1, i);
		if (chance(50)) {
			garbage(l);
			did(GARBAGE);
		}
	}
	if (chance(3))
		ioctl(fd, DEVTRACE_IOC_HAND, chance(2) ? l->head->source : random64());
}

static void with_lanes(void)
{
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC), n = 0, i;
	struct lane l[LANES];
	pid_t pid;

	for (; n < LANES && !lane_open(&l[n], fd, DEVTRACE_LANE_MIN << dev_random() % 3); n++)
		did(LANE);
	for (i = dev_random() % 40; n && i--;) {
		write_lane(&l[dev_random() % n], fd);
		if (chance(20)) {
			pid = fork();
			if (!pid) {
				did(FORKED);
				/* It has its parent's lanes, but not their memory. */
				garbage(&l[0]);
				exec_now();
			}
			if (chance(2))
				waitpid(pid, NULL, 0);
		}
		if (chance(40))
			exec_now();
		if (chance(10)) {
			lane_close(&l[--n]);
			did(CLOSED);
		}
	}
	if (chance(2))
		kill(getpid(), SIGKILL);
	close(fd);
}

static void rename_self(void)
{
	char name[16] = "";
	int i;

	for (i = 0; i < 15; i++)
		name[i] = 1 + dev_random() % 255;
	if (!prctl(PR_SET_NAME, name))
		did(RENAMED);
}

static void emit(void)
{
	static union {
		struct devtrace_emit	e;
		struct devtrace_dict	d;
		uint8_t			room[4096];
	} u;
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC), i, k;
	char name[32];

	for (i = 0; i < 3000; i++) {
		switch (dev_random() % 6) {
		case 0:
			rename_self();
			break;
		case 1:
			for (k = 0; k < 64; k++)
				u.room[k] = dev_random();
			ioctl(fd, DEVTRACE_IOC_EMIT(dev_random() % 4096), chance(20) ? NULL : &u);
			break;
		case 2:
			snprintf(name, sizeof(name), "name %u", dev_random() % 500);
			if (!dev_name(fd, chance(4) ? dev_random() : DEVTRACE_T_SIG, chance(9),
				      dev_random() % 500, dev_random() % 500, name))
				did(NAMED);
			break;
		case 3:
			ioctl(fd, _IOC(dev_random() % 4, DEVTRACE_IOC_MAGIC, dev_random() % 12,
				       dev_random() % 256), chance(2) ? (void *)8 : &u);
			break;
		case 4:
			if (write(fd, u.room, dev_random() % sizeof(u)) > 0)
				did(EMITTED);
			break;
		default:
			if (!dev_emit_mark(fd, TYPE + dev_random() % 4, 2, i))
				did(EMITTED);
		}
	}
	close(fd);
}

/* Readers */

/* Memory whose second half is missing. */
static uint8_t *bad_memory(void)
{
	uint8_t *p = mmap(NULL, 2 * ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, ROOM, PROT_READ | PROT_WRITE))
		_exit(1);
	return p;
}

/* An address in the first half, or close to its end, or an invalid one. */
static void *somewhere(uint8_t *p)
{
	return chance(50) ? (void *)8 : p + (chance(3) ? ROOM - dev_random() % 4096 :
					   dev_random() % 4096);
}

static int open_reader(void)
{
	return open(chance(4) ? SIDE_PATH : DEV_PATH,
		    (chance(4) ? O_RDWR : O_RDONLY) | (chance(2) ? O_NONBLOCK : 0) | O_CLOEXEC);
}

static void use_epoll(int ep, int fd)
{
	struct epoll_event e = { .events = EPOLLIN | (chance(2) ? EPOLLET : 0) };

	if (chance(4))
		epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL);
	epoll_ctl(ep, chance(3) ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
	epoll_wait(ep, &e, 1, dev_random() % 10);
	did(EPOLLED);
}

static void seek(int fd)
{
	const int w = dev_random() % 6;		/* 5 is none */
	off_t to = chance(2) ? 0 : random64();

	if (w == SEEK_SET && chance(2))
		to = dev_now() - dev_random() % NSEC;
	if (w == SEEK_END && chance(2))
		to = -(off_t)(dev_random() % NSEC);
	if (lseek(fd, to, w) >= 0)
		did(SOUGHT);
}

static void read_any(void)
{
	int fd = open_reader(), ep = epoll_create1(EPOLL_CLOEXEC), i;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t *mem = bad_memory();
	struct iovec v[2];
	uint32_t check;

	/* Two processes with one descriptor */
	if (chance(3) && !fork())
		dev_random_as(dev_random());
	for (i = 0; i < 2000; i++) {
		switch (dev_random() % 6) {
		case 0:
			if (read(fd, somewhere(mem), dev_random() % ROOM) > 0)
				did(READ);
			break;
		case 1:
			v[0] = (struct iovec){ somewhere(mem), dev_random() % 8192 };
			v[1] = (struct iovec){ somewhere(mem), dev_random() % 8192 };
			if (preadv2(fd, v, 2, -1, RWF_NOWAIT) >= 0 || errno == EAGAIN)
				did(NOWAIT);
			break;
		case 2:
			poll(&p, 1, dev_random() % 10);
			did(POLLED);
			break;
		case 3:
			use_epoll(ep, fd);
			break;
		case 4:
			seek(fd);
			break;
		default:
			check = dev_random() % 4;
			ioctl(fd, DEVTRACE_IOC_CHECK, chance(9) ? NULL : &check);
		}
	}
	_exit(0);
}

/* With io_uring(7) */

static void ask(struct uring *u, int fd, uint8_t *mem)
{
	struct io_uring_sqe *e = uring_next(u);

	e->fd = fd;
	switch (dev_random() % 5) {
	case 0:
		e->opcode = IORING_OP_POLL_ADD;
		e->poll32_events = POLLIN;
		e->user_data = URING_POLL;
		break;
	case 1:
		e->opcode = IORING_OP_ASYNC_CANCEL;
		e->addr = chance(2) ? URING_READ : URING_POLL;
		e->user_data = DEEDS;
		break;
	default:
		e->opcode = IORING_OP_READ;
		e->flags = chance(4) * IOSQE_ASYNC;
		e->addr = (uintptr_t)somewhere(mem);
		e->len = dev_random() % ROOM;
		e->off = -1;
		e->rw_flags = chance(4) ? RWF_NOWAIT : 0;
		e->user_data = URING_READ;
	}
}

/* user_data is the action. */
static void note_answer(uint64_t what, int32_t res)
{
	if (res >= 0 && what < DEEDS)
		did(what);
}

static void read_by_uring(void)
{
	uint8_t *mem = bad_memory();
	int i, k, n, fd[3];
	struct uring u;

	if (make_uring(&u)) {
		sh->no_uring = errno;
		read_any();
	}
	for (i = 0; i < 3; i++)
		fd[i] = open_reader();
	for (i = 0; i < 500; i++) {
		n = 1 + dev_random() % URING_ENTRIES;
		for (k = 0; k < n; k++)
			ask(&u, fd[dev_random() % 3], mem);
		/* The kernel ends pending requests when this process exits. */
		uring_enter(&u, n, chance(3));
		uring_take(&u, note_answer);
		k = dev_random() % 3;
		if (chance(20))
			seek(fd[k]);
		if (chance(20)) {
			close(fd[k]);
			fd[k] = open_reader();
		}
	}
}

struct slot {
	pid_t pid;
	void (*fn)(void);
};

FIXTURE(storm) {
	struct slot	slot[SLOTS];
	uint32_t	born;
	struct tape	*t;
	int		rfd;
};

static int start(FIXTURE_DATA(storm) *self, struct slot *s)
{
	const uid_t uid = USER + dev_random() % 2;
	const gid_t group = GROUP;

	self->born++;
	place = s - self->slot;
	sh->making[place] = false;
	s->pid = fork();
	if (s->pid < 0)
		return -1;
	if (!s->pid) {
		setpgid(0, 0);
		dev_random_as(self->born);
		setpriority(PRIO_PROCESS, 0, 0);
		if (setgroups(1, &group) || setresgid(uid, uid, uid) ||
		    setresuid(uid, uid, uid) || prctl(PR_SET_PDEATHSIG, SIGKILL))
			_exit(1);
		close(self->rfd);	/* root's */
		close(root.nl.fd);
		s->fn();
		_exit(0);
	}
	return setpgid(s->pid, s->pid) && errno != EACCES && errno != ESRCH;
}

/* Restart ended processes; kill one now and then. */
static int renew(FIXTURE_DATA(storm) *self)
{
	int i = dev_random() % SLOTS;
	pid_t pid;

	if (chance(4)) {
		kill(-self->slot[i].pid, SIGKILL);
		did(KILLED);
	}
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (i = 0; i < SLOTS; i++) {
			if (self->slot[i].pid != pid)
				continue;
			/* and its children */
			kill(-pid, SIGKILL);
			if (start(self, &self->slot[i]))
				return -1;
		}
	return 0;
}

/* 0 when none is left. Orphans of killed processes are our children too. */
static int end_all(FIXTURE_DATA(storm) *self)
{
	const uint64_t end = dev_now() + PATIENCE * NSEC;
	pid_t pid;
	int i;

	do {
		for (i = 0; i < SLOTS; i++)
			if (self->slot[i].pid)
				kill(-self->slot[i].pid, SIGKILL);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return 0;
		dev_sleep_ms(10);
	} while (dev_now() < end);
	return -1;
}

FIXTURE_SETUP(storm)
{
	static void (*const fn[])(void) = { with_lanes, with_lanes, emit, read_any, read_any,
					    read_by_uring };
	unsigned int i;

	dev_seed();
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, sh);
	ASSERT_EQ(0, dev_load("size=64K mode=0660 gid=4321"));
	ASSERT_EQ(0, root_begin(with_profile));
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	self->t = tape_new();
	/*
	 * We adopt orphans of killed processes. Root needs its turn, but at -20 it would
	 * outweigh others by 87: a kernel thread charged with 240 ms that the host took from the
	 * CPU would wait for 20 s.
	 */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -10));
	for (i = 0; i < SLOTS; i++)
		self->slot[i].fn = fn[i % ARRAY_SIZE(fn)];
}

FIXTURE_TEARDOWN(storm)
{
	end_all(self);
	root_restore();
	tape_free(self->t);
	close(self->rfd);
	nl_close(&root.nl);
	EXPECT_EQ(0, dev_done());
}

/* An action that is possible here but was not done yet, or DEEDS. */
static enum deed undone(void)
{
	enum deed d;

	for (d = 0; d < DEEDS; d++)
		if (!sh->done[d] && root_can(d) &&
		    ((d != URING_READ && d != URING_POLL) || !sh->no_uring))
			break;
	return d;
}

static uint64_t dropped(const struct devtrace_stats *st)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		n += st->dropped[i];
	return n;
}

/* The counters of CPUs, lanes, and totals are consistent. */
static void counters_agree(struct __test_metadata *_metadata)
{
	struct devtrace_stats st, all;
	uint64_t emitted = 0;
	int cpu;

	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &all));
	for (cpu = DEVTRACE_STATS_LANES; cpu < (int)all.nr_cpus; cpu++) {
		/* A number may have no CPU. */
		if (dev_stats(cpu, &st)) {
			EXPECT_LE(0, cpu);
			continue;
		}
		EXPECT_EQ(st.emitted, st.stored + st.filtered + dropped(&st)) TH_LOG("CPU %d", cpu);
		EXPECT_LE(st.overwritten, st.stored) TH_LOG("CPU %d", cpu);
		EXPECT_LE(st.used, st.size) TH_LOG("CPU %d", cpu);
		emitted += cpu == DEVTRACE_STATS_ALL ? 0 : st.emitted;
	}
	EXPECT_EQ(all.emitted, emitted);
	dev_say("%llu events: %llu stored, %llu overwritten, %llu filtered, %llu dropped",
		(unsigned long long)all.emitted, (unsigned long long)all.stored,
		(unsigned long long)all.overwritten, (unsigned long long)all.filtered,
		(unsigned long long)dropped(&all));
}

#define MARKS	20

/* A new reader gets what is there, and then new events. */
static void all_is_well(struct __test_metadata *_metadata)
{
	int fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC), i;
	struct tape *t = tape_all(ROOM);
	struct lane l;

	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	tape_free(t);
	ASSERT_EQ(0, root_clear());
	ASSERT_EQ(0, lane_open(&l, fd, 0));
	for (i = 0; i < MARKS; i += 2) {
		lane_mark(&l, TYPE, 7, i);
		ASSERT_EQ(0, dev_emit_mark(fd, TYPE, 7, i + 1));
	}
	t = tape_all(ROOM);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	ASSERT_EQ(MARKS, t->nev);
	for (i = 0; i < MARKS; i++) {
		EXPECT_EQ(7, t->ev[i].tag);
		EXPECT_EQ(i, t->ev[i].nr);
	}
	tape_free(t);
	lane_close(&l);
	close(fd);
}

TEST_F_TIMEOUT(storm, everything_at_once, 2000)
{
	const char *s = getenv("DEVICE_SECONDS");
	const uint64_t end = dev_now() + (s ? atoi(s) : 10) * NSEC;
	const uint64_t patience = end + PATIENCE * NSEC;
	int i;

	for (i = 0; i < SLOTS; i++)
		ASSERT_EQ(0, start(self, &self->slot[i]));
	while (_metadata->passed && (dev_now() < end ||
				     (undone() != DEEDS && dev_now() < patience))) {
		EXPECT_EQ(0, administrate()) TH_LOG("%s", root.nl.why);
		EXPECT_EQ(0, renew(self));
		EXPECT_LE(0, tape_some(self->t, self->rfd, 4 * ROOM));
		self->t->nev = 0;
		self->t->ndata = 0;
	}
	/* All processes can be killed, wherever they wait. */
	ASSERT_EQ(0, end_all(self));
	root_restore();
	for (i = 0; i < DEEDS; i++)
		dev_say("%llu %s", (unsigned long long)sh->done[i], deeds[i]);
	if (sh->no_uring)
		dev_say("no io_uring here: %s", strerror(sh->no_uring));
	EXPECT_EQ(DEEDS, undone());
	EXPECT_EQ(0, root_end()) TH_LOG("%s", root.nl.why);
	EXPECT_LE(0, tape_drain(self->t, self->rfd));
	EXPECT_TRUE(tape_clean(self->t));
	counters_agree(_metadata);
	all_is_well(_metadata);
	close(self->rfd);
	self->rfd = -1;
	EXPECT_EQ(0, dev_unload());
}

TEST_HARNESS_MAIN
