/* SPDX-License-Identifier: GPL-2.0-only */
/* Connect drivers that emit to devtrace.ko: see link.c */
#ifndef DEVTRACE_EMIT_LINK_H
#define DEVTRACE_EMIT_LINK_H

int link_init(void);
void link_exit(void);
void link_tell_wanted(void);

#endif /* DEVTRACE_EMIT_LINK_H */
