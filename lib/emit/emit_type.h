/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_type.h - types that are registered by name
 */
#ifndef LIB_EMIT_TYPE_H
#define LIB_EMIT_TYPE_H

#include <stdint.h>
#include <linux/devtrace.h>

/* Register the program's names on a connection that is new. May change errno. */
void dt_types_send(int fd);
/* Return the number that the program has got for this name, or 0. */
uint32_t dt_type_known(const char *name);
/* Remember a number that the kernel gave, as long as the table has room. */
void dt_type_remember(const struct devtrace_type_name *asked);

#endif
