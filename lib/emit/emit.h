/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit.h - internal interface of the emitting side
 *
 * Nothing declared here takes a lock, allocates memory or changes errno, except where noted. All
 * of it may run in a signal handler that interrupts any part of it.
 */
#ifndef LIB_EMIT_H
#define LIB_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

/* States of the connection other than a descriptor (>= 0). */
enum {
	CONN_UNTRIED = -1,	/* no thread has connected yet */
	/* closed, until devtrace_open(); CONN_OFF minus an errno number: no device */
	CONN_OFF = -2,
};

/*
 * dt_device_name() returns the name of the device, or "" if DEVTRACE_DEVICE turns emitting off or
 * is too long. In these cases dt_device_error() returns an errno number, otherwise 0.
 */
const char *dt_device_name(void);
int dt_device_error(void);

/* The number of calls of devtrace_open(). */
unsigned int dt_conn_opens(void);
/* The status that devtrace_status() returns for this state of the connection. */
int dt_status_of(int state);

/*
 * Print why there is no device, once for each reason and only if DEVTRACE_DEBUG asks for it. May
 * change errno.
 */
void dt_status_print(int state);

/*
 * Print that a value of an event is out of range; what: DEVTRACE_BAD_*. Once for each kind and
 * only if DEVTRACE_DEBUG asks for it. May change errno.
 */
void dt_refused_print(unsigned int what, unsigned long long value);

/*
 * Pass a request to the device, connecting first if necessary. Return 0, ENODEV if there is no
 * device, or another errno number, which has been counted. May change errno.
 */
int conn_ioctl(unsigned long request, const void *arg);

/*
 * Ask the kernel for a lane. Return a descriptor, or minus an errno number. The error has not
 * been counted. May change errno.
 */
int dt_conn_lane(struct devtrace_lane_ask *arg);

/*
 * Let the kernel take the complete blocks of the thread's lane. Return 0 or an errno number. The
 * error has not been counted. May change errno.
 */
int dt_conn_hand(uint32_t source);

/* Close a descriptor without a cancellation point. May change errno. */
void dt_close_quietly(int fd);

/* Emit by a system call. Return what devtrace_emit_event() returns. Keeps errno. */
int dt_emit_by_call(const struct devtrace_emit *event, size_t size);

/* Count a failed call. Return err. */
int emit_error(int err);

/* Replace the control page by the one for @state (emit_page.c). May change errno. */
void page_set(int state);

/*
 * Connect if no thread has tried yet. Return whether the control page is the device's. May
 * change errno.
 */
bool conn_page(void);

/*
 * dt_clock_unshifted(): does clock_gettime(2) read the kernel's own clock in this process, not
 * one shifted by a time namespace? dt_timens_look() finds this out anew.
 */
bool dt_clock_unshifted(void);
void dt_timens_look(void);

/* Version in a control page that the library made because the device's page cannot be mapped. */
#define PAGE_OURS	0xffffffff

#endif
