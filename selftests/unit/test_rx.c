// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rx.c - the receive channel: each request, and refused ones
 *
 * rx_served.h has the program. The device is that of fakedev.h, which shows the replies in the
 * trace. test_rx_users.c tests which processes reach the program.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "fakedev.h"
#include "kselftest_harness.h"
#include "rx_served.h"
#include "teststream.h"

static bool guards_stand(void)
{
	int i;

	for (i = 0; i < GUARD; i++)
		if (memory.before[i] != 0xaa || memory.after[i] != 0xaa)
			return false;
	return true;
}

#define ASK(request, bytes)	ask(self->h, request, bytes, sizeof(bytes) - 1)

static int current(struct devtrace_rx_host *h, uint8_t kind, const char *name)
{
	uint8_t b[64] = { kind };

	memcpy(b + 9, name, strlen(name) + 1);
	return ask(h, DEVTRACE_RX_CURRENT, b, 10 + strlen(name));
}

FIXTURE(rx) {
	struct devtrace_rx_host *h;
};

FIXTURE_SETUP(rx)
{
	fake_reset();
	fake->lane_error = EPERM;	/* events come by system call, in order */
	devtrace_open();
	ASSERT_EQ(0, open_all(DEVTRACE_RX_THREAD));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &self->h));
	fake->nr = 0;
}

FIXTURE_TEARDOWN(rx)
{
	devtrace_rx_disconnect(self->h);
	devtrace_rx_close();
	devtrace_rx_forget(memory.object);
	devtrace_rx_forget(ao);
	devtrace_rx_forget(sm);
	EXPECT_TRUE(guards_stand());
}

/* True if event @n has this type and these elements. */
static bool event_is(unsigned int n, uint8_t type, const char *data, size_t len)
{
	const struct fake_event *e = &fake->events[n];

	return n < fake->nr && e->bytes[0] == type && e->size == 4 + len &&
	       !memcmp(e->bytes + 4, data, len);
}
#define EVENT(n, type, data)	EXPECT_TRUE(event_is(n, type, data, sizeof(data) - 1))

TEST_F(rx, command_with_up_to_three_numbers)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\3\1\0\0\0\2\0\0\0\377\377\377\377"));
	EXPECT_EQ(3, calls->command);
	EXPECT_EQ(1, calls->p[0]);
	EXPECT_EQ(2, calls->p[1]);
	EXPECT_EQ(0xffffffff, calls->p[2]);
	EVENT(0, 90, "\1\1");
	EVENT(1, 89, "\1\1");
	EXPECT_EQ(0, ASK(DEVTRACE_RX_COMMAND, "\4"));
	EXPECT_EQ(4, calls->command);
	EXPECT_EQ(0, calls->p[0]);
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_COMMAND, ""));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_COMMAND, "\4\1"));
	EVENT(4, 90, "\1\320");
	EXPECT_EQ(2, calls->commands);
}

TEST_F(rx, info_reset_tick_and_tests)
{
	EXPECT_EQ(0, ASK(DEVTRACE_RX_INFO, ""));
	EXPECT_EQ(815, answer.data[0] | answer.data[1] << 8);
	EXPECT_STREQ(program_invocation_short_name, (char *)answer.data + 2);
	EXPECT_EQ(88, fake->events[0].bytes[0]);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_RESET, ""));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_TICK, "\1"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_SETUP, ""));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_TEARDOWN, ""));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_TICK, ""));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_RESET, "x"));
	EXPECT_EQ(1, calls->resets);
	EXPECT_EQ(1, calls->ticks);
	EXPECT_EQ(1, calls->rate);
	EXPECT_EQ(1, calls->setups);
	EXPECT_EQ(1, calls->teardowns);
	EXPECT_EQ(DEVTRACE_RX_UNKNOWN, ASK(17, ""));
	EVENT(fake->nr - 1, 90, "\1\303");
}

