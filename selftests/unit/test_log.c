// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_log.c - the events of DT_LOG(), and the images that the library sends
 *
 * The bytes are written by hand from Documentation/log.rst. The device is that of fakedev.c. Each
 * test is a separate process that has not connected yet; the constructor of <devtrace/log.h> has
 * registered this program as image 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace/log.h>
#include "fakedev.h"
#include "kselftest_harness.h"

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

static uid_t file_owner;	/* owner of the file of choices, as the library sees it */

int __wrap_fstat(int fd, struct stat *st)
{
	int r = __real_fstat(fd, st);

	st->st_uid = file_owner;
	return r;
}

FIXTURE(log) { };

FIXTURE_SETUP(log)
{
	fake_reset();
	errno = 1234;
}

FIXTURE_TEARDOWN(log)
{
	unlink(SITES_FILE);
}

static const struct fake_event *last_event(void)
{
	return &fake->events[(fake->nr - 1) % FAKE_EVENTS];
}

static uint32_t site_of(const struct fake_event *e, size_t at)
{
	return e->bytes[at] | e->bytes[at + 1] << 8 | e->bytes[at + 2] << 16 |
	       (uint32_t)e->bytes[at + 3] << 24;
}

/* The last event has this severity, these flags, and these elements behind the site number. */
#define ELEMENTS(severity_, ...)						\
	do {									\
		static const uint8_t want_[] = { __VA_ARGS__ };			\
		const struct fake_event *got_ = last_event();			\
		EXPECT_EQ(9 + sizeof(want_), got_->size);			\
		EXPECT_EQ(127, got_->bytes[0]);					\
		EXPECT_EQ(severity_, got_->bytes[1]);				\
		EXPECT_EQ(0, got_->bytes[2]);					\
		EXPECT_EQ(0, got_->bytes[3]);					\
		EXPECT_EQ(5, got_->bytes[4]);					\
		EXPECT_EQ(0, site_of(got_, 5) >> 24);				\
		EXPECT_EQ(0, memcmp(want_, got_->bytes + 9, sizeof(want_)));	\
	} while (0)

TEST_F(log, elements_by_type)
{
	enum { SEVEN = 7 } e = SEVEN;
	char name[] = "abc";

	DT_LOG("none");
	ELEMENTS(0);
	DT_LOG("%d %d %d", (signed char)-1, (short)-2, -3);
	ELEMENTS(0, 0, 0xff, 2, 0xfe, 0xff, 4, 0xfd, 0xff, 0xff, 0xff);
	DT_LOG("%u %u %u", (unsigned char)1, (unsigned short)2, 3u);
	ELEMENTS(0, 1, 1, 3, 2, 0, 5, 3, 0, 0, 0);
	DT_LOG("%lld %llu", -1ll, 1ull);
	ELEMENTS(0, 0xd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe, 1, 0, 0, 0, 0, 0, 0, 0);
	DT_LOG("%d %u", (bool)true, e);
	ELEMENTS(0, 1, 1, 5, 7, 0, 0, 0);
	DT_LOG("%f %f", 1.5f, 2.5);
	ELEMENTS(0, 6, 0, 0, 0xc0, 0x3f, 7, 0, 0, 0, 0, 0, 0, 4, 0x40);
	DT_LOG("%Lf", 2.5L);
	ELEMENTS(0, 7, 0, 0, 0, 0, 0, 0, 4, 0x40);
	DT_LOG("%s %s", name, "d");
	ELEMENTS(0, 8, 'a', 'b', 'c', 0, 8, 'd', 0);
	DT_LOG("%s", (char *)NULL);
	ELEMENTS(0, 8, '(', 'n', 'u', 'l', 'l', ')', 0);
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(1234, errno);
}

TEST_F(log, pointers_are_numbers)
{
	if (sizeof(void *) == 8) {
		DT_LOG("%p", (void *)0x123456789aull);
		ELEMENTS(0, 0xfe, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0);
	} else {
		DT_LOG("%p", (void *)0x12345678);
		ELEMENTS(0, 0xf, 0x78, 0x56, 0x34, 0x12);
	}
	/* The last element decides about the flag PTR, too: there is none. */
	EXPECT_EQ(0, last_event()->bytes[2]);
}

