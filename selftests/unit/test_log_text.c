// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_log_text.c - the elements of a LOG event print as printf(3) prints the arguments
 *
 * Every conversion is tried with all flags, with widths, precisions and length modifiers, and with
 * random values of each C type that may be its argument.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kselftest_harness.h"
#include "fmt_util.h"
#include "logtext/printf.h"

static uint64_t state;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

/* Small numbers, numbers at the ends of the ranges, and any others. */
static uint64_t rnd_int(void)
{
	switch (rnd() % 4) {
	case 0:
		return rnd() % 10;
	case 1:
		return -(rnd() % 10);
	case 2:
		return (1ull << rnd() % 64) - rnd() % 3;
	default:
		return rnd();
	}
}

static double rnd_double(void)
{
	static const double some[] = { 0.0, -0.0, 1.0, -1.5, 0.1, 1e-5, 1e-4, 123456.0, 1e15, 1e300,
				       5e-324, 1.7976931348623157e308, 0.5, 2.5, 9.9999995 };
	uint64_t bits = rnd();
	double v;

	switch (rnd() % 5) {
	case 0:
		return some[rnd() % (sizeof(some) / sizeof(some[0]))];
	case 1:
		return rnd() % 3 ? INFINITY : -INFINITY;
	case 2:
		return NAN;
	case 3:
		return (double)(int32_t)rnd() / 1000;
	default:
		memcpy(&v, &bits, sizeof(v));
		return v;
	}
}

/* Compare the text of one format with @want. */
static bool same(const char *format, const struct elems *e, const char *want, size_t n)
{
	struct out o;
	bool ok;

	out_init(&o, -1);
	ok = log_format_print(&o, format, e->data, e->len) && o.len == n &&
	     !memcmp(n ? o.buf : "", want, n);
	if (!ok)
		printf("# '%s': '%.*s', not '%.*s'\n", format, (int)o.len, o.len ? o.buf : "", (int)n,
		       want);
	out_free(&o);
	return ok;
}

static char want[20000];

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#define CASE(put, type, value) do { \
	const type v_ = (type)(value); \
	e.len = 0; \
	put(&e, v_); \
	n = snprintf(want, sizeof(want), format, v_); \
	if (n < 0 || !same(format, &e, want, (size_t)n)) \
		return false; \
	++*nr; \
} while (0)

/* Try integers of all types that the length modifier allows. */
static bool try_int(const char *format, const char *size, unsigned int *nr)
{
	struct elems e;
	int n;

	if (!strcmp(size, "ll") || !strcmp(size, "j") || !strcmp(size, "L")) {
		CASE(put_i64, long long, rnd_int());
		CASE(put_u64, unsigned long long, rnd_int());
	} else if (*size && *size != 'h') {
		if (sizeof(long) == 8) {
			CASE(put_i64, long, rnd_int());
			CASE(put_u64, unsigned long, rnd_int());
		} else {
			CASE(put_i32, long, rnd_int());
			CASE(put_u32, unsigned long, rnd_int());
		}
	} else {
		CASE(put_i8, int8_t, rnd_int());
		CASE(put_u8, uint8_t, rnd_int());
		CASE(put_i16, int16_t, rnd_int());
		CASE(put_u16, uint16_t, rnd_int());
		CASE(put_i32, int32_t, rnd_int());
		CASE(put_u32, uint32_t, rnd_int());
	}
	return true;
}

static bool try_float(const char *format, bool is_long, unsigned int *nr)
{
	struct elems e;
	float f = (float)rnd_double();
	double d = rnd_double();
	int n;

	e.len = 0;
	put_f64(&e, d);
	n = is_long ? snprintf(want, sizeof(want), format, (long double)d) :
	    snprintf(want, sizeof(want), format, d);
	if (n < 0 || !same(format, &e, want, (size_t)n))
		return false;
	e.len = 0;
	put_f32(&e, f);
	n = is_long ? snprintf(want, sizeof(want), format, (long double)f) :
	    snprintf(want, sizeof(want), format, f);
	*nr += 2;
	return n >= 0 && same(format, &e, want, (size_t)n);
}

