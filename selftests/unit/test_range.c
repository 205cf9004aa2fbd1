// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_range.c - types, objects, signals and severities out of range at run time
 *
 * Such a value is never cut to its field, which would make another event: nothing is emitted,
 * the error is counted, and reported once with DEVTRACE_DEBUG. The device is that of fakedev.h.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <devtrace.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>
#include "fakedev.h"
#include "kselftest_harness.h"

/* Hide constant arguments from the compiler, which would refuse them. */
#define UNKNOWN		__attribute__((noinline, noipa))

static int evaluated;

static int argument(void)
{
	return ++evaluated;
}

static void vtext(long long severity, ...)
{
	va_list args;

	va_start(args, severity);
	devtrace_vtext_sev(severity, "%d", args);
	va_end(args);
}

/* Emit in the n-th way; false: there is none. Object and signal have 16 bits. */
static UNKNOWN bool typed(int n, long long type, long object, int sig)
{
	DEVTRACE_RECORD(r, 32);

	switch (n) {
	case 0:
		devtrace_for(type, object, sig, argument());
		return true;
	case 1:
		if (devtrace_begin(&r, (unsigned int)type, (unsigned int)object,
				   (unsigned int)sig)) {
			devtrace_u32(&r, argument());
			devtrace_end(&r);
		}
		return true;
	/* without a signal */
	case 2:
		QS_BEGIN_ID(type, object)
			QS_U8(0, argument());
		QS_END()
		return true;
	/* only a type */
	case 3:
		devtrace(type, argument());
		return true;
	case 4:
		if (devtrace_begin_type(&r, (unsigned int)type)) {
			devtrace_u32(&r, argument());
			devtrace_end(&r);
		}
		return true;
	}
	return false;
}

static UNKNOWN bool severe(int n, long long severity)
{
	DEVTRACE_RECORD(r, 32);

	switch (n) {
	case 0:
		devtrace_exc(severity, 1, argument());
		return true;
	case 1:
		if (devtrace_begin_exc(&r, (unsigned int)severity, 1)) {
			devtrace_u32(&r, argument());
			devtrace_end(&r);
		}
		return true;
	case 2:
		Trace1(1, severity, argument());
		return true;
	case 3:
		devtrace_text_sev(severity, "%d", argument());
		return true;
	case 4:
		devtrace_puts_sev(severity, (argument(), "text"));
		return true;
	case 5:
		vtext(severity, 1);
		return true;
	}
	return false;
}

/* Output of the library since the test began. */
static char said[4096];
static int said_fd;

static int lines(void)
{
	ssize_t len = pread(said_fd, said, sizeof(said) - 1, 0);
	int i, n = 0;

	said[len > 0 ? len : 0] = 0;
	for (i = 0; said[i]; i++)
		n += said[i] == '\n';
	return n;
}

FIXTURE(range) {
};

FIXTURE_SETUP(range)
{
	fake_reset();
	evaluated = 0;
	/* The harness prints on descriptor 1. */
	said_fd = memfd_create("said", MFD_CLOEXEC);
	ASSERT_EQ(STDERR_FILENO, dup2(said_fd, STDERR_FILENO));
}

FIXTURE_TEARDOWN(range)
{
}

TEST_F(range, what_fits_is_emitted)
{
	int n, events = 0;

	for (n = 0; typed(n, 100, 65535, 65535); n++)
		EXPECT_EQ(++events, fake->nr) TH_LOG("way %d", n);
	for (n = 0; typed(n, 255, 1, 0); n++)
		EXPECT_EQ(++events, fake->nr) TH_LOG("way %d", n);
	for (n = 0; severe(n, DEVTRACE_HW3); n++)
		EXPECT_EQ(++events, fake->nr) TH_LOG("way %d", n);
	EXPECT_EQ(events - 1, evaluated);
	EXPECT_EQ(0, devtrace_errors());
	EXPECT_EQ(0, lines()) TH_LOG("%s", said);
}

