/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dev.h - what the tests of the device have in common
 *
 * Modules are loaded with the parameters a test wants and unloaded after it.
 * A tape is a stream that was read and decoded, with everything that is wrong
 * with it counted. Functions return -1 with errno, or say on standard error
 * what went wrong; they never end the program.
 */
#ifndef DEV_H
#define DEV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <linux/devtrace.h>
#include "devtrace-decode.h"
#include "dttest/dttest.h"

/*
 * What takes a second on a fast machine may take a minute on an emulated one, and
 * some on a busy one, where a board's clock has been seen to run three times too fast.
 */
#ifdef TEST_TIMEOUT_DEFAULT
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	400

/*
 * A test that failed has failed, also when it finds later that the machine lacks what
 * the rest of it needs, and when it is its teardown that fails: the harness's own SKIP
 * makes it pass.
 */
#undef SKIP
#define SKIP(statement, fmt, ...) do {							\
		snprintf(_metadata->results->reason, sizeof(_metadata->results->reason),	\
			 fmt, ##__VA_ARGS__);						\
		_metadata->skip = 1;							\
		_metadata->trigger = 0;							\
		statement;								\
	} while (0)

#define DEV_TESTS	100

static struct {
	struct __test_metadata *t;
	void (*fn)(struct __test_metadata *t, struct __fixture_variant_metadata *v);
} dev_tests[DEV_TESTS];

static inline void dev_test(struct __test_metadata *t, struct __fixture_variant_metadata *v)
{
	int i = 0;

	while (dev_tests[i].t != t)
		i++;
	dev_tests[i].fn(t, v);
	if (!t->passed)
		t->skip = 0;
}

/* NULL: the fixture has no variants. */
static inline bool dev_wanted(const char *only, const struct __test_metadata *t,
			      const struct __fixture_variant_metadata *v)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s%s.%s", t->fixture->name, v ? "." : "", v ? v->name : "",
		 t->name);
	return !only || strstr(name, only);
}

static inline bool dev_wanted_by_any(const char *only, const struct __test_metadata *t)
{
	const struct __fixture_variant_metadata *v = t->fixture->variant;

	if (!v)
		return dev_wanted(only, t, NULL);
	while (v && !dev_wanted(only, t, v))
		v = v->next;
	return v;
}

/* Leave out the variants with which no test is wanted: a test runs with each of the others. */
static inline void dev_choose_variants(const char *only, struct __fixture_metadata *f)
{
	struct __fixture_variant_metadata **v = &f->variant;
	const struct __test_metadata *t;

	while (*v) {
		for (t = f->tests; t && !dev_wanted(only, t, *v); t = t->next)
			;
		if (t)
			v = &(*v)->next;
		else
			*v = (*v)->next;
	}
}

/*
 * With DEVICE_CASE in the environment only those tests run whose names contain it, as they
 * are printed: fixture.variant.test.
 */
static inline void dev_choose(void)
{
	const char *only = getenv("DEVICE_CASE");
	struct __fixture_metadata *f;
	struct __test_metadata **t;
	int n = 0;

	for (f = __fixture_list; f; f = f->next) {
		bool variants = f->variant;

		dev_choose_variants(only, f);
		t = &f->tests;
		while (*t) {
			if ((variants && !f->variant) || !dev_wanted_by_any(only, *t)) {
				*t = (*t)->next;
				continue;
			}
			if (n == DEV_TESTS)
				abort();
			dev_tests[n].t = *t;
			dev_tests[n++].fn = (*t)->fn;
			(*t)->fn = dev_test;
			t = &(*t)->next;
		}
	}
	if (n)
		return;
	printf("1..0 # SKIP no test here has '%s' in its name\n", only ? only : "");
	exit(4);
}

#define test_harness_run(argc, argv)	(dev_choose(), test_harness_run(argc, argv))
#endif

#define DEV_PATH	"/dev/trace"
#define DEV_PROFILE	"/sys/module/devtrace_profile/parameters/profile"
#define DEV_CPUS	64
#define NSEC		1000000000ULL

/* Modules. */
/*
 * devtrace.ko, and the three modules beside it, unloaded first if
 * need be. A parameter profile= is the last one.
 */
