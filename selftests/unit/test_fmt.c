// SPDX-License-Identifier: GPL-2.0-only
/* test_fmt.c - the format language: output of conversions, and error messages */
#include "kselftest_harness.h"
#include "fmt_util.h"

FIXTURE(fmt) {
	struct fmt_env	env;
	struct elems	e;
};

FIXTURE_SETUP(fmt)
{
	env_init(&self->env);
	self->e.len = 0;
}

FIXTURE_TEARDOWN(fmt)
{
	fmt_set_free(&self->env.set);
}

#define WHOSE "; 'for program NAME' or 'for module NAME' says whose it is"
#define ADD(text)	env_add(&self->env, "a.fmt", text)
#define EXPECT_SAID(want) EXPECT_STREQ(want, self->env.said)
#define EXPECT_TEXT(want) do { \
	char *s_ = env_text(&self->env, 100, &self->e); \
	EXPECT_STREQ(want, s_); \
	free(s_); \
} while (0)
#define EXPECT_JSON(want) do { \
	char *s_ = env_json(&self->env, 100, &self->e); \
	EXPECT_STREQ(want, s_); \
	free(s_); \
} while (0)

/* An event of record 100 with this text and these elements prints @want. */
#define CASE(name, decl, build, want) \
TEST_F(fmt, name) \
{ \
	struct elems *e = &self->e; \
	ADD(decl); \
	EXPECT_SAID(""); \
	build; \
	EXPECT_TEXT(want); \
}

CASE(integers, "record 100 R \"%d %i %u %x %X %o %b\"",
     put_i32(e, -5); put_i8(e, -128); put_u32(e, 4000000000u); put_u16(e, 0xbeef);
     put_u16(e, 0xbeef); put_u8(e, 8); put_u8(e, 5),
     "-5 -128 4000000000 beef BEEF 10 101")
/* As in C, the conversion determines how the bits are interpreted. */
CASE(conversion_decides, "record 100 R \"%u %d %x %d\"",
     put_i32(e, -1); put_u32(e, 0xffffffff); put_i16(e, -2); put_u64(e, UINT64_MAX),
     "4294967295 -1 fffe -1")
CASE(extremes, "record 100 R \"%d %u %d\"",
     put_i64(e, INT64_MIN); put_u64(e, UINT64_MAX); put_i64(e, INT64_MAX),
     "-9223372036854775808 18446744073709551615 9223372036854775807")
CASE(layout, "record 100 R \"[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%#x] [%#b] [%#o]\"",
     put_i32(e, 42); put_i32(e, 42); put_i32(e, -42); put_i32(e, 42); put_i32(e, 42);
     put_i32(e, 7); put_u8(e, 255); put_u8(e, 5); put_u8(e, 8),
     "[   42] [42   ] [-0042] [+42] [ 42] [007] [0xff] [0b101] [010]")
CASE(groups, "record 100 R \"%'d %'u %'d\"",
     put_i32(e, -1234567); put_u64(e, 1000); put_i32(e, 999), "-1,234,567 1,000 999")
CASE(lengths_of_c, "record 100 R \"%lu %lld %lx\"",
     put_u32(e, 1); put_i64(e, -2); put_u16(e, 0xab), "1 -2 ab")
CASE(floats, "record 100 R \"%f %.2f %e %g %8.3f|\"",
     put_f64(e, 1.5); put_f32(e, -2.25f); put_f64(e, 12345.678); put_f64(e, 0.0001);
     put_f64(e, 3.14159),
     "1.500000 -2.25 1.234568e+04 0.0001    3.142|")
CASE(float_extremes, "record 100 R \"%f %.15f %g\"",
     put_f64(e, -1.0 / 0.0); put_f64(e, 0.1); put_f64(e, 1e308),
     "-inf 0.100000000000000 1e+308")
CASE(scaled, "record 100 R (i32 t / 1000, u8 v / 10, i64 n / 1000000000, i16 m / 100) \"%f %.3f %.2f %6.1f|\"",
     put_i32(e, -45123); put_u8(e, 7); put_i64(e, 1995000000); put_i16(e, 995),
     "-45.123 0.700 2.00   10.0|")
CASE(scaled_small, "record 100 R (i32 a / 1000, i32 b / 1000, u64 c / 10)",
     put_i32(e, -5); put_i32(e, 0); put_u64(e, UINT64_MAX),
     "a=-0.005 b=0.000 c=1844674407370955161.5")
CASE(strings, "record 100 R \"%s|%5s|%-5s|%.2s\"",
     put_str(e, "abc"); put_str(e, "ab"); put_str(e, "ab"); put_str(e, "abc"),
     "abc|   ab|ab   |ab")
/* Precision counts characters, not bytes, and not printed escapes. */
CASE(string_digits, "record 100 R \"%.2s|%.1s|%.2s|%.3s|%.2s|%.0s|%.9s\"",
     put_str(e, "\xc3\xa4\xe2\x82\xac\xc3\xb6"); put_str(e, "\xf0\x9f\x98\x80x");
     put_str(e, "\033ab"); put_str(e, "\xff\xc3" "ab"); put_mem(e, "\xe2\x82\xac\0x", 5, false);
     put_str(e, "x"); put_str(e, "\xc3\xa4"),
     "\xc3\xa4\xe2\x82\xac|\xf0\x9f\x98\x80|\\x1ba|\\xff\\xc3a|\xe2\x82\xac\\x00||\xc3\xa4")
CASE(string_is_no_format, "record 100 R \"%s %%n %%s\"", put_str(e, "%n%s%99999d"),
     "%n%s%99999d %n %s")
CASE(string_controls, "record 100 R \"%s\"",
     put_str(e, "a\033[2Jb\r\n\x7f\xc2\x9b" "\xff\xe2\x80\xae\xe2\x80\x8f\xd8\x9c" "\xc3\xa9"),
     "a\\x1b[2Jb\\x0d\\x0a\\x7f\\xc2\\x9b\\xff\\xe2\\x80\\xae\\xe2\\x80\\x8f\\xd8\\x9c\xc3\xa9")
