/* SPDX-License-Identifier: GPL-2.0-only */
/* An open descriptor of /dev/trace: see handle.c */
#ifndef DEVTRACE_HANDLE_H
#define DEVTRACE_HANDLE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct reader;
struct stream;

struct handle {
	struct stream	*stream;
	/* protects all members below; not held while user memory is accessed */
	struct mutex	lock;
	struct reader	*reader;	/* NULL until it is created */
	bool		copying; /* a read is copying staged frames, without holding the lock */
	/* a caller got EAGAIN, or poll(2) found nothing; written without the lock */
	bool		missed;
	wait_queue_head_t copied;	/* wait queue for the end of @copying */
	bool		rests;		/* the reader has read everything, at the time @rested */
	unsigned long	rested;		/* jiffies */
	/*
	 * opened with O_TRUNC, and nothing written or emitted so far; read and written without the
	 * lock
	 */
	bool		clear;
};

int handle_lock(struct handle *h, bool nowait);
void handle_unlock(struct handle *h);
void handle_release(struct handle *h);
struct reader *handle_reader(struct handle *h);

#endif /* DEVTRACE_HANDLE_H */
