/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit.h - internal interface of the emitting side
 *
 * Unless stated otherwise, the functions take no lock, allocate no memory and keep errno. Each may
 * run in a signal handler that interrupts any of them.
 */
#ifndef LIB_EMIT_H
#define LIB_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

/* States of the connection. A number >= 0 is a descriptor. */
enum {
	CONN_UNTRIED = -1,	/* no thread has connected yet */
	/*
	 * CONN_OFF: closed until devtrace_open(); CONN_OFF minus an errno number: there is no
	 * device
	 */
	CONN_OFF = -2,
};

/*
 * dt_device_name() returns the name of the device, or "" if the variable DEVTRACE_DEVICE is empty
 * or too long. dt_device_error() then returns an errno number, otherwise 0.
 */
const char *dt_device_name(void);
int dt_device_error(void);

/* Return the number of calls of devtrace_open(). */
unsigned int dt_conn_opens(void);
/* Convert a state of the connection to a value of devtrace_status(). */
int dt_status_of(int state);

/*
 * With DEVTRACE_DEBUG in the environment, print why there is no device, once for each reason. May
 * change errno.
 */
void dt_status_print(int state);

/*
 * With DEVTRACE_DEBUG in the environment, print that a value of an event is out of range, once for
 * each @what (DEVTRACE_BAD_*). May change errno.
 */
void dt_refused_print(unsigned int what, unsigned long long value);

/*
 * Pass a request to the device; connect first if necessary. Return 0, ENODEV if there is no
 * device, or another errno number; errors other than ENODEV are counted. May change errno.
 */
int conn_ioctl(unsigned long request, const void *arg);

/*
 * Request a lane from the kernel. Return a descriptor, or minus an errno number; errors are not
 * counted. May change errno.
 */
int dt_conn_lane(struct devtrace_lane_ask *arg);

/*
 * Let the kernel take the complete blocks of the thread's lane. Return 0 or an errno number;
 * errors are not counted. May change errno.
 */
int dt_conn_hand(uint32_t source);

/* Close a descriptor; unlike close(3), this is not a cancellation point. May change errno. */
void dt_close_quietly(int fd);

/* Emit an event by a system call. Return the same as devtrace_emit_event(). Keeps errno. */
int dt_emit_by_call(const struct devtrace_emit *event, size_t size);

/* Count a failed call, and return its errno number err. */
int emit_error(int err);

/* Replace the control page by the one for @state (emit_page.c). May change errno. */
void page_set(int state);

/*
 * Connect if no thread has tried yet. Return true if the control page is the device's. May change
 * errno.
 */
bool conn_page(void);

/*
 * dt_clock_unshifted() returns true if clock_gettime(2) returns the kernel's own time, and false
 * if a time namespace shifts it. dt_timens_look() checks this again.
 */
bool dt_clock_unshifted(void);
void dt_timens_look(void);

/* Version in a control page that the library made, because it could not map the device's. */
#define PAGE_OURS	0xffffffff

#endif
