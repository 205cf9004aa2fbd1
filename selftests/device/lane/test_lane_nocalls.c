// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_nocalls.c - programs with lanes that may not make our system calls
 *
 * A seccomp(2) filter refuses ioctl(2), or kills the program that tries. Events of such a
 * program are read, and those overwritten before the kernel came are counted: emitted = read +
 * lost, exactly. The program is this one, executed again with ROLE in its environment, so that
 * the library reads DEVTRACE_LANE.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include <linux/devtrace_lane.h>

#include "kselftest_harness.h"
#include "dev.h"

#define ROLE	"LANE_NOCALLS_ROLE"
#define TYPE	DEVTRACE_T_USER
#define ROUNDS	100
#define A_ROUND	100
/* Most events in the smallest lane: a word and two U32 each. */
#define IN_LANE	(DEVTRACE_LANE_MIN / 14)

/* Exit statuses of the program. */
enum { DONE, NO_LANE = 200, NO_FILTER, ERRORS };

/* Size of this process's lane. */
static unsigned long lane_of_ours(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from = 0, to = 0;
	char line[512];

	while (f && !to && fgets(line, sizeof(line), f))
		if (strstr(line, "[trace-lane]"))
			sscanf(line, "%lx-%lx", &from, &to);
	if (f)
		fclose(f);
	return to - from;
}

/* From here on, ioctl(2) has this result. */
static bool forbid_ioctl(uint32_t what)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, what),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/*
 * "size": exit with the number of the lane's pages. "kill" or "refuse", the result of ioctl(2),
 * then the number of events, and how many of them without a pause.
 */
static int as_told(const char *role)
{
	unsigned int n = 0, at_once = 0, i;
	char how[16] = "";

	sscanf(role, "%15s %u %u", how, &n, &at_once);
	devtrace(TYPE, (uint32_t)1, (uint32_t)0);
	if (!strcmp(how, "size"))
		return lane_of_ours() / DEVTRACE_LANE_BLOCK;
	if (!lane_of_ours())
		return NO_LANE;
	if (!forbid_ioctl(!strcmp(how, "kill") ? SECCOMP_RET_KILL : SECCOMP_RET_ERRNO | EPERM))
		return NO_FILTER;
	for (i = 1; i < n; i++) {
		devtrace(TYPE, (uint32_t)1, (uint32_t)i);
		if (!(i % at_once))
			dev_sleep_ms(10);
	}
	return devtrace_errors() ? ERRORS : DONE;
}

__attribute__((constructor)) static void play_role(void)
{
	const char *role = getenv(ROLE);

	if (role)
		_exit(as_told(role));
}

FIXTURE(nocalls) {
	int		rfd;
	struct tape	*t;
};

FIXTURE_SETUP(nocalls)
{
	ASSERT_EQ(0, dev_load(""));
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	self->t = tape_new();
}

FIXTURE_TEARDOWN(nocalls)
{
	tape_free(self->t);
	close(self->rfd);
	EXPECT_EQ(0, dev_done());
}

/* Start the program with DEVTRACE_LANE, unless that is NULL. */
static pid_t start(const char *lane, const char *role)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setenv(ROLE, role, 1);
		if (lane)
			setenv("DEVTRACE_LANE", lane, 1);
		else
			unsetenv("DEVTRACE_LANE");
		execl("/proc/self/exe", "emitter", NULL);
		_exit(127);
	}
	return pid;
}

