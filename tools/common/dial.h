/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dial.h - open a link in a thread, so that the program never waits for a peer or a name server
 */
#ifndef COMMON_DIAL_H
#define COMMON_DIAL_H

#include "common/link.h"

struct dial;

/*
 * Start a thread that calls link_open() for a copy of @l, with a timeout of @ms milliseconds.
 * Return NULL if there is no memory, or if no thread can be started.
 */
struct dial *dial_begin(const struct link *l, int ms);
/* Readable after link_open() returned. */
int dial_fd(const struct dial *d);
/*
 * If link_open() has returned, return its result, set l->why, and free @d. While it runs, return
 * -EINPROGRESS and keep @d.
 */
int dial_take(struct dial *d, struct link *l);
/* Abandon the attempt to open the link. @d may be NULL. */
void dial_drop(struct dial *d);

#endif
