// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_threads.c - real threads: one writes a ring, others read it
 *
 * The writer interrupts itself at random. Each record determines its payload, so that torn
 * records are found; the counts of each reader must match at the end. One reader clears, and
 * seeks times. Everything runs a second time while another thread resizes the ring. Also built
 * with ThreadSanitizer, which reports unintended races.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "ring_memory.h"
#include "ring_read.h"
#include "steps.h"

#ifdef __SANITIZE_THREAD__
#define EVENTS		150000
#else
#define EVENTS		1500000
#endif
#define BUF_UNITS	1024
#define LEN_MAX		200
/*
 * Longest time until a store becomes visible. kmod/read/source_ring.c allows 10 us. After stores
 * into memory that another CPU has just filled, as after a resize, it took up to 15 us beside
 * busy loops. If a thread loses its CPU between the clock and an earlier store, it takes longer
 * than this.
 */
#define MARGIN_NS	100000

enum pace { FAST, SLOW, SLEEPY, PACES };

struct reader {
	pthread_t	thread;
	enum pace	pace;
	u64		read, lost;
	u64		last_ts, bound;
	unsigned int	sizes;		/* value when it last found its position */
	const char	*fault;
	struct ring_place at;
	u64		buf[BUF_UNITS];
};

unsigned int ring_port_alloc_fails;

static struct ring ring;
static struct reader readers[PACES];
static pthread_mutex_t clear_lock = PTHREAD_MUTEX_INITIALIZER;
/* Write-locked where the module waits until all writers and readers are outside. */
static pthread_rwlock_t in_use;
static bool resized;			/* only then, as it slows down the others */
static unsigned int sizes;		/* number of resizes; protected by in_use */
static bool written;
static u64 events, drops, nested;
static u64 seed;

/* Interrupts: only in the writing thread. */
static _Thread_local unsigned int depth, depth_max;
static _Thread_local u64 rng;

static u32 rnd(u32 n)
{
	rng ^= rng >> 12;
	rng ^= rng << 25;
	rng ^= rng >> 27;
	return (rng * 0x2545f4914f6cdd1dULL >> 32) * n >> 32;
}

u64 ring_port_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void ring_port_exchanged(const void *w, u64 old, u64 new)
{
	(void)w;
	(void)old;
	(void)new;
}

void ring_port_released(const void *w, u64 v)
{
	(void)w;
	(void)v;
}

static u64 content(u32 serial, unsigned int i)
{
	u64 x = ((u64)serial << 16 | i) * 0x9e3779b97f4a7c15ULL;

	return x ^ x >> 29;
}

static void emit(void)
{
	const unsigned int len = rnd(LEN_MAX + 1);
	struct ring_record *rec;
	bool crossed = false;
	u32 serial, i;
	u64 now;

	depth++;
	ring_enter(&ring);
	serial = events + drops;
	rec = ring_reserve(&ring, len, 1 + rnd(255), &now, &crossed);
	if (rec) {
		events++;
		ring_put32(&rec->who, serial);
		if (len)
			ring_put16((u16 *)rec->data, content(serial, 0));
		for (i = 2; i < ring_units(len); i++)
			ring_put64((u64 *)rec + i, content(serial, i));
	} else {
		drops++;
	}
	ring_leave(&ring);
	depth--;
}

void ring_port_step(void)
{
	if (!depth || depth >= depth_max || rnd(400))
		return;
	nested++;
	do {
		emit();
	} while (rnd(4));
}

static void use(void)
{
	if (resized)
		pthread_rwlock_rdlock(&in_use);
}

static void unuse(void)
{
	if (resized)
		pthread_rwlock_unlock(&in_use);
}

static void *write_all(void *arg)
{
	(void)arg;
	rng = seed | 1;
	depth_max = 3;
	while (events < EVENTS) {
		use();
		emit();
		unuse();
		/* Let the readers catch up now and then. */
		if (!rnd(EVENTS / 50))
			usleep(500);
	}
	__atomic_store_n(&written, true, __ATOMIC_RELEASE);
	return NULL;
}

