/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_syscore.h - struct syscore
 *
 * struct syscore, and callbacks with an argument, are newer than 6.12, but Debian has backported
 * them. So Kbuild looks for them in the kernel's header, and defines COMPAT_HAVE_SYSCORE.
 */
#ifndef DEVTRACE_COMPAT_SYSCORE_H
#define DEVTRACE_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

#ifdef COMPAT_HAVE_SYSCORE
#define COMPAT_SYSCORE_ARG	void *unused
#else
#define COMPAT_SYSCORE_ARG	void

struct syscore {
	struct syscore_ops	*ops;
};

static inline void register_syscore(struct syscore *syscore)
{
	register_syscore_ops(syscore->ops);
}

static inline void unregister_syscore(struct syscore *syscore)
{
	unregister_syscore_ops(syscore->ops);
}
#endif

#endif /* DEVTRACE_COMPAT_SYSCORE_H */
