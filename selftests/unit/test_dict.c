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

TEST_HARNESS_MAIN
