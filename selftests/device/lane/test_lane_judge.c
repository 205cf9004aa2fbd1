// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lane_judge.c - events of a hostile lane are filtered, once and for good
 *
 * A library omits events that the control page refuses, and makes a system call for types that
 * may not go into a lane. The writer here puts all of them into its lane. For each term, and for
 * many random combinations, exactly the events that pass the filter according to a separate
 * model (filter_model.c) come out; the others are counted as filtered. Events taken from a lane
 * belong to the kernel: whatever the owner does to its memory later, all readers get the same
 * bytes. Similar records are counted together: the counts must equal those of a record-by-record
 * check.
 */
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "dumps.h"
#include "filter_model.h"
#include "lanes.h"
#include "nl.h"

#define TYPE	DEVTRACE_T_USER
#define EVENTS	150		/* fewer than a lane holds */
#define ROUNDS	60		/* with random filters */
#define NAME	"fw0-1"		/* known to the model */

static struct nl nl;

FIXTURE(judge) {
	int		wfd, rfd;
	struct lane	l;
	struct tape	*t;
	int		nr_cpus, cpu;	/* number of CPUs; CPU of the writer */
};

FIXTURE_SETUP(judge)
{
	struct devtrace_stats st;
	int cpus[DEV_CPUS], i;

	dev_seed();
	ASSERT_LT(0, dev_online(cpus));
	self->cpu = cpus[0];
	ASSERT_EQ(0, dev_pin(self->cpu));
	ASSERT_EQ(0, prctl(PR_SET_NAME, NAME));
	ASSERT_EQ(0, dev_load("size=256K"));
	ASSERT_EQ(0, nl_open(&nl));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
	self->rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->rfd);
	ASSERT_EQ(0, lane_open(&self->l, self->wfd, 2 * DEVTRACE_LANE_MIN));
	ASSERT_EQ(0, dev_stats(-1, &st));
	self->nr_cpus = st.nr_cpus;
	self->t = tape_new();
	ASSERT_NE(NULL, self->t);
	for (i = 0; i < SERIES; i++)
		model_pids[i] = 1;
	model_pids[DTTEST_CLASSES * DEV_CPUS] = getpid();
}

FIXTURE_TEARDOWN(judge)
{
	tape_free(self->t);
	if (self->l.head)
		lane_close(&self->l);
	close(self->rfd);
	close(self->wfd);
	nl_close(&nl);
	dev_pin(-1);
	EXPECT_EQ(0, dev_done());
}

static int set_filter(const struct terms *f)
{
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	model_put(&nl, f);
	return nl_do(&nl, NULL, NULL);
}

static int set_state(uint32_t state)
{
	nl_begin(&nl, DEVTRACE_CMD_STREAM_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nl_put_u32(&nl, DEVTRACE_A_STATE, state);
	return nl_do(&nl, NULL, NULL);
}

/* The properties of the event with this number, and the CPU that it claims. */
static void tell(FIXTURE_DATA(judge) *self, struct what *w, uint32_t tag, uint32_t nr,
		 uint16_t *says)
{
	static const uint16_t cpus[] = { DEVTRACE_LANE_NO_CPU, 0, 1, 4000 };
	uint32_t h = model_hash(tag, nr);

	*says = cpus[h & 3];
	*w = (struct what){
		.type = TYPE + (h >> 2 & 3), .user = true, .in_task = true,
		.severity = h & 0x10 ? DEVTRACE_SEV_SET | (h >> 5 & 7) : 0,
		.has_code = h & 0x100, .has_objsig = h & 0x200, .major = h >> 10 & 15, .minor = nr & 3,
		.object = h >> 14 & 0x3ff, .signal = h >> 24 & 0x7f, .pid = getpid(),
		.cpu = *says < self->nr_cpus ? *says : self->cpu,
	};
	memcpy(w->comm, NAME, sizeof(NAME));
}

static size_t put_le32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
	return sizeof(v);
}

