// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_status.c - reports to a program whose events do not arrive
 *
 * devtrace_status() is tested with the device of fakedev.c, which fails on request. The message
 * for DEVTRACE_DEBUG is tested by restarting this program with real files as the device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define TYPE	100
#define USER	1234
#define NOWHERE	"DEVTRACE_DEVICE=/proc/self/nowhere"

static const struct devtrace_emit event = { .type = TYPE };

static int emit(void)
{
	return devtrace_emit_event(&event, sizeof(event));
}

FIXTURE(status) { };

FIXTURE_SETUP(status)
{
	fake_reset();
}

FIXTURE_TEARDOWN(status)
{
}

TEST_F(status, follows_the_connection)
{
	errno = 1234;
	EXPECT_EQ(DEVTRACE_UNTRIED, devtrace_status());
	/* A query does not open the device. */
	EXPECT_EQ(0, fake->opens);
	EXPECT_EQ(0, emit());
	EXPECT_EQ(DEVTRACE_OK, devtrace_status());
	devtrace_close();
	EXPECT_EQ(DEVTRACE_CLOSED, devtrace_status());
	fake->open_error = ENOENT;
	EXPECT_EQ(ENOENT, devtrace_open());
	EXPECT_EQ(DEVTRACE_NO_DEVICE, devtrace_status());
	fake->open_error = EACCES;
	EXPECT_EQ(EACCES, devtrace_open());
	EXPECT_EQ(DEVTRACE_NOT_PERMITTED, devtrace_status());
	fake->open_error = 0;
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(DEVTRACE_OK, devtrace_status());
	EXPECT_EQ(1234, errno);
}

TEST_F(status, closed_before_any_event)
{
	devtrace_close();
	EXPECT_EQ(DEVTRACE_CLOSED, devtrace_status());
}

/* The program closes our descriptor, and the device cannot be opened again. */
TEST_F(status, lost_on_the_way)
{
	ASSERT_EQ(0, emit());
	close(devtrace_fd());
	fake->open_error = EACCES;
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(DEVTRACE_NOT_PERMITTED, devtrace_status());
	EXPECT_FALSE(devtrace_enabled(TYPE));
}

TEST_F(status, each_error_has_its_own)
{
	static const struct { int err, status; } t[] = {
		{ ENOENT, DEVTRACE_NO_DEVICE }, { ENXIO, DEVTRACE_NO_DEVICE },
		{ ENODEV, DEVTRACE_NO_DEVICE }, { ENOTDIR, DEVTRACE_NO_DEVICE },
		{ EACCES, DEVTRACE_NOT_PERMITTED }, { EPERM, DEVTRACE_NOT_PERMITTED },
		{ EISDIR, DEVTRACE_NOT_A_DEVICE },
		{ EMFILE, DEVTRACE_LIMIT }, { ENFILE, DEVTRACE_LIMIT }, { ENOMEM, DEVTRACE_LIMIT },
		{ EIO, DEVTRACE_FAILED }, { 4095, DEVTRACE_FAILED },
	};
	int i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		fake->open_error = t[i].err;
		EXPECT_EQ(t[i].err, devtrace_open());
		EXPECT_EQ(t[i].status, devtrace_status()) TH_LOG("errno %d", t[i].err);
		EXPECT_EQ(t[i].err, devtrace_error());
		/* Nothing is tried again, and everything is filtered. */
		fake->opens = 0;
		EXPECT_EQ(ENODEV, emit());
		EXPECT_EQ(0, fake->opens);
		EXPECT_FALSE(devtrace_enabled(TYPE));
		EXPECT_EQ(-1, devtrace_fd());
	}
}

/* The device can be opened, but a filter of system calls refuses each event. */
TEST_F(status, calls_are_refused)
{
	static const int errors[] = { EPERM, EACCES };
	int i;

	for (i = 0; i < 2; i++) {
		fake->emit_error = errors[i];
		EXPECT_EQ(errors[i], devtrace_open());
		EXPECT_EQ(DEVTRACE_NOT_PERMITTED, devtrace_status());
		EXPECT_EQ(-1, devtrace_fd());
	}
	fake->emit_error = 0;
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(DEVTRACE_OK, devtrace_status());
}

