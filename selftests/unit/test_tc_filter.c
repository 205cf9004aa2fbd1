// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tc_filter.c - tracectl with a simulated kernel: the terms of a filter
 *
 * tc_kernel.h simulates the kernel.
 */
#include "tc_kernel.h"

/* Invalid terms give status 2; terms that do not suit the filter give 1. */
static const struct {
	const char *filter, *command;
	int status;
	const char *after;
} edits[] = {
	{ "all", "remove object=5", 0, "object=all,-5" },
	{ "object=5", "add object=7", 0, "object=5,7" },
	{ "object=5", "add object=none", 2, "object=5" },
	{ "all", "remove object=none", 2, "all" },
	{ "type=sm", "add type=none", 2, "type=sm" },
	{ "type=sm", "add type=ao,-none", 2, "type=sm" },
	{ "type=sm", "remove type=60", 2, "type=sm" },
	{ "type=sm", "remove type=58-61", 0, "type=sm" },
	{ "severity=hw2,sw3", "add severity=hw1", 0, "severity=hw1,sw3" },
	{ "severity=hw2,sw3", "add severity=3", 0, "severity=hw2,sw3" },
	{ "severity=hw2,sw3", "add severity=4", 2, "severity=hw2,sw3" },
	{ "all", "remove severity=hw2", 2, "all" },
	{ "severity=hw1", "remove severity=hw1 object=5", 2, "severity=hw1" },
	{ "all", "add process=a-name-of-sixteen", 2, "all" },
	{ "process=a,b", "add process=a-name-of-sixteen", 2, "process=a,b" },
	{ "process=a,b", "remove process=a-name-of-sixteen", 2, "process=a,b" },
	{ "process=a,b", "remove process=!a-name-of-sixteen", 2, "process=a,b" },
	{ "process=a,b", "add process=name-of-fifteen", 0, "process=a,b,name-of-fifteen" },
	{ "process=a,b", "remove process=c", 1, "process=a,b" },
	{ "process=a,b", "remove process=!c", 1, "process=a,b" },
	{ "process=!c", "remove process=!c", 0, "all" },
	{ "code=7", "remove code=7", 1, "code=7" },
	{ "major=7", "remove major=7", 1, "code=7" },
	{ "code=7:1", "remove code=7:1", 1, "code=7:1" },
	{ "code=7:1", "remove code=7", 1, "code=7:1" },
	{ "code=7:1,8", "remove code=7", 0, "code=8" },
	{ "code=7:1,8", "add code=7:2", 0, "code=8,7:1,7:2" },
	{ "code=7:1,8", "remove code=9:1", 1, "code=8,7:1" },
	{ "code=7", "remove code=7:1", 0, "code=7,!7:1" },
	{ "code=7,!7:1", "add code=7:1", 0, "code=7,7:1" },
	{ "code=!7:1,!7:2,!8:1", "add code=7", 0, "code=!8:1" },
	{ "code=!7", "add code=7:1", 1, "code=!7" },
	{ "all", "remove code=7:1", 0, "code=!7:1" },
	{ "code=!7:1", "remove code=!7:1", 0, "all" },
	{ "code=!7:1", "remove code=!7:2", 1, "code=!7:1" },
	{ "origin=user", "remove origin=user", 1, "origin=user" },
	{ "origin=user", "remove origin=kernel", 0, "origin=user" },
	{ "all", "remove origin=user,kernel", 2, "all" },
};

TEST_F(tc, filters_are_changed)
{
	char line[512];
	size_t i;

	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		snprintf(line, sizeof(line), "filter set %s", edits[i].filter);
		ASSERT_EQ(0, run_line(self, line));
		snprintf(line, sizeof(line), "filter %s", edits[i].command);
		EXPECT_EQ(edits[i].status, run_line(self, line)) {
			TH_LOG("%s: %s", line, self->said);
		}
		EXPECT_EQ(!edits[i].status, !*self->said) {
			TH_LOG("%s: %s", line, self->said);
		}
		EXPECT_EQ(0, run_line(self, "--stream trace filter"));
		snprintf(line, sizeof(line), "trace: %s\n", edits[i].after);
		EXPECT_STREQ(line, self->said) {
			TH_LOG("%s", edits[i].command);
		}
	}
}