/* Write the record, in the full or the shortest form. */
static void write_event(struct lane *l, const struct what *w, uint16_t cpu, uint32_t tag,
			uint32_t nr)
{
	struct devtrace_lane_block *b;
	const bool plain = !w->severity && !w->has_code && !w->has_objsig;
	uint8_t d[32];
	uint32_t head[3], first = (uint32_t)w->type << DEVTRACE_LANE_TYPE_SHIFT;
	size_t len = 0, words;
	uint8_t flags = 0;

	if (w->has_code) {
		flags |= DEVTRACE_F_CODE;
		len += put_le32(d + len, DEVTRACE_CODE(w->major, w->minor));
	}
	if (w->has_objsig) {
		flags |= DEVTRACE_F_OBJSIG;
		len += put_le32(d + len, w->object | (uint32_t)w->signal << 16);
	}
	d[len++] = DEVTRACE_E_U32;
	len += put_le32(d + len, tag);
	d[len++] = DEVTRACE_E_U32;
	len += put_le32(d + len, nr);
	/* Open the next block when needed. */
	if (!l->used || l->used + 64 > DEVTRACE_LANE_BLOCK) {
		l->used = 0;
		lane_emit_at(l, dev_now(), TYPE, "", 0);
		/* remove that event */
		l->used = sizeof(*b);
		l->count--;
	}
	b = lane_block(l, l->n);
	head[0] = DEVTRACE_LANE_CPU | (uint32_t)cpu << DEVTRACE_LANE_NS_SHIFT;
	if (plain) {
		head[1] = first | len;
		words = 2;
	} else {
		head[1] = first | DEVTRACE_LANE_FULL;
		head[2] = len | (uint32_t)flags << 16 | (uint32_t)w->severity << 24;
		words = 3;
	}
	memcpy((uint8_t *)b + l->used, head, 4 * words);
	memcpy((uint8_t *)b + l->used + 4 * words, d, len);
	l->used += 4 * words + len + (len & 1);
	l->count++;
	__atomic_store_n(&b->used, l->used, __ATOMIC_RELEASE);
}

/* Under this filter, write EVENTS without regard to it, and check the result. */
static void under(FIXTURE_DATA(judge) *self, const struct terms *f, uint32_t round,
		  bool one_term, struct __test_metadata *_metadata)
{
	uint32_t nr, refused = 0, passed = 0, given = 0;
	bool seen[EVENTS] = { false };
	struct devtrace_stats st[2];
	struct what w;
	uint16_t says;
	size_t i;

	ASSERT_EQ(0, dev_stats(-1, &st[0]));
	ASSERT_EQ(0, set_filter(f));
	for (nr = 0; nr < EVENTS; nr++) {
		tell(self, &w, round, nr, &says);
		write_event(&self->l, &w, says, round, nr);
	}
	/* Different takers */
	if (round & 1)
		ASSERT_EQ(0, lane_hand(&self->l));
	ASSERT_LE(0, tape_drain(self->t, self->rfd));
	for (i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		ASSERT_EQ(round, e->tag);
		ASSERT_GT(EVENTS, e->nr);
		EXPECT_FALSE(seen[e->nr]);
		seen[e->nr] = true;
		given++;
		tell(self, &w, round, e->nr, &says);
		EXPECT_EQ(w.type, e->type);
		EXPECT_EQ(w.severity, e->severity);
		EXPECT_EQ(says < self->nr_cpus ? says : self->l.head->source, e->source);
	}
	for (nr = 0; nr < EVENTS; nr++) {
		tell(self, &w, round, nr, &says);
		if (model_passes(f, &w))
			passed++;
		else
			refused++;
		EXPECT_EQ(model_passes(f, &w), seen[nr])
			TH_LOG("event %u of round %u: type %u severity %#x code %d/%u objsig %d/%u/%u CPU %u",
			       nr, round, w.type, w.severity, w.has_code, w.major, w.has_objsig,
			       w.object, w.signal, w.cpu);
	}
	self->t->nev = 0;
	self->t->ndata = 0;
	/* A single term must refuse some events and pass others. */
	if (one_term)
		EXPECT_LT(0, refused);
	ASSERT_EQ(0, dev_stats(-1, &st[1]));
	EXPECT_EQ(refused, st[1].filtered - st[0].filtered);
	EXPECT_EQ(passed, st[1].stored - st[0].stored);
	EXPECT_EQ(EVENTS, st[1].emitted - st[0].emitted);
	EXPECT_EQ(DEVTRACE_LANE_OPEN, self->l.head->state);
	EXPECT_EQ(0, tape_lost(self->t, -1));
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_EQ(passed, given);
}

