/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * in.h - inputs of the kernel fuzzers
 *
 * An input is a list of calls (in_device.c) or of netlink messages (in_netlink.c), encoded in
 * bytes. Any bytes are valid; missing ones at the end are 0. Two programs execute inputs: kfuzz,
 * which observes the code executed in the module and derives new inputs from successful ones,
 * and test_fuzz_replay, which executes the corpora on any kernel. After an input, in_check()
 * restores the state and checks that each stream still works.
 */
#ifndef IN_H
#define IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IN_MAX	2048		/* bytes of an input */

struct in_target {
	const char *name, *corpus;
	void (*run)(const uint8_t *p, size_t n);
	/* Both write to p, which has room for IN_MAX bytes, and return the number of bytes. */
	size_t (*generate)(uint8_t *p);
	size_t (*mutate)(uint8_t *p, size_t n);
};

extern const struct in_target in_device, in_netlink;

/* Called by the second thread of an input, before its first call and after its last. */
extern void (*in_thread)(bool begins);

/* Called once, with the module loaded; 0, or -1 after an error message. */
int in_setup(void);
/* Called between inputs; NULL or an error text. */
const char *in_check(void);

/* Random numbers for makers of inputs. */
uint32_t in_random(void);
void in_seed(uint32_t seed);
/* Change, remove and insert random bytes, without regard to their meaning. */
size_t in_havoc(uint8_t *p, size_t n);

#endif /* IN_H */
