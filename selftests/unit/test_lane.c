// SPDX-License-Identifier: GPL-2.0-only
/* test_lane.c - events in the thread's lane, and handing them over */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <devtrace.h>
#include "emit/emit_lane.h"
#include "lane_unit.h"

TEST_F(lane, first_event_is_in_it)
{
	errno = 1234;
	EXPECT_EQ(0, emit(0));
	EXPECT_EQ(1, fake->nr_lanes);
	EXPECT_EQ(1, in_lane(0));
	for (int i = 1; i < 10; i++)
		EXPECT_EQ(0, emit(i));
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(1, fake->asked);
	EXPECT_EQ(1, fake->opens);
	EXPECT_EQ(10, in_lane(0));
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(0, fake->lanes[0].head->busy);
}

/* The size of each event in the block depends on the time since the previous one. */
TEST_F(lane, shortest_form)
{
	static const struct {
		uint64_t ns;
		uint8_t flags, severity;
		unsigned int len, bytes;
	} c[] = {
		{ 0, 0, 0, 0, 4 }, { 0, 0, 0, 1, 6 }, { 0, 0, 0, 2, 6 }, { 0, 0, 0, 10, 14 },
		{ 131071, 0, 0, 119, 124 }, { 131071, 0, 0, 120, 128 }, { 0, 0, 0, 121, 130 },
		{ 131072, 0, 0, 0, 8 }, { 131072, 0, 0, 119, 128 },
		{ 0xffffffff, 0, 0, 10, 18 }, { 0x100000000, 0, 0, 10, 22 },
		{ (UINT64_C(1) << 48) - 1, 0, 0, 10, 22 },
		{ 0, DEVTRACE_F_PTR, 0, 9, 18 }, { 0, 0, DEVTRACE_SW0, 9, 18 },
		{ 131071, DEVTRACE_F_CODE, DEVTRACE_HW3, 4, 12 },
		{ 131072, DEVTRACE_F_CODE, DEVTRACE_HW3, 4, 16 },
		{ 0xffffffff, DEVTRACE_F_OBJSIG, 0, 4, 16 },
		{ (UINT64_C(1) << 48) - 1, DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG, 0, 8, 20 },
		/* These begin a new block. */
		{ UINT64_C(1) << 48, 0, 0, 10, 14 }, { UINT64_C(1) << 60, 0, DEVTRACE_SW1, 2, 10 },
	};
	uint64_t now = clock_ns;

	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(4, last()->bytes);
	for (unsigned int i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		now += c[i].ns;
		/* Times beyond 64 bits of the clock: use the suspended time for the rest. */
		fake_page()->suspended = now - clock_ns;
		out.event = (struct devtrace_emit) {
			.type = TYPE + 25, .severity = c[i].severity, .flags = c[i].flags,
		};
		for (unsigned int j = 0; j < c[i].len; j++)
			out.event.data[j] = i + j;
		ASSERT_EQ(0, devtrace_emit_event(&out.event, sizeof(out.event) + c[i].len));
		EXPECT_EQ(i + 2, in_lane(0));
		EXPECT_EQ(c[i].bytes, last()->bytes) TH_LOG("case %u", i);
		EXPECT_EQ(c[i].len, newest.len);
		EXPECT_EQ(c[i].flags, newest.flags);
		EXPECT_EQ(c[i].severity, newest.severity);
		EXPECT_EQ(TYPE + 25, newest.type);
		EXPECT_EQ(now, newest.time);
		EXPECT_EQ(0, memcmp(newest.data, out.event.data, c[i].len));
	}
	EXPECT_EQ(0, fake->nr);
}

