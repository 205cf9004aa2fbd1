// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stall.c - a reader that gets no CPU does not block others
 *
 * Readers of the lowest priority, and readers in a cgroup with an exhausted quota, lose the CPU
 * at any point to busy programs. Meanwhile root, with the highest priority, makes the same and
 * other calls. Their total time does not matter. The test measures the time in which the caller
 * slept, neither running nor waiting for a CPU, minus the time in which the virtual machine got
 * no CPU of its host. A caller that waits for none of the readers does not sleep.
 *
 * The kernel may wait for RCU grace periods on behalf of a call, and for its own threads behind
 * the busy programs: a resize frees memory, a stream has a device, and CPU hotplug waits for
 * many things. A resize and a new stream are compared with membarrier(2), which waits for one
 * grace period; for CPU hotplug, tracepoints measure the module's part.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/membarrier.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define MSEC		1000000ULL
#define BOUND_NS	(50 * MSEC)
#define GRACES		2		/* RCU grace periods that one command may wait for */
#define TICK_NS		(2 * MSEC)
#define HOGS		4		/* per CPU */
#define READERS		4		/* of each kind */
#define CHILDREN	64
#define STIR		10		/* tries until the hogs pause again */
#define RARE		25		/* in this many tries, one of a slow call */
#define TRACEFS		"/tmp/test_stall_trace"
#define CGROUPS		"/tmp/test_stall"
#define CGROUP		CGROUPS "/throttled"

/* Per CPU: number of readings of the clock, and the total delay. */
struct watch {
	_Atomic uint64_t ticks, away;
};

struct shared {
	atomic_bool pause;
	struct watch watch[DEV_CPUS];
};

FIXTURE(stall) {
	int schedstat, rfd, shared, n, cpu[DEV_CPUS], children, rounds, no_cgroup;
	struct shared *sh;
	pid_t child[CHILDREN], watcher[DEV_CPUS];
	struct nl nl;
	bool mounted, traced;
};

/* Measurement */

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec;
}

/* Time that this thread has waited for a CPU. */
static uint64_t run_delay(int schedstat)
{
	unsigned long long ran, waited;
	char buf[100] = "";

	if (pread(schedstat, buf, sizeof(buf) - 1, 0) <= 0 ||
	    sscanf(buf, "%llu %llu", &ran, &waited) != 2)
		abort();
	return waited;
}

struct span {
	uint64_t wall, ran, delayed;
};

static struct span span_begin(int schedstat)
{
	struct span s;

	s.delayed = schedstat < 0 ? 0 : run_delay(schedstat);
	s.ran = now(CLOCK_THREAD_CPUTIME_ID);
	s.wall = now(CLOCK_MONOTONIC);
	return s;
}

/* Time that it slept since then; 0 if unknown: the test then measures nothing. */
static uint64_t span_end(int schedstat, const struct span *s)
{
	uint64_t wall, awake;

	if (schedstat < 0)
		return 0;
	wall = now(CLOCK_MONOTONIC) - s->wall;
	awake = now(CLOCK_THREAD_CPUTIME_ID) - s->ran + run_delay(schedstat) - s->delayed;
	return wall > awake ? wall - awake : 0;
}

/* The load */

static void pin(int cpu)
{
	if (dev_pin(cpu))
		_exit(1);
}

/* The function of musl always fails: it says that its threads are not what POSIX means. */
static void schedule(int policy, int priority)
{
	const struct sched_param p = { .sched_priority = priority };

	if (syscall(SYS_sched_setscheduler, 0, policy, &p))
		_exit(1);
}

/* Emits, so that readers have data, and never yields the CPU. */
static void hog(const struct shared *sh)
{
	int fd = open(DEV_PATH, O_WRONLY), i;
	volatile unsigned int n = 0;

	for (i = 0; ; i++) {
		if (atomic_load(&sh->pause)) {
			dev_sleep_ms(5);
			continue;
		}
		if (!(i & 255))
			dev_emit_mark(fd, DEVTRACE_T_USER, 1, i);
		while (++n & 1023)
			;
	}
}

