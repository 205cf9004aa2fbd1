// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_emit.c - the library's connection to the device, and its filter
 *
 * The device is that of fakedev.c. Each test is a separate process that has not connected yet.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define TYPE	100

static const struct devtrace_emit event = { .type = TYPE };

static int emit(void)
{
	return devtrace_emit_event(&event, sizeof(event));
}

/* Number of descriptors of the device in this process, except our own 900. */
static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	int n = 0;

	while ((d = readdir(dir))) {
		int fd = atoi(d->d_name);

		if (d->d_name[0] != '.' && fd != 900 && fake_is(fd))
			n++;
	}
	closedir(dir);
	return n;
}

static unsigned int types_enabled(void)
{
	unsigned int type, n = 0;

	for (type = 0; type < 256; type++)
		n += devtrace_enabled(type);
	return n;
}

static unsigned int severities_enabled(void)
{
	unsigned int severity, n = 0;

	for (severity = 0; severity < 16; severity++)
		n += devtrace_enabled_severity(TYPE, severity);
	return n;
}

static unsigned int objects_enabled(void)
{
	unsigned int object, n = 0;

	for (object = 0; object < 65536; object++)
		n += devtrace_enabled_for(TYPE, object);
	return n;
}

/* True if the page enables everything, or nothing. */
static bool all_enabled(bool wanted)
{
	return types_enabled() == 256 * wanted && severities_enabled() == 16 * wanted &&
	       objects_enabled() == 65536 * wanted;
}

FIXTURE(emit) { };

FIXTURE_SETUP(emit)
{
	fake_reset();
	ASSERT_EQ(-1, devtrace_fd());
	ASSERT_TRUE(all_enabled(true));
}

FIXTURE_TEARDOWN(emit)
{
}

TEST_F(emit, first_event_connects)
{
	errno = 1234;
	EXPECT_EQ(0, emit());
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(1, fake->opens);
	EXPECT_EQ(1, fake->nr);
	EXPECT_EQ(sizeof(event), fake->events[0].size);
	EXPECT_EQ(0, memcmp(fake->events[0].bytes, &event, sizeof(event)));
	EXPECT_LE(200, devtrace_fd());
	EXPECT_EQ(FD_CLOEXEC, fcntl(devtrace_fd(), F_GETFD));
	EXPECT_EQ(1, descriptors());
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(0, devtrace_error());
	EXPECT_EQ(0, emit());
	EXPECT_EQ(1, fake->opens);
}

TEST_F(emit, filter_is_followed)
{
	unsigned int type;

	ASSERT_EQ(0, devtrace_open());
	for (type = 0; type < 256; type++) {
		fake_want(type, 0);
		EXPECT_EQ(255, types_enabled());
		EXPECT_FALSE(devtrace_enabled(type));
		fake_want(type, 1);
	}
	fake_want(TYPE, 0);
	devtrace(TYPE, 1);
	EXPECT_EQ(0, fake->nr);
	fake_want(TYPE, 1);
	devtrace(TYPE, 1);
	EXPECT_EQ(1, fake->nr);
}

TEST_F(emit, filter_of_severities_is_followed)
{
	unsigned int severity;

	ASSERT_EQ(0, devtrace_open());
	for (severity = 0; severity < 16; severity++) {
		fake_want_severity(severity, 0);
		EXPECT_EQ(15, severities_enabled());
		EXPECT_FALSE(devtrace_enabled_severity(TYPE, severity));
		fake_want_severity(severity, 1);
	}
	fake_want(TYPE, 0);
	EXPECT_EQ(0, severities_enabled());
	/* A severity of 0 at compile time is not checked. */
	fake_want(TYPE, 1);
	fake_want_severity(0, 0);
	EXPECT_TRUE(devtrace_enabled_severity(TYPE, 0));
}

TEST_F(emit, filter_of_objects_is_followed)
{
	unsigned int object;

	ASSERT_EQ(0, devtrace_open());
	for (object = 0; object < 256; object += 51) {
		fake_want_object(object, 0);
		EXPECT_EQ(65535, objects_enabled());
		EXPECT_FALSE(devtrace_enabled_for(TYPE, object));
		/* It has the same low bits. */
		EXPECT_TRUE(devtrace_enabled_for(TYPE, object + 256));
		fake_want_object(object, 1);
	}
	for (object = 0; object < 256; object++)
		fake_want_object(object, 0);
	EXPECT_EQ(65536 - 256, objects_enabled());
	fake_want(TYPE, 0);
	EXPECT_EQ(0, objects_enabled());
}

