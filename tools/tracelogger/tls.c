// SPDX-License-Identifier: GPL-2.0-only
/*
 * tls.c - links over TLS, by libcurl
 *
 * libcurl connects and checks the certificate. Then a thread copies bytes between libcurl and a
 * pair of sockets, so the program has a descriptor as for any other link. libcurl is loaded only if
 * a link needs it: without TLS, boards need neither the library nor its memory.
 *
 * Invariants
 * - The thread ends when either side has closed, and then frees all that belongs to the link.
 * - Only the thread uses the link's handle of libcurl.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tls.h"

#define DEAD_MS		10000	/* without acknowledgment, the peer is gone */

/* Numbers of the header of libcurl, which never change. */
enum {
	TLS_OK			= 0,
	TLS_AGAIN		= 81,
	TLS_GLOBAL_ALL		= 3,
	TLS_OPT_HTTP_VERSION	= 84,
	TLS_HTTP_1_1		= 2,
	TLS_OPT_NOSIGNAL	= 99,
	TLS_OPT_CONNECT_ONLY	= 141,
	TLS_OPT_CONNECT_MS	= 156,
	TLS_OPT_URL		= 10002,
	TLS_OPT_CAINFO		= 10065,
	TLS_INFO_SOCKET		= 0x500000 + 44,
};

static struct {
	int		(*global_init)(long flags);
	void		*(*easy_init)(void);
	int		(*easy_setopt)(void *curl, int option, ...);
	int		(*easy_perform)(void *curl);
	int		(*easy_getinfo)(void *curl, int info, ...);
	int		(*easy_send)(void *curl, const void *buf, size_t size, size_t *sent);
	int		(*easy_recv)(void *curl, void *buf, size_t size, size_t *got);
	const char	*(*easy_strerror)(int err);
	void		(*easy_cleanup)(void *curl);
} curl;

/* The library with GnuTLS first: its licence goes with that of this program. */
static const char *const libraries[] = {
	"libcurl-gnutls.so.4", "libcurl.so.4",
};

static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	/* ISO C has no cast from a pointer to data to a pointer to a function. */
	memcpy(function, &found, sizeof(found));
	return found;
}

bool tls_load(void)
{
	void *library = NULL;
	size_t i;

	for (i = 0; !library && i < sizeof(libraries) / sizeof(libraries[0]); i++)
		library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
	return library &&
	       find(library, "curl_global_init", &curl.global_init) &&
	       find(library, "curl_easy_init", &curl.easy_init) &&
	       find(library, "curl_easy_setopt", &curl.easy_setopt) &&
	       find(library, "curl_easy_perform", &curl.easy_perform) &&
	       find(library, "curl_easy_getinfo", &curl.easy_getinfo) &&
	       find(library, "curl_easy_send", &curl.easy_send) &&
	       find(library, "curl_easy_recv", &curl.easy_recv) &&
	       find(library, "curl_easy_strerror", &curl.easy_strerror) &&
	       find(library, "curl_easy_cleanup", &curl.easy_cleanup) &&
	       curl.global_init(TLS_GLOBAL_ALL) == TLS_OK;
}

/* Bytes on their way in one direction: those from @at to @len are still to be written. */
struct part {
	size_t	at, len;
	uint8_t	buf[16384];
};

struct tls {
	void		*curl;
	int		peer;		/* libcurl's socket, to wait for */
	int		program;	/* the other end of what tls_open() returned */
	struct part	up, down;
};

static void tls_free(struct tls *t)
{
	if (t->curl)
		curl.easy_cleanup(t->curl);
	if (t->program >= 0)
		close(t->program);
	free(t);
}

