// SPDX-License-Identifier: GPL-2.0-only
/* test_fmt_owner.c - descriptions that are bound to programs, modules and builds */
#include "kselftest_harness.h"
#include "fmt_util.h"

FIXTURE(owner) {
	struct fmt_env	env;
};

FIXTURE_SETUP(owner)
{
	env_init(&self->env);
}

FIXTURE_TEARDOWN(owner)
{
	fmt_set_free(&self->env.set);
}

#define ADD(text)	env_add(&self->env, "a.fmt", text)
#define EXPECT_SAID(want) EXPECT_STREQ(want, self->env.said)

/* An emitter that has named no record but 100. */
static const char *mine(const struct fmt_names *names, uint8_t type)
{
	(void)names;
	return type == 100 ? "MINE" : NULL;
}

/* Somebody with an event: a program, a driver, and their images. */
struct somebody {
	struct fmt_names names;		/* must be first */
	const char *emitter, *ids[4], *paths[4];
};

static const char *emitter_of(const struct fmt_names *names)
{
	return ((const struct somebody *)(const void *)names)->emitter;
}

static const char *image_of(const struct fmt_names *names, unsigned int number,
			    enum fmt_image_group group)
{
	const struct somebody *s = (const struct somebody *)(const void *)names;

	return number > 3 ? NULL : group == FMT_IMAGE_ID ? s->ids[number] : s->paths[number];
}

/* The name of the description of record 104 that somebody emits; "": none. */
static const char *owned(struct fmt_env *env, bool user, struct somebody s)
{
	const struct devtrace_event ev = { .type = 104, .flags = user ? DEVTRACE_F_USER : 0 };
	const struct fmt_major *m;
	const struct fmt_entry *e;

	s.names = (struct fmt_names){ .record = mine, .emitter = emitter_of, .image = image_of };
	e = fmt_find(&env->set, &ev, &s.names, &m);
	return e ? e->name : "";
}

#define PROGRAM(...)	owned(&self->env, true, (struct somebody){ __VA_ARGS__ })
#define DRIVER(...)	owned(&self->env, false, (struct somebody){ __VA_ARGS__ })

TEST_F(owner, bound_to_a_program)
{
	ADD("for program a, \"b c\" { record 104 AB }\nfor program d\nrecord 104 D\n"
	    "for program \"a-program-of-20-chars\" { record 104 LONG } record 105 D\n"
	    "for module a { record 104 MODULE }\n");
	EXPECT_SAID("");
	EXPECT_STREQ("AB", PROGRAM(.emitter = "a"));
	EXPECT_STREQ("AB", PROGRAM(.emitter = "b c"));
	EXPECT_STREQ("D", PROGRAM(.emitter = "d"));
	EXPECT_STREQ("LONG", PROGRAM(.emitter = "a-program-of-20"));
	EXPECT_STREQ("", PROGRAM(.emitter = "a-program-of-2"));
	EXPECT_STREQ("LONG", PROGRAM(.emitter = "a-program-of-20",
				     .paths = { "/lib/libx.so", "/bin/a-program-of-20-chars" }));
	EXPECT_STREQ("", PROGRAM(.emitter = "a-program-of-20", .paths = { "/bin/a-program-of-20-more" }));
	EXPECT_STREQ("", PROGRAM(.emitter = "x", .paths = { "/bin/a-program-of-20" }));
	EXPECT_STREQ("", PROGRAM(.emitter = "c"));
	EXPECT_STREQ("", PROGRAM(.emitter = NULL));
	EXPECT_STREQ("D", PROGRAM(.emitter = "c", .paths = { "/lib/libx.so", "/bin/d" }));
	EXPECT_STREQ("AB", PROGRAM(.emitter = "a", .paths = { "/bin/d" }));
	EXPECT_STREQ("", PROGRAM(.emitter = "c", .paths = { NULL, "/bin/d" }));
	EXPECT_STREQ("MODULE", DRIVER(.emitter = "a"));
	EXPECT_STREQ("", DRIVER(.emitter = "d"));
	/* Braces end, and what was before them continues. */
	EXPECT_EQ(NULL, self->env.set.unbound.records[105]);
}