/* Names for numbers, from the dictionary and the format files. */
static const struct {
	const char *command;
	int status;
	const char *says;
} named[] = {
	{ "filter check object=metronome", 0, "object=257\n" },
	{ "filter check object=PUMP,100", 0, "object=7,9,100\n" },
	{ "filter check object=-PUMP", 0, "object=all,-7,-9\n" },
	{ "filter check signal=TICK", 0, "signal=4\n" },
	{ "filter check type=SAMPLE", 0, "type=105\n" },
	{ "filter check type=SPEED", 0, "type=110\n" },
	{ "filter check type=SCHED_SWITCH", 0, "type=sched_switch\n" },
	{ "filter check type=text,SPEED major=UART,7", 0, "type=text,110\ncode=0xa10,7\n" },
	{ "filter check major=!UART", 0, "code=!0xa10\n" },
	{ "filter check code=UART.OVERRUN", 0, "code=0xa10:1\n" },
	{ "filter check code=UART,!UART.OVERRUN", 0, "code=0xa10,!0xa10:1\n" },
	{ "filter check code=UART:7,UART.*", 0, "code=0xa10,0xa10:7\n" },
	{ "filter check code=UART:256", 2,
	  "tracectl: filter check: 'UART:256' is not a code; write MAJOR or MAJOR:MINOR, up to 16777215 and 255, or a name from the format files such as UART or UART.OVERRUN, or ! before one of these\n" },
	{ "filter check code=UART.ELSE", 2,
	  "tracectl: filter check: no code UART.ELSE in the format files; write MAJOR or MAJOR:MINOR, up to 16777215 and 255, or a name from the format files such as UART or UART.OVERRUN, or ! before one of these\n" },
	{ "filter check code=UART.OVERRUM", 2,
	  "tracectl: filter check: no code UART.OVERRUM in the format files; did you mean UART.OVERRUN?\n" },
	{ "filter check type=UART.OVERRUN", 2,
	  "tracectl: filter check: 'UART.OVERRUN' is the name of a code, not of a type; write it after code=\n" },
	{ "filter check type=UART.*", 2,
	  "tracectl: filter check: 'UART.*' is the name of a code, not of a type; write it after code=\n" },
	{ "filter check object=ao", 0, "object=ao\n" },
	{ "filter check object=\"ao\"", 0, "object=3\n" },
	{ "filter check object=\"12\"", 0, "object=4\n" },
	{ "filter check object=PUMPP", 2,
	  "tracectl: filter check: no object PUMPP in the dictionary; did you mean PUMP?\n" },
	{ "filter check object=pump", 2,
	  "tracectl: filter check: no object pump in the dictionary; did you mean PUMP?\n" },
	{ "filter check object=TICK", 2,
	  "tracectl: filter check: no object TICK in the dictionary; write 0 to 65535, a range, a group (ao ep eq ap), all, none, or a name from 'tracectl dict'\n" },
	{ "filter check object=faraway", 2,
	  "tracectl: filter check: no object faraway in the dictionary; write 0 to 65535, a range, a group (ao ep eq ap), all, none, or a name from 'tracectl dict'\n" },
	{ "filter check object=\"nowhere\"", 2,
	  "tracectl: filter check: no object nowhere in the dictionary\n" },
	{ "filter check signal=TOCK", 2,
	  "tracectl: filter check: no signal TOCK in the dictionary; did you mean TICK?\n" },
	{ "filter check type=XSAMPLE", 2,
	  "tracectl: filter check: no type XSAMPLE in the format files or the dictionary; did you mean SAMPLE?\n" },
	{ "filter check type=SPED", 2,
	  "tracectl: filter check: no type SPED in the format files or the dictionary; did you mean SPEED?\n" },
	{ "filter check major=UATR", 2,
	  "tracectl: filter check: no code UATR in the format files; did you mean UART?\n" },
	{ "trigger add t when object=PUMPP do freeze", 2,
	  "tracectl: trigger add: no object PUMPP in the dictionary; did you mean PUMP?\n" },
	{ "stream add s 64K signal=TOCK", 2,
	  "tracectl: stream add: no signal TOCK in the dictionary; did you mean TICK?\n" },
};

