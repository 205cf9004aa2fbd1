/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit.h - what the files of the emitting side share
 *
 * Nothing in here takes a lock, allocates memory or changes errno; all of it
 * may run in a signal handler over any other part of itself.
 */
#ifndef LIB_EMIT_H
#define LIB_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

/* Values of the connection besides a descriptor. */
enum {
	CONN_UNTRIED = -1,	/* nobody has asked for it yet */
	CONN_OFF = -2,		/* closed: do not try again; less errno: no device */
};

/* The state of the connection; the name of the device, empty if DEVTRACE_DEVICE is none. */
int dt_conn_state(void);
const char *dt_conn_device(void);

/*
 * There is no device: say so, if DEVTRACE_DEBUG asks for it and it has not been said.
 * May change errno.
 */
void dt_status_print(int state);

/* The same of a value that is out of range: DEVTRACE_BAD_*. May change errno. */
void dt_refused_print(unsigned int what, unsigned long long value);

/*
 * Hand a request to the device, connecting if need be. 0, or an errno number
 * that has been counted; ENODEV if there is no device. May change errno.
 */
int conn_ioctl(unsigned long request, const void *arg);

/*
 * Ask for a lane: a descriptor, or minus an errno number, which has not been counted. May
 * change errno.
 */
int dt_conn_lane(struct devtrace_lane_ask *arg);

/*
 * Let the kernel take what is complete of the thread's lane. 0, or an errno number, which
 * has not been counted. May change errno.
 */
int dt_conn_hand(uint32_t source);

/* Close a descriptor: no cancellation point. May change errno. */
void dt_close_quietly(int fd);

/* Emit by a system call: what devtrace_emit_event() returns. Keeps errno. */
int dt_emit_by_call(const struct devtrace_emit *event, size_t size);

/* Count a call that has not done what was asked. Returns err. */
int emit_error(int err);

/* Make the control page follow that state: of emit_page.c. May change errno. */
void page_set(int state);

/*
 * Whether the control page is that of the device, having connected if nobody
 * has tried yet. May change errno.
 */
bool conn_page(void);

/*
 * Whether clock_gettime(2) is the kernel's own clock in this process: not shifted by a
 * time namespace. The second finds out whatever is known.
 */
bool dt_clock_unshifted(void);
void dt_clock_look(void);

/* The version in a page that we made, as none of the device can be had. */
#define PAGE_OURS	0xffffffff

#endif
