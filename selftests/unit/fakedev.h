/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakedev.h - a trace device for tests that run without the module
 *
 * The test program is linked with --wrap=ioctl, syscall, mmap and munmap. The device is a file
 * with a control page: open, mmap, dup, fork and close are the real calls. The wrappers
 * implement only the device's own calls, and only for descriptors of this file. Emitted events
 * are stored in memory that children share, and so are lanes. In a child of fork(2), the lanes
 * of its parent become zeroed pages, as in the kernel. Handing over copies whole blocks of a
 * lane: the copied blocks and the lane together hold all events of its thread.
 *
 * A test calls fake_start() first, which restarts the program with DEVTRACE_DEVICE set, as the
 * library reads it before main(). If a program cannot be restarted (under an emulator), the
 * caller sets it to an empty file, which is removed.
 */
#ifndef FAKEDEV_H
#define FAKEDEV_H

#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>
#include <linux/devtrace_lane.h>

#define FAKE_EVENTS	64
#define FAKE_LANES	16
#define FAKE_SOURCE	100	/* source of the first lane */
#define FAKE_KEPT	2048	/* blocks kept of each lane that were handed over */

struct fake_event {
	size_t	size;
	uint8_t	bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
};

/* A lane, as the device sees it. */
struct fake_lane {
	uint8_t				*mine;	/* address in its thread */
	unsigned int			mapped;	/* 0: unmapped, or not mapped yet */
	struct devtrace_lane_head	*head;
	uint8_t				*blocks;
	uint8_t				*kept;	/* block n is at n % FAKE_KEPT */
	uint32_t			nr, first;
	uint32_t			flags;	/* flags of the request */
	uint32_t			taken;	/* blocks before this number were handed over */
	uint32_t			missed;	/* blocks overwritten before that */
	unsigned int			hands;	/* calls to hand over, failed ones too */
};

struct fake {
	/* written by the device */
	unsigned int	opens;		/* attempts to open, failed ones too */
	unsigned int	nr;		/* events, also those that are not kept */
	unsigned int	nr_dicts;
	struct fake_event events[FAKE_EVENTS];
	struct devtrace_dict dicts[FAKE_EVENTS];
	unsigned int	nr_types;	/* requests for types, failed ones too */
	unsigned int	asked;		/* requests for lanes, failed ones too */
	unsigned int	tids;		/* calls of gettid(2) */
	unsigned int	nr_lanes;
	struct fake_lane lanes[FAKE_LANES];
	/* set by the test */
	int		open_error;	/* every open(2) fails with this error */
	int		rdwr_error;	/* open(2) for reading fails */
	int		emit_error;	/* every event fails */
	int		no_device_error;	/* error on other descriptors; 0: the kernel's */
	int		type_error;	/* every request for a type fails */
	uint32_t	type_offset;	/* added to the number of each type */
	int		lane_error;	/* every request for a lane fails */
	uint32_t	lane_bytes;	/* default size of lanes; 0: the smallest */
	uint32_t	lane_first;	/* number of the first block of a new lane */
	uint32_t	lane_lie;	/* bits to flip in the size that the device reports */
	int		hand_error;	/* every call to hand over fails */
	unsigned int	look_back;	/* handed-over blocks that lane_parse() reads; 0: 8 */
	void		(*in_dict)(void); /* called before the device gets a name */
	void		(*in_lane)(void); /* called before the device gives a lane */
	void		(*in_hand)(void); /* called before the device takes blocks */
	void		(*in_open)(void); /* called before open(2) returns */
	void		(*in_map)(void); /* called before the control page is mapped */
};

extern struct fake *fake;

/* Call first in main(). */
void fake_start(char **argv);
/* Reset to the state of a new process: no events, everything wanted. */
void fake_reset(void);
/* Set the filter in the control page, which all processes see. */
void fake_want(unsigned int type, int wanted);
void fake_want_object(unsigned int object, int wanted);		/* 0 to 255 */
void fake_want_severity(unsigned int severity, int wanted);	/* 0 to 15 */
/* Allow lanes for events of this type; after fake_reset() no type may use them. */
void fake_into_lane(unsigned int type, int may);
void fake_into_lanes(int may);
/* Mark this lane as closed in its head. */
void fake_close_lane(struct fake_lane *lane);
/* Set another version of the control page; make it the page of a module without objects. */
void fake_version(uint32_t version);
void fake_older(void);
/* The control page, writable. */
struct devtrace_control *fake_page(void);
/* True during a call to hand over, which in the kernel is one step for a signal handler. */
int fake_hands(void);
/* True for a descriptor of the device. */
int fake_is(int fd);

#endif
