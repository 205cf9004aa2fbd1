// SPDX-License-Identifier: GPL-2.0-only
/*
 * file.c - replace a file only as a whole
 *
 * A regular file is replaced in three steps: a temporary file in the same directory is written,
 * synced, and renamed to the old name. After an error the old file is unchanged. A pipe or a
 * device has no content that could be lost, so tc_write_file() writes to it directly.
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

/*
 * Give the new file the mode of the old file @old, and its owner if permitted. If there is no old
 * file, use the default mode.
 */
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

/*
 * Create a temporary file in the directory of @path. @old describes the file at @path; NULL: none.
 */
static int begin_beside(struct tc_file *f, const char *path, const struct stat *old)
{
	const char *slash = strrchr(path, '/');
	int err, dir = slash ? (int)(slash + 1 - path) : 0;

	f->path = strdup(path);
	f->tmp = NULL;
	if (!f->path || asprintf(&f->tmp, "%.*s.tracectl-XXXXXX", dir, path) < 0) {
		free(f->path);
		return -1;
	}
	f->fd = mkostemp(f->tmp, O_CLOEXEC);
	if (f->fd >= 0 && !be_like(f->fd, old))
		return 0;
	err = errno;
	tc_file_drop(f);
	errno = err;
	return -1;
}

static void forget(struct tc_file *f)
{
	free(f->path);
	free(f->tmp);
}

int tc_file_end(struct tc_file *f)
{
	int err;

	/* Some file systems report a full disk only when the file is synced or closed. */
	if (fsync(f->fd))
		goto fail;
	err = close(f->fd);
	f->fd = -1;
	if (err || rename(f->tmp, f->path))
		goto fail;
	forget(f);
	return 0;
fail:
	err = errno;
	tc_file_drop(f);
	errno = err;
	return -1;
}

void tc_file_drop(struct tc_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	unlink(f->tmp);
	forget(f);
}

int tc_file_begin(struct tc_file *f, const char *path)
{
	struct stat st;
	char *real;
	int ret;

	if (lstat(path, &st))
		return errno == ENOENT ? begin_beside(f, path, NULL) : -1;
	if (stat(path, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
		return -1;
	}
	/* rename(2) would replace even a write-protected file, so refuse that here. */
	if (euidaccess(path, W_OK))
		return -1;
	real = realpath(path, NULL);
	if (!real)
		return -1;
	ret = begin_beside(f, real, &st);
	free(real);
	return ret;
}

static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev && out.st_ino == st->st_ino;
}

int tc_write_file(const char *path, const struct out *o)
{
	struct tc_file f;
	struct stat st;
	int err;

	if (!stat(path, &st)) {
		/*
		 * Standard output may also be named as /dev/stdout: never replace the file behind
		 * it.
		 */
		if (is_stdout(&st))
			return write_all(STDOUT_FILENO, o);
		if (!S_ISREG(st.st_mode))
			return write_in_place(path, o);
	} else if (!lstat(path, &st)) {
		/* The path is a symbolic link to a missing file: create that file. */
		return write_in_place(path, o);
	}
	if (tc_file_begin(&f, path))
		return -1;
	if (!write_all(f.fd, o))
		return tc_file_end(&f);
	err = errno;
	tc_file_drop(&f);
	errno = err;
	return -1;
}
