// SPDX-License-Identifier: GPL-2.0-only
/* test_dict.c - the names of an event's record type and objects */
#include <string.h>

#include "kselftest_harness.h"
#include "fmtlang/fmt.h"
#include "teststream.h"

#define KERNEL	0
#define NAMED	70	/* a process with its own names */
#define OTHER	71

static int no_item(const struct devtrace_item *item, void *arg)
{
	(void)item;
	(void)arg;
	return 0;
}

FIXTURE(dict) {
	struct stream s;
	struct devtrace_decoder *d;
};

FIXTURE_SETUP(dict)
{
	struct stream *s = &self->s;

	stream_init(s, DEVTRACE_CHECK_CRC32);
	self->d = devtrace_decoder_new(no_item, NULL);
	ASSERT_NE(NULL, self->d);
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_name(s, DEVTRACE_T_USR, KERNEL, 100, 0, 0, "DRIVER");
	stream_name(s, DEVTRACE_T_USR, NAMED, 100, 0, 0, "PROGRAM");
	stream_name(s, DEVTRACE_T_USR, NAMED, 101, 0, 0, "ALONE");
	stream_name(s, DEVTRACE_T_OBJ, KERNEL, 0, 0, 1, "object");
	stream_name(s, DEVTRACE_T_OBJ, KERNEL, 0, 0, 2, "second");
	stream_name(s, DEVTRACE_T_IMAGE, KERNEL, 0, 0, 0, "abcd");
	stream_name(s, DEVTRACE_T_IMAGE, NAMED, 0, 0, 0, "1f3a");
	stream_name(s, DEVTRACE_T_IMAGE, NAMED, 0, 1, 0, "/bin/pumpd");
	stream_proc(s, NAMED, NAMED, "pumpd");
	stream_proc(s, NAMED + 100, NAMED, "worker");
	stream_proc(s, OTHER + 100, OTHER, "helper");
	devtrace_decoder_feed(self->d, s->bytes, s->len, NULL);
}

FIXTURE_TEARDOWN(dict)
{
	devtrace_decoder_free(self->d);
	stream_free(&self->s);
}

/* The emitter's name for this record type; program 0 is unknown. */
static const char *calls(struct devtrace_decoder *d, bool user, uint32_t tgid, uint8_t type)
{
	const struct devtrace_event e = {
		.type = type, .tgid = tgid, .flags = user ? DEVTRACE_F_USER : 0,
	};
	struct fmt_dict dict;

	fmt_dict_init(&dict, &e, d);
	return dict.names.record(&dict.names, type) ?: "";
}

TEST_F(dict, a_record_has_the_name_of_its_emitter)
{
	EXPECT_STREQ("PROGRAM", calls(self->d, true, NAMED, 100));
	EXPECT_STREQ("ALONE", calls(self->d, true, NAMED, 101));
	/* The driver's record is a different one. */
	EXPECT_STREQ("", calls(self->d, true, OTHER, 100));
	EXPECT_STREQ("", calls(self->d, true, 0, 100));
	/* The process of an event in an interrupt is the interrupted one. */
	EXPECT_STREQ("DRIVER", calls(self->d, false, NAMED, 100));
	EXPECT_STREQ("", calls(self->d, false, NAMED, 101));
}

TEST_F(dict, an_object_may_have_the_name_of_all)
{
	const struct devtrace_event e = { .tgid = OTHER, .flags = DEVTRACE_F_USER };
	struct fmt_dict dict;

	fmt_dict_init(&dict, &e, self->d);
	EXPECT_STREQ("object", fmt_dict_name(&dict, DEVTRACE_T_OBJ, 0, 0, 1));
	EXPECT_STREQ("object", dict.names.name(&dict.names, DEVTRACE_T_OBJ, 0, 0, 1));
}

static const char *emitter(struct devtrace_decoder *d, const struct devtrace_event *e)
{
	struct fmt_dict dict;

	fmt_dict_init(&dict, e, d);
	return dict.names.emitter(&dict.names) ?: "";
}

/* A program has the name of its main thread; until that has emitted an event, of this thread. */
TEST_F(dict, a_program_has_the_name_of_its_main_thread)
{
	struct devtrace_event e = { .tid = NAMED, .tgid = NAMED, .flags = DEVTRACE_F_USER };

	EXPECT_STREQ("pumpd", emitter(self->d, &e));
	e.tid = NAMED + 100;
	EXPECT_STREQ("pumpd", emitter(self->d, &e));
	e.tid = OTHER + 100;
	e.tgid = OTHER;
	EXPECT_STREQ("helper", emitter(self->d, &e));
	e.tid = e.tgid = 5;
	EXPECT_STREQ("", emitter(self->d, &e));
}

/* An event of the kernel: its object, or the first object among its elements. */
TEST_F(dict, a_driver_has_the_name_of_its_object)
{
	static const uint8_t data[] = {
		DEVTRACE_E_U8, 9, DEVTRACE_E_OBJ, 2, 0, 0, 0, 0, 0, 0, 0,
		DEVTRACE_E_OBJ, 1, 0, 0, 0, 0, 0, 0, 0,
	};
	struct devtrace_event e = {
		.tid = NAMED, .tgid = NAMED, .flags = DEVTRACE_F_OBJSIG, .object = 1,
		.data = data, .len = sizeof(data),
	};

	EXPECT_STREQ("object", emitter(self->d, &e));
	e.object = 3;
	EXPECT_STREQ("", emitter(self->d, &e));
	e.flags = DEVTRACE_F_PTR;
	EXPECT_STREQ("second", emitter(self->d, &e));
	e.len = 2;
	EXPECT_STREQ("", emitter(self->d, &e));
}

TEST_F(dict, images_of_the_emitter)
{
	struct devtrace_event e = { .tid = NAMED, .tgid = NAMED, .flags = DEVTRACE_F_USER };
	struct fmt_dict dict;
	const struct fmt_names *n = &dict.names;

	fmt_dict_init(&dict, &e, self->d);
	EXPECT_STREQ("1f3a", n->image(n, 0, FMT_IMAGE_ID));
	EXPECT_STREQ("/bin/pumpd", n->image(n, 0, FMT_IMAGE_PATH));
	EXPECT_EQ(NULL, n->image(n, 1, FMT_IMAGE_ID));
	e.tgid = 0;
	EXPECT_EQ(NULL, n->image(n, 0, FMT_IMAGE_ID));
	e.flags = 0;
	EXPECT_STREQ("abcd", n->image(n, 0, FMT_IMAGE_ID));
}

TEST_HARNESS_MAIN