TEST_F(emit, no_device)
{
	int i;

	fake->open_error = ENOENT;
	errno = 1234;
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(1, devtrace_errors());
	EXPECT_EQ(ENOENT, devtrace_error());
	EXPECT_TRUE(all_enabled(false));
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(ENODEV, emit());
		EXPECT_EQ(ENODEV, devtrace_dict_obj(1, "one"));
	}
	EXPECT_EQ(1, fake->opens);
	EXPECT_EQ(1, devtrace_errors());

	/* The device appears later. */
	EXPECT_EQ(ENOENT, devtrace_open());
	EXPECT_EQ(2, devtrace_errors());
	fake->open_error = 0;
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(1234, errno);
	EXPECT_TRUE(all_enabled(true));
	EXPECT_EQ(0, emit());
	EXPECT_EQ(1, fake->nr);
}

TEST_F(emit, may_not_read)
{
	fake->rdwr_error = EACCES;
	EXPECT_EQ(0, emit());
	EXPECT_EQ(2, fake->opens);
	EXPECT_EQ(O_WRONLY, fcntl(devtrace_fd(), F_GETFL) & O_ACCMODE);
	/* Without access to the filter, everything is wanted. */
	fake_want(TYPE, 0);
	EXPECT_TRUE(all_enabled(true));
	devtrace(TYPE);
	EXPECT_EQ(2, fake->nr);

	/* Close and open again: the zeroed page must be replaced. */
	devtrace_close();
	EXPECT_EQ(0, types_enabled());
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(256, types_enabled());
}

TEST_F(emit, unknown_control_page)
{
	fake_version(DEVTRACE_WIRE_VERSION + 1);
	fake_want(TYPE, 0);
	EXPECT_EQ(0, emit());
	EXPECT_EQ(256, types_enabled());
	devtrace(TYPE);
	EXPECT_EQ(2, fake->nr);
}

/* Bits that an older module's page lacks do not count as refused. */
TEST_F(emit, older_module)
{
	fake_older();
	fake_want(TYPE + 1, 0);
	EXPECT_EQ(0, emit());
	EXPECT_TRUE(all_enabled(true));
	devtrace_for(TYPE, 7, 0);
	devtrace_exc(DEVTRACE_SW1, 1);
	EXPECT_EQ(3, fake->nr);
	/* It has no type filter either: the kernel filters. */
	devtrace(TYPE + 1);
	EXPECT_EQ(4, fake->nr);
}

TEST_F(emit, closed_behind_our_back)
{
	ASSERT_EQ(0, emit());
	close(devtrace_fd());
	errno = 1234;
	EXPECT_EQ(0, emit());
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(2, fake->opens);
	EXPECT_EQ(2, fake->nr);
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(1, descriptors());
	close(devtrace_fd());
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(1, descriptors());
	EXPECT_EQ(0, emit());
}

TEST_F(emit, descriptor_is_another_file)
{
	int null = open("/dev/null", O_WRONLY);
	int fd;

	ASSERT_EQ(0, emit());
	fd = devtrace_fd();
	ASSERT_EQ(fd, dup2(null, fd));
	EXPECT_EQ(0, emit());
	EXPECT_EQ(2, fake->nr);
	EXPECT_NE(fd, devtrace_fd());
	EXPECT_EQ(0, devtrace_errors());
	/* The application's file is still usable. */
	EXPECT_EQ(1, write(fd, "x", 1));

	ASSERT_EQ(devtrace_fd(), dup2(null, devtrace_fd()));
	fd = devtrace_fd();
	devtrace_close();
	EXPECT_EQ(1, write(fd, "x", 1));
}

TEST_F(emit, opened_for_reading_in_its_place)
{
	int other = open("/proc/self/fd/900", O_RDONLY);

	ASSERT_EQ(0, emit());
	ASSERT_EQ(devtrace_fd(), dup2(other, devtrace_fd()));
	EXPECT_EQ(0, emit());
	EXPECT_EQ(2, fake->nr);
}

