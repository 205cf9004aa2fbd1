// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stream.c - read(2), poll(2) and splice(2) on the stream
 *
 * The bytes are the same for all sizes and readers; an error takes none away; and waiting causes
 * few wakeups, not one per event.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define TYPE	DEVTRACE_T_USER

/* Wrapped rings, events on all CPUs, names, drops, then no more events. */
FIXTURE(quiet) {
	int fd;			/* O_RDONLY | O_NONBLOCK, nothing read yet */
	int wfd;
	struct tape *whole;
};

FIXTURE_SETUP(quiet)
{
	int cpus[DEV_CPUS], n = dev_online(cpus), i, k;
	char name[32];

	dev_seed();
	ASSERT_EQ(0, dev_load("size=32K"));
	self->wfd = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "object-%d", i);
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, i + 1, name));
	}
	for (k = 0; k < 4 * n; k++) {
		ASSERT_EQ(0, dev_pin(cpus[k % n]));
		for (i = 0; i < 700; i++)
			ASSERT_EQ(0, dev_emit_numbered(self->wfd,
						       dttest_tag(DTTEST_USER, k), i, 1000, 15));
	}
	dev_pin(-1);
	/* Events may be delayed by the tolerance for differing clocks. */
	dev_sleep_ms(20);
	self->whole = tape_all(1 << 20);
	ASSERT_NE(NULL, self->whole);
	ASSERT_TRUE(tape_clean(self->whole));
	ASSERT_LT(0, tape_lost(self->whole, -1));
	ASSERT_LE(100, self->whole->dicts);
	ASSERT_LE(1, self->whole->procs);
	ASSERT_LT(100, self->whole->nev);
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(quiet)
{
	tape_free(self->whole);
	close(self->fd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* The rest of the stream equals the complete one from this offset on. */
#define EXPECT_REST(fd, at) do {						\
	struct tape *rest_ = tape_new();					\
	rest_->keep_raw = true;							\
	EXPECT_LE(0, tape_drain(rest_, fd));					\
	EXPECT_EQ(self->whole->nraw, (at) + rest_->nraw);			\
	EXPECT_EQ(0, memcmp(self->whole->raw + (at), rest_->raw,		\
			    rest_->nraw < self->whole->nraw - (at) ?		\
			    rest_->nraw : self->whole->nraw - (at)));		\
	tape_free(rest_);							\
} while (0)

TEST_F(quiet, is_the_same_in_any_pieces)
{
	static const size_t chunk[] = { 1, 7, 4096, 1 << 20 };
	struct tape *t;
	int i;

	for (i = 0; i < 4; i++) {
		t = tape_all(chunk[i]);
		ASSERT_NE(NULL, t);
		EXPECT_EQ(self->whole->nraw, t->nraw) TH_LOG("chunk %zu", chunk[i]);
		EXPECT_EQ(0, memcmp(self->whole->raw, t->raw, t->nraw)) TH_LOG("chunk %zu", chunk[i]);
		EXPECT_TRUE(tape_clean(t));
		tape_free(t);
	}
}

TEST_F(quiet, is_the_same_in_random_pieces)
{
	size_t at = 0, n;
	char buf[20000];
	ssize_t got;

	while (at < self->whole->nraw) {
		n = 1 + dev_random() % (dev_random() % 4 ? 200 : sizeof(buf));
		got = read(self->fd, buf, n);
		ASSERT_LT(0, got);
		/* Full sizes, except at the end of the stream. */
		ASSERT_EQ(n < self->whole->nraw - at ? n : self->whole->nraw - at, got);
		ASSERT_EQ(0, memcmp(self->whole->raw + at, buf, got));
		at += got;
	}
	EXPECT_EQ(-1, read(self->fd, buf, 1));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(0, read(self->fd, buf, 0));
}

struct sharer {
	int fd;
	uint8_t *buf;
	size_t n, at[20000], len[20000], pieces;
	atomic_int *turn;
};

static void *share(void *arg)
{
	struct sharer *s = arg;
	ssize_t n;

	while (s->pieces < 20000 && (n = read(s->fd, s->buf + s->n, 1 + s->pieces % 97)) > 0) {
		s->at[s->pieces] = s->n;
		s->len[s->pieces++] = n;
		s->n += n;
	}
	return NULL;
}

/* Two threads share a descriptor: each byte goes to one of them, in order. */
TEST_F(quiet, is_shared_by_two_threads)
{
	struct sharer *s = calloc(2, sizeof(*s));
	size_t i, at = 0, next[2] = { 0 };
	pthread_t t[2];

	ASSERT_NE(NULL, s);
	for (i = 0; i < 2; i++) {
		s[i].fd = self->fd;
		s[i].buf = malloc(self->whole->nraw);
		ASSERT_NE(NULL, s[i].buf);
		ASSERT_EQ(0, pthread_create(&t[i], NULL, share, &s[i]));
	}
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(self->whole->nraw, s[0].n + s[1].n);
	/*
	 * Assemble the pieces: each thread's pieces are in order, so the next piece of the
	 * stream is the first unused one of either thread. Short pieces may look alike: prefer
	 * the one that matches further.
	 */
	while (at < self->whole->nraw) {
		size_t best = 2, most = 0;

		for (i = 0; i < 2; i++) {
			size_t n = 0, from;

			if (next[i] == s[i].pieces)
				continue;
			from = s[i].at[next[i]];
			if (at + s[i].len[next[i]] > self->whole->nraw ||
			    memcmp(self->whole->raw + at, s[i].buf + from, s[i].len[next[i]]))
				continue;
			while (at + n < self->whole->nraw && from + n < s[i].n &&
			       self->whole->raw[at + n] == s[i].buf[from + n])
				n++;
			if (best == 2 || n > most) {
				best = i;
				most = n;
			}
		}
		ASSERT_NE(2, best) TH_LOG("no thread got byte %zu of the stream", at);
		at += s[best].len[next[best]++];
	}
	for (i = 0; i < 2; i++)
		free(s[i].buf);
	free(s);
}

TEST_F(quiet, loses_nothing_by_a_bad_buffer)
{
	long page = sysconf(_SC_PAGESIZE);
	uint8_t *p = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t at = 0;
	ssize_t n;
	int i;

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p + page, page));
	for (i = 0; i < 20; i++) {
		/* bad from the first byte on */
		EXPECT_EQ(-1, read(self->fd, p + page, 1 + i * 100));
		EXPECT_EQ(EFAULT, errno);
		EXPECT_EQ(-1, read(self->fd, (void *)-4096L, 100));
		EXPECT_EQ(EFAULT, errno);
		/* partly valid; not every machine copies its last bytes */
		n = read(self->fd, p + page - (1 + i * 37), 3000);
		EXPECT_GE(1 + i * 37, n);
		if (n < 0 && i < 4)
			continue;
		EXPECT_LE(1 + i * 37 - 64, n);
		ASSERT_LT(0, n);
		EXPECT_EQ(0, memcmp(self->whole->raw + at, p + page - (1 + i * 37), n));
		at += n;
	}
	EXPECT_REST(self->fd, at);
	/* read-only memory is an error too */
	ASSERT_EQ(0, mprotect(p, page, PROT_READ));
	ASSERT_LE(0, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(-1, read(self->fd, p, 10));
	EXPECT_EQ(EFAULT, errno);
}

