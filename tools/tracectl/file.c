// SPDX-License-Identifier: GPL-2.0-only
/*
 * file.c - write a file as a whole
 *
 * A regular file is written beside its place and put there when all of it is on the
 * disk: whatever fails, the one that was there stays as it is. What is no regular
 * file, such as a pipe or a device, has nothing that could be lost, and stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracectl.h"

static int write_all(int fd, const struct out *o)
{
	size_t done = 0;

	while (done < o->len) {
		ssize_t n = write(fd, o->buf + done, o->len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

static int write_in_place(const char *path, const struct out *o)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	int ret, err;

	if (fd < 0)
		return -1;
	ret = write_all(fd, o);
	err = errno;
	if (close(fd) && !ret)
		return -1;
	errno = err;
	return ret;
}

/* The mode of the file that was there, and its owner where that is allowed. */
static int be_like(int fd, const struct stat *old)
{
	mode_t mask;

	if (old) {
		if (fchown(fd, old->st_uid, old->st_gid) && errno != EPERM)
			return -1;
		return fchmod(fd, old->st_mode & 0777);
	}
	mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

/* @old: NULL if there is no file yet */
static int replace(const char *path, const struct stat *old, const struct out *o)
{
	const char *slash = strrchr(path, '/');
	int fd, ret, err, dir = slash ? (int)(slash + 1 - path) : 0;
	char *tmp;

	if (asprintf(&tmp, "%.*s.tracectl-XXXXXX", dir, path) < 0)
		return -1;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0) {
		free(tmp);
		return -1;
	}
	/* That a disk is full some file systems tell only when it has to be there. */
	ret = be_like(fd, old) || write_all(fd, o) || fsync(fd) ? -1 : 0;
	err = errno;
	if (close(fd) && !ret) {
		ret = -1;
		err = errno;
	}
	if (!ret && rename(tmp, path)) {
		ret = -1;
		err = errno;
	}
	if (ret)
		unlink(tmp);
	free(tmp);
	errno = err;
	return ret;
}

static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

int tc_write_file(const char *path, const struct out *o)
{
	struct stat st;
	char *real;
	int ret;

	/* By a link to nothing, what it points to comes into being. */
	if (lstat(path, &st))
		return errno == ENOENT ? replace(path, NULL, o) : -1;
	if (stat(path, &st))
		return write_in_place(path, o);
	/* Also under another name, /dev/stdout: whose file it is, is not replaced. */
	if (is_stdout(&st))
		return write_all(STDOUT_FILENO, o);
	if (!S_ISREG(st.st_mode))
		return write_in_place(path, o);
	/* What could not be written could be replaced, but was not meant to be. */
	if (euidaccess(path, W_OK))
		return -1;
	real = realpath(path, NULL);
	if (!real)
		return -1;
	ret = replace(real, &st, o);
	free(real);
	return ret;
}