/* Makes all calls of a reader; with @shared also through a shared descriptor. */
static void read_on(int shared)
{
	static char buf[32768];
	struct pollfd p = { .events = POLLIN };
	int i, fd;

	for (;;) {
		fd = shared >= 0 ? dup(shared) : open(DEV_PATH, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			continue;
		p.fd = fd;
		for (i = 0; i < 8; i++) {
			while (read(fd, buf, sizeof(buf)) > 0)
				;
			poll(&p, 1, 0);
			lseek(fd, -(off_t)(dev_random() % NSEC) - 1, SEEK_END);
			read(fd, buf, sizeof(buf));
			lseek(fd, 0, SEEK_SET);
		}
		close(fd);
	}
}

static void make_lanes(void)
{
	int fd = open(DEV_PATH, O_WRONLY), n, i;
	struct lane l[8];

	for (;;) {
		for (n = 0; n < 8 && !lane_open(&l[n], fd, DEVTRACE_LANE_MIN); n++)
			for (i = 0; i < 50; i++)
				lane_mark(&l[n], DEVTRACE_T_USER, 2, i);
		while (n--)
			lane_close(&l[n]);
	}
}

/* A process that lives until it is killed. */
static pid_t child(FIXTURE_DATA(stall) *self)
{
	pid_t pid = self->children < CHILDREN ? fork() : -1;

	if (pid > 0)
		self->child[self->children++] = pid;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpriority(PRIO_PROCESS, 0, 0);
		dev_random_as(self->children + 1);
	}
	return pid;
}

/*
 * Runs at the highest priority: without a CPU for it, none on that CPU has one. It is also
 * delayed while interrupts are off.
 */
static void watch(struct watch *w)
{
	uint64_t next, late;
	struct timespec ts;

	schedule(SCHED_FIFO, 99);
	for (next = now(CLOCK_MONOTONIC);;) {
		next += TICK_NS;
		ts = (struct timespec){ next / NSEC, next % NSEC };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		late = now(CLOCK_MONOTONIC) - next;
		if (late > TICK_NS) {
			atomic_fetch_add(&w->away, late);
			next += late;
		}
		atomic_fetch_add(&w->ticks, 1);
	}
}

static void start_watch(FIXTURE_DATA(stall) *self)
{
	int i;

	for (i = 0; i < self->n; i++) {
		self->watcher[i] = child(self);
		if (!self->watcher[i]) {
			pin(self->cpu[i]);
			watch(&self->sh->watch[i]);
		}
	}
}

/*
 * Before 5.11, a CPU that goes offline may pull a SCHED_FIFO thread from another CPU ("WARNING:
 * ... set_task_cpu", in pull_rt_task), which then never runs.
 */
static void no_watch_where_cpus_go(FIXTURE_DATA(stall) *self)
{
	pid_t *pid = &self->watcher[self->n - 1];

	if (dev_kernel_before(5, 11) && *pid > 0) {
		kill(*pid, SIGKILL);
		*pid = 0;
	}
}

/* Wait until all watchers have run. */
static void look_again(FIXTURE_DATA(stall) *self)
{
	uint64_t ticks;
	int i;

	for (i = 0; i < self->n; i++) {
		ticks = atomic_load(&self->sh->watch[i].ticks);
		while (self->watcher[i] > 0 &&
		       atomic_load(&self->sh->watch[i].ticks) < ticks + 2)
			dev_sleep_ms(1);
	}
}

/* Sum of the delays of all CPUs, which is the worst case. */
static uint64_t away(FIXTURE_DATA(stall) *self)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < self->n; i++)
		sum += atomic_load(&self->sh->watch[i].away);
	return sum;
}

static void start_hogs(FIXTURE_DATA(stall) *self)
{
	int i;

	for (i = 0; i < HOGS * self->n; i++)
		if (!child(self)) {
			pin(self->cpu[i % self->n]);
			hog(self->sh);
		}
}