static bool try_other(const char *format, char conv, unsigned int *nr)
{
	static const char *const strings[] = { "", "x", "runs dry", "\xc3\xa4\xff\x80 \033[2J\n%d" };
	struct elems e;
	int n;

	if (conv == 'p') {
		CASE(put_u64, uintptr_t, rnd() % 4 ? rnd_int() : 0);
	} else if (conv == 'c') {
		CASE(put_i8, char, rnd());
		CASE(put_i32, int, rnd());
	} else {
		CASE(put_str, char *, (uintptr_t)strings[rnd() % 4]);
	}
	return true;
}

static void flags_of(unsigned int bits, char *flags)
{
	static const char all[] = "-+ 0#'";

	for (unsigned int i = 0; i < 6; i++)
		if (bits & 1u << i)
			*flags++ = all[i];
	*flags = '\0';
}

/* Try one conversion. The bits of @n choose the flags, the width and the precision. */
static bool try_one(char conv, const char *size, unsigned int n, unsigned int *formats,
		    unsigned int *nr)
{
	static const char *const widths[] = { "", "1", "7", "25", "300" };
	static const char *const digits[] = { "", ".", ".0", ".1", ".4", ".12", ".40", ".350" };
	const bool is_int = strchr("diuoxX", conv), is_float = strchr("aAeEfFgG", conv);
	const bool right = is_int || !*size ||
			   (is_float && (!strcmp(size, "l") || !strcmp(size, "L")));
	char flags[8], format[40];
	size_t at, len;

	flags_of(n % 64, flags);
	snprintf(format, sizeof(format), "<%%%s%s%s%s%c> 100%%%%", flags, widths[n / 64 % 5],
		 digits[n / 64 / 5], size, conv);
	if (!right)
		return log_format_problem(format, &at, &len);
	++*formats;
	return !log_format_problem(format, &at, &len) &&
	       (is_int ? try_int(format, size, nr) :
		is_float ? try_float(format, *size == 'L', nr) : try_other(format, conv, nr));
}

TEST(all_conversions)
{
	static const char *const sizes[] = { "", "hh", "h", "l", "ll", "j", "z", "t", "L" };
	static const char convs[] = "diuoxXcspaAeEfFgG";
	unsigned int formats = 0, nr = 0, b, s;
	const char *seed = getenv("SEED");

	state = seed && *seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
	printf("# SEED=%llu\n", (unsigned long long)state);
	fflush(stdout);
	state |= 1;
	for (const char *c = convs; *c; c++)
		for (s = 0; s < 9; s++)
			for (b = 0; b < 64 * 5 * 8; b++)
				ASSERT_TRUE(try_one(*c, sizes[s], b, &formats, &nr));
	printf("# %u formats, %u texts\n", formats, nr);
	fflush(stdout);
	ASSERT_GE(formats, 500);
}

TEST(several_arguments)
{
	struct elems e = { .len = 0 };
	int n;

	put_i32(&e, -5);
	put_str(&e, "(null)");
	put_u64(&e, 0);
	put_f32(&e, 0.1f);
	put_u8(&e, 'x');
	n = snprintf(want, sizeof(want), "%%%d|%8s|%p|%g|%c%%", -5, "(null)", (void *)0, (double)0.1f,
		     'x');
	EXPECT_TRUE(same("%%%d|%8s|%p|%g|%c%%", &e, want, (size_t)n));
	e.len = 0;
	EXPECT_TRUE(same("no argument", &e, "no argument", 11));
	EXPECT_TRUE(same("", &e, "", 0));
}

TEST(long_string)
{
	static char s[10001];
	static struct { uint8_t data[10002]; } big;
	struct out o;

	memset(s, 'y', 10000);
	big.data[0] = DEVTRACE_E_STR;
	memcpy(big.data + 1, s, 10001);
	out_init(&o, -1);
	EXPECT_TRUE(log_format_print(&o, "<%s>", big.data, sizeof(big.data)));
	EXPECT_EQ(10002, o.len);
	EXPECT_EQ(0, memcmp(o.buf + 1, s, 10000));
	out_free(&o);
}

/* Nothing is printed if the elements do not fit. */
static bool refused(const char *format, const struct elems *e)
{
	struct out o;
	bool ok;

	out_init(&o, -1);
	ok = !log_format_print(&o, format, e->data, e->len) && !o.len;
	if (!ok)
		printf("# '%s' was printed as '%.*s'\n", format, (int)o.len, o.buf);
	out_free(&o);
	return ok;
}

