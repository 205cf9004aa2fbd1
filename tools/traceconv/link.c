// SPDX-License-Identifier: GPL-2.0-only
/*
 * link.c - where the bytes of a target come from: a file, a serial line, a connection
 *
 * serial:DEVICE[,BAUD] and tcp:HOST:PORT as other tools of this tree spell them; the parser
 * is to be one of tools/common when more than one tool has it.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "traceconv.h"

static const struct { unsigned long baud; speed_t speed; } speeds[] = {
	{ 9600, B9600 }, { 19200, B19200 }, { 38400, B38400 }, { 57600, B57600 },
	{ 115200, B115200 }, { 230400, B230400 }, { 460800, B460800 }, { 500000, B500000 },
	{ 921600, B921600 }, { 1000000, B1000000 }, { 1500000, B1500000 }, { 2000000, B2000000 },
	{ 3000000, B3000000 }, { 4000000, B4000000 },
};

static int serial(const char *where)
{
	char path[256];
	const char *comma = strchr(where, ',');
	unsigned long baud = 115200;
	struct termios t;
	char *end;
	size_t i;
	int fd;

	snprintf(path, sizeof(path), "%.*s", comma ? (int)(comma - where) : 255, where);
	if (comma) {
		baud = strtoul(comma + 1, &end, 10);
		if (*end)
			baud = 0;
	}
	for (i = 0; i < sizeof(speeds) / sizeof(*speeds); i++)
		if (speeds[i].baud == baud)
			break;
	if (i == sizeof(speeds) / sizeof(*speeds)) {
		fprintf(stderr, "traceconv: '%s' is no speed of a serial line, as 115200\n",
			comma ? comma + 1 : "");
		exit(2);
	}
	fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || tcgetattr(fd, &t)) {
		fprintf(stderr, "traceconv: %s: %s\n", path, strerror(errno));
		return -1;
	}
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	cfsetspeed(&t, speeds[i].speed);
	if (tcsetattr(fd, TCSANOW, &t)) {
		fprintf(stderr, "traceconv: %s: %s\n", path, strerror(errno));
		return -1;
	}
	return fd;
}

static int tcp(const char *where)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(where, ':');
	struct addrinfo *list, *a;
	char host[256];
	int fd = -1, err;

	if (!colon || colon == where || !colon[1]) {
		fprintf(stderr, "traceconv: 'tcp:%s' is no tcp:HOST:PORT\n", where);
		exit(2);
	}
	snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = 0;
		memmove(host, host + 1, strlen(host));
	}
	err = getaddrinfo(host, colon + 1, &hints, &list);
	if (err) {
		fprintf(stderr, "traceconv: %s: %s\n", where, gai_strerror(err));
		return -1;
	}
	for (a = list; a; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen))
			break;
		err = errno;
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(list);
	if (fd < 0)
		fprintf(stderr, "traceconv: %s: %s\n", where, strerror(err));
	return fd;
}

/* live: bytes come when the target sends them. */
int conv_link_open(const char *where, bool *live)
{
	struct stat st;
	int fd;

	*live = true;
	if (!strncmp(where, "serial:", 7))
		return serial(where + 7);
	if (!strncmp(where, "tcp:", 4))
		return tcp(where + 4);
	fd = strcmp(where, "-") ? open(where, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "traceconv: %s: %s\n", where, strerror(errno));
		return -1;
	}
	*live = !S_ISREG(st.st_mode);
	return fd;
}
