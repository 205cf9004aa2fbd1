/* SPDX-License-Identifier: GPL-2.0-only */
/* An event before it is stored */
#ifndef DEVTRACE_EVENT_H
#define DEVTRACE_EVENT_H

#include <linux/types.h>

/**
 * struct event - an event before it is stored
 * @type: event type
 * @who: flags and severity, as in a record
 * @len: bytes of @data
 * @data: payload; begins with code, object and signal if @who says so
 */
struct event {
	u32		type;
	u32		who;
	u32		len;
	const u8	*data;
};

#endif /* DEVTRACE_EVENT_H */