CASE(chars, "record 100 R \"%c%c%c%c\"",
     put_u8(e, 'x'); put_u8(e, 7); put_u32(e, 0xe9); put_u8(e, 0xe9), "x\\x07\xc3\xa9\\xe9")
CASE(pointers, "record 100 R \"%p %p %p\"",
     put_u32(e, 0xabc); put_fun(e, 0x1234); put_u8(e, 1),
     "0x00000abc 0x0000000000001234 0x01")
CASE(names, "record 100 R \"%s %s %s %s %s %s %s\"",
     put_obj(e, 7); put_fun(e, 0x1234); put_sig(e, 3, 7); put_sig(e, 4, 9); put_enum(e, 2, 5);
     put_enum(e, 3, 5); put_obj(e, 8),
     "motor\\x1b[2J irq_handler TIMEOUT@motor\\x1b[2J TICK@0x9 ARMED 5 0x8")
CASE(hex, "record 100 R \"%h|%h|%h\"",
     put_mem(e, "\x7e\x7d ", 3, false); put_str(e, "AB"); put_mem(e, "", 0, false),
     "7e 7d 20|41 42|")
CASE(hex_limited, "record 100 R (u8 n, i8 m, u16 o, mem d) \"%(d).(n)h|%(d).(m)h|%(d)5.(n)h|%(d).(o)h\"",
     put_u8(e, 2); put_i8(e, -1); put_u16(e, 300); put_mem(e, "\1\2\3", 3, false),
     "01 02||01 02|01 02 03")
CASE(dump, "record 100 R \"all:%H\"",
     put_mem(e, "0123456789abcdef\x01\xff", 18, false),
     "all:\n    0000 30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n"
     "    0010 01 ff                                             |..|")
CASE(positions, "record 100 R \"%2$d %1$d %2$x %d\"",
     put_i32(e, 1); put_i32(e, 254); put_i32(e, 3), "254 1 fe 3")
CASE(by_name, "record 100 R (u8 port, u32 lost \"bytes\") \"%(lost)v on %(port)u, %(lost)u\"",
     put_u8(e, 2); put_u32(e, 77), "77 bytes on 2, 77")
CASE(no_text, "record 100 R (u8 port, u32 lost \"bytes\", str who, mem raw)",
     put_u8(e, 2); put_u32(e, 77); put_str(e, "a \"b\""); put_mem(e, "\1\2", 2, false),
     "port=2 lost=77 bytes who=\"a \\\"b\\\"\" raw=[01 02]")
CASE(no_args_at_all, "record 100 R ()", (void)e, "")
CASE(name_only, "record 100 R", put_u8(e, 2); put_str(e, "x"), "2 \"x\"")
CASE(text_only, "record 100 R \"ready\"", (void)e, "ready")
CASE(joined_text, "record 100 R \"a\" # comment\n \"b%d\"\n\"c\"", put_u8(e, 1), "ab1c")
CASE(escapes, "record 100 R \"\\\"\\\\\\x41\\t\\n\\x1b%%\"", (void)e, "\"\\A\t\n    \\x1b%")
CASE(enums, "enum mode { IDLE, BUSY, \"in error\" = 8, NEG = -1 }\n"
     "record 100 R (enum mode a, enum mode b, enum mode c, enum mode d, u8 x) \"%v %s %d %v %{mode}\"",
     put_u8(e, 0); put_u32(e, 8); put_i8(e, 1); put_i32(e, -1); put_u8(e, 99),
     "IDLE in error 1 NEG 99")
CASE(flag_sets, "flags f { A = 1, B, C, AB = 3, MODE1 = 0x10/0x30, MODE0 = 0/0x30 }\n"
     "record 100 R (flags f a, flags f b, flags f c, flags f d)",
     put_u8(e, 3); put_u8(e, 0x15); put_i8(e, -128); put_u32(e, 0xf0000030),
     "a=A|B|MODE0 b=A|C|MODE1 c=MODE0|0x80 d=0xf0000030")
CASE(flags_zero, "flags f { NONE = 0, A = 1 } flags g { A = 1 }\n"
     "record 100 R (flags f a, flags f b, flags g c)",
     put_u8(e, 0); put_u8(e, 1); put_u8(e, 0), "a=NONE b=A c=0")
CASE(shifts, "flags f { TOP = 1 << 63, LOW = 1<<0 }\nrecord 100 R \"%{f}\"",
     put_u64(e, 0x8000000000000001ull), "TOP|LOW")
CASE(padded_names, "enum m { ON = 1 } record 100 R \"[%5{m}] [%-4{m}] [%6s]\"",
     put_u8(e, 1); put_u8(e, 1); put_fun(e, 16), "[   ON] [ON  ] [  0x10]")
/* Text behind the name does not matter. */
CASE(enum_alone, "record 100 R (enum heat # of the (outer), shell\n, enum cold\v, enum age\f#\n,"
     " enum kind # unit\n\"C\", enum last # none\n)",
     put_enum(e, 2, 5); put_enum(e, 3, 1); put_enum(e, 3, 25); put_enum(e, 3, 4); put_enum(e, 3, 6),
     "heat=ARMED cold=1 age=25 kind=4 C last=6")
CASE(any_type, "record 100 R (any a, any b, any c) \"%v %v %v\"",
     put_f32(e, 0.1f); put_str(e, "s"); put_i8(e, -1), "0.1 s -1")
CASE(semicolons, "enum m { ON = 1 }; record 100 R (u8 a,) \"%u\";", put_u8(e, 1), "1")

/* A mismatch prints the element by its own type, and the reason. */
CASE(wrong_type, "record 100 R (u8 a, u32 b) \"%u %u\"", put_u8(e, 1); put_str(e, "x"),
     "1 \"x\" {a.fmt:1: argument 2 'b' is STR, not u32}")
CASE(wrong_size, "\nrecord 100 R (u16 a) \"%u\"", put_u8(e, 1),
     "1 {a.fmt:2: argument 1 'a' is U8, not u16}")
CASE(missing, "record 100 R \"%u %u\"", put_u8(e, 1), "1 {a.fmt:1: argument 2 is missing}")
CASE(missing_all, "record 100 R \"%u\"", (void)e, "{a.fmt:1: argument 1 is missing}")
CASE(conversion_misfit, "record 100 R \"%f\"", put_u8(e, 1),
     "1 {a.fmt:1: argument 1 is U8}")
