// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_names.c - the dictionary
 *
 * Each reader gets each name once, before the events that use it, however often it was set and
 * however old it is. The store is bounded, and no program can use up the room of others.
 * test_proc_names.c tests names of threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "lanes.h"

#define NAMES	16

FIXTURE(device) {
	int wfd;
};

FIXTURE_SETUP(device)
{
	char params[64];

	dev_seed();
	snprintf(params, sizeof(params), "size=64K names=%d", NAMES);
	ASSERT_EQ(0, dev_load(params));
	self->wfd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->wfd);
}

FIXTURE_TEARDOWN(device)
{
	close(self->wfd);
	EXPECT_EQ(0, dev_done());
}

/* A new reader's name for this key; it gets `want` names in all. */
static const char *name_of(struct tape **t, uint8_t kind, uint32_t scope, uint32_t value,
			   uint8_t group, uint64_t key)
{
	tape_free(*t);
	*t = tape_all(4096);
	if (!*t || !tape_clean(*t))
		return "(no stream)";
	return devtrace_decoder_name((*t)->d, kind, scope, value, group, key);
}

TEST_F(device, every_kind_comes_back)
{
	const char *longest = "123456789012345678901234567890123456789012345678901234567890123";
	struct tape *t = NULL;
	pid_t me = getpid();

	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 0x7e7d, "an object"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, ~0ULL, "at the end"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_FUN, 0, 0, 0x123456789abcdef0, longest));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_SIG, 0, 5, 0, "any"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_SIG, 0, 5, 0x7e7d, "its"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_USR, 0, 255, 0, "type"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_ENUM, 7, 255, 0, "value"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_IMAGE, 2, 254, 0, "0x0"));
	EXPECT_STREQ("an object", name_of(&t, DEVTRACE_T_OBJ, me, 0, 0, 0x7e7d));
	EXPECT_STREQ("at the end", name_of(&t, DEVTRACE_T_OBJ, me, 0, 0, ~0ULL));
	EXPECT_STREQ(longest, name_of(&t, DEVTRACE_T_FUN, me, 0, 0, 0x123456789abcdef0));
	EXPECT_STREQ("any", name_of(&t, DEVTRACE_T_SIG, me, 5, 0, 9));
	EXPECT_STREQ("its", name_of(&t, DEVTRACE_T_SIG, me, 5, 0, 0x7e7d));
	EXPECT_STREQ("type", name_of(&t, DEVTRACE_T_USR, me, 255, 0, 0));
	EXPECT_STREQ("value", name_of(&t, DEVTRACE_T_ENUM, me, 255, 7, 0));
	EXPECT_STREQ("0x0", name_of(&t, DEVTRACE_T_IMAGE, me, 254, 2, 0));
	EXPECT_EQ(8, t->dicts);
	/* of this process only */
	EXPECT_EQ(NULL, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, me + 1, 0, 0, 0x7e7d));
	EXPECT_EQ(NULL, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, 0, 0, 0, 0x7e7d));
	tape_free(t);
}

