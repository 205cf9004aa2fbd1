/* SPDX-License-Identifier: GPL-2.0-only */
/* Clear a stream: see clear.c */
#ifndef DEVTRACE_READ_CLEAR_H
#define DEVTRACE_READ_CLEAR_H

struct stream;

int stream_clear(struct stream *s);

#endif /* DEVTRACE_READ_CLEAR_H */
