// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rx.c - the receive channel: hosts on a socket, and the thread that serves them
 *
 * Invariants
 * - The kernel decides which host may connect, see rx_socket.c. This file does not compare user
 *   ids, because in a user namespace all users that are not mapped have the same id.
 * - The channel never waits for a host: all sockets are non-blocking, and a host that does not
 *   read its answers is disconnected.
 * - A process has one channel; a child of fork(2) has none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "rx.h"

static void let_go(struct rx_peer *peer)
{
	close(peer->fd);
	peer->fd = -1;
}

static void take_host(struct rx *rx)
{
	static const uint8_t busy[] = { RX_VERSION, 0, 0, 0, DEVTRACE_RX_BUSY };
	struct epoll_event event = { .events = EPOLLIN };
	int fd = accept4(rx->listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), i;

	if (fd < 0)
		return;
	for (i = 0; i < RX_PEERS && rx->peers[i].fd >= 0; i++)
		;
	event.data.ptr = i < RX_PEERS ? &rx->peers[i] : NULL;
	if (i == RX_PEERS || epoll_ctl(rx->poll, EPOLL_CTL_ADD, fd, &event)) {
		send(fd, busy, sizeof(busy), MSG_NOSIGNAL | MSG_DONTWAIT);
		close(fd);
		return;
	}
	rx->peers[i] = (struct rx_peer){ .fd = fd, .host = ++rx->hosts };
}

/* Receive and answer one request. Return 1, or 0 if none was waiting. */
static int rx_hear(struct rx *rx, struct rx_peer *peer)
{
	uint8_t request[RX_REQUEST_MAX], answer[RX_HEAD + 1 + 1024];
	const uint64_t host = peer->host;
	ssize_t n = recv(peer->fd, request, sizeof(request), MSG_DONTWAIT | MSG_TRUNC);
	size_t len;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		let_go(peer);
		return 0;
	}
	/*
	 * A message that did not fit into the buffer is no valid request: refuse it like an empty
	 * one.
	 */
	if (n > (ssize_t)sizeof(request))
		n = 0;
	len = dt_rx_request(rx, peer, request, (size_t)n, answer);
	/*
	 * The callback may have closed the channel or paused, and another host may have got this
	 * slot meanwhile.
	 */
	if (peer->fd >= 0 && peer->host == host &&
	    send(peer->fd, answer, len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)len)
		let_go(peer);
	return 1;
}

/*
 * Serve requests until the timeout. Return how many were served, or -1 if the channel must be
 * closed.
 */
static int rx_serve(struct rx *rx, int timeout)
{
	struct epoll_event events[RX_PEERS + 2];
	int n = epoll_wait(rx->poll, events, RX_PEERS + 2, timeout), i, served = 0;
	const unsigned int life = rx->life;

	for (i = 0; i < n && rx->life == life; i++) {
		if (events[i].data.ptr == &rx->stop)
			return -1;
		if (events[i].data.ptr == &rx->listen)
			take_host(rx);
		else if (((struct rx_peer *)events[i].data.ptr)->fd >= 0)
			served += rx_hear(rx, events[i].data.ptr);
	}
	return served;
}

static void *rx_thread(void *arg)
{
	struct rx *rx = arg;
	const unsigned int life = rx->life;

	while (rx_serve(rx, -1) >= 0 && rx->life == life)
		;
	return NULL;
}

/* Close all descriptors of the channel, but keep the objects. */
static void rx_shut(struct rx *rx)
{
	int i;

	rx->open = false;
	rx->life++;
	for (i = 0; i < RX_PEERS; i++)
		if (rx->peers[i].fd >= 0)
			let_go(&rx->peers[i]);
	if (rx->listen >= 0)
		close(rx->listen);
	if (rx->inode >= 0)
		close(rx->inode);
	if (rx->poll >= 0)
		close(rx->poll);
	if (rx->stop >= 0)
		close(rx->stop);
	rx->listen = rx->inode = rx->poll = rx->stop = -1;
	rx->thread_runs = false;
}