TEST_F(quiet, is_the_same_by_splice)
{
	size_t at = 0;
	uint8_t buf[65536];
	ssize_t n, got;
	int p[2];

	ASSERT_EQ(0, pipe(p));
	while ((n = splice(self->fd, NULL, p[1], NULL, 1 + dev_random() % 50000,
			   SPLICE_F_NONBLOCK)) > 0) {
		ASSERT_LE(at + n, self->whole->nraw);
		while (n > 0) {
			got = read(p[0], buf, n);
			ASSERT_LT(0, got);
			ASSERT_EQ(0, memcmp(self->whole->raw + at, buf, got));
			at += got;
			n -= got;
		}
	}
	EXPECT_EQ(-1, n);
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(self->whole->nraw, at);
	close(p[0]);
	close(p[1]);
}

/* pread(2) needs an offset, which the stream lacks. */
TEST_F(quiet, takes_no_pread_and_pwrite)
{
	char c = 'x';

	EXPECT_EQ(-1, pread(self->fd, &c, 1, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pwrite(self->wfd, &c, 1, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_REST(self->fd, 0);
}

TEST_F(quiet, is_the_same_with_another_check)
{
	uint32_t check;
	struct tape *t;
	size_t i;
	int fd;

	for (check = DEVTRACE_CHECK_SUM8; check <= DEVTRACE_CHECK_CRC32; check++) {
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ioctl(fd, DEVTRACE_IOC_CHECK, &check));
		t = tape_new();
		ASSERT_LT(0, tape_drain(t, fd));
		EXPECT_TRUE(tape_clean(t));
		ASSERT_EQ(self->whole->nev, t->nev);
		for (i = 0; i < t->nev; i++)
			ASSERT_EQ(self->whole->ev[i].ts, t->ev[i].ts);
		EXPECT_EQ(self->whole->ndata, t->ndata);
		EXPECT_EQ(0, memcmp(self->whole->data, t->data, t->ndata));
		tape_free(t);
		close(fd);
	}
	/* in the middle of a stream, and of a frame */
	t = tape_new();
	for (check = 0; check <= 2; check++) {
		char buf[5001];

		ASSERT_EQ(sizeof(buf), read(self->fd, buf, sizeof(buf)));
		tape_feed(t, buf, sizeof(buf));
		ASSERT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	}
	ASSERT_LT(0, tape_drain(t, self->fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(self->whole->nev, t->nev);
	tape_free(t);
	check = 3;
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_CHECK, &check));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_CHECK, (void *)8));
	EXPECT_EQ(EFAULT, errno);
}

