// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_log.c - DT_LOG() statements of a driver, as events and as images
 *
 * dtlog.ko has statements in two files and a header. The test reads the elements of its LOG events
 * and the names of its image as Documentation/log.rst describes them, and turns statements off. No
 * text of the driver is needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define DRIVER		"/sys/module/dtlog/"
#define SITES		"/sys/module/devtrace/parameters/sites"

/* The events of the statements in their order: see dtlog_main.c. */
static const struct {
	uint8_t severity;
	uint16_t object;
	const char *elements;
} statements[] = {
	{ 0, 0, "" },
	{ 0, 0, " I8:-1 U8:2 I16:-3 U16:4 I32:-5 U32:6 long:-7 ulong:8 I64:-9 U64:10 I32:1" },
	{ DEVTRACE_SW2, 0, " STR:abc STR:(null) STR:" },
	{ DEVTRACE_SW1, 0, " OBJ:hash" },
	{ 0, 77, " I32:1" },
	{ DEVTRACE_SW0, 0, " I32:1" },
	{ DEVTRACE_SW0, 0, " I32:2" },
	{ DEVTRACE_SW0, 0, " I32:2" },
	{ 0, 0, " I32:1 STR:[5007 bytes cut]" },
};

#define STATEMENTS	((int)(sizeof(statements) / sizeof(statements[0])))

FIXTURE(log) {
	uint32_t site[STATEMENTS];	/* site numbers */
};

FIXTURE_SETUP(log)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
}

FIXTURE_TEARDOWN(log)
{
	dev_unload_one("dtlog");
	dev_unload_one("dtchange");
	EXPECT_EQ(0, dev_done());
}

static int all_emit(void)
{
	return dev_write_file(DRIVER "parameters/emit", "1");
}

static int switch_site(const char *module, uint32_t index, const char *word)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %u %s", module, index, word);
	return dev_write_file(SITES, line) ? errno : 0;
}

/* Write the elements behind the site number as text. Return the site number. */
static uint32_t elements(const struct tape *t, const struct tape_event *e, char *to, size_t size)
{
	static const char *const names[] = {
		[DEVTRACE_E_I8] = "I8", [DEVTRACE_E_U8] = "U8", [DEVTRACE_E_I16] = "I16",
		[DEVTRACE_E_U16] = "U16", [DEVTRACE_E_I32] = "I32", [DEVTRACE_E_U32] = "U32",
		[DEVTRACE_E_STR] = "STR", [DEVTRACE_E_OBJ] = "OBJ", [DEVTRACE_E_I64] = "I64",
		[DEVTRACE_E_U64] = "U64", [DEVTRACE_E_X32] = "X32",
	};
	const uint8_t *data = t->data + e->data;
	struct devtrace_elem el;
	uint32_t nr = 0;
	size_t pos = 0, n = 0;
	int i;

	*to = 0;
	for (i = 0; devtrace_elem_next(data, e->len, &pos, &el) == 1 && n < size; i++) {
		const char *name = el.type <= DEVTRACE_E_X32 && names[el.type] ? names[el.type] : "?";

		if (!i) {
			/* without a width */
			if (data[0] != DEVTRACE_E_U32)
				return ~0U;
			nr = el.v.u;
			continue;
		}
		switch (el.type) {
		case DEVTRACE_E_STR:
			n += snprintf(to + n, size - n, " STR:%.*s", (int)el.v.mem.len,
				      (const char *)el.v.mem.p);
			break;
		case DEVTRACE_E_OBJ:
			n += snprintf(to + n, size - n, " OBJ:%s", el.v.u >> 63 ? "hash" : "address");
			break;
		case DEVTRACE_E_I8:
		case DEVTRACE_E_I16:
		case DEVTRACE_E_I32:
		case DEVTRACE_E_I64:
			n += snprintf(to + n, size - n, " %s:%lld", name, (long long)el.v.i);
			break;
		default:
			n += snprintf(to + n, size - n, " %s:%llu", name, (unsigned long long)el.v.u);
		}
	}
	return pos == e->len ? nr : ~0U;
}

/* A list of elements, with long and ulong as the kernel has them; this program may be smaller. */
static const char *wanted(const char *list)
{
	static char text[512];
	const char *l = strstr(list, "long:"), *u = strstr(list, "ulong:");
	struct utsname uts;
	int bits;

	if (!l || uname(&uts))
		return list;
	bits = strstr(uts.machine, "64") || !strcmp(uts.machine, "s390x") ? 64 : 32;
	snprintf(text, sizeof(text), "%.*sI%d%.*sU%d%s", (int)(l - list), list, bits,
		 (int)(u - l) - 4, l + 4, bits, u + 5);
	return text;
}

