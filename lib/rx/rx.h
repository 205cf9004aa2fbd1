/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rx.h - private to the receive channel
 *
 * On the socket (SOCK_SEQPACKET) a message is a request or an answer:
 *	request	u8 version, u8 request, u16 number, data
 *	answer	u8 version, u8 request, u16 number, u8 status, data
 * All numbers are little-endian.
 */
#ifndef DT_RX_H
#define DT_RX_H

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "devtrace-rx.h"

#define RX_VERSION	1
#define RX_HEAD		4
#define RX_REQUEST_MAX	2048
#define RX_PEERS	8
#define RX_PROBES	64
#define RX_NAME		32

struct rx_object {
	uint8_t	kind;
	void	*object;
	size_t	size;
	char	name[RX_NAME];
};

/* A host; what it made current is its own, and otherwise what was made last. */
struct rx_peer {
	int	fd;
	uint64_t host;		/* creation number: a callback may free and fill the slot */
	void	*current[DEVTRACE_RX_KINDS];
};

/* A callback that is inside of an object; on the stack of the thread that called it. */
struct rx_use {
	void		*object;
	pthread_t	by;
	struct rx_use	*outer;		/* one that pauses lets others be called */
};

struct rx {
	struct devtrace_rx_ops	ops;
	void			*arg;
	int			listen, poll, stop;
	int			inode;		/* the file of @listen, by which a host connects */
	bool			open, thread_runs;
	unsigned int		life;		/* another when a callback closed or reopened it */
	pthread_t		thread;
	struct rx_peer		peers[RX_PEERS];
	uint64_t		hosts;		/* so far */

	/* Under the lock: any thread may come. */
	pthread_mutex_t		lock;
	pthread_cond_t		go;		/* CONTINUE came, or a callback returned */
	struct rx_object	*objects;
	size_t			nr_objects;
	struct rx_use		*uses;
	void			*current[DEVTRACE_RX_KINDS];
	struct { uint64_t function; uint32_t data; } probes[RX_PROBES];
	unsigned int		nr_probes;
	unsigned int		continues;
};

extern struct rx dt_rx;

/* One request. The answer's length. */
size_t dt_rx_request(struct rx *rx, struct rx_peer *peer, const uint8_t *p, size_t n,
		     uint8_t *answer);
/*
 * A callback gets this object: called with the lock, which is given back. NULL: there is none.
 * And it has returned.
 */
void *dt_rx_enter(struct rx *rx, struct rx_use *use, const struct rx_object *o);
void dt_rx_leave(struct rx *rx, struct rx_use *use);
/* Is a callback of another thread within? Under the lock. */
bool dt_rx_used_by_others(const struct rx *rx, const void *object);
/* A TEST_PAUSED record. */
void dt_rx_paused(void);
/* Make @listen and @inode. 0 or errno; what was made is the caller's to close. */
int dt_rx_listen(struct rx *rx);
/* Connect to a process, and make sure that it is the one that listens. 0 or errno. */
int dt_rx_connect(pid_t pid, int *fd);

#endif
