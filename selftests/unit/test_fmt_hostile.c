// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fmt_hostile.c - invalid format files
 *
 * Good files are damaged at random, and files are made that are large or deep in each way of the
 * grammar. Nothing may crash (sanitizers), hang (alarm), or print terminal controls; the number
 * of messages is bounded. SEED in the environment repeats a run.
 */
#include "kselftest_harness.h"
#include <time.h>
#include "fmt_util.h"

#define TEXT_MAX	(1024 * 1024)

static const char *const good[] = {
	"enum e { A, \"b c\" = 7, NEG = -1 }\n"
	"flags f { X, Y = 1<<4, Z = 0x20/0x60 }\n"
	"record 100 R (i8 a, u64 b \"s\", f32 c, f64 d, str s, mem m, obj o, fun p, sig q,\n"
	"	enum e e, flags f f, enum g, int h / 10, any y)\n"
	" \"%-5d %'u %08.3f %+e %.3s %H %s %p %s %v %{f} %s %.2f %v\"\n",
	"record 100 R \"%2$d %1$#x %3$5c %% \\x41\\n\\t\\\\\\\"\" record 101 S \"%d%i%u%x%X\"\n",
	"major 0xffffff M { minor * N severity sw0 \"%d\" severity hw3 \"x\"; minor 255 L () }\n"
	"major 1 N { flags q { A } minor 1 X (flags q q) \"%(q)v\" # comment\n}\n",
	"record \"i2c:i2c_write\" (u8 n, mem m) \"%(m).(n)h\" record \"a:b\" \"x\" \"y\" record \"c:d\"\n",
	"for program p, \"q r\" { record 100 R (u8 n) \"%v\"; major 7 M { minor 1 N } }\n"
	"for module m\nenum e { A }\nrecord 101 S (enum e e)\nfor build \"1f3a\" { record 1 T }\n",
};

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

static bool clean(const char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f)
			return false;
	return true;
}

/* Print all descriptions of the set with these elements. */
static bool print_all(struct fmt_env *env, const struct elems *e)
{
	bool good_text = true;
	unsigned int i;

	for (i = 0; i < 256; i++) {
		char *s, *j;

		if (!env->set.unbound.records[i])
			continue;
		s = env_text(env, i, e);
		j = env_json(env, i, e);
		good_text &= s && j && clean(s) && clean(j);
		free(s);
		free(j);
	}
	return good_text;
}

static size_t mutate(char *text, size_t len, size_t size)
{
	static const char tokens[] = "{}(),;=/:*-<\"%\\#\n$";
	unsigned int n = 1 + rnd(4);

	while (n-- && len) {
		size_t at = rnd(len), k = 1 + rnd(8);

		switch (rnd(5)) {
		case 0:
			text[at] = (char)rnd(256);
			break;
		case 1:
			text[at] = tokens[rnd(sizeof(tokens) - 1)];
			break;
		case 2:
			if (k > len - at)
				k = len - at;
			memmove(text + at, text + at + k, len - at - k);
			len -= k;
			break;
		case 3:
			if (len + k <= size) {
				memmove(text + at + k, text + at, len - at);
				len += k;
			}
			break;
		default:
			if (!rnd(4))
				len = at;
		}
	}
	return len;
}

TEST(damaged_files)
{
	const char *seed = getenv("SEED");
	struct elems e = { .len = 0 };
	int round;

	state = seed && *seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	TH_LOG("SEED=%llu", (unsigned long long)state);
	for (round = 0; round < 6000; round++) {
		static struct fmt_env env;
		char text[2048];
		const char *from = good[rnd(sizeof(good) / sizeof(good[0]))];
		size_t len = mutate(memcpy(text, from, strlen(from)), strlen(from), sizeof(text));

		if (round % 8 == 0)
			for (e.len = 0; e.len < 200; e.len++)
				e.data[e.len] = rnd(3) ? rnd(16) : rnd(256);
		env_init(&env);
		fmt_add_text(&env.set, "h.fmt", text, len);
		ASSERT_LE(env.set.errors, FMT_ERRORS_MAX);
		ASSERT_TRUE(clean(env.said));
		ASSERT_TRUE(print_all(&env, &e));
		fmt_set_free(&env.set);
	}
}

