/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakedev.h - a trace device for tests that run where there is none
 *
 * The test program is linked with --wrap=ioctl, syscall, mmap and munmap. The device
 * is a file that holds a control page, so that open, mmap, dup, fork and
 * close are the real ones; only the calls of the device are answered here,
 * and only on descriptors of that file. What was emitted lies in memory that
 * children share, and so do lanes. In a child of fork(3) the lanes of its parent become
 * pages of zeros, as from the kernel. What is handed over of a lane is copied, whole
 * blocks alone: what was taken and what is in the lane is all that its thread emitted.
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
#include <linux/devtrace_lane.h>

#define FAKE_EVENTS	64
#define FAKE_LANES	16
#define FAKE_SOURCE	100	/* of the first lane */
#define FAKE_KEPT	2048	/* blocks of a lane that was handed over */

struct fake_event {
	size_t	size;
	uint8_t	bytes[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
};

/* A lane that was given, as its maker sees it. */
struct fake_lane {
	uint8_t				*mine;	/* where its thread has it */
	unsigned int			mapped;	/* 0: given back, or not yet mapped */
	struct devtrace_lane_head	*head;
	uint8_t				*blocks;
	uint8_t				*kept;	/* block n is at n % FAKE_KEPT */
	uint32_t			nr, first;
	uint32_t			flags;	/* that were asked for */
	uint32_t			taken;	/* blocks before this one were handed over */
	uint32_t			missed;	/* blocks that were overwritten before they were */
	unsigned int			hands;	/* calls that handed over, in vain too */
};

struct fake {
	/* what happened */
	unsigned int	opens;		/* tries to open, failed ones too */
	unsigned int	nr;		/* events, more than are kept */
	unsigned int	nr_dicts;
	struct fake_event events[FAKE_EVENTS];
	struct devtrace_dict dicts[FAKE_EVENTS];
	unsigned int	asked;		/* for lanes, in vain too */
	unsigned int	tids;		/* calls of gettid(2) */
	unsigned int	nr_lanes;
	struct fake_lane lanes[FAKE_LANES];
	/* what is to happen */
	int		open_error;	/* every open fails like this */
	int		rdwr_error;	/* opening for reading does */
	int		emit_error;	/* every event does */
	int		no_device_error;	/* of calls to what is no device; 0: the kernel's */
	int		lane_error;	/* nobody gets a lane */
	uint32_t	lane_bytes;	/* what who does not say gets; 0: the least */
	uint32_t	lane_first;	/* number of its first block */
	uint32_t	lane_lie;	/* bits wrong in what is said of its bytes */
	int		hand_error;	/* nothing can be handed over */
	unsigned int	look_back;	/* blocks that lane_parse() reads of what was; 0: 8 */
	void		(*in_lane)(void); /* called before it is given */
	void		(*in_hand)(void); /* called before what is handed over is taken */
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
/* May events of this type go into a lane? After fake_reset() none may. */
void fake_into_lane(unsigned int type, int may);
void fake_into_lanes(int may);
/* Say in the head of this lane that it is closed. */
void fake_close_lane(struct fake_lane *lane);
/* The control page of another version; that of a module from before objects. */
void fake_version(uint32_t version);
void fake_older(void);
/* The page itself, to be written as the kernel would. */
struct devtrace_control *fake_page(void);
/* Something is being handed over: one step for whoever else comes in, as in the kernel. */
int fake_hands(void);
/* Is this one a descriptor of the device? */
int fake_is(int fd);

#endif