CASE(broken_element, "record 100 R \"%u %u\"", put_u8(e, 1); put_u32(e, 1); e->len -= 2,
     "1 <3 bytes that are not an element: 05 01 00> {a.fmt:1: argument 2 is not a whole element}")
CASE(more, "record 100 R \"%u\"", put_u8(e, 1); put_i8(e, -2); put_str(e, "x"),
     "1 [+ -2 \"x\"]")

TEST_F(fmt, by_types)
{
	struct elems *e = &self->e;

	put_i8(e, -1);
	put_int(e, DEVTRACE_E_U16 | DEVTRACE_E_HEX, 0xbeef, 2);
	put_int(e, DEVTRACE_E_U8 | 0x50, 7, 1);
	put_int(e, DEVTRACE_E_F64 | 0x20, 0x3ff8000000000000ull, 8);
	put_x32(e, 255);
	put_str(e, "a\n\"");
	put_mem(e, "\1\2", 2, false);
	put_sig(e, 9, 0);
	put_enum(e, 2, 5);
	EXPECT_TEXT("-1 0xbeef     7 1.50 0xff \"a\\x0a\\\"\" [01 02] 9 ARMED");
}

/* Precision of floats: in fixed point, unless that would show no digits, or too many. */
TEST_F(fmt, digits_of_floats)
{
	static const double v[] = { 0.005, 0.00499, -0.001, 1e-20, 0, 999999999999999, -1e15, 1e30 };
	struct elems *e = &self->e;
	uint64_t bits;
	unsigned int i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++) {
		memcpy(&bits, &v[i], sizeof(bits));
		put_int(e, DEVTRACE_E_F64 | 0x20, bits, 8);
	}
	EXPECT_TEXT("0.01 4.99e-03 -1.00e-03 1.00e-20 0.00 999999999999999.00 -1.00e+15 1.00e+30");
}

TEST_F(fmt, buffer_in_pieces)
{
	struct elems *e = &self->e;
	char a[255];

	memset(a, 'a', sizeof(a));
	put_mem(e, a, 255, true);
	put_mem(e, "bc", 2, false);
	put_u8(e, 1);
	ADD("record 100 R (mem all, u8 one) \"%.258s %u\"");
	EXPECT_STRNE("", self->env.said);	/* .258 is too large */
	fmt_set_free(&self->env.set);
	env_init(&self->env);
	ADD("record 100 R (mem all, u8 one) \"%(all)s %(one)u\"");
	EXPECT_SAID("");
	char *s = env_text(&self->env, 100, e);
	ASSERT_NE(NULL, s);
	EXPECT_EQ(255 + 2 + 2, strlen(s));
	EXPECT_STREQ("abc 1", s + 254);
	free(s);
}

/* A character that is cut between two pieces is printed whole. */
TEST_F(fmt, pieces_cut_a_character)
{
	static const char euro[] = "\xe2\x82\xac";
	char a[255], *s;
	int cut;

	ADD("record 100 R (mem all) \"%s\"\nrecord 101 R (mem all) \"%.2s\"");
	EXPECT_SAID("");
	memset(a, 'a', sizeof(a));
	for (cut = 1; cut < 3; cut++) {
		self->e.len = 0;
		memcpy(a + sizeof(a) - cut, euro, cut);
		put_mem(&self->e, a, 255, true);
		memcpy(a + sizeof(a) - cut, "aa", cut);
		put_mem(&self->e, euro + cut, 3 - cut, true);
		put_mem(&self->e, "b", 1, false);
		s = env_text(&self->env, 100, &self->e);
		ASSERT_NE(NULL, s);
		EXPECT_STREQ("\xe2\x82\xac" "b", s + 255 - cut);
		free(s);
	}
	self->e.len = 0;
	put_mem(&self->e, euro, 1, true);
	put_mem(&self->e, euro + 1, 2, true);
	put_mem(&self->e, "bc", 2, false);
	s = env_text(&self->env, 101, &self->e);
	EXPECT_STREQ("\xe2\x82\xac" "b", s);
	free(s);
}

TEST_F(fmt, last_piece_missing)
{
	struct elems *e = &self->e;

	put_mem(e, "ab", 2, true);
	ADD("record 100 R (mem m) \"%h\"");
	EXPECT_TEXT("61 62");
}

TEST_F(fmt, json)
{
	struct elems *e = &self->e;

	put_u8(e, 2);
	put_i32(e, -45123);
	put_u8(e, 3);
	put_str(e, "q\"\xff\n");
	put_f64(e, 0.0 / 0.0);
	put_mem(e, "\1\2", 2, false);
	put_i8(e, 5);
	ADD("flags f { A = 1, B }\n"
	    "record 100 R (u8 port, i32 t / 1000 \"C\", flags f s, str w, f64 n, mem m) \"%u%%\"");
	EXPECT_JSON("\"args\":{\"port\":2,\"t\":-45.123,\"s\":\"A|B\",\"w\":\"q\\\"\\ufffd\\n\",\"n\":\"-nan\",\"m\":\"01 02\"},\"more\":[{\"I8\":5}],\"text\":\"2% [+ 5]\"");
}

TEST_F(fmt, json_by_types)
{
	put_u64(&self->e, UINT64_MAX);
	put_obj(&self->e, 7);
	EXPECT_JSON("\"elements\":[{\"U64\":18446744073709551615},{\"OBJ\":\"motor\\u001b[2J\"}],\"text\":\"18446744073709551615 motor\\\\x1b[2J\"");
}

static const struct fmt_entry *find(struct fmt_env *env, uint32_t major, uint32_t minor,
				    uint8_t severity)
{
	struct devtrace_event ev = {
		.type = DEVTRACE_T_EXC, .flags = DEVTRACE_F_CODE, .severity = severity,
		.code = DEVTRACE_CODE(major, minor),
	};
	const struct fmt_major *m;

	return fmt_find(&env->set, &ev, NULL, &m);
}