/* The contents of a piece alone. */
struct piece {
	int reason;		/* of its first frame if that is INFO, else -1 */
	uint64_t frames, unnamed, undated;
};

static void look(struct tape *t, const struct devtrace_item *i)
{
	struct piece *p = t->arg;
	int64_t real;

	if (!p->frames++)
		p->reason = i->kind == DEVTRACE_ITEM_INFO ? i->u.info.reason : -1;
	if (i->kind == DEVTRACE_ITEM_EVENT) {
		p->unnamed += !devtrace_decoder_proc(t->d, i->u.event.tid, NULL);
		p->undated += !devtrace_decoder_real(t->d, i->u.event.ts, &real);
	}
}

/*
 * Cut at announcements, each piece is a complete stream; joined, they are one stream with each
 * event once.
 */
TEST_F(quiet, is_announced_anew_on_demand)
{
	/* At most five reads; with any sizes there is a third piece. */
	const size_t most = self->whole->ndata / 12;
	uint64_t events = 0, lost = 0;
	struct tape *joined = tape_new();
	int cuts = 0, staged = 0, more;
	char buf[40000];
	ssize_t got;

	ASSERT_LT(0, most);
	ASSERT_GT(sizeof(buf), most);
	do {
		struct piece p = { 0 };
		struct tape *t = tape_new();
		bool some = false;

		t->each = look;
		t->arg = &p;
		more = dev_random() % 5;
		while ((got = read(self->fd, buf, 1 + dev_random() % most)) > 0) {
			tape_feed(t, buf, got);
			tape_feed(joined, buf, got);
			some = true;
			if (!more--)
				break;
		}
		staged = ioctl(self->fd, DEVTRACE_IOC_ANNOUNCE);
		ASSERT_LE(0, staged);
		ASSERT_GT(sizeof(buf), staged);
		if (staged) {
			ASSERT_EQ(staged, read(self->fd, buf, staged));
			tape_feed(t, buf, staged);
			tape_feed(joined, buf, staged);
		}
		EXPECT_TRUE(tape_clean(t)) TH_LOG("piece %d", cuts);
		if (some) {
			EXPECT_EQ(cuts ? DEVTRACE_INFO_ANNOUNCE : DEVTRACE_INFO_OPEN, p.reason);
			EXPECT_EQ(0, p.unnamed) TH_LOG("piece %d", cuts);
			EXPECT_EQ(0, p.undated) TH_LOG("piece %d", cuts);
		}
		/* Names come before the first event. */
		if (t->nev)
			EXPECT_EQ(self->whole->dicts, t->dicts);
		events += t->nev;
		lost += tape_lost(t, -1);
		tape_free(t);
		cuts++;
	} while (got > 0);
	EXPECT_LE(3, cuts);
	EXPECT_EQ(self->whole->nev, events);
	EXPECT_EQ(tape_lost(self->whole, -1), lost);
	EXPECT_TRUE(tape_clean(joined));
	ASSERT_EQ(self->whole->ndata, joined->ndata);
	EXPECT_EQ(0, memcmp(self->whole->data, joined->data, joined->ndata));
	tape_free(joined);
}

