// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_kill.c - events of a killed program are not lost
 *
 * A program emits numbered events into lanes from four threads at full speed. It is killed by
 * SIGKILL at random times, or after any instruction of two emits, of which the first fills a
 * block and hands it over. Each event whose call had returned must be read once, or be reported
 * as lost; no event is torn, and no number is missing without a report.
 *
 * DEVICE_ROUNDS is the number of random kills (default 1000). From 10000 on, it is killed after
 * each instruction, otherwise after a selection: 50, or as many as a fixed number of steps
 * allows. Reading the clock is repeated after a tick, which on a slow machine comes at nearly
 * each reading during single steps.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include <linux/devtrace_lane.h>

#include "kselftest_harness.h"
#include "dev.h"

#define THREADS		4
#define TYPE		DEVTRACE_T_USER
#define KILLS		50	/* instructions of two emits after which it is killed */
#define STEPS_MOST	20000	/* more steps than two emits can take */
#define STEPS_SUM	50000	/* approximate sum over all kills */

/* Progress of the program, in shared memory. */
struct done {
	_Atomic uint32_t n[THREADS];	/* calls that returned */
	uintptr_t	open;		/* address of the number of the current block */
};

/* Results for the events of a thread. */
struct account {
	uint64_t	seen, next;
	uint64_t	missing;	/* before the events seen */
	bool		torn;
};

static struct account acc[THREADS];
static uint32_t this_run;
static uint64_t lost_all, missing_all;

/* Different lengths, so that a cut or mixed event does not match. */
static void emit(uint32_t run, uint32_t thread, uint32_t nr)
{
	uint8_t mem[40];

	memset(mem, (uint8_t)nr, sizeof(mem));
	devtrace((uint8_t)(TYPE + thread), run, nr, DEVTRACE_MEM(mem, nr % sizeof(mem)));
}

static bool whole(const struct devtrace_event *e, uint32_t *run, uint32_t *nr)
{
	struct devtrace_elem el[3];
	size_t pos = 0, i;

	for (i = 0; i < 3; i++)
		if (devtrace_elem_next(e->data, e->len, &pos, &el[i]) != 1)
			return false;
	if (pos != e->len || el[0].type != DEVTRACE_E_U32 || el[1].type != DEVTRACE_E_U32 ||
	    el[2].type != DEVTRACE_E_MEM)
		return false;
	*run = el[0].v.u;
	*nr = el[1].v.u;
	for (i = 0; i < el[2].v.mem.len; i++)
		if (el[2].v.mem.p[i] != (uint8_t)*nr)
			return false;
	return el[2].v.mem.len == *nr % 40;
}

static void look_at(struct tape *t, const struct devtrace_item *i)
{
	struct account *a;
	uint32_t run, nr;

	/* No losses of CPUs: all events went into lanes. */
	if (i->kind == DEVTRACE_ITEM_LOST) {
		lost_all += i->u.lost.count;
		if (devtrace_decoder_lane(t->d, i->u.lost.source) < 0)
			acc[0].torn = true;
	}
	if (i->kind != DEVTRACE_ITEM_EVENT || i->u.event.type < TYPE ||
	    i->u.event.type >= TYPE + THREADS)
		return;
	a = &acc[i->u.event.type - TYPE];
	if (!whole(&i->u.event, &run, &nr)) {
		a->torn = true;
		return;
	}
	if (run != this_run)
		return;
	/* Each event comes once, and missing ones before it were reported. */
	if (nr < a->next) {
		a->torn = true;
		return;
	}
	a->missing += nr - a->next;
	missing_all += nr - a->next;
	if (missing_all > lost_all)
		a->torn = true;
	a->seen++;
	a->next = nr + 1;
}

static struct done *done;
static pthread_barrier_t at_once;