/* An emitter that calls records 100 and 8 "MINE"; 8 is a record of QS. */
static const char *mine(const struct fmt_names *names, uint8_t type)
{
	return type == 100 || type == 8 ? "MINE" : NULL;
}

static const char *found(struct fmt_env *env, uint8_t type)
{
	const struct fmt_names names = { .record = mine };
	const struct devtrace_event ev = { .type = type };
	const struct fmt_major *m;
	const struct fmt_entry *e = fmt_find(&env->set, &ev, &names, &m);

	return e ? e->name : "";
}

TEST_F(fmt, the_name_of_the_stream)
{
	ADD("record 101 THEIRS\nrecord 8 THEIRS");
	EXPECT_STREQ("", found(&self->env, 100));
	EXPECT_STREQ("THEIRS", found(&self->env, 101));
	EXPECT_STREQ("THEIRS", found(&self->env, 8));
	env_add(&self->env, "b.fmt", "record 100 THEIRS");
	EXPECT_STREQ("", found(&self->env, 100));
}

/* The name that a program gives to its record goes before a file that the user named, too. */
TEST_F(fmt, a_file_that_the_user_named)
{
	ADD("record 100 THEIRS\nrecord 101 THEIRS");
	fmt_next_place(&self->env.set);
	self->env.set.given = 1;
	EXPECT_STREQ("", found(&self->env, 100));
	EXPECT_STREQ("THEIRS", found(&self->env, 101));
	EXPECT_TRUE(self->env.set.unbound.records[100]->told);
	EXPECT_FALSE(self->env.set.unbound.records[101]->told);
}

TEST_F(fmt, the_same_name_as_the_stream)
{
	ADD("record 100 MINE");
	EXPECT_STREQ("MINE", found(&self->env, 100));
}

/* An added tracepoint has one of the types 176 to 190; 175 and 191 are other events. */
static const char *added(const struct fmt_names *names, uint8_t type)
{
	(void)names;
	return type >= 175 && type <= 191 ? "i2c:i2c_read" : "i2c:i2c_write";
}

static const char *found_added(struct fmt_env *env, uint8_t type)
{
	const struct fmt_names names = { .record = added };
	const struct devtrace_event ev = { .type = type };
	const struct fmt_major *m;
	const struct fmt_entry *e = fmt_find(&env->set, &ev, &names, &m);

	return e ? e->name : "";
}

TEST_F(fmt, tracepoints)
{
	ADD("record \"i2c:i2c_write\" (u8 a) \"%v\"\nrecord 178 NUMBER\nrecord \"i2c:i2c_read\"\n");
	EXPECT_SAID("");
	EXPECT_STREQ("i2c:i2c_read", found_added(&self->env, 176));
	EXPECT_STREQ("i2c:i2c_read", found_added(&self->env, 178));
	EXPECT_STREQ("i2c:i2c_read", found_added(&self->env, 190));
	EXPECT_STREQ("", found_added(&self->env, 175));
	EXPECT_STREQ("", found_added(&self->env, 191));
	EXPECT_STREQ("", found_added(&self->env, 100));
}

TEST_F(fmt, tracepoints_of_another_place)
{
	ADD("record 178 NUMBER\nrecord \"a:b\" \"first\"");
	fmt_next_place(&self->env.set);
	env_add(&self->env, "b.fmt", "record \"i2c:i2c_read\"\nrecord \"a:b\" \"second\"");
	fmt_next_place(&self->env.set);
	env_add(&self->env, "c.fmt", "record 179 NUMBER");
	EXPECT_SAID("");
	EXPECT_STREQ("NUMBER", found_added(&self->env, 178));
	EXPECT_STREQ("i2c:i2c_read", found_added(&self->env, 179));
}

/* fmt_each_name() gives no number to a tracepoint. */
static void count_tracepoints(void *arg, const char *name, enum fmt_kind kind, uint32_t number)
{
	unsigned int *n = arg;

	*n += kind == FMT_TRACEPOINT && !strncmp(name, "sys:event", 9) && !number;
}

TEST_F(fmt, names_of_tracepoints)
{
	unsigned int n = 0;

	ADD("record \"sys:event1\"\nrecord \"sys:event2\"\nrecord 100 R");
	fmt_each_name(&self->env.set, count_tracepoints, &n);
	EXPECT_EQ(2, n);
}

static const char *registered(const struct fmt_names *names, uint8_t kind, uint32_t value,
			      uint8_t group, uint64_t key)
{
	(void)names;
	if (kind != DEVTRACE_T_USR || group || key)
		return NULL;
	return value == 300 ? "PHILO_STAT" : value == 301 ? "a:b" : NULL;
}

static const char *found_named(struct fmt_env *env, uint16_t number)
{
	const struct fmt_names names = { .name = registered };
	const struct devtrace_event ev = { .type = DEVTRACE_T_NAMED, .number = number };
	const struct fmt_major *m;
	const struct fmt_entry *e = fmt_find(&env->set, &ev, &names, &m);

	return e ? e->name : "";
}

TEST_F(fmt, types_registered_by_name)
{
	ADD("record \"PHILO_STAT\" (u8 n) \"%(n)u\"\nrecord \"a:b\"\n");
	EXPECT_SAID("");
	EXPECT_STREQ("PHILO_STAT", found_named(&self->env, 300));
	EXPECT_STREQ("", found_named(&self->env, 301));
	EXPECT_STREQ("", found_named(&self->env, 302));
	EXPECT_STREQ("", found_named(&self->env, 84));
}

TEST_F(fmt, arguments_that_need_no_text)
{
	ADD("record 100 R (u8 a, u8 _b, u8 c) \"%(a)v\"");
	EXPECT_SAID("a.fmt:1:31: warning: the text does not print 'c'\n");
}

