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
void wake_again_all(void);
void wake_start(void);
void wake_look_soon(void);

/**
 * typedef wake_look_t - look for events that no emitter announces
 * @again: set to true if more may come: look again when the timer fires next
 *
 * Called while readers wait. Return true if these must wake. Context: softirq.
 */
typedef bool (*wake_look_t)(bool *again);

void devtrace_wake_init(wake_look_t look);
void devtrace_wake_exit(void);

#endif /* DEVTRACE_STREAM_WAKE_H */
