// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_qp.c - QS filters in a program, and the conversion of its records
 *
 * The device is that of fakedev.h, which refuses nothing: an event that does not arrive was
 * refused by the program. The groups are written as QS documents them, bit by bit.
 * traceinfo/qp.expected has the contents of each record.
 */
#define _GNU_SOURCE
#include <string.h>
#include "qs_port.h"
#include "qs_pkg.h"
#include <devtrace/filter.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define RECORDS	128

FIXTURE(qp) {
	struct devtrace_qp before;
	unsigned long errors;	/* errors that the test causes */
};

FIXTURE_SETUP(qp)
{
	fake_reset();
	ASSERT_EQ(1, QS_INIT("the host"));
	self->before = devtrace_qp;
}

FIXTURE_TEARDOWN(qp)
{
	devtrace_qp = self->before;
	EXPECT_EQ(self->errors, devtrace_errors());
}

static void emit(unsigned int record, unsigned int id)
{
	QS_BEGIN_PRE(record, id)
		QS_U8_PRE(record);
	QS_END_PRE()
}

/* True if the record arrives. */
static bool comes(unsigned int record, unsigned int id)
{
	unsigned int nr = fake->nr;

	emit(record, id);
	return fake->nr > nr;
}

static bool always(unsigned int record)
{
	return record == 0 || record == 54 || (record >= 58 && record <= 70);
}

/* Groups: 128 bits, the high ones first, as in QS's tools. */
static const struct {
	int	 group;
	uint64_t high, low;
} groups[] = {
	{ QS_GRP_ALL,	0x1fffffffffffffff, 0xffffffffffffffff },
	{ QS_GRP_SM,	0, 0x03800000000003fe },
	{ QS_GRP_AO,	0x20000, 0x000020000007fc00 },
	{ QS_GRP_EQ,	0, 0x0000400000780000 },
	{ QS_GRP_MP,	0, 0x0000800003000000 },
	{ QS_GRP_TE,	0, 0x0000003f00000000 },
	{ QS_GRP_QF,	0, 0x00001fc0fc800000 },
	{ QS_GRP_SC,	0, 0x003f000000000000 },
	{ QS_GRP_SEM,	0x780, 0 },
	{ QS_GRP_MTX,	0x1f800, 0 },
	{ QS_GRP_U0,	0x1f0ull << 32, 0 },
	{ QS_GRP_U1,	0x3e00ull << 32, 0 },
	{ QS_GRP_U2,	0x7c000ull << 32, 0 },
	{ QS_GRP_U3,	0xf80000ull << 32, 0 },
	{ QS_GRP_U4,	0x1f000000ull << 32, 0 },
	{ QS_GRP_UA,	0x1ffffff0ull << 32, 0 },
};

static bool has(size_t i, unsigned int record)
{
	return ((record < 64 ? groups[i].low : groups[i].high) >> (record & 63)) & 1;
}

TEST_F(qp, nothing_until_asked)
{
	unsigned int record;

	for (record = 1; record < 125; record++)
		if (record != 54 && (record < 60 || record > 63))
			EXPECT_EQ(always(record), comes(record, 0)) TH_LOG("record %u", record);
}

TEST_F(qp, groups)
{
	unsigned int record;
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		QS_GLB_FILTER(-QS_GRP_ALL);
		QS_GLB_FILTER(groups[i].group);
		for (record = 0; record < 125; record++)
			EXPECT_EQ(has(i, record) || always(record), QS_GLB_CHECK_(record))
				TH_LOG("group %#x, record %u", groups[i].group, record);
		QS_GLB_FILTER(QS_GRP_ALL);
		QS_GLB_FILTER(-groups[i].group);
		for (record = 0; record < 125; record++)
			EXPECT_EQ(!has(i, record) || always(record), QS_GLB_CHECK_(record))
				TH_LOG("group -%#x, record %u", groups[i].group, record);
	}
}

TEST_F(qp, one_record)
{
	QS_GLB_FILTER(QS_QEP_TRAN);
	EXPECT_TRUE(comes(QS_QEP_TRAN, 1));
	EXPECT_FALSE(comes(QS_QEP_DISPATCH, 1));
	QS_GLB_FILTER(QS_GRP_SM);
	QS_GLB_FILTER(-QS_QEP_TRAN);
	EXPECT_FALSE(comes(QS_QEP_TRAN, 1));
	EXPECT_TRUE(comes(QS_QEP_DISPATCH, 1));
	/* These cannot be switched off. */
	QS_GLB_FILTER(-QS_QF_RUN);
	EXPECT_TRUE(comes(QS_QF_RUN, 0));
}

