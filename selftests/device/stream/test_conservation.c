// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_conservation.c - no event is torn, each is read or counted
 *
 * Writers in process, softirq, hard-interrupt and NMI context on each CPU and two processes emit
 * numbered events. A fast reader, a slow one, and one that sleeps and seeks read them while the
 * rings wrap. At the end, for each reader and CPU, events read plus events reported lost equal
 * events emitted, as counted by the writers and by devtrace. Each event is compared with the
 * contents that follow from its number; numbers and times increase; and at each event, the
 * numbers skipped in its ring are at most those reported lost before it.
 *
 * With three streams each reader reads another one, while triggers look at each event.
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
#include "nl.h"

#define USERS		2
#define USER_MAX	3900
#define SERIES		(DTTEST_CLASSES + USERS)	/* numbered series in a ring */

enum kind { FAST, SLOW, SEEKER, READERS };
static const char * const kind_name[] = { "fast", "slow", "seeking" };

/* Shared with the writer processes. */
struct shared {
	atomic_bool go, stop;
	_Atomic uint64_t emitted[USERS];
	_Atomic uint64_t refused[USERS];
	int cpu[USERS];
};

struct reader {
	enum kind kind;
	int fd;
	pthread_t thread;
	struct devtrace_decoder *d;
	const struct shared *sh;
	uint32_t user_max, heavy, max_len;
	/* since the last seek */
	uint64_t read[DEV_CPUS], lost[DEV_CPUS][DEVTRACE_LOST_CAUSES];
	uint32_t next[DEV_CPUS][SERIES];
	uint64_t last[DEV_CPUS], last_any;
	/* in total */
	uint64_t events, seeks, contexts[DTTEST_CLASSES];
	uint64_t torn, foreign, disorder, unsaid, back_source, back_stream;
	uint64_t wrong_context, damages, gaps, failed;
};

static atomic_bool quiet;

static uint64_t lost_of(const struct reader *r, int cpu)
{
	uint64_t n = 0;
	int c;

	for (c = 0; c < DEVTRACE_LOST_CAUSES; c++)
		n += r->lost[cpu][c];
	return n;
}

static void check_event(struct reader *r, const struct devtrace_event *e)
{
	uint32_t tag, nr, class, who, series, i;
	uint64_t known = 0;

	r->events++;
	if (e->source >= DEV_CPUS || e->type < DTTEST_TYPE ||
	    e->type > DTTEST_TYPE + DTTEST_USER) {
		r->foreign++;
		return;
	}
	if (e->type == DTTEST_TYPE + DTTEST_USER ?
	    dev_check_numbered(e, r->user_max, r->heavy, &tag, &nr) :
	    dev_check_numbered(e, r->max_len, r->heavy, &tag, &nr)) {
		r->torn++;
		return;
	}
	class = tag >> 16;
	who = tag & 0xffff;
	if (class == DTTEST_USER) {
		if (who >= USERS || e->source != r->sh->cpu[who] ||
		    (e->flags & ~DEVTRACE_F_CODE) != (DEVTRACE_F_USER | DEVTRACE_CTX_TASK))
			r->wrong_context++;
		series = DTTEST_CLASSES + (who < USERS ? who : 0);
	} else {
		if (who != e->source || (e->flags & DEVTRACE_F_USER) ||
		    (e->flags & DEVTRACE_F_CONTEXT) != class)
			r->wrong_context++;
		if (e->flags & DEVTRACE_F_OBJSIG &&
		    (e->object != (uint16_t)tag || e->signal != (uint16_t)nr))
			r->torn++;
		r->contexts[class]++;
		series = class;
	}

	r->read[e->source]++;
	if (nr < r->next[e->source][series])
		r->disorder++;
	r->next[e->source][series] = nr + 1;
	for (i = 0; i < SERIES; i++)
		known += r->next[e->source][i];
	if (known > r->read[e->source] + lost_of(r, e->source))
		r->unsaid++;

	if (e->ts < r->last[e->source])
		r->back_source++;
	if (e->ts < r->last_any)
		r->back_stream++;
	r->last[e->source] = e->ts;
	r->last_any = e->ts;
}

