/* SPDX-License-Identifier: GPL-2.0-only */
/* Wake readers by watermark and timer: see wake.c */
#ifndef DEVTRACE_STREAM_WAKE_H
#define DEVTRACE_STREAM_WAKE_H

#include <linux/types.h>

struct stream;

/* Bit n: a reader of stream n waits for the first event; bit n + 16: that event was stored. */
extern u32 devtrace_waiting;

void devtrace_wake_kick(unsigned int id);
void devtrace_wake_later(void);
void devtrace_wake_full(unsigned int id);
void wake_prepare(struct stream *s);
void wake_again(struct stream *s);

void devtrace_wake_init(void);
void devtrace_wake_exit(void);

#endif /* DEVTRACE_STREAM_WAKE_H */
