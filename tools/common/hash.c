// SPDX-License-Identifier: GPL-2.0-only
/*
 * hash.c - SipHash-1-3 with a random key
 */
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "common/hash.h"

struct state {
	uint64_t	v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void round_once(struct state *s)
{
	s->v0 += s->v1;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static void begin(struct state *s, const struct hash_key *key)
{
	s->v0 = 0x736f6d6570736575ull ^ key->k0;
	s->v1 = 0x646f72616e646f6dull ^ key->k1;
	s->v2 = 0x6c7967656e657261ull ^ key->k0;
	s->v3 = 0x7465646279746573ull ^ key->k1;
}

static void take(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	round_once(s);
	s->v0 ^= word;
}

/*
 * Process the last word: the bytes after the whole words, with the total length in its highest
 * byte.
 */
static uint64_t end(struct state *s, uint64_t last)
{
	int i;

	take(s, last);
	s->v2 ^= 0xff;
	for (i = 0; i < 3; i++)
		round_once(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

void hash_key_init(struct hash_key *key)
{
	struct timespec t;

	/* getrandom(2) may fail early in a boot: use an address and the time instead. */
	if (getrandom(key, sizeof(*key), GRND_NONBLOCK) == (ssize_t)sizeof(*key))
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	key->k0 = (uintptr_t)key * 0x9e3779b97f4a7c15ull;
	key->k1 = (uint64_t)t.tv_sec << 32 ^ (uint64_t)t.tv_nsec;
}

uint64_t hash_words(const struct hash_key *key, const uint64_t *words, size_t n)
{
	struct state s;
	size_t i;

	begin(&s, key);
	for (i = 0; i < n; i++)
		take(&s, words[i]);
	return end(&s, (uint64_t)(8 * n) << 56);
}

uint64_t hash_bytes(const struct hash_key *key, uint64_t word, const void *p, size_t n)
{
	const uint8_t *byte = p;
	uint64_t last = 0;
	struct state s;
	size_t i;

	begin(&s, key);
	take(&s, word);
	for (i = 0; i < n; i++) {
		last |= (uint64_t)byte[i] << 8 * (i % 8);
		if (i % 8 == 7) {
			take(&s, last);
			last = 0;
		}
	}
	return end(&s, last | (uint64_t)(8 + n) << 56);
}

uint64_t hash_string(const struct hash_key *key, uint64_t word, const char *str)
{
	return hash_bytes(key, word, str, strlen(str));
}