TEST_F(device, every_field_is_checked)
{
	static const struct devtrace_dict bad[] = {
		{ .kind = 0, .name = "x" },
		{ .kind = DEVTRACE_T_PROC, .name = "x" },
		{ .kind = DEVTRACE_T_INFO, .name = "x" },
		{ .kind = DEVTRACE_T_USER, .name = "x" },
		{ .kind = 255, .name = "x" },
		{ .kind = DEVTRACE_T_OBJ },
		{ .kind = DEVTRACE_T_OBJ, .reserved = 1, .name = "x" },
		{ .kind = DEVTRACE_T_OBJ, .group = 1, .name = "x" },
		{ .kind = DEVTRACE_T_OBJ, .value = 1, .name = "x" },
		{ .kind = DEVTRACE_T_FUN, .group = 1, .name = "x" },
		{ .kind = DEVTRACE_T_FUN, .value = 1, .name = "x" },
		{ .kind = DEVTRACE_T_SIG, .group = 1, .name = "x" },
		{ .kind = DEVTRACE_T_USR, .group = 1, .name = "x" },
		{ .kind = DEVTRACE_T_USR, .value = 256, .name = "x" },
		{ .kind = DEVTRACE_T_USR, .key = 1, .name = "x" },
		{ .kind = DEVTRACE_T_ENUM, .group = 8, .name = "x" },
		{ .kind = DEVTRACE_T_ENUM, .value = 256, .name = "x" },
		{ .kind = DEVTRACE_T_ENUM, .key = 1, .name = "x" },
		{ .kind = DEVTRACE_T_IMAGE, .group = 3, .name = "x" },
		{ .kind = DEVTRACE_T_IMAGE, .value = 255, .name = "x" },
		{ .kind = DEVTRACE_T_IMAGE, .key = 1, .name = "x" },
	};
	struct devtrace_dict d = { .kind = DEVTRACE_T_OBJ, .key = 1 };
	struct tape *t;
	int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_DICT, &bad[i])) TH_LOG("no. %d", i);
		EXPECT_EQ(EINVAL, errno);
	}
	/* unterminated */
	memset(d.name, 'x', sizeof(d.name));
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_DICT, &d));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(self->wfd, DEVTRACE_IOC_DICT, NULL));
	EXPECT_EQ(EFAULT, errno);
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_EQ(0, t->dicts);
	tape_free(t);
}

TEST_F(device, the_same_again_is_not_stored_twice)
{
	struct devtrace_dict d = { .kind = DEVTRACE_T_OBJ, .key = 1, .name = "one" };
	struct tape *t = NULL, *live = tape_new();
	int i, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);

	ASSERT_LE(0, fd);
	for (i = 0; i < 100; i++) {
		/* bytes behind the end of the name do not matter */
		memset(d.name + 4, i, sizeof(d.name) - 4);
		EXPECT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_DICT, &d));
		ASSERT_LE(0, tape_drain(live, fd));
	}
	EXPECT_EQ(1, live->dicts);
	EXPECT_STREQ("one", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_EQ(1, t->dicts);
	/* another name replaces it, for present readers too */
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "two"));
	EXPECT_STREQ("two", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_EQ(1, t->dicts);
	ASSERT_LT(0, tape_drain(live, fd));
	EXPECT_EQ(2, live->dicts);
	EXPECT_STREQ("two", devtrace_decoder_name(live->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	for (i = 0; i < 1000; i++)
		EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, i & 1 ? "a" : "b"));
	EXPECT_STREQ("a", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_EQ(1, t->dicts);
	tape_free(t);
	tape_free(live);
	close(fd);
}

TEST_F(device, stays_when_rings_wrap_and_are_cleared)
{
	struct tape *t = NULL;
	int i;

	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_USR, 0, 100, 0, "sticky"));
	for (i = 0; i < 10000; i++)
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
	EXPECT_STREQ("sticky", name_of(&t, DEVTRACE_T_USR, getpid(), 100, 0, 0));
	EXPECT_LT(0, tape_lost(t, -1));
	EXPECT_EQ(0, ioctl(self->wfd, DEVTRACE_IOC_CLEAR));
	EXPECT_STREQ("sticky", name_of(&t, DEVTRACE_T_USR, getpid(), 100, 0, 0));
	tape_free(t);
}

struct order {
	bool named, before;
	uint64_t events;
};

static void in_order(struct tape *t, const struct devtrace_item *i)
{
	struct order *o = t->arg;

	if (i->kind == DEVTRACE_ITEM_DICT)
		o->named = true;
	if (i->kind == DEVTRACE_ITEM_EVENT) {
		o->events++;
		if (!o->named)
			o->before = true;
	}
}

/* A name set before an event comes before it, also for a waiting reader. */
TEST_F(device, comes_before_the_events_that_use_it)
{
	struct order o = { 0 };
	struct tape *t = tape_new();
	int i, fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);

	ASSERT_LE(0, fd);
	t->each = in_order;
	t->arg = &o;
	ASSERT_LT(0, tape_drain(t, fd));
	for (i = 0; i < 200; i++) {
		o.named = false;
		EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, i % 8, i / 8 & 1 ? "x" : "y"));
		EXPECT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
		while (o.events < i + 1)
			ASSERT_LE(0, tape_drain(t, fd));
	}
	EXPECT_FALSE(o.before);
	tape_free(t);
	close(fd);
}

