/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event on its way into the rings
 */
#ifndef DEVTRACE_EVENT_H
#define DEVTRACE_EVENT_H

#include <linux/types.h>

/**
 * struct event - an event that is about to be stored
 * @type: event type
 * @who: flags and severity, as in a record
 * @len: bytes of @data
 * @data: payload: code, or object and signal, first
 */
struct event {
	u32		type;
	u32		who;
	u32		len;
	const u8	*data;
};

#endif /* DEVTRACE_EVENT_H */
