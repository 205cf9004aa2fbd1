// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_when.c - dates and times as users write them, with a fixed clock
 *
 * The current time is Tue Feb 29 2028 13:45:30, one hour east of Greenwich.
 */
#include "kselftest_harness.h"
#include <stdlib.h>
#include <time.h>
#include "traceinfo/traceinfo.h"

#define NSEC	1000000000ll
/* 2028-02-29 12:45:30 UTC */
#define NOW	1835441130ll
#define MIDNIGHT (NOW - (13 * 3600 + 45 * 60 + 30))

time_t __wrap_time(time_t *t);

time_t __wrap_time(time_t *t)
{
	if (t)
		*t = NOW;
	return NOW;
}

time_t __real_mktime(struct tm *tm);
time_t __wrap_mktime(struct tm *tm);

/* As with a 32-bit time_t in 2050. */
static bool no_mktime;

time_t __wrap_mktime(struct tm *tm)
{
	return no_mktime ? -1 : __real_mktime(tm);
}

FIXTURE(when) {
	struct ti_when w, until;
};

FIXTURE_SETUP(when)
{
	setenv("TZ", "XYZ-1", 1);
	tzset();
}

FIXTURE_TEARDOWN(when)
{
}

static const struct {
	const char *word;
	int64_t ns;
} agos[] = {
	{ "now", 0 }, { "boot", INT64_MAX }, { "-0s", 0 }, { "-5s", 5 * NSEC }, { "-5", 5 * NSEC },
	{ "-2min", 120 * NSEC }, { "-2m", 120 * NSEC }, { "-1h30min", 5400 * NSEC },
	{ "-1h 30min", 5400 * NSEC }, { "-1d", 86400 * NSEC }, { "-2weeks", 14 * 86400 * NSEC },
	{ "-1.5s", 1500000000 }, { "-0.000000001s", 1 }, { "-0.0000000019s", 1 },
	{ "-500ms", 500000000 }, { "-7us", 7000 }, { "-1ns", 1 }, { "-1s1ns", NSEC + 1 },
};

TEST_F(when, ago)
{
	size_t i;

	for (i = 0; i < sizeof(agos) / sizeof(agos[0]); i++) {
		EXPECT_TRUE(ti_parse_when(agos[i].word, &self->w)) {
			TH_LOG("%s", agos[i].word);
		}
		EXPECT_EQ(TI_AGO, self->w.kind);
		EXPECT_EQ(agos[i].ns, self->w.ns) {
			TH_LOG("%s", agos[i].word);
		}
	}
}

static const struct {
	const char *word;
	int64_t s, ns;
} reals[] = {
	{ "@0", 0, 0 }, { "@1700000000", 1700000000, 0 }, { "@1.5", 1, 500000000 },
	{ "@1.000000001", 1, 1 },
	{ "today", MIDNIGHT, 0 }, { "yesterday", MIDNIGHT - 86400, 0 },
	{ "13:45", NOW - 30, 0 }, { "13:45:29.25", NOW - 1, 250000000 }, { "00:00", MIDNIGHT, 0 },
	{ "23:59:59", MIDNIGHT + 86399, 0 },
	{ "2028-02-29", MIDNIGHT, 0 }, { "2028-02-29 13:45", NOW - 30, 0 },
	{ "2028-02-29T13:45:30", NOW, 0 }, { "2028-02-29T12:45:30Z", NOW, 0 },
	{ "2028-02-29T12:45:30.123456789Z", NOW, 123456789 },
	{ "2028-02-29T08:15:30-04:30", NOW, 0 }, { "2028-02-29T18:30:30+0545", NOW, 0 },
	{ "1970-01-01T00:00Z", 0, 0 }, { "1969-12-31T23:59:59Z", -1, 0 },
	{ "1970-01-01 00:59:59", -1, 0 },
	{ "2050-01-01T00:00Z", 2524608000, 0 },
};

TEST_F(when, real)
{
	size_t i;

	for (i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
		EXPECT_TRUE(ti_parse_when(reals[i].word, &self->w)) {
			TH_LOG("%s", reals[i].word);
		}
		EXPECT_EQ(TI_REAL, self->w.kind);
		EXPECT_EQ(reals[i].s * NSEC + reals[i].ns, self->w.ns) {
			TH_LOG("%s", reals[i].word);
		}
	}
}

TEST_F(when, nonsense)
{
	static const char *const words[] = {
		"", "-", "--5s", "-s", "-5x", "-5ss", "-5s,", "-1..5s", "-1.s", "-5 s5", "-99999999999999999999s",
		"-9999999999999w", "@", "@-1", "@x", "@1x", "@1.", "@99999999999", "soon", "5s", "+5s",
		"24:00", "12:60", "12:00:61", "1:00", "12", "12:0", "12:00:00.", "12:00x",
		"2028-13-01", "2028-00-01", "2028-02-30", "2027-02-29", "2028-2-3", "28-02-03",
		"2028-02-29 ", "2028-02-29T", "2028-02-29T12:00:00+1", "2028-02-29T12:00:00+15:00",
		"2028-02-29T12:00:00Zx", "todayx",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		EXPECT_FALSE(ti_parse_when(words[i], &self->w)) {
			TH_LOG("'%s' was taken for a moment", words[i]);
		}
	}
}