/* The names of each kind at its events. */
#define GIVEN	4
#define KINDS	5

static const struct {
	uint8_t kind, group;
	uint32_t value;
	uint64_t key;
} things[KINDS] = {
	{ DEVTRACE_T_OBJ, 0, 0, 0x7e7d }, { DEVTRACE_T_FUN, 0, 0, 0x7e7d },
	{ DEVTRACE_T_SIG, 0, 5, 0x7e7d }, { DEVTRACE_T_USR, 0, 200, 0 },
	{ DEVTRACE_T_ENUM, 3, 5, 0 },
};

static const char *const given[GIVEN] = { NULL, "motor", "valve", "pump" };

struct holds {
	uint32_t scope;
	uint64_t events, wrong;
};

static void note_names(struct tape *t, const struct devtrace_item *item)
{
	const struct tape_event *e = &t->ev[t->nev - 1];
	struct holds *h = t->arg;
	const char *name;
	int i;

	if (item->kind != DEVTRACE_ITEM_EVENT || e->tag != 77)
		return;
	h->events++;
	for (i = 0; i < KINDS; i++) {
		name = devtrace_decoder_name(t->d, things[i].kind, h->scope, things[i].value,
					     things[i].group, things[i].key);
		if (strcmp(name ?: "", given[e->nr] ?: "") && !h->wrong++)
			dev_say("kind %u of event %u: '%s', not '%s'", things[i].kind, e->nr,
				name ?: "", given[e->nr] ?: "");
	}
}

static struct tape *holding_tape(struct holds *h)
{
	struct tape *t = tape_new();

	*h = (struct holds){ .scope = getpid() };
	t->each = note_names;
	t->arg = h;
	return t;
}

/* A reused address: each event has the name of its own time. */
TEST_F(device, holds_from_the_time_it_was_given)
{
	struct holds live_h, lags_h, late_h, back_h, again_h;
	struct tape *live = holding_tape(&live_h), *lags = holding_tape(&lags_h);
	struct tape *late = holding_tape(&late_h), *back = holding_tape(&back_h);
	struct tape *again = holding_tape(&again_h);
	int rfd[3], i, k;
	uint64_t middle = 0;
	struct lane l;

	for (i = 0; i < 3; i++)
		rfd[i] = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, rfd[2]);
	ASSERT_EQ(0, lane_open(&l, self->wfd, 0));
	ASSERT_LE(0, tape_drain(lags, rfd[1]));
	for (i = 0; i < GIVEN; i++) {
		for (k = 0; i && k < KINDS; k++)
			ASSERT_EQ(0, dev_name(self->wfd, things[k].kind, things[k].group,
					      things[k].value, things[k].key, given[i]));
		if (i == 2)
			middle = dev_now();
		for (k = 0; k < 3; k++) {
			ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 77, i));
			lane_mark(&l, DEVTRACE_T_USER, 77, i);
			ASSERT_EQ(4, write(self->wfd, "text", 4));
		}
		while (live_h.events < 6 * (i + 1))
			ASSERT_LE(0, tape_drain(live, rfd[0]));
	}
	/* Readers that lag, and new ones. */
	while (lags_h.events < 6 * GIVEN)
		ASSERT_LE(0, tape_drain(lags, rfd[1]));
	while (late_h.events < 6 * GIVEN)
		ASSERT_LE(0, tape_drain(late, rfd[2]));
	/* Readers that seek back, and ones that begin another file there. */
	ASSERT_LT(0, lseek(rfd[2], middle, SEEK_SET));
	while (back_h.events < 6 * (GIVEN - 2))
		ASSERT_LE(0, tape_drain(back, rfd[2]));
	ASSERT_LT(0, lseek(rfd[1], middle, SEEK_SET));
	ASSERT_LE(0, ioctl(rfd[1], DEVTRACE_IOC_ANNOUNCE));
	while (again_h.events < 6 * (GIVEN - 2))
		ASSERT_LE(0, tape_drain(again, rfd[1]));
	EXPECT_EQ(0, live_h.wrong);
	EXPECT_EQ(0, lags_h.wrong);
	EXPECT_EQ(0, late_h.wrong);
	EXPECT_EQ(0, back_h.wrong);
	EXPECT_EQ(0, again_h.wrong);
	lane_close(&l);
	for (i = 0; i < 3; i++)
		close(rfd[i]);
	tape_free(live);
	tape_free(lags);
	tape_free(late);
	tape_free(back);
	tape_free(again);
}