/* Its exit status; -1: it was killed. */
static int ended(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Each event is present, in order, or reported before the next one; all are accounted for. */
static void account(struct tape *t, uint32_t emitted, struct __test_metadata *_metadata)
{
	uint64_t causes[DEVTRACE_LOST_CAUSES] = { 0 }, lost = 0;
	uint32_t next = 0;
	size_t i, k;

	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < DEV_CPUS; i++)
		for (k = 0; k < DEVTRACE_LOST_CAUSES; k++)
			causes[k] += t->lost[i][k];
	for (k = 0; k < DEVTRACE_LOST_CAUSES; k++)
		lost += causes[k];
	/* In the ring or in the lane: there are no other losses here. */
	EXPECT_EQ(lost, causes[DEVTRACE_LOST_OVERWRITTEN] + causes[DEVTRACE_LOST_BUSY]);
	for (i = 0; i < t->nev; i++) {
		EXPECT_LE(next, t->ev[i].nr);
		next = t->ev[i].nr + 1;
	}
	/* The newest is always present. */
	EXPECT_EQ(emitted, next);
	EXPECT_EQ(emitted, t->nev + lost);
	dev_say("%u emitted, %zu read, %llu overwritten in the lane, %llu in the buffer", emitted,
		t->nev, (unsigned long long)causes[DEVTRACE_LOST_BUSY],
		(unsigned long long)causes[DEVTRACE_LOST_OVERWRITTEN]);
}

TEST_F(nocalls, kernel_comes_by_itself)
{
	char role[64];

	snprintf(role, sizeof(role), "kill %d %d", ROUNDS * A_ROUND, A_ROUND);
	ASSERT_EQ(DONE, ended(start("nocalls", role)));
	/* The kernel has taken them: a lane alone could not hold so many. */
	ASSERT_LE(0, tape_drain(self->t, self->rfd));
	account(self->t, ROUNDS * A_ROUND, _metadata);
	EXPECT_LT(2 * IN_LANE, self->t->nev);
}

TEST_F(nocalls, faster_than_the_kernel_comes)
{
	ASSERT_EQ(DONE, ended(start("nocalls", "kill 300000 300000")));
	ASSERT_LE(0, tape_drain(self->t, self->rfd));
	account(self->t, 300000, _metadata);
}

/* The kernel finds full blocks that were not handed over, and comes on its own from then on. */
TEST_F(nocalls, refused_and_the_kernel_comes)
{
	uint64_t busy = 0;
	char role[64];
	int i;

	snprintf(role, sizeof(role), "refuse %d %d", 5 * ROUNDS * A_ROUND, A_ROUND);
	ASSERT_EQ(DONE, ended(start(NULL, role)));
	ASSERT_LE(0, tape_drain(self->t, self->rfd));
	account(self->t, 5 * ROUNDS * A_ROUND, _metadata);
	/* It did not come for the first ones. */
	for (i = 0; i < DEV_CPUS; i++)
		busy += self->t->lost[i][DEVTRACE_LOST_BUSY];
	EXPECT_GT(4 * ROUNDS * A_ROUND, busy);
}

TEST_F(nocalls, refused_while_somebody_reads)
{
	pid_t pid = start(NULL, "refuse 200000 1000");
	int status = 0;

	ASSERT_LT(0, pid);
	while (!waitpid(pid, &status, WNOHANG))
		ASSERT_LE(0, tape_some(self->t, self->rfd, 65536));
	EXPECT_EQ(0, status);
	ASSERT_LE(0, tape_drain(self->t, self->rfd));
	account(self->t, 200000, _metadata);
	/* The reader took what was not handed over. */
	EXPECT_LT(2 * IN_LANE, self->t->nev);
}

/* Number of blocks, by DEVTRACE_LANE. */
TEST_F(nocalls, environment)
{
	static const struct { const char *lane; int blocks; } c[] = {
		{ NULL, 2 }, { "nocalls", 2 }, { "16384,nocalls", 4 }, { "0x8000", 8 },
		{ "0", 0 }, { "0,nocalls", 2 }, { "1000000,nocalls", 64 },
		{ "much", 2 }, { "16384,no", 2 }, { "16384nocalls", 2 }, { ",nocalls", 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		EXPECT_EQ(c[i].blocks, ended(start(c[i].lane, "size"))) TH_LOG("case %zu", i);
}

TEST_HARNESS_MAIN