/* A file is head, repeat up to the largest size, then tail. */
static const struct {
	const char *head, *repeat, *tail;
} large[] = {
	{ "", "(", "" }, { "", "}", "" }, { "", "\"", "" }, { "", "record ", "" }, { "", "a", "" },
	{ "", "\n", "" }, { "", "#", "" }, { "", "\\", "" }, { "", "<", "" }, { "", "9", "" },
	{ "record 100 R (", "u8 a,", ")" }, { "record 100 R \"", "%d", "\"" },
	{ "record 100 R \"", "%%", "\"" }, { "record 100 R \"", "%(", "\"" },
	{ "record 100 R \"", "\\x1b", "\"" }, { "record 100 R ", "\"x\" ", "" },
	{ "record 100 R ", "\"\"", "" }, { "record 100 R \"%1$d", "%1$d", "\"" },
	{ "enum e {", "A ", "}" }, { "enum e {", "\"\"", "}" }, { "flags f {", "A=1 ", "}" },
	{ "", "enum e{} ", "" }, { "", "flags f{A} ", "" }, { "major 1 M {", "minor 1 X ", "}" },
	{ "", "major 1 M {} ", "" }, { "", "major 1 M { minor 1 X", "" },
	{ "flags f{A} record 100 R \"", "%{f}", "\"" }, { "record 100 R \"", "\xff", "\"" },
	{ "", "record 200 R ;", "" }, { "", "record \"a:b\" ", "" }, { "record \"", ":", "\"" },
	{ "record 100 R (u8 n, mem m) \"", "%(m).(n)h", "\"" }, { "major 1 M {", "severity hw0 \"\"", "}" },
};

TEST(large_files)
{
	char *text = malloc(TEXT_MAX);
	struct elems e = { .len = 0 };
	size_t i;

	put_u8(&e, 1);
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		static struct fmt_env env;
		size_t n = strlen(large[i].head), r = strlen(large[i].repeat);
		size_t tail = strlen(large[i].tail);

		memcpy(text, large[i].head, n);
		while (n + r + tail <= TEXT_MAX / 4) {
			memcpy(text + n, large[i].repeat, r);
			n += r;
		}
		memcpy(text + n, large[i].tail, tail);
		env_init(&env);
		fmt_add_text(&env.set, "l.fmt", text, n + tail);
		EXPECT_LE(env.set.errors, FMT_ERRORS_MAX);
		EXPECT_TRUE(clean(env.said));
		EXPECT_TRUE(print_all(&env, &e));
		fmt_set_free(&env.set);
	}
	free(text);
}

/* Write "head N tail" for each N below @nr. Return the end. */
static char *put_each(char *to, const char *head, size_t nr, const char *tail)
{
	size_t i;

	for (i = 0; i < nr; i++)
		to += sprintf(to, "%s%zu%s", head, i, tail);
	return to;
}

/* As many enums as fit, each looked up once more. */
TEST(many_tables)
{
	static struct fmt_env env;
	char *text = malloc(TEXT_MAX), *end;
	size_t i;

	end = put_each(text, "enum e", FMT_TABLES_MAX + 1, "{A}\n");
	end += sprintf(end, "record 100 R \"");
	for (i = 0; i < 60000; i += FMT_TABLES_MAX)
		end = put_each(end, "%1$v%1${e", FMT_TABLES_MAX, "}");
	end += sprintf(end, "\"");
	ASSERT_LE(end, text + TEXT_MAX);
	env_init(&env);
	fmt_add_text(&env.set, "t.fmt", text, end - text);
	EXPECT_STREQ("t.fmt:4097:6: error: more than 4096 enums and flags in one file\n", env.said);
	EXPECT_NE(NULL, env.set.unbound.records[100]);
	fmt_set_free(&env.set);
	free(text);
}

/* More tracepoints than a file may describe. */
TEST(many_tracepoints)
{
	static struct fmt_env env;
	char *text = malloc(TEXT_MAX);
	const char *end = put_each(text, "record \"s:e", FMT_TRACEPOINTS_MAX + 2, "\"\n");

	env_init(&env);
	fmt_add_text(&env.set, "t.fmt", text, end - text);
	EXPECT_STREQ("t.fmt:4097:1: error: more than 4096 tracepoints in one file\n", env.said);
	EXPECT_EQ(FMT_TRACEPOINTS_MAX, env.set.nr_tracepoints);
	fmt_set_free(&env.set);
	free(text);
}

TEST(many_owners)
{
	static struct fmt_env env;
	char *text = malloc(TEXT_MAX), *end;

	end = put_each(text, "for program p", FMT_OWNERS_MAX + 1, " { record 1 R }\n");
	end += sprintf(end, "for program p0 { record 2 R }\nfor program");
	end = put_each(end, " p", FMT_FOR_MAX + 1, ",");
	env_init(&env);
	/* Without the last comma */
	fmt_add_text(&env.set, "t.fmt", text, end - 1 - text);
	EXPECT_STREQ("t.fmt:1025:13: error: more than 1024 programs, modules and builds in one file\n"
		     "t.fmt:1027:83: error: more than 16 names in one 'for'\n", env.said);
	EXPECT_EQ(FMT_OWNERS_MAX, env.set.nr_owners);
	fmt_set_free(&env.set);
	free(text);
}

TEST_HARNESS_MAIN
