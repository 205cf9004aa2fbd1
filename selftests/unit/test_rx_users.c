// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rx_users.c - the receive channel: which processes reach a program, by user and process id
 *
 * The program is a child or this process; see rx_served.h.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "fakedev.h"
#include "kselftest_harness.h"
#include "rx_served.h"

/* A child that serves with this user's rights until it is killed; 0 on failure. */
static pid_t program_of(uid_t user, int clone_flags)
{
	int ready[2];
	pid_t child;
	char c = 0;

	if (pipe(ready))
		return 0;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* As after exec, which normally precedes. */
		if (setresuid(user, user, user) || (clone_flags && unshare(clone_flags)) ||
		    prctl(PR_SET_DUMPABLE, 1))
			write(ready[1], "u", 1);
		else if (open_all(0) || write(ready[1], "x", 1) != 1)
			write(ready[1], "n", 1);
		for (;;) {
			struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

			poll(&p, 1, -1);
			devtrace_rx_serve();
		}
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) == 1 && c != 'x') {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		child = c == 'u' ? 0 : -1;
	}
	close(ready[0]);
	return child;
}

static void end_of(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* True if the program replies to a poke over a raw connection to this address. */
static bool raw_reaches(const struct sockaddr_un *a, socklen_t len)
{
	const struct timeval t = { .tv_usec = 300000 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	bool reached;
	char c;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	reached = !connect(fd, (const void *)a, len) && send(fd, "\1\1\0\0\3", 5, MSG_NOSIGNAL) == 5 &&
		  recv(fd, &c, 1, 0) == 1;
	close(fd);
	return reached;
}

/*
 * The rights of a host of this user, in its own user namespace or not: returns the library's
 * error, plus 1000 if a raw request succeeds, through descriptors of the process or the name
 * that channels once had.
 */
static int host_of(uid_t user, bool own_namespace, pid_t pid)
{
	int status = 0, fd, n;
	pid_t child = fork();

	if (!child) {
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		struct devtrace_rx_host *h;
		int err;

		if (setresuid(user, user, user) || (own_namespace && unshare(CLONE_NEWUSER)))
			_exit(100);
		err = devtrace_rx_connect(pid, &h);
		if (devtrace_rx_listens(pid) != err)
			_exit(102);
		if (!err)
			err = ask(h, DEVTRACE_RX_INFO, NULL, 0) ? 101 : 0;
		n = snprintf(a.sun_path + 1, 64, "devtrace-rx-%d", pid);
		if (raw_reaches(&a, offsetof(struct sockaddr_un, sun_path) + 1 + n))
			err += 128;
		for (fd = 0; fd < 64 && err && err < 128; fd++) {
			snprintf(a.sun_path, sizeof(a.sun_path), "/proc/%d/fd/%d", pid, fd);
			if (raw_reaches(&a, sizeof(a)))
				err += 128;
		}
		_exit(err);
	}
	waitpid(child, &status, 0);
	status = WEXITSTATUS(status);
	return status >= 128 ? status - 128 + 1000 : status;
}

#define USER	12345
#define OTHER	12346

TEST(other_users_are_refused)
{
	struct devtrace_rx_host *h;
	pid_t child;

	if (geteuid())
		SKIP(return, "only root can be two users");
	/* A stranger and a program of root */
	ASSERT_EQ(0, open_all(DEVTRACE_RX_THREAD));
	EXPECT_EQ(EPERM, host_of(USER, false, getpid()));
	EXPECT_EQ(EPERM, host_of(USER, true, getpid()));
	EXPECT_EQ(0, calls->commands);
	devtrace_rx_close();
	/* Root, the user himself and a stranger, and a program of a user */
	child = program_of(USER, 0);
	ASSERT_LT(0, child);
	EXPECT_EQ(0, host_of(USER, false, child));
	EXPECT_EQ(EPERM, host_of(OTHER, false, child));
	EXPECT_EQ(EPERM, host_of(OTHER, true, child));
	EXPECT_EQ(0, calls->commands);
	ASSERT_EQ(0, devtrace_rx_connect(child, &h));
	EXPECT_EQ(0, ask(h, DEVTRACE_RX_INFO, NULL, 0));
	/* A program that has died */
	kill(child, SIGKILL);
	EXPECT_EQ(1000 + EPIPE, ask(h, DEVTRACE_RX_INFO, NULL, 0));
	EXPECT_EQ(0, waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT));
	EXPECT_EQ(ESRCH, devtrace_rx_connect(child, &h));
	end_of(child);
	devtrace_rx_disconnect(h);
	EXPECT_EQ(ESRCH, devtrace_rx_connect(child, &h));
}

/*
 * In a user namespace without a map, all users appear as 65534. Programs that really have this
 * id outside must not obey them.
 */
TEST(users_without_a_number_are_not_one_user)
{
	static const uid_t users[] = { USER, 65534 };
	pid_t child;
	size_t i;

	if (geteuid())
		SKIP(return, "only root can be two users");
	for (i = 0; i < 2; i++) {
		memset(calls, 0, sizeof(*calls));
		child = program_of(users[i], CLONE_NEWUSER);
		if (!child)
			SKIP(return, "no user namespaces");
		ASSERT_LT(0, child);
		EXPECT_EQ(EPERM, host_of(OTHER, false, child));
		EXPECT_EQ(EPERM, host_of(OTHER, true, child));
		EXPECT_EQ(0, host_of(users[i], false, child));
		EXPECT_EQ(0, host_of(0, false, child));
		EXPECT_EQ(0, calls->commands);
		end_of(child);
	}
}

/* Fork a process with this id. */
static pid_t fork_with_pid(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/*
 * Start processes of this user: *first, which has a channel and ends, and its child, the result,
 * which keeps the sockets. A program that wants to impersonate another does this.
 */
static pid_t keeper_of(uid_t user, pid_t *first)
{
	int say[2];
	pid_t keeper = 0;

	if (pipe(say))
		return 0;
	*first = fork();
	if (!*first) {
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		int n = snprintf(a.sun_path + 1, 64, "devtrace-rx-%d", getpid());
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

		if (setresuid(user, user, user) || prctl(PR_SET_DUMPABLE, 1) || open_all(0))
			_exit(1);
		/* Also bind the name that channels once had. */
		if (!bind(fd, (void *)&a, offsetof(struct sockaddr_un, sun_path) + 1 + n))
			listen(fd, 5);
		/* Not fork(): the library would close them. */
		keeper = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (keeper)
			_exit(write(say[1], &keeper, sizeof(keeper)) != sizeof(keeper));
		for (;;) {
			struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

			poll(&p, 1, -1);
			devtrace_rx_serve();
		}
	}
	close(say[1]);
	if (read(say[0], &keeper, sizeof(keeper)) != sizeof(keeper))
		keeper = 0;
	close(say[0]);
	waitpid(*first, NULL, 0);
	return keeper;
}

TEST(a_number_that_is_used_again)
{
	struct devtrace_rx_host *h;
	pid_t first, keeper, next;
	int ready[2], file, i;
	char c;

	if (geteuid())
		SKIP(return, "only root can choose the number of a process");
	keeper = keeper_of(USER, &first);
	ASSERT_LT(0, keeper);
	file = file_of(keeper);
	EXPECT_LE(0, file);
	/* The child of a program has no channel, even with its sockets. */
	EXPECT_EQ(ECONNREFUSED, devtrace_rx_connect(keeper, &h));
	EXPECT_EQ(ESRCH, devtrace_rx_connect(first, &h));
	/*
	 * A process of root without a channel, with one, and one that received the other's
	 * socket
	 */
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pipe(ready));
		if (i < 2 && file >= 0)
			fcntl(file, F_SETFD, FD_CLOEXEC);
		memset(calls, 0, sizeof(*calls));
		next = fork_with_pid(first);
		if (!next) {
			if (i < 2)
				close(file);
			if (i == 1 && open_all(0))
				_exit(1);
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
			while (i != 1)
				pause();
			for (;;) {
				struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

				poll(&p, 1, -1);
				devtrace_rx_serve();
			}
		}
		if (next < 0)
			break;
		ASSERT_EQ(first, next);
		close(ready[1]);
		ASSERT_EQ(1, read(ready[0], &c, 1));
		if (i == 1) {
			ASSERT_EQ(0, devtrace_rx_connect(next, &h));
			EXPECT_EQ(0, ask(h, DEVTRACE_RX_COMMAND, "\7", 1));
			EXPECT_EQ(1, calls->commands);
			devtrace_rx_disconnect(h);
		} else {
			EXPECT_EQ(i ? EPERM : ECONNREFUSED, devtrace_rx_connect(next, &h));
		}
		end_of(next);
		close(ready[0]);
	}
	close(file);
	kill(keeper, SIGKILL);
	if (next < 0)
		SKIP(return, "no clone3(2) that chooses the number of a process");
}

