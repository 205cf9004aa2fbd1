// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_call.c - requests for lanes, mapping, and handing over, with all errors of trace(4)
 * and Documentation/ABI; and traceinfo's output for lanes
 *
 * The test itself writes the lanes (lanes.c). Limits are set by module parameters.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"
#include "nl.h"

#define PARAMETERS	"/sys/module/devtrace/parameters/"
#define KIB		1024
#define MIB		(1024 * KIB)
#define TYPE		DEVTRACE_T_USER

FIXTURE(call) {
	int	wfd;
	size_t	page;
};

FIXTURE_SETUP(call)
{
	ASSERT_EQ(0, dev_load(""));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(call)
{
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* errno of a request for that many bytes, or 0. */
static int asked(int dev, uint32_t bytes)
{
	struct devtrace_lane_ask arg;
	int fd = lane_fd(dev, bytes, &arg);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* errno of mapping a descriptor, or 0; the mapping stays. */
static int mapped(int fd, size_t bytes, int prot, int flags, size_t offset)
{
	return mmap(NULL, bytes, prot, flags, fd, offset) == MAP_FAILED ? errno : 0;
}

TEST_F(call, sizes)
{
	static const struct { uint32_t want, got; } sizes[] = {
		{ 0, DEVTRACE_LANE_MIN }, { DEVTRACE_LANE_MIN, DEVTRACE_LANE_MIN },
		{ DEVTRACE_LANE_MIN + 1, 2 * DEVTRACE_LANE_MIN }, { 65 * KIB, 128 * KIB },
		{ DEVTRACE_LANE_MAX / 2 + 1, DEVTRACE_LANE_MAX },
		{ DEVTRACE_LANE_MAX, DEVTRACE_LANE_MAX },
	};
	static const uint32_t none[] = {
		1, DEVTRACE_LANE_BLOCK, DEVTRACE_LANE_MIN - 1, DEVTRACE_LANE_MAX + 1, UINT32_MAX,
	};
	struct devtrace_lane_ask arg;
	struct lane l;
	size_t i;
	int fd;

	ASSERT_EQ(0, lane_no_limits());
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fd = lane_fd(self->wfd, sizes[i].want, &arg);
		ASSERT_LE(0, fd) TH_LOG("%u: %s", sizes[i].want, strerror(errno));
		EXPECT_EQ(sizes[i].got, arg.bytes);
		EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
		ASSERT_EQ(0, lane_map(&l, fd, arg.bytes));
		EXPECT_EQ(DEVTRACE_LANE_OPEN, l.head->state);
		EXPECT_EQ(sizes[i].got / DEVTRACE_LANE_BLOCK, l.head->blocks);
		EXPECT_EQ(arg.source, l.head->source);
		close(fd);
		lane_close(&l);
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		EXPECT_EQ(EINVAL, asked(self->wfd, none[i])) TH_LOG("%u", none[i]);
}

TEST_F(call, who_may_ask)
{
	int rfd = open(DEV_PATH, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, rfd);
	EXPECT_EQ(EBADF, asked(rfd, 0));
	close(rfd);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_LANE, NULL));
	EXPECT_EQ(EFAULT, errno);
	/* A request with a bad address costs no descriptor and no lane. */
	EXPECT_EQ(0, asked(self->wfd, 0));
}

/* Unknown flags are refused; the old call of an earlier version fails. */
TEST_F(call, flags)
{
	struct devtrace_lane_ask arg = { .flags = DEVTRACE_LANE_NO_CALLS };
	int fd, bit;

	fd = ioctl(self->wfd, DEVTRACE_IOC_LANE, &arg);
	ASSERT_LE(0, fd);
	EXPECT_EQ(DEVTRACE_LANE_MIN, arg.bytes);
	EXPECT_EQ(DEVTRACE_LANE_NO_CALLS, arg.flags);
	close(fd);
	for (bit = 0; bit < 32; bit++) {
		arg = (struct devtrace_lane_ask){ .flags = 1U << bit & ~DEVTRACE_LANE_NO_CALLS };
		if (!arg.flags)
			continue;
		EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_LANE, &arg)) TH_LOG("flag %d", bit);
		EXPECT_EQ(EINVAL, errno);
	}
	arg = (struct devtrace_lane_ask){ .reserved = 1 };
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_LANE, &arg));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, _IOWR(DEVTRACE_IOC_MAGIC, 5, uint64_t), &arg));
	EXPECT_EQ(ENOTTY, errno);
}

