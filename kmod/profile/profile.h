/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events: the kernel's tracepoints as event types
 *
 * devtrace_profile.ko emits the types 128 to 190. While no filter wants one of them, the module is
 * attached to no tracepoint. profile_types.h has the table of types. profile_probes.c emits them.
 * profile.c attaches and detaches the tracepoints. profile_added.c handles tracepoints added by
 * name. profile_names.c finds the names of functions and system calls. profile_ops.h is the
 * interface for other modules. Documentation/profile.rst is for users.
 */
#ifndef DEVTRACE_PROFILE_H
#define DEVTRACE_PROFILE_H

#include <linux/types.h>
#include <linux/devtrace.h>

#include "stream/profile_ops.h"

/* System call 0x0f0000 + n, which only arm has, gets the signal PROFILE_ARM_CALLS + n. */
#define PROFILE_ARM_CALLS	0xf000

/**
 * struct profile_probe - an event type and its tracepoints
 * @type: event type
 * @name: name of the type, in lower case
 * @title: the same name in upper case, as readers see it
 * @group: name of the group that the type belongs to
 * @tracepoints: names of the tracepoints, separated by blanks
 * @probe: function to attach to each of these tracepoints, which all have the same prototype. Its
 *	first argument is the struct tracepoint. NULL: the kernel has none of the tracepoints
 */
struct profile_probe {
	u8		type;
	const char	*name;
	const char	*title;
	const char	*group;
	const char	*tracepoints;
	void		*probe;
};

extern const struct profile_probe profile_probes[];
extern const unsigned int profile_probes_nr;

#endif /* DEVTRACE_PROFILE_H */
