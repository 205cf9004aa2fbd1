// SPDX-License-Identifier: GPL-2.0-only
/*
 * accuracy.c - how exact the wall clock of this machine is
 *
 * The kernel computes the largest error of CLOCK_REALTIME: the daemon that synchronizes the clock
 * sets it, and the kernel lets it grow by 500 ppm. A module cannot read this error; a program can.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ptp_clock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <unistd.h>
#include "accuracy.h"

#define US		1000ull
#define SAMPLES		9
#define NSEC		1000000000ll
/* The hardware clock counts TAI, which is ahead of UTC by 37 s since 2017. */
#define TAI_LEAST	10
#define TAI_MOST	60

_Static_assert(STA_UNSYNC == DEVTRACE_ACCURACY_UNSYNC, "uapi");

static __u64 accuracy_us(long us)
{
	const __u64 ns = us < 0 ? DEVTRACE_ACCURACY_MAX : (__u64)us * US;

	return ns < DEVTRACE_ACCURACY_MAX ? ns : DEVTRACE_ACCURACY_MAX;
}

int accuracy_read(struct devtrace_accuracy *a)
{
	struct timex t = { .modes = 0 };
	const int state = adjtimex(&t);

	memset(a, 0, sizeof(*a));
	if (state < 0)
		return -errno;
	a->max = accuracy_us(t.maxerror);
	a->est = accuracy_us(t.esterror);
	a->status = (__u32)t.status & 0xffff;
	if (state == TIME_ERROR)
		a->status |= DEVTRACE_ACCURACY_UNSYNC;
	strcpy(a->source, t.status & STA_PPSSIGNAL ? "pps" : "ntp");
	return 0;
}

static int64_t stamp(const struct ptp_clock_time *t)
{
	return t->sec * NSEC + (int64_t)t->nsec;
}

/* The least delayed of the samples. *window: how long it took, ns. */
static int64_t nearest(const struct ptp_sys_offset *s, int64_t *window)
{
	int64_t offset = 0;
	unsigned int i;

	*window = INT64_MAX;
	for (i = 0; i < s->n_samples; i++) {
		const int64_t before = stamp(&s->ts[2 * i]), after = stamp(&s->ts[2 * i + 2]);

		if (after - before >= *window)
			continue;
		*window = after - before;
		offset = stamp(&s->ts[2 * i + 1]) - before - *window / 2;
	}
	return offset;
}

/* Subtract TAI - UTC, if the offset is about so many whole seconds. */
static int64_t without_tai(int64_t offset, int tai)
{
	const int64_t seconds = (offset + NSEC / 2) / NSEC;

	if (tai)
		return seconds == tai ? offset - tai * NSEC : offset;
	return seconds >= TAI_LEAST && seconds <= TAI_MOST ? offset - seconds * NSEC : offset;
}

int accuracy_hardware(struct devtrace_accuracy *a, const char *path, __s64 *offset)
{
	struct ptp_sys_offset s = { .n_samples = SAMPLES };
	const char *name = strrchr(path, '/');
	struct timex t = { .modes = 0 };
	int64_t window, off;
	uint64_t error;
	int fd, err;

	memset(a, 0, sizeof(*a));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = ioctl(fd, PTP_SYS_OFFSET, &s) ? -errno : 0;
	close(fd);
	if (err)
		return err;
	if (adjtimex(&t) < 0)
		return -errno;
	off = without_tai(nearest(&s, &window), t.tai);
	error = off < 0 ? -(uint64_t)off : (uint64_t)off;
	a->est = error < DEVTRACE_ACCURACY_MAX ? error : DEVTRACE_ACCURACY_MAX;
	error += (uint64_t)window / 2;
	a->max = error < DEVTRACE_ACCURACY_MAX ? error : DEVTRACE_ACCURACY_MAX;
	a->status = (__u32)t.status & 0xffff & ~(__u32)DEVTRACE_ACCURACY_UNSYNC;
	name = name ? name + 1 : path;
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(name) &&
	    strlen(name) < sizeof(a->source) && *name)
		strcpy(a->source, name);
	else
		strcpy(a->source, "ptp");
	*offset = off;
	return 0;
}
