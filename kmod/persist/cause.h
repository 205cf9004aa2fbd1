/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the machine goes down: see cause.c */
#ifndef DEVTRACE_PERSIST_CAUSE_H
#define DEVTRACE_PERSIST_CAUSE_H

int cause_begin(void);
void cause_end(void);

#endif /* DEVTRACE_PERSIST_CAUSE_H */