/* Check the newest LOG events, one for each statement that is not off. Return their number. */
static int log_events(struct __test_metadata *_metadata, FIXTURE_DATA(log) *self,
		      bool off[STATEMENTS])
{
	struct tape *t = tape_all(65536);
	const struct tape_event *e;
	char text[1024];
	int k = 0, i;
	size_t n;

	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (n = t->nev; n && t->ev[n - 1].type == DEVTRACE_T_LOG; n--)
		;
	for (i = 0; i < STATEMENTS && n < t->nev; i++) {
		if (off[i])
			continue;
		e = &t->ev[n++];
		self->site[i] = elements(t, e, text, sizeof(text));
		EXPECT_STREQ(wanted(statements[i].elements), text) TH_LOG("statement %d", i);
		EXPECT_EQ(statements[i].severity, e->severity) TH_LOG("statement %d", i);
		EXPECT_EQ(statements[i].object, e->object) TH_LOG("statement %d", i);
		EXPECT_EQ(0, e->flags & DEVTRACE_F_USER);
		k++;
	}
	EXPECT_EQ(n, t->nev);
	tape_free(t);
	return k;
}

/* The build-id in the driver's note, as text. */
static void build_id(char id[64])
{
	uint8_t note[64];
	int fd = open(DRIVER "notes/.note.gnu.build-id", O_RDONLY), i;
	ssize_t n = fd < 0 ? 0 : read(fd, note, sizeof(note));

	strcpy(id, "-");
	for (i = 0; i + 16 < n; i++)
		sprintf(id + 2 * i, "%02x", note[16 + i]);
	if (fd >= 0)
		close(fd);
}

/* A name of the image as a new reader gets it; "" if there is none. */
static void image_name(uint32_t image, uint8_t group, char name[64])
{
	struct tape *t = tape_all(65536);
	const char *s = t ? devtrace_decoder_name(t->d, DEVTRACE_T_IMAGE, 0, image, group, 0) : NULL;

	snprintf(name, 64, "%s", s ?: "");
	tape_free(t);
}

static void expect_image(struct __test_metadata *_metadata, uint32_t image)
{
	char id[64], name[64];

	build_id(id);
	EXPECT_STRNE("-", id);
	image_name(image, DEVTRACE_IMAGE_BUILD_ID, name);
	EXPECT_STREQ(id, name);
	image_name(image, DEVTRACE_IMAGE_PATH, name);
	EXPECT_STREQ("dtlog", name);
	/* Addresses of the kernel are secret. */
	image_name(image, DEVTRACE_IMAGE_ADDRESS, name);
	EXPECT_STREQ("", name);
}

TEST_F(log, statements_have_numbers_and_typed_arguments)
{
	bool off[STATEMENTS] = { false };
	int i, k;

	ASSERT_EQ(0, dev_load_file("dtlog.ko", ""));
	ASSERT_EQ(0, all_emit());
	ASSERT_EQ(STATEMENTS, log_events(_metadata, self, off));
	for (i = 0; i < STATEMENTS; i++) {
		EXPECT_EQ(self->site[0] >> 24, self->site[i] >> 24);
		for (k = 0; k < i; k++)
			EXPECT_NE(self->site[k], self->site[i]) TH_LOG("%d and %d", k, i);
	}
	expect_image(_metadata, self->site[0] >> 24);
}

TEST_F(log, a_statement_is_turned_off_and_on)
{
	bool off[STATEMENTS] = { false };
	char want[64], said[256];
	struct stat st;
	uint32_t index;
	int i;

	ASSERT_EQ(0, dev_load_file("dtlog.ko", ""));
	ASSERT_EQ(0, all_emit());
	ASSERT_EQ(STATEMENTS, log_events(_metadata, self, off));
	for (i = 0; i < STATEMENTS; i++) {
		index = self->site[i] & 0xffffff;
		off[i] = true;
		ASSERT_EQ(0, switch_site("dtlog", index, "off"));
		ASSERT_EQ(0, dev_write_file("/dev/trace", "mark"));
		ASSERT_EQ(0, all_emit());
		EXPECT_EQ(STATEMENTS - 1, log_events(_metadata, self, off));
		snprintf(want, sizeof(want), "dtlog %u %u\n", self->site[0] >> 24, index);
		ASSERT_LT(0, dev_read_file(SITES, said, sizeof(said)));
		EXPECT_STREQ(want, said);
		off[i] = false;
		ASSERT_EQ(0, switch_site("dtlog", index, "on"));
	}
	ASSERT_EQ(0, dev_write_file("/dev/trace", "mark"));
	ASSERT_EQ(0, all_emit());
	EXPECT_EQ(STATEMENTS, log_events(_metadata, self, off));
	/* Root alone; other words, drivers and indexes are refused. */
	ASSERT_EQ(0, stat(SITES, &st));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(EINVAL, switch_site("dtlog", index, "of"));
	EXPECT_EQ(EINVAL, switch_site("dtlog", index, "off x"));
	EXPECT_EQ(ENOENT, switch_site("dtlo", index, "off"));
	EXPECT_EQ(ENOENT, switch_site("devtrace", index, "off"));
}