/* Replaced names do not take room from current ones. */
TEST_F(device, old_ones_go_first)
{
	struct tape *t = NULL;
	char name[16];
	int i;

	ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "stays"));
	for (i = 0; i < 3 * NAMES; i++) {
		snprintf(name, sizeof(name), "name-%d", i);
		ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_USER, 1, i));
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 2, name));
	}
	EXPECT_STREQ("stays", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_STREQ(name, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 2));
	/* A renamed object keeps as many names as fit. */
	EXPECT_EQ(NAMES, t->dicts);
	for (i = 0; i < NAMES - 2; i++)
		ASSERT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 100 + i, "another"));
	EXPECT_STREQ("stays", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_STREQ(name, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 2));
	EXPECT_EQ(NAMES, t->dicts);
	tape_free(t);
}

static int fill(int fd, int from, int n)
{
	int i;

	for (i = from; i < from + n; i++)
		if (dev_name(fd, DEVTRACE_T_OBJ, 0, 0, 1000 + i, "filler"))
			return i - from;
	return n;
}

TEST_F(device, has_a_bound_and_its_own_oldest_go)
{
	struct tape *t = NULL;
	int status;
	pid_t pid;

	/* the maximum; a process's oldest name makes room */
	EXPECT_EQ(NAMES, fill(self->wfd, 0, NAMES));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "one more"));
	EXPECT_STREQ("one more", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_EQ(NAMES, t->dicts);
	EXPECT_EQ(NULL, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 1000));
	EXPECT_STREQ("filler", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 1001));
	/* names can be set again and changed without evicting others */
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1001, "filler"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1001, "renamed"));
	EXPECT_STREQ("renamed", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1001));
	EXPECT_EQ(NAMES, t->dicts);

	/* a second process takes room from the first until both have the same number */
	pid = fork();
	if (!pid)
		_exit(fill(self->wfd, 100, NAMES) != NAMES);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_STREQ("one more", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_EQ(NAMES, t->dicts);
	EXPECT_STREQ("filler", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, pid, 0, 0,
						     1100 + NAMES - 1));
	EXPECT_EQ(NULL, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, pid, 0, 0, 1100));
	tape_free(t);
}

TEST_F(device, the_dead_make_room_but_not_all_of_it)
{
	struct tape *t = NULL;
	int status;
	pid_t pid;

	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "mine 1"));
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 2, "mine 2"));
	pid = fork();
	if (!pid)
		_exit(fill(self->wfd, 0, NAMES - 2) != NAMES - 2);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* the names of a dead process stay until the room is needed */
	EXPECT_STREQ("filler", name_of(&t, DEVTRACE_T_OBJ, pid, 0, 0, 1000));
	EXPECT_EQ(NAMES, t->dicts);
	/* its oldest one goes first */
	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 3, "mine 3"));
	EXPECT_STREQ("mine 3", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 3));
	EXPECT_EQ(NAMES, t->dicts);
	EXPECT_EQ(NULL, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, pid, 0, 0, 1000));
	EXPECT_STREQ("filler", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, pid, 0, 0, 1001));
	EXPECT_STREQ("mine 1", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	/* live processes do not evict all names of dead ones */
	EXPECT_EQ(3 * NAMES, fill(self->wfd, 100, 3 * NAMES));
	name_of(&t, 0, 0, 0, 0, 0);
	EXPECT_EQ(NAMES, t->dicts);
	EXPECT_STREQ("filler", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, pid, 0, 0,
						     1000 + NAMES - 3));
	tape_free(t);
}