TEST_F(lane, all_lengths)
{
	static const uint8_t severities[] = { 0, DEVTRACE_SW2 };

	for (unsigned int s = 0; s < 2; s++) {
		for (unsigned int len = 0; len <= DEVTRACE_PAYLOAD_MAX; len++) {
			/* Exact allocation: the sanitizer sees wrong accesses. */
			struct devtrace_emit *e = malloc(sizeof(*e) + len);

			*e = (struct devtrace_emit) { .type = TYPE, .severity = severities[s] };
			for (unsigned int i = 0; i < len; i++)
				e->data[i] = len + 3 * i;
			ASSERT_EQ(0, devtrace_emit_event(e, sizeof(*e) + len));
			last();
			EXPECT_EQ(len, newest.len);
			EXPECT_EQ(severities[s], newest.severity);
			EXPECT_EQ(0, memcmp(newest.data, e->data, len)) TH_LOG("length %u", len);
			free(e);
		}
	}
	EXPECT_EQ(2 * (DEVTRACE_PAYLOAD_MAX + 1), in_lane(0));
	EXPECT_EQ(0, fake->nr);
	out.event = (struct devtrace_emit) { .type = TYPE };
	EXPECT_EQ(EMSGSIZE, devtrace_emit_event(&out.event, sizeof(out) + 1));
	EXPECT_EQ(EINVAL, devtrace_emit_event(&out.event, sizeof(out.event) - 1));
	EXPECT_EQ(EINVAL, devtrace_emit_event(&out.event, 0));
}

/* Typical events of two integers: a block holds 288. */
TEST_F(lane, two_integers)
{
	for (int i = 0; i < 2 * 288 + 1; i++) {
		clock_ns += 131071;
		devtrace(TYPE, i, -i);
	}
	EXPECT_EQ(14, last()->bytes);
	EXPECT_EQ(2 * 288, newest.index);
	EXPECT_EQ(fake->lanes[0].first + 2, fake->lanes[0].head->open);
	EXPECT_EQ(clock_ns, newest.time);
	EXPECT_EQ(0, memcmp(newest.data, "\x04\x40\x02\0\0\x04\xc0\xfd\xff\xff", 10));
}

/* Check the bytes of an event with an optional number and a string, as far as it has them. */
static const char *string_wrong(const uint8_t *data, size_t len, bool number, int i, const char *s)
{
	const size_t n = strlen(s), at = number ? 5 : 0;

	if (len != at + n + 2)
		return "length";
	if (number && (data[0] != DEVTRACE_E_I32 || memcmp(data + 1, &i, sizeof(i))))
		return "number";
	if (data[at] != DEVTRACE_E_STR || memcmp(data + at + 1, s, n + 1))
		return "string";
	return NULL;
}

/* Strings of all lengths, alone and after another element, with and without a lane. */
TEST_F(lane, strings)
{
	const struct fake_event *e = fake->events;
	char text[300];
	const char *s = text;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		SKIP(return, "the numbers are those of the other byte order");
	for (int lane = 1; lane >= 0; lane--) {
		fake_into_lanes(lane);
		for (int i = 0; i < (int)sizeof(text); i++) {
			memset(text, 'a' + i % 26, sizeof(text));
			text[i] = 0;
			for (int number = 0; number < 2; number++) {
				fake->nr = 0;
				if (number)
					devtrace(TYPE, i, s);
				else
					devtrace(TYPE, s);
				if (lane) {
					ASSERT_EQ(2 * i + number + 1, in_lane(0));
					last();
					ASSERT_STREQ("", string_wrong(newest.data, newest.len, number, i, s) ?: "")
						TH_LOG("of %d bytes", i);
					continue;
				}
				ASSERT_EQ(1, fake->nr);
				ASSERT_STREQ("", string_wrong(e->bytes + 4, e->size - 4, number, i, s) ?: "")
					TH_LOG("of %d bytes", i);
			}
		}
	}
	EXPECT_EQ(0, devtrace_errors());
}

/* Many laps, and beyond the largest block number. */
TEST_F(lane, goes_round)
{
	uint64_t total;

	fake->lane_first = 0xfffffff0;
	for (int i = 0; i < ROUNDS; i++) {
		clock_ns += i % 1000 ? 90 : 200000;
		clock_by_counter(i % 4);
		ASSERT_EQ(0, emit(i));
		if (i % 64)
			continue;
		ASSERT_STREQ("", lane_verify(&fake->lanes[0], seed, &total) ?: "");
		ASSERT_EQ(i + 1, total);
	}
	EXPECT_GT(0x80000000, fake->lanes[0].head->open);
	EXPECT_EQ(clock_ns, last()->time);
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, fake->lanes[0].missed);
	/* Once per block except for the first. */
	EXPECT_EQ(fake->lanes[0].head->open - fake->lanes[0].first, fake->lanes[0].hands);
}

