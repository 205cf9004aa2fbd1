/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * framework.h - what an event of QP or RKH says, whichever of them it is
 *
 * QP's records have types of their own, and are believed if their elements are what QP puts
 * there. RKH's types are other applications' types too: such an event counts if the
 * description in force for its type is one of rkh.fmt.
 *
 * Invariants: nothing here allocates memory; names are valid as long as the event.
 */
#ifndef TRACEINFO_FRAMEWORK_H
#define TRACEINFO_FRAMEWORK_H

#include "traceinfo.h"

enum fw_kind {
	FW_NONE,
	FW_POST,	/* from, to, signal, queue */
	FW_REFUSED,	/* the same, and there was no room */
	FW_GET,		/* to, queue */
	FW_DISPATCH,	/* object, signal, state */
	FW_INIT,	/* object, state */
	FW_STATE,	/* object, state that it is in now */
	FW_TRAN,	/* object, state, and that is all for this signal */
	FW_INTERN,	/* object: it stays where it is, and that is all */
	FW_DONE,	/* object: that is all */
	FW_IGNORED,	/* object, signal, and that is all */
	FW_UNHANDLED,
	FW_ARM, FW_DISARM,	/* object: a timer; to */
	FW_TIMEOUT,	/* object: a timer; signal, to */
	FW_POOL,	/* object, free, least */
	FW_QUEUE,	/* object, free or used, least */
};

#define FW_NO	INT64_MIN	/* a number that is not there */

struct fw_event {
	enum fw_kind	kind;
	bool		got;		/* FW_POOL, FW_QUEUE: something was taken */
	bool		rkh;
	uint64_t	object, from, to, state, signal_object;
	uint32_t	signal;
	bool		has_signal, has_from;
	int64_t		nfree, used, least;
	int64_t		room;		/* at least so many there are, free or in use */
};

/* False if it is no event of a framework. */
bool fw_event(struct fw_event *f, const struct ti_event *e);
/* Names into buffers of size bytes; in hexadecimal, or as a number, if there is none. */
void fw_object_name(char *buf, size_t size, const struct ti_event *e, uint64_t key);
void fw_state_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f);
void fw_signal_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f);

#endif
