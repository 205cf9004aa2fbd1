// SPDX-License-Identifier: GPL-2.0-only
/*
 * front.c - act as QSPY for front ends such as qutest.py and QView, over UDP
 *
 * A datagram contains a sequence number, a record number and data, without a check or escapes.
 * Records from 128 on are addressed to QSPY itself: attach, detach, and requests with names
 * instead of keys.
 *
 * Invariant: the gate sends nothing to a front end that is not attached.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "common/le.h"
#include "common/qs.h"
#include "gate.h"

#define PORT		7701
#define BINARY		1
#define TEXT		2
/* limit of datagrams that front_run() reads in one call, so that the stream is not delayed */
#define AT_ONCE		64

enum {
	ATTACH = 128, DETACH, SAVE_DICT, TEXT_OUT, BIN_OUT, MATLAB_OUT, SEQUENCE_OUT, SEND_EVENT,
	SEND_AO_FILTER, SEND_CURR_OBJ, SEND_COMMAND, SEND_TEST_PROBE, CLEAR_SCREEN, SHOW_NOTE
};

/*
 * Open the UDP port that @word names, as [HOST:]PORT; the default HOST is the loopback address.
 * Return 0, 1 if the port cannot be opened, or 2 and *problem if the word is wrong.
 */
int front_open(struct front *f, const char *word, const char **problem)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM };
	const char *colon = word ? strrchr(word, ':') : NULL, *port = colon ? colon + 1 : word;
	struct addrinfo *list;
	char host[256], *end;
	socklen_t len = sizeof(at);
	unsigned long n;

	*problem = "is not [HOST:]PORT with a port from 0 to 65535";
	if (word) {
		n = strtoul(port, &end, 10);
		if (*port < '0' || *port > '9' || *end || n > 65535)
			return 2;
		at.sin_port = htons((uint16_t)n);
	}
	if (colon) {
		snprintf(host, sizeof(host), "%.*s", (int)(colon - word), word);
		if (getaddrinfo(host, NULL, &hints, &list)) {
			*problem = "names no IPv4 address of this machine";
			return 1;
		}
		at.sin_addr = ((struct sockaddr_in *)(void *)list->ai_addr)->sin_addr;
		freeaddrinfo(list);
	}
	f->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (f->fd < 0 || bind(f->fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(f->fd, (struct sockaddr *)&at, &len)) {
		*problem = strerror(errno);
		return 1;
	}
	f->port = ntohs(at.sin_port);
	return 0;
}

static void send_to(struct front *f, unsigned int i, const uint8_t *p, size_t n)
{
	if (sendto(f->fd, p, n, MSG_NOSIGNAL, (struct sockaddr *)&f->v[i].at,
		   sizeof(f->v[i].at)) < 0)
		f->dropped++;
}

static void send_record(struct front *f, unsigned int i, uint8_t record, const void *p, size_t n)
{
	uint8_t out[2 + 2 * GATE_BYTES];

	out[0] = f->v[i].seq++;
	out[1] = record;
	memcpy(out + 2, p, n);
	send_to(f, i, out, n + 2);
}

void front_close(struct front *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		send_record(f, i, DETACH, "", 0);
	f->nr = 0;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/*
 * Send a record to all front ends that asked for the binary channel; send target information to
 * all front ends.
 */
void front_record(struct front *f, uint8_t record, const uint8_t *p, size_t n)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->v[i].channels & BINARY || record == QS_TARGET_INFO)
			send_record(f, i, record, p, n);
}

void front_text(struct front *f, uint8_t record, const char *line, size_t n)
{
	uint8_t out[3 + QSPY_LINE];
	unsigned int i;

	if (n > QSPY_LINE)
		n = QSPY_LINE;
	out[1] = 0;
	out[2] = record;
	memcpy(out + 3, line, n);
	for (i = 0; i < f->nr; i++) {
		if (!(f->v[i].channels & TEXT))
			continue;
		out[0] = f->v[i].seq++;
		send_to(f, i, out, n + 3);
	}
}

static void complain(struct gate *g, const char *what, const char *name)
{
	char line[256];
	size_t n = (size_t)snprintf(line, sizeof(line), "   <F-END> ERROR    %s%s%.60s%s", what,
				    *name ? " '" : "", name, *name ? "'" : "");

	g->refused++;
	front_text(&g->front, 0, line, n);
	gate_print(g, line, n);
}

static int find(const struct front *f, const struct sockaddr_in *from)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->v[i].at.sin_port == from->sin_port &&
		    f->v[i].at.sin_addr.s_addr == from->sin_addr.s_addr)
			return (int)i;
	return -1;
}

