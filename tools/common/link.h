/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link.h - links that carry a stream: tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, serial:DEV,BAUD
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
	char		host[256];	/* "": this machine listens */
	char		port[8];
	char		path[PATH_MAX];	/* unix, serial */
	speed_t		speed;
	struct link_line *line;		/* serial: previous settings; NULL: not open */
	const char	*why;		/* error text, if there is no error number for it */
};

/* Does the word begin like a link? A file of that name is ./tcp:... */
bool link_is(const char *word);
/* Return 0, or -1 with the reason in *problem. */
int link_parse(struct link *l, const char *word, const char **problem);
/*
 * Connect, or open in raw mode. Return a non-blocking descriptor or a negative error number.
 * Waits at most ms (-1: forever) with this signal mask (NULL: the current one).
 */
int link_open(struct link *l, int ms, const sigset_t *mask);
/* Return a listening socket. */
int link_listen(struct link *l);
/* Accept the next guest. Return a descriptor or a negative error number. */
int link_accept(const struct link *l, int listener);
/* Restore the settings that link_open() changed, and close. */
void link_close(struct link *l, int fd);
/*
 * A serial line is also restored by exit(3), and by signals that end the program, unless they
 * had a handler before link_open(). Such a handler must call this to end the program; it is safe
 * there.
 */
void link_die(int sig);
/* Return the text for an error number of a link. */
const char *link_error(const struct link *l, int err);

#endif