/* Emit events until this block is open. */
static int emit_to_block(uint64_t *n, uint32_t number)
{
	while (!fake->nr_lanes || (int32_t)(fake->lanes[0].head->open - number) < 0)
		if (emit((*n)++))
			return -1;
	return 0;
}

static long at_hand[3];
static unsigned int nr_at_hand;

static void count_in_lane(void)
{
	if (nr_at_hand < 3)
		at_hand[nr_at_hand++] = in_lane(0);
}

/* The event that begins the next block is complete when the full one is handed over. */
TEST_F(lane, handed_over_when_a_block_is_full)
{
	uint64_t n = 0;

	fake->in_hand = count_in_lane;
	errno = 1234;
	for (uint32_t block = 1; block <= 3; block++) {
		ASSERT_EQ(0, emit_to_block(&n, block));
		EXPECT_EQ(block, nr_at_hand);
		EXPECT_EQ(n, at_hand[block - 1]);
		EXPECT_EQ(block, fake->lanes[0].taken);
	}
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(0, fake->nr);
}

static void emit_in_hand(void)
{
	fake->in_hand = NULL;
	emit_plain();
}

/* The emit is finished then: a handler may use the lane. */
TEST_F(lane, handed_over_with_a_handler_over_it)
{
	uint64_t n = 0;

	ASSERT_EQ(0, emit_to_block(&n, 0));
	fake->in_hand = emit_in_hand;
	ASSERT_EQ(0, emit_to_block(&n, 1));
	EXPECT_EQ(n + 1, in_lane(0));
	EXPECT_EQ(TYPE, last()->type);
	EXPECT_EQ(0, fake->nr);
}

/* If a call fails, another one follows before the block is overwritten. */
TEST_F(lane, handed_over_before_it_is_overwritten)
{
	static const uint32_t sizes[] = { 2, 8 };

	for (int i = 0; i < 2; i++) {
		const uint32_t nr = sizes[i];
		struct fake_lane *l = &fake->lanes[i];
		uint64_t total, n = 0;

		ASSERT_EQ(0, devtrace_lane(nr * DEVTRACE_LANE_BLOCK));
		fake->hand_error = EINTR;
		while ((int32_t)(l->head->open - nr + 1) < 0)
			ASSERT_EQ(0, emit(n++));
		EXPECT_EQ(nr - 1, l->hands);
		EXPECT_EQ(0, l->taken);
		fake->hand_error = 0;
		while ((int32_t)(l->head->open - nr) < 0)
			ASSERT_EQ(0, emit(n++));
		EXPECT_EQ(nr, l->taken);
		EXPECT_EQ(0, l->missed);
		ASSERT_STREQ("", lane_verify(l, seed, &total) ?: "");
		EXPECT_EQ(n, total);
		/* one call before and one after */
		EXPECT_EQ(nr + 1, l->hands);
	}
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(0, fake->nr);
}

/* Handing over fails: the thread goes on writing and tries again, unless it is forbidden. */
TEST_F(lane, goes_on_when_handing_over_fails)
{
	static const struct {
		int error;
		bool again;
	} c[] = {
		{ EINTR, true }, { EIO, true }, { EPERM, false }, { EACCES, false },
		{ ENOSYS, false },
	};

	for (unsigned int i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct fake_lane *l = &fake->lanes[i];
		uint64_t total, n = 0;
		unsigned int hands;

		ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
		fake->hand_error = c[i].error;
		/* A filter of system calls refuses all calls alike. */
		fake->emit_error = c[i].again ? 0 : c[i].error;
		errno = 1234;
		while ((int32_t)l->head->open < 20 && n < ROUNDS * 10)
			ASSERT_EQ(0, emit(n++));
		ASSERT_EQ(20, l->head->open) TH_LOG("error %d", c[i].error);
		EXPECT_EQ(1234, errno);
		hands = l->hands;
		EXPECT_EQ(c[i].again, hands >= 20) TH_LOG("error %d", c[i].error);
		EXPECT_EQ(!c[i].again, hands <= 2) TH_LOG("error %d", c[i].error);
		/* The rest of the lane is intact. */
		EXPECT_STREQ("", lane_verify(l, seed, &total) ?: "");
		EXPECT_EQ(n, total);
		/* The device is not opened again for that. */
		EXPECT_EQ(1, fake->opens) TH_LOG("error %d", c[i].error);
		EXPECT_EQ(c[i].again, !l->head->no_calls) TH_LOG("error %d", c[i].error);
		fake->hand_error = 0;
		fake->emit_error = 0;
		while ((int32_t)l->head->open < 40)
			ASSERT_EQ(0, emit(n++));
		if (!c[i].again) {
			EXPECT_EQ(hands, l->hands) TH_LOG("error %d", c[i].error);
			continue;
		}
		/* For each block that was not, one was overwritten. */
		EXPECT_EQ(40, l->taken);
		EXPECT_EQ(19, l->missed);
		EXPECT_STREQ("", lane_verify(l, seed, &total) ?: "");
		EXPECT_EQ(n, total);
	}
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(0, fake->nr);
}