TEST_F(rx, peek_poke_and_fill_stay_in_the_object)
{
	static const struct { uint8_t request; const char *p; size_t n; int want; } all[] = {
		{ DEVTRACE_RX_PEEK, "\0\0\1\20", 4, DEVTRACE_RX_OK },
		{ DEVTRACE_RX_PEEK, "\0\0\1\21", 4, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_PEEK, "\17\0\1\1", 4, DEVTRACE_RX_OK },
		{ DEVTRACE_RX_PEEK, "\17\0\2\1", 4, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_PEEK, "\20\0\1\1", 4, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_PEEK, "\377\377\4\377", 4, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_PEEK, "\0\0\3\1", 4, DEVTRACE_RX_BAD },
		{ DEVTRACE_RX_PEEK, "\0\0\10\1", 4, DEVTRACE_RX_BAD },
		{ DEVTRACE_RX_PEEK, "\0\0\1\0", 4, DEVTRACE_RX_BAD },
		{ DEVTRACE_RX_PEEK, "\0\0\1", 3, DEVTRACE_RX_BAD },
		{ DEVTRACE_RX_PEEK, "\0\0\1\1\1", 5, DEVTRACE_RX_BAD },
		{ DEVTRACE_RX_POKE, "\17\0\1\1\1\1", 6, DEVTRACE_RX_BAD },
		{ DEVTRACE_RX_POKE, "\17\0\2\1\1\1", 6, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_POKE, "\20\0\1\1\1", 5, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_FILL, "\0\0\4\5\1\2\3\4", 8, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_FILL, "\15\0\1\4\1", 5, DEVTRACE_RX_BOUNDS },
		{ DEVTRACE_RX_FILL, "\0\0\4\4\1\2", 6, DEVTRACE_RX_BAD },
	};
	unsigned int i;

	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ASK(DEVTRACE_RX_PEEK, "\0\0\1\1"));
	EVENT(0, 90, "\1\204");
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AP, "motor"));
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		EXPECT_EQ(all[i].want, ask(self->h, all[i].request, all[i].p, all[i].n))
			TH_LOG("row %d", i);
	for (i = 0; i < 16; i++)
		EXPECT_EQ(i + 1, memory.object[i]);
	fake->nr = 0;
	EXPECT_EQ(0, ASK(DEVTRACE_RX_PEEK, "\2\0\2\2"));
	EXPECT_EQ(4, answer.len);
	EVENT(0, 92, "\3\2\0\1\2\1\2\x09\4\3\4\5\6");
	EXPECT_EQ(0, ASK(DEVTRACE_RX_POKE, "\4\0\4\1\1\2\3\4"));
	EXPECT_EQ(0x04030201, *(uint32_t *)(memory.object + 4));
	EVENT(1, 90, "\1\5");
	EXPECT_EQ(0, ASK(DEVTRACE_RX_FILL, "\0\0\2\10\52\53"));
	for (i = 0; i < 16; i += 2)
		EXPECT_EQ(0x2b2a, memory.object[i] | memory.object[i + 1] << 8);
}

TEST_F(rx, only_objects_of_the_program_become_current)
{
	uint8_t b[9] = { DEVTRACE_RX_AP };
	uintptr_t address = (uintptr_t)&memory.before;
	int i;

	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, current(self->h, DEVTRACE_RX_AP, "table"));
	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, current(self->h, DEVTRACE_RX_AO, "motor"));
	EXPECT_EQ(DEVTRACE_RX_BAD, current(self->h, 8, "motor"));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_CURRENT, "\5\0\0\0\0\0\0\0\0motor"));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_CURRENT, "\5\0\0\0\0\0\0\0\0"));
	for (i = 0; i < 8; i++)
		b[1 + i] = (uint8_t)((uint64_t)address >> 8 * i);
	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ask(self->h, DEVTRACE_RX_CURRENT, b, 9));
	address = (uintptr_t)memory.object;
	for (i = 0; i < 8; i++)
		b[1 + i] = (uint8_t)((uint64_t)address >> 8 * i);
	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_CURRENT, b, 9));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_PEEK, "\0\0\1\1"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_SM_AO, "philo"));
	/* After that it cannot be accessed. */
	devtrace_rx_forget(memory.object);
	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ASK(DEVTRACE_RX_PEEK, "\0\0\1\1"));
}