TEST_F(judge, each_term_alone)
{
	const uint32_t me = getpid();
	struct terms f[] = {
		{ .has_types = true, .types = { [TYPE / 8] = 5 << TYPE % 8 } },
		{ .has_hw = true, .hw = 2 },
		{ .has_sw = true, .sw = 3 },
		{ .has_hw = true, .hw = 4, .has_sw = true, .sw = 4 },
		{ .has_origins = true, .origins = DEVTRACE_ORIGIN_KERNEL },
		{ .has_objects = true, .nobjects = 2, .objects = { { 10, 99 }, { 600, 700 } } },
		{ .has_signals = true, .nsignals = 1, .signals = { { 3, 60 } } },
		{ .has_majors = true, .nmajors = 2, .majors = { 3, 7 } },
		{ .has_not_majors = true, .nmajors = 3, .majors = { 3, 7, 8 } },
		{ .has_codes = true, .ncodes = 3, .codes = { 0x301, 0x702, 0x703 } },
		{ .has_not_codes = true, .nnot_codes = 2, .not_codes = { 0x301, 0x702 } },
		{ .has_majors = true, .nmajors = 2, .majors = { 3, 7 },
		  .has_not_codes = true, .nnot_codes = 2, .not_codes = { 0x301, 0x702 } },
		{ .has_pids = true, .npids = 1, .pids = { 1 } },
		{ .has_not_pids = true, .npids = 2, .pids = { 1, me } },
		{ .has_comms = true, .ncomms = 1, .comms = { "fw0-2" } },
		{ .has_not_comms = true, .ncomms = 2, .comms = { "fw0-2", NAME } },
		{ .has_cpus = true, .ncpus = 1, .cpus = { { 1, 1 } } },
		{ .has_cpus = true, .ncpus = 1, .cpus = { { 0, 0 } } },
	};
	uint32_t i;

	for (i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
		/* A machine may lack CPU 1. */
		under(self, &f[i], 2 * i, self->nr_cpus > 1 || !f[i].has_cpus, _metadata);
		under(self, &f[i], 2 * i + 1, self->nr_cpus > 1 || !f[i].has_cpus, _metadata);
		ASSERT_TRUE(_metadata->passed) TH_LOG("term %u", i);
	}
}

TEST_F(judge, terms_at_random)
{
	struct terms f;
	uint32_t i;

	for (i = 0; i < ROUNDS; i++) {
		model_random(&f);
		under(self, &f, 1000 + i, false, _metadata);
		ASSERT_TRUE(_metadata->passed) TH_LOG("round %u", i);
	}
}

/* Unwanted processes that have ended when the kernel looks. */

static void *end_with_a_lane(void *arg)
{
	static struct lane l;
	int i;

	if (lane_open(&l, *(int *)arg, 0))
		return NULL;
	l.dev = -1;
	for (i = 0; i < 100; i++)
		lane_mark(&l, TYPE, 5, i);
	return &l;
}

static void child(int wfd, int how)
{
	pthread_t th;
	void *ret;

	if (how == 2) {
		if (pthread_create(&th, NULL, end_with_a_lane, &wfd) || pthread_join(th, &ret))
			_exit(1);
	} else {
		ret = end_with_a_lane(&wfd);
	}
	if (!ret)
		_exit(1);
	if (how == 0)
		kill(getpid(), SIGKILL);
	if (how == 1)
		lane_close(ret);
	_exit(0);
}

TEST_F(judge, processes_that_are_gone)
{
	const struct terms none = { .has_pids = true, .npids = 1, .pids = { 1 } };
	struct devtrace_stats st[2];
	int how, status;
	pid_t pid;

	ASSERT_EQ(0, set_filter(&none));
	for (how = 0; how < 4; how++) {
		ASSERT_EQ(0, dev_stats(-1, &st[0]));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			child(self->wfd, how);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(how == 0 ? SIGKILL : 0, status);
		ASSERT_LE(0, tape_drain(self->t, self->rfd));
		EXPECT_EQ(0, self->t->nev) TH_LOG("way %d", how);
		ASSERT_EQ(0, dev_stats(-1, &st[1]));
		EXPECT_EQ(100, st[1].filtered - st[0].filtered) TH_LOG("way %d", how);
		EXPECT_EQ(100, st[1].emitted - st[0].emitted) TH_LOG("way %d", how);
	}
}