TEST_F(fmt, exceptions)
{
	ADD("major 0xffffff BIG { minor 255 LAST minor * OTHER severity hw3 \"burnt\" }\n"
	    "major 1 ONE { minor 0 ZERO }\n");
	env_add(&self->env, "b.fmt", "major 1 ONE { minor 1 UNO }");
	EXPECT_SAID("");
	EXPECT_STREQ("LAST", find(&self->env, 0xffffff, 255, 0)->name);
	EXPECT_STREQ("OTHER", find(&self->env, 0xffffff, 1, 0)->name);
	EXPECT_STREQ("OTHER", find(&self->env, 0xffffff, 1, 0xe)->name);
	EXPECT_STREQ("hw3", find(&self->env, 0xffffff, 1, 0xf)->name);
	EXPECT_STREQ("LAST", find(&self->env, 0xffffff, 255, 0xf)->name);
	EXPECT_STREQ("ZERO", find(&self->env, 1, 0, 0)->name);
	EXPECT_STREQ("UNO", find(&self->env, 1, 1, 0)->name);
	EXPECT_EQ(NULL, find(&self->env, 1, 2, 0));
	EXPECT_EQ(NULL, find(&self->env, 2, 0, 0));
}

TEST_F(fmt, conflicts_name_both_places)
{
	ADD("record 100 MINE\nmajor 5 FIVE {\n\tminor 1 A\n}\n");
	env_add(&self->env, "dir/b.fmt",
		"record 100 YOURS\nmajor 5 FIVE { minor 1 B minor 2 C }\nmajor 5 FUENF { minor 3 D }");
	EXPECT_SAID("dir/b.fmt:1:1: error: record type 100, 'YOURS', was described as 'MINE' before, in a.fmt:1:1" WHOSE "\n"
		    "dir/b.fmt:2:16: error: minor 1, 'B', was described as 'A' before, in a.fmt:3:2\n"
		    "dir/b.fmt:3:1: error: major 0x000005, 'FUENF', has the name 'FIVE' in a.fmt:2:1" WHOSE "\n");
	EXPECT_STREQ("MINE", self->env.set.unbound.records[100]->name);
	EXPECT_STREQ("A", find(&self->env, 5, 1, 0)->name);
	EXPECT_STREQ("C", find(&self->env, 5, 2, 0)->name);
	EXPECT_EQ(NULL, find(&self->env, 5, 3, 0));
}

/* The description of an earlier place overrides a later one, which is not an error. */
TEST_F(fmt, earlier_places_override)
{
	ADD("record 100 MINE\nmajor 5 FIVE {\n\tminor 1 A\n\tminor * ANY\n\tseverity hw1 \"x\"\n}\n");
	fmt_next_place(&self->env.set);
	env_add(&self->env, "dir/b.fmt",
		"record 100 YOURS\nrecord 101 MORE\nmajor 6 SIX { minor 1 D }\n"
		"major 5 FIVE { minor 1 B minor 2 C minor * ALL severity hw1 \"y\" }\n");
	env_add(&self->env, "dir/c.fmt", "record 101 LESS\nmajor 6 SECHS { minor 2 E }\n");
	EXPECT_SAID("dir/b.fmt:1:1: warning: record type 100, 'YOURS', is 'MINE' in a.fmt:1:1" WHOSE "\n"
		    "dir/c.fmt:1:1: error: record type 101, 'LESS', was described as 'MORE' before, in dir/b.fmt:2:1" WHOSE "\n"
		    "dir/c.fmt:2:1: error: major 0x000006, 'SECHS', has the name 'SIX' in dir/b.fmt:3:1" WHOSE "\n");
	fmt_next_place(&self->env.set);
	env_add(&self->env, "far/d.fmt", "major 5 FUENF { minor 3 D }\nmajor 6 SIX { minor 3 F }\n");
	EXPECT_STREQ("MINE", self->env.set.unbound.records[100]->name);
	EXPECT_STREQ("MORE", self->env.set.unbound.records[101]->name);
	EXPECT_STREQ("A", find(&self->env, 5, 1, 0)->name);
	EXPECT_STREQ("C", find(&self->env, 5, 2, 0)->name);
	EXPECT_STREQ("ANY", find(&self->env, 5, 3, 0)->name);
	EXPECT_STREQ("F", find(&self->env, 6, 3, 0)->name);
	EXPECT_EQ(2, self->env.set.errors);
}

/* Search order: the directories, then the built-in kernel.fmt. */
char const fmt_kernel[] = "record 100 SAME\nrecord 147 SCHED_SWITCH\n";

static char looked_for[256];

int __real_fmt_add_dir(struct fmt_set *set, const char *path, bool missing_ok);
int __wrap_fmt_add_dir(struct fmt_set *set, const char *path, bool missing_ok);
ssize_t __real_readlink(const char *path, char *buf, size_t size);
ssize_t __wrap_readlink(const char *path, char *buf, size_t size);

int __wrap_fmt_add_dir(struct fmt_set *set, const char *path, bool missing_ok)
{
	static const char text[] = "record 100 SAME\n";

	if (!*looked_for)
		return __real_fmt_add_dir(set, path, missing_ok);
	strcat(strcat(looked_for, path), missing_ok ? " " : "! ");
	return fmt_add_text(set, path, text, strlen(text));
}

ssize_t __wrap_readlink(const char *path, char *buf, size_t size)
{
	if (!*looked_for)
		return __real_readlink(path, buf, size);
	if (strcmp(path, "/proc/self/exe"))
		return -1;
	memcpy(buf, "/opt/dt/bin/traceinfo", 21);
	return 21;
}

TEST_F(fmt, default_places_in_order)
{
	strcpy(looked_for, ":");
	fmt_add_default(&self->env.set);
	EXPECT_STREQ(":/opt/dt/share/devtrace/fmt /usr/share/devtrace/fmt /etc/devtrace/fmt "
		     "/usr/trace ", looked_for);
	*looked_for = '\0';
	EXPECT_SAID("");
	EXPECT_STREQ("SAME", self->env.set.unbound.records[100]->name);
	EXPECT_STREQ("/opt/dt/share/devtrace/fmt", self->env.set.unbound.records[100]->place.file->path);
	EXPECT_STREQ("SCHED_SWITCH", self->env.set.unbound.records[147]->name);
}

