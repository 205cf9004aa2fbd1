// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_write.c - text by write(2), records by ioctl(2), valid and invalid
 *
 * Refused data leaves no event; accepted data is read back byte for byte; and the result of
 * write(2) is the number of bytes that became events.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define PIECE	1024	/* a longer line becomes several events */
#define TORSO	100	/* a line whose end is in invalid memory */

FIXTURE(device) {
	int fd, wfd;
	struct tape *t;
	size_t seen;
};

FIXTURE_SETUP(device)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=1M"));
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->t = tape_new();
	ASSERT_LT(0, tape_drain(self->t, self->fd));
}

FIXTURE_TEARDOWN(device)
{
	tape_free(self->t);
	close(self->fd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* Number of new events, all of them valid. */
static size_t news(FIXTURE_DATA(device) *self)
{
	size_t n;

	dev_sleep_ms(1);
	if (tape_drain(self->t, self->fd) < 0 || !tape_clean(self->t) ||
	    tape_lost(self->t, -1))
		return SIZE_MAX;
	n = self->t->nev - self->seen;
	self->seen = self->t->nev;
	return n;
}

/* The text of the n-th event from the end; -1 is the last one. */
static const char *text(FIXTURE_DATA(device) *self, int n)
{
	const struct tape_event *e = &self->t->ev[self->t->nev + n];
	const char *s = (const char *)self->t->data + e->data;

	if (self->t->nev + n >= self->t->nev || e->type != DEVTRACE_T_TEXT ||
	    s[0] != DEVTRACE_E_STR || e->len != strlen(s + 1) + 2)
		return "(no text)";
	return s + 1;
}

static int severity(FIXTURE_DATA(device) *self, int n)
{
	return self->t->ev[self->t->nev + n].severity;
}

#define WRITE(s)	write(self->wfd, s, strlen(s))

TEST_F(device, text_of_0_and_1_bytes)
{
	EXPECT_EQ(0, write(self->wfd, "x", 0));
	EXPECT_EQ(0, write(self->wfd, NULL, 0));
	EXPECT_EQ(0, news(self));
	EXPECT_EQ(1, WRITE("x"));
	EXPECT_EQ(1, news(self));
	EXPECT_STREQ("x", text(self, -1));
	EXPECT_EQ(1, WRITE("\n"));
	EXPECT_EQ(1, news(self));
	EXPECT_STREQ("", text(self, -1));
	EXPECT_EQ(0, severity(self, -1));
	EXPECT_EQ(DEVTRACE_F_USER, self->t->ev[self->t->nev - 1].flags);
	EXPECT_EQ(getpid(), self->t->ev[self->t->nev - 1].tid);
}

TEST_F(device, lines_are_events)
{
	EXPECT_EQ(4, WRITE("a\nbc"));
	EXPECT_EQ(2, news(self));
	EXPECT_STREQ("a", text(self, -2));
	EXPECT_STREQ("bc", text(self, -1));
	EXPECT_EQ(9, WRITE("one\n\ntwo\n"));
	EXPECT_EQ(3, news(self));
	EXPECT_STREQ("one", text(self, -3));
	EXPECT_STREQ("", text(self, -2));
	EXPECT_STREQ("two", text(self, -1));
	EXPECT_EQ(5, write(self->wfd, "n\0u\0l", 5));
	EXPECT_EQ(1, news(self));
	EXPECT_STREQ("n?u?l", text(self, -1));
	EXPECT_EQ(6, WRITE("\x7d\x7e\xff\x80\r\x7e"));
	EXPECT_EQ(1, news(self));
	EXPECT_STREQ("\x7d\x7e\xff\x80\r\x7e", text(self, -1));
}

TEST_F(device, longest_line_and_one_more)
{
	char *buf = malloc(1 << 20);
	int len, i;

	ASSERT_NE(NULL, buf);
	for (i = 0; i < 1 << 20; i++)
		buf[i] = 'a' + i % 23;
	for (len = PIECE - 1; len <= PIECE + 2; len++) {
		EXPECT_EQ(len, write(self->wfd, buf, len));
		EXPECT_EQ(len > PIECE ? 2 : 1, news(self));
		i = len > PIECE ? -2 : -1;
		EXPECT_EQ(len < PIECE ? len : PIECE, strlen(text(self, i)));
		EXPECT_EQ(0, strncmp(buf, text(self, i), len < PIECE ? len : PIECE));
		if (len > PIECE) {
			EXPECT_EQ(len - PIECE, strlen(text(self, -1)));
			EXPECT_EQ(0, strncmp(buf + PIECE, text(self, -1), len - PIECE));
		}
	}
	/* nothing of a long line is lost */
	EXPECT_EQ(300001, write(self->wfd, buf, 300001));
	EXPECT_EQ(293, news(self));
	for (i = 0; i < 293; i++)
		EXPECT_EQ(0, strncmp(buf + i * PIECE, text(self, i - 293),
				     i < 292 ? PIECE : 300001 - 292 * PIECE));
	free(buf);
}

TEST_F(device, prefixes_are_severities)
{
	static const struct { const char *in, *out; int severity; } t[] = {
		{ "<0>emerg", "emerg", 8 + 3 }, { "<1>alert", "alert", 8 + 3 },
		{ "<2>crit", "crit", 8 + 2 }, { "<3>err", "err", 8 + 2 },
		{ "<4>warning", "warning", 8 + 1 }, { "<5>notice", "notice", 8 },
		{ "<6>info", "info", 8 }, { "<7>debug", "debug", 8 },
		{ "<14>facility", "facility", 8 }, { "<191>x", "x", 8 },
		{ "<3>", "", 8 + 2 },
		{ "<>x", "<>x", 0 }, { "<x>y", "<x>y", 0 }, { "<3 y", "<3 y", 0 },
		{ "<12345>y", "<12345>y", 0 }, { "<-1>y", "<-1>y", 0 },
		{ " <3>y", " <3>y", 0 }, { "<", "<", 0 }, { "<3", "<3", 0 },
	};
	int i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		EXPECT_EQ(strlen(t[i].in), WRITE(t[i].in));
		EXPECT_EQ(1, news(self));
		EXPECT_STREQ(t[i].out, text(self, -1));
		EXPECT_EQ(t[i].severity, severity(self, -1)) TH_LOG("%s", t[i].in);
	}
	EXPECT_EQ(13, WRITE("<3>a\nb\n<4>c\nd"));
	EXPECT_EQ(4, news(self));
	EXPECT_EQ(10, severity(self, -4));
	EXPECT_EQ(0, severity(self, -3));
	EXPECT_EQ(9, severity(self, -2));
	EXPECT_STREQ("d", text(self, -1));
}

TEST_F(device, a_thousand_iovecs)
{
	static char bytes[1024];
	struct iovec iov[1025];
	int i, lines = 0;

	for (i = 0; i < 1024; i++) {
		bytes[i] = i % 100 == 99 ? '\n' : 'A' + i % 26;
		lines += bytes[i] == '\n';
		iov[i] = (struct iovec){ &bytes[i], 1 };
	}
	EXPECT_EQ(1024, writev(self->wfd, iov, 1024));
	EXPECT_EQ(lines + 1, news(self));
	for (i = 0; i <= lines; i++)
		EXPECT_EQ(0, strncmp(bytes + 100 * i, text(self, i - lines - 1),
				     i < lines ? 99 : 24));
	iov[1024] = iov[0];
	EXPECT_EQ(-1, writev(self->wfd, iov, 1025));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, writev(self->wfd, iov, 0));
	/* with empty ones between */
	for (i = 0; i < 1024; i++)
		iov[i].iov_len = i & 1;
	EXPECT_EQ(512, writev(self->wfd, iov, 1024));
	lines = news(self);
	EXPECT_LT(1, lines);
}

