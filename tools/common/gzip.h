/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gzip.h - compress with gzip, without a library
 */
#ifndef COMMON_GZIP_H
#define COMMON_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include "common/out.h"

struct gzip;

/* Return NULL if there is no memory. */
struct gzip *gzip_new(void);
void gzip_free(struct gzip *z);
/* Append the @n bytes at @p to @to as a file of gzip. Return false if there is no memory. */
bool gzip(struct gzip *z, struct out *to, const void *p, size_t n);

#endif
