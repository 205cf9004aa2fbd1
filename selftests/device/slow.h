/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slow.h - memory whose page faults wait until the test lets them go
 *
 * The first page is there. Whoever touches another one sleeps in the kernel until
 * slow_go(): behind userfaultfd(2), or in a file of a FUSE file system whose server does
 * not answer.
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

/* NULL: this machine has none, and why says what it lacks. */
struct slow *slow_new(enum slow_kind kind, size_t size, char *why, size_t room);
/* The memory, once, in a process forked after slow_new(); NULL: failed. */
void *slow_map(struct slow *s);
/* Whether a page fault waits. */
bool slow_waits(const struct slow *s);
/* Answer all page faults, from now on. */
void slow_go(struct slow *s);
/* No process that mapped it is left, or all were killed. */
void slow_free(struct slow *s);

#endif /* SLOW_H */
