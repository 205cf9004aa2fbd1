// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_filter.c - filters apply exactly while they are changed
 *
 * Writers in the kernel and two programs emit at full speed on all CPUs. The number of an event
 * determines its type, severity, code, object, signal and program name. Meanwhile random filters
 * replace each other. Between two changes exactly one filter is in force: it must pass each
 * event stored then, and it must refuse the events missing between two that were stored then,
 * and those that a program emitted then, by its own count, and that are not in the stream. At
 * the end, events emitted are events stored, dropped and filtered.
 *
 * Between two filters that both refuse an event, none is stored: at no time does half of each
 * apply. A change waits for incomplete events that the previous filter passed.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "filter_model.h"
#include "nl.h"
#include "trigger.h"

#define KEPT		4000000		/* most events examined */

struct change {
	struct terms f;
	uint64_t before, after;		/* trace clock at the request and at its acknowledgment */
	/* events that programs had emitted, at least and at most */
	uint64_t ended[USERS], begun[USERS];
};

struct seen {
	uint64_t ts;
	uint32_t nr;
	uint16_t series;
	bool behind_loss;
};

struct shared {
	atomic_bool go, stop;
	_Atomic uint64_t begun[USERS], emitted[USERS];
	int cpu[USERS];
};

/* A stream, the sequence of its filters, and the events read from it. */
struct watched {
	const char *name, *path;
	struct change *changes;
	int nchanges;
	struct seen *seen;
	size_t nseen;
	uint64_t lost, damages, strange;
	uint32_t loss_of[DEV_CPUS];	/* LOST frames per source */
	uint32_t loss_at[SERIES];
	pthread_t thread;
	int fd;
	struct devtrace_decoder *d;
	const struct shared *sh;
};

static atomic_bool quiet;

