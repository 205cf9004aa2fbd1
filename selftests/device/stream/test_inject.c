// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_inject.c - each allocation and each copy fails once
 *
 * Each action is repeated with its first place failing, then its second, until none is left; see
 * inject.h. In each case the error is returned, the guarantees for data hold, and the next
 * attempt succeeds. The kernel's leak detector checks for leaks when the board shuts down. Needs
 * a kernel with CONFIG_FAULT_INJECTION (board kasan). test_inject_ctl.c does the same for
 * netlink.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "inject.h"

#define EVENTS	200

FIXTURE(loading) {
	int unused;
};

FIXTURE_SETUP(loading)
{
	dev_seed();
	if (!inject_begin())
		return;
	ASSERT_EQ(0, dev_unload());
}

FIXTURE_TEARDOWN(loading)
{
	if (inject_can())
		EXPECT_EQ(0, dev_done());
}

TEST_F_TIMEOUT(loading, insmod, 2000)
{
	int n, ret, err, in_spite = 0, nodes = 0;
	bool hit;

	NEEDS_FAULTS();
	FOR_EACH_PLACE(n, hit) {
		inject_arm(n);
		ret = dev_load_file("devtrace.ko", "size=4K");
		err = errno;
		hit = inject_disarm();
		if (ret) {
			/* the module loader may return other errors as well */
			ASSERT_TRUE(hit);
			EXPECT_LT(0, err);
			EXPECT_EQ(-1, access(DEV_PATH, F_OK)) TH_LOG("place %d", n);
			EXPECT_EQ(-1, access("/sys/module/devtrace/initstate", F_OK))
				TH_LOG("place %d", n);
			continue;
		}
		/* devtmpfs makes the node, and loading does not depend on it. */
		in_spite += hit;
		if (access(DEV_PATH, F_OK)) {
			ASSERT_TRUE(hit);
			nodes++;
		} else {
			int fd = open(DEV_PATH, O_RDWR | O_CLOEXEC);

			ASSERT_LE(0, fd);
			EXPECT_EQ(0, dev_emit_mark(fd, DEVTRACE_T_USER, 1, n));
			close(fd);
		}
		ASSERT_EQ(0, dev_unload_one("devtrace"));
	}
	SAY_PLACES(n, "insmod", 140);
	dev_say("loaded in spite of %d of them, without a node %d times", in_spite, nodes);
}

TEST_F_TIMEOUT(loading, rmmod, 300)
{
	bool hit;
	int n;

	NEEDS_FAULTS();
	FOR_EACH_PLACE(n, hit) {
		ASSERT_EQ(0, dev_load("size=4K"));
		inject_arm(n);
		if (dev_unload_one("devtrace")) {
			EXPECT_TRUE(inject_fits(errno));
			hit = inject_disarm();
			ASSERT_TRUE(hit);
			EXPECT_EQ(0, dev_unload_one("devtrace"));
		} else {
			hit = inject_disarm();
		}
		EXPECT_EQ(-1, access(DEV_PATH, F_OK)) TH_LOG("place %d", n);
	}
	SAY_PLACES(n, "rmmod", 6);
}

FIXTURE(device) {
	int fd, wfd;
	struct tape *whole;
};

