// SPDX-License-Identifier: GPL-2.0-only
/*
 * link.c - links that carry a stream
 *
 * A link carries the bytes that read(2) returns, and nothing else. The name of a link is checked
 * before anything is opened. A serial line is set to raw mode, because its driver would otherwise
 * change bytes that look like control characters. link_close() restores the line's settings. They
 * are also restored when the program exits or is ended by a signal that can be caught.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "common/link.h"

/*
 * Size of the send buffer, in bytes, which limits the bytes in transit; the kernel doubles the
 * value.
 */
#define SEND_BUFFER	(16 * 1024)
#define DEAD_MS		10000	/* without acknowledgment, the peer is gone */
/* Time in ms until a silent guest is gone; it is long because a person may read page by page. */
#define GUEST_MS	120000
/* Probe a guest after this many seconds in which nothing was sent to it. */
#define IDLE_S		30
#define PROBE_S		10
/* A serial line that has sent nothing for this time is stuck. */
#define STILL_MS	5000
#define STILL_STEP_MS	10

static const struct {
	const char *prefix;
	enum link_kind kind;
} kinds[] = {
	{ "tcp:", LINK_TCP }, { "udp:", LINK_UDP }, { "unix:", LINK_UNIX },
	{ "serial:", LINK_SERIAL }, { "syslog:", LINK_SYSLOG },
};

static const struct {
	unsigned int baud;
	speed_t speed;
} speeds[] = {
	{ 1200, B1200 }, { 2400, B2400 }, { 4800, B4800 }, { 9600, B9600 }, { 19200, B19200 },
	{ 38400, B38400 }, { 57600, B57600 }, { 115200, B115200 }, { 230400, B230400 },
	{ 460800, B460800 }, { 500000, B500000 }, { 576000, B576000 }, { 921600, B921600 },
	{ 1000000, B1000000 }, { 1500000, B1500000 }, { 2000000, B2000000 },
	{ 3000000, B3000000 }, { 4000000, B4000000 },
};

static int find_kind(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(word, kinds[i].prefix, strlen(kinds[i].prefix)))
			return (int)i;
	return -1;
}

bool link_is(const char *word)
{
	return find_kind(word) >= 0;
}

static int fail(const char **problem, const char *what)
{
	*problem = what;
	return -1;
}

static int parse_port(struct link *l, const char *word, const char **problem)
{
	size_t len = strspn(word, "0123456789");
	long n = len && len < 6 && !word[len] ? strtol(word, NULL, 10) : 0;

	if (n < 1 || n > 65535)
		return fail(problem, "has no port from 1 to 65535 after its last colon");
	snprintf(l->port, sizeof(l->port), "%ld", n);
	return 0;
}

static int parse_host(struct link *l, const char *word, const char **problem)
{
	const char *host = word, *end;

	if (*word == '[') {
		host = word + 1;
		end = strchr(host, ']');
		if (!end || end[1] != ':')
			return fail(problem, "has no ']:PORT' after its IPv6 address");
		word = end + 2;
	} else {
		end = strchr(host, ':');
		if (!end)
			return fail(problem, "has no port; write HOST:PORT");
		if (strchr(end + 1, ':'))
			return fail(problem, "has several colons; write an IPv6 address in brackets: [::1]:7070");
		word = end + 1;
	}
	if ((size_t)(end - host) >= sizeof(l->host))
		return fail(problem, "has a host whose name is too long");
	memcpy(l->host, host, (size_t)(end - host));
	return parse_port(l, word, problem);
}

static int parse_serial(struct link *l, const char *word, const char **problem)
{
	const char *comma = strrchr(word, ',');
	size_t len = comma ? (size_t)(comma - word) : strlen(word), i;
	char *end;
	unsigned long baud = 115200;

	if (!len || len >= sizeof(l->path))
		return fail(problem, "names no device; write serial:/dev/ttyS0,115200");
	memcpy(l->path, word, len);
	if (comma) {
		baud = strtoul(comma + 1, &end, 10);
		if (!isdigit((unsigned char)comma[1]) || *end)
			baud = 0;
	}
	for (i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (speeds[i].baud != baud)
			continue;
		l->speed = speeds[i].speed;
		return 0;
	}
	return fail(problem, "has an unknown speed; use one such as 9600, 115200 or 921600");
}