static void attach(struct gate *g, const struct sockaddr_in *from, const uint8_t *p, size_t n)
{
	struct front *f = &g->front;
	int i = find(f, from);

	if (n > 1 || (n && (!*p || *p > 3)))
		return;
	/* The table is full: detach the front end that attached first, to make room. */
	if (i < 0 && f->nr == GATE_FRONTS) {
		send_record(f, 0, DETACH, "", 0);
		memmove(&f->v[0], &f->v[1], sizeof(f->v) - sizeof(f->v[0]));
		f->nr--;
	}
	if (i < 0)
		i = (int)f->nr++;
	f->v[i].at = *from;
	f->v[i].seq = 0;
	f->v[i].channels = n ? *p : BINARY;
	send_record(f, (unsigned int)i, ATTACH, "", 0);
}

/*
 * Return the name that begins at offset @at of the data. Return NULL if the name is empty or has
 * no NUL at its end.
 */
static const char *name_at(const uint8_t *p, size_t n, size_t at)
{
	if (n < at + 2 || memchr(p + at, 0, n - at) != p + n - 1)
		return NULL;
	return (const char *)p + at;
}

static void by_name(struct gate *g, uint8_t record, const uint8_t *p, size_t n)
{
	const uint8_t ptr = g->ptr;
	const struct {
		uint8_t request, kind, group, head, at, bytes;
	} how[] = {
		/*
		 * One entry for each request that contains a name: where the name is, and where
		 * the key or value that the dictionary has for it is written.
		 */
		{ DEVTRACE_RX_EVENT, QS_SIG_DICT, 0, 3 + GATE_SIG, 1, GATE_SIG },
		{ DEVTRACE_RX_OBJ_FILTER, QS_OBJ_DICT, 0, (uint8_t)(1 + ptr), 1, ptr },
		{ DEVTRACE_RX_CURRENT, QS_OBJ_DICT, 0, (uint8_t)(1 + ptr), 1, ptr },
		{ DEVTRACE_RX_COMMAND, QS_ENUM_DICT, 7, 13, 0, 1 },
		{ DEVTRACE_RX_PROBE, QS_FUN_DICT, 0, (uint8_t)(4 + ptr), 4, ptr },
	};
	const unsigned int i = record - SEND_EVENT;
	size_t head = how[i].head;
	const struct qspy_name *found;
	uint8_t out[GATE_BYTES], *q = out + how[i].at;
	const char *name;

	/* In SEND_EVENT, the parameters of the event come before the name of its signal. */
	if (record == SEND_EVENT && n >= head)
		head += (size_t)le_read(p + 1 + GATE_SIG, 2);
	name = head < sizeof(out) ? name_at(p, n, head) : NULL;
	if (!name) {
		complain(g, "the datagram is truncated, or contains no name", "");
		return;
	}
	found = qspy_named(&g->names, how[i].kind, (uint32_t)g->pid, how[i].group, name);
	if (!found) {
		complain(g, "the dictionaries have no", name);
		return;
	}
	memcpy(out, p, head);
	gate_put(&q, found->kind == QS_OBJ_DICT || found->kind == QS_FUN_DICT ? found->key :
		     found->value, how[i].bytes);
	gate_request(g, true, how[i].request, out, head);
}

static void command(struct gate *g, unsigned int i, uint8_t record, const uint8_t *p, size_t n)
{
	struct front *f = &g->front;

	switch (record) {
	case DETACH:
		memmove(&f->v[i], &f->v[i + 1], (f->nr - i - 1) * sizeof(f->v[0]));
		f->nr--;
		break;
	case TEXT_OUT:
		if (n == 1 && *p <= 2 && !g->quiet)
			g->echo = *p == 2 ? !g->echo : *p;
		break;
	case SAVE_DICT:
	case BIN_OUT:
	case MATLAB_OUT:
	case SEQUENCE_OUT:
	case CLEAR_SCREEN:
		break;
	case SHOW_NOTE:
		if (n)
			gate_print(g, p + 1, strnlen((const char *)p + 1, n - 1));
		break;
	default:
		if (record >= SEND_EVENT && record <= SEND_TEST_PROBE)
			by_name(g, record, p, n);
		else
			complain(g, "the gate does not know this packet", "");
	}
}

void front_run(struct gate *g)
{
	struct front *f = &g->front;
	unsigned int turn;

	for (turn = 0; turn < AT_ONCE; turn++) {
		uint8_t in[GATE_BYTES + 1];
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(f->fd, in, sizeof(in), MSG_TRUNC,
				     (struct sockaddr *)&from, &len);
		int i;

		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			continue;
		if (n >= 2 && n <= GATE_BYTES && in[1] == ATTACH) {
			attach(g, &from, in + 2, (size_t)n - 2);
			continue;
		}
		i = find(f, &from);
		if (i < 0)
			continue;
		if (n < 2 || n > GATE_BYTES)
			complain(g, "the datagram is too short or too long", "");
		else if (in[1] >= ATTACH)
			command(g, (unsigned int)i, in[1], in + 2, (size_t)n - 2);
		else
			gate_request(g, true, in[1], in + 2, (size_t)n - 2);
	}
}