TEST_F(when, not_to_be_told)
{
	static const char *const words[] = {
		"2050-01-01", "2028-02-29 13:45", "13:45", "today", "yesterday",
	};
	size_t i;

	no_mktime = true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		EXPECT_FALSE(ti_parse_when(words[i], &self->w)) {
			TH_LOG("'%s' was taken for a moment", words[i]);
		}
	}
	EXPECT_FALSE(ti_parse_dates("1345", &self->w, &self->until));
	EXPECT_TRUE(ti_parse_when("2028-02-29T12:45:30Z", &self->w));
}

static const struct {
	const char *word;
	int64_t since, until;	/* syncs at events of this severity or above; -1: none */
} dates[] = {
	{ "1345", NOW - 30, -1 },
	{ "45", NOW - 30, -1 },
	{ ".15", NOW - 15, -1 },
	{ "1345.30", NOW, -1 },
	{ "281200", NOW - 86400 - 6330, -1 },		/* the 28th, 12:00 */
	{ "02281200", NOW - 86400 - 6330, -1 },
	{ "2802281200", NOW - 86400 - 6330, -1 },
	{ "202802281200", NOW - 86400 - 6330, -1 },
	{ "7001010100", 0, -1 },
	{ "197001010100.01", 1, -1 },
	{ "1300:1345", NOW - 2730, NOW + 30 },
	{ "1300:.30", NOW - 2730, NOW + 1 },
	{ "1300:1345.30", NOW - 2730, NOW + 1 },
	{ ":1345", -1, NOW + 30 },
	{ "1345:", NOW - 30, -1 },
	{ ":226204120046", -1, 9223372020ll },		/* the last minute of 63 bits */
};

TEST_F(when, qnx_dates)
{
	size_t i;

	for (i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
		memset(&self->w, 0, sizeof(self->w));
		memset(&self->until, 0, sizeof(self->until));
		EXPECT_TRUE(ti_parse_dates(dates[i].word, &self->w, &self->until)) {
			TH_LOG("%s", dates[i].word);
		}
		EXPECT_EQ(dates[i].since < 0 ? TI_ALWAYS : TI_REAL, self->w.kind);
		EXPECT_EQ(dates[i].until < 0 ? TI_ALWAYS : TI_REAL, self->until.kind);
		if (dates[i].since >= 0) {
			EXPECT_EQ(dates[i].since * NSEC, self->w.ns) {
				TH_LOG("%s", dates[i].word);
			}
		}
		/* The end is the last nanosecond of the given unit. */
		if (dates[i].until >= 0) {
			EXPECT_EQ(dates[i].until * NSEC - 1, self->until.ns) {
				TH_LOG("%s", dates[i].word);
			}
		}
	}
}

TEST_F(when, qnx_nonsense)
{
	static const char *const words[] = {
		"", ":", "1", "123", "12345678901234", "12x4", "2400", "1260", "1345.6", "1345.61",
		"1345.123", "1345.xx", ".", "1345:1", "1:1345", "1345:1346:1347", "3002281200x",
		"02301200", "13011200", "00011200", "001200", "999912312359", "226301010000",
		":226204120047", ":226301010000",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		EXPECT_FALSE(ti_parse_dates(words[i], &self->w, &self->until)) {
			TH_LOG("'%s' was taken for dates", words[i]);
		}
	}
}

/* Up to 500 ppm and a second before it. */
TEST_F(when, where_a_date_begins)
{
	const uint64_t up = 100000 * NSEC;
	const int64_t real = NOW * NSEC;

	EXPECT_EQ(up, ti_when_from(real + 10 * NSEC, real, up));
	EXPECT_EQ(up - NSEC, ti_when_from(real, real, up));
	EXPECT_EQ(up - 2003 * NSEC, ti_when_from(real - 2000 * NSEC, real, up));
	EXPECT_EQ(0, ti_when_from(real - 200000 * NSEC, real, up));
	EXPECT_EQ(0, ti_when_from(real - INT64_MAX / 1000 * 1000, real, up));
	EXPECT_EQ(0, ti_when_from(real - INT64_MAX, real, up));
	EXPECT_EQ(0, ti_when_from(INT64_MIN, real, up));
	EXPECT_EQ(up, ti_when_from(INT64_MAX, -real, up));
	EXPECT_EQ(up, ti_when_from(INT64_MAX, real, up));
}

TEST_HARNESS_MAIN
