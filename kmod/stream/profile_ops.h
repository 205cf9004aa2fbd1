/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events, for those who do without them
 *
 * devtrace_profile.ko attaches to the kernel's tracepoints and emits types 128 to 191.
 * It may be loaded and removed at any time. Other code calls it by these functions;
 * while it is not loaded they answer that there is no such type.
 *
 * A filter may name types 128 to 191 only while the module is there, and keeps them when
 * it goes. They come again when it comes again.
 */
#ifndef DEVTRACE_PROFILE_OPS_H
#define DEVTRACE_PROFILE_OPS_H

#include <linux/types.h>
#include <linux/devtrace.h>

#define PROFILE_FIRST	DEVTRACE_T_KERNEL
#define PROFILE_LAST	(DEVTRACE_T_FAULT - 1)
#define PROFILE_NR	(PROFILE_LAST - PROFILE_FIRST + 1)

/* Some type is on: what devtrace does may be an event itself. */
extern bool devtrace_profile_on;

/**
 * struct profile_info - a type, for those who ask
 * @name: in lower case
 * @group: several types have one in common
 * @tracepoints: names, separated by blanks
 * @available: this kernel has one of them
 * @attached: to all that it has
 * @elements: what its events carry, as fmt(5) writes it, of a tracepoint that was
 *	added by name; else NULL
 *
 * The strings are good as long as devtrace_lock is held.
 */
struct profile_info {
	const char	*name;
	const char	*group;
	const char	*tracepoints;
	bool		available;
	bool		attached;
	const char	*elements;
};

/**
 * struct profile_ops - what devtrace_profile.ko does
 * @apply: attach to what is wanted, detach from the rest; whether any was refused
 * @keep_known: take out of a filter what this kernel does not have
 * @lacking: what was left out since the last call; whether there is anything
 * @info: what there is to know of a type; false if there is no such type
 * @add: make a tracepoint an event type: the type, or a negative error number and why
 * @find: the type of a tracepoint that is added, or -ENOENT
 * @del: let a tracepoint go
 *
 * All in process context, with devtrace_lock held.
 */
struct profile_ops {
	bool (*apply)(const unsigned long *types, unsigned long *refused);
	void (*keep_known)(unsigned long *types);
	bool (*lacking)(unsigned long *types);
	bool (*info)(unsigned int type, struct profile_info *info);
	int (*add)(const char *name, const char **why);
	int (*find)(const char *name);
	void (*del)(unsigned int type);
};

/* Process context, devtrace_lock held, for all that follows; NULL: it is not loaded. */
extern const struct profile_ops *devtrace_profile;
void devtrace_profile_register(const struct profile_ops *ops);

/* As in struct profile_ops. */
bool devtrace_profile_apply(const unsigned long *types, unsigned long *refused);

#endif /* DEVTRACE_PROFILE_OPS_H */