static void start_readers(FIXTURE_DATA(stall) *self)
{
	int i;

	for (i = 0; i < READERS; i++)
		if (!child(self)) {
			schedule(SCHED_IDLE, 0);
			read_on(i ? -1 : self->shared);
		}
	if (!child(self)) {
		schedule(SCHED_IDLE, 0);
		make_lanes();
	}
}

/* Make a cgroup with a fiftieth of a CPU. */
static int make_cgroup(FIXTURE_DATA(stall) *self)
{
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL))
		return -1;
	self->mounted = true;
	if (dev_write_file(CGROUPS "/cgroup.subtree_control", "+cpu") ||
	    (mkdir(CGROUP, 0755) && errno != EEXIST))
		return -1;
	return dev_write_file(CGROUP "/cpu.max", "20000 1000000");
}

static int start_throttled(FIXTURE_DATA(stall) *self)
{
	char pid[20];
	int i;

	errno = self->no_cgroup;
	if (errno)
		return -1;
	for (i = 0; i < READERS + 1; i++) {
		if (child(self))
			continue;
		snprintf(pid, sizeof(pid), "%d", getpid());
		if (dev_write_file(CGROUP "/cgroup.procs", pid))
			_exit(1);
		if (i)
			read_on(i > 1 ? -1 : self->shared);
		make_lanes();
	}
	return 0;
}

FIXTURE_SETUP(stall)
{
	const char *rounds = getenv("DEVICE_ROUNDS");

	dev_seed();
	self->rounds = rounds ? atoi(rounds) : 1000;
	self->n = dev_online(self->cpu);
	self->sh = mmap(NULL, sizeof(*self->sh), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->sh);
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&self->nl));
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->rfd);
	self->shared = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->shared);
	self->schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, -20));
	/*
	 * The kernel patches its scheduler at the first quota. Without KVM, QEMU may execute
	 * half of a patch if another CPU is busy in that code: no CPU is yet.
	 */
	self->no_cgroup = make_cgroup(self) ? errno ?: EIO : 0;
	if (self->schedstat >= 0)
		start_watch(self);
}

static void end_children(FIXTURE_DATA(stall) *self)
{
	int i;

	for (i = 0; i < self->children; i++)
		kill(self->child[i], SIGKILL);
	for (i = 0; i < self->children; i++)
		waitpid(self->child[i], NULL, 0);
	self->children = 0;
}

FIXTURE_TEARDOWN(stall)
{
	end_children(self);
	setpriority(PRIO_PROCESS, 0, 0);
	close(self->schedstat);
	close(self->rfd);
	close(self->shared);
	nl_close(&self->nl);
	if (self->mounted) {
		rmdir(CGROUP);
		umount2(CGROUPS, MNT_DETACH);
	}
	rmdir(CGROUPS);
	if (self->traced) {
		dev_write_file(TRACEFS "/events/cpuhp/enable", "0");
		umount2(TRACEFS, MNT_DETACH);
	}
	rmdir(TRACEFS);
	EXPECT_EQ(0, dev_done());
}

/* The load ran all the same, which kasan and kcsan check. */
#define SKIP_UNMEASURED() do {							\
	if (self->schedstat < 0)						\
		SKIP(return, "this kernel has no schedstat: nothing was measured");	\
} while (0)

/* Calls of other processes. Each returns 0 or an error. */

static int read_some(int fd)
{
	static char buf[4096];

	return read(fd, buf, sizeof(buf)) < 0 && errno != EAGAIN ? errno : 0;
}

static int do_read(FIXTURE_DATA(stall) *self)
{
	return read_some(self->rfd);
}

/* Besides one of the readers, each call of which may have lost its CPU. */
static int do_read_shared(FIXTURE_DATA(stall) *self)
{
	return read_some(self->shared);
}

static int do_open(FIXTURE_DATA(stall) *self)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int dump(FIXTURE_DATA(stall) *self, int cmd)
{
	nl_begin(&self->nl, cmd);
	return nl_dump(&self->nl, NULL, NULL);
}