static bool is_to_wait(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Copy from the program to the peer. Return false at the end. */
static bool copy_up(struct tls *t)
{
	struct part *p = &t->up;
	size_t sent = 0;
	ssize_t n;
	int err;

	if (p->at == p->len) {
		n = recv(t->program, p->buf, sizeof(p->buf), MSG_DONTWAIT);
		if (n <= 0)
			return is_to_wait(n);
		p->at = 0;
		p->len = (size_t)n;
	}
	err = curl.easy_send(t->curl, p->buf + p->at, p->len - p->at, &sent);
	p->at += sent;
	return err == TLS_OK || err == TLS_AGAIN;
}

/* Copy from the peer to the program. Return false at the end. */
static bool copy_down(struct tls *t)
{
	struct part *p = &t->down;
	size_t got = 0;
	ssize_t n;
	int err;

	if (p->at == p->len) {
		err = curl.easy_recv(t->curl, p->buf, sizeof(p->buf), &got);
		if (err == TLS_AGAIN)
			return true;
		if (err || !got)
			return false;
		p->at = 0;
		p->len = got;
	}
	n = send(t->program, p->buf + p->at, p->len - p->at, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return is_to_wait(n);
	p->at += (size_t)n;
	return true;
}

/*
 * Copy until neither side has anything for the other. libcurl may have read bytes that it has not
 * given yet, and its socket may stay silent then.
 */
static bool copy_all(struct tls *t)
{
	size_t up, down;

	do {
		up = t->up.len - t->up.at;
		down = t->down.at;
		if (!copy_down(t) || !copy_up(t))
			return false;
	} while (t->up.len - t->up.at != up || t->down.at != down);
	return true;
}

static void *serve(void *arg)
{
	struct tls *t = arg;
	struct pollfd p[2];

	while (copy_all(t)) {
		const bool up = t->up.at < t->up.len, down = t->down.at < t->down.len;

		p[0] = (struct pollfd){ t->program, (up ? 0 : POLLIN) | (down ? POLLOUT : 0), 0 };
		p[1] = (struct pollfd){ t->peer, (down ? 0 : POLLIN) | (up ? POLLOUT : 0), 0 };
		/* A program that has closed wants no answer any more. */
		if ((poll(p, 2, -1) < 0 && errno != EINTR) || p[0].revents & (POLLHUP | POLLERR))
			break;
	}
	tls_free(t);
	return NULL;
}

/* Connect. Return 0 or an error of libcurl. */
static int tls_connect(struct tls *t, const struct link *l, int ms)
{
	const bool v6 = strchr(l->host, ':');
	char url[sizeof(l->host) + sizeof(l->port) + 16];
	const int dead = DEAD_MS;
	int err;

	snprintf(url, sizeof(url), "https://%s%s%s:%s/", v6 ? "[" : "", l->host, v6 ? "]" : "",
		 l->port);
	curl.easy_setopt(t->curl, TLS_OPT_NOSIGNAL, 1L);
	curl.easy_setopt(t->curl, TLS_OPT_CONNECT_ONLY, 1L);
	curl.easy_setopt(t->curl, TLS_OPT_CONNECT_MS, ms < 0 ? 0L : (long)ms);
	/* A later version would be agreed upon in the handshake. */
	curl.easy_setopt(t->curl, TLS_OPT_HTTP_VERSION, (long)TLS_HTTP_1_1);
	curl.easy_setopt(t->curl, TLS_OPT_URL, url);
	if (l->ca)
		curl.easy_setopt(t->curl, TLS_OPT_CAINFO, l->ca);
	err = curl.easy_perform(t->curl);
	if (!err)
		err = curl.easy_getinfo(t->curl, TLS_INFO_SOCKET, &t->peer);
	if (!err)
		setsockopt(t->peer, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead, sizeof(dead));
	return err;
}

int tls_open(struct link *l, int ms)
{
	struct tls *t = calloc(1, sizeof(*t));
	pthread_t thread;
	int pair[2], err;

	if (!t)
		return -ENOMEM;
	t->program = -1;
	t->curl = curl.easy_init();
	err = t->curl ? tls_connect(t, l, ms) : 0;
	if (err)
		l->why = curl.easy_strerror(err);
	if (err || !t->curl ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair)) {
		tls_free(t);
		return err ? -EPROTO : -ENOMEM;
	}
	t->program = pair[1];
	err = pthread_create(&thread, NULL, serve, t);
	if (err) {
		close(pair[0]);
		tls_free(t);
		return -err;
	}
	pthread_detach(thread);
	return pair[0];
}