static void in_child(void)
{
	struct rx_use **at = &dt_rx.uses;

	if (dt_rx.open)
		rx_shut(&dt_rx);
	pthread_mutex_init(&dt_rx.lock, NULL);
	/*
	 * Other threads do not exist in the child, neither waiting ones nor those that run a
	 * callback.
	 */
	pthread_cond_init(&dt_rx.go, NULL);
	while (*at) {
		if (pthread_equal((*at)->by, pthread_self()))
			at = &(*at)->outer;
		else
			*at = (*at)->outer;
	}
}

static int rx_watch(struct rx *rx, int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = what };

	return fd < 0 || epoll_ctl(rx->poll, EPOLL_CTL_ADD, fd, &event) ? errno : 0;
}

static int listen_now(struct rx *rx, bool anybody)
{
	int err;

	rx->poll = epoll_create1(EPOLL_CLOEXEC);
	rx->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rx->poll < 0 || rx->stop < 0)
		return errno;
	err = dt_rx_listen(rx, anybody);
	if (!err)
		err = rx_watch(rx, rx->listen, &rx->listen);
	return err ? err : rx_watch(rx, rx->stop, &rx->stop);
}

static void at_fork(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

int devtrace_rx_open(const struct devtrace_rx_ops *ops, void *arg, unsigned int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct rx *rx = &dt_rx;
	int err, i;

	if (flags & ~(unsigned int)(DEVTRACE_RX_THREAD | DEVTRACE_RX_ANYBODY) ||
	    (ops && !ops->size))
		return EINVAL;
	if (rx->open)
		return EALREADY;
	if (getauxval(AT_SECURE))
		return EPERM;
	pthread_once(&once, at_fork);
	memset(&rx->ops, 0, sizeof(rx->ops));
	if (ops)
		memcpy(&rx->ops, ops, ops->size < sizeof(*ops) ? ops->size : sizeof(*ops));
	rx->arg = arg;
	for (i = 0; i < RX_PEERS; i++)
		rx->peers[i].fd = -1;
	devtrace_open();
	rx->open = true;
	rx->life++;
	err = listen_now(rx, flags & DEVTRACE_RX_ANYBODY);
	if (!err && flags & DEVTRACE_RX_THREAD) {
		err = pthread_create(&rx->thread, NULL, rx_thread, rx);
		rx->thread_runs = !err;
	}
	if (err)
		rx_shut(rx);
	return err;
}

int devtrace_rx_fd(void)
{
	return dt_rx.open && !dt_rx.thread_runs ? dt_rx.poll : -1;
}

int devtrace_rx_serve(void)
{
	int n;

	if (!dt_rx.open || dt_rx.thread_runs)
		return 0;
	n = rx_serve(&dt_rx, 0);
	return n > 0 ? n : 0;
}

void devtrace_rx_close(void)
{
	struct rx *rx = &dt_rx;
	const uint64_t one = 1;

	if (!rx->open)
		return;
	if (rx->thread_runs && !pthread_equal(rx->thread, pthread_self())) {
		if (write(rx->stop, &one, sizeof(one)) == sizeof(one))
			pthread_join(rx->thread, NULL);
	} else if (rx->thread_runs) {
		pthread_detach(rx->thread);
	}
	rx_shut(rx);
	pthread_mutex_lock(&rx->lock);
	rx->continues++;
	pthread_cond_broadcast(&rx->go);
	pthread_mutex_unlock(&rx->lock);
}

bool devtrace_rx_pause(void)
{
	struct rx *rx = &dt_rx;
	unsigned int before;
	bool here;

	if (!rx->open)
		return false;
	here = !rx->thread_runs || pthread_equal(rx->thread, pthread_self());
	pthread_mutex_lock(&rx->lock);
	before = rx->continues;
	dt_rx_paused();
	while (rx->continues == before) {
		if (here) {
			pthread_mutex_unlock(&rx->lock);
			if (rx_serve(rx, -1) < 0)
				return false;
			pthread_mutex_lock(&rx->lock);
		} else {
			pthread_cond_wait(&rx->go, &rx->lock);
		}
	}
	pthread_mutex_unlock(&rx->lock);
	return rx->open;
}
