// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_named.c - types that programs and drivers register by name
 *
 * Programs use the library, and ../dttest/dtnamed.c is a driver. Filters are set with tracectl.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"

#define GET		"/sys/module/dtnamed/parameters/get"
#define EMIT		"/sys/module/dtnamed/parameters/emit"
#define PROGRAMS	4
#define NAMES		60
#define USER_MOST	256	/* NAMED_USER_MOST of kmod/emit/named.c */

static int (*shared)[NAMES];

FIXTURE(named) {
	int fd;
};

FIXTURE_SETUP(named)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=1M"));
	shared = mmap(NULL, PROGRAMS * sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	self->fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(named)
{
	close(self->fd);
	devtrace_close();
	dev_unload_one("dtnamed");
	EXPECT_EQ(0, dev_done());
}

static const char *name_of(unsigned int i)
{
	static char name[32];

	snprintf(name, sizeof(name), "NAMED_%u", i);
	return name;
}

/* Register all names in a random order. */
static void get_all(int *numbers, unsigned int who)
{
	unsigned int order[NAMES], i, k, v;

	dev_random_as(who);
	for (i = 0; i < NAMES; i++) {
		k = dev_random() % (i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	for (i = 0; i < NAMES; i++) {
		v = order[i];
		numbers[v] = devtrace_type(name_of(v));
	}
}

/* The number that the driver has for a name; 0: none. */
static int drivers_number(const char *name)
{
	char text[8192], line[64], *at;

	if (dev_read_file(GET, text, sizeof(text)) <= 0)
		return 0;
	snprintf(line, sizeof(line), "%s ", name);
	at = strstr(text, line);
	return at ? atoi(at + strlen(line)) : 0;
}

/* The name of a number, as a new reader gets it. */
static bool reader_has(int number, const char *name)
{
	struct tape *t = tape_all(4096);
	const char *s = t ? devtrace_decoder_name(t->d, DEVTRACE_T_USR, 0, number, 0, 0) : NULL;
	const bool same = s && !strcmp(s, name);

	tape_free(t);
	return same;
}

TEST_F(named, a_name_has_one_number_for_all)
{
	pid_t pids[PROGRAMS];
	unsigned int i, k;
	int status;

	ASSERT_EQ(0, dev_load_file("dtnamed.ko", ""));
	for (i = 0; i < PROGRAMS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			get_all(shared[i], i + 1);
			_exit(0);
		}
	}
	for (i = NAMES; i-- > 0;)
		ASSERT_EQ(0, dev_write_file(GET, name_of(i)));
	for (i = 0; i < PROGRAMS; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		ASSERT_EQ(0, status);
	}
	for (k = 0; k < NAMES; k++) {
		EXPECT_LE(DEVTRACE_NAMED_FIRST, shared[0][k]);
		EXPECT_GE(DEVTRACE_NAMED_LAST, shared[0][k]);
		for (i = 1; i < PROGRAMS; i++)
			EXPECT_EQ(shared[0][k], shared[i][k]) TH_LOG("name %u", k);
		EXPECT_EQ(shared[0][k], drivers_number(name_of(k))) TH_LOG("name %u", k);
		for (i = 0; i < k; i++)
			EXPECT_NE(shared[0][i], shared[0][k]) TH_LOG("%u and %u", i, k);
		EXPECT_TRUE(reader_has(shared[0][k], name_of(k))) TH_LOG("name %u", k);
	}
}

/* More names than numbers without a collision: about 120 of 4000 names have another's hash. */
TEST_F(named, no_two_names_have_the_same_number)
{
	static bool used[DEVTRACE_NAMED_LAST + 1];
	struct devtrace_type_name t;
	unsigned int i;
	int numbers[4000];

	for (i = 0; i < 4000; i++) {
		memset(&t, 0, sizeof(t));
		snprintf(t.name, sizeof(t.name), "many %u", i);
		ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t)) TH_LOG("name %u", i);
		ASSERT_GE(DEVTRACE_NAMED_LAST, t.number);
		ASSERT_LE(DEVTRACE_NAMED_FIRST, t.number);
		ASSERT_FALSE(used[t.number]) TH_LOG("name %u", i);
		used[t.number] = true;
		numbers[i] = t.number;
	}
	for (i = 4000; i-- > 0;) {
		snprintf(t.name, sizeof(t.name), "many %u", i);
		ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t));
		ASSERT_EQ(numbers[i], t.number);
	}
	/* The table is full at 4096; a registered name is still found. */
	for (i = 4000; i < 4096; i++) {
		snprintf(t.name, sizeof(t.name), "many %u", i);
		ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t));
	}
	snprintf(t.name, sizeof(t.name), "one too many");
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t));
	EXPECT_EQ(ENOSPC, errno);
	/* The names of drivers have a table of their own. */
	EXPECT_EQ(0, dev_load_file("dtnamed.ko", ""));
	EXPECT_EQ(-1, dev_write_file(GET, "another"));
	EXPECT_EQ(0, dev_write_file(GET, "many 7"));
	EXPECT_EQ(numbers[7], drivers_number("many 7"));
	EXPECT_TRUE(reader_has(numbers[3999], "many 3999"));
}