TEST_F(log, levels)
{
	DT_ERR("%d", 1);
	ELEMENTS(DEVTRACE_SW2, 4, 1, 0, 0, 0);
	DT_WARN("%d", 1);
	ELEMENTS(DEVTRACE_SW1, 4, 1, 0, 0, 0);
	DT_INFO("%d", 1);
	ELEMENTS(DEVTRACE_SW0, 4, 1, 0, 0, 0);
	DT_DEBUG("%d", 1);
	ELEMENTS(DEVTRACE_SW0, 4, 1, 0, 0, 0);
	DT_LOG_AT(DEVTRACE_LOG_OF_SYSLOG(8 | 3), "%d", 1);
	ELEMENTS(DEVTRACE_SW2, 4, 1, 0, 0, 0);
	DT_LOG_AT(DEVTRACE_LOG_OF_SYSLOG(7), "%d", 1);
	ELEMENTS(DEVTRACE_SW0, 4, 1, 0, 0, 0);
	EXPECT_EQ(0, devtrace_printf("%d", 1) + devtrace_printf_sev(DEVTRACE_HW3, "%d", 2));
	EXPECT_EQ(8, fake->nr);
	ELEMENTS(DEVTRACE_HW3, 4, 2, 0, 0, 0);
}

TEST_F(log, sixteen_arguments)
{
	uint8_t n = 0;
	unsigned int i;

	DT_LOG("%u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u", n, n, n, n, n, n, n, n, n, n,
	       n, n, n, n, n, (uint8_t)15);
	ASSERT_EQ(9 + 32, last_event()->size);
	for (i = 0; i < 16; i++) {
		EXPECT_EQ(1, last_event()->bytes[9 + 2 * i]);
		EXPECT_EQ(i == 15 ? 15 : 0, last_event()->bytes[10 + 2 * i]);
	}
}

TEST_F(log, object_and_signal)
{
	const struct fake_event *e;

	DT_LOG_TO(0x1234, "%d", 1);
	e = last_event();
	ASSERT_EQ(18, e->size);
	EXPECT_EQ(0, memcmp(e->bytes, "\177\0\020\0\x34\x12\0\0\5", 9));
	EXPECT_EQ(0, memcmp(e->bytes + 13, "\4\1\0\0\0", 5));
	DT_LOG_SIG(0x1234, 0xabcd, "none");
	e = last_event();
	ASSERT_EQ(13, e->size);
	EXPECT_EQ(0, memcmp(e->bytes, "\177\0\020\0\x34\x12\xcd\xab\5", 9));
	fake_want_object(7, 0);
	DT_LOG_TO(7, "none");
	EXPECT_EQ(2, fake->nr);
	DT_LOG_TO(8, "none");
	EXPECT_EQ(3, fake->nr);
}

TEST_F(log, long_string_is_cut)
{
	static char text[10001];
	const struct fake_event *e;

	memset(text, 'x', 10000);
	DT_LOG("%s %d", text, 1);
	e = last_event();
	EXPECT_EQ(EMSGSIZE, devtrace_error());
	EXPECT_EQ(0, memcmp(e->bytes + e->size - 12, " bytes cut]", 12));
}

static unsigned int evaluated;

static int evaluate(void)
{
	evaluated++;
	return 1;
}

/* One statement, whose site a test turns off. */
static unsigned int one_site(void)
{
	DT_LOG("%d", evaluate());
	return fake->nr ? site_of(last_event(), 5) & 0xffffff : 0;
}

TEST_F(log, filters_and_switch)
{
	unsigned int index = one_site();

	EXPECT_EQ(1, evaluated);
	fake_want(127, 0);
	one_site();
	fake_want(127, 1);
	devtrace_sites_begin_[index] = 1;
	one_site();
	EXPECT_EQ(1, evaluated);
	EXPECT_EQ(1, fake->nr);
	devtrace_sites_begin_[index] = 0;
	one_site();
	EXPECT_EQ(2, evaluated);
	fake_want_severity(DEVTRACE_SW2, 0);
	DT_ERR("%d", evaluate());
	EXPECT_EQ(2, evaluated);
	DT_LOG("%d", evaluate());
	EXPECT_EQ(3, evaluated);
	EXPECT_EQ(3, fake->nr);
}

TEST_F(log, sites_differ)
{
	uint32_t a, b;

	DT_LOG("one");
	a = site_of(last_event(), 5);
	DT_LOG("two");
	b = site_of(last_event(), 5);
	EXPECT_NE(a, b);
	EXPECT_GT(devtrace_sites_end_ - devtrace_sites_begin_, a);
	EXPECT_GT(devtrace_sites_end_ - devtrace_sites_begin_, b);
}

static bool is_name(unsigned int n, unsigned int image, unsigned int group, const char *name)
{
	const struct devtrace_dict *d = &fake->dicts[n];

	return d->kind == 65 && d->value == image && d->group == group && !d->key &&
	       (!name || !strcmp(d->name, name));
}

/* The three names of an image, from the nth name on. */
static bool are_names(unsigned int n, unsigned int image)
{
	return fake->nr_dicts >= n + 3 && is_name(n, image, 0, NULL) &&
	       is_name(n + 1, image, 1, NULL) && is_name(n + 2, image, 2, NULL);
}

static char own_path[4096];