static int do_dump(FIXTURE_DATA(stall) *self)
{
	return dump(self, DEVTRACE_CMD_STATS_GET) ?: dump(self, DEVTRACE_CMD_READER_GET) ?:
	       dump(self, DEVTRACE_CMD_LANE_GET) ?: dump(self, DEVTRACE_CMD_STREAM_GET);
}

static int do_clear(FIXTURE_DATA(stall) *self)
{
	nl_begin(&self->nl, DEVTRACE_CMD_CLEAR);
	nl_put_str(&self->nl, DEVTRACE_A_STREAM, "trace");
	return nl_do(&self->nl, NULL, NULL);
}

static int do_resize(FIXTURE_DATA(stall) *self)
{
	static int turn;

	nl_begin(&self->nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&self->nl, DEVTRACE_A_STREAM, "trace");
	nl_put_u64(&self->nl, DEVTRACE_A_SIZE, turn++ & 1 ? 65536 : 131072);
	return nl_do(&self->nl, NULL, NULL);
}

static int do_stream(FIXTURE_DATA(stall) *self)
{
	int err;

	nl_begin(&self->nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&self->nl, DEVTRACE_A_STREAM, "stall");
	nl_put_u64(&self->nl, DEVTRACE_A_SIZE, 4096);
	err = nl_do(&self->nl, NULL, NULL);
	if (err)
		return err;
	nl_begin(&self->nl, DEVTRACE_CMD_STREAM_DEL);
	nl_put_str(&self->nl, DEVTRACE_A_STREAM, "stall");
	return nl_do(&self->nl, NULL, NULL);
}

static int do_grace(FIXTURE_DATA(stall) *self)
{
	return syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) ? errno : 0;
}

static int do_hotplug(FIXTURE_DATA(stall) *self)
{
	return dev_switch(self->cpu[self->n - 1], false) ?:
	       dev_switch(self->cpu[self->n - 1], true);
}

typedef int stall_fn(FIXTURE_DATA(stall) *self);

/* Longest sleep during the call, or UINT64_MAX on failure. */
static uint64_t slept_in(FIXTURE_DATA(stall) *self, const char *what, stall_fn *fn)
{
	const uint64_t before = away(self);
	const struct span s = span_begin(self->schedstat);
	const int err = fn(self);
	uint64_t slept = span_end(self->schedstat, &s), gone;

	if (err) {
		dev_say("%s: error %d", what, err);
		return UINT64_MAX;
	}
	if (slept < BOUND_NS)
		return slept;
	look_again(self);
	gone = away(self) - before;
	return slept > gone ? slept - gone : 0;
}

struct call {
	const char *what;
	stall_fn *fn;
	bool allocates;
	uint64_t last, worst;		/* sleep time */
	unsigned int late;		/* number of calls that slept too long */
};

static void try_call(FIXTURE_DATA(stall) *self, struct call *c)
{
	c->last = slept_in(self, c->what, c->fn);
	if (c->last > c->worst)
		c->worst = c->last;
}

/*
 * Number of tries of an allocating call that may be late: with PREEMPT_RT the allocator's locks
 * sleep, and their holder may get no CPU for long.
 */
static unsigned int late_at_most(int tries)
{
	struct utsname u;

	return !uname(&u) && strstr(u.version, "PREEMPT_RT") ? 1 + tries / 50 : 0;
}

/* The last try failed, or there are too many that slept longer than the bound. */
static bool too_late(struct call *c, uint64_t bound, unsigned int may)
{
	c->late += c->last >= bound;
	return c->last == UINT64_MAX || c->late > (c->allocates ? may : 0);
}

/* Let the readers run for a moment, so that they lose the CPU elsewhere. */
static void stir(FIXTURE_DATA(stall) *self, int try)
{
	if (try % STIR)
		return;
	atomic_store(&self->sh->pause, true);
	dev_sleep_ms(1 + dev_random() % 10);
	atomic_store(&self->sh->pause, false);
	dev_sleep_ms(1 + dev_random() % 20);
}