TEST_F(status, a_limit_is_one)
{
	struct rlimit limit = { .rlim_cur = 3, .rlim_max = 1024 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(DEVTRACE_LIMIT, devtrace_status());
}

TEST_F(status, in_words)
{
	const char *text, *seen[16];
	int i, k;

	for (i = DEVTRACE_OK; i <= DEVTRACE_FAILED; i++) {
		seen[i] = devtrace_status_text(i);
		ASSERT_TRUE(seen[i] != NULL);
		EXPECT_LT(5, strlen(seen[i]));
		for (k = 0; k < i; k++)
			EXPECT_NE(0, strcmp(seen[i], seen[k]));
	}
	text = devtrace_status_text(-1);
	EXPECT_EQ(0, strcmp(text, devtrace_status_text(DEVTRACE_FAILED + 1)));
	EXPECT_EQ(0, strcmp(text, devtrace_status_text(INT_MIN)));
	EXPECT_EQ(0, strcmp(text, devtrace_status_text(INT_MAX)));
}

/* First action of the restarted program. */
enum { AS_IT_IS, NO_STDERR, AS_USER, NOBODY_READS };

static struct run {
	char	said[4096];
	int	status;		/* exit status; -1: killed by a signal */
} run;

/*
 * Restart this program with @word, which tells debugged() what to do, and with variables of the
 * environment up to NULL. Fills in run.
 */
static void start(int how, const char *file, const char *word, ...)
{
	const char *variable;
	size_t len = 0;
	int fds[2], status;
	va_list args;
	ssize_t n;
	pid_t pid;

	run.status = -1;
	if (pipe2(fds, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		va_start(args, word);
		while ((variable = va_arg(args, const char *)))
			putenv((char *)variable);
		va_end(args);
		signal(SIGPIPE, SIG_DFL);
		close(fds[0]);
		if (how == NOBODY_READS && (pipe(fds) || close(fds[0])))
			_exit(97);
		if (how == NO_STDERR)
			close(2);
		else
			dup2(fds[1], 2);
		if (how == AS_USER && (setresgid(USER, USER, USER) || setresuid(USER, USER, USER)))
			_exit(97);
		execl(file, "test_status", "--debug", word, NULL);
		_exit(99);
	}
	close(fds[1]);
	while (len < sizeof(run.said) - 1 &&
	       (n = read(fds[0], run.said + len, sizeof(run.said) - 1 - len)) > 0)
		len += n;
	run.said[len] = 0;
	close(fds[0]);
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		run.status = WEXITSTATUS(status);
}

static bool says(const char *beginning)
{
	return !strncmp(run.said, beginning, strlen(beginning));
}

static int lines(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void *open_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	devtrace_open();
	*(int *)arg = 1;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return NULL;
}

/* Runs in the restarted program; returns its exit status. */
static int debugged(const char *word)
{
	pthread_t thread;
	struct stat st;
	int done = 0;

	/* The library has read it; without it, fakedev.c uses the real calls. */
	unsetenv("DEVTRACE_DEVICE");
	if (!strcmp(word, "file")) {
		/* It gets descriptor 2, and must not be written. */
		if (memfd_create("file", 0) != 2)
			return 96;
	} else if (!strcmp(word, "thread")) {
		if (pthread_create(&thread, NULL, open_cancelled, &done) ||
		    pthread_join(thread, NULL) || !done)
			return 96;
	} else if (!strcmp(word, "secure") && !getauxval(AT_SECURE)) {
		return 95;
	} else if (!strcmp(word, "pipe")) {
		/* A SIGPIPE that is already pending stays pending. */
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGPIPE);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGPIPE);
		devtrace_open();
		if (sigpending(&set) || !sigismember(&set, SIGPIPE))
			return 96;
		return devtrace_status();
	}
	errno = 1234;
	devtrace(TYPE, 1);
	if (errno != 1234)
		return 94;
	devtrace_open();
	devtrace(TYPE, 2);
	if (!strcmp(word, "file") && (fstat(2, &st) || st.st_size))
		return 93;
	return devtrace_status();
}