static int item(const struct devtrace_item *i, void *arg)
{
	struct reader *r = arg;

	switch (i->kind) {
	case DEVTRACE_ITEM_EVENT:
		check_event(r, &i->u.event);
		break;
	case DEVTRACE_ITEM_LOST:
		if (i->u.lost.source >= DEV_CPUS || i->u.lost.cause >= DEVTRACE_LOST_CAUSES ||
		    i->u.lost.to < i->u.lost.from || !i->u.lost.count)
			r->foreign++;
		else
			r->lost[i->u.lost.source][i->u.lost.cause] += i->u.lost.count;
		break;
	case DEVTRACE_ITEM_INFO:
		/* A new position: losses before it are not reported. */
		if (i->u.info.reason == DEVTRACE_INFO_SEEK) {
			memset(r->read, 0, sizeof(r->read));
			memset(r->lost, 0, sizeof(r->lost));
			memset(r->next, 0, sizeof(r->next));
			memset(r->last, 0, sizeof(r->last));
			r->last_any = 0;
		}
		break;
	case DEVTRACE_ITEM_DAMAGE:
		r->damages++;
		break;
	case DEVTRACE_ITEM_GAP:
	case DEVTRACE_ITEM_UNKNOWN:
		r->gaps++;
		break;
	default:
		break;
	}
	return 0;
}

static void *read_on(void *arg)
{
	struct reader *r = arg;
	static const size_t chunk[] = { 65536, 3000, 10000 };
	char buf[65536];
	int rounds = 0;
	ssize_t n;
	bool was_quiet;

	for (;;) {
		struct pollfd p = { .fd = r->fd, .events = POLLIN };

		was_quiet = quiet;
		n = read(r->fd, buf, was_quiet ? sizeof(buf) : chunk[r->kind]);
		if (n > 0) {
			devtrace_decoder_feed(r->d, buf, n, NULL);
		} else if (n < 0 && errno == EAGAIN) {
			if (was_quiet)
				return NULL;
			poll(&p, 1, 50);
		} else {
			r->failed++;
			return NULL;
		}
		if (was_quiet)
			continue;
		if (r->kind == SLOW)
			dev_sleep_ms(3);
		if (r->kind == SEEKER && ++rounds % 40 == 0) {
			dev_sleep_ms(dev_random() % 300);
			if (lseek(r->fd, 0, SEEK_SET) < 0)
				r->failed++;
			r->seeks++;
		}
	}
}

static void write_on(struct shared *sh, int who, uint32_t max, uint32_t heavy)
{
	uint32_t tag = dttest_tag(DTTEST_USER, who), nr = 0, i;
	int fd = open(DEV_PATH, O_WRONLY);

	if (fd < 0 || dev_pin(sh->cpu[who]))
		_exit(1);
	dev_random_as(who);
	while (!sh->go)
		usleep(1000);
	while (!sh->stop) {
		for (i = 1 + dev_random() % 16; i; i--) {
			if (dev_emit_numbered(fd, tag, nr, max, heavy)) {
				sh->refused[who]++;
				_exit(1);
			}
			sh->emitted[who] = ++nr;
		}
		usleep(dev_random() % (heavy ? 2000 : 500));
	}
	_exit(0);
}

FIXTURE(conservation) {
	struct shared *sh;
	struct reader readers[READERS];
	int cpus[DEV_CPUS], ncpus;
	pid_t writers[USERS];
};

FIXTURE_VARIANT(conservation) {
	const char *size;
	uint32_t start;
	int seconds;		/* 0: as requested */
	uint32_t user_max, heavy;
	bool streams;		/* three, and triggers */
};

