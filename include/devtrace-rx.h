/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-rx.h - the receive channel: hosts send requests to a program that traces
 *
 * A program that calls devtrace_rx_open() listens on a socket without a name; hosts connect
 * through the program's descriptors in /proc. The kernel permits this to a host that may read
 * the program's memory: a process of the same user, or root. A host is tracectl(8) rx, or uses
 * the second half of this header. The program answers on the socket and in the trace, like a QS
 * target. A program that does not call devtrace_rx_open() does not listen.
 *
 * Guarantees: peek, poke and fill access only the current object, within the size that the
 * program declared. A malformed request is refused and changes nothing. No host can make the
 * program wait.
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
	DEVTRACE_RX_AP		= 5,	/* application object: for peek, poke and fill */
	DEVTRACE_RX_SM_AO	= 6,	/* both SM and AO, to make an object current */
	DEVTRACE_RX_EP		= 7,	/* event pool */
	DEVTRACE_RX_KINDS	= 8,
	DEVTRACE_RX_ANY		= 255,	/* for devtrace_rx_object(): each kind */
};

/* Requests and their data, with the numbers of QS. */
enum devtrace_rx_request {
	DEVTRACE_RX_INFO	= 0,
	DEVTRACE_RX_COMMAND	= 1,	/* u8 command, three u32 */
	DEVTRACE_RX_RESET	= 2,
	DEVTRACE_RX_TICK	= 3,	/* u8 rate */
	DEVTRACE_RX_PEEK	= 4,	/* u16 offset, u8 size, u8 number */
	DEVTRACE_RX_POKE	= 5,	/* as PEEK, then number times size bytes */
	DEVTRACE_RX_FILL	= 6,	/* as PEEK, then size bytes */
	DEVTRACE_RX_SETUP	= 7,	/* of a test */
	DEVTRACE_RX_TEARDOWN	= 8,
	DEVTRACE_RX_PROBE	= 9,	/* u32 data, u64 function */
	DEVTRACE_RX_GLB_FILTER	= 10,	/* u8 16, 16 bytes of bits */
	DEVTRACE_RX_LOC_FILTER	= 11,	/* u8 16, 16 bytes of bits */
	DEVTRACE_RX_OBJ_FILTER	= 12,	/* u8 remove, u64 object */
	DEVTRACE_RX_CURRENT	= 13,	/* u8 kind, u64 object; if 0, its name and a NUL */
	DEVTRACE_RX_CONTINUE	= 14,
	DEVTRACE_RX_QUERY	= 15,	/* u8 kind */
	DEVTRACE_RX_EVENT	= 16,	/* u8 to, u32 signal, u16 length, parameters */
	DEVTRACE_RX_REQUESTS	= 17,
};

/* Destination of an event, besides a priority. */
#define DEVTRACE_RX_PUBLISH	0
#define DEVTRACE_RX_POST	253	/* the current active object */
#define DEVTRACE_RX_INIT	254	/* initial transition of the current state machine */
#define DEVTRACE_RX_DISPATCH	255	/* the current state machine */

enum devtrace_rx_status {
	DEVTRACE_RX_OK		= 0,
	DEVTRACE_RX_NO_OBJECT	= 1,	/* no current object, or unknown name */
	DEVTRACE_RX_BOUNDS	= 2,	/* beyond the size of the object */
	DEVTRACE_RX_BAD		= 3,	/* malformed request */
	DEVTRACE_RX_UNKNOWN	= 4,	/* unknown request */
	DEVTRACE_RX_UNHANDLED	= 5,	/* the program has no function for it */
	DEVTRACE_RX_REFUSED	= 6,	/* the program's function refused */
	DEVTRACE_RX_BUSY	= 7,	/* too many hosts at once */
};

/**
 * struct devtrace_rx_event - an event from a host
 * @to: DEVTRACE_RX_PUBLISH, _POST, _INIT, _DISPATCH, or a priority
 * @sig: signal
 * @object: current object that receives it; NULL: none
 * @params: parameters, without the event's own header
 * @len: bytes at @params
 */
struct devtrace_rx_event {
	uint8_t		to;
	uint32_t	sig;
	void		*object;
	const void	*params;
	size_t		len;
};