/* Rows of similar records. */

/* The record for a letter. "ol" have the same size but different lengths. */
static const struct letter { char c; uint8_t type, len; } letters[] = {
	{ 'a', TYPE, 10 }, { 'b', TYPE + 1, 10 }, { 'o', TYPE, 11 }, { 'l', TYPE, 12 },
	{ 'z', TYPE, 0 }, { 'y', TYPE + 1, 0 }, { 'm', TYPE, DEVTRACE_LANE_SHORT },
	{ 'x', TYPE + 2, 10 },		/* unwanted */
	{ 'E', DEVTRACE_T_ENUM, 10 },	/* programs may not emit it */
};

#define HARMLESS	8		/* number of the valid letters */
#define WORD		64		/* longest random word */

static const struct letter *letter(char c)
{
	const struct letter *l = letters;

	while (l->c != c)
		l++;
	return l;
}

/* Write a word, without its last @cut bytes; stores the times. */
static void spell(struct lane *l, const char *word, uint32_t cut, uint64_t *ts)
{
	uint8_t d[DEVTRACE_LANE_SHORT];
	uint64_t now = dev_now();
	int i;

	for (i = 0; word[i]; i++) {
		ts[i] = now += i % 3;
		memset(d, word[i] + i, sizeof(d));
		lane_emit_at(l, now, letter(word[i])->type, d, letter(word[i])->len);
	}
	__atomic_store_n(&lane_block(l, l->n)->used, l->used - cut, __ATOMIC_RELEASE);
	/* When it is taken, the last event is not in the future. */
	while (dev_now() <= now)
		;
}

static void count_bad(struct tape *t, const struct devtrace_item *i)
{
	if (i->kind == DEVTRACE_ITEM_LOST && i->u.lost.cause == DEVTRACE_LOST_LANE)
		++*(int *)t->arg;
}

static int by_type(struct by_type *t)
{
	memset(t, 0, sizeof(*t));
	nl_begin(&nl, DEVTRACE_CMD_TYPE_GET);
	return nl_dump(&nl, add_type, t);
}

/* Write a word: its first @good letters are read, and counted by type. */
static void read_word(FIXTURE_DATA(judge) *self, struct lane *l, const char *word, int good,
		      uint32_t cut, struct __test_metadata *_metadata)
{
	static struct by_type was, is;
	uint64_t ts[WORD], stored[256] = { 0 }, filtered[256] = { 0 };
	const int bad = !!word[good];
	int told = 0, i, n = 0;

	self->t->nev = 0;
	self->t->ndata = 0;
	self->t->each = count_bad;
	self->t->arg = &told;
	ASSERT_EQ(0, by_type(&was));
	spell(l, word, cut, ts);
	for (i = 0; i < good; i++)
		(word[i] == 'x' ? filtered : stored)[letter(word[i])->type]++;
	ASSERT_EQ(0, by_type(&is));
	for (i = 0; i < 256; i++) {
		EXPECT_EQ(stored[i], is.stored[i] - was.stored[i]) TH_LOG("%s: type %d", word, i);
		EXPECT_EQ(filtered[i], is.filtered[i] - was.filtered[i])
			TH_LOG("%s: type %d", word, i);
	}
	ASSERT_TRUE(_metadata->passed);
	ASSERT_LE(0, tape_drain(self->t, self->rfd));
	for (i = 0; i < good; i++) {
		const struct tape_event *e = &self->t->ev[n];
		const uint8_t *d = self->t->data + e->data;
		const int len = letter(word[i])->len;

		if (word[i] == 'x')
			continue;
		ASSERT_LT(n++, self->t->nev) TH_LOG("%s", word);
		EXPECT_EQ(letter(word[i])->type, e->type);
		/* A taker during the write makes later events late. */
		EXPECT_TRUE(e->flags & DEVTRACE_F_LATE ? ts[i] < e->ts : ts[i] == e->ts);
		ASSERT_EQ(len, e->len);
		if (len) {
			EXPECT_EQ((uint8_t)(word[i] + i), d[0]);
			EXPECT_EQ((uint8_t)(word[i] + i), d[len - 1]);
		}
	}
	EXPECT_EQ(n, self->t->nev);
	EXPECT_EQ(bad, told);
	EXPECT_EQ(bad ? DEVTRACE_LANE_CLOSED : DEVTRACE_LANE_OPEN, l->head->state);
	EXPECT_EQ(0, tape_lost(self->t, -1));
	EXPECT_TRUE(tape_clean(self->t));
	ASSERT_TRUE(_metadata->passed) TH_LOG("word %s, %u bytes cut", word, cut);
}

