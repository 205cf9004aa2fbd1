/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct stream, for code that stores into it and reads from it
 */
#ifndef DEVTRACE_STREAM_STREAM_H
#define DEVTRACE_STREAM_STREAM_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/devtrace.h>
#include <uapi/linux/devtrace_netlink.h>

#include "past.h"
#include "ring/history.h"
#include "ring/ring.h"
#include "stop.h"

struct device;

/**
 * struct stream_image - a stream that is a copy of what an earlier boot left
 * @fops: how to read it; trace_open() hands over to it, with the image in private_data
 * @release: the last descriptor is closed, and the stream is removed
 * @bytes: how long it is
 */
struct stream_image {
	const struct file_operations *fops;
	void	(*release)(struct stream_image *image);
	u64	bytes;
};

/**
 * struct stream - rings of all CPUs
 * @name: its name
 * @id: its number, and that of its device
 * @rings: one a CPU; memory comes with the CPU
 * @bytes: of each
 * @start: first position and index, for tests
 * @mode: of the device node
 * @ref: one for the list, one for each open descriptor
 * @gone: it was removed; readers get what is left, then the end
 * @stop: whether and when it stores events
 * @watched: armed triggers that may stop it
 * @state: enum devtrace_state, as last settled
 * @past: changes of state, the n-th at n % STREAM_PASTS
 * @pasts: their numbers
 * @missed: with each of @past, for each CPU: see stream_missed()
 * @counted: changes of state before this one have their @missed; wraps
 * @cleared: trace clock, ns, of the last clear; 0 without one
 * @clears: how often it was cleared
 * @watermark: percent
 * @marked: for each CPU, the position up to which a watermark was notified
 * @before: for each CPU, the events that were emitted before the stream was there
 * @before_lanes: the same of lanes
 * @marked_lanes: as @marked, for lanes
 * @wait: readers that wait
 * @readers_lock: of @readers and @reader_serial; held for one way down the tree
 * @readers: struct reader, in the order in which they came
 * @reader_serial: of the newest reader
 * @kick: from any context: there is something for @work
 * @work: settles what emitters began
 * @free: takes it apart
 * @device: in sysfs and in /dev
 * @image: it is no more than that, and has no events of its own; or NULL
 * @lent: the memory of its rings is somebody else's: their size stays
 */
struct stream {
	char			name[DEVTRACE_NAME_LEN];
	unsigned int		id;
	struct ring __percpu	*rings;
	unsigned long		bytes;
	u32			start;
	umode_t			mode;
	struct kref		ref;
	bool			gone;

	struct stop		stop;
	unsigned int		watched;
	enum devtrace_state	state;
	struct stream_past	past[STREAM_PASTS];
	struct history		pasts;
	u64			*missed;
	unsigned long		counted;

	atomic64_t		cleared;
	unsigned int		clears;

	unsigned int		watermark;
	u64 __percpu		*marked;
	u64 __percpu		*before;
	u64			before_lanes;
	u64			marked_lanes;
	wait_queue_head_t	wait;
	raw_spinlock_t		readers_lock;	/* of @readers and @reader_serial */
	struct rb_root		readers;
	u64			reader_serial;

	struct irq_work		kick;
	struct delayed_work	work;
	struct work_struct	free;
	struct device		*device;
	struct stream_image	*image;
	bool			lent;
};

/* A reader that sees this number finds all earlier clears done. */
static inline unsigned int stream_clears(const struct stream *s)
{
	/* LMM(clears:B): pairs with clears:A. */
	return smp_load_acquire(&s->clears);
}

#endif /* DEVTRACE_STREAM_STREAM_H */