static int set_filter(struct nl *nl, const char *stream, const struct terms *f)
{
	nl_begin(nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(nl, DEVTRACE_A_STREAM, stream);
	model_put(nl, f);
	return nl_do(nl, NULL, NULL);
}

static void event(struct watched *w, const struct devtrace_event *e)
{
	struct devtrace_elem tag, nr;
	uint32_t class, who;
	size_t pos = 0;
	struct seen *s;

	if (devtrace_elem_next(e->data, e->len, &pos, &tag) != 1 ||
	    devtrace_elem_next(e->data, e->len, &pos, &nr) != 1 || e->source >= DEV_CPUS) {
		w->strange++;
		return;
	}
	class = tag.v.u >> 16;
	who = tag.v.u & 0xffff;
	if (class > DTTEST_USER || who >= (class == DTTEST_USER ? USERS : DEV_CPUS)) {
		w->strange++;
		return;
	}
	if (w->nseen == KEPT)
		return;
	s = &w->seen[w->nseen++];
	s->ts = e->ts;
	s->nr = nr.v.u;
	s->series = class == DTTEST_USER ? DTTEST_CLASSES * DEV_CPUS + who :
					   class * DEV_CPUS + who;
	s->behind_loss = w->loss_at[s->series] != w->loss_of[e->source];
	w->loss_at[s->series] = w->loss_of[e->source];
}

static int item(const struct devtrace_item *i, void *arg)
{
	struct watched *w = arg;

	switch (i->kind) {
	case DEVTRACE_ITEM_EVENT:
		event(w, &i->u.event);
		break;
	case DEVTRACE_ITEM_LOST:
		w->lost += i->u.lost.count;
		w->loss_of[i->u.lost.source % DEV_CPUS]++;
		break;
	case DEVTRACE_ITEM_DAMAGE:
	case DEVTRACE_ITEM_GAP:
		w->damages++;
		break;
	default:
		break;
	}
	return 0;
}

static void *read_on(void *arg)
{
	struct watched *w = arg;
	static char buf[2][262144];
	char *b = buf[!!strcmp(w->name, DEVTRACE_STREAM0)];
	bool was_quiet;
	ssize_t n;

	for (;;) {
		was_quiet = quiet;
		n = read(w->fd, b, sizeof(buf[0]));
		if (n > 0) {
			devtrace_decoder_feed(w->d, b, n, NULL);
			continue;
		}
		if (was_quiet || errno != EAGAIN)
			return NULL;
		usleep(500);
	}
}

/* U32 code, U16 object and signal, tag and number. */
static void emit_one(int fd, const struct what *w, uint32_t tag, uint32_t nr)
{
	union {
		struct devtrace_emit e;
		uint8_t room[32];
	} u = { .e = { .type = w->type, .severity = w->severity } };
	const uint32_t code = htole32(DEVTRACE_CODE(w->major, w->minor));
	const uint32_t objsig = htole32(w->object | w->signal << 16);
	const uint32_t mark[2] = { htole32(tag), htole32(nr) };
	uint8_t *p = u.e.data;

	if (w->has_code) {
		u.e.flags |= DEVTRACE_F_CODE;
		memcpy(p, &code, 4);
		p += 4;
	}
	if (w->has_objsig) {
		u.e.flags |= DEVTRACE_F_OBJSIG;
		memcpy(p, &objsig, 4);
		p += 4;
	}
	*p++ = DEVTRACE_E_U32;
	memcpy(p, &mark[0], 4);
	p[4] = DEVTRACE_E_U32;
	memcpy(p + 5, &mark[1], 4);
	if (dev_emit(fd, &u.e, p + 9 - u.e.data))
		_exit(1);
}

static void write_on(struct shared *sh, int who)
{
	uint32_t tag = dttest_tag(DTTEST_USER, who), nr = 0;
	int fd = open(DEV_PATH, O_WRONLY);
	char comm[COMM];
	struct what w;

	if (fd < 0 || dev_pin(sh->cpu[who]))
		_exit(1);
	while (!sh->go)
		usleep(1000);
	while (!sh->stop) {
		if (!(nr % 64)) {
			model_comm(comm, who, nr);
			prctl(PR_SET_NAME, comm);
		}
		model_tell(&w, DTTEST_CLASSES * DEV_CPUS + who, nr);
		sh->begun[who] = nr + 1;
		emit_one(fd, &w, tag, nr);
		sh->emitted[who] = ++nr;
		if (!(nr % 512))
			usleep(1000);
	}
	_exit(0);
}

/* The id of the thread of dttest.ko on a CPU. */
static uint32_t find_pid(const char *comm)
{
	char path[64], name[32];
	int pid;

	for (pid = 2; pid < 32768; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (dev_read_file(path, name, sizeof(name)) > 0 &&
		    !strncmp(name, comm, strlen(comm)) && name[strlen(comm)] == '\n')
			return pid;
	}
	return 0;
}

FIXTURE(filter) {
	struct shared *sh;
	struct nl nl;
	int cpus[DEV_CPUS], ncpus;
	pid_t writers[USERS];
	struct watched w[2];
};

FIXTURE_VARIANT(filter) {
	int streams;
};

FIXTURE_VARIANT_ADD(filter, of_one_stream) { .streams = 1 };
FIXTURE_VARIANT_ADD(filter, of_two_streams) { .streams = 2 };

FIXTURE_SETUP(filter)
{
	static const char *const names[] = { DEVTRACE_STREAM0, "second" };
	static const char *const paths[] = { DEV_PATH, DEV_PATH "-second" };
	int i;

	memset(self, 0, sizeof(*self));
	dev_seed();
	ASSERT_EQ(0, dev_load("size=8M"));
	ASSERT_EQ(0, dev_load_writers("burst=64"));
	ASSERT_EQ(0, nl_open(&self->nl));
	if (variant->streams > 1) {
		nl_begin(&self->nl, DEVTRACE_CMD_STREAM_NEW);
		nl_put_str(&self->nl, DEVTRACE_A_STREAM, names[1]);
		nl_put_u64(&self->nl, DEVTRACE_A_SIZE, 8 << 20);
		ASSERT_EQ(0, nl_do(&self->nl, NULL, NULL)) {
			TH_LOG("%s", self->nl.why);
		}
	}
	self->ncpus = dev_online(self->cpus);
	ASSERT_LT(0, self->ncpus);
	self->sh = mmap(NULL, sizeof(*self->sh), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->sh);
	for (i = 0; i < variant->streams; i++) {
		struct watched *w = &self->w[i];

		w->name = names[i];
		w->path = paths[i];
		w->sh = self->sh;
		w->seen = calloc(KEPT, sizeof(*w->seen));
		w->changes = calloc(2048, sizeof(*w->changes));
		w->d = devtrace_decoder_new(item, w);
		w->fd = open(w->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		ASSERT_NE(NULL, w->seen);
		ASSERT_NE(NULL, w->changes);
		ASSERT_LE(0, w->fd);
		w->nchanges = 1;	/* the first filter passes everything */
	}
	for (i = 0; i < USERS; i++) {
		self->sh->cpu[i] = self->cpus[i % self->ncpus];
		model_cpu[i] = self->sh->cpu[i];
		self->writers[i] = fork();
		ASSERT_LE(0, self->writers[i]);
		if (!self->writers[i])
			write_on(self->sh, i);
		model_pids[DTTEST_CLASSES * DEV_CPUS + i] = self->writers[i];
	}
}

FIXTURE_TEARDOWN(filter)
{
	int i;

	dev_writers_run(false);
	for (i = 0; i < USERS; i++)
		if (self->writers[i] > 0)
			kill(self->writers[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < variant->streams; i++) {
		devtrace_decoder_free(self->w[i].d);
		close(self->w[i].fd);
		free(self->w[i].seen);
		free(self->w[i].changes);
	}
	nl_close(&self->nl);
	EXPECT_EQ(0, dev_done());
}

/* Index of the change in force at @ts; -1 between a request and its acknowledgment. */
static int in_force(const struct watched *w, uint64_t ts)
{
	int lo = 0, hi = w->nchanges - 1, mid;

	while (lo < hi) {
		mid = (lo + hi + 1) / 2;
		if (w->changes[mid].before <= ts)
			lo = mid;
		else
			hi = mid - 1;
	}
	return ts > w->changes[lo].after ? lo : -lo - 1;
}

/* Counts of events that no possible filter passes, and of missing numbers. */
struct verdict {
	uint64_t late, missing, looked, gaps, counted;
};

static void judge_missing(const struct watched *w, struct verdict *v, int k, int series,
			  uint32_t nr)
{
	struct what what;

	model_tell(&what, series, nr);
	if (model_passes(&w->changes[k].f, &what) && !v->missing++)
		dev_say("%s: change %d of %d: series %d number %u is missing: type %u severity %x",
			w->name, k, w->nchanges, series, nr, what.type, what.severity);
}

static void judge(const struct watched *w, struct verdict *v)
{
	static struct {
		uint32_t nr;
		int k;
		bool any;
	} last[SERIES];
	struct what what;
	uint32_t nr;
	size_t i;

	memset(v, 0, sizeof(*v));
	memset(last, 0, sizeof(last));
	for (i = 0; i < w->nseen; i++) {
		const struct seen *s = &w->seen[i];
		int k = in_force(w, s->ts);

		model_tell(&what, s->series, s->nr);
		v->looked++;
		if (k >= 0 ? !model_passes(&w->changes[k].f, &what) :
		    !model_passes(&w->changes[-k - 1].f, &what) &&
		    !model_passes(&w->changes[-k - 2].f, &what)) {
			if (!v->late++)
				dev_say("%s: change %d of %d: series %u number %u: type %u severity %x",
					w->name, k, w->nchanges, s->series, s->nr, what.type,
					what.severity);
		}
		if (last[s->series].any && k >= 0 && k == last[s->series].k && !s->behind_loss) {
			v->gaps++;
			for (nr = last[s->series].nr + 1; nr < s->nr; nr++)
				judge_missing(w, v, k, s->series, nr);
		}
		last[s->series].nr = s->nr;
		last[s->series].k = k;
		last[s->series].any = true;
	}
}

/*
 * Check the events that a program emitted between the acknowledgment of a change and the request
 * for the next one. Requires that everything stored was read.
 */
static void judge_counted(const struct watched *w, struct verdict *v, int who)
{
	const int series = DTTEST_CLASSES * DEV_CPUS + who;
	uint64_t n = w->sh->emitted[who], nr;
	uint8_t *there = calloc(1, n + 1);
	size_t i;
	int k;

	if (!there)
		abort();
	for (i = 0; i < w->nseen; i++)
		if (w->seen[i].series == series && w->seen[i].nr < n)
			there[w->seen[i].nr] = 1;
	for (k = 1; k < w->nchanges - 1; k++) {
		for (nr = w->changes[k].begun[who]; nr < w->changes[k + 1].ended[who]; nr++) {
			v->counted++;
			if (!there[nr])
				judge_missing(w, v, k, series, nr);
		}
	}
	free(there);
}

/* Sums of STATS_GET and TYPE_GET. */
struct sums {
	const char *stream;
	/* The last entry is that of lanes. */
	uint64_t emitted[DEV_CPUS + 1], stored, filtered, dropped, other, overwritten;
};

static void add_stats(const struct nl_reply *r, void *arg)
{
	struct sums *s = arg;
	uint64_t dropped[DEVTRACE_LOST_CAUSES];
	uint32_t cpu = nl_u32(r->a[DEVTRACE_A_CPU]);
	int i;

	if (cpu == DEVTRACE_CPU_LANES)
		cpu = DEV_CPUS;
	if (strcmp(nl_data(r->a[DEVTRACE_A_STREAM]), s->stream))
		s->other++;
	s->emitted[cpu] += nl_u64(r->a[DEVTRACE_A_EMITTED]);
	s->stored += nl_u64(r->a[DEVTRACE_A_STORED]);
	s->filtered += nl_u64(r->a[DEVTRACE_A_FILTERED]);
	s->overwritten += nl_u64(r->a[DEVTRACE_A_OVERWRITTEN]);
	if (nl_len(r->a[DEVTRACE_A_DROPPED]) != sizeof(dropped)) {
		s->other++;
		return;
	}
	memcpy(dropped, nl_data(r->a[DEVTRACE_A_DROPPED]), sizeof(dropped));
	for (i = 0; i < DEVTRACE_LOST_CAUSES; i++)
		s->dropped += dropped[i];
}

TEST_F_TIMEOUT(filter, in_force_when_acknowledged, 800)
{
	const char *rounds = getenv("DEVICE_ROUNDS");
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], emitted[DEV_CPUS] = { 0 }, all = 0;
	int n = rounds && *rounds ? atoi(rounds) : 1000;
	int i, k, status;
	char comm[COMM];

	if (n > 2000)
		n = 2000;
	self->sh->go = true;
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < self->ncpus; i++) {
		snprintf(comm, sizeof(comm), "dttest/%d", self->cpus[i]);
		model_pids[self->cpus[i]] = find_pid(comm);
		EXPECT_NE(0, model_pids[self->cpus[i]]);
	}
	for (i = 0; i < variant->streams; i++)
		ASSERT_EQ(0, pthread_create(&self->w[i].thread, NULL, read_on, &self->w[i]));

	for (i = 0; i < n; i++) {
		struct watched *w = &self->w[dev_random() % variant->streams];
		struct change *c = &w->changes[w->nchanges];

		model_random(&c->f);
		for (k = 0; k < USERS; k++)
			c->ended[k] = self->sh->emitted[k];
		c->before = dev_now();
		ASSERT_EQ(0, set_filter(&self->nl, w->name, &c->f)) {
			TH_LOG("%s", self->nl.why);
		}
		c->after = dev_now();
		for (k = 0; k < USERS; k++)
			c->begun[k] = self->sh->begun[k];
		w->nchanges++;
		usleep(dev_random() % 4000);
	}

	ASSERT_EQ(0, dev_writers_run(false));
	self->sh->stop = true;
	for (i = 0; i < USERS; i++) {
		ASSERT_EQ(self->writers[i], waitpid(self->writers[i], &status, 0));
		self->writers[i] = 0;
		EXPECT_EQ(0, status);
		emitted[self->sh->cpu[i]] += self->sh->emitted[i];
	}
	quiet = true;
	for (i = 0; i < variant->streams; i++)
		pthread_join(self->w[i].thread, NULL);

	ASSERT_EQ(0, dev_writers_counts(counts));
	for (i = 0; i < DEV_CPUS; i++) {
		for (k = 0; k < DTTEST_CLASSES; k++)
			emitted[i] += counts[i][k];
		all += emitted[i];
	}
	for (i = 0; i < variant->streams; i++) {
		struct watched *w = &self->w[i];
		struct sums s = { .stream = w->name };
		struct verdict v;

		nl_begin(&self->nl, DEVTRACE_CMD_STATS_GET);
		nl_put_str(&self->nl, DEVTRACE_A_STREAM, w->name);
		ASSERT_EQ(0, nl_dump(&self->nl, add_stats, &s));
		EXPECT_EQ(0, s.other);
		EXPECT_EQ(all, s.stored + s.filtered + s.dropped);
		for (k = 0; k < DEV_CPUS; k++)
			EXPECT_EQ(emitted[k], s.emitted[k]);
		judge(w, &v);
		for (k = 0; k < USERS && !w->lost && w->nseen < KEPT; k++)
			judge_counted(w, &v, k);
		dev_say("%s: %d changes, %llu emitted, %llu stored, %llu filtered, %llu dropped",
			w->name, w->nchanges - 1, (unsigned long long)all,
			(unsigned long long)s.stored, (unsigned long long)s.filtered,
			(unsigned long long)s.dropped);
		dev_say("%s: %llu read, %llu lost; looked at %llu gaps, %llu counted", w->name,
			(unsigned long long)v.looked, (unsigned long long)w->lost,
			(unsigned long long)v.gaps, (unsigned long long)v.counted);
		EXPECT_EQ(0, v.late);
		if (!s.dropped)
			EXPECT_EQ(0, v.missing);
		EXPECT_EQ(0, w->strange);
		EXPECT_EQ(0, w->damages);
		if (w->nseen < KEPT)
			EXPECT_EQ(s.stored + s.dropped, w->nseen + w->lost);
		/* The test has examined enough. */
		EXPECT_LT(1000, v.looked);
		EXPECT_LT(1000, v.gaps);
	}
}

TEST_F_TIMEOUT(filter, never_half_of_each, 800)
{
	struct terms by_code = { .has_not_majors = true, .nmajors = 1, .majors = { 1 } };
	struct terms by_object = { .has_objects = true, .nobjects = 1, .objects = { { 2, 2 } } };
	const struct what w = {
		.type = DEVTRACE_T_EXC, .has_code = true, .major = 1, .has_objsig = true,
		.object = 1,
	};
	const char *rounds = getenv("DEVICE_ROUNDS");
	int n = rounds && *rounds ? atoi(rounds) : 1000;
	const char *second = self->w[variant->streams - 1].name;
	struct devtrace_stats before, after;
	struct sums s;
	int i, fd;

	ASSERT_FALSE(model_passes(&by_code, &w) || model_passes(&by_object, &w));
	ASSERT_EQ(0, set_filter(&self->nl, DEVTRACE_STREAM0, &by_code));
	ASSERT_EQ(0, set_filter(&self->nl, second, &by_code));
	ASSERT_EQ(0, dev_stats(-1, &before));
	for (i = 0; i < USERS; i++) {
		kill(self->writers[i], SIGKILL);
		waitpid(self->writers[i], NULL, 0);
		self->writers[i] = fork();
		ASSERT_LE(0, self->writers[i]);
		if (self->writers[i])
			continue;
		fd = open(DEV_PATH, O_WRONLY);
		if (fd < 0 || dev_pin(self->sh->cpu[i]))
			_exit(1);
		for (;;)
			emit_one(fd, &w, 0, 0);
	}
	/* On a busy machine the writers may start late. */
	after = before;
	for (i = 0; i < n || (i < 40000 && after.emitted < before.emitted + 1000); i += 4) {
		ASSERT_EQ(0, set_filter(&self->nl, DEVTRACE_STREAM0, &by_object));
		ASSERT_EQ(0, set_filter(&self->nl, second, &by_object));
		ASSERT_EQ(0, set_filter(&self->nl, DEVTRACE_STREAM0, &by_code));
		ASSERT_EQ(0, set_filter(&self->nl, second, &by_code));
		ASSERT_EQ(0, dev_stats(-1, &after));
	}
	for (i = 0; i < USERS; i++) {
		EXPECT_EQ(0, kill(self->writers[i], SIGKILL));
		EXPECT_EQ(self->writers[i], waitpid(self->writers[i], NULL, 0));
		self->writers[i] = 0;
	}
	ASSERT_EQ(0, dev_stats(-1, &after));
	EXPECT_LT(before.emitted, after.emitted);
	for (i = 0; i < variant->streams; i++) {
		s = (struct sums){ .stream = self->w[i].name };
		nl_begin(&self->nl, DEVTRACE_CMD_STATS_GET);
		nl_put_str(&self->nl, DEVTRACE_A_STREAM, s.stream);
		ASSERT_EQ(0, nl_dump(&self->nl, add_stats, &s));
		EXPECT_EQ(0, s.other);
		EXPECT_EQ(0, s.stored);
		EXPECT_EQ(0, s.dropped);
	}
	dev_say("%llu refused", (unsigned long long)(after.emitted - before.emitted));
}

FIXTURE(threads) {
	struct nl nl;
	int fd;
};

FIXTURE_SETUP(threads)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&self->nl));
	self->fd = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(threads)
{
	close(self->fd);
	nl_close(&self->nl);
	EXPECT_EQ(0, dev_done());
}