static int only_two_types(void)
{
	const struct terms f = { .has_types = true, .types = { [TYPE / 8] = 3 << TYPE % 8 } };

	return set_filter(&f);
}

TEST_F(judge, rows_are_counted_as_single_records)
{
	static const char * const words[] = {
		"a", "aa", "aaa", "aab", "aabb", "abab", "abb", "aal", "aaz", "zza", "zzy", "oo",
		"ool", "llo", "aax", "axa", "xxa", "xxx", "mm", "mmmz", "zzzzzzzzy",
	};
	char word[WORD];
	int i, n, left;

	ASSERT_EQ(0, only_two_types());
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		read_word(self, &self->l, words[i], strlen(words[i]), 0, _metadata);
	for (i = 0; i < ROUNDS; i++) {
		for (n = 0; n < WORD - 1; n += left) {
			left = 1 + dev_random() % 6;
			if (left > WORD - 1 - n)
				left = WORD - 1 - n;
			memset(word + n, letters[dev_random() % HARMLESS].c, left);
		}
		word[1 + dev_random() % (WORD - 1)] = 0;
		word[WORD - 1] = 0;
		read_word(self, &self->l, word, strlen(word), 0, _metadata);
	}
}

/* Bytes behind a copy in the buffer are similar too: they were partly overwritten. */
TEST_F(judge, rows_end_where_the_copy_does)
{
	static struct by_type was, is;
	static const char row[] = "zzzzzzzzzzzz";
	struct devtrace_stats st;
	uint64_t n, lane;
	int len;

	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	lane = self->l.count;
	ASSERT_EQ(0, by_type(&was));
	/* Twice the buffer's capacity */
	for (n = 0; n < 2 * st.size / 4; n++)
		lane_emit_at(&self->l, dev_now(), TYPE, "", 0);
	ASSERT_EQ(0, by_type(&is));
	EXPECT_EQ(n, self->l.count - lane);
	EXPECT_EQ(n, is.stored[TYPE] - was.stored[TYPE]);
	ASSERT_LE(0, lseek(self->rfd, 0, SEEK_END));
	for (len = 1; len < sizeof(row); len++)
		read_word(self, &self->l, row + sizeof(row) - 1 - len, len, 0, _metadata);
}

/* A row with an incomplete last record: found as for a single record. */
TEST_F(judge, rows_whose_last_is_cut)
{
	static const char * const words[] = {
		"z", "zz", "zzz", "zzzz", "a", "aa", "aaa", "aaaa", "o", "oo", "ooo", "m", "mm", "mmm",
	};
	uint32_t size, cut;
	struct lane l;
	int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size = 4 + (letter(words[i][0])->len + 1) / 2 * 2;
		/* It lacks half a word or a whole one, or has only these. */
		for (cut = 2; cut < size; cut += cut == 4 && size > 10 ? size - 8 : 2) {
			ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
			read_word(self, &l, words[i], strlen(words[i]) - 1, cut, _metadata);
			lane_close(&l);
		}
	}
}

TEST_F(judge, rows_and_behind_them_what_no_program_may_have)
{
	static const char * const words[] = { "E", "aE", "aaE", "aaaE", "xxE" };
	struct lane l;
	int i;

	ASSERT_EQ(0, only_two_types());
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ASSERT_EQ(0, lane_open(&l, self->wfd, DEVTRACE_LANE_MIN));
		read_word(self, &l, words[i], strlen(words[i]) - 1, 0, _metadata);
		lane_close(&l);
	}
}

/* Bytes that readers get. */

struct frames {
	size_t		at[2000], n;
	bool		lost[2000];
};

static void note_frame(struct tape *t, const struct devtrace_item *i)
{
	struct frames *f = t->arg;

	if (f->n == 2000)
		return;
	f->lost[f->n] = i->kind == DEVTRACE_ITEM_LOST;
	f->at[f->n++] = i->offset;
}