int link_parse(struct link *l, const char *word, const char **problem)
{
	int kind = find_kind(word);

	memset(l, 0, sizeof(*l));
	if (kind < 0)
		return fail(problem, "is not a link; write tcp:HOST:PORT, udp:HOST:PORT, unix:PATH or serial:DEVICE,BAUD");
	l->kind = kinds[kind].kind;
	word += strlen(kinds[kind].prefix);
	if (l->kind == LINK_SERIAL)
		return parse_serial(l, word, problem);
	if (l->kind != LINK_UNIX)
		return parse_host(l, word, problem);
	if (!*word || strlen(word) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return fail(problem, "has no path of 1 to 107 bytes");
	strcpy(l->path, word);
	return 0;
}

const char *link_error(const struct link *l, int err)
{
	return l->why ? l->why : strerror(err);
}

/* A serial line in raw mode. Signal handlers walk this list, so each store leaves it consistent. */
struct link_line {
	struct link_line *volatile next;
	int		fd;
	struct termios	saved;
};

static struct link_line *volatile lines;

static void restore_lines(void)
{
	struct link_line *line;

	for (line = lines; line; line = line->next)
		tcsetattr(line->fd, TCSANOW, &line->saved);
}

void link_die(int sig)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	sigset_t set;

	restore_lines();
	sigaction(sig, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

/* Catch each signal that ends a program and has no handler yet. */
static void catch_ends(void)
{
	static const int ends[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGUSR1,
		SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGVTALRM,
		SIGPROF, SIGIO, SIGSYS,
	};
	struct sigaction sa = { .sa_handler = link_die }, old;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ends[i], &sa, NULL);
}

static struct link_line *add_line(int fd, const struct termios *saved)
{
	static bool caught;
	struct link_line *line = malloc(sizeof(*line));

	if (!line)
		return NULL;
	line->fd = fd;
	line->saved = *saved;
	line->next = lines;
	lines = line;
	if (!caught) {
		catch_ends();
		atexit(restore_lines);
	}
	caught = true;
	return line;
}

static void remove_line(struct link_line *line)
{
	struct link_line *before = lines;

	if (before == line) {
		lines = line->next;
	} else {
		while (before->next != line)
			before = before->next;
		before->next = line->next;
	}
	free(line);
}

/* Open the serial line in raw mode at the link's speed, without flow control. */
static int open_serial(struct link *l)
{
	int fd = open(l->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct termios t;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (tcgetattr(fd, &t)) {
		err = errno;
		if (err == ENOTTY)
			l->why = "is not a serial line";
		close(fd);
		return -err;
	}
	l->line = add_line(fd, &t);
	cfmakeraw(&t);
	t.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	cfsetispeed(&t, l->speed);
	cfsetospeed(&t, l->speed);
	if (!l->line)
		err = ENOMEM;
	else if (tcsetattr(fd, TCSANOW, &t))
		err = errno;
	if (!err)
		return fd;
	if (l->line)
		remove_line(l->line);
	l->line = NULL;
	close(fd);
	return -err;
}

/* Wait until the socket is ready. Return 0 or a negative error number. */
static int wait_ready(int fd, short events, int ms, const sigset_t *mask)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	struct pollfd p = { .fd = fd, .events = events };
	int n = ppoll(&p, 1, ms < 0 ? NULL : &t, mask);

	return n > 0 ? 0 : n ? -errno : -ETIMEDOUT;
}

static int connect_to(const struct sockaddr *addr, socklen_t len, int type, int ms,
		      const sigset_t *mask)
{
	int fd = socket(addr->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;
	socklen_t size = sizeof(err);

	if (fd < 0)
		return -errno;
	err = connect(fd, addr, len) ? -errno : 0;
	if (err == -EINPROGRESS) {
		err = wait_ready(fd, POLLOUT, ms, mask);
		if (!err && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size))
			err = errno;
		if (err > 0)
			err = -err;
	}
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int bind_to(const struct sockaddr *addr, socklen_t len, int type)
{
	int fd = socket(addr->sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, err;

	if (fd < 0)
		return -errno;
	if (addr->sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, addr, len) && (type == SOCK_DGRAM || !listen(fd, 16)))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

/* An IPv6 wildcard address accepts IPv4, too. */
static const struct addrinfo *best(const struct addrinfo *all)
{
	const struct addrinfo *a;

	for (a = all; a; a = a->ai_next)
		if (a->ai_family == AF_INET6)
			return a;
	return all;
}

/* Try each address of the host. */
static int each_address(struct link *l, bool listens, int ms, const sigset_t *mask)
{
	int type = l->kind == LINK_UDP ? SOCK_DGRAM : SOCK_STREAM, err, fd = -ENOENT;
	struct addrinfo hints = {
		.ai_socktype = type, .ai_flags = AI_NUMERICSERV | (listens ? AI_PASSIVE : 0),
	}, *all, *a;

	err = getaddrinfo(*l->host ? l->host : NULL, l->port, &hints, &all);
	if (err) {
		if (err != EAI_SYSTEM)
			l->why = gai_strerror(err);
		return err == EAI_SYSTEM ? -errno : -EHOSTUNREACH;
	}
	if (listens && !*l->host) {
		const struct addrinfo *any = best(all);

		fd = bind_to(any->ai_addr, any->ai_addrlen, type);
	}
	for (a = all; a && fd < 0; a = a->ai_next) {
		fd = listens ? bind_to(a->ai_addr, a->ai_addrlen, type) :
			       connect_to(a->ai_addr, a->ai_addrlen, type, ms, mask);
		if (fd == -EINTR)
			break;
	}
	freeaddrinfo(all);
	return fd;
}

static struct sockaddr_un unix_address(const struct link *l)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	memcpy(addr.sun_path, l->path, strlen(l->path) + 1);
	return addr;
}

/* Remove a socket file on which no program listens: it would make bind(2) fail. */
static void remove_stale(const struct sockaddr_un *addr)
{
	int fd = connect_to((const struct sockaddr *)addr, sizeof(*addr), SOCK_STREAM, 0, NULL);
	struct stat st;

	/* connect(2) returns ECONNREFUSED for any kind of file, so remove only a socket. */
	if (fd == -ECONNREFUSED && !lstat(addr->sun_path, &st) && S_ISSOCK(st.st_mode))
		unlink(addr->sun_path);
	else if (fd >= 0)
		close(fd);
}

int link_listen(struct link *l)
{
	struct sockaddr_un addr;

	l->why = NULL;
	if (l->kind != LINK_UNIX)
		return each_address(l, true, 0, NULL);
	addr = unix_address(l);
	remove_stale(&addr);
	return bind_to((struct sockaddr *)&addr, sizeof(addr), SOCK_STREAM);
}

static bool is_tcp(const struct link *l)
{
	return l->kind == LINK_TCP || l->kind == LINK_SYSLOG || l->kind == LINK_HTTP;
}

/* Set the options of a socket. If the peer acknowledges or accepts nothing for @ms, it is gone. */
static void set_options(const struct link *l, int fd, unsigned int ms)
{
	int size = SEND_BUFFER, one = 1;

	if (!is_tcp(l))
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

int link_accept(const struct link *l, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int idle = IDLE_S, every = PROBE_S;

	if (fd < 0)
		return -errno;
	set_options(l, fd, GUEST_MS);
	if (is_tcp(l)) {
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
		setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
	}
	return fd;
}

static int accept_one(struct link *l, int ms, const sigset_t *mask)
{
	int fd = link_listen(l), peer;

	if (fd < 0 || l->kind == LINK_UDP)
		return fd;
	peer = wait_ready(fd, POLLIN, ms, mask);
	if (!peer) {
		peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (peer < 0)
			peer = -errno;
	}
	close(fd);
	return peer;
}

int link_open(struct link *l, int ms, const sigset_t *mask)
{
	struct sockaddr_un addr;
	int fd;

	l->why = NULL;
	if (l->open)
		return l->open(l, ms);
	if (l->kind == LINK_SERIAL)
		return open_serial(l);
	if (l->kind == LINK_UNIX) {
		addr = unix_address(l);
		return connect_to((struct sockaddr *)&addr, sizeof(addr), SOCK_STREAM, ms, mask);
	}
	fd = *l->host ? each_address(l, false, ms, mask) : accept_one(l, ms, mask);
	if (fd >= 0)
		set_options(l, fd, DEAD_MS);
	return fd;
}

/*
 * Wait until the serial line has sent all its bytes, or discard them if the line is stuck. Without
 * this, tcdrain(3) might never return, and close(2) might take half a minute with signals blocked.
 */
static void drain(int fd)
{
	int left, before = INT_MAX, still = 0;

	while (!ioctl(fd, TIOCOUTQ, &left) && left > 0) {
		still = left < before ? 0 : still + STILL_STEP_MS;
		before = left;
		if (still >= STILL_MS) {
			tcflush(fd, TCOFLUSH);
			return;
		}
		poll(NULL, 0, STILL_STEP_MS);
	}
	/* Only the bytes in the hardware are left; the driver waits no longer than these take. */
	tcdrain(fd);
}

void link_close(struct link *l, int fd)
{
	if (fd < 0)
		return;
	/*
	 * The old settings would also apply to bytes that are still to be sent: send these first.
	 */
	if (l->line) {
		drain(fd);
		tcsetattr(fd, TCSANOW, &l->line->saved);
		remove_line(l->line);
	}
	l->line = NULL;
	close(fd);
}