static void *emit_in_thread(void *fd)
{
	dev_emit_mark(*(int *)fd, DEVTRACE_T_USER, 1, 1);
	return NULL;
}

/* Number of events stored under a filter, from one of this thread and one of another. */
static int stored(struct nl *nl, int fd, int attr, uint32_t pid)
{
	struct devtrace_stats before, after;
	pthread_t th;
	size_t nest;

	nl_begin(nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(nl, DEVTRACE_A_FILTER);
	nl_put(nl, attr, &pid, sizeof(pid));
	nl_nest_end(nl, nest);
	if (nl_do(nl, NULL, NULL) || dev_stats(-1, &before))
		return -1;
	emit_in_thread(&fd);
	if (pthread_create(&th, NULL, emit_in_thread, &fd) || pthread_join(th, NULL) ||
	    dev_stats(-1, &after))
		return -1;
	return after.stored - before.stored;
}

TEST_F(threads, go_by_the_number_of_their_process)
{
	EXPECT_EQ(2, stored(&self->nl, self->fd, DEVTRACE_FA_PIDS, getpid()));
	EXPECT_EQ(0, stored(&self->nl, self->fd, DEVTRACE_FA_NOT_PIDS, getpid()));
	/* Process 1 emits nothing here. */
	EXPECT_EQ(0, stored(&self->nl, self->fd, DEVTRACE_FA_PIDS, 1));
	EXPECT_EQ(2, stored(&self->nl, self->fd, DEVTRACE_FA_NOT_PIDS, 1));
}

/* Counter of dtfire.ko, which is odd while it holds an event. */
static unsigned int held(void)
{
	char text[16];

	if (dev_read_file("/sys/module/dtfire/parameters/held", text, sizeof(text)) <= 0)
		abort();
	return strtoul(text, NULL, 10);
}

/* True if an event was held when the filter was requested. */
static bool set_while_held(struct nl *nl, int cpu, const struct terms *wants,
			   const struct terms *refuses, bool *ended)
{
	unsigned int before, now;
	uint64_t begin;
	char ms[16];
	int i;

	/* On a busy machine the event may end too soon: hold it longer, up to 4.8 s. */
	for (i = 0; i < 40; i++) {
		snprintf(ms, sizeof(ms), "%d", 300 << (i < 20 ? i / 5 : 4));
		if (dev_write_file("/sys/module/dtfire/parameters/hold_ms", ms))
			abort();
		before = held();
		begin = dev_now();
		if (set_filter(nl, DEVTRACE_STREAM0, wants) ||
		    fire("held", FIRE_TYPE, 0, cpu, "-"))
			abort();
		while ((now = held()) == before)
			;
		if (set_filter(nl, DEVTRACE_STREAM0, refuses))
			abort();
		*ended = held() == before + 2;
		if (now == before + 1)
			return true;
		dev_say("held %u times more %llu ms after it began", (now - before + 1) / 2,
			(unsigned long long)(dev_now() - begin) / 1000000);
	}
	return false;
}

/* From no filter, and from one that passes the event. */
TEST_F_TIMEOUT(threads, what_is_being_stored_is_waited_for, 400)
{
	struct terms all = { 0 }, one = { .has_types = true }, other = { .has_types = true };
	struct devtrace_stats before, after;
	int cpus[DEV_CPUS], i;
	bool ended;

	if (dev_online(cpus) < 2)
		SKIP(return, "one CPU: who sets a filter is who would emit");
	ASSERT_EQ(0, dev_load_file("dtfire.ko", ""));
	ASSERT_EQ(0, dev_pin(cpus[0]));
	one.types[FIRE_TYPE / 8] |= 1 << FIRE_TYPE % 8;
	other.types[(FIRE_TYPE + 1) / 8] |= 1 << (FIRE_TYPE + 1) % 8;
	ASSERT_EQ(0, dev_stats(-1, &before));
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(set_while_held(&self->nl, cpus[1], i & 1 ? &one : &all, &other,
					   &ended));
		EXPECT_TRUE(ended);
	}
	ASSERT_EQ(0, dev_stats(-1, &after));
	EXPECT_LE(before.stored + 4, after.stored);
	ASSERT_EQ(0, dev_pin(-1));
}

TEST_HARNESS_MAIN
