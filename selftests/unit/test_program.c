// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_program.c - finding programs with a receive channel by name
 *
 * Each program is a child that opens the channel with the library. The names are unique to this
 * test, as other programs may listen too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "common/program.h"
#include "kselftest_harness.h"

#define CROWD	300
#define NOBODY	65534

static const struct devtrace_rx_ops ops = { .size = sizeof(ops) };

/* Start a child with this name and user, which listens on return; -1 on failure. */
static pid_t program(const char *name, uid_t uid)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		/* As after execve(2); otherwise the channel obeys only root. */
		if ((!uid || (!setuid(uid) && !prctl(PR_SET_DUMPABLE, 1))) &&
		    !devtrace_rx_open(&ops, NULL, 0))
			c = 1;
		if (write(ready[1], &c, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1 || !c) {
		kill(pid, SIGKILL);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	if (pid > 0 && !kill(pid, SIGKILL))
		waitpid(pid, NULL, 0);
}

struct seen {
	const char	*name;
	unsigned int	nr;
	pid_t		last;
	bool		in_order;
	uid_t		uid;
};

static bool see(void *arg, const struct program *p)
{
	struct seen *s = arg;

	if (strncmp(p->name, s->name, strlen(s->name)))
		return false;
	s->in_order &= p->pid > s->last;
	s->last = p->pid;
	s->uid = p->uid;
	s->nr++;
	return false;
}

/* All programs are listed, and the last one is found. */
TEST(more_than_any_table_has_room_for)
{
	struct seen s = { .name = "t_crowd", .in_order = true };
	static pid_t pids[CROWD];
	const char *why = NULL;
	int i;

	for (i = 0; i < CROWD; i++) {
		pids[i] = program(i < CROWD - 1 ? "t_crowd" : "t_crowd_last", 0);
		ASSERT_LT(0, pids[i]);
	}
	program_each(see, &s);
	EXPECT_EQ(CROWD, s.nr);
	EXPECT_TRUE(s.in_order);
	EXPECT_EQ(geteuid(), s.uid);
	EXPECT_EQ(pids[CROWD - 1], program_find("t_crowd_last", &why));
	EXPECT_EQ(0, program_find("t_crowd", &why));
	EXPECT_NE(NULL, strstr(why, "several programs"));
	for (i = 0; i < CROWD; i++)
		end(pids[i]);
	EXPECT_EQ(0, program_find("t_crowd_last", &why));
	EXPECT_NE(NULL, strstr(why, "no program of this name"));
}

/* A program of another user does not make a name ambiguous. */
TEST(another_users_program_of_the_same_name)
{
	const char *why = NULL;
	pid_t mine, first, second;
	char number[16];
	int status;

	if (geteuid())
		SKIP(return, "only root has programs of two users");
	first = program("t_twin", NOBODY);
	ASSERT_LT(0, first);
	/* Root may talk to it. */
	EXPECT_EQ(first, program_find("t_twin", &why));
	mine = program("t_twin", 0);
	second = program("t_twin", NOBODY);
	ASSERT_LT(0, mine);
	ASSERT_LT(0, second);
	EXPECT_EQ(mine, program_find("t_twin", &why));
	snprintf(number, sizeof(number), "%d", (int)first);
	EXPECT_EQ(first, program_find(number, &why));
	end(mine);
	EXPECT_EQ(0, program_find("t_twin", &why));
	EXPECT_NE(NULL, strstr(why, "several programs"));
	end(second);
	/* The other user finds only his own. */
	mine = program("t_twin", 0);
	ASSERT_LT(0, mine);
	if (!fork())
		_exit(setuid(NOBODY) || program_find("t_twin", &why) != first);
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	end(first);
	if (!fork())
		_exit(setuid(NOBODY) || program_find("t_twin", &why) ||
		      !strstr(why, "no program of this name"));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
	end(mine);
}

TEST_HARNESS_MAIN