/* errno of handing over the lane with this source, or 0. */
static int handed(int dev, unsigned long source)
{
	return ioctl(dev, DEVTRACE_IOC_HAND, source) ? errno : 0;
}

struct other {
	int		dev;
	unsigned long	source;
	int		of_other, own;
};

static void *hand_as_another(void *arg)
{
	struct other *o = arg;
	struct lane l;

	o->of_other = handed(o->dev, o->source);
	o->own = lane_open(&l, o->dev, 0) ? errno : handed(o->dev, l.head->source);
	lane_close(&l);
	return NULL;
}

TEST_F(call, who_may_hand_over)
{
	struct other o = { .dev = self->wfd };
	unsigned long source;
	int rfd, status;
	struct lane l;
	pthread_t th;
	pid_t pid;

	EXPECT_EQ(ENXIO, handed(self->wfd, get_nprocs_conf()));
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	source = l.head->source;
	rfd = open(DEV_PATH, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, rfd);
	EXPECT_EQ(EBADF, handed(rfd, source));
	close(rfd);
	EXPECT_EQ(0, handed(self->wfd, source));
	EXPECT_EQ(ENXIO, handed(self->wfd, 0));
	EXPECT_EQ(ENXIO, handed(self->wfd, source + 1));
	EXPECT_EQ(ENXIO, handed(self->wfd, source + 4096));
	EXPECT_EQ(ENXIO, handed(self->wfd, -1UL));
	EXPECT_EQ(ENXIO, handed(self->wfd, source + 0x10000));
	/* Other threads of the process may do it too, other processes may not. */
	o.source = source;
	ASSERT_EQ(0, pthread_create(&th, NULL, hand_as_another, &o));
	pthread_join(th, NULL);
	EXPECT_EQ(0, o.of_other);
	EXPECT_EQ(0, o.own);
	pid = fork();
	if (!pid)
		_exit(handed(self->wfd, source));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(ENXIO, WEXITSTATUS(status));
	/* The lane was invalid and is closed; then it is gone. */
	lane_mark(&l, TYPE, 7, 0);
	lane_block(&l, l.n)->used = DEVTRACE_LANE_BLOCK - 1;
	EXPECT_EQ(EPIPE, handed(self->wfd, source));
	EXPECT_EQ(DEVTRACE_LANE_CLOSED, l.head->state);
	EXPECT_EQ(EPIPE, handed(self->wfd, source));
	lane_close(&l);
	EXPECT_EQ(ENXIO, handed(self->wfd, source));
}

/* Number of events that can be read; -1 on failure. */
static int events(void)
{
	struct tape *t = tape_all(4096);
	int n = t && tape_clean(t) ? (int)t->nev : -1;

	tape_free(t);
	return n;
}

/* Events that were handed over do not depend on the lane's memory. */
TEST_F(call, what_was_handed_over_is_kept)
{
	struct lane l;
	int i;

	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	/* More than a block. */
	for (i = 0; l.n == l.head->first - 1 || l.n == l.head->first; i++)
		lane_mark(&l, TYPE, 7, i);
	EXPECT_EQ(0, lane_hand(&l));
	memset(lane_block(&l, l.n - 1) + 1, 0xff,
	       DEVTRACE_LANE_BLOCK - sizeof(struct devtrace_lane_block));
	EXPECT_EQ(i, events());
	/* It is invalid: it is closed, and the earlier events stay. */
	lane_mark(&l, TYPE, 7, i);
	lane_block(&l, l.n)->used = 10;
	EXPECT_EQ(EPIPE, handed(self->wfd, l.head->source));
	EXPECT_EQ(i, events());
	lane_close(&l);
	EXPECT_EQ(i, events());
}