TEST_F(rx, events_go_to_the_current_object)
{
	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ASK(DEVTRACE_RX_EVENT, "\375\7\0\0\0\0\0"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\0\7\0\0\0\3\0abc"));
	EXPECT_EQ(DEVTRACE_RX_PUBLISH, calls->to);
	EXPECT_EQ(7, calls->sig);
	EXPECT_EQ(3, calls->len);
	EXPECT_EQ(0, memcmp("abc", calls->params, 3));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AO, "philo"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_SM, "table"));
	fake->nr = 0;
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\375\10\0\0\0\0\0"));
	EXPECT_EQ(&ao[0], (char *)calls->object);
	EVENT(0, 90, "\1\20");
	EVENT(1, 89, "\1\20");
	EXPECT_EQ(0, ASK(DEVTRACE_RX_EVENT, "\377\10\0\0\0\0\0"));
	EXPECT_EQ(&sm[0], (char *)calls->object);
	EXPECT_EQ(DEVTRACE_RX_REFUSED, ASK(DEVTRACE_RX_EVENT, "\5\232\2\0\0\0\0"));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_EVENT, "\5\1\0\0\0\4\0abc"));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_EVENT, "\5\1\0\0\0\377"));
	EXPECT_EQ(4, calls->events);
}

TEST_F(rx, queries_and_filters)
{
	uint8_t b[9] = { 1 };
	int i;

	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ASK(DEVTRACE_RX_QUERY, "\1"));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_QUERY, "\6"));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AO, "philo"));
	fake->nr = 0;
	EXPECT_EQ(0, ASK(DEVTRACE_RX_QUERY, "\1"));
	EXPECT_EQ(2 + 9 + 6, answer.len);
	EXPECT_EQ(91, fake->events[0].bytes[0]);
	EXPECT_EQ(0, memcmp(fake->events[0].bytes + 4, answer.data, answer.len));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_GLB_FILTER, "\20abcdefghijklmnop"));
	EXPECT_EQ(DEVTRACE_RX_GLB_FILTER, calls->request);
	EXPECT_EQ(0, memcmp("abcdefghijklmnop", calls->bits, 16));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_LOC_FILTER, "\20abcdefghijklmnop"));
	EXPECT_EQ(DEVTRACE_RX_LOC_FILTER, calls->request);
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_GLB_FILTER, "\21abcdefghijklmnop"));
	EXPECT_EQ(DEVTRACE_RX_BAD, ASK(DEVTRACE_RX_GLB_FILTER, "\20abcdefghijklmno"));
	for (i = 0; i < 8; i++)
		b[1 + i] = (uint8_t)((uint64_t)(uintptr_t)ao >> 8 * i);
	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_OBJ_FILTER, b, 9));
	EXPECT_EQ(&ao[0], (char *)calls->object);
	EXPECT_TRUE(calls->remove);
	b[1] ^= 1;
	EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ask(self->h, DEVTRACE_RX_OBJ_FILTER, b, 9));
}

static void *pausing(void *arg)
{
	*(bool *)arg = devtrace_rx_pause();
	return NULL;
}