TEST_F(named, wrong_requests_are_refused)
{
	struct devtrace_type_name t = { .name = "" };
	const struct {
		struct devtrace_emit e;
		uint8_t code[4];
	} bad[] = {
		{ { .type = DEVTRACE_T_NAMED, .flags = DEVTRACE_F_CODE }, { 255, 0, 0, 0 } },
		{ { .type = DEVTRACE_T_NAMED, .flags = DEVTRACE_F_CODE }, { 0, 1, 1, 0 } },
		{ { .type = DEVTRACE_T_NAMED, .flags = DEVTRACE_F_CODE }, { 0, 1, 0, 1 } },
		{ { .type = DEVTRACE_T_NAMED, .flags = 0 }, { 0, 1, 0, 0 } },
	}, good = { { .type = DEVTRACE_T_NAMED, .flags = DEVTRACE_F_CODE }, { 0, 1, 0, 0 } };
	unsigned int i;
	int fd;

	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t));
	EXPECT_EQ(EINVAL, errno);
	memset(t.name, 'x', sizeof(t.name));
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t));
	EXPECT_EQ(EINVAL, errno);
	strcpy(t.name, "x");
	t.reserved = 1;
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_TYPE, &t));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_TYPE, NULL));
	EXPECT_EQ(EFAULT, errno);
	fd = open(DEV_PATH, O_RDONLY);
	ASSERT_LE(0, fd);
	t.reserved = 0;
	EXPECT_EQ(-1, ioctl(fd, DEVTRACE_IOC_TYPE, &t));
	EXPECT_EQ(EBADF, errno);
	close(fd);
	/* A program cannot name a number by the dictionary. */
	EXPECT_EQ(-1, dev_name(self->fd, DEVTRACE_T_USR, 0, 256, 0, "forged"));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(-1, dev_emit(self->fd, &bad[i].e, sizeof(bad[i]))) TH_LOG("%u", i);
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(0, dev_emit(self->fd, &good.e, sizeof(good)));
}

