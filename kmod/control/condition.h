/* SPDX-License-Identifier: GPL-2.0-only */
/* Detect conditions of triggers that no event can ever meet: see condition.c */
#ifndef DEVTRACE_CONTROL_CONDITION_H
#define DEVTRACE_CONTROL_CONDITION_H

#include <linux/types.h>

struct element_test;
struct filter;

const char *condition_never(const struct filter *f, const u8 *types, int *attr);
bool condition_element_never(const struct element_test *t);

#endif /* DEVTRACE_CONTROL_CONDITION_H */