TEST_F(lane, makes_no_calls)
{
	uint64_t total, n = 0;

	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN | DEVTRACE_LANE_NO_CALLS));
	EXPECT_EQ(DEVTRACE_LANE_NO_CALLS, fake->lanes[0].flags);
	ASSERT_EQ(0, emit_to_block(&n, 20));
	EXPECT_EQ(0, fake->lanes[0].hands);
	EXPECT_STREQ("", lane_verify(&fake->lanes[0], seed, &total) ?: "");
	EXPECT_EQ(n, total);
	/* The administrator's default size. */
	fake->lane_bytes = 4 * DEVTRACE_LANE_MIN;
	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_NO_CALLS));
	EXPECT_EQ(DEVTRACE_LANE_NO_CALLS, fake->lanes[1].flags);
	EXPECT_EQ(8, fake->lanes[1].nr);
	EXPECT_EQ(0, fake->nr);
}

/* A daemon closes all descriptors: the library hands over by another one. */
TEST_F(lane, handed_over_by_a_new_connection)
{
	uint64_t n = 0;

	ASSERT_EQ(0, emit_to_block(&n, 0));
	close(devtrace_fd());
	ASSERT_EQ(0, emit_to_block(&n, 5));
	EXPECT_EQ(2, fake->opens);
	EXPECT_EQ(5, fake->lanes[0].taken);
	/* Some emulators return ENOSYS without checking the descriptor. */
	fake->no_device_error = ENOSYS;
	close(devtrace_fd());
	ASSERT_EQ(0, emit_to_block(&n, 10));
	EXPECT_EQ(3, fake->opens);
	EXPECT_EQ(10, fake->lanes[0].taken);
	EXPECT_EQ(0, fake->lanes[0].missed);
	EXPECT_EQ(n, in_lane(0));
	EXPECT_EQ(0, devtrace_errors());
}

/* The block has the CPU that the C library tells; a record has it only if it differs. */
TEST_F(lane, cpu_of_an_event)
{
	static const uint32_t cpus[] = { 3, 3, 4, 0xfffe, 0, 0, 0xffffffff, 5 };
	static const unsigned int bytes[] = { 4, 4, 8, 8, 8, 4, 8, 8 };
	uint32_t cpu = cpus[0];
	uint64_t n = 0;

	ASSERT_EQ(0, emit_plain());
	/* Not every C library tells it. */
	if (last()->cpu != DEVTRACE_LANE_NO_CPU)
		EXPECT_EQ(sched_getcpu(), newest.cpu);
	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	dt_lane_mine.cpu_now = &cpu;
	for (unsigned int i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		uint64_t total;

		cpu = cpus[i];
		ASSERT_EQ(0, emit_plain());
		ASSERT_STREQ("", lane_parse(&fake->lanes[1], &total, keep_newest, NULL) ?: "");
		EXPECT_EQ(i + 1, total);
		EXPECT_EQ(cpu & 0xffff, newest.cpu);
		EXPECT_EQ(bytes[i], newest.bytes) TH_LOG("event %u", i);
	}
	/* Also at the end of a block, and with each form. */
	ASSERT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	dt_lane_mine.cpu_now = &cpu;
	while (n < 3000) {
		uint64_t total;

		cpu = rand() % 3;
		clock_ns += rand() % 4 ? 50 : 1 << rand() % 25;
		clock_by_counter(rand() % 4);
		ASSERT_EQ(0, emit(n++));
		ASSERT_STREQ("", lane_parse(&fake->lanes[2], &total, keep_newest, NULL) ?: "");
		ASSERT_EQ(cpu, newest.cpu);
		if (n % 64)
			continue;
		ASSERT_STREQ("", lane_verify(&fake->lanes[2], seed, &total) ?: "");
		ASSERT_EQ(n, total);
	}
	EXPECT_EQ(0, fake->nr);
}

