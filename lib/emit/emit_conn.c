// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_conn.c - the one connection of a process to the trace device
 *
 * The state is one integer, conn: a descriptor, CONN_UNTRIED, or CONN_OFF minus an errno number,
 * which is the reason why there is no device (0: the program called devtrace_close()).
 * emit_status.c describes the reason in words.
 *
 * Several threads, or a thread and its signal handler, may connect at the same time. Each opens
 * the device, and one stores its descriptor into conn by compare-and-exchange; the others close
 * theirs and use the stored one. No thread waits.
 *
 * A thread that changes the state replaces the control page and then checks that the state is
 * still the same. So the last replacement of the page is the one for the final state.
 *
 * Other code may close the descriptor: daemons close all descriptors. A child of vfork(2) shares
 * our memory, but not our descriptors, so conn may refer to another file in the child or in the
 * parent. In these cases the calls for the device fail with EBADF or ENOTTY (or with ENOSYS in an
 * emulator that does not support them), and the library connects again. The library never closes a
 * descriptor of anything but the device.
 *
 * syscall(2) calls open(2) and close(2), because the functions of the C library are cancellation
 * points and emitting an event must never terminate a thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_image.h"
#include "emit_lane.h"
#include "emit_type.h"

/*
 * Use descriptors from this number on: programs rely on the lowest free ones, and redirect 0 to 2.
 */
#define FD_HIGH		200
#define FD_LOW		3

static int conn = CONN_UNTRIED;
/*
 * Number of calls of devtrace_open(). When it has increased, a thread to which the kernel refused
 * a lane asks for one again.
 */
static unsigned int opens;

int devtrace_status(void)
{
	return dt_status_of(__atomic_load_n(&conn, __ATOMIC_ACQUIRE));
}

unsigned int dt_conn_opens(void)
{
	return __atomic_load_n(&opens, __ATOMIC_RELAXED);
}

void dt_close_quietly(int fd)
{
	syscall(SYS_close, fd);
}

static bool says_no_device(int err)
{
	return err == EBADF || err == ENOTTY || err == ENOSYS;
}

/*
 * Try to emit an event of size 0, and return the errno number. The trace device refuses it with
 * another error than other files, which do not know the request at all.
 */
static int conn_probe(int fd)
{
	return ioctl(fd, DEVTRACE_IOC_EMIT(0), NULL) == 0 ? 0 : errno;
}

static bool is_device(int fd)
{
	return !says_no_device(conn_probe(fd));
}

static bool is_closed(int fd)
{
	return fcntl(fd, F_GETFD) < 0 && errno == EBADF;
}

/*
 * Return the errno number of a failed open(2); ENOTTY if it was refused and the file is not a
 * character device.
 */
static int open_error(void)
{
	int err = errno;
	struct stat st;

	if ((err == EACCES || err == EPERM) && !stat(dt_device_name(), &st) && !S_ISCHR(st.st_mode))
		return ENOTTY;
	return err;
}

/* Return a descriptor or minus an errno number. */
static int open_device(void)
{
	const int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	const char *device = dt_device_name();
	int fd, high, err = dt_device_error();

	if (err)
		return -err;

	/* The control page can only be mapped from a descriptor that is open for reading, too. */
	fd = syscall(SYS_openat, AT_FDCWD, device, O_RDWR | flags);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		fd = syscall(SYS_openat, AT_FDCWD, device, O_WRONLY | flags);
	if (fd < 0)
		return -open_error();
	err = conn_probe(fd);
	if (says_no_device(err))
		err = ENOTTY;
	/*
	 * The device itself never returns these errors: seccomp(2) or a security module has
	 * refused the call.
	 */
	if (err == ENOTTY || err == EPERM || err == EACCES) {
		dt_close_quietly(fd);
		return -err;
	}

	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_HIGH);
	if (high < 0 && fd < FD_LOW)
		high = fcntl(fd, F_DUPFD_CLOEXEC, FD_LOW);
	err = errno;
	if (high < 0 && fd >= FD_LOW)
		return fd;
	dt_close_quietly(fd);
	return high < 0 ? -err : high;
}

/* Replace the control page until it matches the state of the connection. Return the state. */
static int page_follow(int now)
{
	int state;

	do {
		state = now;
		page_set(state);
		now = __atomic_load_n(&conn, __ATOMIC_SEQ_CST);
	} while (now != state);
	return now;
}

/*
 * Try to connect while the state is @from. If that fails, store the errno number in *err. If
 * another thread has changed the state in the meantime, return the new state.
 */
