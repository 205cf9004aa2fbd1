// SPDX-License-Identifier: GPL-2.0-only
/*
 * sync.c - a thread that waits for the disk, so that the logger does not
 *
 * The logger tells the thread which file it has written to, and continues at once. fdatasync(2)
 * uses a duplicate of the descriptor, because the logger may close the file meanwhile. When a file
 * was made or removed, the directory is synced, too: otherwise a power failure could undo the
 * change.
 *
 * Invariant: files are synced in the order in which they were written, so a power failure destroys
 * only the newest bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tracelogger.h"

#define CLOSED_MAX	16

struct tl_sync {
	pthread_t	thread;
	pthread_mutex_t	lock;
	pthread_cond_t	wake;
	int64_t		every;
	int		dirfd, fd;
	int		closed[CLOSED_MAX];
	unsigned int	nr_closed;
	bool		dirty, dir, now, stop;
	uint64_t	errors;		/* not reported yet */
	/* err: error of the last sync; 0 if it succeeded */
	int		err;
};

/*
 * Wait until there is something to sync, but at most for the interval. The caller holds the lock.
 */
static void wait_for_work(struct tl_sync *s)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += s->every / TL_NSEC;
	t.tv_nsec += s->every % TL_NSEC;
	if (t.tv_nsec >= TL_NSEC) {
		t.tv_nsec -= TL_NSEC;
		t.tv_sec++;
	}
	while (!s->stop && !s->now && !s->nr_closed && !s->dir) {
		if (!s->every)
			pthread_cond_wait(&s->wake, &s->lock);
		else if (pthread_cond_timedwait(&s->wake, &s->lock, &t))
			break;
	}
}

/*
 * Count an error of fsync(2) or fdatasync(2), because the kernel reports it only once: later calls
 * succeed as if the bytes were written. EINVAL and ENOSYS are no errors: the file system cannot
 * sync such a file.
 */
static void note(int ret, uint64_t *errors, int *err)
{
	if (!ret || errno == EINVAL || errno == ENOSYS)
		return;
	*err = errno;
	++*errors;
}

static void sync_once(struct tl_sync *s)
{
	int fd = s->dirty && s->fd >= 0 ? dup(s->fd) : -1;
	const unsigned int nr = s->nr_closed;
	int closed[CLOSED_MAX];
	bool dir = s->dir;
	unsigned int i;
	uint64_t errors = 0;
	int err = 0;

	memcpy(closed, s->closed, nr * sizeof(closed[0]));
	s->nr_closed = 0;
	s->dirty = false;
	s->dir = false;
	s->now = false;
	pthread_mutex_unlock(&s->lock);
	for (i = 0; i < nr; i++) {
		note(fsync(closed[i]), &errors, &err);
		close(closed[i]);
	}
	if (fd >= 0) {
		note(fdatasync(fd), &errors, &err);
		close(fd);
	}
	if (dir)
		note(fsync(s->dirfd), &errors, &err);
	pthread_mutex_lock(&s->lock);
	s->errors += errors;
	/* When the thread ends, a successful sync does not hide an earlier error. */
	if (err || (!s->stop && (fd >= 0 || nr || dir)))
		s->err = err;
}

static void *work(void *arg)
{
	struct tl_sync *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->stop || s->dirty || s->dir || s->nr_closed) {
		if (!s->stop)
			wait_for_work(s);
		sync_once(s);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct tl_sync *tl_sync_new(int64_t every, int dirfd)
{
	struct tl_sync *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;

	if (!s)
		return NULL;
	s->every = every;
	s->dirfd = dirfd;
	s->fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&s->thread, NULL, work, s)) {
		free(s);
		return NULL;
	}
	return s;
}

void tl_sync_file(struct tl_sync *s, int fd)
{
	pthread_mutex_lock(&s->lock);
	s->fd = fd;
	pthread_mutex_unlock(&s->lock);
}

static void wake(struct tl_sync *s)
{
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

void tl_sync_written(struct tl_sync *s, bool now)
{
	pthread_mutex_lock(&s->lock);
	s->dirty = true;
	s->now |= now;
	wake(s);
}

void tl_sync_dir(struct tl_sync *s)
{
	pthread_mutex_lock(&s->lock);
	s->dir = true;
	wake(s);
}

void tl_sync_close(struct tl_sync *s, int fd)
{
	pthread_mutex_lock(&s->lock);
	s->fd = -1;
	s->dirty = false;
	if (s->nr_closed < CLOSED_MAX)
		s->closed[s->nr_closed++] = fd;
	else
		/* The disk is too slow: close the file, and let the kernel write it. */
		close(fd);
	wake(s);
}

uint64_t tl_sync_errors(struct tl_sync *s, int *err)
{
	uint64_t n;

	pthread_mutex_lock(&s->lock);
	n = s->errors;
	*err = s->err;
	s->errors = 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}

void tl_sync_end(struct tl_sync *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	wake(s);
	pthread_join(s->thread, NULL);
}

void tl_sync_free(struct tl_sync *s)
{
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
