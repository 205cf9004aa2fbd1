/* SPDX-License-Identifier: GPL-2.0-only */
/* struct stream, for code that stores into streams and reads from them */
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
struct slots;

/**
 * struct stream_image - a stream that is a copy of the events of an earlier boot
 * @fops: operations to read it; trace_open() switches to them, with the image in private_data
 * @release: called when the last descriptor is closed and the stream is removed
 * @bytes: its size
 */
struct stream_image {
	const struct file_operations *fops;
	void	(*release)(struct stream_image *image);
	u64	bytes;
};

/**
 * struct stream - one ring for each CPU, a state, a device
 * @name: name of the stream
 * @id: its number, and that of its device
 * @rings: one for each CPU; memory is allocated when the CPU comes up
 * @bytes: size of each ring
 * @start: first position and index; tests start near the wrap
 * @mode: mode of the device node
 * @ref: one reference for the table, one for each open descriptor
 * @gone: the stream is removed; readers get the remaining events, then end of file
 * @stop: whether, and until when, the stream stores events
 * @watched: number of armed triggers that may stop it
 * @state: enum devtrace_state; changes when a stop or start is complete
 * @past: changes of state, the n-th at n % STREAM_PASTS
 * @pasts: numbers of the changes in @past
 * @missed: for each of @past, one count for each CPU: see stream_missed()
 * @counted: changes before this number have their counts in @missed; wraps
 * @cleared: trace clock of the last clear, ns; 0 if never cleared
 * @clears: number of clears; see stream_clears()
 * @watermark: percent of a ring that must be new before readers wake; 0: no watermark
 * @marked: for each CPU, the position up to which readers were woken by the watermark
 * @before: for each CPU, the number of events emitted before the stream was created
 * @slots: the events of lanes
 * @marked_lanes: the same as @marked, for the ring of blocks
 * @wait: readers that wait
 * @readers_lock: protects @readers and @reader_serial; held for one walk down the tree
 * @readers: tree of struct reader, by @reader_serial
 * @reader_serial: serial number of the newest reader
 * @kick: queues @work, from any context
 * @work: completes, in process context, the stops and starts that emitters began
 * @free: frees the stream
 * @device: the device in sysfs and /dev
 * @image: if not NULL, the stream only shows this image and stores no events
 * @lent: the rings use borrowed memory, so they cannot be resized
 *
 * Unless a member says otherwise, devtrace_lock protects it.
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
	struct slots		*slots;
	u64			marked_lanes;
	wait_queue_head_t	wait;
	raw_spinlock_t		readers_lock;
	struct rb_root		readers;
	u64			reader_serial;

	struct irq_work		kick;
	struct delayed_work	work;
	struct work_struct	free;
	struct device		*device;
	struct stream_image	*image;
	bool			lent;
};

/* Return the number of clears. A reader that sees it also sees the effect of all these clears. */
static inline unsigned int stream_clears(const struct stream *s)
{
	/* LMM(clears:B): pairs with clears:A. */
	return smp_load_acquire(&s->clears);
}

#endif /* DEVTRACE_STREAM_STREAM_H */
