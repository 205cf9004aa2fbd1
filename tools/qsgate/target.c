// SPDX-License-Identifier: GPL-2.0-only
/*
 * target.c - act as a target: send frames to a host, and receive its requests
 *
 * A host that connects gets the target's information and the names before the first event. Frames
 * wait in a bounded buffer. A frame that does not fit is dropped as a whole. It uses up a sequence
 * number, so the host sees how many frames are missing.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/output.h"
#include "common/qs.h"
#include "common/rkh.h"
#include "gate.h"

#define RETRY_MS	1000
#define CONNECT_MS	500
/* at the end, time in ms to wait for a host that does not read */
#define PATIENCE_MS	5000
#define REST_MS		200	/* while no host can be accepted */

static void byte(struct target *t, uint8_t b)
{
	if (b == QS_FLAG || b == QS_ESCAPE) {
		t->buf[t->len++] = QS_ESCAPE;
		b ^= QS_ESCAPE_XOR;
	}
	t->buf[t->len++] = b;
}

/* Does a frame of @n bytes fit the buffer even if every byte must be escaped? */
static bool fits(const struct target *t, size_t n)
{
	return t->len + 2 * (n + 4) + 1 <= GATE_BUFFER;
}

bool target_has_room(const struct target *t)
{
	return t->fd >= 0 && fits(t, GATE_NAME_BYTES);
}

static bool room(struct target *t, size_t n)
{
	if (!t->buf)
		t->buf = malloc(GATE_BUFFER);
	return t->buf && fits(t, n);
}

/* Write the head and the data of a frame. Return the sum of all their bytes, for the check. */
static uint8_t put_bytes(struct target *t, const uint8_t *head, size_t heads, const uint8_t *p,
			 size_t n)
{
	uint8_t sum = 0;
	size_t i;

	for (i = 0; i < heads; i++) {
		sum = (uint8_t)(sum + head[i]);
		byte(t, head[i]);
	}
	for (i = 0; i < n; i++) {
		sum = (uint8_t)(sum + p[i]);
		byte(t, p[i]);
	}
	return sum;
}

static bool has_room(struct target *t, size_t n)
{
	if (room(t, n))
		return true;
	t->dropped++;
	return false;
}

bool target_qs(struct target *t, uint8_t record, const uint8_t *p, size_t n)
{
	uint8_t head[2];

	if (t->fd < 0)
		return true;
	t->seq++;
	if (!has_room(t, n))
		return false;
	head[0] = t->seq;
	head[1] = record;
	byte(t, (uint8_t)~put_bytes(t, head, 2, p, n));
	t->buf[t->len++] = QS_FLAG;
	return true;
}

bool target_rkh(struct target *t, const struct gate_rkh *layout, uint8_t id, const uint8_t *p,
		size_t n)
{
	const uint8_t head[2] = { id, (uint8_t)(t->seq + 1) };
	uint8_t sum;

	if (t->fd < 0)
		return true;
	t->seq++;
	if (!has_room(t, n))
		return false;
	sum = put_bytes(t, head, layout->flags & RKH_NSEQ ? 2 : 1, p, n);
	if (layout->flags & RKH_CHK)
		byte(t, (uint8_t)-sum);
	t->buf[t->len++] = QS_FLAG;
	return true;
}

bool target_rkh_begin(struct target *t, const struct gate_rkh *layout, bool anew, uint8_t id,
		      const uint8_t *p, size_t n)
{
	uint8_t sum;

	if (t->fd < 0)
		return true;
	if (!has_room(t, n + 1))
		return false;
	/* Begin with a flag: Trazer discards what it receives before the first flag. */
	if (anew) {
		t->seq = 0xff;
		t->buf[t->len++] = QS_FLAG;
	}
	sum = put_bytes(t, &id, 1, p, n);
	if (layout->flags & RKH_CHK)
		byte(t, (uint8_t)-sum);
	t->buf[t->len++] = QS_FLAG;
	return true;
}

