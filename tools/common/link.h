/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link.h - lines that carry a stream: tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, serial:DEV,BAUD
 */
#ifndef COMMON_LINK_H
#define COMMON_LINK_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>
#include <termios.h>

struct link_line;

enum link_kind { LINK_TCP, LINK_UDP, LINK_UNIX, LINK_SERIAL, LINK_SYSLOG };

struct link {
	enum link_kind	kind;
	char		host[256];	/* empty: this machine listens */
	char		port[8];
	char		path[PATH_MAX];	/* unix, serial */
	speed_t		speed;
	struct link_line *line;		/* serial: its settings before; NULL: not open */
	const char	*why;		/* what failed, if not an error number says it */
};

/* Does the word begin as a link does? A file of that name is ./tcp:... */
bool link_is(const char *word);
/* 0, or -1 and why in *problem. */
int link_parse(struct link *l, const char *word, const char **problem);
/*
 * Connect, or open and set raw. The descriptor, which does not block, or a negative error
 * number. Waits for ms at the most (-1: for ever), with this signal mask (NULL: as it is).
 */
int link_open(struct link *l, int ms, const sigset_t *mask);
/* A socket that listens. */
int link_listen(struct link *l);
/* The next guest of it, of whom many come, or a negative error number. */
int link_accept(const struct link *l, int listener);
/* Restores what link_open() has set, and closes. */
void link_close(struct link *l, int fd);
/*
 * A serial line is restored also where nobody closes it: at exit(3), and by signals that end
 * the program, unless there was a handler for one before link_open(). Such a handler ends
 * the program by this, which may be called there.
 */
void link_die(int sig);
/* The text for an error number of a link. */
const char *link_error(const struct link *l, int err);

#endif