TEST_F(emit, closed_and_gone)
{
	ASSERT_EQ(0, emit());
	close(devtrace_fd());
	fake->open_error = EACCES;
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(-1, devtrace_fd());
	EXPECT_EQ(1, devtrace_errors());
	EXPECT_EQ(EACCES, devtrace_error());
	EXPECT_EQ(0, types_enabled());
	/* opened once for reading and writing, once for writing */
	EXPECT_EQ(3, fake->opens);
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(3, fake->opens);
}

TEST_F(emit, keeps_off_the_standard_descriptors)
{
	struct rlimit limit = { .rlim_cur = 20, .rlim_max = 20 };
	int saved = dup(1);

	/* No descriptor above 200 is allowed, and 0 is the lowest free one. */
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	close(0);
	close(1);
	EXPECT_EQ(0, emit());
	dup2(saved, 1);
	EXPECT_LE(3, devtrace_fd());
	EXPECT_EQ(FD_CLOEXEC, fcntl(devtrace_fd(), F_GETFD));
	EXPECT_EQ(1, fake->nr);
	EXPECT_EQ(-1, fcntl(0, F_GETFD));
}

TEST_F(emit, no_descriptor_left)
{
	struct rlimit limit = { .rlim_cur = 3, .rlim_max = 1024 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(EMFILE, devtrace_error());
	EXPECT_EQ(0, types_enabled());
}

TEST_F(emit, refused_event)
{
	static const uint8_t huge[sizeof(event) + DEVTRACE_PAYLOAD_MAX + 1];

	ASSERT_EQ(0, emit());
	fake->emit_error = EMSGSIZE;
	errno = 1234;
	EXPECT_EQ(EMSGSIZE, emit());
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(1, devtrace_errors());
	EXPECT_EQ(EMSGSIZE, devtrace_error());
	fake->emit_error = 0;
	EXPECT_EQ(EINVAL, devtrace_emit_event(&event, sizeof(event) - 1));
	EXPECT_EQ(EMSGSIZE, devtrace_emit_event((const void *)huge, sizeof(huge)));
	EXPECT_EQ(0, devtrace_emit_event((const void *)huge, sizeof(huge) - 1));
	EXPECT_EQ(3, devtrace_errors());
	EXPECT_EQ(1, fake->opens);
}

TEST_F(emit, close_and_open)
{
	ASSERT_EQ(0, emit());
	errno = 1234;
	devtrace_close();
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(-1, devtrace_fd());
	EXPECT_EQ(0, descriptors());
	EXPECT_EQ(0, types_enabled());
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(0, devtrace_errors());
	devtrace_close();
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(1, descriptors());
	EXPECT_EQ(0, emit());
}

TEST_F(emit, close_before_any_event)
{
	devtrace_close();
	EXPECT_EQ(0, types_enabled());
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(0, fake->opens);
}

TEST_F(emit, fork_shares_the_connection)
{
	pid_t pid;
	int status;

	ASSERT_EQ(0, emit());
	pid = fork();
	if (!pid)
		_exit(emit() || descriptors() != 1 || fake->opens != 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, emit());
	EXPECT_EQ(3, fake->nr);
	EXPECT_EQ(1, fake->opens);
}

static volatile bool shared;

/* A child that shares our memory but not our descriptors connects first. */
static __attribute__((noinline)) void vfork_and_emit(void)
{
	pid_t pid = vfork();

	if (!pid) {
		shared = true;
		emit();
		_exit(0);
	}
	/* If vfork() is fork(), the child must not run the next test. */
	waitpid(pid, NULL, 0);
}

TEST_F(emit, vfork_child_connects)
{
	vfork_and_emit();
	if (!shared)
		SKIP(return, "vfork is fork here");
	EXPECT_EQ(1, fake->nr);
	EXPECT_EQ(0, descriptors());
	EXPECT_EQ(0, emit());
	EXPECT_EQ(2, fake->nr);
	EXPECT_EQ(1, descriptors());
	EXPECT_EQ(0, devtrace_errors());
}

static pthread_barrier_t barrier;

static void *emit_many(void *arg)
{
	long bad = 0;
	int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < 500; i++)
		bad += emit() != 0;
	(void)arg;
	return (void *)bad;
}