/* Memory that ends after whole pages. */
static char *cliff(size_t pages)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* The page remains mapped, so that malloc() cannot get it. */
	if (p == MAP_FAILED || mprotect(p + pages * page, page, PROT_NONE))
		return NULL;
	return p + pages * page;
}

TEST_F(device, a_bad_pointer_halfway)
{
	char *end = cliff(2);
	struct iovec iov[3];
	int i, n;

	ASSERT_NE(NULL, end);
	/* without a whole line before it, nothing is written */
	memset(end - 100, 'x', 100);
	EXPECT_EQ(-1, write(self->wfd, end - 100, 200));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, write(self->wfd, end, 1));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, write(self->wfd, (void *)-4096L, 10));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, news(self));

	/*
	 * Whole lines before it are written and counted exactly. The copied part of an
	 * unfinished line depends on the machine.
	 */
	for (n = 1; n <= 100; n += 9) {
		char *p = end - 10 * n - TORSO;

		for (i = 0; i < n; i++)
			sprintf(p + 10 * i, "line %04d\n", i);
		memset(end - TORSO, 't', TORSO);
		EXPECT_EQ(10 * n, write(self->wfd, p, 10 * n + 500));
		EXPECT_EQ(n, news(self));
		for (i = 0; i < n; i++)
			EXPECT_EQ(i, atoi(text(self, i - n) + 5));
		/* continuing there writes the rest */
		EXPECT_EQ(TORSO, write(self->wfd, p + 10 * n, TORSO));
		EXPECT_EQ(1, news(self));
		EXPECT_EQ(TORSO, strlen(text(self, -1)));
	}
	/* a full piece without line end counts as whole */
	memset(end - PIECE - TORSO, 'y', PIECE + TORSO);
	EXPECT_EQ(PIECE, write(self->wfd, end - PIECE - TORSO, PIECE + TORSO + 1));
	EXPECT_EQ(1, news(self));

	iov[0] = (struct iovec){ "good\nhalf", 9 };
	iov[1] = (struct iovec){ end, 10 };
	iov[2] = (struct iovec){ "never\n", 6 };
	EXPECT_EQ(5, writev(self->wfd, iov, 3));
	EXPECT_EQ(1, news(self));
	EXPECT_STREQ("good", text(self, -1));
}