TEST_F(rx, probes_are_taken_once_and_pauses_end)
{
	uint8_t b[12] = { 42 };
	bool paused = false;
	pthread_t t;
	uint32_t v = 0;
	int i;

	for (i = 0; i < 8; i++)
		b[4 + i] = (uint8_t)((uint64_t)(uintptr_t)&ask >> 8 * i);
	EXPECT_FALSE(devtrace_rx_probe((void *)&ask, &v));
	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_PROBE, b, 12));
	b[0] = 43;
	EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_PROBE, b, 12));
	EXPECT_FALSE(devtrace_rx_probe((void *)&current, &v));
	EXPECT_TRUE(devtrace_rx_probe((void *)&ask, &v));
	EXPECT_EQ(42, v);
	EXPECT_EQ(83, fake->events[fake->nr - 1].bytes[0]);
	EXPECT_TRUE(devtrace_rx_probe((void *)&ask, &v));
	EXPECT_EQ(43, v);
	EXPECT_FALSE(devtrace_rx_probe((void *)&ask, &v));
	for (i = 0; i < 64; i++)
		EXPECT_EQ(0, ask(self->h, DEVTRACE_RX_PROBE, b, 12));
	EXPECT_EQ(DEVTRACE_RX_BUSY, ask(self->h, DEVTRACE_RX_PROBE, b, 12));
	while (devtrace_rx_probe((void *)&ask, &v))
		;
	fake->nr = 0;
	fake->events[0].size = 0;
	ASSERT_EQ(0, pthread_create(&t, NULL, pausing, &paused));
	/* It is counted before it is complete. */
	while (!__atomic_load_n(&fake->events[0].size, __ATOMIC_ACQUIRE))
		sched_yield();
	EVENT(0, 82, "");
	EXPECT_EQ(0, ASK(DEVTRACE_RX_CONTINUE, ""));
	pthread_join(t, NULL);
	EXPECT_TRUE(paused);
}

TEST_F(rx, two_hosts_have_objects_of_their_own)
{
	static uint8_t other[4] = { 77 };
	struct devtrace_rx_host *b, *more[8];
	int i;

	devtrace_rx_object(DEVTRACE_RX_AP, other, 4, "other");
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &b));
	EXPECT_EQ(0, current(self->h, DEVTRACE_RX_AP, "motor"));
	/* The last current object applies to hosts that have not set one. */
	EXPECT_EQ(0, ask(b, DEVTRACE_RX_PEEK, "\0\0\1\1", 4));
	EXPECT_EQ(1, answer.data[0]);
	EXPECT_EQ(0, current(b, DEVTRACE_RX_AP, "other"));
	EXPECT_EQ(0, ASK(DEVTRACE_RX_PEEK, "\0\0\1\1"));
	EXPECT_EQ(1, answer.data[0]);
	EXPECT_EQ(0, ask(b, DEVTRACE_RX_PEEK, "\0\0\1\1", 4));
	EXPECT_EQ(77, answer.data[0]);
	EXPECT_EQ(DEVTRACE_RX_BOUNDS, ask(b, DEVTRACE_RX_PEEK, "\4\0\1\1", 4));
	/* Eight hosts are accepted; the next is refused, and these go on. */
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, devtrace_rx_connect(getpid(), &more[i]));
	EXPECT_EQ(0, ask(more[5], DEVTRACE_RX_INFO, NULL, 0));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &more[6]));
	EXPECT_EQ(DEVTRACE_RX_BUSY, ask(more[6], DEVTRACE_RX_INFO, NULL, 0));
	EXPECT_EQ(0, ask(b, DEVTRACE_RX_INFO, NULL, 0));
	for (i = 0; i < 7; i++)
		devtrace_rx_disconnect(more[i]);
	devtrace_rx_disconnect(b);
	devtrace_rx_forget(other);
}

static int connect_raw(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), file = file_of(getpid());

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d", file);
	if (connect(fd, (void *)&a, sizeof(a)))
		abort();
	close(file);
	return fd;
}

TEST_F(rx, anything_is_answered_or_ends_the_connection)
{
	struct rng r = { .state = test_seed("test_rx") };
	uint8_t b[3000], got[2048];
	int i, fd = connect_raw(), answered = 0;

	for (i = 0; i < 10000; i++) {
		size_t len = rng_below(&r, 40), k;

		if (i % 100 == 0)
			len = rng_below(&r, sizeof(b));
		if (!len)
			len = 1;
		for (k = 0; k < len; k++)
			b[k] = (uint8_t)rng_next(&r);
		/* Most are almost valid. */
		if (i % 10) {
			b[0] = 1;
			b[1] = (uint8_t)rng_below(&r, 18);
		}
		/* This request would wait without end. */
		ASSERT_EQ((ssize_t)len, send(fd, b, len, 0));
		ASSERT_LT(0, recv(fd, got, sizeof(got), 0));
		answered++;
	}
	EXPECT_EQ(10000, answered);
	close(fd);
	EXPECT_EQ(0, ASK(DEVTRACE_RX_INFO, ""));
}

