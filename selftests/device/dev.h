/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dev.h - common code for the tests of the device
 *
 * Modules are loaded with the parameters that a test needs, and unloaded after it. A tape is a
 * stream that was read and decoded, with counts of all errors. Functions return -1 with errno,
 * or print an error; they never end the program.
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
 * A second on a fast machine may be a minute on an emulated one, and more on a busy one, where a
 * board's clock was seen to run three times too fast.
 */
#ifdef TEST_TIMEOUT_DEFAULT
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	400

/*
 * A failed test stays failed, even if it later lacks something of the machine, or if its
 * teardown fails: the harness's own SKIP would make it pass.
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

/* @v is NULL if the fixture has no variants. */
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

/* Remove variants for which no test is selected: a test runs with each of the others. */
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
 * With DEVICE_CASE in the environment, run only the tests whose printed name contains it:
 * fixture.variant.test.
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
 * Load devtrace.ko and its three companion modules, after unloading them if needed. profile=
 * must be the last parameter.
 */
int dev_load(const char *params);
int dev_load_rest(const char *profile);		/* the companion modules */
int dev_load_file(const char *name, const char *params);
int dev_load_writers(const char *params);	/* dttest.ko */
int dev_unload(void);				/* all; 0 also if none is loaded */
int dev_unload_one(const char *name);		/* "devtrace": after its companions */
int dev_unload_in_use(void);			/* devtrace: must fail, as something is open */
int dev_done(void);				/* restore the initial state of devtrace */
/* Wait until *@what is @value, at most a minute, as the machine may be busy. */
bool dev_wait_for(atomic_int *what, int value);
bool dev_nmi(unsigned int rate);		/* let the virtual board inject NMIs, if it can */
int dev_writers_run(bool on);
int dev_writers_counts(uint64_t counts[DEV_CPUS][DTTEST_CLASSES]);
int dev_write_file(const char *path, const char *text);
/* Set the profile events; false, after a message, if refused. */
bool dev_profile(const char *list);
bool dev_empty_file(const char *path);
int dev_read_file(const char *path, char *buf, size_t size);
bool dev_kernel_before(int major, int minor);
/* Memory of vmalloc(), including lanes on each kernel, in kB, or -1. */
long dev_vmalloc_kb(void);
/* Memory that the kernel cannot reclaim, in kB: the minimum over two seconds. */
long dev_kernel_memory(void);

/* The machine. */
int dev_online(int cpus[DEV_CPUS]);		/* number of online CPUs, and which */
int dev_pin(int cpu);				/* pin this thread to a CPU; -1: all */
/* True if a CPU may be switched off; whether that works is up to the test. */
bool dev_can_switch(int cpu);
int dev_switch(int cpu, bool on);
uint64_t dev_now(void);				/* the trace clock, ns */
void dev_sleep_ms(unsigned int ms);
uint32_t dev_random(void);			/* from SEED in the environment */
void dev_random_as(unsigned int who);		/* for a child: a sequence of its own */
void dev_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
uint32_t dev_seed(void);			/* printed by the first call */

/* The device. */
int dev_stats(int cpu, struct devtrace_stats *s);
int dev_emit(int fd, const struct devtrace_emit *e, size_t len);
/* Emit U32 tag, U32 nr; returns the result of ioctl(2). */
int dev_emit_mark(int fd, uint8_t type, uint32_t tag, uint32_t nr);
/* Emit a numbered event of dttest.h, with up to @max bytes of pattern. */
int dev_emit_numbered(int fd, uint32_t tag, uint32_t nr, uint32_t max, uint32_t heavy);
int dev_name(int fd, uint8_t kind, uint8_t group, uint32_t value, uint64_t key,
	     const char *name);
/* Check an event of dttest.h; returns 0 with its tag and number, or -1. */
int dev_check_numbered(const struct devtrace_event *e, uint32_t max, uint32_t heavy,
		       uint32_t *tag, uint32_t *nr);

/* Look for texts in kernel messages printed since dev_log_begin(). */
void dev_log_begin(void);
bool dev_log_has(const char *text);

/* An event from the stream. */
struct tape_event {
	uint64_t ts;
	uint32_t tid, tgid, code;
	uint16_t source, object, signal, number;
	uint8_t type, flags, severity;
	uint32_t tag, nr;	/* the first two elements, if they are U32 */
	size_t data, len;	/* offset and length in tape.data */
	size_t lost;		/* events of its source reported lost before it */
};

struct tape {
	struct devtrace_decoder *d;
	struct tape_event *ev;
	size_t nev, ev_room;
	uint8_t *data;
	size_t ndata, data_room;
	uint8_t *raw;		/* the bytes read, if keep_raw is set */
	size_t nraw, raw_room;
	bool keep_raw;
	uint64_t read[DEV_CPUS];
	uint64_t lost[DEV_CPUS][DEVTRACE_LOST_CAUSES];
	uint64_t nlost;		/* LOST frames */
	uint64_t damages, gaps, unknown, infos, clocks, procs, dicts, states;
	uint64_t backwards;	/* events older than the previous one */
	uint64_t last;
	uint64_t slack;		/* tolerance for @backwards, ns */
	uint8_t reason;		/* of the last INFO frame */
	/* called for each item, unless NULL */
	void (*each)(struct tape *t, const struct devtrace_item *i);
	void *arg;
};

struct tape *tape_new(void);
void tape_free(struct tape *t);
void tape_feed(struct tape *t, const void *buf, size_t n);
/* Read a non-blocking descriptor until EAGAIN; returns the bytes, or -1. */
ssize_t tape_drain(struct tape *t, int fd);
/* The same, up to @most bytes: with concurrent writers there may be no end. */
ssize_t tape_some(struct tape *t, int fd, size_t most);
/* Open, read everything in chunks of this size, close. NULL on failure. */
struct tape *tape_all(size_t chunk);
uint64_t tape_lost(const struct tape *t, int source);	/* by all causes; -1: all sources */

/* The names of each event's thread at the time of the event. */
#define TAPE_SEEN	64

struct tape_seen {
	uint32_t nr[TAPE_SEEN], tid[TAPE_SEEN], tgid[TAPE_SEEN];
	char name[TAPE_SEEN][16];
	int n, missing;
};

void tape_see(struct tape *t, struct tape_seen *s);	/* begin collecting */
struct tape *tape_procs(struct tape_seen *s);		/* collect from the whole stream */
bool tape_clean(const struct tape *t);			/* intact and in order; prints errors */

#endif /* DEV_H */
