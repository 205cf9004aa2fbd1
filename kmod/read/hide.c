// SPDX-License-Identifier: GPL-2.0-only
/* Hide addresses of the kernel: readers get hashes instead */
#include <linux/siphash.h>

#include "boot_id.h"
#include "compat/compat.h"
#include "hide.h"
#include "ring/elem.h"

/* An object id below this is a number, not an address, and is not hidden. */
#define SMALL_ID	65536

/* Replace a kernel address by a hash; the same address always gives the same hash. */
u64 hide_address(u64 v)
{
	if (v < SMALL_ID)
		return v;
	return siphash_1u64(v, &devtrace_boot_id.key) | 1ULL << 63;
}

/* Hide the addresses in the elements of a kernel event, @len bytes. */
void hide_in_elements(u8 *p, unsigned int len)
{
	unsigned int i = 0;
	int n;

	while (i < len) {
		u8 format = p[i++];
		u8 *addr = NULL;

		n = elem_size(format, p + i, len - i);
		if (n < 0)
			return;
		switch (format & 0xf) {
		case DEVTRACE_E_OBJ:
		case DEVTRACE_E_FUN:
			addr = p + i;
			break;
		case DEVTRACE_E_SIG:
			addr = p + i + 4;
			break;
		}
		if (addr)
			put_unaligned_le64(hide_address(get_unaligned_le64(addr)), addr);
		i += n;
	}
}
