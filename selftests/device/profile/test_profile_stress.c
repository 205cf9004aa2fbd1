// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_stress.c - attach and detach all events under load
 *
 * PROFILE_CYCLES is the number of cycles (default 20; a cycle takes one or two seconds on an
 * emulated board). After each detach, no event of a type is newer than the write that disabled
 * it. At the end the module is unloaded directly after that write, and the kernel must have as
 * much free memory as before.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define LOADS	3

/*
 * The kernel keeps a list of at least 64 bytes per attached tracepoint. Leaking those of all
 * types in this many cycles would cost 800 kB, which exceeds the normal variation. check-all
 * uses this number.
 */
#define ENOUGH	200
#define SLACK	512	/* kB */

static pid_t loads[LOADS];

/* System calls, switches, wake-ups, timers, page faults, forks. */
static void load(void)
{
	char c = 0;
	int p[2];

	if (pipe(p))
		_exit(1);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			for (int i = 0; i < 20; i++)
				if (write(p[1], &c, 1) != 1 || read(p[0], &c, 1) != 1)
					_exit(1);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		usleep(200);
	}
}

static void loads_start(void)
{
	for (int i = 0; i < LOADS; i++) {
		loads[i] = fork();
		if (!loads[i])
			load();
	}
}

static void loads_stop(void)
{
	for (int i = 0; i < LOADS; i++) {
		kill(loads[i], SIGKILL);
		waitpid(loads[i], NULL, 0);
	}
}

FIXTURE(stress) {
	bool loaded;
};

FIXTURE_SETUP(stress)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
	loads_start();
	self->loaded = true;
}

FIXTURE_TEARDOWN(stress)
{
	if (self->loaded)
		loads_stop();
	EXPECT_EQ(0, dev_done());
}

/* Names of the types, as in the parameter. */
static char names[256][32];

static bool names_read(void)
{
	struct tape *t = tape_all(65536);
	int known = 0;

	for (int i = DEVTRACE_T_KERNEL; t && i < DEVTRACE_T_USER2; i++) {
		const char *s = devtrace_decoder_name(t->d, DEVTRACE_T_USR, 0, i, 0, 0);

		for (size_t n = 0; s && s[n] && n < sizeof(names[i]) - 1; n++)
			names[i][n] = tolower((unsigned char)s[n]);
		known += s != NULL;
	}
	if (t)
		tape_free(t);
	return known > 0;
}

/* Read which types are enabled. */
static bool types_on(bool on[256])
{
	char buf[4096], *rest = buf, *word;

	memset(on, 0, 256 * sizeof(*on));
	if (dev_read_file(DEV_PROFILE, buf, sizeof(buf)) <= 0)
		return false;
	while ((word = strsep(&rest, "\n "))) {
		int i;

		if (!*word || !strcmp(word, "none"))
			continue;
		for (i = DEVTRACE_T_KERNEL; i < DEVTRACE_T_USER2; i++)
			if (!strcmp(names[i], word))
				break;
		if (i == DEVTRACE_T_USER2) {
			dev_say("no type has the name '%s'", word);
			return false;
		}
		on[i] = true;
	}
	return true;
}

/*
 * Number of wrong profile events: after @t0 all types, after @t1 types that are not in @on.
 * Called when everything is disabled, as each read would otherwise cause an event.
 */
static long events_late(uint64_t t1, const bool on[256], uint64_t t0)
{
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();
	long n = 0;

	if (fd < 0 || lseek(fd, t1, SEEK_SET) < 0 || tape_drain(t, fd) < 0) {
		perror("# " DEV_PATH);
		n = -1;
	}
	for (size_t i = 0; i < t->nev && n >= 0; i++) {
		const struct tape_event *e = &t->ev[i];

		if (e->type < DEVTRACE_T_KERNEL || e->type >= DEVTRACE_T_USER2 ||
		    e->ts < t1 || (on[e->type] && e->ts < t0))
			continue;
		if (!n++)
			dev_say("%s, %llu ns after it was turned off", names[e->type],
				(unsigned long long)(e->ts - (on[e->type] ? t0 : t1)));
	}
	tape_free(t);
	close(fd);
	return n;
}

/* Enable all, perhaps disable some, then disable all; disabled types must stay silent. */
static bool cycle(void)
{
	static const char *const lists[] = {
		"syscalls", "sched,irq", "timer hrtimer work", "all -sched", "all -syscalls -irq",
	};
	const char *list = dev_random() % 2 ? lists[dev_random() % 5] : "all";
	struct devtrace_stats st;
	uint64_t t1, t0, before;
	bool on[256];
	long late;

	if (dev_stats(-1, &st) || !dev_profile("all"))
		return false;
	before = st.stored;
	if (!dev_profile(list))
		return false;
	t1 = dev_now();
	if (!types_on(on))
		return false;
	usleep(dev_random() % 3000);
	if (!dev_profile("none"))
		return false;
	t0 = dev_now();
	if (dev_stats(-1, &st))
		return false;
	if (st.stored <= before) {
		dev_say("all was on and there was no event");
		return false;
	}
	before = st.stored;
	usleep(dev_random() % 3000);
	if (dev_stats(-1, &st))
		return false;
	late = events_late(t1, on, t0);
	if (late || st.stored != before)
		dev_say("'%s': %ld events came late; %llu were stored after all was off", list,
			late, (unsigned long long)(st.stored - before));
	return !late && st.stored == before;
}

/* run-tests ends it earlier. */
TEST_F_TIMEOUT(stress, no_event_comes_after_detaching, 24 * 3600)
{
	const char *c = getenv("PROFILE_CYCLES");
	long max = c && *c ? atol(c) : 20, before, after;

	/* a type has a name once it was enabled */
	ASSERT_TRUE(dev_profile("all"));
	ASSERT_TRUE(dev_profile("none"));
	ASSERT_TRUE(names_read());
	/* caches fill and names are made: this is no leak */
	for (long i = 0; i < (max < ENOUGH ? 2 : 20); i++)
		ASSERT_TRUE(cycle());
	loads_stop();
	ASSERT_EQ(0, dev_unload());
	before = dev_kernel_memory();
	ASSERT_EQ(0, dev_load("size=256K"));
	loads_start();
	for (long i = 0; i < max; i++) {
		ASSERT_TRUE(cycle()) {
			TH_LOG("cycle %ld", i);
		}
		if (i && i % 50 == 0)
			dev_say("%ld times so far", i);
	}
	/* directly after disabling, under load */
	ASSERT_TRUE(dev_profile("all"));
	ASSERT_TRUE(dev_profile("none"));
	ASSERT_EQ(0, dev_unload());
	loads_stop();
	self->loaded = false;
	after = dev_kernel_memory();
	dev_say("%ld times; the kernel had %ld kB and has %ld kB%s", max, before, after,
		max < ENOUGH ? ": too few times to tell" : "");
	ASSERT_LT(0, before);
	if (max >= ENOUGH)
		EXPECT_GE(before + SLACK, after);
}

TEST_F(stress, the_module_goes_while_all_is_on)
{
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, dev_load("size=64K profile=all"));
		usleep(dev_random() % 20000);
		ASSERT_EQ(0, dev_unload());
	}
}

TEST_HARNESS_MAIN