static void *emit_for_ever(void *arg)
{
	const uint32_t me = (uintptr_t)arg;
	uint32_t nr = 0;

	pthread_barrier_wait(&at_once);
	for (;;) {
		emit(this_run, me, nr);
		atomic_store_explicit(&done->n[me], ++nr, memory_order_release);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t t;
	uintptr_t i;

	pthread_barrier_init(&at_once, NULL, THREADS);
	for (i = 1; i < THREADS; i++)
		if (pthread_create(&t, NULL, emit_for_ever, (void *)i))
			_exit(3);
	emit_for_ever(NULL);
}

FIXTURE(lane_kill) {
	int	rfd;
};

FIXTURE_SETUP(lane_kill)
{
	dev_seed();
	ASSERT_EQ(0, dev_load(""));
	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	ASSERT_NE(MAP_FAILED, done);
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
}

FIXTURE_TEARDOWN(lane_kill)
{
	close(self->rfd);
	munmap(done, sizeof(*done));
	EXPECT_EQ(0, dev_done());
}

static void begin(int rfd, uint32_t run)
{
	this_run = run;
	memset(done, 0, sizeof(*done));
	memset(acc, 0, sizeof(acc));
	lost_all = 0;
	missing_all = 0;
	lseek(rfd, 0, SEEK_END);
}

/* Read everything. */
static bool read_all(int rfd)
{
	struct tape *t = tape_new();
	bool clean;

	if (!t)
		return false;
	t->each = look_at;
	while (tape_drain(t, rfd) > 0)
		;
	clean = tape_clean(t);
	tape_free(t);
	return clean;
}

/*
 * All returned events are accounted for, and at most one more per thread. The newest events of a
 * thread are present, unless all were overwritten.
 */
static bool all_there(int threads)
{
	uint64_t missing = missing_all;
	bool right = true;
	int i, unseen = 0;

	for (i = 0; i < threads; i++) {
		const uint32_t returned = done->n[i];
		const struct account *a = &acc[i];

		if (!a->seen) {
			missing += returned;
			unseen++;
		} else if (a->next < returned || a->next > returned + 1) {
			right = false;
		}
		right &= !a->torn;
	}
	if (right && lost_all >= missing && lost_all <= missing + unseen)
		return true;
	for (i = 0; i < threads; i++)
		dev_say("run %u thread %d: %u returned, %llu read, %llu missing%s", this_run, i,
			done->n[i], (unsigned long long)acc[i].seen,
			(unsigned long long)acc[i].missing,
			acc[i].torn ? ", something torn, twice or not told" : "");
	dev_say("run %u: %llu lost", this_run, (unsigned long long)lost_all);
	return false;
}

static bool all_began(void)
{
	int i;

	for (i = 0; i < THREADS; i++)
		if (!done->n[i])
			return false;
	return true;
}

TEST_F_TIMEOUT(lane_kill, at_random, 700)
{
	const char *env = getenv("DEVICE_ROUNDS");
	const uint64_t enough = dev_now() + 400 * NSEC;
	uint32_t run, rounds = env ? atoi(env) : 1000;
	uint64_t events = 0, lost = 0;
	struct devtrace_stats lanes;
	int i, status;

	/* On a slow machine, limit the time unless the number is given. */
	for (run = 1; run <= rounds && (env || run <= 100 || dev_now() < enough); run++) {
		const struct timespec t = { 0, dev_random() % 4000000 };
		pid_t pid;

		begin(self->rfd, run);
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			run_threads();
		while (!all_began() && !waitpid(pid, &status, WNOHANG))
			sched_yield();
		nanosleep(&t, NULL);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
		ASSERT_TRUE(read_all(self->rfd));
		EXPECT_TRUE(all_there(THREADS));
		for (i = 0; i < THREADS; i++)
			events += acc[i].seen;
		lost += lost_all;
	}
	/* None went by system call. */
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &lanes));
	EXPECT_EQ(events + lost, lanes.emitted);
	dev_say("killed %u times: %llu events read, %llu lost", run - 1,
		(unsigned long long)events, (unsigned long long)lost);
	EXPECT_LT(run - 1, events);
}

/* The address of a lane of this process. */
static volatile struct devtrace_lane_block *lane_of_ours(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long at = 0;
	char line[512];

	while (f && !at && fgets(line, sizeof(line), f))
		if (strstr(line, "[trace-lane]"))
			at = strtoul(line, NULL, 16);
	if (f)
		fclose(f);
	return (void *)at;
}