int dev_load(const char *params);
int dev_load_rest(const char *profile);		/* what goes beside it */
int dev_load_file(const char *name, const char *params);
int dev_load_writers(const char *params);	/* dttest.ko */
int dev_unload(void);				/* all; 0 also if they are not there */
int dev_unload_one(const char *name);		/* "devtrace": what is beside it goes first */
int dev_unload_in_use(void);			/* devtrace: must fail, since something is open */
int dev_done(void);				/* leave devtrace as it was found */
/* Wait until it has the value, a minute at the most: a machine may have other things to do. */
bool dev_wait_for(atomic_int *what, int value);
bool dev_nmi(unsigned int rate);		/* have the virtual board inject NMIs, if it can */
int dev_writers_run(bool on);
int dev_writers_counts(uint64_t counts[DEV_CPUS][DTTEST_CLASSES]);
int dev_write_file(const char *path, const char *text);
/* Which profile events are on; false: refused, and said. */
bool dev_profile(const char *list);
bool dev_empty_file(const char *path);
int dev_read_file(const char *path, char *buf, size_t size);
bool dev_kernel_before(int major, int minor);
/* Of vmalloc(), lanes of each kernel included, in kB, or -1. */
long dev_vmalloc_kb(void);
/* Memory that the kernel holds and cannot give back, in kB: the least of two seconds. */
long dev_kernel_memory(void);

/* The machine. */
int dev_online(int cpus[DEV_CPUS]);		/* how many are online, which */
int dev_pin(int cpu);				/* this thread to one CPU; -1: to all */
/* That a CPU can be told to go: whether it goes is for the tests to see. */
bool dev_can_switch(int cpu);
int dev_switch(int cpu, bool on);
uint64_t dev_now(void);				/* the trace clock, ns */
void dev_sleep_ms(unsigned int ms);
uint32_t dev_random(void);			/* from SEED in the environment */
void dev_random_as(unsigned int who);		/* for a child: numbers of its own */
void dev_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint32_t dev_seed(void);			/* prints it the first time */

/* The device. */
int dev_stats(int cpu, struct devtrace_stats *s);
int dev_emit(int fd, const struct devtrace_emit *e, size_t len);
/* A record with U32 tag, U32 nr: what it returns is what ioctl(2) does. */
int dev_emit_mark(int fd, uint8_t type, uint32_t tag, uint32_t nr);
/* A numbered event as in dttest.h, of up to max bytes of pattern. */
int dev_emit_numbered(int fd, uint32_t tag, uint32_t nr, uint32_t max, uint32_t heavy);
int dev_name(int fd, uint8_t kind, uint8_t group, uint32_t value, uint64_t key,
	     const char *name);
/* Check an event written as dttest.h says; 0 and its tag and number, or -1. */
int dev_check_numbered(const struct devtrace_event *e, uint32_t max, uint32_t heavy,
		       uint32_t *tag, uint32_t *nr);

/* The kernel log, from here on: dev_log_has() looks for a text in new lines. */
void dev_log_begin(void);
bool dev_log_has(const char *text);

/* An event that was read. */
struct tape_event {
	uint64_t ts;
	uint32_t tid, tgid, code;
	uint16_t source, object, signal;
	uint8_t type, flags, severity;
	uint32_t tag, nr;	/* the first two elements, if they are U32 */
	size_t data, len;	/* in tape.data */
	size_t lost;		/* events reported lost in its source before it */
};

struct tape {
	struct devtrace_decoder *d;
	struct tape_event *ev;
	size_t nev, ev_room;
	uint8_t *data;
	size_t ndata, data_room;
	uint8_t *raw;		/* the bytes as read, if keep_raw */
	size_t nraw, raw_room;
	bool keep_raw;
	uint64_t read[DEV_CPUS];
	uint64_t lost[DEV_CPUS][DEVTRACE_LOST_CAUSES];
	uint64_t nlost;		/* LOST frames */
	uint64_t damages, gaps, unknown, infos, clocks, procs, dicts, states;
	uint64_t backwards;	/* events older than the one before */
	uint64_t last;
	uint64_t slack;		/* ns: so much older is not backwards */
	uint8_t reason;		/* of the last INFO */
	/* called for every item too, if set */
	void (*each)(struct tape *t, const struct devtrace_item *i);
	void *arg;
};

struct tape *tape_new(void);
void tape_free(struct tape *t);
void tape_feed(struct tape *t, const void *buf, size_t n);
/* Read a descriptor that is O_NONBLOCK until EAGAIN; bytes, or -1. */
ssize_t tape_drain(struct tape *t, int fd);
/* The same, or until that many bytes were read: while others write there may be no end. */
ssize_t tape_some(struct tape *t, int fd, size_t most);
/* Open, read all there is with reads of this size, close. NULL: failed. */
struct tape *tape_all(size_t chunk);
uint64_t tape_lost(const struct tape *t, int source);	/* by all causes; -1: of all */

/* What the thread of each event is called, when the event comes. */
#define TAPE_SEEN	64

struct tape_seen {
	uint32_t nr[TAPE_SEEN], tid[TAPE_SEEN], tgid[TAPE_SEEN];
	char name[TAPE_SEEN][16];
	int n, missing;
};

void tape_see(struct tape *t, struct tape_seen *s);	/* from here on */
struct tape *tape_procs(struct tape_seen *s);		/* all there is */
bool tape_clean(const struct tape *t);			/* no damage, gap, disorder; says so */

#endif /* DEV_H */