/* One mistake gives one message, and everything else works. */
static const struct {
	const char *text, *said;
} mistakes[] = {
	{ "record 300 R", "1:8: error: the number of a record type is at most 255; 300 is too large" },
	{ "record R", "1:8: error: the number of a record type, or in quotes the name of a type or a tracepoint expected, but there is 'R'" },
	{ "record 100", "1:11: error: the name of the record type expected, but there is the end of the file" },
	{ "record 125 R", "1:8: error: type 125 is for exceptions: describe them with major and minor" },
	{ "record 60 R", "1:8: error: type 60 belongs to devtrace itself; use 100-124 or 192-255" },
	{ "record 84 N", "1:8: error: type 84 belongs to devtrace itself; use 100-124 or 192-255" },
	{ "record \":write\"", "1:8: error: ':write' is neither the name of a type, such as PHILO_STAT, nor a tracepoint, such as i2c:i2c_write" },
	{ "record \"\"", "1:8: error: '' is neither the name of a type, such as PHILO_STAT, nor a tracepoint, such as i2c:i2c_write" },
	{ "record \"a:b c\"", "1:8: error: 'a:b c' is neither the name of a type, such as PHILO_STAT, nor a tracepoint, such as i2c:i2c_write" },
	{ "record \"a:b\" \"\"\nrecord \"a:b\"", "2:1: error: tracepoint 'a:b' was described before, in m.fmt:1:1" },
	{ "record \"a:b\" NAME", "1:14: error: enum, flags, for, image, major, needs or record expected, but there is 'NAME'" },
	{ "record 100 R (str n, mem d) \"%(d).(n)h\"", "1:36: error: 'n' is str, but a number of bytes is an integer" },
	{ "record 100 R (u8 n, mem d) \"%(d).(m)h\"", "1:35: error: no argument 'm'; there are: n, d" },
	{ "record 100 R (u8 n, str d) \"%(d).(n)s\"", "1:29: error: only %h takes the number of bytes from an argument, not %s" },
	{ "record 100 R \"%.(n)h\"", "1:18: error: 'n': arguments have names only in a list before the text" },
	{ "record 100 R (u9 a)", "1:15: error: unknown type 'u9'; there are: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 int float any str mem obj fun sig enum flags" },
	{ "record 100 R (u8)", "1:17: error: the name of the argument expected, but there is ')'" },
	{ "record 100 R (u8 a u8 b)", "1:20: error: ',' or ')' expected, but there is 'u8'" },
	{ "record 100 R (u8 a, u8 a)", "1:24: error: the list already has an argument 'a'" },
	{ "record 100 R (u8 a / 12)", "1:21: error: the divisor must be a power of ten from 10 to 1000000000" },
	{ "record 100 R (str a / 10)", "1:21: error: only an integer can have a divisor, not str" },
	{ "record 100 R (u8 a) \"%(b)u %(a)u\"", "1:24: error: no argument 'b'; there are: a" },
	{ "record 100 R (u8 a) \"%u %u\"", "1:25: error: there is no argument 2: the list has only 1" },
	{ "record 100 R (u8 a) \"%3$u %1$u\"", "1:22: error: there is no argument 3: the list has only 1" },
	{ "record 100 R (u8 a) \"%s\"", "1:22: error: 'a' is u8, but %s takes a string or something that has a name" },
	{ "record 100 R (str a) \"%d\"", "1:23: error: 'a' is str, but %d takes an integer" },
	{ "record 100 R (i32 a) \"%f\"", "1:23: error: 'a' is i32, but %f takes a floating point number or an integer with a divisor" },
	{ "record 100 R \"%(a)d\"", "1:17: error: 'a': arguments have names only in a list before the text" },
	{ "record 100 R \"%1$f %1$s\"", "1:20: error: %s takes a string or something that has a name, but an earlier conversion prints argument 1 as another type" },
	{ "record 100 R \"%q\"", "1:15: error: unknown conversion '%q'; the conversions are: d i u x X o b c f e g s p h H v {NAME}, and %% for a percent sign" },
	{ "record 100 R \"%n\"", "1:15: error: unknown conversion '%n'; the conversions are: d i u x X o b c f e g s p h H v {NAME}, and %% for a percent sign" },
	{ "record 100 R \"100%\"", "1:18: error: unknown conversion '%'; the conversions are: d i u x X o b c f e g s p h H v {NAME}, and %% for a percent sign" },
	{ "record 100 R \"%100d\"", "1:15: error: a width goes up to 99" },
	{ "record 100 R \"%.16f\"", "1:15: error: digits go up to 15" },
	{ "record 100 R \"%0$d\"", "1:15: error: arguments are counted from 1" },
	{ "record 100 R \"%33$d\"", "1:15: error: there is no argument 33: a description has at most 32" },
	{ "record 100 R \"%{x}\"", "1:17: error: no enum or flags 'x' is declared before this in the file" },
	{ "record 100 R \"%{x\"", "1:17: error: '}' is missing after the name of an enum or flags" },
	{ "record 100 R (enum x a, u8 b) \"%v\"", "1:20: error: no enum 'x' is declared before this in the file" },
	{ "record 100 R (flags x a)", "1:21: error: no flags 'x' is declared before this in the file" },
	{ "record 100 R \"a", "1:14: error: the string is not closed on its line: '\"' is missing" },
	{ "record 100 R \"a\\q\"", "1:16: error: unknown escape in a string; the escapes are: \\\\ \\\" \\n \\t \\xHH" },
	{ "record 100 R \"a\\x4\"", "1:16: error: unknown escape in a string; the escapes are: \\\\ \\\" \\n \\t \\xHH" },
	{ "record 0x1g R", "1:11: error: 'g' is not a digit of a hexadecimal number" },
	{ "record 12a R", "1:10: error: 'a' is not a digit of a decimal number" },
	{ "flags f { A = 99999999999999999999 }", "1:15: error: the number does not fit in 64 bits" },
	{ "flags f { A = 3 << 63 }", "1:15: error: the number does not fit in 64 bits" },
	{ "flags f { A = 0x40/0x30 }", "1:11: error: 'A' has bits that are not in its mask" },
	{ "flags f { A = 1<<63, B }", "1:22: error: the previous entry has the highest bit, so no value is left for 'B'" },
	{ "enum e { A, B = 0 }", "1:13: error: 'B' has the value 0, which 'A' has" },
	{ "enum e { A = }", "1:14: error: a value expected, but there is '}'" },
	{ "enum { A }", "1:6: error: a name for the enum expected, but there is '{'" },
	{ "enum e { A }\nflags e { A }", "2:7: error: this file already has an enum or flags 'e'" },
	{ "major 0x1000000 M { }", "1:7: error: the number of a major is at most 16777215; 16777216 is too large" },
	{ "major 1 M { minor 256 X }", "1:19: error: a minor is at most 255; 256 is too large" },
	{ "major 1 M { minor X }", "1:19: error: the number of the minor or '*' expected, but there is 'X'" },
	{ "major 1 M { severity hw4 \"x\" }", "1:22: error: a severity (hw0 to hw3, sw0 to sw3) expected, but there is 'hw4'" },
	{ "major 1 M { severity hw1 }", "1:26: error: a text for this severity expected, but there is '}'" },
	{ "major 1 M minor 1 X }", "1:11: error: '{' expected, but there is 'minor'" },
	{ "major 1 { minor 1 X }", "1:9: error: the name of the major expected, but there is '{'" },
	{ "major 1 M { minor 1 X", "1:22: error: '}' expected to end the major 'M', but there is the end of the file" },
	{ "major 1 M { what }", "1:13: error: minor, severity, enum, flags or '}' expected, but there is 'what'" },
	{ "minor 1 X", "1:1: error: a minor outside of a major" },
	{ "major 1 M {\nminor * A\nminor * B\n}", "3:1: error: minor * was described before, in m.fmt:2:1" },
	{ "flags f { A }\nrecord 100 R (enum f a)", "2:20: error: 'f' is flags, not an enum" },
	{ "enum e { A }\nrecord 100 R (flags e a)", "2:21: error: 'e' is an enum, not flags" },
	{ "enum e { A = 0b2 }", "1:16: error: '2' is not a digit of a binary number" },
	{ "what is this", "1:1: error: enum, flags, for, image, major, needs or record expected, but there is 'what'" },
	{ "record 100 R @", "1:14: error: '@' has no meaning here" },
	{ "record 100 R \xff", "1:14: error: '\\xff' has no meaning here" },
	{ "}", "1:1: error: enum, flags, for, image, major, needs or record expected, but there is '}'" },
};

