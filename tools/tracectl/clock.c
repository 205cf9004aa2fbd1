// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - state to the kernel how exact the wall clock is
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "common/accuracy.h"
#include "common/device.h"
#include "tracectl.h"

static void clock_print(const struct tc *tc, const struct devtrace_accuracy *a)
{
	if (tc->json)
		printf("{\"synchronised\":%s,\"max_error\":%llu,\"estimated_error\":%llu,\"status\":%u,\"source\":\"%s\"}\n",
		       accuracy_unsync(a) ? "false" : "true", (unsigned long long)a->max,
		       (unsigned long long)a->est, a->status, a->source);
	else if (accuracy_unsync(a))
		printf("not synchronised, source %s, status 0x%x\n", a->source, a->status);
	else
		printf("at most %llu ns, estimated %llu ns, source %s, status 0x%x\n",
		       (unsigned long long)a->max, (unsigned long long)a->est, a->source,
		       a->status);
}

static int clock_fail(const char *path, int err)
{
	const char *more = err == EACCES ? device_who_may_read(path) :
			   err == EPERM ? " (only root may state how exact the clock is)" :
			   err == ENOTTY ? " (this module is too old for such statements)" : "";

	fprintf(stderr, "tracectl: clock: %s: %s%s\n", path, strerror(err), more);
	return 1;
}

int tc_clock(struct tc *tc)
{
	static const char device[] = "/dev/trace";
	const char *hardware = NULL;
	struct devtrace_accuracy a;
	__s64 offset;
	int fd, err;

	if (tc->nr)
		hardware = tc_next(tc, "HARDWARE");
	tc_end(tc);
	err = hardware ? accuracy_hardware(&a, hardware, &offset) : accuracy_read(&a);
	if (err)
		return clock_fail(hardware ? hardware : "adjtimex", -err);
	fd = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return clock_fail(device, errno);
	err = ioctl(fd, DEVTRACE_IOC_ACCURACY, &a) ? errno : 0;
	close(fd);
	if (err)
		return clock_fail(device, err);
	clock_print(tc, &a);
	return 0;
}
