/* SPDX-License-Identifier: GPL-2.0-only */
/* How programs emit events by ioctl(2): see emit_user.c */
#ifndef DEVTRACE_EMIT_EMIT_USER_H
#define DEVTRACE_EMIT_EMIT_USER_H

struct devtrace_emit;

long devtrace_emit_user(const struct devtrace_emit __user *arg, unsigned int size);
int emit_user_init(void);
void emit_user_exit(void);

#endif /* DEVTRACE_EMIT_EMIT_USER_H */
