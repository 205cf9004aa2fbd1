/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakedev.h - a trace device for tests that run where there is none
 *
 * The test program is linked with --wrap=ioctl, syscall and mmap. The device
 * is a file that holds a control page, so that open, mmap, dup, fork and
 * close are the real ones; only the calls of the device are answered here,
 * and only on descriptors of that file. What was emitted lies in memory that
 * children share.
 *
 * The tests of the emitting side begin with fake_start(), which starts the
 * program anew with DEVTRACE_DEVICE set: the library reads it before main().
 * Where a program cannot be started anew (an emulator), set it to an empty
 * file outside; it will be removed.
 */
#ifndef FAKEDEV_H
#define FAKEDEV_H

#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#define FAKE_EVENTS	64

struct fake_event {
	size_t	size;
	uint8_t	bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
};

struct fake {
	/* what happened */
	unsigned int	opens;		/* tries to open, failed ones too */
	unsigned int	nr;		/* events, more than are kept */
	unsigned int	nr_dicts;
	struct fake_event events[FAKE_EVENTS];
	struct devtrace_dict dicts[FAKE_EVENTS];
	/* what is to happen */
	int		open_error;	/* every open fails like this */
	int		rdwr_error;	/* opening for reading does */
	int		emit_error;	/* every event does */
	void		(*in_open)(void); /* called between open and return */
	void		(*in_map)(void); /* called before a page is mapped */
};

extern struct fake *fake;

/* Call first in main(). */
void fake_start(char **argv);
/* Of a fresh process: nothing happened, everything wanted. */
void fake_reset(void);
/* The filter, as the kernel would set it: seen by all who map the page. */
void fake_want(unsigned int type, int wanted);
void fake_want_object(unsigned int object, int wanted);		/* 0 to 255 */
void fake_want_severity(unsigned int severity, int wanted);	/* 0 to 15 */
/* The control page of another version; that of a module from before objects. */
void fake_version(uint32_t version);
void fake_older(void);
/* The page itself, to be written as the kernel would. */
struct devtrace_control *fake_page(void);
/* Is this one a descriptor of the device? */
int fake_is(int fd);

#endif