FIXTURE_VARIANT_ADD(conservation, ring_1K) {
	.size = "1K", .seconds = 0, .user_max = 190, .heavy = 15,
};
FIXTURE_VARIANT_ADD(conservation, ring_64K) {
	.size = "64K", .seconds = 0, .user_max = USER_MAX, .heavy = 15,
};
FIXTURE_VARIANT_ADD(conservation, three_streams) {
	.size = "64K", .seconds = 5, .user_max = USER_MAX, .heavy = 15, .streams = true,
};
FIXTURE_VARIANT_ADD(conservation, ring_16M) {
	.size = "16M", .seconds = 0, .user_max = USER_MAX, .heavy = 0,
};
FIXTURE_VARIANT_ADD(conservation, ring_1K_before_wrap) {
	.size = "1K", .start = 0xfffff000, .seconds = 5, .user_max = 190, .heavy = 15,
};
FIXTURE_VARIANT_ADD(conservation, ring_64K_before_wrap) {
	.size = "64K", .start = 0xfffff000, .seconds = 5, .user_max = USER_MAX, .heavy = 15,
};
FIXTURE_VARIANT_ADD(conservation, ring_16M_before_wrap) {
	.size = "16M", .start = 0xfffff000, .seconds = 10, .user_max = USER_MAX, .heavy = 0,
};
FIXTURE_VARIANT_ADD(conservation, ring_64K_before_quarter) {
	.size = "64K", .start = 0x3ffff000, .seconds = 5, .user_max = USER_MAX, .heavy = 15,
};
FIXTURE_VARIANT_ADD(conservation, ring_64K_before_half) {
	.size = "64K", .start = 0x7ffff000, .seconds = 5, .user_max = USER_MAX, .heavy = 15,
};

/* The stream of each reader, if there are three. */
static const char * const names[READERS] = { DEVTRACE_STREAM0, "second", "third" };

