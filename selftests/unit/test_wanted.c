// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wanted.c - the inline check of the control page in each idiom
 *
 * The device is that of fakedev.c, which refuses nothing: an event that does not arrive was
 * refused by the inline check. Each case runs with constants and with variables.
 */
#define _GNU_SOURCE
#include <string.h>
#include <devtrace.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>
#include "fakedev.h"
#include "kselftest_harness.h"

#define TYPE	100
#define OBJECT	255

FIXTURE(wanted) { };

FIXTURE_SETUP(wanted)
{
	fake_reset();
	ASSERT_EQ(0, devtrace_open());
}

FIXTURE_TEARDOWN(wanted)
{
	EXPECT_EQ(0, devtrace_errors());
}

static int n;

static int once(void)
{
	return ++n;
}

static void texts(uint8_t severity, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void texts(uint8_t severity, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	devtrace_vtext_sev(severity, format, args);
	va_end(args);
}

/* Each way to give a severity: each emits one event and evaluates n once. */
#define SEVERE(sev)								\
	do {									\
		DEVTRACE_RECORD(r, 64);						\
		if (devtrace_begin_exc(&r, sev, 1)) {				\
			devtrace_i32(&r, once());				\
			devtrace_end(&r);					\
		}								\
		devtrace_exc(sev, 1, once());					\
		devtrace_text_sev(sev, "%d", once());				\
		devtrace_puts_sev(sev, once() ? "text" : "");			\
		texts(sev, "%d", 0);						\
		EXPECT_EQ(0, Trace0(1, sev));					\
		EXPECT_EQ(0, Trace0b(1, sev, 3, "abc"));			\
		EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(_TRACE_EXC, 1, 0, sev), 1)); \
	} while (0)

#define SEVERE_NR	8
#define SEVERE_EVALUATE	4

TEST_F(wanted, by_severity)
{
	volatile uint8_t unknown = DEVTRACE_SW1;
	uint8_t sev = unknown;

	SEVERE(DEVTRACE_SW1);
	SEVERE(sev);
	EXPECT_EQ(2 * SEVERE_NR, fake->nr);
	EXPECT_EQ(2 * SEVERE_EVALUATE, n);

	fake_want_severity(DEVTRACE_SW1, 0);
	SEVERE(DEVTRACE_SW1);
	SEVERE(sev);
	EXPECT_EQ(2 * SEVERE_NR, fake->nr);
	EXPECT_EQ(2 * SEVERE_EVALUATE, n);

	SEVERE(DEVTRACE_SW2);
	sev = unknown + 1;
	SEVERE(sev);
	EXPECT_EQ(4 * SEVERE_NR, fake->nr);

	/* The type is refused, whatever the severity. */
	fake_want(DEVTRACE_T_EXC, 0);
	fake_want(DEVTRACE_T_TEXT, 0);
	SEVERE(DEVTRACE_HW3);
	sev = unknown | DEVTRACE_HW3;
	SEVERE(sev);
	EXPECT_EQ(4 * SEVERE_NR, fake->nr);
}

/* Arguments of the QNX calls are evaluated like others. */
TEST_F(wanted, qnx_arguments)
{
	fake_want_severity(DEVTRACE_HW1, 0);
	EXPECT_EQ(0, Trace1(1, _TRACE_HW_SEVERITY1, once()));
	EXPECT_EQ(0, Trace1b(1, _TRACE_HW_SEVERITY1, once(), 1, "a"));
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(_TRACE_EXC, 1, 0, _TRACE_HW_SEVERITY1), once()));
	EXPECT_EQ(0, n);
	EXPECT_EQ(0, fake->nr);
	/* A variable severity is evaluated once too. */
	EXPECT_EQ(0, Trace0(1, (once(), _TRACE_HW_SEVERITY1)));
	EXPECT_EQ(1, n);
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, Trace0(1, (once(), _TRACE_HW_SEVERITY2)));
	EXPECT_EQ(2, n);
	EXPECT_EQ(1, fake->nr);
	/* The data of another type are not a severity. */
	EXPECT_EQ(0, TraceEvent(_TRACE_EVENT(TYPE, 0, 0, _TRACE_HW_SEVERITY1)));
	EXPECT_EQ(2, fake->nr);
}

/* Each way to give an object. */
#define ABOUT(obj)								\
	do {									\
		DEVTRACE_RECORD(r, 64);						\
		if (devtrace_begin(&r, TYPE, obj, 0)) {				\
			devtrace_i32(&r, once());				\
			devtrace_end(&r);					\
		}								\
		devtrace_for(TYPE, obj, 0, once());				\
		QS_BEGIN_ID(TYPE, obj)						\
			QS_I32(0, once());					\
		QS_END()							\
	} while (0)

#define ABOUT_NR	3

TEST_F(wanted, by_object)
{
	volatile uint16_t unknown = OBJECT;
	uint16_t obj = unknown;

	ABOUT(OBJECT);
	ABOUT(obj);
	EXPECT_EQ(2 * ABOUT_NR, fake->nr);
	EXPECT_EQ(2 * ABOUT_NR, n);

	fake_want_object(OBJECT, 0);
	ABOUT(OBJECT);
	ABOUT(obj);
	EXPECT_EQ(2 * ABOUT_NR, fake->nr);
	EXPECT_EQ(2 * ABOUT_NR, n);

	/* Objects without a bit go to the kernel. */
	ABOUT(OBJECT + 1);
	ABOUT(OBJECT + 256);
	obj = unknown + 256;
	ABOUT(obj);
	EXPECT_EQ(5 * ABOUT_NR, fake->nr);

	fake_want(TYPE, 0);
	ABOUT(OBJECT + 1);
	ABOUT(obj);
	EXPECT_EQ(5 * ABOUT_NR, fake->nr);
}

/*
 * A record without an object is not refused with object 0, nor is one with QS-ID 0, constant or
 * not; a record about object 0 is.
 */
TEST_F(wanted, no_object)
{
	volatile uint16_t zero = 0;

	fake_want_object(0, 0);
	QS_BEGIN(TYPE)
	QS_END()
	QS_BEGIN_ID(TYPE, 0)
	QS_END()
	QS_BEGIN_ID(TYPE, zero)
	QS_END()
	devtrace(TYPE);
	EXPECT_EQ(4, fake->nr);
	devtrace_for(TYPE, 0, 1);
	EXPECT_EQ(4, fake->nr);
}

/* An event without a severity is not refused by severity. */
TEST_F(wanted, no_severity)
{
	int i;

	for (i = 0; i < 16; i++)
		fake_want_severity(i, 0);
	devtrace(TYPE);
	devtrace_for(TYPE, 1, 2);
	devtrace_text("%d", 1);
	devtrace_puts("text");
	EXPECT_EQ(4, fake->nr);
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	fake_start(argv);
	return harness_main(argc, argv);
}