static void reasons(struct tape *t, const struct devtrace_item *i)
{
	if (i->kind == DEVTRACE_ITEM_INFO)
		*(unsigned int *)t->arg |= 1U << i->u.info.reason;
}

/* Announcements for lseek(2) and open(2) include it. */
TEST_F(quiet, is_announced_for_one_reason)
{
	struct tape *t = tape_new();
	unsigned int seen = 0;

	t->each = reasons;
	t->arg = &seen;
	EXPECT_EQ(0, ioctl(self->fd, DEVTRACE_IOC_ANNOUNCE));
	ASSERT_LT(0, tape_some(t, self->fd, 1));
	EXPECT_EQ(1 << DEVTRACE_INFO_OPEN, seen);
	ASSERT_LE(0, lseek(self->fd, -1000000000000LL, SEEK_END));
	EXPECT_LE(0, ioctl(self->fd, DEVTRACE_IOC_ANNOUNCE));
	ASSERT_LT(0, tape_drain(t, self->fd));
	EXPECT_EQ(0, seen & 1 << DEVTRACE_INFO_ANNOUNCE);
	EXPECT_LE(0, ioctl(self->fd, DEVTRACE_IOC_ANNOUNCE));
	ASSERT_LT(0, lseek(self->fd, 0, SEEK_END));
	ASSERT_LT(0, tape_drain(t, self->fd));
	EXPECT_EQ(1 << DEVTRACE_INFO_SEEK | 1 << DEVTRACE_INFO_OPEN,
		  seen & ~(1 << DEVTRACE_INFO_PERIODIC));
	/* Only the frame cut by lseek(2) is damaged. */
	EXPECT_GE(1, t->damages);
	EXPECT_EQ(0, t->gaps);
	tape_free(t);
	close(self->wfd);
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_ANNOUNCE));
	EXPECT_EQ(EBADF, errno);
}

/* Waiting */

FIXTURE(live) {
	int fd, wfd;
};

FIXTURE_SETUP(live)
{
	struct tape *t = tape_new();

	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
	self->fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	ASSERT_LT(0, tape_drain(t, self->fd));
	tape_free(t);
}

FIXTURE_TEARDOWN(live)
{
	close(self->fd);
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

static int poll_ms(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n = poll(&p, 1, ms);

	return n > 0 ? p.revents : n;
}

TEST_F(live, poll_says_what_can_be_done)
{
	struct pollfd p = { .fd = self->wfd, .events = POLLIN | POLLOUT };
	uint64_t t;
	int fd;

	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLOUT, p.revents);
	EXPECT_EQ(0, poll_ms(self->fd, 0));
	t = dev_now();
	EXPECT_EQ(0, poll_ms(self->fd, 150));
	EXPECT_LE(149 * 1000000, dev_now() - t);
	/* before INFO was read there is always data */
	fd = open(DEV_PATH, O_RDWR);
	p = (struct pollfd){ .fd = fd, .events = POLLIN | POLLOUT };
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLIN | POLLOUT, p.revents);
	close(fd);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, 1, 2));
	EXPECT_EQ(POLLIN, poll_ms(self->fd, 30000));
	/* until it is read */
	EXPECT_EQ(POLLIN, poll_ms(self->fd, 0));
}