/* The name of an address is not that of a QS-ID: Documentation/frameworks.rst. */
TEST_F(qp, ids_by_name)
{
	static int motor;

	QS_GLB_FILTER(QS_GRP_ALL);
	QS_OBJ_DICTIONARY(&motor);
	EXPECT_EQ(ENOENT, devtrace_own_object_name("motor", false));
	EXPECT_TRUE(comes(QS_QEP_DISPATCH, 5));
	EXPECT_EQ(0, devtrace_dict_obj(5, "motor"));
	EXPECT_EQ(0, devtrace_own_object_name("motor", false));
	EXPECT_FALSE(comes(QS_QEP_DISPATCH, 5));
	EXPECT_TRUE(comes(QS_QEP_DISPATCH, 6));
	EXPECT_EQ(0, devtrace_own_object_name("motor", true));
	EXPECT_TRUE(comes(QS_QEP_DISPATCH, 5));
}

TEST_F(qp, ids)
{
	static const struct {
		int group;
		unsigned int first, last;
	} ids[] = {
		{ QS_IDS_ALL, 1, 127 }, { QS_IDS_AO, 1, 64 }, { QS_IDS_EP, 65, 80 },
		{ QS_IDS_EQ, 81, 96 }, { QS_IDS_AP, 97, 127 }, { QS_ID_AP + 3, 99, 99 },
	};
	unsigned int id;
	size_t i;

	QS_GLB_FILTER(QS_GRP_ALL);
	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		QS_LOC_FILTER(-QS_IDS_ALL);
		QS_LOC_FILTER(ids[i].group);
		for (id = 1; id < 128; id++)
			EXPECT_EQ(id >= ids[i].first && id <= ids[i].last, comes(QS_QEP_TRAN, id))
				TH_LOG("%d, id %u", ids[i].group, id);
		QS_LOC_FILTER(QS_IDS_ALL);
		QS_LOC_FILTER(-ids[i].group);
		for (id = 1; id < 128; id++)
			EXPECT_EQ(id < ids[i].first || id > ids[i].last, comes(QS_QEP_TRAN, id))
				TH_LOG("-%d, id %u", ids[i].group, id);
		EXPECT_TRUE(comes(QS_QEP_TRAN, 0));
	}
}

/* QS-ID 0 always passes object filters, as a constant or not. */
TEST_F(qp, id_none)
{
	volatile unsigned int unknown = 0;

	QS_GLB_FILTER(QS_GRP_UA);
	QS_LOC_FILTER(-QS_IDS_ALL);
	fake_want_object(0, 0);
	QS_BEGIN_ID(QS_USER, 0)
	QS_END()
	QS_BEGIN_ID(QS_USER, unknown)
		QS_U8(0, 1);
	QS_END()
	ASSERT_EQ(2, fake->nr);
	EXPECT_EQ(0, fake->events[0].bytes[2] & DEVTRACE_F_OBJSIG);
	EXPECT_EQ(0, fake->events[1].bytes[2] & DEVTRACE_F_OBJSIG);
	EXPECT_EQ(sizeof(struct devtrace_emit) + 2, fake->events[1].size);
}

/* The program cannot enable what the device's filter refuses. */
TEST_F(qp, device_above)
{
	QS_GLB_FILTER(QS_GRP_ALL);
	fake_want(QS_QEP_TRAN, 0);
	EXPECT_FALSE(comes(QS_QEP_TRAN, 1));
	fake_want(QS_QEP_TRAN, 1);
	fake_want_object(5, 0);
	EXPECT_FALSE(comes(QS_QEP_TRAN, 5));
	EXPECT_TRUE(comes(QS_QEP_TRAN, 6));
	/* A moved record is filtered by its number in the stream. */
	fake_want(QS_QF_RUN + DEVTRACE_QS_MOVED, 0);
	EXPECT_FALSE(comes(QS_QF_RUN, 0));
}

TEST_F(qp, moved)
{
	unsigned int record, type;

	QS_GLB_FILTER(QS_GRP_ALL);
	for (record = 1; record < 125; record++) {
		type = record;
		if (record == 54 || (record >= 60 && record <= 63))
			continue;
		if (always(record))
			type += 24;
		ASSERT_TRUE(comes(record, 0));
		EXPECT_EQ(type, fake->events[(fake->nr - 1) % FAKE_EVENTS].bytes[0]);
	}
}

static void dispatch(uint32_t sig, const void *object)
{
	QS_BEGIN_PRE(QS_QEP_DISPATCH, 3)
		QS_SIG_PRE(sig);
		QS_OBJ_PRE(object);
	QS_END_PRE()
}

/* The signal is also the event's, for the device's filters. */
TEST_F(qp, signal_of_the_event)
{
	const uint8_t *b = fake->events[0].bytes;
	int object;

	QS_GLB_FILTER(QS_GRP_ALL);
	dispatch(0x1234, &object);
	ASSERT_EQ(1, fake->nr);
	EXPECT_EQ(DEVTRACE_F_OBJSIG | DEVTRACE_F_PTR, b[2]);
	EXPECT_EQ(3, b[4] | b[5] << 8);
	EXPECT_EQ(0x1234, b[6] | b[7] << 8);
	EXPECT_EQ(DEVTRACE_E_SIG, b[8]);
	EXPECT_EQ(DEVTRACE_E_OBJ, b[21]);
	/* its object is that of the following element */
	EXPECT_EQ(0, memcmp(b + 13, b + 22, 8));
	EXPECT_EQ(30, fake->events[0].size);
	/* A signal too large for the event is only in the element. */
	dispatch(0x12345, &object);
	b = fake->events[1].bytes;
	EXPECT_EQ(0, b[6] | b[7] << 8);
	EXPECT_EQ(0x45, b[9]);
}

