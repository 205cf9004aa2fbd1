/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject.h - fault injection in the kernel, one place after the other
 *
 * /proc/thread-self/fail-nth makes the nth place fail where this thread makes the kernel
 * allocate memory or copy from or to user space. An action is repeated with n = 1, 2, 3 ...
 * until it has no nth place.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>

#define INJECT_MOST	5000		/* limit on places: more means a loop */

/*
 * Check that this kernel injects faults, and enable all kinds, also allocations that may wait.
 * Called once per test, as each is a separate process.
 */
bool inject_begin(void);
bool inject_can(void);
/* The nth place from here on fails. */
void inject_arm(int n);
/* Stop injecting; returns whether a place failed. Keeps errno. */
bool inject_disarm(void);
/* True for the error that a system call returns then. */
bool inject_fits(int err);
/* Names the missing kernel configuration, or "". */
const char *inject_lacks(void);

/* Fixtures cannot end a test, so each test begins with this. */
#define NEEDS_FAULTS()							\
	do {								\
		ASSERT_STREQ("", inject_lacks());			\
		if (!inject_can())					\
			SKIP(return, "this kernel injects no faults");	\
	} while (0)

/* Repeat an action with the nth place failing, until none fails. */
#define FOR_EACH_PLACE(n, hit)						\
	for ((n) = 1, (hit) = true; (hit) && (n) < INJECT_MOST; (n)++)
/*
 * @least is about a quarter of the places on the kasan kernel, half of which are due to
 * debugging: fewer means that injection does not work.
 */
#define SAY_PLACES(n, what, least) do {					\
		dev_say("%s: %d places, each failed once", what, (n) - 2);	\
		EXPECT_GT(INJECT_MOST, n);				\
		EXPECT_LE(least, (n) - 2) TH_LOG("%s", what);		\
	} while (0)

#endif /* INJECT_H */
