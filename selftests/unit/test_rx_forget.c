// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rx_forget.c - after devtrace_rx_forget() no callback for the object is running
 *
 * A host sends a request, the library's thread calls the program's function, and another thread
 * calls devtrace_rx_forget(). The function waits until that thread sleeps in it, or has
 * returned, which it must not.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define SECOND	10000		/* timeout for a busy machine, ms */

static char object[8], other[8];
static bool inside, returned, seen_inside;
static pid_t forgetter;
/* Called within the function. */
static void (*meanwhile)(void);

static void *forget(void *arg)
{
	__atomic_store_n(&forgetter, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	devtrace_rx_forget(arg);
	seen_inside = __atomic_load_n(&inside, __ATOMIC_SEQ_CST);
	__atomic_store_n(&returned, true, __ATOMIC_SEQ_CST);
	return NULL;
}

static bool sleeps(pid_t tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

/* The object is out of the table and the lock is free: a sleeping thread waits for us. */
static void until_it_waits(void)
{
	while (devtrace_rx_current(DEVTRACE_RX_AO, object) == 0)
		sched_yield();
	while (!sleeps(forgetter) && !__atomic_load_n(&returned, __ATOMIC_SEQ_CST))
		sched_yield();
}

static void forget_it_here(void)
{
	devtrace_rx_forget(object);
}

static void forget_another(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, forget, other) || pthread_join(t, NULL))
		abort();
}

static bool released;

static void until_released(void)
{
	while (!__atomic_load_n(&released, __ATOMIC_SEQ_CST))
		sched_yield();
}

static void stay(void)
{
	__atomic_store_n(&inside, true, __ATOMIC_SEQ_CST);
	meanwhile();
	__atomic_store_n(&inside, false, __ATOMIC_SEQ_CST);
}

static int on_event(void *arg, const struct devtrace_rx_event *e)
{
	stay();
	return 0;
}

static int on_query(void *arg, uint8_t kind, void *o, struct devtrace_record *r)
{
	stay();
	return 0;
}

static int on_object(void *arg, bool remove, void *o)
{
	stay();
	return 0;
}

static const struct devtrace_rx_ops ops = {
	.size = sizeof(ops), .event = on_event, .query = on_query, .object_filter = on_object,
};

static uint8_t key[9];

static const struct {
	uint8_t		request;
	const void	*data;
	size_t		len;
} asked[] = {
	{ DEVTRACE_RX_QUERY, "\1", 1 },
	{ DEVTRACE_RX_EVENT, "\375\7\0\0\0\0\0", 7 },
	{ DEVTRACE_RX_OBJ_FILTER, key, 9 },
};

FIXTURE(rx_forget) {
	struct devtrace_rx_host *h;
};

FIXTURE_SETUP(rx_forget)
{
	int i;

	for (i = 0; i < 8; i++)
		key[1 + i] = (uint8_t)((uint64_t)(uintptr_t)object >> 8 * i);
	fake_reset();
	ASSERT_EQ(0, devtrace_rx_open(&ops, NULL, DEVTRACE_RX_THREAD));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &self->h));
}

FIXTURE_TEARDOWN(rx_forget)
{
	devtrace_rx_disconnect(self->h);
	devtrace_rx_close();
}

static void anew(void)
{
	inside = returned = seen_inside = released = false;
	devtrace_rx_object(DEVTRACE_RX_AO, object, sizeof(object), "object");
	devtrace_rx_current(DEVTRACE_RX_AO, object);
}

/* Send a request and wait until the function runs. */
static bool enters(struct devtrace_rx_host *h, unsigned int n)
{
	struct devtrace_rx_answer answer;

	anew();
	if (devtrace_rx_call(h, asked[n].request, asked[n].data, asked[n].len, 0,
			     &answer) != ETIMEDOUT)
		return false;
	while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
		sched_yield();
	return true;
}

static int ask(struct devtrace_rx_host *h, unsigned int n)
{
	struct devtrace_rx_answer answer;
	int err = devtrace_rx_call(h, asked[n].request, asked[n].data, asked[n].len, SECOND,
				   &answer);

	return err ? 1000 + err : answer.status;
}

TEST_F(rx_forget, it_waits_for_a_callback_of_another_thread)
{
	unsigned int i;
	pthread_t t;

	meanwhile = until_it_waits;
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(enters(self->h, i));
		ASSERT_EQ(0, pthread_create(&t, NULL, forget, object));
		pthread_join(t, NULL);
		EXPECT_FALSE(seen_inside) TH_LOG("request %d", asked[i].request);
		EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ask(self->h, i));
	}
}

/* A wait without end reaches the limit of the test. */
TEST_F(rx_forget, a_callback_forgets_its_own_object)
{
	unsigned int i;

	meanwhile = forget_it_here;
	for (i = 0; i < 3; i++) {
		anew();
		EXPECT_EQ(DEVTRACE_RX_OK, ask(self->h, i));
		EXPECT_EQ(DEVTRACE_RX_NO_OBJECT, ask(self->h, i));
		/* A callback that has returned is not waited for. */
		devtrace_rx_forget(object);
	}
}

TEST_F(rx_forget, it_waits_for_no_other_object)
{
	unsigned int i;

	meanwhile = forget_another;
	for (i = 0; i < 3; i++) {
		anew();
		EXPECT_EQ(DEVTRACE_RX_OK, ask(self->h, i));
		EXPECT_TRUE(seen_inside);
	}
	devtrace_rx_forget(object);
}

/* The child does not have the thread that runs the callback. */
TEST_F(rx_forget, a_child_of_fork_waits_for_nobody)
{
	int status = -1;
	pid_t child;

	meanwhile = until_released;
	ASSERT_TRUE(enters(self->h, 0));
	child = fork();
	if (!child) {
		alarm(SECOND / 1000);	/* limit for a wait without end */
		devtrace_rx_forget(object);
		_exit(0);
	}
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	__atomic_store_n(&released, true, __ATOMIC_SEQ_CST);
	devtrace_rx_forget(object);
	EXPECT_FALSE(__atomic_load_n(&inside, __ATOMIC_SEQ_CST));
}

int main(int argc, char **argv)
{
	fake_start(argv);
	return test_harness_run(argc, argv);
}
