// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_now.c - devtrace_now() is the clock of events, without a system call
 *
 * A program emits, reads the clock and emits again, on all CPUs and while migrating: the reading
 * must lie between the two timestamps, also while the clocksource changes. Readings on any CPUs,
 * one after the other, must not decrease.
 *
 * DEVICE_ROUNDS is the duration: 20 readings per round and thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"

#define SOURCES		"/sys/devices/system/clocksource/clocksource0/"
#define THREADS		2
#define MOST		60000		/* per thread, so that all events fit into a ring */
#define TURNS		20000
#define SWITCHES	20

struct reading {
	uint64_t before, now, after;
};

struct prober {
	pthread_t	thread;
	uint32_t	me, n, want;
	bool		moves;
	struct reading	*r;
};

FIXTURE(now) {
	int		cpu[DEV_CPUS], n;
	int		wfd;
	uint32_t	rounds;
	struct prober	p[THREADS];
	char		source[64];	/* the original one */
};

static int the_fd;
static const int *the_cpu;
static int the_cpus;
static atomic_bool done;

static bool clocksource(const char *file, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), SOURCES "%s", file);
	if (dev_read_file(path, buf, size) <= 0)
		return false;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

static int use_clocksource(const char *name)
{
	return dev_write_file(SOURCES "current_clocksource", name);
}

/* True if this program reads the clock with the counter. */
static bool by_counter(void)
{
#ifdef __x86_64__
	return *(const volatile __u64 *)&devtrace_control.counter.seq;
#else
	return false;
#endif
}

