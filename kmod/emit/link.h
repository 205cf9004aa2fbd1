/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connect drivers that emit to devtrace.ko: see link.c
 *
 * In a kernel with devtrace in its image, drivers call devtrace directly and have no table to
 * connect: <linux/devtrace.h> compiles the calls by the kernel's configuration. There link.c only
 * tells image.c of modules.
 */
#ifndef DEVTRACE_EMIT_LINK_H
#define DEVTRACE_EMIT_LINK_H

#include <linux/kconfig.h>

#if !IS_ENABLED(CONFIG_MODULES)
static inline int link_init(void) { return 0; }
static inline void link_exit(void) { }
static inline void link_tell_wanted(void) { }
#else
int link_init(void);
void link_exit(void);
void link_tell_wanted(void);
#endif

#endif /* DEVTRACE_EMIT_LINK_H */
