/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dial.h - open a link in a thread, so that the program never waits for a peer or a name server
 */
#ifndef COMMON_DIAL_H
#define COMMON_DIAL_H

#include "common/link.h"

struct dial;

/*
 * Begin link_open() of a copy of @l, with a timeout of ms. Return NULL if there is no memory or
 * no thread.
 */
struct dial *dial_begin(const struct link *l, int ms);
/* Readable after link_open() returned. */
int dial_fd(const struct dial *d);
/*
 * Return the result of link_open() with its text in l->why, and free d. While link_open() runs,
 * return -EINPROGRESS and keep d.
 */
int dial_take(struct dial *d, struct link *l);
/* Give up the link; d may be NULL. */
void dial_drop(struct dial *d);

#endif