TEST_F(live, nonblocking_read_is_refused_when_there_is_nothing)
{
	char buf[1000];

	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, 1, 2));
	dev_sleep_ms(5);
	EXPECT_LT(0, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
}

static atomic_int signals;

static void on_signal(int sig)
{
	signals++;
}

struct delayed {
	int fd, ms, n;
	pthread_t to;		/* signal this thread instead, if fd < 0 */
	int after;		/* emit an event here when these were handled, if not 0 */
};

static void *emit_later(void *arg)
{
	struct delayed *d = arg;
	int i;

	for (i = 0; i < d->n; i++) {
		dev_sleep_ms(d->ms);
		if (d->fd < 0) {
			const int before = signals;

			pthread_kill(d->to, SIGUSR1);
			while (signals == before)
				dev_sleep_ms(1);
		} else {
			dev_emit_mark(d->fd, TYPE, 3, i);
		}
	}
	if (d->after)
		dev_emit_mark(d->after, TYPE, 1, 2);
	return NULL;
}

/* A blocked read and a poll return soon after an event, and not before. */
TEST_F(live, waits_for_an_event_and_no_longer)
{
	struct delayed d = { .fd = self->wfd, .ms = 100, .n = 1 };
	struct tape *t = tape_new();
	uint64_t begin, worst = 0;
	char buf[4096];
	pthread_t th;
	ssize_t n;
	int i;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	for (i = 0; i < 10; i++) {
		begin = dev_now();
		ASSERT_EQ(0, pthread_create(&th, NULL, emit_later, &d));
		if (i & 1)
			ASSERT_EQ(POLLIN, poll_ms(self->fd, 60000));
		do {
			n = read(self->fd, buf, sizeof(buf));
			ASSERT_LT(0, n);
			tape_feed(t, buf, n);
		} while (t->nev <= i);
		EXPECT_LE(begin + 100 * 1000000, dev_now());
		begin = dev_now() - t->ev[i].ts;
		if (begin > worst)
			worst = begin;
		pthread_join(th, NULL);
	}
	/* Milliseconds by design, plus the delays of a loaded host. */
	dev_say("from event to reader: %llu us at most", (unsigned long long)worst / 1000);
	tape_free(t);
}

TEST_F(live, a_signal_ends_the_wait)
{
	struct delayed d = { .fd = -1, .ms = 100, .n = 3, .to = pthread_self() };
	struct sigaction sa = { .sa_handler = on_signal };
	char buf[4096];
	pthread_t th;
	ssize_t n;
	int err;

	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	ASSERT_EQ(0, pthread_create(&th, NULL, emit_later, &d));
	n = read(self->fd, buf, sizeof(buf));
	err = errno;
	EXPECT_EQ(-1, n);
	EXPECT_EQ(EINTR, err);
	EXPECT_EQ(-1, poll_ms(self->fd, 60000));
	EXPECT_EQ(EINTR, errno);
	pthread_join(th, NULL);
	EXPECT_EQ(3, signals);

	/* with SA_RESTART it continues */
	sa.sa_flags = SA_RESTART;
	d.after = self->wfd;
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	ASSERT_EQ(0, pthread_create(&th, NULL, emit_later, &d));
	alarm(60);
	EXPECT_LT(0, read(self->fd, buf, sizeof(buf)));
	alarm(0);
	EXPECT_EQ(6, signals);
	pthread_join(th, NULL);
}

struct burst {
	int fd;
	atomic_bool done;
};

static void *emit_burst(void *arg)
{
	struct burst *b = arg;
	int i;

	for (i = 0; i < 3000; i++) {
		dev_emit_mark(b->fd, TYPE, 4, i);
		usleep(100);
	}
	b->done = true;
	return NULL;
}

