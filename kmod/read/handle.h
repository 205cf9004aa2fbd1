/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open descriptor of /dev/trace: see handle.c
 */
#ifndef DEVTRACE_HANDLE_H
#define DEVTRACE_HANDLE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct reader;
struct stream;

struct handle {
	struct stream	*stream;
	struct mutex	lock;		/* of all below; not held while user memory is touched */
	struct reader	*reader;	/* NULL until it is needed */
	bool		copying;	/* a read copies staged frames, without the lock */
	bool		missed;		/* poll(2) or a read was told to come again; without lock */
	wait_queue_head_t copied;	/* for the end of @copying */
	bool		rests;		/* it read all there was, at @rested */
	unsigned long	rested;		/* jiffies */
	bool		clear;		/* O_TRUNC, and nothing written yet */
};

int handle_lock(struct handle *h, bool nowait);
void handle_unlock(struct handle *h);
void handle_release(struct handle *h);
struct reader *handle_reader(struct handle *h);

#endif /* DEVTRACE_HANDLE_H */
