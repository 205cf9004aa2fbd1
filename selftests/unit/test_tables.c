// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tables.c - tables whose keys strangers may choose: no key costs more than another
 *
 * The chosen keys collide in a table without a secret hash: they were computed for the hashes
 * that the tables once had. A step is a basic block, counted by compiler instrumentation, so the
 * load of the machine does not matter.
 */
#include "kselftest_harness.h"
#include <stdlib.h>
#include "qsgate/gate.h"
#include "traceinfo/choice.h"
#include "traceinfo/sum.h"
#include "traceinfo/sum_machine.h"

#ifdef __clang__
#define UNCOUNTED	__attribute__((no_sanitize("coverage")))
#else
#define UNCOUNTED	__attribute__((no_sanitize_coverage))
#endif

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);

UNCOUNTED void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

void *ti_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (!p)
		abort();
	return p;
}

/* The tables of machines have a fixed size. */
struct sum_machines *sum_machines_new(void)
{
	return NULL;
}

void sum_machines_free(struct sum_machines *m)
{
}

void sum_machines_end(struct sum_machines *m, uint64_t ts)
{
}

void sum_machines_forget(struct sum_machines *m, uint64_t lost)
{
}

/* x * inverse == 1 */
static uint64_t inverse(uint64_t x)
{
	uint64_t y = x;
	int i;

	for (i = 0; i < 6; i++)
		y *= 2 - x * y;
	return y;
}

/* Steps per key, for @n keys that are each looked up twice. */
typedef double steps_fn(unsigned int n, bool chosen);

static void compare(struct __test_metadata *_metadata, steps_fn *fn, unsigned int n)
{
	const double plain = fn(n, false), chosen = fn(n, true), more = fn(4 * n, true);

	TH_LOG("steps for each key: %.1f; chosen: %.1f, and %.1f of four times as many", plain,
	       chosen, more);
	EXPECT_LT(chosen, 1.5 * plain);
	EXPECT_LT(more, 2 * plain);
}

static double threads(unsigned int n, bool chosen)
{
	const uint32_t inv = (uint32_t)inverse(0x9e3779b1u);
	struct sum *s = sum_new();
	double each;
	unsigned int i;

	steps = 0;
	for (i = 0; i < 2 * n; i++)
		sum_task(s, chosen ? inv * (i % n + 1) : i % n + 1);
	each = (double)steps / n;
	if (s->nr_tasks != n)
		abort();
	sum_free(s);
	return each;
}

TEST(threads_of_a_summary)
{
	compare(_metadata, threads, 4000);
}

static double calls(unsigned int n, bool chosen)
{
	const uint32_t inv = (uint32_t)inverse(0x9e3779b1u);
	struct devtrace_event ev = { .type = DEVTRACE_T_SYS_ENTER, .tid = 1 };
	struct sum *s = sum_new();
	double each;
	unsigned int i;

	steps = 0;
	for (i = 0; i < 2 * n; i++) {
		uint32_t x = chosen ? inv * (i % n + 1) : i % n + 1;

		x ^= chosen ? x >> 15 ^ x >> 30 : 0;
		ev.object = (uint16_t)(x >> 16);
		ev.signal = (uint16_t)x;
		ev.ts = i;
		sum_event(s, &ev, false);
	}
	each = (double)steps / n;
	if (s->nr_rows != n)
		abort();
	sum_free(s);
	return each;
}

TEST(rows_of_a_summary)
{
	compare(_metadata, calls, SUM_ROWS / 4);
}

static double gate(unsigned int n, bool chosen, uint8_t kind)
{
	const uint64_t inv = inverse(kind == DEVTRACE_T_SIG ? 0xc2b2ae3d27d4eb4full :
				     0x9e3779b97f4a7c15ull);
	struct devtrace_name d = { .kind = kind, .name = "x" };
	struct qspy_names names = { 0 };
	double each;
	unsigned int i;

	steps = 0;
	for (i = 0; i < 2 * n; i++) {
		const uint64_t x = chosen ? inv * (i % n + 1) : 64 * (i % n);

		/* A signal is also found by its 32-bit value alone. */
		if (kind == DEVTRACE_T_SIG) {
			d.scope = 1 + i % 2;
			d.value = chosen ? (uint32_t)(x >> 16) : i % n;
		} else {
			d.key = x;
		}
		if (!qspy_name_add(&names, &d) ||
		    !qspy_name(&names, d.kind, d.scope, d.value, 0, d.key))
			abort();
	}
	each = (double)steps / n;
	qspy_names_free(&names);
	return each;
}

static double gate_objects(unsigned int n, bool chosen)
{
	return gate(n, chosen, DEVTRACE_T_OBJ);
}

static double gate_signals(unsigned int n, bool chosen)
{
	return gate(n, chosen, DEVTRACE_T_SIG);
}

TEST(names_of_a_gate)
{
	compare(_metadata, gate_objects, 4000);
}

TEST(signals_of_a_gate)
{
	compare(_metadata, gate_signals, 4000);
}

/* The vectors of Aumasson's and Bernstein's SipHash, with one and three rounds. */
TEST(siphash)
{
	const struct hash_key key = { 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull };
	const uint64_t words[] = { 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull };
	struct hash_key a, b;

	EXPECT_EQ(hash_words(&key, words, 2),
		  hash_string(&key, words[0], "\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"));
	EXPECT_EQ(0xabac0158050fc4dcull, hash_words(&key, words, 0));
	hash_key_init(&a);
	hash_key_init(&b);
	EXPECT_TRUE(a.k0 != b.k0 || a.k1 != b.k1);
}

/*
 * Numbers and names alternate, as in -p LIST. Each is looked up, and a missing name too.
 * @backwards: in descending order
 */
static double choice_steps(unsigned int n, bool backwards)
{
	const char **words = calloc(n, sizeof(*words));
	struct ti_choice c = { 0 };
	unsigned int i;
	uint64_t found = 0, took;

	if (!words)
		abort();
	for (i = 0; i < n; i++) {
		char *word = malloc(16);

		if (!word)
			abort();
		snprintf(word, 16, i & 1 ? "motor%u" : "%u", i);
		words[backwards ? n - 1 - i : i] = word;
	}
	ti_choice_make(&c, words, n);
	took = steps;
	for (i = 0; i < n; i++) {
		const char *word = words[backwards ? n - 1 - i : i];

		found += i & 1 ? ti_choice_has_name(&c, word) : ti_choice_has_number(&c, i);
		found += ti_choice_has_name(&c, "valve");
	}
	took = steps - took;
	if (found != n)
		abort();
	ti_choice_free(&c);
	for (i = 0; i < n; i++)
		free((char *)words[i]);
	free(words);
	return (double)took / n;
}

TEST(words_of_a_filter)
{
	compare(_metadata, choice_steps, 1000);
}

TEST_HARNESS_MAIN
