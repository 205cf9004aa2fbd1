// SPDX-License-Identifier: GPL-2.0-only
/*
 * dial.c - open a link in a thread, so that the program never waits for a peer or a name server
 *
 * connect(2) waits for a peer that drops packets. getaddrinfo(3) waits for the name server and has
 * no form that does not wait. The thread blocks all signals, so that the main thread gets them.
 * The thread and its owner share struct dial; the last one to use it frees it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "common/dial.h"

struct dial {
	struct link	link;
	int		ms;
	int		done;		/* an eventfd: link_open() returned */
	int		fd;		/* the result of link_open(); written before @done */
	atomic_int	users;
};

static void leave(struct dial *d)
{
	if (atomic_fetch_sub(&d->users, 1) > 1)
		return;
	link_close(&d->link, d->fd);
	close(d->done);
	free(d);
}

static void *open_link(void *arg)
{
	struct dial *d = arg;

	d->fd = link_open(&d->link, d->ms, NULL);
	eventfd_write(d->done, 1);
	leave(d);
	return NULL;
}

struct dial *dial_begin(const struct link *l, int ms)
{
	struct dial *d = calloc(1, sizeof(*d));
	sigset_t all, old;
	pthread_t thread;
	int err = -1;

	if (!d)
		return NULL;
	d->link = *l;
	d->ms = ms;
	d->fd = -1;
	d->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	atomic_init(&d->users, 2);
	if (d->done >= 0) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		err = pthread_create(&thread, NULL, open_link, d);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	if (!err) {
		pthread_detach(thread);
		return d;
	}
	if (d->done >= 0)
		close(d->done);
	free(d);
	return NULL;
}

int dial_fd(const struct dial *d)
{
	return d->done;
}

int dial_take(struct dial *d, struct link *l)
{
	eventfd_t n;
	int fd;

	/* Once @done is readable, the thread writes nothing but @users. */
	if (eventfd_read(d->done, &n))
		return -EINPROGRESS;
	fd = d->fd;
	d->fd = -1;
	l->why = d->link.why;
	leave(d);
	return fd;
}

void dial_drop(struct dial *d)
{
	if (d)
		leave(d);
}