TEST_F(fmt, mistakes)
{
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		char text[512], want[512];
		size_t n;

		/* Declarations before and after the mistake work. */
		snprintf(text, sizeof(text), "%s\nrecord 200 AFTER \"%%d\"", mistakes[i].text);
		snprintf(want, sizeof(want), "m.fmt:%s\n", mistakes[i].said);
		fmt_set_free(&self->env.set);
		env_init(&self->env);
		/* The message concerns the end of the file: nothing may follow. */
		if (strstr(want, "the end of the file"))
			text[strlen(mistakes[i].text)] = 0;
		env_add(&self->env, "before.fmt", "record 201 BEFORE");
		env_add(&self->env, "m.fmt", text);
		n = strchr(self->env.said, '\n') ? (size_t)(strchr(self->env.said, '\n') + 1 -
			self->env.said) : strlen(self->env.said);
		EXPECT_STREQ(want, self->env.said) {
			TH_LOG("%s", text);
		}
		EXPECT_LT(0, n);
		EXPECT_EQ(NULL, self->env.set.unbound.records[100]) {
			TH_LOG("used in spite of its mistake: %s", text);
		}
		EXPECT_NE(NULL, self->env.set.unbound.records[201]);
		if (text[strlen(mistakes[i].text)]) {
			EXPECT_NE(NULL, self->env.set.unbound.records[200]) {
				TH_LOG("what follows is lost: %s", text);
			}
		}
	}
}

TEST_F(fmt, several_mistakes)
{
	ADD("enum e { A = , B }\n"
	    "record 100 R (u8 a) \"%s\"\n"
	    "major 7 SEVEN {\n"
	    "	minor 1 GOOD \"fine\"\n"
	    "	minor 2 (u8 a)\n"
	    "	minor 3 ALSO_GOOD\n"
	    "}\n"
	    "record 101 S \"%d %q %w\"\n"
	    "record 102 T\n");
	EXPECT_SAID("a.fmt:1:14: error: a value expected, but there is ','\n"
		    "a.fmt:2:22: error: 'a' is u8, but %s takes a string or something that has a name\n"
		    "a.fmt:5:10: error: the name of the minor expected, but there is '('\n"
		    "a.fmt:8:18: error: unknown conversion '%q'; the conversions are: d i u x X o b c f e g s p h H v {NAME}, and %% for a percent sign\n"
		    "a.fmt:8:21: error: unknown conversion '%w'; the conversions are: d i u x X o b c f e g s p h H v {NAME}, and %% for a percent sign\n");
	EXPECT_NE(NULL, find(&self->env, 7, 1, 0));
	EXPECT_EQ(NULL, find(&self->env, 7, 2, 0));
	EXPECT_NE(NULL, find(&self->env, 7, 3, 0));
	EXPECT_EQ(NULL, self->env.set.unbound.records[101]);
	EXPECT_NE(NULL, self->env.set.unbound.records[102]);
	EXPECT_EQ(5, self->env.set.errors);
}

