/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-rx.h - the receive channel: a host talks to a program that traces
 *
 * A program that calls devtrace_rx_open() listens on a socket without a name, which is reached by
 * the program's descriptors in /proc. The kernel lets a host do that which may read the program's
 * memory: one of its own user, or root. A host is tracectl(8) rx, or uses the second half of this
 * header. The program answers on the socket and in the trace, as QS's target does. Nothing listens
 * in a program that does not call.
 *
 * Promises: peek, poke and fill reach only the object that is current, within the size that
 * the program gave for it. A request that makes no sense is refused and changes nothing.
 * No host can make the program wait.
 *
 * A child of fork(2) has no channel until it opens its own.
 */
#ifndef DEVTRACE_RX_H
#define DEVTRACE_RX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <devtrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of objects, as in QS. */
enum devtrace_rx_kind {
	DEVTRACE_RX_SM		= 0,	/* state machine */
	DEVTRACE_RX_AO		= 1,	/* active object */
	DEVTRACE_RX_MP		= 2,	/* memory pool */
	DEVTRACE_RX_EQ		= 3,	/* event queue */
	DEVTRACE_RX_TE		= 4,	/* time event */
	DEVTRACE_RX_AP		= 5,	/* of the application: what peek, poke and fill reach */
	DEVTRACE_RX_SM_AO	= 6,	/* to set both at once */
	DEVTRACE_RX_EP		= 7,	/* event pool */
	DEVTRACE_RX_KINDS	= 8,
};

/* Requests, with the numbers of QS. */
enum devtrace_rx_request {
	DEVTRACE_RX_INFO	= 0,
	DEVTRACE_RX_COMMAND	= 1,	/* u8 command, three u32 */
	DEVTRACE_RX_RESET	= 2,
	DEVTRACE_RX_TICK	= 3,	/* u8 rate */
	DEVTRACE_RX_PEEK	= 4,	/* u16 offset, u8 size, u8 number */
	DEVTRACE_RX_POKE	= 5,	/* likewise, then number times size bytes */
	DEVTRACE_RX_FILL	= 6,	/* likewise, then size bytes */
	DEVTRACE_RX_SETUP	= 7,	/* of a test */
	DEVTRACE_RX_TEARDOWN	= 8,
	DEVTRACE_RX_PROBE	= 9,	/* u32 data, u64 function */
	DEVTRACE_RX_GLB_FILTER	= 10,	/* u8 16, 16 bytes of bits */
	DEVTRACE_RX_LOC_FILTER	= 11,	/* likewise */
	DEVTRACE_RX_OBJ_FILTER	= 12,	/* u8 remove, u64 object */
	DEVTRACE_RX_CURRENT	= 13,	/* u8 kind, u64 object; 0: then its name, and a NUL */
	DEVTRACE_RX_CONTINUE	= 14,
	DEVTRACE_RX_QUERY	= 15,	/* u8 kind */
	DEVTRACE_RX_EVENT	= 16,	/* u8 to, u32 signal, u16 length, parameters */
	DEVTRACE_RX_REQUESTS	= 17,
};

/* To whom an event goes, but a priority. */
#define DEVTRACE_RX_PUBLISH	0
#define DEVTRACE_RX_POST	253	/* to the current active object */
#define DEVTRACE_RX_INIT	254	/* the current state machine takes its first transition */
#define DEVTRACE_RX_DISPATCH	255	/* to the current state machine */

enum devtrace_rx_status {
	DEVTRACE_RX_OK		= 0,
	DEVTRACE_RX_NO_OBJECT	= 1,	/* none is current, or there is none of that name */
	DEVTRACE_RX_BOUNDS	= 2,	/* beyond the size of the object */
	DEVTRACE_RX_BAD		= 3,	/* the request makes no sense */
	DEVTRACE_RX_UNKNOWN	= 4,	/* no such request */
	DEVTRACE_RX_UNHANDLED	= 5,	/* the program has no function for it */
	DEVTRACE_RX_REFUSED	= 6,	/* its function said no */
	DEVTRACE_RX_BUSY	= 7,	/* too many hosts at once */
};

/**
 * struct devtrace_rx_event - an event that the host wants made
 * @to: DEVTRACE_RX_PUBLISH, _POST, _INIT, _DISPATCH, or a priority
 * @sig: its signal
 * @object: the current object that it goes to; NULL: none is current
 * @params: behind the event's own header
 */
struct devtrace_rx_event {
	uint8_t		to;
	uint32_t	sig;
	void		*object;
	const void	*params;
	size_t		len;
};