/* With separate kernel addresses, a program may have all addresses. */
#ifdef __s390x__
#define ALL_ADDRESSES	1
#else
#define ALL_ADDRESSES	0
#endif

/* A 32-bit program on a 64-bit kernel: a length with the highest bit set is just long. */
static bool is_compat(void)
{
	struct utsname u;

	return sizeof(long) == 4 && !uname(&u) && strstr(u.machine, "64");
}

TEST_F(device, ssize_max)
{
	/* hide the values from the compiler */
	volatile size_t more = (size_t)SSIZE_MAX + 1, most = SIZE_MAX;
	char *end = cliff(1);
	int i;

	ASSERT_NE(NULL, end);
	memset(end - TORSO, 't', TORSO);
	end += 2 - TORSO;
	memcpy(end - 10, "123\n456\n78", 10);
	if (sizeof(long) > 4 && !ALL_ADDRESSES) {
		/* no program has that many addresses */
		EXPECT_EQ(-1, write(self->wfd, end - 10, SSIZE_MAX));
		EXPECT_EQ(EFAULT, errno);
	}
	if (is_compat()) {
		EXPECT_EQ(8, write(self->wfd, end - 10, more));
		EXPECT_EQ(8, write(self->wfd, end - 10, most));
		EXPECT_EQ(4, news(self));
	} else {
		EXPECT_EQ(-1, write(self->wfd, end - 10, more));
		EXPECT_TRUE(errno == EINVAL || errno == EFAULT);
		EXPECT_EQ(-1, write(self->wfd, end - 10, most));
		EXPECT_EQ(0, news(self));
	}
	/* more than is mapped, but valid user addresses */
	EXPECT_EQ(8, write(self->wfd, end - 10, 1 << 24));
	EXPECT_EQ(2, news(self));
	for (i = 0; i < 2; i++)
		EXPECT_STREQ(i ? "456" : "123", text(self, i - 2));
	EXPECT_EQ(-1, read(self->fd, end - 10, SSIZE_MAX));
}

TEST_F(device, echo_from_a_shell)
{
	EXPECT_EQ(0, system("echo '<4>from a shell' > " DEV_PATH));
	EXPECT_EQ(1, news(self));
	EXPECT_STREQ("from a shell", text(self, -1));
	EXPECT_EQ(9, severity(self, -1));
}