static const char *check_record(const u64 *w)
{
	const struct ring_record *rec = (const void *)w;
	u32 i;

	if (rec->len > LEN_MAX)
		return "a length that was not written";
	if (rec->len && *(const u16 *)rec->data != (u16)content(rec->who, 0))
		return "torn";
	for (i = 2; i < ring_units(rec->len); i++)
		if (w[i] != content(rec->who, i))
			return "torn";
	return NULL;
}

/* After a resize, find the position again by the index, like kmod/read/source_ring.c. */
static void find_again(struct reader *rd)
{
	const u64 idx = rd->at.idx;
	u64 gone;

	if (rd->sizes == sizes)
		return;
	rd->sizes = sizes;
	gone = all_of_place(&ring, idx, &rd->at, rd->buf, BUF_UNITS);
	rd->lost += gone;
	if (rd->at.idx != idx + gone)
		rd->fault = "another place after a resize";
}

static u32 read_some(struct reader *rd)
{
	struct ring_place was;
	struct ring_view v;
	u64 now, ts, lost;
	u32 n, i = 0;

	find_again(rd);
	was = rd->at;
	now = ring_port_clock();
	smp_mb();
	ring_view(&ring, &v);
	if (v.tail.pos > v.commit.pos || v.commit.pos > v.head.pos)
		rd->fault = "a view in disorder";
	lost = ring_fetch(&ring, &rd->at, BUF_UNITS, rd->buf, &n);
	if (lost != rd->at.idx - was.idx)
		rd->fault = "a wrong loss";
	rd->lost += lost;
	if (!n && !v.busy)
		rd->bound = now - MARGIN_NS;
	while (i < n && !rd->fault) {
		const struct ring_record *rec = (const void *)&rd->buf[i];
		u32 units;

		if (rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD) {
			units = (u32)rec->word;
			rd->at.pos += units;
			i += units;
			continue;
		}
		if (n - i < 2 || ring_record_units(rec) > n - i)
			break;
		units = ring_record_units(rec);
		ts = ring_ts(rec->word, ring_port_clock() + 1000000000);
		rd->fault = check_record(&rd->buf[i]);
		if (ts < rd->last_ts)
			rd->fault = "time runs backwards";
		if (ts < rd->bound)
			rd->fault = "an event from before the bound";
		rd->last_ts = ts;
		rd->read++;
		rd->at.idx++;
		rd->at.pos += units;
		i += units;
	}
	return n;
}

/* Seek a time, and clear, as others with the device open may. */
static void seek(struct reader *rd)
{
	u64 ts = ring_port_clock() - rnd(1000000), lost;
	struct ring_place at;
	struct ring_view v;
	u32 n;

	pthread_mutex_lock(&clear_lock);
	if (!rnd(100))
		ring_clear(&ring);
	ring_oldest(&ring, &at, &lost);
	ring_view(&ring, &v);
	all_of_find(&ring, ts, ring_port_clock() + 1000000000000ULL, &at, rd->buf, BUF_UNITS);
	pthread_mutex_unlock(&clear_lock);
	if (at.pos >= v.commit.pos)
		return;
	if (ring_fetch(&ring, &at, BUF_UNITS, rd->buf, &n) || !n)
		return;
	if (rd->buf[0] >> RING_TYPE_SHIFT != RING_TYPE_PAD &&
	    ring_ts(rd->buf[0], ring_port_clock() + 1000000000) < ts)
		rd->fault = "an event from before the time looked for";
}

static void *resize_all(void *arg)
{
	const unsigned long size = *(const unsigned long *)arg;
	struct ring_memory m;

	rng = seed + 100;
	while (!__atomic_load_n(&written, __ATOMIC_ACQUIRE)) {
		const unsigned long other = size << rnd(4);

		usleep(rnd(2000));
		if (ring_memory_alloc(&m, other))
			break;
		pthread_rwlock_wrlock(&in_use);
		all_of_resize(&ring, other, &m);
		sizes++;
		pthread_rwlock_unlock(&in_use);
		ring_memory_free(&m);
	}
	return NULL;
}