/**
 * struct devtrace_rx_ops - the program's functions for requests; each may be NULL
 * @size: sizeof(struct devtrace_rx_ops)
 * @version: version that INFO returns
 * @command: DEVTRACE_RX_COMMAND
 * @reset: DEVTRACE_RX_RESET
 * @tick: DEVTRACE_RX_TICK
 * @setup: DEVTRACE_RX_SETUP
 * @teardown: DEVTRACE_RX_TEARDOWN
 * @event: DEVTRACE_RX_EVENT
 * @query: adds elements about the object to @r, by devtrace_u16() and its siblings
 * @filter: DEVTRACE_RX_GLB_FILTER or _LOC_FILTER with 16 bytes of bits; if NULL and the program
 *   is linked with libdevtrace-qp, QS's filters are set
 * @object_filter: turns events of this object on, or off with @remove
 *
 * The serving thread calls these, one at a time; they may call this library. A function that
 * returns int returns 0, or another value to refuse.
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

/* Serve by a thread of the library. */
#define DEVTRACE_RX_THREAD	0x1
/* A host that runs as root may pass on the requests of any user, as qsgate(1) does. */
#define DEVTRACE_RX_ANYBODY	0x2

/*
 * Open the channel. ops is copied. Return 0, EALREADY, EINVAL, an error of the socket calls,
 * EPERM in a program with other rights than its user (setuid and the like), or ENOENT, EACCES,
 * EROFS if no directory accepts a socket, see libdevtrace-rx(3).
 */
int devtrace_rx_open(const struct devtrace_rx_ops *ops, void *arg, unsigned int flags);
/* Without a thread: a descriptor that is readable when a host has a request. -1: not open. */
int devtrace_rx_fd(void);
/* Without a thread: answer pending requests without waiting. Return their number. */
int devtrace_rx_serve(void);
void devtrace_rx_close(void);

/*
 * Let hosts make this object current, by its name or address. Return 0, EINVAL or ENOMEM. The
 * memory must stay valid until devtrace_rx_forget() returns. A second call with the same kind
 * and address changes the size and the name.
 *
 * After devtrace_rx_forget() returns, no function of struct devtrace_rx_ops uses the object: it
 * waits for those that run, so do not call it with a lock that they take. Called from such a
 * function, it does not wait for its own thread.
 */
int devtrace_rx_object(uint8_t kind, void *object, size_t size, const char *name);
void devtrace_rx_forget(void *object);
/* Make an object current. Return 0, or ENOENT if devtrace_rx_object() was not called for it. */
int devtrace_rx_current(uint8_t kind, void *object);

/* For a function under test: take the data that a host left for it. Each is returned once. */
bool devtrace_rx_probe(const void *function, uint32_t *data);
/* Wait until a host sends CONTINUE. Return false if there is no channel. */
bool devtrace_rx_pause(void);

/* The host's side. */
struct devtrace_rx_host;

struct devtrace_rx_answer {
	uint8_t	status;		/* enum devtrace_rx_status */
	size_t	len;
	/* INFO: u16 version, name and NUL; PEEK: the bytes; QUERY: elements */
	uint8_t	data[1024];
};

/* Would devtrace_rx_connect() find a channel? Same errors; the program does not notice. */
int devtrace_rx_listens(pid_t pid);
/*
 * Connect. Return 0, ESRCH: no such process, ECONNREFUSED: it does not listen, EPERM: this user
 * may not read its memory or another user listens for it, ENOENT: no /proc.
 */
int devtrace_rx_connect(pid_t pid, struct devtrace_rx_host **host);
/*
 * Send a request and wait for its answer. Return 0, ETIMEDOUT: sent, and possibly executed
 * later, EAGAIN: not sent, because earlier requests are still unread, EPIPE: the program ended
 * or refuses this user, EINVAL.
 */
int devtrace_rx_call(struct devtrace_rx_host *host, uint8_t request, const void *data, size_t len,
		     int timeout_ms, struct devtrace_rx_answer *answer);
/*
 * A host that must not wait calls devtrace_rx_call() with a timeout of 0. When poll(2) reports
 * POLLIN for the descriptor that devtrace_rx_host_fd() returns, it calls devtrace_rx_answer()
 * until that returns EAGAIN: no answer has arrived. devtrace_rx_answer() returns 0 if *request
 * was answered, and EPIPE if the connection is closed.
 */
int devtrace_rx_host_fd(const struct devtrace_rx_host *host);
int devtrace_rx_answer(struct devtrace_rx_host *host, uint8_t *request,
		       struct devtrace_rx_answer *answer);
/* Did the program open its channel with DEVTRACE_RX_ANYBODY? */
bool devtrace_rx_anybody(const struct devtrace_rx_host *host);
void devtrace_rx_disconnect(struct devtrace_rx_host *host);
const char *devtrace_rx_status_text(uint8_t status);

#ifdef __cplusplus
}
#endif
#endif
