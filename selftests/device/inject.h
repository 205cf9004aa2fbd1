/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject.h - faults that the kernel is told to have, one after the other
 *
 * /proc/thread-self/fail-nth makes the nth place from now on fail where this thread
 * has the kernel allocate memory or copy to or from the program. An action is done
 * with n = 1, 2, 3 ... until there is no nth place any more.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>

#define INJECT_MOST	5000		/* places: more is a loop */

/*
 * Whether this kernel injects, and all that it can: memory for which it may wait
 * fails too. Once for each test, because a test is a process of its own.
 */
bool inject_begin(void);
bool inject_can(void);
/* From here on, the nth place fails. */
void inject_arm(int n);
/* No place fails from here on: whether one did. Leaves errno as it is. */
bool inject_disarm(void);
/* What a system call says of it. */
bool inject_fits(int err);
/* What a kernel that injects lacks of what is set here: it was built wrongly. Or "". */
const char *inject_lacks(void);

/* A fixture cannot end a test, so this begins each. */
#define NEEDS_FAULTS()							\
	do {								\
		ASSERT_STREQ("", inject_lacks());			\
		if (!inject_can())					\
			SKIP(return, "this kernel injects no faults");	\
	} while (0)

/* Rounds of an action in which the nth place fails, then one in which none does. */
#define FOR_EACH_PLACE(n, hit)						\
	for ((n) = 1, (hit) = true; (hit) && (n) < INJECT_MOST; (n)++)
/*
 * The least is about a quarter of what there is on kasan, where half is debugging's: with
 * fewer the injecting itself is broken.
 */
#define SAY_PLACES(n, what, least) do {					\
		dev_say("%s: %d places, each failed once", what, (n) - 2);	\
		EXPECT_GT(INJECT_MOST, n);				\
		EXPECT_LE(least, (n) - 2) TH_LOG("%s", what);		\
	} while (0)

#endif /* INJECT_H */
