/* SPDX-License-Identifier: GPL-2.0-only */
/* Take events out of lanes: see take.c */
#ifndef DEVTRACE_TAKE_H
#define DEVTRACE_TAKE_H

#include <linux/types.h>

struct lane;
struct slot_view;
struct slots;

/* Below: process context, or preemption off. */
int slot_take(struct lane *l);
int slot_take_full(struct lane *l);
bool slot_makes_no_calls(struct lane *l);
void slot_close(struct lane *l);
void slot_refresh(const struct slots *in, unsigned int slot, struct slot_view *v);
void slots_take_all(void);
void slots_clear(struct slots *in);
void slots_stop(struct slots *in, bool stop);

#endif /* DEVTRACE_TAKE_H */