TEST_F(log, image_is_sent_when_connecting)
{
	ssize_t n = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	const char *path = own_path + (n > 63 ? n - 63 : 0);

	EXPECT_EQ(0, fake->nr_dicts);
	EXPECT_EQ(0, fake->opens);
	DT_LOG("none");
	EXPECT_EQ(3, fake->nr_dicts);
	EXPECT_TRUE(are_names(0, 0));
	EXPECT_TRUE(is_name(1, 0, 1, path));
	EXPECT_EQ(0, memcmp(fake->dicts[2].name, "0x", 2));
	DT_LOG("none");
	EXPECT_EQ(3, fake->nr_dicts);
	devtrace_close();
	EXPECT_EQ(0, devtrace_open());
	EXPECT_EQ(6, fake->nr_dicts);
	EXPECT_TRUE(are_names(3, 0));
	EXPECT_EQ(0, devtrace_errors());
}

/* The build-id and the load address, by the program that reads ELF files. */
TEST_F(log, build_id_and_load_address)
{
	char line[256], cmd[5000], want[128] = "-";
	ssize_t n = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	unsigned long address = 0;
	const char *id;
	FILE *f;

	ASSERT_GT(n, 0);
	snprintf(cmd, sizeof(cmd), "LC_ALL=C readelf -nsW '%s' 2>/dev/null", own_path);
	f = popen(cmd, "r");
	ASSERT_NE(NULL, f);
	while (fgets(line, sizeof(line), f)) {
		id = strstr(line, "Build ID: ");
		if (id)
			sscanf(id, "Build ID: %100s", want);
		if (strstr(line, " __start_devtrace_sites"))
			sscanf(line, " %*d: %lx", &address);
	}
	pclose(f);
	if (!address)
		SKIP(return, "no readelf");
	ASSERT_EQ(0, devtrace_open());
	EXPECT_EQ(0, strcmp(want, fake->dicts[0].name))
		TH_LOG("%s, not %s", fake->dicts[0].name, want);
	EXPECT_EQ((unsigned long)devtrace_sites_begin_ - address,
		  strtoul(fake->dicts[2].name, NULL, 16));
}

TEST_F(log, no_device_no_names)
{
	fake->open_error = ENOENT;
	DT_LOG("%d", evaluate());
	EXPECT_EQ(1, evaluated);
	DT_LOG("%d", evaluate());
	EXPECT_EQ(1, evaluated);
	EXPECT_EQ(0, fake->nr_dicts);
}

static unsigned char other_sites[300][4];
static struct devtrace_image_ others[300];

static void load(unsigned int i)
{
	if (!others[i].state)
		others[i].number = 0xff000000;
	devtrace_image_begin_(&others[i], other_sites[i], other_sites[i] + 4);
}

TEST_F(log, later_images)
{
	/* before the connection: sent with the first */
	load(0);
	EXPECT_EQ(0, fake->nr_dicts);
	EXPECT_EQ(1u << 24, others[0].number);
	ASSERT_EQ(0, devtrace_open());
	EXPECT_EQ(6, fake->nr_dicts);
	EXPECT_TRUE(are_names(3, 1));
	/* afterwards: at once, and once */
	load(1);
	EXPECT_EQ(9, fake->nr_dicts);
	EXPECT_TRUE(are_names(6, 2));
	load(1);
	EXPECT_EQ(9, fake->nr_dicts);
	/* unloaded: not sent again, and its number has no other image */
	devtrace_image_end_(&others[1]);
	load(2);
	EXPECT_EQ(3u << 24, others[2].number);
	EXPECT_EQ(12, fake->nr_dicts);
	devtrace_close();
	ASSERT_EQ(0, devtrace_open());
	EXPECT_EQ(21, fake->nr_dicts);
	EXPECT_TRUE(are_names(12, 0));
	EXPECT_TRUE(are_names(15, 1));
	EXPECT_TRUE(are_names(18, 3));
}

TEST_F(log, numbers_end)
{
	unsigned int i;

	for (i = 0; i < 300; i++)
		load(i);
	for (i = 0; i < 300; i++)
		EXPECT_EQ((i < 254 ? i + 1 : 255) << 24, others[i].number);
	ASSERT_EQ(0, devtrace_open());
	EXPECT_EQ(3 * 255, fake->nr_dicts);
	for (i = 0; i < 300; i++)
		devtrace_image_end_(&others[i]);
}

/* An image without sites is none. */
TEST_F(log, no_sites)
{
	struct devtrace_image_ none = { 0xff000000, 0, NULL };

	devtrace_image_begin_(&none, NULL, NULL);
	EXPECT_EQ(0xff000000, none.number);
	devtrace_image_end_(&none);
	load(0);
	EXPECT_EQ(1u << 24, others[0].number);
}