static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = -2;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* A program that traces and is linked with the library, but opens no channel. */
TEST(nothing_listens_unless_it_is_asked_for)
{
	const int before = threads();
	struct devtrace_rx_host *h;
	uint32_t v;

	fake_reset();
	devtrace_open();
	devtrace_text("hello");
	devtrace_rx_object(DEVTRACE_RX_AP, &memory, sizeof(memory), "off");
	EXPECT_FALSE(devtrace_rx_pause());
	EXPECT_FALSE(devtrace_rx_probe((void *)&threads, &v));
	EXPECT_EQ(0, devtrace_rx_serve());
	EXPECT_EQ(-1, devtrace_rx_fd());
	EXPECT_EQ(before, threads());
	EXPECT_EQ(ECONNREFUSED, devtrace_rx_listens(getpid()));
	EXPECT_EQ(ECONNREFUSED, devtrace_rx_connect(getpid(), &h));
	devtrace_rx_forget(&memory);
}

TEST(without_a_thread_a_program_asks_by_a_descriptor)
{
	struct devtrace_rx_host *h;
	struct pollfd p;
	pid_t child;
	int status;

	EXPECT_EQ(-1, devtrace_rx_fd());
	ASSERT_EQ(0, open_all(0));
	EXPECT_EQ(EALREADY, devtrace_rx_open(&ops, NULL, 0));
	p = (struct pollfd){ .fd = devtrace_rx_fd(), .events = POLLIN };
	EXPECT_EQ(0, poll(&p, 1, 0));
	EXPECT_EQ(0, devtrace_rx_serve());
	child = fork();
	if (!child) {
		/* The child of a program has no channel. */
		if (devtrace_rx_fd() != -1 || devtrace_rx_connect(getppid(), &h))
			_exit(1);
		_exit(ask(h, DEVTRACE_RX_COMMAND, "\3", 1));
	}
	while (!devtrace_rx_serve())
		ASSERT_EQ(1, poll(&p, 1, SECOND));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(3, calls->command);
	devtrace_rx_close();
	EXPECT_EQ(ECONNREFUSED, devtrace_rx_connect(getpid(), &h));
}

static void closing(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3)
{
	devtrace_rx_close();
	if (command)
		calls->ticks = devtrace_rx_open(NULL, NULL, DEVTRACE_RX_THREAD);
	calls->commands++;
}

/* Its thread ends, and does not serve a channel that was opened anew. */
TEST(a_command_closes_the_channel)
{
	static const struct devtrace_rx_ops closes = { .size = sizeof(closes), .command = closing };
	struct devtrace_rx_host *h;
	uint8_t anew;

	fake_reset();
	for (anew = 0; anew < 2; anew++) {
		const int before = threads();

		memset(calls, 0, sizeof(*calls));
		ASSERT_EQ(0, devtrace_rx_open(&closes, NULL, DEVTRACE_RX_THREAD));
		ASSERT_EQ(0, devtrace_rx_connect(getpid(), &h));
		ask(h, DEVTRACE_RX_COMMAND, &anew, 1);
		while (!__atomic_load_n(&calls->commands, __ATOMIC_ACQUIRE))
			sched_yield();
		EXPECT_EQ(0, calls->ticks);
		/* A thread without end reaches the limit of the test. */
		while (threads() != before + anew)
			sched_yield();
		devtrace_rx_disconnect(h);
		devtrace_rx_close();
	}
}

TEST(who_was_not_asked_is_told)
{
	struct devtrace_rx_host *h;
	unsigned int asked = 0;
	int err;

	fake_reset();
	memset(calls, 0, sizeof(*calls));
	ASSERT_EQ(0, open_all(0));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &h));
	do
		err = devtrace_rx_call(h, DEVTRACE_RX_TICK, "\0", 1, 0, &answer);
	while (err == ETIMEDOUT && ++asked < 10000);
	ASSERT_EQ(EAGAIN, err);
	EXPECT_LT(0U, asked);
	while (calls->ticks < asked)
		devtrace_rx_serve();
	devtrace_rx_serve();
	EXPECT_EQ(asked, calls->ticks);
	devtrace_rx_disconnect(h);
	devtrace_rx_close();
}

