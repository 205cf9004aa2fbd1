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

enum link_kind { LINK_TCP, LINK_UDP, LINK_UNIX, LINK_SERIAL, LINK_SYSLOG, LINK_HTTP };

struct link {
	enum link_kind	kind;
	char		host[256];	/* "": this machine listens */
	char		port[8];
	char		path[PATH_MAX];	/* unix, serial; http: of the URL */
	speed_t		speed;
	struct link_line *line;		/* serial: previous settings; NULL: not open */
	/* open: function that opens the link, with the certificates of @ca; NULL: link_open() */
	int		(*open)(struct link *l, int ms);
	const char	*ca;
	/* why: text of an error for which there is no error number; otherwise NULL */
	const char	*why;
};

/* Does the word begin like a link? (A file whose name begins so can be given as ./tcp:...) */
bool link_is(const char *word);
/* Parse a link. Return 0, or -1 and the reason in *problem. */
int link_parse(struct link *l, const char *word, const char **problem);
/*
 * Connect to the peer, or open the serial line in raw mode. Wait at most @ms milliseconds (-1:
 * forever), with the signal mask @mask (NULL: the current one). Return a non-blocking descriptor
 * or a negative error number.
 */
int link_open(struct link *l, int ms, const sigset_t *mask);
/* Return a listening socket. */
int link_listen(struct link *l);
/* Accept the next peer that connects. Return a descriptor or a negative error number. */
int link_accept(const struct link *l, int listener);
/* Restore the settings that link_open() changed, and close the descriptor. */
void link_close(struct link *l, int fd);
/*
 * The settings of a serial line are also restored by exit(3), and by signals that end the program.
 * If a signal had a handler before link_open(), the handler must call link_die() to end the
 * program. link_die() is async-signal-safe.
 */
void link_die(int sig);
/* Return the text for an error number of a link. */
const char *link_error(const struct link *l, int err);

#endif