static void say(const struct call *c)
{
	printf("# %s slept for %llu us at the longest\n", c->what,
	       (unsigned long long)c->worst / 1000);
	fflush(stdout);
}

/*
 * The only process that changes anything waits for no reader. A call that sleeps too long is not
 * repeated, as that would take hours.
 */
static void alone(struct __test_metadata *_metadata, FIXTURE_DATA(stall) *self)
{
	struct call often[] = {
		{ .what = "read(2)", .fn = do_read },
		{ .what = "open(2)", .fn = do_open, .allocates = true },
		{ .what = "a dump", .fn = do_dump, .allocates = true },
		{ .what = "a clear", .fn = do_clear, .allocates = true },
		{ .what = "read(2) of a shared descriptor", .fn = do_read_shared },
	};
	struct call rare[] = {
		{ .what = "a resize", .fn = do_resize, .allocates = true },
		{ .what = "a stream made and removed", .fn = do_stream, .allocates = true },
	};
	struct call grace = { .what = "a grace period", .fn = do_grace };
	const unsigned int may_often = late_at_most(self->rounds);
	const unsigned int may_rarely = late_at_most(self->rounds / RARE);
	uint64_t bound;
	unsigned int k;
	int i;

	for (i = 0; i < self->rounds && _metadata->passed; i++) {
		stir(self, i);
		for (k = 0; k < ARRAY_SIZE(often); k++) {
			try_call(self, &often[k]);
			EXPECT_FALSE(too_late(&often[k], BOUND_NS, may_often))
				say(&often[k]);
		}
		if (i % RARE)
			continue;
		try_call(self, &grace);
		for (k = 0; k < ARRAY_SIZE(rare); k++)
			try_call(self, &rare[k]);
		try_call(self, &grace);
		ASSERT_NE(UINT64_MAX, grace.worst);
		bound = BOUND_NS + GRACES * grace.worst;
		for (k = 0; k < ARRAY_SIZE(rare); k++) {
			EXPECT_FALSE(too_late(&rare[k], bound, may_rarely))
				say(&rare[k]);
		}
	}
	for (k = 0; k < ARRAY_SIZE(often); k++)
		say(&often[k]);
	for (k = 0; k < ARRAY_SIZE(rare); k++)
		say(&rare[k]);
	say(&grace);
}

TEST_F_TIMEOUT(stall, by_readers_of_the_lowest_priority, 1200)
{
	start_readers(self);
	dev_sleep_ms(50);
	start_hogs(self);
	alone(_metadata, self);
	SKIP_UNMEASURED();
}

TEST_F_TIMEOUT(stall, by_readers_that_are_throttled, 1200)
{
	if (start_throttled(self))
		SKIP(return, "no cgroup2 with a cpu controller: %s", strerror(errno));
	start_hogs(self);
	alone(_metadata, self);
	SKIP_UNMEASURED();
}

/* Make and remove streams, resize, dump and clear. */
static void administrate(FIXTURE_DATA(stall) *self)
{
	setpriority(PRIO_PROCESS, 0, -20);
	if (nl_open(&self->nl))
		_exit(1);
	for (;;) {
		do_stream(self);
		do_resize(self);
		do_dump(self);
		do_clear(self);
	}
}

/* All at once: readers, opens and dumps do not wait for the administrator either. */
TEST_F_TIMEOUT(stall, by_all_at_once, 1200)
{
	struct call often[] = {
		{ .what = "read(2)", .fn = do_read },
		{ .what = "open(2)", .fn = do_open, .allocates = true },
	};
	struct call dump = { .what = "a dump", .fn = do_dump, .allocates = true };
	struct call grace = { .what = "a grace period", .fn = do_grace };
	const unsigned int may = late_at_most(self->rounds);
	const unsigned int graces = may ? GRACES : 0;
	unsigned int k;
	int i;

	if (start_throttled(self))
		printf("# without a cgroup: %s\n", strerror(errno));
	start_readers(self);
	start_hogs(self);
	if (!child(self))
		administrate(self);
	for (i = 0; i < self->rounds && _metadata->passed; i++) {
		stir(self, i);
		for (k = 0; k < ARRAY_SIZE(often); k++) {
			try_call(self, &often[k]);
			EXPECT_FALSE(too_late(&often[k], BOUND_NS, may))
				say(&often[k]);
		}
		try_call(self, &dump);
		if (!(i % RARE) || dump.last > BOUND_NS)
			try_call(self, &grace);
		ASSERT_NE(UINT64_MAX, grace.worst);
		EXPECT_FALSE(too_late(&dump, BOUND_NS + graces * grace.worst, may))
			say(&dump);
	}
	for (k = 0; k < ARRAY_SIZE(often); k++)
		say(&often[k]);
	say(&dump);
	say(&grace);
	SKIP_UNMEASURED();
}

