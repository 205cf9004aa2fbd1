/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - keyed hashes, for tables whose keys come from a stream
 *
 * The program that writes a stream chooses thread ids, objects and names. If the hash were
 * predictable, it could choose them such that all are in one chain. SipHash with a random key
 * prevents that; see siphash in the kernel's Documentation/security.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t	k0, k1;
};

/* Make a random key. The random numbers are those of the kernel. */
void hash_key_init(struct hash_key *key);
/* SipHash-1-3 of n words. */
uint64_t hash_words(const struct hash_key *key, const uint64_t *words, size_t n);
/* Return the SipHash-1-3 of a word followed by bytes, or by a string. */
uint64_t hash_bytes(const struct hash_key *key, uint64_t word, const void *p, size_t n);
uint64_t hash_string(const struct hash_key *key, uint64_t word, const char *s);

#endif
