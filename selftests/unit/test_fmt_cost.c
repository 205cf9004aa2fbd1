// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fmt_cost.c - the steps to read a format file are proportional to its size
 *
 * A step is a basic block, counted by compiler instrumentation, so the load of the machine does
 * not matter. For directories, the test counts the calls that identify files.
 */
#include "kselftest_harness.h"
#include <sys/stat.h>
#include <unistd.h>
#include "fmt_util.h"

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

static void ignore(void *arg, enum fmt_level level, const char *path, unsigned int line,
		   unsigned int column, const char *message)
{
	(void)arg;
	(void)level;
	(void)path;
	(void)line;
	(void)column;
	(void)message;
}

/* Steps per byte of a text of @n declarations. */
static double steps_for_byte(void (*declare)(struct out *o, unsigned int i), unsigned int n)
{
	struct fmt_set set;
	struct out o;
	unsigned int i;
	double each;

	out_init(&o, -1);
	for (i = 0; i < n; i++)
		declare(&o, i);
	fmt_set_init(&set, ignore, NULL);
	steps = 0;
	if (fmt_add_text(&set, "large.fmt", o.buf, o.len) || set.errors)
		abort();
	each = (double)steps / (double)o.len;
	fmt_set_free(&set);
	out_free(&o);
	return each;
}

/* Eight warnings each: arguments that the text does not print. */
static void unprinted(struct out *o, unsigned int i)
{
	out_str(o, "major ");
	out_u64(o, i);
	out_str(o, " M {\nminor 1 N (u8 a, u8 b, u8 c, u8 d, u8 e, u8 f, u8 g, u8 h) \"\"\n}\n");
}

TEST(warnings)
{
	double large = steps_for_byte(unprinted, 800);
	double small = steps_for_byte(unprinted, 100);

	TH_LOG("%.1f steps for a byte, %.1f of one eighth", large, small);
	EXPECT_LT(large, 2 * small);
}

/* Numbers with the same byte sum, which share one of 256 buckets. */
static void same_sum(struct out *o, unsigned int i)
{
	out_str(o, "major ");
	out_hex(o, ((i + 1) & 0xffff) << 8 | ((i + 1) & 0xff), 6);
	out_str(o, " M {}\n");
}

TEST(majors)
{
	double large = steps_for_byte(same_sum, 8000), small = steps_for_byte(same_sum, 1000);

	TH_LOG("%.1f steps for a byte, %.1f of one eighth", large, small);
	EXPECT_LT(large, 2 * small);
}

static double steps_to_print(unsigned int lines)
{
	static struct fmt_env env;
	struct elems e = { 0 };
	struct out o;
	char *s;

	out_init(&o, -1);
	out_fill(&o, '\n', lines);
	out_str(&o, "record 100 R (u8 a) \"%u\"");
	out_char(&o, 0);
	env_init(&env);
	env_add(&env, "long.fmt", o.buf);
	put_str(&e, "no number");
	steps = 0;
	s = env_text(&env, 100, &e);
	if (!s || !strstr(s, "argument 1"))
		abort();
	free(s);
	fmt_set_free(&env.set);
	out_free(&o);
	return (double)steps;
}

/* The message for it has the line of the description. */
TEST(events_that_do_not_fit)
{
	double large = steps_to_print(100000), small = steps_to_print(1000);

	TH_LOG("%.0f steps, %.0f in a hundredth of the file", large, small);
	EXPECT_LT(large, 2 * small);
}

static unsigned int asked;

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);

int __wrap_stat(const char *path, struct stat *st)
{
	asked++;
	return __real_stat(path, st);
}

TEST(files)
{
	char dir[] = "/tmp/test_fmt_cost.XXXXXX", path[64];
	struct fmt_env env;
	const struct fmt_file *f;
	unsigned int i, n = 0;

	ASSERT_NE(NULL, mkdtemp(dir));
	env_init(&env);
	asked = 0;
	/* Each file twice, with an unsafe name. */
	for (i = 0; i < 200; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%u\033.fmt", dir, i % 100);
		file = i < 100 ? fopen(path, "w") : NULL;
		if (file)
			fprintf(file, "major %u M%u {}\n", 100 + i, i);
		if (file)
			fclose(file);
		EXPECT_EQ(0, fmt_add_file(&env.set, path));
	}
	for (f = env.set.files; f; f = f->next)
		n++;
	EXPECT_EQ(100, n);
	EXPECT_STREQ("", env.said);
	EXPECT_GE(100, asked);
	fmt_set_free(&env.set);
	for (i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "%s/%u\033.fmt", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

TEST_HARNESS_MAIN