static void reader_open(struct tape **t, struct frames *f, int *fd)
{
	*fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*t = tape_new();
	f->n = 0;
	(*t)->keep_raw = true;
	(*t)->each = note_frame;
	(*t)->arg = f;
}

/* Compare byte for byte, except frames with the time at which a loss is reported. */
static void compare(struct tape **t, const struct frames *f, struct __test_metadata *_metadata)
{
	size_t i, end[2];

	ASSERT_EQ(f[0].n, f[1].n);
	ASSERT_GT(2000, f[0].n);
	for (i = 0; i < f[0].n; i++) {
		ASSERT_EQ(f[0].lost[i], f[1].lost[i]);
		if (f[0].lost[i])
			continue;
		end[0] = i + 1 < f[0].n ? f[0].at[i + 1] : t[0]->nraw;
		end[1] = i + 1 < f[1].n ? f[1].at[i + 1] : t[1]->nraw;
		ASSERT_EQ(end[0] - f[0].at[i], end[1] - f[1].at[i]) TH_LOG("frame %zu", i);
		ASSERT_EQ(0, memcmp(t[0]->raw + f[0].at[i], t[1]->raw + f[1].at[i],
				    end[0] - f[0].at[i])) TH_LOG("frame %zu", i);
	}
}

#define TAKEN	250
#define BEHIND	20

static void changes(FIXTURE_DATA(judge) *self, uint32_t state, struct __test_metadata *_metadata)
{
	static struct frames f[2];
	const uint32_t first = self->l.n + 1;
	struct devtrace_lane_block *b;
	struct tape *t[2];
	uint32_t i, n;
	int fd[2];

	reader_open(&t[0], &f[0], &fd[0]);
	for (i = 0; i < TAKEN; i++)
		lane_mark(&self->l, TYPE, 1, i);
	ASSERT_EQ(0, set_state(state));
	/* The owner changes everything that was taken ... */
	for (n = first; n != self->l.n + 1; n++) {
		b = lane_block(&self->l, n);
		memset(b + 1, 0x55, b->used - sizeof(*b));
		b->time -= NSEC;
		b->cpu = 0;
	}
	/* ... and appends. */
	for (i = 0; i < BEHIND; i++)
		lane_mark(&self->l, TYPE, 2, i);
	reader_open(&t[1], &f[1], &fd[1]);
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, tape_drain(t[i], fd[i]));
		EXPECT_TRUE(tape_clean(t[i]));
		ASSERT_EQ(TAKEN, t[i]->nev);
		for (n = 0; n < TAKEN; n++) {
			EXPECT_EQ(1, t[i]->ev[n].tag);
			EXPECT_EQ(n, t[i]->ev[n].nr);
		}
		EXPECT_EQ(BEHIND, tape_lost(t[i], -1));
		EXPECT_EQ(BEHIND, t[i]->lost[self->l.head->source][DEVTRACE_LOST_STOPPED]);
	}
	compare(t, f, _metadata);
	/* When the stream runs again, the lane does too. */
	ASSERT_EQ(0, set_state(DEVTRACE_STATE_STOPPED));
	ASSERT_EQ(0, set_state(DEVTRACE_STATE_RUNNING));
	lane_mark(&self->l, TYPE, 3, 0);
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, tape_drain(t[i], fd[i]));
		ASSERT_EQ(TAKEN + 1, t[i]->nev);
		EXPECT_EQ(3, t[i]->ev[TAKEN].tag);
		EXPECT_EQ(BEHIND, tape_lost(t[i], -1));
		tape_free(t[i]);
		close(fd[i]);
	}
}

TEST_F(judge, nothing_that_was_taken_changes_while_it_is_stopped)
{
	struct devtrace_stats st;

	changes(self, DEVTRACE_STATE_STOPPED, _metadata);
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	EXPECT_EQ(TAKEN + 1, st.stored);
	EXPECT_EQ(BEHIND, st.dropped[DEVTRACE_LOST_STOPPED]);
	EXPECT_EQ(TAKEN + 1 + BEHIND, st.emitted);
}

TEST_F(judge, nothing_that_was_taken_changes_while_it_is_frozen)
{
	changes(self, DEVTRACE_STATE_FROZEN, _metadata);
}