TEST_F(device, text_is_cut_to_what_a_small_ring_holds)
{
	char buf[2000];
	struct tape *t;
	size_t i, n = 0;
	int fd;

	close(self->fd);
	close(self->wfd);
	ASSERT_EQ(0, dev_load("size=4K"));
	fd = open(DEV_PATH, O_WRONLY);
	ASSERT_LE(0, fd);
	memset(buf, 'z', sizeof(buf));
	EXPECT_EQ(sizeof(buf), write(fd, buf, sizeof(buf)));
	close(fd);
	dev_sleep_ms(5);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(2, t->nev + tape_lost(t, -1));
	for (i = 0; i < t->nev; i++)
		n += t->ev[i].len - 2;
	EXPECT_LE(4096 / 4 - 24 - 2, n);
	tape_free(t);
	self->fd = self->wfd = -1;
}

/* Records */

union event {
	struct devtrace_emit e;
	uint8_t bytes[16384 + 16];
};

static bool may_emit(int type)
{
	if (type == DEVTRACE_T_EMPTY || type == DEVTRACE_T_ENUM)
		return false;
	/* It needs a number: see test_named. */
	if (type == DEVTRACE_T_NAMED)
		return false;
	if (type >= DEVTRACE_T_CLOCK && type <= DEVTRACE_T_PROC)
		return false;
	return type < DEVTRACE_T_KERNEL || type >= DEVTRACE_T_USER2;
}

TEST_F(device, every_type)
{
	union event u = { .bytes = { 0, 0, 0, 0, DEVTRACE_E_U8, 9 } };
	int type, good = 0;

	for (type = 0; type < 256; type++) {
		u.e.type = type;
		if (may_emit(type)) {
			EXPECT_EQ(0, dev_emit(self->wfd, &u.e, 2)) TH_LOG("type %d", type);
			EXPECT_EQ(1, news(self));
			EXPECT_EQ(type, self->t->ev[self->t->nev - 1].type);
			good++;
		} else {
			EXPECT_EQ(-1, dev_emit(self->wfd, &u.e, 2)) TH_LOG("type %d", type);
			EXPECT_EQ(EINVAL, errno);
		}
	}
	EXPECT_EQ(0, news(self));
	EXPECT_EQ(256 - 3 - 13 - 64, good);
}

TEST_F(device, every_field)
{
	union event u;
	int i;

	for (i = 0; i < 256; i++) {
		memset(&u, 0, 64);
		u.e.type = DEVTRACE_T_USER;
		u.e.severity = i;
		EXPECT_EQ(i && (i < 8 || i > 15) ? -1 : 0, dev_emit(self->wfd, &u.e, 8));
		EXPECT_EQ(i && (i < 8 || i > 15) ? 0 : 1, news(self));
		if (!i || (i >= 8 && i < 16))
			EXPECT_EQ(i, self->t->ev[self->t->nev - 1].severity);

		u.e.severity = 0;
		u.e.flags = i;
		errno = 0;
		EXPECT_EQ(i & ~DEVTRACE_F_MASK_EMIT ? -1 : 0, dev_emit(self->wfd, &u.e, 8));
		EXPECT_EQ(i & ~DEVTRACE_F_MASK_EMIT ? EINVAL : 0, errno);
		EXPECT_EQ(i & ~DEVTRACE_F_MASK_EMIT ? 0 : 1, news(self));
		if (!(i & ~DEVTRACE_F_MASK_EMIT))
			EXPECT_EQ(i | DEVTRACE_F_USER, self->t->ev[self->t->nev - 1].flags);

		u.e.flags = 0;
		u.e.reserved = i;
		EXPECT_EQ(i ? -1 : 0, dev_emit(self->wfd, &u.e, 8));
		EXPECT_EQ(!i, news(self));
	}
	/* data shorter than the flags require */
	u.e.reserved = 0;
	for (i = 0; i <= 8; i++) {
		u.e.flags = DEVTRACE_F_CODE;
		EXPECT_EQ(i < 4 ? -1 : 0, dev_emit(self->wfd, &u.e, i));
		u.e.flags = DEVTRACE_F_OBJSIG;
		EXPECT_EQ(i < 4 ? -1 : 0, dev_emit(self->wfd, &u.e, i));
		u.e.flags = DEVTRACE_F_OBJSIG | DEVTRACE_F_CODE;
		EXPECT_EQ(i < 8 ? -1 : 0, dev_emit(self->wfd, &u.e, i));
	}
	EXPECT_EQ(5 + 5 + 1, news(self));
}

