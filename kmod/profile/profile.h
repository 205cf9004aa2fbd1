/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profile events: the kernel's tracepoints as event types
 *
 * Types 128 to 191. As long as no filter wants one the module is attached to nothing.
 * profile_types.h has the table of types, profile_probes.c emits them,
 * profile.c attaches and detaches, profile_names.c finds the names for what they
 * count. Documentation/profile.rst tells users.
 */
#ifndef DEVTRACE_PROFILE_H
#define DEVTRACE_PROFILE_H

#include <linux/types.h>
#include <linux/devtrace.h>

#define PROFILE_FIRST	DEVTRACE_T_KERNEL
#define PROFILE_LAST	(DEVTRACE_T_USER2 - 1)
#define PROFILE_NR	(PROFILE_LAST - PROFILE_FIRST + 1)

/* The signal of system call 0x0f0000 + n of arm is this + n. */
#define PROFILE_ARM_CALLS	0xf000

/* Some type is on: what the module does may be an event itself. */
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
 */
struct profile_info {
	const char	*name;
	const char	*group;
	const char	*tracepoints;
	bool		available;
	bool		attached;
	const char	*elements;
};

/* Process context, may sleep, devtrace_lock held. */
bool devtrace_profile_apply(const unsigned long *types, unsigned long *refused);
void devtrace_profile_limit(unsigned long *types);
bool devtrace_profile_lacking(unsigned long *types);
bool devtrace_profile_info(unsigned int type, struct profile_info *info);

int devtrace_profile_parse(const char *list, unsigned long *types, unsigned long *named);
int devtrace_profile_init(void);
void devtrace_profile_exit(void);

/* profile_probes.c: what to attach. */

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

/* profile_names.c: names for what was seen, later and from process context. */
void profile_seen_fun(const void *fun);
void profile_seen_syscall(unsigned int compat, unsigned int nr);
void profile_names_on(void);
int profile_names_init(void);
void profile_names_exit(void);

#endif /* DEVTRACE_PROFILE_H */
