/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rx.h - private to the receive channel
 *
 * Each message on the socket (SOCK_SEQPACKET) is a request or an answer:
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

/*
 * A host, and the objects that it made current. If it made none of a kind current, the object of
 * this kind that any host last made current is used.
 */
struct rx_peer {
	int	fd;
	/*
	 * number of the host, never reused: shows that a callback freed this slot and another host
	 * got it
	 */
	uint64_t host;
	void	*current[DEVTRACE_RX_KINDS];
};

/* A running callback that uses an object. The structure is on the stack of its thread. */
struct rx_use {
	void		*object;
	pthread_t	by;
	struct rx_use	*outer; /* next in the list: a callback that pauses lets others run */
};

struct rx {
	struct devtrace_rx_ops	ops;
	void			*arg;
	int			listen, poll, stop;
	/* descriptor of the file to which @listen is bound; a host connects through it */
	int			inode;
	bool			open, thread_runs;
	unsigned int		life; /* incremented when the channel is opened or closed */
	pthread_t		thread;
	struct rx_peer		peers[RX_PEERS];
	uint64_t		hosts;		/* number of hosts so far */

	/* Any thread may use the following members; @lock protects them. */
	pthread_mutex_t		lock;
	pthread_cond_t		go; /* signaled by a CONTINUE request and when a callback returns */
	struct rx_object	*objects;
	size_t			nr_objects;
	struct rx_use		*uses;
	void			*current[DEVTRACE_RX_KINDS];
	struct { uint64_t function; uint32_t data; } probes[RX_PROBES];
	unsigned int		nr_probes;
	unsigned int		continues;
};

extern struct rx dt_rx;

/* Execute one request. Return the length of the answer. */
size_t dt_rx_request(struct rx *rx, struct rx_peer *peer, const uint8_t *p, size_t n,
		     uint8_t *answer);
/*
 * Every callback that uses an object is called between dt_rx_enter() and dt_rx_leave().
 * dt_rx_enter() is called with the lock held and releases it. It returns the object or NULL.
 */
void *dt_rx_enter(struct rx *rx, struct rx_use *use, const struct rx_object *o);
void dt_rx_leave(struct rx *rx, struct rx_use *use);
/* Does a callback in another thread use the object? Called with the lock held. */
bool dt_rx_used_by_others(const struct rx *rx, const void *object);
/* Emit a TEST_PAUSED record. */
void dt_rx_paused(void);
/*
 * Open @listen and @inode. The file's name tells hosts whether the program serves @anybody. Return
 * 0 or an errno number; the caller closes both descriptors in either case.
 */
int dt_rx_listen(struct rx *rx, bool anybody);
/*
 * Connect to a process, and check that this process listens on the socket. *anybody: the value
 * that it passed to dt_rx_listen(). Return 0 or an errno number.
 */
int dt_rx_connect(pid_t pid, int *fd, bool *anybody);

#endif