/* The section has a byte for each statement, and one for each of the two files. */
TEST_F(log, only_statements_are_turned_off)
{
	int good = 0, i, err;
	char line[64];

	ASSERT_EQ(0, dev_load_file("dtlog.ko", ""));
	for (i = -300; i < 300; i++) {
		err = switch_site("dtlog", i & 0xffffff, "on");
		good += !err;
		EXPECT_TRUE(!err || err == ERANGE);
	}
	EXPECT_EQ(STATEMENTS, good);
	EXPECT_EQ(ERANGE, switch_site("dtlog", 0x1000001, "on"));
	EXPECT_EQ(ERANGE, switch_site("dtlog", 0x7fffff, "on"));
	EXPECT_EQ(ERANGE, switch_site("dtlog", 0x800000, "on"));
	/* 2^32, 2^32 + 1 and so on, and the same from 2^64 */
	for (i = 0; i < 40; i++) {
		snprintf(line, sizeof(line), "dtlog %llu on", (1ULL << 32) + i);
		EXPECT_EQ(-1, dev_write_file(SITES, line)) TH_LOG("%s", line);
		snprintf(line, sizeof(line), "dtlog 184467440737095516%d on", 16 + i);
		EXPECT_EQ(-1, dev_write_file(SITES, line)) TH_LOG("%s", line);
	}
}

TEST_F(log, numbers_are_of_this_devtrace_and_of_this_file)
{
	bool off[STATEMENTS] = { false };
	uint32_t image;

	/* The driver is loaded again: the same number. */
	ASSERT_EQ(0, dev_load_file("dtlog.ko", ""));
	ASSERT_EQ(0, all_emit());
	ASSERT_EQ(STATEMENTS, log_events(_metadata, self, off));
	image = self->site[0] >> 24;
	ASSERT_EQ(0, dev_unload_one("dtlog"));
	ASSERT_EQ(0, dev_load_file("dtlog.ko", ""));
	ASSERT_EQ(0, dev_write_file("/dev/trace", "mark"));
	ASSERT_EQ(0, all_emit());
	ASSERT_EQ(STATEMENTS, log_events(_metadata, self, off));
	EXPECT_EQ(image, self->site[0] >> 24);
	expect_image(_metadata, image);
	/* devtrace.ko goes and comes under the driver. */
	ASSERT_EQ(0, dev_unload_one("devtrace"));
	ASSERT_EQ(0, all_emit());
	ASSERT_EQ(0, dev_load_file("devtrace.ko", "size=256K"));
	ASSERT_EQ(0, all_emit());
	ASSERT_EQ(STATEMENTS, log_events(_metadata, self, off));
	expect_image(_metadata, self->site[0] >> 24);
}

/* The string of ../dttest/dtchange.c becomes shorter, and then longer, before it is copied. */
TEST_F(log, a_string_that_changes_is_one_element)
{
	char text[2][64];
	struct tape *t;
	size_t i, n = 0;

	ASSERT_EQ(0, dev_load_file("dtchange.ko", ""));
	ASSERT_EQ(0, dev_write_file("/sys/module/dtchange/parameters/emit", "1"));
	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev && n < 2; i++)
		if (t->ev[i].type == DEVTRACE_T_LOG)
			EXPECT_NE(~0U, elements(t, &t->ev[i], text[n++], sizeof(text[0])));
	ASSERT_EQ(2, n);
	EXPECT_STREQ(" STR:0123?56789 U32:7", text[0]);
	EXPECT_STREQ(" STR:0123 U32:7", text[1]);
	tape_free(t);
}

TEST_HARNESS_MAIN