FIXTURE_SETUP(device)
{
	char name[32];
	int i;

	dev_seed();
	if (!inject_begin())
		return;
	ASSERT_EQ(0, dev_load("size=64K"));
	self->wfd = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "object-%d", i);
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, i + 1, name));
	}
	for (i = 0; i < EVENTS; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	dev_sleep_ms(20);
	self->whole = tape_all(1 << 16);
	ASSERT_NE(NULL, self->whole);
	ASSERT_EQ(EVENTS, self->whole->nev);
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(device)
{
	if (self->whole) {
		tape_free(self->whole);
		close(self->fd);
		close(self->wfd);
	}
	if (inject_can())
		EXPECT_EQ(0, dev_done());
}

static uint64_t stored(void)
{
	struct devtrace_stats s;

	return dev_stats(-1, &s) ? 0 : s.stored;
}

static int reopen(struct _test_data_device *self)
{
	close(self->fd);
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return self->fd < 0 ? -1 : 0;
}

/* True if the tape and the unread rest are complete. */
static bool complete(struct _test_data_device *self, struct tape *t)
{
	bool ok = tape_drain(t, self->fd) >= 0 && tape_clean(t) &&
		  t->nev == self->whole->nev && t->dicts == self->whole->dicts &&
		  t->procs == self->whole->procs && !tape_lost(t, -1);

	if (!ok)
		dev_say("%zu events of %zu, %llu names of %llu", t->nev, self->whole->nev,
			(unsigned long long)t->dicts, (unsigned long long)self->whole->dicts);
	tape_free(t);
	return ok;
}

TEST_F_TIMEOUT(device, opening, 200)
{
	static const int how[] = { O_RDONLY, O_WRONLY, O_RDWR };
	int n, i, fd;
	bool hit;

	NEEDS_FAULTS();
	for (i = 0; i < 3; i++) {
		FOR_EACH_PLACE(n, hit) {
			inject_arm(n);
			fd = open(DEV_PATH, how[i] | O_CLOEXEC);
			hit = inject_disarm();
			if (fd >= 0)
				close(fd);
			EXPECT_TRUE(fd >= 0 || inject_fits(errno));
			ASSERT_TRUE(hit || fd >= 0);
		}
		SAY_PLACES(n, i == 0 ? "open to read" : i == 1 ? "open to write" : "open for both",
			   i == 0 ? 4 : 2);
	}
}

/* A failing read takes no byte away. */
TEST_F_TIMEOUT(device, reading, 500)
{
	static char buf[3000];
	struct tape *t;
	ssize_t got;
	bool hit;
	int n;

	NEEDS_FAULTS();
	FOR_EACH_PLACE(n, hit) {
		ASSERT_EQ(0, reopen(self));
		t = tape_new();
		/* the first read, which sets up the reader, and a later one */
		for (int i = 0; i < 2; i++) {
			inject_arm(n);
			got = read(self->fd, buf, sizeof(buf));
			hit = i ? hit | inject_disarm() : inject_disarm();
			EXPECT_TRUE(got >= 0 || inject_fits(errno));
			if (got > 0)
				tape_feed(t, buf, got);
		}
		EXPECT_TRUE(complete(self, t)) TH_LOG("place %d", n);
	}
	SAY_PLACES(n, "read", 1);
}

TEST_F_TIMEOUT(device, splicing, 500)
{
	static char buf[65536];
	struct tape *t;
	int n, pipes[2];
	ssize_t got, in;
	bool hit;

	NEEDS_FAULTS();
	FOR_EACH_PLACE(n, hit) {
		ASSERT_EQ(0, reopen(self));
		ASSERT_EQ(0, pipe(pipes));
		t = tape_new();
		inject_arm(n);
		got = splice(self->fd, NULL, pipes[1], NULL, 8192, SPLICE_F_NONBLOCK);
		hit = inject_disarm();
		if (got < 0)
			EXPECT_TRUE(inject_fits(errno) || errno == EAGAIN);
		for (; got > 0; got -= in) {
			in = read(pipes[0], buf, got);
			ASSERT_LT(0, in);
			tape_feed(t, buf, in);
		}
		close(pipes[0]);
		close(pipes[1]);
		EXPECT_TRUE(complete(self, t)) TH_LOG("place %d", n);
	}
	SAY_PLACES(n, "splice", 2);
}

TEST_F_TIMEOUT(device, seeking, 500)
{
	static const struct { off_t to; int whence, least; const char *name; } how[] = {
		{ 0, SEEK_SET, 0, "SEEK_SET 0" },
		{ 1, SEEK_SET, 1, "SEEK_SET, a time" },
		{ 0, SEEK_END, 1, "SEEK_END" },
		{ -3600LL * NSEC, SEEK_END, 0, "SEEK_END, an hour" },
		{ 0, SEEK_CUR, 0, "SEEK_CUR" },
		{ 0, SEEK_DATA, 0, "SEEK_DATA" },
	};
	int n, i;
	off_t got;
	bool hit;

	NEEDS_FAULTS();
	for (i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		FOR_EACH_PLACE(n, hit) {
			ASSERT_EQ(0, reopen(self));
			inject_arm(n);
			got = lseek(self->fd, how[i].to, how[i].whence);
			hit = inject_disarm();
			if (got < 0)
				EXPECT_TRUE(inject_fits(errno));
			ASSERT_TRUE(hit || got >= 0);
			ASSERT_LE(0, lseek(self->fd, 0, SEEK_SET));
			EXPECT_TRUE(complete(self, tape_new())) TH_LOG("place %d", n);
		}
		SAY_PLACES(n, how[i].name, how[i].least);
	}
}

/* Exactly the bytes reported as written are in the stream. */
TEST_F_TIMEOUT(device, writing, 500)
{
	static char text[300 * 20 + 1];
	uint64_t before;
	ssize_t got;
	bool hit;
	int n, i;

	NEEDS_FAULTS();
	for (i = 0; i < 300; i++)
		snprintf(text + 20 * i, 21, "line %014d\n", i);
	FOR_EACH_PLACE(n, hit) {
		before = stored();
		inject_arm(n);
		got = write(self->wfd, text, sizeof(text) - 1);
		hit = inject_disarm();
		if (got < 0)
			EXPECT_TRUE(inject_fits(errno));
		ASSERT_TRUE(hit || got == sizeof(text) - 1);
		EXPECT_EQ(0, got < 0 ? 0 : got % 20);
		EXPECT_EQ(before + (got < 0 ? 0 : got / 20), stored()) TH_LOG("place %d", n);
	}
	SAY_PLACES(n, "write", 2);
}

TEST_F_TIMEOUT(device, emitting, 500)
{
	static const size_t lens[] = { 0, 10, 100, 200 };
	struct { struct devtrace_emit e; uint8_t data[200]; } ev = {
		.e.type = DEVTRACE_T_USER,
	};
	uint64_t before;
	int n, i, ret;
	bool hit;

	NEEDS_FAULTS();
	for (i = 0; i < 4; i++) {
		FOR_EACH_PLACE(n, hit) {
			before = stored();
			inject_arm(n);
			ret = dev_emit(self->wfd, &ev.e, lens[i]);
			hit = inject_disarm();
			if (ret)
				EXPECT_TRUE(inject_fits(errno));
			ASSERT_TRUE(hit || !ret);
			EXPECT_EQ(before + !ret, stored()) TH_LOG("place %d", n);
		}
		/* It copies where sleeping is forbidden: no place, see testing.rst */
		SAY_PLACES(n, "emit", 0);
	}
}

TEST_F_TIMEOUT(device, naming, 500)
{
	char name[32];
	int n, ret;
	bool hit;

	NEEDS_FAULTS();
	FOR_EACH_PLACE(n, hit) {
		snprintf(name, sizeof(name), "name-%d", n);
		inject_arm(n);
		ret = dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1000 + n, name);
		hit = inject_disarm();
		if (ret)
			EXPECT_TRUE(inject_fits(errno));
		ASSERT_TRUE(hit || !ret);
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1000 + n, name));
		self->whole->dicts++;
	}
	SAY_PLACES(n, "dictionary", 1);
	/* all of them are present, each once */
	EXPECT_TRUE(complete(self, tape_new()));
}