TEST_F(lane, time_does_not_go_back)
{
	clock_ns = 5000;
	ASSERT_EQ(0, emit_plain());
	clock_ns = 4000;
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(5000, last()->time);
	clock_ns = 5001;
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(5001, last()->time);
	EXPECT_EQ(3, in_lane(0));
}

/* Events that the kernel would refuse go to the kernel. */
TEST_F(lane, bad_events_are_the_kernels)
{
	unsigned int good = 0;

	for (unsigned int type = 0; type < 256; type++) {
		const struct devtrace_emit e = { .type = type };

		ASSERT_EQ(0, devtrace_emit_event(&e, sizeof(e)));
		/* Like devtrace_type_is_emittable(), in words of its own. */
		good += type && type != DEVTRACE_T_ENUM &&
			(type < DEVTRACE_T_CLOCK || type > DEVTRACE_T_PROC) &&
			(type < DEVTRACE_T_KERNEL || type >= DEVTRACE_T_USER2) &&
			type != DEVTRACE_T_NAMED;
		EXPECT_EQ(good, in_lane(0)) TH_LOG("type %u", type);
	}
	EXPECT_EQ(256 - good, fake->nr);
	for (unsigned int x = 0; x < 256; x++) {
		const struct devtrace_emit severity = { .type = TYPE, .severity = x };
		const struct devtrace_emit flags = { .type = TYPE, .flags = x };
		const struct devtrace_emit reserved = { .type = TYPE, .reserved = x };
		bool ok = !x || x >> 3 == 1;

		devtrace_emit_event(&severity, sizeof(severity));
		EXPECT_EQ(good += ok, in_lane(0)) TH_LOG("severity %u", x);
		devtrace_emit_event(&flags, sizeof(flags));
		EXPECT_EQ(good += !x || x == DEVTRACE_F_PTR, in_lane(0)) TH_LOG("flags %u", x);
		devtrace_emit_event(&reserved, sizeof(reserved));
		EXPECT_EQ(good += !x, in_lane(0)) TH_LOG("reserved %u", x);
	}
}

TEST_F(lane, only_what_the_page_allows)
{
	fake_into_lanes(0);
	for (unsigned int type = TYPE; type < TYPE + 4; type++) {
		const struct devtrace_emit e = { .type = type };

		ASSERT_EQ(0, devtrace_emit_event(&e, sizeof(e)));
	}
	EXPECT_EQ(0, fake->asked);
	EXPECT_EQ(4, fake->nr);
	fake_into_lane(TYPE, 1);
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	fake_into_lane(TYPE, 0);
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	EXPECT_EQ(5, fake->nr);
}

/* 0 if the event was emitted. */
static int emit_severity(uint8_t severity)
{
	const struct devtrace_emit e = { .type = TYPE, .severity = severity };

	return devtrace_emit_event(&e, sizeof(e));
}

TEST_F(lane, severe_events_by_call)
{
	/* The first event connects; the filter is unknown before. */
	ASSERT_EQ(0, emit_plain());
	for (uint8_t severity = DEVTRACE_SW0; severity <= DEVTRACE_HW3; severity++)
		ASSERT_EQ(0, emit_severity(severity));
	EXPECT_EQ(9, in_lane(0));
	EXPECT_EQ(0, fake->nr);
	fake_page()->severe = 1 << DEVTRACE_SW2 | 1 << DEVTRACE_SW3 |
			      1 << DEVTRACE_HW2 | 1 << DEVTRACE_HW3;
	for (uint8_t severity = DEVTRACE_SW0; severity <= DEVTRACE_HW3; severity++)
		ASSERT_EQ(0, emit_severity(severity));
	EXPECT_EQ(13, in_lane(0));
	EXPECT_EQ(4, fake->nr);
	/* A sandbox refuses the call, or calls are forbidden. */
	fake->emit_error = EPERM;
	ASSERT_EQ(0, emit_severity(DEVTRACE_SW3));
	EXPECT_EQ(14, in_lane(0));
	EXPECT_EQ(4, fake->nr);
	fake->emit_error = 0;
	dt_lane_mine.calls = false;
	ASSERT_EQ(0, emit_severity(DEVTRACE_SW3));
	EXPECT_EQ(15, in_lane(0));
	EXPECT_EQ(4, fake->nr);
}