static void *read_all(void *arg)
{
	struct reader *rd = arg;
	bool last;
	u32 n;

	rng = seed + 1 + rd->pace;
	do {
		last = __atomic_load_n(&written, __ATOMIC_ACQUIRE);
		if (rd->pace == SLEEPY && !last)
			usleep(3000);
		use();
		if (rd->pace == SLOW && !last)
			seek(rd);
		n = read_some(rd);
		unuse();
	} while (!rd->fault && (n || !last));
	return NULL;
}

FIXTURE(threads) { };

FIXTURE_VARIANT(threads)
{
	unsigned long size;
	u32 start;
	bool resized;
};

FIXTURE_VARIANT_ADD(threads, ring_1k)
{
	.size = 1024, .start = 0,
};

FIXTURE_VARIANT_ADD(threads, ring_64k_at_the_wrap)
{
	.size = 64 << 10, .start = 0U - 300000,
};

FIXTURE_VARIANT_ADD(threads, ring_1m)
{
	.size = 1 << 20, .start = (1U << 30) - 300000,
};

FIXTURE_VARIANT_ADD(threads, resized)
{
	.size = 1024, .start = (1U << 30) - 300000, .resized = true,
};

FIXTURE_SETUP(threads)
{
	const char *env = getenv("SEED");
	pthread_rwlockattr_t attr;

	seed = env && *env ? strtoull(env, NULL, 0) : (u64)time(NULL) << 16 ^ getpid();
	printf("# SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	/* Otherwise the resizing thread never gets the lock. */
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	ASSERT_EQ(0, pthread_rwlock_init(&in_use, &attr));
	ASSERT_EQ(0, ring_init(&ring, variant->size, variant->start, variant->start));
}

FIXTURE_TEARDOWN(threads)
{
	ring_free(&ring);
}

TEST_F(threads, nothing_torn_nothing_uncounted)
{
	unsigned long size = variant->size;
	pthread_t writer, resizer;
	struct ring_view v;
	int i;

	resized = variant->resized;
	ring_view(&ring, &v);
	for (i = 0; i < PACES; i++) {
		readers[i].pace = i;
		readers[i].at = v.head;
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_all, &readers[i]));
	}
	ASSERT_EQ(0, pthread_create(&writer, NULL, write_all, NULL));
	if (resized)
		ASSERT_EQ(0, pthread_create(&resizer, NULL, resize_all, &size));
	pthread_join(writer, NULL);
	if (resized)
		pthread_join(resizer, NULL);
	for (i = 0; i < PACES; i++)
		pthread_join(readers[i].thread, NULL);

	printf("# %llu events, %llu dropped, %llu interrupts, %u resizes\n",
	       (unsigned long long)events, (unsigned long long)drops,
	       (unsigned long long)nested, sizes);
	if (resized)
		EXPECT_LT(10U, sizes);
	for (i = 0; i < PACES; i++) {
		struct reader *rd = &readers[i];

		printf("# reader %d: %llu read, %llu lost\n", i,
		       (unsigned long long)rd->read, (unsigned long long)rd->lost);
		fflush(stdout);
		EXPECT_EQ(NULL, rd->fault) {
			TH_LOG("reader %d: %s", i, rd->fault);
		}
		EXPECT_EQ(events, rd->read + rd->lost);
		EXPECT_LT(0, rd->read);
	}
	EXPECT_EQ(drops, ring_count_read(&ring.dropped[RING_DROP_BUSY]));
	EXPECT_LT(0, nested);
	ring_view(&ring, &v);
	EXPECT_EQ((u64)variant->start + events, v.head.idx);
}

TEST_HARNESS_MAIN
