/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dial.h - open a link in a thread, so that nobody waits for a peer or a name server
 */
#ifndef COMMON_DIAL_H
#define COMMON_DIAL_H

#include "common/link.h"

struct dial;

/* Begin link_open() of a copy of this link, for ms. NULL: there is no memory or thread. */
struct dial *dial_begin(const struct link *l, int ms);
/* Readable when link_open() has returned. */
int dial_fd(const struct dial *d);
/*
 * What link_open() has returned, with its words in l, and d is freed; -EINPROGRESS while it
 * has not: then d stays.
 */
int dial_take(struct dial *d, struct link *l);
/* Nobody wants the link any more; NULL is none. */
void dial_drop(struct dial *d);

#endif
