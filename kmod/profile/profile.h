/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events: the kernel's tracepoints as event types
 *
 * Types 128 to 191, devtrace_profile.ko. As long as no filter wants one the module is
 * attached to nothing. profile_types.h has the table of types, profile_probes.c emits
 * them, profile.c attaches and detaches, profile_names.c finds the names for what they
 * count. profile_ops.h is what others see. Documentation/profile.rst tells users.
 */
#ifndef DEVTRACE_PROFILE_H
#define DEVTRACE_PROFILE_H

#include <linux/types.h>
#include <linux/devtrace.h>

#include "stream/profile_ops.h"

/* The signal of system call 0x0f0000 + n of arm is this + n. */
#define PROFILE_ARM_CALLS	0xf000

/**
 * struct profile_probe - an event type and where it comes from
 * @type: event type
 * @name: of the type, in lower case
 * @title: the same as event names are written
 * @group: several types have one in common
 * @tracepoints: names, separated by blanks
 * @probe: the function, made for the prototype of all of them; its first
 *	argument is the struct tracepoint
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