static void put_filter(struct nl *nl, int attr)
{
	uint8_t types[32] = { 0 };
	size_t nest = nl_nest(nl, attr);
	int i;

	for (i = DTTEST_TYPE; i <= DTTEST_TYPE + DTTEST_USER; i++)
		types[i / 8] |= 1 << i % 8;
	nl_put(nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(nl, nest);
}

static int stream_new(struct nl *nl, const char *name)
{
	nl_begin(nl, DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(nl, DEVTRACE_A_STREAM, name);
	nl_put_u64(nl, DEVTRACE_A_SIZE, 65536);
	put_filter(nl, DEVTRACE_A_FILTER);
	return nl_do(nl, NULL, NULL);
}

/* Each looks at one of two elements, in turns. */
static int trigger_new(struct nl *nl, unsigned int n)
{
	char name[16];
	size_t nest;

	snprintf(name, sizeof(name), "t%u", n);
	nl_begin(nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(nl, DEVTRACE_A_TRIGGER, name);
	nl_put_u32(nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	nest = nl_nest(nl, DEVTRACE_A_ELEMENT);
	nl_put_u32(nl, DEVTRACE_EA_INDEX, n % 2);
	nl_put_u32(nl, DEVTRACE_EA_COMPARE, DEVTRACE_CMP_EQ);
	nl_put_u64(nl, DEVTRACE_EA_VALUE, -1ULL - n);
	nl_nest_end(nl, nest);
	put_filter(nl, DEVTRACE_A_WHEN);
	return nl_do(nl, NULL, NULL);
}

static int add_streams_and_triggers(void)
{
	unsigned int i;
	struct nl nl;
	int err;

	err = nl_open(&nl);
	if (err)
		return err;
	for (i = 1; i < READERS && !err; i++)
		err = stream_new(&nl, names[i]);
	for (i = 0; i < DEVTRACE_TRIGGERS_MAX && !err; i++)
		err = trigger_new(&nl, i);
	nl_close(&nl);
	return err;
}

/* The device of reader @i. */
static const char *path_of(const FIXTURE_VARIANT(conservation) *v, int i)
{
	static char path[64];

	if (!v->streams || !i)
		return DEV_PATH;
	snprintf(path, sizeof(path), "%s-%s", DEV_PATH, names[i]);
	return path;
}

/* The statistics of a ring of the reader's stream. */
static int reader_stats(const struct reader *r, int cpu, struct devtrace_stats *st)
{
	st->cpu = cpu;
	return ioctl(r->fd, DEVTRACE_IOC_STATS, st);
}

static int asked_seconds(void)
{
	const char *s = getenv("DEVICE_SECONDS");

	return s && *s ? atoi(s) : 10;
}

/* A short run uses a quarter of the large rings, which are to wrap and be read. */
static const char *size_of(const FIXTURE_VARIANT(conservation) *v)
{
	return asked_seconds() < 8 && !strcmp(v->size, "16M") ? "4M" : v->size;
}

FIXTURE_SETUP(conservation)
{
	const uint32_t check = DEVTRACE_CHECK_CRC32;
	char params[128];
	int i;

	memset(self, 0, sizeof(*self));
	dev_seed();
	snprintf(params, sizeof(params), "size=%s start=%u", size_of(variant), variant->start);
	ASSERT_EQ(0, dev_load(params));
	snprintf(params, sizeof(params), "heavy=%u", variant->heavy);
	ASSERT_EQ(0, dev_load_writers(params));
	if (access("/sys/module/dtquiet", F_OK))
		dev_load_file("dtquiet.ko", "");	/* fails without NMIs */
	self->ncpus = dev_online(self->cpus);
	ASSERT_LT(0, self->ncpus);
	self->sh = mmap(NULL, sizeof(*self->sh), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->sh);

	if (variant->streams)
		ASSERT_EQ(0, add_streams_and_triggers());
	for (i = 0; i < USERS; i++)
		self->sh->cpu[i] = self->cpus[i % self->ncpus];
	for (i = 0; i < READERS; i++) {
		struct reader *r = &self->readers[i];

		*r = (struct reader){
			.kind = i, .sh = self->sh, .user_max = variant->user_max,
			.heavy = variant->heavy, .max_len = DTTEST_MAX_LEN,
			.fd = open(path_of(variant, i), O_RDONLY | O_NONBLOCK | O_CLOEXEC),
			.d = devtrace_decoder_new(item, r),
		};
		ASSERT_LE(0, r->fd);
		ASSERT_NE(NULL, r->d);
		/* sum8 would accept one of 65536 frames that a seek cut. */
		if (i == SEEKER)
			ASSERT_EQ(0, ioctl(r->fd, DEVTRACE_IOC_CHECK, &check));
	}
	for (i = 0; i < USERS; i++) {
		self->writers[i] = fork();
		ASSERT_LE(0, self->writers[i]);
		if (!self->writers[i])
			write_on(self->sh, i, variant->user_max, variant->heavy);
	}
}

FIXTURE_TEARDOWN(conservation)
{
	int i;

	dev_nmi(0);
	dev_writers_run(false);
	for (i = 0; i < USERS; i++)
		if (self->writers[i] > 0)
			kill(self->writers[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < READERS; i++) {
		devtrace_decoder_free(self->readers[i].d);
		close(self->readers[i].fd);
	}
	dev_sleep_ms(200);	/* wait for the last NMIs */
	dev_unload_one("dtquiet");
	EXPECT_EQ(0, dev_done());
}

TEST_F_TIMEOUT(conservation, every_event_is_read_or_lost, 600)
{
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], emitted[DEV_CPUS] = { 0 };
	uint64_t nmis = 0, all = 0, sum[3] = { 0 };
	int i, k, status, seconds = asked_seconds();
	struct devtrace_stats st;
	bool injected, all_wrote;

	if (variant->seconds && variant->seconds < seconds)
		seconds = variant->seconds;
	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, pthread_create(&self->readers[i].thread, NULL, read_on,
					    &self->readers[i]));
	self->sh->go = true;
	ASSERT_EQ(0, dev_writers_run(true));
	injected = dev_nmi(100);
	dev_sleep_ms(seconds * 1000);
	/*
	 * A slow machine needs longer to fill the large rings and to seek, and its host to
	 * inject NMIs.
	 */
	for (i = 0; i < 150; i++) {
		ASSERT_EQ(0, dev_stats(-1, &st));
		ASSERT_EQ(0, dev_writers_counts(counts));
		for (k = 0, nmis = 0; k < DEV_CPUS; k++)
			nmis += counts[k][DTTEST_NMI];
		for (k = 0, all_wrote = true; k < self->ncpus; k++)
			all_wrote &= counts[self->cpus[k]][DTTEST_TASK] &&
				     counts[self->cpus[k]][DTTEST_SOFTIRQ] &&
				     counts[self->cpus[k]][DTTEST_IRQ];
		if (__atomic_load_n(&self->readers[SEEKER].seeks, __ATOMIC_RELAXED) &&
		    st.overwritten && nmis >= injected && all_wrote)
			break;
		dev_sleep_ms(1000);
	}
	nmis = 0;
	ASSERT_EQ(0, dev_writers_run(false));
	self->sh->stop = true;
	for (i = 0; i < USERS; i++) {
		ASSERT_EQ(self->writers[i], waitpid(self->writers[i], &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_EQ(0, self->sh->refused[i]);
		self->writers[i] = 0;
	}
	quiet = true;
	for (i = 0; i < READERS; i++)
		ASSERT_EQ(0, pthread_join(self->readers[i].thread, NULL));

	/* The writers' counts. */
	ASSERT_EQ(0, dev_writers_counts(counts));
	for (i = 0; i < DEV_CPUS; i++)
		for (k = 0; k < DTTEST_CLASSES; k++)
			emitted[i] += counts[i][k];
	for (i = 0; i < USERS; i++)
		emitted[self->sh->cpu[i]] += self->sh->emitted[i];
	for (i = 0; i < DEV_CPUS; i++)
		nmis += counts[i][DTTEST_NMI];

	for (i = 0; i < self->ncpus; i++) {
		int cpu = self->cpus[i];

		/* Each class has written, and devtrace has the same counts. */
		EXPECT_LT(0, counts[cpu][DTTEST_TASK]);
		EXPECT_LT(0, counts[cpu][DTTEST_SOFTIRQ]);
		EXPECT_LT(0, counts[cpu][DTTEST_IRQ]);
		ASSERT_EQ(0, dev_stats(cpu, &st));
		EXPECT_EQ(emitted[cpu], st.emitted);
		EXPECT_EQ(0, st.filtered);
		for (k = 0; k < DEVTRACE_LOST_CAUSES; k++)
			sum[2] += st.dropped[k];
		sum[0] += st.stored;
		sum[1] += st.overwritten;
		all += emitted[cpu];
	}
	dev_say("%s start %#x: %llu emitted (%llu in NMI), %llu stored, %llu overwritten, %llu dropped",
	       size_of(variant), variant->start, (unsigned long long)all,
	       (unsigned long long)nmis, (unsigned long long)sum[0],
	       (unsigned long long)sum[1], (unsigned long long)sum[2]);
	EXPECT_EQ(all, sum[0] + sum[2]);
	EXPECT_LT(0, sum[1]) TH_LOG("the rings never wrapped");
	if (!injected)
		dev_say("nobody injects NMIs here");
	EXPECT_LE(injected, nmis);

	for (i = 0; i < READERS; i++) {
		struct reader *r = &self->readers[i];

		for (k = 0; k < self->ncpus; k++) {
			int cpu = self->cpus[k];

			EXPECT_EQ(emitted[cpu], r->read[cpu] + lost_of(r, cpu))
				TH_LOG("%s reader, CPU %d: %llu read + %llu lost", kind_name[i],
				       cpu, (unsigned long long)r->read[cpu],
				       (unsigned long long)lost_of(r, cpu));
			/* Losses by cause are devtrace's counts. */
			ASSERT_EQ(0, reader_stats(r, cpu, &st));
			EXPECT_EQ(emitted[cpu], st.emitted);
			EXPECT_EQ(st.dropped[DEVTRACE_LOST_BUSY],
				  r->lost[cpu][DEVTRACE_LOST_BUSY]);
			EXPECT_EQ(st.dropped[DEVTRACE_LOST_TOOBIG],
				  r->lost[cpu][DEVTRACE_LOST_TOOBIG]);
			EXPECT_EQ(0, r->lost[cpu][DEVTRACE_LOST_NORING]);
			EXPECT_EQ(0, r->lost[cpu][DEVTRACE_LOST_CLEARED]);
		}
		EXPECT_EQ(0, r->failed);
		EXPECT_EQ(0, r->torn);
		EXPECT_EQ(0, r->foreign);
		EXPECT_EQ(0, r->wrong_context);
		EXPECT_EQ(0, r->disorder);
		EXPECT_EQ(0, r->unsaid);
		EXPECT_EQ(0, r->back_source);
		EXPECT_EQ(0, r->back_stream);
		EXPECT_EQ(0, r->gaps);
		/* A seek may cut only the frame being read. */
		EXPECT_GE(r->seeks, r->damages);
		EXPECT_LT(0, r->events);
		if (i == SEEKER)
			EXPECT_LT(0, r->seeks);
		dev_say("%s reader: %llu events, %llu seeks", kind_name[i],
		       (unsigned long long)r->events, (unsigned long long)r->seeks);
	}
}

TEST_HARNESS_MAIN