TEST_F(status, said_once)
{
	static const struct { const char *device; int status; const char *says; } t[] = {
		{ "DEVTRACE_DEVICE=/dev/null", DEVTRACE_NOT_A_DEVICE,
		  "devtrace: /dev/null: not a trace device: " },
		{ "DEVTRACE_DEVICE=/dev/null/x", DEVTRACE_NO_DEVICE,
		  "devtrace: /dev/null/x: no trace device: " },
		{ NOWHERE, DEVTRACE_NO_DEVICE,
		  "devtrace: /proc/self/nowhere: no trace device: " },
		{ "DEVTRACE_DEVICE=", DEVTRACE_DISABLED,
		  "devtrace: turned off by an empty DEVTRACE_DEVICE: " },
	};
	int i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		start(AS_IT_IS, "/proc/self/exe", "", "DEVTRACE_DEBUG=1", t[i].device, NULL);
		if (run.status == 99)
			SKIP(return, "this program cannot be started anew");
		EXPECT_EQ(t[i].status, run.status);
		EXPECT_TRUE(says(t[i].says)) TH_LOG("%s", run.said);
		EXPECT_TRUE(strstr(run.said, "events are discarded; ") != NULL);
		EXPECT_TRUE(strstr(run.said, "trace(4), 'Who may emit'") != NULL);
		EXPECT_EQ(1, lines(run.said)) TH_LOG("%s", run.said);
		/* No output without the request. */
		start(AS_IT_IS, "/proc/self/exe", "", "DEVTRACE_DEBUG=0", t[i].device, NULL);
		EXPECT_EQ(t[i].status, run.status);
		EXPECT_EQ(0, strlen(run.said)) TH_LOG("%s", run.said);
		start(AS_IT_IS, "/proc/self/exe", "", "DEVTRACE_DEBUG=", t[i].device, NULL);
		EXPECT_EQ(0, strlen(run.said)) TH_LOG("%s", run.said);
	}
	start(AS_IT_IS, "/proc/self/exe", "thread", "DEVTRACE_DEBUG=1", NOWHERE, NULL);
	EXPECT_EQ(DEVTRACE_NO_DEVICE, run.status);
	EXPECT_EQ(1, lines(run.said));
}

TEST_F(status, the_longest_name_is_cut_nowhere)
{
	char name[300] = "DEVTRACE_DEVICE=";
	size_t len = strlen(name);

	memset(name + len, 'x', 255);
	start(AS_IT_IS, "/proc/self/exe", "", "DEVTRACE_DEBUG=1", name, NULL);
	if (run.status == 99)
		SKIP(return, "this program cannot be started anew");
	EXPECT_EQ(DEVTRACE_NO_DEVICE, run.status);
	EXPECT_TRUE(strstr(run.said, name + len) != NULL);
	EXPECT_EQ('\n', run.said[strlen(run.said) - 1]);
	/* Too long, and empty. */
	strcat(name, "x");
	start(AS_IT_IS, "/proc/self/exe", "", "DEVTRACE_DEBUG=1", name, NULL);
	EXPECT_EQ(DEVTRACE_FAILED, run.status);
	EXPECT_TRUE(says("devtrace: cannot be opened: ")) TH_LOG("%s", run.said);
}

TEST_F(status, standard_error_is_not_there)
{
	start(NO_STDERR, "/proc/self/exe", "file", "DEVTRACE_DEBUG=1", NOWHERE, NULL);
	if (run.status == 99)
		SKIP(return, "this program cannot be started anew");
	EXPECT_EQ(DEVTRACE_NO_DEVICE, run.status);
	start(NOBODY_READS, "/proc/self/exe", "", "DEVTRACE_DEBUG=1", NOWHERE, NULL);
	EXPECT_EQ(DEVTRACE_NO_DEVICE, run.status);
	start(NOBODY_READS, "/proc/self/exe", "pipe", "DEVTRACE_DEBUG=1", NOWHERE, NULL);
	EXPECT_EQ(DEVTRACE_NO_DEVICE, run.status);
}

/* A copy of this program that others may run; false under an emulator. */
static bool copied(char *copy)
{
	char command[100];
	int fd;

	start(AS_IT_IS, "/proc/self/exe", "", NULL);
	if (run.status == 99)
		return false;
	fd = mkstemp(copy);

	snprintf(command, sizeof(command), "cat /proc/%d/exe >%s", getpid(), copy);
	return fd >= 0 && !close(fd) && !system(command) && !chmod(copy, 0755);
}

