// SPDX-License-Identifier: GPL-2.0-only
/* test_trigger_refused.c - invalid triggers are refused, with a reason */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace-ctl.h>

#include "kselftest_harness.h"
#include "nl.h"
#include "trigger.h"
#include "trigger_fixture.h"

TEST_F(trigger, what_makes_no_sense_is_refused)
{
	char name[DEVTRACE_NAME_LEN];
	int i;

	NEW();
	REFUSED(EEXIST, "exists", devtrace_ctl_trigger_new(self->ctl, &self->t));
	REFUSED(ENOENT, "not known", devtrace_ctl_trigger_del(self->ctl, "other"));
	REFUSED(ENOENT, "not known", devtrace_ctl_trigger_arm(self->ctl, "other", true));

	strcpy(self->t.name, "u");
	self->t.nth = 2;
	self->t.rate = 2;
	REFUSED(EINVAL, "nth", devtrace_ctl_trigger_new(self->ctl, &self->t));
	self->t.nth = 0;
	self->t.rate = 1 << 24;
	REFUSED(EINVAL, "rate must be from 1 to 16777214: events a second",
		devtrace_ctl_trigger_new(self->ctl, &self->t));
	self->t.rate = 0;
	self->t.events = 5;
	REFUSED(EINVAL, "events", devtrace_ctl_trigger_new(self->ctl, &self->t));
	self->t.events = 0;
	self->t.time = 5;
	REFUSED(EINVAL, "time", devtrace_ctl_trigger_new(self->ctl, &self->t));
	self->t.action = DEVTRACE_ACTION_STOP;
	self->t.time = 0;
	self->t.events = 1ULL << 32;
	REFUSED(EINVAL, "events must be from 0 to 2147483647: further events to store",
		devtrace_ctl_trigger_new(self->ctl, &self->t));
	self->t.events = 0;
	self->t.element = (struct devtrace_ctl_element){
		.given = true, .is_string = true, .compare = DEVTRACE_CMP_LT, .string = "x",
	};
	REFUSED(EINVAL, "string", devtrace_ctl_trigger_new(self->ctl, &self->t));
	self->t.element.given = false;

	/* the largest number of triggers */
	for (i = 1; i < DEVTRACE_TRIGGERS_MAX; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		strcpy(self->t.name, name);
		NEW();
	}
	strcpy(self->t.name, "u");
	REFUSED(ENOSPC, "16 triggers", devtrace_ctl_trigger_new(self->ctl, &self->t));
	OK(devtrace_ctl_trigger_del(self->ctl, "t7"));
	NEW();
}

static void none_of(struct devtrace_filter *f, enum devtrace_filter_attr term)
{
	devtrace_filter_only(f, term);
}

static void severities(struct devtrace_filter *f, unsigned int hw, unsigned int sw)
{
	devtrace_filter_severity(f, hw, sw);
}

/* Code 7, with one of its codes or all of them excluded. */
static void code(struct devtrace_filter *f, bool whole, bool excluded)
{
	devtrace_filter_number(f, whole ? DEVTRACE_FA_MAJORS : DEVTRACE_FA_CODES,
			       whole ? 7 : 0x701, true);
	if (excluded)
		devtrace_filter_number(f, DEVTRACE_FA_NOT_MAJORS, 7, true);
	else
		devtrace_filter_number(f, DEVTRACE_FA_NOT_CODES, 0x702, true);
}

static void types(struct devtrace_filter *f, unsigned int first, unsigned int last)
{
	devtrace_filter_only(f, DEVTRACE_FA_TYPES);
	devtrace_filter_range(f, DEVTRACE_FA_TYPES, first, last, true);
}

