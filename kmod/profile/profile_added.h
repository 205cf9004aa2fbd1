/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints added by name: types 176 to 190 */
#ifndef DEVTRACE_PROFILE_ADDED_H
#define DEVTRACE_PROFILE_ADDED_H

#include <linux/types.h>
#include <linux/devtrace.h>

#define PROFILE_ADDED_FIRST	176
#define PROFILE_ADDED_LAST		(DEVTRACE_T_FAULT - 1)
#define PROFILE_ADDED_NR		(PROFILE_ADDED_LAST - PROFILE_ADDED_FIRST + 1)

/**
 * struct profile_added_info - a tracepoint that was added
 * @name: SYSTEM:EVENT
 * @elements: the elements of its events, in the notation of fmt(5)
 * @attached: its events are emitted
 */
struct profile_added_info {
	const char	*name;
	const char	*elements;
	bool		attached;
};

/* Context of these functions: process, may sleep, devtrace_lock held. */
int profile_add(const char *name, const char **why);
int profile_added_find(const char *name);
void profile_del(unsigned int type);
bool profile_added_info(unsigned int type, struct profile_added_info *info);
int profile_added_attach(unsigned int type);
bool profile_added_detach(unsigned int type);

int profile_added_init(void);
void profile_added_exit(void);

#endif /* DEVTRACE_PROFILE_ADDED_H */
