/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of types, objects and softirqs: see profile_titles.c */
#ifndef DEVTRACE_PROFILE_TITLES_H
#define DEVTRACE_PROFILE_TITLES_H

void profile_titles_on(void);

#endif /* DEVTRACE_PROFILE_TITLES_H */