TEST_F(lane, older_module)
{
	fake_page()->size = offsetof(struct devtrace_control, lanes);
	fake_into_lanes(0);
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(0, fake->asked);
	EXPECT_EQ(1, fake->nr);
	fake->lane_error = ENOTTY;
	EXPECT_EQ(ENOTTY, devtrace_lane(DEVTRACE_LANE_MIN));
	EXPECT_EQ(1, fake->opens);
	EXPECT_EQ(1, devtrace_errors());
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(2, fake->nr);
}

static const int refusals[] = { ENOSPC, ENOTTY, ENOMEM, EMFILE, EINTR };

TEST_F(lane, none_to_be_had)
{
	for (unsigned int i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		fake->lane_error = refusals[i];
		errno = 1234;
		for (int n = 0; n < 5; n++)
			EXPECT_EQ(0, emit_plain());
		EXPECT_EQ(1234, errno);
		EXPECT_EQ(i + 1, fake->asked);
		EXPECT_EQ(5 * (i + 1), fake->nr);
		EXPECT_EQ(0, devtrace_open());
	}
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(1, fake->opens);
	fake->lane_error = 0;
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
}

TEST_F(lane, closed_by_the_kernel)
{
	uint64_t total;

	for (int i = 0; i < 400; i++)
		ASSERT_EQ(0, emit(i));
	fake_close_lane(&fake->lanes[0]);
	errno = 1234;
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(3, fake->nr);
	EXPECT_STREQ("", lane_verify(&fake->lanes[0], seed, &total) ?: "");
	EXPECT_EQ(400, total);
	EXPECT_EQ(1, fake->asked);
	EXPECT_EQ(0, fake->lanes[0].mapped);
	ASSERT_EQ(0, devtrace_open());
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(1));
}

/* The program overwrites its lane by mistake: later events are still at the right place. */
TEST_F(lane, nothing_is_read_back)
{
	static const uint8_t fills[] = { 0, 0xff, 0x5a };
	const size_t bytes = DEVTRACE_LANE_MIN;
	uint64_t total, n = 0;
	uint32_t open, used, word;

	for (int round = 0; round < 8; round++) {
		struct fake_lane *l = &fake->lanes[0];
		struct devtrace_lane_block *b;
		const int fill = round < 3 ? fills[round] : rand();

		for (int i = 0; i < 10 + 100 * round; i++)
			ASSERT_EQ(0, emit(n++));
		do {
			ASSERT_EQ(0, emit(n++));
			open = l->head->open;
			b = (void *)(l->blocks + (size_t)(open % 2) * DEVTRACE_LANE_BLOCK);
			used = b->used;
		} while (used > DEVTRACE_LANE_BLOCK - sizeof(word));
		for (size_t i = 0; i < bytes; i++)
			l->blocks[i] = round < 3 ? fill : rand();
		/* Keep the kernel's state, and bytes that the library never writes. */
		l->head->state = DEVTRACE_LANE_OPEN;
		for (uint32_t i = 0; i < 2; i++)
			memset(((struct devtrace_lane_block *)
				(l->blocks + i * DEVTRACE_LANE_BLOCK))->reserved, 0,
			       sizeof(b->reserved));
		/* The event is at its place in this block, */
		ASSERT_EQ(0, emit_plain());
		n++;
		EXPECT_EQ(used + sizeof(word), b->used) TH_LOG("round %d", round);
		memcpy(&word, (uint8_t *)b + used, sizeof(word));
		EXPECT_EQ(TYPE << DEVTRACE_LANE_TYPE_SHIFT, word);
		/* and so are all that follow; the overwritten part disappears. */
		for (int i = 0; i < 1000; i++)
			ASSERT_EQ(0, emit(n++));
		ASSERT_STREQ("", lane_verify(l, seed, &total) ?: "") TH_LOG("round %d", round);
		EXPECT_EQ(n, total);
		EXPECT_LT(10, l->head->open - open);
		EXPECT_GT(1000, l->head->open - open);
		EXPECT_EQ(l->head->open, l->taken);
		EXPECT_EQ(0, l->missed);
		EXPECT_EQ(0, l->head->busy);
	}
	EXPECT_EQ(1, fake->asked);
	EXPECT_EQ(0, fake->nr);
}