TEST_F(tc, names_for_numbers)
{
	size_t i;

	write_file("f.fmt", "record 110 SPEED (u32 v) \"v %u\"\n"
		   "major 0xA10 UART { minor 1 OVERRUN \"o\" minor * ELSE \"e\" }\n");
	setenv("DEVTRACE_FMT_PATH", self->dir, 1);
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		kernel->asked = 0;
		EXPECT_EQ(named[i].status, run_line(self, named[i].command)) {
			TH_LOG("%s", named[i].command);
		}
		EXPECT_STREQ(named[i].says, self->said) {
			TH_LOG("%s", named[i].command);
		}
		EXPECT_GE(1, kernel->asked);
	}
	/* The same for filters that are set, edited and loaded. */
	EXPECT_EQ(0, run_line(self, "filter set object=PUMP"));
	kernel->asked = 0;
	EXPECT_EQ(0, run_line(self, "filter add object=metronome,PUMP"));
	EXPECT_EQ(1, kernel->asked);
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: object=7,9,257\n", self->said);
	write_file("f", "signal=TICK\n");
	EXPECT_EQ(0, run_line(self, "filter load f"));
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: signal=4\n", self->said);
	write_file("f", "signal=TICKS\n");
	EXPECT_EQ(1, run_line(self, "filter load f"));
	EXPECT_STREQ("tracectl: filter load: f:1: no signal TICKS in the dictionary; did you mean TICK?\n",
		     self->said);
	/* Without names, the dictionary is not requested. */
	kernel->asked = 0;
	EXPECT_EQ(0, run_line(self, "filter set object=5 type=sm major=7"));
	EXPECT_EQ(0, kernel->asked);
}

/* Valid terms that currently match no event. */
TEST_F(tc, what_is_not_there_today_is_noted)
{
	static const struct {
		const char *terms, *note;
	} t[] = {
		{ "code=0x4b4601,0x4b4607:1",
		  "these codes are of the kernel's own faults, which do not pass this filter; add type=faults" },
		{ "code=0x4b4601,7", NULL },
		{ "code=0x4b4601 type=faults", NULL },
		{ "code=!0x4b4601", NULL },
		{ "process=2147483646", "no such process or thread exists at present" },
		{ "process=2147483646,1", NULL },
		{ "process=2147483646,nobody-has-it", NULL },
		{ "cpu=60000-65535", "none of these CPUs is online" },
		{ "cpu=0-65535", NULL },
	};
	char line[256], says[256];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(line, sizeof(line), "filter set %s", t[i].terms);
		snprintf(says, sizeof(says), "tracectl: filter set: note: %s\n",
			 t[i].note ? t[i].note : "");
		EXPECT_EQ(0, run_line(self, line));
		EXPECT_STREQ(t[i].note ? says : "", self->said) {
			TH_LOG("%s", line);
		}
	}
}

/* More ranges than the limit, if they were removed from "all". */
TEST_F(tc, many_ranges_of_what_does_not_pass)
{
	char line[1024] = "filter remove object=201";
	int i;

	for (i = 203; i < 400; i += 2)
		sprintf(line + strlen(line), ",%d", i);
	ASSERT_EQ(0, run_line(self, "filter set object=ao"));
	EXPECT_EQ(0, run_line(self, line)) {
		TH_LOG("%s", self->said);
	}
	ASSERT_EQ(0, run_line(self, "filter set all"));
	EXPECT_EQ(1, run_line(self, line));
	EXPECT_STREQ("tracectl: filter remove: '327' makes more than 64 ranges\n", self->said);
}

/* An empty file is probably a mistake. */
TEST_F(tc, load_wants_a_term)
{
	ASSERT_EQ(0, run_line(self, "filter set object=5"));
	write_file("f", "");
	EXPECT_EQ(1, run_line(self, "filter load f"));
	EXPECT_STREQ("tracectl: filter load: f: contains no TERM; write 'all' to let everything pass\n",
		     self->said);
	write_file("f", "# filter of trace; tracectl filter load\n\n");
	EXPECT_EQ(1, run_line(self, "filter load f"));
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: object=5\n", self->said);
	write_file("f", SAVED);
	EXPECT_EQ(0, run_line(self, "filter load f"));
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: all\n", self->said);
}

TEST_HARNESS_MAIN