/* Give the two images of a program their names, and emit an event. */
static int give_images(int fd, uint32_t nr, const char *first, const char *second)
{
	return dev_name(fd, DEVTRACE_T_IMAGE, DEVTRACE_IMAGE_BUILD_ID, 0, 0, first) ||
	       dev_name(fd, DEVTRACE_T_IMAGE, DEVTRACE_IMAGE_BUILD_ID, 1, 0, second) ||
	       dev_emit_mark(fd, DEVTRACE_T_LOG, 78, nr) ? 1 : 0;
}

/* Build-ids that a program had at its event @nr. */
static struct images {
	uint32_t tgid;
	char first[DEVTRACE_NAME_MAX], second[DEVTRACE_NAME_MAX];
} images[4];

static void note_images(struct tape *t, const struct devtrace_item *item)
{
	const struct tape_event *e = &t->ev[t->nev - 1];
	const char *name;
	struct images *i;

	if (item->kind != DEVTRACE_ITEM_EVENT || e->tag != 78 || e->nr >= 4)
		return;
	i = &images[e->nr];
	i->tgid = e->tgid;
	name = devtrace_decoder_name(t->d, DEVTRACE_T_IMAGE, e->tgid, 0,
				     DEVTRACE_IMAGE_BUILD_ID, 0);
	snprintf(i->first, sizeof(i->first), "%s", name ?: "");
	name = devtrace_decoder_name(t->d, DEVTRACE_T_IMAGE, e->tgid, 1,
				     DEVTRACE_IMAGE_BUILD_ID, 0);
	snprintf(i->second, sizeof(i->second), "%s", name ?: "");
}

/* A child has names of its own; a program that is executed replaces them; they outlive it. */
TEST_F(device, images_of_a_process_that_forks_executes_and_exits)
{
	struct tape *t = tape_new();
	int status, fd;
	pid_t pid;

	ASSERT_EQ(0, give_images(self->wfd, 0, "aa", "bb"));
	pid = fork();
	if (!pid) {
		/* The program is this test itself, see main(). */
		if (give_images(self->wfd, 1, "cc", "dd"))
			_exit(1);
		execl("/proc/self/exe", "test_names", "--images", NULL);
		_exit(2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, dev_emit_mark(self->wfd, DEVTRACE_T_LOG, 78, 3));
	/* A reader that opens the device afterwards. */
	memset(images, 0, sizeof(images));
	t->each = note_images;
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(getpid(), images[0].tgid);
	EXPECT_EQ(pid, images[1].tgid);
	EXPECT_EQ(pid, images[2].tgid);
	EXPECT_EQ(getpid(), images[3].tgid);
	EXPECT_STREQ("aa", images[0].first);
	EXPECT_STREQ("bb", images[0].second);
	EXPECT_STREQ("cc", images[1].first);
	EXPECT_STREQ("dd", images[1].second);
	EXPECT_STREQ("ee", images[2].first);
	EXPECT_STREQ("ff", images[2].second);
	EXPECT_STREQ("aa", images[3].first);
	EXPECT_STREQ("bb", images[3].second);
	close(fd);
	tape_free(t);
}

/* Two processes have different names for the same key. */
TEST_F(device, belongs_to_its_process)
{
	struct tape *t = NULL;
	int status;
	pid_t pid;

	EXPECT_EQ(0, dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "parent's"));
	pid = fork();
	if (!pid)
		_exit(dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, "child's") != 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_STREQ("parent's", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	EXPECT_STREQ("child's", name_of(&t, DEVTRACE_T_OBJ, pid, 0, 0, 1));
	EXPECT_EQ(2, t->dicts);
	tape_free(t);
}

static void *name_it(void *arg)
{
	int fd = *(int *)arg;

	return (void *)(intptr_t)dev_name(fd, DEVTRACE_T_OBJ, 0, 0, 1, "thread's");
}

TEST_F(device, of_a_thread_is_of_its_process)
{
	struct tape *t = NULL;
	pthread_t th;
	void *ret;

	ASSERT_EQ(0, pthread_create(&th, NULL, name_it, &self->wfd));
	pthread_join(th, &ret);
	EXPECT_EQ(NULL, ret);
	EXPECT_STREQ("thread's", name_of(&t, DEVTRACE_T_OBJ, getpid(), 0, 0, 1));
	tape_free(t);
}

TEST_F(device, of_a_driver_is_everybodys)
{
	struct tape *t = NULL;

	ASSERT_EQ(0, dev_load_file("metronome.ko", "period_us=100000"));
	EXPECT_STREQ("metronome", name_of(&t, DEVTRACE_T_OBJ, 0, 0, 0, 0x101));
	EXPECT_STREQ("TICK", name_of(&t, DEVTRACE_T_SIG, 0, 1, 0, 0x101));
	EXPECT_STREQ("TICK", name_of(&t, DEVTRACE_T_SIG, getpid(), 1, 0, 0x101));
	EXPECT_STREQ("slow", name_of(&t, DEVTRACE_T_ENUM, 0, 1, 0, 0));
	EXPECT_EQ(0, dev_unload_one("metronome"));
	/* also after its end, as its events are still there */
	EXPECT_STREQ("metronome", name_of(&t, DEVTRACE_T_OBJ, 0, 0, 0, 0x101));
	tape_free(t);
}

TEST_F(device, programs_cannot_use_up_the_room_of_drivers)
{
	struct tape *t = NULL;

	EXPECT_EQ(NAMES, fill(self->wfd, 0, NAMES));
	ASSERT_EQ(0, dev_load_file("metronome.ko", "period_us=100000"));
	EXPECT_STREQ("metronome", name_of(&t, DEVTRACE_T_OBJ, 0, 0, 0, 0x101));
	EXPECT_STREQ("filler", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, getpid(), 0, 0, 1000));
	EXPECT_EQ(2 * NAMES, fill(self->wfd, 100, 2 * NAMES));
	EXPECT_STREQ("metronome", name_of(&t, DEVTRACE_T_OBJ, 0, 0, 0, 0x101));
	EXPECT_EQ(0, dev_unload_one("metronome"));
	tape_free(t);
}

