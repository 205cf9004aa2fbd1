/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slow.h - memory whose page faults wait until the test releases them
 *
 * The first page is present. An access to another page sleeps in the kernel until slow_go():
 * with userfaultfd(2), or in a file of a FUSE file system whose server does not reply.
 */
#ifndef SLOW_H
#define SLOW_H

#include <stdbool.h>
#include <stddef.h>

enum slow_kind {
	SLOW_USERFAULTFD,
	SLOW_FUSE,
};

struct slow;

/* Returns NULL if the machine does not support it, with the reason in @why. */
struct slow *slow_new(enum slow_kind kind, size_t size, char *why, size_t room);
/* Map the memory, once, in a process forked after slow_new(); NULL on failure. */
void *slow_map(struct slow *s);
/* True while a page fault waits. */
bool slow_waits(const struct slow *s);
/* Resolve all page faults from now on. */
void slow_go(struct slow *s);
/* All processes that mapped it must have ended. */
void slow_free(struct slow *s);

#endif /* SLOW_H */