FIXTURE_SETUP(now)
{
	const char *rounds = getenv("DEVICE_ROUNDS");
	int i;

	dev_seed();
	self->n = dev_online(self->cpu);
	ASSERT_LT(0, self->n);
	the_cpu = self->cpu;
	the_cpus = self->n;
	self->rounds = 20 * (rounds ? atoi(rounds) : 1000);
	if (self->rounds > MOST)
		self->rounds = MOST;
	ASSERT_EQ(0, dev_load("size=8M"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	the_fd = self->wfd;
	done = false;
	for (i = 0; i < THREADS; i++) {
		self->p[i] = (struct prober){ .me = i };
		self->p[i].r = calloc(MOST, sizeof(struct reading));
		ASSERT_NE(NULL, self->p[i].r);
	}
	clocksource("current_clocksource", self->source, sizeof(self->source));
	ASSERT_EQ(0, devtrace_open());
	dev_say("clocksource %s, %s", self->source,
		by_counter() ? "by the counter" : "by clock_gettime(2)");
}

FIXTURE_TEARDOWN(now)
{
	int i;

	if (self->source[0])
		use_clocksource(self->source);
	for (i = 0; i < THREADS; i++)
		free(self->p[i].r);
	/* A mapping of the page holds the module. */
	devtrace_close();
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* Migrate now and then. */
static void move(const struct prober *p)
{
	if (p->moves && !(dev_random() % 8) && dev_pin(the_cpu[dev_random() % the_cpus]))
		abort();
}

static void *probe(void *arg)
{
	struct prober *p = arg;

	while (!done && p->n < p->want) {
		if (dev_emit_mark(the_fd, DEVTRACE_T_USER, p->me, 2 * p->n))
			abort();
		move(p);
		p->r[p->n].now = devtrace_now();
		move(p);
		if (dev_emit_mark(the_fd, DEVTRACE_T_USER, p->me, 2 * p->n + 1))
			abort();
		p->n++;
		/* Pause now and then. */
		if (!p->moves && !(p->n % 8))
			usleep(dev_random() % 1000);
	}
	return NULL;
}

static void start(struct prober *p, uint32_t want, bool moves)
{
	int i;

	for (i = 0; i < THREADS; i++) {
		p[i].want = want;
		p[i].moves = moves;
		if (pthread_create(&p[i].thread, NULL, probe, &p[i]))
			abort();
	}
}

static void stop(struct prober *p)
{
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_join(p[i].thread, NULL);
}

/* Number of readings that are not between the events around them. */
static uint64_t wrong(const struct tape *t, struct prober *p)
{
	uint64_t early = 0, late = 0, same = 0, missing = 0;
	size_t i;
	uint32_t k, n;

	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		if (e->type != DEVTRACE_T_USER)
			continue;
		if (e->tag >= THREADS || e->nr / 2 >= p[e->tag].n)
			return UINT64_MAX;
		*(e->nr % 2 ? &p[e->tag].r[e->nr / 2].after : &p[e->tag].r[e->nr / 2].before) = e->ts;
	}
	for (k = 0; k < THREADS; k++) {
		for (n = 0; n < p[k].n; n++) {
			const struct reading *r = &p[k].r[n];

			missing += !r->before || !r->after;
			early += r->now < r->before;
			late += r->now > r->after;
			same += r->now == r->before || r->now == r->after;
			if ((r->now < r->before || r->now > r->after) && early + late < 10)
				dev_say("thread %u reading %u: %lld ns after the event before, %lld before the one after",
					k, n, (long long)(r->now - r->before),
					(long long)(r->after - r->now));
		}
	}
	dev_say("%u and %u readings: %llu early, %llu late, %llu in the same nanosecond, %llu without their events",
		p[0].n, p[1].n, (unsigned long long)early, (unsigned long long)late,
		(unsigned long long)same, (unsigned long long)missing);
	return early + late + missing;
}

TEST_F(now, between_two_system_calls)
{
	struct tape *t;

	start(self->p, self->rounds, true);
	stop(self->p);
	EXPECT_EQ(self->rounds, self->p[0].n);
	EXPECT_EQ(self->rounds, self->p[1].n);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(0, wrong(t, self->p));
	tape_free(t);
}

/* True if the kind of clock is right; the kernel may change it at any time. */
static bool counter_is_right(void)
{
	struct utsname machine;
	char was[64], is[64];
	bool counter, tsc;

	do {
		if (!clocksource("current_clocksource", was, sizeof(was)))
			return true;
		counter = *(const volatile __u64 *)&devtrace_control.counter.seq;
		if (!clocksource("current_clocksource", is, sizeof(is)))
			return true;
	} while (strcmp(was, is));
	/* The kernel's machine; a 32-bit program does not use the counter. */
	tsc = !uname(&machine) && !strcmp(machine.machine, "x86_64") && !strcmp(is, "tsc");
	return counter == tsc;
}

TEST_F(now, clocksource_changes)
{
	char names[256], *name[16], *save;
	struct tape *t;
	int i, n = 0;

	EXPECT_EQ(sizeof(struct devtrace_control), devtrace_control.size);
	EXPECT_EQ(0, devtrace_control.suspends % 2);
	EXPECT_TRUE(counter_is_right());
	if (!self->source[0] || !clocksource("available_clocksource", names, sizeof(names)))
		SKIP(return, "this kernel does not say what clocksources there are");
	for (name[0] = strtok_r(names, " ", &save); name[n] && n < 15;
	     name[n] = strtok_r(NULL, " ", &save))
		n++;
	if (n < 2)
		SKIP(return, "there is but one clocksource");
	start(self->p, MOST, false);
	for (i = 0; i < SWITCHES; i++) {
		ASSERT_EQ(0, use_clocksource(name[i % n]));
		EXPECT_TRUE(counter_is_right());
		dev_sleep_ms(50 + dev_random() % 200);
	}
	ASSERT_EQ(0, use_clocksource(self->source));
	EXPECT_TRUE(counter_is_right());
	dev_sleep_ms(200);
	done = true;
	stop(self->p);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	EXPECT_EQ(0, wrong(t, self->p));
	tape_free(t);
}

static _Atomic uint32_t turn;
static uint64_t last, backwards;

/* Only the shared turn orders the threads, without a system call. */
static void *play(void *arg)
{
	const uint32_t mine = (uintptr_t)arg;
	uint64_t now;
	uint32_t i;

	if (dev_pin(mine ? the_cpu[the_cpus - 1] : the_cpu[0]))
		abort();
	for (i = mine; i < TURNS; i += 2) {
		unsigned int spins = 0;

		/* Both may be on the same CPU of the host. */
		while (atomic_load_explicit(&turn, memory_order_acquire) != i)
			if (++spins > 1000)
				sched_yield();
		now = devtrace_now();
		backwards += now < last;
		last = now;
		atomic_store_explicit(&turn, i + 1, memory_order_release);
	}
	return NULL;
}

TEST_F(now, not_backwards_between_cpus)
{
	pthread_t th[2];
	size_t i;

	if (self->n < 2)
		SKIP(return, "there is but one CPU");
	turn = 0;
	last = 0;
	backwards = 0;
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&th[i], NULL, play, (void *)(uintptr_t)i));
	for (i = 0; i < 2; i++)
		pthread_join(th[i], NULL);
	EXPECT_EQ(TURNS, turn);
	EXPECT_NE(0, last);
	EXPECT_EQ(0, backwards);
}