static void note_scope(struct tape *t, const struct devtrace_item *item)
{
	char *names = t->arg;

	if (item->kind != DEVTRACE_ITEM_EVENT || t->ev[t->nev - 1].tag != 77)
		return;
	strcat(names, devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, item->u.event.tgid, 0, 0, 1) ?:
		      "?");
	strcat(names, " ");
}

/* A process does not get the names of an earlier process with the same id. */
TEST_F(device, names_of_a_number_used_again)
{
	char last[16], names[256] = "";
	struct tape *t = tape_new();
	int i, k, fd, status;
	pid_t pid = 0, p;

	for (i = 0; i < 2; i++) {
		if (pid) {
			snprintf(last, sizeof(last), "%d", pid - 1);
			if (dev_write_file("/proc/sys/kernel/ns_last_pid", last))
				SKIP(return, "this kernel does not let us choose a process id");
		}
		p = fork();
		if (!p) {
			if (dev_name(self->wfd, DEVTRACE_T_OBJ, 0, 0, 1, i ? "valve" : "motor"))
				_exit(1);
			for (k = 0; k < 2; k++)
				if (dev_emit_mark(self->wfd, DEVTRACE_T_USER, 77, i))
					_exit(1);
			_exit(0);
		}
		ASSERT_EQ(p, waitpid(p, &status, 0));
		EXPECT_EQ(0, status);
		if (pid && p != pid)
			SKIP(return, "the process id was taken meanwhile");
		pid = p;
	}
	fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	t->each = note_scope;
	t->arg = names;
	ASSERT_LT(0, tape_drain(t, fd));
	EXPECT_STREQ("motor motor valve valve ", names);
	tape_free(t);
	close(fd);
}

/* With --images this is the program that images_of_a_process_... executes. */
int main(int argc, char **argv)
{
	int fd;

	if (argc != 2 || strcmp(argv[1], "--images"))
		return test_harness_run(argc, argv);
	fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? 3 : give_images(fd, 2, "ee", "ff");
}