TEST_F(device, code_object_and_signal_come_back)
{
	union event u = { .e = { .type = DEVTRACE_T_EXC, .severity = 8 + 4 + 2,
				 .flags = DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG } };
	static const uint8_t data[] = { 0x12, 0x56, 0x34, 0xab, 0xef, 0xbe, 0x7d, 0x7e,
					DEVTRACE_E_U8, 0x7e };
	const struct tape_event *e;

	memcpy(u.e.data, data, sizeof(data));
	ASSERT_EQ(0, dev_emit(self->wfd, &u.e, sizeof(data)));
	ASSERT_EQ(1, news(self));
	e = &self->t->ev[0];
	EXPECT_EQ(0xab345612, e->code);
	EXPECT_EQ(0xbeef, e->object);
	EXPECT_EQ(0x7e7d, e->signal);
	EXPECT_EQ(14, e->severity);
	EXPECT_EQ(2, e->len);
	EXPECT_EQ(0x7e, self->t->data[e->data + 1]);
}

TEST_F(device, sizes_from_nothing_to_too_much)
{
	union event *u = calloc(1, sizeof(*u));
	static const int good[] = { 0, 1, 2, 3, 9, 10, 11, 254, 255, 256, 3998, 3999, 4000 };
	static const int bad[] = { 4001, 4002, 4096, 8000, 16383 - 4 };
	int i;

	ASSERT_NE(NULL, u);
	memset(u->bytes, 0x7e, sizeof(u->bytes));
	u->e = (struct devtrace_emit){ .type = DEVTRACE_T_USER };
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_EMIT(i), u));
		EXPECT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(0, news(self));
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EXPECT_EQ(0, dev_emit(self->wfd, &u->e, good[i]));
		EXPECT_EQ(1, news(self));
		EXPECT_EQ(good[i], self->t->ev[self->t->nev - 1].len);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-1, dev_emit(self->wfd, &u->e, bad[i]));
		EXPECT_EQ(EMSGSIZE, errno) TH_LOG("%d", bad[i]);
	}
	EXPECT_EQ(0, news(self));
	/* a quarter of the ring, with its header */
	close(self->wfd);
	close(self->fd);
	ASSERT_EQ(0, dev_load("size=4K"));
	self->wfd = open(DEV_PATH, O_WRONLY);
	for (i = 900; i < 1100; i++) {
		errno = 0;
		EXPECT_EQ(i <= 1024 - 22 ? 0 : -1, dev_emit(self->wfd, &u->e, i)) TH_LOG("%d", i);
		EXPECT_EQ(i <= 1024 - 22 ? 0 : EMSGSIZE, errno);
	}
	self->fd = -1;
	free(u);
}