/* From here on, any system call but exit(2) kills the process. */
static bool forbid_system_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* Result of a child that may not make system calls; -1: it was killed. */
static int without_system_calls(uint64_t (*clock)(void))
{
	pid_t pid = fork();
	int status, i, bad = 0;

	if (!pid) {
		if (!forbid_system_calls())
			_exit(2);
		for (i = 0; i < 1000; i++)
			bad |= !clock();
		syscall(SYS_exit, bad);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint64_t by_libc(void)
{
	struct timespec t;

	return !clock_gettime(CLOCK_MONOTONIC_RAW, &t);
}

static uint64_t by_kernel(void)
{
	struct timespec t;

	return !syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &t);
}

TEST_F(now, no_system_call)
{
	int ours, libc, kernel = without_system_calls(by_kernel);

	if (kernel == 2)
		SKIP(return, "system calls cannot be forbidden on this kernel");
	/* Show that a system call would be noticed. */
	ASSERT_EQ(-1, kernel);
	libc = without_system_calls(by_libc);
	ours = without_system_calls(devtrace_now);
	if (ours == -1 && libc == -1 && !by_counter())
		SKIP(return, "clock_gettime(2) is a system call here");
	EXPECT_EQ(0, ours);
}

/* In reading order; alternate between library and system call. */
static void mark(uint32_t nr)
{
	if (nr % 2)
		devtrace(DEVTRACE_T_USER, (uint32_t)THREADS, nr);
	else if (dev_emit_mark(the_fd, DEVTRACE_T_USER, THREADS, nr))
		abort();
}

static bool now_is_between(void)
{
	uint64_t before = dev_now(), now = devtrace_now();

	return now >= before && now <= dev_now();
}

#define SHIFT		1000	/* seconds */
#define MARKS		10	/* per process */

/* Runs in the grandchild, in the time namespace: returns 0 or the failing check. */
static int in_time_namespace(uint64_t outside, uint32_t nr)
{
	struct timespec t;
	uint64_t now;
	uint32_t i;

	if (clock_gettime(CLOCK_MONOTONIC_RAW, &t) ||
	    (uint64_t)t.tv_sec * NSEC < outside + SHIFT / 2 * NSEC)
		return 4;
	for (i = 0; i < MARKS; i++)
		mark(nr + i);
	now = devtrace_now();
	if (by_counter() ? now < outside || now > outside + SHIFT / 2 * NSEC : now)
		return 5;
	return devtrace_errors() ? 6 : 0;
}

/* Enter the namespace directly instead of as a child: the library is told. */
static int goes_to_time_namespace(uint64_t outside, uint32_t nr)
{
	int fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWTIME))
		return 8;
	close(fd);
	if (devtrace_open() || devtrace_lane(0))
		return 9;
	return in_time_namespace(outside, nr);
}

/* Exit status 2: no time namespaces. */
static int with_time_namespace(uint64_t outside, uint32_t nr)
{
	char offset[32];
	int status;
	uint32_t i;
	pid_t pid;

	if (unshare(CLONE_NEWTIME))
		return 2;
	snprintf(offset, sizeof(offset), "monotonic %d 0", SHIFT);
	if (dev_write_file("/proc/self/timens_offsets", offset))
		return 3;
	for (i = 0; i < MARKS; i++)
		mark(nr + i);
	pid = fork();
	if (!pid)
		_exit(in_time_namespace(outside, nr + MARKS));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 7;
	for (i = 0; i < MARKS; i++)
		mark(nr + 2 * MARKS + i);
	return WEXITSTATUS(status) ?: goes_to_time_namespace(outside, nr + 3 * MARKS);
}

/* The offset affects clock_gettime(2), but not the kernel's clock. */
TEST_F(now, in_a_time_namespace)
{
	uint32_t nr = 0, expected = 0;
	struct tape *t;
	size_t i;
	int way;

	for (way = 0; way < 2; way++) {
		int status;
		pid_t pid;

		/* With the present clock, and with clock_gettime(2) if possible. */
		if (way && use_clocksource("hpet") && use_clocksource("acpi_pm"))
			break;
		for (i = 0; i < MARKS; i++)
			mark(nr++);
		pid = fork();
		if (!pid)
			_exit(with_time_namespace(dev_now(), nr));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		if (WEXITSTATUS(status) == 2) {
			/* Its lane holds the module. */
			devtrace_lane(0);
			SKIP(return, "this kernel has no time namespaces");
		}
		EXPECT_EQ(0, WEXITSTATUS(status));
		nr += 4 * MARKS;
		for (i = 0; i < MARKS; i++)
			mark(nr++);
		EXPECT_TRUE(now_is_between());
	}
	/* The same here. */
	devtrace_lane(0);
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev; i++) {
		if (t->ev[i].type != DEVTRACE_T_USER || t->ev[i].tag != THREADS)
			continue;
		EXPECT_EQ(expected, t->ev[i].nr);
		expected = t->ev[i].nr + 1;
	}
	EXPECT_EQ(nr, expected);
	dev_say("%u events in order, %d ways to read the clock", expected, way);
	tape_free(t);
}

TEST_HARNESS_MAIN