/* Trace the callbacks of CPU hotplug. */
static int trace_hotplug(FIXTURE_DATA(stall) *self)
{
	mkdir(TRACEFS, 0755);
	if (mount("none", TRACEFS, "tracefs", 0, NULL))
		return -1;
	self->traced = true;
	return dev_write_file(TRACEFS "/events/cpuhp/enable", "1");
}

/*
 * The longest time in a function of the module, and the number of calls. A line looks like "
 * test-1 [000] ..... 1.234567: cpuhp_enter: cpu: 0001 target: 235 step: 61 (fn [devtrace])".
 */
static uint64_t longest_ours(unsigned int *called)
{
	FILE *f = fopen(TRACEFS "/trace", "r");
	uint64_t at, since = 0, worst = 0;
	char line[512], *s;
	double t;

	while (f && fgets(line, sizeof(line), f)) {
		s = strstr(line, ": cpuhp_");
		if (!s)
			continue;
		*s++ = 0;
		if (!strrchr(line, ' ') || sscanf(strrchr(line, ' '), "%lf", &t) != 1)
			continue;
		at = t * NSEC;
		if (since && at - since > worst)
			worst = at - since;
		since = strstr(s, "_enter:") && strstr(s, "[devtrace") ? at : 0;
		*called += since != 0;
	}
	if (f)
		fclose(f);
	/* Opening it this way empties it. */
	f = fopen(TRACEFS "/trace", "w");
	if (f)
		fclose(f);
	return worst;
}

/* CPU hotplug does not wait on behalf of the module. */
TEST_F_TIMEOUT(stall, while_cpus_go_and_come, 1200)
{
	struct call hotplug = { .what = "a CPU that goes and comes", .fn = do_hotplug };
	struct call ours = { .what = "what the module does for it" };
	int i, rounds = self->rounds / RARE > 4 ? self->rounds / RARE : 4;
	uint64_t took, before;
	unsigned int called = 0;

	if (self->n < 2 || !dev_can_switch(self->cpu[self->n - 1]))
		SKIP(return, "no CPU here can be taken offline");
	if (trace_hotplug(self))
		SKIP(return, "no tracepoints of CPU hotplug: %s", strerror(errno));
	no_watch_where_cpus_go(self);
	self->n--;	/* the CPUs that stay */
	start_hogs(self);
	start_readers(self);
	if (!child(self))
		administrate(self);
	self->n++;
	for (i = 0; i < rounds && _metadata->passed; i++) {
		stir(self, 0);
		before = away(self);
		try_call(self, &hotplug);
		EXPECT_NE(UINT64_MAX, hotplug.worst);
		took = longest_ours(&called);
		if (took >= BOUND_NS && self->schedstat >= 0) {
			look_again(self);
			took -= took > away(self) - before ? away(self) - before : took;
		}
		if (took > ours.worst)
			ours.worst = took;
		EXPECT_GT(BOUND_NS, ours.worst);
	}
	EXPECT_LE(rounds, called);
	say(&hotplug);
	printf("# %s took %llu us at the longest of %u times\n", ours.what,
	       (unsigned long long)ours.worst / 1000, called);
	fflush(stdout);
	SKIP_UNMEASURED();
}

TEST_HARNESS_MAIN