TEST_F_TIMEOUT(device, asking, 500)
{
	static const struct { unsigned long cmd; int least; const char *name; } calls[] = {
		{ DEVTRACE_IOC_STATS, 1, "statistics" },
		{ DEVTRACE_IOC_CHECK, 1, "choice of the check" },
		{ DEVTRACE_IOC_CLEAR, 1, "clear" },
	};
	union {
		struct devtrace_stats stats;
		uint32_t check;
	} arg;
	struct pollfd p;
	int n, i, ret;
	bool hit;

	NEEDS_FAULTS();
	for (i = 0; i < 3; i++) {
		FOR_EACH_PLACE(n, hit) {
			ASSERT_EQ(0, reopen(self));
			memset(&arg, 0, sizeof(arg));
			if (i == 0)
				arg.stats.cpu = -1;
			else
				arg.check = DEVTRACE_CHECK_CRC32;
			inject_arm(n);
			ret = ioctl(self->fd, calls[i].cmd, &arg);
			hit = inject_disarm();
			if (ret)
				EXPECT_TRUE(inject_fits(errno));
			ASSERT_TRUE(hit || !ret);
			if (i < 2)
				EXPECT_TRUE(complete(self, tape_new())) TH_LOG("place %d", n);
		}
		SAY_PLACES(n, calls[i].name, calls[i].least);
	}
	FOR_EACH_PLACE(n, hit) {
		ASSERT_EQ(0, reopen(self));
		p = (struct pollfd){ .fd = self->fd, .events = POLLIN };
		inject_arm(n);
		ret = poll(&p, 1, 0);
		hit = inject_disarm();
		if (ret < 0)
			EXPECT_TRUE(inject_fits(errno));
		ASSERT_TRUE(hit || ret == 1);
	}
	SAY_PLACES(n, "poll", 1);
}

TEST_F_TIMEOUT(device, mapping, 200)
{
	struct devtrace_control *c;
	bool hit;
	int n;

	NEEDS_FAULTS();
	FOR_EACH_PLACE(n, hit) {
		inject_arm(n);
		c = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, self->fd, 0);
		hit = inject_disarm();
		if (c == MAP_FAILED) {
			EXPECT_TRUE(inject_fits(errno));
			ASSERT_TRUE(hit);
			continue;
		}
		EXPECT_EQ(DEVTRACE_WIRE_VERSION, c->version);
		munmap(c, getpagesize());
	}
	SAY_PLACES(n, "mmap", 2);
}

TEST_HARNESS_MAIN
