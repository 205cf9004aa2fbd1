// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_step.c - the contents of a lane between any two instructions of its writer
 *
 * The CPU traps after each instruction of an emit. The handler examines the memory, which is
 * what a thread killed at that point leaves; or it emits, like a signal handler at that point.
 * Built without sanitizers, with the instructions of real programs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include "emit/emit_lane.h"
#include "fakedev.h"
#include "lane_clock.h"
#include "lane_parse.h"
#include "kselftest_harness.h"

#define TYPE		100
#define TYPE_HANDLER	101	/* lane_event() never makes this type */
#define EVENTS		40	/* events that are single-stepped */
#define SETUPS		20

static uint64_t seed;

static union {
	struct devtrace_emit event;
	uint8_t bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
} out;

#if defined(__x86_64__)
#define CAN_STEP	true

/* Set the trap flag, 0x100. The compiler owns the bytes below the stack pointer. */
static inline __attribute__((always_inline)) void stepping(bool on)
{
	if (on)
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; "
				 "lea 128(%%rsp), %%rsp" : : : "memory", "cc");
	else
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; "
				 "lea 128(%%rsp), %%rsp" : : : "memory", "cc");
}
#else
#define CAN_STEP	false
static void stepping(bool on)
{
}
#endif

static unsigned long steps;
static uint64_t emitted;	/* calls that have returned */
static uint64_t seen;		/* events found in the lane */
static const char *wrong;
static unsigned long wrong_step;
static uint64_t appeared;	/* events found before the call returned */

static void look(int sig)
{
	uint64_t total;
	const char *bad = lane_verify(&fake->lanes[0], seed, &total);

	steps++;
	if (!bad && (total < emitted || total > emitted + 1))
		bad = "number of events";
	if (!bad && total < seen)
		bad = "an event is gone";
	if (bad && !wrong) {
		wrong = bad;
		wrong_step = steps;
	}
	appeared += total > seen;
	seen = total;
}

static void trap(void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler };

	sigaction(SIGTRAP, &action, NULL);
}

FIXTURE(step) {
};

FIXTURE_SETUP(step)
{
	if (!CAN_STEP) {
		/* the harness would go on with the test */
		SKIP(_exit(255), "this machine has no trap behind each instruction for programs");
	}
	fake_reset();
	fake_into_lanes(1);
	clock_ns = 1000;
	clock_by_counter(true);
}

FIXTURE_TEARDOWN(step)
{
}

/*
 * Kill the writer after each instruction, over more than a block and a lap, so that each
 * overwritten byte held data.
 */
static void killed(struct __test_metadata *_metadata)
{
	struct lane_call call;
	uint64_t n = 0, before;

	trap(look);
	while (fake->nr_lanes == 0 || fake->lanes[0].head->open != 11) {
		lane_prepare(seed, n++, &out.event, &call);
		ASSERT_EQ(0, lane_emit(&out.event, &call));
	}
	emitted = n;
	seen = n;
	before = n;
	for (int i = 0; i < EVENTS || fake->lanes[0].head->open < 14; i++) {
		lane_prepare(seed, n++, &out.event, &call);
		clock_ns += i % 10 ? 80 : UINT64_C(1) << (i + 10) % 50;
		clock_by_counter(i % 4);
		stepping(true);
		lane_emit(&out.event, &call);
		stepping(false);
		emitted = n;
	}
	ASSERT_STREQ("", wrong ?: "") TH_LOG("at step %lu of %lu", wrong_step, steps);
	EXPECT_EQ(0, fake->lanes[0].missed);
	/* Each event was in the lane before its call returned. */
	EXPECT_LE(EVENTS, appeared);
	EXPECT_EQ(n, before + appeared);
	TH_LOG("%lu steps", steps);
}

TEST_F(step, killed_anywhere)
{
	fake->lane_first = 0xfffffffb;
	killed(_metadata);
}

/* Without handing over, the block number must tell what is overwritten before it happens. */
TEST_F(step, killed_anywhere_without_calls)
{
	fake->lane_first = 0xfffffffb;
	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN | DEVTRACE_LANE_NO_CALLS));
	killed(_metadata);
}

static unsigned int odds;	/* the handler emits at one of this many steps */
static unsigned long only;	/* or at this step */
static uint64_t handled;
static uint64_t state;

static unsigned int any(unsigned int below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (state >> 33) % below;
}

static void emit_over(int sig)
{
	struct {
		struct devtrace_emit event;
		uint64_t n;
	} __attribute__((packed)) e = { .event.type = TYPE_HANDLER, .n = handled << 8 | DEVTRACE_E_STR };
	const uint64_t n = e.n;
	int err;

	steps++;
	/* Handing over counts as one step. */
	if (fake_hands() || (odds ? any(odds) : steps != only))
		return;
	/* Both ways emit the same eight bytes, the last of which is 0. */
	if (handled % 2)
		err = devtrace_emit_event(&e.event, sizeof(e));
	else
		err = devtrace_emit_str_((uint8_t *)&e, sizeof(e.event), (const char *)&n + 1, 6);
	if (err)
		wrong = "event of the handler";
	handled++;
}

struct both {
	uint64_t outer, inner, last;
	union {
		struct devtrace_emit event;
		uint8_t bytes[sizeof(out)];
	};
};

