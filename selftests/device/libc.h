/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libc.h - functions that only glibc has, for tests that are compiled with another C library
 */
#ifndef LIBC_H
#define LIBC_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT	0x8
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

/*
 * True if pthread_join() returns for a thread that ended by a system call. In musl pthread_join()
 * waits forever for such a thread.
 */
#ifdef __GLIBC__
#define LIBC_JOINS_ANY_THREAD	true
#else
#define LIBC_JOINS_ANY_THREAD	false
#endif

#ifndef __GLIBC__

/* Read at the position of the file. preadv2(2) takes a position in two halves on all machines. */
static inline ssize_t libc_preadv2(int fd, const struct iovec *iov, int nr, long at, int flags)
{
	return syscall(SYS_preadv2, fd, iov, (long)nr, at, at < 0 ? -1L : 0L, (long)flags);
}

#define preadv2 libc_preadv2

/* Return the name of the error, or NULL if this short list does not have it. */
static inline const char *libc_error_name(int error)
{
	static const struct {
		int nr;
		const char *name;
	} list[] = {
#define E_(e)	{ e, #e }
		E_(EPERM), E_(ENOENT), E_(ESRCH), E_(EINTR), E_(EIO), E_(ENXIO), E_(E2BIG),
		E_(ENOEXEC), E_(EBADF), E_(ECHILD), E_(EAGAIN), E_(ENOMEM), E_(EACCES), E_(EFAULT),
		E_(EBUSY), E_(EEXIST), E_(EXDEV), E_(ENODEV), E_(ENOTDIR), E_(EISDIR), E_(EINVAL),
		E_(ENFILE), E_(EMFILE), E_(ENOTTY), E_(EFBIG), E_(ENOSPC), E_(ESPIPE), E_(EROFS),
		E_(EPIPE), E_(EDOM), E_(ERANGE), E_(ENAMETOOLONG), E_(ENOTEMPTY), E_(ELOOP),
		E_(EOVERFLOW), E_(ENOTSOCK), E_(EOPNOTSUPP), E_(EADDRINUSE), E_(ENOTCONN),
		E_(ECONNREFUSED), E_(ETIMEDOUT),
#undef E_
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (list[i].nr == error)
			return list[i].name;
	return NULL;
}

#define strerrorname_np libc_error_name

#endif /* __GLIBC__ */

#endif /* LIBC_H */
