/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface to devtrace_profile.ko, for code that works without it
 *
 * devtrace_profile.ko attaches to the kernel's tracepoints and emits types 128 to 191. It may be
 * loaded and removed at any time; while it is not loaded, the functions here behave as if no such
 * type existed.
 *
 * A filter may name types 128 to 191 only while the module is loaded. The filter keeps these types
 * when the module is removed. They are active again when the module is loaded again.
 */
#ifndef DEVTRACE_PROFILE_OPS_H
#define DEVTRACE_PROFILE_OPS_H

#include <linux/types.h>
#include <linux/devtrace.h>

#define PROFILE_FIRST	DEVTRACE_T_KERNEL
#define PROFILE_LAST	(DEVTRACE_T_FAULT - 1)
#define PROFILE_NR	(PROFILE_LAST - PROFILE_FIRST + 1)

/* A profile type is attached, so devtrace's own actions may cause events. */
extern bool devtrace_profile_on;

/**
 * struct profile_info - description of a type
 * @name: name, in lower case
 * @group: name of its group
 * @tracepoints: names, separated by blanks
 * @available: this kernel has at least one of the tracepoints
 * @attached: probes are attached to all of the tracepoints that this kernel has
 * @elements: for a tracepoint added by name, the event's elements in the notation of fmt(5);
 *	else NULL
 *
 * The strings are valid while devtrace_lock is held.
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
 * struct profile_ops - operations of devtrace_profile.ko
 * @apply: attach to the tracepoints of @types and detach from all others; set @refused and
 *	return true if any attach failed
 * @keep_known: clear the types that this kernel does not have
 * @lacking: set the types cleared since the last call; return true if there are any
 * @info: describe a type; return false if it does not exist
 * @add: give a tracepoint an event type; return the type, or a negative error number and set
 *	@why
 * @find: return the type of an added tracepoint, or -ENOENT
 * @del: remove an added tracepoint
 *
 * Context: process, devtrace_lock held.
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

/* The operations; NULL while the module is not loaded. Here and below: devtrace_lock held. */
extern const struct profile_ops *devtrace_profile;
void devtrace_profile_register(const struct profile_ops *ops);

bool devtrace_profile_apply(const unsigned long *types, unsigned long *refused);

#endif /* DEVTRACE_PROFILE_OPS_H */