/* Anyone may bind names, so no bound name keeps a program from opening a channel. */
TEST(no_name_keeps_a_program_from_its_channel)
{
	struct devtrace_rx_host *h;
	int ready[2], status;
	pid_t child;
	char c;

	ASSERT_EQ(0, pipe(ready));
	child = fork();
	if (!child) {
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		int n = snprintf(a.sun_path + 1, 64, "devtrace-rx-%d", getppid());
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

		if (bind(fd, (void *)&a, offsetof(struct sockaddr_un, sun_path) + 1 + n) ||
		    listen(fd, 1) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(ECONNREFUSED, devtrace_rx_connect(getpid(), &h));
	ASSERT_EQ(0, open_all(DEVTRACE_RX_THREAD));
	ASSERT_EQ(0, devtrace_rx_connect(getpid(), &h));
	EXPECT_EQ(0, ask(h, DEVTRACE_RX_INFO, NULL, 0));
	devtrace_rx_disconnect(h);
	devtrace_rx_close();
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* No file or descriptor is left, and no socket that others could connect to. */
TEST(a_channel_leaves_nothing_behind)
{
	static const char *const dirs[] = { "/run", "/tmp", "/dev/shm", "/var/tmp" };
	const struct dirent *e;
	struct stat st;
	char name[64];
	int before, file;
	size_t i;
	DIR *d;

	ASSERT_EQ(0, open_all(0));
	devtrace_rx_close();
	before = descriptors();
	ASSERT_EQ(0, open_all(0));
	file = file_of(getpid());
	ASSERT_LE(0, file);
	ASSERT_EQ(0, fstat(file, &st));
	EXPECT_EQ(S_IFSOCK | 0600, st.st_mode);
	EXPECT_EQ(0, st.st_nlink);
	close(file);
	snprintf(name, sizeof(name), "devtrace-rx-%d-", getpid());
	for (i = 0; i < 4; i++) {
		d = opendir(dirs[i]);
		while (d && (e = readdir(d)))
			EXPECT_NE(0, strncmp(e->d_name, name, strlen(name)));
		if (d)
			closedir(d);
	}
	devtrace_rx_close();
	EXPECT_EQ(before, descriptors());
}

int main(int argc, char **argv)
{
	fake_start(argv);
	calls_share();
	return test_harness_run(argc, argv);
}
