// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rx_host.c - the host's side of the channel
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "rx.h"
#include "wire/bytes.h"

struct devtrace_rx_host {
	int		fd;
	uint16_t	number;
	bool		anybody;
};

int devtrace_rx_connect(pid_t pid, struct devtrace_rx_host **host)
{
	struct devtrace_rx_host *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return ENOMEM;
	err = dt_rx_connect(pid, &h->fd, &h->anybody);
	if (err)
		free(h);
	else
		*host = h;
	return err;
}

bool devtrace_rx_anybody(const struct devtrace_rx_host *host)
{
	return host->anybody;
}

void devtrace_rx_disconnect(struct devtrace_rx_host *host)
{
	if (!host)
		return;
	if (host->fd >= 0)
		close(host->fd);
	free(host);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Wait until the socket is ready or the time @end is reached. Return 0 or an errno number. */
static int wait_for(int fd, short what, int64_t end)
{
	struct pollfd p = { .fd = fd, .events = what };
	int64_t left = end - now_ms();
	int n = poll(&p, 1, left > 0 ? (int)left : 0);

	if (n < 0 && errno != EINTR)
		return errno;
	return n == 0 ? ETIMEDOUT : 0;
}

static int send_request(struct devtrace_rx_host *host, uint8_t request, const void *data,
			size_t len, int64_t end)
{
	uint8_t buf[RX_REQUEST_MAX];
	int err;

	if (len > sizeof(buf) - RX_HEAD)
		return EINVAL;
	host->number++;
	buf[0] = RX_VERSION;
	buf[1] = request;
	buf[2] = (uint8_t)host->number;
	buf[3] = (uint8_t)(host->number >> 8);
	if (len)
		memcpy(buf + RX_HEAD, data, len);
	while (send(host->fd, buf, RX_HEAD + len, MSG_NOSIGNAL) < 0) {
		/* The program may have sent a reason before it closed the connection: read it. */
		if (errno == EPIPE || errno == ECONNRESET)
			break;
		if (errno != EAGAIN && errno != EINTR)
			return errno;
		err = wait_for(host->fd, POLLOUT, end);
		if (err)
			return err == ETIMEDOUT ? EAGAIN : err;
	}
	return 0;
}

/* Receive one answer, and return in @request and @number which request it answers. */
static int take_answer(struct devtrace_rx_host *host, uint8_t *request, uint16_t *number,
		       struct devtrace_rx_answer *answer)
{
	uint8_t buf[RX_REQUEST_MAX];
	ssize_t n = recv(host->fd, buf, sizeof(buf), 0);

	/* The kernel reports ECONNRESET once, and then returns the bytes that arrived before. */
	if (n < 0 && errno == ECONNRESET)
		n = recv(host->fd, buf, sizeof(buf), 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return EAGAIN;
	if (n <= RX_HEAD || (size_t)n - RX_HEAD - 1 > sizeof(answer->data))
		return EPIPE;
	*request = buf[1];
	*number = dt_le16(buf + 2);
	answer->status = buf[RX_HEAD];
	answer->len = (size_t)n - RX_HEAD - 1;
	memcpy(answer->data, buf + RX_HEAD + 1, answer->len);
	return 0;
}

int devtrace_rx_call(struct devtrace_rx_host *host, uint8_t request, const void *data, size_t len,
		     int timeout_ms, struct devtrace_rx_answer *answer)
{
	const int64_t end = now_ms() + timeout_ms;
	int err = send_request(host, request, data, len, end);
	uint16_t number;
	uint8_t to;

	while (!err) {
		err = take_answer(host, &to, &number, answer);
		if (err == EAGAIN)
			err = wait_for(host->fd, POLLIN, end);
		/*
		 * Skip late answers to earlier calls. The status BUSY is sent without a request:
		 * the program refuses the connection.
		 */
		else if (!err && (answer->status == DEVTRACE_RX_BUSY ||
				  (to == request && number == host->number)))
			return 0;
	}
	return err;
}

int devtrace_rx_host_fd(const struct devtrace_rx_host *host)
{
	return host->fd;
}

int devtrace_rx_answer(struct devtrace_rx_host *host, uint8_t *request,
		       struct devtrace_rx_answer *answer)
{
	uint16_t number;

	return take_answer(host, request, &number, answer);
}

const char *devtrace_rx_status_text(uint8_t status)
{
	static const char *const texts[] = {
		[DEVTRACE_RX_OK] = "done",
		[DEVTRACE_RX_NO_OBJECT] = "no such object is current; name one that the program has given",
		[DEVTRACE_RX_BOUNDS] = "this is beyond the end of the object",
		[DEVTRACE_RX_BAD] = "the program does not understand the request",
		[DEVTRACE_RX_UNKNOWN] = "the program does not know this request",
		[DEVTRACE_RX_UNHANDLED] = "the program has no function for this request",
		[DEVTRACE_RX_REFUSED] = "the program refuses",
		[DEVTRACE_RX_BUSY] = "the program has too many hosts or probes at once; try again",
	};

	return status < sizeof(texts) / sizeof(*texts) ? texts[status] : "unknown status";
}
