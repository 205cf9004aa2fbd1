// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the kernel that the portable files of this folder use: see port.h */
#include <linux/once.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/vmalloc.h>

#include "port.h"

void *persist_alloc(size_t n)
{
	return vzalloc(n);
}

void persist_free(void *p)
{
	vfree(p);
}

/* Hash an address as read/hide.c does, but with another key: the hashes need not be the same. */
u64 persist_hide(u64 address)
{
	static siphash_key_t key;

	if (address < 65536)
		return address;
	get_random_once(&key, sizeof(key));
	return siphash_1u64(address, &key) | 1ULL << 63;
}