/* If two names are cut to the same, only the file tells whose the event is. */
TEST_F(owner, names_that_are_cut)
{
	ADD("for program \"a-program-of-20-1\" { record 104 ONE }\n"
	    "for program \"a-program-of-20-2\" { record 104 TWO }");
	EXPECT_STREQ("", PROGRAM(.emitter = "a-program-of-20"));
	EXPECT_STREQ("TWO", PROGRAM(.emitter = "a-program-of-20",
				    .paths = { "/lib/libx.so", "/bin/a-program-of-20-2" }));
	EXPECT_STREQ("ONE", PROGRAM(.emitter = "a-program-of-20", .paths = { "a-program-of-20-1" }));
	ADD("for program libx { record 104 LIB }");
	EXPECT_STREQ("TWO", PROGRAM(.emitter = "a-program-of-20",
				    .paths = { "/lib/libx", "/bin/a-program-of-20-2" }));
	ADD("for program \"a-program-of-20\" { record 104 SHORT }");
	EXPECT_STREQ("SHORT", PROGRAM(.emitter = "a-program-of-20"));
}

TEST_F(owner, bound_to_a_module)
{
	ADD("for module \"a-b\" { record 104 AB }\nfor program p { record 104 P }");
	EXPECT_STREQ("AB", DRIVER(.emitter = "a_b"));
	EXPECT_STREQ("AB", DRIVER(.emitter = "a-b:3"));
	EXPECT_STREQ("AB", DRIVER(.emitter = "a_b 3"));
	EXPECT_STREQ("", DRIVER(.emitter = "a_b3"));
	EXPECT_STREQ("", DRIVER(.emitter = "a_b-3"));
	EXPECT_STREQ("", DRIVER(.emitter = ":a_b"));
	EXPECT_STREQ("", DRIVER(.emitter = "p"));
	EXPECT_STREQ("", DRIVER(.emitter = NULL));
	EXPECT_STREQ("", PROGRAM(.emitter = "a_b"));
}

TEST_F(owner, bound_to_a_build)
{
	ADD("for program p { record 104 P }\nfor build \"aaaa\", \"bbbb\" { record 104 NEW }\n"
	    "for build \"cccc\" { record 104 THIRD }\nfor module m { record 104 M }");
	EXPECT_STREQ("NEW", PROGRAM(.emitter = "p", .ids = { "aaaa" }));
	EXPECT_STREQ("P", PROGRAM(.emitter = "p", .ids = { "dddd" }));
	EXPECT_STREQ("NEW", PROGRAM(.ids = { "dddd", NULL, NULL, "bbbb" }));
	EXPECT_STREQ("NEW", PROGRAM(.ids = { "aaaa", "cccc" }));
	EXPECT_STREQ("", PROGRAM(.ids = { "dddd", "-" }));
	/* A driver has the last of its builds; those of other drivers do not count. */
	EXPECT_STREQ("NEW", DRIVER(.emitter = "m", .ids = { "bbbb" }, .paths = { "m" }));
	EXPECT_STREQ("THIRD", DRIVER(.emitter = "m:0", .ids = { "aaaa", "cccc", "bbbb" },
				     .paths = { "m", "m", "n" }));
	EXPECT_STREQ("M", DRIVER(.emitter = "m", .ids = { "bbbb" }, .paths = { "n" }));
	EXPECT_STREQ("", DRIVER(.ids = { "aaaa" }, .paths = { "m" }));
}

/* A bound description comes first, then the place decides, even if the user named the file. */
TEST_F(owner, bound_before_all_others)
{
	ADD("record 104 ANY\nrecord 105 ANY");
	self->env.set.place++;
	self->env.set.given = 1;
	env_add(&self->env, "b.fmt", "for program a { record 104 A record 100 BOUND }");
	self->env.set.place++;
	env_add(&self->env, "c.fmt", "for program a { record 104 LATER }");
	EXPECT_SAID("");
	EXPECT_STREQ("A", PROGRAM(.emitter = "a"));
	EXPECT_STREQ("ANY", PROGRAM(.emitter = "b"));
	EXPECT_STREQ("ANY", self->env.set.unbound.records[105]->name);
}

/* A major is bound with all its codes; files that are not bound may add codes to it. */
TEST_F(owner, bound_majors)
{
	struct somebody s = {
		.names = { .record = mine, .emitter = emitter_of, .image = image_of },
		.emitter = "a",
	};
	struct devtrace_event ev = {
		.type = DEVTRACE_T_EXC, .flags = DEVTRACE_F_CODE | DEVTRACE_F_USER,
		.code = DEVTRACE_CODE(7, 1),
	};
	const struct fmt_major *m;

	ADD("for program a { major 7 A { minor 1 ONE } }\nfor program b { major 7 B { minor 1 UNO } }");
	env_add(&self->env, "b.fmt", "major 7 A { minor 1 EIN minor 2 TWO }");
	EXPECT_SAID("");
	EXPECT_STREQ("ONE", fmt_find(&self->env.set, &ev, &s.names, &m)->name);
	ev.code = DEVTRACE_CODE(7, 2);
	EXPECT_STREQ("TWO", fmt_find(&self->env.set, &ev, &s.names, &m)->name);
	ev.code = DEVTRACE_CODE(7, 3);
	EXPECT_EQ(NULL, fmt_find(&self->env.set, &ev, &s.names, &m));
	EXPECT_STREQ("A", m->name);
	s.emitter = "b";
	ev.code = DEVTRACE_CODE(7, 2);
	EXPECT_EQ(NULL, fmt_find(&self->env.set, &ev, &s.names, &m));
	EXPECT_STREQ("B", m->name);
	s.emitter = "c";
	EXPECT_STREQ("TWO", fmt_find(&self->env.set, &ev, &s.names, &m)->name);
}

