/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size.h - parse a number of bytes: 4096, 64K, 16m, 2G
 */
#ifndef TOOLS_COMMON_SIZE_H
#define TOOLS_COMMON_SIZE_H

#include <stdint.h>

/*
 * Parse a number of bytes. Return 0, -EINVAL if the word is not a size, or -ERANGE if it is above
 * @max. The caller prints the error.
 */
int size_parse(const char *word, uint64_t max, uint64_t *bytes);

#endif