/* The owner changes it permanently, while others read. */

#define READERS		8

struct owner {
	struct lane	*l;
	uint32_t	from, to, used;	/* blocks taken, bytes of the last one */
	atomic_bool	stop, all;	/* all: also events not taken, and headers */
	atomic_uint	turns;
};

static void *goes_on(void *arg)
{
	struct owner *o = arg;
	struct devtrace_lane_block *b;
	uint32_t i, used;

	for (; !o->stop; o->turns++) {
		for (i = o->from; i != o->to; i++) {
			b = lane_block(o->l, i);
			used = o->all || i + 1 != o->to ? DEVTRACE_LANE_BLOCK : o->used;
			if (o->all)
				memset(b, o->turns, sizeof(*b));
			b->time = model_hash(o->turns, i);
			memset(b + 1, o->turns, used - sizeof(*b));
		}
		/* Append while the block has room. */
		if (!o->all && o->l->used + 64 < DEVTRACE_LANE_BLOCK)
			lane_mark(o->l, TYPE, 2, o->turns);
		sched_yield();
	}
	return NULL;
}

/* Wait until the owner has changed everything once more. */
static void a_turn(const struct owner *o)
{
	const uint32_t was = o->turns;

	while (o->turns - was < 2)
		sched_yield();
}

static bool same_events(const struct tape *a, const struct tape *b)
{
	size_t i;

	if (a->nev != b->nev || a->ndata != b->ndata || memcmp(a->data, b->data, a->ndata))
		return false;
	for (i = 0; i < a->nev; i++) {
		const struct tape_event *x = &a->ev[i], *y = &b->ev[i];

		if (x->ts != y->ts || x->tid != y->tid || x->tgid != y->tgid ||
		    x->source != y->source || x->type != y->type || x->flags != y->flags ||
		    x->severity != y->severity)
			return false;
	}
	return true;
}

/* All readers get the same: permanent ones, new ones, and those that seek back. */
static void goes_on_while_read(FIXTURE_DATA(judge) *self, uint32_t state,
			       struct __test_metadata *_metadata)
{
	struct owner o = { .l = &self->l, .from = self->l.n + 1 };
	int i, fd = self->rfd, back = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t, *again = tape_new();
	pthread_t th;

	for (i = 0; i < TAKEN; i++)
		lane_mark(&self->l, TYPE, 1, i);
	ASSERT_EQ(0, set_state(state));
	o.to = self->l.n + 1;
	o.used = self->l.used;
	ASSERT_EQ(0, pthread_create(&th, NULL, goes_on, &o));
	a_turn(&o);
	ASSERT_LT(0, tape_drain(self->t, fd));
	EXPECT_EQ(TAKEN, self->t->nev);
	for (i = 0; i < TAKEN && i < self->t->nev; i++) {
		EXPECT_EQ(1, self->t->ev[i].tag);
		EXPECT_EQ(i, self->t->ev[i].nr);
	}
	for (i = 0; i < READERS; i++) {
		o.all = i >= READERS / 2;
		a_turn(&o);
		fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		t = tape_new();
		EXPECT_LT(0, tape_drain(t, fd));
		EXPECT_TRUE(same_events(self->t, t)) TH_LOG("reader %d: %zu events", i, t->nev);
		tape_free(t);
		close(fd);
		/* Names are sent once, so this one goes on with those it knows. */
		again->nev = 0;
		again->ndata = 0;
		EXPECT_LE(0, lseek(back, 0, SEEK_SET));
		EXPECT_LT(0, tape_drain(again, back));
		EXPECT_TRUE(same_events(self->t, again)) TH_LOG("seek %d", i);
	}
	o.stop = true;
	pthread_join(th, NULL);
	EXPECT_TRUE(tape_clean(self->t));
	tape_free(again);
	close(back);
}

TEST_F(judge, all_are_given_the_same_while_it_is_stopped)
{
	goes_on_while_read(self, DEVTRACE_STATE_STOPPED, _metadata);
}

TEST_F(judge, all_are_given_the_same_while_it_is_frozen)
{
	goes_on_while_read(self, DEVTRACE_STATE_FROZEN, _metadata);
}

TEST_HARNESS_MAIN