TEST_F(call, no_descriptor_left)
{
	const int lowest = dup(self->wfd);
	struct rlimit old, none;

	ASSERT_LE(0, lowest);
	close(lowest);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = lowest;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(EMFILE, asked(self->wfd, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(0, asked(self->wfd, 0));
}

TEST_F(call, of_the_first_stream_only)
{
	static struct nl nl;
	int fd;

	ASSERT_EQ(0, nl_open(&nl));
	nl_begin(&nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&nl, DEVTRACE_A_STREAM, "other");
	nl_put_u64(&nl, DEVTRACE_A_SIZE, 4 * KIB);
	ASSERT_EQ(0, nl_do(&nl, NULL, NULL));
	fd = open(DEV_PATH "-other", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(ENOTTY, asked(fd, 0));
	close(fd);
	nl_close(&nl);
}

/* Default limits depend on the RAM: 64M, 16M and 4M, or a part of it. */
TEST_F(call, limits_follow_the_ram)
{
	static const struct {
		uint64_t most, part;
	} limits[LANE_LIMITS] = {
		[LANE_LIMIT_ALL] = { 64 << 20, 8 },
		[LANE_LIMIT_USER] = { 16 << 20, 16 },
		[LANE_LIMIT_PROCESS] = { 4 << 20, 32 },
	};
	uint64_t bytes[LANE_LIMITS];
	unsigned long long kb;
	char text[4096];
	size_t i;

	ASSERT_LT(0, dev_read_file("/proc/meminfo", text, sizeof(text)));
	ASSERT_EQ(1, sscanf(text, "MemTotal: %llu kB", &kb));
	ASSERT_EQ(0, lane_limits_read(bytes));
	for (i = 0; i < LANE_LIMITS; i++) {
		uint64_t part = kb * KIB / limits[i].part;

		EXPECT_EQ(part < limits[i].most ? part : limits[i].most, bytes[i]) {
			TH_LOG("limit %zu", i);
		}
	}
	close(self->wfd);
	ASSERT_EQ(0, dev_unload());
	ASSERT_EQ(0, dev_load("lane_limits=1M,256K"));
	ASSERT_EQ(0, lane_limits_read(bytes));
	EXPECT_EQ(1 << 20, bytes[LANE_LIMIT_ALL]);
	EXPECT_EQ(256 << 10, bytes[LANE_LIMIT_USER]);
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	EXPECT_LE(0, self->wfd);
}

/* trace(4): a user has 16M, a process 4M, within parts of the limit of all. */
TEST_F(call, limits_follow_that_of_all)
{
	static const struct {
		const char *text;
		uint64_t bytes[LANE_LIMITS];
	} given[] = {
		{ "0", { 0, 0, 0 } },
		{ "800K", { 800 * KIB, 400 * KIB, 200 * KIB } },
		{ "16M", { 16 * MIB, 8 * MIB, 4 * MIB } },
		{ "32M", { 32 * MIB, 16 * MIB, 4 * MIB } },
		{ "64M", { 64 * MIB, 16 * MIB, 4 * MIB } },
		{ "1G\n", { 1024 * MIB, 256 * MIB, 64 * MIB } },
		{ "64M,1M", { 64 * MIB, 1 * MIB, 1 * MIB } },
		{ "64M,0x200000,65536", { 64 * MIB, 2 * MIB, 64 * KIB } },
		{ "1M,2M,3M", { 1 * MIB, 2 * MIB, 3 * MIB } },
	};
	static const char *const bad[] = {
		"\n", "much", "64M,", ",64M", "64M,,4M", "64M,16M,4M,1M", "64M 16M", "-1", "64M,16X",
		"1M,1M,0xffffffffffffffffT",
		"0x00000000000000000000000000000000000000000000000000000000000000001,1,1",
	};
	uint64_t bytes[LANE_LIMITS], last[LANE_LIMITS];
	size_t i, k;

	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		ASSERT_EQ(0, dev_write_file(PARAMETERS "lane_limits", given[i].text));
		ASSERT_EQ(0, lane_limits_read(bytes));
		for (k = 0; k < LANE_LIMITS; k++)
			EXPECT_EQ(given[i].bytes[k], bytes[k]) TH_LOG("%s: %zu", given[i].text, k);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-1, dev_write_file(PARAMETERS "lane_limits", bad[i])) {
			TH_LOG("'%s'", bad[i]);
		}
		ASSERT_EQ(0, lane_limits_read(last));
		EXPECT_EQ(0, memcmp(bytes, last, sizeof(last))) TH_LOG("'%s'", bad[i]);
	}
}

TEST_F(call, limits)
{
	struct lane l;
	int i;

	ASSERT_EQ(0, dev_write_file(PARAMETERS "lane_size", "0"));
	EXPECT_EQ(ENOSPC, asked(self->wfd, 0));
	EXPECT_EQ(0, asked(self->wfd, 32 * KIB));
	ASSERT_EQ(0, dev_write_file(PARAMETERS "lane_size", "32K"));

	for (i = 0; i < LANE_LIMITS; i++) {
		ASSERT_EQ(0, lane_no_limits());
		/* Room for one lane of 32K, not for two. */
		ASSERT_EQ(0, lane_limit(i, 60 * KIB)) TH_LOG("limit %d", i);
		ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
		EXPECT_EQ(ENOSPC, asked(self->wfd, 0));
		EXPECT_EQ(ENOSPC, asked(self->wfd, 64 * KIB));
		EXPECT_EQ(0, asked(self->wfd, 16 * KIB));
		EXPECT_EQ(DEVTRACE_LANE_OPEN, l.head->state);
		lane_mark(&l, TYPE, 7, i);
		lane_close(&l);
		/* There is room again, but not for a lane above the limit. */
		EXPECT_EQ(ENOSPC, asked(self->wfd, 64 * KIB));
		EXPECT_EQ(0, asked(self->wfd, 0));
		/* Events are not limited by it. */
		EXPECT_EQ(i + 1, events());
	}
}

TEST_F(call, mappings)
{
	const int rw = PROT_READ | PROT_WRITE;
	struct devtrace_lane_ask arg;
	const size_t page = self->page;
	struct lane l;
	int fd, status;
	pid_t pid;

	fd = lane_fd(self->wfd, 32 * KIB, &arg);
	ASSERT_LE(0, fd);
	EXPECT_EQ(EINVAL, mapped(fd, page, rw, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, mapped(fd, arg.bytes, rw, MAP_PRIVATE, 0));
	EXPECT_EQ(EINVAL, mapped(fd, arg.bytes - page, rw, MAP_SHARED, page));
	EXPECT_EQ(EINVAL, mapped(fd, arg.bytes, rw, MAP_SHARED, page));
	EXPECT_EQ(EINVAL, mapped(fd, arg.bytes - page, rw, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, mapped(fd, arg.bytes + page, rw, MAP_SHARED, 0));

	ASSERT_EQ(0, lane_map(&l, fd, arg.bytes));
	EXPECT_EQ(EBUSY, mapped(fd, arg.bytes, rw, MAP_SHARED, 0));
	pid = fork();
	if (!pid)
		_exit(mapped(fd, arg.bytes, rw, MAP_SHARED, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EPERM, WEXITSTATUS(status));
	close(fd);

	EXPECT_EQ(-1, mprotect(l.blocks, l.bytes, rw | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, munmap(l.blocks, page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, mprotect(l.blocks, page, PROT_READ));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mremap(l.blocks, l.bytes, 2 * l.bytes, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	/* The lane is unaffected. */
	EXPECT_EQ(DEVTRACE_LANE_OPEN, l.head->state);
	lane_mark(&l, TYPE, 7, 1);
	EXPECT_EQ(1, events());
	lane_close(&l);
}

/* Number of output lines of a command that contain this word. */
static int lines_with(const char *command, const char *word, char *last, size_t size)
{
	FILE *f = popen(command, "r");
	char line[1024];
	int n = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, word))
			continue;
		snprintf(last, size, "%s", line);
		n++;
	}
	return pclose(f) ? -1 : n;
}

static void say(struct lane *l, uint64_t ts, const char *text)
{
	uint8_t d[64] = { DEVTRACE_E_STR };

	strcpy((char *)d + 1, text);
	lane_emit_at(l, ts, DEVTRACE_T_TEXT, d, strlen(text) + 2);
}

/* From here on, the lane's events are of this CPU. */
static void on_cpu(struct lane *l, uint32_t cpu)
{
	struct devtrace_lane_block *b = lane_block(l, l->n);
	const uint32_t word = DEVTRACE_LANE_CPU | cpu << DEVTRACE_LANE_NS_SHIFT;

	memcpy((uint8_t *)b + l->used, &word, sizeof(word));
	l->used += sizeof(word);
	b->used = l->used;
}

TEST_F(call, traceinfo_shows_lanes)
{
	char line[1024], want[64];
	struct lane l;
	int i;

	close(self->wfd);
	ASSERT_EQ(0, dev_load("size=16K"));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	/* Older than the lane: the event gets the lane's time, and a mark. */
	say(&l, 1, "too old");
	say(&l, dev_now(), "in time");
	EXPECT_EQ(1, lines_with("traceinfo", "~ - user", line, sizeof(line)));
	EXPECT_NE(NULL, strstr(line, "text: too old"));
	EXPECT_EQ(1, lines_with("traceinfo -J", "\"late\":true,\"lane\":0,", line, sizeof(line)));
	EXPECT_EQ(1, lines_with("traceinfo --time=none -H '%c|%l|%i|%n '", "in time", line,
				sizeof(line)));
	snprintf(want, sizeof(want), "-|0|%u|text in time\n", getpid());
	EXPECT_STREQ(want, line);
	EXPECT_EQ(0, lines_with("traceinfo -C 0-4095", "text", line, sizeof(line)));
	/* A known CPU is printed as for other events. */
	on_cpu(&l, 0);
	say(&l, dev_now(), "of a CPU");
	on_cpu(&l, DEVTRACE_LANE_NO_CPU);
	EXPECT_EQ(1, lines_with("traceinfo --time=none -H '%c|%l|%i|%n '", "of a CPU", line,
				sizeof(line)));
	snprintf(want, sizeof(want), "0|-|%u|text of a CPU\n", getpid());
	EXPECT_STREQ(want, line);
	EXPECT_EQ(1, lines_with("traceinfo -C 0", "text", line, sizeof(line)));

	for (i = 0; i < 5000; i++)
		say(&l, dev_now(), "many");
	EXPECT_EQ(1, lines_with("traceinfo", "of lane 0 lost: overwritten", line, sizeof(line)));
	lane_block(&l, l.n)->used = DEVTRACE_LANE_BLOCK - 1;
	EXPECT_EQ(1, lines_with("traceinfo", "of lane 0 lost: the contents of the lane", line,
				sizeof(line)));
	EXPECT_EQ(&line[0], strstr(line, "*** an unknown number of events"));
	EXPECT_EQ(DEVTRACE_LANE_CLOSED, l.head->state);
	EXPECT_EQ(1, lines_with("traceinfo -J", "\"lane\":0,\"cause\":\"bad-lane\"", line,
				sizeof(line)));
	lane_close(&l);
}

TEST_HARNESS_MAIN
