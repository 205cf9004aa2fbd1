/* SPDX-License-Identifier: GPL-2.0-only */
/* Resize the rings of a stream: see resize.c */
#ifndef DEVTRACE_MANAGE_RESIZE_H
#define DEVTRACE_MANAGE_RESIZE_H

#include "stream/rings.h"

struct stream;

/* Process context, devtrace_lock held. */
int rings_resize(struct stream *s, unsigned long bytes, rings_lend_t lend);

#endif /* DEVTRACE_MANAGE_RESIZE_H */
