// SPDX-License-Identifier: GPL-2.0-only
/*
 * peer.c - send to a link instead of a file, and serve peers that connect (--listen)
 *
 * Invariants
 * - The logger keeps bytes that the peer's kernel has not acknowledged. If the peer disconnects,
 *   the next peer gets these bytes again, from the beginning of a frame.
 * - A datagram contains only whole frames.
 * - Each peer that connects is served by its own process, which opens the device itself. So a peer
 *   gets all events in the buffer, and does not delay other peers.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tracelogger.h"

#define CONNECT_MS	3000	/* for each address of the peer */
/* limit of a datagram, in bytes; a longer frame gets a datagram of its own */
#define DATAGRAM	1400
#define PEERS_MAX	16
#define REST_MS		200

static bool is_tcp(const struct tl_store *s)
{
	return s->link.kind == LINK_TCP || s->upload;
}

/*
 * Connect to the peer, in a thread. If that takes longer than @patience, return -EINPROGRESS, and
 * let the thread continue.
 */
static int open_tcp(struct tl_store *s)
{
	struct timespec t = {
		.tv_sec = s->patience / TL_NSEC, .tv_nsec = s->patience % TL_NSEC,
	};
	struct pollfd p = { .events = POLLIN };
	int fd;

	if (!s->dial)
		s->dial = dial_begin(&s->link, CONNECT_MS);
	if (!s->dial)
		return -ENOMEM;
	p.fd = dial_fd(s->dial);
	if (ppoll(&p, 1, &t, s->mask) < 0)
		return -errno;
	fd = dial_take(s->dial, &s->link);
	if (fd == -EINPROGRESS)
		s->link.why = "the peer does not answer yet";
	else
		s->dial = NULL;
	if (fd < 0 && fd != -EINPROGRESS && s->upload) {
		tl_upload_failed(s->upload);
		s->rested = tl_now() + tl_upload_rest(s->upload);
	}
	return fd;
}

/*
 * Is it too early to connect again? When the peer's process is ending, its socket still accepts a
 * connection, and its kernel acknowledges bytes that no process will read. The pause avoids that.
 */
static bool rests(const struct tl_store *s)
{
	return (is_tcp(s) || s->link.kind == LINK_UNIX) && tl_now() < s->rested;
}

int tl_peer_open(struct tl_store *s)
{
	int fd = s->opt->served;

	if (s->upload && tl_upload_spread(s->upload)) {
		s->rested = tl_now() + tl_upload_rest(s->upload);
		s->link.why = tl_upload_why(s->upload);
	}
	if (fd < 0 && rests(s))
		return -ECONNRESET;
	if (fd < 0)
		return is_tcp(s) ? open_tcp(s) : link_open(&s->link, CONNECT_MS, s->mask);
	/*
	 * If a peer that connected to us has gone, this process ends; a new one serves the next
	 * peer.
	 */
	if (s->files)
		return -EPIPE;
	return fd;
}

void tl_peer_close(struct tl_store *s)
{
	link_close(&s->link, s->fd);
	s->fd = -1;
	if (!s->upload)
		return;
	s->link.why = tl_upload_why(s->upload);
	tl_upload_closed(s->upload);
}

bool tl_peer_again(const struct tl_store *s)
{
	return s->upload && s->fd < 0 && !rests(s);
}

short tl_peer_events(const struct tl_store *s, bool writing)
{
	if (s->upload)
		return POLLRDHUP | tl_upload_events(s->upload, writing);
	return (tl_peer_tells(s) ? POLLRDHUP : 0) | (writing ? POLLOUT : 0);
}

int64_t tl_peer_nap(const struct tl_store *s, int64_t ns)
{
	const int64_t most = s->upload && s->fd >= 0 ? tl_upload_nap(s->upload) : INT64_MAX;

	return most != INT64_MAX && (ns < 0 || ns > most) ? most : ns;
}

int tl_peer_push(struct tl_store *s)
{
	if (!s->upload || s->fd < 0)
		return 0;
	return tl_upload_push(s->upload, s->fd) ? -errno : 0;
}

bool tl_peer_tells(const struct tl_store *s)
{
	return s->linked && s->link.kind != LINK_UDP && s->link.kind != LINK_SERIAL;
}

/*
 * Has the peer disconnected? Bytes that it sends are discarded; those of a receiver of OTLP are
 * the answers to requests.
 */
bool tl_peer_gone(const struct tl_store *s)
{
	char nothing[4096];
	/* Limit the number of reads, because a peer may send without end. */
	unsigned int pieces = 64;
	ssize_t n;

	if (s->fd < 0 || !tl_peer_tells(s))
		return false;
	if (s->upload)
		return tl_upload_drive(s->upload, s->fd);
	do {
		n = recv(s->fd, nothing, sizeof(nothing), MSG_DONTWAIT);
	} while (n > 0 && --pieces);
	return !n || (n < 0 && errno != EAGAIN && errno != EINTR);
}

size_t tl_peer_unsure(const struct tl_store *s)
{
	int n = 0;

	if (s->upload)
		return s->fd < 0 ? 0 : tl_upload_unsure(s->upload);
	/*
	 * SIOCOUTQ reports bytes only for TCP; for a Unix socket it reports memory. If the peer
	 * connected to us, no later peer continues its stream, so its unacknowledged bytes are not
	 * kept.
	 */
	if (!s->linked || s->opt->served >= 0 || s->fd < 0 || !is_tcp(s) ||
	    ioctl(s->fd, SIOCOUTQ, &n) || n < 0)
		return 0;
	return (size_t)n;
}