/**
 * struct devtrace_rx_ops - what the program does when it is asked; each may be NULL
 * @size: of this structure, as compiled
 * @version: that INFO tells
 * @query: adds what there is to tell of the object, with devtrace_u16() and the like
 * @filter: DEVTRACE_RX_GLB_FILTER or _LOC_FILTER, and 16 bytes of bits; if it is NULL and the
 *	program is linked with libdevtrace-qp, QS's filters
 * @object_filter: events of this object are wanted, or with remove not
 *
 * All are called by the thread that serves, one at a time, and may call this library. Those
 * that return a number return 0, or another to refuse.
 */
struct devtrace_rx_ops {
	size_t	size;
	uint16_t version;
	void	(*command)(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3);
	void	(*reset)(void *arg);
	void	(*tick)(void *arg, uint8_t rate);
	void	(*setup)(void *arg);
	void	(*teardown)(void *arg);
	int	(*event)(void *arg, const struct devtrace_rx_event *event);
	int	(*query)(void *arg, uint8_t kind, void *object, struct devtrace_record *r);
	int	(*filter)(void *arg, uint8_t request, const uint8_t *bits);
	int	(*object_filter)(void *arg, bool remove, void *object);
};

/* Serve by a thread of the library's own. */
#define DEVTRACE_RX_THREAD	0x1

/*
 * Listen. 0, EALREADY, EINVAL, or what socket calls say. ops is copied. Not in a program whose
 * rights are not those of its user (setuid and the like): EPERM. ENOENT, EACCES, EROFS: no
 * directory takes a socket for a moment, see libdevtrace-rx(3).
 */
int devtrace_rx_open(const struct devtrace_rx_ops *ops, void *arg, unsigned int flags);
/* Without the thread: readable when a host wants something. -1: not open. */
int devtrace_rx_fd(void);
/* Without the thread: answer what hosts want now, and do not wait. How many requests. */
int devtrace_rx_serve(void);
void devtrace_rx_close(void);

/*
 * Hosts may make this object current, by its name or address. 0, EINVAL, ENOMEM. The memory
 * must stay until devtrace_rx_forget() has returned. Again for the same kind and address: the
 * size and name are others now.
 *
 * After devtrace_rx_forget() has returned no function of struct devtrace_rx_ops is called with
 * the object, and none that was called is still running: it waits for them, so it must not be
 * called with a lock that they take. Within such a function it waits for no function of its own
 * thread.
 */
int devtrace_rx_object(uint8_t kind, void *object, size_t size, const char *name);
void devtrace_rx_forget(void *object);
/* Make it current without a host. 0, ENOENT: it was not given to devtrace_rx_object(). */
int devtrace_rx_current(uint8_t kind, void *object);

/* In a function that is tested: did the host leave data for it? Each is taken once. */
bool devtrace_rx_probe(const void *function, uint32_t *data);
/* Wait until a host sends CONTINUE; false: there is no channel. */
bool devtrace_rx_pause(void);

/* The other side. */
struct devtrace_rx_host;

struct devtrace_rx_answer {
	uint8_t	status;		/* enum devtrace_rx_status */
	size_t	len;
	/* INFO: u16 version, name and NUL; PEEK: the bytes; QUERY: elements */
	uint8_t	data[1024];
};

/* Would devtrace_rx_connect() find a channel? Its errors; the program learns nothing of it. */
int devtrace_rx_listens(pid_t pid);
/*
 * 0, ESRCH: no such program, ECONNREFUSED: it does not listen, EPERM: this user may not read its
 * memory, or another user listens for it, ENOENT: there is no /proc.
 */
int devtrace_rx_connect(pid_t pid, struct devtrace_rx_host **host);
/*
 * Ask, and wait for the answer as long as this. 0, ETIMEDOUT: it was asked, and may still do it,
 * EAGAIN: it was not asked, as it has not taken what it was asked before, EPIPE: the program has
 * ended or refuses this user, EINVAL.
 */
int devtrace_rx_call(struct devtrace_rx_host *host, uint8_t request, const void *data, size_t len,
		     int timeout_ms, struct devtrace_rx_answer *answer);
/*
 * For who must not wait: ask with a timeout of 0, and when poll(2) says POLLIN of this
 * descriptor take the answers that are there. 0: @request is the one that was answered,
 * EAGAIN: there is none, EPIPE.
 */
int devtrace_rx_host_fd(const struct devtrace_rx_host *host);
int devtrace_rx_answer(struct devtrace_rx_host *host, uint8_t *request,
		       struct devtrace_rx_answer *answer);
void devtrace_rx_disconnect(struct devtrace_rx_host *host);
/* In words. */
const char *devtrace_rx_status_text(uint8_t status);

#ifdef __cplusplus
}
#endif
#endif