static void child_and_grandchild(void)
{
	int status;
	pid_t pid;

	if (fake->nr_dicts != 3)
		_exit(1);
	DT_LOG("child");
	if (fake->nr_dicts != 6 || !are_names(3, 0))
		_exit(2);
	DT_LOG("child");
	if (fake->nr_dicts != 6)
		_exit(3);
	pid = fork();
	if (!pid) {
		DT_LOG("grandchild");
		_exit(fake->nr_dicts != 9);
	}
	_exit(waitpid(pid, &status, 0) != pid || status);
}

static bool forks_right(void)
{
	int status;
	pid_t pid;

	DT_LOG("parent");
	pid = fork();
	if (!pid)
		child_and_grandchild();
	return waitpid(pid, &status, 0) == pid && !status;
}

TEST_F(log, child_sends_its_own)
{
	EXPECT_TRUE(forks_right());
	DT_LOG("parent");
	EXPECT_EQ(9, fake->nr_dicts);
	EXPECT_EQ(0, devtrace_errors());
}

TEST_F(log, child_sends_its_own_with_lanes)
{
	fake_into_lanes(1);
	EXPECT_TRUE(forks_right());
	EXPECT_EQ(9, fake->nr_dicts);
	EXPECT_EQ(0, fake->nr);
}

/* A child that never emits makes no calls for its images. */
TEST_F(log, silent_child_sends_nothing)
{
	int status;
	pid_t pid;

	DT_LOG("parent");
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(3, fake->nr_dicts);
}

static void handler(int sig)
{
	DT_LOG("signal %d", sig);
}

TEST_F(log, signal_handler)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	ELEMENTS(0, 4, SIGUSR1, 0, 0, 0);
	EXPECT_EQ(3, fake->nr_dicts);
}

static void connect_in_open(void)
{
	fake->in_open = NULL;
	load(0);
}

/* An image that is registered while the program connects. */
TEST_F(log, image_during_open)
{
	fake->in_open = connect_in_open;
	ASSERT_EQ(0, devtrace_open());
	EXPECT_EQ(6, fake->nr_dicts);
	EXPECT_TRUE(are_names(3, 1));
}

static void *load_some(void *arg)
{
	unsigned int i, from = (unsigned int)(uintptr_t)arg;

	for (i = from; i < from + 50; i++)
		load(i);
	return NULL;
}

static void *open_it(void *arg)
{
	(void)arg;
	devtrace_open();
	return NULL;
}

/* Each image is sent, whichever thread comes first. */
TEST_F(log, threads)
{
	pthread_t thread[5];
	bool sent[DEVTRACE_LOG_NO_SITE_ & 0xff] = { false };
	unsigned int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, load_some, (void *)(50ul * i)));
	ASSERT_EQ(0, pthread_create(&thread[4], NULL, open_it, NULL));
	for (i = 0; i < 5; i++)
		pthread_join(thread[i], NULL);
	EXPECT_LE(3 * 201, fake->nr_dicts);
	/* The device keeps the last names only: the numbers given must differ. */
	for (i = 0; i < 200; i++) {
		EXPECT_FALSE(sent[others[i].number >> 24]);
		sent[others[i].number >> 24] = true;
	}
}

static void choose(const char *text)
{
	FILE *f = fopen(SITES_FILE, "w");

	fputs(text, f);
	fclose(f);
	chmod(SITES_FILE, 0644);
}

static unsigned int off(unsigned int i)
{
	return other_sites[i][0] | other_sites[i][1] << 1 | other_sites[i][2] << 2 |
	       other_sites[i][3] << 3;
}

TEST_F(log, choices)
{
	char text[2048], id[64];

	ASSERT_EQ(0, devtrace_open());
	strcpy(id, fake->dicts[0].name);
	if (!strcmp(id, "-"))
		SKIP(return, "this program has no build-id");
	snprintf(text, sizeof(text),
		 "%s 1 off\n# %s 0 off\n\n%s 0 on\n%s 0\n%s -1 off\n%s 4 off\n%s 0x0 off\n"
		 "0%s 0 off\n%s\t3\toff\n%400s 0 off\n%s 18446744073709551616 off\n%s 0 off",
		 id, id, id, id, id, id, id, id, id, id, id, id);
	choose(text);
	load(0);
	EXPECT_EQ(2 | 8, off(0));
	/* not a file of root's alone */
	chmod(SITES_FILE, 0664);
	load(1);
	EXPECT_EQ(0, off(1));
	chmod(SITES_FILE, 0646);
	load(2);
	EXPECT_EQ(0, off(2));
	chmod(SITES_FILE, 0644);
	file_owner = 1000;
	load(3);
	EXPECT_EQ(0, off(3));
	file_owner = 0;
	unlink(SITES_FILE);
	ASSERT_EQ(0, mkfifo(SITES_FILE, 0600));
	load(4);
	EXPECT_EQ(0, off(4));
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