/* Length of the next datagram. */
static size_t datagram(const uint8_t *p, size_t n)
{
	const uint8_t *flag = n <= DATAGRAM ? p + n - 1 : memrchr(p, DEVTRACE_FLAG, DATAGRAM);

	if (!flag || flag == p)
		flag = memchr(p + 1, DEVTRACE_FLAG, n - 1);
	return flag ? (size_t)(flag - p) + 1 : n;
}

static ssize_t send_datagrams(int fd, const uint8_t *p, size_t n)
{
	size_t done = 0, len;

	while (done < n) {
		len = datagram(p + done, n - done);
		/*
		 * ECONNREFUSED: no peer listens. Continue: a later peer sees from the sequence
		 * numbers how many frames it missed.
		 */
		if (send(fd, p + done, len, MSG_NOSIGNAL) < 0 && errno != ECONNREFUSED)
			break;
		done += len;
	}
	return done ? (ssize_t)done : -1;
}

ssize_t tl_peer_write(const struct tl_store *s, const uint8_t *p, size_t n)
{
	if (s->link.kind == LINK_UDP)
		return send_datagrams(s->fd, p, n);
	if (s->upload)
		return tl_upload_write(s->upload, s->fd, p, n);
	return write(s->fd, p, n);
}

struct peers {
	pid_t	pid[PEERS_MAX];
	size_t	nr;
};

static void reap(struct peers *p)
{
	size_t i = 0;

	while (i < p->nr) {
		if (waitpid(p->pid[i], NULL, WNOHANG) == p->pid[i])
			p->pid[i] = p->pid[--p->nr];
		else
			i++;
	}
}

static void signal_peers(struct peers *p, int sig)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		kill(p->pid[i], sig);
}

/*
 * Accept a peer and fork. Return the peer's descriptor in the child. In the parent, return -EAGAIN
 * or another negative error number.
 */
static int serve_one(struct peers *p, const struct link *l, int listener)
{
	int fd = link_accept(l, listener);
	pid_t parent = getpid(), pid;

	if (fd == -EINTR || fd == -ECONNABORTED)
		return -EAGAIN;
	if (fd < 0)
		return fd;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(0);
		unsetenv("NOTIFY_SOCKET");
		unsetenv("WATCHDOG_USEC");
		close(listener);
		return fd;
	}
	close(fd);
	if (pid < 0)
		return -ENOMEM;
	p->pid[p->nr++] = pid;
	return -EAGAIN;
}

/*
 * After an error of accept(2), pause: the peer is still in the queue, so poll(2) would return at
 * once.
 */
static void rest(const struct tl_options *opt, int err, bool *said)
{
	if (!*said)
		fprintf(stderr, "tracelogger: %s: %s; peers wait\n", opt->listen, strerror(err));
	*said = true;
	poll(NULL, 0, REST_MS);
}

static void on_child(int sig)
{
	/* the handler exists only to interrupt a wait */
	(void)sig;
}

/*
 * The processes that serve peers have got SIGTERM. Wait until they have ended, and pass further
 * signals on to them.
 */
static void see_off(struct peers *p, const struct timespec *every, const sigset_t *mask)
{
	sig_atomic_t stops = tl_stop;

	for (;;) {
		reap(p);
		if (!p->nr)
			return;
		(void)!ppoll(NULL, 0, every, mask);
		if (every)
			tl_notify("WATCHDOG=1");
		if (tl_stop == stops)
			continue;
		stops = tl_stop;
		signal_peers(p, SIGTERM);
	}
}

int tl_serve(struct tl_options *opt, const sigset_t *mask, int64_t ping)
{
	struct link *l = &opt->link;
	struct sigaction sa = { .sa_handler = on_child };
	struct peers peers = { .nr = 0 };
	struct timespec every = { .tv_sec = ping / TL_NSEC, .tv_nsec = ping % TL_NSEC };
	int listener = link_listen(l), fd = -EAGAIN, sig = 0;
	bool said = false;
	sigset_t block;

	if (listener < 0)
		return listener;
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, NULL);
	sigaction(SIGCHLD, &sa, NULL);
	tl_notify("READY=1");
	while (fd < 0 && sig != SIGTERM) {
		struct pollfd p = {
			.fd = peers.nr < PEERS_MAX ? listener : -1, .events = POLLIN,
		};

		fd = -EAGAIN;
		if (ppoll(&p, 1, ping ? &every : NULL, mask) > 0)
			fd = serve_one(&peers, l, listener);
		if (fd < 0 && fd != -EAGAIN)
			rest(opt, -fd, &said);
		else if (p.revents)
			said = false;
		while (fd < 0 && sig != SIGTERM && (sig = tl_signalled()))
			signal_peers(&peers, sig);
		reap(&peers);
		if (ping)
			tl_notify("WATCHDOG=1");
	}
	if (fd >= 0)
		return fd;
	close(listener);
	if (l->kind == LINK_UNIX)
		unlink(l->path);
	see_off(&peers, ping ? &every : NULL, mask);
	return -ECANCELED;
}