/* The lane has 2 blocks; a wrong size is refused, and nothing stays mapped. */
TEST_F(lane, size_that_makes_no_sense)
{
	static const uint32_t said[] = {
		0, 1, 4095, 4096, 3 * 4096, 65 * 4096, 128 * 4096, 0x1000000, 0x80000000, 0xffffffff,
	};

	for (unsigned int i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		fake->lane_lie = said[i] ^ DEVTRACE_LANE_MIN;
		EXPECT_EQ(EPROTO, devtrace_lane(DEVTRACE_LANE_MIN)) TH_LOG("%u bytes", said[i]);
		EXPECT_EQ(0, fake->lanes[i].mapped);
		EXPECT_EQ(0, emit_plain());
		EXPECT_EQ(i + 1, fake->nr);
	}
	fake->lane_lie = 0;
	EXPECT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(sizeof(said) / sizeof(said[0])));
}

TEST_F(lane, closed_and_opened_by_the_program)
{
	ASSERT_EQ(0, emit_plain());
	devtrace_close();
	EXPECT_FALSE(devtrace_enabled(TYPE));
	EXPECT_EQ(ENODEV, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	ASSERT_EQ(0, devtrace_open());
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(2, in_lane(0));
	EXPECT_EQ(1, fake->asked);
}

TEST_F(lane, asked_for_by_the_program)
{
	errno = 1234;
	EXPECT_EQ(0, devtrace_lane(100000));
	EXPECT_EQ(1, fake->nr_lanes);
	EXPECT_EQ(1, fake->lanes[0].mapped);
	EXPECT_EQ(32, fake->lanes[0].nr);
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	/* A larger lane replaces it. */
	EXPECT_EQ(0, devtrace_lane(DEVTRACE_LANE_MAX));
	EXPECT_EQ(0, fake->lanes[0].mapped);
	EXPECT_EQ(64, fake->lanes[1].nr);
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
	EXPECT_EQ(1, in_lane(1));
	EXPECT_EQ(0, devtrace_errors());
	/* No lane from now on. */
	EXPECT_EQ(0, devtrace_lane(0));
	EXPECT_EQ(0, devtrace_open());
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, fake->nr);
	EXPECT_EQ(2, fake->asked);
	/* Invalid sizes. */
	EXPECT_EQ(EINVAL, devtrace_lane(DEVTRACE_LANE_MIN - 1));
	EXPECT_EQ(EINVAL, devtrace_lane(SIZE_MAX));
	EXPECT_EQ(2, devtrace_errors());
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(2, fake->nr);
	EXPECT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	ASSERT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(2));
	/* Sizes above the limit give the largest lane. */
	EXPECT_EQ(0, devtrace_lane(16 << 20));
	EXPECT_EQ(64, fake->lanes[3].nr);
	EXPECT_EQ(EINVAL, devtrace_lane((16 << 20) + 2));
	EXPECT_EQ(1234, errno);
}

TEST_F(lane, without_a_device)
{
	fake->open_error = ENOENT;
	EXPECT_EQ(ENODEV, emit_plain());
	EXPECT_EQ(ENODEV, devtrace_lane(DEVTRACE_LANE_MIN));
	EXPECT_EQ(0, fake->asked);
	EXPECT_EQ(1, fake->opens);
	fake->open_error = 0;
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
}

/* Without a usable counter, reading it would crash the program. */
TEST_F(lane, none_without_the_counter)
{
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		SKIP(return, "this machine has no counter that can be forbidden");
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(0, fake->asked);
	EXPECT_EQ(1, fake->nr);
	EXPECT_EQ(ENOTSUP, devtrace_lane(DEVTRACE_LANE_MIN));
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	EXPECT_EQ(0, devtrace_lane(DEVTRACE_LANE_MIN));
	EXPECT_EQ(0, emit_plain());
	EXPECT_EQ(1, in_lane(0));
}

#define main harness_main

TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	const char *s = getenv("SEED");

	fake_start(argv);
	seed = s && *s ? strtoull(s, NULL, 0) : (uint64_t)time(NULL);
	srand(seed);
	printf("# SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return harness_main(argc, argv);
}
