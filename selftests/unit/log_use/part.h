/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * part.h - inline functions that several files and several images contain
 *
 * An inline function of C++ is one function of the whole process, also across images, so its site
 * is what a compiler gets wrong most easily.
 */
#ifndef PART_H
#define PART_H

#include "say.h"

#ifdef __cplusplus
extern "C" {
#endif
void other_file(void);
void other_image(void);
#ifdef __cplusplus
}
#endif

static inline void static_inline(int n)
{
	SAY("a static inline function: %d", n);
}

#ifdef __cplusplus
#include "part_cxx.hh"
#else
static inline void cxx_part(void)
{
}
#endif

#endif