/* A condition that no event can meet is refused; a similar valid one is not. */
TEST_F(trigger, a_condition_that_no_event_meets_is_refused)
{
	struct devtrace_filter *f = &self->t.when;
	struct devtrace_ctl_element *e = &self->t.element;
#define CASE(never, word) do {							\
	devtrace_filter_all(f);							\
	memset(e, 0, sizeof(*e));						\
	never;									\
	REFUSED(EINVAL, word, devtrace_ctl_trigger_new(self->ctl, &self->t));	\
} while (0)
#define BUT(may) do {								\
	devtrace_filter_all(f);							\
	memset(e, 0, sizeof(*e));						\
	may;									\
	OK(devtrace_ctl_trigger_new(self->ctl, &self->t));			\
	OK(devtrace_ctl_trigger_del(self->ctl, "t"));				\
} while (0)

	CASE(severities(f, 4, 4), "levels are 0 to 3");
	CASE(severities(f, 4, 0), "levels are 0 to 3");
	CASE(severities(f, 0, 4), "levels are 0 to 3");
	BUT(severities(f, 4, 3));
	BUT(severities(f, 3, 3));
	CASE(none_of(f, DEVTRACE_FA_TYPES), "no event has one of these types");
	CASE(none_of(f, DEVTRACE_FA_OBJECTS), "name one");
	CASE(none_of(f, DEVTRACE_FA_SIGNALS), "name one");
	CASE(none_of(f, DEVTRACE_FA_CPUS), "this machine has none of these CPUs");
	CASE(none_of(f, DEVTRACE_FA_CPUS);
	     devtrace_filter_range(f, DEVTRACE_FA_CPUS, 60000, 65535, true),
	     "this machine has none of these CPUs");
	BUT(none_of(f, DEVTRACE_FA_CPUS);
	    devtrace_filter_range(f, DEVTRACE_FA_CPUS, 0, 65535, true));
	CASE(code(f, true, true), "excluded");
	CASE(code(f, false, true), "excluded");
	BUT(code(f, true, false));
	BUT(code(f, false, false));
	CASE(devtrace_filter_number(f, DEVTRACE_FA_PIDS, 1, true);
	     devtrace_filter_number(f, DEVTRACE_FA_NOT_PIDS, 1, true), "excluded");
	BUT(devtrace_filter_number(f, DEVTRACE_FA_PIDS, 1, true);
	    devtrace_filter_number(f, DEVTRACE_FA_NOT_PIDS, 2, true));
	CASE(types(f, DEVTRACE_T_KERNEL, DEVTRACE_T_KERNEL + 1); severities(f, 1, 1),
	     "profile events have no severity");
	CASE(types(f, DEVTRACE_T_KERNEL, DEVTRACE_T_KERNEL + 1); code(f, true, false),
	     "profile events have no code");
	CASE(types(f, DEVTRACE_T_KERNEL, DEVTRACE_T_FAULT);
	     devtrace_filter_origins(f, DEVTRACE_ORIGIN_USER), "emitted only by the kernel");
	BUT(types(f, DEVTRACE_T_KERNEL, DEVTRACE_T_USER2);
	    devtrace_filter_origins(f, DEVTRACE_ORIGIN_USER));
	CASE(e->given = true; e->mask = 6; e->value = 8, "mask");
	CASE(e->given = true; e->mask = 6; e->value = -1, "mask");
	BUT(e->given = true; e->mask = 6; e->value = 6);
	BUT(e->given = true; e->mask = 6; e->value = 8; e->compare = DEVTRACE_CMP_NE);
#undef CASE
#undef BUT
	/* A stream may have it as its filter. */
	devtrace_filter_none(f);
	OK(devtrace_ctl_stream_new(self->ctl, "box", 4096, f, 0, DEVTRACE_STATE_RUNNING));
}

/* The attributes of an element, valid or not. */
struct part {
	int		attr;
	size_t		len;
	const char	*data;
};

