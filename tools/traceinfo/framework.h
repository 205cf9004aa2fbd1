/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * framework.h - events of the frameworks QP and RKH in a common form
 *
 * QP's events have types of their own; an event is accepted if it has the elements that QP gives
 * to its type. Other applications also use RKH's types; an event with one of these is accepted
 * only if the format file rkh.fmt describes it.
 *
 * No function here allocates memory. A name is valid as long as its event.
 */
#ifndef TRACEINFO_FRAMEWORK_H
#define TRACEINFO_FRAMEWORK_H

#include "traceinfo.h"

enum fw_kind {
	FW_NONE,
	FW_POST,	/* from, to, signal, queue */
	/* elements: from, to, signal, queue; the post failed because the queue was full */
	FW_REFUSED,
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
	/* FW_POOL and FW_QUEUE: true if a block or event was taken out, false if it was put in */
	bool		got;
	bool		rkh;
	uint64_t	object, from, to, state, signal_object;
	uint32_t	signal;
	bool		has_signal, has_from;
	int64_t		nfree, used, least;
	/*
	 * lower bound of the capacity of a queue or pool: its free places plus those known to be
	 * used
	 */
	int64_t		room;
};

/* Read an event of QP or RKH into @f. Return false if the event is from neither. */
bool fw_event(struct fw_event *f, const struct ti_event *e);
/*
 * Write the name of an object, state or signal to @buf of @size bytes. If the name is unknown,
 * write the value instead.
 */
void fw_object_name(char *buf, size_t size, const struct ti_event *e, uint64_t key);
void fw_state_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f);
void fw_signal_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f);

#endif