/* While the program is in a callback, its host leaves and another one takes the slot. */
static struct devtrace_rx_host *leaver;
static int successor = -1;

static void left_alone(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3)
{
	static const uint8_t go_on[] = { 1, DEVTRACE_RX_CONTINUE, 7, 0 };

	devtrace_rx_disconnect(leaver);
	devtrace_rx_serve();
	successor = connect_raw();
	if (send(successor, go_on, sizeof(go_on), 0) != sizeof(go_on))
		abort();
	calls->ticks = devtrace_rx_pause();
}

TEST(an_answer_is_for_who_asked)
{
	static const struct devtrace_rx_ops pauses = {
		.size = sizeof(pauses), .command = left_alone,
	};
	struct pollfd p = { .events = POLLIN };
	uint8_t got[64];

	fake_reset();
	memset(calls, 0, sizeof(*calls));
	ASSERT_EQ(0, devtrace_rx_open(&pauses, NULL, 0));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &leaver));
	EXPECT_EQ(ETIMEDOUT, devtrace_rx_call(leaver, DEVTRACE_RX_COMMAND, "\1", 1, 0, &answer));
	p.fd = devtrace_rx_fd();
	while (successor < 0) {
		ASSERT_EQ(1, poll(&p, 1, SECOND));
		devtrace_rx_serve();
	}
	EXPECT_EQ(1, calls->ticks);
	EXPECT_EQ(5, recv(successor, got, sizeof(got), MSG_DONTWAIT));
	EXPECT_EQ(DEVTRACE_RX_CONTINUE, got[1]);
	/* It gets no reply to the other host's command. */
	EXPECT_EQ(-1, recv(successor, got, sizeof(got), MSG_DONTWAIT));
	close(successor);
	devtrace_rx_close();
}

TEST(answers_are_taken_as_they_come)
{
	static const struct devtrace_rx_ops none = { .size = sizeof(none) };
	struct devtrace_rx_host *h;
	struct pollfd p = { .events = POLLIN };
	uint8_t request = 0;

	fake_reset();
	ASSERT_EQ(0, devtrace_rx_open(&none, NULL, 0));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &h));
	EXPECT_EQ(ETIMEDOUT, devtrace_rx_call(h, DEVTRACE_RX_INFO, NULL, 0, 0, &answer));
	EXPECT_EQ(ETIMEDOUT, devtrace_rx_call(h, DEVTRACE_RX_RESET, NULL, 0, 0, &answer));
	p.fd = devtrace_rx_host_fd(h);
	EXPECT_EQ(0, poll(&p, 1, 0));
	EXPECT_EQ(EAGAIN, devtrace_rx_answer(h, &request, &answer));
	while (poll(&p, 1, 0) == 0)
		devtrace_rx_serve();
	EXPECT_EQ(0, devtrace_rx_answer(h, &request, &answer));
	EXPECT_EQ(DEVTRACE_RX_INFO, request);
	EXPECT_EQ(DEVTRACE_RX_OK, answer.status);
	while (poll(&p, 1, 0) == 0)
		devtrace_rx_serve();
	EXPECT_EQ(0, devtrace_rx_answer(h, &request, &answer));
	EXPECT_EQ(DEVTRACE_RX_RESET, request);
	EXPECT_EQ(DEVTRACE_RX_UNHANDLED, answer.status);
	EXPECT_EQ(EAGAIN, devtrace_rx_answer(h, &request, &answer));
	devtrace_rx_close();
	EXPECT_EQ(1, poll(&p, 1, SECOND));
	EXPECT_EQ(EPIPE, devtrace_rx_answer(h, &request, &answer));
	devtrace_rx_disconnect(h);
}

int main(int argc, char **argv)
{
	fake_start(argv);
	calls_share();
	return test_harness_run(argc, argv);
}