/* As user @uid: register names until an error; put their number and the error into @got. */
static int as_user(uid_t uid, const char *prefix, int got[3])
{
	pid_t pid = fork();
	char name[64];
	int status, n = 0, ret;

	if (!pid) {
		if (setgid(uid) || setuid(uid) || devtrace_open())
			_exit(1);
		do {
			snprintf(name, sizeof(name), "%s %d", prefix, n++);
			ret = devtrace_type(name);
		} while (ret > 0 && n < 5000);
		got[0] = n - 1;
		got[1] = -ret;
		/* A name that is registered costs nothing. */
		got[2] = devtrace_type("of root");
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(named, a_user_registers_a_bounded_number)
{
	int root = devtrace_type("of root"), users;

	ASSERT_LT(0, root);
	ASSERT_EQ(0, dev_load_file("dtnamed.ko", ""));
	ASSERT_EQ(0, chmod(DEV_PATH, 0666));
	ASSERT_EQ(0, as_user(4711, "tester", shared[0]));
	EXPECT_EQ(USER_MOST, shared[0][0]);
	EXPECT_EQ(EDQUOT, shared[0][1]);
	EXPECT_EQ(root, shared[0][2]);
	/* The same user again, and then other users until they have all that users may have. */
	ASSERT_EQ(0, as_user(4711, "again", shared[0]));
	EXPECT_EQ(0, shared[0][0]);
	EXPECT_EQ(EDQUOT, shared[0][1]);
	for (users = 1; users < 12; users++) {
		char prefix[16];

		snprintf(prefix, sizeof(prefix), "user %d", users);
		ASSERT_EQ(0, as_user(5000 + users, prefix, shared[0]));
		EXPECT_EQ(USER_MOST, shared[0][0]) TH_LOG("user %d", users);
		/* The last one has the last names of all users. */
		EXPECT_EQ(users == 11 ? ENOSPC : EDQUOT, shared[0][1]) TH_LOG("user %d", users);
	}
	ASSERT_EQ(0, as_user(6000, "late", shared[0]));
	EXPECT_EQ(0, shared[0][0]);
	EXPECT_EQ(ENOSPC, shared[0][1]);
	EXPECT_EQ(root, shared[0][2]);
	/* Root and drivers have room. */
	EXPECT_LT(0, devtrace_type("of root, later"));
	EXPECT_EQ(0, dev_write_file(GET, "of a driver"));
}

/* Emit @n events of each of the three types, and @n of type 100, about an object and without. */
static int emit_three(const int types[3], int lane, unsigned int n)
{
	unsigned int i, k;
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (devtrace_open() || devtrace_lane(lane ? 65536 : 0))
			_exit(1);
		for (i = 0; i < n; i++) {
			for (k = 0; k < 3; k++) {
				devtrace_named(types[k], i);
				devtrace_named_for(types[k], 5, 6, i, "text");
			}
			devtrace(DEVTRACE_T_USER, i);
		}
		_exit(devtrace_errors() != 0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Count the events of these types among those that came since the last clear. */
static void count_three(struct __test_metadata *_metadata, const int types[3], unsigned int n[4],
			bool user)
{
	struct tape *t = tape_all(65536);
	size_t i;
	int k;

	memset(n, 0, 4 * sizeof(*n));
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		if (!(e->flags & DEVTRACE_F_USER) == user)
			continue;
		EXPECT_EQ(0, e->flags & DEVTRACE_F_CODE);
		for (k = 0; k < 3; k++)
			n[k] += e->number == types[k] && e->type == DEVTRACE_T_NAMED;
		n[3] += e->type == DEVTRACE_T_USER && e->number == e->type;
	}
	tape_free(t);
}

static int filter(const char *terms)
{
	char command[256];
	int err;

	snprintf(command, sizeof(command), "tracectl clear && tracectl filter set '%s'", terms);
	err = system(command);
	return err;
}

TEST_F(named, a_filter_judges_the_number)
{
	static const struct {
		const char *terms;
		unsigned int pass[4];	/* of NAMED_0, NAMED_1, NAMED_2 and type 100 */
	} cases[] = {
		{ "all", { 2, 2, 2, 1 } },
		{ "type=NAMED_1", { 0, 2, 0, 0 } },
		{ "type=-NAMED_1", { 2, 0, 2, 1 } },
		{ "type=NAMED_0,NAMED_2,user", { 2, 0, 2, 1 } },
		{ "type=all,-named", { 0, 0, 0, 1 } },
		{ "type=named", { 2, 2, 2, 0 } },
		{ "type=user", { 0, 0, 0, 1 } },
		/* An event of a named type has no code to which the term could refer. */
		{ "code=7:1", { 2, 2, 2, 1 } },
	};
	unsigned int i, k, n[4], lane;
	int types[3];

	ASSERT_EQ(0, dev_load_file("dtnamed.ko", ""));
	for (i = 0; i < 3; i++) {
		types[i] = devtrace_type(name_of(i));
		ASSERT_LT(0, types[i]);
		ASSERT_EQ(0, dev_write_file(GET, name_of(i)));
	}
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (lane = 0; lane < 2; lane++) {
			ASSERT_EQ(0, filter(cases[i].terms));
			ASSERT_EQ(0, emit_three(types, lane, 300));
			count_three(_metadata, types, n, true);
			for (k = 0; k < 4; k++)
				EXPECT_EQ(cases[i].pass[k] * 300, n[k])
					TH_LOG("%s, lane %u, type %u", cases[i].terms, lane, k);
		}
		ASSERT_EQ(0, filter(cases[i].terms));
		for (k = 0; k < 10; k++)
			ASSERT_EQ(0, dev_write_file(EMIT, "7"));
		count_three(_metadata, types, n, false);
		for (k = 0; k < 3; k++)
			EXPECT_EQ(cases[i].pass[k] * 10, n[k])
				TH_LOG("%s, driver, type %u", cases[i].terms, k);
	}
	/* A second stream makes other paths store the events. */
	ASSERT_EQ(0, filter("type=NAMED_1"));
	ASSERT_EQ(0, system("tracectl stream add second 64K type=NAMED_2,user0"));
	for (lane = 0; lane < 2; lane++) {
		ASSERT_EQ(0, system("tracectl clear"));
		ASSERT_EQ(0, emit_three(types, lane, 20));
		count_three(_metadata, types, n, true);
		EXPECT_EQ(0, n[0] + n[2] + n[3]);
		EXPECT_EQ(40, n[1]) TH_LOG("lane %u", lane);
	}
	EXPECT_EQ(0, system("test \"$(traceinfo /dev/trace-second --json | grep -c '\"name\":\"NAMED_2\"')\" = 80"));
	EXPECT_EQ(0, system("test \"$(traceinfo /dev/trace-second --json | grep -c '\"name\":\"NAMED_1\"')\" = 0"));
	EXPECT_EQ(0, system("tracectl stream del second"));
	ASSERT_EQ(0, filter("all"));
}

/* The driver is there before devtrace.ko, and gets its numbers when that is loaded. */
TEST_F(named, a_driver_gets_its_number_later)
{
	int number;

	close(self->fd);
	ASSERT_EQ(0, dev_unload());
	ASSERT_EQ(0, dev_load_file("dtnamed.ko", ""));
	ASSERT_EQ(0, dev_write_file(GET, name_of(0)));
	EXPECT_EQ(0, drivers_number(name_of(0)));
	EXPECT_EQ(0, dev_write_file(EMIT, "1"));
	ASSERT_EQ(0, dev_load("size=256K"));
	self->fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	number = devtrace_type(name_of(0));
	EXPECT_LT(0, number);
	EXPECT_EQ(number, drivers_number(name_of(0)));
	EXPECT_TRUE(reader_has(number, name_of(0)));
}

TEST_HARNESS_MAIN
