/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events: the kernel's tracepoints as event types
 *
 * Types 128 to 190, devtrace_profile.ko. While no filter wants one of them, the module is attached
 * to no tracepoint. profile_types.h has the table of types, profile_probes.c emits them, profile.c
 * attaches and detaches, profile_added.c has tracepoints added by name, profile_names.c names
 * functions and system calls. profile_ops.h is the interface for other modules. For users:
 * Documentation/profile.rst.
 */
#ifndef DEVTRACE_PROFILE_H
#define DEVTRACE_PROFILE_H

#include <linux/types.h>
#include <linux/devtrace.h>

#include "stream/profile_ops.h"

/* arm's system call 0x0f0000 + n has the signal PROFILE_ARM_CALLS + n. */
#define PROFILE_ARM_CALLS	0xf000

/**
 * struct profile_probe - an event type and its tracepoints
 * @type: event type
 * @name: name of the type, in lower case
 * @title: the same name in upper case, as readers see it
 * @group: name of the group that the type belongs to
 * @tracepoints: names of the tracepoints, separated by blanks
 * @probe: function to attach to each of them, with the struct tracepoint as its first argument; all
 *	have the same prototype. NULL: not in this kernel
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