static void complain(const struct target *t, const char *why)
{
	fprintf(stderr, "qsgate: %s: %s\n", t->where, why);
}

/* Return the number of frames whose end is in the buffer. A flag inside a frame is escaped. */
static unsigned long long waiting(const struct target *t)
{
	unsigned long long n = 0;
	size_t i;

	for (i = 0; i < t->len; i++)
		n += t->buf[i] == QS_FLAG;
	return n;
}

static void hang_up(struct target *t)
{
	t->dropped += waiting(t);
	link_close(&t->link, t->fd);
	t->fd = -1;
	t->len = t->in_len = 0;
	t->escaped = t->too_long = false;
}

/*
 * After an error, a link is tried again. A file is given up, because it would lack frames in the
 * middle.
 */
static void fail(struct target *t, int err)
{
	complain(t, strerror(err));
	hang_up(t);
	t->failed = !t->is_link;
}

static void give(struct target *t)
{
	ssize_t n = write(t->fd, t->buf, t->len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		fail(t, errno);
		return;
	}
	t->len -= (size_t)n;
	memmove(t->buf, t->buf + n, t->len);
}

/* Discard requests that the host may still send before it reads the rest. */
static void ignore(struct target *t)
{
	uint8_t bytes[4096];
	ssize_t n = read(t->fd, bytes, sizeof(bytes));

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		hang_up(t);
}

void target_close(struct gate *g, const volatile sig_atomic_t *stop)
{
	struct target *t = &g->target;
	uint64_t end = gate_now_ms() + PATIENCE_MS;

	/* The stream was empty: write its description to the file anyway. */
	if (t->where && !t->is_link && !g->begun)
		gate_set_pointer(g, g->ptr);
	while (t->fd >= 0 && t->len && !*stop && gate_now_ms() < end) {
		struct pollfd p = { .fd = t->fd, .events = POLLOUT };
		const size_t before = t->len;

		if (t->is_link)
			p.events |= POLLIN;
		if (poll(&p, 1, 100) <= 0)
			continue;
		if (p.revents & POLLOUT)
			give(t);
		if (t->len < before)
			end = gate_now_ms() + PATIENCE_MS;
		if (t->fd >= 0 && t->is_link && p.revents & (POLLIN | POLLHUP | POLLERR))
			ignore(t);
		gate_announce(g);
	}
	if (t->len) {
		fprintf(stderr, "qsgate: %s: the host did not read the last %llu frames\n",
			t->where, waiting(t) + g->names.nr - g->names.told +
			g->symbols.nr - g->symbols.told);
		t->failed = true;
	}
	if (t->fd >= 0)
		hang_up(t);
	if (t->listen >= 0)
		close(t->listen);
	free(t->buf);
	t->buf = NULL;
}

void target_greet(struct gate *g)
{
	uint8_t bytes[32];

	g->target.seq = 0;
	g->target.have_seq = false;
	if (g->rkh)
		rkh_begin(g);
	else
		target_qs(&g->target, QS_TARGET_INFO, bytes,
			  gate_target_info(true, g->old, g->ptr, bytes));
	gate_announce_all(g);
}

int target_open(struct gate *g, int input)
{
	struct target *t = &g->target;
	const char *problem;

	if (!t->where)
		return 0;
	if (!t->is_link) {
		t->fd = output_open(t->where, input, &problem);
		if (t->fd < 0) {
			complain(t, problem);
			return 1;
		}
		return 0;
	}
	if (t->link.kind == LINK_TCP && !*t->link.host) {
		t->listen = link_listen(&t->link);
		if (t->listen >= 0)
			return 0;
		complain(t, link_error(&t->link, -t->listen));
		t->listen = -1;
		return 1;
	}
	return 0;
}

static void try_connect(struct gate *g, uint64_t now)
{
	struct target *t = &g->target;
	int fd;

	if (t->next_try > now)
		return;
	fd = link_open(&t->link, CONNECT_MS, NULL);
	if (fd < 0) {
		if (!t->next_try)
			complain(t, link_error(&t->link, -fd));
		t->next_try = now + RETRY_MS;
		return;
	}
	t->next_try = 1;
	t->fd = fd;
	target_greet(g);
}

