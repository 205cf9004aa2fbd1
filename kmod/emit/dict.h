/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for numbers: objects, functions, signals, types, enums
 *
 * A bounded table outside the rings: names are not overwritten by events and
 * every reader gets all of them. Each entry has a serial number; a reader
 * goes through the serials and so sees each name once, new ones as they come.
 */
#ifndef DEVTRACE_DICT_H
#define DEVTRACE_DICT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/devtrace.h>

/* Of the newest name. 64 bits on all machines: it does not wrap. */
extern atomic64_t devtrace_dict_serial;

struct pid;

typedef void (*dict_told_t)(u64 serial, const struct devtrace_dict *d, u32 scope);
void devtrace_dict_tell(dict_told_t told);
int devtrace_dict_set(struct pid *pid, const struct devtrace_dict *d);
u64 devtrace_dict_next(u64 serial, struct devtrace_dict *d, u32 *scope);
void devtrace_dict_init(unsigned int max, u32 start);
void devtrace_dict_exit(void);

#endif /* DEVTRACE_DICT_H */