TEST_F(emit, threads_connect_at_once)
{
	pthread_t thread[8];
	void *bad;
	int i;

	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, emit_many, NULL));
	for (i = 0; i < 8; i++) {
		pthread_join(thread[i], &bad);
		EXPECT_EQ(0, (uintptr_t)bad);
	}
	EXPECT_EQ(8 * 500, fake->nr);
	EXPECT_EQ(1, descriptors());
	EXPECT_EQ(0, devtrace_errors());
}

static void emit_in_open(void)
{
	fake->in_open = NULL;
	emit();
}

/* A signal handler emits while the device is being opened. */
TEST_F(emit, connect_interrupted_by_event)
{
	fake->in_open = emit_in_open;
	EXPECT_EQ(0, emit());
	EXPECT_EQ(2, fake->nr);
	EXPECT_EQ(2, fake->opens);
	EXPECT_EQ(1, descriptors());
}

static void close_in_open(void)
{
	fake->in_open = NULL;
	devtrace_close();
}

TEST_F(emit, connect_interrupted_by_close)
{
	fake->in_open = close_in_open;
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(0, descriptors());
	EXPECT_EQ(0, types_enabled());
}

static void close_in_map(void)
{
	fake->in_map = NULL;
	devtrace_close();
}

static void open_in_map(void)
{
	fake->in_map = NULL;
	devtrace_open();
}

/*
 * Between the change of the state and of the page, another thread changes both: the first
 * thread's page must not stay.
 */
TEST_F(emit, page_is_overtaken)
{
	fake->in_map = close_in_map;
	EXPECT_EQ(ENODEV, emit());
	EXPECT_EQ(-1, devtrace_fd());
	EXPECT_EQ(0, types_enabled());
	fake->in_map = open_in_map;
	devtrace_close();
	EXPECT_LE(0, devtrace_fd());
	EXPECT_EQ(256, types_enabled());
	fake->in_map = close_in_map;
	EXPECT_EQ(0, devtrace_open());
	devtrace_close();
	EXPECT_EQ(0, types_enabled());
}

static volatile sig_atomic_t signals;

static void on_alarm(int sig)
{
	devtrace(TYPE, sig, "from a handler", DEVTRACE_MEM("0123456789", 10));
	signals++;
}

TEST_F(emit, signal_handlers)
{
	struct itimerval timer = { { 0, 50 }, { 0, 50 } }, off = { };
	unsigned int mine = 0, bad_errno = 0;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (signals < 500) {
		errno = 1234;
		devtrace(TYPE, mine, "from the program");
		bad_errno += errno != 1234;
		mine++;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	EXPECT_EQ(mine + signals, fake->nr);
	EXPECT_EQ(0, bad_errno);
	EXPECT_EQ(0, devtrace_errors());
}

static void *emit_cancelled(void *arg)
{
	pthread_barrier_wait(&barrier);
	/* A cancellation is pending: a cancellation point would end the thread. */
	*(int *)arg = emit() == 0 && devtrace_open() == 0;
	devtrace_close();
	*(int *)arg += devtrace_open() == 0;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return NULL;
}

TEST_F(emit, no_cancellation_point)
{
	pthread_t thread;
	int done = 0;

	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&thread, NULL, emit_cancelled, &done));
	pthread_cancel(thread);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	EXPECT_EQ(2, done);
}

static void *open_and_close(void *arg)
{
	int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < 300; i++) {
		if (arg)
			devtrace_close();
		devtrace_open();
	}
	if (arg)
		devtrace_close();
	return NULL;
}

