// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_calls.c - system calls by number and name, for 64-bit and 32-bit programs
 *
 * In 32-bit programs on most 64-bit machines, calls have other numbers, and their events another
 * object. The test therefore runs a second time as such a program, see
 * selftests/vm/device-tests. It takes the numbers from its headers.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define CALLS	3

static const struct {
	long nr, arg;
	const char *name;
} calls[CALLS] = {
	{ SYS_getppid, 0, "getppid" },
	{ SYS_close, 1000000, "close" },
	{ SYS_getpgid, 0, "getpgid" },
};

FIXTURE(calls) {
	uint16_t object;
	struct tape *t;
};

FIXTURE_SETUP(calls)
{
	struct utsname u;

	dev_seed();
	ASSERT_EQ(0, dev_load("size=4M"));
	ASSERT_EQ(0, uname(&u));
	self->object = sizeof(long) == 4 && strstr(u.machine, "64") ? DEVTRACE_OBJ_COMPAT :
								      DEVTRACE_OBJ_SYSCALL;
}

FIXTURE_TEARDOWN(calls)
{
	if (self->t)
		tape_free(self->t);
	EXPECT_EQ(0, dev_done());
}

static const char *name_of(const struct tape *t, uint16_t object, int n)
{
	return devtrace_decoder_name(t->d, DEVTRACE_T_SIG, 0, calls[n].nr, 0, object) ?: "";
}

/* Names are sent a little after the first event. */
static struct tape *tape_named(uint16_t object)
{
	struct tape *t;

	for (int tries = 0; tries < 300; tries++) {
		t = tape_all(65536);
		if (!t || *name_of(t, object, CALLS - 1))
			break;
		tape_free(t);
		dev_sleep_ms(100);
		t = NULL;
	}
	return t;
}

TEST_F(calls, have_the_numbers_and_names_of_this_program)
{
	const uint32_t me = getpid();
	struct devtrace_elem el;
	int64_t got[CALLS];
	int n = 0;

	ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "syscalls"));
	for (int i = 0; i < CALLS; i++) {
		got[i] = syscall(calls[i].nr, calls[i].arg);
		if (got[i] < 0)
			got[i] = -errno;
	}
	ASSERT_EQ(0, dev_write_file(DEV_PROFILE, "none"));
	EXPECT_EQ(-EBADF, got[1]);
	self->t = tape_named(self->object);
	ASSERT_NE(NULL, self->t) TH_LOG("no names of object %#x", self->object);
	ASSERT_EQ(0, tape_lost(self->t, -1));
	for (size_t i = 0; i < self->t->nev && n < 2 * CALLS; i++) {
		const struct tape_event *e = &self->t->ev[i];
		const bool enter = e->type == DEVTRACE_T_SYS_ENTER;
		size_t pos = 0;

		if (e->tid != me || (!enter && e->type != DEVTRACE_T_SYS_EXIT))
			continue;
		/* Skip the calls that enabled the events. */
		if (!n && (!enter || e->signal != calls[0].nr))
			continue;
		EXPECT_EQ(enter, n % 2 == 0);
		EXPECT_EQ(calls[n / 2].nr, e->signal);
		EXPECT_EQ(self->object, e->object);
		ASSERT_EQ(1, devtrace_elem_next(self->t->data + e->data, e->len, &pos, &el));
		EXPECT_EQ(enter ? calls[n / 2].arg : got[n / 2], el.v.i);
		n++;
	}
	EXPECT_EQ(2 * CALLS, n);
	for (n = 0; n < CALLS; n++)
		EXPECT_STREQ(calls[n].name, name_of(self->t, self->object, n));
}

TEST_HARNESS_MAIN