static int connect_from(int from, int *err)
{
	int fd = open_device();
	int now = fd < 0 ? CONN_OFF + fd : fd;
	/* Now, so that no thread emits an event before the images. */
	unsigned int images = fd < 0 ? 0 : dt_images_send_all(fd);

	if (fd >= 0)
		dt_types_send(fd);
	*err = fd < 0 ? -fd : 0;
	if (!__atomic_compare_exchange_n(&conn, &from, now, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST)) {
		if (fd >= 0)
			dt_close_quietly(fd);
		*err = 0;
		return from;
	}
	if (*err) {
		emit_error(*err);
		dt_status_print(now);
	} else {
		/* Images that other threads have registered since, see emit_image.c. */
		dt_images_send(fd, images);
	}
	return page_follow(now);
}

/* fd no longer refers to the device: connect again, unless another thread already has. */
static int conn_reconnect(int fd)
{
	int now = fd, err;

	if (__atomic_compare_exchange_n(&conn, &now, CONN_UNTRIED, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		/*
		 * If other threads have closed and opened the device in the meantime, fd may refer
		 * to the device again. No thread uses it, so close it.
		 */
		if (is_device(fd))
			dt_close_quietly(fd);
		now = CONN_UNTRIED;
	}
	return now == CONN_UNTRIED ? connect_from(now, &err) : now;
}

int conn_ioctl(unsigned long request, const void *arg)
{
	int fd = __atomic_load_n(&conn, __ATOMIC_ACQUIRE);
	bool again = false;
	int err;

	if (fd == CONN_UNTRIED)
		fd = connect_from(fd, &err);
	while (fd >= 0) {
		if (ioctl(fd, request, arg) >= 0)
			return 0;
		err = errno;
		if (again || !says_no_device(err))
			return emit_error(err);
		fd = conn_reconnect(fd);
		again = true;
	}
	return ENODEV;
}

int dt_conn_lane(struct devtrace_lane_ask *arg)
{
	int fd = __atomic_load_n(&conn, __ATOMIC_ACQUIRE);
	bool again = false;
	int lane, err;

	if (fd == CONN_UNTRIED)
		fd = connect_from(fd, &err);
	while (fd >= 0) {
		lane = ioctl(fd, DEVTRACE_IOC_LANE, arg);
		if (lane >= 0)
			return lane;
		err = errno;
		/* A module without lanes returns ENOTTY, too, so check the descriptor. */
		if (again || !says_no_device(err) || is_device(fd))
			return -err;
		fd = conn_reconnect(fd);
		again = true;
	}
	return -ENODEV;
}

int dt_conn_hand(uint32_t source)
{
	int fd = __atomic_load_n(&conn, __ATOMIC_ACQUIRE);
	bool again = false;
	int err;

	while (fd >= 0) {
		if (ioctl(fd, DEVTRACE_IOC_HAND, (unsigned long)source) >= 0)
			return 0;
		err = errno;
		/*
		 * The kernel gave us a lane, so it knows this request: ENOSYS comes from
		 * seccomp(2), or from an emulator that does not check the descriptor.
		 */
		if (again || !says_no_device(err) || (err == ENOSYS && !is_closed(fd)))
			return err;
		fd = conn_reconnect(fd);
		again = true;
	}
	return ENODEV;
}

int devtrace_open(void)
{
	int saved = errno;
	int fd = __atomic_load_n(&conn, __ATOMIC_ACQUIRE);
	int err = 0;

	if (fd >= 0 && !is_device(fd))
		fd = conn_reconnect(fd);
	else if (fd < 0)
		fd = connect_from(fd, &err);
	/* The program may have called setns(2), so check the time namespace again. */
	dt_timens_look();
	__atomic_fetch_add(&opens, 1, __ATOMIC_RELAXED);
	errno = saved;
	return fd >= 0 ? 0 : err ? err : ENODEV;
}

void devtrace_close(void)
{
	int saved = errno;
	int fd = __atomic_exchange_n(&conn, CONN_OFF, __ATOMIC_SEQ_CST);

	if (fd >= 0 && is_device(fd))
		dt_close_quietly(fd);
	page_follow(CONN_OFF);
	errno = saved;
}

bool conn_page(void)
{
	int fd = __atomic_load_n(&conn, __ATOMIC_ACQUIRE);
	int err;

	if (fd == CONN_UNTRIED)
		fd = connect_from(fd, &err);
	/* Another thread may have connected, but not yet mapped the control page. */
	if (fd >= 0 && !__atomic_load_n(&devtrace_control.version, __ATOMIC_ACQUIRE))
		page_follow(fd);
	return __atomic_load_n(&devtrace_control.version, __ATOMIC_ACQUIRE) ==
	       DEVTRACE_WIRE_VERSION;
}

int devtrace_fd(void)
{
	int fd = __atomic_load_n(&conn, __ATOMIC_ACQUIRE);

	return fd >= 0 ? fd : -1;
}