TEST_F(range, types)
{
	static const long long types[] = { 256, 300, 65636, -1, -156, 0x100000064LL };
	int i, n, refused = 0;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (n = 0; n < 5; n++) {
			/* Functions have a parameter of type unsigned int. */
			if (types[i] >> 32 > 0 && (n == 1 || n == 4))
				continue;
			errno = 1234;
			ASSERT_TRUE(typed(n, types[i], 1, 1));
			EXPECT_EQ(1234, errno);
			EXPECT_EQ(++refused, devtrace_errors()) {
				TH_LOG("type %lld, way %d", types[i], n);
			}
			EXPECT_EQ(EINVAL, devtrace_error());
		}
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, evaluated);
	EXPECT_EQ(1, lines());
	EXPECT_STREQ("devtrace: event type 256 is out of range: the event is discarded; a program "
		     "has 1 to 53, 55 to 57, 71 to 83, 85 to 127, 192 to 255 (see libdevtrace(3))\n", said);
}

TEST_F(range, objects_and_signals)
{
	int n, refused = 0;

	for (n = 0; n < 3; n++) {
		typed(n, 100, -3, 1);
		EXPECT_EQ(++refused, devtrace_errors()) TH_LOG("object, way %d", n);
		typed(n, 100, 65536, 1);
		EXPECT_EQ(++refused, devtrace_errors()) TH_LOG("object, way %d", n);
	}
	for (n = 0; n < 2; n++) {
		typed(n, 100, 1, 65536);
		EXPECT_EQ(++refused, devtrace_errors()) TH_LOG("signal, way %d", n);
	}
	EXPECT_EQ(EINVAL, devtrace_error());
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, evaluated);
	EXPECT_EQ(1, lines());
	EXPECT_STREQ("devtrace: object or signal -3 is out of range: the event is discarded; "
		     "they have 16 bits: 0 to 65535 (see libdevtrace(3))\n", said);
}

TEST_F(range, severities)
{
	static volatile const long long severities[] = { 264, 256, -248, 41 };
	int i, n, refused = 0;

	for (i = 0; i < sizeof(severities) / sizeof(severities[0]); i++)
		for (n = 0; severe(n, severities[i]); n++)
			EXPECT_EQ(++refused, devtrace_errors()) {
				TH_LOG("severity %lld, way %d", severities[i], n);
			}
	EXPECT_EQ(24, refused);
	EXPECT_EQ(-1, Trace0(1, severities[0]));
	EXPECT_EQ(EINVAL, devtrace_error());
	EXPECT_EQ(0, fake->nr);
	EXPECT_EQ(0, evaluated);
	EXPECT_EQ(1, lines());
	EXPECT_STREQ("devtrace: severity 264 is out of range: the event is discarded; take "
		     "DEVTRACE_SW0 to DEVTRACE_HW3, or 0 for none (see libdevtrace(3))\n", said);
}

/* Values that fit but are invalid: the device refuses them, and the library says why. */
TEST_F(range, those_that_the_device_refuses)
{
	volatile uint8_t type = DEVTRACE_T_CLOCK, severity = 2;

	fake->emit_error = EINVAL;
	devtrace(type, 1);
	EXPECT_EQ(1, devtrace_errors());
	EXPECT_EQ(1, lines());
	EXPECT_NE(NULL, strstr(said, "devtrace: event type 58 is out of range: ")) TH_LOG("%s", said);
	devtrace_exc(severity, 1);
	devtrace_exc(severity, 1);
	EXPECT_EQ(3, devtrace_errors());
	EXPECT_EQ(2, lines());
	EXPECT_NE(NULL, strstr(said, "devtrace: severity 2 is out of range: ")) TH_LOG("%s", said);
	/* A valid event, refused for an unknown reason. */
	type = 100;
	devtrace(type, 1);
	EXPECT_EQ(4, devtrace_errors());
	EXPECT_EQ(2, lines()) TH_LOG("%s", said);
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

int main(int argc, char **argv)
{
	setenv("DEVTRACE_DEBUG", "1", 1);
	fake_start(argv);
	return harness_main(argc, argv);
}