/* As after `echo hello >/dev/trace` as root before the module is loaded. */
TEST_F(status, a_file_in_its_place)
{
	char name[] = "/tmp/devtrace-file-XXXXXX", copy[] = "/tmp/devtrace-copy-XXXXXX";
	char in_dev[] = "/dev/devtrace-file-XXXXXX", variable[100];
	struct stat st;
	int fd;

	if (geteuid())
		SKIP(return, "this takes root");
	if (!copied(copy))
		SKIP(return, "this program cannot be started anew");
	fd = mkstemp(name);
	ASSERT_LE(0, fd);
	ASSERT_EQ(5, write(fd, "hello", 5));
	snprintf(variable, sizeof(variable), "DEVTRACE_DEVICE=%s", name);
	start(AS_IT_IS, copy, "", "DEVTRACE_DEBUG=1", variable, NULL);
	EXPECT_EQ(DEVTRACE_NOT_A_DEVICE, run.status);
	/* A user who may not open it gets the same message. */
	start(AS_USER, copy, "", "DEVTRACE_DEBUG=1", variable, NULL);
	EXPECT_EQ(DEVTRACE_NOT_A_DEVICE, run.status);
	EXPECT_TRUE(strstr(run.said, ": a regular file, not a trace device: ") != NULL)
		TH_LOG("%s", run.said);
	/* Only in /dev is the file in the way. */
	EXPECT_TRUE(strstr(run.said, "; check the name in DEVTRACE_DEVICE") != NULL);
	/* The file is unchanged. */
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(5, st.st_size);
	close(fd);
	unlink(name);
	fd = mkstemp(in_dev);
	if (fd >= 0) {
		close(fd);
		snprintf(variable, sizeof(variable), "DEVTRACE_DEVICE=%s", in_dev);
		start(AS_IT_IS, copy, "", "DEVTRACE_DEBUG=1", variable, NULL);
		unlink(in_dev);
		EXPECT_EQ(DEVTRACE_NOT_A_DEVICE, run.status);
		EXPECT_TRUE(strstr(run.said, "; remove it, and load the module") != NULL)
			TH_LOG("%s", run.said);
	}
	unlink(copy);
}

/* A device whose mode excludes the user: any device will do, as it is not opened. */
TEST_F(status, a_user_may_not)
{
	char name[] = "/tmp/devtrace-dir-XXXXXX", copy[] = "/tmp/devtrace-copy-XXXXXX";
	char node[60], variable[100];

	if (geteuid())
		SKIP(return, "this takes root");
	if (!copied(copy))
		SKIP(return, "this program cannot be started anew");
	ASSERT_TRUE(mkdtemp(name) != NULL);
	ASSERT_EQ(0, chmod(name, 0755));
	snprintf(node, sizeof(node), "%s/trace", name);
	snprintf(variable, sizeof(variable), "DEVTRACE_DEVICE=%s", node);
	if (mknod(node, S_IFCHR | 0600, makedev(1, 3))) {
		rmdir(name);
		unlink(copy);
		SKIP(return, "no device can be made here");
	}
	start(AS_USER, copy, "", "DEVTRACE_DEBUG=1", variable, NULL);
	EXPECT_EQ(DEVTRACE_NOT_PERMITTED, run.status);
	EXPECT_TRUE(strstr(run.said, "/trace: permission denied: ") != NULL) TH_LOG("%s", run.said);
	EXPECT_EQ(1, lines(run.said));
	unlink(node);
	rmdir(name);
	unlink(copy);
}

/* A program with more rights than its user ignores the environment. */
TEST_F(status, more_rights_than_the_user)
{
	char copy[] = "/tmp/devtrace-copy-XXXXXX";

	if (geteuid())
		SKIP(return, "this takes root");
	if (!access("/dev/trace", F_OK))
		SKIP(return, "that would be the real device");
	if (!copied(copy))
		SKIP(return, "this program cannot be started anew");
	ASSERT_EQ(0, chown(copy, USER, USER));
	ASSERT_EQ(0, chmod(copy, 04755));
	start(AS_IT_IS, copy, "secure", "DEVTRACE_DEBUG=1", "DEVTRACE_DEVICE=/dev/null", NULL);
	unlink(copy);
	if (run.status == 95)
		SKIP(return, "set-user-id means nothing here");
	EXPECT_EQ(DEVTRACE_NO_DEVICE, run.status);
	EXPECT_EQ(0, strlen(run.said)) TH_LOG("%s", run.said);
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	/* LeakSanitizer cannot run in a program with more rights than its user. */
	if (argc == 3 && !strcmp(argv[1], "--debug"))
		_exit(debugged(argv[2]));
	fake_start(argv);
	return harness_main(argc, argv);
}