TEST(misfits)
{
	struct elems e = { .len = 0 };

	EXPECT_TRUE(refused("%d", &e));
	put_i32(&e, 3);
	EXPECT_TRUE(refused("", &e));
	EXPECT_TRUE(refused("%d %d", &e));
	EXPECT_TRUE(refused("%s", &e));
	EXPECT_TRUE(refused("%f", &e));
	EXPECT_TRUE(refused("%lld", &e));
	EXPECT_TRUE(refused("%n", &e));
	EXPECT_TRUE(refused("%d %n", &e));
	EXPECT_TRUE(refused("%*d", &e));
	EXPECT_TRUE(refused("%4096d", &e));
	EXPECT_TRUE(refused("%.99999999999d", &e));
	EXPECT_TRUE(refused("%d %", &e));
	put_i32(&e, 4);
	EXPECT_TRUE(refused("%d", &e));
	EXPECT_TRUE(refused("%d %d%", &e));
	e.len--;			/* the last element is not whole */
	EXPECT_TRUE(refused("%d %d", &e));
	e.len = 0;
	put_u64(&e, 1);
	EXPECT_TRUE(refused("%d", &e));
	EXPECT_TRUE(refused("%s", &e));
	e.len = 0;
	put_str(&e, "x");
	EXPECT_TRUE(refused("%d", &e));
	EXPECT_TRUE(refused("%p", &e));
	e.len = 0;
	put_i8(&e, 1);
	EXPECT_TRUE(refused("%ld", &e));
	e.len = 0;
	put_enum(&e, 1, 1);
	EXPECT_TRUE(refused("%d", &e));
	e.len = 0;
	put_obj(&e, 0x1234);
	EXPECT_TRUE(same("%p", &e, "0x1234", 6));
	EXPECT_TRUE(refused("%lx", &e));
	e.len = 0;
	put_mem(&e, "abc", 3, false);
	EXPECT_TRUE(refused("%s", &e));
}

/* The emitter cut the event: the text ends at the first argument that is missing. */
TEST(cut)
{
	struct elems e = { .len = 0 };

	put_i32(&e, 7);
	put_str(&e, "abc");
	put_str(&e, "[12 bytes cut]");
	EXPECT_TRUE(same("%d %s", &e, "7 abc [12 bytes cut]", 20));
	EXPECT_TRUE(same("%d %s then %d and %s", &e, "7 abc then  [12 bytes cut]", 26));
	EXPECT_TRUE(same("%d %s %s and %s", &e, "7 abc  [12 bytes cut]", 21));
	EXPECT_TRUE(refused("%d", &e));
	EXPECT_TRUE(refused("%d %s %d %n", &e));
	put_i32(&e, 7);
	EXPECT_TRUE(refused("%d %s", &e));
}

TEST(problems)
{
	static const struct { const char *format, *word, *problem; } bad[] = {
		{ "a %n", "%n", "%n writes" },
		{ "a%% %-5m.", "%-5m", "%m is not" },
		{ "%*d", "%*", "precision *" },
		{ "%d %.*s", "%.*", "precision *" },
		{ "%1$d", "%1$", "numbered" },
		{ "%ls", "%ls", "wide" },
		{ "%S", "%S", "wide" },
		{ "%hf", "%hf", "length modifier" },
		{ "%zs", "%zs", "length modifier" },
		{ "%y", "%y", "unknown; " },
		{ "50%", "%", "not complete" },
		{ "%ll", "%ll", "not complete" },
		{ "%5000d", "%5000d", "4095" },
		{ "%.5000d", "%.5000d", "4095" },
	};
	char word[20];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		size_t at = 0, len = 0;
		const char *problem = log_format_problem(bad[i].format, &at, &len);

		ASSERT_NE(NULL, problem);
		snprintf(word, sizeof(word), "%.*s", (int)len, bad[i].format + at);
		EXPECT_STREQ(bad[i].word, word);
		EXPECT_NE(NULL, strstr(problem, bad[i].problem));
	}
}

TEST_HARNESS_MAIN
