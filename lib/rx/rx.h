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

/*
 * A host and its current objects. If an object is NULL, the object that any host made current
 * last is used.
 */
struct rx_peer {
	int	fd;
	/* creation number, to notice that a callback freed the slot and another host got it */
	uint64_t host;
	void	*current[DEVTRACE_RX_KINDS];
};

/* A callback that uses an object; on the stack of the calling thread. */
struct rx_use {
	void		*object;
	pthread_t	by;
	struct rx_use	*outer;		/* next in the list: a pausing callback lets others run */
};

struct rx {
	struct devtrace_rx_ops	ops;
	void			*arg;
	int			listen, poll, stop;
	/* the file that @listen is bound to; a host connects through it */
	int			inode;
	bool			open, thread_runs;
	unsigned int		life;		/* changes when the channel is opened or closed */
	pthread_t		thread;
	struct rx_peer		peers[RX_PEERS];
	uint64_t		hosts;		/* created so far */

	/* Protected by the lock; any thread may use these. */
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

/* Execute one request. Return the answer's length. */
size_t dt_rx_request(struct rx *rx, struct rx_peer *peer, const uint8_t *p, size_t n,
		     uint8_t *answer);
/*
 * Call dt_rx_enter() before a callback uses an object. It is called with the lock held and
 * releases the lock. It returns the object or NULL. Call dt_rx_leave() after the callback.
 */
void *dt_rx_enter(struct rx *rx, struct rx_use *use, const struct rx_object *o);
void dt_rx_leave(struct rx *rx, struct rx_use *use);
/* Is another thread's callback using the object? Called with the lock held. */
bool dt_rx_used_by_others(const struct rx *rx, const void *object);
/* Emit a TEST_PAUSED record. */
void dt_rx_paused(void);
/*
 * Open @listen and @inode. The name of the file says whether @anybody is served. Return 0 or an
 * errno number; the caller closes both descriptors in both cases.
 */
int dt_rx_listen(struct rx *rx, bool anybody);
/*
 * Connect to a process and check that the listening socket is that process's. *anybody: what it
 * said to dt_rx_listen(). Return 0 or an errno number.
 */
int dt_rx_connect(pid_t pid, int *fd, bool *anybody);

#endif
