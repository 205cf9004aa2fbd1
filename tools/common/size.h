/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size.h - bytes, as the tools are told them: 4096, 64K, 16m, 2G
 */
#ifndef TOOLS_COMMON_SIZE_H
#define TOOLS_COMMON_SIZE_H

#include <stdint.h>

/* 0, -EINVAL if it is no size, -ERANGE if it is above max. Whoever asks says so. */
int size_parse(const char *word, uint64_t max, uint64_t *bytes);

#endif