/*
 * Accept a host. If there is no free descriptor or memory, the host stays in the queue, and
 * poll(2) would report it again at once; so target_events() omits the listening socket until
 * next_try.
 */
static void accept_host(struct gate *g, uint64_t now)
{
	struct target *t = &g->target;
	int fd = link_accept(&t->link, t->listen);

	if (fd >= 0) {
		t->fd = fd;
		t->rested = false;
		target_greet(g);
		return;
	}
	if (fd == -EAGAIN || fd == -EINTR || fd == -ECONNABORTED)
		return;
	if (!t->rested)
		fprintf(stderr, "qsgate: %s: %s; hosts wait\n", t->where, strerror(-fd));
	t->rested = true;
	t->next_try = now + REST_MS;
}

bool target_waits(const struct target *t)
{
	return t->where && t->is_link && t->fd < 0 && (t->listen < 0 || t->next_try);
}

short target_events(const struct target *t, int *fd)
{
	*fd = t->fd >= 0 ? t->fd : t->next_try ? -1 : t->listen;
	if (t->fd < 0)
		return POLLIN;
	return (short)((t->is_link ? POLLIN : 0) | (t->len ? POLLOUT : 0));
}

/*
 * Process a request: sequence number, record, data, check. Error codes: 0x41 for a wrong check,
 * 0x42 for a gap in the sequence numbers, 0x50 for a frame that is too short, too long, or ends in
 * an escape.
 */
static void frame(struct gate *g)
{
	struct target *t = &g->target;
	uint8_t sum = 0;
	size_t i;

	for (i = 0; i < t->in_len; i++)
		sum = (uint8_t)(sum + t->in[i]);
	if (t->too_long || t->escaped || t->in_len < 3) {
		gate_error(g, 0x50);
	} else if (sum != 0xff) {
		gate_error(g, 0x41);
	} else {
		if (t->have_seq && (uint8_t)(t->in_seq + 1) != t->in[0])
			gate_error(g, 0x42);
		t->have_seq = true;
		t->in_seq = t->in[0];
		/* A host that the user named is trusted; a host that connected may be anybody's. */
		gate_request(g, t->listen >= 0, t->in[1], t->in + 2, t->in_len - 3);
	}
}

static void hear(struct gate *g, const uint8_t *p, size_t n)
{
	struct target *t = &g->target;

	for (; n; n--, p++) {
		if (*p == QS_FLAG) {
			if (t->in_len || t->too_long || t->escaped)
				frame(g);
			t->in_len = 0;
			t->too_long = t->escaped = false;
		} else if (*p == QS_ESCAPE) {
			t->escaped = true;
		} else if (t->in_len == sizeof(t->in)) {
			t->too_long = true;
		} else {
			t->in[t->in_len++] = t->escaped ? *p ^ QS_ESCAPE_XOR : *p;
			t->escaped = false;
		}
	}
}

static void take(struct gate *g)
{
	struct target *t = &g->target;
	uint8_t bytes[4096];
	ssize_t n = read(t->fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		complain(t, "the host has hung up");
		hang_up(t);
	} else if (!g->rkh) {
		hear(g, bytes, (size_t)n);
	}
}

void target_run(struct gate *g, short events, uint64_t now)
{
	struct target *t = &g->target;

	if (!t->where)
		return;
	if (t->listen >= 0 && t->next_try <= now)
		t->next_try = 0;
	if (t->fd < 0 && t->listen >= 0 && events & POLLIN) {
		accept_host(g, now);
		return;
	}
	if (t->fd < 0 && t->listen < 0 && t->is_link) {
		try_connect(g, now);
		return;
	}
	if (t->fd >= 0 && t->is_link && events & (POLLIN | POLLHUP | POLLERR))
		take(g);
	if (t->fd >= 0 && t->len)
		give(t);
	gate_announce(g);
}
