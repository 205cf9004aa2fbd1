/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * framework.h - events of QP and RKH in a common form
 *
 * QP's records have their own types; an event is accepted if its elements are those of QP. RKH
 * shares its types with other applications: an event is accepted if the description in force for
 * its type comes from rkh.fmt.
 *
 * Invariants: nothing allocates memory; names are valid as long as the event is.
 */
#ifndef TRACEINFO_FRAMEWORK_H
#define TRACEINFO_FRAMEWORK_H

#include "traceinfo.h"

enum fw_kind {
	FW_NONE,
	FW_POST,	/* from, to, signal, queue */
	FW_REFUSED,	/* from, to, signal, queue; the queue was full */
	FW_GET,		/* to, queue */
	FW_DISPATCH,	/* object, signal, state */
	FW_INIT,	/* object, state */
	FW_STATE,	/* object, its new state */
	FW_TRAN,	/* object, new state; ends the step */
	FW_INTERN,	/* object, keeps its state; ends the step */
	FW_DONE,	/* object; ends the step */
	FW_IGNORED,	/* object, signal; ends the step */
	FW_UNHANDLED,
	FW_ARM, FW_DISARM,	/* object: a timer; to */
	FW_TIMEOUT,	/* object: a timer; signal, to */
	FW_POOL,	/* object, free, least */
	FW_QUEUE,	/* object, free or used, least */
};

#define FW_NO	INT64_MIN	/* number is absent */

struct fw_event {
	enum fw_kind	kind;
	/* FW_POOL, FW_QUEUE: something was taken out; false: put in */
	bool		got;
	bool		rkh;
	uint64_t	object, from, to, state, signal_object;
	uint32_t	signal;
	bool		has_signal, has_from;
	int64_t		nfree, used, least;
	/* least possible capacity: free places and those known to be in use */
	int64_t		room;
};

/* Return false if this is not an event of a framework. */
bool fw_event(struct fw_event *f, const struct ti_event *e);
/* Write a name to a buffer of size bytes. If the name is unknown, write the value instead. */
void fw_object_name(char *buf, size_t size, const struct ti_event *e, uint64_t key);
void fw_state_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f);
void fw_signal_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f);

#endif