/* If it is not known to whom descriptions are bound, nobody's events are printed with them. */
TEST_F(owner, for_with_a_mistake)
{
	ADD("for program a, { record 104 A }\nrecord 101 R\nfor build \"x\"\nrecord 102 R\n"
	    "for program b { record 105 B }\nrecord 103 R\n");
	env_add(&self->env, "b.fmt", "for program c { record 104 C");
	EXPECT_SAID("a.fmt:1:16: error: the name of a program expected, but there is '{'\n"
		    "a.fmt:3:11: error: a build-id has 4 to 63 hexadecimal digits, in lower case\n"
		    "b.fmt:1:29: error: '}' expected to end 'for', but there is the end of the file\n");
	EXPECT_STREQ("", PROGRAM(.emitter = "a"));
	EXPECT_STREQ("C", PROGRAM(.emitter = "c"));
	EXPECT_NE(NULL, self->env.set.unbound.records[101]);
	EXPECT_EQ(NULL, self->env.set.unbound.records[102]);
	EXPECT_EQ(NULL, self->env.set.unbound.records[103]);
}

/* Older files may have the word as a name. */
TEST_F(owner, for_as_a_name)
{
	ADD("enum for { for,\nfor = 2 }\nrecord 104 for (enum for\nfor) \"%(for)v\"");
	EXPECT_SAID("");
	EXPECT_NE(NULL, self->env.set.unbound.records[104]);
}

/* One mistake gives one message, and everything after it works. */
static const struct {
	const char *text, *said;
} mistakes[] = {
	{ "for program { record 1 R }", "1:13: error: the name of a program expected, but there is '{'" },
	{ "for module 7 { record 1 R }", "1:12: error: the name of a module expected, but there is the number 7" },
	{ "for build abcd { record 1 R }", "1:11: error: the build-id in quotation marks expected, but there is 'abcd'" },
	{ "for module a-b { record 1 R }", "1:13: error: ',', '{' or a declaration (a name with other characters than letters, digits and _ is a string) expected, but there is '-'" },
	{ "for build \"xyzw\" { record 1 R }", "1:11: error: a build-id has 4 to 63 hexadecimal digits, in lower case" },
	{ "for program \"\" { record 1 R }", "1:13: error: the name of a program has 1 to 63 characters, and no control characters" },
	{ "for program \"a\\nb\" { record 1 R }", "1:13: error: the name of a program has 1 to 63 characters, and no control characters" },
	{ "for program \"/bin/a\" { record 1 R }", "1:13: error: '/bin/a': the name of a program has no directory" },
	{ "for program a { record \"a:b\" }", "1:17: error: a tracepoint belongs to the kernel, not to a program or module" },
	{ "for module a { record 128 R }", "1:23: error: type 128 belongs to the kernel, not to a program or module" },
	{ "for program a { record 1 R }\nfor program a { record 1 S }", "2:17: error: record type 1, 'S', was described as 'R' before, in m.fmt:1:17" },
	{ "for program a { major 1 M { } }\nfor program a { major 1 N { } }", "2:17: error: major 0x000001, 'N', has the name 'M' in m.fmt:1:17" },
	{ "for driver a", "1:1: error: enum, flags, for, image, major, needs or record expected, but there is 'for'" },
};

TEST_F(owner, mistakes)
{
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		char want[512], text[512];

		snprintf(text, sizeof(text), "%s\nrecord 200 AFTER \"%%d\"", mistakes[i].text);
		snprintf(want, sizeof(want), "m.fmt:%s\n", mistakes[i].said);
		env_add(&self->env, "m.fmt", text);
		EXPECT_SAID(want) {
			TH_LOG("text: %s", text);
		}
		EXPECT_NE(NULL, self->env.set.unbound.records[200]) {
			TH_LOG("what follows is lost: %s", text);
		}
		fmt_set_free(&self->env.set);
		env_init(&self->env);
	}
}

TEST_HARNESS_MAIN