static bool one_of_both(const struct lane_record *r, void *arg)
{
	struct both *b = arg;
	uint64_t n;
	size_t size;

	if (r->type == TYPE_HANDLER) {
		memcpy(&n, r->data, sizeof(n));
		if (r->len != sizeof(n) || (b->inner && n <= b->last))
			return false;
		b->last = n;
		b->inner++;
		return true;
	}
	size = lane_event(seed, b->outer++, &b->event);
	return r->type == b->event.type && r->len == size - sizeof(b->event) &&
	       !memcmp(r->data, b->event.data, r->len);
}

/* Check that all emitted events are in the first lane or came by system call. */
static const char *all_there(struct both *b, uint64_t n)
{
	const char *bad;
	uint64_t total;

	memset(b, 0, sizeof(*b));
	bad = lane_parse(&fake->lanes[0], &total, one_of_both, b);
	if (bad)
		return bad;
	if (b->inner + fake->nr + b->outer != handled + n)
		return "number of events";
	/* Interrupted events always stay in the lane. */
	if (b->outer != n)
		return "number of interrupted events";
	return wrong;
}

/* An emit that is interrupted too often may never end. */
TEST_F_TIMEOUT(step, handler_emits_anywhere, 300)
{
	static const unsigned int all[] = { 1, 2, 5, 30 };
	struct both both;
	struct lane_call call;
	uint64_t n = 0, calls = 0;

	state = seed;
	trap(emit_over);
	/* Keep all blocks, to count all events. */
	fake->look_back = FAKE_KEPT;
	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		odds = all[i];
		for (int j = 0; j < EVENTS; j++) {
			lane_prepare(seed, n++, &out.event, &call);
			clock_ns += 50;
			clock_by_counter(j % 4);
			stepping(true);
			lane_emit(&out.event, &call);
			stepping(false);
		}
		ASSERT_STREQ("", all_there(&both, n) ?: "") TH_LOG("one of %u", odds);
		EXPECT_LT(calls, fake->nr);
		calls = fake->nr;
	}
	/*
	 * During an emit, the handler's events go by system call; before and after, into the
	 * lane.
	 */
	EXPECT_LT(n, both.inner);
	EXPECT_LT(5, fake->lanes[0].taken);
	EXPECT_GT(FAKE_KEPT, fake->lanes[0].taken);
	EXPECT_EQ(0, fake->lanes[0].missed);
	TH_LOG("%lu steps, %llu in the lane, %u by call", steps, (unsigned long long)both.inner,
	       fake->nr);
}

/* The handler runs at step @step of the very first event. Returns 0 if all is right. */
static int first_event(unsigned long step, unsigned long *all)
{
	struct both both;
	uint64_t total;
	size_t size;

	fake_reset();
	fake_into_lanes(1);
	odds = 0;
	only = step;
	size = lane_event(seed, 0, &out.event);
	stepping(true);
	devtrace_emit_event(&out.event, size);
	stepping(false);
	*all = steps;
	/* Both use one lane, and the next event goes into it. */
	size = lane_event(seed, 1, &out.event);
	devtrace_emit_event(&out.event, size);
	memset(&both, 0, sizeof(both));
	if (fake->asked != 1)
		return 2;
	if (fake->lanes[0].head->busy)
		return 3;
	if (lane_parse(&fake->lanes[0], &total, one_of_both, &both))
		return 4;
	if (both.outer != 2 || both.inner + fake->nr != handled || wrong)
		return 5;
	return 0;
}

TEST_F(step, handler_emits_while_the_lane_is_made)
{
	unsigned long all = 0;
	unsigned long *shared = (unsigned long *)&fake->events[FAKE_EVENTS - 1];
	int status;
	pid_t pid;

	trap(emit_over);
	state = seed;
	for (int i = 0; i < SETUPS; i++) {
		/* The first run counts the steps. */
		unsigned long step = i ? 1 + any(all) : ~0ul;

		pid = fork();
		if (!pid) {
			unsigned long n;
			int bad = first_event(step, &n);

			*shared = n;
			_exit(bad);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status) TH_LOG("at step %lu of %lu", step, all);
		if (!i)
			all = *shared;
		ASSERT_LT(100, all);
	}
	TH_LOG("%lu steps", all);
}

static bool handler_wants;

static void filter_over(int sig)
{
	if (++steps == only)
		devtrace_own_type(TYPE, handler_wants);
}

/* Concurrent changes of the program's own filter give a consistent result. */
TEST_F(step, own_filter_changes_anywhere)
{
	const struct devtrace_emit event = { .type = TYPE };
	uint64_t before;

	trap(filter_over);
	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	for (int wanted = 0; wanted < 2; wanted++) {
		handler_wants = !wanted;
		only = 0;
		do {
			devtrace_own_type(TYPE, !wanted);
			only++;
			steps = 0;
			stepping(true);
			devtrace_own_type(TYPE, wanted);
			stepping(false);
			before = dt_lane_mine.count;
			ASSERT_EQ(0, devtrace_emit_event(&event, sizeof(event)));
			ASSERT_EQ(devtrace_own_wants(TYPE, 0, 0), dt_lane_mine.count != before)
				TH_LOG("at step %lu", only);
		} while (steps >= only);
		EXPECT_LT(50, only);
		TH_LOG("%lu steps", only);
	}
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	const char *s = getenv("SEED");

	fake_start(argv);
	seed = s && *s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL);
	printf("# SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return harness_main(argc, argv);
}
