// SPDX-License-Identifier: GPL-2.0-only
/*
 * lock.c - allow only one logger for each pattern of file names
 *
 * Two loggers with the same pattern would count and remove each other's files, and neither would
 * keep its limit. The lock is a flock(2) on the file .PATTERN.lock in the directory. The pattern
 * cannot produce this name, so the lock file is never taken for a trace file. If a logger is
 * killed, the kernel releases its lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracelogger.h"

static void lock_name(const struct tl_store *s, char out[NAME_MAX + 1])
{
	snprintf(out, NAME_MAX + 1, ".%.*s.lock", NAME_MAX - TL_SUFFIX_MAX, s->name.base);
}

int tl_store_lock(struct tl_store *s)
{
	char name[NAME_MAX + 1];
	struct stat st, now;
	int err;

	if (s->lock >= 0)
		return 0;
	lock_name(s, name);
	for (;;) {
		s->lock = tl_own_open(s, name, O_RDWR | O_CREAT);
		if (s->lock < 0) {
			err = s->lock;
			s->lock = -1;
			return err;
		}
		err = flock(s->lock, LOCK_EX | LOCK_NB) ? errno : 0;
		/*
		 * The previous holder of the lock may have removed the file: check that the name
		 * still leads to the locked file.
		 */
		if (!err && !fstat(s->lock, &st) && !fstatat(s->dirfd, name, &now, 0) &&
		    st.st_dev == now.st_dev && st.st_ino == now.st_ino)
			return 0;
		close(s->lock);
		s->lock = -1;
		if (err)
			return err == EWOULDBLOCK ? -EBUSY : -err;
	}
}

void tl_store_unlock(struct tl_store *s)
{
	char name[NAME_MAX + 1];

	if (s->lock < 0)
		return;
	lock_name(s, name);
	unlinkat(s->dirfd, name, 0);
	close(s->lock);
	s->lock = -1;
}
