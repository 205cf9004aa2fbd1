/* SPDX-License-Identifier: GPL-2.0-only */
/* trigger_fixture.h - a device, dtfire.ko, a listener, and a trigger on dtfire's type */
#ifndef TRIGGER_FIXTURE_H
#define TRIGGER_FIXTURE_H

#include <string.h>
#include <devtrace-ctl.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "trigger.h"

FIXTURE(trigger) {
	struct devtrace_ctl *ctl, *monitor;
	struct devtrace_ctl_trigger t;
	int fd;				/* descriptor of the monitor */
};

FIXTURE_SETUP(trigger)
{
	memset(self, 0, sizeof(*self));
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, dev_load_file("dtfire.ko", ""));
	self->ctl = devtrace_ctl_open();
	self->monitor = devtrace_ctl_open();
	ASSERT_NE(NULL, self->ctl);
	ASSERT_NE(NULL, self->monitor);
	self->fd = devtrace_ctl_monitor(self->monitor);
	ASSERT_LE(0, self->fd);
	devtrace_ctl_trigger_init(&self->t, "t");
	/* A type of our own, so that no other event meets it. */
	devtrace_filter_only(&self->t.when, DEVTRACE_FA_TYPES);
	devtrace_filter_range(&self->t.when, DEVTRACE_FA_TYPES, FIRE_TYPE, FIRE_TYPE, true);
}

FIXTURE_TEARDOWN(trigger)
{
	devtrace_ctl_close(self->ctl);
	devtrace_ctl_close(self->monitor);
	EXPECT_EQ(0, dev_done());
}

#define OK(call)	ASSERT_EQ(0, call) TH_LOG("%s", devtrace_ctl_error(self->ctl))
#define NEW()		OK(devtrace_ctl_trigger_new(self->ctl, &self->t))
/* Expect this error, and a message with this word. */
#define REFUSED(err, word, call) do {						\
	EXPECT_EQ(-(err), call);						\
	EXPECT_NE(NULL, strstr(devtrace_ctl_error(self->ctl), word))		\
		TH_LOG("it says: %s", devtrace_ctl_error(self->ctl));		\
} while (0)

#endif /* TRIGGER_FIXTURE_H */
