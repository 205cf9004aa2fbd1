/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - hashes with a secret, for tables whose keys strangers choose
 *
 * Who writes a stream chooses the threads, objects and names in it. If the place of each in
 * a table could be computed, all of them could be put into one chain. SipHash with a random key
 * prevents that: see siphash in the kernel's Documentation/security.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t	k0, k1;
};

/* Another key each time; from the kernel's random numbers. */
void hash_key_init(struct hash_key *key);
/* SipHash-1-3 of n words. */
uint64_t hash_words(const struct hash_key *key, const uint64_t *words, size_t n);
/* The same of a string, behind one word. */
uint64_t hash_string(const struct hash_key *key, uint64_t word, const char *s);

#endif