TEST_F(live, wakes_for_many_events_at_once)
{
	struct burst b = { .fd = self->wfd };
	struct tape *t = tape_new();
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	uint64_t begin = dev_now(), ms;
	pthread_t th;
	int wakes = 0;

	ASSERT_EQ(0, pthread_create(&th, NULL, emit_burst, &b));
	while (!b.done) {
		if (poll(&p, 1, 100) > 0)
			wakes++;
		ASSERT_LE(0, tape_drain(t, self->fd));
	}
	pthread_join(th, NULL);
	dev_sleep_ms(10);
	ASSERT_LE(0, tape_drain(t, self->fd));
	EXPECT_EQ(3000, t->nev + tape_lost(t, -1));
	ms = (dev_now() - begin) / 1000000;
	dev_say("%d wakes for %zu events in %llu ms", wakes, t->nev, (unsigned long long)ms);
	/* at most every 4 ms, and at block ends; events come ten times as often */
	EXPECT_GT(ms / 3 + 100, wakes);
	tape_free(t);
}

/*
 * All memory is given back; a reader has about 20 kB. Kernels with kmemleak also have KASAN,
 * which delays freeing of up to a 32nd of memory.
 */
#define SLACK	(access("/sys/kernel/debug/kmemleak", F_OK) ? 4096 : 40960)	/* kB */

TEST_F(live, a_thousand_opens_and_closes)
{
	int fd[64], i, k, round;
	long before = 0, after;
	char buf[64];

	for (i = 0; i < 1000; i++) {
		/* the kernel's own caches have filled */
		if (i == 100)
			before = dev_kernel_memory();
		k = open(DEV_PATH, i % 3 == 0 ? O_RDONLY : i % 3 == 1 ? O_WRONLY : O_RDWR);
		ASSERT_LE(0, k);
		if (i % 3 != 1)
			ASSERT_LT(0, read(k, buf, sizeof(buf)));
		ASSERT_EQ(0, close(k));
	}
	for (round = 0; round < 16; round++) {
		for (k = 0; k < 64; k++) {
			fd[k] = open(DEV_PATH, O_RDONLY);
			ASSERT_LE(0, fd[k]);
			ASSERT_LT(0, read(fd[k], buf, sizeof(buf)));
		}
		for (k = 0; k < 64; k++)
			close(fd[(k * 7 + round) % 64]);
	}
	after = dev_kernel_memory();
	dev_say("the kernel had %ld kB and has %ld kB", before, after);
	ASSERT_LT(0, before);
	EXPECT_GE(before + SLACK, after);
}

#define HERD		100
#define HERD_WAITS	120000	/* ms; poll(2) checks again at its end */

static void *herd(void *arg)
{
	struct tape *t = tape_new();
	atomic_int *state = arg;
	int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	intptr_t good = 0;

	if (fd >= 0 && tape_drain(t, fd) >= 0) {
		(*state)++;
		while (!t->nev && poll(&p, 1, HERD_WAITS) == 1)
			tape_drain(t, fd);
		good = t->nev == 1 && tape_clean(t) && t->ev[0].tag == 77;
	}
	close(fd);
	tape_free(t);
	return (void *)good;
}

TEST_F(live, a_herd_waits_for_one_event)
{
	pthread_attr_t attr;
	pthread_t th[HERD];
	atomic_int state = 0;
	uint64_t emitted;
	void *good;
	int i, got = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	for (i = 0; i < HERD; i++)
		ASSERT_EQ(0, pthread_create(&th[i], &attr, herd, &state));
	while (state < HERD)
		dev_sleep_ms(10);
	dev_sleep_ms(100);
	emitted = dev_now();
	ASSERT_EQ(0, dev_emit_mark(self->wfd, TYPE, 77, 0));
	for (i = 0; i < HERD; i++) {
		pthread_join(th[i], &good);
		got += good != NULL;
	}
	EXPECT_EQ(HERD, got);
	/* They were woken early instead of finding it at the timeout. */
	EXPECT_GT(HERD_WAITS / 2 * 1000000ULL, dev_now() - emitted);
}

TEST_HARNESS_MAIN