TEST_F(device, memory_that_is_not_there)
{
	long page = sysconf(_SC_PAGESIZE);
	char *end = cliff(2), *p;
	struct devtrace_emit *e;
	int i, fd;

	ASSERT_NE(NULL, end);
	for (i = 0; i < 200; i++) {
		e = (void *)(end - i);
		if (i >= 4)
			*e = (struct devtrace_emit){ .type = DEVTRACE_T_USER };
		EXPECT_EQ(-1, dev_emit(self->wfd, e, i < 4 ? 0 : i - 4 + 1));
		EXPECT_EQ(EFAULT, errno);
		if (i >= 4)
			EXPECT_EQ(0, dev_emit(self->wfd, e, i - 4));
	}
	EXPECT_EQ(196, news(self));
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_EMIT(8), NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_EMIT(8), (void *)-4096L));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_EMIT(8), (void *)(LONG_MIN + 4096)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, news(self));

	/* pages of a file that are not in memory yet; the event crosses two */
	fd = memfd_create("dt", 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 3 * page));
	for (i = 0; i < 50; i++) {
		struct devtrace_emit h = { .type = DEVTRACE_T_USER };

		ASSERT_EQ(4, pwrite(fd, &h, 4, page - 4 - i));
		p = mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, p);
		madvise(p, 3 * page, MADV_DONTNEED);
		EXPECT_EQ(0, dev_emit(self->wfd, (void *)(p + page - 4 - i), 3000));
		munmap(p, 3 * page);
	}
	EXPECT_EQ(50, news(self));
	/* mapped, but behind the end of the file */
	p = mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0, ftruncate(fd, page));
	EXPECT_EQ(-1, dev_emit(self->wfd, (void *)(p + page - 4), 100));
	EXPECT_EQ(EFAULT, errno);
	/* mapped, but not readable */
	ASSERT_EQ(0, mprotect(p, page, PROT_NONE));
	EXPECT_EQ(-1, dev_emit(self->wfd, (void *)p, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(0, news(self));
}

TEST_F(device, all_flags_and_escapes_at_the_largest_size)
{
	union event u = { .e.type = DEVTRACE_FLAG };
	struct tape *t;
	uint32_t check;
	size_t i, k;

	close(self->fd);
	close(self->wfd);
	for (check = 0; check < 3; check++) {
		/* a ring of 16 such events, which wrap at each position */
		ASSERT_EQ(0, dev_load("size=64K start=0xfffff000"));
		self->wfd = open(DEV_PATH, O_WRONLY);
		self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
		ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
		dev_pin(0);
		t = tape_new();
		for (i = 0; i < 120; i++) {
			memset(u.e.data, i % 3 ? 0x7e : 0x7d, DEVTRACE_PAYLOAD_MAX);
			for (k = 0; k < DEVTRACE_PAYLOAD_MAX && i % 3 == 2; k += 2)
				u.e.data[k] = 0x7d;
			ASSERT_EQ(0, dev_emit(self->wfd, &u.e, DEVTRACE_PAYLOAD_MAX - i % 13));
			if (i % 10 == 9) {
				dev_sleep_ms(1);
				ASSERT_LT(0, tape_drain(t, self->fd));
			}
		}
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(0, tape_lost(t, -1));
		ASSERT_EQ(120, t->nev);
		for (i = 0; i < 120; i++) {
			const uint8_t *p = t->data + t->ev[i].data;

			ASSERT_EQ(DEVTRACE_PAYLOAD_MAX - i % 13, t->ev[i].len);
			for (k = 0; k < t->ev[i].len; k++)
				if (p[k] != (i % 3 == 1 || (i % 3 == 2 && k & 1) ? 0x7e : 0x7d))
					break;
			EXPECT_EQ(t->ev[i].len, k);
		}
		tape_free(t);
		/* and the rest can be read again byte by byte */
		t = tape_all(1);
		ASSERT_NE(NULL, t);
		EXPECT_TRUE(tape_clean(t));
		EXPECT_EQ(120, t->nev + tape_lost(t, -1));
		EXPECT_LE(14, t->nev);
		tape_free(t);
		dev_pin(-1);
		close(self->fd);
		close(self->wfd);
	}
	self->fd = self->wfd = -1;
}

TEST_F(device, the_open_mode_decides)
{
	struct devtrace_dict d = { .kind = DEVTRACE_T_OBJ, .key = 1, .name = "x" };
	union event u = { .e.type = DEVTRACE_T_USER };
	struct devtrace_stats st = { .cpu = -1 };
	uint32_t check = 0;
	char c = 'x';

	/* opened for reading */
	EXPECT_EQ(-1, write(self->fd, &c, 1));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-1, dev_emit(self->fd, &u.e, 0));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_DICT, &d));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	EXPECT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_STATS, &st));
	/* opened for writing */
	EXPECT_EQ(-1, read(self->wfd, &c, 1));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_CHECK, &check));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_STATS, &st));
	EXPECT_EQ(EBADF, errno);
	EXPECT_EQ(0, dev_emit(self->wfd, &u.e, 0));
	EXPECT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_DICT, &d));
	/* unknown calls, and known numbers with another direction or size */
	EXPECT_EQ(-1, ioctl(self->fd, _IO(DEVTRACE_IOC_MAGIC, 77), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(self->fd, _IO('T', 1), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, _IOC(_IOC_READ, DEVTRACE_IOC_MAGIC, 0, 8), &u));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(self->fd, _IOWR(DEVTRACE_IOC_MAGIC, 4, char), &st));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(1, news(self));
}

TEST_HARNESS_MAIN
