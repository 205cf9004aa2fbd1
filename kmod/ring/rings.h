/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for the rings of all streams, and the gate before those of stream 0
 */
#ifndef DEVTRACE_RINGS_H
#define DEVTRACE_RINGS_H

#include <linux/types.h>

struct stream;

int rings_add(struct stream *s);
void rings_del(struct stream *s);
void rings_free(struct stream *s);
int rings_resize(struct stream *s, unsigned long bytes);
void rings_easy(bool easy);

int rings_init(void);
void rings_exit(void);

#endif /* DEVTRACE_RINGS_H */
