/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-rx.h - the receive channel: hosts send requests to a program that traces
 *
 * A program that calls devtrace_rx_open() listens on a socket that has no name in the file system.
 * A host is a process that sends requests: tracectl(8) with "rx", or a program that uses the
 * second half of this header. It connects through the program's descriptors in /proc, which the
 * kernel permits only to a process that may read the program's memory: one of the same user, or
 * root. The program answers on the socket and in the trace, like a QS target.
 *
 * Guarantees: peek, poke and fill access only the current object, within the size that the program
 * declared. A malformed request is refused and changes nothing. No host can make the program wait.
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
	DEVTRACE_RX_SM_AO	= 6,	/* for CURRENT: both SM and AO */
	DEVTRACE_RX_EP		= 7,	/* event pool */
	DEVTRACE_RX_KINDS	= 8,
	DEVTRACE_RX_ANY		= 255,	/* for devtrace_rx_object(): each kind */
};

/* Requests, with the numbers of QS. The comments list the data that a request contains. */
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
	/* data: u8 kind, u64 object; if the object is 0, its name and a NUL follow */
	DEVTRACE_RX_CURRENT	= 13,
	DEVTRACE_RX_CONTINUE	= 14,
	DEVTRACE_RX_QUERY	= 15,	/* u8 kind */
	DEVTRACE_RX_EVENT	= 16,	/* u8 to, u32 signal, u16 length, parameters */
	DEVTRACE_RX_REQUESTS	= 17,
};

/* Destinations of an event. Every other number is the priority of an active object. */
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
 * @query: adds elements about the object to @r with devtrace_u16() and similar functions
 * @filter: DEVTRACE_RX_GLB_FILTER or _LOC_FILTER with 16 bytes of bits. If it is NULL and the
 *	program is linked with libdevtrace-qp, this library sets QS's filters
 * @object_filter: turns events of this object on or, with @remove, off
 *
 * The thread that serves requests calls these functions, one at a time. They may call this
 * library. A function that returns int returns 0 to accept the request, and another value to
 * refuse it.
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

/* Let a thread of the library serve requests. */
#define DEVTRACE_RX_THREAD	0x1
/* A host that runs as root may pass on the requests of any user, as qsgate(1) does. */
#define DEVTRACE_RX_ANYBODY	0x2

/*
 * Open the channel; *ops is copied. Return 0 or an errno number: EALREADY, EINVAL, an error of the
 * socket calls, EPERM if the program has other rights than its user (for example a setuid
 * program), or ENOENT, EACCES or EROFS if the socket can be created in no directory, see
 * libdevtrace-rx(3).
 */
int devtrace_rx_open(const struct devtrace_rx_ops *ops, void *arg, unsigned int flags);
/*
 * Without DEVTRACE_RX_THREAD: return a descriptor that is readable while a request is waiting, or
 * -1 if the channel is not open.
 */
int devtrace_rx_fd(void);
/*
 * Without DEVTRACE_RX_THREAD: answer the waiting requests; do not wait for more. Return how many
 * were answered.
 */
int devtrace_rx_serve(void);
void devtrace_rx_close(void);

/*
 * devtrace_rx_object() lets hosts make this object the current one, by its name or address. It
 * returns 0, EINVAL or ENOMEM. The object's memory must stay valid until devtrace_rx_forget()
 * returns. A second call with the same kind and address changes the size and the name.
 *
 * devtrace_rx_forget() waits until no function of struct devtrace_rx_ops uses the object any more;
 * do not call it while holding a lock that such a function takes. If one of these functions calls
 * devtrace_rx_forget(), it does not wait for the calling thread.
 */
int devtrace_rx_object(uint8_t kind, void *object, size_t size, const char *name);
void devtrace_rx_forget(void *object);
/* Make an object current. Return 0, or ENOENT if devtrace_rx_object() was not called for it. */
int devtrace_rx_current(uint8_t kind, void *object);

/*
 * For a function under test: fetch the data that a host sent for it with a PROBE request. Return
 * false if there is none. The data of a request is returned once.
 */
bool devtrace_rx_probe(const void *function, uint32_t *data);
/* Wait until a host sends CONTINUE. Return false if there is no channel. */
bool devtrace_rx_pause(void);

/* Functions for hosts. */
struct devtrace_rx_host;

struct devtrace_rx_answer {
	uint8_t	status;		/* enum devtrace_rx_status */
	size_t	len;
	/* answer to INFO: u16 version, name and NUL; to PEEK: the bytes; to QUERY: elements */
	uint8_t	data[1024];
};

/*
 * Check whether devtrace_rx_connect() would succeed, and return the same errors. The program does
 * not notice this call.
 */
int devtrace_rx_listens(pid_t pid);
/*
 * Connect to the process pid. Return 0 or an errno number. ESRCH: no such process; ECONNREFUSED:
 * the process does not listen; EPERM: the caller may not read the memory of the process, or
 * another user listens in its place; ENOENT: /proc is not mounted.
 */
int devtrace_rx_connect(pid_t pid, struct devtrace_rx_host **host);
/*
 * Send a request and wait for its answer. Return 0 or an errno number. ETIMEDOUT: the request was
 * sent and may still be executed later; EAGAIN: it was not sent, because the program has not read
 * earlier requests; EPIPE: the program has ended or refuses this user; EINVAL: invalid argument.
 */
int devtrace_rx_call(struct devtrace_rx_host *host, uint8_t request, const void *data, size_t len,
		     int timeout_ms, struct devtrace_rx_answer *answer);
/*
 * For a host that must not wait: call devtrace_rx_call() with a timeout of 0. When poll(2) reports
 * POLLIN for the descriptor that devtrace_rx_host_fd() returns, call devtrace_rx_answer() until it
 * returns EAGAIN, because no further answer has arrived. devtrace_rx_answer() returns 0 after it
 * has stored an answer and the number of the answered request in *request, and EPIPE if the
 * connection is closed.
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
