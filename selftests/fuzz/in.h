/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * in.h - what an input of a kernel fuzzer does
 *
 * An input is bytes, read as a list of calls (in_device.c) or of netlink messages
 * (in_netlink.c). Any bytes are an input: what is missing at the end is 0. Two
 * programs carry inputs out: kfuzz, which looks at what ran in the module and makes
 * new inputs of those that came further, and test_fuzz_replay, which goes through
 * the corpora on any kernel. When an input is over in_check() puts back what it changed
 * and says whether every stream still works.
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
	/* Both write to p, which has room for IN_MAX bytes, and return how many there are. */
	size_t (*generate)(uint8_t *p);
	size_t (*mutate)(uint8_t *p, size_t n);
};

extern const struct in_target in_device, in_netlink;

/* Called by the second thread of an input, before its first call and after its last. */
extern void (*in_thread)(bool begins);

/* Once, with the module there: 0, or -1 and why on standard error. */
int in_setup(void);
/* Between inputs. NULL, or what is wrong. */
const char *in_check(void);

/* Numbers for those who make inputs. */
uint32_t in_random(void);
void in_seed(uint32_t seed);
/* Bytes turned, taken away, put in; knows nothing of what they mean. */
size_t in_havoc(uint8_t *p, size_t n);

#endif /* IN_H */