/* Stray text, and which of the records 100 and 101 it leaves intact. */
static const struct {
	const char *text, *said;
	bool first, second;
} strays[] = {
	{ "record 100 A \"a\"\n@ record 101 B", "2:1: error: '@' has no meaning here\n", true, true },
	{ "record 100 A \"a\"\n@@\nrecord 101 B", "2:1: error: '@' has no meaning here\n"
	  "m.fmt:2:2: error: '@' has no meaning here\n", true, true },
	{ "record 100 A\n# here\n@\nrecord 101 B", "3:1: error: '@' has no meaning here\n", true, true },
	{ "record 100 A @ record 101 B", "1:14: error: '@' has no meaning here\n", true, true },
	{ "record 100 A (u8 a)\n\t@\nrecord 101 B", "2:2: error: '@' has no meaning here\n", true, true },
	{ "record 100 A; @\nrecord 101 B", "1:15: error: '@' has no meaning here\n", true, true },
	{ "@ record 100 A\nrecord 101 B", "1:1: error: '@' has no meaning here\n", true, true },
	{ "record 100 A \"a\" @\nrecord 101 B", "1:18: error: '@' has no meaning here\n", false, true },
	{ "record 100 A\n@ \"a\"\nrecord 101 B", "2:1: error: '@' has no meaning here\n", false, true },
	{ "record 100 A (u8 a\n@\n, u8 b)\nrecord 101 B", "2:1: error: '@' has no meaning here\n", false, true },
	{ "record 100 A (u8 a,\n@ enum b)\nrecord 101 B", "2:1: error: '@' has no meaning here\n", false, true },
	{ "record 100 A\nrecord @\n101 B", "2:8: error: '@' has no meaning here\n", true, false },
	{ "record 100 A \"a\"\n12a\nrecord 101 B", "2:3: error: 'a' is not a digit of a decimal number\n", true, true },
	{ "record 100 A \"a\"\n\"\\q\" record 101 B",
	  "2:2: error: unknown escape in a string; the escapes are: \\\\ \\\" \\n \\t \\xHH\n", false, true },
	{ "record 100 A\nenum e { X }\n@\nrecord 101 B (enum e a)", "3:1: error: '@' has no meaning here\n",
	  true, true },
};

TEST_F(fmt, mistakes_between_declarations)
{
	size_t i;

	for (i = 0; i < sizeof(strays) / sizeof(strays[0]); i++) {
		char want[256];

		fmt_set_free(&self->env.set);
		env_init(&self->env);
		env_add(&self->env, "m.fmt", strays[i].text);
		snprintf(want, sizeof(want), "m.fmt:%s", strays[i].said);
		EXPECT_STREQ(want, self->env.said) {
			TH_LOG("%s", strays[i].text);
		}
		EXPECT_EQ(strays[i].first, self->env.set.unbound.records[100] != NULL) {
			TH_LOG("the first of: %s", strays[i].text);
		}
		EXPECT_EQ(strays[i].second, self->env.set.unbound.records[101] != NULL) {
			TH_LOG("the second of: %s", strays[i].text);
		}
	}
}

/* The same within a major, for minors and severities. */
TEST_F(fmt, mistakes_between_minors)
{
	ADD("major 7 SEVEN {\n"
	    "	minor 1 A \"a\"\n"
	    "	@ minor 2 B\n"
	    "	severity hw1 \"x\"\n"
	    "	@\n"
	    "	severity hw2 \"y\" @ severity hw3\n"
	    "		@ \"z\"\n"
	    "	minor 3 C @ }\n");
	EXPECT_SAID("a.fmt:3:2: error: '@' has no meaning here\n"
		    "a.fmt:5:2: error: '@' has no meaning here\n"
		    "a.fmt:6:19: error: '@' has no meaning here\n"
		    "a.fmt:7:3: error: '@' has no meaning here\n"
		    "a.fmt:8:12: error: '@' has no meaning here\n");
	EXPECT_STREQ("A", find(&self->env, 7, 1, 0)->name);
	EXPECT_STREQ("B", find(&self->env, 7, 2, 0)->name);
	EXPECT_NE(NULL, find(&self->env, 7, 9, 0xd));
	EXPECT_NE(NULL, find(&self->env, 7, 9, 0xe));
	EXPECT_EQ(NULL, find(&self->env, 7, 9, 0xf));
	EXPECT_EQ(NULL, find(&self->env, 7, 3, 0));
}

TEST_F(fmt, errors_are_limited)
{
	char *text = malloc(200000);
	size_t n = 0, i;

	for (i = 0; i < 10000; i++)
		n += sprintf(text + n, "record 400 R%zu\n", i);
	env_add(&self->env, "a.fmt", text);
	EXPECT_EQ(FMT_ERRORS_MAX, self->env.set.errors);
	EXPECT_NE(NULL, strstr(self->env.said, "note: too many errors"));
	free(text);
}

TEST_F(fmt, unused_argument_is_a_warning)
{
	ADD("record 100 R (u8 a, u8 b) \"%(b)u\"");
	EXPECT_SAID("a.fmt:1:18: warning: the text does not print 'a'\n");
	EXPECT_NE(NULL, self->env.set.unbound.records[100]);
}

TEST_F(fmt, warnings_are_limited)
{
	char *text = malloc(20000);
	size_t n = 0, said = 0, i;
	const char *p;

	for (i = 1; i <= FMT_WARNINGS_MAX + 10; i++)
		n += sprintf(text + n, "major %zu M%zu {\nminor 1 A (u8 a) \"\"\n}\n", i, i);
	env_add(&self->env, "a.fmt", text);
	for (p = self->env.said; (p = strstr(p, ": warning: ")); p++)
		said++;
	EXPECT_EQ(FMT_WARNINGS_MAX, said);
	EXPECT_EQ(FMT_WARNINGS_MAX + 10, self->env.set.warnings);
	p = strstr(self->env.said, "a.fmt:152:15: note: too many warnings");
	ASSERT_NE(NULL, p);
	EXPECT_EQ(NULL, strstr(strchr(p, '\n'), "note: "));
	EXPECT_NE(NULL, find(&self->env, FMT_WARNINGS_MAX + 10, 1, 0));
	/* Check the messages of this file only. */
	self->env.len = 0;
	ADD("record 100 R (u8 a, u8 b) \"%(b)u\"");
	EXPECT_SAID("a.fmt:1:18: warning: the text does not print 'a'\n");
	free(text);
}

TEST_F(fmt, too_many_arguments)
{
	char text[1024] = "record 100 R (";
	int i;

	for (i = 0; i < FMT_ARGS_MAX + 1; i++)
		sprintf(text + strlen(text), "%su8 a%d", i ? "," : "", i);
	strcat(text, ")");
	ADD(text);
	EXPECT_NE(NULL, strstr(self->env.said, "error: more than 32 arguments"));
}

TEST_F(fmt, labels_are_made_safe)
{
	ADD("enum e { \"a\\x1b[2J\" = 1 }\nrecord 100 R \"%{e}\"");
	put_u8(&self->e, 1);
	EXPECT_TEXT("a\\x1b[2J");
}

TEST_HARNESS_MAIN