TEST_F(qp, no_such_filter)
{
	struct devtrace_qp filters = devtrace_qp;
	static const int wrong[] = { 125, 239, 256, 1000, INT32_MAX, INT32_MIN };
	static const int no_id[] = { 129, 239, 241, 1000, INT32_MAX, INT32_MIN };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		EXPECT_EQ(EINVAL, devtrace_qp_glb_filter(wrong[i])) TH_LOG("%d", wrong[i]);
		if (wrong[i] != INT32_MIN)
			EXPECT_EQ(EINVAL, devtrace_qp_glb_filter(-wrong[i]));
		EXPECT_EQ(EINVAL, devtrace_qp_loc_filter(no_id[i])) TH_LOG("%d", no_id[i]);
	}
	EXPECT_EQ(0, memcmp(&filters, &devtrace_qp, sizeof(filters)));
}

TEST_F(qp, names)
{
	static int all[4];
	char longest[200];

	QS_OBJ_ARR_DICTIONARY(&all[3], 3);
	QS_OBJ_DICTIONARY(&all);
	QS_FUN_DICTIONARY(&always);
	QS_SIG_DICTIONARY(QS_USER, all);
	ASSERT_EQ(4, fake->nr_dicts);
	EXPECT_STREQ("all[3]", fake->dicts[0].name);
	EXPECT_EQ((uintptr_t)&all[3], fake->dicts[0].key);
	EXPECT_STREQ("all", fake->dicts[1].name);
	EXPECT_STREQ("always", fake->dicts[2].name);
	EXPECT_STREQ("QS_USER", fake->dicts[3].name);
	EXPECT_EQ(EINVAL, devtrace_qp_dict_array((void *)1, 1, NULL));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	/* The library reports and counts that the name is cut. */
	EXPECT_EQ(ENAMETOOLONG, devtrace_qp_dict_array((void *)1, 1, longest));
	EXPECT_EQ(63, strlen(fake->dicts[4].name));
	self->errors = 1;
}

/* The part behind the index is kept, as in QS. */
TEST_F(qp, names_of_parts)
{
	static struct { int timer; int at[2]; } all[4];
	char longest[200];
	int n = 2;

	QS_OBJ_ARR_DICTIONARY(&all[n].timer, n);
	QS_OBJ_ARR_DICTIONARY(&all[all[n].at[0]].at[1], 0);
	ASSERT_EQ(0, devtrace_qp_dict_array((void *)1, 12, "&all[n.timer"));
	ASSERT_EQ(0, devtrace_qp_dict_array((void *)1, 4000000000u, "timer"));
	ASSERT_EQ(4, fake->nr_dicts);
	EXPECT_STREQ("all[2].timer", fake->dicts[0].name);
	EXPECT_EQ((uintptr_t)&all[2].timer, fake->dicts[0].key);
	EXPECT_STREQ("all[0].at[1]", fake->dicts[1].name);
	EXPECT_STREQ("all[12]", fake->dicts[2].name);
	EXPECT_STREQ("timer[4000000000]", fake->dicts[3].name);
	snprintf(longest, sizeof(longest), "&all[n].%0150d", 0);
	EXPECT_EQ(ENAMETOOLONG, devtrace_qp_dict_array((void *)1, 1, longest));
	EXPECT_EQ(63, strlen(fake->dicts[4].name));
	EXPECT_EQ(0, strncmp("all[1].000", fake->dicts[4].name, 10));
	self->errors = 1;
}

/* Sources from before 7.0: QP/C's layer for them replaces QS_BEGIN(). */
TEST_F(qp, old_records)
{
	QS_GLB_FILTER(QS_USER);
	if ((QS_filt_.glb[QS_USER >> 3] & 1u << (QS_USER & 7)) && !QS_priv_.locFilter_AP) {
		QS_CRIT_STAT
		QS_CRIT_ENTRY();
		QS_beginRec_((uint_fast8_t)QS_USER);
		QS_TIME_PRE_(); {
			QS_U8(0, 1);
	QS_END()
	EXPECT_EQ(1, fake->nr);
	fake_want(QS_QF_RUN + DEVTRACE_QS_MOVED, 0);
	QS_beginRec_((uint_fast8_t)QS_QF_RUN);
	QS_endRec_();
	EXPECT_EQ(1, fake->nr);
}

int main(int argc, char **argv)
{
	fake_start(argv);
	return test_harness_run(argc, argv);
}
