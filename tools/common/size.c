// SPDX-License-Identifier: GPL-2.0-only
/*
 * size.c - parse a number of bytes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"

int size_parse(const char *word, uint64_t max, uint64_t *bytes)
{
	static const char units[] = "kmg";
	const size_t digits = strspn(word, "0123456789");
	const char *unit = word + digits, *found;
	unsigned int shift = 0;
	uint64_t n;

	if (!digits)
		return -EINVAL;
	if (*unit) {
		found = strchr(units, *unit | 0x20);
		if (!found || unit[1])
			return -EINVAL;
		shift = 10 * (unsigned int)(found - units + 1);
	}
	errno = 0;
	n = strtoull(word, NULL, 10);
	if (errno || n > max >> shift)
		return -ERANGE;
	*bytes = n << shift;
	return 0;
}