/* In the end, the page matches the state. */
TEST_F(emit, page_follows_state)
{
	pthread_t thread[4];
	int round;
	long i;

	for (round = 0; round < 10; round++) {
		pthread_barrier_init(&barrier, NULL, 4);
		for (i = 0; i < 4; i++)
			ASSERT_EQ(0, pthread_create(&thread[i], NULL, open_and_close,
						    (void *)(i & 1)));
		for (i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
		ASSERT_EQ(devtrace_fd() >= 0 ? 256 : 0, types_enabled());
		ASSERT_EQ(devtrace_fd() >= 0, descriptors());
	}
}

TEST_F(emit, dictionaries)
{
	char longest[100];
	int i;

	errno = 1234;
	EXPECT_EQ(0, devtrace_dict_obj(0x123456789abcdef0, "pump"));
	EXPECT_EQ(0, devtrace_dict_fun(0x4000, "main"));
	EXPECT_EQ(0, devtrace_dict_sig(3, 7, "START"));
	EXPECT_EQ(0, devtrace_dict_usr(TYPE, "SPEED"));
	EXPECT_EQ(0, devtrace_dict_enum(200, 5, "READY"));
	EXPECT_EQ(1234, errno);
	ASSERT_EQ(5, fake->nr_dicts);
#define SAME(i, k, v, g, x, n)						\
	do {								\
		struct devtrace_dict d = { .kind = k, .group = g,	\
					   .value = v, .key = x };	\
		strcpy(d.name, n);					\
		EXPECT_EQ(0, memcmp(&d, &fake->dicts[i], sizeof(d)));	\
	} while (0)
	SAME(0, DEVTRACE_T_OBJ, 0, 0, 0x123456789abcdef0, "pump");
	SAME(1, DEVTRACE_T_FUN, 0, 0, 0x4000, "main");
	SAME(2, DEVTRACE_T_SIG, 3, 0, 7, "START");
	SAME(3, DEVTRACE_T_USR, TYPE, 0, 0, "SPEED");
	SAME(4, DEVTRACE_T_ENUM, 200, 5, 0, "READY");

	DEVTRACE_DICT_OBJ(&longest);
	SAME(5, DEVTRACE_T_OBJ, 0, 0, (uintptr_t)&longest, "&longest");
	DEVTRACE_DICT_FUN(emit);
	SAME(6, DEVTRACE_T_FUN, 0, 0, (uintptr_t)emit, "emit");
	DEVTRACE_DICT_USR(TYPE);
	SAME(7, DEVTRACE_T_USR, 100, 0, 0, "TYPE");

	/* The limit is 63 bytes, or 31 two-byte characters. */
	EXPECT_EQ(0, devtrace_errors());
	memset(longest, 'x', sizeof(longest));
	longest[63] = 0;
	EXPECT_EQ(0, devtrace_dict_obj(1, longest));
	EXPECT_EQ(63, strlen(fake->dicts[8].name));
	longest[63] = 'x';
	longest[64] = 0;
	EXPECT_EQ(ENAMETOOLONG, devtrace_dict_obj(1, longest));
	EXPECT_EQ(63, strlen(fake->dicts[9].name));
	for (i = 0; i < 98; i += 2)
		memcpy(longest + i, "\xc3\xa4", 2);
	longest[98] = 0;
	EXPECT_EQ(ENAMETOOLONG, devtrace_dict_obj(1, longest));
	EXPECT_EQ(62, strlen(fake->dicts[10].name));
	EXPECT_EQ(EINVAL, devtrace_dict_obj(1, ""));
	EXPECT_EQ(EINVAL, devtrace_dict_obj(1, NULL));
	EXPECT_EQ(11, fake->nr_dicts);
	EXPECT_EQ(4, devtrace_errors());
	EXPECT_EQ(1, fake->opens);
}

/* The result of devtrace_open() in a program started with this environment. */
static int with_device(const char *name)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		setenv("DEVTRACE_DEVICE", name, 1);
		execl("/proc/self/exe", "test_emit", "--environment", NULL);
		_exit(99);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The program may only look; it makes and changes no file. */
static int environment(void)
{
	int err;

	/* Let this process use the real device. */
	unsetenv("DEVTRACE_DEVICE");
	err = devtrace_open();
	if (err != devtrace_error() || devtrace_errors() != 1 || devtrace_fd() != -1 ||
	    !all_enabled(false) || emit() != ENODEV)
		return 98;
	return err;
}

TEST_F(emit, environment_names_the_device)
{
	char name[300];
	int status = with_device("/proc/self/nowhere");

	if (status == 99)
		SKIP(return, "this program cannot be started anew");
	EXPECT_EQ(ENOENT, status);
	EXPECT_EQ(ENODEV, with_device(""));
	EXPECT_EQ(ENOTTY, with_device("/dev/null"));
	EXPECT_EQ(EISDIR, with_device("/dev"));
	memset(name, 'x', sizeof(name));
	name[256] = 0;
	EXPECT_EQ(ENAMETOOLONG, with_device(name));
	/* The longest possible name is opened. */
	name[255] = 0;
	EXPECT_EQ(ENOENT, with_device(name));
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--environment"))
		return environment();
	fake_start(argv);
	return harness_main(argc, argv);
}
