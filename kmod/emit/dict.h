/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for numbers: objects, functions, signals, types, enums
 *
 * A bounded table outside the rings: names are not overwritten by events and
 * every reader gets all of them. Each entry has a serial number; a reader
 * goes through the serials and so sees each name once, new ones as they come. A name holds
 * from the time on at which it was given, until its thing gets another one. The first name
 * that the kernel gives a thing holds for all events: it may have to be given by somebody who
 * may sleep, after the first event.
 */
#ifndef DEVTRACE_DICT_H
#define DEVTRACE_DICT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/devtrace.h>

/* Of the newest name. 64 bits on all machines: it does not wrap. */
extern atomic64_t devtrace_dict_serial;

struct pid;

/**
 * struct dict_name - a name as readers see it
 * @serial: a newer name has a greater one
 * @since: trace clock, ns: it holds for events from then on; 0: always
 * @until: and before that; 0: it is in force
 * @scope: process id, 0 for the kernel
 * @replaces: its thing had another name before, or an earlier process of this number may have
 * @d: what, and its name
 */
struct dict_name {
	u64	serial;
	u64	since;
	u64	until;
	u32	scope;
	bool	replaces;
	struct devtrace_dict d;
};

typedef void (*dict_told_t)(const struct dict_name *n);
void devtrace_dict_tell(dict_told_t told);
int devtrace_dict_set(struct pid *pid, const struct devtrace_dict *d);
bool devtrace_dict_next(u64 serial, struct dict_name *n);
bool devtrace_dict_next_of(bool dated, u64 serial, struct dict_name *n);
void devtrace_dict_init(unsigned int max, u32 start);
void devtrace_dict_exit(void);

#endif /* DEVTRACE_DICT_H */