static int new_with_element(struct nl *nl, const struct part *parts)
{
	size_t nest;

	nl_begin(nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(nl, DEVTRACE_A_TRIGGER, "e");
	nl_nest_end(nl, nl_nest(nl, DEVTRACE_A_WHEN));
	nl_put_u32(nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	nest = nl_nest(nl, DEVTRACE_A_ELEMENT);
	for (; parts->len; parts++)
		nl_put(nl, parts->attr, parts->data, parts->len);
	nl_nest_end(nl, nest);
	return nl_do(nl, NULL, NULL);
}

/* The library sends none of these. */
TEST_F(trigger, an_element_in_odd_pieces_is_refused)
{
	static const char zero[8], ones[8] = "\1\1\1\1\1\1\1\1";
	static const char text[65] = "0123456789012345678901234567890123456789012345678901234567890123";
	const struct part index = { DEVTRACE_EA_INDEX, 4, zero }, equal = { DEVTRACE_EA_COMPARE, 4, zero },
		other = { DEVTRACE_EA_COMPARE, 4, ones }, value = { DEVTRACE_EA_VALUE, 8, ones },
		mask = { DEVTRACE_EA_MASK, 8, ones }, string = { DEVTRACE_EA_STRING, 2, text + 63 };
	const uint32_t lt = DEVTRACE_CMP_LT;
	const struct part less = { DEVTRACE_EA_COMPARE, 4, (const char *)&lt };
	/* The kernel's texts come with the policy, the module's do not. */
	static const char length[] = "invalid attribute length", range[] = "integer out of range",
		fails[] = "failed policy validation";
	const struct { const char *says; int err; bool policy; struct part parts[6]; } t[] = {
		{ "is missing", EINVAL, false, { } },
		{ "is missing", EINVAL, false, { equal, value } },
		{ length, EINVAL, true, { { DEVTRACE_EA_INDEX, 2, zero }, equal, value } },
		{ "is missing", EINVAL, false, { index, value } },
		{ range, ERANGE, true, { index, other, value } },
		{ length, EINVAL, true, { index, { DEVTRACE_EA_COMPARE, 8, zero }, value } },
		{ "a value or a string", EINVAL, false, { index, equal } },
		{ "a value or a string", EINVAL, false, { index, equal, value, string } },
		{ range, ERANGE, true, { index, equal, value, { DEVTRACE_EA_MASK, 8, zero } } },
		{ length, EINVAL, true, { index, equal, value, { DEVTRACE_EA_MASK, 4, ones } } },
		{ "mask applies to a value", EINVAL, false, { index, equal, string, mask } },
		{ length, EINVAL, true, { index, equal, { DEVTRACE_EA_VALUE, 4, ones } } },
		{ fails, EINVAL, true, { index, equal, { DEVTRACE_EA_STRING, 2, text } } },
		{ fails, EINVAL, true, { index, equal, { DEVTRACE_EA_STRING, 65, text } } },
		{ "wrong value", EINVAL, true, { index, equal, { DEVTRACE_EA_STRING, 4, "a\0b" } } },
		{ "string allows only compare", EINVAL, false, { index, less, string } },
		{ "given twice", EINVAL, false, { index, equal, value, value } },
	};
	struct nl *nl = malloc(sizeof(*nl));
	size_t i;

	ASSERT_NE(NULL, nl);
	ASSERT_EQ(0, nl_open(nl));
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		EXPECT_EQ(-t[i].err, new_with_element(nl, t[i].parts)) TH_LOG("%zu", i);
		EXPECT_EQ(t[i].policy, nl->policy) TH_LOG("%zu", i);
		EXPECT_NE(NULL, strstr(nl->why, t[i].says)) TH_LOG("%zu says: %s", i, nl->why);
		EXPECT_NE(0, nl->where) TH_LOG("%zu", i);
	}
	/* It is named if the kernel can tell. */
	EXPECT_EQ(-EINVAL, new_with_element(nl, (struct part[]){ equal, value, { 0 } }));
	EXPECT_TRUE(!nl->missing || nl->missing == DEVTRACE_EA_INDEX) TH_LOG("%u", nl->missing);
	/* Otherwise they are valid. */
	EXPECT_EQ(0, new_with_element(nl, (struct part[]){ index, less, value, mask, { 0 } }))
		TH_LOG("%s", nl->why);
	OK(devtrace_ctl_trigger_del(self->ctl, "e"));
	EXPECT_EQ(0, new_with_element(nl, (struct part[]){ index, equal, string, { 0 } }))
		TH_LOG("%s", nl->why);
	/* An action without its argument. */
	nl_begin(nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(nl, DEVTRACE_A_TRIGGER, "f");
	nl_nest_end(nl, nl_nest(nl, DEVTRACE_A_WHEN));
	nl_put_u32(nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_FILTER);
	nl_put_str(nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	EXPECT_EQ(-EINVAL, nl_do(nl, NULL, NULL));
	EXPECT_NE(NULL, strstr(nl->why, "filter is missing")) TH_LOG("it says: %s", nl->why);
	nl_close(nl);
	free(nl);
}

TEST_HARNESS_MAIN