/* True if the next event of emit() does not fit into the current block. */
static bool is_full(volatile struct devtrace_lane_block *b, uint32_t nr)
{
	const uint32_t at = (b->head.open & (b->head.blocks - 1)) * DEVTRACE_LANE_BLOCK;
	const uint32_t used = ((volatile struct devtrace_lane_block *)((uintptr_t)b + at))->used;

	/* a word, two U32 and a MEM, in the shortest form */
	return DEVTRACE_LANE_BLOCK - used < 4 + 5 + 5 + 2 + nr % 40 + (nr & 1);
}

/* Emit, and store what returned; stop before the event that does not fit. */
static void emit_and_stop(uint32_t run)
{
	volatile struct devtrace_lane_block *b;
	uint32_t nr = 0, first;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(3);
	emit(run, 0, nr++);
	b = lane_of_ours();
	if (!b)
		_exit(4);
	done->open = (uintptr_t)&b->head.open;
	/* A lane was handed over before, so this code does not run for the first time. */
	for (first = b->head.open; b->head.open == first || !is_full(b, nr); nr++)
		emit(run, 0, nr);
	done->n[0] = nr;
	raise(SIGSTOP);
	for (;;) {
		emit(run, 0, nr);
		atomic_store_explicit(&done->n[0], ++nr, memory_order_release);
	}
}

/* Start a program that stops when its block is full. */
static pid_t stopped(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		emit_and_stop(this_run);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) ? pid : -1;
}

static bool step(pid_t pid)
{
	int status;

	return !ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

static void end(pid_t pid)
{
	int err = errno;

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = err;
}

/* The number of its current block. */
static uint32_t block_of(pid_t pid)
{
	const long word = ptrace(PTRACE_PEEKDATA, pid, done->open, NULL);
	uint32_t open;

	memcpy(&open, &word, sizeof(open));
	return open;
}

/*
 * Number of instructions of two emits; 0: no single steps, STEPS_MOST: no end. *@blocks: blocks
 * opened meanwhile.
 */
static int steps_of_two(uint32_t *blocks)
{
	const pid_t pid = stopped();
	const uint32_t most = done->n[0] + 2;
	int n = 0;

	if (pid < 0)
		return 0;
	*blocks = block_of(pid);
	while (n < STEPS_MOST && done->n[0] < most && step(pid))
		n++;
	*blocks = block_of(pid) - *blocks;
	end(pid);
	return n;
}

TEST_F_TIMEOUT(lane_kill, behind_every_instruction, 1000)
{
	const char *env = getenv("DEVICE_ROUNDS");
	int steps, all, stride = 1, i, kills = 0;
	bool few = false;
	uint32_t most = 0, blocks = 0;

	begin(self->rfd, 0xffff);
	all = steps_of_two(&blocks);
	ASSERT_TRUE(read_all(self->rfd));
	if (!all)
		SKIP(return, "this machine has no single steps: %s", strerror(errno));
	if (all == STEPS_MOST)
		SKIP(return, "%d steps do not lead through two emits here", all);
	/* The first of them filled its block. */
	EXPECT_EQ(1, blocks);
	if (!env || atoi(env) < 10000) {
		stride = all < KILLS ? 1 : all / KILLS;
		few = all / 2 > STEPS_SUM / KILLS;
	}
	if (few)
		stride = all / 2 * all / STEPS_SUM;
	for (steps = dev_random() % stride; steps <= all; steps += stride, kills++) {
		uint32_t before;
		pid_t pid;

		begin(self->rfd, 0x10000 + steps);
		pid = stopped();
		ASSERT_LE(0, pid);
		before = done->n[0];
		for (i = 0; i < steps; i++)
			ASSERT_TRUE(step(pid));
		end(pid);
		ASSERT_TRUE(read_all(self->rfd));
		EXPECT_TRUE(all_there(1));
		EXPECT_EQ(0, lost_all);
		most = done->n[0] - before > most ? done->n[0] - before : most;
	}
	dev_say("killed behind %d of %d instructions, up to %u events", kills, all, most);
	/* A whole emit was covered. With ticks, the number of steps is random. */
	if (!few)
		EXPECT_LE(1, most);
}

TEST_HARNESS_MAIN
