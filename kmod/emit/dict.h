/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dictionary: names for objects, functions, signals, types and enumerations
 *
 * It is a bounded table outside the rings, so events do not overwrite names, and every reader gets
 * all of them. Each entry has a serial number. A reader goes through the serial numbers and so sees
 * each name once, including names given later. A name holds from the time when it is given until
 * its key gets another one. The first name that the kernel gives a key holds for all events: a
 * driver must sleep to give a name, and may be unable to before it emits its first event.
 * Statements about the clock (accuracy.c) are names, too, but hold only from the time when they
 * are made.
 */
#ifndef DEVTRACE_DICT_H
#define DEVTRACE_DICT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/devtrace.h>

/* Serial number of the newest name. It has 64 bits and does not wrap. */
extern atomic64_t devtrace_dict_serial;

struct pid;

/**
 * struct dict_name - a name, as readers see it
 * @serial: serial number; increases with each new name
 * @since: trace clock from which the name holds, ns; 0: always
 * @until: trace clock until which it held, ns; 0: current
 * @scope: process id, 0 for the kernel
 * @replaces: the key had another name before, in this process or in an earlier one with its id
 * @d: key and name
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
int devtrace_dict_name_type(const struct devtrace_dict *dict);
bool devtrace_dict_next(u64 serial, struct dict_name *n);
bool devtrace_dict_next_of(bool dated, u64 serial, struct dict_name *n);
void devtrace_dict_init(unsigned int max, u32 start);
void devtrace_dict_exit(void);

#endif /* DEVTRACE_DICT_H */
